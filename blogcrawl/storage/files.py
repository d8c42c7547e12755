"""Writing files so that a kill or a full disk leaves nothing half under its name."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from blogcrawl.core.errors import (
    ArchiveError,
    BlogcrawlError,
    DamagedError,
    DiskFullError,
    LeaseLostError,
    ReadOnlyError,
    StorageError,
    UnavailableError,
)
from blogcrawl.storage.linux import sync_filesystem
from blogcrawl.storage.temporary import new_file

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_CLOSED = frozenset({errno.EACCES, errno.EPERM})
PROBE_BYTES = 256 * 1024
"""A disk that takes so much has space again, for the bookkeeping of open pages too."""
_OWN = (FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError)
"""What a remote store says of a key or bucket; its other errors are its own trouble."""
_CLIENTS = frozenset({"botocore", "aiobotocore", "aiohttp"})
"""Libraries whose errors (an endpoint that is away, a time-out) are no OSError."""


@contextlib.contextmanager
def disk_errors(what: str) -> Iterator[None]:
    """Raise a full disk as DiskFullError, a read-only one as ReadOnlyError, others as ArchiveError.

    All name ``what``.
    """
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise DiskFullError(
                f"no space left on the disk of {what}",
                advice="free some space and run the same command again",
            ) from error
        if error.errno == errno.EROFS:
            advice = "mount it writable and run the same command again"
            raise ReadOnlyError(f"{what} is on a read-only file system", advice=advice) from error
        if error.errno in _CLOSED:
            raise ArchiveError(
                f"{what} can't be written: {error.strerror}",
                advice="check its owner and permissions",
            ) from error
        if error.errno == errno.EIO:
            raise ArchiveError(
                f"the disk of {what} fails: {error.strerror}", advice="see the system's log"
            ) from error
        raise


@contextlib.contextmanager
def remote_errors(url: str) -> Iterator[None]:
    """Raise what a remote store raises as an error of ours that names the store.

    UnavailableError; ArchiveError where access is refused; StorageError where a bucket or key is
    missing.
    """
    try:
        yield
    except BlogcrawlError:
        raise
    except PermissionError as error:
        raise ArchiveError(f"{url} refuses access: {error}") from error
    except _OWN as error:
        raise StorageError(f"{url}: {type(error).__name__}: {error}") from error
    except Exception as error:
        if isinstance(error, OSError) or type(error).__module__.partition(".")[0] in _CLIENTS:
            raise UnavailableError(
                f"{url} can't be reached: {type(error).__name__}: {error}",
                advice="see whether it runs; the same command goes on then",
            ) from error
        raise


class LazyFile(io.RawIOBase):
    """A file that is open only while it is read: packages hold more files than a process may open.

    ``opener`` opens it, as often as it is read; a known ``size`` spares a seek to the end.
    """

    def __init__(self, opener: Callable[[], BinaryIO], size: int | None = None) -> None:
        self._opener, self._file, self._at = opener, cast("BinaryIO | None", None), 0
        self._size = size

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._opened().read(len(buffer))
        buffer[: len(data)] = data
        self._at += len(data)
        if not data:
            self._rest()
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if whence == os.SEEK_END and self._size is not None:
            offset, whence = self._size + offset, os.SEEK_SET
        if whence != os.SEEK_SET or self._file is not None:
            offset = self._opened().seek(offset, whence)
        self._at = offset
        return offset

    def tell(self) -> int:
        return self._at

    def close(self) -> None:
        """Close it; it may be read again, from its beginning."""
        self._rest()
        self._at = 0

    def _opened(self) -> BinaryIO:
        if self._file is None:
            self._file = self._opener()
            if self._at:
                self._file.seek(self._at)
        return self._file

    def _rest(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def lazily(source: Path | Callable[[], BinaryIO]) -> BinaryIO:
    """Return a ``LazyFile``, typed as an open file."""
    return cast(
        BinaryIO, LazyFile((lambda: source.open("rb")) if isinstance(source, Path) else source)
    )


class CheckedFile(io.RawIOBase):
    """A file whose SHA-512 is computed while it is read from beginning to end, without seeks.

    The read that reaches the end raises DamagedError where the digest is not ``sha512``, and an EIO
    of the disk becomes one too. ``name`` says in the message which file it is.
    """

    def __init__(self, source: BinaryIO, sha512: str, name: str) -> None:
        self._source, self._sha512, self._name = source, sha512, name
        self._digest = cast("Any", hashlib.sha512())
        self.report: Callable[[str], object] | None = None
        """Where set, called with the message in place of raising DamagedError."""

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._source.seekable()

    def read(self, size: int = -1, /) -> bytes:
        try:
            data = self._source.read(size)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            raise DamagedError(f"{self._name} can't be read: {error.strerror}") from error
        if self._digest is not None:
            self._digest.update(data)
            if size < 0 or (size > 0 and not data):
                found, self._digest = self._digest.hexdigest(), None
                if found != self._sha512:
                    self._changed(
                        f"{self._name} has changed: SHA-512 is {found[:16]}…, should be "
                        f"{self._sha512[:16]}…"
                    )
        return data

    def _changed(self, message: str) -> None:
        if self.report is None:
            raise DamagedError(message)
        self.report(message)

    def readall(self) -> bytes:
        return self.read()

    def readinto(self, buffer: Any) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        before = self._source.tell()
        after = self._source.seek(offset, whence)
        if after != before:
            self._digest = hashlib.sha512() if after == 0 else None
        return after

    def tell(self) -> int:
        return self._source.tell()

    def close(self) -> None:
        self._source.close()
        super().close()


def checked(source: BinaryIO, sha512: str, name: str) -> BinaryIO:
    """Return a ``CheckedFile``, typed as an open file."""
    return cast(BinaryIO, CheckedFile(source, sha512, name))


def write_file(path: Path, data: bytes, *, sync: bool = True) -> None:
    """Write a new file and flush it. The name is not durable before its folder is synced."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        if sync:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def probe_folder(path: Path) -> None:
    """Raise DiskFullError, ReadOnlyError or ArchiveError where ``path`` can't be written."""
    probe = path / f".probe-{os.getpid()}"
    with disk_errors(str(path)):
        try:
            write_file(probe, bytes(PROBE_BYTES))
        finally:
            with contextlib.suppress(OSError):
                probe.unlink()


def sync_folder(path: Path) -> None:
    """Make the names inside a folder durable, where the system can."""
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


class FolderLock:
    """The right of this process to work alone in a folder, until ``release`` or its end.

    ``shared``: with others that share it, and no one who works alone. Without effect where the file
    system has no locks. Raises LeaseLostError if another process has it.
    """

    def __init__(self, path: Path, *, shared: bool = False) -> None:
        self._descriptor: int | None = None
        path.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                advice = "wait until it has ended, or stop it; the same command goes on then"
                raise LeaseLostError(
                    "another process is crawling this blog into this archive", advice=advice
                ) from error
            return
        self._descriptor = descriptor

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    __del__ = release


def replace_file(path: Path, data: bytes) -> None:
    """Write ``path`` anew: whole in its old or its new form, whenever the process is killed."""
    with new_file(path, sync=True) as file:
        file.write(data)
    sync_folder(path.parent)


def sync_tree(folder: Path) -> None:
    """Make everything below a folder durable: its files, its folders, their names."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if sync_filesystem(descriptor):
            return
    finally:
        os.close(descriptor)
    for place, _, names in os.walk(folder):
        for name in names:
            opened = os.open(os.path.join(place, name), os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(opened)
            finally:
                os.close(opened)
        sync_folder(Path(place))
