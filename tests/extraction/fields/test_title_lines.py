"""Titles that are no headings."""

from __future__ import annotations

import re

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.extraction.fields.title_lines import names_nothing, title_at, title_place
from blogcrawl.extraction.model import extract_post, learn_blog
from blogcrawl.induction.ruleset import Sample

TITLES = "Harbour in May,Two ropes,A kettle,Rain again,Letters from Jo,The lock,Stove".split(",")


def page_of(n: int, above: str) -> Page:
    text = f"It rained for {n} days, and the snails came out of the hedge in rows of {n + 3}. " * 5
    html = (
        "<html><title>Marsh Light</title><body><table><tr><td><b>Archive</b><br><a href=/>2004</a>"
        f"</td><td>{above.format(title=TITLES[n], day=n + 3)}<br>{text}<br><b>About {n}</b></td>"
        "</tr></table></body></html>"
    )
    return Page(url=f"https://b.example/{n}", body=html.encode())


PLACES = {
    "bold": "<b>{title}</b><br><font size=1>{day} May 2004, von Jo</font>",
    "larger": "<font size=4>{title}</font><br>{day} May 2004",
    "below a heading that is a day": "<h3>{day} May 2004</h3><b>{title}</b>",
    "with an ornament": "<b>{day} May 2004</b><p><b>■ {title}</b></p>",
    "with a square and no blank": "<b>{day} May 2004</b><p><b>■{title}</b></p>",
    "named, behind the day": "<p>{day} May 2004 - <span class=PostTitle>{title}</a></span></p>",
}


@pytest.mark.parametrize("how", PLACES)
def test_marked_lines_in_one_place_are_titles(how: str) -> None:
    pages = [page_of(n, PLACES[how]) for n in range(7)]
    model = learn_blog([Sample(page=p, entry=FeedEntry(url=p.url)) for p in pages])
    posts = [extract_post(page, model, None, True) for page in pages]
    assert [post.title for post in posts if isinstance(post, Post)] == TITLES


@pytest.mark.parametrize(
    "above",
    ["<p>{title}<p>Mon, May {day}, 2004", "<p>published: 2004-05-0{day}<p>{title}"],
)
def test_unmarked_lines_next_to_the_day_are_titles(above: str) -> None:
    """The day is read there too, however far the text is: a table of contents stands between."""
    contents = "<ul>" + "<li><a href=#p><span>Part</span></a>" * 50 + "</ul>"
    pages = [page_of(n, above + contents) for n in range(7)]
    model = learn_blog([Sample(page=p, entry=FeedEntry(url=p.url)) for p in pages])
    posts = [post for p in pages if isinstance(post := extract_post(p, model, None, True), Post)]
    assert [post.title for post in posts] == TITLES
    assert [post.published and post.published.day for post in posts] == [*range(3, 10)]


def test_titles_above_short_posts_count_too() -> None:
    pages = [page_of(n, PLACES["bold"]) for n in range(7)]
    short = [
        Page(url=p.url, body=re.sub(rb"It rained.*<br>", b"Rain, %d mm.<br>" % n, p.body))
        for n, p in enumerate(pages)
    ]
    place = title_place(short)
    assert place is not None
    assert [title_at(page, place) for page in short] == TITLES


@pytest.mark.parametrize(
    "above", ["<b>Mood:</b> {title}", "<b>{day} May 2004</b>", "{title}", "<b>More of the same</b>"]
)
def test_other_lines_are_none(above: str) -> None:
    assert title_place([page_of(n, above) for n in range(7)]) is None


@pytest.mark.parametrize("title", ["Marsh Light: {n} May 2004", "Marsh Light, Monday 0{n}/05/2004"])
def test_days_behind_the_name_of_the_site_are_no_titles(title: str) -> None:
    pages = [page_of(n, PLACES["bold"]) for n in range(7)]
    days = [
        Page(url=p.url, body=p.body.replace(b"Marsh Light", title.format(n=n + 3).encode()))
        for n, p in enumerate(pages)
    ]
    bare = [
        Page(url=p.url, body=p.body.replace(f"<b>{TITLES[n]}</b>".encode(), b""))
        for n, p in enumerate(days)
    ]
    for given, wanted in ((days, TITLES), (bare, [None] * 7)):
        model = learn_blog([Sample(page=p, entry=FeedEntry(url=p.url)) for p in given])
        posts = [extract_post(page, model, None, True) for page in given]
        assert [post.title for post in posts if isinstance(post, Post)] == wanted


def test_days_of_calendars_are_no_titles() -> None:
    """Some method may take a cell of a calendar for the title."""
    pages = [page_of(n, PLACES["bold"]) for n in range(7)]
    entries = [FeedEntry(url=p.url, title=str(n)) for n, p in enumerate(pages)]
    samples = [Sample(page=p, entry=e) for p, e in zip(pages, entries, strict=True)]
    model = learn_blog(samples)
    posts = [extract_post(page, model, None, True) for page in pages]
    assert [post.title for post in posts if isinstance(post, Post)] == TITLES


def test_a_place_without_such_a_line_gives_no_title() -> None:
    place = title_place([page_of(n, PLACES["bold"]) for n in range(7)])
    assert place is not None
    assert title_at(page_of(0, PLACES["bold"]), place) == TITLES[0]
    assert title_at(page_of(0, "<b>3 May 2004</b>"), place) is None


def test_time_of_day_in_a_link_to_a_post_is_no_title() -> None:
    assert names_nothing("7:40 PM")
    assert names_nothing("3 comments")
    assert not names_nothing("5 May 2004")
    assert not names_nothing("24")
