"""NewCrawl: an address becomes the whole blog."""

from __future__ import annotations

from blogcrawl.crawling.bootstrap import Bootstrap
from blogcrawl.crawling.spiders.base import BlogSpider


class NewCrawl(BlogSpider):
    """``scrapy crawl newcrawl -a startat=URL [-a feed=URL] [-a since=DATE] [-a max_posts=N]``"""

    name = "newcrawl"
    plan = Bootstrap
