"""BagIt (RFC 8493; written as 0.97, which Archivematica's and E-ARK's profiles ask for): packages out and in again."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from urllib.parse import unquote

from blogcrawl import __version__
from blogcrawl.errors import ArchiveError
from blogcrawl.packaging import ids
from blogcrawl.storage.base import ObjectVersion, PackageStore
from blogcrawl.storage.files import sync_tree, write_file
from blogcrawl.storage.linux import exchange
from blogcrawl.storage.temporary import new_folder

ALGORITHMS = ("md5", "sha1", "sha256", "sha512")
"""E-ARK's bag profile wants md5 and sha1; the others are for everybody else."""
_CHUNK = 2**20
_ESCAPES = {"%": "%25", "\r": "%0D", "\n": "%0A"}


def write_bag(store: PackageStore, version: ObjectVersion, target: Path, *, now: datetime, organisation: str = "") -> Path:
    """A bag of one package as folder ``target``/<OBJID>, the package in ``data/<OBJID>/``. What is there already stays.

    Built under another name and renamed, so a bag is whole or not there. Raises OSError, and
    ArchiveError if the folder of that name is not a bag of this package: it is left alone.
    """
    name = ids.objid(version.object_id)
    final = target / name
    if final.exists():
        if not _is_bag_of(final, version.object_id):
            raise ArchiveError(f"{final} is not a bag of {version.object_id}", advice="export into another folder")
        if bag_version(final) == version.version:
            return final
    with new_folder(final) as work:
        _fill(store, version, work, now=now, organisation=organisation)
        if final.exists():
            if exchange(work, final):
                return final
            shutil.rmtree(final)
        os.rename(work, final)
    return final


def _fill(store: PackageStore, version: ObjectVersion, work: Path, *, now: datetime, organisation: str) -> None:
    """Write payload, manifests and description of a bag into the folder ``work``."""
    name = ids.objid(version.object_id)
    sums: dict[str, dict[str, str]] = {}
    total = 0
    for path in sorted(version.files):
        place = work / "data" / name / PurePosixPath(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        with store.open(version.object_id, path, version.version) as source, place.open("wb") as out:
            digests, size = _copy(source, out)
        sums[f"data/{name}/{path}"] = digests
        total += size
    info = {
        "Bagging-Date": now.strftime("%Y-%m-%d"),
        "Bag-Software-Agent": f"blogcrawl {__version__}",
        "Source-Organization": organisation or "unknown",
        "Organization-Address": "unknown",
        "External-Identifier": version.object_id,
        "External-Description": f"E-ARK AIP of a blog or blog post, version {version.version}",
        "Bag-Size": f"{total} bytes",
        "Payload-Oxum": f"{total}.{len(sums)}",
        "E-ARK-Package-Type": "AIP",
        "E-ARK-Specification-Version": "2.2.0",
        "Blogcrawl-Version": str(version.version),
    }
    _finish(work, sums, info)


def _is_bag_of(folder: Path, object_id: str) -> bool:
    """Report whether ``folder`` is a bag that was written for this package."""
    if folder.is_symlink() or not is_bag(folder):
        return False
    return ("External-Identifier", object_id) in _info(folder)


def _copy(source: BinaryIO, out: BinaryIO) -> tuple[dict[str, str], int]:
    makers = {name: hashlib.new(name, usedforsecurity=False) for name in ALGORITHMS}
    size = 0
    while chunk := source.read(_CHUNK):
        for maker in makers.values():
            maker.update(chunk)
        size += len(chunk)
        out.write(chunk)
    return {name: maker.hexdigest() for name, maker in makers.items()}, size


def _finish(work: Path, sums: Mapping[str, Mapping[str, str]], info: Mapping[str, str]) -> None:
    """Declaration, bag-info, manifests of the payload and of those."""
    tags = {"bagit.txt": b"BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8\n"}
    tags["bag-info.txt"] = "".join(f"{key}: {value}\n" for key, value in info.items()).encode()
    for name in ALGORITHMS:
        lines = "".join(f"{digests[name]}  {_escape(path)}\n" for path, digests in sums.items())
        tags[f"manifest-{name}.txt"] = lines.encode("utf-8", "surrogatepass")
    for name in ALGORITHMS:
        lines = "".join(
            f"{hashlib.new(name, data, usedforsecurity=False).hexdigest()}  {tag}\n"
            for tag, data in tags.items()
            if not tag.startswith("tagmanifest")
        )
        write_file(work / f"tagmanifest-{name}.txt", lines.encode(), sync=False)
    for tag, data in tags.items():
        write_file(work / tag, data, sync=False)
    sync_tree(work)


def _escape(path: str) -> str:
    return "".join(_ESCAPES.get(c, c) for c in path)


def _unescape(path: str) -> str:
    """Undo the three escapes that RFC 8493 has, in either case; other percent signs are a name's own."""
    return re.sub("%25|%0[DdAa]", lambda found: unquote(found[0]), path)


def bag_version(bag: Path) -> int:
    """Version of the package in a bag of ours, 0 where it doesn't say."""
    for key, value in _info(bag):
        if key == "Blogcrawl-Version" and value.isdigit():
            return int(value)
    return 0


def _info(bag: Path) -> Iterator[tuple[str, str]]:
    path = bag / "bag-info.txt"
    for line in path.read_text("utf-8", "replace").splitlines() if path.exists() else ():
        key, colon, value = line.partition(":")
        if colon:
            yield key.strip(), value.strip()


def is_bag(folder: Path) -> bool:
    return (folder / "bagit.txt").is_file()


def check_bag(bag: Path) -> None:
    """Every payload file against the strongest manifest, and none besides. Raises ArchiveError with the first fault.

    Paths that leave the bag, and bags that would fetch something, are refused.
    """
    if (bag / "fetch.txt").exists():
        raise ArchiveError(f"{bag} names files to fetch: nothing is downloaded for an import")
    manifests = [name for name in reversed(ALGORITHMS) if (bag / f"manifest-{name}.txt").is_file()]
    if not manifests:
        raise ArchiveError(f"{bag} has no manifest that is known here")
    listed = set()
    try:
        lines = (bag / f"manifest-{manifests[0]}.txt").read_text("utf-8").splitlines()
    except UnicodeDecodeError:
        raise ArchiveError(f"{bag}: the manifest is not UTF-8") from None
    for line in lines:
        digest, _, name = line.partition(" ")
        path = _unescape(name.strip().lstrip("*"))
        place = bag / path.replace("\0", "?")
        if not path.startswith("data/") or "\0" in path or not place.resolve().is_relative_to((bag / "data").resolve()):
            raise ArchiveError(f"{bag}: {path!r} leads out of the bag")
        if not place.is_file() or place.is_symlink():
            raise ArchiveError(f"{bag}: {path} is missing")
        with place.open("rb") as file:
            found = hashlib.file_digest(file, manifests[0]).hexdigest()
        if found != digest.lower():
            raise ArchiveError(f"{bag}: {path} has changed ({manifests[0]})")
        listed.add(place)
    for place in (bag / "data").rglob("*"):
        if place.is_file() and place not in listed:
            raise ArchiveError(f"{bag}: {place.relative_to(bag)} is in no manifest")
