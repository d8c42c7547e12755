"""Stage 2: a page becomes a post, or is dropped as none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from blogcrawl.extraction.echoes import MANY
from blogcrawl.extraction.model import NotAPost, extract_post
from blogcrawl.frontier.canonical import canonicalize, entry_key
from blogcrawl.pipelines.base import ExtractedPost, PostPage


class NoPost(DropItem):
    """The page holds no post; ``reason`` says what told."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"no post: {reason}", log_level="DEBUG")
        self.reason = reason


class SamePage(NoPost):
    """Other addresses, ``others``, gave this very page before; ``everywhere``: so many that it is nobody's post."""

    def __init__(self, others: Sequence[str], *, everywhere: bool) -> None:
        super().__init__("many addresses answer with this very page" if everywhere else f"the same page as {others[0]}")
        self.others, self.everywhere = tuple(others), everywhere


class ExtractStage:
    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ExtractStage:
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        if not isinstance(item, PostPage):
            return item
        session = self.crawler.spider.session  # type: ignore[union-attr]
        if session.model is None:
            raise NoPost("nothing was learned of this blog")
        key = canonicalize(item.frontier_url or item.page.url)
        same = session.echoes.note(item.page, key)
        if len(same) >= MANY or key != same[0]:
            raise SamePage([other for other in same if other != key], everywhere=len(same) >= MANY)
        verdict = extract_post(item.page, session.model, item.entry, item.promised)
        if item.promised:
            session.model.observe(item.page, verdict)
        await session.breathe()
        if isinstance(verdict, NotAPost):
            raise NoPost(verdict.reason)
        page = item.page
        static = item.static_page or page.whole or page
        post = replace(
            verdict,
            canonical_url=entry_key(page.url),
            fetched_at=verdict.fetched_at or static.fetched_at,
            http_status=static.status,
            rendered=page.rendered,
        )
        return ExtractedPost(post=post, source=item)
