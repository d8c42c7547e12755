"""Tables of the state database and how records become rows. The tables are made by ``migrations``,
not from here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Dialect,
    Integer,
    MetaData,
    RowMapping,
    String,
    Table,
    Text,
    bindparam,
    or_,
    text,
    update,
)
from sqlalchemy.types import TypeDecorator

from blogcrawl.core.errors import DamagedError
from blogcrawl.storage.base import BlogRow, CrawlRow, MediaRow, PostRow

DAMAGED_ADVICE = (
    "move it aside and run `blogcrawl import ARCHIVE/packages`, which writes it "
    "again from the packages"
)
MAX_KEY = 1000
"""Characters of a URL that are used as a key as they are (a PostgreSQL btree entry holds 2,704
bytes).
"""


def damaged(what: object) -> DamagedError:
    """The failure of a state database with something in it that blogcrawl has not written;
    ``what``: one line.
    """
    return DamagedError(f"the state database is damaged: {what}", advice=DAMAGED_ADVICE)


class UtcText(TypeDecorator[datetime]):
    """Aware datetimes as fixed-width ISO 8601 text in UTC: sorts by time and reads the same in
    every database.
    """

    impl = String(27)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        if value is None:
            return None
        aware = value if value.tzinfo else value.replace(tzinfo=UTC)
        try:
            utc = aware.astimezone(UTC)
        except OverflowError:
            utc = aware.replace(tzinfo=UTC)
        return utc.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:
        try:
            return datetime.fromisoformat(value) if value else None
        except (TypeError, ValueError):
            raise damaged(f"{value!r:.40} is no time") from None


class JsonText(TypeDecorator[Any]):
    """JSON in a text column."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return (
            None
            if value is None
            else json.dumps(value, ensure_ascii=False, default=_json_default).replace("\\u0000", "")
        )

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        try:
            return None if value is None else json.loads(value)
        except (TypeError, ValueError, RecursionError) as error:
            raise damaged(f"a column is no JSON: {error}") from None


def _json_default(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} is no JSON")


class CleanText(TypeDecorator[str]):
    """Text without what PostgreSQL refuses (NUL) and UTF-8 can't carry (lone surrogates)."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return (
            None
            if value is None
            else value.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")
        )


def url_key(url: str) -> str:
    """``url`` as a database key: itself, or its head and digest where it is very long."""
    if len(url.encode("utf-8", "replace")) <= MAX_KEY:
        return url
    return url[: MAX_KEY // 8] + "#" + hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()


METADATA = MetaData()

blogs = Table(
    "blogs",
    METADATA,
    Column("id", CleanText, primary_key=True),
    Column("url", CleanText),
    Column("title", CleanText),
    Column("feeds", JsonText),
    Column("model", JsonText),
    Column("record", JsonText),
    Column("aip_id", CleanText),
    Column("aip_version", Integer),
    Column("last_crawl", UtcText),
    Column("next_visit", UtcText),
    Column("interval_seconds", Integer),
    Column("health", CleanText),
    Column("failures", Integer),
    Column("reason", CleanText),
)
aliases = Table(
    "aliases",
    METADATA,
    Column("url_key", CleanText, primary_key=True),
    Column("blog_id", CleanText),
)
posts = Table(
    "posts",
    METADATA,
    Column("blog_id", CleanText, primary_key=True),
    Column("url_key", CleanText, primary_key=True),
    Column("url", CleanText),
    Column("title", CleanText),
    Column("published", UtcText),
    Column("modified", UtcText),
    Column("content_digest", CleanText),
    Column("comment_count", Integer),
    Column("comments_shown", Integer),
    Column("aip_id", CleanText),
    Column("aip_version", Integer),
    Column("status", CleanText),
    Column("etag", CleanText),
    Column("last_modified", CleanText),
    Column("first_seen", UtcText),
    Column("last_seen", UtcText),
    Column("next_comment_check", UtcText),
    Column("comments_feed_url", CleanText),
    Column("comments_incomplete", CleanText),
    Column("comments_tries", Integer),
)
media = Table(
    "media",
    METADATA,
    Column("blog_id", CleanText, primary_key=True),
    Column("url_key", CleanText, primary_key=True),
    Column("url", CleanText),
    Column("sha256", CleanText),
    Column("mime", CleanText),
    Column("size", BigInteger),
    Column("aip_id", CleanText),
    Column("path", CleanText),
    Column("error", CleanText),
)
crawls = Table(
    "crawls",
    METADATA,
    Column("id", CleanText, primary_key=True),
    Column("blog_id", CleanText),
    Column("spider", CleanText),
    Column("node", CleanText),
    Column("started", UtcText),
    Column("ended", UtcText),
    Column("outcome", CleanText),
    Column("counts", JsonText),
    Column("report", JsonText),
)
leases = Table(
    "leases",
    METADATA,
    Column("blog_id", CleanText, primary_key=True),
    Column("token", BigInteger),
    Column("owner", CleanText),
    Column("expires", UtcText),
)


FAR = timedelta(days=800)
"""No visit and no look for late comments is put off for so long: what is, a wrong
clock has dated.
"""


def is_due(column: Column[datetime | None], now: datetime) -> ColumnElement[bool]:
    """Is the date in ``column`` reached at ``now``, or so far off that the clock was wrong when it
    was written?
    """
    return or_(column <= now, column > now + FAR)


def update_many(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Set columns of many rows: each of ``rows`` has the table's key (a single column) and the same
    other columns.

    PostgreSQL gets one statement with an array a column: half of the CPU time of a statement a row.
    """
    if not rows:
        return
    [key] = [column.name for column in table.primary_key]
    names = [name for name in rows[0] if name != key]
    if connection.dialect.name == "postgresql":
        _update_by_arrays(connection, table, key, names, rows)
        return
    statement = (
        update(table)
        .where(table.c[key] == bindparam("v_key"))
        .values(**{name: bindparam(f"v_{name}") for name in names})
    )
    connection.execute(
        statement,
        [{"v_key": row[key]} | {f"v_{name}": row[name] for name in names} for row in rows],
    )


