"""What the survey knows about a blog: one record per post, merged over everything that spoke of
it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from typing import Any

from blogcrawl.core.records import Blog, Feed, FeedEntry, MediaFile
from blogcrawl.discovery.places import is_shared, unshared
from blogcrawl.discovery.platforms import Platform
from blogcrawl.urls.canonical import canonicalize, same_site

MAX_CONTENTS = 200
"""Entries whose content is kept: more learning material than any learner asks for, some 4 MB at 20
kB each.
"""


COMMENT_FEED = "comment-feed"
"""Kind of an unread source: the blog's comment feed, on which no post is lost."""


BROKE_OFF = "the answer broke off"
"""Reason of an unread source: of what it lists only the beginning came."""
NO_HOST = "the host does not resolve"
"""Reason of an unread source: its name does not exist (NXDOMAIN), or has no address."""
GONE_HOST = "the host does not resolve, nor did it when asked before"
"""The same, found twice with time between."""
NO_DNS_ANSWER = "the host does not resolve at present"
"""No name server answered, or it had trouble itself (SERVFAIL): it is unknown whether it exists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadSource:
    """A list of posts for machines that was named and could not be read to its end: a sitemap or an
    index of them, a feed or an older page of it, a page of an interface, a search index."""

    url: str
    reason: str
    kind: str
    """As of ``probes.Task``, like ``way``, ``number`` and ``depth``; or ``COMMENT_FEED``, which
    only updates ask for.
    """
    way: str = ""
    number: int = 0
    depth: int = 0
    seen: int = 0
    """Posts that the pages before it have shown."""
    posts: float | None = None
    """Posts on it, as its siblings or the platform's own count let expect; None: unknown."""


