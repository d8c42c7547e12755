"""The sources that an update asks, each with one conditional request: feed, sitemap, feed of
comments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from blogcrawl.core.errors import BlogcrawlError, FeedError, HttpStatusError, UnreachableError
from blogcrawl.core.page import Page
from blogcrawl.core.records import Feed
from blogcrawl.crawling.changes import Changes, from_feed, from_sitemap, seen_of, vanished
from blogcrawl.crawling.exceptions import Stopping
from blogcrawl.crawling.feed_poll import conditional_headers
from blogcrawl.crawling.fetch import may_pass
from blogcrawl.crawling.moved_posts import first_key, row_of
from blogcrawl.crawling.page_facts import failure
from blogcrawl.crawling.report import DEAD
from blogcrawl.crawling.session import Session
from blogcrawl.discovery.collector import Collector
from blogcrawl.discovery.feeds import parse_feed
from blogcrawl.discovery.knowledge import COMMENT_FEED, SiteKnowledge, UnreadSource
from blogcrawl.discovery.places import is_shared, unshared
from blogcrawl.discovery.sitemaps import Sitemap, parse_sitemap
from blogcrawl.storage.tables import BlogRow, PostRow
from blogcrawl.urls.canonical import canonicalize, entry_key
from blogcrawl.urls.post_pattern import LIKELY

MAX_CHILDREN = 20
"""Sitemaps of an index that are looked at in one update, those modified last first."""
TOO_MANY = "left for the next update: its index names too many that have changed"
"""Reason of a sitemap beyond MAX_CHILDREN."""

Memory = dict[str, dict[str, Any]]
"""``BlogRow.feeds``: URL -> what to remember: role (posts, comments, sitemap), etag, last_modified,
seen, status, since.
"""


@dataclass(slots=True, kw_only=True)
class FeedVisit:
    """``gone``: the feed is no feed any more, or has gone for good (410, 404)."""

    memory: Memory
    changes: Changes = field(default_factory=Changes)
    feed: Feed | None = None
    vanished: list[PostRow] = field(default_factory=list)
    gone: bool = False


def memory_of(knowledge: SiteKnowledge, started: datetime) -> Memory:
    """What a first crawl, begun at ``started``, remembers for the updates that follow."""
    memory: Memory = {}
    if knowledge.post_feed is not None:
        feed = knowledge.post_feed
        memory[feed.url] = {
            "role": "posts",
            "etag": feed.etag,
            "last_modified": feed.last_modified,
            "seen": seen_of(feed),
            "status": 200,
        }
    if knowledge.blog_comment_feed:
        memory[knowledge.blog_comment_feed] = {"role": "comments"}
    if knowledge.blog.sitemap:
        memory[knowledge.blog.sitemap] = {"role": "sitemap", "since": started.isoformat()}
    return memory


def by_role(
    memory: Mapping[str, Mapping[str, Any]], role: str
) -> tuple[str, dict[str, Any]] | None:
    return next(
        ((url, dict(told)) for url, told in memory.items() if told.get("role", "posts") == role),
        None,
    )


def mended(session: Session, feed: Feed) -> Feed:
    """The feed with its entries' addresses put right as the first crawl did: a feed that names
    another host for the blog, a link log.
    """
    collector = Collector(SiteKnowledge(blog=session.blog), session.blog.url)
    home = urlsplit(session.blog.url)
    for entry in feed.entries:
        parts = urlsplit(entry.url)
        if parts.netloc != home.netloc and row_of(
            session, entry_key(parts._replace(scheme=home.scheme, netloc=home.netloc).geturl())
        ):
            collector.home_paths.add(parts.path)  # the blog has that post here
    return replace(feed, entries=tuple(collector.mend(feed.entries, feed.home_url)))


async def visit_feed(session: Session, row: BlogRow, since: datetime | None) -> FeedVisit:
    """Ask the post feed. Raises UnreachableError, HttpStatusError (5xx), RobotsError."""
    memory: Memory = {url: dict(about) for url, about in row.feeds.items()}
    found = by_role(memory, "posts")
    if found is None:
        return FeedVisit(memory=memory, gone=True)
    url, known = found
    session.doing("asking the feed")
    answer = await session.ask(url, kind="feed", headers=conditional_headers(known))
    page = answer.page
    if page.status == 304:
        memory[answer.moved_to or url] = memory.pop(url)
        visit = FeedVisit(memory=memory)
        visit.changes.met_known = True
        return visit
    if page.status in {404, 410}:
        memory[url] = {**known, "role": "former", "status": page.status}
        return FeedVisit(memory=memory, gone=True)
    if page.status >= 400:
        raise HttpStatusError(f"the feed answers HTTP {page.status}", url=url)
    try:
        feed = parse_feed(page.body, page.url, page.headers)
    except FeedError:
        return FeedVisit(memory=memory, gone=True)
    feed = _corrected(session, feed)
    visit = _compared(session, feed, known.get("seen") or {}, since, memory)
    del memory[url]
    memory[answer.moved_to or url] = {
        "role": "posts",
        "etag": page.headers.get("etag"),
        "last_modified": page.headers.get("last-modified"),
        "status": page.status,
        "seen": seen_of(feed),
        "comments": known.get("comments"),
    }
    return visit


def _corrected(session: Session, feed: Feed) -> Feed:
    """The feed with an address of its own for each entry, as the first crawl read it."""
    if session.model is not None and session.model.parts is None and is_shared(feed.entries):
        feed = replace(feed, entries=tuple(unshared(feed.entries)))
    return mended(session, feed)


def _compared(
    session: Session, feed: Feed, seen: Mapping[str, str], since: datetime | None, memory: Memory
) -> FeedVisit:
    """What the feed shows against what is archived and what it showed last time."""
    changes = from_feed(feed, lambda key: row_of(session, key), seen, since)
    oldest = min((e.published for e in feed.entries if e.published), default=None)
    rows = session.services.state.posts_since(session.blog_id, oldest) if oldest else []
    gone = vanished(feed, rows, seen, lambda key: first_key(session, key))
    return FeedVisit(memory=memory, changes=changes, feed=feed, vanished=gone)


async def _ask(
    session: Session, url: str, told: Mapping[str, Any], kind: str
) -> tuple[Page | None, str | None]:
    """The page, None where it is not modified or gives no answer; and why there is none."""
    try:
        page = await session.fetch(url, kind=kind, headers=conditional_headers(told))
    except Stopping:
        raise
    except BlogcrawlError as error:
        return None, error.message
    if page.status in {200, 304}:
        return (page, None) if page.status == 200 else (None, None)
    return None, f"HTTP {page.status}"


async def visit_sitemap(
    session: Session, row: BlogRow, memory: Memory, score: Callable[[str], float], overran: bool
) -> Changes:
    """Posts that a sitemap says are new or modified since they were seen.

    ``overran``: the feed shows none of the known posts, so that a sitemap may have posts that it
    lacks.
    """
    changes, found = Changes(), by_role(row.feeds, "sitemap")
    if found is None:
        return changes
    url, told = found
    page, failed = await _ask(session, url, told, "sitemap")
    if page is None:
        _lost_sitemap(session, url, failed, overran)
        return changes
    since = _since(told, row)
    new = {"etag": page.headers.get("etag"), "last_modified": page.headers.get("last-modified")}
    memory[url] = {**told, **new, "since": session.services.started.isoformat()}
    waiting, limit = [(url, page)], MAX_CHILDREN
    while waiting:
        address, page = waiting.pop()
        try:
            sitemap = parse_sitemap(page.body, url)
        except BlogcrawlError as error:
            _lost_sitemap(session, address, error.message, overran)
            continue
        rows = [(entry.loc, entry.lastmod) for entry in sitemap.entries]
        found_here = from_sitemap(
            rows, lambda key: row_of(session, key), lambda u: score(u) >= LIKELY
        )
        for changed, reason in found_here.fetch.values():
            changes.add(changed, reason)
        children = _children(sitemap, since)
        for child, modified in children[limit:]:
            _lost_sitemap(session, child, TOO_MANY if modified is not None else None, overran)
        for child, _ in children[:limit]:
            limit -= 1
            body, failed = await _ask(session, child, {}, "sitemap")
            _lost_sitemap(session, child, failed, overran)
            if body is not None:
                waiting.append((child, body))
    return changes


def _lost_sitemap(session: Session, url: str, reason: str | None, overran: bool) -> None:
    """Note a sitemap that could not be read, and may be another time."""
    if reason is not None and reason not in DEAD:
        posts = None if overran else 0.0
        session.known.could_not_read(
            UnreadSource(url=url, reason=reason, kind="sitemap", posts=posts)
        )


def _since(told: Mapping[str, Any], row: BlogRow) -> datetime | None:
    """Since when a source may have changed unseen: the visit that read it last."""
    return datetime.fromisoformat(told["since"]) if told.get("since") else row.last_crawl


def _children(sitemap: Sitemap, last: datetime | None) -> list[tuple[str, datetime | None]]:
    """Sitemaps of an index that may have changed since ``last``, latest first, with when they were
    modified where it says so.
    """
    floor = datetime.min.replace(tzinfo=UTC)
    fresh = [
        (url, mod) for url, mod in sitemap.children if mod is None or last is None or mod > last
    ]
    return sorted(fresh, key=lambda pair: pair[1] or floor, reverse=True)


async def visit_comment_feed(session: Session, row: BlogRow, memory: Memory) -> list[str]:
    """Archived posts on which the blog's feed of comments shows comments that it did not show last
    time.
    """
    found = by_role(row.feeds, "comments")
    if found is None:
        return []
    url, told = found
    since = _since(told, row)
    try:
        page = await _comment_page(session, url, told)
        if page is None:
            return []
        feed = parse_feed(page.body, page.url, page.headers)
    except BlogcrawlError as error:
        _lost_comment_feed(session, url, error)
        memory[url] = {**told, "since": since.isoformat() if since else None}
        return []
    seen = set(told.get("seen") or ())
    ids = [entry.id or entry.url for entry in feed.entries]
    memory[url] = {
        "role": "comments",
        "etag": page.headers.get("etag"),
        "last_modified": page.headers.get("last-modified"),
        "seen": ids[:200],
    }
    return _posts_of(session, _new_comments(feed, seen, since))


def _new_comments(feed: Feed, seen: set[str], since: datetime | None) -> list[str]:
    """Return the addresses of comments that were not ``seen``; where none was, of those that were
    published ``since``.
    """
    if seen:
        return [entry.url for entry in feed.entries if (entry.id or entry.url) not in seen]
    return [e.url for e in feed.entries if e.published and since and e.published > since]


async def _comment_page(session: Session, url: str, told: Mapping[str, Any]) -> Page | None:
    """The blog's feed of comments; None where it is not modified. Raises BlogcrawlError."""
    page = await session.fetch(url, kind="comments", headers=conditional_headers(told))
    failed = failure(page) if page.status != 304 else None
    if failed is not None:
        reason, passing = failed
        raise UnreachableError(reason, url=url) if passing else HttpStatusError(reason, url=url)
    return page if page.status != 304 else None


def _lost_comment_feed(session: Session, url: str, error: BlogcrawlError) -> None:
    """Report that the blog's feed of comments could not be read: as an unread source where that may
    pass, else as a note, for another visit would not change it."""
    assert session.knowledge is not None
    if may_pass(error):
        source = UnreadSource(url=url, reason=error.message, kind=COMMENT_FEED, posts=0.0)
        session.knowledge.could_not_read(source)
    else:
        session.knowledge.note(f"{COMMENT_FEED} {url}: {error.message}")


def _posts_of(session: Session, urls: list[str]) -> list[str]:
    """The archived posts that comment addresses (``post#comment-7``) belong to."""
    posts = dict.fromkeys(url.split("#", 1)[0] for url in urls)
    return [
        url
        for url in posts
        if session.services.state.get_post(session.blog_id, canonicalize(url)) is not None
    ]
