"""The WARC records of one page, out of a blog's evidence, by the indexes of its WACZ files."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from blogcrawl.core.errors import DamagedError
from blogcrawl.packaging.cdxj import surt
from blogcrawl.packaging.layout import WEB
from blogcrawl.storage.base import PackageStore

_INDEX = "indexes/index.cdx"
_ENDING = ".wacz"


def has_evidence(store: PackageStore, object_id: str) -> bool:
    """Report whether a blog's package has captured pages at all. Raises StorageError."""
    head = store.head(object_id)
    return head is not None and any(map(_is_evidence, head.files))


def _is_evidence(path: str) -> bool:
    return path.startswith(WEB) and path.endswith(_ENDING)


def records_of(store: PackageStore, object_id: str, urls: Iterable[str]) -> Iterator[bytes]:
    """Yield the compressed records of pages: one after the other they are a WARC file.

    ``object_id``: the blog's package. Responses, revisits and renderings of all crawls whose
    evidence is in its newest version. Raises StorageError, DamagedError.
    """
    keys = {surt(url).encode() for url in urls}
    head = store.head(object_id)
    for path in sorted(head.files) if head else ():
        if _is_evidence(path):
            with store.open(object_id, path) as file:
                yield from _records(file, keys, path)


def _records(file: BinaryIO, keys: set[bytes], path: str) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(file) as package, package.open(_INDEX) as index:
            for line in index:
                key, _, rest = line.partition(b" ")
                if key not in keys:
                    continue
                entry = json.loads(rest.partition(b" ")[2])
                with package.open(f"archive/{entry['filename']}") as records:
                    records.seek(int(entry["offset"]))
                    yield records.read(int(entry["length"]))
    except (zipfile.BadZipFile, KeyError, ValueError) as error:
        raise DamagedError(f"the evidence in {path} can't be read: {error}") from None
