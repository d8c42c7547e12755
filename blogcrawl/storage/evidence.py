"""The evidence of a crawl: rotating WARC files, their CDXJ lines, the list of pages; kill-safe.

A file that is being written ends in ``.open``. ``recover`` cuts a half-written record off such a
file, builds its index anew and closes it; a crawl does that with what earlier ones left before it
writes anything (``recover_earlier``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from blogcrawl import __version__
from blogcrawl.core.credentials import without_authorization
from blogcrawl.core.errors import PackagingError
from blogcrawl.core.organization import Organization
from blogcrawl.packaging import cdxj, http1, records, warc
from blogcrawl.packaging.parts import host_name
from blogcrawl.packaging.warc import Capture, Record, Truncation
from blogcrawl.storage.captures import CAPTURES, CaptureIndex
from blogcrawl.storage.files import disk_errors, replace_file, sync_folder
from blogcrawl.text.visible import natural

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")

OPEN = ".open"
EVIDENCE = "evidence"
"""Folder of the evidence of a blog's crawls, below ``crawls/<blog>``."""
PAGES = "pages.jsonl"
"""List of the pages of a crawl that its WACZ is made with."""
MAX_BYTES = 10**9
"""A WARC file is closed when it exceeds 1 GB, the size the WARC standard's annex recommends."""
_SYNC_BYTES = 16 * 2**20
"""So much may be lost to a power cut (nothing to a kill)."""
_DEDUPED = frozenset({200, 203, 404, 410})


def _now() -> datetime:
    return datetime.now(UTC)


