"""The state: what is known between crawls. SQLite (write-ahead log), or PostgreSQL by URL.

On SQLite ``synchronous`` is NORMAL: a killed process loses nothing; after a power cut the last few
rows may be missing, the packages they name are complete, and the next run writes the rows again.
No process may open and close the file otherwise: the locks of SQLite end with the first such close
(POSIX advisory locks), and another process may then take the log away under this one.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import (
    URL,
    ColumnElement,
    Connection,
    Engine,
    Select,
    Table,
    create_engine,
    delete,
    event,
    func,
    literal,
    select,
    update,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    InterfaceError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from blogcrawl.core.config import Config
from blogcrawl.core.credentials import redact
from blogcrawl.core.errors import (
    ArchiveError,
    BlogcrawlError,
    DiskFullError,
    LeaseLostError,
    ReadOnlyError,
    StorageError,
    UnavailableError,
)
from blogcrawl.storage.frozen import immutable_engine, is_writable, readable_copy
from blogcrawl.storage.migrations import current_revision, migrate
from blogcrawl.storage.tables import (
    DAMAGED_ADVICE,
    METADATA,
    AliasRow,
    BlogRow,
    CorrectionRow,
    CrawlRow,
    LeaseRow,
    MediaRow,
    PostRow,
    Record,
    UtcText,
    aliases,
    blogs,
    corrections,
    crawls,
    is_due,
    leases,
    media,
    posts,
    record_of,
    table_of,
    type_faults,
    url_key,
    values_of,
)

STREAM_ROWS = 500
BUSY_SECONDS = 30
CONNECTION = {
    "connect_timeout": 5,
    "tcp_user_timeout": 20_000,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 2,
}
"""For libpq, if not in the URL: notice a lost network within 20 seconds, not two hours."""


def open_state(config: Config, *, reading: bool = False) -> SqlState:
    """Open the state of an archive, made or brought up to date where needed.

    ``reading``: the caller writes nothing, so a database that can't be written is read as it is
    (``frozen``). Raises ArchiveError (not writable, newer version, no such database),
    DiskFullError.
    """
    url = config.state_url
    if not url:
        path = config.archive_path / "state.db"
        if reading and path.is_file() and not is_writable(path):
            return SqlState(_file_url(path), frozen=path)
        try:
            config.archive_path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ArchiveError(
                f"the archive folder {config.archive_path} can't be made: {error.strerror}"
            ) from error
        return SqlState(_file_url(path))
    return SqlState(url)


def _file_url(path: Path) -> URL:
    """Return the URL of a database file, whatever characters its folders have."""
    return URL.create("sqlite", database=str(path.absolute()))


def runs(expires: datetime | None, now: datetime, seconds: float) -> bool:
    """Report whether a lease that ``expires`` then still runs.

    One that runs a day longer than the ``seconds`` that are given was given by a wrong clock: it
    must not shut a blog out for centuries.
    """
    return expires is not None and now < expires <= now + timedelta(days=1, seconds=seconds)


class PostSpan(NamedTuple):
    """How many posts, first and last day of publication, and when the first was archived."""

    posts: int
    first: datetime | None
    last: datetime | None
    first_seen: datetime | None


@dataclass(frozen=True, slots=True)
class Ended:
    """A crawl that ended."""

    crawl: CrawlRow
    url: str
    """The blog's address; empty if nothing of it was archived."""


