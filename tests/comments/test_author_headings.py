# ruff: noqa: E501 (markup as engines write it)
"""Comments with titles of their own: the title is no name where the line below the text names somebody."""

from __future__ import annotations

import pytest

from blogcrawl.comments.page_reader import read_page
from blogcrawl.core.page import Page

TITLES = ("Great bread", "No title", "A question")
NAMES = ("Ann", "Bob Miller", "Carl")
TEXTS = (
    "I have baked this four times and it never failed me.",
    "So have I.",
    "How long does it rest?",
)
SHAPES = {
    "fc2": (
        "ja",
        '<div class="comment_area"><h4 id="comment{i}0">{title}</h4><div class="comment_body"><p>{text}</p></div><ul class="comment_footer"><li>2008/10/1{i}(火) 10:00:00 | <a href="http://r{i}.example/">URL</a> | {name} #- [<a href="?mode=edit&rno={i}">編集</a>]</li></ul></div>',
    ),
    "fc2 without address": (
        "ja",
        '<div class="comment_area"><h4 id="comment{i}0">{title}</h4><div class="comment_body"><p>{text}</p></div><ul class="comment_footer"><li>2008/10/1{i}(火) 10:00:00 | URL | {name} #a9Zx./ [<a href="?mode=edit&rno={i}">編集</a>]</li></ul></div>',
    ),
    "fc2 with parts of the foot in a list": (
        "ja",
        '<div class="sub_content" id="comment{i}0"><h4 class="sub_title">{title}</h4><div class="sub_body">{text}</div><ul class="sub_footer"><li>2008/10/1{i}(10:00)</li><li>{name} </li><li><a href="/?mode=edit&amp;rno={i}">編集</a></li></ul></div>',
    ),
    "canalblog": (
        "fr",
        '<div class="comment" id="c{i}0"><h5>{title}</h5><div class="itembody"><p>{text}</p></div><div class="itemfooter">Posté par {name}, 1{i} octobre 2008 à 10:00 <a href="#c{i}0">| Permalien</a></div></div>',
    ),
    "board": (
        "en",
        '<div class="comment" id="c{i}0"><b>{title}</b><p>{text}</p><p>October 1{i}, 2008 10:00 by {name}</p></div>',
    ),
}


def page(shape: str, count: int) -> Page:
    language, unit = SHAPES[shape]
    body = "".join(
        unit.format(i=i + 1, title=TITLES[i], name=NAMES[i], text=TEXTS[i]) for i in range(count)
    )
    html = f'<html lang="{language}"><body><h1>A walk</h1><div class="entry"><p>Words.</p></div><div id="comments"><h3>Comments</h3>{body}</div></body></html>'
    return Page(
        url="http://b.example/1.html",
        status=200,
        headers={"content-type": "text/html; charset=utf-8"},
        body=html.encode(),
    )


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("shape", SHAPES)
def test_author_is_read_from_the_line_below_the_text(shape: str, count: int) -> None:
    found = read_page(page(shape, count)).comments
    assert [(c.author, c.title, c.content_text) for c in found] == list(
        zip(NAMES, TITLES, TEXTS, strict=True)
    )[:count]


def test_comment_that_has_an_answers_title_is_signed_as_those_around_it() -> None:
    unit = SHAPES["fc2 with parts of the foot in a list"][1]
    titles = ("Re: ", "No title", "Re: ")
    body = "".join(
        unit.format(i=i + 1, name=NAMES[i], title=titles[i], text=TEXTS[i]) for i in range(3)
    )
    html = f'<html lang="ja"><meta charset="utf-8"><body><div id="cm"><h3>コメント</h3>{body}</div></body></html>'
    found = read_page(Page(url="http://b.example/1.html", body=html.encode())).comments
    assert [c.author for c in found] == list(NAMES)


def test_name_above_the_text_is_kept_if_the_line_below_has_none() -> None:
    unit = '<div class="comment" id="c{i}0"><h4>{name}</h4><p>{text}</p><p>October 1{i}, 2008 10:00 | <a href="#">Flag</a> | <a href="#c">Reply</a></p></div>'
    body = "".join(unit.format(i=i + 1, name=NAMES[i], text=TEXTS[i]) for i in range(3))
    html = f'<html lang="en"><body><div id="comments"><h3>Comments</h3>{body}</div></body></html>'
    seen = read_page(
        Page(url="http://b.example/1.html", status=200, headers={}, body=html.encode())
    )
    assert [c.author for c in seen.comments] == list(NAMES)


