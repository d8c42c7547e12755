"""Walks of pages that are nested deeper than Python calls functions in one another."""

from __future__ import annotations

import sys

from blogcrawl.core.bounds import Walk, unnested


def numbers(first: int, last: int) -> Walk[int]:
    yield first
    if first < last:
        yield numbers(first + 1, last)
    yield -first


def test_walks_in_walks_give_all_in_order_at_any_depth() -> None:
    deep = 2 * sys.getrecursionlimit()
    found = list(unnested(numbers(1, deep)))
    assert found == [*range(1, deep + 1), *range(-deep, 0)]
