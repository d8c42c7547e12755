"""``export --format html``: a static site that any browser reads, from a folder or any server.

::

    index.html            the blogs
    assets/               style sheet, script of the search
    BLOG/index.html       newest posts; years, authors, tags; search
    BLOG/years/ authors/ tags/   lists of posts
    BLOG/posts/           a page per post, named by date, title, id and version
    BLOG/media/           pictures, audio and video, by digest
    BLOG/search/          the search index: JSON in scripts, since a page of a folder may not fetch

All is readable without JavaScript. Pages that are there already stay, if they are in the language
asked for; those of posts that the archive no longer has are removed.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, Self

from lxml import etree

from blogcrawl.core.records import Post
from blogcrawl.dates.edtf import calendar_date, edtf_date
from blogcrawl.packaging import ids
from blogcrawl.packaging.xmltools import parse
from blogcrawl.storage.base import PackageStore
from blogcrawl.storage.files import replace_file
from blogcrawl.storage.selection import Export
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tables import BlogRow, PostRow
from blogcrawl.storage.temporary import new_file, sweep
from blogcrawl.web.captured import SHOWN, Captures
from blogcrawl.web.reading import COMMENTS_PAGE, Reader, ReadPost, ShownComment
from blogcrawl.web.room import environment, static_file
from blogcrawl.web.sanitise import plain
from blogcrawl.web.texts import Texts

NEWEST = 50
"""Posts on the first page of a blog; the pages of years have all."""
CHIPS = 120
"""Authors and tags on the first page of a blog, the most frequent ones."""
PART_BYTES = 1_000_000
"""Of one file of the search index."""
TEXT = 30_000
"""Characters of a post and its comments that are searched."""
_HEAD = 200
"""Bytes in which a page names its language."""
_SLUG = re.compile(r"[^a-z0-9]+")
_PAGE = re.compile(r"[0-9a-z-]+-v[0-9]+\.html")
_MEDIA = re.compile(r"[0-9a-f]{64}\.[0-9a-z]{1,8}")
_LIST_PAGE = re.compile(r"[0-9a-z-]+\.html")
_SEARCH_PART = re.compile(r"[0-9]+\.js")
_ACTIVE = {"script", "handler", "listener", "foreignobject", "iframe", "object", "embed"}
_SAFE_HREF = ("#", "data:image/png", "data:image/jpeg", "data:image/gif", "data:image/webp")


@dataclass(frozen=True, slots=True)
class Line:
    """A post in a list."""

    page: str
    title: str
    date: str
    authors: Sequence[str]
    tags: Sequence[str]
    comments: int


@dataclass(slots=True)
class Folder:
    """The folder of one blog while it is written."""

    blog: BlogRow
    path: Path
    texts: Texts
    lines: list[Line] = field(default_factory=list)
    media: set[str] = field(default_factory=set)
    anew: bool = False
    """Also pages that are there already: they are in another language."""
    linked: int = 0
    """Links between posts that were written."""

    def page_of(self, row: PostRow) -> str:
        """Return the address of a post's page from another one's."""
        self.linked += 1
        return _name(row)


class Copies(Captures):
    """Archived files copied next to the pages, in place of addresses at another origin."""

    def __init__(self, store: PackageStore, folder: Folder) -> None:
        super().__init__(store, "", b"")
        self.packages, self.folder = store, folder

    def link(self, object_id: str, version: int, path: str) -> str:
        """Copy a file; return its address from a page of a post, "" where it might act."""
        name = PurePosixPath(path).name
        if not _MEDIA.fullmatch(name) or name.rpartition(".")[2] not in SHOWN:
            return ""
        target = self.folder.path / "media" / name
        if not target.exists():
            target.parent.mkdir(exist_ok=True)
            with self.packages.open(object_id, path, version) as source:
                if name.endswith(".svg") and not is_passive(source.read()):
                    return ""
            with self.packages.open(object_id, path, version) as source, new_file(target) as out:
                shutil.copyfileobj(source, out, 2**20)
        self.folder.media.add(name)
        return f"../media/{name}"


def is_passive(svg: bytes) -> bool:
    """Return whether nothing in an SVG picture acts, also if somebody opens its file itself."""
    try:
        root = parse(svg)
    except etree.XMLSyntaxError:
        return False
    around = (*root.itersiblings(preceding=True), *root.itersiblings())
    return b"<!doctype" not in svg.lower() and all(map(_is_inert, (*around, *root.iter())))


def _is_inert(node: Any) -> bool:
    if not isinstance(node.tag, str):
        return isinstance(node, etree._Comment)
    name = etree.QName(node).localname.lower()
    if name in _ACTIVE or name.startswith(("set", "animate")):
        return False
    for attribute, value in node.attrib.items():
        local = etree.QName(attribute).localname.lower()
        if local.startswith("on") or (
            local == "href" and not value.strip().lower().startswith(_SAFE_HREF)
        ):
            return False
    return True


def write_site(job: Export, language: str = "en") -> int:
    """Write the site into the folder ``job.target``, in a language of ``LANGUAGES``; return the
    number of posts."""
    texts = Texts(language)
    anew = not _is_in(job.target, language)
    assets = job.target / "assets"
    assets.mkdir(exist_ok=True)
    for written in (job.target, assets):
        sweep(written)
    for name in ("page.css", "search.js"):
        found = static_file(name)
        assert found is not None
        replace_file(assets / name, found[0])
    count = 0
    for blog in job.selection.blog_rows(job.state):
        folder = Folder(blog, job.target / _folder(blog), texts, anew=anew)
        for place in ("", "posts", "media", "search", "years", "authors", "tags"):
            (folder.path / place).mkdir(parents=True, exist_ok=True)
            sweep(folder.path / place)
        count = _write_blog(job, folder, count)
    _write(job.target / "index.html", "site/index.html", 0, texts, blogs=list(_blogs(job)))
    return count


def _is_in(target: Path, language: str) -> bool:
    """Report whether the site that is there, if any, is in this language."""
    try:
        with (target / "index.html").open("rb") as file:
            return f'<html lang="{language}">'.encode() in file.read(_HEAD)
    except FileNotFoundError:
        return False


def _write_blog(job: Export, folder: Folder, count: int) -> int:
    """Write the pages of a blog; return the number of posts so far."""
    is_whole = job.selection.since is None and job.selection.until is None
    reader = Reader(
        job.state, job.store, Copies(job.store, folder), folder.page_of if is_whole else _no_page
    )
    rows = replace(job.selection, blogs=(folder.blog.id,)).posts(job.state)
    with SearchIndex(folder.path / "search") as index:
        for row in rows:
            with job.left_out.guard(row.aip_id):
                read = reader.open(ids.bare(str(row.aip_id)), row.aip_version)
                if read is None:
                    continue
                _write_post(folder, reader, read, index)
                count += 1
                job.report(count)
    _write_lists(folder, index.parts)
    if is_whole and not job.left_out:
        kept = {line.page for line in folder.lines}
        _remove_others(folder.path / "posts", _PAGE, {name.rpartition("/")[2] for name in kept})
        _remove_others(folder.path / "media", _MEDIA, folder.media)
    return count


def _write_post(folder: Folder, reader: Reader, read: ReadPost, index: SearchIndex) -> None:
    """Write the page of a post, and note the post for lists and search.

    One that is there already, and leads to no other post, stays.
    """
    post = read.post
    page = f"posts/{_name(read.row)}"
    linked_before = folder.linked
    content, comments = reader.content(read), _comments(reader, read)
    # a page has another name for each version, so links to it are written anew
    is_linking = folder.linked > linked_before
    # also those of which the content only has the thumbnail, or that stood next to it
    further = [
        (media, place) for media, place in reader.pictures(read) if place and place not in content
    ]
    if is_linking or folder.anew or not (folder.path / page).exists():
        _write(
            folder.path / page,
            "site/post.html",
            2,
            folder.texts,
            blog=folder.blog,
            post=post,
            row=read.row,
            content=content,
            comments=comments,
            further=further,
            links={
                "authors": [(name, f"../{_list_page('authors', name)}") for name in _authors(post)],
                "tags": [(name, f"../{_list_page('tags', name)}") for name in _tags(post)],
            },
        )
    title = plain(post.title or post.canonical_url)
    line = Line(
        page,
        title,
        edtf_date(post.published),
        _authors(post),
        _tags(post),
        len(post.comments),
    )
    folder.lines.append(line)
    index.add(line, post)


def _no_page(row: PostRow) -> str:
    """Name no page: of a part of a blog, not all are there."""
    return ""


def _comments(reader: Reader, read: ReadPost) -> list[ShownComment]:
    pages = range(-(-len(read.thread) // COMMENTS_PAGE))
    return [shown for page in pages for shown in reader.comments(read, page)]


def _authors(post: Post) -> Sequence[str]:
    return [name for name in map(plain, post.authors) if name.strip()]


def _tags(post: Post) -> Sequence[str]:
    return [name for name in map(plain, post.tags) if name.strip()]


class SearchIndex:
    """The files of the search index: ``blogcrawlSearch(JSON)``, each of bounded size."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.parts = folder, 0
        self._rows: list[str] = []
        self._bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._flush()
        kept = {f"{number}.js" for number in range(self.parts)}
        _remove_others(self.folder, _SEARCH_PART, kept)

    def add(self, line: Line, post: Post) -> None:
        """Add a post: page, title, date, authors and tags, text."""
        texts = (post.content_text, *(comment.content_text for comment in post.comments))
        text = plain(" ".join(" ".join(texts).split())[:TEXT])
        row = json.dumps(
            [line.page, line.title, line.date, [*line.authors, *line.tags], text],
            separators=(",", ":"),
        )
        self._rows.append(row)
        self._bytes += len(row)
        if self._bytes > PART_BYTES:
            self._flush()

    def _flush(self) -> None:
        if not self._rows:
            return
        data = "blogcrawlSearch([\n" + ",\n".join(self._rows) + "\n]);\n"
        replace_file(self.folder / f"{self.parts}.js", data.encode("ascii"))
        self.parts, self._rows, self._bytes = self.parts + 1, [], 0


