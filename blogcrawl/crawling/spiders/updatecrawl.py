"""UpdateCrawl: a known blog and a date become what has changed."""

from __future__ import annotations

from blogcrawl.crawling.spiders.base import BlogSpider
from blogcrawl.crawling.update import Update


class UpdateCrawl(BlogSpider):
    """``scrapy crawl updatecrawl -a startat=URL [-a since=2026-01-31]`` (ISO date or Unix time)."""

    name = "updatecrawl"
    plan = Update
