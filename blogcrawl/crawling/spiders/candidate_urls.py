"""Guesses that the survey left: the usual addresses of a sitemap and an archive, asked when the
frontier turns to lists.

A blog whose posts lead to one another, or whose list was read to its end, is whole without them.
They wait in the frontier as lists of all posts, one at a time; what answers is read as a source of
the blog.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from blogcrawl.core.errors import FeedError
from blogcrawl.core.page import Page
from blogcrawl.crawling.report import DEAD
from blogcrawl.crawling.spiders.base import BlogSpider
from blogcrawl.discovery.knowledge import SiteKnowledge, UnreadSource
from blogcrawl.dom.links import Link
from blogcrawl.urls.canonical import canonicalize

FEED_IN_SITEMAP = 0.9
"""Share of the feed's posts that a sitemap must name to be believed complete; the newest one may
have come after it was written.
"""
MAX_CANDIDATES = 20_000
"""URLs of sitemaps that may be posts, queued behind the promised ones."""


def sources_complete(knowledge: SiteKnowledge) -> bool:
    """Did the blog's sources name (as good as) all of its posts?

    They did where a feed-like one was walked to its end, and where the sitemap holds more than the
    feed and all that the feed shows: a sitemap that knows the newest posts and older ones is kept
    by the engine.
    """
    if knowledge.walked_to_end:
        return True
    if knowledge.unread_sources:
        return False
    by_feed = [sources for sources in knowledge.promised.values() if "feed" in sources]
    by_map = sum("sitemap" in sources for sources in knowledge.promised.values())
    both = sum("sitemap" in sources for sources in by_feed)
    return bool(by_feed) and by_map > len(by_feed) and both >= FEED_IN_SITEMAP * len(by_feed)


class GuessReader(BlogSpider):
    """``home``: the start page, set when the blog is known."""

    home: Page

    def push_sources(self, known: Iterable[str] = ()) -> None:
        """Queue what the blog's sources promise, and what they list besides; ``known``: canonical
        URLs that are queued.
        """
        knowledge, skip = self.session.knowledge, set(known)
        assert knowledge is not None
        for key, entry in knowledge.entries.items():
            if key in knowledge.promised and key not in skip and self.is_wanted(entry):
                self.frontier.push(entry.url, "post")
        others = [found for key, found in knowledge.candidates.items() if key not in skip]
        for url, belief in sorted(others, key=lambda c: -c[1])[:MAX_CANDIDATES]:
            self.frontier.push(url, "page", depth=1, belief=belief)
        self.frontier.sources_complete = sources_complete(knowledge)

    def is_wanted(self, entry: Any) -> bool:
        """Is the post young enough (argument ``since``)?"""
        return self.since is None or entry.published is None or entry.published >= self.since

    def listing(self, link: Link) -> str | None:
        """What a link seems to list, before anything is learned."""
        from blogcrawl.discovery.archives import hub_kind

        return "all" if self._is_guess(link.url) else hub_kind(link)

    def _is_guess(self, url: str) -> bool:
        knowledge = self.session.knowledge
        return (
            knowledge is not None
            and bool(knowledge.guesses)
            and canonicalize(url) in map(canonicalize, knowledge.guesses)
        )

    def push_guess(self) -> None:
        """Queue the next guess, in case that lists are needed."""
        assert self.session.knowledge is not None
        if self.session.knowledge.guesses:
            self.frontier.push(self.session.knowledge.guesses[0], "hub")

    def read_page(self, page: Page, url: str, depth: int) -> Any:
        from blogcrawl.discovery.sitemap_walker import is_map

        if self._is_guess(url):
            if page.status >= 300:
                self.miss(url, f"HTTP {page.status}")
                return
            if is_map(url):
                self._read_map(page, url)
                return
        yield from super().read_page(page, url, depth)

    def miss(self, url: str, reason: str, *, passing: bool = False) -> None:
        if not self._is_guess(url):
            super().miss(url, reason, passing=passing)
            return
        from blogcrawl.crawling.discover import save_knowledge

        knowledge = self.session.knowledge
        assert knowledge is not None
        knowledge.guesses = [
            guess for guess in knowledge.guesses if canonicalize(guess) != canonicalize(url)
        ]
        if canonicalize(url) in knowledge.named and reason not in DEAD:
            knowledge.could_not_read(UnreadSource(url=url, reason=reason, kind="sitemap", depth=1))
        self.push_guess()
        save_knowledge(self.knowledge_path, knowledge)
        self.frontier.failed(url)
        self.after_page()

    def _read_map(self, page: Page, url: str) -> None:
        """What a sitemap promises is queued, and the sitemaps that it names."""
        from blogcrawl.crawling.discover import save_knowledge
        from blogcrawl.discovery.collector import Collector
        from blogcrawl.discovery.sitemap_walker import is_map, read_late

        knowledge, survey = self.session.knowledge, self.session.survey
        assert knowledge is not None
        collector = (
            survey.collector
            if survey is not None
            else Collector.resumed(knowledge, self.home, self.frontier.scope)
        )
        known = [*knowledge.promised, *knowledge.candidates]
        try:
            found, children = read_late(collector, page)
        except FeedError as error:
            self.miss(url, error.message)
            return
        # what the sitemap lists is on the disk before the frontier hands it out: a crawl that goes
        # on after a kill has to know of each post that a sitemap listed it
        save_knowledge(self.knowledge_path, knowledge)
        others = [
            guess
            for guess in knowledge.guesses
            if is_map(guess) and canonicalize(guess) != canonicalize(url)
        ]
        knowledge.named += map(canonicalize, children)
        knowledge.guesses = [*others, *children] if found or children else knowledge.guesses[1:]
        for child in children:
            self.frontier.push(child, "hub")
        self.push_sources(known)
        save_knowledge(self.knowledge_path, knowledge)
        self.frontier.done(url, float(found), False, len(page.body))
        self.after_page()
