"""The interface of search indexes, and what they answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal, Protocol

from blogcrawl.storage.search.documents import FACETS, Entry
from blogcrawl.storage.search.queries import Query

Order = Literal["relevance", "newest", "oldest"]
"""relevance: posts with all words in the title first, then newest first."""
ORDERS: tuple[Order, ...] = ("relevance", "newest", "oldest")
MAX_VALUES = 50
"""Values of a facet that are counted, most frequent first."""
OldTerms = Callable[[str, int], "Set[str] | None"]
"""(package, version) -> the terms that were indexed of it; None if it can't be read."""

Facets = Mapping[str, Sequence[tuple[str, int]]]
"""Facet -> values with the number of posts, most frequent first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Values of facets; of one facet any, of several each must fit. Blogs are ids."""

    blog: tuple[str, ...] = ()
    author: tuple[str, ...] = ()
    year: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    language: tuple[str, ...] = ()

    def chosen(self) -> Mapping[str, tuple[str, ...]]:
        """Return the facets that are given."""
        every = {name: getattr(self, name) for name in FACETS}
        return {name: values for name, values in every.items() if values}


NO_FILTERS = Filters()


class Found(Protocol):
    """Posts that the index found, in order."""

    @property
    def total(self) -> int: ...

    @property
    def facets(self) -> Facets: ...

    def page(self, after: int, count: int) -> Sequence[tuple[str, int]]:
        """Return package and version of ``count`` posts after the first ``after``."""

    def leave_out(self, aip_ids: Sequence[str]) -> None:
        """Count posts no more that were read and do not fit after all."""


class SearchIndex(Protocol):
    """Terms of posts. All methods raise StorageError."""

    def put(self, entries: Sequence[Entry]) -> None:
        """Insert or replace posts, all or none."""

    def drop(self, aip_ids: Iterable[str], *, erase: bool = False) -> None:
        """Remove posts; ``erase``: leave nothing of them in the database's files either."""

    def versions(self, blog_id: str | None = None) -> Mapping[str, int]:
        """Map the packages that are indexed, of a blog or all, to their versions."""

    def find(
        self, query: Query, filters: Filters = NO_FILTERS, order: Order = "relevance"
    ) -> Found:
        """Return the posts that have the query's terms: too many if it is not ``is_exact``."""

    def clear(self) -> None:
        """Remove everything."""

    def settle(self) -> None:
        """Merge what many small writes left, after much was put."""

    def close(self) -> None: ...
