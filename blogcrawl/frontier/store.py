"""The frontier's memory: one SQLite table, a row per URL ever seen. Decides nothing.

Crash safety: WAL; ``commit`` is called when a page is done, so a page's links and its own end are
in together or not at all. A killed process leaves rows *in flight*: ``open`` puts them back. WAL
with synchronous=NORMAL survives any kill of the process; a power cut may take back the last
commits, never the file (sqlite.org/pragma.html#pragma_synchronous).

A full disk makes SQLite roll back what could not be committed (sqlite.org/lang_transaction.html,
"Response To Errors"). So the open transaction's statements are kept, executed again, and committed
as soon as the disk takes them: memory and file don't part.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
import sqlite3
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blogcrawl.core.errors import ArchiveError, BlogcrawlError, DiskFullError, ReadOnlyError

PENDING, IN_FLIGHT, DONE, FAILED, ALIAS = range(5)
VERSION = 1
MAX_KEPT = 50_000
"""Statements of the open transaction that are kept, some 25 MB. A longer one (a huge sitemap) is
not written again.
"""
LEAST_BYTES = 64 * 1024
"""Below this much free space an input/output error is one of space: WAL's shared memory grows by 32
KB.
"""
CACHE_KIB = 48 * 1024
"""Page cache. Rows are appended; only the index of keys (25 MB for a million) is written at random
places, and fits in here.
"""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS url (
  seq INTEGER PRIMARY KEY, key INTEGER NOT NULL UNIQUE, url TEXT NOT NULL,
  cluster INTEGER NOT NULL, state INTEGER NOT NULL,
  depth INTEGER NOT NULL, kind INTEGER NOT NULL, promised INTEGER NOT NULL,
  shown INTEGER NOT NULL, score REAL NOT NULL,
  parent INTEGER, anchor TEXT, path INTEGER, gain REAL, is_post INTEGER, ended INTEGER);
CREATE INDEX IF NOT EXISTS pending ON url(cluster) WHERE state = 0;
CREATE INDEX IF NOT EXISTS ended ON url(ended) WHERE ended IS NOT NULL;
CREATE TABLE IF NOT EXISTS name (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS note (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS linked (key INTEGER PRIMARY KEY, posts BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS list (
  key INTEGER PRIMARY KEY, posts BLOB NOT NULL, onward BLOB NOT NULL, older BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS failure (key INTEGER PRIMARY KEY, reason TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS rejected (
  key INTEGER PRIMARY KEY, reason TEXT NOT NULL, probability REAL NOT NULL, title TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS alias (key INTEGER PRIMARY KEY, owner INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS other_name (url TEXT PRIMARY KEY, target TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS moved (url TEXT PRIMARY KEY, first TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS echo (mark BLOB NOT NULL, url TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS sign (
  kind TEXT, name TEXT, value TEXT NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS part (mark BLOB PRIMARY KEY, page INTEGER NOT NULL);
"""
_COLUMNS = (
    "key, url, cluster, depth, kind, promised, shown, score, parent, anchor, path, is_post, state"
)
POST, HUB, PAGE = range(3)
SHOWN_BY_SOURCE, SHOWN_BY_POST = 1, 2
"""Bits of ``shown``: what has led to the URL. Every cluster of listing pages has a further one."""
LISTING_BITS = 28


def shown_by_cluster(cluster: int) -> int:
    """Return the bit of a cluster of listing pages; two clusters may share one, which makes the
    estimate of unseen posts larger.
    """
    return 4 << (cluster % LISTING_BITS)


SHOWN_LATER = shown_by_cluster(0)
"""Of pages that were opened again: what they had not shown before."""


def no_space(error: Exception, path: Path | None) -> bool:
    """Return whether the error means a full disk: SQLITE_FULL, ENOSPC or, if WAL's shared memory
    can't grow, a mere "disk I/O error".
    """
    if "disk is full" in str(error) or getattr(error, "errno", None) in (
        errno.ENOSPC,
        errno.EDQUOT,
    ):
        return True
    return (
        path is not None
        and "disk I/O" in str(error)
        and shutil.disk_usage(path.parent).free < LEAST_BYTES
    )


