"""The records that all rooms exchange.

All times are aware UTC datetimes; the source string is kept too (``*_raw``). Records are plain
dataclasses, so Scrapy accepts them as items.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

CommentSource = Literal["feed", "html", "browser", "api"]
CommentKind = Literal["comment", "pingback", "trackback"]
PostStatus = Literal["published", "changed", "gone"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldValue:
    """A value of one field of a page, from one method.

    ``value`` is typed by field (str, list of str, datetime, or for ``content`` an lxml element, a
    list of sibling elements, or an HTML string); ``confidence`` lies in 0..1; ``rule`` is the
    XPath, key-path or property that gave it.
    """

    value: Any
    method: str
    confidence: float
    rule: str | None = None
    raw: str | None = None


Fields = dict[str, list[FieldValue]]
"""Candidates by field: title, authors, published, modified, tags, content …"""


MediaRole = Literal["image", "audio", "video", "document", "link"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """One entry of a feed (or of a platform's API), with absolute URLs."""

    url: str
    id: str | None = None
    title: str | None = None
    """Plain text: "Vec<T>" is no markup."""
    authors: tuple[str, ...] = ()
    published: datetime | None = None
    published_raw: str | None = None
    modified: datetime | None = None
    modified_raw: str | None = None
    content_html: str | None = None
    summary_html: str | None = None
    is_full: bool = False
    """True if ``content_html`` looks like the whole post, not an excerpt."""
    tags: tuple[str, ...] = ()
    language: str | None = None
    comments_feed_url: str | None = None
    comments_count: int | None = None
    in_reply_to: str | None = None
    """Of a comment entry: the id or URL of what it answers (RFC 4685)."""
    author_url: str | None = None
    enclosures: tuple[MediaFile, ...] = ()
    """Sounds and videos that the feed delivers with the post."""
    permalinks: tuple[str, ...] = ()
    """Further addresses that may be the post's, where ``url`` is what it writes about."""
    source: str = "feed"
    """Which kind of source said it: feed, archive-feed, sitemap, wp-json, blogger-json …"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A parsed feed document."""

    url: str
    kind: Literal["posts", "comments"]
    format: str
    """rss0.9x, rss1.0, rss2.0, atom1.0, json1.1 …"""
    title: str | None = None
    subtitle: str | None = None
    language: str | None = None
    generator: str | None = None
    rights: str | None = None
    authors: tuple[str, ...] = ()
    home_url: str | None = None
    self_url: str | None = None
    hub_url: str | None = None
    entries: tuple[FeedEntry, ...] = ()
    next_urls: tuple[str, ...] = ()
    """Older pages of the same feed: RFC 5005 prev-archive/next, JSON Feed next_url."""
    complete: bool = False
    ttl_minutes: int | None = None
    skip_hours: tuple[int, ...] = ()
    skip_days: tuple[str, ...] = ()
    update_period_seconds: int | None = None
    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaFile:
    """A picture, audio, video or document file of a post; the bytes are in the package, named by
    digest. Of ``link`` it is not known yet what it is."""

    url: str
    role: MediaRole = "image"
    sha256: str | None = None
    mime: str | None = None
    size: int | None = None
    """Bytes."""
    alt: str | None = None
    error: str | None = None
    """Why it could not be archived, None when it was."""

    @property
    def name(self) -> str | None:
        """Return the file name in the package: digest and extension by type."""
        if self.sha256 is None:
            return None
        import mimetypes

        return self.sha256 + (mimetypes.guess_extension(self.mime or "") or ".bin")


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    id: str
    """Stable: the platform's own id where there is one, else a digest of author, date and text."""
    author: str | None = None
    author_url: str | None = None
    published: datetime | None = None
    published_raw: str | None = None
    content_html: str = ""
    content_text: str = ""
    parent_id: str | None = None
    url: str | None = None
    source: CommentSource = "html"
    kind: CommentKind = "comment"
    title: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    url: str
    canonical_url: str
    title: str | None = None
    subtitle: str | None = None
    authors: tuple[str, ...] = ()
    published: datetime | None = None
    published_raw: str | None = None
    modified: datetime | None = None
    modified_raw: str | None = None
    language: str | None = None
    tags: tuple[str, ...] = ()
    content_html: str = ""
    content_text: str = ""
    comments: tuple[Comment, ...] = ()
    comments_shown: int | None = None
    """How many comments the page itself says there are."""
    media: tuple[MediaFile, ...] = ()
    excerpt: str | None = None
    status: PostStatus = "published"
    fetched_at: datetime | None = None
    http_status: int | None = None
    rendered: bool = False
    extraction: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """{field: {method, confidence, rule}}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Blog:
    url: str
    title: str | None = None
    subtitle: str | None = None
    feeds: tuple[str, ...] = ()
    platform: str | None = None
    platform_version: str | None = None
    language: str | None = None
    encoding: str | None = None
    authors: tuple[str, ...] = ()
    rights: str | None = None
    licence: str | None = None
    first_post: datetime | None = None
    last_post: datetime | None = None
    posts_per_week: float | None = None
    sitemap: str | None = None
    hosting_ip: str | None = None
    http_status: int | None = None
    extraction: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """{field: {method, confidence, rule}}, of the language."""

    @property
    def name(self) -> str:
        """What it is called: its title, else its address."""
        return self.title or self.url
