"""The index in SQLite: FTS5 without texts, in a file of its own (``search.db``).

FTS5 keeps only which post has which word (``contentless``, ``detail=none``): half the size of an
index with places. Which words are neighbours is stored as one bit for each two of them, in a field
of bits of each post: as terms they would take a byte at least. What is filtered, sorted and counted
by lies in one small row per post; a query reads these rows once into arrays, until the next write:
counting 50,000 posts takes milliseconds so, a fifth of a second by SQL.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from blogcrawl.core.errors import ArchiveError, DiskFullError, StorageError, UnavailableError
from blogcrawl.packaging import ids
from blogcrawl.storage.frozen import (
    checking_connection,
    immutable_connection,
    integrity_faults,
    is_writable,
    missing_end,
    readable_copy,
)
from blogcrawl.storage.search.base import MAX_VALUES, NO_FILTERS, Facets, Filters, OldTerms, Order
from blogcrawl.storage.search.documents import FACETS, TITLE, Entry
from blogcrawl.storage.search.queries import Clause, Query, Term

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

FILE = "search.db"
FORMAT = 3
"""Of tables and terms; an index of another format is made anew."""
BITS = 3
"""Bits of a post for each of its pairs of words: 28 % of them are set, which another pair hits."""
BUSY_SECONDS = 10.0
REBUILD = "run `blogcrawl index --rebuild`"
_TABLES = """
CREATE TABLE posts (
    id INTEGER PRIMARY KEY AUTOINCREMENT, aip BLOB NOT NULL UNIQUE, version INTEGER NOT NULL,
    blog INTEGER NOT NULL, published INTEGER, facets BLOB NOT NULL
);
CREATE TABLE names (kind TEXT NOT NULL, value TEXT NOT NULL, id INTEGER NOT NULL,
    PRIMARY KEY (kind, value)) WITHOUT ROWID;
CREATE TABLE neighbours (id INTEGER PRIMARY KEY, pairs BLOB NOT NULL);
CREATE VIRTUAL TABLE texts USING fts5(
    terms, content='', detail=none, columnsize=0, tokenize='ascii'
);
"""
_INSERT = "INSERT INTO posts (aip, version, blog, published, facets) VALUES (?, ?, ?, ?, ?)"
_DELETE_TERMS = "INSERT INTO texts (texts, rowid, terms) VALUES ('delete', ?, ?)"
_UNDATED = -(2**62)


def _key(aip_id: str) -> bytes:
    bare = ids.bare(aip_id)
    return UUID(bare).bytes if ids.is_uuid(bare) else aip_id.encode()


def _aip_id(key: bytes) -> str:
    return ids.urn(str(UUID(bytes=key))) if len(key) == 16 else key.decode()


@contextlib.contextmanager
def _errors(path: Path) -> Iterator[None]:
    """Raise SQLite's errors as ours."""
    try:
        yield
    except sqlite3.Error as error:
        text = str(error)
        if "full" in text:
            raise DiskFullError(f"{path}: {text}") from None
        if "locked" in text or "busy" in text:
            raise UnavailableError(f"{path} is in use: {text}") from None
        raise StorageError(
            f"the search index {path} can't be used: {text}", advice=REBUILD
        ) from None


@dataclass(frozen=True)
class _Table:
    """The rows of posts as arrays, by id; values of facets with the number of their row."""

    ids: Ints
    published: Ints
    values: Ints
    owners: Ints
    names: Mapping[int, tuple[str, str]]

    @cached_property
    def numbers(self) -> Mapping[tuple[str, str], int]:
        return {name: number for number, name in self.names.items()}

    def rows(self, found: Ints) -> Ints:
        """Return the numbers of the rows with these ids; those of removed posts have none."""
        import numpy as np

        if not len(self.ids):
            return found[:0]
        at = np.minimum(np.searchsorted(self.ids, found), len(self.ids) - 1)
        rows: Ints = at[self.ids[at] == found]
        return rows

    @cached_property
    def newest(self) -> Ints:
        """All rows, the newest posts first, undated ones last."""
        import numpy as np

        rows: Ints = np.lexsort((self.ids, self.published))[::-1]
        return rows

    @cached_property
    def oldest(self) -> Ints:
        """All rows, the oldest posts first, undated ones last."""
        import numpy as np

        rows: Ints = np.lexsort((self.ids, self.published, self.published == _UNDATED))
        return rows

    def having(self, rows: Ints) -> NDArray[np.bool_]:
        """Return for each row whether it is one of these."""
        import numpy as np

        has = np.zeros(len(self.ids), bool)
        has[rows] = True
        return has

    def with_any(self, kind: str, values: Iterable[str]) -> NDArray[np.bool_]:
        """Return for each row whether it has one of the values."""
        import numpy as np

        is_wanted = np.zeros(max(self.names, default=0) + 1, bool)
        is_wanted[[self.numbers[kind, one] for one in values if (kind, one) in self.numbers]] = True
        return self.having(self.owners[is_wanted[self.values]])

    def count(self, rows: Ints) -> Facets:
        """Count the values of facets in these rows."""
        import numpy as np

        counts = np.bincount(self.values[self.having(rows)[self.owners]])
        facets: dict[str, list[tuple[str, int]]] = {kind: [] for kind in FACETS}
        for number in np.argsort(-counts, kind="stable"):
            if not counts[number]:
                break
            kind, value = self.names[int(number)]
            if len(facets[kind]) < MAX_VALUES:
                facets[kind].append((value, int(counts[number])))
        return facets