def refusal(error: Exception, path: Path | None) -> BlogcrawlError:
    """Return SQLite's (or the file system's) error about the file at ``path`` as the matching error
    class.
    """
    if no_space(error, path):
        advice = "free some space and run the same command again"
        return DiskFullError(f"no space left for the frontier file {path}", advice=advice)
    if (
        "readonly" in str(error)
        or getattr(error, "errno", None) == errno.EROFS
        or ("disk I/O" in str(error) and _is_read_only(path))
    ):
        advice = "mount it writable and run the same command again"
        return ReadOnlyError(
            f"the frontier file {path} is on a read-only file system", advice=advice
        )
    return ArchiveError(
        f"the frontier file {path} can't be used: {error}",
        advice="remove it: the crawl begins anew then",
    )


def _is_read_only(path: Path | None) -> bool:
    return path is not None and bool(os.statvfs(path.parent).f_flag & os.ST_RDONLY)


def key_hash(canonical: str) -> int:
    """Return 63 bits of BLAKE2: at a million URLs the chance of one clash is 1 in 18 million."""
    return (
        int.from_bytes(
            hashlib.blake2b(canonical.encode("utf-8", "replace"), digest_size=8).digest(), "big"
        )
        >> 1
    )


MAX_ANCHOR = 80
"""Characters of a link's text that are kept."""


@dataclass(slots=True)
class Row:
    key: int
    url: str
    cluster: int
    depth: int
    kind: int
    promised: int
    shown: int
    """Bits SHOWN_BY_…"""
    score: float
    parent: int | None = None
    anchor: str = ""
    path: int | None = None
    is_post: int | None = None
    state: int = PENDING
    """As it was read; not kept up to date."""


