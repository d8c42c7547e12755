"""The download handler of all pages: plain requests recorded, others drawn by a browser."""

from __future__ import annotations

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from blogcrawl.crawling.handlers import BROWSERS
from blogcrawl.crawling.handlers.recording import RecordingHandler


class LazyBrowserHandler(RecordingHandler):
    """Scrapy's own handler, recording what it does; requests with ``meta["playwright"]`` go to the
    browser, of which nothing is imported until then.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._blogcrawl_crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> LazyBrowserHandler:
        return cls(crawler)

    async def download_request(self, request: Request) -> Response:
        if request.meta.get("playwright"):
            from blogcrawl.crawling.handlers.browser import browser_handler

            handler = await browser_handler(self._blogcrawl_crawler)
            response: Response = await handler._download_request(request)
            return response
        return await super().download_request(request)

    async def close(self) -> None:
        await super().close()
        handler = BROWSERS.pop(self._blogcrawl_crawler, None)
        if handler is not None:
            from blogcrawl.crawling.handlers.browser import close_browser

            await close_browser(handler)
