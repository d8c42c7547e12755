"""WACZ 1.1.1 (specs.webrecorder.net/wacz/1.1.1): a crawl's evidence in one replayable ZIP."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import BinaryIO

from blogcrawl.packaging.records import encode, rfc3339

_CHUNK = 2**20
_PAGES_HEAD = {"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What the data package says of itself."""

    title: str
    created: datetime
    software: str
    description: str = ""
    main_url: str = ""


def zip_time(moment: datetime) -> tuple[int, int, int, int, int, int]:
    """Return ``moment`` as a ZIP holds it, in UTC: years from 1980 to 2107 only."""
    utc = moment.astimezone(UTC)
    time = (utc.year, utc.month, utc.day, utc.hour, utc.minute, utc.second)
    return min(max((1980, 1, 1, 0, 0, 0), time), (2107, 12, 31, 23, 59, 58))


class _Zip:
    """A ZIP being written, with resources and digests; its times are the package's."""

    def __init__(self, out: BinaryIO, created: datetime) -> None:
        self.zip = zipfile.ZipFile(out, "w", allowZip64=True)
        self.time = zip_time(created)
        self.resources: list[dict[str, object]] = []

    def add(self, path: str, chunks: Iterable[bytes], *, packed: bool, listed: bool = True) -> None:
        info = zipfile.ZipInfo(path, self.time)
        info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
        info.external_attr = 0o644 << 16
        digest, size = hashlib.sha256(), 0
        with self.zip.open(info, "w", force_zip64=True) as file:
            for chunk in chunks:
                digest.update(chunk)
                size += len(chunk)
                file.write(chunk)
        if listed:
            name = path.rsplit("/", 1)[-1]
            self.resources.append(
                {"name": name, "path": path, "hash": f"sha256:{digest.hexdigest()}", "bytes": size}
            )


def _read(stream: BinaryIO) -> Iterable[bytes]:
    while chunk := stream.read(_CHUNK):
        yield chunk


def write_wacz(
    out: BinaryIO,
    about: About,
    *,
    warcs: Sequence[tuple[str, BinaryIO]],
    index: Iterable[str],
    pages: Iterable[Mapping[str, object]],
) -> None:
    """Write a WACZ to ``out``. ``index``: sorted CDXJ lines; ``pages``: url, ts, title, more."""
    package = _Zip(out, about.created)
    for name, stream in warcs:
        package.add(f"archive/{name}", _read(stream), packed=False)
    package.add(
        "indexes/index.cdx",
        (line.encode("utf-8", "backslashreplace") + b"\n" for line in index),
        packed=True,
    )
    lines = (encode(line) + b"\n" for line in (_PAGES_HEAD, *pages))
    package.add("pages/pages.jsonl", lines, packed=True)
    described: dict[str, object] = {
        "profile": "data-package",
        "wacz_version": "1.1.1",
        "title": about.title,
        "description": about.description,
        "created": rfc3339(about.created),
        "modified": rfc3339(about.created),
        "software": about.software,
        "mainPageUrl": about.main_url,
        "resources": package.resources,
    }
    data = json.dumps(
        {key: value for key, value in described.items() if value}, ensure_ascii=False, indent=1
    ).encode("utf-8", "replace")
    package.add("datapackage.json", [data], packed=True, listed=False)
    digest = {"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(data).hexdigest()}"}
    package.add("datapackage-digest.json", [json.dumps(digest).encode()], packed=True, listed=False)
    package.zip.close()
