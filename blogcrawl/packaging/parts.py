"""Files of a package while it is put together: path, type, size, digest, content."""

from __future__ import annotations

import hashlib
import mimetypes
import platform
from dataclasses import dataclass, field
from datetime import datetime
from typing import BinaryIO

from blogcrawl import __version__
from blogcrawl.core.organization import Organization
from blogcrawl.packaging.formats import HEAD, Format, identify

_CHUNK = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Content that an earlier version of the package has: its bytes are not needed again."""

    sha512: str
    size: int


Content = bytes | BinaryIO | Kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation:
    """How a file was made of another one of the same representation: ``source`` is its path."""

    source: str
    at: datetime
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One file of a package. ``path``: below the package's root; ``origin``: URL it came from."""

    path: str
    mime: str
    content: Content
    size: int
    sha512: str
    format: Format
    origin: str | None = None
    derivation: Derivation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """When and by what a version of a package is made. Pure input: the bytes can be made again."""

    created: datetime
    """When the package first came to be."""
    changed: datetime
    """When this version was made."""
    version: int = 1
    software: str = "blogcrawl"
    software_version: str = __version__
    operator: Organization = field(default_factory=Organization)
    person: str = ""
    """Who asked for it, where that is known: of a removal."""
    host: str = ""
    """Name of the computer that made it."""


def host_name() -> str:
    """Return the name of this computer, as packages and evidence have it."""
    return platform.node()


def part(path: str, content: Content, mime: str | None = None, origin: str | None = None) -> Part:
    """Measure, hash and identify content; an open file is read in chunks and rewound."""
    head = b""
    if isinstance(content, Kept):
        size, sha512 = content.size, content.sha512
    elif isinstance(content, bytes):
        head, size, sha512 = content[:HEAD], len(content), hashlib.sha512(content).hexdigest()
    else:
        content.seek(0)
        head = content.read(HEAD)
        content.seek(0)
        sha512, size = measure(content)
        content.seek(0)
    kind = mime or mimetypes.guess_type(path)[0] or "application/octet-stream"
    return Part(
        path=path,
        mime=kind,
        content=content,
        size=size,
        sha512=sha512,
        format=identify(head, kind),
        origin=origin,
    )


def measure(
    stream: BinaryIO, algorithm: str = "sha512", copy: BinaryIO | None = None
) -> tuple[str, int]:
    """Return digest and size of an open file from where it stands to its end; ``copy`` gets its
    bytes. Read in chunks.
    """
    digest, size = hashlib.new(algorithm, usedforsecurity=False), 0
    while chunk := stream.read(_CHUNK):
        digest.update(chunk)
        size += len(chunk)
        if copy is not None:
            copy.write(chunk)
    return digest.hexdigest(), size


class PackageFiles(dict[str, Content]):
    """The files of a package, path -> content; ``digests``: SHA-512, as far as known.

    A file that is given other content later must lose its digest: assigning to a path does that.
    """

    def __init__(self) -> None:
        super().__init__()
        self.digests: dict[str, str] = {}

    def __setitem__(self, path: str, content: Content) -> None:
        super().__setitem__(path, content)
        self.digests.pop(path, None)

    def add(self, part: Part) -> None:
        self[part.path] = part.content
        self.digests[part.path] = part.sha512
