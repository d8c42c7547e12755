"""The index in PostgreSQL, next to the state of a cluster: a table with the terms of each post.

The terms are those of the index in SQLite, as a ``tsvector`` without places under a GIN index.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from sqlalchemy import text

from blogcrawl.storage.search.base import MAX_VALUES, NO_FILTERS, Facets, Filters, Order
from blogcrawl.storage.search.documents import FACETS, TITLE, Entry
from blogcrawl.storage.search.queries import Clause, Query, Term
from blogcrawl.storage.state import SqlState

_COLUMNS = {
    "blog": "blog_id = ANY(:blog)",
    "year": "year = ANY(:year)",
    "language": "language = ANY(:language)",
    "author": "authors && :author",
    "tag": "tags && :tag",
}
_VALUES = {
    "blog": "blog_id",
    "author": "unnest(authors)",
    "year": "year",
    "tag": "unnest(tags)",
    "language": "language",
}
_INSERT = text("""
    INSERT INTO search_posts
        (aip_id, version, blog_id, published, year, language, authors, tags, terms)
    VALUES (:aip_id, :version, :blog, :published, :year, :language, :authors, :tags,
        array_to_tsvector(:terms))
    ON CONFLICT (aip_id) DO UPDATE SET version = excluded.version, blog_id = excluded.blog_id,
        published = excluded.published, year = excluded.year, language = excluded.language,
        authors = excluded.authors, tags = excluded.tags, terms = excluded.terms
""")
_ORDERS = {
    "relevance": "terms @@ CAST(:title AS tsquery) DESC, published DESC NULLS LAST, aip_id",
    "newest": "published DESC NULLS LAST, aip_id",
    "oldest": "published NULLS LAST, aip_id",
}
PAIR, PAIRS = "\ue000", 16_384
"""The private character that begins the terms of pairs of words; how many of them there are."""
LARGEST = 900_000
"""Bytes of all terms of a post, at most: a ``tsvector`` holds a megabyte."""


class PostgresFound:
    """Posts that were found, in order."""

    def __init__(self, state: SqlState, where: str, order: Order, given: Mapping[str, Any]) -> None:
        self._state, self._given = state, dict(given)
        self._where, self._order = where, _ORDERS[order]

    @cached_property
    def total(self) -> int:
        return int(self._rows(f"SELECT count(*) FROM search_posts WHERE {self._where}")[0][0])

    @cached_property
    def facets(self) -> Facets:
        counts = " UNION ALL ".join(
            f"(SELECT '{kind}', {value} AS value, count(*) FROM found "
            f"GROUP BY value ORDER BY 3 DESC, 2 LIMIT {MAX_VALUES + 1})"
            for kind, value in _VALUES.items()
        )
        found = (
            f"SELECT blog_id, year, language, authors, tags FROM search_posts WHERE {self._where}"
        )
        facets: dict[str, list[tuple[str, int]]] = {kind: [] for kind in FACETS}
        for kind, value, count in self._rows(f"WITH found AS MATERIALIZED ({found}) {counts}"):
            if value is not None and len(facets[kind]) < MAX_VALUES:
                facets[kind].append((value, count))
        return facets

    def page(self, after: int, count: int) -> Sequence[tuple[str, int]]:
        """Return package and version of ``count`` posts after the first ``after``."""
        rows = self._rows(
            f"SELECT aip_id, version FROM search_posts WHERE {self._where} "
            f"ORDER BY {self._order} OFFSET {after:d} LIMIT {count:d}"
        )
        return [(aip_id, version) for aip_id, version in rows]

    def leave_out(self, aip_ids: Sequence[str]) -> None:
        """Count posts no more that were read and do not fit after all."""
        self._given["wrong"] = list(aip_ids)
        self._where += " AND NOT aip_id = ANY(:wrong)"
        self.total -= len(aip_ids)

    def _rows(self, statement: str) -> Sequence[Any]:
        with self._state.read() as connection:
            return connection.execute(text(statement), self._given).all()


class PostgresIndex:
    """An index in the database of the state; its tables come with the state's migrations."""

    def __init__(self, state: SqlState) -> None:
        self._state = state

    def put(self, entries: Sequence[Entry]) -> None:
        """Insert or replace posts, all or none."""
        with self._state.write() as connection:
            for entry in entries:
                connection.execute(_INSERT, _row(entry))

    def drop(self, aip_ids: Iterable[str], *, erase: bool = False) -> None:
        """Remove posts; ``erase``: PostgreSQL's own VACUUM overwrites what they leave."""
        with self._state.write() as connection:
            statement = text("DELETE FROM search_posts WHERE aip_id = ANY(:ids)")
            connection.execute(statement, {"ids": list(aip_ids)})
        if erase:
            self.settle()

    def versions(self, blog_id: str | None = None) -> Mapping[str, int]:
        """Map the packages that are indexed, of a blog or all, to their versions."""
        query, given = "SELECT aip_id, version FROM search_posts", {}
        if blog_id is not None:
            query, given = f"{query} WHERE blog_id = :blog", {"blog": blog_id}
        with self._state.read() as connection:
            rows = connection.execute(text(query), given)
            return {row.aip_id: row.version for row in rows}

    def find(
        self, query: Query, filters: Filters = NO_FILTERS, order: Order = "relevance"
    ) -> PostgresFound:
        """Return the posts that have the query's terms."""
        where, given = ["true"], dict[str, Any]()
        expression = _expression(query)
        if expression:
            where.append("terms @@ CAST(:query AS tsquery)")
            given["query"] = expression
        for kind, values in filters.chosen().items():
            where.append(_COLUMNS[kind])
            given[kind] = [_plain(value) for value in values]
        if order == "relevance" and not query.wanted:
            order = "newest"
        if order == "relevance":
            given["title"] = _titled(query.wanted)
        return PostgresFound(self._state, " AND ".join(where), order, given)

    def clear(self) -> None:
        """Remove everything."""
        with self._state.write() as connection:
            connection.execute(text("TRUNCATE search_posts"))

    def settle(self) -> None:
        """Merge what many small writes left."""
        engine = self._state.engine.execution_options(isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text("VACUUM ANALYZE search_posts"))

    def close(self) -> None:
        """Do nothing: the connections are the state's."""


