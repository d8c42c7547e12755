# ruff: noqa: E501 (markup as engines write it)
"""Comments with titles of their own: the title is no name where the line below the text names somebody."""

from __future__ import annotations

import pytest

from blogcrawl.extraction.comments.onpage import read_page
from blogcrawl.page import Page

TITLES = ("Great bread", "No title", "A question")
NAMES = ("Ann", "Bob Miller", "Carl")
TEXTS = ("I have baked this four times and it never failed me.", "So have I.", "How long does it rest?")
SHAPES = {
    "fc2": ("ja", '<div class="comment_area"><h4 id="comment{i}0">{title}</h4><div class="comment_body"><p>{text}</p></div><ul class="comment_footer"><li>2008/10/1{i}(火) 10:00:00 | <a href="http://r{i}.example/">URL</a> | {name} #- [<a href="?mode=edit&rno={i}">編集</a>]</li></ul></div>'),
    "fc2 without address": ("ja", '<div class="comment_area"><h4 id="comment{i}0">{title}</h4><div class="comment_body"><p>{text}</p></div><ul class="comment_footer"><li>2008/10/1{i}(火) 10:00:00 | URL | {name} #a9Zx./ [<a href="?mode=edit&rno={i}">編集</a>]</li></ul></div>'),
    "canalblog": ("fr", '<div class="comment" id="c{i}0"><h5>{title}</h5><div class="itembody"><p>{text}</p></div><div class="itemfooter">Posté par {name}, 1{i} octobre 2008 à 10:00 <a href="#c{i}0">| Permalien</a></div></div>'),
    "board": ("en", '<div class="comment" id="c{i}0"><b>{title}</b><p>{text}</p><p>October 1{i}, 2008 10:00 by {name}</p></div>'),
}  # fmt: skip


def page(shape: str, count: int) -> Page:
    language, unit = SHAPES[shape]
    body = "".join(unit.format(i=i + 1, title=TITLES[i], name=NAMES[i], text=TEXTS[i]) for i in range(count))
    html = f'<html lang="{language}"><body><h1>A walk</h1><div class="entry"><p>Words.</p></div><div id="comments"><h3>Comments</h3>{body}</div></body></html>'
    return Page(url="http://b.example/1.html", status=200, headers={"content-type": "text/html; charset=utf-8"}, body=html.encode())


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_line_below_the_text_names_the_author(shape: str, count: int) -> None:
    found = read_page(page(shape, count)).comments
    assert [(c.author, c.title, c.content_text) for c in found] == list(zip(NAMES, TITLES, TEXTS, strict=True))[:count]


def test_a_name_above_the_text_stays_where_the_line_below_names_nobody() -> None:
    unit = '<div class="comment" id="c{i}0"><h4>{name}</h4><p>{text}</p><p>October 1{i}, 2008 10:00 | <a href="#">Flag</a> | <a href="#c">Reply</a></p></div>'
    body = "".join(unit.format(i=i + 1, name=NAMES[i], text=TEXTS[i]) for i in range(3))
    html = f'<html lang="en"><body><div id="comments"><h3>Comments</h3>{body}</div></body></html>'
    seen = read_page(Page(url="http://b.example/1.html", status=200, headers={}, body=html.encode()))
    assert [c.author for c in seen.comments] == list(NAMES)


def test_labels_and_zones_are_no_names() -> None:
    unit = (
        '<table><tr><td class="talk-comment" id="t{i}00"><table><tr><td>From:</td><td><span><a href="http://{i}.example/"><b>{name}</b></a></span></td></tr>'
        '<tr><td>Date:</td><td><span>1{i} October 2008 10:00</span> (UTC)</td></tr></table><div class="comment-text"><p>{text}</p></div></td></tr></table>'
    )
    body = "".join(unit.format(i=i + 1, name=NAMES[i], text=TEXTS[i]) for i in range(3))
    html = f'<html lang="en"><body><div id="Comments">{body}</div></body></html>'
    seen = read_page(Page(url="http://b.example/1.html", status=200, headers={}, body=html.encode()))
    assert [c.author for c in seen.comments] == list(NAMES)
