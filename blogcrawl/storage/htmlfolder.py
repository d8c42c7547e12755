"""``export --format html``: a folder for any browser; a page per post, images next to it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import lxml.html

from blogcrawl.core.page import fragment
from blogcrawl.core.records import Comment, Post
from blogcrawl.dates.edtf import calendar_date
from blogcrawl.packaging import ids
from blogcrawl.packaging.html_templates import stream
from blogcrawl.packaging.layout import MEDIA
from blogcrawl.packaging.thread import Reply, Thread
from blogcrawl.storage.base import PackageStore
from blogcrawl.storage.files import replace_file
from blogcrawl.storage.selection import Export, read_post
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tables import BlogRow, PostRow
from blogcrawl.storage.temporary import new_file, sweep

_SLUG = re.compile(r"[^a-z0-9]+")
_MAX_DEPTH = 30
"""Levels of nested comments that a page shows."""

Link = tuple[str, str, datetime | None]
"""Address, text and date of a line of a list."""


def html(job: Export) -> int:
    """Write a folder per blog with index.html, posts/ and media/; the number of posts.

    Pages that are there already stay.
    """
    count = 0

    def counted(links: Iterator[Link]) -> Iterator[Link]:
        nonlocal count
        for link in links:
            count += 1
            job.report(count)
            yield link

    for blog in job.selection.blog_rows(job.state):
        folder = job.target / _folder(blog)
        (folder / "posts").mkdir(parents=True, exist_ok=True)
        for place in (folder, folder / "posts", folder / "media"):
            sweep(place)
        rows = replace(job.selection, blogs=(blog.id,)).posts(job.state)
        links = counted(_posts(rows, blog, job, folder))
        with new_file(folder / "index.html") as index:
            title = blog.title or blog.url
            index.writelines(stream("list.html", title=title, url=blog.url, pages=links))
    pages = _blogs(job.state, job.target)
    blogs = stream("list.html", title="Archived blogs", url=None, pages=pages)
    replace_file(job.target / "index.html", b"".join(blogs))
    return count


def _posts(rows: Iterable[PostRow], blog: BlogRow, job: Export, folder: Path) -> Iterator[Link]:
    """Write the pages of a blog that are not there yet; links to all but the damaged ones."""
    for row in rows:
        page = f"posts/{_name(row)}"
        if not (folder / page).exists():
            with job.left_out.guard(row.aip_id):
                post = read_post(job.store, row)
                _media(job.store, row, post, folder)
                replace_file(folder / page, b"".join(_page(post, blog)))
        if row.aip_id not in job.left_out:
            yield page, row.title or row.url, row.published


def _blogs(state: SqlState, target: Path) -> Iterator[Link]:
    """Yield links to the blogs that have a folder in ``target``, those of earlier exports too."""
    for blog in state.blogs():
        page = f"{_folder(blog)}/index.html"
        if (target / page).exists():
            yield page, blog.title or blog.url, None


def _folder(blog: BlogRow) -> str:
    """Name of the blog's folder; an id that an operator chose becomes a UUID too."""
    return ids.objid(blog.aip_id or (blog.id if ids.is_uuid(blog.id) else ids.blog_id(blog.url)))


def _name(row: PostRow) -> str:
    """Return ``2014-03-01-slug-1a2b3c4d-v1.html``: date, title, first digits of the id, version."""
    slug = _SLUG.sub("-", (row.title or "").lower()).strip("-")[:60]
    unique = ids.checked(str(row.aip_id))[:8]
    date = calendar_date(row.published)
    return "-".join(filter(None, (date, slug, unique, f"v{row.aip_version}.html")))


def _media(store: PackageStore, row: PostRow, post: Post, folder: Path) -> None:
    for media in post.media:
        if media.name is None or "/" in media.name or (folder / "media" / media.name).exists():
            continue
        (folder / "media").mkdir(exist_ok=True)
        with (
            store.open(str(row.aip_id), MEDIA + media.name, row.aip_version) as source,
            new_file(folder / "media" / media.name) as out,
        ):
            shutil.copyfileobj(source, out, 2**20)


def _page(post: Post, blog: BlogRow) -> Iterator[bytes]:
    return stream(
        "post.html",
        post=post,
        title=post.title or post.canonical_url,
        blog=blog.title or blog.url,
        content=_localised(post),
        thread=_nested(Thread(post, "x").roots),
    )


def _localised(post: Post) -> str:
    """Return the content with its images' addresses changed to the files next to it."""
    if not post.content_html or not post.media:
        return post.content_html
    names = {media.url: media.name for media in post.media if media.name}
    root = fragment(post.content_html)
    for element in root.iter("img", "source", "video", "audio"):
        name = names.get(element.get("src") or "")
        if name:
            element.set("src", f"../media/{name}")
            element.attrib.pop("srcset", None)
    return lxml.html.tostring(root, encoding="unicode")


def _nested(
    replies: Iterable[Reply], depth: int = 0
) -> Iterator[tuple[Comment, Iterator[tuple[Comment, Any]]]]:
    """Yield each comment with its answers, to a bounded depth: deeper ones follow on the same
    level.
    """
    waiting = [*replies][::-1]
    while waiting:
        reply = waiting.pop()
        below = reply.replies
        if depth == _MAX_DEPTH:
            waiting += reversed(below)
            below = []
        yield reply.comment, _nested(below, depth + 1)