@dataclass(frozen=True)
class _Neighbours:
    """The pairs of words of all posts, as ``_bits`` made them, one after the other."""

    ids: Ints
    starts: Ints
    sizes: Ints
    fields: NDArray[np.uint8]

    def have(self, ids: Ints, pairs: Iterable[int]) -> NDArray[np.bool_]:
        """Return for each post whether it has these pairs; true for some that have not."""
        import numpy as np

        if not len(self.ids):
            return np.zeros(len(ids), bool)
        at = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        has: NDArray[np.bool_] = self.ids[at] == ids
        for pair in pairs:
            left = np.flatnonzero(has)
            bit = pair % self.sizes[at[left]]
            found = self.fields[self.starts[at[left]] + (bit >> 3)] >> (bit & 7).astype(np.uint8)
            has[left] = found & 1
        return has


class SqliteFound:
    """Posts that were found, in order."""

    def __init__(self, index: SqliteIndex, table: _Table, rows: Ints) -> None:
        self._index, self._table, self._rows = index, table, rows

    @property
    def total(self) -> int:
        return len(self._rows)

    @cached_property
    def facets(self) -> Facets:
        return self._table.count(self._rows)

    def page(self, after: int, count: int) -> Sequence[tuple[str, int]]:
        """Return package and version of ``count`` posts after the first ``after``."""
        some = self._table.ids[self._rows[after : after + count]]
        return self._index.packages([int(one) for one in some])

    def leave_out(self, aip_ids: Sequence[str]) -> None:
        """Count posts no more that were read and do not fit after all."""
        import numpy as np

        wrong = self._index.numbers(aip_ids)
        self._rows = self._rows[~np.isin(self._table.ids[self._rows], wrong)]


def check_index(path: Path) -> Iterator[str]:
    """Yield the faults of an index in a file. A damaged one is made again; no content is lost."""
    with contextlib.ExitStack() as holder:
        try:
            faults = list(missing_end(path))
            if not faults:
                faults = integrity_faults(checking_connection(path, holder))
        except (sqlite3.Error, ArchiveError) as error:
            faults = [str(error)]
    for fault in faults[:5]:
        yield f"{' '.join(fault.split())}; {REBUILD}"


