"""OCFL 1.1 (ocfl.io/1.1/spec) as values: inventories, places of objects, valid paths. No disk."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any
from urllib.parse import unquote

from blogcrawl.core.errors import DamagedError, PackagingError, StorageError
from blogcrawl.packaging.records import parse_rfc3339, rfc3339
from blogcrawl.storage.base import ObjectVersion

ROOT_NAMASTE, ROOT_TEXT = "0=ocfl_1.1", b"ocfl_1.1\n"
ROOT_FILES = frozenset({ROOT_NAMASTE, "ocfl_layout.json", "ocfl_1.1.txt", "ocfl_1.1.md"})
"""Files that may lie in a storage root itself (OCFL 1.1, section 4.1)."""
OBJECT_NAMASTE, OBJECT_TEXT = "0=ocfl_object_1.1", b"ocfl_object_1.1\n"
INVENTORY, SIDECAR = "inventory.json", "inventory.json.sha512"
TYPE = "https://ocfl.io/1.1/spec/#inventory"
LAYOUT = "0003-hash-and-id-n-tuple-storage-layout"
"""Registered OCFL extension: folders have the id in their name, readable by people."""
LAYOUT_CONFIG = {
    "extensionName": LAYOUT,
    "digestAlgorithm": "sha256",
    "tupleSize": 3,
    "numberOfTuples": 3,
}
LAYOUT_NOTE = {
    "extension": LAYOUT,
    "description": "Three folders of three hex digits of the id's SHA-256, then the id",
}
ROOT_CONTENT: Mapping[str, tuple[bytes, ...]] = {
    f"extensions/{LAYOUT}/config.json": (
        json.dumps(LAYOUT_CONFIG, indent=1).encode() + b"\n",
        json.dumps(LAYOUT_CONFIG).encode(),
    ),
    "ocfl_layout.json": (
        json.dumps(LAYOUT_NOTE, indent=1).encode() + b"\n",
        json.dumps(LAYOUT_NOTE).encode(),
    ),
    ROOT_NAMASTE: (ROOT_TEXT,),
}
"""The root's own files in the order of writing, in the forms of a local and a remote store."""
_ID_CHARS = 100
"""Longest id that stands in a folder's name as it is (extension 0003)."""

PURGED, PURGED_TEXT = (
    "PURGED.txt",
    (
        b"The content of this version was erased. The newest version of the object says when and "
        b"why.\n"
    ),
)
PURGED_DIGEST = hashlib.sha512(PURGED_TEXT).hexdigest()
_NAME_BYTES = 240
"""File systems take names of 255 bytes; the rest is for temporary suffixes."""
_ODD = re.compile(r"[\x00-\x1f\x7f<>:\"|?*\\]")
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
_VERSION = re.compile(r"v[1-9][0-9]{0,8}\Z")
_DIGEST = re.compile(r"[0-9a-f]{128}\Z")
_SIDECAR = re.compile(rb"([0-9a-fA-F]{128})[ \t]+inventory\.json\s*\Z")
_ODD_BYTES = re.compile("[\0\ud800-\udfff]")
"""What no path of a file can hold: NUL, and lone surrogates, which have no UTF-8 form."""
_BAD_STEPS = frozenset(("", ".", ".."))


def object_path(object_id: str) -> str:
    """Return the path of an object below the storage root, by layout extension 0003."""
    raw = object_id.encode("utf-8", "replace")
    digest = hashlib.sha256(raw).hexdigest()
    name = "".join(chr(byte) if chr(byte) in _PLAIN else f"%{byte:02x}" for byte in raw)
    if len(name) > _ID_CHARS:
        name = f"{name[:_ID_CHARS]}-{digest}"
    return f"{digest[0:3]}/{digest[3:6]}/{digest[6:9]}/{name}"


def id_of_path(path: str) -> str | None:
    """Return the id of the object at ``path`` below the root; None if its name has none."""
    name = path.rsplit("/", 1)[-1]
    object_id = unquote(name, errors="replace")
    return object_id if object_path(object_id) == path else None


def check_paths(paths: Iterable[str]) -> None:
    """Raise StorageError where a path leaves the object, is invalid, or is both file and folder."""
    files = set(paths)
    for path in files:
        if not path or "\0" in path or any(step in ("", ".", "..") for step in path.split("/")):
            raise StorageError(f"{path!r} can't be a path inside a package")
        steps = path.split("/")
        for i in range(1, len(steps)):
            if "/".join(steps[:i]) in files:
                raise StorageError(f"{'/'.join(steps[:i])!r} is a file and a folder")


def content_path(version: str, path: str) -> str:
    """Return where a path's bytes lie: under its name, or its digest if the name is unusual."""
    fits = not _ODD.search(path) and all(
        len(step.encode("utf-8", "surrogatepass")) <= _NAME_BYTES for step in path.split("/")
    )
    if not fits or len(path) > 4 * _NAME_BYTES:
        path = (
            "named-by-digest/" + hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()
        )
    return f"{version}/content/{path}"


