"""The sources that an update asks, each with one conditional request: feed, sitemap, feed of
comments.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from blogcrawl.core.errors import BlogcrawlError, FeedError, HttpStatusError, UnreachableError
from blogcrawl.core.page import Page
from blogcrawl.core.records import Feed, FeedEntry
from blogcrawl.crawling.changes import (
    LASTMOD_SLACK,
    Changes,
    Reason,
    from_feed,
    from_modified,
    from_sitemap,
    is_moved_row,
    lacking_between,
    seen_of,
    unlisted,
    vanished,
)
from blogcrawl.crawling.feed_poll import conditional_headers
from blogcrawl.crawling.fetch import may_pass
from blogcrawl.crawling.moved_posts import address_of, first_key, row_of
from blogcrawl.crawling.page_facts import failure
from blogcrawl.crawling.report import DEAD
from blogcrawl.crawling.session import Session, fetch_found
from blogcrawl.discovery.collector import Collector
from blogcrawl.discovery.feeds import parse_feed
from blogcrawl.discovery.knowledge import COMMENT_FEED, SiteKnowledge, UnreadSource
from blogcrawl.discovery.pagination import first_page, with_query
from blogcrawl.discovery.places import is_shared, unshared
from blogcrawl.discovery.public_data import parse_wp_posts, wp_posts_url
from blogcrawl.discovery.sitemaps import Sitemap, parse_sitemap, worthwhile
from blogcrawl.storage.tables import BlogRow, PostRow
from blogcrawl.urls.canonical import canonicalize, entry_key
from blogcrawl.urls.post_pattern import LIKELY

MAX_REST_PAGES = 50
"""Pages of 100 posts that one update reads of what the REST interface says is modified."""
UNDATED_FOR = timedelta(days=30)
"""Sitemaps without dates of modification show new posts only, as the feed does: time after which
one is read again all the same."""
MAX_CHILDREN = 20
"""Sitemaps of an index that are looked at in one update, those modified last first."""
TURN = "feed page"
"""Key in the session's memory: the further page of the feed that is next in turn."""
MAX_ASKED = 500
"""Posts that a sitemap lacks and that are there, remembered so that they are requested once."""
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
    """Return what a first crawl, begun at ``started``, remembers for the updates that follow."""
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
    if knowledge.api_root:
        memory[knowledge.api_root] = {"role": "wp-json", "since": started.isoformat()}
    if knowledge.blog.sitemap:
        memory[knowledge.blog.sitemap] = {"role": "sitemap", "since": started.isoformat()}
    return memory


def by_role(
    memory: Mapping[str, Mapping[str, Any]], role: str
) -> tuple[str, dict[str, Any]] | None:
    return next(
        (
            (url, dict(stored))
            for url, stored in memory.items()
            if stored.get("role", "posts") == role
        ),
        None,
    )