class SqliteIndex:
    """An index in a file. ``old_terms`` finds what was indexed of a post that is replaced."""

    def __init__(
        self,
        path: Path,
        old_terms: OldTerms,
        *,
        reading: bool = False,
        busy_seconds: float = BUSY_SECONDS,
    ) -> None:
        """Open or make it; ``reading``: as it is, also where it can't be written.

        Raises ArchiveError if it is not there and can't be made.
        """
        self.path, self._old_terms = path, old_terms
        self._holder = contextlib.ExitStack()
        self._lock = threading.RLock()
        self._cached: tuple[object, _Table] | None = None
        self._pairs: _Neighbours | None = None
        self._last_name: int | None = None
        """The highest number of a facet's value, inside a transaction that needs it."""
        with _errors(path):
            self._db = self._connect(reading, busy_seconds)
            self._prepare(reading)

    def _connect(self, reading: bool, busy_seconds: float) -> sqlite3.Connection:
        if reading and not self.path.exists():
            raise ArchiveError(
                "this archive has no search index", advice="make it with `blogcrawl index`"
            )
        if reading and not is_writable(self.path):
            copy = readable_copy(self.path, self._holder)
            if copy is None:
                return immutable_connection(self.path)
            self.path = copy
        db = sqlite3.connect(self.path, timeout=busy_seconds, check_same_thread=False)
        db.isolation_level = None
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        return db

    def _prepare(self, reading: bool) -> None:
        """Make the tables, anew where they are of another format."""
        if self._format() == FORMAT:
            return
        if reading:
            raise ArchiveError(
                "the search index is of another version of blogcrawl", advice=REBUILD
            )
        with self._transaction():
            if self._format() != FORMAT:
                self._drop_tables()
                for statement in filter(str.strip, _TABLES.split(";")):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version = {FORMAT}")

    def _format(self) -> int:
        return int(self._db.execute("PRAGMA user_version").fetchone()[0])

    def _drop_tables(self) -> None:
        for name in ("texts", "posts", "names", "neighbours"):
            self._db.execute(f"DROP TABLE IF EXISTS {name}")

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock, _errors(self.path), self._db:  # commits, or rolls back after an exception
            self._db.execute("BEGIN IMMEDIATE")
            self._last_name = None
            yield
            self._cached = None

    # writing

    def put(self, entries: Sequence[Entry]) -> None:
        """Insert or replace posts, all or none."""
        with self._transaction():
            for entry in entries:
                self._forget(_key(entry.aip_id))
                numbers = [self._number(kind, value) for kind, value in entry.facets]
                blog = next(
                    number
                    for number, (kind, _) in zip(numbers, entry.facets, strict=True)
                    if kind == "blog"
                )
                row = (_key(entry.aip_id), entry.version, blog, entry.published)
                made = self._db.execute(_INSERT, (*row, array("I", numbers).tobytes()))
                self._db.execute(
                    "INSERT INTO texts (rowid, terms) VALUES (?, ?)",
                    (made.lastrowid, " ".join(entry.terms)),
                )
                if len(entry.pairs):
                    self._db.execute(
                        "INSERT INTO neighbours VALUES (?, ?)",
                        (made.lastrowid, _bits(entry.pairs)),
                    )

    def _number(self, kind: str, value: str) -> int:
        """Return the number of a facet's value, a new one if it has none."""
        value = value.encode("utf-8", "replace").decode()
        found = self._db.execute(
            "SELECT id FROM names WHERE kind = ? AND value = ?", (kind, value)
        ).fetchone()
        if found is not None:
            return int(found[0])
        if self._last_name is None:
            self._last_name = self._db.execute("SELECT max(id) FROM names").fetchone()[0] or 0
        self._last_name += 1
        self._db.execute("INSERT INTO names VALUES (?, ?, ?)", (kind, value, self._last_name))
        return self._last_name

    def _forget(self, key: bytes) -> None:
        """Delete a post. Terms that can't be read any more stay, of a row that is no longer."""
        row = self._db.execute("SELECT id, version FROM posts WHERE aip = ?", (key,)).fetchone()
        if row is None:
            return
        old = self._old_terms(_aip_id(key), row[1])
        if old is not None:
            self._db.execute(_DELETE_TERMS, (row[0], " ".join(old)))
        self._db.execute("DELETE FROM posts WHERE id = ?", (row[0],))
        self._db.execute("DELETE FROM neighbours WHERE id = ?", (row[0],))

    def drop(self, aip_ids: Iterable[str], *, erase: bool = False) -> None:
        """Remove posts; ``erase``: leave nothing of them in the database's files either."""
        with self._transaction():
            for aip_id in aip_ids:
                self._forget(_key(aip_id))
            if erase:
                self._db.execute(
                    "DELETE FROM names WHERE kind IN ('author', 'tag') AND id NOT IN "
                    f"({','.join(map(str, self._used())) or 'NULL'})"
                )
        if erase:
            self.settle()

    def _used(self) -> set[int]:
        rows = self._db.execute("SELECT facets FROM posts")
        return {number for (facets,) in rows for number in array("I", facets)}

    def clear(self) -> None:
        """Remove everything."""
        with self._transaction():
            self._drop_tables()
            self._db.execute("PRAGMA user_version = 0")
        with _errors(self.path):
            self._prepare(reading=False)
            self._db.execute("VACUUM")

    def settle(self) -> None:
        """Merge what many small writes left, and give back its room: half of the file."""
        with self._transaction():
            self._db.execute("INSERT INTO texts (texts) VALUES ('optimize')")
        with self._lock, _errors(self.path):
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        self._db.close()
        self._holder.close()

    # reading

    def versions(self, blog_id: str | None = None) -> Mapping[str, int]:
        """Map the packages that are indexed, of a blog or all, to their versions."""
        query = "SELECT aip, version FROM posts"
        given: tuple[str, ...] = ()
        if blog_id is not None:
            query += " WHERE blog = (SELECT id FROM names WHERE kind = 'blog' AND value = ?)"
            given = (blog_id,)
        with self._lock, _errors(self.path):
            return {_aip_id(key): version for key, version in self._db.execute(query, given)}

    def packages(self, numbers: Sequence[int]) -> list[tuple[str, int]]:
        """Return package and version of posts by their ids, in this order."""
        marks = ",".join(map(str, numbers))
        with self._lock, _errors(self.path):
            rows = self._db.execute(f"SELECT id, aip, version FROM posts WHERE id IN ({marks})")
            by_id = {number: (_aip_id(key), version) for number, key, version in rows}
        return [by_id[number] for number in numbers if number in by_id]

    def numbers(self, aip_ids: Sequence[str]) -> list[int]:
        """Return the ids of posts by their packages."""
        marks = ",".join("?" * len(aip_ids))
        keys = [_key(aip_id) for aip_id in aip_ids]
        with self._lock, _errors(self.path):
            rows = self._db.execute(f"SELECT id FROM posts WHERE aip IN ({marks})", keys)
            return [number for (number,) in rows]

    def find(
        self, query: Query, filters: Filters = NO_FILTERS, order: Order = "relevance"
    ) -> SqliteFound:
        """Return the posts that have the query's terms."""
        import numpy as np

        with self._lock, _errors(self.path):
            table = self._table()
            fits = self._fitting(table, query)
            for kind, values in filters.chosen().items():
                fits &= table.with_any(kind, values)
            every = table.oldest if order == "oldest" else table.newest
            rows = every[fits[every]]
            if order == "relevance" and query.wanted and len(rows):
                titled = table.having(self._matching(table, _expression(query.wanted, TITLE)))[rows]
                rows = np.concatenate((rows[titled], rows[~titled]))
        return SqliteFound(self, table, rows)

    def _fitting(self, table: _Table, query: Query) -> NDArray[np.bool_]:
        """Return for each row whether its post has the terms, and perhaps the phrases."""
        import numpy as np

        fits = np.ones(len(table.ids), bool)
        if query.wanted:
            rows = self._matching(table, _expression(query.wanted))
            pairs = set().union(*(clause.pairs for clause in query.wanted))
            if pairs and len(rows):
                rows = rows[self._neighbours().have(table.ids[rows], pairs)]
            fits = table.having(rows)
        for clause in query.excluded:
            if clause.is_word:  # of others the index says only that they may be there
                fits &= ~table.having(self._matching(table, _expression([clause])))
        return fits

    def _matching(self, table: _Table, expression: str) -> Ints:
        import numpy as np

        [found] = self._db.execute(  # as one text: rows of their own take three times as long
            "SELECT group_concat(rowid) FROM texts WHERE texts MATCH ?", (expression,)
        ).fetchone()
        return table.rows(np.fromstring(found or "", np.int64, sep=","))

    def _table(self) -> _Table:
        """Read the rows of posts, unless they are those of the last query."""
        state = self._db.execute("PRAGMA data_version").fetchone()[0]
        if self._cached is None or self._cached[0] != state:
            self._cached, self._pairs = (state, self._read_table()), None
        return self._cached[1]

    def _neighbours(self) -> _Neighbours:
        """Read the pairs of all posts, a tenth of their text, for the first phrase after a write:
        looking into those of one post after the other takes a hundred times as long."""
        import numpy as np

        if self._pairs is None:
            rows = self._db.execute("SELECT id, pairs FROM neighbours ORDER BY id").fetchall()
            numbers, fields = zip(*rows, strict=True) if rows else ((), ())
            sizes = np.array([len(one) for one in fields], np.int64)
            self._pairs = _Neighbours(
                ids=np.array(numbers, np.int64),
                starts=np.cumsum(sizes) - sizes,
                sizes=8 * sizes,
                fields=np.frombuffer(b"".join(fields), np.uint8),
            )
        return self._pairs

    def _read_table(self) -> _Table:
        import numpy as np

        rows = self._db.execute("SELECT id, published, facets FROM posts ORDER BY id").fetchall()
        numbers, dates, facets = zip(*rows, strict=True) if rows else ((), (), ())
        counts = np.array([len(one) // 4 for one in facets], np.int64)
        names = self._db.execute("SELECT id, kind, value FROM names")
        return _Table(
            ids=np.array(numbers, np.int64),
            published=np.array([_UNDATED if one is None else one for one in dates], np.int64),
            values=np.frombuffer(b"".join(facets), np.uint32).astype(np.int64),
            owners=np.repeat(np.arange(len(rows)), counts),
            names={number: (kind, value) for number, kind, value in names},
        )


def _bits(pairs: Collection[int]) -> bytes:
    """Return a field of bits in which each pair of words sets one."""
    import numpy as np

    size = 8 * -(-BITS * len(pairs) // 8)
    field = np.zeros(size, bool)
    field[np.asarray(pairs) % size] = True
    return np.packbits(field, bitorder="little").tobytes()


def _expression(clauses: Sequence[Clause], mark: str = "") -> str:
    """Return FTS5's expression for the words of the clauses; ``mark``: before each."""
    some = (term for clause in clauses for term in clause.words)
    return " AND ".join(dict.fromkeys(_quoted(term, mark) for term in some))


def _quoted(term: Term, mark: str) -> str:
    text = term.text.replace('"', '""')
    return f'"{mark}{text}"' + ("*" if term.prefix else "")
