"""How many posts lists show: which are cut, and which break off."""

from __future__ import annotations

import pytest

from blogcrawl.frontier.list_lengths import MAX_LISTED, ListLengths, Shown, ends_amid


def listed(*lengths: int, onward: int = 0, beside: int = 0) -> ListLengths:
    """Lists of one kind, each of its own posts, and of some that all of them show."""
    lists = ListLengths()
    for page, length in enumerate(lengths):
        own = {1000 * (page + 1) + post for post in range(length)}
        posts = frozenset(own | set(range(beside)))
        lists.add("tags", Shown(page, posts, frozenset(range(-onward, 0))))
    return lists


def test_lists_as_long_as_the_longest_are_cut() -> None:
    assert listed(3, 3, 2, 3, 3, 1).cut_at("tags") == 3
    assert listed(7, 7, 7, beside=5).cut_at("tags") == 7, "what all show beside is no part"


def test_lists_of_many_lengths_are_whole() -> None:
    assert listed(1, 4, 2, 9, 3, 4).cut_at("tags") == 0
    assert listed(1, 1, 2, 2, 1, 2, 1, 2).cut_at("tags") == 0, "short ones are often alike"
    assert listed(10, 10).cut_at("tags") == 0, "two say too little"
    assert listed().cut_at("tags") == 0


@pytest.mark.parametrize(("home", "is_paged", "cut"), [(5, False, 5), (9, False, 0), (5, True, 0)])
def test_start_page_as_long_as_two_lists_is_cut_like_them(
    home: int, is_paged: bool, cut: int
) -> None:
    """Blosxom shows the newest posts of all and of each category, and leads to no older ones."""
    lists = listed(5, 5)
    lists.home = Shown(99, frozenset(range(home)))
    if is_paged:
        lists.add("pages", Shown(98, frozenset(range(50, 54)), before=99, is_further=True))
    assert lists.cut_at("tags") == cut


def test_lists_longer_than_is_remembered_are_no_cut_ones() -> None:
    """Years of a diary with hundreds of posts each looked alike."""
    assert listed(*[MAX_LISTED] * 12, 40).cut_at("tags") == 0
    assert listed(*[MAX_LISTED - 4] * 12, beside=4).cut_at("tags") == 0
    assert listed(10, 10, 10, MAX_LISTED).cut_at("tags") == 0


def test_lists_with_further_pages_are_not_cut() -> None:
    assert listed(5, 5, 5, 2, onward=1).cut_at("tags") == 0


def test_link_onward_that_the_start_page_has_too_leads_no_list_on() -> None:
    lists = ListLengths()
    lists.home = Shown(99, frozenset(range(9)), frozenset([-1]))
    for page in range(3):
        posts = frozenset(range(100 * page + 100, 100 * page + 104))
        lists.add("tags", Shown(page, posts, frozenset([-1])))
    assert lists.cut_at("tags") == 4


def pager(*lengths: int, home: int = 10) -> ListLengths:
    lists = ListLengths()
    lists.home = Shown(0, frozenset(range(home)))
    for page, length in enumerate(lengths, 1):
        posts = frozenset(range(100 * page, 100 * page + length))
        lists.add("pages", Shown(page, posts, before=page - 1, is_further=True))
    return lists


def test_pager_goes_on_behind_a_page_as_long_as_the_one_before_it() -> None:
    assert pager(10, 10).breaks_off("pages", 2)
    assert not pager(10, 4).breaks_off("pages", 2)
    assert not pager(4).breaks_off("pages", 1)
    assert pager(10).breaks_off("pages", 0), "the start page calls older posts its own"
    assert pager().breaks_off("pages", 7), "nothing is known of the page"


def test_further_page_that_repeats_a_whole_one_shows_that_the_list_is_cut() -> None:
    lists = pager(10, 10)
    same = frozenset(range(200, 210))
    lists.add("pages", Shown(3, same, before=2, is_further=True))
    assert lists.cut_at("pages") == 10
    lists = pager(10, 4)
    lists.add("pages", Shown(3, frozenset(range(200, 204)), before=2, is_further=True))
    assert lists.cut_at("pages") == 0, "the last page, shown for any number that is too high"
    lists = pager(MAX_LISTED, MAX_LISTED)
    first = frozenset(range(200, 200 + MAX_LISTED))
    lists.add("pages", Shown(3, first, before=2, is_further=True))
    assert lists.cut_at("pages") == 0, "more posts than are remembered may differ"


def test_latest_lists_of_a_kind_are_remembered() -> None:
    lists = listed(*[3] * 200)
    assert lists.cut_at("tags") == 3
    assert len(lists._kinds["tags"]) == 24


def test_pages_that_say_how_many_there_are_stay_whenever_they_came() -> None:
    for at in (0, 30):
        lists = ListLengths()
        lists.stated = {1: (1, 6), 2: (2, 6)}
        pages = [Shown(3 + n, frozenset({n})) for n in range(60)]
        pages[at:at] = [Shown(n, frozenset(range(100 * n, 100 * n + 8))) for n in (1, 2)]
        for page in pages:
            lists.add("tags", page)
        assert lists.counted() == 5 * 8 + 1


def test_pages_count_the_posts_that_none_of_them_leads_to() -> None:
    """``Page 1 of 6`` to ``Page 3 of 6``, eight posts each and four in the sidebar."""
    lists = listed(8, 8, 8, beside=4)
    lists.stated.update({page: (page + 1, 6) for page in range(3)})
    assert lists.counted() == 5 * 8 + 1
    lists.stated.update({page: (page + 1, 3) for page in range(3)})
    assert lists.counted() == 0, "read to the last"
    lists.stated = {0: (1, 6)}
    assert lists.counted() == 0, "one page alone may have other posts beside its own"