class EvidenceWriter:
    """Append records to the WARC files of one crawl.

    All writing methods raise DiskFullError, ArchiveError.

    ``info`` goes into each file's warcinfo record (software, operator, robots, isPartOf …).
    """

    def __init__(
        self,
        folder: Path,
        *,
        info: Mapping[str, str],
        captures: CaptureIndex | None = None,
        prefix: str = "blogcrawl",
        max_bytes: int = MAX_BYTES,
        clock: Callable[[], datetime] = _now,
    ) -> None:
        self.folder, self.info, self.captures = folder, dict(info), captures
        self.prefix, self.max_bytes, self.clock = prefix, max_bytes, clock
        self.bytes_written = 0
        self._file: BinaryIO | None = None
        self._index: BinaryIO | None = None
        self._pages: BinaryIO | None = None
        self._path = Path()
        self._info_id = ""
        self._unsynced = 0
        with disk_errors(str(folder)):
            folder.mkdir(parents=True, exist_ok=True)
            recover(folder)
        self._serial = len(list(folder.glob("*.warc.gz")))

    def exchange(
        self,
        url: str,
        request: bytes,
        response: bytes,
        *,
        date: datetime,
        ip: str = "",
        truncated: Truncation | None = None,
        notes: Mapping[str, str] | None = None,
    ) -> Record:
        """Write one request and its response, both as they went over the wire.

        Known content becomes a revisit record; next to one, a request that an earlier record holds
        byte for byte for that URL is not written again. Logins are left out of requests.

        ``notes`` (via, hopsFromSeed, fetchTimeMs …) become a metadata record. Returns the
        response's record.
        """
        request = without_authorization(request)
        message = http1.parse(response)
        earlier = self._known(url, message) if truncated is None else None
        self._begin()
        if earlier is not None:
            record = warc.revisit(url, message, date, ip, earlier)
        else:
            record = warc.response(url, message, date, ip, truncated=truncated, info=self._info_id)
        self._append(record)
        known = self.captures is not None and self.captures.asked(url, request)
        if request and not (known and earlier is not None):
            self._append(warc.request(url, request, date, record.record_id))
        if notes and earlier is None:
            self._append(
                warc.metadata(url, notes, date, concurrent=record.record_id, info=self._info_id)
            )
        self._remember(url, message, record, earlier, truncated)
        self._after()
        return record

    def resource(
        self, url: str, mime: str, body: bytes, *, date: datetime, concurrent: str = ""
    ) -> Record:
        """Write what was made of a page: ``urn:dom:<url>``, ``urn:screenshot:<url>``."""
        self._begin()
        record = warc.resource(url, mime, body, date, concurrent=concurrent, info=self._info_id)
        self._append(record)
        self._after()
        return record

    def page(self, url: str, date: datetime, *, title: str, **extra: object) -> None:
        """List a page in the WACZ; ``extra`` (author, published, comments …) goes into its line."""
        line = {
            "url": url,
            "ts": records.rfc3339(date),
            "title": title,
            **{k: v for k, v in extra.items() if v is not None},
        }
        with disk_errors(str(self.folder)):
            if self._pages is None:
                self._pages = (self.folder / PAGES).open("ab", buffering=0)
            self._pages.write(records.encode(line) + b"\n")

    def sync(self) -> None:
        """Everything written so far survives a power cut; the capture index may refer to it."""
        if self._file is not None and self._index is not None:
            with disk_errors(str(self.folder)):
                self._file.flush()
                os.fsync(self._file.fileno())
                self._index.flush()
        if self.captures is not None:
            self.captures.flush()
        self._unsynced = 0

    def close(self) -> list[Path]:
        """Close the current file; all WARC files of the crawl, in order."""
        self._finish()
        if self._pages is not None:
            self._pages.close()
            self._pages = None
        return sorted(self.folder.glob("*.warc.gz"))

    def _known(self, url: str, message: http1.Message) -> Capture | None:
        if self.captures is None:
            return None
        if message.status == 304:
            return self.captures.by_address(url)
        if message.status in _DEDUPED and message.payload:
            return self.captures.by_content(message.entity)
        return None

    def _remember(
        self,
        url: str,
        message: http1.Message,
        record: Record,
        earlier: Capture | None,
        truncated: str | None,
    ) -> None:
        if self.captures is None or truncated or message.status not in _DEDUPED:
            return
        capture = earlier or Capture(
            record_id=record.record_id,
            url=url,
            date=record.date,
            payload_digest=record.payload_digest,
        )
        self.captures.remember(b"" if earlier else message.entity, url, capture)

    def _begin(self) -> None:
        if self._file is not None:
            return
        with disk_errors(str(self.folder)):
            self._serial += 1
            stamp = self.clock().astimezone(UTC).strftime("%Y%m%d%H%M%S")
            name = f"{self.prefix}-{stamp}-{self._serial:05d}.warc.gz"
            self._path = self.folder / (name + OPEN)
            self._file = self._path.open("ab", buffering=0)
            self._index = index_path(self.folder / name).open("ab", buffering=0)
            record = warc.warcinfo(name, self.clock(), self.info)
            self._info_id = record.record_id
            self._append(record)

    def _append(self, record: Record) -> None:
        """Append a record in one write: a kill leaves at most its first part, which ``recover``
        cuts off. A full disk leaves neither the record nor its line.
        """
        assert self._file is not None and self._index is not None
        with disk_errors(str(self.folder)):
            place, index_end = self._file.seek(0, os.SEEK_END), self._index.seek(0, os.SEEK_END)
            line = cdxj.line(record, self._path.name.removesuffix(OPEN), place, len(record.data))
            try:
                _write_all(self._file, record.data)
                if line is not None:
                    _write_all(self._index, line.encode("ascii", "backslashreplace") + b"\n")
            except OSError:
                self._file.truncate(place)
                self._index.truncate(index_end)
                raise
        self.bytes_written += len(record.data)
        self._unsynced += len(record.data)

    def _after(self) -> None:
        assert self._file is not None
        if self._file.tell() >= self.max_bytes:
            self._finish()
        elif self._unsynced >= _SYNC_BYTES:
            self.sync()

    def _finish(self) -> None:
        self.sync()
        if self._file is None or self._index is None:
            return
        self._file.close()
        self._index.close()
        with disk_errors(str(self.folder)):
            os.rename(self._path, self._path.with_name(self._path.name.removesuffix(OPEN)))
            sync_folder(self.folder)
        self._file = self._index = None


