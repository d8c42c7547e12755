"""Comments on pages that name nothing, by lines that recur over the pages of a blog."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.extraction.model import judge_page, learn_blog
from blogcrawl.induction.ruleset import Sample
from blogcrawl.induction.signed_lines import (
    learn_signed_lines,
    signed_texts,
    without_signed_texts,
)

NAMES = ("Ann Lee", "Bob", "Carla", "Dirk")
WORDS = "river boat kettle garden ladder winter engine market letter window violin bridge".split()
COUNTS = (2, 0, 3, 1, 4, 0, 2, 1)
Comment = tuple[str, datetime, str]


def _prose(seed: int, words: int) -> str:
    return " ".join(WORDS[(seed * (k + 3) + k * k) % len(WORDS)] for k in range(words)) + "."


def _comments(post: int) -> list[Comment]:
    day = datetime(2004, 3 + post, 14, 9, 30)
    return [
        (NAMES[(post + k) % 4], day + timedelta(hours=20 * k), f"{_prose(7 * post + k, 9)} {k}")
        for k in range(COUNTS[post])
    ]


def _page(post: int, comments: str, signature: str = "") -> Page:
    text = "".join(f"<p>{_prose(31 * post + k, 60)} {post} {k}</p>" for k in range(3))
    body = (
        f"<html><title>Post {post}</title><body><table><tr><td><a href=/>Home</a></td><td>"
        f"<h3>The {WORDS[post]} of {WORDS[-post]}</h3>{text}{signature}{comments}"
        "<p>Copyright 2004</p></td></tr></table></body></html>"
    )
    return Page(url=f"http://blog.example/{post}.html", body=body.encode())


def _pages(write: Callable[[Comment], str], signature: str = "") -> list[Page]:
    return [
        _page(
            post,
            "".join(map(write, _comments(post))),
            signature.format(at=datetime(2004, 3 + post, 14, 8)),
        )
        for post in range(len(COUNTS))
    ]


def _read(pages: Sequence[Page]) -> list[list[tuple[str | None, str]]]:
    rule = learn_signed_lines([(page, None) for page in pages])
    assert rule is not None
    return [
        [(one.name, " ".join(line.text for line in one.text)) for one in signed_texts(p.tree, rule)]
        for p in pages
    ]


LAYOUTS: dict[str, tuple[Callable[[Comment], str], str]] = {
    "text above, between rules": (
        lambda c: f"<hr>{c[2]}<br><font size=1>{c[0]}, {c[1]:%d %B %Y %H:%M}</font>",
        "",
    ),
    "signed like the post": (
        lambda c: f"<p>{c[2]}</p><font>Posted by {c[0]} on {c[1]:%d.%m.%Y} at {c[1]:%H:%M}</font>",
        "<font>Posted by Max on {at:%d.%m.%Y} at {at:%H:%M}</font>",
    ),
    "terms": (lambda c: f"<dl><dt>{c[0]} said on {c[1]:%d %b %Y}<dd>{c[2]}</dl>", ""),
    "name and date in lines of their own": (
        lambda c: (
            f"<table><tr><td>From: <b>{c[0]}</b><br>{c[1]:%Y-%m-%d %H:%M} (<a href=#>link</a>)"
            f"</td></tr><tr><td>{c[2]}</td></tr><tr><td><a href=#>Reply</a></td></tr></table>"
        ),
        "",
    ),
    "name and text in cells": (
        lambda c: (
            f"<table><tr><td><b>{c[0]}</b></td><td>{c[2]} <font>{c[1]:%Y/%m/%d %H:%M}</font>"
            "</td></tr></table>"
        ),
        "",
    ),
    "subjects above, links below": (
        lambda c: (
            f"<table><tr><td><b>Re: {c[2][:12]}</b> (1)<br>by {c[0]} on {c[1]:%A, %d %B %Y}"
            f" at {c[1]:%H:%M}<br>(<a href=#>Profile</a>)</td></tr><tr><td>{c[2]}</td></tr></table>"
        ),
        "",
    ),
    "labels in cells": (
        lambda c: (
            f"<table><tr><td>Name:</td><td>{c[0]}</td></tr><tr><td>E-mail:</td><td>a@b.c</td>"
            f"</tr><tr><td>Date:</td><td>{c[1]:%d.%m.%Y %H:%M}</td></tr>"
            f"<tr><td>Comment:</td><td>{c[2]}</td></tr></table>"
        ),
        "",
    ),
    "answers in quotations": (
        lambda c: (
            "<blockquote>" * (c[1].hour != 9)
            + f"<i>{c[0]}</i>, {c[1]:%d.%m.%Y %H:%M}<br>{c[2]}<br>"
            + "</blockquote>" * (c[1].hour != 9)
        ),
        "",
    ),
    "typed text": (
        lambda c: f"<pre>From: {c[0]}\nDate: {c[1]:%d-%b-%Y %H:%M}\n\n{c[2]}</pre>",
        "",
    ),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_comments_are_read_in_any_markup(name: str):
    read = _read(_pages(*LAYOUTS[name]))
    assert read == [[(c[0], c[2]) for c in _comments(post)] for post in range(len(COUNTS))]


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_post_is_left_without_them(name: str):
    pages = _pages(*LAYOUTS[name])
    model = learn_blog([Sample(page=p, entry=FeedEntry(url=p.url)) for p in pages])
    for number, page in enumerate(pages):
        post, _ = judge_page(page, model, None, True)
        assert isinstance(post, Post)
        assert f"{number} 2" in post.content_text
        assert not any(c[2] in post.content_text for c in _comments(number))


def test_the_posts_own_signature_is_kept():
    pages = _pages(*LAYOUTS["signed like the post"])
    rule = learn_signed_lines([(page, None) for page in pages])
    assert rule is not None
    assert rule.is_posts
    bare = [without_signed_texts(page, rule)[0].text for page in pages]
    assert all(text.count("Posted by") == 1 and "Posted by Max" in text for text in bare)


def test_addresses_that_readers_write_belong_to_their_comments():
    write, signature = LAYOUTS["signed like the post"]

    def with_address(c: Comment) -> str:
        return f"{c[2]}<br><a href=/>www.{''.join(c[2].split())}</a><br>It is {c[2][5:30]}"

    pages = _pages(lambda c: write((c[0], c[1], with_address(c))), signature)
    read = [text for page in _read(pages) for _, text in page]
    comments = [c for post in range(len(COUNTS)) for c in _comments(post)]
    assert len(read) == len(comments)
    assert all(
        "www." in text and text.startswith(c[2]) for text, c in zip(read, comments, strict=True)
    )


def test_bylines_of_the_post_are_kept_whatever_they_say_of_comments():
    write, _ = LAYOUTS["text above, between rules"]
    pages = _pages(write, "<font>posted by Max @ {at:%H:%M} | 3 comments</font><br><b>Comments</b>")
    rule = learn_signed_lines([(page, None) for page in pages])
    assert rule is not None
    bare = [without_signed_texts(page, rule)[0].text for page in pages]
    assert all("posted by Max" in text for text in bare)
    assert [">Comments<" in text for text in bare] == [not count for count in COUNTS]


def test_what_is_no_comment_is_left_alone():
    def stays(c: Comment) -> str:
        return f"<p>{c[1]:%d %B %Y}, at the {WORDS[c[1].day % 5]}</p><p>{c[2]}</p>"

    def versions(c: Comment) -> str:
        return f"<ul><li>{c[1]:%d %B %Y %H:%M} text changed</ul>"

    def code(c: Comment) -> str:
        return f"<pre class=sql>set {c[0]} = '{c[1]:%Y-%m-%d %H:%M:%S}'\nmore {c[2]}</pre>"

    for write in (stays, versions, code):
        assert learn_signed_lines([(page, None) for page in _pages(write)]) is None


def test_lists_that_all_pages_have_are_no_comments():
    latest = "".join(f"<p>{c[0]} on {c[1]:%d %B %Y %H:%M}</p><p>{c[2]}</p>" for c in _comments(4))
    pages = [_page(post, latest if post % 3 else "") for post in range(len(COUNTS))]
    assert learn_signed_lines([(page, None) for page in pages]) is None


def test_posts_of_lists_are_no_comments():
    """Their titles may look like names: "Harbour", "Two ropes"."""

    def entry(c: Comment) -> str:
        return f"<b>{c[2][:12]}</b><br>Posted by Max on {c[1]:%d.%m.%Y %H:%M}<p>{c[2]}</p>"

    pages = [
        _page(post, "".join(map(entry, reversed(_comments(post) or _comments(0)[:1]))))
        for post in range(len(COUNTS))
    ]
    assert learn_signed_lines([(page, None) for page in pages]) is None


def test_dates_before_the_post_are_no_comments():
    write, _ = LAYOUTS["text above, between rules"]
    late = [(page, datetime(2005, 1, 1)) for page in _pages(write)]
    assert learn_signed_lines(late) is None


def test_the_order_of_days_is_learned():
    days = _pages(lambda c: f"<hr>{c[2]}<br>{c[0]}, {c[1]:%m/%d/%Y %H:%M}")
    rule = learn_signed_lines([(page, None) for page in days])
    assert rule is not None
    assert rule.day_first is False


def test_days_of_comments_are_written_as_those_of_posts():
    def low(c: Comment) -> str:
        return f"<hr>{c[2]}<br>{c[0]}, {c[1]:%m}/{c[1].day - 12:02}/2004 {c[1]:%H:%M}"

    pages = _pages(low)
    dated = [
        Page(url=p.url, body=p.body.replace(b"</h3>", f"</h3><p>0{n + 3}/14/2004</p>".encode()))
        for n, p in enumerate(pages)
    ]
    for each, wanted in ((pages, None), (dated, False)):
        model = learn_blog([Sample(page=p, entry=FeedEntry(url=p.url)) for p in each])
        signed = model.ruleset.facts.signed
        assert signed is not None
        assert signed.day_first is wanted


def test_a_page_without_comments_stays_itself():
    write, signature = LAYOUTS["text above, between rules"]
    pages = _pages(write, signature)
    rule = learn_signed_lines([(page, None) for page in pages])
    assert rule is not None
    assert without_signed_texts(pages[1], rule)[0] is pages[1]
    bare, dates = without_signed_texts(pages[0], rule)
    assert len(dates) == 2 and b"Ann Lee" not in bare.body


def test_a_day_amid_the_posts_text_is_no_signature():
    write = "<p>{0[0]} said<br><b>{0[1]:%B %d %Y}</b></p><p>{0[2]}</p>".format
    pages = _pages(write)
    rule = learn_signed_lines([(page, None) for page in pages])
    assert rule is not None
    said = "I am going to start a weekly letter to keep people abreast of what goes on here:"
    day = f"<p>{said}<br><b>May 19 2017</b></p><p>Three boats sank.</p>"
    page = _page(0, day + "".join(map(write, _comments(0))))
    bare, dates = without_signed_texts(page, rule)
    assert len(dates) == 2 and b"Three boats" in bare.body and b"Ann Lee" not in bare.body
