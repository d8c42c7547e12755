"""Web archives to read from: an index of the captures in WARC files, whoever wrote them.

WARC 1.0 and 1.1 (ISO 28500), ARC, compressed (gzip, Zstandard) or not, and WACZ; of each address
the best capture is given. The bodies stay in their files, or are unpacked next to the index (a
temporary SQLite file), which has their places.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import mmap
import re
import shutil
import sqlite3
import zipfile
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Protocol, Self, cast
from urllib.parse import quote, unquote, urljoin

from blogcrawl.core.errors import NotABlogError, UsageError
from blogcrawl.packaging.http1 import parse
from blogcrawl.storage.base import PackageStore
from blogcrawl.storage.files import disk_errors
from blogcrawl.storage.replay import lay_out, warc_folder
from blogcrawl.storage.tables import BlogRow
from blogcrawl.storage.temporary import scratch_folder
from blogcrawl.storage.zstd_warc import is_zstd, unpack
from blogcrawl.text.visible import natural
from blogcrawl.urls import parts as urlparts
from blogcrawl.urls.canonical import canonicalize, host_of

DOM = "urn:dom:"
"""Prefix of the address of a record that holds a page as a browser showed it."""
NOT_ARCHIVED = "not in the archive"
"""Why a page can't be read that a web archive lacks."""
_RECORD = re.compile(rb"\x1f\x8b\x08|WARC/[01]\.\d+\r\n(?:WARC|Content)-")
"""Where a record may begin, compressed or not."""
_GZIP = b"\x1f\x8b"
_SUFFIXES = (".warc.gz", ".warc.zst", ".warc", ".arc.gz", ".arc")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_RESERVED = "%:/?#[]@!$&'()*+,;=-._~|"
_MOST_BYTES = 256 * 2**20
"""Bytes read of one record; pages and media that are larger than allowed are no use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """A response as a web archive has it."""

    url: str
    """Under which it was captured."""
    date: datetime
    message: bytes
    """From the status line on, as it came over the wire."""
    ip: str = ""
    origin: str = ""
    """Where it was read from, for the record of provenance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer of a service; header names are lower-case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Get = Callable[[str, Mapping[str, str]], Awaitable[Reply]]
"""Fetches an address with header fields."""


class CaptureSource(Protocol):
    """What a crawl reads in place of the web."""

    service: str
    """Address of the service that is asked over the web; empty: none is."""

    def connect(self, get: Get) -> None:
        """Use ``get`` for requests to the service."""
        ...

    async def find(self, url: str) -> Captured | None:
        """Return the best capture of ``url``, or None."""
        ...

    async def rendered(self, url: str) -> Captured | None:
        """Return the page as a browser showed it then; None if that was not recorded."""
        ...

    def pages(self) -> Iterable[str]:
        """Return the addresses of the pages it has, as far as it can list them."""
        ...

    def provenance(self) -> Mapping[str, Any]:
        """Say what the source is, for the crawl's report."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One capture of the index."""

    url: str
    date: str
    """ISO 8601, to be compared as text."""
    status: int = 200
    mime: str = ""
    target: str = ""
    """Where a redirect leads."""
    kind: str = "response"
    file: int = 0
    offset: int = 0
    record_id: str = ""
    digest: str = ""
    refers_to: str = ""
    """Id of the record that holds a revisit's body."""
    is_cut: bool = False
    """Its body is not whole, or there is none."""

    @property
    def rank(self) -> int:
        """Order of use: what answers, then what says that nothing is there, then failures."""
        if self.is_cut:
            return 2
        if self.status < 300 or (self.status < 400 and self.target):
            return 0
        return 1 if self.status in (404, 410) else 3


def spelling(url: str) -> str:
    """Return ``url`` without scheme and fragment, its escapes in one form: what twins share that
    differ in nothing a server could see, but for http and https."""
    parts = urlparts.split(url)
    if parts is None:
        return url
    port = urlparts.port(parts)
    place = urlparts.host(parts)
    if port != urlparts.DEFAULT_PORTS[parts.scheme]:
        place += f":{port}"
    path = parts.path or "/"
    return place + _escaped(f"{path}?{parts.query}" if parts.query else path)


def _escaped(text: str) -> str:
    return _ESCAPE.sub(_one_escape, quote(text, safe=_RESERVED, errors="replace"))