def test_labels_and_time_zones_are_no_names() -> None:
    unit = (
        '<table><tr><td class="talk-comment" id="t{i}00"><table><tr><td>From:</td><td><span><a href="http://{i}.example/"><b>{name}</b></a></span></td></tr>'
        '<tr><td>Date:</td><td><span>1{i} October 2008 10:00</span> (UTC)</td></tr></table><div class="comment-text"><p>{text}</p></div></td></tr></table>'
    )
    body = "".join(unit.format(i=i + 1, name=NAMES[i], text=TEXTS[i]) for i in range(3))
    html = f'<html lang="en"><body><div id="Comments">{body}</div></body></html>'
    seen = read_page(
        Page(url="http://b.example/1.html", status=200, headers={}, body=html.encode())
    )
    assert [c.author for c in seen.comments] == list(NAMES)


LONE = {
    "textpattern": '<ol class="comments"><li class="comment"><p class="comment_id"><a href="/1#c12" id="c12">#</a></p><p><a href="http://a.example/">Ann</a> · <span>1 May 2010, 10:11</span></p><p>So have I.</p></li></ol>',
    "drupal": '<a id="comment-12"></a><div class="comment"><span class="submitted">Fri, 2010-05-01 10:11 — Ann</span><h3><a href="/1#comment-12" class="active">So have</a></h3><div class="content"><p>So have I.</p></div><div class="links"><a href="/reply/12">reply</a></div></div>',
    "spip": '<ul class="forum"><li class="forum-fil"><div class="forum-chapo"><strong><a href="#forum12" name="forum12" id="forum12">A walk</a></strong> <small>1 May 2010 10:11, by <span>Ann</span></small></div><div class="forum-texte"><p>So have I.</p><p class="answer"><a href="forum.php?id=12" rel="noindex nofollow">Answer this message</a></p></div></li></ul>',
    "sapo": '<div class="comentario"><a name="t12"></a>De <b>Ann</b> - 1 May 2010, 10:11<div class="texto"><p>So have I.</p></div><a href="/1.html?replyto=12">answer this comment</a></div>',
    "tattertools": '<ol><li id="comment12"><div><span class="name">Ann</span> <span class="date">2010/05/01 10:11</span> <a href="#" class="modify">Change</a> <a href="#" class="write">Answer</a><p>So have I.</p></div></li></ol>',
}


@pytest.mark.parametrize("shape", LONE)
def test_single_comment_has_the_right_extent(shape: str) -> None:
    html = f'<html lang="en"><body><div class="side"><a href="/join">Join</a></div><div class="main"><div class="entry"><h1>A walk</h1><p>Words of 30 April 2010, and of other days.</p></div><div id="comments"><h2>Comments</h2>{LONE[shape]}</div></div></body></html>'
    seen = read_page(Page(url="http://b.example/1", status=200, headers={}, body=html.encode()))
    assert [(c.author, c.content_text, str(c.published)[:10]) for c in seen.comments] == [
        ("Ann", "So have I.", "2010-05-01")
    ]


def test_visitor_labels_of_engines_are_no_names() -> None:
    unit = '<div class="bComment" id="comment_{i}0"><div class="bCommentTitle">Commento da: {name} <span class="bUser-anonymous-tag">[Visitatore]</span></div><div class="bCommentText">{text}</div><div>1{i}.10.08 @ 10:00</div></div>'
    body = "".join(unit.format(i=i + 1, name=NAMES[i], text=TEXTS[i]) for i in range(3))
    html = f'<html lang="it"><body><div class="bFeedback">{body}</div></body></html>'
    seen = read_page(
        Page(url="http://b.example/1.html", status=200, headers={}, body=html.encode())
    )
    assert [c.author for c in seen.comments] == list(NAMES)


