"""Bounds on the work that one page, post or blog may cause.

Pages that people write stay far below them; they hold for generated and hostile ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias, TypeVar

MAX_STORED = 50_000
"""Addresses, facts or comments kept of one page or blog: the largest blogs known have some tens of
thousands of posts."""
MAX_ELEMENTS = 4_000
"""Elements or blocks of one part of a page that are looked at."""
MAX_TRIED = 50
"""Candidates of one kind on a page (elements, links, names, selectors), the best or the first."""
MAX_AUTHORS = 12
"""Names of one post or blog."""
MAX_READ = 2_000
"""Characters of one address or attribute, of either end of a text."""

T = TypeVar("T")
Walk: TypeAlias = "Iterator[T | Walk[T]]"


def unnested(outer: Walk[T]) -> Iterator[T]:
    """Yield what a generator and those that it yields give, in order.

    What walks a page yields its own walk of an element instead of calling itself: libxml2 reads
    2,000 levels, Python calls 1,000 functions in one another.
    """
    walks: list[Walk[T]] = [outer]
    while walks:
        for found in walks[-1]:
            if isinstance(found, Iterator):
                walks.append(found)
                break
            yield found
        else:
            walks.pop()
