"""``blogcrawl import``: packages from a folder, a bag, or a ZIP back into an archive. Nothing enters unchecked."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from lxml import etree

from blogcrawl.errors import ArchiveError, BlogcrawlError, DiskFullError, PackagingError
from blogcrawl.packaging import ids
from blogcrawl.packaging.check import Package
from blogcrawl.packaging.layout import BLOG_JSON, MEDIA, POST_JSON
from blogcrawl.packaging.records import blog_from_json, blog_to_json, decode, parse_rfc3339, post_from_json
from blogcrawl.packaging.xmltools import METS, parse
from blogcrawl.storage.bags import check_bag, is_bag
from blogcrawl.storage.base import BlogRow, Content, MediaRow, PackageStore, PostRow, State
from blogcrawl.storage.files import disk_errors, lazily
from blogcrawl.storage.selection import parent_aip

_MAX_UNPACKED = 64 * 2**30
"""Bytes that one ZIP may unpack to."""
_MAX_FILES = 200_000


_DAMAGE = (BlogcrawlError, OSError, ValueError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error, etree.XMLSyntaxError)
"""What a package raises that is not as it should be: RuntimeError comes of encrypted ZIP files, ValueError of names with NUL."""


@dataclass(slots=True)
class Imported:
    """What came in. ``refused``: path -> why."""

    blogs: int = 0
    posts: int = 0
    unchanged: int = 0
    refused: dict[str, str] = field(default_factory=dict)


def import_packages(
    source: Path, store: PackageStore, state: State, *, now: datetime, step: Callable[[str], None] | None = None
) -> Imported:
    """Every package at or below ``source`` into ``store``, with rows in ``state`` so that exports and crawls know them.

    Bags are checked against their manifests, packages against their METS; one that is damaged is refused, the others
    come in. Doing it again changes nothing. Raises ArchiveError where there is nothing to import.
    """
    done = Imported()
    for place in _candidates(source):
        if step:
            step(str(place))
        try:
            with _folder(place) as folder:
                for root in _packages(folder):
                    _import(root, store, state, now, done)
        except DiskFullError:
            raise
        except _DAMAGE as error:
            done.refused[str(place)] = str(error) or type(error).__name__
    if not (done.blogs or done.posts or done.unchanged or done.refused):
        raise ArchiveError(f"there are no packages at {source}")
    return done


def _candidates(source: Path) -> Iterator[Path]:
    """The source itself, or what lies in it: bags, ZIP files, packages."""
    if not source.exists():
        raise ArchiveError(f"{source} does not exist")
    if source.is_file() or is_bag(source) or (source / "METS.xml").is_file():
        yield source
        return
    for place in sorted(source.iterdir()):
        if place.name.startswith("."):
            continue
        if place.suffix == ".zip" or (place.is_dir() and (is_bag(place) or (place / "METS.xml").is_file())):
            yield place
        elif place.is_dir() and not place.is_symlink():
            yield from _candidates(place)


@contextlib.contextmanager
def _folder(place: Path) -> Iterator[Path]:
    """``place`` as a folder: a ZIP is unpacked, a bag checked."""
    if place.is_dir():
        if is_bag(place):
            check_bag(place)
        yield place
        return
    with tempfile.TemporaryDirectory(prefix="blogcrawl-import-") as name:
        folder = Path(name)
        with disk_errors(name):
            _unpack(place, folder)
        for inner in (folder, *folder.iterdir()):
            if inner.is_dir() and is_bag(inner):
                check_bag(inner)
        yield folder


def _unpack(place: Path, folder: Path) -> None:
    """Raises ArchiveError on members that leave the folder, links, and ZIP bombs."""
    with zipfile.ZipFile(place) as package:
        members = package.infolist()
        if len(members) > _MAX_FILES or sum(member.file_size for member in members) > _MAX_UNPACKED:
            raise ArchiveError(f"{place} unpacks to too much")
        for member in members:
            path = PurePosixPath(member.filename.replace("\\", "/"))
            is_link = (member.external_attr >> 16) & 0o170000 == 0o120000
            if not path.parts or path.is_absolute() or ".." in path.parts or is_link or ":" in path.parts[0]:
                raise ArchiveError(f"{place}: {member.filename!r} leads out of the package")
            if member.is_dir():
                continue
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            with package.open(member) as source, target.open("wb") as out:
                shutil.copyfileobj(source, out, 2**20)


def _packages(folder: Path) -> Iterator[Path]:
    """Roots of packages: a METS.xml, and not that of a representation."""
    for path in sorted(folder.rglob("METS.xml")):
        if "representations" not in path.relative_to(folder).parts[:-1]:
            yield path.parent


def _import(root: Path, store: PackageStore, state: State, now: datetime, done: Imported) -> None:
    files = {p.relative_to(root).as_posix(): p for p in sorted(root.rglob("*")) if p.is_file() and not p.is_symlink()}

    def opener(path: str) -> BinaryIO:
        return files[path].open("rb")

    faults = Package(files, opener).check()
    if faults:
        raise PackagingError(f"{root.name}: {faults[0]}" + (f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""))
    mets = parse(files["METS.xml"].read_bytes())
    object_id = ids.urn(ids.bare(mets.get("OBJID", "")))
    head = mets.find(f"{{{METS}}}metsHdr")
    changed = parse_rfc3339((head.get("LASTMODDATE") or head.get("CREATEDATE") or "") if head is not None else "")
    before = store.head(object_id)
    content: dict[str, Content] = {path: lazily(place) for path, place in files.items()}
    version = store.put(object_id, content, message=f"imported from {root.name}", created=changed)
    if before is not None and before.version == version.version:
        done.unchanged += 1
    if POST_JSON in files:
        blog = parent_aip(files, opener)
        if blog is None:
            raise PackagingError("the package names no blog that it belongs to")
        _save_post(state, files, blog, object_id, version.version, changed)
        done.posts += before is None or before.version != version.version
    elif BLOG_JSON in files:
        _save_blog(state, files[BLOG_JSON].read_bytes(), object_id, version.version)
        done.blogs += before is None or before.version != version.version


def _save_post(state: State, files: dict[str, Path], blog_aip: str, object_id: str, version: int, seen: datetime) -> None:
    post = post_from_json(decode(files[POST_JSON].read_bytes()))
    blog_id = ids.bare(blog_aip)
    if state.get_blog(blog_id) is None:
        state.save_blog(BlogRow(id=blog_id, url=blog_aip, health="imported"))
    media = [
        MediaRow(
            blog_id=blog_id, url=one.url, sha256=one.sha256, mime=one.mime, size=one.size, aip_id=object_id,
            path=f"{MEDIA}{one.name}", error=one.error,
        )
        for one in post.media
        if one.sha256 and f"{MEDIA}{one.name}" in files
    ]  # fmt: skip
    row = PostRow(
        blog_id=blog_id,
        url=post.canonical_url,
        title=post.title,
        published=post.published,
        modified=post.modified,
        comment_count=len(post.comments),
        comments_shown=post.comments_shown,
        aip_id=object_id,
        aip_version=version,
        status=post.status,
        first_seen=post.fetched_at or seen,
        last_seen=post.fetched_at or seen,
    )
    state.save_post(row, media)


def _save_blog(state: State, data: bytes, object_id: str, version: int) -> None:
    blog = blog_from_json(decode(data))
    state.save_blog(
        BlogRow(
            id=ids.bare(object_id),
            url=blog.url,
            title=blog.title,
            record=blog_to_json(blog),
            aip_id=object_id,
            aip_version=version,
            health="imported",
        )
    )


__all__ = ["Imported", "import_packages"]
