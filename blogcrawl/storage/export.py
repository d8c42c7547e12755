"""Formats of ``blogcrawl export``. Streamed, so memory doesn't grow with the archive; resumable.

A format is a file (jsonl, marcxml, dc, parquet) or a folder (all others). An
interrupted export goes on where it was: files keep a ``.part`` with a note of how far it is whole,
folders skip what is there.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from lxml import etree

from blogcrawl.core.errors import UsageError
from blogcrawl.packaging.layout import DC_XML, MARC_XML, POST_JSON
from blogcrawl.packaging.records import decode, encode
from blogcrawl.packaging.xmltools import DC, MARC, OAI_DC, parse
from blogcrawl.storage import exportfolders
from blogcrawl.storage.base import PackageStore
from blogcrawl.storage.files import disk_errors, replace_file
from blogcrawl.storage.selection import Export, LeftOut, Selection, identifiers, read
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.submissions import WRITERS
from blogcrawl.storage.tables import BlogRow, PostRow
from blogcrawl.storage.temporary import sweep

_NOTE_EVERY = 500
"""Posts between two notes of how far a file is whole."""


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format that is one file: what stands before, for each post, and after; ``blogs``: whether
    the body of each blog stands before those of posts, which refer to it.
    """

    head: bytes
    body: Callable[[PackageStore, PostRow | BlogRow], bytes]
    tail: bytes
    blogs: bool = False


def _json_line(store: PackageStore, row: PostRow | BlogRow) -> bytes:
    """Return the record of a post after the identifiers of its blog, itself and its package."""
    assert isinstance(row, PostRow)  # the format has no lines of blogs
    return encode({**identifiers(row), **decode(read(store, row, POST_JSON))}) + b"\n"


def _marc_records(store: PackageStore, row: PostRow | BlogRow) -> bytes:
    return b"".join(
        etree.tostring(record, encoding="utf-8") for record in parse(read(store, row, MARC_XML))
    )


def _dc_record(store: PackageStore, row: PostRow | BlogRow) -> bytes:
    return etree.tostring(parse(read(store, row, DC_XML)), encoding="utf-8") + b"\n"


_XML = b'<?xml version="1.0" encoding="UTF-8"?>\n'
FILE_FORMATS = {
    "jsonl": FileFormat(b"", _json_line, b""),
    "marcxml": FileFormat(
        _XML + f'<collection xmlns="{MARC}">\n'.encode(),
        _marc_records,
        b"</collection>\n",
        blogs=True,
    ),
    "dc": FileFormat(
        _XML + f'<records xmlns:oai_dc="{OAI_DC}" xmlns:dc="{DC}">\n'.encode(),
        _dc_record,
        b"</records>\n",
    ),
}
FOLDER_FORMATS: dict[str, Callable[[Export], int]] = {
    "warc": exportfolders.warc,
    "wacz": exportfolders.wacz,
    "bagit": partial(exportfolders.packages, WRITERS["bag"]),
    "eark-zip": partial(exportfolders.packages, WRITERS["zip"]),
    "eark-sip": partial(exportfolders.packages, WRITERS["sip"]),
    "archivematica": partial(exportfolders.packages, WRITERS["archivematica"]),
}
FORMATS = (*FILE_FORMATS, "parquet", *FOLDER_FORMATS)


def stream(
    name: str,
    state: SqlState,
    store: PackageStore,
    selection: Selection,
    left_out: LeftOut | None = None,
) -> Iterator[bytes]:
    """Yield a file format piece by piece, for standard output; damaged packages go to ``left_out``.

    Raises UsageError on a format that is no stream.
    """
    left_out = LeftOut() if left_out is None else left_out
    if name not in FILE_FORMATS:
        raise UsageError(
            f"{name} can't be written to standard output", advice="name a file or folder with -o"
        )
    form = FILE_FORMATS[name]
    yield from _opening(form, state, store, selection, left_out)
    for row in selection.posts(state):
        piece = b""
        with left_out.guard(row.aip_id):
            piece = form.body(store, row)
        yield piece
    yield form.tail


def _opening(
    form: FileFormat, state: SqlState, store: PackageStore, selection: Selection, left_out: LeftOut
) -> Iterator[bytes]:
    """Yield what stands before the posts."""
    yield form.head
    for row in selection.blog_rows(state) if form.blogs else ():
        piece = b""
        if row.aip_id:
            with left_out.guard(row.aip_id):
                piece = form.body(store, row)
        yield piece