Groups = Mapping[str, Sequence[Line]]
"""Lines by year, author or tag."""


def _grouped(lines: Iterable[Line]) -> Mapping[str, Groups]:
    groups: dict[str, dict[str, list[Line]]] = {
        kind: defaultdict(list) for kind in ("years", "authors", "tags")
    }
    for line in lines:
        groups["years"][line.date[:4] or "undated"].append(line)
        for kind, names in (("authors", line.authors), ("tags", line.tags)):
            for name in dict.fromkeys(names):
                groups[kind][name].append(line)
    return groups


def _write_groups(folder: Folder, kind: str, groups: Groups) -> None:
    """Write a page per year, author or tag, and remove those of earlier ones."""
    kept = set()
    for name, lines in groups.items():
        page = _list_page(kind, name)
        kept.add(page.rpartition("/")[2])
        about = {"blog": folder.blog, "kind": kind, "name": name, "lines": lines}
        _write(folder.path / page, "site/list.html", 2, folder.texts, **about)
    _remove_others(folder.path / kind, _LIST_PAGE, kept)


def _write_lists(folder: Folder, parts: int) -> None:
    """Write the blog's first page, and a page per year, author and tag."""
    lines = folder.lines[::-1]
    groups = _grouped(lines)
    for kind, found in groups.items():
        _write_groups(folder, kind, found)
    chips = {
        kind: sorted(
            ((name, _list_page(kind, name), len(some)) for name, some in found.items()),
            key=lambda one: (-one[2], one[0]),
        )
        for kind, found in groups.items()
    }
    chips["years"].sort(key=lambda one: (one[0] != "undated", one[0]), reverse=True)
    _write(
        folder.path / "index.html",
        "site/blog.html",
        1,
        folder.texts,
        blog=folder.blog,
        record=dict(folder.blog.record),
        newest=_dated(lines)[:NEWEST],
        total=len(lines),
        chips={kind: found if kind == "years" else found[:CHIPS] for kind, found in chips.items()},
        more={kind: len(found) - CHIPS for kind, found in chips.items() if kind != "years"},
        search_parts=parts,
    )


