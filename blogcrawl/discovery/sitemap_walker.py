"""Walks a blog's sitemaps: which to ask for, which children of an index are worth a request, when
to hold the rest back.
"""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urljoin, urlsplit

from blogcrawl.core.page import Page
from blogcrawl.discovery.collector import Collector
from blogcrawl.discovery.knowledge import UnreadSource
from blogcrawl.discovery.links import blog_roots
from blogcrawl.discovery.probes import Asked, Task
from blogcrawl.discovery.search_index import announced_indexes
from blogcrawl.discovery.sitemaps import (
    MAX_DEPTH,
    Sitemap,
    kind_by_name,
    parse_sitemap,
    robots_sitemaps,
    worthwhile,
)
from blogcrawl.urls.canonical import canonicalize

FIRST_CHILDREN = 3
LEAN_YIELD = 5
"""New URLs that a sitemap of an index must bring on average to go on: listing pages bring 5 to 10
posts a request too.
"""
MAX_FAILED = 10
"""Children of indexes that may fail one after the other before the rest is left to the next
visit."""
MAX_LATE_CHILDREN = 300
"""Of an index; the frontier asks for them as long as they bring posts."""
NAMED_AT_ONCE = 5
"""Sitemaps of robots.txt requested in the first wave."""


def is_map(url: str) -> bool:
    """Return whether a candidate is a sitemap or an index (not an archive page)."""
    return "sitemap" in url or urlsplit(url).path.endswith((".json", ".xml"))


class SitemapWalker:
    """``start`` gives the first requests, ``take`` reads an answer and returns the next requests,
    ``guess`` and ``reserve`` what else there is.
    """

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self.guesses: list[str] = []
        self.later: list[str] = []
        """Children of indexes, requested while they bring much."""
        self.held: list[str] = []
        """Children that are no sitemaps by name (feeds, mostly)."""
        self.yields: list[int] = []
        self._failed = 0
        """Children in a row that could not be read."""

    @property
    def brought(self) -> bool:
        """Did any sitemap list anything?"""
        return any(self.yields)

    def start(self, robots_txt: str | None, home: Page) -> Asked:
        """Return the sitemaps that robots.txt names; where it names none, the site's search index
        and a guess are kept for later.
        """
        known = self._collector.knowledge
        named = robots_sitemaps(robots_txt, home.url)
        if named:
            known.blog = replace(known.blog, sitemap=named[0])
            return [
                (url, Task("sitemap"))
                for url in worthwhile((u, None) for u in named)[:NAMED_AT_ONCE]
            ]
        usual = known.platform.engine.sitemap
        roots = blog_roots(home.url)  # of a blog in a folder: the host's root, then its own
        guessed = [urljoin(root, usual) for root in (roots[-1], roots[0])] if usual else []
        announced = announced_indexes(home)
        known.named += [canonicalize(url) for url in announced]
        self.guesses = list(dict.fromkeys([*announced, *guessed]))
        return []

    def guess(self) -> Asked:
        """Return the next usual address, as long as nothing was found."""
        if not self.guesses or self.brought:
            return []
        url = self.guesses.pop(0)
        return [
            (url, Task("sitemap", guess=canonicalize(url) not in self._collector.knowledge.named))
        ]

    def reserve(self) -> Asked:
        """Return what was held back for bringing little a request; empties the reserve."""
        urls, self.later, self.held = self.later + self.held, [], []
        return [(url, Task("sitemap", depth=MAX_DEPTH)) for url in urls]

    def take(self, url: str, task: Task, page: Page, asked: dict[str, str]) -> Asked:
        """One sitemap.  Raises FeedError on other data."""
        sitemap = parse_sitemap(page.body, page.url, page.headers.get("content-type"))
        known = self._collector.knowledge
        self._failed = 0
        if not known.blog.sitemap:
            known.blog = replace(known.blog, sitemap=url)
        if sitemap.entries or not sitemap.children:
            self.yields.append(self._collector.add_sitemap(sitemap, kind_by_name(url)))
        if sitemap.children:
            return self._take_children(url, task.depth, sitemap, asked)
        if task.depth > 0 and self.later and self._rich():
            return [(self.later.pop(0), Task("sitemap", depth=task.depth))]
        return []

    def _take_children(
        self, url: str, depth: int, sitemap: Sitemap, asked: dict[str, str]
    ) -> Asked:
        """Return the first sitemaps of an index; the others wait."""
        if depth >= MAX_DEPTH:
            self._collector.knowledge.note(
                f"sitemap {url}: indexes nested more than {MAX_DEPTH} deep are not followed"
            )
            return []
        children = [self._collector.moved(child) for child in worthwhile(sitemap.children)]
        fresh = [child for child in children if child not in asked]
        new = fresh
        if any(map(_is_map, children)):  # some indexes list feeds too
            new = list(filter(_is_map, fresh))
            self.held += [child for child in fresh if not _is_map(child)]
        self.later += new[FIRST_CHILDREN:]
        return [(child, Task("sitemap", depth=depth + 1)) for child in new[:FIRST_CHILDREN]]

    def missed(self, task: Task, why: str) -> Asked:
        """Return a sitemap that could not be read: its siblings are asked for all the same, until
        too many of them fail in a row.
        """
        self._failed += 1
        if task.depth == 0 or not self.later or not self._rich():
            return []
        if self._failed < MAX_FAILED:
            return [(self.later.pop(0), Task("sitemap", depth=task.depth))]
        left, self.later = self.later, []
        for url in left[: MAX_FAILED * MAX_FAILED]:
            reason = f"not asked for: {MAX_FAILED} sitemaps before it could not be read ({why})"
            self._collector.knowledge.could_not_read(
                UnreadSource(url=url, reason=reason, kind=task.kind, depth=task.depth)
            )
        return []

    def _rich(self) -> bool:
        """Return whether the sitemaps of an index bring enough to fetch the next one."""
        last = self.yields[-FIRST_CHILDREN:]
        return sum(last) >= LEAN_YIELD * len(last)


def read_late(collector: Collector, page: Page) -> tuple[int, list[str]]:
    """Read a sitemap in mid-crawl, a guess that the survey left to the frontier: (posts that no
    source had promised before, sitemaps that it names).

    Raises FeedError if ``page`` is no sitemap.
    """
    sitemap = parse_sitemap(page.body, page.url, page.headers.get("content-type"))
    known = collector.knowledge
    if not known.blog.sitemap:
        known.blog = replace(known.blog, sitemap=page.url)
    before = len(known.promised)
    collector.add_sitemap(sitemap, kind_by_name(page.url))
    collector.settle(late=True)
    return len(known.promised) - before, [
        collector.moved(url) for url in worthwhile(sitemap.children)
    ][:MAX_LATE_CHILDREN]


def _is_map(url: str) -> bool:
    return "sitemap" in url.lower()
