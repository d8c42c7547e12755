"""The state database: its records and, derived from them, its tables.

Every column is written once, as the field of a record: the annotation gives the column's type and
whether it may be NULL. ``migrations`` brings databases of earlier versions to these tables. The
records are not mapped by SQLAlchemy's ORM: importing it and mapping eleven classes would cost each
command 0.14 s of CPU time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from datetime import UTC, datetime, timedelta
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Dialect,
    Index,
    Integer,
    MetaData,
    RowMapping,
    Table,
    Text,
    or_,
)
from sqlalchemy.types import TypeDecorator, TypeEngine

from blogcrawl.core.errors import DamagedError
from blogcrawl.dates.edtf import PARTS, qualified_precision
from blogcrawl.urls.canonical import canonicalize, entry_key

DAMAGED_ADVICE = (
    "move it aside and run `blogcrawl import ARCHIVE/packages`, which writes it "
    "again from the packages"
)
MAX_KEY = 1000
"""Characters of a URL used as key unchanged (a PostgreSQL btree entry holds 2,704 bytes)."""


def damaged(what: object) -> DamagedError:
    """Return the error for a state database with something that blogcrawl has not written."""
    return DamagedError(f"the state database is damaged: {what}", advice=DAMAGED_ADVICE)


class UtcText(TypeDecorator[datetime]):
    """Aware datetimes as ISO 8601 text of fixed width in UTC: sorts by time."""

    impl = Text
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


class DateText(UtcText):
    """Dates as precise as they are known: as ``UtcText``, then the author's offset or what is
    known (``day``, ``year~``: approximately the year).

    ``2012-10-04T03:18:00.000000Z -04:00``, ``2012-10-03T00:00:00.000000Z day``: sorts by time.
    """

    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        text = super().process_bind_param(value, dialect)
        if value is None or text is None:
            return None
        unit = qualified_precision(value)
        if unit != "time":
            return f"{text} {unit}"
        return f"{text} {value.isoformat(timespec='seconds')[19:]}" if value.utcoffset() else text

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:
        text, _, zone = (value or "").partition(" ")
        moment = super().process_result_value(text or None, dialect)
        if moment is None or not zone:
            return moment
        try:
            if zone in PARTS:
                return moment.replace(tzinfo=PARTS[zone])
            return moment.astimezone(datetime.strptime(zone, "%z").tzinfo)
        except (ValueError, OverflowError):
            raise damaged(f"{value!r:.60} is no date") from None


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


class JsonTuple(JsonText):
    """A JSON array in a text column."""

    cache_ok = True

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        read = super().process_result_value(value, dialect)
        return None if read is None else tuple(read)


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


class Flag(TypeDecorator[bool]):
    """A truth value as 0 or 1."""

    impl = Integer
    cache_ok = True

    def process_bind_param(self, value: bool | None, dialect: Dialect) -> int | None:
        return None if value is None else int(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> bool | None:
        if value not in (None, 0, 1):
            raise damaged(f"{value!r:.40} is neither 0 nor 1")
        return None if value is None else bool(value)


def url_key(url: str) -> str:
    """Return ``url`` as a database key: itself, or its head and digest if it is very long."""
    if len(url.encode("utf-8", "replace")) <= MAX_KEY:
        return url
    return url[: MAX_KEY // 8] + "#" + hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()


METADATA = MetaData()
BigInt = Annotated[int, BigInteger]
Date = Annotated[datetime, DateText]
_TYPES: Mapping[type, type[TypeEngine[Any]]] = {
    str: CleanText,
    int: Integer,
    bool: Flag,
    datetime: UtcText,
    Mapping: JsonText,
    Sequence: JsonText,
    tuple: JsonTuple,
}
Record = TypeVar("Record")
_TABLES: dict[type, Table] = {}
_FIELDS: dict[type, Mapping[str, bool]] = {}
"""The fields of each record; True: one without a default."""


def _table(record: type, name: str, key: Sequence[str], **indexes: Sequence[str]) -> Table:
    """Derive the table of a record.

    ``key``: the primary key, of fields and ``url_key`` (which is made of the field ``url``).
    ``indexes``: columns by name of the index.
    """
    hints = get_type_hints(record, include_extras=True)
    by_name = {
        "url_key": Column("url_key", CleanText, primary_key=True),
        **{
            spec.name: _column(spec, hints[spec.name], is_key=spec.name in key)
            for spec in fields(record)
        },
    }
    others = [name for name in hints if name not in key]
    made = Table(
        name,
        METADATA,
        *(by_name[column] for column in (*key, *others)),
        *(Index(index, *columns) for index, columns in indexes.items()),
    )
    _TABLES[record] = made
    _FIELDS[record] = {
        spec.name: spec.default is MISSING and spec.default_factory is MISSING
        for spec in fields(record)
    }
    return made


def _column(spec: Field[Any], hint: Any, *, is_key: bool) -> Column[Any]:
    kinds = set(get_args(hint)) if get_origin(hint) in (Union, UnionType) else {hint}
    [kind] = kinds - {NoneType}
    if get_origin(kind) is Annotated:
        column_type = kind.__metadata__[0]
    else:
        column_type = _TYPES[get_origin(kind) or kind]
    is_literal = isinstance(spec.default, (str, int))
    return Column(
        spec.name,
        column_type,
        primary_key=is_key,
        nullable=NoneType in kinds or spec.default_factory is not MISSING,
        server_default=str(spec.default) if is_literal else None,
    )


def table_of(record: type) -> Table:
    return _TABLES[record]


def values_of(record: Any) -> dict[str, Any]:
    """Return column values of a record."""
    kind = type(record)
    values = {name: getattr(record, name) for name in _FIELDS[kind]}
    if "url_key" in _TABLES[kind].c and "url_key" not in values:
        values["url_key"] = url_key(record.url)
    return values


def record_of(kind: type[Record], row: RowMapping) -> Record:
    """Make the record of a row of its table; NULL is the field's default."""
    return kind(
        **{
            name: value
            for name, required in _FIELDS[kind].items()
            if (value := row[name]) is not None or required
        }
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BlogRow:
    """A blog as the state knows it. ``model``: the learned BlogModel as JSON-able dict, and what
    the stages of a crawl keep."""

    id: str
    url: str
    title: str | None = None
    feeds: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """feed URL -> {etag, last_modified, status, seen…}"""
    model: Mapping[str, Any] | None = None
    record: Mapping[str, Any] = field(default_factory=dict)
    """The Blog record as JSON."""
    aip_id: str | None = None
    aip_version: int = 0
    last_crawl: datetime | None = None
    health: str = "new"
    failures: int = 0
    reason: str | None = None

    @property
    def name(self) -> str:
        """What it is called: its title, else its address."""
        return self.title or self.url

    @property
    def learned(self) -> Mapping[str, Any] | None:
        """The learned BlogModel; None where nothing was learned."""
        return (self.model or {}).get("model") or None

    @property
    def stages(self) -> Mapping[str, Any]:
        """What each stage of a crawl keeps for the next one."""
        return (self.model or {}).get("stages") or {}


@dataclass(frozen=True, slots=True, kw_only=True)
class AliasRow:
    """A further URL under which a blog is found."""

    url_key: str
    blog_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseRow:
    """Who may write a blog: the owner that was given the newest ``token``."""

    blog_id: str
    token: BigInt
    owner: str
    expires: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PostRow:
    blog_id: str
    url: str
    """Canonical."""
    title: str | None = None
    published: Date | None = None
    modified: Date | None = None
    content_digest: str | None = None
    comment_count: int = 0
    comments_shown: int | None = None
    aip_id: str | None = None
    aip_version: int = 0
    status: str = "published"
    etag: str | None = None
    last_modified: str | None = None
    first_seen: datetime | None = None
    last_seen: datetime | None = None
    """Never before the newest version of the package was made."""
    next_comment_check: datetime | None = None
    comments_feed_url: str | None = None
    comments_incomplete: str | None = None
    """Why comments are lacking that the next update asks for again; None: none known."""
    comments_tries: int = 0
    """Visits in a row that could not have them all."""
    language: str | None = None
    letters: int | None = None
    """Of the post's text; None: not counted yet."""
    links: tuple[str, ...] | None = None
    """Hosts that the post links to; None: not looked for yet."""
    authors: tuple[str, ...] | None = None
    """None: not kept yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlRow:
    id: str
    blog_id: str
    spider: str
    node: str = ""
    started: datetime | None = None
    ended: datetime | None = None
    outcome: str = "running"
    counts: Mapping[str, Any] = field(default_factory=dict)
    report: Mapping[str, Any] = field(default_factory=dict)
    """Missing posts with reasons, completeness with evidence."""

    @property
    def is_whole(self) -> bool:
        """Was this a first crawl that no limit cut short?"""
        if self.spider != "newcrawl" or self.outcome != "finished":
            return False
        return (self.report.get("stop") or {}).get("reason") != "budget"


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaRow:
    """Where a blog's media file lies, so that it travels once; without ``path`` it could not be
    archived, and ``aip_id`` is the package of the post that shows it."""

    blog_id: str
    url: str
    sha256: str | None
    mime: str | None
    size: BigInt | None
    aip_id: str | None
    path: str | None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitRow:
    """A blog's turn. ``kind``: new (never crawled), poll (its feed), update (has news).

    ``facts``: what the last job saw, until the controller has read it: outcome, published (ISO
    times of new entries), window, hints, feed. ``feed``: the feed's url, validators and digests for
    the next poll. ``host``: the service that the turn asks; it has a budget. ``state``: waiting,
    claimed, visited, paused (by an operator), listed (failing: a person should look), gone.
    ``archived``, ``missing``: posts as the last crawl left them; ``missing_due``: when a crawl asks
    for the missing ones again.
    """

    blog_id: str
    url: str
    host: str
    kind: str = "new"
    state: str = "waiting"
    next_visit: datetime | None = None
    habit: Mapping[str, Any] | None = None
    facts: Mapping[str, Any] | None = None
    feed: Mapping[str, Any] | None = None
    failures: int = 0
    reason: str | None = None
    job_id: str | None = None
    archived: int = 0
    missing: int = 0
    missing_due: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """One Scrapyd job with blogs. ``state``: ready, sending, sent, done, lost, failed."""

    id: str
    kind: str
    host: str
    blogs: Sequence[str]
    node: str | None = None
    state: str = "ready"
    attempt: int = 1
    created: datetime | None = None
    sent: datetime | None = None
    lease_until: datetime | None = None
    ended: datetime | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRow:
    """A Scrapyd server. ``state``: active, draining, removed. ``trouble``: cluster.scrapyd."""

    url: str
    capacity: int = 2
    state: str = "active"
    trouble: str | None = None
    message: str | None = None
    failures: int = 0
    retry_at: datetime | None = None
    version: str | None = None
    running: int = 0
    pending: int = 0
    jobs_sent: BigInt = 0
    last_seen: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """A subscription; ``token``: of its callback; ``state``: asked, active, denied."""

    blog_id: str
    token: str
    topic: str
    hub: str
    secret: str
    state: str = "asked"
    due: datetime | None = None
    expires: datetime | None = None
    pushed: datetime | None = None
    """A push that came while the blog was in a job: its next turn is due at once."""
    failures: int = 0
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionRow:
    """The operator's word on a blog. ``kind``: post or no-post (``name`` is a glob of addresses),
    field (``name`` is the field's, ``value`` its XPath), language (``value`` is its tag).
    """

    blog_id: str
    kind: str
    name: str
    value: str = ""
    made: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """One tombstone. ``kind``: post or blog. ``addresses``: all that led to the post. ``purged``:
    its content is erased from earlier versions and from the evidence too, not only taken down."""

    blog_id: str
    url: str
    kind: str
    aip_id: str | None
    addresses: tuple[str, ...] = field(default_factory=tuple)
    removed_at: datetime
    removed_by: str
    reason: str
    purged: bool

    @property
    def sentence(self) -> str:
        """For people."""
        done = "purged" if self.purged else "removed"
        return (
            f"{done} from this archive on {self.removed_at:%Y-%m-%d} by {self.removed_by}: "
            f"{self.reason}"
        )

    @property
    def keys(self) -> frozenset[str]:
        """Under which it is recognised: its addresses in their canonical forms."""
        return frozenset(
            form(url) for url in (self.url, *self.addresses) for form in (canonicalize, entry_key)
        )


blogs = _table(BlogRow, "blogs", ["id"], blogs_by_url=["url"])
posts = _table(
    PostRow,
    "posts",
    ["blog_id", "url_key"],
    posts_by_date=["blog_id", "published", "url_key"],
    posts_by_aip=["aip_id"],
    posts_by_first_seen=["first_seen"],
    posts_by_comments=["blog_id", "comment_count"],
)
media = _table(MediaRow, "media", ["blog_id", "url_key"], media_by_digest=["blog_id", "sha256"])
crawls = _table(
    CrawlRow, "crawls", ["id"], crawls_by_blog=["blog_id", "started"], crawls_by_end=["ended"]
)
visits = _table(
    VisitRow, "visits", ["blog_id"], visits_due=["state", "next_visit"], visits_by_job=["job_id"]
)
jobs = _table(JobRow, "jobs", ["id"], jobs_by_state=["state"])
nodes = _table(NodeRow, "nodes", ["url"])
subscriptions = _table(Subscription, "subscriptions", ["blog_id"], subscriptions_due=["due"])
Index("subscriptions_by_token", subscriptions.c.token, unique=True)
removed = _table(Removal, "removed", ["url_key", "blog_id"], removed_by_blog=["blog_id", "url_key"])
corrections = _table(CorrectionRow, "corrections", ["blog_id", "kind", "name"])
aliases = _table(AliasRow, "aliases", ["url_key"])
leases = _table(LeaseRow, "leases", ["blog_id"])


FAR = timedelta(days=800)
"""Longest wait for a visit or a look for comments; a later date is of a wrong clock."""


def is_due(column: Column[datetime | None], now: datetime) -> ColumnElement[bool]:
    """Test whether a date is reached, or so far off that a wrong clock has written it."""
    return or_(column <= now, column > now + FAR)


def type_faults(table: Table, row: RowMapping) -> list[str]:
    """Return values of another type than their column's (SQLite takes any), and empty keys."""
    faults = []
    for column in table.columns:
        value = row[column.name]
        kind: type = int if isinstance(column.type, Integer) else str
        if value is None and column.primary_key:
            faults.append(f"{column.name} is empty")
        elif (
            value is not None
            and not isinstance(column.type, (UtcText, JsonText, Flag))
            and not isinstance(value, kind)
        ):
            faults.append(f"{column.name} is {value!r:.40}")
    return faults
