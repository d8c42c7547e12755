"""When it is enough."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blogcrawl.frontier.stop import (
    Budgets,
    Cited,
    ClusterEvidence,
    Evidence,
    Ways,
    count_ways,
    decide,
    lacking,
    may_show_missing,
    unlisted,
    unseen_by_recapture,
    walked_list,
    whole_ways,
)

NONE = Budgets()


def test_empty_frontier_stops() -> None:
    stop = decide(Evidence(pages=10, posts=8), NONE)
    assert stop is not None and stop.reason == "exhausted" and stop.unseen == 0


def test_no_stop_with_listed_posts_pending() -> None:
    seen = Ways(number=3, once=0, twice=50, more=50, both=100)
    assert (
        decide(
            Evidence(
                posts=90, posts_pending=1, pending=5, audited=9, ways=seen, sources_complete=True
            ),
            NONE,
        )
        is None
    )


def test_sources_confirmed_by_links_are_complete() -> None:
    seen = Ways(number=3, twice=100, both=100)
    stop = decide(
        Evidence(
            posts=100, pending=50, best_worth=2.0, audited=3, ways=seen, sources_complete=True
        ),
        NONE,
    )
    assert stop is not None and stop.reason == "complete" and stop.unseen <= 0.5
    assert "were listed and linked" in stop.detail


def test_likely_posts_are_read_even_if_sources_and_links_agree() -> None:
    seen = Ways(number=3, twice=100, both=100)
    evidence = Evidence(
        posts=100, pending=50, best_worth=2.0, audited=3, ways=seen, sources_complete=True
    )
    assert decide(replace(evidence, hidden=0), NONE) is not None
    assert decide(replace(evidence, hidden=1), NONE) is None


def test_few_posts_allow_no_recapture_estimate() -> None:
    few = Evidence(
        posts=10, pending=7, best_worth=0.2, audited=4, ways=Ways(number=3, twice=8, more=2)
    )
    assert decide(few, NONE) is None
    assert decide(replace(few, sources_complete=True), NONE) is not None
    assert decide(replace(few, posts=40, ways=Ways(number=3, twice=32, more=8)), NONE) is not None


def test_sources_contradicted_by_links_are_not_complete() -> None:
    seen = Ways(number=3, once=60, twice=40, source_only=30, links_only=30, both=40)
    evidence = Evidence(
        posts=100, pending=50, best_worth=2.0, audited=9, ways=seen, sources_complete=True
    )
    assert unseen_by_recapture(evidence) > 20
    assert decide(evidence, NONE) is None


def test_feed_window_does_not_prove_completeness() -> None:
    window = Ways(number=2, twice=10, both=10)
    assert (
        decide(Evidence(posts=10, pending=3, best_worth=1.0, audited=1, ways=window), NONE) is None
    )


def test_exhausted_yields_stop_the_crawl() -> None:
    cluster = ClusterEvidence(
        name="e.org|/tag/*|", pages=30, gain=12, recent=(0.0,) * 8, pending=5000, worth=0.01
    )
    stop = decide(
        Evidence(posts=50, pending=5000, best_worth=0.01, audited=30, clusters=(cluster,)), NONE
    )
    assert stop is not None and stop.reason == "exhausted"
    assert stop.unseen == pytest.approx(0.31, abs=0.01)


@pytest.mark.parametrize(
    ("budgets", "evidence", "word"),
    [
        (Budgets(pages=10), Evidence(pages=10, posts=3, posts_pending=7), "pages"),
        (Budgets(posts=3), Evidence(pages=10, posts=3, posts_pending=7), "posts"),
        (Budgets(seconds=5), Evidence(seconds=5.1, posts=3, posts_pending=7), "seconds"),
        (Budgets(bytes=100), Evidence(bytes=101, posts=3, posts_pending=7), "bytes"),
    ],
)
def test_budget_stops_before_other_reasons(budgets: Budgets, evidence: Evidence, word: str) -> None:
    stop = decide(evidence, budgets)
    assert stop is not None and stop.reason == "budget" and word in stop.detail


def test_posts_are_counted_by_discovery_source() -> None:
    ways = count_ways({1: 3, 2: 2, 3: 4, 7: 5, 0: 9, 12: 0, 4: -1})
    assert (ways.once, ways.twice, ways.more, ways.number) == (5, 4, 5, 3)
    assert (ways.source_only, ways.links_only, ways.both) == (3, 2, 9)
    assert ways.posts == 14
    assert (ways.by_posts, ways.by_lists, ways.by_posts_and_lists) == (6, 0, 5)


def test_posts_shared_by_lists_are_not_counted_as_unseen() -> None:
    """Each post is on one month's page, and all are linked by their neighbours."""
    months = {4 << month: 0 for month in range(9)} | {2 | 4 << month: 9 for month in range(9)}
    ways = count_ways({**months, 2: 150})
    evidence = Evidence(posts=231, pending=40, best_worth=0.01, audited=30, ways=ways)
    assert unseen_by_recapture(evidence) > 50
    stop = decide(evidence, NONE)
    assert stop is not None and stop.reason == "exhausted" and stop.unseen < 2