def _one_escape(found: re.Match[str]) -> str:
    plain = unquote(found[0], errors="replace")
    return plain if plain.isascii() and (plain.isalnum() or plain in "-._~") else found[0].upper()


def choose(url: str, found: Iterable[Entry]) -> Entry | None:
    """Choose the capture of ``url`` and its twin to read: the newest successful one. A redirect to
    the page itself (from http to https) leads nowhere.
    """
    own = spelling(url)
    captures = list(found)
    others = [one for one in captures if not one.target or spelling(one.target) != own]
    scheme = url.partition(":")[0]
    ranked = sorted(others or captures, key=lambda one: one.url.partition(":")[0] != scheme)
    ranked.sort(key=lambda one: one.date, reverse=True)
    return min(ranked, key=lambda one: one.rank, default=None)


class WebArchive:
    """Captures of WARC files; a context manager, as the index is a temporary file.

    ``before``: captures after that time are left out.
    """

    service = ""

    def __init__(self, before: datetime | None = None) -> None:
        self.before = before
        self.files: list[Path] = []
        self.damaged: list[str] = []
        """Files that could not be read to their end, and why."""
        self._sources: list[dict[str, Any]] = []
        self._names: list[str] = []
        self._main_page = ""
        self._holder = contextlib.ExitStack()

    def __enter__(self) -> Self:
        self._folder = self._holder.enter_context(scratch_folder("captures"))
        self._base = sqlite3.connect(self._folder / "index.db", isolation_level=None)
        self._holder.callback(self._base.close)
        for statement in _SCHEMA:
            self._base.execute(statement)
        return self

    def __exit__(self, *_: object) -> None:
        self._holder.close()

    def connect(self, get: Get) -> None:
        """Do nothing: no request is sent over the web."""

    # indexing

    def add(self, path: Path) -> None:
        """Index a WARC file, or those of a WACZ. Raises UsageError for anything else."""
        with disk_errors(str(self._folder)):
            if zipfile.is_zipfile(path):
                self._main_page = self._main_page or _main_page(path)
                for inner in _unpacked(path, self._folder / f"wacz-{len(self.files)}"):
                    self._index(inner, path.name)
            else:
                self._index(path, path.name)
        source = {"file": path.name, "sha256": _sha256(path), "bytes": path.stat().st_size}
        self._sources.append(source)

    def add_evidence(self, store: PackageStore, blog: BlogRow, waiting: Path) -> None:
        """Index the evidence of a blog's own crawls; ``waiting``: that in no package yet. Raises
        StorageError where there is none."""
        lay_out(self._folder, store, blog, waiting)
        for path in sorted(warc_folder(self._folder).iterdir()):
            self._index(path, path.name)

    def _index(self, path: Path, name: str) -> None:
        number = len(self.files)
        self.files.append(path)
        self._names.append(name)
        start: int | None = 0
        faults = []
        if is_zstd(path):
            plain = self._folder / f"{number}.warc"
            faults = list(filter(None, [unpack(path, plain)]))
            self.files[number] = path = plain
        while start is not None:
            try:
                self._index_from(start, path, number)
                break
            except _faults() as error:
                faults.append(" ".join(str(error).split()))
            last = self._last_of(number)
            self._base.execute(
                "UPDATE capture SET is_cut = 1 WHERE file = ? AND offset = ?", (number, last)
            )
            start = _next_record(path, max(start, last) + 1)
        if faults and not self._count(number):
            raise UsageError(f"{name} is no WARC file: {faults[0]}")
        self.damaged += [f"{name}: {why}" for why in faults[:1]]

    def _index_from(self, start: int, path: Path, number: int) -> None:
        """Index the records of a file from byte ``start`` on. Raises one of ``_faults()`` where it
        is damaged."""
        self._base.execute("BEGIN")
        asked = Methods()
        try:
            with contextlib.redirect_stderr(io.StringIO()):  # warcio prints what it notices
                for entry in _entries(path, number, start, asked):
                    self._base.execute(_INSERT, _row(entry))
        finally:
            self._base.executemany(
                "DELETE FROM capture WHERE record_id = ?", [(one,) for one in asked.other]
            )
            self._base.execute("COMMIT")

    def _last_of(self, file: int) -> int:
        """Return where the last record begins that was indexed of a file."""
        query = "SELECT coalesce(max(offset), 0) FROM capture WHERE file = ?"
        return int(self._base.execute(query, (file,)).fetchone()[0])

    def _count(self, file: int) -> int:
        query = "SELECT count(*) FROM capture WHERE file = ?"
        return int(self._base.execute(query, (file,)).fetchone()[0])

    # reading

    async def find(self, url: str) -> Captured | None:
        """Return the best capture of ``url``, or of another spelling of it."""
        found = self._best(url, self._rows("spelling", spelling(url)))
        if found is None:
            pages = (one for one in self._rows("key", canonicalize(url)) if one.status < 300)
            found = self._best(url, pages)
        return found

    async def rendered(self, url: str) -> Captured | None:
        """Return the newest DOM that was recorded of ``url``."""
        return self._best(url, self._rows("spelling", DOM + url))

    def provenance(self) -> dict[str, Any]:
        """Return the files with their digests, and when the captures were made."""
        count, first, last = self._base.execute(
            "SELECT count(*), min(date), max(date) FROM capture"
        ).fetchone()
        span = {"captures": count, "first_capture": first, "last_capture": last}
        return {"files": self._sources, **span, "damaged": self.damaged}

    def start(self) -> str:
        """Return the start page of what was captured: the one that a WACZ names, else the first
        page of the site with most pages. Raises NotABlogError if there are no pages."""
        if self._main_page:
            return self._main_page
        first: dict[str, str] = {}
        pages: Counter[str] = Counter()
        for url in self.pages():
            host = host_of(url)
            first.setdefault(host, url)
            pages[host] += 1
        if not pages:
            raise NotABlogError(f"{', '.join(self._names)}: no web page was captured")
        return first[pages.most_common(1)[0][0]]

    def pages(self) -> Iterator[str]:
        """Return the addresses of HTML pages, in the order of their capture."""
        for (url,) in self._base.execute(
            "SELECT url FROM capture WHERE status = 200 AND mime IN ('text/html', "
            "'application/xhtml+xml') AND url LIKE 'http%' AND date <= ? ORDER BY file, offset",
            (self._limit,),
        ):
            yield url

    @property
    def _limit(self) -> str:
        return _iso(self.before) if self.before is not None else "~"

    def _rows(self, column: str, value: str) -> Iterator[Entry]:
        query = f"SELECT {_COLUMNS} FROM capture WHERE {column} = ? AND date <= ?"
        for row in self._base.execute(query, (value, self._limit)):
            yield _entry(row)

    def _best(self, url: str, found: Iterable[Entry]) -> Captured | None:
        """Read the best of the captures whose body is there: that of a revisit may be in a file
        that was not given."""
        bodies = {entry: self._body_of(entry) for entry in found}
        entry = choose(url, [one for one, body in bodies.items() if body is not None])
        return self._read(entry, bodies[entry]) if entry is not None else None

    def _read(self, entry: Entry, body: Entry | None) -> Captured | None:
        if body is None:
            return None
        try:
            record, block = self._block(body)
        except _faults():
            return None
        if body.kind == "resource":
            block = _as_response(block, body.mime)
        return Captured(
            url=entry.url.removeprefix(DOM),
            date=datetime.fromisoformat(entry.date),
            message=parse(block).raw,
            ip=_field(record.rec_headers, "WARC-IP-Address") if record is not None else "",
            origin=self._names[entry.file],
        )

    def _block(self, entry: Entry) -> tuple[Any, bytes]:
        """Return the record of an entry, and what it holds. Raises one of ``_faults()``."""
        with self.files[entry.file].open("rb") as stream:
            stream.seek(entry.offset)
            record = next(_iterator(stream, parsed=False), None)
            return record, record.raw_stream.read(_MOST_BYTES) if record is not None else b""

    def _body_of(self, entry: Entry) -> Entry | None:
        """Return the record with a revisit's body: the one it names, else any of its digest."""
        if entry.kind != "revisit":
            return entry
        found = self._full("record_id = ?", entry.refers_to) if entry.refers_to else None
        return found or (self._full("digest = ?", entry.digest) if entry.digest else None)

    def _full(self, condition: str, value: str) -> Entry | None:
        query = f"SELECT {_COLUMNS} FROM capture WHERE {condition} AND kind != 'revisit' LIMIT 1"
        row = self._base.execute(query, (value,)).fetchone()
        return _entry(row) if row is not None else None


