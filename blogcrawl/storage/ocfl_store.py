"""What the local and the remote OCFL store share: reading, and what an erasure replaces."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from blogcrawl.core.errors import DamagedError, StorageError
from blogcrawl.packaging.parts import measure
from blogcrawl.storage import ocfl_model as model
from blogcrawl.storage.base import ObjectVersion
from blogcrawl.storage.files import checked
from blogcrawl.storage.ocfl_check import ObjectReader, check_object
from blogcrawl.storage.ocfl_model import Inventory

Guard = Callable[[str, int], None]
"""Called with object id and fence before a version becomes visible; raises LeaseLostError."""


class OcflStore(ABC):
    """A PackageStore, as far as it does not matter where the objects lie.

    A *place* is the path of an object below the storage root.
    """

    guard: Guard | None

    @abstractmethod
    def reader(self, place: str) -> ObjectReader:
        """Return the reader of the object at ``place``."""

    @abstractmethod
    def inventory(self, object_id: str) -> Inventory | None:
        """Read an object's inventory; None if there is no such object. Raises DamagedError."""

    @abstractmethod
    def places(self) -> Iterator[str]:
        """Yield the places of what may be objects, in order."""

    @abstractmethod
    def content(self, object_id: str, path: str) -> BinaryIO:
        """Open a file of an object. Raises DamagedError if it is missing."""

    def head(self, object_id: str) -> ObjectVersion | None:
        """See PackageStore."""
        inventory = self.inventory(object_id)
        return inventory.record() if inventory else None

    def versions(self, object_id: str) -> list[ObjectVersion]:
        """See PackageStore."""
        inventory = self.inventory(object_id)
        return [inventory.record(n) for n in inventory.numbers()] if inventory else []

    def open(self, object_id: str, path: str, version: int | None = None) -> BinaryIO:
        """See PackageStore."""
        inventory = self.inventory(object_id)
        if inventory is None:
            raise DamagedError(f"there is no package {object_id}")
        place = inventory.locate(path, version)
        stream = self.content(object_id, place)
        return checked(stream, inventory.files(version)[path], f"{object_id}: {place}")

    def verify(self, object_id: str, *, deep: bool = False) -> list[str]:
        """See PackageStore."""
        return check_object(self.reader(model.object_path(object_id)), object_id, deep=deep)

    def object_ids(self) -> Iterator[str]:
        """Yield the ids of all objects; of damaged ones too, as far as their place has the id."""
        for place in self.places():
            object_id = self.id_of(place)
            if object_id is not None:
                yield object_id

    def id_of(self, place: str) -> str | None:
        """Return the id whose place this is; that of long ids is in the inventory only."""
        object_id = model.id_of_path(place)
        if object_id is not None:
            return object_id
        try:
            inventory = model.read_inventory(self.reader(place).read, place)
        except DamagedError:
            return None
        if inventory is None or model.object_path(inventory.id) != place:
            return None
        return inventory.id

    def check_guard(self, object_id: str, fence: int) -> None:
        """Ask the guard of a write that has a fence. Raises LeaseLostError."""
        if self.guard and fence:
            self.guard(object_id, fence)

    def erased(
        self, object_id: str, replaced: Mapping[str, Path | None]
    ) -> tuple[Inventory, dict[str, Path]]:
        """Return the inventory after an erasure, and the files by digest that replace content.

        Raises StorageError if there is no such object.
        """
        inventory = self.inventory(object_id)
        if inventory is None:
            raise StorageError(f"there is no package {object_id}")
        sources: dict[str, Path] = {}
        digests: dict[str, str | None] = {}
        for old, path in replaced.items():
            new = None
            if path is not None:
                with path.open("rb") as stream:
                    new = measure(stream)[0]
                sources[new] = path
            digests[old] = new
        return inventory.erased(digests), sources