def test_possible_post_is_read_before_the_stop() -> None:
    seen = Ways(number=3, more=38)
    quiet = Evidence(posts=38, pending=5, best_worth=0.02, audited=9, ways=seen)
    stop = decide(quiet, NONE)
    assert stop is not None and stop.reason == "complete"
    assert decide(replace(quiet, hidden=1), NONE) is None


def test_closed_chain_is_complete_after_a_sample_of_other_pages() -> None:
    seen = Ways(number=2, once=38, twice=5, links_only=38, both=5)
    evidence = Evidence(posts=43, pending=30, best_worth=2.0, audited=0, ways=seen, chained=43)
    assert decide(evidence, NONE) is None, "only posts were fetched"
    stop = decide(replace(evidence, audited=2), NONE)
    assert stop is not None and stop.reason == "complete" and "link to one another" in stop.detail
    assert decide(replace(evidence, audited=2, hidden=1), NONE) is None, (
        "a page that is perhaps a post waits"
    )
    assert decide(replace(evidence, audited=2, chained=40), NONE) is None


def test_closed_chain_with_a_page_beside_it_is_complete() -> None:
    """A page about the author is taken for a post, and no post links back to it."""
    seen = Ways(number=2, once=110, twice=23, links_only=123, both=10)
    evidence = Evidence(posts=133, pending=30, best_worth=2.0, audited=4, ways=seen, chained=132)
    stop = decide(evidence, NONE)
    assert stop is not None and "132 of 133 posts link to one another" in stop.detail
    assert stop.unseen == 1, "it may have a sibling"
    assert decide(replace(evidence, chained=129), NONE) is None
    assert decide(replace(evidence, chained=0), NONE) is None


def test_posts_linked_by_posts_and_listed_are_a_recapture() -> None:
    """Months, labels and pages of the home list share the posts among them; each post that one of
    them shows is linked by its neighbours."""
    lists = {2 | 4 << kind: 6 for kind in range(6)}
    known = {2: 31, 1 | 2: 5, **lists}
    evidence = Evidence(
        posts=72, pending=200, best_worth=0.2, audited=9, quiet=8, ways=count_ways(known)
    )
    assert unseen_by_recapture(evidence) > 9
    stop = decide(evidence, NONE)
    assert stop is not None and stop.reason == "complete" and stop.unseen <= 0.5
    assert "36 were linked by other posts and listed, 36 only linked, 0 only listed" in stop.detail
    for why, other in {
        "a list has just brought a post": replace(evidence, quiet=0),
        "another part of the blog waits": replace(evidence, untried=1),
        "lists have shown what posts don't": replace(evidence, ways=count_ways({**known, 256: 4})),
        "too few were seen in both ways": replace(evidence, ways=count_ways({2: 60, 2 | 4: 12})),
    }.items():
        assert decide(other, NONE) is None, why


def test_list_read_to_its_end_is_complete() -> None:
    known = {1 | 4: 10, 4: 30, 2 | 4: 10}
    evidence = Evidence(posts=50, pending=30, best_worth=2.0, audited=2, ways=count_ways(known))
    stop = decide(
        replace(evidence, walked=(walked_list("b.example|/archive|hub", 4, known),)), NONE
    )
    assert stop is not None and "the list /archive, read to its end" in stop.detail
    lacks = {**known, 2: 8}
    evidence = replace(
        evidence, posts=58, ways=count_ways(lacks), walked=(walked_list("/archive", 4, lacks),)
    )
    assert decide(evidence, NONE) is None, "other ways have shown what the list lacks"
    window = {1 | 4: 10}
    evidence = replace(
        evidence, posts=10, ways=count_ways(window), walked=(walked_list("/", 4, window),)
    )
    assert decide(evidence, NONE) is None, "the feed's posts on the home page prove nothing"


def test_other_sections_are_sampled_before_a_complete_stop() -> None:
    seen = Ways(number=2, once=38, twice=5, links_only=38, both=5)
    evidence = Evidence(
        posts=43, pending=30, best_worth=2.0, audited=2, ways=seen, chained=43, untried=1
    )
    assert decide(evidence, NONE) is None
    assert decide(replace(evidence, untried=0), NONE) is not None


def test_lists_that_divide_the_posts_among_them_are_one_way() -> None:
    """Years and sections each show their own posts, and hardly a post links to another."""
    years = {4 << year: 90 for year in range(20)}
    ways = count_ways({**years, 2: 60, 2 | 4: 40, 4 | 8: 90})
    evidence = Evidence(posts=ways.posts, pending=20, best_worth=0.04, audited=50, ways=ways)
    assert unseen_by_recapture(evidence) > ways.posts
    stop = decide(evidence, NONE)
    assert stop is not None and stop.reason == "exhausted" and stop.unseen < 1