def mended(session: Session, feed: Feed) -> Feed:
    """Return the feed with its entries' addresses put right as the first crawl did: a feed that
    names another host for the blog, a link log.
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
    visit = _compared(session, feed, known.get("seen", {}), since, memory)
    del memory[url]
    memory[answer.moved_to or url] = {
        "role": "posts",
        **_validators(page),
        "status": page.status,
        "seen": seen_of(feed),
        "comments": known.get("comments"),
    }
    return visit


def _corrected(session: Session, feed: Feed) -> Feed:
    """Return the feed with an address of its own for each entry, as the first crawl read it."""
    if session.model is not None and session.model.parts is None and is_shared(feed.entries):
        feed = replace(feed, entries=tuple(unshared(feed.entries)))
    return mended(session, feed)


def _compared(
    session: Session, feed: Feed, seen: Mapping[str, str], since: datetime | None, memory: Memory
) -> FeedVisit:
    """Return what the feed shows against what is archived and what it showed last time."""
    changes = from_feed(feed, lambda key: row_of(session, key), seen, since)
    oldest = min((e.published for e in feed.entries if e.published), default=None)
    rows = session.services.state.posts_since(session.blog_id, oldest) if oldest else []
    new = [entry for key, entry in changes.entries.items() if row_of(session, key) is None]
    gone = [
        row
        for row in vanished(feed, rows, seen, lambda key: first_key(session, key))
        if not is_moved_row(row, new)
    ]
    return FeedVisit(memory=memory, changes=changes, feed=feed, vanished=gone)


async def visit_wordpress(session: Session, row: BlogRow, memory: Memory) -> Changes | None:
    """Return posts that WordPress names as new or edited since the last visit, or None if its REST
    interface gives no answer, or is not known.
    """
    found = by_role(row.feeds, "wp-json")
    since = _last_edit(found[1], row) if found is not None else None
    if found is None or since is None:
        return None
    latest, changes, number, pages = since, Changes(), 1, 1
    while number <= min(pages, MAX_REST_PAGES):
        url = wp_posts_url(found[0], number, since)
        page, _ = await fetch_found(session, url, kind="api")
        if page is None:
            return None
        try:
            entries, _, total_pages = parse_wp_posts(page.body, url, page.headers)
        except FeedError:
            return None
        fresh, latest = _edited_since(since, entries, latest)
        changes.update(from_modified(fresh, _known(session)))
        # WordPress before 5.7 lists all posts: those behind are older still
        pages, number = (total_pages or 1) if len(fresh) == len(entries) else 0, number + 1
    memory[found[0]] = {**found[1], "latest": latest.isoformat()}
    return changes


def _edited_since(
    since: datetime, entries: Sequence[FeedEntry], latest: datetime
) -> tuple[list[FeedEntry], datetime]:
    """Return the entries that were edited since a moment, and when the latest of all was."""
    fresh = [e for e in entries if e.modified is None or e.modified > since]
    return fresh, max([latest, *(e.modified for e in fresh if e.modified)])


def _last_edit(about: Mapping[str, Any], row: BlogRow) -> datetime | None:
    """Return the last edit that the REST interface has shown, by the clock of its server; before it
    was asked, somewhat before the last visit.
    """
    if about.get("latest"):
        return datetime.fromisoformat(about["latest"])
    since = _since(about, row)
    return since - LASTMOD_SLACK if since is not None else None


async def visit_next_page(session: Session, row: BlogRow) -> Changes:
    """Return archived posts that the next further page of a WordPress's feed lacks, one page a
    visit: without REST interface and sitemap nothing else names those that were deleted."""
    found = by_role(row.feeds, "posts")
    if found is None or by_role(row.feeds, "sitemap") or not is_wordpress(session):
        return Changes()
    number = session.memory.pop(TURN, first_page("wordpress"))
    url = with_query(found[0], paged=str(number))
    page, _ = await fetch_found(session, url, kind="feed-page")
    if page is None:
        return Changes()
    try:
        feed = mended(session, parse_feed(page.body, page.url, page.headers))
    except FeedError:
        return Changes()
    session.memory[TURN] = number + 1
    return _gone_from(session, feed)


def is_wordpress(session: Session) -> bool:
    return (session.blog.platform or "").casefold() == "wordpress"


def _gone_from(session: Session, feed: Feed) -> Changes:
    """Return the posts that a further page of the feed lacks."""
    changes, rows = Changes(), session.services.state.posts(session.blog_id)
    reason = Reason(why="no longer in the feed", is_unlisted=True)
    for post in lacking_between(feed, rows, lambda key: first_key(session, key)):
        changes.add(address_of(session, post.url), reason)
    return changes


def _known(session: Session) -> Callable[[str], PostRow | None]:
    return lambda key: row_of(session, key)


async def visit_sitemap(
    session: Session,
    row: BlogRow,
    memory: Memory,
    score: Callable[[str], float],
    overran: bool,
    *,
    whole: bool = False,
) -> Changes:
    """Return posts that a sitemap says are new or modified since they were seen, and archived ones
    that a sitemap of all posts lacks.

    ``overran``: the feed shows none of the known posts, so that a sitemap may have posts that it
    lacks; ``whole``: read it whatever it says of its modification.
    """
    found = by_role(row.feeds, "sitemap")
    if found is None:
        return Changes()
    url, about = found
    headers = conditional_headers({} if whole else about)
    page, failed = await fetch_found(session, url, kind="sitemap", headers=headers)
    if page is None:
        _lost_sitemap(session, url, failed, overran)
        return Changes()
    since = None if whole else _since(about, row)
    visit = _SitemapVisit(session, score, overran, about, since)
    await visit.read(url, page)
    await visit.read_rest()
    memory[url] = {
        **about,
        **_validators(page),
        "dated": visit.is_dated,
        "since": session.services.started.isoformat(),
        "children": visit.children,
        "unlisted": visit.unlisted(),
    }
    return visit.changes


def _validators(page: Page) -> dict[str, str | None]:
    """Return what a conditional request sends back."""
    return {"etag": page.headers.get("etag"), "last_modified": page.headers.get("last-modified")}


class _SitemapVisit:
    """One reading of a blog's sitemap and of those of the sitemaps it names that may have
    changed."""

    def __init__(
        self,
        session: Session,
        score: Callable[[str], float],
        overran: bool,
        about: Mapping[str, Any],
        since: datetime | None,
    ) -> None:
        self.session, self.score, self.overran, self.since = session, score, overran, since
        self.changes = Changes()
        self.children: dict[str, dict[str, Any]] = dict(about.get("children", {}))
        """Of each sitemap that an index names: validators, when it was read, and whether its
        entries have dates of modification."""
        self._asked: list[str] = list(about.get("unlisted", ()))
        self._listed: set[str] = set()
        self.is_dated = False
        """Has any entry a date of modification?"""
        self._is_whole = True
        """Could every sitemap be read that was asked for in this visit?"""
        self._others: set[str] = set()
        """Sitemaps of pages, tags and the like, next to those of posts: no page there is news."""
        self._unread: list[str] = []
        """Sitemaps of the index that were not asked for, or are as they were."""

    async def read(self, url: str, page: Page) -> None:
        waiting, limit = [(url, page)], MAX_CHILDREN
        while waiting:
            address, page = waiting.pop()
            try:
                sitemap = parse_sitemap(page.body, url)
            except BlogcrawlError as error:
                self._lost(address, error.message)
                continue
            children = dict(sitemap.children).keys()
            self._others.update(children - set(worthwhile(sitemap.children)))
            self._compare(sitemap, is_of_posts=address not in self._others)
            self._remember(address, page, sitemap, is_child=address != url)
            due = [child for child in _children(sitemap, self.since) if self._is_due(*child)]
            self._unread += children - dict(due).keys()
            for child, modified in due[limit:]:
                self._lost(child, TOO_MANY if modified is not None else None)
            for child, _ in due[:limit]:
                known = self.children.get(child, {}) if self.since is not None else {}
                body, failed = await fetch_found(
                    self.session, child, kind="sitemap", headers=conditional_headers(known)
                )
                self._lost(child, failed)
                if body is not None:
                    waiting.append((child, body))
                elif failed is None:
                    self._unread.append(child)
                    self._note_read(child)
            limit -= len(due[:limit])

    async def read_rest(self) -> None:
        """Read the other sitemaps of the index where those read list all posts but few: what these
        lack may stand there, else it is gone perhaps."""
        if not self._is_whole or not self._lacking() or len(self._unread) > MAX_CHILDREN:
            return
        rest, self._unread = self._unread, []
        for child in sorted(rest):
            body, failed = await fetch_found(self.session, child, kind="sitemap")
            self._lost(child, failed)
            if body is not None:
                self._list(child, body)

    def _compare(self, sitemap: Sitemap, *, is_of_posts: bool) -> None:
        rows = [(entry.loc, entry.lastmod) for entry in sitemap.entries]
        least = LIKELY if is_of_posts else math.inf
        found = from_sitemap(
            rows, _known(self.session), lambda u: self.score(u) >= least, self._asked
        )
        for changed, reason in found.fetch.values():
            self.changes.add(changed, reason)
        self._note_listed(sitemap)

    def _note_listed(self, sitemap: Sitemap) -> None:
        keys = [canonicalize(entry.loc) for entry in sitemap.entries]
        self._listed.update(keys, (first_key(self.session, key) for key in keys))

    def _list(self, url: str, page: Page) -> None:
        """Note what a sitemap lists that nothing calls modified: no page there is news."""
        try:
            self._note_listed(parse_sitemap(page.body, url))
        except BlogcrawlError as error:
            self._lost(url, error.message)

    def _remember(self, url: str, page: Page, sitemap: Sitemap, *, is_child: bool) -> None:
        is_dated = any(entry.lastmod is not None for entry in sitemap.entries)
        self.is_dated |= is_dated
        if is_child:
            self.children[url] = {**_validators(page), "dated": is_dated}
            self._note_read(url)

    def _note_read(self, url: str) -> None:
        self.children[url]["read"] = self.session.services.started.isoformat()

    def _is_due(self, url: str, modified: datetime | None) -> bool:
        """Return whether a sitemap may show what the feed does not: the index says that it was
        modified, or says nothing and the sitemap has dates of its own, or was not read for long.
        """
        known = self.children.get(url, {})
        read = known.get("read")
        if modified is not None or self.since is None or self.overran:
            return True
        if read is None or known.get("dated"):
            return True
        return self.session.services.started - datetime.fromisoformat(read) > UNDATED_FOR

    def _lost(self, url: str, reason: str | None) -> None:
        self._is_whole &= reason is None
        _lost_sitemap(self.session, url, reason, self.overran)

    def unlisted(self) -> list[str]:
        """Ask for archived posts that the sitemap lacks; all that were requested so far."""
        if not self._is_whole or self._unread:
            return self._asked
        lacking = self._lacking()
        reason = Reason(why="no longer in the sitemap", is_unlisted=True)
        for key in lacking:
            self.changes.add(address_of(self.session, key), reason)
        still = [key for key in self._asked if key not in self._listed]
        return [*still, *lacking][-MAX_ASKED:]

    def _lacking(self) -> list[str]:
        """Return archived posts that the sitemaps read so far lack, where these list nearly all."""
        if not self._listed:
            return []
        rows = self.session.services.state.posts(self.session.blog_id)
        return unlisted(rows, self._listed, set(self._asked))


def _lost_sitemap(session: Session, url: str, reason: str | None, overran: bool) -> None:
    """Note a sitemap that could not be read, and may be another time."""
    if reason is not None and reason not in DEAD:
        posts = None if overran else 0.0
        session.known.could_not_read(
            UnreadSource(url=url, reason=reason, kind="sitemap", posts=posts)
        )


def _since(stored: Mapping[str, Any], row: BlogRow) -> datetime | None:
    """Since when a source may have changed unseen: the visit that read it last."""
    return datetime.fromisoformat(stored["since"]) if stored.get("since") else row.last_crawl


def _children(sitemap: Sitemap, last: datetime | None) -> list[tuple[str, datetime | None]]:
    """Return sitemaps of an index that may have changed since ``last``, latest first, with when
    they were modified where it has such a date.
    """
    floor = datetime.min.replace(tzinfo=UTC)
    fresh = [
        (url, mod) for url, mod in sitemap.children if mod is None or last is None or mod > last
    ]
    return sorted(fresh, key=lambda pair: pair[1] or floor, reverse=True)


async def visit_comment_feed(
    session: Session, row: BlogRow, memory: Memory
) -> tuple[list[str], bool]:
    """Return posts on which the blog's comment feed shows comments that it did not show last time,
    and whether it has shown, or will, all that came since then."""
    found = by_role(row.feeds, "comments")
    if found is None:
        return [], False
    url, stored = found
    since = _since(stored, row)
    try:
        page = await _comment_page(session, url, stored)
        if page is None:
            return [], True
        feed = parse_feed(page.body, page.url, page.headers)
    except BlogcrawlError as error:
        _lost_comment_feed(session, url, error)
        memory[url] = {**stored, "since": since.isoformat() if since else None}
        return [], may_pass(error)
    seen = set(stored.get("seen", ()))
    ids = [entry.id or entry.url for entry in feed.entries]
    memory[url] = {
        "role": "comments",
        **_validators(page),
        "seen": ids[:200],
    }
    new = _new_comments(feed, seen, since)
    return _posts_of(session, new), len(new) < len(feed.entries) or not new


def _new_comments(feed: Feed, seen: set[str], since: datetime | None) -> list[str]:
    """Return the addresses of comments that were not ``seen``; else of those that were published
    ``since``.
    """
    if seen:
        return [entry.url for entry in feed.entries if (entry.id or entry.url) not in seen]
    return [e.url for e in feed.entries if e.published and since and e.published > since]


async def _comment_page(session: Session, url: str, stored: Mapping[str, Any]) -> Page | None:
    """Return the blog's comment feed, or None if it is not modified. Raises BlogcrawlError."""
    page = await session.fetch(url, kind="comments", headers=conditional_headers(stored))
    failed = failure(page) if page.status != 304 else None
    if failed is not None:
        reason, passing = failed
        raise UnreachableError(reason, url=url) if passing else HttpStatusError(reason, url=url)
    return page if page.status != 304 else None


def _lost_comment_feed(session: Session, url: str, error: BlogcrawlError) -> None:
    """Report that the blog's comment feed could not be read: as an unread source where that may
    pass, else as a note, for another visit would not change it."""
    if may_pass(error):
        source = UnreadSource(url=url, reason=error.message, kind=COMMENT_FEED, posts=0.0)
        session.known.could_not_read(source)
    else:
        session.known.note(f"{COMMENT_FEED} {url}: {error.message}")


def _posts_of(session: Session, urls: list[str]) -> list[str]:
    """Return the posts that comment addresses (``post#comment-7``) belong to: archived ones, and
    those whose addresses are like posts' (they may have moved)."""
    posts = dict.fromkeys(url.split("#", 1)[0] for url in urls)
    likely = session.frontier.pattern.score
    return [
        url
        for url in posts
        if row_of(session, canonicalize(url)) is not None or likely(canonicalize(url)) >= LIKELY
    ]
