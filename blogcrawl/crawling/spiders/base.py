"""What both spiders share: arguments, opening and closing, and the reading of pages that the
frontier hands out.
"""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import call_later

from blogcrawl.core.config import Config
from blogcrawl.core.credentials import Logins, read_logins
from blogcrawl.core.errors import BlogcrawlError, InternalError, StorageError
from blogcrawl.crawling import resolver
from blogcrawl.crawling.arguments import operator_url, parse_since, user_agent
from blogcrawl.crawling.closing import clear, end_of, finish
from blogcrawl.crawling.evidence import stop_evidence
from blogcrawl.crawling.extensions.progress import snapshot
from blogcrawl.crawling.frontier_handover import own_frontier
from blogcrawl.crawling.middlewares.guard import Stopping
from blogcrawl.crawling.report import End, error_to_json, outcome
from blogcrawl.crawling.response_cache import ANSWERS
from blogcrawl.crawling.scrapy_internals import let_scraper_close
from blogcrawl.crawling.session import Session, open_session, use_logins
from blogcrawl.crawling.spiders.page_reader import FATAL, PageReader
from blogcrawl.storage.files import disk_errors
from blogcrawl.storage.outage import PASSING, wait_for
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tables import CrawlRow

CLOSING_SECONDS = 5.0
"""So long a crawl that is broken off waits for storage that is away, to write its own row; posts
are safe without it.
"""


