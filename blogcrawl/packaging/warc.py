"""WARC 1.1 records (ISO 28500:2017) as bytes: one gzip member a record. Which file they go into is
``storage/evidence.py``'s.
"""

from __future__ import annotations

import base64
import hashlib
import re
import uuid
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import BinaryIO, Literal
from urllib.parse import quote

from blogcrawl.packaging.http1 import Message

VERSION = "WARC/1.1"
_CHUNK = 2**16
"""Bytes read at a time: what follows a member's end in them is copied once more."""
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
IDENTICAL = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
_LEVEL, _LEVEL_PACKED = 6, 1
"""zlib's own default (level 9 costs three times the CPU for 1 % of the size on HTML); 1 for what is
compressed already.
"""
_PACKED = re.compile(r"image/(?!svg)|audio/|video/|application/(zip|gzip|pdf|x-7z)|font/woff")

_BARE = frozenset({"request", "revisit", "metadata"})
"""Records of a few hundred bytes, of which an unchanged blog's further crawls consist: a digest of
the block and the id of the file's warcinfo (the standard has both optional; the file's own warcinfo
holds where none is named) would be a fifth of them, and nothing that the digests of the WACZ do not
vouch for."""

Truncation = Literal["length", "time", "disconnect", "unspecified"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """An earlier record that a revisit refers to."""

    record_id: str
    url: str
    date: str
    payload_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A record ready to be appended. ``data`` is its gzip member; the rest is what an index wants
    of it.
    """

    data: bytes
    record_id: str
    type: str
    url: str
    date: str
    mime: str = ""
    status: int = 0
    payload_digest: str = ""


def new_id() -> str:
    return f"<urn:uuid:{uuid.uuid4()}>"


def warc_date(moment: datetime) -> str:
    """W3C-DTF in UTC with microseconds, as WARC 1.1 allows."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def digest(data: bytes | memoryview) -> str:
    """``sha256:`` and base32, the labelled form of the standard."""
    return "sha256:" + base64.b32encode(hashlib.sha256(data).digest()).decode("ascii")


def _member(headers: Sequence[tuple[str, str]], block: bytes, level: int = _LEVEL) -> bytes:
    lines = [VERSION, *(f"{name}: {_line(value)}" for name, value in headers if value), "", ""]
    head = "\r\n".join(lines).encode("utf-8", "replace")
    packer = zlib.compressobj(level, zlib.DEFLATED, 31)
    return b"".join(
        (
            packer.compress(head),
            packer.compress(block),
            packer.compress(b"\r\n\r\n"),
            packer.flush(),
        )
    )


def _line(value: str) -> str:
    """A header value that stays one line, whatever a hostile URL holds."""
    return (
        value
        if value.isprintable()
        else "".join(c if c.isprintable() else quote(c, errors="replace") for c in value)
    )


def _record(
    kind: str,
    url: str,
    moment: str,
    mime: str,
    block: bytes,
    more: Iterable[tuple[str, str]],
    record_id: str,
    level: int = _LEVEL,
) -> bytes:
    headers = [
        ("WARC-Type", kind),
        ("WARC-Record-ID", record_id),
        ("WARC-Target-URI", url),
        ("WARC-Date", moment),
        *more,
        ("WARC-Block-Digest", "" if kind in _BARE else digest(block)),
        ("Content-Type", mime),
        ("Content-Length", str(len(block))),
    ]
    return _member(headers, block, level)


def warcinfo(filename: str, moment: datetime, fields: Mapping[str, str]) -> Record:
    """The first record of every file: software, operator, robots policy, format."""
    record_id, date = new_id(), warc_date(moment)
    told = {
        "format": "WARC File Format 1.1",
        "conformsTo": (
            "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"
        ),
    }
    block = _fields({**fields, **told})
    data = _record(
        "warcinfo",
        "",
        date,
        "application/warc-fields",
        block,
        [("WARC-Filename", filename)],
        record_id,
    )
    return Record(data=data, record_id=record_id, type="warcinfo", url="", date=date)


def _fields(fields: Mapping[str, str]) -> bytes:
    return "".join(f"{name}: {_line(value)}\r\n" for name, value in fields.items() if value).encode(
        "utf-8", "replace"
    )


def response(
    url: str,
    message: Message,
    moment: datetime,
    ip: str,
    *,
    truncated: Truncation | None = None,
    info: str = "",
) -> Record:
    """A response, its block the bytes as they came."""
    record_id, date, payload = new_id(), warc_date(moment), digest(message.payload)
    more = [
        ("WARC-Warcinfo-ID", info),
        ("WARC-IP-Address", ip),
        ("WARC-Payload-Digest", payload),
        ("WARC-Truncated", truncated or ""),
    ]
    packed = "content-encoding" in message.headers or _PACKED.match(message.mime)
    level = _LEVEL_PACKED if packed else _LEVEL
    data = _record(
        "response",
        url,
        date,
        "application/http;msgtype=response",
        message.raw,
        more,
        record_id,
        level,
    )
    return Record(
        data=data,
        record_id=record_id,
        type="response",
        url=url,
        date=date,
        mime=message.mime,
        status=message.status,
        payload_digest=payload,
    )


def revisit(url: str, message: Message, moment: datetime, ip: str, earlier: Capture) -> Record:
    """A response whose payload is known: 304 by the server's word, anything else by its digest.
    Keeps the header block.
    """
    record_id, date = new_id(), warc_date(moment)
    unchanged = message.status == 304
    more = [
        ("WARC-IP-Address", ip),
        ("WARC-Profile", NOT_MODIFIED if unchanged else IDENTICAL),
        ("WARC-Refers-To", earlier.record_id),
        ("WARC-Refers-To-Target-URI", earlier.url),
        ("WARC-Refers-To-Date", earlier.date),
        ("WARC-Payload-Digest", earlier.payload_digest),
        ("WARC-Truncated", "" if unchanged else "length"),
    ]
    data = _record(
        "revisit", url, date, "application/http;msgtype=response", message.head, more, record_id
    )
    return Record(
        data=data,
        record_id=record_id,
        type="revisit",
        url=url,
        date=date,
        mime=message.mime,
        status=message.status,
        payload_digest=earlier.payload_digest,
    )


def request(url: str, raw: bytes, moment: datetime, concurrent: str) -> Record:
    """The request that a response or revisit answers (``concurrent``: that record's id)."""
    record_id, date = new_id(), warc_date(moment)
    more = [("WARC-Concurrent-To", concurrent)]
    data = _record("request", url, date, "application/http;msgtype=request", raw, more, record_id)
    return Record(data=data, record_id=record_id, type="request", url=url, date=date)


def resource(
    url: str, mime: str, body: bytes, moment: datetime, *, concurrent: str = "", info: str = ""
) -> Record:
    """Something the crawl made of a page: its rendered DOM (``urn:dom:<url>``), a screenshot
    (``urn:screenshot:<url>``).
    """
    record_id, date, payload = new_id(), warc_date(moment), digest(body)
    more = [
        ("WARC-Warcinfo-ID", info),
        ("WARC-Concurrent-To", concurrent),
        ("WARC-Payload-Digest", payload),
    ]
    data = _record(
        "resource",
        url,
        date,
        mime,
        body,
        more,
        record_id,
        _LEVEL_PACKED if _PACKED.match(mime) else _LEVEL,
    )
    return Record(
        data=data,
        record_id=record_id,
        type="resource",
        url=url,
        date=date,
        mime=mime,
        status=200,
        payload_digest=payload,
    )


def metadata(
    url: str, fields: Mapping[str, str], moment: datetime, *, concurrent: str = "", info: str = ""
) -> Record:
    """What the crawler knows of a capture: via, hopsFromSeed, fetchTimeMs …"""
    record_id, date = new_id(), warc_date(moment)
    more = [("WARC-Warcinfo-ID", info), ("WARC-Concurrent-To", concurrent)]
    data = _record(
        "metadata", url, date, "application/warc-fields", _fields(fields), more, record_id
    )
    return Record(data=data, record_id=record_id, type="metadata", url=url, date=date)


def whole_members(file: BinaryIO) -> int:
    """Bytes of an open file up to the end of its last whole gzip member."""
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
