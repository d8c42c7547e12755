"""Leave removed content out of evidence: find the WARC records, copy WARC and WACZ without them.

A record is left out whole; what stays is copied byte for byte, member by member. Revisits of a
record that goes, go too.
"""

from __future__ import annotations

import html
import json
import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import BinaryIO, cast

from blogcrawl.packaging import cdxj, http1
from blogcrawl.packaging.records import rfc3339
from blogcrawl.packaging.wacz import About, write_wacz
from blogcrawl.packaging.warc import Record
from blogcrawl.urls.canonical import canonicalize, entry_key

MIN_PASSAGE = 40
"""Letters and digits of a sentence that counts as the post's own, not as chance."""
_WHOLE = 12
"""A text with no such sentence counts as a whole from so many."""
_SENTENCE = re.compile(r"(?<![.!?。！？])[.!?。！？]++\s+|\n+")
_TAG = re.compile(r"<[^<>]{0,10000}>")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_OTHER = re.compile(r"[\W_]+")
_CHUNK = 2**16
_SPOOL = 2**24
_MADE = ("urn:dom:", "urn:screenshot:")


def letters(text: str) -> str:
    """Return letters and digits alone, in lower case, however a text is marked up and escaped."""
    unescaped = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
    return _OTHER.sub("", _TAG.sub(" ", html.unescape(html.unescape(unescaped)))).casefold()


def passages(texts: Iterable[str]) -> frozenset[str]:
    """Return sentences that are long enough to recognise; of a short text all of it."""
    found: set[str] = set()
    for text in texts:
        own = {
            sentence
            for sentence in map(letters, _SENTENCE.split(text))
            if len(sentence) >= MIN_PASSAGE
        }
        whole = letters(text)
        found |= own or ({whole} if len(whole) >= _WHOLE else set())
    return frozenset(found)


@dataclass(frozen=True)
class Unwanted:
    """What is to be left out.

    ``addresses``: keys of pages; ``media`` and ``digests``: addresses and SHA-256 of media files
    that no other post shows; ``sentences``: passages of the content, wherever they occur (empty: by
    address only).
    """

    addresses: frozenset[str] = frozenset()
    media: frozenset[str] = frozenset()
    digests: frozenset[str] = frozenset()
    sentences: frozenset[str] = frozenset()

    def __or__(self, other: Unwanted) -> Unwanted:
        return Unwanted(
            self.addresses | other.addresses,
            self.media | other.media,
            self.digests | other.digests,
            self.sentences | other.sentences,
        )

    def __bool__(self) -> bool:
        return bool(self.addresses or self.media or self.digests or self.sentences)

    def address(self, url: str) -> bool:
        """Return whether the URL is to be erased."""
        bare = next((url[len(prefix) :] for prefix in _MADE if url.startswith(prefix)), url)
        if bare in self.media:
            return True
        return not self.addresses.isdisjoint((canonicalize(bare), entry_key(bare)))

    def body(self, data: bytes) -> bool:
        """Report whether it holds such content: a media file, or a sentence of the text."""
        if self.digests and sha256(data).hexdigest() in self.digests:
            return True
        if not self.sentences:
            return False
        coded = ("utf-16",) if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8", "latin-1")
        texts = (letters(data.decode(charset, "replace")) for charset in coded)
        return any(sentence in text for text in texts for sentence in self.sentences)


@dataclass
class Erased:
    """What was left out: ids of records, and how many."""

    records: set[str] = field(default_factory=set)


