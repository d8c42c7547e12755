"""What a second look at a blog shows. Pure: what was known and what is there now go in, what to
fetch comes out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta
from heapq import nlargest

from blogcrawl.core.records import Feed, FeedEntry
from blogcrawl.storage.tables import PostRow
from blogcrawl.text.similarity import fold
from blogcrawl.urls.canonical import canonicalize, entry_key

WHOLE_LIST = 0.9
"""Share of the archived posts on a list from which it is a list of all posts: what it lacks may be
gone."""
MAX_UNLISTED = 20
"""Posts missing from such a list that one visit asks for."""
VISITS_PER_RECHECK = 10
"""Of so many visits one looks further than the feed: at a sitemap without dates, or at one archived
page, without any sign of a change. 10 % of the polls."""
NEW_IN_API = "new in the API"
MAX_SEEN = 500
"""Feed entries remembered from visit to visit."""
LASTMOD_SLACK = timedelta(minutes=10)
"""Clocks differ."""

Known = Callable[[str], PostRow | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a page is fetched again. ``force``: do not take "not modified" for an answer (its
    comments changed, not its bytes); ``is_unlisted``: a list that ought to have the post lacks it.
    """

    why: str
    force: bool = False
    is_unlisted: bool = False

    def with_marks_of(self, other: Reason) -> Reason:
        """Return the reason as one that holds for another reason too."""
        return replace(
            self,
            force=self.force or other.force,
            is_unlisted=self.is_unlisted or other.is_unlisted,
        )


@dataclass(slots=True, kw_only=True)
class Changes:
    """``fetch``: canonical URL -> (URL, reason)."""

    fetch: dict[str, tuple[str, Reason]] = field(default_factory=dict)
    entries: dict[str, FeedEntry] = field(default_factory=dict)
    met_known: bool = False

    def add(self, url: str, reason: Reason, entry: FeedEntry | None = None) -> None:
        key = entry_key(url)
        known = self.fetch.setdefault(key, (url, reason))
        if reason.force > known[1].force or reason.is_unlisted > known[1].is_unlisted:
            self.fetch[key] = (known[0], known[1].with_marks_of(reason))
        if entry is not None:
            self.entries.setdefault(key, entry)

    def update(self, other: Changes) -> None:
        """Add what another source shows."""
        for key, (url, reason) in other.fetch.items():
            self.add(url, reason, other.entries.get(key))


def entry_digest(entry: FeedEntry) -> str:
    """Changes when the entry was edited. Counts of comments are looked at apart."""
    parts = (
        entry.title,
        entry.modified_raw,
        entry.published_raw,
        entry.content_html,
        entry.summary_html,
        entry.authors,
        sorted(entry.tags),
    )
    return hashlib.sha256(repr(parts).encode("utf-8", "replace")).hexdigest()[:32]


def seen_of(feed: Feed) -> dict[str, str]:
    """Return what to remember of a feed: canonical URL -> digest, newest first."""
    return {entry_key(entry.url): entry_digest(entry) for entry in feed.entries[:MAX_SEEN]}


def from_feed(feed: Feed, known: Known, seen: Mapping[str, str], since: datetime | None) -> Changes:
    """Return new entries, edited ones, and those with more comments than are archived."""
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
        reason = _changed(entry, row, seen.get(key), since)
        if reason is not None:
            changes.add(entry.url, reason, entry)
    return changes


def _changed(
    entry: FeedEntry, row: PostRow, seen: str | None, since: datetime | None
) -> Reason | None:
    """Return why an archived post is fetched again; ``seen``: the digest that its entry had."""
    shown = max(row.comment_count, row.comments_shown or 0)
    if entry.comments_count is not None and entry.comments_count > shown:
        return Reason(why="new comments", force=True)
    if seen is not None:
        return Reason(why="edited") if seen != entry_digest(entry) else None
    if row.status == "gone":
        return Reason(why="back in the feed")
    return Reason(why="newer than the date") if _newer(entry, since, row) else None


def _newer(entry: FeedEntry, since: datetime | None, row: PostRow) -> bool:
    moment = entry.modified or entry.published
    if moment is None:
        return False
    limit = since or row.last_seen
    return limit is not None and moment > limit


