"""What a second look at a blog shows."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from blogcrawl.core.records import Feed, FeedEntry
from blogcrawl.crawling.changes import (
    MAX_UNLISTED,
    Changes,
    Reason,
    from_feed,
    from_modified,
    from_sitemap,
    is_moved_row,
    lacking_between,
    seen_of,
    to_recheck,
    unlisted,
)
from blogcrawl.storage.tables import PostRow
from blogcrawl.urls.canonical import canonicalize

NOW = datetime(2024, 6, 1, tzinfo=UTC)


def row(url: str, days_old: int = 0, unseen_days: int = 0, status: str = "published") -> PostRow:
    return PostRow(
        blog_id="b",
        url=url,
        title=f"Title of {url}",
        aip_id="a",
        status=status,
        published=NOW - timedelta(days=days_old),
        last_seen=NOW - timedelta(days=unseen_days),
    )


@pytest.mark.parametrize(
    ("lastmod", "is_read"),
    [
        (NOW + timedelta(hours=12, minutes=3), True),
        (NOW + timedelta(hours=11, minutes=57), False),
        (NOW, True),
        (NOW - timedelta(days=1), False),
    ],
)
def test_edits_shortly_after_a_visit_are_read_from_a_sitemap(
    lastmod: datetime, is_read: bool
) -> None:
    """A date at midnight is a day."""
    seen = replace(row("http://b.example/a"), last_seen=NOW + timedelta(hours=12))
    known = {canonicalize(seen.url): seen}
    found = from_sitemap([(seen.url, lastmod)], known.get, lambda url: True)
    assert bool(found.fetch) is is_read


def test_edited_and_new_posts_are_read_from_an_api() -> None:
    known = {"http://b.example/a": row("http://b.example/a")}
    entries = [FeedEntry(url="http://b.example/a"), FeedEntry(url="http://b.example/new")]
    found = from_modified(entries, known.get)
    assert {url: reason.why for url, reason in found.fetch.values()} == {
        "http://b.example/a": "edited, as the API says",
        "http://b.example/new": "new in the API",
    }


def test_posts_that_are_gone_are_asked_for_where_an_api_names_them_as_edited() -> None:
    known = {"http://b.example/a": row("http://b.example/a", status="gone")}
    assert from_modified([FeedEntry(url="http://b.example/a")], known.get).fetch


def test_posts_that_are_gone_are_asked_for_where_feed_or_sitemap_have_them_again() -> None:
    url = "http://b.example/a"
    known = {url: row(url, status="gone")}
    feed = Feed(
        url="http://b.example/f",
        kind="posts",
        format="rss",
        entries=(FeedEntry(url=url, title="A"),),
    )
    assert from_feed(feed, known.get, {}, None).fetch
    assert not from_feed(feed, known.get, seen_of(feed), None).fetch, "it is still there"
    listed = [(url, None)]
    assert from_sitemap(listed, known.get, lambda _: True, asked=[url]).fetch
    assert not from_sitemap(listed, known.get, lambda _: True).fetch


def test_reasons_for_one_page_add_up() -> None:
    changes = Changes()
    changes.add("http://b.example/a", Reason(why="late comments perhaps"))
    changes.add("http://b.example/a", Reason(why="new comments", force=True))
    changes.add("http://b.example/a", Reason(why="no longer in the feed", is_unlisted=True))
    [(_, reason)] = changes.fetch.values()
    assert reason == Reason(why="late comments perhaps", force=True, is_unlisted=True)


def test_posts_dropped_from_a_complete_list_are_rechecked() -> None:
    rows = [row(f"u{number}") for number in range(20)]
    listed = {f"u{number}" for number in range(18)}
    assert unlisted(rows, listed, ()) == ["u18", "u19"]
    assert unlisted(rows, listed, {"u18"}) == ["u19"]


def test_list_lacking_many_posts_is_not_complete() -> None:
    rows = [row(f"u{number}") for number in range(20)]
    assert unlisted(rows, {f"u{number}" for number in range(10)}, ()) == []


def test_one_visit_rechecks_a_bounded_number_of_unlisted_posts() -> None:
    rows = [row(f"u{number}") for number in range(1000)]
    assert len(unlisted(rows, {f"u{number}" for number in range(910)}, ())) == MAX_UNLISTED


def test_post_unseen_longest_for_its_age_is_rechecked() -> None:
    rows = [row("old", 1000, 30), row("young", 40, 30), row("gone", 40, 39, status="gone")]
    assert to_recheck(rows, NOW) == ["young"]
    assert to_recheck(rows, NOW, 5) == ["young", "old"] and to_recheck([], NOW) == []


def test_moved_post_matches_by_title_and_date() -> None:
    here = FeedEntry(url="http://b.example/n", title="title of OLD", published=NOW)
    assert is_moved_row(row("old"), [here])
    assert not is_moved_row(row("old", days_old=9), [here])
    assert not is_moved_row(row("other"), [here])


def test_posts_between_those_of_a_further_page_of_the_feed_are_expected_there() -> None:
    """Those that are newer or older stand on other pages."""
    moments = [NOW - timedelta(days=days) for days in range(10)]
    rows = [row(f"http://b.example/{n}", days_old=n) for n in range(10)]
    listed = tuple(
        FeedEntry(url=f"http://b.example/{n}", title="A", published=moments[n]) for n in (3, 4, 6)
    )
    feed = Feed(url="http://b.example/f", kind="posts", format="rss", entries=listed)
    assert [one.url for one in lacking_between(feed, rows)] == ["http://b.example/5"]
    undated = replace(feed, entries=(*listed, FeedEntry(url="http://b.example/9", title="B")))
    assert lacking_between(undated, rows) == []
    gone = [replace(one, status="gone") for one in rows]
    assert lacking_between(feed, gone) == []
