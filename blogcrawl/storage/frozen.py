"""SQLite files that can't be written: on media mounted read-only, or of another user.

Nothing is written next to the database. On a read-only medium it is opened immutable
(sqlite.org/uri.html), without locks and log files. Otherwise somebody else may be writing it, and a
log that was not yet merged (``-wal``) holds its newest rows: then a copy is read.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Engine, QueuePool, create_engine

from blogcrawl.core.errors import ArchiveError
from blogcrawl.storage.migrations import HEAD
from blogcrawl.storage.temporary import scratch_folder


def is_writable(path: Path) -> bool:
    """Report whether a database file and the folder of its log files can be written."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK)


def readable_copy(path: Path, holder: contextlib.ExitStack) -> Path | None:
    """Copy the database at ``path`` where it can't be read as it lies; ``holder`` removes the copy.

    None if it can: no process writes it, it has no log that was not merged, and its tables are
    those of this version. Raises ArchiveError.
    """
    try:
        if _is_still(path) and not _is_older(path):
            return None
        folder = holder.enter_context(scratch_folder("state"))
        for name in (path.name, f"{path.name}-wal"):
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(path.with_name(name), folder / name)
    except OSError as error:
        raise ArchiveError(f"{path} can't be read: {error.strerror or error}") from error
    return folder / path.name


def missing_end(path: Path) -> Iterator[str]:
    """Yield a fault where bytes are missing at the end of an SQLite file, which reads zeros there.

    A page that is whole in the log (``-wal``) is read from there.
    """
    log = path.with_name(f"{path.name}-wal")
    logged = log.read_bytes() if log.exists() else b""
    with path.open("rb") as file:
        head, size = file.read(100), path.stat().st_size
    page = int.from_bytes(head[16:18], "big")
    page = 65536 if page == 1 else page
    if len(head) < 100 or page < 512:
        return  # not a database: opening it raises the error
    pages = int.from_bytes(head[28:32], "big")
    # the header may be older than the log: no whole page is expected, but the last is not cut
    if logged:
        cut = size % page != 0 and size // page + 1 not in _logged_pages(logged, page)
    else:
        cut = size < pages * page
    if cut:
        yield (
            f"the end of the file is missing: it has {size} bytes, in pages of {page}, of "
            f"which it counts {pages}"
        )


def _logged_pages(log: bytes, page: int) -> set[int]:
    """Return numbers of the pages in a log (sqlite.org/fileformat2.html#wal_file_format)."""
    return {int.from_bytes(log[at : at + 4], "big") for at in range(32, len(log), 24 + page)}


def immutable_engine(path: Path) -> Engine:
    """Open a database that no process writes while it is open."""
    return create_engine(
        "sqlite://", creator=lambda: immutable_connection(path), poolclass=QueuePool
    )


def immutable_connection(path: Path) -> sqlite3.Connection:
    """Connect to a database that no process writes while it is open."""
    connection = sqlite3.connect(
        f"file:{quote(os.fsencode(path.absolute()))}?mode=ro&immutable=1",
        uri=True,
        check_same_thread=False,
    )
    connection.isolation_level = None
    return connection


def checking_connection(path: Path, holder: contextlib.ExitStack) -> sqlite3.Connection:
    """Connect to a database to check it: nothing is written, no log is made or left behind.

    ``holder`` closes it. Raises ArchiveError, sqlite3.Error.
    """
    is_still = not path.with_name(f"{path.name}-wal").exists()  # else SQLite would make one
    if not is_still and not is_writable(path):
        copy = readable_copy(path, holder)
        path, is_still = copy or path, copy is None
    how = "mode=ro&immutable=1" if is_still else "mode=ro"
    return holder.enter_context(
        contextlib.closing(sqlite3.connect(f"file:{quote(str(path))}?{how}", uri=True, timeout=30))
    )


def integrity_faults(connection: sqlite3.Connection) -> list[str]:
    """Return what SQLite finds wrong with a database, the first five faults. Raises
    sqlite3.Error.
    """
    rows = connection.execute("PRAGMA integrity_check(5)")
    return [str(row[0]) for row in rows if row[0] != "ok"]


def _is_still(path: Path) -> bool:
    """Report whether no process can be writing the database, and nothing of it waits in its log."""
    with contextlib.suppress(FileNotFoundError):
        if path.with_name(f"{path.name}-wal").stat().st_size:
            return False
    return bool(os.statvfs(path).f_flag & os.ST_RDONLY) or not path.stat().st_mode & 0o222


def _is_older(path: Path) -> bool:
    """Report whether the tables are of an earlier version; opening an unreadable one says more."""
    with contextlib.closing(immutable_connection(path)) as connection:
        for query in (
            "SELECT version_num FROM alembic_version",
            "SELECT printf('%04d', MAX(version)) FROM schema_version",
        ):
            with contextlib.suppress(sqlite3.DatabaseError):
                found = connection.execute(query).fetchone()
                return bool(found and found[0] < HEAD)
    return False
