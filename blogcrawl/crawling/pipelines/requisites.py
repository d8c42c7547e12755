"""What a page needs to be shown as it was: style sheets, scripts, the theme's pictures. Evidence
only, no part of a post's package.

Noted while posts are archived, fetched when they are all in: posts come first. Each address once a
blog: what the evidence holds already, of this crawl or an earlier one, is not asked for again.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import urldefrag, urljoin, urlsplit

from blogcrawl.core.errors import BlogcrawlError, UnreachableError
from blogcrawl.core.netguard import host_of
from blogcrawl.core.page import Page
from blogcrawl.crawling.exceptions import Stopping
from blogcrawl.crawling.pipelines.srcset import pictures_shown
from blogcrawl.crawling.session import Session
from blogcrawl.rendering.blocking import blocked

MAX_PER_PAGE = 60
"""The median page on the web asks for about 70 files, fonts, trackers and the post's own pictures
among them (HTTP Archive, 2024).
"""
MAX_PER_CRAWL = 600
MAX_BYTES = 4 * 2**20
MAX_AT_ONCE = 4
ABSENT = 2
"""After so many answers of 4xx or 5xx to one file name of a host, in whatever folders, it is not
asked for again.
"""
MEMORY = "requisites"
"""Key of the session's memory: what a crawl that was broken off had noted and not fetched."""
_CSS_URL = re.compile(
    r"""@import\s+["']([^"']{1,500})["']|url\(\s*["']?([^"')\s]{1,500})["']?\s*\)"""
)
_OLD_FONT = re.compile(r"\.(?:ttf|otf|eot)(?:$|[?#])", re.IGNORECASE)
"""What style sheets name next to WOFF for browsers of before 2012. WOFF is fetched: themes draw
their icons with it.
"""


class Requisites:
    """One crawl's. ``session`` is the spider's."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.wanted: dict[str, str] = session.memory.setdefault(MEMORY, {})
        """Address -> the page that names it: what is still to be fetched."""
        self._noted: set[str] = set(self.wanted)
        self._silent: set[str] = set()
        """Hosts that did not answer: a page of an old blog names many that are no more."""
        self._absent: Counter[str] = Counter()
        """File names that were not there, how often: a theme's faulty relative address is another
        one on every page.
        """

    def note(self, page: Page, shown: Iterable[str]) -> None:
        """Remember what ``page`` needs. ``shown``: addresses of the post's media, which travel by
        themselves.
        """
        if self.session.evidence is None or page.rendered or len(self._noted) >= MAX_PER_CRAWL:
            return
        self._noted.update(shown)
        self.wanted.update(self._fresh(page.url, needed(page)))

    def _fresh(self, referer: str, urls: Iterable[str]) -> dict[str, str]:
        out: dict[str, str] = {}
        for url in urls:
            if len(out) >= MAX_PER_PAGE or len(self.wanted) + len(out) >= MAX_PER_CRAWL:
                break
            if url not in self._noted:
                self._noted.add(url)
                out[url] = referer
        return out

    async def fetch(self) -> None:
        """Get what was noted into the evidence."""
        if self.session.evidence is None:
            self.wanted.clear()
            return
        sheets = await self._get(dict(self.wanted))
        for _ in range(
            2
        ):  # a style sheet imports another one, and that one names pictures; deeper nests are rare
            further: dict[str, str] = {}
            for sheet in sheets:
                further |= self._fresh(sheet.url, named_in_css(sheet))
            self.wanted.update(further)
            sheets = await self._get(further)

    async def _get(self, wanted: Mapping[str, str]) -> list[Page]:
        """Fetch all; the style sheets among the answers."""
        gate = asyncio.Semaphore(MAX_AT_ONCE)

        async def one(url: str, referer: str) -> Page | None:
            async with gate:
                engine, answer = self.session.services.crawler.engine, None
                if engine.running:
                    with contextlib.suppress(
                        BlogcrawlError, Stopping
                    ):  # the page is shown without it, then as now
                        answer = await self._ask(url, referer)
                if engine.running:  # else the next crawl asks
                    self.wanted.pop(url, None)
                return answer

        answers = await asyncio.gather(*(one(url, referer) for url, referer in wanted.items()))
        return [
            a
            for a in answers
            if a is not None and a.status == 200 and "css" in a.headers.get("content-type", "")
        ]

    async def _ask(self, url: str, referer: str) -> Page | None:
        evidence = self.session.evidence
        captures = evidence.captures if evidence is not None else None
        if host_of(url) in self._silent or self._absent[name_of(url)] >= ABSENT:
            return None
        if captures is not None and captures.by_address(url) is not None:
            return None
        try:
            answer: Page = await self.session.fetch(
                url,
                kind="media",
                headers={"Accept": "*/*", "Referer": referer},
                max_bytes=MAX_BYTES,
            )
        except UnreachableError:
            self._silent.add(host_of(url) or "")
            return None
        if answer.status >= 400:
            self._absent[name_of(url)] += 1
        return answer


def name_of(url: str) -> str:
    """Host and last part of the path."""
    parts = urlsplit(url)
    return f"{parts.hostname}/{parts.path.rpartition('/')[2]}"


def needed(page: Page) -> Iterator[str]:
    """Absolute http(s) addresses of style sheets, scripts and pictures that the page names, style
    sheets first.
    """
    for link in page.tree.iter("link"):
        rel = (link.get("rel") or "").lower().split()
        if "stylesheet" in rel or "icon" in rel or "modulepreload" in rel:
            yield from _usable(page.base_url, link.get("href"))
    for element in page.tree.iter("script", "img"):
        for reference in (
            (element.get("src"),) if element.tag == "script" else pictures_shown(element)
        ):
            yield from _usable(page.base_url, reference)


def named_in_css(sheet: Page) -> list[str]:
    """What a style sheet imports and the pictures it names."""
    found = (a or b for a, b in _CSS_URL.findall(sheet.body.decode("utf-8", "replace")[:MAX_BYTES]))
    return [
        url
        for name in dict.fromkeys(found)
        if not _OLD_FONT.search(name)
        for url in _usable(sheet.url, name)
    ]


def _usable(base: str, reference: str | None) -> Iterator[str]:
    if not reference or reference.startswith(("data:", "javascript:", "about:", "blob:", "#")):
        return
    try:
        url = urldefrag(urljoin(base, reference.strip()))[0]
        host = urlsplit(url).hostname
    except ValueError:
        return
    if host and url.startswith(("http://", "https://")) and blocked(url, "script") is None:
        yield url