def _members(stream: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    """Yield each gzip member of a WARC file: as it is, and unpacked. A broken tail is left out."""
    unpack, raw, plain = zlib.decompressobj(31), bytearray(), bytearray()
    while chunk := stream.read(_CHUNK):
        while chunk:
            try:
                plain += unpack.decompress(chunk)
            except zlib.error:
                return
            used = len(chunk) - len(unpack.unused_data)
            raw += chunk[:used]
            if not unpack.eof:
                break
            yield bytes(raw), bytes(plain)
            chunk = unpack.unused_data
            unpack = zlib.decompressobj(31)
            raw = bytearray()
            plain = bytearray()


def _head_of(plain: bytes) -> tuple[dict[str, str], bytes]:
    """Return header fields of a record by lower-case name, and its block."""
    head, _, rest = plain.partition(b"\r\n\r\n")
    fields = {}
    for line in head.decode("utf-8", "replace").split("\r\n")[1:]:
        name, colon, value = line.partition(":")
        if colon:
            fields[name.strip().lower()] = value.strip()
    length = fields.get("content-length", "0")
    return fields, rest[: int(length)] if length.isascii() and length.isdigit() else rest


def _entity(fields: dict[str, str], block: bytes) -> bytes | None:
    """Return a record's content with its encodings undone; None if that can't be done."""
    import httpx

    if not fields.get("content-type", "").startswith("application/http"):
        return block
    message = http1.parse(block)
    coding = message.headers.get("content-encoding", "").lower()
    if not coding or coding == "identity" or not message.entity:
        return message.entity
    try:
        body = httpx.Response(
            200, headers={"content-encoding": coding}, content=message.entity
        ).content
    except httpx.DecodingError:
        return None
    return None if body == message.entity else body


def _goes(fields: dict[str, str], block: bytes, unwanted: Unwanted, erased: Erased) -> bool:
    if fields.get("warc-type") == "warcinfo":
        return False
    linked = {fields.get("warc-concurrent-to", ""), fields.get("warc-refers-to", "")} - {""}
    if linked & erased.records:
        return True
    url = fields.get("warc-target-uri", "").strip("<>")
    if unwanted.address(url) or unwanted.address(
        fields.get("warc-refers-to-target-uri", "").strip("<>")
    ):
        return True
    entity = _entity(fields, block)
    if entity is None:  # its content cannot be read
        return bool(unwanted.sentences)
    return unwanted.body(entity)


def copy_warc(
    source: BinaryIO, target: BinaryIO, unwanted: Unwanted, erased: Erased, name: str
) -> list[str]:
    """Copy a WARC file without the unwanted records; the CDXJ lines of the copy, named ``name``."""
    lines = []
    place = 0
    for raw, plain in _members(source):
        fields, block = _head_of(plain)
        if _goes(fields, block, unwanted, erased):
            erased.records.add(fields.get("warc-record-id", ""))
            continue
        line = cdxj.line(_record(fields, block), name, place, len(raw))
        if line is not None:
            lines.append(line)
        target.write(raw)
        place += len(raw)
    return lines


def _record(fields: dict[str, str], block: bytes) -> Record:
    message = (
        http1.parse(block)
        if fields.get("content-type", "").startswith("application/http")
        else None
    )
    mime = (
        message.mime
        if message
        else fields.get("content-type", "unk").split(";", 1)[0].strip().lower()
    )
    return Record(
        data=b"",
        record_id=fields.get("warc-record-id", ""),
        type=fields.get("warc-type", ""),
        url=fields.get("warc-target-uri", "").strip("<>"),
        date=fields.get("warc-date", ""),
        mime=mime,
        status=message.status if message else 200,
        payload_digest=fields.get("warc-payload-digest", ""),
    )


def holds_unwanted(source: BinaryIO, unwanted: Unwanted, erased: Erased) -> bool:
    """Report whether a WARC or WACZ file has unwanted records; notes their ids in ``erased``."""
    found = False
    for stream in _warcs(source):
        for _, plain in _members(stream):
            fields, block = _head_of(plain)
            if _goes(fields, block, unwanted, erased):
                erased.records.add(fields.get("warc-record-id", ""))
                found = True
    source.seek(0)
    return found


def _warcs(source: BinaryIO) -> Iterator[BinaryIO]:
    first = source.read(2)
    source.seek(0)
    if first != b"PK":
        yield source
        return
    with zipfile.ZipFile(source) as package:
        for info in package.infolist():
            if info.filename.startswith("archive/") and info.filename.endswith(".warc.gz"):
                with package.open(info) as stream:
                    yield cast(BinaryIO, stream)


def copy_wacz(
    source: BinaryIO, target: BinaryIO, unwanted: Unwanted, erased: Erased, now: datetime
) -> None:
    """Copy a WACZ without the unwanted records, index lines and pages."""
    with zipfile.ZipFile(source) as package:
        datapackage = json.loads(package.read("datapackage.json"))
        pages = [
            json.loads(line)
            for line in package.read("pages/pages.jsonl").splitlines()[1:]
            if line.strip()
        ]
        warcs: list[tuple[str, BinaryIO]] = []
        index: list[str] = []
        for info in package.infolist():
            if not (info.filename.startswith("archive/") and info.filename.endswith(".warc.gz")):
                continue
            name = info.filename.rsplit("/", 1)[-1]
            copy = cast(BinaryIO, tempfile.SpooledTemporaryFile(_SPOOL))  # noqa: SIM115 (closed below, after the ZIP is written)
            with package.open(info) as stream:
                index += copy_warc(cast(BinaryIO, stream), copy, unwanted, erased, name)
            copy.seek(0)
            warcs.append((name, copy))
        about = About(
            title=str(datapackage.get("title", "")),
            created=datetime.fromisoformat(str(datapackage.get("created")))
            if datapackage.get("created")
            else now,
            software=str(datapackage.get("software", "")),
            description=(
                f"{datapackage.get('description', '')}; records of removed posts were left out "
                f"on {rfc3339(now)}"
            ),
            main_url=str(datapackage.get("mainPageUrl", "")),
        )
        kept = [page for page in pages if not unwanted.address(str(page.get("url", "")))]
        write_wacz(target, about, warcs=warcs, index=sorted(index), pages=kept)
        for _, copy in warcs:
            copy.close()
