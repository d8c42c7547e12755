"""OCFL 1.1 (ocfl.io/1.1/spec) as values: inventories, where an object lies, which paths may be. No disk here."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from blogcrawl.errors import StorageError
from blogcrawl.packaging.records import parse_rfc3339, rfc3339
from blogcrawl.storage.base import ObjectVersion

ROOT_NAMASTE, ROOT_TEXT = "0=ocfl_1.1", b"ocfl_1.1\n"
ROOT_FILES = frozenset({ROOT_NAMASTE, "ocfl_layout.json", "ocfl_1.1.txt", "ocfl_1.1.md"})
"""Files that may lie in a storage root itself: its marks, and a copy of the specification (OCFL 1.1, section 4.1)."""
OBJECT_NAMASTE, OBJECT_TEXT = "0=ocfl_object_1.1", b"ocfl_object_1.1\n"
INVENTORY, SIDECAR = "inventory.json", "inventory.json.sha512"
TYPE = "https://ocfl.io/1.1/spec/#inventory"
LAYOUT = "0003-hash-and-id-n-tuple-storage-layout"
"""Registered OCFL extension: the id itself stands in the folder's name, so that the root can be read by eye."""
LAYOUT_CONFIG = {"extensionName": LAYOUT, "digestAlgorithm": "sha256", "tupleSize": 3, "numberOfTuples": 3}
LAYOUT_NOTE = {"extension": LAYOUT, "description": "Three folders of three hex digits of the id's SHA-256, then the id"}
_ID_CHARS = 100
"""Longest id that stands in a folder's name as it is (extension 0003)."""

_NAME_BYTES = 240
"""Longest name that every usual file system takes is 255 bytes; the rest is room for temporary suffixes."""
_ODD = re.compile(r"[\x00-\x1f\x7f<>:\"|?*\\]")
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
_VERSION = re.compile(r"v[1-9]\d*\Z")


def object_path(object_id: str) -> str:
    """Where an object lies below the storage root, by layout extension 0003."""
    raw = object_id.encode("utf-8", "replace")
    digest = hashlib.sha256(raw).hexdigest()
    name = "".join(chr(byte) if chr(byte) in _PLAIN else f"%{byte:02x}" for byte in raw)
    if len(name) > _ID_CHARS:
        name = f"{name[:_ID_CHARS]}-{digest}"
    return f"{digest[0:3]}/{digest[3:6]}/{digest[6:9]}/{name}"


def check_paths(paths: Iterable[str]) -> None:
    """Raises StorageError where a logical path leaves the object, can't be a path, or is both file and folder."""
    files = set(paths)
    for path in files:
        if not path or "\0" in path or any(step in ("", ".", "..") for step in path.split("/")):
            raise StorageError(f"{path!r} can't be a path inside a package")
        steps = path.split("/")
        for i in range(1, len(steps)):
            if "/".join(steps[:i]) in files:
                raise StorageError(f"{'/'.join(steps[:i])!r} is a file and a folder")


def content_path(version: str, path: str) -> str:
    """Where a logical path's bytes lie: under its own name where every file system takes it, else under its digest."""
    fits = not _ODD.search(path) and all(len(step.encode("utf-8", "surrogatepass")) <= _NAME_BYTES for step in path.split("/"))
    if not fits or len(path) > 4 * _NAME_BYTES:
        path = "named-by-digest/" + hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{version}/content/{path}"


@dataclass(slots=True)
class Inventory:
    """An object's inventory. ``manifest``: digest -> content paths; ``versions``: v1 … -> created, state, message, user."""

    id: str
    head: str = "v0"
    manifest: dict[str, list[str]] = field(default_factory=dict)
    versions: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def parse(cls, data: bytes, where: str) -> Inventory:
        """Raises StorageError where ``data`` is no inventory this store can work with."""
        try:
            raw = json.loads(data)
            if raw["digestAlgorithm"] != "sha512" or raw.get("contentDirectory", "content") != "content":
                raise StorageError(f"{where}: digest algorithm {raw['digestAlgorithm']} or content directory not known")
            inventory = cls(str(raw["id"]), str(raw["head"]), dict(raw["manifest"]), dict(raw["versions"]))
            inventory.files()
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise StorageError(f"{where} is no OCFL inventory ({type(error).__name__}: {error})") from None
        return inventory

    def to_bytes(self) -> bytes:
        told = {
            "digestAlgorithm": "sha512",
            "head": self.head,
            "id": self.id,
            "manifest": self.manifest,
            "type": TYPE,
            "versions": self.versions,
        }
        return json.dumps(told, ensure_ascii=False, indent=1, sort_keys=True).encode("utf-8", "replace") + b"\n"

    @property
    def number(self) -> int:
        return int(self.head[1:])

    def files(self, version: int | None = None) -> dict[str, str]:
        """Logical path -> digest of a version (the head by default)."""
        state: Mapping[str, list[str]] = self.versions[f"v{version}" if version else self.head]["state"]
        return {path: digest for digest, paths in state.items() for path in paths}

    def record(self, version: int | None = None) -> ObjectVersion:
        number = version or self.number
        told = self.versions[f"v{number}"]
        created = parse_rfc3339(told["created"])
        return ObjectVersion(object_id=self.id, version=number, created=created, message=told.get("message", ""), files=self.files(number))

    def numbers(self) -> list[int]:
        return sorted(int(name[1:]) for name in self.versions if _VERSION.match(name))

    def locate(self, path: str, version: int | None = None) -> str:
        """Content path of a logical path. Raises StorageError."""
        name = f"v{version}" if version else self.head
        digest = self.files(version).get(path) if name in self.versions else None
        if digest is None:
            raise StorageError(f"{self.id} {name} has no {path!r}")
        return self.manifest[digest][0]

    def next(
        self, files: Mapping[str, str], *, created: datetime, message: str, user: Mapping[str, str], apart: bool = False
    ) -> tuple[Inventory, dict[str, str]]:
        """The inventory with one more version that holds ``files`` (path -> digest), and what must be stored for it:
        content path -> logical path. Content that any version has already is not stored again.

        ``apart``: content paths begin with their digest, so that two writers of one version never write one name.
        """
        head = f"v{self.number + 1}"
        manifest, missing = dict(self.manifest), {}
        state: dict[str, list[str]] = {}
        for path in sorted(files):
            digest = files[path]
            state.setdefault(digest, []).append(path)
            if digest not in manifest:
                place = content_path(head, f"{digest[:16]}/{path}" if apart else path)
                manifest[digest] = [place]
                missing[place] = path
        told = {"created": rfc3339(created), "message": message, "state": state, "user": dict(user)}
        return Inventory(self.id, head, manifest, {**self.versions, head: told}), missing


def sidecar(inventory: bytes) -> bytes:
    return f"{hashlib.sha512(inventory).hexdigest()} {INVENTORY}\n".encode()
