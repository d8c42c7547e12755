"""Numbers next to links to lists, against what the lists show."""

from __future__ import annotations

import pytest

from blogcrawl.frontier.stated_counts import Counted, posts_stated, short_lists, with_common


def lists(*numbers: tuple[int, int], beside: int = 0) -> list[Counted]:
    """Lists with so many posts stated and shown, each of its own posts, and of some that all of
    them show."""
    found = []
    for page, (stated, shown) in enumerate(numbers, 1):
        posts = frozenset([*range(1000 * page, 1000 * page + shown), *range(beside)])
        found.append(Counted(f"http://b.example/tag/{page}", stated, posts))
    return with_common(found)


@pytest.mark.parametrize(
    ("numbers", "short", "posts"),
    [
        ([(3, 3), (1, 1), (7, 7), (9, 5)], 1, 20),
        ([(14, 10), (12, 10)], 2, 26),
        ([(14, 10), (2, 2), (6, 6)], 1, 22),
        ([(20, 14), (17, 12), (11, 9)], 3, 48),
        ([(3, 3), (1, 1), (7, 7)], 0, 0),
    ],
    ids=[
        "several are right",
        "all end at one length",
        "one ends where pages do",
        "each leaves some out",
        "all are right",
    ],
)
def test_lists_that_show_fewer_posts_than_stated_lack_some(
    numbers: list[tuple[int, int]], short: int, posts: int
) -> None:
    counted = lists(*numbers)
    found = short_lists(counted, page_length=10)
    assert len(found) == short and posts_stated(counted, found) == posts


@pytest.mark.parametrize(
    "numbers",
    [
        [(1, 4), (2, 6), (30, 8)],
        [(14, 10)],
        [(14, 3), (12, 5)],
        [(4, 4), (40, 7), (50, 9)],
        [(14, 9), (12, 10), (16, 8)],
    ],
    ids=["ranks", "one", "readers", "one right by chance", "comments"],
)
def test_numbers_that_are_none_of_posts_say_nothing(numbers: list[tuple[int, int]]) -> None:
    assert short_lists(lists(*numbers), page_length=10) == []


def test_posts_of_a_sidebar_are_none_of_a_list() -> None:
    counted = lists((3, 3), (2, 2), (5, 5), (9, 4), beside=4)
    assert [one.stated for one in short_lists(counted)] == [9]


def test_posts_on_several_lists_are_counted_once() -> None:
    posts = frozenset(range(10))
    counted = [Counted(f"http://b.example/tag/{n}", 15, posts) for n in range(2)]
    assert posts_stated(counted, short_lists(counted)) == 15