class SqlState:
    """What is known between crawls, and leases with fencing tokens for a cluster."""

    def __init__(self, url: str | URL, *, frozen: Path | None = None) -> None:
        """Open the database at ``url``; ``frozen``: its file, if it can't be written."""
        self._holder = ExitStack()
        copy = readable_copy(frozen, self._holder) if frozen else None
        if frozen and copy is None:
            self._sqlite = self.is_file = True
            self.engine: Engine = immutable_engine(frozen)
            event.listen(self.engine, "begin", _begin_sqlite)
            with self.read(opening=True) as connection:
                current_revision(connection)
            return
        self._open(_file_url(copy) if copy else url)

    def _open(self, url: str | URL) -> None:
        try:
            parsed = make_url(url)
            if parsed.drivername == "postgresql":
                parsed = parsed.set(drivername="postgresql+psycopg")
            server = parsed.get_backend_name() == "postgresql"
            patience = {
                name: value
                for name, value in CONNECTION.items()
                if server and name not in parsed.query
            }
            self.engine = create_engine(parsed, pool_pre_ping=server, connect_args=patience)
        except (ArgumentError, ImportError) as error:
            raise ArchiveError(f"the state URL can't be used: {redact(str(error))}") from None
        except ValueError:  # whose own words quote the address
            raise ArchiveError("the state URL can't be used: its port is no number") from None
        self._sqlite = self.is_file = self.engine.dialect.name == "sqlite"
        if self._sqlite:
            event.listen(self.engine, "connect", _prepare_sqlite)
            event.listen(self.engine, "begin", _begin_sqlite)
            if parsed.database and Path(parsed.database).is_dir():
                raise ArchiveError(f"{parsed.database} is a folder, not a state database")
        with self.write(opening=True) as connection:
            migrate(connection)

    @contextmanager
    def write(self, *, opening: bool = False) -> Iterator[Connection]:
        """Begin a transaction that writes; the database's errors are raised as ours."""
        with self.read(opening=opening, blogcrawl_write=True) as connection, connection.begin():
            yield connection

    @contextmanager
    def read(self, *, opening: bool = False, **options: Any) -> Iterator[Connection]:
        """Connect for reading; raise the database's errors as StorageError. ``options``: of the
        execution.
        """
        with (
            database_errors(opening),
            self.engine.connect().execution_options(**options) as connection,
        ):
            yield connection

    def insert(self, table: Table) -> Any:
        """Return the dialect's INSERT, which has ON CONFLICT."""
        if self._sqlite:
            return sqlite.insert(table)
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(table)

    def save(self, *records: Any) -> None:
        """Insert or replace records, in one transaction."""
        with self.write() as connection:
            for record in records:
                self.save_in(connection, record)

    def save_in(self, connection: Connection, record: Any) -> None:
        """Insert or replace a record, in the caller's transaction."""
        table, values = table_of(type(record)), values_of(record)
        keys = [c.name for c in table.primary_key]
        changed = {k: v for k, v in values.items() if k not in keys}
        statement = self.insert(table).values(values)
        connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=changed))

    def rows(self, kind: type[Record], statement: Select[Any]) -> list[Record]:
        """Return the records of a query."""
        with self.read() as connection:
            return [record_of(kind, row) for row in connection.execute(statement).mappings()]

    def row(self, kind: type[Record], *where: ColumnElement[bool]) -> Record | None:
        """Return the first record for which all of ``where`` is true."""
        return next(iter(self.rows(kind, select(table_of(kind)).where(*where).limit(1))), None)

    def stream(self, kind: type[Record], statement: Select[Any]) -> Iterator[Record]:
        """Yield the records of a query, some at a time."""
        for row in self._stream(statement):
            yield record_of(kind, row)

    def value(self, statement: Select[Any]) -> Any:
        """Return the first column of a query's first row; None if there is no row."""
        with self.read() as connection:
            return connection.execute(statement).scalar()

    # blogs

    def get_blog(self, url_or_id: str) -> BlogRow | None:
        """By id, by its URL, or by any URL it was once started from."""
        by_alias = select(aliases.c.blog_id).where(aliases.c.url_key == url_key(url_or_id))
        for where in (
            blogs.c.id == url_or_id,
            blogs.c.url == url_or_id,
            blogs.c.id == by_alias.scalar_subquery(),
        ):
            if found := self.row(BlogRow, where):
                return found
        return None

    def save_blog(self, blog: BlogRow, *, aliases: Iterable[str] = (), fence: int = 0) -> None:
        """Insert or replace; ``aliases``: further URLs of the blog. Raises LeaseLostError."""
        with self.write() as connection:
            self.check_fence_in(connection, blog.id, fence)
            self.save_in(connection, blog)
            for url in aliases:
                self.save_in(connection, AliasRow(url_key=url_key(url), blog_id=blog.id))

    def blogs(self) -> Iterator[BlogRow]:
        return self.stream(BlogRow, select(blogs).order_by(blogs.c.url))

    # posts and media

    def get_post(self, blog_id: str, url: str) -> PostRow | None:
        return self.row(PostRow, posts.c.blog_id == blog_id, posts.c.url_key == url_key(url))

    def post_of_package(self, aip_id: str) -> PostRow | None:
        """Return the post whose package this is, in whatever blog."""
        return self.row(PostRow, posts.c.aip_id == aip_id)

    def packages_of_posts(self, blog_id: str | None = None) -> Iterator[tuple[str, int]]:
        """Yield package and version of each post that has one, unordered."""
        statement = select(posts.c.aip_id, posts.c.aip_version)
        statement = statement.where(posts.c.aip_id.is_not(None), posts.c.aip_version > 0)
        if blog_id is not None:
            statement = statement.where(posts.c.blog_id == blog_id)
        for row in self._stream(statement):
            yield row["aip_id"], row["aip_version"]

    def posts(self, blog_id: str | None = None) -> Iterator[PostRow]:
        """Streamed, ordered by blog, then published, then url."""
        statement = select(posts).order_by(posts.c.blog_id, posts.c.published, posts.c.url_key)
        if blog_id is not None:
            statement = statement.where(posts.c.blog_id == blog_id)
        return self.stream(PostRow, statement)

    def posts_by_key(self, blog_id: str, after: str = "") -> Iterator[PostRow]:
        """Yield a blog's posts in the order of their keys, after that of ``after``: for paging."""
        where = (posts.c.blog_id == blog_id, posts.c.url_key > url_key(after))
        return self.stream(PostRow, select(posts).where(*where).order_by(posts.c.url_key))

    def post_span(self, blog_id: str | None = None) -> PostSpan:
        """Let the database count: nothing of the posts is loaded."""
        counted = (
            func.count(),
            func.min(posts.c.published),
            func.max(posts.c.published),
            func.min(posts.c.first_seen),
        )
        statement = select(*counted).select_from(posts)
        if blog_id is not None:
            statement = statement.where(posts.c.blog_id == blog_id)
        with self.read() as connection:
            return PostSpan(*connection.execute(statement).one())

    def save_post(self, post: PostRow, media: Iterable[MediaRow] = (), *, fence: int = 0) -> None:
        """Save a post and its media in one transaction. Raises LeaseLostError if ``fence`` is older
        than the blog's lease.
        """
        with self.write() as connection:
            self.check_fence_in(connection, post.blog_id, fence)
            for record in (post, *media):
                self.save_in(connection, record)

    def posts_since(self, blog_id: str, moment: datetime) -> list[PostRow]:
        """Return posts published at ``moment`` or later."""
        return self._some_posts(blog_id, posts.c.published >= literal(moment, UtcText()))

    def posts_to_check(self, blog_id: str, now: datetime) -> list[PostRow]:
        """Return posts whose late comments are due for a look."""
        due = is_due(posts.c.next_comment_check, now)
        return self._some_posts(blog_id, due, posts.c.status != "gone")

    def posts_not_seen(self, blog_id: str, since: datetime, limit: int) -> list[PostRow]:
        """Return the posts whose pages no visit has seen since a moment, longest ago first."""
        statement = select(posts).where(
            posts.c.blog_id == blog_id, posts.c.status != "gone", posts.c.last_seen < since
        )
        return self.rows(PostRow, statement.order_by(posts.c.last_seen).limit(limit))

    def posts_lacking_comments(self, blog_id: str) -> list[PostRow]:
        """Return posts of which a visit could not have all comments."""
        lacking = posts.c.comments_incomplete.is_not(None)
        return self._some_posts(blog_id, lacking, posts.c.status != "gone")

    def _some_posts(self, blog_id: str, *where: ColumnElement[bool]) -> list[PostRow]:
        statement = select(posts).where(posts.c.blog_id == blog_id, *where)
        return self.rows(PostRow, statement.order_by(posts.c.published))

    def get_media(self, blog_id: str, url: str) -> MediaRow | None:
        return self.row(MediaRow, media.c.blog_id == blog_id, media.c.url_key == url_key(url))

    def media_by_digest(self, blog_id: str, sha256: str) -> MediaRow | None:
        """Return a file of the blog with these bytes, under whatever URL."""
        return self.row(MediaRow, media.c.blog_id == blog_id, media.c.sha256 == sha256)

    def lost_media(self, blog_id: str) -> Iterator[MediaRow]:
        """Yield the files of the blog's posts that could not be archived, by URL."""
        where = (media.c.blog_id == blog_id, media.c.sha256.is_(None))
        return self.stream(MediaRow, select(media).where(*where).order_by(media.c.url_key))

    # corrections

    def corrections(self, blog_id: str) -> list[CorrectionRow]:
        """Oldest first."""
        statement = select(corrections).where(corrections.c.blog_id == blog_id)
        return self.rows(CorrectionRow, statement.order_by(corrections.c.made))

    def correct(self, correction: CorrectionRow) -> None:
        """Keep a correction, in the place of one of the same kind and name."""
        self.save(correction)

    def withdraw(self, blog_id: str, name: str) -> int:
        """Remove the corrections of that name; return their number."""
        where = corrections.c.blog_id == blog_id, corrections.c.name == name
        with self.write() as connection:
            return connection.execute(delete(corrections).where(*where)).rowcount

    # crawls

    def start_crawl(self, crawl: CrawlRow) -> None:
        self.save(crawl)

    def end_crawl(self, crawl: CrawlRow) -> None:
        self.save(replace(crawl, ended=crawl.ended or datetime.now(UTC)))

    def note_counts(self, crawl_id: str, counts: Mapping[str, Any]) -> None:
        """Note how far a crawl is that runs."""
        mine = crawls.c.id == crawl_id, crawls.c.ended.is_(None)
        with self.write() as connection:
            connection.execute(update(crawls).where(*mine).values(counts=dict(counts)))

    def running_crawls(self, limit: int = 1000) -> list[CrawlRow]:
        """Return crawls without an end, the newest first: those that run, and those whose process
        died."""
        statement = select(crawls).where(crawls.c.ended.is_(None))
        return self.rows(CrawlRow, statement.order_by(crawls.c.started.desc()).limit(limit))

    def crawls(self, blog_id: str) -> list[CrawlRow]:
        """Oldest first."""
        statement = select(crawls).where(crawls.c.blog_id == blog_id)
        return self.rows(CrawlRow, statement.order_by(crawls.c.started, crawls.c.id))

    def ended_crawls(self, since: datetime | None = None) -> Iterator[Ended]:
        """Streamed, oldest end first; ``since``: only those that ended then or later."""
        source = crawls.outerjoin(blogs, crawls.c.blog_id == blogs.c.id)
        statement = select(crawls, blogs.c.url.label("blog_url")).select_from(source)
        statement = statement.where(crawls.c.ended.is_not(None)).order_by(crawls.c.ended)
        if since is not None:
            statement = statement.where(crawls.c.ended >= since)
        for row in self._stream(statement):
            yield Ended(record_of(CrawlRow, row), row["blog_url"] or "")

    # leases: one job at a time writes a blog; a token that only grows identifies late writers

    def acquire_lease(self, blog_id: str, owner: str, seconds: float, now: datetime) -> int | None:
        """Return the new fencing token, or None while another owner's lease runs.

        An owner may take its own again.
        """
        with self.write() as connection:
            row = self._locked_lease(connection, blog_id)
            if row and row["owner"] != owner and runs(row["expires"], now, seconds):
                return None
            token = int(row["token"]) + 1 if row else 1
            expires = now + timedelta(seconds=seconds)
            lease = LeaseRow(blog_id=blog_id, token=token, owner=owner, expires=expires)
            self.save_in(connection, lease)
            return token

    def renew_lease(self, blog_id: str, token: int, seconds: float, now: datetime) -> None:
        """Renew a lease. Raises LeaseLostError if a newer token was given out."""
        with self.write() as connection:
            self.check_fence_in(connection, blog_id, token)
            expires = now + timedelta(seconds=seconds)
            connection.execute(
                update(leases).where(leases.c.blog_id == blog_id).values(expires=expires)
            )

    def release_lease(self, blog_id: str, owner: str) -> None:
        """Let others in at once; the token stays behind, so that it keeps growing."""
        with self.write() as connection:
            connection.execute(
                update(leases)
                .where(leases.c.blog_id == blog_id, leases.c.owner == owner)
                .values(expires=None)
            )

    def check_fence(self, blog_id: str, fence: int) -> None:
        """Raise LeaseLostError where ``fence`` (unless 0) is not the blog's newest token."""
        if fence:
            with self.write() as connection:
                self.check_fence_in(connection, blog_id, fence)

    def _locked_lease(self, connection: Connection, blog_id: str) -> Any:
        statement = select(leases).where(leases.c.blog_id == blog_id).with_for_update()
        return connection.execute(statement).mappings().first()

    def check_fence_in(self, connection: Connection, blog_id: str, fence: int) -> None:
        if not fence:
            return
        row = self._locked_lease(connection, blog_id)
        if row is None or row["token"] != fence:
            newer = row["owner"] if row else "none"
            raise LeaseLostError(
                f"the lease on this blog went to {newer}; this job must not write", blog=blog_id
            )

    # checking

    def check(self) -> Iterator[str]:
        """Yield faults of the database: its structure (SQLite's check), values of a wrong type."""
        if self._sqlite:
            with self.read() as connection:
                found = connection.exec_driver_sql("PRAGMA integrity_check(20)").scalars().all()
            yield from (" ".join(str(line).split()) for line in found if line != "ok")
        for table in METADATA.sorted_tables:
            count = 0
            try:
                for row in self._stream(select(table)):
                    count += 1
                    yield from (
                        f"{table.name} row {count}: {fault}" for fault in type_faults(table, row)
                    )
            except StorageError as error:
                yield f"{table.name}, after row {count}: {error.message}"

    def has_package(self, object_id: str) -> bool:
        """Report whether any row names this package."""
        return any(
            self.value(select(table.c.aip_id).where(table.c.aip_id == object_id).limit(1))
            for table in (posts, blogs)
        )

    def has_open_crawl(self) -> bool:
        """Return whether a crawl is running or was killed."""
        return self.value(select(crawls.c.id).where(crawls.c.ended.is_(None)).limit(1)) is not None

    def probe(self) -> None:
        """Raise UnavailableError, DiskFullError or ReadOnlyError where nothing can be written."""
        with self.write() as connection:
            connection.execute(select(1))

    # plumbing

    def _stream(self, statement: Any) -> Iterator[Any]:
        with self.read(yield_per=STREAM_ROWS) as connection:
            yield from connection.execute(statement).mappings()

    def compact(self) -> None:
        """Rewrite an SQLite file, so that deleted rows are gone; PostgreSQL does so in time."""
        if self._sqlite:
            with (
                database_errors(),
                closing(
                    sqlite3.connect(
                        str(self.engine.url.database), timeout=BUSY_SECONDS, isolation_level=None
                    )
                ) as connection,
            ):
                connection.execute("VACUUM")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        self.engine.dispose()
        self._holder.close()


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = (
        None  # SQLAlchemy's "begin" event says BEGIN; the driver must not say its own
    )
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
    _turn_to_wal(cursor)
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.close()


