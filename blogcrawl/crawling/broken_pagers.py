"""Pages behind those of a list that could not be read, asked for before a crawl ends.

A pager leads from page to page: where one fails, for a post on it that its theme can't show, or has
nothing, all behind it is lost. Its addresses mostly count on.
"""

from __future__ import annotations

from scrapy.exceptions import DontCloseSpider

from blogcrawl.crawling.control import CrawlControl
from blogcrawl.crawling.session import Session
from blogcrawl.urls.canonical import canonicalize


class BrokenPagers:
    """Asked when a crawl has nothing left to do."""

    def __init__(self, session: Session, control: CrawlControl) -> None:
        self.session, self.control = session, control

    def on_idle(self) -> None:
        """Keep the crawl open where the pages behind broken ones are not known yet."""
        session = self.session
        is_first = session.feeds is None and session.knowledge is not None
        if not is_first or self.control.closing or session.frontier.sources_complete:
            return
        behind = session.frontier.behind_broken()
        new = [url for url, depth in behind if session.frontier.push(url, "hub", depth=depth)]
        if new:
            session.guessed.update(map(canonicalize, new))
            self.control.wake()
            raise DontCloseSpider