def _row(entry: Entry) -> dict[str, Any]:
    values: dict[str, list[str]] = {kind: [] for kind in FACETS}
    for kind, value in entry.facets:
        values[kind].append(_plain(value))
    terms, size = [], 0
    for term in sorted((*entry.terms, *_beside(entry.pairs)), key=len):
        size += len(term.encode()) + 8
        if size > LARGEST:
            break
        terms.append(term)
    return {
        "aip_id": entry.aip_id,
        "version": entry.version,
        "blog": values["blog"][0],
        "published": entry.published,
        "year": next(iter(values["year"]), None),
        "language": next(iter(values["language"]), None),
        "authors": values["author"],
        "tags": values["tag"],
        "terms": terms,
    }


def _plain(value: str) -> str:
    """Return text as PostgreSQL takes it."""
    return value.replace("\x00", "").encode("utf-8", "replace").decode()


def _expression(query: Query) -> str:
    """Return the query as PostgreSQL's tsquery; empty if it says nothing."""
    some = [
        _quoted(term)
        for clause in query.wanted
        for term in (*map(Term, _beside(clause.pairs)), *clause.words)
    ]
    some += [
        f"!{_quoted(term)}"
        for clause in query.excluded
        if clause.is_word  # of others the index says only that they may be there
        for term in clause.words
    ]
    return " & ".join(dict.fromkeys(some))


def _beside(pairs: Iterable[int]) -> set[str]:
    """Return the terms of pairs of words."""
    return {f"{PAIR}{number % PAIRS:x}" for number in pairs}


def _titled(clauses: Sequence[Clause]) -> str:
    return " & ".join(
        dict.fromkeys(_quoted(term, TITLE) for clause in clauses for term in clause.words)
    )


def _quoted(term: Term, mark: str = "") -> str:
    word = term.text.replace("\\", "\\\\").replace("'", "''")
    return f"'{mark}{word}'" + (":*" if term.prefix else "")
