"""Fetches what pages that are but frames show, so that all that follows reads one page."""

from __future__ import annotations

import logging

from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.core.page import Page
from blogcrawl.crawling.session import Session
from blogcrawl.rendering.framesets import MAX_FRAMES, frame_urls, merged

logger = logging.getLogger(__name__)

DEPTH = 3
"""Frames in frames."""


async def with_frames(session: Session, page: Page) -> Page:
    """Return ``page`` or, if it is a frameset, one page with the content of its frames
    (``framesets.merged``).
    """
    if page.status >= 300 or not page.body or page.rendered or page.whole is not None:
        return page
    if b"frame" not in page.body.lower():
        return page
    seen: set[str] = set()
    shown = await _documents(session, page, seen, DEPTH)
    return merged(page, shown) if shown else page


async def _documents(session: Session, page: Page, seen: set[str], depth: int) -> list[Page]:
    out: list[Page] = []
    for url in frame_urls(page) if depth else ():
        if url in seen or len(seen) >= MAX_FRAMES:
            continue
        seen.add(url)
        try:
            inner: Page = await session.fetch(url, kind="page")
        except BlogcrawlError as error:
            logger.info("a frame of %s is missing: %s", page.url, error.message)
            continue
        if inner.status < 300:
            out += await _documents(session, inner, seen, depth - 1) or [inner]
    return out
