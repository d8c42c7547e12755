"""BagIt (RFC 8493): packages out, by bagit-python (version 0.97, E-ARK's profile), and in."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from urllib.parse import unquote

from blogcrawl import __version__
from blogcrawl.core.errors import ArchiveError
from blogcrawl.core.organization import UNNAMED, Organization
from blogcrawl.packaging import ids
from blogcrawl.storage.base import ObjectVersion
from blogcrawl.storage.files import sync_tree
from blogcrawl.storage.linux import exchange
from blogcrawl.storage.temporary import new_folder
from blogcrawl.storage.trees import Leaf, Tree, leads_out
from blogcrawl.text.visible import natural

ALGORITHMS = ("md5", "sha1", "sha256", "sha512")
"""E-ARK's bag profile wants md5 and sha1; the others are for everybody else."""
_CHUNK = 2**20
_MAX_MANIFEST = 256 * 2**20
"""Bytes of a manifest or bag-info.txt that are read."""
_CHECKED = frozenset((*ALGORITHMS, "sha224", "sha384"))
_MANIFEST = re.compile(r"(?P<tag>tag)?manifest-(?P<algorithm>[^/]+)\.txt\Z")
_LINE = re.compile(r"\s*(?P<digest>[0-9A-Fa-f]+)[ \t]+\*?(?:\./)?(?P<path>[^\r]+)\r?\Z")


def write_bag(
    version: ObjectVersion,
    read: Callable[[str], BinaryIO],
    target: Path,
    operator: Organization = UNNAMED,
    *,
    now: datetime | None = None,
) -> Path:
    """Write one package as bag ``target``/<OBJID>, with the package in ``data/<OBJID>/``.

    ``read`` opens a path, ``operator`` is the bag's source organization, ``now`` its date. A bag of
    this version that is there already stays; one of another is replaced. Built under another name
    and renamed, so a bag is whole or not there. Raises OSError, and ArchiveError if the folder of
    that name is not a bag of this package: it is left alone.
    """
    name = ids.objid(version.object_id)
    final = target / name
    if final.exists():
        if not _is_bag_of(final, version.object_id):
            raise ArchiveError(
                f"{final} is not a bag of {version.object_id}", advice="export into another folder"
            )
        if bag_version(final) == version.version:
            return final
    with new_folder(final) as work:
        _fill(version, read, work, now or datetime.now(UTC), operator)
        if final.exists():
            if exchange(work, final):
                return final
            shutil.rmtree(final)
        os.rename(work, final)
    return final


def _source(operator: Organization) -> dict[str, str]:
    """Return what bag-info.txt has of the organization: what is not set is left out.

    All elements are optional (RFC 8493, 2.2.2); E-ARK's profile requires name and address.
    """
    mail = operator.mail
    elements = {
        "Source-Organization": operator.name,
        "Source-Organization-Identifier": operator.identifier,
        "Organization-Address": operator.address,
        "Contact-Email": mail,
        "Contact-URL": "" if mail else operator.contact,
        "Rights-Statement": operator.rights,
    }
    return {name: " ".join(value.split()) for name, value in elements.items() if value.strip()}


