"""Exports that are folders: evidence files, bags, zipped packages."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from blogcrawl.core.errors import DamagedError
from blogcrawl.packaging import ids
from blogcrawl.packaging.contents import plain_name
from blogcrawl.packaging.layout import WEB
from blogcrawl.storage.base import ObjectVersion, opener
from blogcrawl.storage.selection import Export
from blogcrawl.storage.submissions import Writer
from blogcrawl.storage.temporary import new_file, sweep


def wacz(job: Export) -> int:
    """Write one WACZ per crawl, in a folder per blog."""
    count = 0
    for head, path in _evidence(job):
        place = job.target / ids.objid(head.object_id) / path[len(WEB) :]
        with job.left_out.guard(head.object_id):
            if not place.exists():
                place.parent.mkdir(parents=True, exist_ok=True)
                sweep(place.parent)
                with job.store.open(head.object_id, path) as source, new_file(place) as out:
                    shutil.copyfileobj(source, out, 2**20)
            count += 1
        job.report(count)
    return count


def warc(job: Export) -> int:
    """Write the WARC files themselves, in a folder per blog."""
    count = 0
    for head, path in _evidence(job):
        folder = job.target / ids.objid(head.object_id)
        folder.mkdir(parents=True, exist_ok=True)
        sweep(folder)
        with job.left_out.guard(head.object_id), job.store.open(head.object_id, path) as stream:
            for _ in _unpack(stream, folder):
                count += 1
                job.report(count)
    return count


def packages(write: Writer, job: Export) -> int:
    """Write the selected version of each package, blogs' and posts'; the number of packages."""
    count = 0
    for object_id, number in job.selection.packages(job.state):
        with job.left_out.guard(object_id):
            found = [one for one in job.store.versions(object_id) if one.version == number]
            if not found:
                raise DamagedError(f"version {number} of {object_id} is not in the store")
            write(found[0], opener(job.store, found[0]), job.target, job.operator)
            count += 1
        job.report(count)
    return count


def _evidence(job: Export) -> Iterator[tuple[ObjectVersion, str]]:
    for blog in job.selection.blog_rows(job.state):
        head = None
        with job.left_out.guard(blog.aip_id):
            head = job.store.head(blog.aip_id) if blog.aip_id else None
        if head is not None:
            yield from ((head, path) for path in sorted(head.files) if path.startswith(WEB))


def _unpack(package: BinaryIO, folder: Path) -> Iterator[str]:
    """Write the WARC files of a WACZ; their names. Raises BadZipFile if its checksums differ."""
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
