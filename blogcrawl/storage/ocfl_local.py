"""An OCFL storage root in a folder.

A version is built whole in a work folder next to the root (``<root>.work``), synced, and swapped in
with one rename: a new object by ``rename``, a new version by exchanging the old object folder with
one whose old files are hard links. Killed at any line, the object is whole, and so is the root for
every other OCFL reader. Writers of one object wait for each other on a file lock, which the system
takes back from the dead.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import shutil
import uuid
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, TextIO

from blogcrawl.core.errors import ArchiveError, DamagedError, StorageError
from blogcrawl.packaging.parts import Content
from blogcrawl.storage import ocfl_model as model
from blogcrawl.storage.base import ObjectVersion
from blogcrawl.storage.files import disk_errors, probe_folder, sync_folder, sync_tree, write_file
from blogcrawl.storage.linux import exchange
from blogcrawl.storage.ocfl_model import INVENTORY, OBJECT_NAMASTE, Inventory
from blogcrawl.storage.ocfl_store import Guard, OcflStore
from blogcrawl.storage.ocfl_write import (
    check_kept,
    digests_of,
    link_file,
    link_tree,
    write_inventories,
    write_version,
)


class LocalStore(OcflStore):
    """PackageStore on a local (or mounted) folder."""

    def __init__(
        self,
        root: Path,
        *,
        user: Mapping[str, str],
        guard: Guard | None = None,
        reading: bool = False,
    ) -> None:
        """Open the storage root; only for ``reading``: nothing is made, marked or cleared up."""
        self.root, self.user, self.guard = root, user, guard
        self.work = root.with_name(root.name + ".work")
        self._last: tuple[str, tuple[int, ...], Inventory] | None = None
        """The inventory that was read last: a package's files are opened one after the other."""
        if reading:
            return
        with disk_errors(str(root)):
            root.mkdir(parents=True, exist_ok=True)
            declared = _is_declared(root)
            (self.work / "locks").mkdir(parents=True, exist_ok=True)
            if root.stat().st_dev != self.work.stat().st_dev:
                raise ArchiveError(
                    f"{root} is a mount point; its work folder {self.work} must lie on the same "
                    f"file system"
                )
            self._recover()
            if not declared:
                self._declare()

    def put(
        self,
        object_id: str,
        files: Mapping[str, Content],
        *,
        message: str,
        created: datetime,
        fence: int = 0,
    ) -> ObjectVersion:
        """See PackageStore. Raises StorageError, DiskFullError, LeaseLostError."""
        model.check_paths(files)
        with disk_errors(str(self.root)), self._workplace(object_id) as place:
            digests, spooled = digests_of(files, place)
            target = self.root / model.object_path(object_id)
            with self._lock(object_id):
                current = self.inventory(object_id)
                if current is None:
                    self._recover()  # a dead writer may hold it, on a system that knows no exchange
                    current = self.inventory(object_id)
                if current and current.files() == digests:
                    return current.record()
                base = current or Inventory(object_id)
                check_kept(files, base)
                inventory, missing = base.next(
                    digests, created=created, message=message, user=self.user
                )
                new = place / "new"
                if current:
                    link_tree(target, new)
                else:
                    new.mkdir()
                sources = {where: spooled.get(path, files[path]) for where, path in missing.items()}
                write_version(new, inventory, sources)
                target.parent.mkdir(parents=True, exist_ok=True)
                sync_tree(new)
                self.check_guard(object_id, fence)
                self._publish(new, target, place, fresh=current is None)
            return inventory.record()

    def _publish(self, new: Path, target: Path, place: Path, *, fresh: bool) -> None:
        if fresh:
            if target.exists():
                raise StorageError(
                    f"{target} exists but holds no {INVENTORY}: verify names what is in it"
                )
            os.rename(new, target)
        elif not exchange(new, target):
            os.rename(target, place / "old")
            os.rename(new, target)
        sync_folder(target.parent)

    def erase(self, object_id: str, replaced: Mapping[str, Path | None], *, fence: int = 0) -> None:
        """See PackageStore. Build the object anew without the content, and exchange them."""
        with (
            disk_errors(str(self.root)),
            self._workplace(object_id) as place,
            self._lock(object_id),
        ):
            after, sources = self.erased(object_id, replaced)
            target, new = self.root / model.object_path(object_id), place / "new"
            new.mkdir()
            for digest, paths in after.manifest.items():
                for path in paths:
                    (new / path).parent.mkdir(parents=True, exist_ok=True)
                    if digest in sources:
                        shutil.copyfile(sources[digest], new / path)
                    elif digest == model.PURGED_DIGEST:
                        (new / path).write_bytes(model.PURGED_TEXT)
                    else:
                        link_file(target / path, new / path)
            write_inventories(new, after)
            sync_tree(new)
            self.check_guard(object_id, fence)
            self._publish(new, target, place, fresh=False)

    def withdraw(self, object_id: str, *, fence: int = 0) -> None:
        """See PackageStore. One rename; folders that are empty then go too."""
        target = self.root / model.object_path(object_id)
        with (
            disk_errors(str(self.root)),
            self._workplace(object_id) as place,
            self._lock(object_id),
        ):
            if self.inventory(object_id) is None:
                return
            self.check_guard(object_id, fence)
            os.rename(target, place / "withdrawn")
            with contextlib.suppress(OSError):  # another object's
                for folder in target.parents[: len(target.relative_to(self.root).parts) - 1]:
                    folder.rmdir()
            sync_folder(next(folder for folder in target.parents if folder.exists()))

    def probe(self) -> None:
        """See PackageStore."""
        probe_folder(self.work)

    def settle(self, object_id: str) -> ObjectVersion | None:
        """See PackageStore. An object under its name is whole; only the work folder is cleared."""
        with disk_errors(str(self.root)):
            self._recover()
        return self.head(object_id)

    def reader(self, place: str) -> _Reader:
        """See OcflStore."""
        return _Reader(self.root / place)

    def content(self, object_id: str, path: str) -> BinaryIO:
        """See OcflStore."""
        try:
            return (self.root / model.object_path(object_id) / path).open("rb")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
            raise DamagedError(f"{object_id}: {path} can't be read: {error.strerror}") from None

    def places(self) -> Iterator[str]:
        """See OcflStore."""
        return (folder.relative_to(self.root).as_posix() for folder, _ in _leaves(self.root))

    def view(self, object_id: str) -> LocalStore:
        """See PackageStore."""
        return self

    def verify_root(self) -> list[str]:
        """Return faults of the root: its marks, stray folders, unreadable inventories."""
        if not self.root.is_dir():
            return [f"{self.root} is missing"]
        wrong = [
            name
            for name, forms in model.ROOT_CONTENT.items()
            if _read(self.root / name) not in forms
        ]
        faults = [f"{name} is missing or wrong" for name in wrong]
        strangers = sorted(
            path.name
            for path in self.root.iterdir()
            if path.is_file() and path.name not in model.ROOT_FILES
        )
        faults += [f"{name} is an orphan: no object holds it" for name in strangers]
        for folder, names in _leaves(self.root):
            place = folder.relative_to(self.root).as_posix()
            if self.id_of(place) is None:
                faults.append(f"{place} {_stranger(folder, names)}")
        return faults

    def inventory(self, object_id: str) -> Inventory | None:
        """See OcflStore."""
        folder = self.root / model.object_path(object_id)
        mark = _mark_of(folder / INVENTORY)
        known = self._last  # one read: threads may share the store
        if mark is not None and known is not None and known[:2] == (object_id, mark):
            return known[2]
        reader = _Reader(folder)
        inventory = model.read_inventory(reader.read, object_id, object_id)
        if inventory is not None and mark is not None:
            self._last = (object_id, mark, inventory)
        if inventory is None and reader.read(OBJECT_NAMASTE) is not None:
            raise DamagedError(f"{object_id}: {INVENTORY} is missing")
        return inventory

    @contextlib.contextmanager
    def _workplace(self, object_id: str) -> Iterator[Path]:
        """Make a folder of this writer's own; it and its lock are gone afterwards."""
        place, handle = self._begin(object_id)
        with handle:
            try:
                place.mkdir()
                yield place
            finally:
                shutil.rmtree(place, ignore_errors=True)
                place.with_suffix(".lock").unlink(missing_ok=True)

    def _begin(self, object_id: str) -> tuple[Path, TextIO]:
        """Choose a new writer's folder, and hold its lock file, which names the object.

        Between making the file and holding it, ``_recover`` of another writer may take it for a
        dead one's and remove it: then another name is tried.
        """
        while True:
            place = self.work / uuid.uuid4().hex
            owner = place.with_suffix(".lock")
            handle = owner.open("w")
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                handle.write(object_id)
                handle.flush()
                if owner.exists():
                    return place, handle
            except BaseException:
                owner.unlink(missing_ok=True)
                with contextlib.suppress(OSError):  # a full disk, once more
                    handle.close()
                raise
            handle.close()

    @contextlib.contextmanager
    def _lock(self, object_id: str) -> Iterator[None]:
        """Allow one writer per object; 4096 lock files serve any number of objects."""
        stripe = hashlib.sha256(object_id.encode("utf-8", "replace")).hexdigest()[:3]
        with (self.work / "locks" / stripe).open("a") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield

    def _declare(self) -> None:
        """Mark the root; each file gets its name when it is whole: a disk may be full."""
        with self._workplace("") as place:
            for name, forms in model.ROOT_CONTENT.items():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                write_file(place / "part", forms[0])
                os.replace(place / "part", self.root / name)
        sync_tree(self.root)

    def _recover(self) -> None:
        """Clear what dead writers left; put back an object that one had moved aside."""
        for owner in self.work.glob("*.lock"):
            try:
                with owner.open("r+") as handle:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    object_id, place = handle.read(), owner.with_suffix("")
                    target = self.root / model.object_path(object_id)
                    if object_id and (place / "old").is_dir() and not target.exists():
                        os.rename(place / "old", target)
                    shutil.rmtree(place, ignore_errors=True)
                    owner.unlink(missing_ok=True)
            except (BlockingIOError, FileNotFoundError):
                continue


