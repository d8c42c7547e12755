"""The search index is filled as posts are archived; whatever happens to it, the crawl goes on.

Posts wait in memory for some others, as one large write costs a fraction of many small ones. Those
that a killed crawl had not written yet are found by the next one: the index knows another version
of their package than the state, or none.
"""

from __future__ import annotations

import logging
import sqlite3
from typing import TYPE_CHECKING

from blogcrawl.core.config import Config
from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.core.records import Post
from blogcrawl.storage.base import PackageStore
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tables import PostRow

if TYPE_CHECKING:
    from blogcrawl.storage.search.base import SearchIndex
    from blogcrawl.storage.search.documents import Entry

logger = logging.getLogger(__name__)
WAITING = 50
"""Posts that wait in memory."""
MISSED = 500
"""Posts of earlier crawls that one crawl indexes at its end; ``blogcrawl index`` does all."""
BUSY_SECONDS = 2.0
"""How long a crawl waits for another writer of the index, which all its requests wait for too."""
_ERRORS = (BlogcrawlError, OSError, sqlite3.Error, ValueError)


class SearchFilling:
    """What a crawl writes into the search index. No method raises an error of the index."""

    def __init__(self, config: Config, state: SqlState, store: PackageStore) -> None:
        self._config, self._state, self._store = config, state, store
        self._is_on = config.search
        self._waiting: list[Entry] = []
        self._index: SearchIndex | None = None

    def add(self, row: PostRow, post: Post) -> None:
        """Index a post that was archived just now, at once or soon."""
        if not self._is_on:
            return
        from blogcrawl.storage.search.documents import entry_of

        try:
            self._waiting.append(entry_of(row, post))
            if len(self._waiting) >= WAITING:
                self._write()
        except _ERRORS as error:
            self._give_up(error)

    def drop(self, aip_id: str) -> None:
        """Take a post out of the index that was archived in this crawl."""
        self._waiting = [entry for entry in self._waiting if entry.aip_id != aip_id]
        try:
            if self._index is not None:
                self._index.drop([aip_id])
        except _ERRORS as error:
            self._give_up(error)

    def close(self, blog_id: str, *, catch_up: bool) -> None:
        """Write what waits; ``catch_up``: also what earlier crawls of the blog could not."""
        try:
            if self._is_on and self._waiting:
                self._write()
            if self._is_on and catch_up:
                self._catch_up(blog_id)
        except _ERRORS as error:
            self._give_up(error)
        finally:
            if self._index is not None:
                self._index.close()

    def _write(self) -> None:
        self._opened().put(self._waiting)
        self._waiting = []

    def _catch_up(self, blog_id: str) -> None:
        from blogcrawl.storage.search.filling import fill

        done = fill(self._state, self._store, self._opened(), blog_id=blog_id, limit=MISSED)
        if done.indexed:
            logger.info("%d posts of earlier crawls were added to the search index", done.indexed)

    def _opened(self) -> SearchIndex:
        from blogcrawl.storage.search.filling import open_index

        if self._index is None:
            self._index = open_index(
                self._config, self._state, self._store, busy_seconds=BUSY_SECONDS
            )
        return self._index

    def _give_up(self, error: Exception) -> None:
        self._is_on, self._waiting = False, []
        logger.warning(
            "the search index can't be filled: %s; the next crawl or `blogcrawl index` does it",
            error,
        )
