"""``export --format html``: a folder that any browser reads, now and in fifty years: a page per
post, pictures beside it.
"""

from __future__ import annotations

import html as escape
import re
import shutil
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from string import Template

import lxml.html

from blogcrawl.core.page import fragment
from blogcrawl.core.records import Comment, Post
from blogcrawl.packaging import ids
from blogcrawl.packaging.layout import MEDIA
from blogcrawl.packaging.thread import Reply, Thread
from blogcrawl.storage.base import BlogRow, PackageStore, PostRow, State
from blogcrawl.storage.files import replace_file
from blogcrawl.storage.selection import LeftOut, Selection, read_post
from blogcrawl.storage.temporary import new_file, sweep

_SLUG = re.compile(r"[^a-z0-9]+")
_MAX_DEPTH = 30


@cache
def _template(name: str) -> Template:
    return Template(
        resources.files("blogcrawl.storage").joinpath("templates", name).read_text("utf-8")
    )


def html(
    state: State,
    store: PackageStore,
    selection: Selection,
    target: Path,
    left_out: LeftOut,
    step: Callable[[int], None] | None,
) -> int:
    """A folder per blog with index.html, posts/ and media/; how many posts. Pages that are there
    already stay.
    """
    count = 0
    for blog in selection.blog_rows(state):
        folder = target / _folder(blog)
        (folder / "posts").mkdir(parents=True, exist_ok=True)
        for place in (folder, folder / "posts", folder / "media"):
            sweep(place)
        head, tail = (
            _template("export_index.html")
            .substitute(_safe(title=blog.title or blog.url, url=blog.url), lines="\0")
            .split("\0")
        )
        with new_file(folder / "index.html") as index:
            index.write(head.encode("utf-8", "replace"))
            for row in Selection(
                blogs=(blog.id,), since=selection.since, until=selection.until
            ).posts(state):
                name = _name(row)
                if not (folder / "posts" / name).exists():
                    with left_out.guard(row.aip_id):
                        post = read_post(store, row)
                        _media(store, row, post, folder)
                        replace_file(
                            folder / "posts" / name, _page(post, blog).encode("utf-8", "replace")
                        )
                if row.aip_id in left_out:
                    continue
                date = f"{row.published:%Y-%m-%d}" if row.published else ""
                line = _template("export_line.html").substitute(
                    _safe(href=f"posts/{name}", title=row.title or row.url, date=date)
                )
                index.write(line.encode("utf-8", "replace"))
                count += 1
                if step:
                    step(count)
            index.write(tail.encode("utf-8", "replace"))
    _front(state, target)
    return count


def _safe(**values: str) -> dict[str, str]:
    return {key: escape.escape(value, quote=True) for key, value in values.items()}


def _folder(blog: BlogRow) -> str:
    """Name of the blog's folder; an id that an operator chose becomes a UUID too."""
    return ids.objid(blog.aip_id or (blog.id if ids.is_uuid(blog.id) else ids.blog_id(blog.url)))


def _name(row: PostRow) -> str:
    """``2014-03-01-slug-1a2b3c4d.html``: sorts by date, unique by the id's first digits, version in
    it.
    """
    date = f"{row.published:%Y-%m-%d}-" if row.published else ""
    slug = _SLUG.sub("-", (row.title or "").lower()).strip("-")[:60]
    return (
        f"{date}{slug + '-' if slug else ''}{ids.checked(str(row.aip_id))[:8]}-v"
        f"{row.aip_version}.html"
    )


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


def _page(post: Post, blog: BlogRow) -> str:
    told = _safe(
        language=post.language or "",
        title=post.title or post.canonical_url,
        authors=", ".join(post.authors),
        date=f"{post.published:%Y-%m-%d}" if post.published else "",
        url=post.canonical_url,
        blog=blog.title or blog.url,
        tags=", ".join(post.tags),
    )
    thread = Thread(post, "x")
    comments = ""
    if post.comments:
        comments = _template("export_comments.html").substitute(
            count=len(post.comments), comments=_comments(thread.roots)
        )
    return _template("export_post.html").substitute(
        told, content=_localised(post), comments=comments
    )


def _localised(post: Post) -> str:
    """The content with its pictures' addresses led to the files beside it."""
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


def _comments(replies: Sequence[Reply]) -> str:
    """Nested lists, to a bounded depth: deeper ones follow on the same level."""
    out: list[str] = []
    stack: list[tuple[Reply | None, int]] = [(reply, 0) for reply in reversed(replies)]
    while stack:
        reply, depth = stack.pop()
        if reply is None:
            out.append(_template("export_comment_end.html").template)
            continue
        out.append(_template("export_comment.html").substitute(_comment(reply.comment)))
        below = [(child, depth + 1) for child in reversed(reply.replies)]
        if depth < _MAX_DEPTH:
            stack.append((None, depth))
            stack.extend(below)
        else:
            out.append(_template("export_comment_end.html").template)
            stack.extend((child, depth) for child, _ in below)
    return "".join(out)


def _comment(comment: Comment) -> dict[str, str]:
    told = _safe(
        author=comment.author or "",
        date=f"{comment.published:%Y-%m-%d %H:%M}" if comment.published else "",
    )
    return {**told, "content": comment.content_html or escape.escape(comment.content_text)}


def _front(state: State, target: Path) -> None:
    """``index.html`` of the whole folder: the blogs that have a folder in it, those of earlier
    exports too.
    """
    lines = []
    for blog in state.blogs():
        place = f"{_folder(blog)}/index.html"
        if (target / place).exists():
            lines.append(
                _template("export_line.html").substitute(
                    _safe(href=place, title=blog.title or blog.url, date="")
                )
            )
    replace_file(
        target / "index.html",
        _template("export_front.html").substitute(lines="".join(lines)).encode("utf-8", "replace"),
    )
