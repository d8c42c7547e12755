"""Boxes of teasers of other posts: recognised by what they link to, without names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.dom.index import PageIndex
from blogcrawl.dom.teasers import teaser_boxes
from blogcrawl.extraction.model import extract_post, learn_blog
from blogcrawl.induction.page_specific import shaped
from blogcrawl.induction.ruleset import Sample
from tests.induction.test_unlabelled_drops import sentence_of

SITE = "http://blog.test"
TEASER = '<div><a href="/{n}/">Post {n}</a><p>{text}</p></div>'


def boxes(inner: str, url: str = f"{SITE}/9/") -> list[str]:
    """Return the ids of the boxes of teasers on a page."""
    page = Page(url=url, body=f"<body><main><h1>Nine</h1>{inner}<p>Bye</p></main></body>".encode())
    index = PageIndex.of(page)
    return sorted(index.ids[i] or index.tags[i] for i in teaser_boxes(page))


@pytest.mark.parametrize(
    "inner",
    [
        '<div id="box"><h4>More</h4>{0}{1}</div>',
        '<ul id="box"><li><h5><a href="/1/">One</a></h5>Its text</li><li><h5><a href="/2/">Two</a>'
        "</h5>Its text</li></ul>",
        '<div id="box"><p><a href="/1/">One</a><br>Its text</p><p><a href="/2/">Two</a><br>Its '
        "text</p></div>",
        '<div id="box"><div><a href="/1/"><img src="1.gif"></a><div><a href="/1/">One</a><p>Text'
        '</p></div></div><div><div><a href="/2/">Two</a><p>Text</p></div></div></div>',
    ],
    ids=["below a label", "headings in a list", "broken lines", "pictures"],
)
def test_texts_below_links_to_other_pages_are_teasers(inner: str) -> None:
    rows = [TEASER.format(n=n, text=sentence_of(n)) for n in (1, 2)]
    assert boxes(inner.format(*rows)) == ["box"]


@pytest.mark.parametrize(
    "inner",
    [
        '<ul><li><a href="/1/">One</a>, my first</li><li><a href="/2/">Two</a>, the next</li></ul>',
        '<ul><li><a href="/1/">One</a></li><li><a href="/2/">Two</a></li></ul>',
        '<div><div><a href="http://a.test/">A</a><p>Text</p></div><div><a href="http://b.test/">B'
        "</a><p>Text</p></div></div>",
        '<div><div><a href="#1">A</a><p>Text</p></div><div><a href="#2">B</a><p>Text</p></div>'
        "</div>",
        '<div><div><a href="/u/ann">Ann</a><p>Text</p></div><div><a href="/u/ann">Ann</a><p>Text'
        "</p></div></div>",
        "<div>{0}{1}<p>And what I think of both.</p></div>",
        '<div><div><a href="/1/">One</a><p>{2}</p></div><div><a href="/2/">Two</a><p>{2}</p></div>'
        "</div>",
    ],
    ids=["sentences", "links", "elsewhere", "contents", "one page", "text behind", "whole posts"],
)
def test_other_rows_are_no_teasers(inner: str) -> None:
    rows = [TEASER.format(n=n, text=sentence_of(n)) for n in (1, 2)]
    assert boxes(inner.format(*rows, " ".join(map(sentence_of, range(12))))) == []


def page_of(n: int) -> Page:
    """A post of one sentence or three above the beginnings of three others and the comments."""
    others = "".join(
        TEASER.format(n=(n + k) % 9, text=f"{sentence_of(10 + (n + k) % 9)[:90]}")
        for k in (2, 3, 5)
    )
    said = [f"<div><p>{sentence_of(900 + n)}</p><p>Ann — 2021-04-0{n + 1}</p></div>"] * (n % 3)
    body = (
        "<body><main><p><a href='/'>Home</a></p>"
        f"<article><h1>Post {n}</h1><div>2021-03-{n + 1:02d} by <a href='/by/eve'>Eve</a></div>"
        f"<div><p>{'</p><p>'.join(texts_of(n))}</p></div><p>Tags: <a href='/tag/a'>a</a></p>"
        f"</article><hr><div><h4>More</h4>{others}</div><h3>Comments</h3>{''.join(said)}"
        "<h3>Say something</h3><form><textarea></textarea></form></main></body>"
    )
    return Page(url=f"{SITE}/{n}/", body=body.encode())


def texts_of(n: int) -> list[str]:
    return [sentence_of(100 * k + 10 + n) for k in range(1 + 2 * (n % 2))]


@pytest.mark.parametrize("has_feed", [True, False])
def test_teasers_without_a_name_are_no_content(has_feed: bool) -> None:
    def entry(n: int) -> FeedEntry:
        known = FeedEntry(url=f"{SITE}/{n}/")
        return replace(known, title=f"Post {n}", content_html=texts_of(n)[0]) if has_feed else known

    model = learn_blog([Sample(page=page_of(n), entry=entry(n)) for n in range(9)])
    for n in range(9):
        post = extract_post(page_of(n), model, None, promised=True)
        assert isinstance(post, Post)
        assert post.content_text.split("\n") == texts_of(n)


def test_teasers_stand_next_to_an_excerpt() -> None:
    page = page_of(1)
    index = PageIndex.of(page)
    assert teaser_boxes(page) <= set(shaped(index, [0] * (len(index.words) + 1), page))
