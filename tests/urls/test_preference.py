"""Which of a post's addresses is the one to cite."""

from __future__ import annotations

from itertools import permutations

from blogcrawl.urls.preference import preference

BEST_FIRST = [
    "http://b.example/2005/08/hot-summer-nights",
    "http://b.example/en/2005/08/hot-summer-nights",
    "http://b.example/4711.html",
    "http://b.example/archives/000882.html",
    "http://b.example/index.html%3Fp=13.html",
    "http://b.example/hot-summer-nights?lang=en",
]


def test_addresses_have_one_order_whichever_comes_first() -> None:
    assert len({tuple(sorted(some, key=preference)) for some in permutations(BEST_FIRST)}) == 1
    best = sorted(BEST_FIRST, key=preference)
    assert best[:4] == BEST_FIRST[:4] and set(best[4:]) == set(BEST_FIRST[4:])
