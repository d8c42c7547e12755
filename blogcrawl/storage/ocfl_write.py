"""One version of an OCFL object, written into a folder that no reader sees yet."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from blogcrawl.core.errors import StorageError
from blogcrawl.packaging.parts import Content, Kept, PackageFiles, measure
from blogcrawl.storage import ocfl_model as model
from blogcrawl.storage.files import write_file
from blogcrawl.storage.ocfl_model import INVENTORY, OBJECT_NAMASTE, SIDECAR, Inventory


def digests_of(files: Mapping[str, Content], place: Path) -> tuple[dict[str, str], dict[str, Path]]:
    """Return the SHA-512 of each file; open files, which are read once only, are copied to disk."""
    digests: dict[str, str] = {}
    spooled: dict[str, Path] = {}
    known = files.digests if isinstance(files, PackageFiles) else {}
    for number, (path, content) in enumerate(files.items()):
        if isinstance(content, bytes):
            digests[path] = known.get(path) or hashlib.sha512(content).hexdigest()
        elif isinstance(content, Kept):
            digests[path] = content.sha512
        else:
            spooled[path] = place / f"spool{number}"
            with spooled[path].open("wb") as out:
                digests[path], _ = measure(content, copy=out)
                out.flush()
                os.fsync(out.fileno())
    return digests, spooled


def check_kept(files: Mapping[str, Content], base: Inventory) -> None:
    """Raise StorageError where kept content is in no version of the object."""
    for path, content in files.items():
        if isinstance(content, Kept) and content.sha512 not in base.manifest:
            raise StorageError(
                f"{base.id}: {path} is said to be kept, but no version has its content"
            )


def link_tree(source: Path, target: Path) -> None:
    """Make ``target`` a second object with the same versions, by hard links or copies."""

    def skip(folder: str, _names: list[str]) -> tuple[str, ...]:
        # these are written anew, never through a link
        return (INVENTORY, SIDECAR) if folder == str(source) else ()

    shutil.copytree(source, target, copy_function=link_file, ignore=skip)


def link_file(old: str | Path, new: str | Path) -> None:
    """Make a hard link, or a copy where links aren't possible."""
    try:
        os.link(old, new)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EXDEV, errno.EMLINK, errno.ENOSYS):
            raise
        shutil.copy2(old, new)


def write_inventories(new: Path, inventory: Inventory) -> None:
    """Write the object's mark and inventory, and each version's. Nothing is synced yet."""
    for number in inventory.numbers():
        data = inventory.until(number).to_bytes()
        for folder in (new / f"v{number}", *((new,) if number == inventory.number else ())):
            folder.mkdir(parents=True, exist_ok=True)
            for name, content in ((INVENTORY, data), (SIDECAR, model.sidecar(data))):
                write_file(folder / name, content, sync=False)
    write_file(new / OBJECT_NAMASTE, model.OBJECT_TEXT, sync=False)


def write_version(new: Path, inventory: Inventory, sources: Mapping[str, Content | Path]) -> None:
    """Content, the version's inventory and the object's. Nothing is durable yet."""
    (new / inventory.head).mkdir()
    folders: set[Path] = set()
    for place, content in sources.items():
        path = new / place
        if path.parent not in folders:
            path.parent.mkdir(parents=True, exist_ok=True)
            folders.add(path.parent)
        if isinstance(content, Path):
            os.rename(content, path)
        else:
            assert isinstance(content, bytes)
            write_file(path, content, sync=False)
    data = inventory.to_bytes()
    for folder in (new / inventory.head, new):
        for name, content in ((INVENTORY, data), (SIDECAR, model.sidecar(data))):
            write_file(folder / name, content, sync=False)
    if not (new / OBJECT_NAMASTE).exists():
        write_file(new / OBJECT_NAMASTE, model.OBJECT_TEXT, sync=False)