def vanished(
    feed: Feed, rows: Iterable[PostRow], seen: Mapping[str, str], first: Callable[[str], str] = str
) -> list[PostRow]:
    """Return archived posts that the feed ought to show and does not: gone perhaps.

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


def lacking_between(
    feed: Feed, rows: Iterable[PostRow], first: Callable[[str], str] = str
) -> list[PostRow]:
    """Return archived posts that a further page of the feed lacks, though it has newer and older
    ones: gone perhaps. ``first``: as in ``vanished``."""
    now, oldest = _keys(feed, first), _oldest_date(feed)
    newest = max((entry.published for entry in feed.entries if entry.published), default=None)
    present = (row for row in rows if row.url not in now and row.status != "gone")
    return [
        row
        for row in present
        if _is_after(row.published, oldest) and _is_after(newest, row.published)
    ]


def _keys(feed: Feed, first: Callable[[str], str]) -> set[str]:
    keys = [entry_key(entry.url) for entry in feed.entries]
    return {*keys, *map(first, keys)}


def _oldest_date(feed: Feed) -> datetime | None:
    """Return the date of the feed's oldest entry, where all have one."""
    dates = [entry.published for entry in feed.entries if entry.published]
    return min(dates) if len(dates) == len(feed.entries) else None


def _is_after(date: datetime | None, limit: datetime | None) -> bool:
    return date is not None and limit is not None and date > limit


def from_sitemap(
    entries: Iterable[tuple[str, datetime | None]],
    known: Known,
    likely: Callable[[str], bool],
    asked: Container[str] = (),
) -> Changes:
    """Return archived posts modified since they were seen, or gone and listed again, and unknown
    pages that look like posts, from (URL, lastmod) pairs. ``asked``: as in ``unlisted``.
    """
    changes = Changes()
    for url, lastmod in entries:
        row = known(canonicalize(url))
        if row is None:
            if likely(url):
                changes.add(url, Reason(why="new in the sitemap"))
        elif lastmod is not None and row.last_seen is not None and _end_of(lastmod) > row.last_seen:
            changes.add(url, Reason(why="modified since, says the sitemap"))
        elif row.status == "gone" and row.url in asked:
            changes.add(url, Reason(why="back in the sitemap"))
    return changes


def _end_of(lastmod: datetime) -> datetime:
    """Return the end of the day of a date at midnight, which is a day: the page may have been
    edited after a visit on it."""
    return lastmod + timedelta(days=1) if lastmod.time() == time.min else lastmod


def from_modified(entries: Iterable[FeedEntry], known: Known) -> Changes:
    """Return posts that an API names as edited since the last visit."""
    changes = Changes()
    for entry in entries:
        row = known(entry_key(entry.url))
        if row is None:
            changes.add(entry.url, Reason(why=NEW_IN_API), entry)
        else:
            changes.add(entry.url, Reason(why="edited, as the API says"), entry)
    return changes


def unlisted(rows: Iterable[PostRow], listed: Container[str], asked: Container[str]) -> list[str]:
    """Return keys of archived posts that a list of all posts lacks: gone perhaps.

    ``listed``: keys on the list; ``asked``: keys that it lacked before and whose pages were there.
    """
    present = [row for row in rows if row.status != "gone"]
    lacking = [row.url for row in present if row.url not in listed]
    if len(present) - len(lacking) < WHOLE_LIST * len(present):
        return []
    return [key for key in lacking if key not in asked][:MAX_UNLISTED]


def to_recheck(rows: Iterable[PostRow], now: datetime, number: int = 1) -> list[str]:
    """Return the keys of so many archived posts that were not checked for the longest time in
    proportion to their age."""

    def overdue(row: PostRow) -> float:
        seen = row.last_seen or row.first_seen or now
        age = now - (row.published or row.first_seen or now)
        return (now - seen) / max(age, timedelta(days=1))

    present = [row for row in rows if row.status != "gone" and row.aip_id is not None]
    return [row.url for row in nlargest(number, present, key=overdue)]


def is_moved_row(row: PostRow, entries: Iterable[FeedEntry]) -> bool:
    """Return whether a new entry has title and day of an archived post: the post at another
    address.
    """
    return any(
        row.title is not None
        and entry.title is not None
        and fold(entry.title).casefold() == fold(row.title).casefold()
        and entry.published is not None
        and row.published is not None
        and abs(entry.published - row.published) < timedelta(days=1)
        for entry in entries
    )