def _dated(lines: Sequence[Line]) -> Sequence[Line]:
    """Return the lines with those that have a date first."""
    return sorted(lines, key=lambda line: not line.date)


def _list_page(kind: str, name: str) -> str:
    """Return the page of a year, author or tag; a digest distinguishes names that look alike."""
    if kind == "years":
        return f"years/{name}.html"
    slug = _SLUG.sub("-", name.lower()).strip("-")[:40].strip("-")
    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:10]
    return f"{kind}/{'-'.join(filter(None, (slug, digest)))}.html"


def _blogs(job: Export) -> Iterator[tuple[str, str, str, int]]:
    """Yield page, title, address and posts of the blogs in the folder, of earlier exports too."""
    state: SqlState = job.state
    for blog in state.blogs():
        page = f"{_folder(blog)}/index.html"
        if (job.target / page).exists():
            yield page, plain(blog.name), blog.url, state.post_span(blog.id).posts


def _folder(blog: BlogRow) -> str:
    """Name of the blog's folder; an id that an operator chose becomes a UUID too."""
    return ids.objid(blog.aip_id or (blog.id if ids.is_uuid(blog.id) else ids.blog_id(blog.url)))


def _name(row: PostRow) -> str:
    """Return ``2014-03-01-slug-1a2b3c4d-v1.html``: date, title, first digits of the id, version."""
    slug = _SLUG.sub("-", (row.title or "").lower()).strip("-")[:60].strip("-")
    unique = ids.checked(str(row.aip_id))[:8]
    date = calendar_date(row.published)
    return "-".join(filter(None, (date, slug, unique, f"v{row.aip_version}.html")))


def _write(path: Path, template: str, depth: int, texts: Texts, **values: object) -> None:
    """Write a page that lies ``depth`` folders deep."""
    made = environment().get_template(template)
    page = made.render(texts.names(), root="../" * depth, **values)
    replace_file(path, page.encode("utf-8", "replace"))


def _remove_others(folder: Path, ours: re.Pattern[str], kept: Iterable[str]) -> None:
    """Remove files of ours from a folder that are not ``kept``; those of others stay."""
    names = set(kept)
    for path in folder.iterdir():
        if path.name not in names and ours.fullmatch(path.name):
            path.unlink()
