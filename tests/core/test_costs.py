"""CPU limits of plain computation."""

from __future__ import annotations

import gc
import time

import pytest

from blogcrawl.core.costs import cpu_limit
from blogcrawl.core.errors import TooCostlyError
from blogcrawl.induction.gc_pause import still

pytestmark = pytest.mark.usefixtures("swallowed_alarms")


def burn(seconds: float) -> None:
    began = time.process_time()
    while time.process_time() - began < seconds:
        sum(range(1000))


def test_block_ends_at_its_cpu_limit() -> None:
    with pytest.raises(TooCostlyError), cpu_limit(0.02, "https://b.example/"):
        burn(5.0)


def test_alarm_swallowed_by_a_callback_is_raised_again() -> None:
    calls = []

    def callback(phase: str, _info: dict[str, int]) -> None:
        if phase == "start":
            calls.append(phase)
            burn(0.03)

    gc.callbacks.append(callback)
    try:
        with pytest.raises(TooCostlyError), cpu_limit(0.005, "https://b.example/"):
            gc.collect()
            burn(0.3)
    finally:
        gc.callbacks.remove(callback)
    assert calls


def test_no_alarm_fires_after_the_block() -> None:
    with cpu_limit(0.05, "https://b.example/"):
        pass
    burn(0.1)


def test_alarm_that_rings_while_the_block_ends_is_not_raised_behind_it() -> None:
    """The collector walks through all that the block made, as soon as the block ends."""
    for _ in range(3):
        with pytest.raises(TooCostlyError), cpu_limit(0.3, "https://b.example/"), still():
            made: list[list[object]] = []
            while True:
                made.append([[]])
    burn(0.1)
