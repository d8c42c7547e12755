"""ReplayCrawl: a web archive becomes the whole blog, as NewCrawl makes it from the web."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from blogcrawl.crawling.bootstrap import Bootstrap
from blogcrawl.crawling.closing import clear
from blogcrawl.crawling.pipelines import comments, render, requisites
from blogcrawl.crawling.spiders.base import BlogSpider

LEARNED = (comments.MEMORY, render.MEMORY, requisites.MEMORY)
"""What stages remember of a blog and learn again."""
HANDLER = "blogcrawl.crawling.handlers.replay.ReplayHandler"
_OF_THE_WEB = ("PatientRetryMiddleware", "RetryAfterMiddleware")
"""Middlewares that ask a server again: an archive's answer stays what it is."""


class ReplayCrawl(BlogSpider):
    """A NewCrawl whose requests a web archive answers (``captures``: a CaptureSource)."""

    name = "replaycrawl"
    plan = Bootstrap

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        values: dict[str, Any] = {
            "DOWNLOAD_HANDLERS": {
                **settings["DOWNLOAD_HANDLERS"],
                "http": HANDLER,
                "https": HANDLER,
            },
            "DOWNLOADER_MIDDLEWARES": {
                **settings["DOWNLOADER_MIDDLEWARES"],
                **{f"blogcrawl.crawling.middlewares.retry.{name}": None for name in _OF_THE_WEB},
            },
            "DOWNLOAD_DELAY": 0,
            "AUTOTHROTTLE_ENABLED": False,
            "ROBOTSTXT_OBEY": False,
        }
        for name, value in values.items():
            settings.set(name, value, priority="spider")

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        clear(spider.session.services.folder, cls.name)
        for name in LEARNED:
            spider.session.memory.pop(name, None)
        return spider
