"""What a page needs to be shown as it was: style sheets, scripts, the theme's pictures. Evidence only, no part of a post's package.

Each address once a blog: what the evidence holds already, of this crawl or an earlier one, is not asked for again.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

from blogcrawl.errors import BlogcrawlError, UnreachableError
from blogcrawl.page import Page
from blogcrawl.rendering.blocking import blocked

MAX_PER_PAGE = 60
"""The median page on the web asks for about 70 files, fonts, trackers and the post's own pictures among them (HTTP Archive, 2024)."""
MAX_PER_CRAWL = 600
MAX_BYTES = 4 * 2**20
MAX_AT_ONCE = 4
ABSENT = 2
"""After so many answers of 4xx or 5xx to one file name of a host, in whatever folders, it is not asked for again."""
_CSS_URL = re.compile(r"""@import\s+["']([^"']{1,500})["']|url\(\s*["']?([^"')\s]{1,500})["']?\s*\)""")
_OLD_FONT = re.compile(r"\.(?:ttf|otf|eot)(?:$|[?#])", re.IGNORECASE)
"""What style sheets name beside WOFF for browsers of before 2012. WOFF is fetched: themes draw their icons with it."""


class Requisites:
    """One crawl's fetching of them. ``session`` is the spider's."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self._asked: set[str] = set()
        self._silent: set[str] = set()
        """Hosts that did not answer: a page of an old blog names many that are no more."""
        self._absent: Counter[str] = Counter()
        """File names that were not there, how often: a theme's faulty relative address is another one on every page."""

    async def fetch(self, page: Page, shown: Iterable[str]) -> None:
        """Get what ``page`` needs into the evidence. ``shown``: addresses of the post's media, which travel by themselves."""
        if self.session.evidence is None or page.rendered or len(self._asked) >= MAX_PER_CRAWL:
            return
        sheets = await self._get(page.url, self._fresh(needed(page), set(shown)))
        for _ in range(2):  # a style sheet imports another one, and that one names pictures; deeper nests are rare
            further = [url for sheet in sheets for url in named_in_css(sheet)]
            sheets = await self._get(page.url, self._fresh(further, set()))
            if not sheets:
                return

    def _fresh(self, urls: Iterable[str], shown: set[str]) -> list[str]:
        captures = self.session.evidence.captures if self.session.evidence is not None else None
        out: list[str] = []
        for url in urls:
            if (
                self._absent[name_of(url)] >= ABSENT
                or url in self._asked
                or url in shown
                or len(self._asked) >= MAX_PER_CRAWL
                or len(out) >= MAX_PER_PAGE
            ):
                continue
            self._asked.add(url)
            if captures is None or captures.by_address(url) is None:
                out.append(url)
        return out

    async def _get(self, referer: str, urls: list[str]) -> list[Page]:
        """Fetch all; the style sheets among the answers."""
        gate = asyncio.Semaphore(MAX_AT_ONCE)

        async def one(url: str) -> Page | None:
            async with gate:
                if host_of(url) in self._silent:
                    return None
                try:
                    answer: Page = await self.session.fetch(
                        url, kind="media", headers={"Accept": "*/*", "Referer": referer}, max_bytes=MAX_BYTES
                    )
                except UnreachableError:
                    self._silent.add(host_of(url))
                    return None
                except BlogcrawlError:
                    return None  # the page is shown without it, then as now
                if answer.status >= 400:
                    self._absent[name_of(url)] += 1
                return answer

        answers = await asyncio.gather(*(one(url) for url in urls))
        return [a for a in answers if a is not None and a.status == 200 and "css" in a.headers.get("content-type", "")]


def name_of(url: str) -> str:
    """Host and last part of the path."""
    parts = urlsplit(url)
    return f"{parts.hostname}/{parts.path.rpartition('/')[2]}"


def host_of(url: str) -> str:
    return urlsplit(url).hostname or ""


def needed(page: Page) -> Iterator[str]:
    """Absolute http(s) addresses of style sheets, scripts and pictures that the page names, style sheets first."""
    for link in page.tree.iter("link"):
        rel = (link.get("rel") or "").lower().split()
        if "stylesheet" in rel or "icon" in rel:
            yield from _usable(page.base_url, link.get("href"))
    for element in page.tree.iter("script", "img"):
        yield from _usable(page.base_url, element.get("src"))


def named_in_css(sheet: Page) -> list[str]:
    """What a style sheet imports and the pictures it names."""
    found = (a or b for a, b in _CSS_URL.findall(sheet.body.decode("utf-8", "replace")[:MAX_BYTES]))
    return [url for name in dict.fromkeys(found) if not _OLD_FONT.search(name) for url in _usable(sheet.url, name)]


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
