"""The replaceable roles of storage, as Protocols."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Protocol

from blogcrawl.core.organization import Organization
from blogcrawl.packaging.parts import Content, Stamp, host_name


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectVersion:
    """One version of one package in the store. ``files``: logical path -> hex digest (sha512)."""

    object_id: str
    version: int
    created: datetime
    message: str
    files: Mapping[str, str]


class PackageStore(Protocol):
    """An OCFL storage root. Object ids are URIs (``urn:uuid:…``) and never change."""

    def put(
        self,
        object_id: str,
        files: Mapping[str, Content],
        *,
        message: str,
        created: datetime,
        fence: int = 0,
    ) -> ObjectVersion:
        """Write a new version that holds exactly ``files``; unchanged content is not stored twice.

        Equal to the head version: nothing is written, the head is returned. Atomic: killed at any
        line, the object is whole in its old or new version. Raises StorageError, DiskFullError.
        """

    def probe(self) -> None:
        """Raise as a write would: UnavailableError, DiskFullError, ReadOnlyError, ArchiveError."""

    def settle(self, object_id: str) -> ObjectVersion | None:
        """Finish and clear up what killed writers left of this object; its head then."""

    def erase(self, object_id: str, replaced: Mapping[str, Path | None], *, fence: int = 0) -> None:
        """Erase content from all versions.

        ``replaced``: SHA-512 of what goes -> a file with what takes its place, or None.

        The numbers of the versions stay. Raises StorageError if there is no such object,
        DiskFullError.
        """

    def withdraw(self, object_id: str, *, fence: int = 0) -> None:
        """Remove an object that only the crawl knows which made it; nothing where there is none.

        What others may have seen is taken down by a new version, or erased.
        """

    def head(self, object_id: str) -> ObjectVersion | None: ...

    def versions(self, object_id: str) -> list[ObjectVersion]: ...

    def open(self, object_id: str, path: str, version: int | None = None) -> BinaryIO:
        """Open the content of a logical path. Raises StorageError if it is missing."""

    def object_ids(self) -> Iterator[str]: ...

    def view(self, object_id: str) -> PackageStore:
        """Return a store for reading much of one object: a remote one caches its small files."""

    def verify(self, object_id: str, *, deep: bool = False) -> list[str]:
        """Return faults found, one line each; ``deep`` reads every byte again."""


class DepositTarget(Protocol):
    """Where packages travel to."""

    def deposit(self, version: ObjectVersion, files: Mapping[str, BinaryIO]) -> str:
        """Send a package; the receipt (an identifier or URL at the target). Idempotent.

        Raises DepositError.
        """


def next_stamp(versions: Sequence[ObjectVersion], now: datetime, operator: Organization) -> Stamp:
    """Return the stamp of the version that follows ``versions`` of a package, made here ``now``."""
    return Stamp(
        created=versions[0].created if versions else now,
        changed=now,
        version=versions[-1].version + 1 if versions else 1,
        operator=operator,
        host=host_name(),
    )


def opener(store: PackageStore, version: ObjectVersion) -> Callable[[str], BinaryIO]:
    """Return the function that opens a file of a version by its path."""
    return lambda path: store.open(version.object_id, path, version.version)
