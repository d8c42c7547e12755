"""Which of a post's addresses is the one to cite."""

from __future__ import annotations

from itertools import permutations

import pytest

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


@pytest.mark.parametrize(
    ("of_month", "of_post"),
    [
        ("/2004_04_01_archive.html", "/2004/04/a-long-walk-along-the-river.html"),
        ("/archives/2004_04_01_tea_archive.html", "/archives/2004_04_01_tea_108.html"),
        ("/?x=y:07;m:08", "/?x=entry:entry070813-201013"),
        ("/2004/04/", "/?p=1234567"),
    ],
)
def test_posts_own_address_comes_before_its_months(of_month: str, of_post: str) -> None:
    addresses = [f"http://b.example{path}" for path in (of_month, of_post)]
    assert min(addresses, key=preference) == addresses[1]
