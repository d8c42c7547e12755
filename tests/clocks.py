"""Processes that live in another time."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path


def at(moment: str) -> list[str]:
    """The start of a command line whose program believes in ``moment``, as libfaketime writes it
    (``@1970-01-01 00:00:10``, ``+3y``). Monotonic clocks stay as they are: the event loop waits by
    them.
    """
    found = find_spec("libfaketime")
    assert found is not None and found.origin is not None
    library = Path(found.origin).parent / "vendor/libfaketime/src/libfaketime.so.1"
    return [
        "env",
        "DONT_FAKE_MONOTONIC=1",
        f"FAKETIME={moment}",
        f"LD_PRELOAD={library}",
        "TZ=UTC",
    ]


@cache
def unavailable() -> str | None:
    """Why no process can be given another time here."""
    if find_spec("libfaketime") is None:
        return "libfaketime, of the extra dev, is for Linux"
    year = [
        *at("@1999-12-31 12:00:00"),
        sys.executable,
        "-c",
        "import time; print(time.gmtime()[0])",
    ]
    done = subprocess.run(year, capture_output=True, text=True)
    if done.stdout != "1999\n":
        return f"libfaketime does not work on this machine: {done.stdout}{done.stderr}"
    return None
