"""HTTP/1.x messages as they came over the wire: where the headers end, is the body complete."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from blogcrawl.text.visible import natural

_STATUS = re.compile(rb"HTTP/\d(?:\.\d)?\s+(\d{3})")
_MIME = re.compile(r"[\w.+-]+/[\w.+-]+\Z", re.ASCII)
_END = re.compile(rb"\r?\n\r?\n")
_CHUNK_SIZE = re.compile(rb"[0-9A-Fa-f]{1,16}[ \t]*(?:;[^\r\n]*)?\r?\n")


@dataclass(frozen=True)
class Message:
    """A response: ``raw`` begins with the status line of the final response."""

    raw: bytes

    @cached_property
    def _split(self) -> int:
        found = _END.search(self.raw)
        return found.end() if found else len(self.raw)

    @property
    def head(self) -> bytes:
        """Status line and header block with the empty line that ends it."""
        return self.raw[: self._split]

    @property
    def payload(self) -> memoryview:
        """Everything after the header block, transfer encoding and all."""
        return memoryview(self.raw)[self._split :]

    @cached_property
    def status(self) -> int:
        found = _STATUS.match(self.raw)
        return int(found[1]) if found else 0

    @cached_property
    def headers(self) -> dict[str, str]:
        """Lower-case names; of repeated ones the last."""
        out = {}
        for line in self.head.split(b"\n")[1:]:
            name, colon, value = line.partition(b":")
            if colon:
                out[name.decode("latin-1").strip().lower()] = value.decode("latin-1").strip()
        return out

    @property
    def mime(self) -> str:
        bare = self.headers.get("content-type", "").split(";", 1)[0].strip().lower()
        return bare if _MIME.match(bare) else "unk"

    @cached_property
    def entity(self) -> bytes:
        """Return the payload with chunked framing undone; content encodings stay. Tools that store
        the body without the framing leave the header that names it.
        """
        if "chunked" not in self.headers.get("transfer-encoding", "").lower():
            return bytes(self.payload)
        is_framed = _CHUNK_SIZE.match(self.payload) is not None
        return b"".join(_chunks(self.payload)) if is_framed else bytes(self.payload)

    def complete(self, *, closed: bool) -> bool:
        """Report whether the body is complete; ``closed``: the connection's end may end it."""
        if self.status in (204, 304) or 100 <= self.status < 200:
            return True
        if "chunked" in self.headers.get("transfer-encoding", "").lower():
            tail = bytes(self.payload[-7:])
            return tail.endswith(b"0\r\n\r\n") or (closed and tail.endswith(b"\r\n\r\n"))
        length = natural(self.headers.get("content-length"))
        if length is not None:
            return len(self.payload) >= length
        return closed


def parse(raw: bytes) -> Message:
    """Read the final response in ``raw``, without interim ones before it (RFC 9110, 15.2)."""
    place = 0
    while (
        (found := _STATUS.match(raw, place)) and 100 <= int(found[1]) < 200 and int(found[1]) != 101
    ):
        end = _END.search(raw, place)
        if end is None or end.end() == len(raw):
            break
        place = end.end()
    return Message(raw[place:] if place else raw)


def _chunks(payload: memoryview) -> Iterable[bytes]:
    """RFC 9112, 7.1. Stops at the first thing that is no chunk; what came before it is kept."""
    data, place = bytes(payload), 0
    while True:
        end = data.find(b"\n", place)
        size_text = data[place:end].split(b";", 1)[0].strip() if end >= 0 else b""
        try:
            size = int(size_text, 16)
        except ValueError:
            return
        if size <= 0:
            return
        yield data[end + 1 : end + 1 + size]
        place = end + 1 + size
        if data[place : place + 2] == b"\r\n":
            place += 2
        elif data[place : place + 1] == b"\n":
            place += 1
        if place >= len(data):
            return
