"""Crawls and extractions that operators start: child processes, watched live."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
import uuid
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from blogcrawl.core.credentials import redact
from blogcrawl.core.errors import UsageError

AT_ONCE = 2
"""Jobs that run at the same time: each is a process that crawls or extracts."""
KEPT = 50
LINES = 500
"""Last lines of a job's log that are kept."""
_LONGEST = 500
_STOP_SECONDS = 30.0


@dataclass(slots=True)
class Job:
    """One child process. ``code``: None while it runs."""

    id: str
    what: str
    subject: str
    who: str
    started: datetime
    process: subprocess.Popen[bytes]
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=LINES))
    written: int = 0
    code: int | None = None

    def read(self) -> None:
        """Take what the process writes until it ends."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            text = redact(line.decode("utf-8", "replace").rstrip())[:_LONGEST]
            if text:
                self.lines.append(text)
                self.written += 1
        self.code = self.process.wait()

    def after(self, number: int) -> Sequence[str]:
        """Return the lines that are kept, after the first ``number`` written."""
        kept = list(self.lines)
        return kept[max(0, len(kept) - max(0, self.written - number)) :] if kept else ()

    def stop(self) -> None:
        """Ask it to stop as Ctrl-C does: what is in flight is finished and saved."""
        if self.code is None:
            self.process.send_signal(signal.SIGINT)


class Jobs:
    """Starts jobs and keeps the last ones. ``settings``: environment of the archive."""

    def __init__(self, settings: Mapping[str, str], *, at_once: int = AT_ONCE) -> None:
        self._environment = {**os.environ, "PYTHONUNBUFFERED": "1", **settings}
        self._at_once = at_once
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()

    def start(self, what: str, subject: str, *, who: str, now: datetime) -> Job:
        """Run ``blogcrawl what subject``. Raises UsageError if enough of them run."""
        with self._lock:
            running = [job for job in self._jobs.values() if job.code is None]
            if len(running) >= self._at_once:
                raise UsageError(f"{len(running)} jobs are running: wait until one has ended")
            process = subprocess.Popen(
                [sys.executable, "-m", "blogcrawl", what, "--", subject],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=self._environment,
                start_new_session=True,
            )
            job = Job(uuid.uuid4().hex, what, subject, who, now, process)
            self._jobs[job.id] = job
            while len(self._jobs) > KEPT:
                self._jobs.popitem(last=False)
        threading.Thread(target=job.read, daemon=True).start()
        return job

    def all(self) -> list[Job]:
        """Return the jobs, newest first."""
        return list(self._jobs.values())[::-1]

    def get(self, name: str) -> Job | None:
        return self._jobs.get(name)

    def close(self) -> None:
        """Stop what runs and wait for it; kill what does not stop."""
        for job in self.all():
            job.stop()
        for job in self.all():
            try:
                job.process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    job.process.kill()


async def events(job: Job, seconds: float = 0.5) -> AsyncIterator[str]:
    """Yield the job's lines as server-sent events until it ends, then its exit code."""
    sent = 0
    while True:
        ended = job.code is not None
        for line in job.after(sent):
            yield f"data: {line}\n\n"
        sent = job.written
        if ended:
            yield f"event: ended\ndata: {job.code}\n\n"
            return
        yield ": waiting\n\n"
        await asyncio.sleep(seconds)