@dataclass(slots=True)
class Inventory:
    """An object's inventory. ``manifest``: digest -> content paths; ``versions``: v1 … -> it."""

    id: str
    head: str = "v0"
    manifest: dict[str, list[str]] = field(default_factory=dict)
    versions: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def parse(cls, data: bytes, where: str, object_id: str | None = None) -> Inventory:
        """Parse an untrusted inventory: every field is checked (OCFL 1.1, section 3.5).

        ``where`` names the file in messages; ``object_id`` is the id that it must have. What comes
        out is consistent: versions 1 to ``head``, each digest of a version in the manifest, no path
        that leaves the object. Raises DamagedError.
        """
        try:
            raw = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise DamagedError(f"{where} is not JSON: {error}") from None
        try:
            inventory = _inventory_of(raw)
        except _Malformed as error:
            raise DamagedError(f"{where} is no OCFL inventory: {error}") from None
        if object_id is not None and inventory.id != object_id:
            raise DamagedError(
                f"{where} is the inventory of {inventory.id[:200]!r}, not of {object_id}"
            )
        return inventory

    def to_bytes(self) -> bytes:
        inventory = {
            "digestAlgorithm": "sha512",
            "head": self.head,
            "id": self.id,
            "manifest": self.manifest,
            "type": TYPE,
            "versions": self.versions,
        }
        return (
            json.dumps(inventory, ensure_ascii=False, indent=1, sort_keys=True).encode(
                "utf-8", "replace"
            )
            + b"\n"
        )

    @property
    def number(self) -> int:
        return int(self.head[1:])

    def files(self, version: int | None = None) -> dict[str, str]:
        """Return logical path -> digest of a version (the head by default)."""
        state: Mapping[str, list[str]] = self.versions[f"v{version}" if version else self.head][
            "state"
        ]
        return {path: digest for digest, paths in state.items() for path in paths}

    def record(self, version: int | None = None) -> ObjectVersion:
        number = version or self.number
        entry = self.versions[f"v{number}"]
        created = parse_rfc3339(entry["created"])
        return ObjectVersion(
            object_id=self.id,
            version=number,
            created=created,
            message=entry.get("message", ""),
            files=self.files(number),
        )

    def numbers(self) -> list[int]:
        return sorted(int(name[1:]) for name in self.versions if _VERSION.match(name))

    def locate(self, path: str, version: int | None = None) -> str:
        """Return content path of a logical path. Raises DamagedError if the version has none."""
        name = f"v{version}" if version else self.head
        digest = self.files(version).get(path) if name in self.versions else None
        if digest is None:
            raise DamagedError(f"{self.id} {name} has no {path!r}")
        return self.manifest[digest][0]

    def next(
        self,
        files: Mapping[str, str],
        *,
        created: datetime,
        message: str,
        user: Mapping[str, str],
        apart: bool = False,
    ) -> tuple[Inventory, dict[str, str]]:
        """Return the inventory with one more version, and what must be stored for it.

        ``files``: path -> digest. To store: content path -> logical path, of content that no
        version has already.

        ``apart``: content paths begin with their digest, so that two writers of one version never
        write one name.
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
        entry = {
            "created": rfc3339(created),
            "message": message,
            "state": state,
            "user": dict(user),
        }
        return Inventory(self.id, head, manifest, {**self.versions, head: entry}), missing

    def erased(self, replaced: Mapping[str, str | None]) -> Inventory:
        """Return the same versions with other content: ``replaced``: digest -> new digest, or None.

        What replaces content lies at its content path. A version that would be left without a file
        holds ``PURGED``.
        """
        versions = {
            name: {**version, "state": _replaced(version["state"], replaced)}
            for name, version in self.versions.items()
        }
        used = {digest for version in versions.values() for digest in version["state"]}
        manifest: dict[str, list[str]] = {}
        for digest, paths in self.manifest.items():
            kept = replaced.get(digest, digest)
            if kept is not None and kept in used:
                manifest.setdefault(kept, paths)
        if PURGED_DIGEST in used:
            manifest.setdefault(PURGED_DIGEST, [content_path("v1", PURGED)])
        return Inventory(self.id, self.head, manifest, versions)

    def until(self, version: int) -> Inventory:
        """Return the inventory as it was with this version as its head."""
        versions = {f"v{n}": self.versions[f"v{n}"] for n in range(1, version + 1)}
        used = {digest for one in versions.values() for digest in one["state"]}
        manifest = {digest: paths for digest, paths in self.manifest.items() if digest in used}
        return Inventory(self.id, f"v{version}", manifest, versions)


def sidecar(inventory: bytes) -> bytes:
    return f"{hashlib.sha512(inventory).hexdigest()} {INVENTORY}\n".encode()


def fits_sidecar(inventory: bytes, sidecar: bytes | None) -> bool:
    """Report whether a sidecar (None: missing) has this inventory's digest, white space aside."""
    found = _SIDECAR.match(sidecar or b"")
    return found is not None and found[1].lower().decode() == hashlib.sha512(inventory).hexdigest()