_COLUMNS = (
    "url, date, status, mime, target, kind, file, offset, record_id, digest, refers_to, is_cut"
)
_SCHEMA = (
    "CREATE TABLE capture (spelling TEXT, key TEXT, url TEXT, date TEXT, status INTEGER, mime TEXT,"
    " target TEXT, kind TEXT, file INTEGER, offset INTEGER, record_id TEXT, digest TEXT,"
    " refers_to TEXT, is_cut INTEGER)",
    *(
        f"CREATE INDEX by_{column} ON capture ({column})"
        for column in ("spelling", "key", "record_id", "digest")
    ),
)
_INSERT = f"INSERT INTO capture (spelling, key, {_COLUMNS}) VALUES (?, ?, {', '.join('?' * 12)})"


def _row(entry: Entry) -> tuple[object, ...]:
    return (
        spelling(entry.url),
        canonicalize(entry.url),
        *(getattr(entry, name) for name in _COLUMNS.split(", ")),
    )


def _entry(row: tuple[Any, ...]) -> Entry:
    return replace(_BLANK, **dict(zip(_COLUMNS.split(", "), row, strict=True)))


_BLANK = Entry(url="", date="")


def _iterator(stream: BinaryIO, *, parsed: bool) -> Any:
    from warcio.archiveiterator import ArchiveIterator

    # unverified: the status line of HTTP/2 is unknown to warcio
    return ArchiveIterator(stream, no_record_parse=not parsed, arc2warc=True, verify_http=False)