class Store:
    """Rows by key and by cluster. ``path`` None keeps all in memory."""

    def __init__(self, path: Path | None) -> None:
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self.db = sqlite3.connect(
                str(path) if path else ":memory:",
                isolation_level=None,
                cached_statements=64,
                check_same_thread=False,
            )
            self.db.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
            self.db.execute("PRAGMA journal_mode = WAL")
            self.db.execute("PRAGMA synchronous = NORMAL")
            version = self.db.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, VERSION):
                raise ArchiveError(
                    f"frontier file has version {version}, this program knows {VERSION}",
                    advice="use a newer blogcrawl",
                )
            self.db.executescript(_SCHEMA)
            self.db.execute(f"PRAGMA user_version = {VERSION}")
            self.db.execute("UPDATE url SET state = 0 WHERE state = 1")
        except (sqlite3.Error, OSError) as error:
            raise refusal(error, path) from error
        self._path = path
        self._kept: list[tuple[str, tuple[Any, ...]]] = []
        """The open transaction's statements; what a refused commit rolled back is executed again
        from them.
        """
        self._names: dict[str, int] = {
            text: ident for ident, text in self.db.execute("SELECT id, text FROM name")
        }
        self._texts: dict[int, str] = {ident: text for text, ident in self._names.items()}
        self.seq = self._max("seq")
        self.ended = self._max("ended")

    def _max(self, column: str) -> int:
        return self.db.execute(f"SELECT coalesce(max({column}), 0) FROM url").fetchone()[0]

    def _read(self, query: str, values: tuple[Any, ...] = ()) -> sqlite3.Cursor:
        """Raises DiskFullError, ReadOnlyError or ArchiveError, as ``_write`` and ``commit`` do."""
        try:
            self._restore()
            return self.db.execute(query, values)
        except sqlite3.Error as error:
            raise refusal(error, self._path) from error

    def _write(self, statement: str, values: tuple[Any, ...] = ()) -> sqlite3.Cursor:
        try:
            self._restore()
            if not self.db.in_transaction:
                self.db.execute("BEGIN")
            done = self.db.execute(statement, values)
        except sqlite3.Error as error:
            raise refusal(error, self._path) from error
        if len(self._kept) <= MAX_KEPT:
            self._kept.append((statement, values))
        return done

    def _write_all(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Execute a statement with each of ``rows``."""
        if not rows:
            return
        try:
            self._restore()
            if not self.db.in_transaction:
                self.db.execute("BEGIN")
            self.db.executemany(statement, rows)
        except sqlite3.Error as error:
            raise refusal(error, self._path) from error
        if len(self._kept) <= MAX_KEPT:
            self._kept += ((statement, values) for values in rows)

    def _restore(self) -> None:
        """Execute again what was rolled back; it takes no space before it is committed."""
        if not self._kept or self.db.in_transaction:
            return
        if len(self._kept) > MAX_KEPT:
            advice = "free some space and run the same command again"
            raise DiskFullError(f"no space left for the frontier file {self._path}", advice=advice)
        self.db.execute("BEGIN")
        try:
            for statement, values in self._kept:
                self.db.execute(statement, values)
        except sqlite3.Error:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")
            raise

    def commit(self) -> None:
        """Commit what was written since the last one; it is on disk when this returns. Where it
        raises (DiskFullError, ReadOnlyError, ArchiveError) nothing is forgotten: the next one tries
        again.
        """
        if not self._kept:
            return
        try:
            self._restore()
            self.db.execute("COMMIT")
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):
                self._restore()
            raise refusal(error, self._path) from error
        self._kept.clear()

    def close(self) -> None:
        """Raises as ``commit`` does; the file is closed in any case."""
        try:
            self.commit()
        finally:
            self._kept.clear()
            self.db.close()

    def name_id(self, text: str) -> int:
        """Number of a cluster name or a tag path."""
        ident = self._names.get(text)
        if ident is None:
            ident = self._write("INSERT INTO name(text) VALUES (?)", (text,)).lastrowid or 0
            self._names[text] = ident
            self._texts[ident] = text
        return ident

    def text(self, ident: int | None) -> str:
        return self._texts.get(ident, "") if ident is not None else ""

    def insert(self, rows: Sequence[Row]) -> None:
        """Add new pages; those whose key is known already change nothing."""
        values = []
        for row in rows:
            self.seq += 1
            values.append(
                (
                    row.key,
                    row.url,
                    row.cluster,
                    row.depth,
                    row.kind,
                    row.promised,
                    row.shown,
                    row.score,
                    row.parent,
                    row.anchor,
                    row.path,
                    self.seq,
                )
            )
        self._write_all(
            (
                f"INSERT INTO url({_COLUMNS}, seq) VALUES (?,?,?,?,?,?,?,?,?,?,?,NULL,0,?) ON "
                f"CONFLICT DO NOTHING"
            ),
            values,
        )

    def show(self, key: int, shown: int) -> None:
        self._write("UPDATE url SET shown = ? WHERE key = ?", (shown, key))

    def promise(self, key: int, cluster: int, kind: int) -> None:
        """Move a URL known as a mere link to its new lane, as a source lists it."""
        self._write(
            (
                "UPDATE url SET promised = 1, kind = ?, score = 1, cluster = ?, shown = shown | 1 "
                "WHERE key = ?"
            ),
            (kind, cluster, key),
        )

    def rescore(self, key: int, cluster: int, score: float) -> None:
        self._write("UPDATE url SET cluster = ?, score = ? WHERE key = ?", (cluster, score, key))

    def call(self, key: int, anchor: str) -> None:
        """Keep what another link calls the page."""
        self._write("UPDATE url SET anchor = ? WHERE key = ?", (anchor[:MAX_ANCHOR], key))

    def state(self, key: int) -> int | None:
        """PENDING, IN_FLIGHT …, None for a key never seen."""
        found = self._read("SELECT state FROM url WHERE key = ?", (key,)).fetchone()
        return found[0] if found else None

    def get(self, key: int) -> Row | None:
        found = self._read(f"SELECT {_COLUMNS} FROM url WHERE key = ?", (key,)).fetchone()
        return Row(*found) if found else None

    def known(self, keys: Iterable[int]) -> dict[int, Row]:
        """Return those of ``keys`` that were seen before, by key."""
        query = f"SELECT {_COLUMNS} FROM url WHERE key IN (SELECT value FROM json_each(?))"
        return {found[0]: Row(*found) for found in self._read(query, (json.dumps(list(keys)),))}

    def heads(self, cluster: int, oldest: int, newest: int) -> list[Row]:
        """Return pending rows of a cluster from both ends of its queue."""
        rows = self._take(cluster, "ASC", oldest)
        if len(rows) == oldest and newest:
            keys = {r.key for r in rows}
            rows += [r for r in self._take(cluster, "DESC", newest) if r.key not in keys]
        return rows

    def lists_in(self, state: int) -> list[Row]:
        """Return the rows in a state that links or sources call lists of posts."""
        query = f"SELECT {_COLUMNS} FROM url WHERE state = ? AND kind = ?"
        return [Row(*r) for r in self._read(query, (state, HUB))]

    def is_read_behind(self, depth: int, clusters: Collection[int]) -> bool:
        """Return whether a page of these clusters, as many links from the start page or more, was
        read and brought posts."""
        query = (
            "SELECT 1 FROM url WHERE cluster IN (SELECT value FROM json_each(?)) AND state = ? "
            "AND depth >= ? AND gain > 0 LIMIT 1"
        )
        found = self._read(query, (json.dumps(list(clusters)), DONE, depth))
        return found.fetchone() is not None

    def _take(self, cluster: int, order: str, limit: int) -> list[Row]:
        query = (
            f"SELECT {_COLUMNS} FROM url WHERE state = 0 AND cluster = ? ORDER BY seq "
            f"{order} LIMIT ?"
        )
        return [Row(*r) for r in self._read(query, (cluster, limit))]

    def fly(self, key: int) -> None:
        self._write("UPDATE url SET state = 1 WHERE key = ?", (key,))

    def land(self, key: int) -> None:
        """Back from flight to the queue."""
        self._write("UPDATE url SET state = 0 WHERE key = ? AND state = 1", (key,))

    def end(self, key: int, state: int, gain: float, is_post: bool | None) -> None:
        self.ended += 1
        post = None if is_post is None else int(is_post)
        self._write(
            "UPDATE url SET state = ?, gain = ?, is_post = ?, ended = ? WHERE key = ?",
            (state, gain, post, self.ended, key),
        )

    def reopen(self, key: int) -> None:
        """Take a page that ended back into flight, as if it had not been judged."""
        self._write("UPDATE url SET state = 1, is_post = NULL WHERE key = ?", (key,))
        self._write("DELETE FROM rejected WHERE key = ?", (key,))
        self._write("DELETE FROM failure WHERE key = ?", (key,))

    def link(self, key: int, posts: Iterable[int]) -> None:
        """Note which likely posts a post, or a page that looked like one, links to."""
        self._write(
            "INSERT OR REPLACE INTO linked VALUES (?, ?)", (key, array("q", posts).tobytes())
        )

    def linked(self) -> Iterator[tuple[int, Iterable[int], bool]]:
        """Return all that was passed to ``link``, and whether the page is a post."""
        query = "SELECT key, posts, is_post FROM linked JOIN url USING (key)"
        return (
            (key, array("q", posts), bool(is_post)) for key, posts, is_post in self._read(query)
        )

    def keep_list(
        self, key: int, posts: Iterable[int], onward: Iterable[int], older: Iterable[int]
    ) -> None:
        """Note which likely posts a list shows, which further pages of it it leads to, and which
        page it calls that of older posts."""
        links = (array("q", found).tobytes() for found in (posts, onward, older))
        self._write("INSERT OR REPLACE INTO list VALUES (?, ?, ?, ?)", (key, *links))

    def lists(self) -> Iterator[tuple[Row, frozenset[int], frozenset[int], frozenset[int]]]:
        """Return all that was passed to ``keep_list``, with the row of each list, oldest first."""
        columns = ", ".join(f"url.{name.strip()}" for name in _COLUMNS.split(","))
        query = (
            f"SELECT posts, onward, older, {columns} FROM list JOIN url USING (key) ORDER BY ended"
        )
        return (
            (Row(*rest), _keys(posts), _keys(onward), _keys(older))
            for posts, onward, older, *rest in self._read(query)
        )

    def fail(self, key: int, reason: str) -> None:
        """Note why the page could not be read, or was no post, at the last request; "": it was
        read.
        """
        if reason:
            self._write("INSERT OR REPLACE INTO failure VALUES (?, ?)", (key, reason))
        else:
            self._write("DELETE FROM failure WHERE key = ?", (key,))

    def refused(self) -> dict[str, str]:
        """URLs of pages that were read and gave no post, with the reason where there is one; also
        of those that were taken for another name of a page until many gave it."""
        query = "SELECT url, reason FROM failure JOIN url USING (key) WHERE state IN (?, ?)"
        return dict(self._read(query, (DONE, ALIAS)))

    def reject(self, key: int, reason: str, probability: float, title: str) -> None:
        """Keep why the page that was read is not archived as a post."""
        self._write(
            "INSERT OR REPLACE INTO rejected VALUES (?, ?, ?, ?)",
            (key, reason, probability, title),
        )

    def rejected(self) -> Iterator[tuple[Row, str, float, str]]:
        """Yield pages that were read and are no posts: reason, probability and title, empty if none
        was stored.
        """
        columns = ", ".join(f"url.{name.strip()}" for name in _COLUMNS.split(","))
        query = (
            f"SELECT coalesce(reason, ''), coalesce(probability, 0), coalesce(title, ''), {columns}"
            " FROM url LEFT JOIN rejected USING (key)"
            " WHERE state = ? AND (is_post = 0 OR reason IS NOT NULL) ORDER BY seq"
        )
        for reason, probability, title, *row in self._read(query, (DONE,)):
            yield Row(*row), reason, probability, title

    def alias(self, key: int, owner: int) -> None:
        """Note that the page at ``key`` is read under the name ``owner``."""
        self._write("INSERT OR REPLACE INTO alias VALUES (?, ?)", (key, owner))

    def owner(self, key: int) -> int | None:
        found = self._read("SELECT owner FROM alias WHERE key = ?", (key,)).fetchone()
        return found[0] if found else None

    def aliases(self) -> Iterator[tuple[str, str]]:
        """Return all that was passed to ``alias``: URL, and the URL under which its page is
        read."""
        query = "SELECT a.url, o.url FROM alias JOIN url a USING (key) JOIN url o ON o.key = owner"
        return ((url, owner) for url, owner in self._read(query))

    def name(self, url: str, target: str | None) -> None:
        """Note that ``url`` is another name of the page at ``target``; None: it is not."""
        if target is None:
            self._write("DELETE FROM other_name WHERE url = ?", (url,))
        else:
            self._write("INSERT OR REPLACE INTO other_name VALUES (?, ?)", (url, target))

    def other_names(self) -> dict[str, str]:
        return dict(self._read("SELECT url, target FROM other_name"))

    def move(self, url: str, first: str) -> None:
        """Note that the post at ``url`` is archived under ``first``."""
        self._write("INSERT OR REPLACE INTO moved VALUES (?, ?)", (url, first))

    def moved(self) -> dict[str, str]:
        return dict(self._read("SELECT url, first FROM moved"))

    def echo(self, mark: bytes, url: str) -> None:
        """Note that the page at ``url`` has this ``mark``."""
        self._write("INSERT INTO echo VALUES (?, ?)", (mark, url))

    def echoes(self) -> list[tuple[bytes, str]]:
        return self._read("SELECT mark, url FROM echo ORDER BY rowid").fetchall()

    def first_page(self, mark: bytes, page: int) -> int:
        """Return the page on which the post with ``mark`` was first found: ``page`` if it is
        new."""
        found = self._read("SELECT page FROM part WHERE mark = ?", (mark,)).fetchone()
        if found is None:
            self._write("INSERT INTO part VALUES (?, ?)", (mark, page))
        return found[0] if found else page

    def unread(self) -> list[tuple[Row, str]]:
        """Return pages that failed or are in flight, and why they failed so far."""
        columns = ", ".join(f"url.{name.strip()}" for name in _COLUMNS.split(","))
        query = (
            f"SELECT coalesce(reason, ''), {columns} FROM url LEFT JOIN failure USING (key)"
            f" WHERE state = {IN_FLIGHT} OR (state = {FAILED} AND reason IS NOT NULL) ORDER BY seq"
        )
        return [(Row(*found[1:]), found[0]) for found in self._read(query)]

    def judged(self) -> Iterator[tuple[str, bool, str]]:
        """URL, whether it is a post, and tag path of every page that was read and judged."""
        query = "SELECT url, is_post, path FROM url WHERE state = ? AND is_post IS NOT NULL"
        return (
            (url, bool(is_post), self.text(path))
            for url, is_post, path in self._read(query, (DONE,))
        )

    def failed_keys(self) -> list[int]:
        return [key for (key,) in self._read("SELECT key FROM url WHERE state = ?", (FAILED,))]

    def add_gain(self, key: int, delta: float) -> None:
        self._write("UPDATE url SET gain = coalesce(gain, 0) + ? WHERE key = ?", (delta, key))

    def pending_by_cluster(self) -> dict[int, int]:
        return dict(
            self._read("SELECT cluster, count(*) FROM url WHERE state = 0 GROUP BY cluster")
        )

    def observations(self, limit: int) -> Iterator[tuple[Row, float, float | None]]:
        """Return ended pages, oldest first, at most ``limit`` of the latest: row, gain, and the
        probability that one that was rejected is a post."""
        query = (
            f"SELECT * FROM (SELECT coalesce(gain, 0), probability, ended, {_COLUMNS}"
            " FROM url LEFT JOIN rejected USING (key)"
            " WHERE ended IS NOT NULL AND state <> 4 ORDER BY ended DESC LIMIT ?) ORDER BY ended"
        )
        return ((Row(*r[3:]), r[0], r[1]) for r in self._read(query, (limit,)))

    def names(self) -> dict[int, str]:
        return self._texts

    def tally(self) -> list[tuple[int, int, int | None, int, int, int]]:
        """Return (state, promised, is_post, likely, shown, count), all that the estimators count,
        in one pass over the table.
        """
        query = (
            "SELECT state, promised, is_post, score >= 0.5, shown, count(*) FROM url GROUP "
            "BY 1, 2, 3, 4, 5"
        )
        return list(self._read(query))

    def sign(self, kind: str, name: str, value: str) -> None:
        """Keep a sign of the blog under its name."""
        self._write("INSERT OR REPLACE INTO sign VALUES (?, ?, ?)", (kind, name, value))

    def signs(self) -> list[tuple[str, str, str]]:
        """Return all that was passed to ``sign``."""
        return list(self._read("SELECT kind, name, value FROM sign"))

    def note(self, name: str, value: str | None = None) -> str | None:
        """Read a note, or write it where ``value`` is given."""
        if value is not None:
            self._write(
                (
                    "INSERT INTO note VALUES (?, ?) ON CONFLICT(name) DO UPDATE SET value = "
                    "excluded.value"
                ),
                (name, value),
            )
            return value
        found = self._read("SELECT value FROM note WHERE name = ?", (name,)).fetchone()
        return found[0] if found else None


def _keys(stored: bytes) -> frozenset[int]:
    return frozenset(array("q", stored))
