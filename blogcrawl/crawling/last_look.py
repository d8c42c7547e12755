"""The start page once more, before a crawl ends that only windows of the newest posts have fed, or
whose lists show fewer posts than the blog states for them.

Scripts may show older posts in ways that no markup gives away: by scrolling, by links that they
write, by a button that asks for more. What they show stands in their data, which costs nothing to
read; else one page is worth a browser where so much may be hidden.
"""

from __future__ import annotations

import asyncio

from scrapy.exceptions import DontCloseSpider

from blogcrawl.core.page import Page
from blogcrawl.crawling.control import CrawlControl
from blogcrawl.crawling.session import BY_SCRIPT, Session
from blogcrawl.dom.links import Link, page_links
from blogcrawl.frontier.list_lengths import is_usual_cut
from blogcrawl.urls.post_pattern import LIKELY


class LastLook:
    """Asked when a crawl has nothing left to do; looks once at the data of scripts, and once at
    what they draw."""

    def __init__(self, session: Session, control: CrawlControl) -> None:
        self.session, self.control = session, control
        self.home: Page | None = None
        """The start page, set by a first crawl when the blog is known."""
        self._looking: asyncio.Future[None] | None = None
        self._has_read = False

    def on_idle(self) -> None:
        """Keep the crawl open while the browser is at work, or where the start page's scripts have
        more posts."""
        home = self.home
        if home is not None and self._looking is None and self._may_hide_posts():
            if not self._has_read and self._read_data(home):
                raise DontCloseSpider
            if self._needs_browser(home):
                self._looking = asyncio.ensure_future(self._look(home))
        if self._looking is not None and not self._looking.done():
            raise DontCloseSpider

    def _may_hide_posts(self) -> bool:
        session = self.session
        is_first = session.feeds is None and session.captures is None
        if not is_first or self.control.closing or session.knowledge is None:
            return False
        return bool(session.frontier.windowed() or session.frontier.short_lists())

    def _needs_browser(self, home: Page) -> bool:
        from blogcrawl.rendering.need import has_scripts

        frontier = self.session.frontier
        is_auto = self.session.services.config.render == "auto" and not home.rendered
        is_cut = is_usual_cut(frontier.windowed()) or bool(frontier.short_lists())
        return is_auto and is_cut and has_scripts(home.tree)

    def _read_data(self, home: Page) -> bool:
        """Queue the posts that the data of the start page's scripts has; False where it has none
        that are new."""
        from blogcrawl.discovery.script_data import addresses_in_scripts

        self._has_read = True
        frontier = self.session.frontier
        known = {link.url for link in page_links(home)}
        found = (url for url in addresses_in_scripts(home) if url not in known)
        links = [Link(url) for url in found if frontier.pattern.score(url) >= LIKELY]
        self.control.wake()
        return frontier.push_links(home.url, links, 0) > 0

    async def _look(self, home: Page) -> None:
        """Queue what only the browser shows."""
        from blogcrawl.crawling.pipelines.render import renderer_of

        known = {link.url for link in page_links(home)}
        drawn = await renderer_of(self.session.services.crawler).opened(home, frozenset(known))
        links = [link for link in page_links(drawn) if link.url not in known]
        if links:
            score = self.session.frontier.pattern.score
            if any(score(link.url) < LIKELY for link in links):
                self.session.frontier.keep(BY_SCRIPT, home.url)
            self.session.frontier.push_links(home.url, links, 0)
            self.control.wake()
