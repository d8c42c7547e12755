"""What both spiders share: arguments, opening and closing, and the reading of pages that the frontier hands out."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import call_later

from blogcrawl.config import Config
from blogcrawl.credentials import Logins, read_logins
from blogcrawl.errors import BlogcrawlError, InternalError
from blogcrawl.middlewares import Stopping
from blogcrawl.spiders import resolver
from blogcrawl.spiders.arguments import operator_url, parse_since, user_agent
from blogcrawl.spiders.closing import clear, end_of, finish
from blogcrawl.spiders.evidence import stop_evidence
from blogcrawl.spiders.kept import ANSWERS
from blogcrawl.spiders.reading import FATAL, PageReader
from blogcrawl.spiders.report import End, error_to_json, outcome
from blogcrawl.spiders.session import Session, open_session, use_logins
from blogcrawl.spiders.takeover import own_frontier
from blogcrawl.storage.state import SqlState


class BlogSpider(PageReader):
    """Base of NewCrawl and UpdateCrawl."""

    FATAL_CODES = FATAL
    session: Session

    def __init__(self, startat: str = "", feed: str = "", since: str = "", max_posts: str = "", **kwargs: Any) -> None:
        self.shared_state: SqlState | None = kwargs.pop("state", None)
        super().__init__(**kwargs)
        self.logins = Logins()
        """For the hosts that the operator named, and nobody else's."""
        self.startat = self.logins.take(operator_url(startat))
        self.feed = self.logins.take(operator_url(feed)) if feed else ""
        self.since = parse_since(str(since))
        self.max_posts = max_posts

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
            "CONCURRENT_REQUESTS_PER_DOMAIN": config.max_requests_per_host or settings.getint("CONCURRENT_REQUESTS"),
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
        spider.session = open_session(
            crawler, config, spider=spider.name, start_url=spider.startat, operator_urls=operator_urls, state=spider.shared_state
        )
        spider.logins = use_logins(crawler, read_logins(config.credentials_file) | spider.logins, spider.session.guard)
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
        try:
            async for found in self.run():
                self.prepared = True
                yield found
            self.prepared = True
        except Stopping:
            return
        except BlogcrawlError as error:
            self.abort(error)
        except Exception as error:
            self.abort(self.internal(error))

    def internal(self, error: BaseException) -> InternalError:
        """A failure that no code expects as the crawl's end: at what, and at which blog."""
        stage = str(self.crawler.stats.get_value("blogcrawl/doing") or "beginning") if self.crawler.stats is not None else ""
        self.session.note_unforeseen(stage, self.startat, error)
        told = f"{type(error).__name__}: {' '.join(str(error).split()) or 'no message'}"
        advice = "what is archived is whole; please report it"
        return InternalError(f"a mistake in blogcrawl itself while {stage}: {told}", url=self.startat, stage=stage, advice=advice)

    def run(self) -> AsyncIterator[Any]:
        """The crawl itself, up to where the frontier takes over."""
        raise NotImplementedError

    def on_item_over(self) -> None:
        """A crawl that is told to stop waits for its items, but Scrapy (2.19) looks again only after answers: an item that came from
        ``start`` and ends last would keep it waiting for ever."""
        call_later(0.05, self._let_close)

    def _let_close(self) -> None:
        slot = self.crawler._engine.scraper.slot if self.crawler._engine is not None else None
        if slot is not None and slot.closing is not None and slot.is_idle() and not slot.closing.called:
            slot.closing.callback(self)

    def on_closed(self, reason: str) -> None:
        """Close the books, whatever happened."""
        session = self.session
        try:
            if self.end is None:
                self.end = end_of(reason, self.last_word)
            self.end = self.judge(self.end)
            session.crawl = finish(session, self.end, self.lost(), self.row_changes())
            if outcome(self.end) == "finished":
                clear(session.folder, self.name)
            elif self.end.error is not None:  # whoever tries again wants to know whether it is mended
                shutil.rmtree(session.folder / ANSWERS, ignore_errors=True)
        except Exception as failure:
            error = failure if isinstance(failure, BlogcrawlError) else self.internal(failure)
            self.end = End(reason="failed", detail=error.message, error=error)
            session.crawl = replace(session.crawl, outcome="failed", report={"error": error_to_json(error)})
        finally:
            try:
                stop_evidence(session)
            except (OSError, sqlite3.Error, BlogcrawlError) as error:  # a full disk: what is written is mended on the next opening
                self.logger.error("the crawl's evidence could not be closed: %s", error)
            session.media.close()
            if session.lock is not None:
                session.lock.release()
            if self.shared_state is None:
                session.state.close()
            resolver.unregister(session.guard)
        if self.end.error is not None:
            self.logger.error("%s", self.end.error)
        else:
            numbers = [session.crawl.counts.get(f"posts_{kind}", 0) for kind in ("archived", "changed", "unchanged", "missing")]
            self.logger.info("%s: %d archived, %d changed, %d unchanged, %d missing; %s", outcome(self.end), *numbers, self.end.detail)

    def judge(self, end: End) -> End:
        """The spider's last word on how the crawl ended."""
        return end

    def row_changes(self) -> Mapping[str, Any]:
        """Columns of the blog's row that this spider sets."""
        return {}
