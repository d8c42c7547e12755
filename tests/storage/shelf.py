"""A store with versions of one package, for tests of what takes packages out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from blogcrawl.core.config import Config
from blogcrawl.packaging import ids
from blogcrawl.packaging.aip import entry_aip
from blogcrawl.storage.base import DepositTarget, ObjectVersion
from blogcrawl.storage.deposit import files_of
from blogcrawl.storage.ocfl import open_store
from tests.packaging.samples import MOMENT, entry


class Shelf:
    """The package of post 1; a version differs from another in its number of comments."""

    def __init__(self, folder: Path) -> None:
        self.store = open_store(Config(archive=str(folder)))

    def put(self, comments: int, **changes: object) -> ObjectVersion:
        source = entry(1, comments=comments, **changes)
        return self.store.put(
            ids.urn(ids.entry_id(source.post.canonical_url)),
            entry_aip(source),
            message="m",
            created=MOMENT,
        )

    def read(self, version: ObjectVersion) -> Callable[[str], BinaryIO]:
        return files_of(self.store, version).__getitem__

    def send(self, target: DepositTarget, version: ObjectVersion) -> str:
        return target.deposit(version, files_of(self.store, version))
