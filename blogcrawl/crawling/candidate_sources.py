"""Sources that the survey left: usual addresses of a sitemap and an archive, requested when the
frontier turns to lists, and sources whose hosts gave no address.

A blog whose posts lead to one another, or whose list was read to its end, is whole without them.
They wait in the frontier as lists of all posts, one at a time; what answers is read as a source of
the blog.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from scrapy.exceptions import DontCloseSpider

from blogcrawl.core.errors import FeedError
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from blogcrawl.crawling.control import CrawlControl
from blogcrawl.crawling.discover import ask_unread_again, note_absent, save_knowledge
from blogcrawl.crawling.exceptions import Stopping
from blogcrawl.crawling.middlewares.guard import RobotsMiddleware
from blogcrawl.crawling.report import DEAD
from blogcrawl.crawling.session import Session
from blogcrawl.discovery.knowledge import SiteKnowledge, UnreadSource
from blogcrawl.dom.links import Link
from blogcrawl.urls.canonical import canonicalize

FEED_IN_SITEMAP = 0.9
"""Share of the feed's posts that a sitemap must name to be believed complete; the newest one may
have come after it was written.
"""
MAX_CANDIDATES = 20_000
"""URLs of sitemaps that may be posts, queued behind the listed ones."""


def sources_complete(knowledge: SiteKnowledge) -> bool:
    """Did the blog's sources name (as good as) all of its posts?

    They did where a feed-like one was walked to its end, and where the sitemap holds more than the
    feed and all that the feed shows: a sitemap that knows the newest posts and older ones is kept
    by the engine.
    """
    if knowledge.walked_to_end:
        return True
    if knowledge.unread_sources or _named_maps(knowledge):
        return False
    by_feed = [sources for sources in knowledge.promised.values() if "feed" in sources]
    by_map = sum("sitemap" in sources for sources in knowledge.promised.values())
    both = sum("sitemap" in sources for sources in by_feed)
    return bool(by_feed) and by_map > len(by_feed) and both >= FEED_IN_SITEMAP * len(by_feed)


def _named_maps(knowledge: SiteKnowledge) -> bool:
    """Return whether a sitemap that another one names was not read yet."""
    from blogcrawl.discovery.sitemap_walker import is_map

    named = set(knowledge.named)
    return any(is_map(url) and canonicalize(url) in named for url in knowledge.guesses)


class CandidateSources:
    """Queues what sources list, and reads those that were left for later."""

    home: Page
    """The start page, set when the blog is known."""

    def __init__(self, session: Session, control: CrawlControl) -> None:
        self.session, self.control = session, control
        self._asking: asyncio.Future[None] | None = None

    def push_sources(self, known: Iterable[str] = ()) -> None:
        """Queue the posts that the blog's sources list, and what else they name; ``known``:
        canonical URLs that are queued.
        """
        knowledge, frontier = self.session.known, self.session.frontier
        skip = set(known)
        for key, entry in knowledge.entries.items():
            if key in knowledge.promised and key not in skip and self._is_wanted(entry):
                frontier.push(entry.url, "post")
        others = [found for key, found in knowledge.candidates.items() if key not in skip]
        for url, belief in sorted(others, key=lambda c: -c[1])[:MAX_CANDIDATES]:
            frontier.push(url, "page", depth=1, belief=belief)
        frontier.sources_complete = sources_complete(knowledge)

    def _is_wanted(self, entry: FeedEntry) -> bool:
        """Return whether the post is young enough (argument ``since``)."""
        since = self.session.services.since
        return since is None or entry.published is None or entry.published >= since

    def listing(self, link: Link) -> str | None:
        """Return what a link seems to list, before anything is learned."""
        from blogcrawl.discovery.archives import hub_kind

        return "all" if self.is_candidate(link.url) else hub_kind(link)

    def is_candidate(self, url: str) -> bool:
        """Return whether the URL is one of the conventional ones."""
        knowledge = self.session.knowledge
        return (
            knowledge is not None
            and bool(knowledge.guesses)
            and canonicalize(url) in map(canonicalize, knowledge.guesses)
        )

    def push_next(self) -> None:
        """Queue the next candidate, in case that lists are needed."""
        knowledge, absent = self.session.known, self.session.absent
        knowledge.guesses = [guess for guess in knowledge.guesses if guess not in absent]
        if knowledge.guesses:
            self.session.frontier.push(knowledge.guesses[0], "hub")

    def read(self, page: Page, url: str) -> bool:
        """Read the page as a source; False for a page of the blog."""
        from blogcrawl.discovery.sitemap_walker import is_map

        if not self.is_candidate(url):
            return False
        if page.status >= 300:
            self.missed(url, f"HTTP {page.status}")
        elif is_map(url):
            self._read_map(page, url)
        else:
            return False
        return True

    def missed(self, url: str, reason: str) -> None:
        """Note that nothing answers there, and queue the next candidate."""
        knowledge = self.session.known
        if reason in DEAD and canonicalize(url) not in knowledge.named:
            note_absent(self.session, url)
        knowledge.guesses = [
            guess for guess in knowledge.guesses if canonicalize(guess) != canonicalize(url)
        ]
        if canonicalize(url) in knowledge.named and reason not in DEAD:
            knowledge.could_not_read(UnreadSource(url=url, reason=reason, kind="sitemap", depth=1))
        self.session.frontier.sources_complete = sources_complete(knowledge)
        self.push_next()
        save_knowledge(self.session.knowledge_path, knowledge)
        self.session.frontier.failed(url)
        self.control.after_page()

    def _read_map(self, page: Page, url: str) -> None:
        """Queue what a sitemap lists, and the sitemaps that it names."""
        from blogcrawl.discovery.collector import Collector
        from blogcrawl.discovery.sitemap_walker import is_map, read_late

        session, knowledge, survey = self.session, self.session.known, self.session.survey
        collector = (
            survey.collector
            if survey is not None
            else Collector.resumed(knowledge, self.home, session.frontier.scope)
        )
        known = [*knowledge.promised, *knowledge.candidates]
        try:
            found, children = read_late(collector, page)
        except FeedError as error:
            self.missed(url, error.message)
            return
        # what the sitemap lists is on the disk before the frontier hands it out: a crawl that goes
        # on after a kill has to know of each post that a sitemap listed it
        save_knowledge(session.knowledge_path, knowledge)
        others = [
            guess
            for guess in knowledge.guesses
            if is_map(guess) and canonicalize(guess) != canonicalize(url)
        ]
        knowledge.named += map(canonicalize, children)
        knowledge.guesses = [*others, *children] if found or children else knowledge.guesses[1:]
        for child in children:
            session.frontier.push(child, "hub")
        self.push_sources(known)
        save_knowledge(session.knowledge_path, knowledge)
        session.frontier.done(url, float(found), False, len(page.body))
        self.control.after_page()

    # before the end

    def on_idle(self) -> None:
        """Sources whose hosts gave no address are requested once more before the crawl ends."""
        knowledge = self.session.knowledge
        if self._asking is None and knowledge is not None and not self.control.closing:
            unread = knowledge.unread_sources.values()
            doubtful = [source for source in unread if knowledge.may_be_found(source)]
            if doubtful:
                self._asking = asyncio.ensure_future(self._ask_again(knowledge, doubtful))
        if self._asking is not None and not self._asking.done():
            raise DontCloseSpider

    async def _ask_again(self, knowledge: SiteKnowledge, sources: list[UnreadSource]) -> None:
        session, scope = self.session, self.session.frontier.scope
        assert scope is not None
        known = [*knowledge.promised, *knowledge.candidates]
        before = {canonicalize(source.url): source for source in sources}
        robots: Any = session.services.crawler.get_downloader_middleware(RobotsMiddleware)
        for key, source in before.items():
            del knowledge.unread_sources[key]
            if robots is not None:
                robots.forget_failure(source.url)
        try:
            await ask_unread_again(session, sources, scope)
        except Stopping:
            knowledge.unread_sources |= before
            return
        self.push_sources(known)
        save_knowledge(session.knowledge_path, knowledge)
        self.control.wake()
