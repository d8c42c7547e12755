"""Days of posts whose pages show none, from a sitemap whose last changes are the publications."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.extraction.model import Hints, extract_post, learn_blog
from blogcrawl.induction.ruleset import Sample

FIRST = datetime(2016, 6, 25, 9, 47, 10, tzinfo=UTC)


def page_of(n: int) -> Page:
    text = "".join(f"<p>On lamp {n} of street {k} the moths are {n * k}.</p>" for k in range(9))
    html = f"<html><head><title>Lamp {n}</title></head><body><h1>Lamp {n}</h1>{text}</body></html>"
    return Page(url=f"http://b.example/lamps/{n}/", body=html.encode())


def entry_of(n: int, edited: timedelta) -> FeedEntry:
    moment = FIRST + timedelta(days=n)
    return FeedEntry(
        url=page_of(n).url,
        title=f"Lamp {n}",
        published=moment,
        modified=moment + edited,
        source="feed sitemap",
    )


@pytest.mark.parametrize(
    ("edited", "day"), [(timedelta(), "2016-03-27"), (timedelta(minutes=5), None)]
)
def test_lastmod_is_the_date_if_equal_for_all_feed_posts(
    edited: timedelta, day: str | None
) -> None:
    entries = [entry_of(n, edited if n == 3 else timedelta()) for n in range(6)]
    samples = [Sample(page=page_of(n), entry=entry) for n, entry in enumerate(entries)]
    model = learn_blog(samples, Hints(entries={entry.url: entry for entry in entries}))
    listed = FeedEntry(url=page_of(9).url, modified=FIRST - timedelta(days=90), source="sitemap")
    post = extract_post(page_of(9), model, listed, True)
    assert isinstance(post, Post)
    assert (post.published.date().isoformat() if post.published else None) == day
