"""Many pages reach the render stage at once: the browser is tried on the first ones, not on all of them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from blogcrawl.config import Config
from blogcrawl.page import Page
from blogcrawl.pipelines.render import Renderer
from blogcrawl.rendering.need import GIVE_UP_AFTER

TEXT = b"<p>" + b"A post that needs no browser for itself. " * 40 + b"</p>"
DISQUS = b'<div id="disqus_thread"></div><script src="https://example.disqus.com/embed.js"></script>'


def test_a_burst_of_pages_is_judged_by_what_the_first_renderings_brought(monkeypatch: pytest.MonkeyPatch) -> None:
    session = SimpleNamespace(config=Config(render_tabs=2), memory={}, knowledge=None, count=lambda name: None)
    renderer = Renderer(cast(Any, SimpleNamespace(spider=SimpleNamespace(session=session))))
    drawn: list[str] = []

    async def vain(page: Page, need: object) -> tuple[Page, str]:
        drawn.append(page.url)
        await asyncio.sleep(0.01)
        return replace(page, rendered=True), ""

    monkeypatch.setattr(renderer, "_render", vain)
    body = b"<html><body><article>" + TEXT + b"</article>" + DISQUS + b"</body></html>"
    pages = [Page(url=f"http://blog.test/{n}", body=body, headers={"content-type": "text/html"}) for n in range(30)]

    async def burst() -> list[Page]:
        return await asyncio.gather(*(renderer(page) for page in pages))

    results = asyncio.run(burst())
    assert GIVE_UP_AFTER <= len(drawn) <= GIVE_UP_AFTER + 1 + 2
    assert sum(page.rendered for page in results) == len(drawn)
    assert [page.url for page in results] == [page.url for page in pages]