@dataclass(slots=True)
class SiteKnowledge:
    """Result of a survey; keys of the dictionaries are canonical URLs unless said otherwise."""

    blog: Blog
    platform: Platform = field(default_factory=Platform)
    post_feed: Feed | None = None
    feeds: dict[str, Feed] = field(default_factory=dict)
    """By address as fetched; entries are kept of ``post_feed`` only."""
    entries: dict[str, FeedEntry] = field(default_factory=dict)
    """Every post that a source named, with the best of what the sources said (``source`` lists
    them, blank-separated).
    """
    promised: dict[str, set[str]] = field(default_factory=dict)
    """Which sources promised a post: feed, feed-page, wp-json, sitemap …"""
    candidates: dict[str, tuple[str, float]] = field(default_factory=dict)
    """Other pages that sitemaps list: (URL as written, belief 0..1 that it is a post). Material for
    the frontier, promised by no source: 0.2 and above look like posts, 0.05 is just a page."""
    hubs: list[str] = field(default_factory=list)
    """Listings worth following, best first."""
    guesses: list[str] = field(default_factory=list)
    """Usual addresses of a sitemap or an archive, and what a sitemap found there names, left to the
    frontier to ask.
    """
    comment_feeds: dict[str, str] = field(default_factory=dict)
    """Canonical post URL -> its comment feed."""
    blog_comment_feed: str | None = None
    notes: list[str] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    expected_posts: int | None = None
    """How many posts the platform itself counts (WordPress X-WP-Total, Blogger totalResults)."""
    walked_to_end: bool = False
    """A feed-like source was read to its last page."""
    unread_sources: dict[str, UnreadSource] = field(default_factory=dict)
    """By canonical URL."""
    sitemap_posts: dict[str, int] = field(default_factory=dict)
    """Of each sitemap that was read and lists pages: how many of them are posts."""
    sitemap_sizes: dict[str, int] = field(default_factory=dict)
    """Of each of these: how many pages it lists."""
    named: list[str] = field(default_factory=list)
    """Of ``guesses`` those that a page or a sitemap names: canonical URLs."""
    other_hosts: list[str] = field(default_factory=list)
    """Hosts that feeds name and that can only be the blog's own."""
    api_root: str | None = None
    """The WordPress REST interface that the start page names."""

    def could_not_read(self, source: UnreadSource) -> None:
        """Remember ``source`` for the report and for the next visit."""
        self.unread_sources[canonicalize(source.url)] = source
        self.note(f"{source.kind} {source.url}: {source.reason}")

    def asked_again(self, before: Iterable[UnreadSource]) -> None:
        """Update ``before``, which were requested once more: names that don't exist, now as then,
        are gone.
        """
        for source in before:
            key = canonicalize(source.url)
            now = self.unread_sources.get(key)
            if now and now.reason == NO_HOST and source.reason in (NO_HOST, GONE_HOST):
                self.unread_sources[key] = replace(now, reason=GONE_HOST)

    def is_abandoned(self, source: UnreadSource) -> bool:
        """Return whether a feed was on another host that is gone, while the blog's own feed was
        read: the link to a feed service that has closed, worth a note, no loss. One failed look-up
        proves nothing: the name must be missing each time.
        """
        return source.reason == GONE_HOST and self.is_elsewhere(source)

    def may_be_found(self, source: UnreadSource) -> bool:
        """Return whether a further look-up of its host may give more than the first."""
        is_first = source.reason == NO_HOST and self.is_elsewhere(source)
        return is_first or source.reason == NO_DNS_ANSWER

    def is_elsewhere(self, source: UnreadSource) -> bool:
        """Return whether a feed is on another host than the blog, whose own feed was read."""
        return (
            source.kind in ("feed", "extra-feed")
            and self.post_feed is not None
            and bool(self.post_feed.entries)
            and not same_site(source.url, self.blog.url)
        )

    def described(self, key: str) -> FeedEntry | None:
        """Return what the sources say of a post, or None if they only list it."""
        entry = self.entries.get(key)
        if entry is None or entry == FeedEntry(url=entry.url, source=entry.source):
            return None
        return entry

    def note(self, text: str) -> None:
        if text not in self.notes and len(self.notes) < 200:
            self.notes.append(text)

    def fold_parts(self) -> None:
        """Fragments that were taken for several posts of one page name none: what was promised are
        the pages.
        """
        for key in [key for key in self.entries if "#" in key]:
            entry, page = self.entries.pop(key), key.partition("#")[0]
            self.entries.setdefault(page, replace(entry, url=entry.url.partition("#")[0]))
            self.promised.setdefault(page, set()).update(self.promised.pop(key, ()))
        if self.post_feed is not None and is_shared(self.post_feed.entries):
            self.post_feed = replace(
                self.post_feed, entries=tuple(unshared(self.post_feed.entries))
            )

    def to_json(self) -> dict[str, Any]:
        """Plain data for ``from_json``."""
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        return plain | {
            "blog": record_to_json(self.blog),
            "platform": asdict(self.platform),
            "post_feed": record_to_json(self.post_feed) if self.post_feed else None,
            "feeds": {url: record_to_json(f) for url, f in self.feeds.items()},
            "entries": {key: record_to_json(e) for key, e in self.entries.items()},
            "promised": {key: sorted(s) for key, s in self.promised.items()},
            "unread_sources": [asdict(source) for source in self.unread_sources.values()],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> SiteKnowledge:
        """Back from ``to_json``. Raises ValueError on other data."""
        import msgspec  # 30 ms, and only a crawl that was interrupted reads one

        sources = {canonicalize(one["url"]): one for one in data.get("unread_sources", ())}
        return msgspec.convert({**data, "unread_sources": sources}, cls)


def record_to_json(record: Any) -> dict[str, Any]:
    """Return a frozen record of ``items`` as plain data: dates as ISO strings, fields that hold
    their default left out.
    """
    out: dict[str, Any] = {}
    for f in fields(record):
        value = getattr(record, f.name)
        if value == f.default:
            continue
        if isinstance(value, datetime):
            value = value.isoformat()
        elif isinstance(value, tuple):
            value = [
                record_to_json(v) if isinstance(v, FeedEntry | MediaFile) else v for v in value
            ]
        out[f.name] = value
    return out


def entry_from_json(data: Mapping[str, Any]) -> FeedEntry:
    """Back from ``record_to_json`` of an entry. Raises ValueError on other data."""
    import msgspec  # 30 ms, and an update reads one for posts only that left the feed

    return msgspec.convert(data, FeedEntry)


def bare(entry: FeedEntry) -> FeedEntry:
    """Return ``entry`` without its texts."""
    return replace(entry, content_html=None, summary_html=None, is_full=False)


_FIRST_KNOWN = (
    "id title authors author_url modified modified_raw summary_html tags language "
    "comments_feed_url enclosures"
).split()
"""Fields of an entry of which the better source's value counts, if it has one."""


def merge_entries(old: FeedEntry, new: FeedEntry) -> FeedEntry:
    """Return the best of both: a full content over an excerpt, else the longer; every other field
    from the first that has it.
    """
    fullest = max(old, new, key=lambda entry: (entry.is_full, len(entry.content_html or "")))
    a, b = (old, new) if _rank(old) >= _rank(new) else (new, old)
    dated = b if _is_better_dated(b, a) else a
    counts = [c for c in (a.comments_count, b.comments_count) if c is not None]
    values: dict[str, Any] = {name: getattr(a, name) or getattr(b, name) for name in _FIRST_KNOWN}
    return replace(
        a,
        **values,
        published=dated.published,
        published_raw=dated.published_raw,
        content_html=fullest.content_html,
        is_full=fullest.is_full,
        comments_count=max(counts, default=None),
        source=" ".join(dict.fromkeys(f"{old.source} {new.source}".split())),
    )


def _is_better_dated(entry: FeedEntry, better: FeedEntry) -> bool:
    """Return whether an entry has a date that a better source lacks, or the zone of the same
    moment, which that has in UTC."""
    if entry.published is None or better.published is None:
        return entry.published is not None
    has_zone = bool(entry.published.utcoffset()) and not better.published.utcoffset()
    return has_zone and entry.published == better.published


def _rank(entry: FeedEntry) -> int:
    """Feeds know most about an entry, sitemaps least."""
    return 0 if entry.source.startswith("sitemap") else 1
