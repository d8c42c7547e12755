"""Sitemaps that are read in mid-crawl: the guesses that the survey left to the frontier, and what
these name.
"""

from __future__ import annotations

from dataclasses import replace

from blogcrawl.core.page import Page
from blogcrawl.discovery.collector import Collector
from blogcrawl.discovery.sitemaps import kind_by_name, parse_sitemap, worthwhile

MAX_CHILDREN = 300
"""Of an index; the frontier asks for them as long as they bring posts."""


def read_late(collector: Collector, page: Page) -> tuple[int, list[str]]:
    """What a sitemap adds to the collector's knowledge: (posts that nobody had promised before,
    sitemaps that it names).

    Raises FeedError where ``page`` is no sitemap.
    """
    sitemap = parse_sitemap(page.body, page.url, page.headers.get("content-type"))
    known = collector.knowledge
    if not known.blog.sitemap:
        known.blog = replace(known.blog, sitemap=page.url)
    before = len(known.promised)
    collector.add_sitemap(sitemap, kind_by_name(page.url))
    collector.settle()
    return len(known.promised) - before, [
        collector.moved(url) for url in worthwhile(sitemap.children)
    ][:MAX_CHILDREN]
