"""All that blogcrawl uses of Scrapy and Twisted besides their public interfaces.

``tests/crawling/test_scrapy_internals.py`` has a test for each: it fails when a new version changes
what is used here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.core.downloader.handlers import http11
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.downloadermiddlewares.retry import RetryMiddleware
from scrapy.utils.asyncio import call_later

if TYPE_CHECKING:
    from scrapy.core.downloader import Slot

LONGEST_HEADER = 256 * 2**10
"""Bytes of a header's line, as browsers take them; Twisted's own limit of 16 KiB is below some
policies and piles of cookies.
"""
HttpProtocol = http11._LenientHTTP11ClientProtocol
"""Of one connection; requests on it come one after the other, never pipelined."""


def raise_header_limit(protocol: HttpProtocol) -> None:
    """Accept header lines up to LONGEST_HEADER in the response to the request just sent."""
    if protocol._parser is not None:
        protocol._parser.MAX_LENGTH = LONGEST_HEADER


def is_response_over(protocol: HttpProtocol) -> bool:
    """Return whether the protocol has parsed its response to the end."""
    return protocol._parser is None


def use_protocol(handler: http11.HTTP11DownloadHandler, protocol: type[HttpProtocol]) -> None:
    """Have the connections of ``handler`` speak ``protocol``."""

    class Factory(http11._LenientHTTP11ClientFactory):
        def buildProtocol(self, addr: Any) -> Any:
            return protocol(self._quiescentCallback)

    handler._pool._factory = Factory


def wake_engine(crawler: Crawler) -> None:
    """Have the engine look for work; by itself it looks after answers and every five seconds."""
    slot = crawler._engine._slot if crawler._engine is not None else None
    if slot is not None:
        call_later(0.01, slot.nextcall.schedule)


async def process_items(crawler: Crawler, items: Iterable[Any]) -> None:
    """Send items through the pipelines that come of no request, one after the other."""
    for item in items:
        await crawler.engine.scraper.start_itemproc_async(item, response=None)


def let_scraper_close(crawler: Crawler) -> None:
    """Let a crawl end that is being stopped and whose items are all done.

    Scrapy (2.19) looks only after answers: an item that came from ``start`` and ends last would
    keep it waiting for ever.
    """
    slot = crawler._engine.scraper.slot if crawler._engine is not None else None
    if slot is None or slot.closing is None or slot.closing.called or not slot.is_idle():
        return
    assert crawler.spider is not None
    slot.closing.callback(crawler.spider)


def hold_slot(crawler: Crawler, slot: Slot, seconds: float, *again: Any) -> None:
    """Hold the downloader's queue of a host for ``seconds``, then call ``again`` (a function and
    its arguments); zero: let it go on at once.
    """
    if slot.latercall is not None:
        slot.latercall.cancel()
        slot.latercall = None
    if seconds > 0:
        slot.latercall = call_later(seconds, *again)
    else:
        crawler.engine.downloader._process_queue(slot)


def event_loop(reactor: Any) -> asyncio.AbstractEventLoop:
    """Return the loop that Twisted's asyncio reactor runs on."""
    loop: asyncio.AbstractEventLoop = reactor._asyncioEventloop
    return loop


class NestedCrawler(Crawler):
    """One of several in a process whose log is set up already."""

    def _update_root_log_handler(self) -> None:
        return


class RetryHook(RetryMiddleware):
    """Scrapy's, with a method that is called before a request is retried."""

    def before_retry(self, request: Request) -> None:
        """Raise what should end the request instead."""

    def _retry(self, request: Request, reason: str | Exception | type[Exception]) -> Request | None:
        self.before_retry(request)
        return super()._retry(request, reason)


class PlainBodyHook(HttpCompressionMiddleware):
    """Scrapy's, but bodies that are plain text pass as they are, whatever their header names."""

    def is_plain(self, body: bytes) -> bool:
        """Return whether the body is uncompressed text."""
        return False

    def _handle_encoding(
        self, body: bytes, content_encoding: list[bytes], max_size: int
    ) -> tuple[bytes, list[bytes]]:
        if self.is_plain(body):
            return body, []
        return super()._handle_encoding(body, content_encoding, max_size)
