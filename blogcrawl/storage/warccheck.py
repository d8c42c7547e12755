"""Check WARC and WACZ files: every record is read, every digest computed again."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

from blogcrawl.packaging.parts import measure
from blogcrawl.packaging.warc import whole_members

_CHUNK = 2**20
_DIGEST_FILE = "datapackage-digest.json"
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    EOFError,
    ValueError,
    NotImplementedError,
    RuntimeError,
)
"""What reading a damaged ZIP raises, also for flags that became those of encryption."""


def check_warc(stream: BinaryIO) -> Iterator[str]:
    """Yield the faults of a WARC file: unreadable records, wrong digests, ids that occur twice."""
    from warcio.archiveiterator import ArchiveIterator
    from warcio.exceptions import ArchiveLoadFailed

    seen: set[str] = set()
    count = 0
    whole, size = whole_members(stream), stream.seek(0, os.SEEK_END)
    stream.seek(0)
    if whole < size:
        yield f"{size - whole} bytes at the end are no whole record"
    try:
        for record in ArchiveIterator(stream, check_digests=True):
            count += 1
            yield from _record_faults(record, count, seen)
    except (
        ArchiveLoadFailed,
        OSError,
        EOFError,
        ValueError,
        OverflowError,  # a length beyond what the platform counts
        AttributeError,
    ) as error:  # warcio trips over a cut gzip header by the last
        yield f"after {count} records: {error}"
    if count == 0:
        yield "no records"


def _record_faults(record: Any, number: int, seen: set[str]) -> Iterator[str]:
    record_id = record.rec_headers.get_header("WARC-Record-ID")
    if not record_id:
        yield f"record {number} has no WARC-Record-ID"
    elif record_id in seen:
        yield f"{record_id} occurs twice"
    seen.add(record_id or "")
    while record.raw_stream.read(_CHUNK):
        pass
    checker = record.digest_checker
    if checker is not None and checker.passed is False:
        yield from (f"{record_id}: {problem}" for problem in checker.problems)


def check_wacz(stream: BinaryIO) -> Iterator[str]:
    """Yield the faults of a WACZ: its resources, their digests, the WARC files inside."""
    try:
        package = zipfile.ZipFile(stream)
    except _UNREADABLE as error:
        yield f"no ZIP file: {error}"
        return
    with package:
        names = set(package.namelist())
        try:
            data = package.read("datapackage.json")
            listed = {str(one["path"]): one for one in json.loads(data)["resources"]}
        except (*_UNREADABLE, KeyError, TypeError) as error:
            yield f"datapackage.json: {error}"
            return
        yield from _check_digest(package, names, data)
        yield from (f"{path} is listed but missing" for path in sorted(set(listed) - names))
        yield from (
            f"{path} is in the file but not listed"
            for path in sorted(names - set(listed) - {"datapackage.json", _DIGEST_FILE})
            if not path.endswith("/")
        )
        for path in sorted(names & set(listed)):
            yield from _check_member(package, path, listed[path])


def _check_digest(package: zipfile.ZipFile, names: set[str], data: bytes) -> Iterator[str]:
    if _DIGEST_FILE not in names:
        return
    try:
        recorded = json.loads(package.read(_DIGEST_FILE))["hash"]
    except (*_UNREADABLE, KeyError, TypeError) as error:
        yield f"{_DIGEST_FILE}: {error}"
        return
    if recorded != f"sha256:{hashlib.sha256(data).hexdigest()}":
        yield f"{_DIGEST_FILE} does not fit datapackage.json"


def _check_member(package: zipfile.ZipFile, path: str, listed: dict[str, object]) -> Iterator[str]:
    try:
        with package.open(path) as member:
            digest, size = measure(member, "sha256")  # type: ignore[arg-type]
        if listed.get("hash") != f"sha256:{digest}" or listed.get("bytes") != size:
            yield f"{path} is not what datapackage.json says"
        elif path.endswith(".warc.gz"):
            with package.open(path) as member:
                yield from (f"{path}: {fault}" for fault in check_warc(member))  # type: ignore[arg-type]
    except _UNREADABLE as error:
        yield f"{path}: {error}"
