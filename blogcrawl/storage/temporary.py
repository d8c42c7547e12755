"""Temporary files and folders: one way to make them, one sweep for what killed processes left.

Their name is ``.NAME.xxxxxxxxxxxx.part`` next to the final name, so that a rename is atomic. The
writer holds a file lock (flock) on it as long as it lives; the system releases the lock of a dead
process. ``sweep`` removes those that it can lock: never one of a living process, on whatever
machine of a shared file system, whatever the clock says.

Scratch folders outside an archive (unpacked ZIP files, replay) lie in the system's folder for
temporary files and follow the same rule.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

SCRATCH = "blogcrawl-scratch-"
_PART = re.compile(r"\..+\.[0-9a-f]{12}\.part\Z", re.DOTALL)
_SCRATCH = re.compile(re.escape(SCRATCH) + r"[a-z0-9_-]+-[0-9a-f]{12}\Z")
_NAME_BYTES = 200
"""Longest part of the final name that is kept: a file name has at most 255 bytes."""


def part_path(final: Path) -> Path:
    """Return a new temporary name next to ``final``."""
    kept = os.fsdecode(os.fsencode(final.name)[:_NAME_BYTES])
    return final.with_name(f".{kept}.{secrets.token_hex(6)}.part")


@contextlib.contextmanager
def new_file(final: Path, *, sync: bool = False) -> Iterator[BinaryIO]:
    """Open a file for writing that replaces ``final`` at the end of the block.

    After an exception it is removed. ``sync``: its bytes are on the disk before it gets its name
    (the name is not, before its folder is synced).
    """
    path, descriptor = _locked(final)
    try:
        with os.fdopen(descriptor, "w+b") as file:
            yield file
            file.flush()
            if sync:
                os.fsync(descriptor)
            os.replace(path, final)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _locked(final: Path) -> tuple[Path, int]:
    """Make an empty file that this process holds; again where a sweep has removed it meanwhile."""
    while True:
        path = part_path(final)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        if _hold(descriptor) and os.fstat(descriptor).st_nlink:
            return path, descriptor
        os.close(descriptor)


@contextlib.contextmanager
def new_folder(final: Path) -> Iterator[Path]:
    """Make a folder next to ``final`` that the block fills and renames; else it is removed."""
    path = part_path(final)
    with _held_folder(path):
        yield path


def temporary_root() -> Path:
    """Return the system's folder for temporary files.

    ``tempfile.gettempdir`` tries a folder by writing a file into it, which a kill at that moment
    leaves.
    """
    named = (os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    usable = (
        folder
        for folder in named
        if folder and os.path.isabs(folder) and os.access(folder, os.W_OK | os.X_OK)
    )
    return Path(next(usable, None) or tempfile.gettempdir())


@contextlib.contextmanager
def scratch_folder(purpose: str) -> Iterator[Path]:
    """Make a temporary folder for the block; ``purpose``: lower-case letters.

    What killed processes left there is removed first.
    """
    root = temporary_root()
    sweep(root)
    with _held_folder(root / f"{SCRATCH}{purpose}-{secrets.token_hex(6)}", mode=0o700) as path:
        yield path


@contextlib.contextmanager
def _held_folder(path: Path, mode: int = 0o777) -> Iterator[Path]:
    while True:
        path.mkdir(mode=mode)
        with contextlib.suppress(FileNotFoundError):
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            if _hold(descriptor) and path.exists():
                break
            os.close(descriptor)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(descriptor)


def _hold(descriptor: int) -> bool:
    """Lock it; False if a sweep holds it. Without locks (True), no sweep can lock it either."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EWOULDBLOCK, errno.EACCES)
    return True


def sweep(folder: Path) -> list[str]:
    """Remove temporary files and folders in ``folder`` of ended processes; their names.

    Only names that this module makes, of the same user, no links. What can't be removed stays, and
    a folder that is not there or can't be read has none.
    """
    removed = []
    try:
        with os.scandir(folder) as entries:
            found = [
                entry.path
                for entry in entries
                if _PART.match(entry.name) or _SCRATCH.match(entry.name)
            ]
    except OSError:
        return []
    for name in found:
        with contextlib.suppress(OSError):
            if _remove_if_left(name):
                removed.append(os.path.basename(name))
    return removed


def _remove_if_left(name: str) -> bool:
    what = os.lstat(name)
    if what.st_uid != os.geteuid() or not (
        stat.S_ISREG(what.st_mode) or stat.S_ISDIR(what.st_mode)
    ):
        return False
    is_folder = stat.S_ISDIR(what.st_mode)
    descriptor = os.open(
        name,
        (os.O_RDONLY | os.O_DIRECTORY if is_folder else os.O_RDWR) | os.O_NOFOLLOW | os.O_CLOEXEC,
    )
    try:
        # fails where its process lives, or where there are no locks
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if is_folder:
            shutil.rmtree(name)
        else:
            os.unlink(name)
    finally:
        os.close(descriptor)
    return True


def sweep_below(folder: Path) -> list[str]:
    """Run ``sweep`` on a folder and all folders in it, links not followed."""
    return [name for place, _, _ in os.walk(folder) for name in sweep(Path(place))]
