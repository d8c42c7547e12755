"""Many pages reach the render stage at once: the browser is tried on the first ones, not on all of
them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from blogcrawl.core.config import Config
from blogcrawl.core.errors import RobotsError, UnreachableError
from blogcrawl.core.page import Page
from blogcrawl.crawling.handlers.browser import LAUNCH_SECONDS, launch_options
from blogcrawl.crawling.pipelines import render
from blogcrawl.crawling.pipelines.render import Renderer
from blogcrawl.rendering.need import GIVE_UP_AFTER

TEXT = b"<p>" + b"A post that needs no browser of its own. " * 40 + b"</p>"
DISQUS = (
    b'<div id="disqus_thread"></div><script src="https://example.disqus.com/embed.js"></script>'
)
PAGES = [
    Page(
        url=f"http://blog.test/{n}",
        body=b"<html><body><article>" + TEXT + b"</article>" + DISQUS + b"</body></html>",
    )
    for n in range(30)
]


def make(fetch: Callable[[str], Page]) -> tuple[Renderer, list[str], list[str]]:
    """A renderer whose browser brings nothing, what it drew and what it asked for."""
    drawn: list[str] = []
    asked: list[str] = []

    async def ask(url: str, *, kind: str) -> Page:
        asked.append(url)
        return fetch(url)

    async def vain(page: Page, need: object) -> tuple[Page, str]:
        drawn.append(page.url)
        await asyncio.sleep(0.01)
        return replace(page, rendered=True), ""

    session = SimpleNamespace(
        captures=None,
        services=SimpleNamespace(config=Config(render_tabs=2)),
        memory={},
        knowledge=None,
        count=lambda name: None,
        fetch=ask,
    )
    renderer = Renderer(cast(Any, SimpleNamespace(spider=SimpleNamespace(session=session))))
    renderer._render = vain  # type: ignore[method-assign, assignment]
    return renderer, drawn, asked


async def burst(renderer: Renderer) -> list[Page]:
    return await asyncio.gather(*(renderer(page) for page in PAGES))


def test_concurrent_pages_wait_for_the_first_renderings() -> None:
    renderer, drawn, asked = make(lambda url: Page(url=url, body=b"/* embed */"))
    results = asyncio.run(burst(renderer))
    assert asked == ["https://example.disqus.com/embed.js"]
    assert GIVE_UP_AFTER <= len(drawn) <= GIVE_UP_AFTER + 1 + 2
    assert sum(page.rendered for page in results) == len(drawn)
    assert [page.url for page in results] == [page.url for page in PAGES]


def gone(url: str) -> Page:
    return Page(url=url, body=b"", status=404)


def unreachable(url: str) -> Page:
    raise UnreachableError("the host does not resolve", url=url)


@pytest.mark.parametrize("fetch", [gone, unreachable])
def test_defunct_comment_system_needs_no_browser(fetch: Callable[[str], Page]) -> None:
    renderer, drawn, asked = make(fetch)
    assert asyncio.run(burst(renderer)) == PAGES
    assert drawn == [] and len(asked) == 1


def test_script_forbidden_by_robots_is_no_evidence() -> None:
    def forbidden(url: str) -> Page:
        raise RobotsError("robots.txt forbids it", url=url)

    renderer, drawn, _ = make(forbidden)
    asyncio.run(burst(renderer))
    assert drawn


def test_hanging_browser_start_is_tried_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever number of pages waits; all of them come back in their static form, marked (the real
    wait is among the slow tests).
    """
    restarts, starts, notes = [], [], []

    async def handler(crawler: object) -> object:
        return object()

    async def restart(handler: object) -> None:
        restarts.append(handler)

    async def hang(page: Page, need: object) -> None:
        starts.append(page.url)
        await asyncio.sleep(0.01)
        raise TimeoutError("BrowserType.launch: Timeout 13000ms exceeded.")

    async def without_fence(crawler: object) -> bool:
        return False

    monkeypatch.setattr(render, "browser_handler", handler)
    monkeypatch.setattr(render, "restart_browser", restart)
    monkeypatch.setattr(render, "leave_fence", without_fence)
    renderer, _, _ = make(lambda url: Page(url=url, body=b"/* embed */"))
    del renderer._render  # its own again
    renderer._draw = hang  # type: ignore[method-assign, assignment]
    renderer.crawler.spider.session.knowledge = SimpleNamespace(note=notes.append)  # type: ignore[union-attr]
    results = asyncio.run(burst(renderer))
    assert len(starts) <= 4 and len(restarts) <= 2, "two tabs, two tries"
    assert [(page.url, page.body, page.rendered) for page in results] == [
        (page.url, page.body, False) for page in PAGES
    ]
    assert all(page.render_error for page in results) and notes


def test_browser_launch_timeout_is_shorter_than_a_pages() -> None:
    """Else a browser that hangs looks like a page that does, and each page is waited for."""
    assert (
        launch_options("/bin/true", 13)["timeout"] == 13_000
        and Config().render_seconds + 20 > LAUNCH_SECONDS
    )
