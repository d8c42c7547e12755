"""What the spiders of one blog share: arguments, opening and closing."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import call_later

from blogcrawl.core.config import Config
from blogcrawl.core.credentials import Logins, read_logins
from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.core.netguard import Guard
from blogcrawl.crawling import resolver
from blogcrawl.crawling.arguments import operator_url, parse_since, user_agent
from blogcrawl.crawling.closing import clear, end_of, finish, judged
from blogcrawl.crawling.control import CrawlControl
from blogcrawl.crawling.evidence import stop_evidence
from blogcrawl.crawling.exceptions import Stopping
from blogcrawl.crawling.extensions.progress import snapshot
from blogcrawl.crawling.page_reader import PageReader
from blogcrawl.crawling.report import End, error_to_json, outcome
from blogcrawl.crawling.response_cache import ANSWERS
from blogcrawl.crawling.scrapy_internals import let_scraper_close
from blogcrawl.crawling.session import Session, open_session, use_logins
from blogcrawl.frontier.frontier import Pending
from blogcrawl.storage.files import disk_errors
from blogcrawl.storage.outage import PASSING, wait_for
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tables import CrawlRow
from blogcrawl.storage.web_archive import CaptureSource

if TYPE_CHECKING:
    from blogcrawl.crawling.bootstrap import Bootstrap
    from blogcrawl.crawling.update import Update

CLOSING_SECONDS = 5.0
"""So long a crawl that is broken off waits for storage that is away, to write its own row; posts
are safe without it.
"""


def _select_methods(config: Config) -> None:
    """Use the extraction methods of the settings, whose room is imported only for them."""
    if config.methods:
        from blogcrawl.extraction import chain

        chain.select(config.methods.split())


class BlogSpider(Spider):
    """What NewCrawl and UpdateCrawl share: arguments, opening and closing.

    ``control`` knows where the crawl stands, ``reader`` reads the frontier's pages, and ``plan``
    fills the frontier. Scheduler, middlewares and stages use the spider's own attributes.
    """

    plan: ClassVar[type[Bootstrap | Update]]
    session: Session
    control: CrawlControl
    reader: PageReader

    def __init__(
        self, startat: str = "", feed: str = "", since: str = "", max_posts: str = "", **kwargs: Any
    ) -> None:
        self.shared_state: SqlState | None = kwargs.pop("state", None)
        self.captures: CaptureSource | None = kwargs.pop("captures", None)
        super().__init__(**kwargs)
        self.logins = Logins()
        """For the hosts that the operator named, and no one else's."""
        self.startat = self.logins.take(operator_url(startat))
        self.feed = self.logins.take(operator_url(feed)) if feed else ""
        self.since = parse_since(str(since))
        self.max_posts = max_posts

    # opening

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Set Scrapy's own settings from ours. ``-s`` on the command line still wins."""
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
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        config = Config.from_settings(crawler.settings)
        if spider.max_posts:
            config = replace(config, max_posts=int(spider.max_posts))
        _select_methods(config)
        opening = partial(
            open_session,
            crawler,
            config,
            spider=spider.name,
            start_url=spider.startat,
            feed=spider.feed,
            since=spider.since,
            state=spider.shared_state,
            captures=spider.captures,
        )
        # A job of a cluster finds its database away as often as one that runs; a person sees it at
        # once.
        spider.session = wait_for(opening, config.storage_wait_seconds if config.job_id else 0)
        spider.logins = use_logins(
            crawler,
            read_logins(config.credentials_file) | spider.logins,
            spider.session.services.guard,
        )
        spider.control = control = CrawlControl(spider.session)
        spider.reader = PageReader(spider.session, control)
        gate = spider.session.services.gate
        gate.stopping, gate.changed, gate.ended = (
            control.is_broken_off,
            control.on_outage,
            control.storage_is_away,
        )
        resolver.register(spider.session.services.guard)
        spider.session.services.state.start_crawl(spider.session.crawl)
        connect = crawler.signals.connect
        outcomes = spider.reader.outcomes
        connect(outcomes.on_scraped, signal=signals.item_scraped)
        connect(outcomes.on_dropped, signal=signals.item_dropped)
        connect(outcomes.on_item_error, signal=signals.item_error)
        for over in (signals.item_scraped, signals.item_dropped, signals.item_error):
            connect(spider.on_item_over, signal=over)
        connect(spider.on_idle, signal=signals.spider_idle)
        connect(spider.on_closed, signal=signals.spider_closed)
        return spider

    # what scheduler, middlewares and stages use

    @property
    def guard(self) -> Guard:
        return self.session.services.guard

    @property
    def frontier_path(self) -> Path:
        return self.session.frontier_path

    def frontier_request(self, pending: Pending) -> Request:
        return self.reader.request(pending)

    def commit_frontier(self, commit: Callable[[], object]) -> None:
        self.control.commit_frontier(commit)

    @property
    def put_aside(self) -> list[str]:
        return [*self.reader.outcomes.put_aside, *self.session.waiting]

    @property
    def prepared(self) -> bool:
        return self.control.prepared

    @property
    def paused(self) -> bool:
        return self.control.paused

    @property
    def closing(self) -> bool:
        return self.control.closing

    def abort(self, error: BlogcrawlError) -> None:
        self.control.abort(error)

    # running

    async def start(self) -> AsyncIterator[Any]:
        """Yield what the plan finds. Where the storage goes away before the first of it, the
        beginning is made anew when it is back: the responses are kept."""
        control = self.control
        while not control.prepared:
            try:
                with disk_errors(str(self.session.services.folder)):
                    self.reader.aliases.recall()
                    async for found in self.plan(self.session, self.reader).run():
                        control.prepared = True
                        yield found
                control.prepared = True
            except Stopping:
                return
            except PASSING as error:
                if control.prepared or not await control.storage_is_back(error):
                    control.storage_is_away(error)
                    return
            except BlogcrawlError as error:
                control.abort(error)
                return
            except Exception as error:
                control.abort(control.internal(error))
                return

    def on_idle(self) -> None:
        self.reader.outcomes.on_idle()
        self.reader.candidates.on_idle()
        self.reader.broken_pagers.on_idle()
        self.reader.last_look.on_idle()
        self.reader.unlinked_captures.on_idle()
        self.reader.second_look.on_idle()

    def on_item_over(self) -> None:
        """End a crawl that is being stopped with its last item."""
        call_later(0.05, let_scraper_close, self.crawler)

    # closing

    async def on_closed(self, reason: str) -> None:
        """Close the books, whatever happened. Storage that is away is waited for, for a moment only
        where the crawl was broken off.
        """
        broken = self.control.is_broken_off()
        seconds = CLOSING_SECONDS if broken else self.session.services.config.storage_wait_seconds
        try:
            await self._close_books(reason, seconds)
        except Exception as failure:
            self._books_left_open(failure)
        finally:
            self.control.closed_books.set()
            self._release()
        self._log_end()

    async def _close_books(self, reason: str, seconds: float) -> None:
        session, control = self.session, self.control
        end = control.end or end_of(reason, control.last_word)
        if end.error is None:
            end = self.reader.outcomes.refused_end() or end
        control.end, missed = end, self.reader.aliases.lost()
        session.crawl = await session.services.gate.run(
            lambda: self._finish(end, missed), limit_seconds=seconds
        )
        if outcome(control.end) == "finished":
            clear(session.services.folder, self.name)
        elif (
            control.end.error is not None
        ):  # whoever tries again wants to know whether it is mended
            shutil.rmtree(session.services.folder / ANSWERS, ignore_errors=True)

    def _finish(self, end: End, missed: Mapping[str, str]) -> CrawlRow:
        """May be done again, as ``finish`` may."""
        self.control.end = judged(self.session, end)
        return finish(self.session, self.control.end, missed)

    def _books_left_open(self, failure: Exception) -> None:
        """Set the crawl's row if the final bookkeeping failed: nothing else can be set."""
        error = failure if isinstance(failure, BlogcrawlError) else self.control.internal(failure)
        end = self.control.end
        if end is None or not (_has_reason(end) and isinstance(error, PASSING)):
            # else the first reason is the one to be known
            end = self.control.end = End(reason="failed", detail=error.message, error=error)
        self.session.crawl = replace(
            self.session.crawl,
            outcome=outcome(end),
            counts={
                name: number for name, number in snapshot(self.crawler).items() if name != "doing"
            },
            report={"error": error_to_json(end.error)} if end.error is not None else {},
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
        session.services.search.close(session.blog_id, catch_up=not self.control.is_broken_off())
        session.services.media.close()
        session.services.lock.release()
        if self.shared_state is None:
            session.services.state.close()
        resolver.unregister(session.services.guard)

    def _log_end(self) -> None:
        end = self.control.end
        assert end is not None
        if end.error is not None:
            self.logger.error("%s", end.error)
            return
        numbers = [
            self.session.crawl.counts.get(f"posts_{kind}", 0)
            for kind in ("archived", "changed", "unchanged", "missing")
        ]
        self.logger.info(
            "%s: %d archived, %d changed, %d unchanged, %d missing; %s",
            outcome(end),
            *numbers,
            end.detail,
        )


def _has_reason(end: End) -> bool:
    """Did the crawl fail or was it stopped, before its books were closed?"""
    return end.reason == "stopped" or end.error is not None
