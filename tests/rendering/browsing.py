"""A browser for tests: pages of a local server, drawn as the crawler draws them. The outer net is
played by ``Job.outside``.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from blogcrawl.core.netguard import Guard
from blogcrawl.core.page import Page
from blogcrawl.crawling.handlers.browser import CONTEXT, BrowserNetwork, find_browser
from blogcrawl.crawling.pipelines.watch import watch
from blogcrawl.rendering.behaviours import Drawn, Limits, Traffic, perform
from blogcrawl.rendering.systems import CommentSystem

needs_browser = pytest.mark.skipif(
    find_browser() is None,
    reason="no Chromium on this machine (chromium-headless-shell or chromium)",
)

HOUR = 3600.0
PATIENT = Limits(
    seconds=HOUR,
    settle_seconds=HOUR,
    collect_seconds=HOUR,
    frame_seconds=HOUR,
    picture_seconds=HOUR,
    quiet_seconds=0.4,
)
"""No clock ends a rendering, however loaded the machine is; pytest's ends a test that hangs."""


@dataclass(frozen=True)
class Job:
    url: str
    systems: tuple[CommentSystem, ...] = ()
    limits: Limits = PATIENT
    guard: Guard | None = None
    outside: Mapping[str, str] = field(default_factory=dict)
    """Start of a URL of the outer net -> the HTML that it answers with."""


@dataclass(frozen=True)
class Result:
    drawn: Drawn | None
    traffic: Traffic
    seconds: float
    error: str = ""

    @property
    def page(self) -> Page:
        """As the stage would hand it on."""
        assert self.drawn is not None, self.error
        frames = tuple(Page(url=u, body=h.encode(), rendered=True) for u, h in self.drawn.frames)
        return Page(
            url=self.drawn.url,
            body=self.drawn.html.encode(),
            rendered=True,
            frames=frames,
            boxes=self.drawn.boxes,
            screenshot=self.drawn.screenshot,
        )


def draw(jobs: Mapping[str, Job], at_once: int = 1) -> dict[str, Result]:
    """Renders all jobs in one browser, so many at a time."""
    return asyncio.run(_draw(jobs, at_once))


async def _draw(jobs: Mapping[str, Job], at_once: int) -> dict[str, Result]:
    from playwright.async_api import async_playwright

    guards = {id(job.guard): job.guard for job in jobs.values() if job.guard is not None}
    assert len(guards) <= 1, "one browser has one guard"
    guard = next(
        iter(guards.values()), Guard([job.url for job in jobs.values()], allow_private=True)
    )
    out: dict[str, Result] = {}
    async with async_playwright() as playwright, browser_network(guard) as network:
        browser = await playwright.chromium.launch(
            **await network.options(str(find_browser()), HOUR)
        )
        context = await browser.new_context(**CONTEXT)
        tabs = asyncio.Semaphore(at_once)

        async def one(name: str, job: Job) -> None:
            async with tabs:
                out[name] = await _one(context, job)

        await asyncio.gather(*(one(name, job) for name, job in jobs.items()))
        await browser.close()
    return out


@contextlib.asynccontextmanager
async def browser_network(
    guard: Guard, *, fenced: bool = True, **options: Any
) -> AsyncIterator[BrowserNetwork]:
    """The network that a crawl gives its browser; ``fenced``: in a namespace where
    one can be made.
    """
    network = BrowserNetwork(guard, **options)
    network.fenced = fenced
    try:
        yield network
    finally:
        await network.close()


async def _answer(document: str, route: Any) -> None:
    await route.fulfill(body=document, content_type="text/html; charset=utf-8")


async def _one(context: object, job: Job) -> Result:
    traffic = Traffic(last_change=time.monotonic())
    started = time.monotonic()
    tab = await context.new_page()  # type: ignore[attr-defined]
    for start, document in job.outside.items():
        await context.route(start + "**", partial(_answer, document))  # type: ignore[attr-defined]
    drawn, error = None, ""
    try:
        async with asyncio.timeout(job.limits.seconds + 10):
            await watch(tab, job.guard or Guard([job.url], allow_private=True), traffic, job.limits)
            await tab.goto(
                job.url, wait_until="domcontentloaded", timeout=job.limits.seconds * 1000
            )
            drawn = await perform(tab, job.systems, traffic, job.limits)
    except Exception as failure:
        error = f"{type(failure).__name__}: {failure}"
    try:
        await asyncio.wait_for(tab.close(), 60)
    except Exception as failure:
        error = error or f"close: {failure}"
    return Result(drawn, traffic, time.monotonic() - started, error)
