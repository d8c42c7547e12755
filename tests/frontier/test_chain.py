"""Chains of posts that lead to one another."""

from __future__ import annotations

import random

from blogcrawl.frontier.chain import PostChain

RECENT = (96, 97, 98, 99, 100)


def chain(posts: list[int], missing: tuple[int, ...] = (), *, sidebar: bool = True) -> PostChain:
    """Posts 1 to 100, each linking to the one before and after it, and to the newest five."""
    found = PostChain()
    found.dead.update(missing)
    for post in posts:
        found.add(
            post,
            [post - 1] * (post > 1) + [post + 1] * (post < 100) + list(RECENT if sidebar else ()),
        )
    return found


def test_chain_is_closed_in_any_order() -> None:
    posts = list(range(1, 101))
    random.Random(5).shuffle(posts)
    assert chain(posts).closed == 100
    assert chain(posts, sidebar=False).closed == 100


def test_chain_is_open_with_one_post_missing() -> None:
    assert chain([p for p in range(1, 101) if p != 40]).closed == 0


def test_chain_with_a_gap_stays_open() -> None:
    """40 is gone: nothing leads to those before it."""
    assert chain(list(range(41, 101)), (40,)).closed == 0
    assert chain(list(range(41, 101))).closed == 60, "without the 404 this is a blog of sixty posts"


def test_one_way_links_make_no_chain() -> None:
    found = PostChain()
    for post in range(1, 101):
        found.add(post, RECENT)
    assert found.closed == 0


def test_two_chains_are_not_one() -> None:
    found = chain(list(range(1, 101)))
    for post in range(201, 221):
        found.add(post, [post - 1] * (post > 201) + [post + 1] * (post < 220))
    assert found.closed == 0


def test_page_mistaken_for_a_post_does_not_count() -> None:
    found = chain(list(range(1, 101)))
    found.add(1000, RECENT)
    assert found.closed == 100


def test_non_post_may_connect_a_chain() -> None:
    found = PostChain()
    for post in range(1, 31):
        found.add(post, [post - 1, post + 1], is_post=post != 12)
    assert found.closed == 29


def test_page_between_two_posts_is_one_as_often_as_such_pages_are() -> None:
    found = PostChain()
    for post in range(1, 31):
        found.add(post, [post - 1, post + 1], is_post=post != 12)
    assert found.shares_between() == {12: 27 / 28}
    for label in range(100, 110):  # labels of two posts each, which name them
        found.add(label, [label - 80, label - 79], is_post=False)
    assert found.shares_between() == {12: 27 / 28}, "what posts do not lead to is not between them"


def test_page_between_posts_that_lead_to_many_says_nothing() -> None:
    found = PostChain()
    for post in range(1, 31):
        found.add(post, [post - 1, post + 1, 100 + post // 2], is_post=post != 12)
    for label in range(100, 116):
        found.add(label, [2 * (label - 100), 2 * (label - 100) + 1], is_post=False)
    assert found.shares_between() == {}


def test_recent_posts_widget_makes_no_chain() -> None:
    newest = list(range(91, 101))
    found = PostChain()
    for post in newest:
        found.add(post, newest)
    assert found.closed == 0, "nothing of it would lead to an older one"
    for post in range(81, 91):
        found.add(post, [post - 1, post + 1, *newest])
    found.add(80, [81, *newest])
    assert found.closed == 0, "the oldest of the newest does not lead on"
    found = PostChain()
    for post in range(81, 101):
        found.add(post, [post - 1] * (post > 81) + [post + 1, *newest])
    assert found.closed == 20


def test_cited_posts_are_those_that_do_not_lead_back() -> None:
    """No neighbours, and none that a sidebar shows on most posts."""
    found = chain(list(range(1, 101)))
    assert not found.cited()
    found.add(101, [7, 8, 101])
    found.add(102, [8])
    assert found.cited() == {7, 8}
    assert found.has_neighbour(7) and not found.has_neighbour(101)


def test_missing_posts_that_one_neighbour_leads_to_have_others_behind_them() -> None:
    read = [post for post in range(1, 101) if post not in (20, 40, 60) and not 40 < post < 60]
    found = chain(read, sidebar=False)
    assert found.led_to_once([20, 40, 60]) == 2, "both neighbours of 20 lead to it"
    assert found.led_to_once([]) == 0
    assert found.pieces({1, 2, 3, 21, 22, 61}) == 3


def test_related_posts_are_no_neighbours() -> None:
    found = PostChain()
    for post in range(40):
        found.add(post, [(post + step) % 40 for step in (-3, -2, -1, 1, 2, 3)])
    found.add(100, [101])
    assert found.led_to_once([101]) == 0


def test_newest_posts_of_categories_that_lead_to_each_other_are_no_chain() -> None:
    """Each post leads to the newest five of its category, and to the five most read of all."""
    most_read = [0, 4, 8, 12, 16]
    found = PostChain()
    for post in range(20):
        found.add(post, [*range(post // 5 * 5, post // 5 * 5 + 5), *most_read])
    assert found.closed == 0