def _update_by_arrays(
    connection: Connection,
    table: Table,
    key: str,
    names: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
) -> None:
    columns = [table.c[name] for name in (key, *names)]
    arrays = {}
    for column in columns:
        convert: Any = column.type.bind_processor(connection.dialect)
        arrays[column.name] = [
            convert(row[column.name]) if convert else row[column.name] for row in rows
        ]
    values = ", ".join(
        f"CAST(:{c.name} AS {'BIGINT' if isinstance(c.type, Integer) else 'TEXT'}[])"
        for c in columns
    )
    sets_of = ", ".join(f"{name} = given.{name}" for name in names)
    given = f"unnest({values}) AS given ({', '.join(c.name for c in columns)})"
    connection.execute(
        text(
            f"UPDATE {table.name} SET {sets_of} FROM {given} WHERE {table.name}.{key} = given.{key}"
        ),
        arrays,
    )


def type_faults(table: Table, row: RowMapping) -> list[str]:
    """Values that are not of their column's type (SQLite stores any type in any column), or empty
    where a key is.
    """
    faults = []
    for column in table.columns:
        value = row[column.name]
        kind: type = int if isinstance(column.type, Integer) else str
        if value is None and column.primary_key:
            faults.append(f"{column.name} is empty")
        elif (
            value is not None
            and not isinstance(column.type, (UtcText, JsonText))
            and not isinstance(value, kind)
        ):
            faults.append(f"{column.name} is {value!r:.40}")
    return faults


Record = BlogRow | PostRow | CrawlRow | MediaRow


def values_of(record: Record) -> dict[str, Any]:
    """Column values of a record."""
    values = {spec.name: getattr(record, spec.name) for spec in fields(record)}
    if isinstance(record, (PostRow, MediaRow)):
        values["url_key"] = url_key(record.url)
    return values


def blog_of(row: RowMapping) -> BlogRow:
    return BlogRow(**{**dict(row), "feeds": row["feeds"] or {}, "record": row["record"] or {}})


def post_of(row: RowMapping) -> PostRow:
    return PostRow(**{k: v for k, v in row.items() if k != "url_key"})


def media_of(row: RowMapping) -> MediaRow:
    return MediaRow(**{k: v for k, v in row.items() if k != "url_key"})


def crawl_of(row: RowMapping) -> CrawlRow:
    return CrawlRow(**{**dict(row), "counts": row["counts"] or {}, "report": row["report"] or {}})
