"""What a blog's evidence holds already: payloads by content, and the last capture of each address.

One small SQLite file per blog (``crawls/<blog>/captures.db``). A row is written only once the
record it names is on the disk, so that no revisit ever points at a record that a crash took away.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from blogcrawl.core.errors import DiskFullError, ReadOnlyError
from blogcrawl.frontier.store import no_space
from blogcrawl.packaging.warc import Capture
from blogcrawl.storage.files import disk_errors
from blogcrawl.storage.frozen import checking_connection, integrity_faults, missing_end

logger = logging.getLogger(__name__)
CAPTURES = "captures.db"
"""Name of the file in the folder of a blog's crawls."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS payload (key BLOB PRIMARY KEY, record TEXT, url TEXT, date TEXT,
digest TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS address (key BLOB PRIMARY KEY, record TEXT, url TEXT, date TEXT,
digest TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS request (key BLOB PRIMARY KEY) WITHOUT ROWID;
"""
_RECORD_ID = re.compile(r"<?urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}>?\Z")
_Row = tuple[bytes, str, str, str, str]
_Result = TypeVar("_Result")
FILES = tuple(CAPTURES + end for end in ("", "-wal", "-shm"))
"""Names of the file and of its logs."""


def _key(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()[:20]


class CaptureIndex:
    """Look up and remember captures; ``flush`` makes what was remembered durable."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with disk_errors("the capture index"):
            path.parent.mkdir(parents=True, exist_ok=True)
        self._fresh: dict[str, dict[bytes, _Row]] = {"payload": {}, "address": {}}
        self._asked: set[bytes] = set()
        self._connect()
        self._run(self._prepare)

    def _connect(self) -> None:
        self._base = sqlite3.connect(self._path, timeout=30, isolation_level=None)

    def _prepare(self) -> None:
        for fault in missing_end(self._path) if self._path.exists() else ():
            raise sqlite3.DatabaseError(fault)
        self._base.execute("PRAGMA journal_mode=WAL")
        self._base.executescript(_SCHEMA)

    def _run(self, action: Callable[[], _Result]) -> _Result:
        """Do ``action``; where the file turns out to be damaged, begin a new one and do it there.

        What a new file doesn't know is stored once more: that costs bytes, while a revisit of a
        record that never was loses a page.
        """
        try:
            with self._space():
                return action()
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise
            self._set_aside(error)
            with self._space():
                return action()

    def _set_aside(self, error: sqlite3.DatabaseError) -> None:
        self._base.close()
        aside = self._path.with_name(f"{self._path.name}.damaged")
        with disk_errors("the capture index"):
            for end in ("", "-wal", "-shm"):
                with contextlib.suppress(FileNotFoundError):
                    os.replace(f"{self._path}{end}", f"{aside}{end}")
        logger.warning(
            "the capture index %s is damaged (%s): it is %s now, and a new one is begun",
            self._path,
            error,
            aside.name,
        )
        self._connect()
        with self._space():
            self._prepare()

    @contextlib.contextmanager
    def _space(self) -> Iterator[None]:
        """Turn the ways in which SQLite reports a full disk into DiskFullError."""
        try:
            with disk_errors("the capture index"):
                yield
        except sqlite3.OperationalError as error:
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")
            if "readonly" in str(error):
                raise ReadOnlyError(
                    f"the capture index {self._path} can't be written",
                    advice="make it writable, run again",
                ) from error
            if not no_space(error, self._path):
                raise
            message = f"no space left for the capture index {self._path}"
            raise DiskFullError(
                message, advice="free some space and run the same command again"
            ) from error

    def by_content(self, entity: bytes) -> Capture | None:
        """Find a response whose body was ``entity``."""
        return self._find("payload", _key(entity))

    def by_address(self, url: str) -> Capture | None:
        """Find the last full response of ``url``."""
        return self._find("address", _key(url.encode("utf-8", "replace")))

    def _find(self, table: str, key: bytes) -> Capture | None:
        row = self._fresh[table].get(key)
        if row is None:
            row = self._run(lambda: self._stored(table, key))
        return (
            Capture(record_id=row[1], url=row[2], date=row[3], payload_digest=row[4])
            if row
            else None
        )

    def _stored(self, table: str, key: bytes) -> _Row | None:
        row: _Row | None = self._base.execute(
            f"SELECT key, record, url, date, digest FROM {table} WHERE key = ?", (key,)
        ).fetchone()
        if row is not None and not _is_capture(*row):
            raise sqlite3.DatabaseError(f"{row[1]!r:.60} is no record")
        return row

    def remember(self, entity: bytes, url: str, capture: Capture) -> None:
        """Remember that ``capture`` holds ``entity``, fetched from ``url``."""
        columns = (capture.record_id, capture.url, capture.date, capture.payload_digest)
        if entity:
            key = _key(entity)
            self._fresh["payload"][key] = (key, *columns)
        key = _key(url.encode("utf-8", "replace"))
        self._fresh["address"][key] = (key, *columns)

    def asked(self, url: str, request: bytes) -> bool:
        """Was ``url`` requested in these very bytes before? From now on it was."""
        key = _key(url.encode("utf-8", "replace") + b"\n" + request)
        known = key in self._asked or self._run(lambda: self._is_stored_request(key))
        if not known:
            self._asked.add(key)
        return known

    def _is_stored_request(self, key: bytes) -> bool:
        return (
            self._base.execute("SELECT 1 FROM request WHERE key = ?", (key,)).fetchone() is not None
        )

    def flush(self) -> None:
        """Write what was remembered, after the WARC file is synced. Raises DiskFullError."""
        self._run(self._write)
        self._asked.clear()
        for rows in self._fresh.values():
            rows.clear()

    def _write(self) -> None:
        self._base.execute("BEGIN IMMEDIATE")
        for table, rows in self._fresh.items():
            self._base.executemany(
                f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?, ?, ?)", list(rows.values())
            )
        self._base.executemany(
            "INSERT OR IGNORE INTO request VALUES (?)", [(key,) for key in self._asked]
        )
        self._base.execute("COMMIT")

    def close(self) -> None:
        self._base.close()


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Report whether SQLite finds the content wrong, rather than that it could not work."""
    marks = (
        "Could not decode",
        "no such table",
        "no such column",
        "has no column",
        "values were supplied",
    )
    return type(error) is sqlite3.DatabaseError or any(mark in str(error) for mark in marks)


def forget_captures(path: Path, record_ids: set[str]) -> None:
    """Delete erased records from a capture index; a damaged index is deleted.

    No later revisit refers to them then.
    """
    if not path.exists():
        return
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=30, isolation_level=None)) as base:
            base.execute("PRAGMA secure_delete = ON")
            for table in ("payload", "address"):
                base.executemany(
                    f"DELETE FROM {table} WHERE record = ?", [(one,) for one in record_ids]
                )
            base.execute("VACUUM")
            base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.DatabaseError as error:
        if not _is_damage(error):
            raise
        for name in FILES:
            path.with_name(name).unlink(missing_ok=True)


def check_captures(path: Path) -> Iterator[str]:
    """Yield the faults of a capture index. Deleting a damaged one costs some bytes, no evidence."""
    advice = "delete the file: the next crawl begins a new one, and stores what it finds again"
    try:
        faults = list(missing_end(path)) or _content_faults(path)
    except (sqlite3.Error, ValueError) as error:
        faults = [str(error)]
    for fault in faults[:5]:
        yield f"{' '.join(fault.split())}; {advice}"


def _content_faults(path: Path) -> list[str]:
    with contextlib.ExitStack() as holder:
        base = checking_connection(path, holder)
        found = integrity_faults(base)
        for table in ("payload", "address"):
            rows = base.execute(f"SELECT key, record, url, date, digest FROM {table}")
            found += [
                f"{table}: {record!r:.60} is no record"
                for key, record, *rest in rows
                if not _is_capture(key, record, *rest)
            ]
    return found


def _is_capture(key: object, record: object, url: object, date: object, digest: object) -> bool:
    texts = (
        isinstance(url, str)
        and isinstance(date, str)
        and isinstance(digest, str)
        and isinstance(record, str)
    )
    return (
        texts
        and isinstance(key, bytes)
        and len(key) == 20
        and _RECORD_ID.match(str(record)) is not None
    )
