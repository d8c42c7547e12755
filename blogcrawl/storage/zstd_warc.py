"""WARC files compressed with Zstandard, as they come from large-scale captures: one frame a record,
with a dictionary of their own in the first one (IIPC, Zstandard for WARC files 1.0)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import BinaryIO

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_FRAME = b"\x28\xb5\x2f\xfd"
_DICTIONARY = b"\x5d\x2a\x4d\x18"
"""First bytes of a frame, and of the one that holds the dictionary (RFC 8878, 3.1)."""
_CHUNK = 2**20
_LONGEST = 16 * 2**20
"""Bytes of the longest dictionary: those of the format's own tools have 1 MiB."""


def is_zstd(path: Path) -> bool:
    """Return whether a file is compressed with Zstandard."""
    with path.open("rb") as file:
        return file.read(4) in (_FRAME, _DICTIONARY)


def unpack(path: Path, target: Path) -> str:
    """Write what a compressed WARC file holds to ``target``, as far as it can be read; return why
    no further, or the empty string. Raises OSError where that can't be written."""
    with path.open("rb") as file:
        try:
            dictionary = _dictionary(file)
            with zstd.ZstdFile(file, zstd_dict=dictionary) as plain, target.open("wb") as out:
                while chunk := plain.read1(_CHUNK):
                    out.write(chunk)
        except (zstd.ZstdError, EOFError, ValueError) as error:
            target.touch()
            return str(error)
    return ""


def _dictionary(file: BinaryIO) -> zstd.ZstdDict | None:
    """Read the dictionary of a file, which may be compressed itself; leaves ``file`` at the first
    frame that is not it."""
    head = file.read(8)
    if not head.startswith(_DICTIONARY):
        file.seek(0)
        return None
    size = int.from_bytes(head[4:], "little")
    if size > _LONGEST:
        raise ValueError(f"its dictionary has {size} bytes")
    content = file.read(size)
    if content.startswith(_FRAME):
        content = zstd.ZstdDecompressor().decompress(content, _LONGEST)
    return zstd.ZstdDict(content)
