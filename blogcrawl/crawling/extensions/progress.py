"""What watches a crawl: live numbers, one line in a while for logs, a log that says an item's name
and not its pages.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from datetime import UTC, datetime
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.http import Request, Response
from scrapy.logformatter import LogFormatter

from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.core.progress import posts_done
from blogcrawl.crawling.session import session_of

logger = logging.getLogger("blogcrawl")

NAMES = (
    *("posts_found", "posts_archived", "posts_changed", "posts_unchanged", "posts_missing"),
    *("pages", "comments", "media", "errors", "bytes"),
)
NOTE_EVERY = 5.0
"""Seconds between two times that the numbers are written into the crawl's row."""
LOG_EVERY = 10.0
"""Seconds between two progress lines."""


class Progress:
    """Counts pages and bytes, and writes a line now and then that says how far the crawl is."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._told = time.monotonic()
        self._noting: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Progress:
        extension = cls(crawler)
        connect = crawler.signals.connect
        connect(extension.opened, signal=signals.spider_opened)
        connect(extension.downloaded, signal=signals.response_downloaded)
        connect(extension.received, signal=signals.response_received)
        connect(extension.show, signal=signals.item_scraped)
        connect(extension.item_error, signal=signals.item_error)
        connect(extension.closed, signal=signals.spider_closed)
        return extension

    def opened(self) -> None:
        stats = self.crawler.stats
        for name in NAMES:
            stats.set_value(f"blogcrawl/{name}", stats.get_value(f"blogcrawl/{name}", 0))
        if hasattr(self.crawler.spider, "session"):
            self._noting = asyncio.ensure_future(self._note())

    async def _note(self) -> None:
        """Write the live numbers into the crawl's row, for those who watch it elsewhere."""
        session, before = session_of(self.crawler), 0
        while True:
            await asyncio.sleep(NOTE_EVERY)
            counts = snapshot(self.crawler)
            requests = counts.get("requests", 0)
            frontier = getattr(self.crawler, "frontier", None)
            counts |= {
                "at": datetime.now(UTC).isoformat(),
                "rate": round((requests - before) / NOTE_EVERY, 2),
                "queue": frontier.counts().pending if frontier is not None else 0,
            }
            before = requests
            # what is not written now is written later: numbers are no reason to wait
            with contextlib.suppress(BlogcrawlError):
                session.services.state.note_counts(session.crawl.id, counts)

    def closed(self) -> None:
        if self._noting is not None:
            self._noting.cancel()

    def downloaded(self, response: Response, request: Request) -> None:
        """Count what a server was asked for: redirects and tries before the last one too. The
        browser's requests are counted where they pass (``browser.network_of``).
        """
        stats, kind = self.crawler.stats, request.meta.get("blogcrawl_kind", "page")
        if kind != "render":
            stats.inc_value("blogcrawl/requests")
            stats.inc_value(f"blogcrawl/requests_{kind}")

    def received(self, response: Response, request: Request) -> None:
        stats, kind = self.crawler.stats, request.meta.get("blogcrawl_kind", "page")
        if kind in {"page", "home", "post"}:
            stats.inc_value("blogcrawl/pages")
        if kind != "render":
            stats.inc_value("blogcrawl/bytes", len(response.body))
        self.show()

    def item_error(self) -> None:
        self.crawler.stats.inc_value("blogcrawl/errors")

    def show(self) -> None:
        if time.monotonic() - self._told < LOG_EVERY:
            return
        self._told = time.monotonic()
        values = snapshot(self.crawler)
        logger.info(
            "%s: %d of %d posts archived, %d pages, %d comments, %d media, %d errors",
            values.get("doing") or "crawling",
            *posts_done(values),
            *(values.get(n, 0) for n in ("pages", "comments", "media", "errors")),
        )


def snapshot(crawler: Crawler) -> dict[str, Any]:
    """Return the live numbers, without their prefix."""
    prefix = "blogcrawl/"
    return {
        name[len(prefix) :]: value
        for name, value in crawler.stats.get_stats().items()
        if name.startswith(prefix)
    }


class QuietLogFormatter(LogFormatter):
    """An item is a whole page: its address is enough in a log."""

    def scraped(self, item: Any, response: Any, spider: Any) -> Any:
        return {"level": logging.DEBUG, "msg": "post %(url)s", "args": {"url": address(item)}}

    def dropped(self, item: Any, exception: BaseException, response: Any, spider: Any) -> Any:
        return {
            "level": logging.DEBUG,
            "msg": "%(url)s: %(why)s",
            "args": {"url": address(item), "why": exception},
        }

    def item_error(self, item: Any, exception: BaseException, response: Any, spider: Any) -> Any:
        return {
            "level": logging.ERROR,
            "msg": "%(url)s could not be processed",
            "args": {"url": address(item)},
        }


def address(item: Any) -> str:
    """URL of what travels between the stages."""
    source = getattr(item, "source", item)
    page = getattr(source, "page", None)
    return str(getattr(page, "url", type(item).__name__))
