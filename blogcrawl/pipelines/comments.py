"""Stage 3: what readers wrote. The plan says what to ask, this fetches."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from scrapy.crawler import Crawler

from blogcrawl.errors import BlogcrawlError, TooCostlyError
from blogcrawl.extraction.comments.plan import Ask, CommentPlan
from blogcrawl.extraction.comments.site import SWEEP_PAGES, SiteComments, api_url
from blogcrawl.extraction.comments.sources import wordpress_comments
from blogcrawl.frontier.canonical import entry_key
from blogcrawl.page import Page
from blogcrawl.pipelines.base import ExtractedPost
from blogcrawl.pipelines.extract import TooCostly

MEMORY = "comments"
"""Key in the session's memory."""


class CommentsStage:
    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.site: SiteComments | None = None
        self._sweeping = asyncio.Lock()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> CommentsStage:
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        if not isinstance(item, ExtractedPost):
            return item
        session = self.crawler.spider.session  # type: ignore[union-attr]
        if self.site is None:
            self.site = SiteComments.from_json(session.memory.get(MEMORY) or {})
            self._meet_lessons(self.site)
        page = item.source.page
        static = (item.source.static_page or page) if page.rendered else page
        feeds = session.knowledge.comment_feeds if session.knowledge is not None else {}
        limits = session.limits.account
        plan = CommentPlan(
            site=self.site,
            page=static,
            rendered=page if page.rendered else None,
            entry=item.source.entry,
            comment_feed=feeds.get(entry_key(item.post.url)) or feeds.get(entry_key(page.url)),
            content=item.post.content_html or None,
            language=item.post.language,
            published=item.post.published,
        )
        if plan.signs and session.crawl.spider == "newcrawl":
            await self._sweep(static)
        try:
            with limits.page(page.url):
                asks = plan.requests()
            while asks:
                for ask, answer in zip(asks, await asyncio.gather(*(self._fetch(ask) for ask in asks)), strict=True):
                    with limits.page(ask.url):
                        plan.receive(ask, answer)
                with limits.page(page.url):
                    asks = plan.requests()
            await session.breathe()
            with limits.page(page.url):
                result = plan.result()
        except TooCostlyError as error:
            raise TooCostly(error) from None
        session.memory[MEMORY] = self.site.to_json()
        session.count("comments", len(result.comments))
        if result.shown is not None and result.shown > len(result.comments):
            session.count("comments_missing", result.shown - len(result.comments))
        extraction = dict(item.post.extraction)
        if result.methods or result.shown is not None:
            extraction["comments"] = {"method": "+".join(sorted(result.methods)) or None, "confidence": result.confidence, "rule": None}
        post = replace(item.post, comments=result.comments, comments_shown=result.shown, extraction=extraction)
        return replace(item, post=post)

    def _meet_lessons(self, site: SiteComments) -> None:
        """The pages that taught the post's rules teach the series too, so that the first posts have it already."""
        session = self.crawler.spider.session  # type: ignore[union-attr]
        entries = session.knowledge.entries if session.knowledge is not None else {}
        for url, page in session.answers.posts() if session.answers is not None and site.series is None else ():
            if page.status == 200:
                site.meet(page, entries.get(entry_key(url)))

    async def _fetch(self, ask: Ask, kind: str = "comments") -> Page | None:
        session = self.crawler.spider.session  # type: ignore[union-attr]
        try:
            page: Page = await session.fetch(ask.url, kind=kind)
        except BlogcrawlError:
            return None
        return page

    async def _sweep(self, page: Page) -> None:
        """All comments of a WordPress blog by a few requests, instead of a few requests per post. Once a crawl."""
        assert self.site is not None
        async with self._sweeping:
            root = self.site.find_api(page)
            if root is None or self.site.swept or "sweep" in self.site.records:
                return
            first = await self._fetch(Ask(api_url(root, 1), "api"))
            answer = wordpress_comments(first) if first is not None else None
            self.site.note("api", answer is not None)
            if answer is None:
                return
            self.site.note("sweep", answer.pages <= SWEEP_PAGES)
            if answer.pages > SWEEP_PAGES:
                return
            self.site.take_sweep(answer)
            for number in range(2, answer.pages + 1):
                further = await self._fetch(Ask(api_url(root, number), "api"))
                more = wordpress_comments(further) if further is not None else None
                if more is None:
                    self.site.by_post.clear()
                    return
                self.site.take_sweep(more)
            self.site.swept = True
