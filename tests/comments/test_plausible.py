# ruff: noqa: E501 (markup as engines write it)
"""Blocks that have the markup of comments but are not; content nodes that cleaning has changed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogcrawl.comments import extract_comments
from blogcrawl.core.page import Page

TEXTS = [
    f"Paragraph {word} tells at some length what happened on that long day in the old harbour town."
    for word in ("one", "two", "three")
]
POST = "".join(f"<p>{text}</p>" for text in TEXTS)
FORM = '<form action="/wp-comments-post.php" id="commentform"><textarea name="comment"></textarea><input type="text" name="author"></form>'

NONE: dict[str, str] = {
    "numbered parts of a content system": '<div id="c101" class="frame"><h2>The harbour</h2>{post}</div><div id="c102" class="frame"><h3>More</h3><ul><li>3 May 2012 <a href="/x">Ann on boats</a></li></ul></div><div id="c103" class="frame"><p>Contact us in the town hall.</p></div>',
    "the article itself under a number": '<main class="response"><article id="c77"><header><h1>The harbour</h1><p>by Ann, 3 May 2012</p></header>{post}</article></main>',
    "a card of the writer": '<div>{post}</div><section class="vcard author"><span class="fn">Ann Lee</span> <p>writes about boats since 2009.</p></section>',
    "a form that could be cancelled": f'<div>{{post}}</div><div class="comments-wrap"><div id="comments"></div><div id="respond" class="comment-respond"><h3 id="reply-title">Leave a reply <small><a rel="nofollow" href="#respond">Cancel reply</a></small></h3>{FORM}</div></div>',
    "a named and numbered form": '<div>{post}</div><div id="comments535" class="comments"><div id="respond" class="comment-respond"><h3>Leave a reply <small><a rel="nofollow" href="#respond">Cancel reply</a></small></h3><p>You must <a href="/login">log in</a> to comment, since 2012.</p></div></div>',
    "a whole page called a commentary": '<div class="full news commentary"><nav><a href="/">Home</a> <a href="/x">Boats</a></nav><h1>The harbour</h1><time datetime="2012-05-03">3 May</time>{post}</div>',
    "responsive boxes": '<div>{post}</div><div class="responsive-box"><div id="c11" class="responsive"><b>Ann</b> 3 May 2012 <p>Our boats in pictures.</p></div><div id="c12" class="responsive"><b>Bob</b> 4 May 2012 <p>Our nets in pictures.</p></div></div>',
}


def made(body: str) -> Page:
    return Page(
        url="http://blog.example/harbour",
        body=f"<html lang=en><title>The harbour | Notes</title><body>{body}</body></html>".encode(),
    )


@pytest.mark.parametrize("name", sorted(NONE))
@pytest.mark.parametrize("known", [True, False])
def test_implausible_blocks_are_no_comments(name: str, known: bool) -> None:
    page = made(NONE[name].format(post=POST))
    found = extract_comments(
        page, content=POST if known else None, published=datetime(2012, 5, 1, tzinfo=UTC)
    )
    assert [c.content_text for c in found.comments] == []


def test_box_around_all_comments_is_no_comment() -> None:
    said = "".join(
        f'<li class="comment" id="c55500{i}123"><cite><a rel=nofollow href="http://r{i}.example">Reader {i}</a></cite> <a href="#c55500{i}123">{i} May 2012 10:11</a><p>Said as number {i}.</p></li>'
        for i in (1, 2, 3)
    )
    page = made(
        f'<div>{POST}</div><div id="top-comment1"><div id="comments"><h4>3 opinions</h4><ol>{said}</ol></div></div>'
    )
    found = extract_comments(page, content=POST)
    assert [(c.author, c.content_text) for c in found.comments] == [
        (f"Reader {i}", f"Said as number {i}.") for i in (1, 2, 3)
    ]


def test_content_changed_by_cleaning_is_no_comment() -> None:
    widget = (
        '<div class="share">Share this with all of your friends, on every network there is</div>'
    )
    page = made(
        f'<div id="comment-area"><div class="comment-like" id="comment-1"><p>{TEXTS[0]}</p>{widget}<p>{TEXTS[1]}</p>{widget}<p>{TEXTS[2]}</p></div>'
        '<div class="comment" id="comment-2"><b class="author">Bob</b> <span class="date">3 May 2012</span><p>I was there.</p></div></div>'
    )
    found = extract_comments(page, content=POST)
    assert [(c.author, c.content_text) for c in found.comments] == [("Bob", "I was there.")]


@pytest.mark.parametrize("content", ["<p>A wet day.</p><pre>x = 1</pre>", "<pre>x = 1</pre>"])
def test_a_post_of_few_words_is_no_comment(content: str) -> None:
    text = "<p>A wet day.</p><pre>x = 1</pre>"
    post = f"<article><h3>Ferry</h3><div>{text}</div><div>09.03.2006, 11:10 </div></article>"
    page = made(f"<main>{post}<hr><h3>Comments</h3><p>No comments yet</p></main>")
    assert extract_comments(page, content=content).comments == ()


def test_template_of_new_comments_is_no_comment() -> None:
    said = "".join(
        f'<div class="comment"><div class="comment-meta"><b class="author">Reader {i}</b> <span class="date">{i} May 2012 10:11</span></div><p>Said as number {i}, about boats.</p></div>'
        for i in (1, 2)
    )
    template = '<div class="comment"><div class="comment-meta"></div><p>What is written here is read by us before others see it.</p></div>'
    page = made(f"<div>{POST}</div><div><h3>2 comments</h3>{said}{template}</div>")
    found = extract_comments(page, content=POST)
    assert [(c.author, c.content_text) for c in found.comments] == [
        (f"Reader {i}", f"Said as number {i}, about boats.") for i in (1, 2)
    ]


def test_cards_of_other_posts_below_a_label_are_no_comments() -> None:
    """Substack: each has its author and day, and nothing else that could be a comment's text."""
    card = (
        '<div class="post-preview archive-post"><div class="pencraft"><a class="pencraft reset-pencraft" href="/p/{n}">{title}</a>'
        '<div><a href="/p/{n}">{lead}</a></div><div class="pencraft"><time datetime="2021-03-{n}T10:14:00.000Z">Mar {n}, 2021'
        '</time><span>•</span><a href="https://host.example/@nora">Nora Blythe</a></div><a class="button" href="/p/{n}/comments">3</a></div></div>'
    )
    posts = (
        (30, "The without off", "Top than world since your was."),
        (21, "New get way went were old", "Then up large very give."),
        (15, "Sometimes well better", "Car an here him during let."),
    )
    cards = "".join(card.format(n=n, title=title, lead=lead) for n, title, lead in posts)
    html = (
        f'<div class="single-post"><article><h1>Tale</h1><div class="body">{POST}</div></article></div><div class="container"><div '
        'id="discussion" class="single-post-section"><h4>Discussion about this post</h4><div class="pencraft tabs"><button>Comments</button>'
        f'</div></div></div><div class="container"><div class="archive-list">{cards}<p>Ready for more?</p></div></div>'
    )
    page = Page(url="http://b.example/p/9", body=f"<html><body>{html}".encode())
    assert extract_comments(page).comments == ()


