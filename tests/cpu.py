"""CPU time that does not depend on the machine."""

from __future__ import annotations

import time
from collections.abc import Callable


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds of this process for ``work``."""
    began = time.process_time()
    work()
    return time.process_time() - began


def loops(work: Callable[[], object]) -> float:
    """CPU time of ``work`` as a multiple of that of a fixed loop (some 10 ms) run before and after
    it: the same on a slow machine as on a fast one. Tests bound it by three times of what they need
    at least; what they prove costs far more than the bound when its mechanism is missing.
    """
    before = seconds(_loop)
    spent = seconds(work)
    return spent / max(before, seconds(_loop))


def _loop() -> None:
    total = 0
    for number in range(200_000):
        total += number
