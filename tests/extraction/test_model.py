"""Learning a blog and extracting its other posts, on generated blogs of many themes and feeds."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, MediaFile, Post
from blogcrawl.extraction.model import BlogModel, Hints, NotAPost, extract_post, learn_blog
from blogcrawl.induction.ruleset import Sample
from blogcrawl.text.similarity import fold
from tests.induction.themes import THEMES, Generated, Truth, generate

FEEDS = ("full", "excerpt", "first", "titles", "joined", "reencoded")


def bigram_dice(a: str, b: str) -> float:
    a, b = fold(a), fold(b)
    x, y = (Counter(itertools.pairwise(t)) for t in (a, b))
    return 2 * sum((x & y).values()) / max(1, sum(x.values()) + sum(y.values()))


def extracted(blog: Generated) -> Iterator[tuple[Post, Truth]]:
    model = learn_blog(blog.samples, Hints(home=blog.home))
    model = BlogModel.from_json(json.loads(json.dumps(model.to_json())))
    for page, truth in blog.rest:
        result = extract_post(page, model, None, promised=True)
        assert isinstance(result, Post), result
        yield result, truth


HOPELESS = {("inside", "titles")}
"""No text in the feed, and comments under meaningless names in the post's own container: nothing
distinguishes them.
"""


@pytest.mark.parametrize("feed", FEEDS)
@pytest.mark.parametrize("theme", sorted(THEMES))
def test_every_theme_with_every_feed(theme: str, feed: str) -> None:
    rows = list(extracted(generate(theme, feed=feed)))
    wrong = [
        (p.content_text[:200], p.extraction["content"])
        for p, t in rows
        if bigram_dice(p.content_text, t.text) < 0.9
    ]
    if (theme, feed) not in HOPELESS:
        assert len(wrong) <= (0 if feed == "full" else 1), wrong
    if feed != "joined":
        assert [p.title for p, _ in rows] == [t.title for _, t in rows]
    assert [p.published.date() for p, _ in rows if p.published] == [
        t.moment.date() for _, t in rows
    ]
    if theme != "duplicates":
        assert [p.authors for p, _ in rows] == [(t.author,) for _, t in rows]


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_posts_are_extracted_without_a_feed(theme: str) -> None:
    blog = generate(theme)
    samples = [Sample(page=s.page, entry=FeedEntry(url=s.page.url)) for s in blog.samples]
    model = learn_blog(samples, Hints(home=blog.home))
    results = [(extract_post(page, model, None, promised=True), truth) for page, truth in blog.rest]
    good = sum(
        isinstance(r, Post) and bigram_dice(r.content_text, t.text) >= 0.8 for r, t in results
    )
    assert good >= (5 if theme in ("inside", "two") else 9)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_tiny_feeds_train_a_model(count: int) -> None:
    blog = generate("numbered")
    model = learn_blog(blog.samples[:count], Hints(home=blog.home))
    results = [(extract_post(page, model, None, promised=True), truth) for page, truth in blog.rest]
    assert (
        sum(isinstance(r, Post) and bigram_dice(r.content_text, t.text) >= 0.9 for r, t in results)
        >= 9
    )


def test_single_author_of_the_feed_is_used() -> None:
    blog = generate("duplicates", authors=("Only Me",))
    assert {post.authors for post, _ in extracted(blog)} == {("Only Me",)}


def test_pages_that_are_no_posts_are_rejected() -> None:
    blog = generate("numbered")
    model = learn_blog(blog.samples, Hints(home=blog.home))
    listing = Page(url="https://blog.example/tag/food/", body=blog.home.body)
    lost = Page(
        url="https://blog.example/2012/03/nothing.html",
        body=b"<title>Page not found</title><body><h1>Not found</h1></body>",
    )
    gone = Page(url=blog.rest[0][0].url, body=blog.rest[0][0].body, status=410)
    about = Page(
        url="https://blog.example/about/",
        body=b"<html><title>About me</title><body><h1>About</h1><p>I write.</p></body></html>",
    )
    for page in (blog.home, listing, lost, gone, about):
        result = extract_post(page, model)
        assert isinstance(result, NotAPost), page.url
        assert result.reason and 0.5 <= result.confidence <= 1
    assert all(isinstance(extract_post(page, model), Post) for page, _ in blog.rest)


def test_feed_beats_the_page_for_its_own_entries() -> None:
    blog = generate("numbered")
    model = learn_blog(blog.samples, Hints(home=blog.home))
    page, truth = blog.rest[0]
    entry = FeedEntry(
        url=page.url, title="As the feed has it", authors=("Feed Author",), published=truth.moment
    )
    post = extract_post(page, model, entry, promised=True)
    assert isinstance(post, Post)
    assert (post.title, post.authors, post.published) == (
        "As the feed has it",
        ("Feed Author",),
        truth.moment,
    )
    assert bigram_dice(post.content_text, truth.text) >= 0.9


def test_recording_of_the_feed_is_the_posts() -> None:
    """Podcasts: the page may have a player that only a script fills, or a link to the file."""
    blog = generate("numbered")
    model, page = learn_blog(blog.samples, Hints(home=blog.home)), blog.rest[0][0]
    files = (
        MediaFile(url=page.absolute("/talk.mp3") or "", role="audio"),
        MediaFile(url="https://cdn.example/7", role="audio"),
    )
    linked = replace(page, body=page.body.replace(b"<p>", b'<p><a href="/talk.mp3">Play</a> ', 1))
    post = extract_post(linked, model, FeedEntry(url=page.url, enclosures=files), promised=True)
    assert isinstance(post, Post)
    assert sorted(file.url for file in post.media if file.role == "audio") == sorted(
        file.url for file in files
    )


def test_new_template_is_noticed() -> None:
    old, new = generate("utility"), generate("inside")
    model = learn_blog(old.samples, Hints(home=old.home))
    for page, _ in old.rest:
        model.observe(page, extract_post(page, model, None, True))
    assert not model.needs_relearning
    for page, _ in [*new.rest, *new.rest, *new.rest]:
        model.observe(page, extract_post(page, model, None, True))
    assert model.needs_relearning


def test_new_model_inherits_home_facts_and_list_dates() -> None:
    blog = generate("numbered")
    old = learn_blog(blog.samples, Hints(home=blog.home))
    assert old.home and old.facts and old.days
    fresh = learn_blog(blog.samples[:4])
    fresh.inherit(old)
    assert (fresh.home, fresh.facts) == (old.home, old.facts) and set(fresh.days) == set(old.days)
    assert isinstance(extract_post(blog.home, fresh), NotAPost)


def test_every_field_has_its_method_and_rule() -> None:
    for post, _ in extracted(generate("numbered")):
        for name in ("title", "authors", "published", "content"):
            assert set(post.extraction[name]) == {"method", "confidence", "rule"}
            assert 0 < post.extraction[name]["confidence"] <= 1


def test_dates_missing_on_posts_come_from_lists() -> None:
    blog = generate("numbered")
    model = learn_blog(blog.samples, Hints(home=blog.home))
    rows = "".join(
        f'<li><a href="{t.url}">{t.title}</a> <span>{t.moment:%d %b %Y}</span></li>'
        for _, t in blog.rest
    )
    assert (
        model.observe_hub(
            Page(
                url="https://blog.example/archive",
                body=f"<html><body><ul>{rows}</ul></body></html>".encode(),
            )
        )
        == 10
    )
    page, truth = blog.rest[0]
    bare = Page(url=page.url, body=re.sub(rb"<small>.*?</small>", b"", page.body))
    post = extract_post(bare, model, None, promised=True)
    assert isinstance(post, Post) and post.published is not None
    assert post.published.date() == truth.moment.date()
    assert post.extraction["published"]["method"] == "list"


def test_links_inside_a_listed_post_do_not_get_its_date() -> None:
    blog = generate("numbered")
    model = learn_blog(blog.samples, Hints(home=blog.home))
    first, second, quoted = (truth for _, truth in blog.rest[:3])
    long = (
        "<p>Last week we went to town, and as always it rained all day long, of which I "
        "wrote at length some time ago"
    )
    rows = "".join(
        f'<div class="item"><h2><a href="{t.url}">{t.title}</a></h2>{long} <a '
        f'href="{quoted.url}">here</a>.</p>'
        f"<i>{t.moment:%d %b %Y}</i></div>"
        for t in (first, second)
    )
    assert (
        model.observe_hub(
            Page(
                url="https://blog.example/2012/", body=f"<html><body>{rows}</body></html>".encode()
            )
        )
        == 2
    )
    assert [model.list_day(t.url) for t in (first, second, quoted)] == [
        first.moment.date(),
        second.moment.date(),
        None,
    ]
