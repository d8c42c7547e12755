"""The WARC records of one page, out of a blog's evidence, by the indexes of its WACZ files."""

from __future__ import annotations

import contextlib
import json
import threading
import zipfile
from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from blogcrawl.core.errors import DamagedError
from blogcrawl.packaging.cdxj import surt
from blogcrawl.packaging.layout import WEB
from blogcrawl.storage.base import ObjectVersion, PackageStore

_INDEX = "indexes/index.cdx"
_ENDING = ".wacz"
REMEMBERED = 8
"""Blogs whose captured pages are remembered."""


class CapturedPages:
    """Of which pages the evidence of a blog has records.

    An index is packed and read as a whole, which takes longer than a page of the reading room may:
    eight bytes of each of its keys are remembered, of the blogs asked about last.
    """

    def __init__(self, store: PackageStore) -> None:
        self._store = store
        self._known: OrderedDict[str, tuple[int, array[int]]] = OrderedDict()
        self._lock = threading.Lock()

    def has(self, object_id: str, urls: Iterable[str]) -> bool:
        """Report whether there is a record of one of these pages. Raises StorageError.

        ``object_id``: the blog's package. Evidence that is damaged counts as none.
        """
        head = self._store.head(object_id)
        if head is None:
            return False
        known = self._keys(object_id, head)
        return any(_is_in(known, hash(surt(url).encode())) for url in urls)

    def _keys(self, object_id: str, head: ObjectVersion) -> array[int]:
        with self._lock:
            version, known = self._known.get(object_id, (0, array("q")))
        if version != head.version:
            known = array("q", sorted(set(self._read(object_id, head))))
        with self._lock:
            self._known[object_id] = (head.version, known)
            self._known.move_to_end(object_id)
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return known

    def _read(self, object_id: str, head: ObjectVersion) -> Iterator[int]:
        for path in filter(_is_evidence, head.files):
            with (
                contextlib.suppress(zipfile.BadZipFile, KeyError),
                self._store.open(object_id, path, head.version) as file,
                zipfile.ZipFile(file) as package,
                package.open(_INDEX) as index,
            ):
                yield from (hash(line.partition(b" ")[0]) for line in index)


def _is_in(known: array[int], wanted: int) -> bool:
    at = bisect_left(known, wanted)
    return at < len(known) and known[at] == wanted


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
