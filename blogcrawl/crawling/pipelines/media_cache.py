"""Media files between their download and their package: a folder of the crawl's own, a file a
digest.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import BinaryIO

from blogcrawl.core.errors import StorageError
from blogcrawl.storage.base import PackageStore
from blogcrawl.storage.files import disk_errors, lazily
from blogcrawl.storage.outage import PASSING
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.temporary import new_file

MAX_IN_MEMORY = 2**20
"""Bytes of one file that are read at once; larger ones are handed on as open files."""
MAX_TOTAL = 32 * 2**20
"""Bytes of small files of one post held in memory at a time."""


class MediaCache:
    """Where the bytes of a digest are: here while no package holds them, then in the store."""

    def __init__(self, state: SqlState, store: PackageStore, folder: Path, blog_id: str) -> None:
        self.state, self.store, self.folder = state, store, folder
        self.blog_id = blog_id

    def keep(self, sha256: str, body: bytes) -> None:
        """Put the file aside. Raises DiskFullError, ArchiveError.

        Under its name it is whole: a crawl that is killed leaves the folder behind, and the next
        one believes what lies in it.
        """
        path = self.folder / sha256
        if path.exists() and path.stat().st_size == len(body):
            return
        with disk_errors(str(self.folder)):
            self.folder.mkdir(parents=True, exist_ok=True)
            with new_file(path) as file:
                file.write(body)

    def collect(self, digests: list[str]) -> dict[str, bytes | BinaryIO]:
        """Return content by digest for one package; small files as bytes, others as files that are
        opened when they are read. Unknown ones are left out."""
        out: dict[str, bytes | BinaryIO] = {}
        total = 0
        for digest in digests:
            source = self._source(digest)
            if source is None:
                continue
            out[digest] = lazily(source)
            if total < MAX_TOTAL:
                with lazily(source) as file:
                    head = file.read(MAX_IN_MEMORY + 1)
                if len(head) <= MAX_IN_MEMORY:
                    out[digest] = head
                    total += len(head)
        return out

    def _source(self, sha256: str) -> Path | Callable[[], BinaryIO] | None:
        place = self.folder / sha256
        if place.exists():
            return place
        row = self.state.media_by_digest(self.blog_id, sha256)
        if row is None or row.aip_id is None or row.path is None:
            return None
        opener = partial(self.store.open, row.aip_id, row.path)
        try:
            opener().close()
        except PASSING:
            raise
        except StorageError:
            return None
        return opener

    def forget(self, digests: list[str]) -> None:
        """Remove files that are in a package now."""
        for digest in digests:
            (self.folder / digest).unlink(missing_ok=True)

    def close(self) -> None:
        """Remove what no package took."""
        shutil.rmtree(self.folder, ignore_errors=True)
