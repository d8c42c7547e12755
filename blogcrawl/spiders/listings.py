"""Lists first, where posts don't say their day: archive pages tell it, and they are read before the posts that need it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from blogcrawl.errors import BlogcrawlError
from blogcrawl.extraction.model import BlogModel, extract_post
from blogcrawl.frontier.canonical import canonicalize
from blogcrawl.frontier.links import Link, page_links
from blogcrawl.items import Post
from blogcrawl.middlewares import Stopping
from blogcrawl.page import Page
from blogcrawl.spiders.learning import Lesson
from blogcrawl.spiders.pages import is_html
from blogcrawl.spiders.session import Session

MAX_LISTS = 120
"""Listings read ahead: ten years of monthly archives. The frontier would read most of them later anyway."""
UNDATED = 0.5
"""Share of the lesson's pages without a day of their own from which lists are worth reading first."""
AT_ONCE = 4

Listing = tuple[str, list[Link]]


def lacks_days(lessons: Sequence[Lesson], model: BlogModel) -> bool:
    """Do most posts not say when they were published (what the feed says left aside)?"""
    posts = [found for lesson in lessons if isinstance(found := extract_post(lesson.page, model, None, True), Post)]
    return bool(posts) and sum(post.published is None for post in posts) > UNDATED * len(posts)


async def read_listings(session: Session, home: Page, urls: Sequence[str]) -> list[Listing]:
    """Teach the model the days that the start page and these listings tell. Each one's address and links, for the frontier."""
    assert session.model is not None
    session.model.observe_hub(home)
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(url: str) -> Listing | None:
        async with gate:
            try:
                page = await session.fetch(url, kind="page")
            except Stopping:
                raise
            except BlogcrawlError:
                return None
            if page.status >= 300 or not is_html(page) or session.model is None:
                return None
            session.model.observe_hub(page)
            await session.breathe()
            return url, page_links(page)

    wanted = list({canonicalize(url): url for url in urls if canonicalize(url) != canonicalize(home.url)}.values())[:MAX_LISTS]
    return [found for found in await asyncio.gather(*(one(url) for url in wanted)) if found is not None]
