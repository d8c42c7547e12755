"""Feeds besides the blog's own: of tags and authors that pages announce, of sections that the
blog's own feed leaves out.
"""

from __future__ import annotations

from blogcrawl.core.page import Page
from blogcrawl.core.records import Feed
from blogcrawl.discovery.collector import Collector
from blogcrawl.discovery.links import announced_feeds, is_own_feed, is_scoped, says_comments
from blogcrawl.discovery.probes import Asked, Task
from blogcrawl.urls.canonical import canonicalize, same_site

MAX_EXTRA_FEEDS = 20
"""Feeds of tags, authors or other streams requested on top: a thirtieth of the posts, and no more
than these.
"""
MAX_LACKING_FEEDS = 100
"""The same where the posts' own pages lack what feeds have."""
UNTITLED = 3
"""Entries without a title from which on other feeds are worth reading: they may have titles."""
PATIENCE, LACKING_PATIENCE = 3, 20
"""Feeds in a row that bring no new post, after which no more are requested."""
FIRST_SECTIONS, MAX_SECTIONS = 2, 8
"""Sections whose own feeds are requested; the first ones must bring a post."""
MAX_COMMENT_FEEDS = 200_000


class ExtraFeeds:
    """``see`` and ``offer`` for pages that are read, ``sections`` for the sitemap's; ``take`` gets
    what was requested.
    """

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self.brought: list[int] = []
        """New posts of each feed requested"""
        self.left: list[str] | None = None
        """Sections not asked yet; None before the first look at them"""

    def see(self, page: Page) -> list[str]:
        """Note the page's own comment feed; return which feeds of tags and authors it announces,
        and which of the whole blog where none is known.
        """
        known = self._collector.knowledge
        found = []
        for url, title in announced_feeds(page)[:50]:
            own = is_own_feed(url, page.url) and not is_scoped(url)
            if own and len(known.comment_feeds) < MAX_COMMENT_FEEDS:
                known.comment_feeds.setdefault(canonicalize(page.url), url)
            if not own and self._is_worth_reading(url, title):
                found.append(url)
        return found

    def _is_worth_reading(self, url: str, title: str) -> bool:
        known = self._collector.knowledge
        if says_comments(url, title) or not same_site(url, self._collector.home_url):
            return False
        return is_scoped(url) or known.post_feed is None

    def offer(self, urls: list[str], *, lacking: bool) -> Asked:
        """Return the first of the announced feeds, if it is worth a request. ``lacking``: the
        posts' pages don't say what feeds do.
        """
        known = self._collector.knowledge
        if not urls or (known.walked_to_end and not lacking) or self._is_enough(lacking=lacking):
            return []
        whole = next((url for url in urls if not is_scoped(url)), None)
        return [(whole, Task("feed")) if whole is not None else (urls[0], Task("extra-feed"))]

    def _is_enough(self, *, lacking: bool) -> bool:
        """Return whether no further feed is worth a request."""
        budget, patience = MAX_LACKING_FEEDS, LACKING_PATIENCE
        if not lacking:
            entries = len(self._collector.knowledge.entries)
            budget, patience = min(MAX_EXTRA_FEEDS, 2 + entries // 30), PATIENCE
        is_dry = len(self.brought) >= patience and not any(self.brought[-patience:])
        return is_dry or len(self.brought) >= budget or (not lacking and self._is_covered())

    def _is_covered(self) -> bool:
        """Return whether the post feed is known and nearly all entries have titles."""
        known = self._collector.knowledge
        untitled = sum(entry.title is None for entry in known.entries.values())
        return known.post_feed is not None and untitled < UNTITLED

    def sections(self, *, brought: bool) -> Asked:
        """Return feeds of the sitemap's sections, where the engine writes such. ``brought``: there
        is a sitemap.
        """
        name = self._collector.knowledge.platform.engine.section_feed
        if not name or not brought:
            return []
        if self.left is None:
            self._collector.settle()
            sections = self._collector.open_sections()[:MAX_SECTIONS]
            now, self.left = sections[:FIRST_SECTIONS], sections[FIRST_SECTIONS:]
        else:
            now, self.left = self.left if any(self.brought) else [], []
        return [(url + name, Task("extra-feed", guess=True)) for url in now]

    def take(self, feed: Feed, *, of_section: bool) -> None:
        """Keep the entries of a section's feed with a date and a text as posts: a section may hold
        pages of any kind, and lists of lists.
        """
        entries = self._collector.mend(feed.entries, feed.home_url) if feed.kind == "posts" else []
        if of_section:
            entries = [
                e for e in entries if e.published is not None and (e.content_html or e.summary_html)
            ]
        self.brought.append(self._collector.add_entries(entries, "extra-feed"))
