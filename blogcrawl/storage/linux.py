"""Two system calls that Python's os lacks: ``renameat2`` to swap folders in one step, ``sync_file_range`` to start writing."""

from __future__ import annotations

import ctypes
import errno
import functools
import os
from collections.abc import Callable
from pathlib import Path

_SYNC_FILE_RANGE_WRITE = 2
_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_UNABLE = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EXDEV, errno.EPERM})


@functools.cache
def _call(name: str) -> Callable[..., int] | None:
    try:
        return getattr(ctypes.CDLL(None, use_errno=True), name)
    except (OSError, AttributeError):
        return None


def start_writing(descriptor: int) -> None:
    """Ask the system to begin writing a file's data, without waiting.

    Done for many files before the first ``fsync``, it lets the journal commit them all at once instead of one by one.
    """
    call = _call("sync_file_range")
    if call is not None:
        call(descriptor, ctypes.c_int64(0), ctypes.c_int64(0), ctypes.c_uint(_SYNC_FILE_RANGE_WRITE))


def exchange(one: Path, other: Path) -> bool:
    """True where both names are swapped; False where this system or file system can't. Raises OSError."""
    call = _call("renameat2")
    if call is None:
        return False
    if call(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNABLE:
        return False
    raise OSError(code, os.strerror(code), str(other))
