"""Older pages of a feed: which ways a platform offers, and the address of each next page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from blogcrawl.core.page import Page
from blogcrawl.core.records import Feed, FeedEntry
from blogcrawl.discovery.collector import Collector
from blogcrawl.discovery.feeds import parse_feed
from blogcrawl.discovery.links import blog_roots
from blogcrawl.discovery.platforms import Platform
from blogcrawl.discovery.probes import Asked, Task
from blogcrawl.discovery.public_data import (
    WP_PER_PAGE,
    blogger_page,
    parse_tumblr,
    parse_wp_posts,
    total_results,
    tumblr_page,
    wp_posts_url,
)
from blogcrawl.urls.canonical import same_site

Way = Literal[
    "rfc5005",
    "wp-json",
    "wordpress",
    "blogger",
    "ghost",
    "drupal",
    "tumblr",
    "joomla",
    "squarespace",
    "substack",
    "whole",
]
AT_ONCE = 4
"""Pages of WordPress's interface requested side by side."""
SUBSTACK_PER_PAGE = 50
"""The most that Substack gives at a time; it may give fewer."""
MAX_PAGES = 2000
"""Pages of one walk: 20,000 posts at ten a page."""


def looks_like_files(headers: dict[str, str]) -> bool:
    """Return whether a page's response headers look like those of a static file (entity tag and
    date, nothing that a program adds).
    """
    has = {name.lower() for name in headers}
    made = {"x-powered-by", "set-cookie", "x-pingback", "link", "x-generator"} & has
    return {"etag", "last-modified"} <= has and not made


NOT_AS_FILES = ("ghost", "drupal", "joomla")
"""Engines whose exported copies have no pages of older posts at their usual addresses."""


def _has_api(platform: Platform, api_root: str | None) -> bool:
    return bool(api_root) or _version(platform.version) >= (4, 7)


def ways(
    platform: Platform, feed: Feed | None, *, api_root: str | None, as_files: bool
) -> list[Way]:
    """Return ways to older posts, best first.

    Links that the feed itself gives come first (RFC 5005); then the platform's own. A WordPress
    that looks like files gets one cheap probe (``?paged=2``) only: it is an exported copy more
    often than a cached original.
    """
    out: list[Way] = []
    paging = platform.engine.paging
    if feed is not None and feed.next_urls and paging != "blogger":
        out.append("rfc5005")
    if paging == "wordpress" and not as_files and _has_api(platform, api_root):
        out.append("wp-json")
    if paging and not (as_files and paging in NOT_AS_FILES):
        out.append(paging)
    return out


def _version(text: str | None) -> tuple[int, ...]:
    return tuple(int(p) for p in re.findall(r"[0-9]{1,4}", text or "")[:2]) or (99,)


def page_url(
    way: Way,
    number: int,
    *,
    feed: Feed | None,
    home_url: str,
    platform: Platform,
    api_root: str | None,
    seen: int,
) -> str | None:
    """Return address of page ``number`` (the first window is page 1) of a walk; ``seen`` posts are
    known from it so far.
    """
    root = blog_roots(home_url)[0]
    if way == "wp-json":
        return wp_posts_url(api_root or urljoin(root, "wp-json/"), number)
    if way == "tumblr":
        return tumblr_page(home_url, 50 * (number - 1))
    base = (
        feed.url
        if feed is not None and same_site(feed.url, home_url)
        else urljoin(root, next(iter(platform.engine.feeds), "feed/"))
    )
    if way == "substack":
        return urljoin(root, f"/api/v1/archive?sort=new&offset={seen}&limit={SUBSTACK_PER_PAGE}")
    if way == "whole":
        return urljoin(root, platform.engine.whole)
    return _feed_page(way, base, number, seen)


def _feed_page(way: Way, base: str, number: int, seen: int) -> str | None:
    """Return address of a page of the feed ``base``."""
    if way == "blogger":
        return blogger_page(base, seen + 1)
    if way == "ghost":
        return urljoin(base if base.endswith("/") else base + "/", f"{number}/")
    parameters = {
        "wordpress": ("paged", number),
        "drupal": ("page", number - 1),
        "joomla": ("start", seen),
        "squarespace": ("page", number),
    }
    if way not in parameters:
        return None
    name, value = parameters[way]
    return with_query(base, **{name: str(value)})


