"""Addresses that are names of one page: redirects and ``rel=canonical``."""

from __future__ import annotations

from dataclasses import replace

from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.core.evidence import FEW_PAGES
from blogcrawl.core.page import Page
from blogcrawl.crawling import moved_posts
from blogcrawl.crawling.control import CrawlControl
from blogcrawl.crawling.moved_posts import row_of
from blogcrawl.crawling.page_facts import declared_canonical, is_html
from blogcrawl.crawling.report import TO_START
from blogcrawl.crawling.session import Session
from blogcrawl.frontier.overview import NOT_ENDED
from blogcrawl.urls.canonical import canonicalize, clean, is_same_file

MAX_FOLDED = 3
"""So many pages may name one other as their canonical one; beyond that the blog's rel=canonical is
not believed.
"""
MAX_CANONICALS = 10_000
"""So many canonical URLs are kept, whatever the site names."""


def _shows_same(one: Page, other: Page) -> bool:
    from blogcrawl.extraction.fields.byline import document_title

    return document_title(one) == document_title(other)


class PageAliases:
    """Which page was read under which name."""

    def __init__(self, session: Session, control: CrawlControl) -> None:
        self.session, self.control = session, control
        self._folded: dict[str, int] = {}
        self._folded_into: dict[str, str] = {}
        """Pages that are another name of one that was requested: canonical URL -> that one's."""
        self._read_as: dict[str, str] = {}
        """Where pages that redirect lead, and under which name of the frontier each was read."""
        self._declared = {True: 0, False: 0}
        """How many declared addresses that were asked for gave a page, and how many none."""

    def other_name(self, page: Page, url: str) -> str | None:
        """Return the address under which the page was read before (redirect, rel=canonical); None
        where it was not.
        """
        if self._is_read_elsewhere(page, url):
            return page.url
        named = declared_canonical(page)
        if named is None or not self.session.in_scope(named):
            return None
        key = canonicalize(named)
        if key in map(canonicalize, (page.url, url, self.session.blog.url)):
            return None
        count = self._folded.get(key, 0) + 1
        if count > MAX_FOLDED or len(self._folded) > MAX_CANONICALS:
            return None
        if not self.session.frontier.same(url, named):
            return None
        self._folded[key] = count
        return named

    async def as_declared(self, page: Page, named: str, url: str) -> Page:
        """Return the page at the address that ``page`` declares to be its own, where that gives
        the same post: which address the record has follows from what the blog says, not from which
        was read first. An archived post keeps its address.
        """
        if is_same_file(named, page.url):
            is_update = self.session.feeds is not None
            return page if is_update else replace(page, url=clean(named))
        is_believed = self._declared[True] > 0 or self._declared[False] < FEW_PAGES
        is_asked = is_believed and self._is_unread(named, page, url)
        other = await self._page_at(named) if is_asked else None
        return other if other is not None and _shows_same(other, page) else page

    async def _page_at(self, url: str) -> Page | None:
        session = self.session
        try:
            page = await session.vetted(await session.fetch(clean(url), kind="declared"))
        except BlogcrawlError:
            return None
        is_there = page.status < 300 and is_html(page) and session.in_scope(page.url)
        self._declared[is_there] += 1
        return page if is_there else None

    def _is_unread(self, named: str, page: Page, url: str) -> bool:
        """Return whether a page was not read under the address that it declares, or under that
        which it has in the archive."""
        session, key = self.session, canonicalize(named)
        names = {canonicalize(url), canonicalize(page.url)}
        if key in names | session.missed.keys() or not session.in_scope(named):
            return False
        frontier = session.frontier
        is_read = frontier.is_asked(named, url) and not frontier.is_in_flight(named)
        return not (is_read or session.is_home(named) or any(row_of(session, n) for n in names))

    def _is_read_elsewhere(self, page: Page, url: str) -> bool:
        """Was the page that ``url`` redirects to read under another name? A reading that the
        storage broke off is done again."""
        target, key = canonicalize(page.url), canonicalize(url)
        if target == key or self._read_as.get(target) == key:
            return False
        if self.session.frontier.same(url, page.url):
            return True
        self._read_as.setdefault(target, key)
        return False

    def fold(self, url: str, other: str, size: int = 0) -> None:
        """Note that the page is another name of ``other``, which was requested before."""
        session = self.session
        key, target = canonicalize(url), canonicalize(other)
        if target == canonicalize(session.blog.url) and not session.shares_pages:
            session.missed[key] = TO_START
            session.frontier.failed(url, TO_START, size)
        else:
            session.redirected.add(key)
            self._folded_into[key] = target
            session.frontier.name(key, target)
            session.frontier.folded(url, size)
        self.control.after_page()

    def recall(self) -> None:
        """Take up what the run that was broken off knew: why pages could not be read or are no
        posts, which addresses are names of one page, and which posts have moved."""
        frontier = self.session.frontier
        self.session.missed.update(frontier.refused())
        self.session.missed.update(
            {page.url: page.reason for page in frontier.unread() if page.reason != NOT_ENDED}
        )
        names = frontier.other_names()
        self._folded_into = {
            key: page for key, page in names.items() if not frontier.gave_post(key)
        }
        self._read_as = frontier.read_as()
        self.session.redirected.update(names)
        moved_posts.recall(self.session, frontier.moved())
        self.session.redirected -= self.session.missed.keys()

    def lost(self) -> dict[str, str]:
        """Return why pages could not be read, by canonical URL; also those that redirect to a page
        that could not be.
        """
        missed = self.session.missed
        for key, target in self._folded_into.items():
            reason = missed.get(self._read_as.get(target, target))
            if reason is not None:
                self.session.redirected.discard(key)
                missed.setdefault(key, reason)
        return missed
