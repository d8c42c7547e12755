"""One archived post as a page shows it: which package, which version, what is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial

from markupsafe import Markup

from blogcrawl.core.netguard import host_of
from blogcrawl.core.records import Comment, MediaFile, Post
from blogcrawl.packaging import ids
from blogcrawl.packaging.layout import MEDIA, POST_JSON, TOMBSTONE_JSON, WEB
from blogcrawl.packaging.records import decode, post_from_json
from blogcrawl.packaging.thread import Reply, Thread
from blogcrawl.storage.base import ObjectVersion, PackageStore
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tables import PostRow, Removal, removed
from blogcrawl.urls.canonical import canonicalize, entry_key
from blogcrawl.web.captured import SHOWN, Captures
from blogcrawl.web.sanitise import reading_html

COMMENTS_PAGE = 200
_DEEPEST = 8
"""Levels of answers that are set apart; deeper ones name whom they answer."""
_PICTURE = tuple(f".{ending}" for ending, kind in SHOWN.items() if kind.startswith("image/"))


@dataclass(frozen=True, slots=True)
class ShownComment:
    """A comment in the order of its thread. ``answers``: author of the comment it answers."""

    comment: Comment
    anchor: str
    depth: int
    answers: str | None
    html: Markup


class ReadPost:
    """A version of a post's package, opened for reading."""

    def __init__(
        self, row: PostRow, versions: Sequence[ObjectVersion], version: ObjectVersion, post: Post
    ) -> None:
        self.row, self.versions, self.version, self.post = row, versions, version, post
        self.uuid = ids.bare(version.object_id)

    @property
    def is_newest(self) -> bool:
        return self.version.version == self.versions[-1].version

    @property
    def urls(self) -> set[str]:
        """Return the addresses under which its page may have been captured."""
        return {self.post.url, self.post.canonical_url}

    @cached_property
    def thread(self) -> list[tuple[Reply, int]]:
        """Return all comments with their depth, answers after what they answer."""
        return list(_in_order(Thread(self.post, self.uuid).roots))

    @property
    def screenshot(self) -> str | None:
        """Return the path of the picture of the page, if there is one."""
        named = (path for path in self.version.files if path.startswith(WEB + "screenshot"))
        return next((path for path in named if path.endswith(_PICTURE)), None)


class Reader:
    """Open posts and write their content as HTML for the application."""

    def __init__(
        self,
        state: SqlState,
        store: PackageStore,
        captures: Captures,
        page_of: Callable[[PostRow], str],
    ) -> None:
        """``page_of`` returns the address of a post's page, for links from one post to another."""
        self.state, self.store, self.captures, self.page_of = state, store, captures, page_of

    def open(self, uuid: str, number: int | None = None) -> ReadPost | None:
        """Open a version of a post, the newest by default; None if there is no such one.

        Raises StorageError, PackagingError where the package is damaged.
        """
        row = self.state.post_of_package(ids.urn(uuid))
        if row is None or not row.aip_id:
            return None
        store = self.store.view(row.aip_id)
        versions = _with_post(store.versions(row.aip_id))
        wanted = [one for one in versions if number is None or one.version == number]
        if not wanted:
            return None
        with store.open(row.aip_id, POST_JSON, wanted[-1].version) as file:
            post = post_from_json(decode(file.read()))
        return ReadPost(row, versions, wanted[-1], post)

    def versions(self, object_id: str) -> list[ObjectVersion]:
        """Return the versions of a package that hold a post: none of one that was taken down."""
        return _with_post(self.store.versions(object_id))

    def tombstone(self, uuid: str) -> Removal | None:
        """Return the tombstone of a post that was taken down."""
        return self.state.row(Removal, removed.c.aip_id == ids.urn(uuid))

    def content(self, read: ReadPost) -> Markup:
        """Return the post's content with its pictures from the archive."""
        return self._writer(read)(read.post.content_html)

    def comments(self, read: ReadPost, page: int) -> list[ShownComment]:
        """Return one page of the post's comments, in the order of their threads."""
        start, write = page * COMMENTS_PAGE, self._writer(read)
        return [
            ShownComment(
                reply.comment,
                reply.uuid,
                min(depth, _DEEPEST),
                reply.parent.comment.author if reply.parent else None,
                write(reply.comment.content_html),
            )
            for reply, depth in read.thread[start : start + COMMENTS_PAGE]
        ]

    def pictures(self, read: ReadPost) -> list[tuple[MediaFile, str | None]]:
        """Return the post's media with the addresses of their archived copies."""
        return [(media, self._place(read, media)) for media in read.post.media]

    def _writer(self, read: ReadPost) -> Callable[[str], Markup]:
        """Return what writes HTML of the post; each address is looked up once."""
        by_url = {media.url: media for media in read.post.media if media.name}

        @cache
        def captured(url: str) -> str | None:
            media = by_url.get(url)
            return self._place(read, media) if media is not None else None

        return reading_html(captured, cache(partial(self._archived, read)))

    def _archived(self, read: ReadPost, url: str) -> str | None:
        """Return the page of a post of the same blog that a link leads to, if it is archived."""
        if host_of(url) not in (host_of(read.post.url), host_of(read.post.canonical_url)):
            return None
        for key in dict.fromkeys((entry_key(url), canonicalize(url), url.partition("#")[0])):
            row = self.state.get_post(read.row.blog_id, key)
            if row is not None and row.aip_id:
                return self.page_of(row)
        return None

    def _place(self, read: ReadPost, media: MediaFile) -> str | None:
        """Return the address of an archived file, in whichever package of the blog it lies."""
        if media.name is None or media.sha256 is None:
            return None
        path = MEDIA + media.name
        if path in read.version.files:
            return self.captures.link(read.version.object_id, read.version.version, path)
        kept = self.state.media_by_digest(read.row.blog_id, media.sha256)
        if kept is None or not kept.aip_id or not kept.path:
            return None
        head = self.store.head(kept.aip_id)
        if head is None or TOMBSTONE_JSON in head.files or kept.path not in head.files:
            return None
        return self.captures.link(kept.aip_id, head.version, kept.path)


def _with_post(versions: Sequence[ObjectVersion]) -> list[ObjectVersion]:
    return [one for one in versions if POST_JSON in one.files]


def _in_order(roots: Sequence[Reply]) -> Iterator[tuple[Reply, int]]:
    """Yield each comment before its answers, without recursion: threads may be thousands deep."""
    waiting = [(reply, 0) for reply in reversed(roots)]
    while waiting:
        reply, depth = waiting.pop()
        yield reply, depth
        waiting += [(answer, depth + 1) for answer in reversed(reply.replies)]