def with_query(url: str, **values: str) -> str:
    """Return ``url`` with query parameters set."""
    parts = urlsplit(url)
    items = [(k, v) for k, v in parse_qsl(parts.query, keep_blank_values=True) if k not in values]
    return parts._replace(query=urlencode([*items, *values.items()]), fragment="").geturl()


def first_page(way: Way) -> int:
    """Return the number a walk begins with: interfaces from their first page, feeds from the second
    (the first is the feed itself).
    """
    return 1 if way in ("wp-json", "tumblr") else 2


def next_link(feed: Feed, asked: Sequence[str] | dict[str, str]) -> str | None:
    """Return the older document that ``feed`` names and that was not requested yet (cycles end
    here).
    """
    return next((u for u in feed.next_urls if u not in asked), None)


class FeedWalker:
    """Walks one blog's feed-like sources to their end. ``take`` and ``missed`` get answers and say
    what to ask next.
    """

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self.api_root: str | None = None
        self.as_files = False
        self.planned = False
        self.left: list[Way] = []
        self.seen = 0
        """Posts that the walked source has shown, its first window included."""
        self.window = 0
        """Entries of the first window: a shorter page is the last one."""

    def plan(self, feed: Feed | None) -> Asked:
        """Return the first step, once the feed (None without one) and the platform are known."""
        if self.planned:
            return []
        self.planned = True
        known = self._collector.knowledge
        if known.walked_to_end or (feed is not None and feed.complete):
            known.walked_to_end = True
            return []
        self.left = ways(known.platform, feed, api_root=self.api_root, as_files=self.as_files)
        self.window = self.seen = len(feed.entries) if feed else 0
        if feed is None:
            self.left = [w for w in self.left if w in ("wp-json", "tumblr")]
        return self._next_way()

    def _next_way(self) -> Asked:
        if not self.left:
            return []
        way = self.left[0]
        feed = self._collector.knowledge.post_feed
        if way == "rfc5005":
            url = feed.next_urls[0] if feed and feed.next_urls else None
        else:
            url = self._url(way, first_page(way))
        return self._ask(url, way, 2 if way == "rfc5005" else first_page(way))

    def _url(self, way: Way, number: int) -> str | None:
        known = self._collector.knowledge
        home = self._collector.home_url
        return page_url(
            way,
            number,
            feed=known.post_feed,
            home_url=home,
            platform=known.platform,
            api_root=self.api_root,
            seen=self.seen,
        )

    @staticmethod
    def _ask(url: str | None, way: str, number: int) -> Asked:
        if not url or number > MAX_PAGES:
            return []
        return [
            (
                url,
                Task(
                    "api" if way in ("wp-json", "tumblr") else "feed-page", way=way, number=number
                ),
            )
        ]

    def take(self, task: Task, page: Page, asked: dict[str, str]) -> Asked:
        """Take a response of a walk. Raises FeedError if it is not what the way promised."""
        if task.way == "wp-json":
            return self._take_wp_json(task, page)
        if task.way == "tumblr":
            return self._take_tumblr(task, page)
        if page.body.strip() == b"[]":
            return self.missed(task, "end")
        feed = parse_feed(page.body, page.url, page.headers)
        if feed.kind == "comments":
            return self.missed(task, "a feed of comments")
        new = self._add(self._collector.mend(feed.entries, feed.home_url), "feed-page")
        self.seen += new
        if task.way != "rfc5005":
            return self._go_on(task, new, last=self._is_last(task, feed, page.body))
        url = next_link(feed, asked)
        if new and url:
            return self._ask(url, task.way, task.number + 1)
        return self.missed(task, "end" if new else "repeats what is known", delivered=bool(new))

    def _is_last(self, task: Task, feed: Feed, body: bytes) -> bool:
        """Return whether an older window is the last one: Blogger counts its posts, Substack fills
        no window, others end with one that is not full.
        """
        if task.way == "blogger":
            total = total_results(body)
            return total is not None and self.seen >= total
        return task.way == "whole" or (task.way != "substack" and len(feed.entries) < self.window)

    def _take_tumblr(self, task: Task, page: Page) -> Asked:
        entries, total = parse_tumblr(page.body, page.url)
        new = self._add(entries, "tumblr-api")
        self.seen = max(self.seen, 50 * (task.number - 1) + len(entries))
        known = self._collector.knowledge
        known.expected_posts = total or known.expected_posts
        return self._go_on(task, new, last=bool(total) and self.seen >= (total or 0))

    def _add(self, entries: Sequence[FeedEntry], source: str) -> int:
        return self._collector.add_entries(entries, source)

    def _go_on(self, task: Task, new: int, *, last: bool) -> Asked:
        if new and not last:
            way = self._way(task)
            return self._ask(self._url(way, task.number + 1), way, task.number + 1)
        return self.missed(task, "end" if new else "repeats what is known", delivered=bool(new))

    def _take_wp_json(self, task: Task, page: Page) -> Asked:
        entries, total, pages = parse_wp_posts(page.body, page.url, page.headers)
        known = self._collector.knowledge
        new = self._add(self._collector.mend(entries, None), "wp-json")
        if task.number == 1:
            self.left = []
            known.expected_posts, known.walked_to_end = total, True
        elif not new:  # the server repeats itself, whatever it counts
            known.walked_to_end = total is not None and len(known.entries) >= total
            return []
        if pages is None:  # a cache took the headers away: go on until a page is not full
            ahead = range(
                task.number + 1, task.number + 2 if len(entries) >= WP_PER_PAGE else task.number + 1
            )
        else:
            first = 2 if task.number == 1 else task.number + AT_ONCE
            ahead = range(first, min(pages, MAX_PAGES, task.number + AT_ONCE) + 1)
        return [a for n in ahead for a in self._ask(self._url("wp-json", n), "wp-json", n)]

    def is_trial(self, task: Task) -> bool:
        """Was the address made by the platform's rule, for a first try whether there are older
        posts?
        """
        announced = task.way == "rfc5005" or (task.way == "wp-json" and self.api_root is not None)
        return bool(task.way) and not announced and task.number <= first_page(self._way(task))

    def expected(self, task: Task) -> float | None:
        """Return the expected number of posts on a page that could not be read, and on those behind
        it if only this page has its successor's URL.
        """
        total = self._collector.knowledge.expected_posts
        if task.way == "wp-json" and total is not None:
            return float(max(0, min(WP_PER_PAGE, total - WP_PER_PAGE * (task.number - 1))))
        if total is not None:
            return float(max(0, total - self.seen))
        return (
            float(WP_PER_PAGE)
            if task.way == "wp-json" and task.number > 1
            else float(self.window) or None
        )

    @staticmethod
    def _way(task: Task) -> Way:
        return task.way  # type: ignore[return-value]

    def go_on(self, *, seen: int, api_root: str | None) -> None:
        """Take up a walk of an earlier visit; no other way is tried."""
        self.planned, self.left, self.seen, self.api_root = True, [], seen, api_root

    def missed(self, task: Task, why: str, *, delivered: bool = False) -> Asked:
        """Return the next strategy after the end of a walk, or after one that leads nowhere."""
        known = self._collector.knowledge
        if task.way not in self.left:  # one of many pages asked for at once
            if task.way == "wp-json":
                known.walked_to_end = False
            return []
        if delivered or task.number > first_page(task.way):
            self.left = []
            # the feed itself may say that a page follows: then one that is gone is no end
            is_past_it = task.way != "rfc5005" and why in ("HTTP 404", "HTTP 410", "HTTP 400")
            known.walked_to_end |= is_past_it or why in ("end", "repeats what is known")
            return []
        self.left = self.left[1:]
        return self._next_way()
