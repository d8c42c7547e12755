"""Waiting for what a click brings."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from blogcrawl.rendering import behaviours
from blogcrawl.rendering.behaviours import Limits, Traffic


class LatePage:
    """A page whose text shrinks by the click (its button goes), requests late, then grows."""

    def __init__(self, traffic: Traffic) -> None:
        self.traffic, self.size = traffic, 90

    async def evaluate(self, script: str, *args: Any) -> int:
        return self.size

    async def respond(self, *, label: int) -> None:
        self.size += label
        await asyncio.sleep(0.2)
        self._request(pending=1)
        await asyncio.sleep(0.2)
        self._request(pending=-1)
        self.size = 300

    def _request(self, *, pending: int) -> None:
        self.traffic.requests += max(pending, 0)
        self.traffic.pending += pending
        self.traffic.last_change = time.monotonic()


def size_after_click(label: int) -> int:
    async def click() -> int:
        traffic = Traffic()
        page = LatePage(traffic)
        answer = asyncio.create_task(page.respond(label=label))
        await behaviours._grown(page, 100, traffic, Limits())
        seen = page.size
        await answer
        return seen

    return asyncio.run(click())


def test_a_button_that_goes_is_no_answer_to_its_click() -> None:
    assert size_after_click(label=0) == 300


def test_a_label_that_grows_is_no_answer_to_its_click() -> None:
    assert size_after_click(label=30) == 300
