"""Captures of a web archive, and archived posts, to which no link has led: they are read when all
else was, so that until then the crawl is what it was, or would have been, on the web."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from scrapy.exceptions import DontCloseSpider

from blogcrawl.crawling.candidate_sources import MAX_CANDIDATES
from blogcrawl.crawling.control import CrawlControl
from blogcrawl.crawling.session import Session
from blogcrawl.urls.post_pattern import LIKELY


class UnlinkedCaptures:
    """Asked when a crawl has nothing left to do; queues once."""

    def __init__(self, session: Session, control: CrawlControl) -> None:
        self.session, self.control = session, control
        self._is_queued = False

    def on_idle(self) -> None:
        """Keep the crawl open where anything is new to it."""
        source, control = self.session.captures, self.control
        if source is None or self._is_queued or control.closing or not control.prepared:
            return
        self._is_queued = True
        if self._push(source.pages()):
            control.wake()
            raise DontCloseSpider

    def _push(self, pages: Iterable[str]) -> bool:
        """Queue archived posts, and pages with addresses like posts; return whether there are
        any."""
        session, frontier = self.session, self.session.frontier
        rows = session.services.state.posts(session.blog_id)
        archived = [row.url for row in rows if row.aip_id is not None]
        score, in_scope = frontier.pattern.score, session.in_scope
        likely = (url for url in pages if in_scope(url) and score(url) >= LIKELY)
        found = list(islice(dict.fromkeys(likely), MAX_CANDIDATES))
        new = [frontier.push(url, "post", is_archived=True) for url in archived]
        new += [frontier.push(url, "page", depth=1) for url in found]
        return any(new)
