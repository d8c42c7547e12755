"""Writing files so that a kill or a full disk leaves nothing half under its name."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from blogcrawl.errors import ArchiveError, DiskFullError
from blogcrawl.storage.linux import start_writing

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_CLOSED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


@contextlib.contextmanager
def disk_errors(what: str) -> Iterator[None]:
    """Turns a full disk into DiskFullError and a refused write into ArchiveError, both naming ``what``."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise DiskFullError(f"no space left on the disk of {what}", advice="free some space and run the same command again") from error
        if error.errno in _CLOSED:
            raise ArchiveError(f"{what} can't be written: {error.strerror}", advice="check its owner and permissions") from error
        raise


def write_file(path: Path, data: bytes, *, sync: bool = True) -> None:
    """Write a new file and flush it to the disk. The name is not durable before its folder is synced."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        if sync:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(path: Path) -> None:
    """Make the names inside a folder durable; where the system can't sync folders there is nothing to do."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise
    finally:
        os.close(descriptor)


def replace_file(path: Path, data: bytes) -> None:
    """Write ``path`` anew: whole in its old or its new form, whenever the process is killed."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write_file(temporary, data)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def make_folders(path: Path, *, above: Path) -> None:
    """``mkdir -p`` whose new names are durable; ``above`` is a folder that exists already."""
    missing = []
    step = path
    while step != above and not step.exists():
        missing.append(step)
        step = step.parent
    for folder in reversed(missing):
        with contextlib.suppress(FileExistsError):
            folder.mkdir()
        sync_folder(folder.parent)


def sync_all(files: Iterable[Path], folders: Iterable[Path] = ()) -> None:
    """Make many new files and their names durable: writing starts for all before the first is waited for."""
    opened: list[int] = []
    try:
        for path in files:
            opened.append(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
            start_writing(opened[-1])
        for descriptor in opened:
            os.fsync(descriptor)
    finally:
        for descriptor in opened:
            os.close(descriptor)
    for folder in folders:
        sync_folder(folder)
