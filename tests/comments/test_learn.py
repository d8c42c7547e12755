# ruff: noqa: E501 (markup as engines write it)
"""Rules by maximum-weight matching between a feed's comments and a page's nodes: markup that no
table knows.
"""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from blogcrawl.comments import CommentRules, extract_comments, learn_comments
from blogcrawl.comments.page_reader import read_page
from blogcrawl.core.page import Page
from blogcrawl.core.records import Comment

WORDS = "river stone paper winter compiler archive library bread light open window garden letter engine harbour mountain".split()


def sentence(seed: int) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=14)).capitalize() + f" {seed}."


def blog_page(number: int, count: int) -> tuple[Page, list[Comment]]:
    """A page of a theme that says "comment" nowhere; its feed shows the last four only."""
    start = datetime(2019, 5, 1, 12, tzinfo=UTC) + timedelta(days=number)
    rows, expected = [], []
    for i in range(count):
        when = start + timedelta(hours=5 * i)
        text = sentence(number * 100 + i)
        local = when + timedelta(hours=2)
        rows.append(
            f'<div class="zq"><div class="zw"><span class="za">Reader {i}</span> · <span class="zd">{local:%d.%m.%y %H:%M}</span></div><div class="zt">{text}</div></div>'
        )
        expected.append(
            Comment(
                id=str(number * 100 + i),
                author=f"Reader {i}",
                published=when,
                content_text=text,
                content_html=f"<p>{text}</p>",
                source="feed",
            )
        )
    post = f"<div class=zp><h1>Post {number}</h1><div class=zb><p>{sentence(number + 5000)}</p><p>{sentence(number + 6000)}</p></div></div>"
    page = Page(
        url=f"http://b.example/{number}",
        body=f"<html><body>{post}<div class=zz>{''.join(rows)}</div></body></html>".encode(),
    )
    return page, expected


def test_comments_without_known_markup_are_learned_from_the_feed() -> None:
    samples = [blog_page(n, 3 + n) for n in range(6)]
    assert all(not read_page(page).comments for page, _ in samples)
    rules = learn_comments([(page, expected[-4:]) for page, expected in samples])
    assert rules is not None and rules.unit is not None and "zq" in rules.unit
    assert rules.day_first is True and "+02:00" in rules.zones
    assert rules.support_right == rules.support_tried == 6
    page, expected = blog_page(9, 14)
    found = extract_comments(page, rules, known=[expected[-4:]]).comments
    assert [(c.author, c.content_text, c.published) for c in found] == [
        (c.author, c.content_text, c.published) for c in expected
    ], "overflow: the page has more than the feed"


def boxed_page(number: int, count: int) -> tuple[Page, list[Comment]]:
    """A page of a theme whose bylines are paragraphs like those of the comments' texts, of which
    every second comment has two."""
    page, known = blog_page(number, count)
    rows, expected = [], []
    for place, comment in enumerate(known):
        lines = [comment.content_text, f"Greetings to all, number {comment.id}."][: 1 + place % 2]
        text = "".join(f"<p>{line}</p>" for line in lines)
        rows.append(
            f"<div class=zq><p class=za>Written by <i>{comment.author}</i></p><p class=zd>{comment.published:%d.%m.%y %H:%M}</p>{text}</div>"
        )
        expected.append(replace(comment, content_text="\n".join(lines)))
    html = page.body.decode().partition("<div class=zz>")[0]
    return Page(url=page.url, body=f"{html}<div class=zz>{''.join(rows)}</div>".encode()), expected


def test_comment_of_several_paragraphs_next_to_its_byline_is_one() -> None:
    rules = learn_comments([boxed_page(n, 2) for n in range(6)])
    assert rules is not None
    page, expected = boxed_page(9, 4)
    found = extract_comments(page, rules).comments
    assert [(c.author, c.content_text) for c in found] == [
        (c.author, c.content_text) for c in expected
    ]


def test_comment_rules_survive_json() -> None:
    rules = learn_comments(
        [(page, expected[-4:]) for page, expected in (blog_page(n, 5) for n in range(3))]
    )
    assert rules is not None
    assert CommentRules.from_json({**rules.to_json(), "of the future": 1}) == rules


def test_offsets_of_older_rules_are_read_as_zones() -> None:
    assert CommentRules.from_json({"utc_offsets": [-300, -240]}).zones == ("-05:00",)
    assert CommentRules.from_json({"utc_offsets": []}).zones == ()


def test_no_rules_are_learned_from_pages_without_comments() -> None:
    samples = [
        (
            Page(
                url="http://b.example/1",
                body=b"<html><body><p>Other words stand here, none of them said by a reader.</p></body></html>",
            ),
            blog_page(1, 4)[1],
        )
    ]
    assert learn_comments(samples) is None
    assert learn_comments([]) is None


def test_known_markup_gives_zones_and_day_order_only() -> None:
    def known(number: int) -> tuple[Page, list[Comment]]:
        page, expected = blog_page(number, 4)
        html = page.text
        for c in expected:
            html = html.replace('<div class="zq">', f'<div class="comment" id="comment-{c.id}">', 1)
        return Page(url=page.url, body=html.encode()), expected

    rules = learn_comments([known(n) for n in range(4)])
    assert (
        rules is not None
        and rules.unit is None
        and "+02:00" in rules.zones
        and rules.day_first is True
    )
    page, expected = known(7)
    assert [c.published for c in extract_comments(page, rules).comments] == [
        c.published for c in expected
    ]