@pytest.mark.parametrize(
    "label", ["Comentarios recientes", "Commentaires récents", "Recent comments"]
)
def test_latest_comments_on_all_posts_are_none_of_this_post(label: str) -> None:
    rows = "".join(
        f"<li>{who} on <a href='/drupal-7.html#c'>Drupal 7: dates as of 19/11/2013</a></li>"
        for who in ("Ann Lee", "Bo Day", "Carl")
    )
    html = f"<h1>Tale</h1><div>{POST}</div><div class=bar><h3>{label}</h3><ul>{rows}</ul></div>"
    page = Page(url="http://b.example/p/9", body=f"<html><body>{html}".encode())
    assert extract_comments(page).comments == ()


@pytest.mark.parametrize(
    "below",
    [
        "<div class=r><h4><a href=/oven>The oven</a></h4><i>May 1, 2009</i> On the bricks I used.</div>",
        "<div class=r><h4><a href=http://b.example/oven>The oven</a></h4><i>May 1, 2009</i> On the bricks I used.</div>",
        "<div class=f>Last changed on May 3, 2009 by Ann, with all that was said on the bricks.</div>",
        "<div class=f><b>All rights of these pages are reserved by their writer</b> since May 3, 2009</div>",
    ],
)
def test_what_else_stands_behind_a_form_is_no_comment(below: str) -> None:
    html = (
        "<html><body><a href=http://b.example/>Home</a><div><h1>Bread</h1><div class=p><p>I bake it every week.</p></div>"
        f"<form><textarea></textarea></form>{below * 2}</div></body></html>"
    )
    page = Page(url="http://b.example/bread", body=html.encode())
    content = page.tree.find(".//div[@class='p']")
    assert extract_comments(page, content=content).comments == ()