def _strict(records: Any) -> Any:
    """Let an iterator raise zlib.error where a compressed record is damaged, and EOFError where the
    file ends within one: warcio takes both for the end of the file, so that records that follow a
    truncated one may be lost."""
    from warcio.bufferedreaders import DecompressingBufferedReader

    class Strict(DecompressingBufferedReader):
        def _decompress(self, data: bytes) -> bytes:
            if self.decompressor and (self.num_block_read or data.startswith(_GZIP)):
                return cast(bytes, self.decompressor.decompress(data))
            return cast(bytes, super()._decompress(data))

        def close_decompressor(self) -> None:
            is_whole = self.decompressor is None or self.decompressor.eof
            super().close_decompressor()
            if self.num_block_read and not is_whole:
                raise EOFError("the file ends within a record")

    records.reader = Strict(records.fh, block_size=records.reader.block_size)
    return records


def _entries(path: Path, file: int, start: int, asked: Methods) -> Iterator[Entry]:
    """Yield the captures in a WARC file from byte ``start`` on, in order. Raises one of
    ``_faults()`` where it is damaged."""
    with path.open("rb") as stream:
        stream.seek(start)
        records = _strict(_iterator(stream, parsed=True))
        for record in records:
            asked.observe(record)
            entry = _entry_of(record)
            if entry is not None and _field(record.rec_headers, CONCURRENT) not in asked.other:
                yield replace(entry, file=file, offset=records.get_record_offset())


CONCURRENT = "WARC-Concurrent-To"


class Methods:
    """Records of requests with another method than GET, and of answers to them."""

    def __init__(self) -> None:
        self.other: set[str] = set()
        """Ids of both."""

    def observe(self, record: Any) -> None:
        """Take note of a request. It comes before its answer or after it, and names it or is named
        by it."""
        if record.rec_type != "request" or not record.http_headers:
            return
        if record.http_headers.protocol.upper() != "GET":
            names = (_field(record.rec_headers, name) for name in ("WARC-Record-ID", CONCURRENT))
            self.other.update(filter(None, names))


