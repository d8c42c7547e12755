"""What was removed from the archive: what, when, by whom, why. A tombstone is never deleted."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import delete, or_, select

from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tables import (
    Removal,
    blogs,
    corrections,
    media,
    posts,
    removed,
    url_key,
)
from blogcrawl.urls.canonical import canonicalize, entry_key


class Tombstones:
    """Tombstones in the state database."""

    def __init__(self, state: SqlState) -> None:
        self.state = state

    def add(self, removal: Removal) -> None:
        """Insert or replace. From now on nothing fetches or archives it again."""
        self.state.save(removal)

    def posts_of(self, blog_id: str, after: str = "") -> Iterator[Removal]:
        """Yield removed posts of a blog in the order of their keys, after that of ``after``."""
        where = (
            removed.c.blog_id == blog_id,
            removed.c.kind == "post",
            removed.c.url_key > url_key(after),
        )
        statement = select(removed).where(*where).order_by(removed.c.url_key)
        return self.state.stream(Removal, statement)

    def blogs(self) -> Iterator[Removal]:
        """Yield removed blogs."""
        statement = select(removed).where(removed.c.kind == "blog").order_by(removed.c.blog_id)
        return self.state.stream(Removal, statement)

    def blog(self, *ids_or_urls: str) -> Removal | None:
        """Return the tombstone of the blog with one of these ids or addresses."""
        wanted = or_(
            removed.c.blog_id.in_(ids_or_urls),
            removed.c.url_key.in_([url_key(one) for one in ids_or_urls]),
        )
        return self.state.row(Removal, removed.c.kind == "blog", wanted)

    def find(self, url: str) -> Removal | None:
        """Return the post or blog that was removed under this address."""
        key = canonicalize(url)
        forms = [url_key(form) for form in {url, key, entry_key(url), url.rstrip("/") + "/"}]
        found = self.state.row(Removal, removed.c.url_key.in_(forms))
        if found is None:
            found = next((row for row in self._all() if key in row.keys), None)
        return found

    def keys(self, blog_id: str) -> dict[str, Removal]:
        """Return key of an address -> the tombstone of the blog's post."""
        return {key: removal for removal in self.posts_of(blog_id) for key in removal.keys}

    def packages(self) -> frozenset[str]:
        """Return ids of all packages that hold a tombstone."""
        return frozenset(removal.aip_id for removal in self._all() if removal.aip_id)

    def forget_post(self, blog_id: str, url: str, aip_id: str | None, *, fence: int = 0) -> None:
        """Delete a removed post's rows; its media stay known where another package holds them."""
        with self.state.write() as connection:
            self.state.check_fence_in(connection, blog_id, fence)
            connection.execute(
                delete(posts).where(posts.c.blog_id == blog_id, posts.c.url_key == url_key(url))
            )
            if aip_id:
                connection.execute(
                    delete(media).where(media.c.blog_id == blog_id, media.c.aip_id == aip_id)
                )

    def forget_blog(self, blog_id: str) -> None:
        """Delete a removed blog's rows."""
        with self.state.write() as connection:
            for table in (posts, media, corrections):
                connection.execute(delete(table).where(table.c.blog_id == blog_id))
            connection.execute(delete(blogs).where(blogs.c.id == blog_id))

    def _all(self) -> Iterator[Removal]:
        return self.state.stream(Removal, select(removed))