def test_exhausted_list_is_one_source_of_the_unseen_estimate() -> None:
    """Labels share the posts among them: many are seen in one way, few can be missing."""
    shown = {4: 25, 4 | 8: 20, 4 | 16: 20, 8: 2}
    e = Evidence(ways=count_ways(shown), pending=5, best_worth=0.01)
    alone = decide(e, NONE)
    with_list = decide(replace(e, walked=(walked_list("/page", 4, shown),)), NONE)
    assert alone is not None and with_list is not None
    assert alone.reason == with_list.reason == "exhausted"
    assert with_list.unseen < 2 < alone.unseen


def test_pages_absent_from_complete_sources_are_unlikely_posts() -> None:
    agreeing, lacking_some = Ways(once=9, both=99), Ways(once=49, both=50, links_only=49)
    sure = whole_ways(Evidence(ways=agreeing, sources_complete=True))
    assert lacking(2, sure) == 0.005
    assert lacking(2 | 1, sure) == 1.0, "a page that the source lists is not missing there"
    assert lacking(2, whole_ways(Evidence(ways=agreeing))) == 1.0, "no source read to its end"
    assert lacking(2, whole_ways(Evidence(ways=lacking_some, sources_complete=True))) > 0.4


def test_closed_chain_and_exhausted_list_are_complete_sources() -> None:
    chained = Evidence(ways=Ways(twice=44), chained=44)
    assert lacking(2, whole_ways(chained)) == 0.5 / 45
    shown = {4: 2, 4 | 2: 18, 2: 1}
    listed = Evidence(ways=count_ways(shown), walked=(walked_list("/archive", 4, shown),))
    assert lacking(2, whole_ways(listed)) == 1.5 / 20
    assert lacking(2 | 4, whole_ways(listed)) == 1.0


def test_newest_posts_seen_again_say_nothing_of_the_older_ones() -> None:
    window_and_months = Ways(number=4, once=30, more=10, both=10, links_only=30)
    evidence = Evidence(posts=40, pages=60, pending=1, audited=20, ways=window_and_months)
    stop = decide(evidence, NONE)
    assert stop is not None
    assert stop.unseen == 0.0


def test_lists_lack_as_many_of_the_older_posts_as_of_the_newest() -> None:
    feed, lists = 1, 4
    known = {feed | lists: 7, feed: 3, lists: 16, feed | lists | 2: 0}
    assert unlisted(known, feed, lists) == 2 * 16 / 8
    assert unlisted({**known, feed: 1}, feed, lists) == 0, "the newest may have come since"
    assert unlisted({feed: 10, 2: 5}, feed, lists) == 0, "no list shows any"
    assert unlisted({**known, feed: 9}, feed, lists) == 0, "the feed has more than the newest"


@pytest.mark.parametrize(
    ("counted", "quiet", "goes_on"),
    [(0, 0, False), (90, 0, False), (111, 8, True), (111, 40, False), (101, 90, True)],
    ids=["no number", "a smaller one", "a tenth missing", "after many lists", "one missing"],
)
def test_lists_are_read_on_while_the_blog_counts_more_posts(
    counted: int, quiet: int, *, goes_on: bool
) -> None:
    seen = Ways(number=3, once=20, twice=80)
    evidence = Evidence(posts=100, pending=200, quiet=quiet, ways=seen)
    assert may_show_missing(evidence, counted) == goes_on
    assert not may_show_missing(replace(evidence, pending=0), counted)
    assert not may_show_missing(replace(evidence, quiet=100), counted), "not more than posts known"


@pytest.mark.parametrize(
    ("cited", "unseen", "is_much", "is_confirmed"),
    [
        (Cited(8, 2, 18), 42.0, True, False),
        (Cited(1, 20, 79), 0.0, False, False),
        (Cited(2, 20, 78), 78 / 21, False, False),
        (Cited(0, 12, 30), 0.0, False, True),
        (Cited(0, 3, 30), 0.0, False, False),
        (Cited(), 0.0, False, False),
    ],
    ids=["a part", "one left out", "two left out", "all", "too few", "none"],
)
def test_posts_that_texts_mention_are_a_sample_of_the_blog(
    cited: Cited, unseen: float, *, is_much: bool, is_confirmed: bool
) -> None:
    assert cited.unseen == pytest.approx(unseen)
    assert (cited.is_much, cited.is_confirmed) == (is_much, is_confirmed)


def test_single_post_that_a_list_lacks_is_older_than_all_that_it_has() -> None:
    """One amid the others may have been left out on purpose."""
    moments = {key: float(key) for key in range(10, 40)}
    older, amid = Cited(1, 7, 22, frozenset([3])), Cited(1, 7, 22, frozenset([20]))
    assert older.are_older({**moments, 3: 3.0}) and not older.are_older(moments)
    assert not amid.are_older(moments)
    assert not older.are_older({3: 3.0, **{key: float(key) for key in range(10, 20)}}), "too few"
