"""What was removed from the archive on purpose: which post or blog, when, by whom, why. A tombstone
is never deleted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Integer, Table, delete, or_, select

from blogcrawl.storage.state import STREAM_ROWS, SqlState, told
from blogcrawl.storage.state_schema import (
    METADATA,
    CleanText,
    JsonText,
    UtcText,
    media,
    posts,
    url_key,
)
from blogcrawl.storage.state_schema import blogs as blogs_table
from blogcrawl.urls.canonical import canonicalize, entry_key

removed = Table(
    "removed",
    METADATA,
    Column("url_key", CleanText, primary_key=True),
    Column("blog_id", CleanText, primary_key=True),
    Column("url", CleanText),
    Column("kind", CleanText),
    Column("aip_id", CleanText),
    Column("addresses", JsonText),
    Column("removed_at", UtcText),
    Column("removed_by", CleanText),
    Column("reason", CleanText),
    Column("purged", Integer),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """One tombstone. ``kind``: post or blog. ``addresses``: all that led to the post. ``purged``:
    its content is erased from earlier versions and from the evidence too, not only taken down."""

    blog_id: str
    url: str
    kind: str
    aip_id: str | None
    addresses: Sequence[str]
    removed_at: datetime
    removed_by: str
    reason: str
    purged: bool

    @property
    def sentence(self) -> str:
        """For people."""
        done = "purged" if self.purged else "removed"
        return (
            f"{done} from this archive on {self.removed_at:%Y-%m-%d} by {self.removed_by}: "
            f"{self.reason}"
        )

    @property
    def keys(self) -> frozenset[str]:
        """Under which it is recognised: its addresses in their canonical forms."""
        return frozenset(
            form(url) for url in (self.url, *self.addresses) for form in (canonicalize, entry_key)
        )

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def _removal(row: Mapping[str, Any]) -> Removal:
    values = {name: row[name] for name in Removal.__slots__}
    return Removal(
        **{**values, "addresses": tuple(row["addresses"] or ()), "purged": bool(row["purged"])}
    )


class Tombstones:
    """Tombstones in the state database."""

    def __init__(self, state: SqlState) -> None:
        self.state = state

    def add(self, removal: Removal) -> None:
        """Insert or replace. From now on nothing fetches or archives it again."""
        values = {
            **removal.to_json(),
            "addresses": list(removal.addresses),
            "purged": int(removal.purged),
        }
        self.state.upsert(removed, {**values, "url_key": url_key(removal.url)})

    def posts_of(self, blog_id: str, after: str = "") -> Iterator[Removal]:
        """Removed posts of a blog, in the order of their keys, from the one behind ``after`` (a
        URL) on.
        """
        where = (
            removed.c.blog_id == blog_id,
            removed.c.kind == "post",
            removed.c.url_key > url_key(after),
        )
        yield from self._rows(select(removed).where(*where).order_by(removed.c.url_key))

    def blogs(self) -> Iterator[Removal]:
        """Removed blogs."""
        yield from self._rows(
            select(removed).where(removed.c.kind == "blog").order_by(removed.c.blog_id)
        )

    def blog(self, *ids_or_urls: str) -> Removal | None:
        """The tombstone of the blog with one of these ids or addresses."""
        wanted = or_(
            removed.c.blog_id.in_(ids_or_urls),
            removed.c.url_key.in_([url_key(one) for one in ids_or_urls]),
        )
        return next(
            self._rows(select(removed).where(removed.c.kind == "blog", wanted).limit(1)), None
        )

    def find(self, url: str) -> Removal | None:
        """The post or blog that was removed under this address."""
        forms = [
            url_key(form)
            for form in dict.fromkeys(
                (url, canonicalize(url), entry_key(url), url.rstrip("/") + "/")
            )
        ]
        found = next(self._rows(select(removed).where(removed.c.url_key.in_(forms)).limit(1)), None)
        if found is None:
            key = canonicalize(url)
            found = next((row for row in self._rows(select(removed)) if key in row.keys), None)
        return found

    def keys(self, blog_id: str) -> dict[str, Removal]:
        """Key of an address -> the tombstone of the blog's post."""
        return {key: removal for removal in self.posts_of(blog_id) for key in removal.keys}

    def packages(self) -> frozenset[str]:
        """Ids of all packages that hold a tombstone."""
        return frozenset(
            removal.aip_id for removal in self._rows(select(removed)) if removal.aip_id
        )

    def forget_post(self, blog_id: str, url: str, aip_id: str | None, *, fence: int = 0) -> None:
        """Delete a removed post's rows; its media stay known where another package holds them."""
        with told(), self.state.write() as connection:
            self.state._check_fence(connection, blog_id, fence)
            connection.execute(
                delete(posts).where(posts.c.blog_id == blog_id, posts.c.url_key == url_key(url))
            )
            if aip_id:
                connection.execute(
                    delete(media).where(media.c.blog_id == blog_id, media.c.aip_id == aip_id)
                )

    def forget_blog(self, blog_id: str) -> None:
        """Delete a removed blog's rows."""
        with told(), self.state.write() as connection:
            for table in (posts, media):
                connection.execute(delete(table).where(table.c.blog_id == blog_id))
            connection.execute(delete(blogs_table).where(blogs_table.c.id == blog_id))

    def _rows(self, statement: Any) -> Iterator[Removal]:
        with (
            told(),
            self.state.engine.connect().execution_options(yield_per=STREAM_ROWS) as connection,
        ):
            for row in connection.execute(statement).mappings():
                yield _removal(dict(row))