@pytest.mark.parametrize("linked", [{0}, {1}, {0, 1}])
def test_guest_names_in_definition_lists(linked: set[int]) -> None:
    """Each comment is a term and a text of one definition list, and both say where the post's author writes."""
    rows = []
    for i, (name, text) in enumerate(zip(NAMES, TEXTS, strict=True)):
        shown = (
            f'<a href="http://{i}.example/" rel="external nofollow" class="url">{name}</a>'
            if i in linked
            else name
        )
        classes = f"comment{' alt' * (i % 2)}{' author' * (i == 1)}"
        rows.append(
            f'<dt class="{classes}" id="comment-{i}1"><span class="nr"><a href="#comment-{i}1" rel="nofollow">{i + 1}</a></span> <strong>{shown} </strong>'
            f'<span class="comment_time">{{ 10.1{i}.08 at 6:38 am }}</span></dt><dd class="{classes}"><div class="text"><p><a href="#comment-01" rel="nofollow">@Zoe</a> {text}</p></div></dd>'
        )
    html = f'<html lang="en"><body><h1>A walk</h1><div id="comments"><p>3 comments</p><dl>{"".join(rows)}</dl></div></body></html>'
    seen = read_page(
        Page(url="http://b.example/1.html", status=200, headers={}, body=html.encode())
    )
    assert [c.author for c in seen.comments] == list(NAMES)


@pytest.mark.parametrize(
    ("words", "linked"), [("Commento da:", ["Carla"]), ("Zapisek z peresa", ["Carla", "Dora"])]
)
def test_names_are_found_far_from_the_date(words: str, linked: list[str]) -> None:
    """Above the text, between words of the engine, linked or not; the date is below."""
    unit = f'<div class="fb" id="comment_{{i}}0"><div class="ti">{words} {{name}} <i class="k">[Passant]</i></div><div class="tx">{{text}}</div><div class="lo"><a href="#">Permalink</a> 1{{i}}.10.08 @ 10:00</div></div>'
    names, texts = (
        ("Ann", "Bob", "Carla", "Dora"),
        (
            "<p>So do I.</p>",
            "<p>Not I.</p><p>Never.</p><p>Not once.</p>",
            "<p>Why?</p>",
            "<p>Ah.</p>",
        ),
    )
    rows = [
        unit.format(
            i=i + 1,
            name=f'<a rel="nofollow" href="http://c.example/">{n}</a>' if n in linked else n,
            text=t,
        )
        for i, (n, t) in enumerate(zip(names, texts, strict=True))
    ]
    html = f'<html lang="fr"><body><h1>A walk</h1><div class="list">{"".join(rows)}</div></body></html>'
    seen = read_page(
        Page(url="http://b.example/1.html", status=200, headers={}, body=html.encode())
    )
    assert [c.author for c in seen.comments] == list(names)


@pytest.mark.parametrize(
    ("title", "site"),
    [("您的搜索評論", "方面中文"), ("コメントの話", "日記"), ("A walk with comments", "Notes")],
)
def test_title_mentioning_comments_is_no_comment_heading(title: str, site: str) -> None:
    post = f'<h2>2004年06月17日</h2><div><h3>{title}</h3><p>{TEXTS[0] * 3}</p><span class="posted">Posted by Ann at 2004-06-17 10:00</span></div>'
    html = f"<html><head><title>{site}: {title}</title></head><body>{post}</body></html>"
    assert (
        read_page(
            Page(url="http://b.example/1.html", status=200, headers={}, body=html.encode())
        ).comments
        == ()
    )


def test_heading_with_which_the_text_begins_is_no_name() -> None:
    """As IsraBlog makes titles of the texts, above the line of name and day."""
    unit = "<div class=comment><b>{}</b><div>{}, on 1{} October 2008 10:00</div><div>{}</div></div>"
    rows = list(zip(NAMES, TEXTS, strict=True))
    said = "".join(unit.format(text[:12], who, i, text) for i, (who, text) in enumerate(rows))
    html = f"<html lang=en><body><h3>Comments</h3>{said}</body></html>"
    found = read_page(Page(url="http://b.example/1", body=html.encode())).comments
    assert [(c.author, c.content_text) for c in found] == rows