def read_inventory(
    read: Callable[[str], bytes | None], where: str, object_id: str | None = None
) -> Inventory | None:
    """Read the inventory of an object, its digest checked first, or None.

    ``read`` returns a file of the object by its path relative to the object's root, None if it is
    missing. The copy in the head version with its own digest counts too: the object's sidecar alone
    may be damaged, or not yet written on a remote store. Raises DamagedError.
    """
    data = read(INVENTORY)
    if data is None:
        return None
    name = f"{where}/{INVENTORY}"
    if fits_sidecar(data, read(SIDECAR)):
        return Inventory.parse(data, name, object_id)
    damaged = DamagedError(f"{name} is damaged: it does not fit {SIDECAR}")
    try:
        inventory = Inventory.parse(data, name, object_id)
    except DamagedError:
        raise damaged from None
    if read(f"{inventory.head}/{INVENTORY}") != data or not fits_sidecar(
        data, read(f"{inventory.head}/{SIDECAR}")
    ):
        raise damaged
    return inventory


class _Malformed(Exception):
    """What is wrong with a part of an inventory."""


def _inventory_of(raw: object) -> Inventory:
    fields = _mapping(raw, "the document")
    if fields.get("type") != TYPE:
        raise _Malformed(f"type is {str(fields.get('type'))[:100]!r}")
    if (
        fields.get("digestAlgorithm") != "sha512"
        or fields.get("contentDirectory", "content") != "content"
    ):
        raise _Malformed("digest algorithm or content directory not known")
    object_id, head = _text(fields.get("id"), "id"), _text(fields.get("head"), "head")
    versions = _mapping(fields.get("versions"), "versions")
    if (
        not versions
        or set(versions) != {f"v{n}" for n in range(1, len(versions) + 1)}
        or head != f"v{len(versions)}"
    ):
        raise _Malformed(f"its versions are no unbroken row up to head {head[:20]!r}")
    manifest = _manifest(fields.get("manifest"), len(versions))
    checked = {name: _version(version, name, manifest) for name, version in versions.items()}
    return Inventory(object_id, head, manifest, checked)


def _manifest(raw: object, versions: int) -> dict[str, list[str]]:
    manifest: dict[str, list[str]] = {}
    for digest, paths in _mapping(raw, "manifest").items():
        if not _DIGEST.match(digest):
            raise _Malformed(f"manifest key {digest[:24]!r} is no SHA-512")
        manifest[digest] = _paths(paths, "manifest")
        for path in manifest[digest]:
            version, _, rest = path.partition("/content/")
            inside = _VERSION.match(version) and int(version[1:]) <= versions
            if not inside or _ODD_BYTES.search(rest) or not _BAD_STEPS.isdisjoint(rest.split("/")):
                raise _Malformed(
                    f"content path {path[:200]!r} is not in a version's content folder"
                )
    return manifest


def _replaced(
    state: Mapping[str, Sequence[str]], replaced: Mapping[str, str | None]
) -> dict[str, list[str]]:
    """Return a version's state without erased content; ``PURGED`` where nothing is left."""
    out: dict[str, list[str]] = {}
    for digest, paths in state.items():
        kept = replaced.get(digest, digest)
        if kept is not None:
            out[kept] = sorted([*out.get(kept, ()), *paths])
    return out or {PURGED_DIGEST: [PURGED]}


def _version(raw: object, name: str, manifest: Mapping[str, list[str]]) -> dict[str, Any]:
    version = _mapping(raw, name)
    given = _mapping(version.get("state"), f"{name} state")
    state = {digest: _paths(paths, name) for digest, paths in given.items()}
    unknown = next(iter(state.keys() - manifest.keys()), None)
    if unknown is not None:
        raise _Malformed(f"{name} names digest {unknown[:16]}… that the manifest lacks")
    logical = list(chain.from_iterable(state.values()))
    try:
        parse_rfc3339(_text(version.get("created"), f"{name} created"))
        check_paths(logical)
    except (PackagingError, StorageError) as error:
        raise _Malformed(f"{name}: {error.message}") from None
    if len(logical) != len(set(logical)):
        raise _Malformed(f"{name} names a path twice")
    if not isinstance(version.get("message", ""), str):
        raise _Malformed(f"{name} message is no text")
    user = _mapping(version.get("user", {}), f"{name} user")
    if any(not isinstance(value, str) for value in user.values()):
        raise _Malformed(f"{name} user is no text")
    return {**version, "state": state}


def _mapping(value: object, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Malformed(f"{name} is no object")
    return value


def _text(value: object, name: str) -> str:
    if not isinstance(value, str) or not value:
        raise _Malformed(f"{name} is missing or no text")
    return value


def _paths(value: object, name: str) -> list[str]:
    if not isinstance(value, list) or not value or any(not isinstance(path, str) for path in value):
        raise _Malformed(f"{name} has paths that are no list of text")
    return value
