"""What is wrong with an OCFL object: one line a fault, nothing repaired."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import BinaryIO, Protocol

from blogcrawl.core.errors import DamagedError
from blogcrawl.packaging.parts import measure
from blogcrawl.storage import ocfl_model as model
from blogcrawl.storage.ocfl_model import INVENTORY, OBJECT_NAMASTE, SIDECAR, Inventory


class ObjectReader(Protocol):
    """Reads the files of one object, wherever it lies. Paths are relative to the object's root."""

    def read(self, path: str) -> bytes | None:
        """Return the file's bytes, or None if it does not exist."""

    def open(self, path: str) -> BinaryIO: ...

    def walk(self) -> Iterable[str]:
        """Return the paths of all files."""


def check_object(reader: ObjectReader, object_id: str, *, deep: bool) -> list[str]:
    """Return the faults of an object's files and inventories; ``deep`` hashes all content."""
    faults: list[str] = []
    found = set(reader.walk())
    if reader.read(OBJECT_NAMASTE) != model.OBJECT_TEXT:
        faults.append(f"{OBJECT_NAMASTE} is missing or wrong")
    data = reader.read(INVENTORY)
    if data is None:
        return [*faults, f"{INVENTORY} is missing"]
    if reader.read(SIDECAR) != model.sidecar(data):
        faults.append(f"{SIDECAR} does not fit {INVENTORY}")
    try:
        inventory = Inventory.parse(data, INVENTORY, object_id)
    except DamagedError as error:
        return [*faults, error.message]
    faults += _unused_digests(inventory)
    faults += _check_versions(reader, inventory, data, found)
    faults += _check_files(inventory, found)
    if deep:
        faults += _check_content(inventory, found, reader.open)
    return faults


def _unused_digests(inventory: Inventory) -> list[str]:
    used = {digest for version in inventory.versions.values() for digest in version["state"]}
    return [
        f"manifest digest {digest[:16]}… is in no version"
        for digest in inventory.manifest
        if digest not in used
    ]


def _check_files(inventory: Inventory, found: set[str]) -> list[str]:
    """Return missing and orphan files."""
    expected = {place for places in inventory.manifest.values() for place in places}
    known = {OBJECT_NAMASTE, INVENTORY, SIDECAR}
    known |= {f"v{n}/{name}" for n in inventory.numbers() for name in (INVENTORY, SIDECAR)}
    orphans = sorted(found - expected - known)
    return [
        *(f"{path} is missing" for path in sorted(expected - found)),
        *(f"{path} is an orphan: no inventory names it" for path in orphans),
    ]


def _check_versions(
    reader: ObjectReader, inventory: Inventory, root: bytes, found: set[str]
) -> list[str]:
    faults = []
    for number in inventory.numbers():
        name = f"v{number}/{INVENTORY}"
        if name not in found:
            faults.append(f"{name} is missing")
            continue
        data = reader.read(name) or b""
        if reader.read(f"v{number}/{SIDECAR}") != model.sidecar(data):
            faults.append(f"v{number}/{SIDECAR} does not fit its inventory")
        if number == inventory.number:
            if data != root:
                faults.append(f"{name} differs from the object's {INVENTORY}")
            continue
        try:
            older = Inventory.parse(data, name, inventory.id)
        except DamagedError as error:
            faults.append(error.message)
            continue
        if older.number != number or older.files() != inventory.files(number):
            faults.append(f"{name} has another state of v{number} than the head's inventory")
    return faults


def _check_content(
    inventory: Inventory, found: set[str], opener: Callable[[str], BinaryIO]
) -> list[str]:
    faults = []
    for digest, places in inventory.manifest.items():
        for place in places:
            if place not in found:
                continue
            try:
                with opener(place) as stream:
                    actual = measure(stream)[0]
            except OSError as error:
                faults.append(f"{place} can't be read: {error.strerror or error}")
                continue
            if actual != digest:
                faults.append(
                    f"{place} has changed: SHA-512 is {actual[:16]}…, should be {digest[:16]}…"
                )
    return faults
