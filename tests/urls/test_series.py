"""Addresses that count on."""

from __future__ import annotations

import pytest

from blogcrawl.urls.series import is_second, next_in_series

H = "http://127.0.0.1:8080"


@pytest.mark.parametrize(
    ("before", "url", "behind"),
    [
        ("/", "/page/2/", "/page/3/"),
        ("/page/2/", "/page/3/", "/page/4/"),
        ("/page9.html", "/page10.html", "/page11.html"),
        ("/", "/?start=10", "/?start=20"),
        ("/?start=10", "/?start=20", "/?start=30"),
        ("/posts?offset=6&limit=6", "/posts?offset=12&limit=6", "/posts?offset=18&limit=6"),
        ("/2014/", "/2014/page/2/", "/2014/page/3/"),
        ("/", "/?page=1", "/?page=2"),
        ("/index-009.html", "/index-010.html", "/index-011.html"),
        ("/page/3/", "/page/2/", None),
        ("/page/2/", "/", None),
        ("/?cursor=a1", "/?cursor=b7", None),
        ("/?before=2014-03-01", "/?before=2014-02-01", None),
        ("/", "/?before=2014-02-01", None),
    ],
)
def test_address_behind_two_of_a_series(before: str, url: str, behind: str | None) -> None:
    found = next_in_series(H + before, H + url)
    assert found == (None if behind is None else H + behind)


@pytest.mark.parametrize(
    ("first", "url", "expected"),
    [
        ("/category/maps/", "/category/maps/page/2/", True),
        ("/category/maps", "/category/maps?page=2", True),
        ("/category/maps/", "/category/music/page/2/", False),
        ("/category/maps/", "/category/maps/", False),
        ("/", "/2014/03/first-rain/", False),
        ("/category/maps.html", "/category/maps2.html", True),
        ("/category/maps.html", "/category/maps-2.html", True),
        ("/category/maps.html", "/category/maps-and-music-2.html", False),
        ("/category/maps.html", "/category/music2.html", False),
        ("/category/1.html", "/category/12.html", False),
    ],
)
def test_address_of_the_second_page(first: str, url: str, *, expected: bool) -> None:
    assert is_second(H + url, H + first) is expected
