"""Blogs replayed as they were crawled: ``blogcrawl replay``, a process for each, when asked for.

pywb serves what was archived with its scripts, from a port of its own on this machine: another
origin than the room's. It knows no users, so it is offered only where the room is on this machine
alone.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import datetime

from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.storage.replay import COLLECTION

AT_ONCE = 2
"""Blogs that are replayed at the same time; the one asked for longest ago gives way."""
PATIENCE = 180.0
"""Seconds in which the evidence is laid out and pywb answers."""


def is_possible() -> bool:
    """Report whether pywb is installed."""
    beside = os.pathsep.join((os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)))
    return shutil.which("wayback", path=beside) is not None


class Replays:
    """Starts replays and ends them. ``settings``: environment of the archive."""

    def __init__(
        self, settings: Mapping[str, str], command: Sequence[str] = ("-m", "blogcrawl")
    ) -> None:
        self._command = command
        self._environment = {**os.environ, **settings}
        self._running: OrderedDict[str, tuple[subprocess.Popen[bytes], str]] = OrderedDict()
        self._lock = threading.Lock()

    def address(self, blog: str, url: str, moment: datetime) -> str:
        """Return where a page of the blog at ``blog`` is replayed as it was at ``moment``.

        Raises BlogcrawlError if it can't be.
        """
        with self._lock:
            known = self._running.pop(blog, None)
            if known is None or known[0].poll() is not None:
                known = self._start(blog)
            self._running[blog] = known
            while len(self._running) > AT_ONCE:
                self._stop(self._running.popitem(last=False)[1][0])
        return f"{known[1]}/{COLLECTION}/{moment:%Y%m%d%H%M%S}/{url}"

    def _start(self, blog: str) -> tuple[subprocess.Popen[bytes], str]:
        process = subprocess.Popen(
            [sys.executable, *self._command, "replay", "--port", "0", "--json", "--", blog],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self._environment,
            start_new_session=True,
        )
        assert process.stdout is not None
        late = threading.Timer(PATIENCE, process.kill)
        late.start()
        try:
            said = b""
            for line in process.stdout:
                said += line
                if line.rstrip() == b"}":
                    return process, str(json.loads(said)["proxy"])
        except (ValueError, KeyError):
            pass  # what it said is no answer
        finally:
            late.cancel()
        self._stop(process)
        raise BlogcrawlError("this blog can't be replayed: `blogcrawl replay` says why", url=blog)

    def _stop(self, process: subprocess.Popen[bytes]) -> None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def close(self) -> None:
        """End all replays."""
        with self._lock:
            for process, _ in self._running.values():
                self._stop(process)
            self._running.clear()