def _write_all(file: BinaryIO, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def index_path(warc_path: Path) -> Path:
    """Return the path of a WARC file's CDXJ index."""
    return warc_path.with_name(warc_path.name.removesuffix(OPEN).removesuffix(".warc.gz") + ".cdxj")


def warc_of(index: Path) -> bool:
    """Return whether the WARC file of this index (closed or open) exists."""
    name = index.with_suffix(".warc.gz")
    return name.exists() or name.with_name(name.name + OPEN).exists()


def check_pages(path: Path) -> Iterator[str]:
    """Yield the faults of a list of pages: lines without address, time and title."""
    lines = path.read_bytes().split(b"\n")
    if lines.pop():
        yield "its last line is cut off"
    for number, line in enumerate(lines, 1):
        try:
            page = records.decode(line)
            records.parse_rfc3339(page["ts"])
            if not isinstance(page["url"], str) or not isinstance(page["title"], str):
                raise PackagingError("address or title is no text")
        except (PackagingError, KeyError) as error:
            yield f"line {number} is no page: {error}"


def recover(folder: Path) -> list[str]:
    """Close what a killed crawl left open: cut off a partial record, index anew; notes."""
    notes = []
    for path in sorted(folder.glob("*.warc.gz" + OPEN)):
        with path.open("rb") as file:
            size, whole = path.stat().st_size, warc.whole_members(file)
        final = path.with_name(path.name.removesuffix(OPEN))
        if whole == 0:
            path.unlink()
            index_path(path).unlink(missing_ok=True)
            notes.append(f"{final.name}: no whole record, removed")
            continue
        with path.open("r+b") as file:
            file.truncate(whole)
            os.fsync(file.fileno())
        lines = "".join(line + "\n" for line in index_lines(path, final.name))
        replace_file(index_path(path), lines.encode("ascii", "backslashreplace"))
        os.rename(path, final)
        notes.append(
            f"{final.name}: closed"
            + (f", {size - whole} bytes of a half-written record cut off" if size > whole else "")
        )
    if notes:
        sync_folder(folder)
    _cut_last_line(folder / PAGES)
    return notes


def recover_earlier(folder: Path) -> None:
    """Run ``recover`` on what killed crawls of a blog left open below ``folder``, its scratch
    space. Only where no other process writes there.
    """
    with disk_errors(str(folder)):
        for place in sorted({path.parent for path in folder.glob(f"{EVIDENCE}/*/*{OPEN}")}):
            recover(place)


def _cut_last_line(path: Path) -> None:
    if not path.exists():
        return
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        replace_file(path, data[:whole])


def _header(head: Any, name: str) -> str:
    """Return a field of a record's header; "" where it is missing."""
    return head.get_header(name) or ""


def index_lines(path: Path, filename: str) -> Iterator[str]:
    """CDXJ lines of a WARC file, read from the file itself."""
    from warcio.archiveiterator import ArchiveIterator

    with path.open("rb") as stream:
        source = ArchiveIterator(stream)
        for item in source:
            head, http = item.rec_headers, item.http_headers
            status = http.get_statuscode() if http else "200"
            mime = (http or head).get_header("Content-Type")
            record = Record(
                data=b"",
                record_id=_header(head, "WARC-Record-ID"),
                type=item.rec_type,
                url=_header(head, "WARC-Target-URI"),
                date=_header(head, "WARC-Date"),
                mime=(mime or "unk").split(";", 1)[0].strip().lower(),
                status=natural(status) or 0,
                payload_digest=_header(head, "WARC-Payload-Digest"),
            )
            item.content_stream().read()
            offset = source.get_record_offset()
            line = cdxj.line(record, filename, offset, source.get_record_length())
            if line is not None:
                yield line


def open_evidence(
    folder: Path,
    *,
    crawl_id: str,
    blog_url: str,
    operator: Organization,
    user_agent: str,
    obeys_robots: bool,
    source: Mapping[str, object] | None = None,
) -> EvidenceWriter:
    """Open the WARC files of a crawl below ``folder``, the scratch space of its blog; ``source``:
    the web archive that its records are copied from.

    Raises DiskFullError, ArchiveError.
    """
    described = "Authorization and Proxy-Authorization fields are left out of request records"
    if source is not None:
        described = f"copied from a web archive: {records.encode(source).decode()}"
    info = {
        "description": described,
        "software": f"blogcrawl/{__version__} (Scrapy)",
        "operator": operator.line(),
        "publisher": operator.name,
        "rights": operator.rights,
        "hostname": host_name(),
        "isPartOf": f"{blog_url} crawl {crawl_id}",
        "robots": "obey" if obeys_robots else "ignore",
        "http-header-user-agent": user_agent,
    }
    name = _UNSAFE.sub("_", crawl_id).lstrip(".") or "crawl"
    captures = CaptureIndex(folder / CAPTURES)
    place = folder / EVIDENCE / name
    return EvidenceWriter(place, info=info, captures=captures, prefix=f"blogcrawl-{name[:12]}")