def _turn_to_wal(cursor: Any) -> None:
    """Turn to the write-ahead log: SQLite does not wait where two processes do it at once."""
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.02)


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("blogcrawl_write")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def database_errors(opening: bool = False) -> Iterator[None]:
    """Raise the database's errors as blogcrawl's own."""
    try:
        yield
    except BlogcrawlError:
        raise
    except DBAPIError as error:
        raise _state_error(error, opening=opening) from error
    except PoolTimeoutError as error:
        raise UnavailableError(f"the state database does not answer: {error}") from error
    except SQLAlchemyError as error:
        raise StorageError(f"the state database refuses: {error}") from error


_AWAY = ("08", "53", "57P", "58", "25006", "40001", "40P01")
"""SQLSTATE of what may pass: connection, resources (disk and connections among them), shut-down and
recovery, system errors, a standby that is no primary yet, and transactions that got in each other's
way (PostgreSQL, appendix A)."""
_AWAY_SQLITE = ("database is locked", "disk I/O error", "unable to open database file")
_REFUSED = (
    "authentication failed",
    "does not exist",
    "no pg_hba.conf entry",
    "no password supplied",
    "not permitted",
)
"""What PostgreSQL says, without a SQLSTATE, where a connection is refused for good."""


def _state_error(error: DBAPIError, *, opening: bool) -> BlogcrawlError:
    """Return the error of ours that a driver's error means."""
    text = " ".join(str(error.orig).split())
    if "disk is full" in text or "No space left" in text:
        return DiskFullError(
            "no space left for the state database",
            advice="free space and run again: nothing is lost",
        )
    if "not a database" in text or "malformed" in text:
        return ArchiveError(f"the state database is damaged: {text}", advice=DAMAGED_ADVICE)
    if "readonly" in text:
        return ReadOnlyError(
            f"the state database can't be written: {text}",
            advice="make it writable and run the same command again",
        )
    if _is_away(error, text):
        return UnavailableError(
            f"the state database is away: {text}",
            advice="see whether it runs; the same command goes on then",
        )
    if opening:
        return ArchiveError(f"the state database can't be used: {text}")
    return StorageError(f"the state database refuses: {text}")


def _is_away(error: DBAPIError, text: str) -> bool:
    """Will the same operation be possible once the database is back?"""
    if isinstance(error.orig, sqlite3.Error):
        return any(words in text for words in _AWAY_SQLITE)
    code = getattr(error.orig, "sqlstate", None)
    if code:
        return str(code).startswith(_AWAY)
    lost = error.connection_invalidated or isinstance(error, OperationalError | InterfaceError)
    return lost and not any(words in text for words in _REFUSED)
