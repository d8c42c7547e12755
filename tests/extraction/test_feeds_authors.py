"""Feeds that name the blog, or whoever set it up, as the author of what several people write; and
those that are right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from blogcrawl.core.records import Feed, FeedEntry, Post
from blogcrawl.extraction.model import extract_post
from blogcrawl.induction.ruleset import Sample
from tests.extraction.test_failure_classes import HOST, Written, learned, post_of

PEOPLE = ("Ann Lee", "Bo Kern", "Cleo Marsh")
KEYS = dict(zip(PEOPLE, ("alee", "bkern", "cmarsh"), strict=True))
FEED = Feed(
    url=f"{HOST}/feed", kind="posts", format="rss2.0", title="Slow Roads | notes on walking"
)


def draw(w: Written) -> str:
    return (
        f"<title>{w.title} | Slow Roads</title></head><body><div class=top><a href=/>Slow "
        f"Roads</a></div><h1>{w.title}</h1>"
        f"<p class=meta>by <a href=/authors/{w.author.split()[0].lower()}/>{w.author}</a></p><di"
        f"v class=c>{w.body}</div>"
    )


def says(author: str) -> Callable[[Sample], Sample]:
    return lambda sample: Sample(page=sample.page, entry=replace(sample.entry, authors=(author,)))


@pytest.mark.parametrize("author", ["Slow Roads", "Web Team"])
def test_authors_on_pages_override_a_constant_feed_author(author: str) -> None:
    model, rest = learned(draw, authors=PEOPLE, feed=FEED, change=says(author))
    assert [post_of(page, model).authors for page, _ in rest] == [(w.author,) for _, w in rest]
    page, w = rest[0]
    in_feed = extract_post(page, model, FeedEntry(url=page.url, authors=(author,)), True)
    assert isinstance(in_feed, Post) and in_feed.authors == (w.author,)


def test_feeds_author_of_all_posts_yields_where_pages_name_several_people_and_this_one() -> None:
    """Atom's author of the feed is that of all entries which name none."""
    model, rest = learned(draw, authors=PEOPLE, feed=FEED, change=says(PEOPLE[0]))
    assert {w.author for _, w in rest} == {*PEOPLE}
    assert [post_of(page, model).authors for page, _ in rest] == [(w.author,) for _, w in rest]
    for page, w in rest:
        entry = FeedEntry(url=page.url, authors=(PEOPLE[0],), source="feed")
        post = extract_post(page, model, entry, True)
        assert isinstance(post, Post) and post.authors == (w.author,)


def test_feed_author_wins_if_pages_name_one_other() -> None:
    """A nickname there, a name here: both are right, and the feed's is what its readers know."""
    model, rest = learned(draw, authors=("Ann Lee",), feed=FEED, change=says("wanderer"))
    assert {post_of(page, model).authors for page, _ in rest} == {("wanderer",)}


def test_keys_of_accounts_in_a_feed_yield_to_the_names_on_pages() -> None:
    """Older posts are in no feed: of them only the page tells who wrote them."""

    def as_key(sample: Sample) -> Sample:
        keys = tuple(KEYS[name] for name in sample.entry.authors)
        return Sample(page=sample.page, entry=replace(sample.entry, authors=keys))

    model, rest = learned(draw, authors=PEOPLE, feed=FEED, change=as_key)
    assert [post_of(page, model).authors for page, _ in rest] == [(w.author,) for _, w in rest]
    page, w = rest[0]
    entry = FeedEntry(url=page.url, authors=(KEYS[w.author],), source="feed")
    in_feed = extract_post(page, model, entry, True)
    assert isinstance(in_feed, Post) and in_feed.authors == (w.author,)


def test_first_names_in_a_feed_yield_to_the_whole_names_on_pages() -> None:
    def as_first_name(sample: Sample) -> Sample:
        keys = tuple(name.split()[0].lower() for name in sample.entry.authors)
        return Sample(page=sample.page, entry=replace(sample.entry, authors=keys))

    def beside_day(w: Written) -> str:
        day = f"{w.when:%B} {w.when.day}, {w.when.year}"
        return (
            f"<title>{w.title} | Slow Roads</title></head><body><h1>{w.title}</h1>"
            f"<p class=info>{day} · {w.author}</p><div class=c>{w.body}</div>"
        )

    model, rest = learned(beside_day, authors=PEOPLE, feed=FEED, change=as_first_name)
    assert [post_of(page, model).authors for page, _ in rest] == [(w.author,) for _, w in rest]


def test_blog_named_after_its_author() -> None:
    def own(w: Written) -> str:
        return (
            f"<title>{w.title}</title></head><body><a href=/>Ann "
            f"Lee</a><h1>{w.title}</h1><div class=c>{w.body}</div>"
        )

    feed = replace(FEED, title="Ann Lee")
    model, rest = learned(own, authors=("Ann Lee",), feed=feed)
    assert {post_of(page, model).authors for page, _ in rest} == {("Ann Lee",)}


def test_posts_of_several_authors() -> None:
    """Every third has two: a rule for the first link of the byline would be right on most."""

    def pair(w: Written) -> tuple[str, ...]:
        return (w.author, PEOPLE[PEOPLE.index(w.author) - 1]) if w.n % 3 == 0 else (w.author,)

    def both(w: Written) -> str:
        links = " and ".join(f"<a href='/a/{name[0]}'>{name}</a>" for name in pair(w))
        return (
            f"<title>{w.title}</title></head><body><h1>{w.title}</h1><p class=meta>by "
            f"{links}</p><div class=c>{w.body}</div>"
        )

    def with_authors(sample: Sample) -> Sample:
        names = [name for name in PEOPLE if name in sample.page.text]
        return Sample(page=sample.page, entry=replace(sample.entry, authors=tuple(names)))

    model, rest = learned(both, authors=PEOPLE, change=with_authors)
    assert [set(post_of(page, model).authors) for page, _ in rest] == [
        set(pair(w)) for _, w in rest
    ]
