"""System calls that os lacks: swap folders (``renameat2``), ``syncfs``, ``mallopt``."""

from __future__ import annotations

import ctypes
import errno
import functools
import os
from collections.abc import Callable
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_MMAP_THRESHOLD = -3
"""M_MMAP_THRESHOLD of mallopt(3)."""
_UNABLE = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EXDEV, errno.EPERM})


@functools.cache
def _call(name: str) -> Callable[..., int] | None:
    try:
        return getattr(ctypes.CDLL(None, use_errno=True), name)
    except (OSError, AttributeError):
        return None


def sync_filesystem(descriptor: int) -> bool:
    """Flush the file system of an open file at once, in place of each file.

    False if the system can't. Raises OSError if it failed.
    """
    call = _call("syncfs")
    if call is None:
        return False
    if call(descriptor) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNABLE:
        return False
    raise OSError(code, os.strerror(code))


def exchange(one: Path, other: Path) -> bool:
    """Swap both names; False if this system or file system can't. Raises OSError."""
    call = _call("renameat2")
    if call is None:
        return False
    if call(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNABLE:
        return False
    raise OSError(code, os.strerror(code), str(other))


def return_large_blocks(least_bytes: int) -> bool:
    """Let the allocator return freed blocks of this size to the system; False if it can't.

    By default glibc keeps blocks of up to 32 MB once one of that size was freed (mallopt(3)), so
    that copies of a large page that never exist together take memory together.
    """
    call = _call("mallopt")
    return call is not None and call(_MMAP_THRESHOLD, least_bytes) == 1
