"""Walking a feed's history: from its window back to a post that is known, so that no burst of posts
is lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Container, Mapping, Sequence
from dataclasses import replace

from blogcrawl.core.errors import FeedError
from blogcrawl.core.evidence import MAJORITY, SEVERAL
from blogcrawl.core.records import Feed, FeedEntry
from blogcrawl.crawling.moved_posts import row_of
from blogcrawl.crawling.report import DEAD
from blogcrawl.crawling.session import Session, fetch_found
from blogcrawl.crawling.sources import mended
from blogcrawl.discovery.feeds import parse_feed
from blogcrawl.discovery.knowledge import UnreadSource
from blogcrawl.discovery.pagination import Way, page_url, ways
from blogcrawl.discovery.platforms import detect
from blogcrawl.dom.links import Link, page_links
from blogcrawl.urls.canonical import Scope, canonicalize, entry_key
from blogcrawl.urls.post_pattern import LIKELY

MAX_PAGES = 200
"""Pages walked back in one update; 2,000 posts at ten a page."""

Found = tuple[str, FeedEntry | None]


async def walk(session: Session, feed: Feed, score: Callable[[str], float]) -> AsyncIterator[Found]:
    """Yield posts that are not archived, newest first, until one is met that is: by older pages of
    the feed, else by the blog's own pages.
    """
    walker = _Walk(session, feed, score)
    async for found in walker.feed_pages():
        yield found
    if not walker.met:
        async for found in walker.blog_pages():
            yield found
    for source in walker.unread:
        session.known.could_not_read(replace(source, posts=0.0) if walker.met else source)


class _Walk:
    def __init__(self, session: Session, feed: Feed, score: Callable[[str], float]) -> None:
        self.session, self.feed, self.score = session, feed, score
        self.platform = detect(None, feed)
        self.met = False
        self.seen = {entry_key(e.url) for e in feed.entries}
        self.unread: list[UnreadSource] = []
        self._places: set[str] = set()
        """Where links to posts stand on lists."""

    def _known(self, url: str) -> bool:
        return row_of(self.session, entry_key(url)) is not None

    async def feed_pages(self) -> AsyncIterator[Found]:
        for way in ways(self.platform, self.feed, api_root=None, as_files=False):
            if way in {"wp-json", "tumblr"}:
                continue
            feed, number, total = self.feed, 2, len(self.feed.entries)
            while number <= MAX_PAGES and not self.met:
                older = await self._older_page(way, feed, number, total)
                if older is None:
                    break
                feed = older
                fresh = [e for e in feed.entries if entry_key(e.url) not in self.seen]
                if not fresh:
                    break
                for entry in fresh:
                    self.seen.add(entry_key(entry.url))
                    if self._known(entry.url):
                        self.met = True
                    else:
                        yield entry.url, entry
                number, total = number + 1, total + len(feed.entries)
            if self.met:
                return

    async def _older_page(self, way: Way, feed: Feed, number: int, seen: int) -> Feed | None:
        """Return the feed's page ``number``, the one after ``feed``; None without one, or it can't
        be read.
        """
        if way == "rfc5005":
            url = next(iter(feed.next_urls), None)
        else:
            url = page_url(
                way,
                number,
                feed=self.feed,
                home_url=self.session.blog.url,
                platform=self.platform,
                api_root=None,
                seen=seen,
            )
        page, failed = None, None
        if url:
            page, failed = await fetch_found(self.session, url, kind="feed-page")
        if page is not None:
            try:
                return mended(self.session, parse_feed(page.body, page.url, page.headers))
            except FeedError as error:
                failed = error.message
        self._lost(url, way, number, seen, failed)
        return None

    def _lost(self, url: str | None, way: Way, number: int, seen: int, reason: str | None) -> None:
        """Remember an older page of the feed that is there and could not be read. A platform's
        first page is a guess, and the end of a feed is a page that there is not."""
        guess = number == 2 and way != "rfc5005" and (reason or "").startswith("HTTP 4")
        if url and reason and reason not in DEAD | {"HTTP 400"} and not guess:
            posts = float(len(self.feed.entries))
            self.unread.append(
                UnreadSource(
                    url=url,
                    reason=reason,
                    kind="feed-page",
                    way=way,
                    number=number,
                    seen=seen,
                    posts=posts,
                )
            )

    def _unknown(self, fresh: Sequence[str], posts: Mapping[str, str]) -> list[str]:
        """Return which of the posts that a list shows first are not archived and not seen yet; note
        whether it shows none such."""
        unknown = [key for key in fresh if not self._known(posts[key])]
        self.met = bool(fresh) and not unknown
        unseen = [key for key in unknown if key not in self.seen]
        self.seen.update(unseen)
        return unseen

    async def blog_pages(self) -> AsyncIterator[Found]:
        """Yield the home page and what it calls its next pages."""
        url: str | None = self.session.blog.url
        scope = Scope(self.session.blog.url)
        visited: set[str] = set()
        shown: set[str] = set()
        while (
            url and canonicalize(url) not in visited and len(visited) < MAX_PAGES and not self.met
        ):
            visited.add(canonicalize(url))
            page, _ = await fetch_found(self.session, url, kind="page")
            if page is None:
                return
            links = page_links(page)
            posts = {canonicalize(link.url): link.url for link in self._post_links(links, scope)}
            fresh = [key for key in posts if key not in shown]
            shown.update(posts)
            for key in self._unknown(fresh, posts):
                yield posts[key], None
            url = _next_page(links, url, scope)

    def _post_links(self, links: Sequence[Link], scope: Scope) -> list[Link]:
        """Return the links of a list that lead to posts: by their addresses, and those that stand
        where most lead to such (a category may be new)."""
        inside = [link for link in links if scope.contains(link.url)]
        likely = {link.url for link in inside if self.score(canonicalize(link.url)) >= LIKELY}
        self._places |= _places_of_posts(inside, likely)
        return [link for link in inside if link.url in likely or link.tag_path in self._places]


def _places_of_posts(links: Sequence[Link], likely: Container[str]) -> set[str]:
    """Return the places on a page where most links, and several, are likely posts'."""
    links_at = Counter(link.tag_path for link in links)
    posts_at = Counter(link.tag_path for link in links if link.url in likely)
    return {
        place
        for place, posts in posts_at.items()
        if posts >= SEVERAL and posts >= MAJORITY * links_at[place]
    }


def _next_page(links: Sequence[Link], url: str, scope: Scope) -> str | None:
    """Return the page that ``url`` calls its next one."""
    for link in links:
        if "next" in link.rel.split() and scope.contains(link.url):
            return link.url
    return _older(links, url, scope)


def _older(links: Sequence[Link], url: str, scope: Scope) -> str | None:
    """Return the pager's next page where no link says ``rel=next``: the address of this page with
    its number one higher.
    """
    import re

    numbers = re.findall(r"\d+", canonicalize(url).rsplit("/", 2)[-1]) if "page" in url else []
    wanted = int(numbers[-1]) + 1 if numbers else 2
    pattern = re.compile(rf"(?:page|paged|seite|p)[/=_-]?{wanted}(?:\D|$)", re.I)
    return next(
        (link.url for link in links if scope.contains(link.url) and pattern.search(link.url)), None
    )
