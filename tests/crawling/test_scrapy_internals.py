"""What blogcrawl uses of Scrapy's and Twisted's insides is there and works as it is meant to."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from scrapy import Request, Spider, signals
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.core.engine import ExecutionEngine
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider, IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.settings import Settings
from scrapy.statscollectors import DummyStatsCollector
from scrapy.utils import log
from scrapy.utils.asyncio import call_later

from blogcrawl.core.netguard import Guard
from blogcrawl.crawling import resolver, run
from blogcrawl.crawling.scrapy_internals import (
    HttpProtocol,
    NestedCrawler,
    PlainBodyHook,
    RetryHook,
    event_loop,
    hold_slot,
    is_response_over,
    let_scraper_close,
    process_items,
    raise_header_limit,
    use_protocol,
    wake_engine,
)
from tests.server import Rule, Server

LONG = 100 * 2**10
"""Bytes of a header: above Twisted's limit, below ours."""


@pytest.fixture(autouse=True)
def no_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing wakes the engine by the way."""
    monkeypatch.setattr(ExecutionEngine, "_SLOT_HEARTBEAT_INTERVAL", 3600.0)


def crawl_with(spider: type[Spider], **settings: Any) -> Spider:
    """The spider after its crawl; fails where the crawl does not come to its end."""
    values = Settings({"LOG_ENABLED": False, "TELNETCONSOLE_ENABLED": False, **settings})
    loop = run._start_reactor(values)
    crawler = NestedCrawler(spider, values)
    try:
        loop.run_until_complete(asyncio.wait_for(crawler.crawl_async(), 60))
    finally:
        run._stop_threads()
    assert crawler.spider is not None
    return crawler.spider


def test_woken_engine_asks_for_requests_at_once() -> None:
    class Idle(Spider):
        name = "idle"
        times = 0

        async def start(self) -> AsyncIterator[Any]:
            self.crawler.signals.connect(self.on_idle, signal=signals.spider_idle)
            return
            yield

        def on_idle(self) -> None:
            self.times += 1
            if self.times < 3:
                wake_engine(self.crawler)
                raise DontCloseSpider

    assert crawl_with(Idle).times == 3  # type: ignore[attr-defined]


def test_a_stopped_crawl_ends_with_the_last_item_of_its_start() -> None:
    class Stopped(Spider):
        name = "stopped"
        reason = ""

        async def start(self) -> AsyncIterator[Any]:
            connect = self.crawler.signals.connect
            connect(self.on_scraped, signal=signals.item_scraped)
            connect(self.on_closed, signal=signals.spider_closed)
            yield {"an": "item"}

        def on_scraped(self) -> None:
            call_later(0.05, let_scraper_close, self.crawler)

        def on_closed(self, reason: str) -> None:
            self.reason = reason

    class Slow:
        def __init__(self, crawler: Crawler) -> None:
            self.crawler = crawler

        @classmethod
        def from_crawler(cls, crawler: Crawler) -> Slow:
            return cls(crawler)

        async def process_item(self, item: Any) -> Any:
            self.stopping = asyncio.ensure_future(self.crawler.stop_async())
            await asyncio.sleep(0.05)
            return item

    assert crawl_with(Stopped, ITEM_PIPELINES={Slow: 1}).reason == "shutdown"  # type: ignore[attr-defined]


def test_held_slot_downloads_nothing_until_released() -> None:
    class Held(Spider):
        name = "held"
        waiting: ClassVar[list[int]] = []
        response: Response | None = None

        async def start(self) -> AsyncIterator[Any]:
            connect = self.crawler.signals.connect
            connect(self.on_reached, signal=signals.request_reached_downloader)
            yield Request("data:,text", callback=self.parse)

        def on_reached(self, request: Request) -> None:
            self.slot = self.crawler.engine.downloader.slots[request.meta["download_slot"]]
            hold_slot(self.crawler, self.slot, 3600, print)
            call_later(0.05, self.let_go)

        def let_go(self) -> None:
            self.waiting.append(len(self.slot.queue))
            hold_slot(self.crawler, self.slot, 0)

        def parse(self, response: Response, **_: Any) -> None:
            self.response = response

    spider: Any = crawl_with(Held)
    assert spider.waiting == [1]
    assert spider.response.body == b"text"


class Watched(HttpProtocol):
    over: ClassVar[list[bool]] = []

    def request(self, request: Any) -> Any:
        response = super().request(request)
        raise_header_limit(self)
        self.over.append(is_response_over(self))
        return response

    def dataReceived(self, data: bytes) -> None:
        super().dataReceived(data)
        self.over.append(is_response_over(self))


class WatchedHandler(HTTP11DownloadHandler):
    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        use_protocol(self, Watched)


@pytest.mark.parametrize("watched", [True, False])
def test_connections_use_our_protocol_with_its_header_limit(tmp_path: Path, watched: bool) -> None:
    class Asking(Spider):
        name = "asking"
        lengths: ClassVar[list[int]] = []

        def parse(self, response: Response, **_: Any) -> None:
            self.lengths.append(len(response.headers["X-Long"] or b""))

    handlers = {"http": WatchedHandler} if watched else {}
    with Server(tmp_path) as server:
        server.rules = [Rule(path="/", body="page", headers={"X-Long": "x" * LONG})]
        Asking.start_urls = [server.url]
        Watched.over.clear()
        guard = Guard([server.url])
        resolver.register(guard)
        spider: Any = crawl_with(Asking, DOWNLOAD_HANDLERS=handlers, RETRY_ENABLED=False)
        resolver.unregister(guard)
    assert spider.lengths == ([LONG] if watched else [])
    assert (Watched.over[:1], Watched.over[-1:]) == (([False], [True]) if watched else ([], []))


def test_the_reactor_runs_on_an_event_loop() -> None:
    run._start_reactor(Settings({"LOG_ENABLED": False}))
    from twisted.internet import reactor

    assert isinstance(event_loop(reactor), asyncio.AbstractEventLoop)


def test_nested_crawler_keeps_the_logging_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    installed: list[Settings] = []
    monkeypatch.setattr("scrapy.crawler.install_scrapy_root_handler", installed.append)
    monkeypatch.setattr("scrapy.crawler.get_scrapy_root_handler", log.logging.NullHandler)
    NestedCrawler(Spider)
    assert installed == []
    Crawler(Spider)
    assert len(installed) == 1


@pytest.mark.parametrize("failure", [503, OSError("no network")])
def test_a_retry_can_be_refused(failure: int | OSError) -> None:
    class Refusing(RetryHook):
        def before_retry(self, request: Request) -> None:
            raise IgnoreRequest("no more")

    middleware, request = Refusing(Settings()), Request("http://blog.example/")
    with pytest.raises(IgnoreRequest, match="no more"):
        if isinstance(failure, int):
            middleware.process_response(request, Response(request.url, status=failure))
        else:
            middleware.process_exception(request, failure)


@pytest.mark.parametrize(
    "body", [b"<html>text", gzip.compress(b"<html>text")], ids=["plain", "compressed"]
)
def test_uncompressed_body_passes_despite_its_encoding_header(body: bytes) -> None:
    class Lenient(PlainBodyHook):
        def is_plain(self, body: bytes) -> bool:
            return body.startswith(b"<html>")

    crawler = NestedCrawler(Spider)
    crawler.stats = DummyStatsCollector(crawler)
    middleware = Lenient(crawler=crawler)
    request = Request("http://blog.example/")
    response = HtmlResponse(request.url, headers={"Content-Encoding": "gzip"}, body=body)
    found = middleware.process_response(request, response)
    assert isinstance(found, Response)
    assert found.body == b"<html>text"


def test_items_of_no_request_processed_while_the_crawl_is_idle() -> None:
    class Idle(Spider):
        name = "idle"
        scraped: ClassVar[list[Any]] = []
        task: asyncio.Future[None] | None = None

        @classmethod
        def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Idle:
            spider = super().from_crawler(crawler, *args, **kwargs)
            crawler.signals.connect(spider.on_idle, signal=signals.spider_idle)
            crawler.signals.connect(spider.on_scraped, signal=signals.item_scraped)
            return spider

        async def start(self) -> AsyncIterator[Any]:
            return
            yield

        def on_scraped(self, item: Any) -> None:
            self.scraped.append(item)

        def on_idle(self) -> None:
            if self.task is None:
                self.task = asyncio.ensure_future(process_items(self.crawler, [{"n": 1}, {"n": 2}]))
                self.task.add_done_callback(lambda _: wake_engine(self.crawler))
            if not self.task.done():
                raise DontCloseSpider

    crawl_with(Idle)
    assert Idle.scraped == [{"n": 1}, {"n": 2}]
