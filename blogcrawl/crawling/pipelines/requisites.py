"""What a page needs to be shown as it was: style sheets, scripts, fonts, the theme's pictures.
Evidence only, no part of a post's package.

Noted while posts are archived, fetched when they are all in: posts come first. Each address once a
blog: what the evidence holds already, of this crawl or an earlier one, is not asked for again.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from urllib.parse import urljoin
from weakref import WeakKeyDictionary

from scrapy.crawler import Crawler

from blogcrawl.core.errors import BlogcrawlError, UnreachableError
from blogcrawl.core.netguard import host_of
from blogcrawl.core.page import Page
from blogcrawl.crawling.exceptions import Stopping
from blogcrawl.crawling.pipelines.page_resources import (
    instead_in_sheet,
    instead_on,
    named_in_sheet,
    pictures_of,
    sheets_of,
    theme_of,
)
from blogcrawl.crawling.session import Session, session_of

MAX_PER_PAGE = 60
"""The median page on the web asks for about 70 files, fonts, trackers and the post's own pictures
among them (HTTP Archive, 2024).
"""
MAX_PER_CRAWL = 600
"""Of the theme's files, and of pictures: many pictures on the first pages leave the style sheets of
older ones their place.
"""
MAX_BYTES = 4 * 2**20
MAX_AT_ONCE = 4
MAX_IMPORTS = 5
"""Style sheets that import one another are followed so deep; what they name further is fetched."""
ABSENT = 2
"""After so many answers of 4xx or 5xx to one relative reference, from whatever folders, it is not
asked for again."""
MEMORY = "requisites"
"""Key of the session's memory: what a crawl that was broken off had noted and not fetched."""


class Requisites:
    """One crawl's. ``session`` is the spider's."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.wanted: dict[str, str] = session.memory.setdefault(MEMORY, {})
        """Address -> the page that names it: what is still to be fetched."""
        self._noted: set[str] = set(self.wanted)
        self._unread: set[str] = set()
        """Style sheets that a browser fetched: they are asked for all the same, to be read. The
        browsers of a crawl load no fonts.
        """
        self._left = {theme_of: MAX_PER_CRAWL, pictures_of: MAX_PER_CRAWL}
        self._instead: dict[str, str] = {}
        """Fonts -> those that browsers ask for where they are missing."""
        self._page = ""
        self._silent: set[str] = set()
        """Hosts that did not answer: a page of an old blog names many that are no more."""
        self._absent: Counter[str] = Counter()
        """References that led nowhere, how often: a theme's faulty relative one leads to another
        address on every page.
        """

    def note(self, page: Page, shown: Iterable[str] = ()) -> None:
        """Remember what ``page`` needs. ``shown``: addresses of the post's media, which travel by
        themselves.
        """
        if self.session.evidence is None:
            return
        for url in shown:
            self._noted.add(url)
            self.wanted.pop(url, None)
        page = page.whole or page
        if page.url == self._page:  # the next post of the same page
            return
        self._page = page.url
        room = MAX_PER_PAGE
        for named in (theme_of, pictures_of):
            fresh = list(islice(self._fresh(named(page)), min(room, self._left[named])))
            self.wanted.update(dict.fromkeys(fresh, page.url))
            self._left[named] -= len(fresh)
            room -= len(fresh)
            if fresh and named is theme_of:
                self._instead.update(instead_on(page))
        if page.rendered:
            self._unread.update(url for url in sheets_of(page) if url in self.wanted)

    def _fresh(self, urls: Iterable[str]) -> Iterator[str]:
        for url in urls:
            if url not in self._noted:
                self._noted.add(url)
                yield url

    async def fetch(self) -> None:
        """Get what was noted into the evidence."""
        if self.session.evidence is None:
            self.wanted.clear()
            return
        further = dict(self.wanted)
        for _ in range(1 + MAX_IMPORTS):
            further = await self._get(further)

    async def _get(self, wanted: Mapping[str, str]) -> dict[str, str]:
        """Fetch all; return what the style sheets among the answers name."""
        gate = asyncio.Semaphore(MAX_AT_ONCE)

        async def one(url: str, referer: str) -> dict[str, str]:
            async with gate:
                engine, answer = self.session.services.crawler.engine, None
                if engine.running:
                    with contextlib.suppress(
                        BlogcrawlError, Stopping
                    ):  # the page is shown without it, then as now
                        answer = await self._ask(url, referer)
                further = self._named(url, answer)
                if engine.running:  # else the next crawl asks
                    self.wanted.pop(url, None)
                return further

        answers = await asyncio.gather(*(one(url, referer) for url, referer in wanted.items()))
        return dict(chain.from_iterable(further.items() for further in answers))

    def _named(self, url: str, answer: Page | None) -> dict[str, str]:
        """Return what a style sheet names, and what stands in for the missing font at ``url``,
        noted; nothing of other files.
        """
        is_missing = host_of(url) in self._silent if answer is None else answer.status >= 400
        if is_missing and url in self._instead:
            fresh = dict.fromkeys(self._fresh([self._instead[url]]), url)
            self.wanted.update(fresh)
            return fresh
        if (
            answer is None
            or answer.status != 200
            or "css" not in answer.headers.get("content-type", "")
        ):
            return {}
        self._instead.update(instead_in_sheet(answer))
        room = min(MAX_PER_PAGE, self._left[theme_of])
        fresh = dict.fromkeys(islice(self._fresh(named_in_sheet(answer)), room), answer.url)
        self._left[theme_of] -= len(fresh)
        self.wanted.update(fresh)
        return fresh

    async def _ask(self, url: str, referer: str) -> Page | None:
        evidence = self.session.evidence
        captures = evidence.captures if evidence is not None else None
        reference = url.removeprefix(urljoin(referer, "."))
        if host_of(url) in self._silent or self._absent[reference] >= ABSENT:
            return None
        is_held = captures is not None and captures.by_address(url) is not None
        if is_held and url not in self._unread:
            return None
        try:
            answer: Page = self.session.seen_by_browser(url) or await self.session.fetch(
                url,
                kind="media",
                headers={"Accept": "*/*", "Referer": referer},
                max_bytes=MAX_BYTES,
            )
        except UnreachableError:
            self._silent.add(host_of(url))
            return None
        if answer.status >= 400:
            self._absent[reference] += 1
        return answer


_of_crawls: WeakKeyDictionary[Crawler, Requisites] = WeakKeyDictionary()


def requisites_of(crawler: Crawler) -> Requisites:
    """Return the crawl's one: the start page and the posts' pages share its limits."""
    if crawler not in _of_crawls:
        _of_crawls[crawler] = Requisites(session_of(crawler))
    return _of_crawls[crawler]
