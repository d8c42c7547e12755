"""Foreign files as trees: a folder or ZIP as a mapping of paths to files, nothing unpacked.

A tree is made of names that somebody else chose. It holds regular files only, its paths stay inside
it, and its size is bounded before anything of it is read; a source that is otherwise is refused as
a whole.
"""

from __future__ import annotations

import contextlib
import os
import stat
import unicodedata
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

from blogcrawl.core.errors import ArchiveError

MAX_FILES = 200_000
MAX_BYTES = 64 * 2**30
"""Bytes that one source may hold; of a ZIP, unpacked."""
MAX_RATIO, FREE_BYTES = 200, 64 * 2**20
"""How many times its own size a ZIP may unpack to, once it is more than so many bytes."""
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""Compression methods of E-ARK ZIPs; LZMA lets a file demand 4 GB of memory."""
_ENCRYPTED = 0x1
"""Bit 0 of a ZIP entry's flags (APPNOTE.TXT 4.4.4)."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A file of a tree: its size in bytes, and how to open it. ``names`` counts its hard links."""

    size: int
    open: Callable[[], BinaryIO]
    names: int = 1

    def read(self) -> bytes:
        with self.open() as stream:
            return stream.read()


Tree = Mapping[str, Leaf]
"""Path with slashes -> file."""


def below(tree: Tree, prefix: str) -> dict[str, Leaf]:
    """Return the part of ``tree`` under ``prefix`` (empty, or with a slash at its end)."""
    return {path[len(prefix) :]: leaf for path, leaf in tree.items() if path.startswith(prefix)}


def folder_tree(folder: Path) -> dict[str, Leaf]:
    """List the files below ``folder``.

    Raises ArchiveError on links and special files, names that are not UTF-8, and more than
    MAX_FILES or MAX_BYTES.
    """
    found: dict[str, Leaf] = {}
    waiting = [""]
    while waiting and len(found) <= MAX_FILES:
        prefix = waiting.pop()
        for name in os.listdir(folder / prefix):
            shown, path = prefix + name, folder / prefix / name
            status = path.lstat()
            if stat.S_ISLNK(status.st_mode):
                raise ArchiveError(f"{shown!r} is a symbolic link")
            if stat.S_ISDIR(status.st_mode):
                waiting.append(shown + "/")
            elif stat.S_ISREG(status.st_mode):
                found[shown] = Leaf(status.st_size, partial(_open, path), status.st_nlink)
            else:
                raise ArchiveError(f"{shown!r} is neither a file nor a folder")
    _check(found)
    return found


@contextlib.contextmanager
def zip_tree(place: Path) -> Iterator[dict[str, Leaf]]:
    """List the files in a ZIP, read out of it where it lies.

    Raises ArchiveError on entries that are links or encrypted, that lead out of the package or have
    one name, on unusual compression, and on ZIP bombs; BadZipFile where it is damaged.
    """
    with zipfile.ZipFile(place) as package:
        found: dict[str, Leaf] = {}
        folders: set[str] = set()
        for info in package.infolist():
            path = _entry(info)
            if path in found or (path in folders and not info.is_dir()):
                raise ArchiveError(f"{path!r} is in the ZIP twice")
            if info.is_dir():
                folders.add(path)
                continue
            found[path] = Leaf(info.file_size, partial(_open_entry, package, info))
            if len(found) > MAX_FILES:
                break
        _check(found)
        unpacked, packed = sum(leaf.size for leaf in found.values()), place.stat().st_size
        if unpacked > max(FREE_BYTES, MAX_RATIO * packed):
            raise ArchiveError(
                f"{packed} bytes unpack to {unpacked}: more than {MAX_RATIO} times as many"
            )
        yield found


def _open(path: Path) -> BinaryIO:
    """Open a file that was no symbolic link when it was listed, and still is not."""
    return cast(
        BinaryIO, os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb")
    )


def _open_entry(package: zipfile.ZipFile, info: zipfile.ZipInfo) -> BinaryIO:
    return cast(BinaryIO, package.open(info))


def _entry(info: zipfile.ZipInfo) -> str:
    """Return path of a ZIP entry, without the slash that folders end in. Raises ArchiveError."""
    name = info.filename
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise ArchiveError(
            f"{name!r} is a symbolic link"
            if kind == stat.S_IFLNK
            else f"{name!r} is neither a file nor a folder"
        )
    if info.flag_bits & _ENCRYPTED:
        raise ArchiveError(f"{name!r} is encrypted")
    if info.compress_type not in _METHODS:
        raise ArchiveError(
            f"{name!r} is compressed in a way that can't be read here (method {info.compress_type})"
        )
    return (name[:-1] if info.is_dir() else name).removeprefix("./")


def _check(tree: Tree) -> None:
    """Raise ArchiveError on paths that lead out or collide on some file system, and on too much."""
    if len(tree) > MAX_FILES:
        raise ArchiveError(f"it holds more than {MAX_FILES} files")
    size = sum(leaf.size for leaf in tree.values())
    if size > MAX_BYTES:
        raise ArchiveError(f"it holds {size} bytes, more than {MAX_BYTES}")
    for path in tree:
        if leads_out(path):
            raise ArchiveError(f"{path!r} leads out of the package")
        try:
            path.encode("utf-8")
        except UnicodeEncodeError:
            raise ArchiveError(f"the name {path!r} is not UTF-8") from None
    twin = _twin(tree)
    if twin:
        raise ArchiveError(f"{twin[0]!r} and {twin[1]!r} are one name where case does not count")


def leads_out(path: str) -> bool:
    """Report whether ``path`` is no plain relative path, here or on another system."""
    steps = path.split("/")
    return (
        any(step in ("", ".", "..") for step in steps)
        or "\\" in path
        or "\0" in path
        or ":" in steps[0]
    )


def _twin(paths: Iterable[str]) -> tuple[str, str] | None:
    """Two paths that differ in case or in their Unicode form only."""
    seen: dict[str, str] = {}
    for path in paths:
        other = seen.setdefault(unicodedata.normalize("NFC", path).casefold(), path)
        if other != path:
            return other, path
    return None
