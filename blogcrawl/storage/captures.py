"""What a blog's evidence holds already: payloads by content, and the last capture of each address.

One small SQLite file per blog (``crawls/<blog>/captures.db``). A row is written only once the record it names is on the
disk, so that no revisit ever points at a record that a crash took away.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from blogcrawl.errors import DiskFullError, ReadOnlyError
from blogcrawl.frontier.store import no_space
from blogcrawl.packaging.warc import Capture
from blogcrawl.storage.files import disk_errors

CAPTURES = "captures.db"
"""Name of the file in the folder of a blog's crawls."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS payload (key BLOB PRIMARY KEY, record TEXT, url TEXT, date TEXT, digest TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS address (key BLOB PRIMARY KEY, record TEXT, url TEXT, date TEXT, digest TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS request (key BLOB PRIMARY KEY) WITHOUT ROWID;
"""
_RECORD_ID = re.compile(r"<?urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}>?\Z")
_Row = tuple[bytes, str, str, str, str]


def _key(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()[:20]


class CaptureIndex:
    """Look up and remember captures; ``flush`` makes what was remembered durable."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with disk_errors("the capture index"):
            path.parent.mkdir(parents=True, exist_ok=True)
        self._base = sqlite3.connect(path, timeout=30, isolation_level=None)
        with self._space():
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.executescript(_SCHEMA)
        self._fresh: dict[str, dict[bytes, _Row]] = {"payload": {}, "address": {}}
        self._asked: set[bytes] = set()

    @contextlib.contextmanager
    def _space(self) -> Iterator[None]:
        """Turns the ways in which SQLite tells of a full disk into DiskFullError."""
        try:
            with disk_errors("the capture index"):
                yield
        except sqlite3.OperationalError as error:
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")
            if "readonly" in str(error):
                raise ReadOnlyError(f"the capture index {self._path} can't be written", advice="make it writable, run again") from error
            if not no_space(error, self._path):
                raise
            told = f"no space left for the capture index {self._path}"
            raise DiskFullError(told, advice="free some space and run the same command again") from error

    def by_content(self, entity: bytes) -> Capture | None:
        """A response whose body was ``entity``."""
        return self._find("payload", _key(entity))

    def by_address(self, url: str) -> Capture | None:
        """The last full response of ``url``."""
        return self._find("address", _key(url.encode("utf-8", "replace")))

    def _find(self, table: str, key: bytes) -> Capture | None:
        row = self._fresh[table].get(key)
        if row is None:
            row = self._base.execute(f"SELECT key, record, url, date, digest FROM {table} WHERE key = ?", (key,)).fetchone()
        return Capture(record_id=row[1], url=row[2], date=row[3], payload_digest=row[4]) if row else None

    def remember(self, entity: bytes, url: str, capture: Capture) -> None:
        """``capture`` is the record that holds ``entity``, fetched from ``url`` (which may be another's address)."""
        told = (capture.record_id, capture.url, capture.date, capture.payload_digest)
        if entity:
            key = _key(entity)
            self._fresh["payload"][key] = (key, *told)
        key = _key(url.encode("utf-8", "replace"))
        self._fresh["address"][key] = (key, *told)

    def asked(self, url: str, request: bytes) -> bool:
        """Was ``url`` asked for in these very bytes before? From now on it was."""
        key = _key(url.encode("utf-8", "replace") + b"\n" + request)
        known = key in self._asked or self._base.execute("SELECT 1 FROM request WHERE key = ?", (key,)).fetchone() is not None
        if not known:
            self._asked.add(key)
        return known

    def flush(self) -> None:
        """Write what was remembered. Call it after the WARC file is synced. Raises DiskFullError."""
        with self._space():
            self._base.execute("BEGIN IMMEDIATE")
            for table, rows in self._fresh.items():
                self._base.executemany(f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?, ?, ?)", list(rows.values()))
            self._base.executemany("INSERT OR IGNORE INTO request VALUES (?)", [(key,) for key in self._asked])
            self._base.execute("COMMIT")
        self._asked.clear()
        for rows in self._fresh.values():
            rows.clear()

    def close(self) -> None:
        self._base.close()


def check_captures(path: Path) -> Iterator[str]:
    """Faults of a capture index. It can be made again: a damaged one that is deleted costs some bytes, no evidence."""
    advice = "delete the file: the next crawl begins a new one, and stores what it finds again"
    in_use = path.with_name(f"{path.name}-wal").exists()  # else SQLite would make one, and leave it
    how = "mode=ro" if in_use else "mode=ro&immutable=1"
    try:
        with contextlib.closing(sqlite3.connect(f"file:{quote(str(path))}?{how}", uri=True, timeout=30)) as base:
            found = [row[0] for row in base.execute("PRAGMA integrity_check(5)") if row[0] != "ok"]
            for table in ("payload", "address"):
                rows = base.execute(f"SELECT key, record, url, date, digest FROM {table}")
                found += [f"{table}: {record!r:.60} is no record" for key, record, *rest in rows if not _is_capture(key, record, *rest)]
    except (sqlite3.Error, ValueError) as error:
        found = [str(error)]
    for fault in found[:5]:
        yield f"{' '.join(str(fault).split())}; {advice}"


def _is_capture(key: object, record: object, url: object, date: object, digest: object) -> bool:
    texts = isinstance(url, str) and isinstance(date, str) and isinstance(digest, str) and isinstance(record, str)
    return texts and isinstance(key, bytes) and len(key) == 20 and _RECORD_ID.match(str(record)) is not None
