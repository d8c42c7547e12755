"""Pages behind those of a list that could not be read, asked for before a crawl ends.

A pager leads from page to page: where one fails, for a post on it that its theme can't show, or has
nothing, all behind it is lost. Its addresses mostly count on.
"""

from __future__ import annotations

from scrapy.exceptions import DontCloseSpider

from blogcrawl.crawling.control import CrawlControl
from blogcrawl.crawling.session import GUESSED, Session
from blogcrawl.urls.canonical import canonicalize


class BrokenPagers:
    """Asked when a crawl has nothing left to do."""

    def __init__(self, session: Session, control: CrawlControl) -> None:
        self.session, self.control = session, control

    def on_idle(self) -> None:
        """Keep the crawl open where the pages behind broken ones are not known yet."""
        if self._is_due():
            frontier = self.session.frontier
            behind = frontier.behind_broken()
            new = [url for url, depth in behind if frontier.push(url, "hub", depth=depth)]
            for url in new:
                frontier.keep(GUESSED, canonicalize(url))
            if new:
                self.control.wake()
                raise DontCloseSpider

    def _is_due(self) -> bool:
        """Return whether lists are read, and no source has shown all posts."""
        session = self.session
        is_first = session.feeds is None and session.knowledge is not None
        return is_first and not (self.control.closing or session.frontier.sources_complete)
