"""Check that the machine's clock is plausible, before all other imports of the CLI.

Python counts time in 64 bits of nanoseconds: beyond 2262-04-11 ``time.time()`` raises
OverflowError, in ``import logging`` already, so this module imports nothing that reads the time,
and ends the command with one line if the time is unreadable.
"""

from __future__ import annotations

import json
import sys
import time
from datetime import datetime, timedelta

RELEASED = (2026, 1, 1)
"""A correct clock is later than the release of this version."""
APART = timedelta(days=1)
"""Tolerated difference between the clocks of machines that share an archive."""
_UNREADABLE = "the system clock is set to an unsupported year (after 2262)"
_ADVICE = "set the clock; nothing was read or written"


def stop_without_clock() -> None:
    """End the process with one line and exit code 1 if the time is unreadable."""
    try:
        time.time()
    except (OverflowError, OSError):
        sys.stderr.write(f"blogcrawl: {_UNREADABLE} - {_ADVICE}\n")
        if "--json" in sys.argv:
            error = {
                "kind": "BlogcrawlError",
                "message": _UNREADABLE,
                "exit_code": 1,
                "advice": _ADVICE,
            }
            sys.stdout.write(json.dumps({"error": error}) + "\n")
        sys.exit(1)


def clock_fault(now: datetime, made: datetime | None) -> str | None:
    """Return a warning if ``now`` is before this release or before the archive was ``made``."""
    advice = "set the clock, or the dates in the archive will be wrong"
    if now < datetime(*RELEASED, tzinfo=now.tzinfo):
        return f"the clock says {now:%Y-%m-%d}, before the release of this version - {advice}"
    if made is not None and now < made - APART:
        return (
            f"the clock says {now:%Y-%m-%d}, but this archive was created on {made:%Y-%m-%d}: "
            f"one of the two is wrong - {advice}"
        )
    return None


stop_without_clock()
