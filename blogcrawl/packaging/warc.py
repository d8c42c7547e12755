"""WARC 1.1 records (ISO 28500:2017) as gzip members, written by warcio."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from io import BytesIO
from typing import Any, BinaryIO, Literal
from urllib.parse import quote

from blogcrawl.packaging.http1 import Message

_CHUNK = 2**16
"""Bytes read at a time: what follows a member's end in them is copied once more."""
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
IDENTICAL = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
_FORMAT = {
    "format": "WARC File Format 1.1",
    "conformsTo": "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
}
_LEVEL, _LEVEL_COMPRESSED = 6, 1
"""zlib's default (level 9 costs three times the CPU for 1 %); 1 for compressed content."""
_COMPRESSED = re.compile(r"image/(?!svg)|audio/|video/|application/(zip|gzip|pdf|x-7z)|font/woff")
_WITHOUT_BLOCK_DIGEST = frozenset({"request", "revisit", "metadata"})
"""Records of a few hundred bytes, of which an unchanged blog's further crawls consist: an optional
digest of the block would be a fifth of them, and the WACZ has a digest of the whole file."""

Truncation = Literal["length", "time", "disconnect", "unspecified"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request and its answer as they went over the wire to ``ip``."""

    url: str
    request: bytes
    response: bytes
    date: datetime
    ip: str
    seconds: float
    truncated: Truncation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """An earlier record that a revisit refers to."""

    record_id: str
    url: str
    date: str
    payload_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A record ready to be appended: ``data`` is its gzip member, the rest goes into an index."""

    data: bytes
    record_id: str
    type: str
    url: str
    date: str
    mime: str = ""
    status: int = 0
    payload_digest: str = ""


class _Member:
    """A gzip member that warcio writes into: its own wrapper compresses everything at level 9."""

    def __init__(self, level: int) -> None:
        self._compressor = zlib.compressobj(level, zlib.DEFLATED, 31)
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> None:
        self._parts.append(self._compressor.compress(data))

    def flush(self) -> None:
        """End the member: warcio flushes once, after the record."""
        self._parts.append(self._compressor.flush())

    def getvalue(self) -> bytes:
        return b"".join(self._parts)


@dataclass(frozen=True, slots=True)
class _HttpHead:
    """A header block in place of warcio's parsed one: evidence keeps every byte.

    warcio would write other blanks and line ends, and escape non-ASCII bytes.
    """

    headers_buff: bytes

    def compute_headers_buffer(self, header_filter: object) -> None:
        """Leave the bytes as they came."""


@cache
def _writer_class() -> Any:
    """Import warcio when the first record is written."""
    from warcio.utils import Digester
    from warcio.warcwriter import WARCWriter

    class Writer(WARCWriter):
        """A writer of SHA-256 digests, of payloads only for what is replayed."""

        NO_PAYLOAD_DIGEST_TYPES = ("warcinfo", *_WITHOUT_BLOCK_DIGEST)

        def ensure_digest(self, record: Any, block: bool = True, payload: bool = True) -> None:
            block = block and record.rec_type not in _WITHOUT_BLOCK_DIGEST
            super().ensure_digest(record, block, payload)

        @staticmethod
        def _create_digester() -> Any:
            return Digester("sha256")

    return Writer


def _date(moment: datetime) -> str:
    """W3C-DTF in UTC with microseconds, as WARC 1.1 allows."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _line(value: str) -> str:
    """Escape what would end the line of a header or field: URLs may be hostile."""
    if value.isprintable():
        return value
    return "".join(c if c.isprintable() else quote(c, errors="replace") for c in value)


def _record(
    kind: str,
    url: str,
    moment: datetime,
    mime: str,
    payload: bytes | memoryview,
    headers: Mapping[str, str],
    *,
    http_head: bytes = b"",
    level: int = _LEVEL,
) -> Record:
    """Serialise a record; headers without a value are left out."""
    out, date = _Member(level), _date(moment)
    writer = _writer_class()(out, gzip=False, warc_version="WARC/1.1")
    made = writer.create_warc_record(
        _line(url),
        kind,
        payload=BytesIO(payload),
        length=len(payload),
        warc_content_type=_line(mime),
        warc_headers_dict={"WARC-Date": date}
        | {name: _line(value) for name, value in headers.items() if value},
        http_headers=_HttpHead(http_head),
    )
    writer.write_record(made)
    return Record(
        data=out.getvalue(),
        record_id=made.rec_headers.get_header("WARC-Record-ID"),
        type=kind,
        url=url,
        date=date,
        payload_digest=made.rec_headers.get_header("WARC-Payload-Digest", ""),
    )


def _fields(fields: Mapping[str, str]) -> bytes:
    """Return a block of type ``application/warc-fields``."""
    lines = (f"{name}: {_line(value)}\r\n" for name, value in fields.items() if value)
    return "".join(lines).encode("utf-8", "replace")


def warcinfo(filename: str, moment: datetime, fields: Mapping[str, str]) -> Record:
    """Return the first record of every file: software, operator, robots policy, format."""
    block = _fields({**fields, **_FORMAT})
    headers = {"WARC-Filename": filename}
    return _record("warcinfo", "", moment, "application/warc-fields", block, headers)


def response(
    url: str,
    message: Message,
    moment: datetime,
    ip: str,
    *,
    truncated: Truncation | None = None,
    info: str = "",
) -> Record:
    """Return the record of a response, its block the bytes as they came."""
    compressed = "content-encoding" in message.headers or _COMPRESSED.match(message.mime)
    record = _record(
        "response",
        url,
        moment,
        "application/http;msgtype=response",
        message.payload,
        {"WARC-Warcinfo-ID": info, "WARC-IP-Address": ip, "WARC-Truncated": truncated or ""},
        http_head=message.head,
        level=_LEVEL_COMPRESSED if compressed else _LEVEL,
    )
    return replace(record, mime=message.mime, status=message.status)


def revisit(url: str, message: Message, moment: datetime, ip: str, earlier: Capture) -> Record:
    """Return the record of a response with known payload: a 304, or an equal digest."""
    unchanged = message.status == 304
    headers = {
        "WARC-IP-Address": ip,
        "WARC-Profile": NOT_MODIFIED if unchanged else IDENTICAL,
        "WARC-Refers-To": earlier.record_id,
        "WARC-Refers-To-Target-URI": earlier.url,
        "WARC-Refers-To-Date": earlier.date,
        "WARC-Payload-Digest": earlier.payload_digest,
        "WARC-Truncated": "" if unchanged else "length",
    }
    mime = "application/http;msgtype=response"
    record = _record("revisit", url, moment, mime, b"", headers, http_head=message.head)
    return replace(record, mime=message.mime, status=message.status)


def request(url: str, raw: bytes, moment: datetime, concurrent: str) -> Record:
    """Return the record of the request that a response answers (``concurrent``: its id)."""
    headers = {"WARC-Concurrent-To": concurrent}
    return _record("request", url, moment, "application/http;msgtype=request", raw, headers)


def resource(
    url: str, mime: str, body: bytes, moment: datetime, *, concurrent: str = "", info: str = ""
) -> Record:
    """Return the record of what was made of a page: ``urn:dom:<url>``, ``urn:screenshot:<url>``."""
    headers = {"WARC-Warcinfo-ID": info, "WARC-Concurrent-To": concurrent}
    level = _LEVEL_COMPRESSED if _COMPRESSED.match(mime) else _LEVEL
    record = _record("resource", url, moment, mime, body, headers, level=level)
    return replace(record, mime=mime, status=200)


def metadata(
    url: str, fields: Mapping[str, str], moment: datetime, *, concurrent: str = "", info: str = ""
) -> Record:
    """Return what the crawler knows of a capture: via, hopsFromSeed, fetchTimeMs …"""
    headers = {"WARC-Warcinfo-ID": info, "WARC-Concurrent-To": concurrent}
    return _record("metadata", url, moment, "application/warc-fields", _fields(fields), headers)


def whole_members(file: BinaryIO) -> int:
    """Return bytes of an open file up to the end of its last whole gzip member."""
    end = place = 0
    unpack = zlib.decompressobj(31)
    while chunk := file.read(_CHUNK):
        while chunk:
            try:
                unpack.decompress(chunk)
            except zlib.error:
                return end
            used = len(chunk) - len(unpack.unused_data)
            place += used
            if not unpack.eof:
                break
            end, chunk = place, unpack.unused_data
            unpack = zlib.decompressobj(31)
    return end
