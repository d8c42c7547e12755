"""Exports that are folders: evidence files, bags, zipped packages."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from blogcrawl.core.errors import DamagedError
from blogcrawl.packaging import ids
from blogcrawl.packaging.contents import plain_name
from blogcrawl.packaging.layout import WEB
from blogcrawl.packaging.wacz import zip_time
from blogcrawl.storage.bags import write_bag
from blogcrawl.storage.base import ObjectVersion, PackageStore
from blogcrawl.storage.selection import LeftOut, Selection
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.temporary import new_file, sweep

Step = Callable[[int], None] | None
_STORED = (
    ".wacz",
    ".gz",
    ".zip",
    ".png",
    ".jpg",
    ".jpeg",
    ".gif",
    ".webp",
    ".mp4",
    ".mp3",
    ".ogg",
    ".pdf",
)
"""Files that a second compression makes no smaller."""


def _versions(
    state: SqlState, store: PackageStore, selection: Selection, left_out: LeftOut
) -> Iterator[ObjectVersion]:
    for object_id, number in selection.packages(state):
        found: list[ObjectVersion] = []
        with left_out.guard(object_id):
            found = [version for version in store.versions(object_id) if version.version == number]
            if not found:
                raise DamagedError(f"version {number} of {object_id} is not in the store")
        yield from found


def _evidence(
    state: SqlState, store: PackageStore, selection: Selection, left_out: LeftOut
) -> Iterator[tuple[ObjectVersion, str]]:
    for blog in selection.blog_rows(state):
        head = None
        with left_out.guard(blog.aip_id):
            head = store.head(blog.aip_id) if blog.aip_id else None
        for path in sorted(head.files) if head else ():
            if path.startswith(WEB) and head is not None:
                yield head, path


def wacz(
    state: SqlState,
    store: PackageStore,
    selection: Selection,
    target: Path,
    left_out: LeftOut,
    step: Step,
) -> int:
    """One WACZ per crawl, in a folder per blog."""
    count = 0
    for head, path in _evidence(state, store, selection, left_out):
        place = target / ids.objid(head.object_id) / path[len(WEB) :]
        with left_out.guard(head.object_id):
            if not place.exists():
                place.parent.mkdir(parents=True, exist_ok=True)
                sweep(place.parent)
                with store.open(head.object_id, path) as source, new_file(place) as out:
                    shutil.copyfileobj(source, out, 2**20)
            count += 1
        if step:
            step(count)
    return count


def warc(
    state: SqlState,
    store: PackageStore,
    selection: Selection,
    target: Path,
    left_out: LeftOut,
    step: Step,
) -> int:
    """The WARC files themselves, in a folder per blog."""
    count = 0
    for head, path in _evidence(state, store, selection, left_out):
        folder = target / ids.objid(head.object_id)
        folder.mkdir(parents=True, exist_ok=True)
        sweep(folder)
        with left_out.guard(head.object_id), store.open(head.object_id, path) as stream:
            for name in _unpack(stream, folder):
                count += bool(name)
                if step:
                    step(count)
    return count


def _unpack(package: BinaryIO, folder: Path) -> Iterator[str]:
    """Write the WARC files of a WACZ; their names. What the ZIP's own checksums find raises
    BadZipFile.
    """
    with zipfile.ZipFile(package) as archive:
        for info in archive.infolist():
            name = info.filename.removeprefix("archive/")
            if name == info.filename or not name:
                continue
            place = folder / plain_name(name)
            if not place.exists() or place.stat().st_size != info.file_size:
                with archive.open(info) as source, new_file(place) as out:
                    shutil.copyfileobj(source, out, 2**20)
            yield name


def bagit(
    state: SqlState,
    store: PackageStore,
    selection: Selection,
    target: Path,
    left_out: LeftOut,
    step: Step,
) -> int:
    """A bag per package, blogs' and posts'."""
    count = 0
    for version in _versions(state, store, selection, left_out):
        with left_out.guard(version.object_id):
            write_bag(store, version, target, now=datetime.now(UTC))
            count += 1
        if step:
            step(count)
    return count


def eark_zip(
    state: SqlState,
    store: PackageStore,
    selection: Selection,
    target: Path,
    left_out: LeftOut,
    step: Step,
) -> int:
    """A ZIP per package with one folder in it, as RODA and other E-ARK systems take it. The version
    is in the name.
    """
    count = 0
    for version in _versions(state, store, selection, left_out):
        place = target / f"{ids.objid(version.object_id)}-v{version.version}.zip"
        with left_out.guard(version.object_id):
            if not place.exists():
                with new_file(place) as out:
                    write_zip(store, version, out)
            count += 1
        if step:
            step(count)
    return count


def write_zip(store: PackageStore, version: ObjectVersion, place: Path | BinaryIO) -> None:
    """One package as ZIP; the same version gives the same bytes."""
    name = ids.objid(version.object_id)
    with zipfile.ZipFile(place, "w", allowZip64=True) as package:
        for path in sorted(version.files):
            info = zipfile.ZipInfo(f"{name}/{path}", zip_time(version.created))
            info.compress_type = (
                zipfile.ZIP_STORED if path.endswith(_STORED) else zipfile.ZIP_DEFLATED
            )
            info.external_attr = 0o644 << 16
            with (
                store.open(version.object_id, path, version.version) as source,
                package.open(info, "w", force_zip64=True) as out,
            ):
                shutil.copyfileobj(source, out, 2**20)
