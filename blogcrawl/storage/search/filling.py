"""Keeping an index equal to the state: which versions of packages it knows, which it lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice

from blogcrawl.core.config import Config
from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.storage.base import PackageStore
from blogcrawl.storage.outage import PASSING
from blogcrawl.storage.search.base import SearchIndex
from blogcrawl.storage.search.documents import Entry, entry_of, read_text, readable_terms
from blogcrawl.storage.search.postgres import PostgresIndex
from blogcrawl.storage.search.sqlite import BUSY_SECONDS, FILE, SqliteIndex
from blogcrawl.storage.state import SqlState

BATCH = 50
"""Posts that are written at once."""
MANY = 1_000
"""New posts after which the index is merged."""


@dataclass(slots=True)
class Filled:
    """What was done. ``unread``: packages that can't be read, and why."""

    indexed: int = 0
    dropped: int = 0
    unread: dict[str, str] = field(default_factory=dict)


def open_index(
    config: Config,
    state: SqlState,
    store: PackageStore,
    *,
    reading: bool = False,
    busy_seconds: float = BUSY_SECONDS,
) -> SearchIndex:
    """Open the archive's index, made if it is new.

    ``reading``: as it is, also where it can't be written. ``busy_seconds``: how long another writer
    is waited for. Raises ArchiveError, StorageError.
    """

    def old_terms(aip_id: str, version: int) -> Set[str] | None:
        return readable_terms(store, aip_id, version)

    if not state.is_file:
        return PostgresIndex(state)
    path = config.archive_path / FILE
    return SqliteIndex(path, old_terms, reading=reading, busy_seconds=busy_seconds)


def fill(
    state: SqlState,
    store: PackageStore,
    index: SearchIndex,
    *,
    blog_id: str | None = None,
    limit: int | None = None,
    report: Callable[[int], object] = lambda count: None,
) -> Filled:
    """Index what is archived in another version or not yet, and drop what is no longer.

    ``blog_id``: only of this blog; ``limit``: so many posts at most. ``report`` is called with the
    number of posts indexed so far. Damaged packages are noted and passed over. Raises StorageError.
    """
    done, known = Filled(), dict(index.versions(blog_id))
    lacking = [
        aip_id
        for aip_id, version in state.packages_of_posts(blog_id)
        if known.pop(aip_id, None) != version
    ]
    if known:
        done.dropped = len(known)
        index.drop(known)
    entries = _entries(state, store, lacking[:limit], done)
    while some := list(islice(entries, BATCH)):
        index.put(some)
        done.indexed += len(some)
        report(done.indexed)
    if done.indexed >= MANY:
        index.settle()
    return done


def _entries(
    state: SqlState, store: PackageStore, aip_ids: list[str], done: Filled
) -> Iterator[Entry]:
    for aip_id in aip_ids:
        row = state.post_of_package(aip_id)
        if row is None:
            continue
        try:
            yield entry_of(row, read_text(store, aip_id, row.aip_version))
        except PASSING:
            raise
        except BlogcrawlError as error:
            done.unread[aip_id] = error.message


def forget(
    config: Config,
    state: SqlState,
    store: PackageStore,
    aip_ids: Iterable[str] = (),
    *,
    erase: bool = False,
) -> None:
    """Drop posts from the index, if there is one, while their packages can still be read.

    ``erase``: nothing of what was dropped stays in the database's files.
    """
    if not state.is_file or (config.archive_path / FILE).exists():
        with closing(open_index(config, state, store)) as index:
            index.drop(aip_ids, erase=erase)


def lag(state: SqlState, index: SearchIndex) -> int:
    """Return how many posts are not in the index as they are archived."""
    known = index.versions()
    return sum(known.get(aip_id) != version for aip_id, version in state.packages_of_posts())


def remove_index(config: Config) -> None:
    """Remove the index, damaged or not, so that a new one is made."""
    for suffix in ("", "-wal", "-shm"):
        (config.archive_path / f"{FILE}{suffix}").unlink(missing_ok=True)
