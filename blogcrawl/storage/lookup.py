"""Find a blog or a post by what a person says of it: an address, an id, a part of the title."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawl.core.credentials import without_login
from blogcrawl.core.errors import NotFoundError, UsageError

if TYPE_CHECKING:  # importing SQLAlchemy takes a third of the time of ``--help``
    from blogcrawl.storage.state import SqlState
    from blogcrawl.storage.tables import BlogRow, PostRow


def find_blog(state: SqlState, name: str) -> BlogRow:
    """Find a blog by URL, id, or unambiguous part of its URL or title.

    Raises NotFoundError, UsageError with the candidates.
    """
    name = without_login(name)
    for candidate in (name, name.rstrip("/") + "/", name.rstrip("/")):
        row = state.get_blog(candidate)
        if row is not None:
            return row
    rows = _named(state, name.casefold()) if name else []
    if len(rows) == 1:
        return rows[0]
    if rows:
        raise UsageError(
            f"{name!r} matches {len(rows)} blogs: " + ", ".join(row.url for row in rows[:5])
        )
    raise NotFoundError(
        f"no blog {name!r} in this archive", advice="blogcrawl list shows all blogs"
    )


def _named(state: SqlState, part: str) -> list[BlogRow]:
    """Return the blogs with a part of their URL or title, in lower case."""
    return [
        row
        for row in state.blogs()
        if part in row.url.casefold() or part in (row.title or "").casefold()
    ]


def find_post(state: SqlState, name: str) -> PostRow | None:
    """Return the post with this URL, of any blog of the archive, or with this id."""
    from blogcrawl.packaging import ids
    from blogcrawl.urls.canonical import canonicalize, entry_key

    if "://" not in name:
        bare = ids.bare(name)
        return state.post_of_package(ids.urn(bare)) if ids.is_uuid(bare) else None
    forms = dict.fromkeys((name, entry_key(name), canonicalize(name)))
    for blog in state.blogs():
        for form in forms:
            row = state.get_post(blog.id, form)
            if row is not None:
                return row
    return None
