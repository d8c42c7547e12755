"""Which format of the PRONOM registry a file has, by its first bytes. Pure."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

HEAD = 65_536
"""Bytes that are looked at: the markers of all these formats stand within."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format as PRONOM has it; one that it does not name has nothing but its MIME type."""

    name: str
    version: str = ""
    puid: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    found: Format
    signature: re.Pattern[bytes] | None
    mime: str | None


@cache
def _table() -> tuple[_Row, ...]:
    place = resources.files("blogcrawl.packaging").joinpath("resources", "formats.toml")
    rows = []
    for row in tomllib.loads(place.read_text("utf-8"))["format"]:
        found = Format(name=row["name"], version=row["version"], puid=row["puid"])
        pattern = row.get("signature")
        signature = re.compile(pattern.encode("latin-1")) if pattern else None
        rows.append(_Row(found=found, signature=signature, mime=row.get("mime")))
    return tuple(rows)


def identify(head: bytes, mime: str) -> Format:
    """Return the format of a file that begins with ``head``; ``mime`` decides where no signature
    does, and is the name of what PRONOM does not have.
    """
    head = head[:HEAD]
    for row in _table():
        if row.signature is not None and row.signature.match(head):
            return row.found
    by_type = (row.found for row in _table() if row.mime == mime)
    return next(by_type, Format(name=mime))