def _fill(
    version: ObjectVersion,
    read: Callable[[str], BinaryIO],
    work: Path,
    now: datetime,
    operator: Organization,
) -> None:
    """Make the folder ``work`` a bag of a package: bagit moves what it holds into ``data/``."""
    import bagit

    size = 0
    for path in version.files:
        place = work / ids.objid(version.object_id) / PurePosixPath(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        with read(path) as source, place.open("wb") as out:
            shutil.copyfileobj(source, out, _CHUNK)
            size += out.tell()
    info = {
        "Bagging-Date": now.strftime("%Y-%m-%d"),
        "Bag-Software-Agent": f"blogcrawl {__version__}",
        **_source(operator),
        "External-Identifier": version.object_id,
        "External-Description": f"E-ARK AIP of a blog or blog post, version {version.version}",
        "Bag-Size": f"{size} bytes",
        "E-ARK-Package-Type": "AIP",
        "E-ARK-Specification-Version": "2.2.0",
        "Blogcrawl-Version": str(version.version),
    }
    logging.getLogger("bagit").setLevel(logging.CRITICAL)  # it logs what it raises, with a trace
    bagit.make_bag(str(work), info, checksums=ALGORITHMS)
    sync_tree(work)


def _is_bag_of(folder: Path, object_id: str) -> bool:
    """Report whether ``folder`` is a bag that was written for this package."""
    if folder.is_symlink() or not is_bag(folder):
        return False
    return ("External-Identifier", object_id) in _info(folder)


def _unescape(path: str) -> str:
    """Undo the three escapes of RFC 8493; other percent signs are a name's own."""
    return re.sub("%25|%0[DdAa]", lambda found: unquote(found[0]), path)


def bag_version(bag: Path) -> int:
    """Return version of the package in a bag of ours, 0 where it doesn't say."""
    for key, value in _info(bag):
        if key == "Blogcrawl-Version" and (number := natural(value)) is not None:
            return number
    return 0


def _info(bag: Path) -> Iterator[tuple[str, str]]:
    path = bag / "bag-info.txt"
    if path.exists():
        yield from _pairs(path.read_text("utf-8", "replace"))


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        if colon:
            yield key.strip(), value.strip()


def is_bag(folder: Path) -> bool:
    return (folder / "bagit.txt").is_file()


def check_bag(tree: Tree) -> None:
    """Check every file of a bag against every manifest that lists it (RFC 8493, section 3).

    Raises ArchiveError with the first fault: a file that is missing, changed or in no manifest, a
    manifest of an algorithm that can't be checked here, a path that leaves the bag, a file that
    would have to be fetched.
    """
    if "fetch.txt" in tree:
        raise ArchiveError("fetch.txt names files to fetch: nothing is downloaded for an import")
    payload = [path for path in tree if path.startswith("data/")]
    listed: dict[str, dict[str, str]] = {path: {} for path in payload}
    for name in sorted(tree):
        if found := _MANIFEST.match(name):
            _read_manifest(name, tree[name], found["algorithm"], bool(found["tag"]), listed)
    for path, digests in sorted(listed.items()):
        if not digests:
            raise ArchiveError(f"{path} is in no manifest")
        _check_file(tree, path, digests)
    _check_oxum(tree, payload)


def _read_manifest(
    name: str, manifest: Leaf, algorithm: str, of_tags: bool, listed: dict[str, dict[str, str]]
) -> None:
    """Enter the digests of a manifest into ``listed`` (path -> algorithm -> digest)."""
    if algorithm not in _CHECKED:
        raise ArchiveError(f"{name}: checksums of this kind can't be checked here")
    for path, digest in _lines(name, manifest):
        if not of_tags and not path.startswith("data/"):
            raise ArchiveError(f"{name}: {path!r} is not in data/")
        digests = listed.setdefault(path, {})
        if algorithm in digests:
            raise ArchiveError(f"{name} lists {path!r} twice")
        digests[algorithm] = digest


def _lines(name: str, manifest: Leaf) -> Iterator[tuple[str, str]]:
    """Yield path and digest of each line of a manifest. Raises ArchiveError."""
    if manifest.size > _MAX_MANIFEST:
        raise ArchiveError(f"{name} is larger than {_MAX_MANIFEST} bytes")
    try:
        text = manifest.read().decode("utf-8")
    except UnicodeDecodeError:
        raise ArchiveError(f"{name} is not UTF-8") from None
    for line in text.split("\n"):
        if not line.strip():
            continue
        found = _LINE.match(line)
        path = _unescape(found["path"]) if found else ""
        if found is None:
            raise ArchiveError(f"{name} has a line without digest and path")
        if leads_out(path):
            raise ArchiveError(f"{name}: {path!r} leads out of the bag")
        yield path, found["digest"].lower()


def _check_file(tree: Tree, path: str, digests: Mapping[str, str]) -> None:
    if path not in tree:
        raise ArchiveError(f"{path} is missing")
    makers = {name: hashlib.new(name, usedforsecurity=False) for name in digests}
    with tree[path].open() as stream:
        while chunk := stream.read(_CHUNK):
            for maker in makers.values():
                maker.update(chunk)
    for name, maker in makers.items():
        if maker.hexdigest() != digests[name]:
            raise ArchiveError(f"{path} has changed ({name})")


def _check_oxum(tree: Tree, payload: Sequence[str]) -> None:
    """Check Payload-Oxum (bytes and number of the payload files), if the bag has it."""
    info = tree.get("bag-info.txt")
    if info is None:
        return
    if info.size > _MAX_MANIFEST:
        raise ArchiveError(f"bag-info.txt is larger than {_MAX_MANIFEST} bytes")
    actual = f"{sum(tree[path].size for path in payload)}.{len(payload)}"
    for key, value in _pairs(info.read().decode("utf-8", "replace")):
        if key == "Payload-Oxum" and value != actual:
            raise ArchiveError(
                f"bag-info.txt counts {value[:50]} bytes and files, there are {actual}"
            )
