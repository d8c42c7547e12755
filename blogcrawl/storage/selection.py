"""Which packages an export or deposit takes: streamed, in the archive's order."""

from __future__ import annotations

import contextlib
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from lxml.etree import XMLSyntaxError

from blogcrawl.core.errors import DamagedError, PackagingError
from blogcrawl.core.organization import UNNAMED, Organization
from blogcrawl.core.records import Post
from blogcrawl.packaging import ids
from blogcrawl.packaging.layout import MEDIA, POST_JSON
from blogcrawl.packaging.records import decode, post_from_json
from blogcrawl.packaging.xmltools import METS, XLINK, parse
from blogcrawl.storage.base import ObjectVersion, PackageStore
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tables import BlogRow, MediaRow, PostRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Blogs by id (none: all), posts by date of publication: ``since`` <= published < ``until``."""

    blogs: Sequence[str] = ()
    since: datetime | None = None
    until: datetime | None = None

    def blog_rows(self, state: SqlState) -> Iterator[BlogRow]:
        """Yield the blogs themselves."""
        if not self.blogs:
            yield from state.blogs()
            return
        for name in self.blogs:
            row = state.get_blog(name)
            if row is not None:
                yield row

    def posts(self, state: SqlState) -> Iterator[PostRow]:
        """Yield posts that have a package; where a range is given, undated posts stay out."""
        for blog in self.blogs or (None,):
            for row in state.posts(blog):
                if row.aip_id and row.aip_version and self.takes(row):
                    yield row

    def takes(self, row: PostRow) -> bool:
        if self.since is None and self.until is None:
            return True
        if row.published is None:
            return False
        return (self.since is None or row.published >= self.since) and (
            self.until is None or row.published < self.until
        )

    def packages(self, state: SqlState) -> Iterator[tuple[str, int]]:
        """Yield (object id, version) of each blog's package and those of its posts."""
        for blog in self.blog_rows(state):
            if blog.aip_id and self.since is None and self.until is None:
                yield blog.aip_id, blog.aip_version
            for row in replace(self, blogs=(blog.id,)).posts(state):
                yield str(row.aip_id), row.aip_version


class LeftOut(dict[str, str]):
    """Packages that an export leaves out because they are damaged: object id -> why."""

    @contextlib.contextmanager
    def guard(self, object_id: str | None) -> Iterator[None]:
        """Export one package; note and skip a package that is damaged."""
        try:
            yield
        except (DamagedError, PackagingError) as error:
            self.setdefault(str(object_id), error.message)
        except (XMLSyntaxError, zipfile.BadZipFile, zlib.error, EOFError) as error:
            self.setdefault(str(object_id), f"it can't be read: {error}")


@dataclass(frozen=True, slots=True)
class Export:
    """One export: what is written, from where, and the file or folder that it becomes.

    ``report`` is called with the number of posts or packages done so far.
    """

    state: SqlState
    store: PackageStore
    selection: Selection
    target: Path
    report: Callable[[int], object] = lambda count: None
    left_out: LeftOut = field(default_factory=LeftOut)
    operator: Organization = UNNAMED
    """Whose archive it is."""

    def posts(self) -> Iterator[PostRow]:
        """Yield the posts that are selected."""
        return self.selection.posts(self.state)


def parent_aip(paths: Iterable[str], opener: Callable[[str], BinaryIO]) -> str | None:
    """Return the id of the parent package that a post's package names; None in a blog's."""
    for path in sorted(paths):
        if path.startswith("representations/") and path.endswith("/METS.xml"):
            with opener(path) as stream:
                root = parse(stream.read())
            link = root.find(f"{{{METS}}}structMap[@LABEL='parent AIP']//{{{METS}}}mptr")
            if link is not None and link.get(f"{{{XLINK}}}href"):
                return str(link.get(f"{{{XLINK}}}href"))
    return None


def identifiers(row: PostRow) -> dict[str, Any]:
    """Return the identifiers in an exported line: blog, post, package and its version."""
    return {
        "blog_id": row.blog_id,
        "post_id": ids.bare(str(row.aip_id)),
        "aip_id": row.aip_id,
        "aip_version": row.aip_version,
    }


def media_rows(blog_id: str, post: Post, version: ObjectVersion) -> list[MediaRow]:
    """Return the post's media that are in the package's ``version``, and those that failed."""
    rows = [
        MediaRow(
            blog_id=blog_id,
            url=one.url,
            sha256=one.sha256,
            mime=one.mime,
            size=one.size,
            error=one.error,
            aip_id=version.object_id,
            path=f"{MEDIA}{one.name}" if one.sha256 else None,
        )
        for one in post.media
    ]
    return [row for row in rows if row.path is None or row.path in version.files]


def read(store: PackageStore, row: PostRow | BlogRow, path: str) -> bytes:
    """Read a file of the package version that a row names. Raises StorageError."""
    with store.open(str(row.aip_id), path, row.aip_version or None) as file:
        return file.read()


def read_post(store: PackageStore, row: PostRow) -> Post:
    """Read the post's record. Raises StorageError, PackagingError."""
    return post_from_json(decode(read(store, row, POST_JSON)))
