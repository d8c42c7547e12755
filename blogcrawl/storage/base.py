"""The replaceable roles of storage, as Protocols; records that go in and come out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol

from blogcrawl.packaging.parts import Content, Kept

__all__ = [
    "BlogRow",
    "Content",
    "CrawlRow",
    "DepositTarget",
    "Kept",
    "MediaRow",
    "ObjectVersion",
    "PackageStore",
    "PostRow",
    "PostSpan",
    "State",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectVersion:
    """One version of one package in the store. ``files``: logical path -> hex digest (sha512)."""

    object_id: str
    version: int
    created: datetime
    message: str
    files: Mapping[str, str]


class PackageStore(Protocol):
    """An OCFL storage root. Object ids are URIs (``urn:uuid:…``) and never change."""

    def put(
        self,
        object_id: str,
        files: Mapping[str, Content],
        *,
        message: str,
        created: datetime,
        fence: int = 0,
    ) -> ObjectVersion:
        """Write a new version that holds exactly ``files``; unchanged content is not stored twice.

        Equal to the head version: nothing is written, the head is returned. Atomic: killed at any
        line, the object is whole in its old or new version. Raises StorageError, DiskFullError.
        """

    def probe(self) -> None:
        """Raises what a write would raise at the moment: UnavailableError, DiskFullError,
        ReadOnlyError, ArchiveError.
        """

    def settle(self, object_id: str) -> ObjectVersion | None:
        """Finish what killed writers left of this object, and clear it up; the head then. Called
        before one builds on it.
        """

    def erase(self, object_id: str, replaced: Mapping[str, Path | None], *, fence: int = 0) -> None:
        """Erase content from all versions: ``replaced`` has, by the SHA-512 of what goes, a file
        with what takes its place, or None.

        The numbers of the versions stay. Raises StorageError where there is no such object,
        DiskFullError.
        """

    def head(self, object_id: str) -> ObjectVersion | None: ...

    def versions(self, object_id: str) -> list[ObjectVersion]: ...

    def open(self, object_id: str, path: str, version: int | None = None) -> BinaryIO:
        """The content of a logical path. Raises StorageError where there is none."""

    def object_ids(self) -> Iterator[str]: ...

    def view(self, object_id: str) -> PackageStore:
        """The store, for who reads much of this object: a remote one asks for each of its small
        files once, and keeps them.
        """

    def verify(self, object_id: str, *, deep: bool = False) -> list[str]:
        """Faults found, one line each; ``deep`` reads every byte again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlogRow:
    """A blog as the state knows it. ``model`` is the learned BlogModel as JSON-able dict."""

    id: str
    url: str
    title: str | None = None
    feeds: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """feed URL -> {etag, last_modified, status, seen…}"""
    model: Mapping[str, Any] | None = None
    record: Mapping[str, Any] = field(default_factory=dict)
    """The Blog record as JSON."""
    aip_id: str | None = None
    aip_version: int = 0
    last_crawl: datetime | None = None
    next_visit: datetime | None = None
    interval_seconds: int | None = None
    health: str = "new"
    failures: int = 0
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PostRow:
    blog_id: str
    url: str
    """Canonical."""
    title: str | None = None
    published: datetime | None = None
    modified: datetime | None = None
    content_digest: str | None = None
    comment_count: int = 0
    comments_shown: int | None = None
    aip_id: str | None = None
    aip_version: int = 0
    status: str = "published"
    etag: str | None = None
    last_modified: str | None = None
    first_seen: datetime | None = None
    last_seen: datetime | None = None
    next_comment_check: datetime | None = None
    comments_feed_url: str | None = None
    comments_incomplete: str | None = None
    """Why comments are lacking that the next update asks for again; None: there are none that are
    known to be.
    """
    comments_tries: int = 0
    """Visits in a row that could not have them all."""


class PostSpan(NamedTuple):
    """How many posts, the first and last day of publication, and when the first one
    was archived.
    """

    posts: int
    first: datetime | None
    last: datetime | None
    first_seen: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlRow:
    id: str
    blog_id: str
    spider: str
    node: str = ""
    started: datetime | None = None
    ended: datetime | None = None
    outcome: str = "running"
    counts: Mapping[str, Any] = field(default_factory=dict)
    report: Mapping[str, Any] = field(default_factory=dict)
    """Missing posts with reasons, completeness with evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaRow:
    """Where a blog's media file lies, so that it travels once."""

    blog_id: str
    url: str
    sha256: str | None
    mime: str | None
    size: int | None
    aip_id: str | None
    path: str | None
    error: str | None = None


class State(Protocol):
    """What is known between crawls: SQLite or PostgreSQL by URL."""

    def get_blog(self, url_or_id: str) -> BlogRow | None: ...
    def save_blog(self, blog: BlogRow) -> None: ...
    def blogs(self) -> Iterator[BlogRow]: ...
    def get_post(self, blog_id: str, url: str) -> PostRow | None: ...
    def posts(self, blog_id: str | None = None) -> Iterator[PostRow]:
        """Streamed, ordered by blog, then published, then url."""

    def posts_by_key(self, blog_id: str, after: str = "") -> Iterator[PostRow]: ...
    def post_span(self, blog_id: str | None = None) -> PostSpan: ...
    def save_post(self, post: PostRow, media: Iterable[MediaRow] = (), *, fence: int = 0) -> None:
        """One transaction. Raises LeaseLostError where ``fence`` is older than the blog's lease."""

    def get_media(self, blog_id: str, url: str) -> MediaRow | None: ...
    def start_crawl(self, crawl: CrawlRow) -> None: ...
    def end_crawl(self, crawl: CrawlRow) -> None: ...
    def crawls(self, blog_id: str) -> list[CrawlRow]: ...
    def close(self) -> None: ...


class DepositTarget(Protocol):
    """Where packages travel to."""

    def deposit(self, version: ObjectVersion, files: Mapping[str, Content]) -> str:
        """Idempotent; returns the receipt (an identifier or URL at the target). Raises
        DepositError.
        """