def export(name: str, job: Export) -> int:
    """Write an export in the format ``name``; the number of posts or packages.

    The target of a file format is complete or not there. Damaged packages are noted in
    ``left_out``, the others written. Raises UsageError, DiskFullError, StorageError.
    """
    target = job.target
    if name not in FORMATS:
        raise UsageError(f"there is no format {name!r}", advice="take one of " + ", ".join(FORMATS))
    if name in FOLDER_FORMATS:
        return write_folder(job, name, FOLDER_FORMATS[name])
    with disk_errors(str(target)):
        if target.is_dir():
            raise UsageError(f"{target} is a folder; {name} is written into a file")
        if target.exists() and not target.is_file():
            raise UsageError(
                f"{target} is no ordinary file",
                advice="jsonl, marcxml and dc go to standard output without -o",
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        sweep(target.parent)
        if name == "parquet":
            from blogcrawl.storage.parquet import write_parquet

            return write_parquet(job)
        return _write_file(FILE_FORMATS[name], job)


def write_folder(job: Export, name: str, writer: Callable[[Export], int]) -> int:
    """Write an export into its folder, made if needed; ``name``: of the format.

    Raises UsageError if the target is a file, DiskFullError, StorageError.
    """
    with disk_errors(str(job.target)):
        if job.target.is_file():
            raise UsageError(f"{job.target} is a file; {name} is written into a folder")
        job.target.mkdir(parents=True, exist_ok=True)
        sweep(job.target)
        return writer(job)


def _write_file(form: FileFormat, job: Export) -> int:
    part = job.target.with_name(job.target.name + ".part")
    note = part.with_name(part.name + ".json")
    what = repr(job.selection)
    done = _begun(part, note, what, job)
    with part.open("r+b" if done.posts else "wb") as file:
        file.truncate(done.bytes)
        file.seek(done.bytes)
        if not done.posts:
            file.writelines(_opening(form, job.state, job.store, job.selection, job.left_out))
        for row in islice(job.posts(), done.posts, None):
            with job.left_out.guard(row.aip_id):
                file.write(form.body(job.store, row))
                done.written += 1
            done.posts += 1
            done.mark.update(_identity(row))
            if done.posts % _NOTE_EVERY == 0:
                _note(file, note, {**done.noted(), "what": what, "left_out": job.left_out})
            job.report(done.posts)
        file.write(form.tail)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, job.target)
    note.unlink(missing_ok=True)
    return done.written


@dataclass(slots=True)
class _Progress:
    """How far a file is whole: its bytes, the posts that were looked at, those that are in it."""

    bytes: int = 0
    posts: int = 0
    written: int = 0
    mark: hashlib._Hash = field(default_factory=hashlib.sha256)
    """Of the posts that were looked at, in order."""

    def noted(self) -> dict[str, object]:
        return {"posts": self.posts, "written": self.written, "mark": self.mark.hexdigest()}


def _identity(row: PostRow) -> bytes:
    return f"{row.aip_id} {row.aip_version}\n".encode()


def _begun(part: Path, note: Path, what: str, job: Export) -> _Progress:
    """Return how far an interrupted export of the same selection came.

    Nothing if there is none, or if the archive has changed since in what was written already. What
    it left out goes into ``job.left_out``.
    """
    done = _Progress()
    try:
        noted = json.loads(note.read_bytes())
        done.bytes, done.posts, done.written = (
            int(noted[name]) for name in ("bytes", "posts", "written")
        )
        if noted["what"] != what or part.stat().st_size < done.bytes:
            return _Progress()
        for row in islice(job.posts(), done.posts):
            done.mark.update(_identity(row))
        if done.mark.hexdigest() != noted["mark"]:
            return _Progress()
        earlier = dict(noted.get("left_out", {}))
        job.left_out.update({str(key): str(why) for key, why in earlier.items()})
        return done
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return _Progress()


def _note(file: BinaryIO, note: Path, progress: dict[str, object]) -> None:
    file.flush()
    os.fsync(file.fileno())
    replace_file(note, json.dumps({**progress, "bytes": file.tell()}).encode())