def test_pages_are_as_long_as_most_of_them() -> None:
    """A mirror has the first page of a later day: what stood on it stands on the next one, too."""
    lists = ListLengths()
    for number, first in enumerate((0, 4, 16, 24, 32)):
        posts = frozenset(range(first, first + (12 if number == 1 else 8)))
        lists.add("pages", Shown(number, posts, is_further=True))
    lists.stated.update({page: (page + 1, 9) for page in range(5)})
    assert lists.counted() == 8 * 8 + 1


def test_sidebar_that_changes_counts_no_posts() -> None:
    """Two of three pages show the same popular posts: no post stands on two pages of a list."""
    lists = ListLengths()
    for number, popular in enumerate(((90, 91), (91, 92), (92, 90))):
        own = range(8 * number, 8 * number + 8)
        lists.add("pages", Shown(number, frozenset({*own, *popular}), is_further=True))
    lists.stated.update({page: (page + 1, 6) for page in range(3)})
    assert lists.counted() == 5 * 8 + 1


def leading_on(*pages: tuple[int, frozenset[int]]) -> ListLengths:
    """A pager behind a start page of four posts; each page with what it calls the older one."""
    lists = ListLengths()
    lists.home = Shown(0, frozenset(range(4)), older=frozenset([1]))
    for page, (older, posts) in enumerate(pages, 1):
        links = frozenset([older]) if older >= 0 else frozenset[int]()
        lists.add("pages", Shown(page, posts, before=page - 1, is_further=True, older=links))
    return lists


FULL, NEXT = frozenset(range(10, 14)), frozenset(range(20, 24))


@pytest.mark.parametrize(
    ("pages", "dead"),
    [
        ([(2, FULL), (3, NEXT), (-1, frozenset())], [(2, 3)]),
        ([(2, FULL), (3, NEXT), (-1, frozenset(range(4)))], [(2, 3)]),
        ([(2, FULL), (0, NEXT)], [(2, 0)]),
        ([(2, FULL), (3, NEXT), (-1, frozenset([30]))], []),
        ([(2, FULL), (3, frozenset([20, 21])), (-1, frozenset())], []),
        ([(2, FULL), (1, NEXT)], []),
        ([(2, FULL), (-1, NEXT)], []),
    ],
    ids=["none", "the newest", "the start page", "the oldest", "short", "newer", "no link"],
)
def test_full_page_that_leads_on_to_no_older_posts_is_no_end(
    pages: list[tuple[int, frozenset[int]]], dead: list[tuple[int, int]]
) -> None:
    lists = leading_on(*pages)
    assert lists.dead_ends() == dead
    assert lists.dead_kinds == ({"pages"} if dead else set())


def test_lists_that_are_as_long_as_the_longest_too_often_for_chance_are_cut() -> None:
    """Labels: a few have many posts, most have few."""
    assert listed(10, 10, 10, 8, 7, 5, 5, 4, 3, 2).cut_at("tags") == 10
    assert listed(10, 10, 9, 8, 7, 5, 5, 4, 3, 2).cut_at("tags") == 0
    assert listed(3, 3, 3, 2, 2, 1, 1, 1).cut_at("tags") == 0, "short ones are often alike"


@pytest.mark.parametrize(
    ("lengths", "onward", "length"),
    [((21,), 0, 21), ((20,), 1, 0), ((20, 20), 0, 0)],
    ids=["alone", "leads on", "one of two"],
)
def test_list_is_the_only_one_where_none_follows_and_no_other_is_there(
    lengths: tuple[int, ...], onward: int, length: int
) -> None:
    assert listed(*lengths, onward=onward).only_list() == length


def test_links_to_the_posts_of_a_list_lead_it_on_nowhere() -> None:
    """Their addresses were not known for those of posts when it was read."""
    lists, posts = ListLengths(), frozenset(range(20))
    lists.add("archive", Shown(0, posts, onward=posts))
    assert lists.only_list() == 20


def test_only_the_short_last_page_of_a_pager_shows_where_a_blog_begins() -> None:
    assert pager(10, 10).ends_full() and not pager(10, 4).ends_full()
    assert listed(12).ends_full() and not listed(12, 9, 4).ends_full()
    assert ListLengths().ends_full()


MOMENTS = {post: float(post) for post in range(200)}
"""Of posts, the higher the newer."""
OLDER = [range(at, 190, 40 + at) for at in range(6)]
"""Short lists that go back to the first posts."""


def spread(*lists: range) -> list[frozenset[int]]:
    return list(map(frozenset, lists))


def test_two_longest_lists_that_end_amid_shorter_ones_are_cut() -> None:
    assert ends_amid(spread(range(180, 200, 2), range(160, 200, 4), *OLDER), MOMENTS) == 10
    assert ends_amid(spread(range(180, 200, 2), *OLDER), MOMENTS) == 0, (
        "one may be of a new subject"
    )
    assert ends_amid(spread(range(180, 200, 2), range(0, 200, 20), *OLDER), MOMENTS) == 0
    assert ends_amid(spread(range(180, 200, 2), range(160, 200, 4), *OLDER[:3]), MOMENTS) == 0


def test_lists_that_follow_one_another_end_where_the_next_begins() -> None:
    years = spread(*(range(20 * year, 21 * year + 4) for year in range(7)))
    assert ends_amid([*years, *spread(range(140, 160), range(160, 180))], MOMENTS) == 0


def test_posts_without_a_moment_say_nothing_of_where_lists_end() -> None:
    assert ends_amid(spread(range(180, 200, 2), range(160, 200, 4), *OLDER), {}) == 0
