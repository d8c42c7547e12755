"""Items that a crawl comes back to when all others are in, on disk."""

from __future__ import annotations

import os
import pickle
import tempfile
import zlib
from pathlib import Path
from typing import Any

IN_MEMORY = 2**20
"""Bytes from which the items are written to the disk; a small blog's never are."""


class Spool:
    """Keeps items by a number; nothing of it is left when the process ends, however it does."""

    def __init__(self, folder: Path) -> None:
        self._file = tempfile.SpooledTemporaryFile(  # noqa: SIM115 (collected)
            IN_MEMORY, dir=str(folder)
        )
        self._places: dict[int, tuple[int, int]] = {}

    def put(self, key: int, item: Any) -> None:
        """Keep an item, for the crawl's own process to read. Raises OSError."""
        data = zlib.compress(pickle.dumps(item, pickle.HIGHEST_PROTOCOL), 1)
        start = self._file.seek(0, os.SEEK_END)
        self._file.write(data)
        self._places[key] = start, len(data)

    def get(self, key: int) -> Any:
        """Return the item. Raises KeyError and OSError."""
        start, length = self._places[key]
        self._file.seek(start)
        return pickle.loads(zlib.decompress(self._file.read(length)))