class _Reader:
    """ObjectReader on a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, path: str) -> bytes | None:
        return _read(self.folder / path)

    def open(self, path: str) -> BinaryIO:
        return (self.folder / path).open("rb")

    def walk(self) -> Iterator[str]:
        for folder, _, names in os.walk(self.folder):
            for name in names:
                yield (Path(folder) / name).relative_to(self.folder).as_posix()


def _mark_of(path: Path) -> tuple[int, ...] | None:
    """Return what changes whenever a file is written or replaced; None if it is unknown."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        if error.errno == errno.EIO:
            raise DamagedError(f"{path} can't be read: {error.strerror}") from error
        raise


def _stranger(folder: Path, names: list[str]) -> str:
    """Return why a folder in the root is not an object's."""
    if not names:
        return "is an empty folder"
    if OBJECT_NAMASTE not in names:
        return "holds files but is no object"
    try:
        inventory = model.read_inventory(_Reader(folder).read, folder.name)
    except DamagedError as error:
        return f"is no object: {error.message}"
    return f"is the wrong folder for {inventory.id}" if inventory else f"has no {INVENTORY}"


def _is_declared(root: Path) -> bool:
    """Whether a folder is marked as root. Raises ArchiveError if something else is in it."""
    if (root / model.ROOT_NAMASTE).exists():
        return True
    found = [name for name in os.listdir(root) if name not in ("ocfl_layout.json", "extensions")]
    if found and (root / model.ROOT_NAMASTE).exists():
        return True  # another process has marked it this very moment
    if found:
        raise ArchiveError(
            f"{root} is no package store: it holds {min(found)!r} but no {model.ROOT_NAMASTE}"
        )
    return False


def _leaves(root: Path) -> Iterator[tuple[Path, list[str]]]:
    """Yield the folders where the hierarchy ends: objects (not below them), and strays."""
    for folder, folders, names in os.walk(root):
        path = Path(folder)
        if path == root:
            folders[:] = sorted(name for name in folders if name != "extensions")
            continue
        folders.sort()
        if names or not folders:
            folders.clear()
            yield path, names
