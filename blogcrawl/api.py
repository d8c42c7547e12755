"""The Python interface: open an archive, extract a page, learn a blog (``docs/python-api.md``).

``import blogcrawl`` gives these names and imports this module when one is used.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from blogcrawl.comments.page_reader import extract_comments
from blogcrawl.core.config import Config
from blogcrawl.core.errors import NotAPostError, NotFoundError
from blogcrawl.core.page import Page
from blogcrawl.core.records import Post
from blogcrawl.discovery.feeds import parse_feed
from blogcrawl.extraction.model import BlogModel, Hints, NotAPost, extract_post, learn_blog
from blogcrawl.induction.ruleset import Sample
from blogcrawl.packaging import ids
from blogcrawl.storage.archive import open_archive
from blogcrawl.storage.lookup import find_blog, find_post
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.selection import Selection, read_post
from blogcrawl.storage.state import SqlState, open_state
from blogcrawl.storage.tables import BlogRow, PostRow
from blogcrawl.urls.canonical import entry_key

Html = str | bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedBlog:
    """A blog of an archive, with what its last crawl has found out."""

    id: str
    url: str
    title: str | None
    language: str | None
    platform: str | None
    feeds: tuple[str, ...]
    posts: int
    first_post: datetime | None
    last_post: datetime | None
    last_crawl: datetime | None
    health: str
    """``ok``, ``incomplete`` or what else ``blogcrawl list`` shows; ``reason`` says why."""
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedPost(Post):
    """A post of an archive: the record as it was extracted, and where it is archived."""

    id: str
    """UUID of the post, which is that of its package."""
    blog: str
    """Address of the blog."""
    version: int
    """Number of the package's newest version, from 1."""


class Archive:
    """An archive opened for reading: ``with Archive("archive") as archive: ...``.

    ``path_or_url``: the archive's folder, or the database URL of a cluster (``postgresql://…``),
    whose packages are in ``store`` (a path or fsspec URL). Nothing is written, so a crawl may run
    at the same time. Raises ArchiveError where there is no archive.
    """

    def __init__(self, path_or_url: str | os.PathLike[str], *, store: str = "") -> None:
        place = os.fspath(path_or_url)
        config = Config(state_url=place) if "://" in place else Config(archive=place)
        config = replace(config, store_url=store)
        if not config.state_url:
            open_archive(config, now=datetime.now(UTC), create=False, reading=True)
        self._state: SqlState = open_state(config, reading=True)
        self._store = open_store(config, reading=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; iterators of this archive end with an error."""
        self._state.close()

    def blogs(self) -> Iterator[ArchivedBlog]:
        """Yield the blogs, in the order of their addresses."""
        for row in self._state.blogs():
            yield self._blog(row)

    def blog(self, name: str) -> ArchivedBlog:
        """Return the blog with this address, id or part of its address or title.

        Raises NotFoundError, UsageError where several match.
        """
        return self._blog(find_blog(self._state, name))

    def posts(
        self,
        blog: str | None = None,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> Iterator[ArchivedPost]:
        """Yield the posts with their comments, blog by blog, oldest first.

        They are read one at a time, so that memory does not grow with the archive. ``blog`` as in
        ``blog()``; ``since`` <= published < ``until`` (without a zone: UTC), and with either of
        them posts without a date are left out. Raises NotFoundError, UsageError, DamagedError.
        """
        found = () if blog is None else (find_blog(self._state, blog).id,)
        selection = Selection(blogs=found, since=_aware(since), until=_aware(until))
        return self._read(selection)

    def post(self, url_or_id: str) -> ArchivedPost:
        """Return the post with this address, or this id. Raises NotFoundError, DamagedError."""
        row = find_post(self._state, url_or_id)
        if row is None or not row.aip_id:
            raise NotFoundError(f"no post {url_or_id!r} in this archive")
        blog = self._state.get_blog(row.blog_id)
        return self._post(row, blog.url if blog else "")

    def _read(self, selection: Selection) -> Iterator[ArchivedPost]:
        addresses = {row.id: row.url for row in selection.blog_rows(self._state)}
        for row in selection.posts(self._state):
            yield self._post(row, addresses.get(row.blog_id, ""))

    def _post(self, row: PostRow, blog: str) -> ArchivedPost:
        post = read_post(self._store, row)
        values = {spec.name: getattr(post, spec.name) for spec in fields(post)}
        return ArchivedPost(
            **values, id=ids.bare(str(row.aip_id)), blog=blog, version=row.aip_version
        )

    def _blog(self, row: BlogRow) -> ArchivedBlog:
        span, record = self._state.post_span(row.id), dict(row.record)
        return ArchivedBlog(
            id=row.id,
            url=row.url,
            title=row.title,
            language=record.get("language"),
            platform=record.get("platform"),
            feeds=tuple(
                url for url, source in row.feeds.items() if source.get("role") != "sitemap"
            ),
            posts=span.posts,
            first_post=span.first,
            last_post=span.last,
            last_crawl=row.last_crawl,
            health=row.health,
            reason=row.reason,
        )


def _aware(moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=UTC) if moment and moment.tzinfo is None else moment


def extract(html: Html, url: str, model: BlogModel | None = None) -> Post:
    """Extract the post of a page with the comments that the page shows.

    ``html``: text, or bytes in whatever charset the page declares; ``url``: its address, to which
    links are relative. ``model``: what ``learn`` has learned of the blog; without it the page is
    read by methods that know no blog. Nothing is fetched. Raises NotAPostError.
    """
    page = _page(html, url)
    found = extract_post(page, model or BlogModel())
    if isinstance(found, NotAPost):
        raise NotAPostError(found.reason, url=url)
    comments = extract_comments(
        page, content=found.content_html, language=found.language, published=found.published
    )
    return replace(found, comments=comments.comments, comments_shown=comments.shown)


def learn(
    feed: Html,
    pages: Mapping[str, Html],
    *,
    feed_url: str = "",
    home: tuple[str, Html] | None = None,
) -> BlogModel:
    """Learn the extraction rules of a blog from its feed and the pages of the feed's entries.

    ``pages``: HTML by address; pages that the feed does not list count as pages that are no posts.
    ``feed_url``: the feed's address, if its links are relative; ``home``: address and HTML of the
    start page. Raises FeedError.
    """
    parsed = parse_feed(_bytes(feed), feed_url or next(iter(pages), ""))
    entries = {entry_key(entry.url): entry for entry in parsed.entries}
    samples, others = [], []
    for url, html in pages.items():
        page, entry = _page(html, url), entries.get(entry_key(url))
        if entry is None:
            others.append(page)
        else:
            samples.append(Sample(page=page, entry=entry))
    start = _page(home[1], home[0]) if home else None
    return learn_blog(samples, Hints(home=start, others=others, feed=parsed, entries=entries))


def _page(html: Html, url: str) -> Page:
    headers = {"content-type": "text/html; charset=utf-8"} if isinstance(html, str) else {}
    return Page(url=url, body=_bytes(html), headers=headers)


def _bytes(text: Html) -> bytes:
    return text.encode("utf-8", "replace") if isinstance(text, str) else text
