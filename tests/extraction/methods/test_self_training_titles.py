"""Titles and days of posts without a feed: what all documents' titles begin with, and the number
in an address that is no day.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, FieldValue, Post
from blogcrawl.extraction.methods.self_training import in_day_order
from blogcrawl.extraction.model import Hints, extract_post, learn_blog
from blogcrawl.induction.ruleset import Sample

WORDS = ("harbour", "lantern", "kettle", "orchard", "river", "bread", "signal", "copper")


def _page(n: int, head: str, day: str) -> Page:
    text = " ".join(f"The {WORDS[n]} of day {n} and the {word} of the street." for word in WORDS)
    html = (
        f"<html><head><title>{head}</title></head><body><div id=top><b>Slow Street</b></div>"
        f"<div class=entry><p class=date>{day}</p><p>{text}</p><p>{text}</p></div></body></html>"
    )
    return Page(url=f"http://b.example/2015/0{n + 1}/2{n}-{WORDS[n]}/", body=html.encode())


def _samples() -> list[Sample]:
    pages = [
        _page(n, f"Slow Street: The {WORDS[n]} of {WORDS[n - 1]}", f"2015-0{n + 1}-0{n + 1}")
        for n in range(8)
    ]
    return [Sample(page=page, entry=FeedEntry(url=page.url)) for page in pages]


def test_site_name_before_the_title_is_learned_as_prefix() -> None:
    rules = learn_blog(_samples()).ruleset.rules["title"]
    assert (rules[0].xpath, rules[0].prefix) == ("//title", "Slow Street: ")


def test_date_line_trains_if_the_url_number_is_no_date() -> None:
    model = learn_blog(_samples())
    assert model.ruleset.facts.dates.url_day == 0
    assert model.ruleset.rules["published"][0].support_right == 8


def _under_masthead(n: int) -> Page:
    """A page of a template whose documents' titles and only heading of the first level are the
    blog's, with the day as second."""
    text = " ".join(f"The {WORDS[n]} of day {n} and the {word} of the street." for word in WORDS)
    body = (
        f"<h1><a href=/>Slow Street</a></h1><h2>Mon, {n + 10} Nov 2014</h2><p>Notes</p><div>"
        f"<h3><a name=p{n}>The {WORDS[n]} of {WORDS[n - 1]}</a></h3>"
        f"<div><p>{text}</p><h2>{WORDS[n]} again</h2><p>{text}</p></div>"
        f"<p><a href=/notes/p{n}.html>lasting link</a></p></div>"
    )
    html = f"<html><head><title>Slow Street</title></head><body>{body}</body></html>"
    return Page(url=f"http://b.example/notes/p{n}.html", body=html.encode())


def _list_of(numbers: range) -> Page:
    posts = "".join(
        f"<div><h3>The {WORDS[n]}</h3><p>{WORDS[n]}</p><a href=/notes/p{n}.html>lasting link</a>"
        for n in numbers
    )
    html = f"<html><body><h1>Slow Street</h1>{posts}</body></html>"
    return Page(url=f"http://b.example/2014/{numbers.start}/", body=html.encode())


def test_same_link_text_to_all_posts_is_no_title() -> None:
    samples = [
        Sample(page=page, entry=FeedEntry(url=page.url)) for page in map(_under_masthead, range(7))
    ]
    model = learn_blog(samples, Hints(others=[_list_of(range(4)), _list_of(range(4, 8))]))
    post = extract_post(_under_masthead(7), model, None, True)
    assert isinstance(post, Post)
    assert post.title == "The copper of signal"


def test_order_of_numbers_is_proved_by_the_other_pages() -> None:
    """02/05 is a day of February where another page has 02/13."""
    pages = [
        _page(n, f"Slow Street: The {WORDS[n]} of {WORDS[n - 1]}", f"0{n + 1}/{5 + 2 * n:02}/2015")
        for n in range(8)
    ]
    pages = [replace(page, url=f"http://b.example/notes/{n}.html") for n, page in enumerate(pages)]
    model = learn_blog([Sample(page=page, entry=FeedEntry(url=page.url)) for page in pages])
    posts = [extract_post(page, model) for page in pages]
    assert [str(post.published)[:10] for post in posts if isinstance(post, Post)] == [
        f"2015-0{n + 1}-{5 + 2 * n:02}" for n in range(8)
    ]


@pytest.mark.parametrize(
    ("day_first", "wanted"), [(None, "2004-09-08"), (True, "2004-09-08"), (False, "2004-08-09")]
)
def test_days_that_no_rule_reads_have_the_order_of_the_pages(
    day_first: bool | None, wanted: str
) -> None:
    read = FieldValue(
        value=datetime(2004, 9, 8, tzinfo=UTC), method="generic", confidence=0.7, raw="08/09/2004"
    )
    assert [str(day.value)[:10] for day in in_day_order([read], day_first)] == [wanted]


def _moment_page(n: int) -> Page:
    """An untitled post whose document is called by the site's name and the moment."""
    words = " ".join(f"word{n}x{k}" for k in range(60 + 20 * n))
    body = (
        f"<title>Ann's Site - 3/{n + 10}/2005 1{n}:56:00 AM</title><div id='top'>Sites</div>"
        f"<div class='day'>March {n + 10}, 2005</div><div class='body'><p>{words}.</p></div>"
        f"<p>Posted 3/{n + 10}/2005 - <a href='/{n}/'>{n + 2} comments</a></p>"
    )
    return Page(url=f"http://blog.test/{n}/", body=body.encode())


@pytest.mark.parametrize("text", ["{n} comments", "March 1{n}, 2005"])
def test_neither_number_of_comments_nor_moment_is_a_title(text: str) -> None:
    """Lists of untitled posts link to them by the number of their comments, or by their day."""
    links = "".join(f"<p>Text <a href='/{n}/'>{text.format(n=n)}</a></p>" for n in range(6))
    home = Page(
        url="http://blog.test/", body=f"<title>Ann's Site</title><body>{links}</body>".encode()
    )
    pages = [_moment_page(n) for n in range(6)]
    samples = [Sample(page=page, entry=FeedEntry(url=page.url)) for page in pages]
    model = learn_blog(samples, Hints(home=home))
    posts = [extract_post(page, model, None, promised=True) for page in pages]
    assert [getattr(post, "title", post) for post in posts] == [None] * 6
