"""Is the machine's clock one that an archive can be dated by? Imported before all else of the
command line.

Python counts time in 64 bits of nanoseconds: beyond 2262-04-11 ``time.time()`` raises
OverflowError, in ``import logging`` already, so this module needs nothing that asks for the time,
and ends the command with one line where the time can't be had.
"""

from __future__ import annotations

import json
import sys
import time
from datetime import datetime, timedelta

RELEASED = (2026, 1, 1)
"""No clock that is right says less than when this was written."""
APART = timedelta(days=1)
"""Clocks of machines that share an archive may differ by so much."""
_UNREADABLE = "the clock of this machine says a year that can't be counted with (after 2262)"
_ADVICE = "set the clock; nothing was read or written"


def stop_without_clock() -> None:
    """End the process with one line and exit code 1 where the time can't be had."""
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
    """One line where ``now`` can't be right: before this software was written, or before the
    archive was ``made``. None: plausible.
    """
    advice = "set the clock, or the dates in the archive will be wrong"
    if now < datetime(*RELEASED, tzinfo=now.tzinfo):
        return f"the clock says {now:%Y-%m-%d}, which is before this version was made - {advice}"
    if made is not None and now < made - APART:
        return (
            f"the clock says {now:%Y-%m-%d}, but this archive was made on {made:%Y-%m-%d}: "
            f"one of the two is wrong - {advice}"
        )
    return None


stop_without_clock()