def _next_record(path: Path, start: int) -> int | None:
    """Return where the next record begins, from byte ``start`` on: files that were cut off are
    joined with others, or None."""
    with (
        path.open("rb") as file,
        contextlib.suppress(ValueError),  # of an empty file
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        for found in _RECORD.finditer(data, start):
            place = found.start()
            if not found[0].startswith(_GZIP) or _holds_record(data[place : place + 256]):
                return place
    return None


def _holds_record(member: bytes) -> bool:
    """Report whether a gzip member, of which this is the beginning, holds a record."""
    with contextlib.suppress(zlib.error):
        return zlib.decompressobj(wbits=31).decompress(member, 5) == b"WARC/"
    return False


def _faults() -> tuple[type[Exception], ...]:
    """Return what reading a damaged WARC file raises."""
    from warcio.exceptions import ArchiveLoadFailed

    return (ArchiveLoadFailed, zlib.error, OSError, EOFError, ValueError, AttributeError)


def _entry_of(record: Any) -> Entry | None:
    """Return the entry of a record; None for one that is no capture: requests, notes, answers to
    conditional requests."""
    url = _target(_field(record.rec_headers, "WARC-Target-URI"))
    if record.rec_type not in ("response", "revisit", "resource") or not _is_page(url):
        return None
    http = record.http_headers
    moment = moment_of(_field(record.rec_headers, "WARC-Date"))
    status = natural(http.get_statuscode()) if http else 200
    if moment is None or status is None or not 200 <= status < 600 or status == 304:
        return None
    mime = _field(http or record.rec_headers, "Content-Type")
    return Entry(
        url=url,
        date=_iso(moment),
        status=status,
        mime=mime.partition(";")[0].strip().lower(),
        target=_redirect(url, http, status),
        kind=record.rec_type,
        record_id=_field(record.rec_headers, "WARC-Record-ID"),
        digest=_field(record.rec_headers, "WARC-Payload-Digest"),
        refers_to=_field(record.rec_headers, "WARC-Refers-To"),
        is_cut=_is_cut(record, http, status),
    )


def _is_cut(record: Any, http: Any, status: int) -> bool:
    """Report whether less is there than was sent. A body that is stored decompressed is longer than
    its header says."""
    if _field(record.rec_headers, "WARC-Truncated"):
        return True
    if http is None or status >= 300 or record.rec_type == "revisit":
        return False
    sent = natural(_field(http, "Content-Length")) or 1
    return bool((record.length or 0) - http.total_len < sent)


def _field(head: Any, name: str) -> str:
    return str(head.get_header(name) or "")


def _target(uri: str) -> str:
    """Return the address of a record; WARC 1.0's own grammar puts it between angle brackets, as old
    versions of wget do."""
    return uri[1:-1] if uri.startswith("<") and uri.endswith(">") else uri


def _is_page(url: str) -> bool:
    return url.startswith(("http://", "https://", DOM))


def _redirect(url: str, http: Any, status: int) -> str:
    place = http.get_header("Location") if http and 300 <= status < 400 else None
    try:
        return urljoin(url, place.strip()) if place else ""
    except ValueError:
        return ""


def moment_of(text: str) -> datetime | None:
    """Parse the time of a capture: ISO 8601, or the 14 digits of CDX and ARC; UTC by default."""
    digits = text.strip()
    if len(digits) == 14 and digits.isdigit():
        text = f"{digits[:8]}T{digits[8:]}"
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _iso(moment: datetime) -> str:
    """Return the time in UTC with microseconds, comparable as text."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def _as_response(body: bytes, mime: str) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {mime}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode("latin-1", "replace") + body


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _main_page(path: Path) -> str:
    """Return the start page that a WACZ names (1.1.1, ``mainPageUrl``), or the empty string."""
    try:
        with zipfile.ZipFile(path) as package:
            url = json.loads(package.read("datapackage.json"))["mainPageUrl"]
    except (KeyError, ValueError, TypeError, zipfile.BadZipFile, zlib.error):
        return ""
    return url if isinstance(url, str) and url.startswith(("http://", "https://")) else ""


def _unpacked(path: Path, folder: Path) -> list[Path]:
    """Unpack the WARC files of a WACZ (1.1.1). Raises UsageError if there are none."""
    folder.mkdir()
    found = []
    with zipfile.ZipFile(path) as package:
        for info in package.infolist():
            name = info.filename.rsplit("/", 1)[-1]  # what a ZIP says of folders is not believed
            if name.endswith(_SUFFIXES):
                with package.open(info) as source, (folder / name).open("wb") as out:
                    shutil.copyfileobj(source, out, 2**20)
                found.append(folder / name)
    if not found:
        raise UsageError(f"{path.name} holds no WARC files")
    return found
