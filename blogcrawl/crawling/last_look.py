"""The start page in a browser, before a crawl ends that only windows of the newest posts have fed,
or whose lists show fewer posts than the blog states for them.

Scripts may show older posts in ways that no markup gives away: by scrolling, by links that they
write, by a button that asks for more. One page is worth a browser where so much may be hidden.
"""

from __future__ import annotations

import asyncio

from scrapy.exceptions import DontCloseSpider

from blogcrawl.core.page import Page
from blogcrawl.crawling.control import CrawlControl
from blogcrawl.crawling.losses import is_usual_cut
from blogcrawl.crawling.session import Session
from blogcrawl.dom.links import page_links
from blogcrawl.urls.post_pattern import LIKELY


class LastLook:
    """Asked when a crawl has nothing left to do; looks once."""

    def __init__(self, session: Session, control: CrawlControl) -> None:
        self.session, self.control = session, control
        self.home: Page | None = None
        """The start page, set by a first crawl when the blog is known."""
        self._looking: asyncio.Future[None] | None = None

    def on_idle(self) -> None:
        """Keep the crawl open while the browser is at work."""
        if self._looking is None and self.home is not None and self._is_due(self.home):
            self._looking = asyncio.ensure_future(self._look(self.home))
        if self._looking is not None and not self._looking.done():
            raise DontCloseSpider

    def _is_due(self, home: Page) -> bool:
        from blogcrawl.rendering.need import has_scripts

        session = self.session
        is_first = session.feeds is None and session.captures is None
        is_auto = session.services.config.render == "auto" and not home.rendered
        if not (is_first and is_auto) or self.control.closing or session.knowledge is None:
            return False
        if not has_scripts(home.tree):
            return False
        frontier = session.frontier
        return is_usual_cut(frontier.windowed()) or bool(frontier.short_lists())

    async def _look(self, home: Page) -> None:
        """Queue what only the browser shows."""
        from blogcrawl.crawling.pipelines.render import renderer_of

        known = {link.url for link in page_links(home)}
        drawn = await renderer_of(self.session.services.crawler).opened(home, frozenset(known))
        links = [link for link in page_links(drawn) if link.url not in known]
        if links:
            score = self.session.frontier.pattern.score
            self.session.lists_by_script = any(score(link.url) < LIKELY for link in links)
            self.session.frontier.push_links(home.url, links, 0)
            self.control.wake()
