"""How complete the archive is: the expected share of the blog's posts that are archived."""

from __future__ import annotations

import pytest

from blogcrawl.frontier.completeness import (
    Known,
    Loss,
    completeness,
    hidden_share,
    posts_behind,
)


def lost(posts: float, *, is_known: bool = False) -> Loss:
    return Loss("{} pages", 1, posts, is_known=is_known)


def share(archived: int, *losses: Loss, **about: object) -> float | None:
    known = Known(archived=archived, losses=losses, listed=10, **about)  # type: ignore[arg-type]
    return completeness(known).share


def test_pages_count_by_their_post_probability() -> None:
    pages = Loss.of_pages("{} pages were read and taken for no post", [0.5] * 10)
    found = completeness(Known(archived=95, losses=[pages]))
    assert found.share == 0.95
    assert found.reasons == ("10 pages were read and taken for no post (5.0 posts expected)",)


def test_only_a_complete_archive_shows_100_percent() -> None:
    assert share(100) == 1.0
    assert share(1_000_000, lost(0.02)) == 0.9999


@pytest.mark.parametrize(
    ("losses", "status"),
    [
        ([], "complete"),
        ([lost(0.9)], "complete"),
        ([lost(3)], "nearly complete"),
        ([lost(9)], "incomplete"),
        ([lost(1, is_known=True)], "incomplete"),
    ],
)
def test_status_follows_the_completeness_figure(losses: list[Loss], status: str) -> None:
    assert completeness(Known(archived=100, listed=10, losses=losses)).status == status


def test_interval_contains_the_share_and_widens_with_uncertainty() -> None:
    some = completeness(Known(archived=100, losses=[lost(5)]))
    more = completeness(Known(archived=100, losses=[lost(20)]))
    assert some.lower is not None and some.share is not None and some.upper is not None
    assert some.lower < some.share < some.upper <= 1
    assert more.lower is not None and more.upper is not None
    assert more.upper - more.lower > some.upper - some.lower


def test_single_unlisted_post_gives_no_figure() -> None:
    """A start page that only forwards shows one page, which may be anything."""
    found = completeness(Known(archived=1))
    assert found.share is None and found.status == "unknown"
    assert found.reasons == ("1 posts found and none listed by a source",)
    assert completeness(Known(archived=1, listed=1)).share == 1.0


def test_posts_out_of_reach_give_no_figure() -> None:
    why = "the start page leads to other.example rather than to pages of its own"
    found = completeness(Known(archived=50, listed=50, hidden=[why]))
    assert found.share is None and found.reasons == (why,)


def test_stated_post_count_is_evidence() -> None:
    assert share(80, counted=100) == 0.8
    assert share(80, lost(20), counted=100) == 0.8, "they are accounted for already"
    assert share(105, counted=100) == 1.0


def test_posts_found_only_in_a_document_have_unlinked_siblings() -> None:
    assert posts_behind([20, 10], 0.5) == 7.5
    assert posts_behind([], 0.5) == 2.0
    assert posts_behind([], 0.0) == 0.0, "all posts are linked, so none is behind it alone"
    assert hidden_share(0, 9) == 0.05
