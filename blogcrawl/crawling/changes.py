"""What a second look at a blog tells. Pure: what was known and what is there now go in, what to
fetch comes out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from blogcrawl.core.records import Feed, FeedEntry
from blogcrawl.storage.tables import PostRow
from blogcrawl.urls.canonical import canonicalize, entry_key

MAX_SEEN = 500
"""Feed entries remembered from visit to visit."""
LASTMOD_SLACK = timedelta(minutes=10)
"""Clocks differ, and a sitemap is often written just after the post."""

Known = Callable[[str], PostRow | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a page is fetched again. ``force``: do not take "not modified" for an answer (its
    comments changed, not its bytes).
    """

    why: str
    force: bool = False


@dataclass(slots=True, kw_only=True)
class Changes:
    """``fetch``: canonical URL -> (URL, reason)."""

    fetch: dict[str, tuple[str, Reason]] = field(default_factory=dict)
    entries: dict[str, FeedEntry] = field(default_factory=dict)
    met_known: bool = False

    def add(self, url: str, reason: Reason, entry: FeedEntry | None = None) -> None:
        key = entry_key(url)
        known = self.fetch.setdefault(key, (url, reason))
        if reason.force and not known[1].force:
            self.fetch[key] = (known[0], replace(known[1], force=True))
        if entry is not None:
            self.entries.setdefault(key, entry)


def entry_digest(entry: FeedEntry) -> str:
    """Changes when the entry was edited. Counts of comments are looked at apart."""
    told = (
        entry.title,
        entry.modified_raw,
        entry.published_raw,
        entry.content_html,
        entry.summary_html,
        entry.authors,
        sorted(entry.tags),
    )
    return hashlib.sha256(repr(told).encode("utf-8", "replace")).hexdigest()[:32]


def seen_of(feed: Feed) -> dict[str, str]:
    """What to remember of a feed: canonical URL -> digest, newest first."""
    return {entry_key(entry.url): entry_digest(entry) for entry in feed.entries[:MAX_SEEN]}


def from_feed(feed: Feed, known: Known, seen: Mapping[str, str], since: datetime | None) -> Changes:
    """New entries, edited ones, and those with more comments than are archived."""
    changes = Changes()
    for entry in feed.entries:
        key = entry_key(entry.url)
        row = known(key)
        if row is None:
            if key in seen:
                changes.met_known = (
                    True  # it was there last time and is no post that could be archived
                )
                if seen[key] == entry_digest(entry):
                    continue
            changes.add(entry.url, Reason(why="new in the feed"), entry)
            continue
        changes.met_known = True
        if entry.comments_count is not None and entry.comments_count > max(
            row.comment_count, row.comments_shown or 0
        ):
            changes.add(entry.url, Reason(why="new comments", force=True), entry)
        elif key in seen and seen[key] != entry_digest(entry):
            changes.add(entry.url, Reason(why="edited"), entry)
        elif key not in seen and _newer(entry, since, row):
            changes.add(entry.url, Reason(why="newer than the date"), entry)
    return changes


def _newer(entry: FeedEntry, since: datetime | None, row: PostRow) -> bool:
    moment = entry.modified or entry.published
    if moment is None:
        return False
    limit = since or row.last_seen
    return limit is not None and moment > limit


def vanished(
    feed: Feed, rows: Iterable[PostRow], seen: Mapping[str, str], first: Callable[[str], str] = str
) -> list[PostRow]:
    """Archived posts that the feed ought to show and does not: gone perhaps.

    Either the feed showed them last time and still shows older ones, or they are newer than its
    oldest entry. ``first``: the key under which the post of a key is archived, where it moved.
    """
    now = _keys(feed, first)
    if not now:
        return []
    oldest = _oldest_date(feed)
    place = {key: n for n, key in enumerate(seen)}
    last_still = max((n for key, n in place.items() if key in now), default=-1)

    def is_expected(row: PostRow) -> bool:
        if row.url not in place:
            return False
        return place[row.url] < last_still or _is_after(row.published, oldest)

    return [row for row in rows if row.url not in now and row.status != "gone" and is_expected(row)]


def _keys(feed: Feed, first: Callable[[str], str]) -> set[str]:
    keys = [entry_key(entry.url) for entry in feed.entries]
    return {*keys, *map(first, keys)}


def _oldest_date(feed: Feed) -> datetime | None:
    """The date of the feed's oldest entry, where all have one."""
    dates = [entry.published for entry in feed.entries if entry.published]
    return min(dates) if len(dates) == len(feed.entries) else None


def _is_after(date: datetime | None, limit: datetime | None) -> bool:
    return date is not None and limit is not None and date > limit


def from_sitemap(
    entries: Iterable[tuple[str, datetime | None]], known: Known, likely: Callable[[str], bool]
) -> Changes:
    """(URL, lastmod): archived posts modified since they were seen, and unknown pages that look
    like posts.
    """
    changes = Changes()
    for url, lastmod in entries:
        row = known(canonicalize(url))
        if row is None:
            if likely(url):
                changes.add(url, Reason(why="new in the sitemap"))
        elif (
            lastmod is not None
            and row.last_seen is not None
            and lastmod > row.last_seen + LASTMOD_SLACK
            and row.status != "gone"
        ):
            changes.add(url, Reason(why="modified since, says the sitemap"))
    return changes