class BlogSpider(PageReader):
    """Base of NewCrawl and UpdateCrawl."""

    FATAL_CODES = FATAL
    session: Session

    def __init__(
        self, startat: str = "", feed: str = "", since: str = "", max_posts: str = "", **kwargs: Any
    ) -> None:
        self.shared_state: SqlState | None = kwargs.pop("state", None)
        super().__init__(**kwargs)
        self.logins = Logins()
        """For the hosts that the operator named, and nobody else's."""
        self.startat = self.logins.take(operator_url(startat))
        self.feed = self.logins.take(operator_url(feed)) if feed else ""
        self.since = parse_since(str(since))
        self.max_posts = max_posts
        self.closed_books = asyncio.Event()
        """Set when the crawl's row is written, or can't be: what is said of the crawl elsewhere
        comes after that.
        """

    # opening

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """What Scrapy's own settings are by ours. ``-s`` on the command line still wins."""
        super().update_settings(settings)
        config = Config.from_settings(settings)
        values = {
            "DOWNLOAD_DELAY": config.delay_seconds,
            "AUTOTHROTTLE_ENABLED": config.delay_seconds > 0,
            "AUTOTHROTTLE_START_DELAY": config.delay_seconds,
            "CONCURRENT_REQUESTS_PER_DOMAIN": config.max_requests_per_host
            or settings.getint("CONCURRENT_REQUESTS"),
            "DOWNLOAD_MAXSIZE": config.max_page_bytes,
            "USER_AGENT": user_agent(config.contact),
        }
        for name, value in values.items():
            settings.set(name, value, priority="spider")

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> BlogSpider:
        spider = super().from_crawler(crawler, *args, **kwargs)
        config = Config.from_settings(crawler.settings)
        if spider.max_posts:
            config = replace(config, max_posts=int(spider.max_posts))
        operator_urls = [url for url in (spider.startat, spider.feed) if url]
        opening = partial(
            open_session,
            crawler,
            config,
            spider=spider.name,
            start_url=spider.startat,
            operator_urls=operator_urls,
            state=spider.shared_state,
        )
        # A job of a cluster finds its database away as often as one that runs; a person is told at
        # once.
        spider.session = wait_for(opening, config.storage_wait_seconds if config.job_id else 0)
        spider.logins = use_logins(
            crawler, read_logins(config.credentials_file) | spider.logins, spider.session.guard
        )
        gate = spider.session.gate
        gate.stopping, gate.changed, gate.ended = (
            spider.is_broken_off,
            spider.on_outage,
            spider.storage_is_away,
        )
        resolver.register(spider.session.guard)
        spider.session.state.start_crawl(spider.session.crawl)
        connect = crawler.signals.connect
        connect(spider.on_scraped, signal=signals.item_scraped)
        connect(spider.on_dropped, signal=signals.item_dropped)
        connect(spider.on_item_error, signal=signals.item_error)
        for over in (signals.item_scraped, signals.item_dropped, signals.item_error):
            connect(spider.on_item_over, signal=over)
        connect(spider.on_idle, signal=signals.spider_idle)
        connect(spider.on_closed, signal=signals.spider_closed)
        return spider

    @property
    def guard(self) -> Any:
        return self.session.guard

    @property
    def frontier_path(self) -> Path:
        """Where the frontier's file lies: one place a blog, so that the next run finds it."""
        if self.session.fence:
            return own_frontier(self.session.folder, self.name, self.session.fence)
        return self.session.folder / f"{self.name}.db"

    @property
    def knowledge_path(self) -> Path:
        return self.session.folder / f"{self.name}.knowledge.json"

    # running

    async def start(self) -> AsyncIterator[Any]:
        """What ``run`` yields. Where the storage goes away before the first of it, the beginning is
        made anew when it is back: what was asked for lies among the answers kept."""
        while not self.prepared:
            try:
                with disk_errors(str(self.session.folder)):
                    self.recall()
                    async for found in self.run():
                        self.prepared = True
                        yield found
                self.prepared = True
            except Stopping:
                return
            except PASSING as error:
                if self.prepared or not await self._storage_is_back(error):
                    self.storage_is_away(error)
                    return
            except BlogcrawlError as error:
                self.abort(error)
                return
            except Exception as error:
                self.abort(self.internal(error))
                return

    def internal(self, error: BaseException) -> InternalError:
        """A failure that no code expects as the crawl's end: at what, and at which blog."""
        stage = (
            str(self.crawler.stats.get_value("blogcrawl/doing") or "beginning")
            if self.crawler.stats is not None
            else ""
        )
        self.session.note_unforeseen(stage, self.startat, error)
        told = f"{type(error).__name__}: {' '.join(str(error).split()) or 'no message'}"
        advice = "what is archived is whole; please report it"
        return InternalError(
            f"a mistake in blogcrawl itself while {stage}: {told}",
            url=self.startat,
            stage=stage,
            advice=advice,
        )

    async def _storage_is_back(self, error: BlogcrawlError) -> bool:
        """Wait for it; False where the crawl ends first."""
        try:
            await self.session.gate.hold(error)
        except BlogcrawlError as last:
            self.storage_is_away(last)
            return False
        return True

    def run(self) -> AsyncIterator[Any]:
        """The crawl itself, up to where the frontier takes over."""
        raise NotImplementedError

    def on_item_over(self) -> None:
        """A crawl that is being stopped ends with its last item."""
        call_later(0.05, let_scraper_close, self.crawler)

    async def on_closed(self, reason: str) -> None:
        """Close the books, whatever happened. Storage that is away is waited for, for a moment only
        where the crawl was broken off.
        """
        seconds = (
            CLOSING_SECONDS if self.is_broken_off() else self.session.config.storage_wait_seconds
        )
        try:
            await self._close_books(reason, seconds)
        except Exception as failure:
            self._books_left_open(failure)
        finally:
            self.closed_books.set()
            self._release()
        self._log_end()

    async def _close_books(self, reason: str, seconds: float) -> None:
        session = self.session
        if self.end is None:
            self.end = end_of(reason, self.last_word)
        if self.refusal is not None and self.end.error is None:
            self.end = self._refused_end(self.refusal)
        end, missed = self.end, self.lost()
        session.crawl = await session.gate.run(
            lambda: self._finish(end, missed), limit_seconds=seconds
        )
        if outcome(self.end) == "finished":
            clear(session.folder, self.name)
        elif self.end.error is not None:  # whoever tries again wants to know whether it is mended
            shutil.rmtree(session.folder / ANSWERS, ignore_errors=True)

    def _refused_end(self, refusal: BlogcrawlError) -> End:
        message = f"{len(self.refused)} posts could not be stored: {refusal.message}"
        error = StorageError(message, advice="run the same command again: it goes on with them")
        return End(reason="failed", detail=message, error=error)

    def _books_left_open(self, failure: Exception) -> None:
        """The crawl's row where closing the books failed: it is all that can still be set."""
        error = failure if isinstance(failure, BlogcrawlError) else self.internal(failure)
        if self.end is None or not (_has_reason(self.end) and isinstance(error, PASSING)):
            # else the first reason is the one to be known
            self.end = End(reason="failed", detail=error.message, error=error)
        self.session.crawl = replace(
            self.session.crawl,
            outcome=outcome(self.end),
            counts={
                name: number for name, number in snapshot(self.crawler).items() if name != "doing"
            },
            report={"error": error_to_json(self.end.error)} if self.end.error is not None else {},
        )

    def _release(self) -> None:
        """Let go of all that the crawl holds."""
        session = self.session
        try:
            stop_evidence(session)
        except (
            OSError,
            sqlite3.Error,
            BlogcrawlError,
        ) as error:  # a full disk: what is written is mended on the next opening
            self.logger.error("the crawl's evidence could not be closed: %s", error)
        session.media.close()
        if session.lock is not None:
            session.lock.release()
        if self.shared_state is None:
            session.state.close()
        resolver.unregister(session.guard)

    def _log_end(self) -> None:
        assert self.end is not None
        if self.end.error is not None:
            self.logger.error("%s", self.end.error)
            return
        numbers = [
            self.session.crawl.counts.get(f"posts_{kind}", 0)
            for kind in ("archived", "changed", "unchanged", "missing")
        ]
        self.logger.info(
            "%s: %d archived, %d changed, %d unchanged, %d missing; %s",
            outcome(self.end),
            *numbers,
            self.end.detail,
        )

    def _finish(self, end: End, missed: Mapping[str, str]) -> CrawlRow:
        """May be done again, as ``finish`` may."""
        self.end = self.judge(end)
        return finish(self.session, self.end, missed, self.row_changes())

    def judge(self, end: End) -> End:
        """The spider's last word on how the crawl ended."""
        return end

    def row_changes(self) -> Mapping[str, Any]:
        """Columns of the blog's row that this spider sets."""
        return {}


def _has_reason(end: End) -> bool:
    """Did the crawl fail or was it stopped, before its books were closed?"""
    return end.reason == "stopped" or end.error is not None
