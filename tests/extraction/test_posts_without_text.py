"""Posts whose title says everything: a link, a single line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import Post
from blogcrawl.extraction.model import NotAPost, extract_post
from tests.extraction.test_failure_classes import Written, learned

ELSEWHERE = "https://elsewhere.example/?id=7"


def blogger(w: Written, day: str) -> str:
    return (
        f"<title>Slow Roads: {w.title}</title></head><body><div class='post hentry'><h3"
        f" class='post-title entry-title'><a href='{ELSEWHERE}'>{w.title}</a></h3><div"
        f" class='post-body entry-content'>{w.body}<div style='clear: both;'></div></div><p"
        f" class='post-footer'>Publicado por {w.author} {day}</p></div></body>"
    )


def tables(w: Written, day: str) -> str:
    return (
        f"<title>{w.title} - Langsame Wege</title></head><body><table><tr><td"
        f" class=kopf><h2>{w.title}</h2><td class=tag>{day}</tr><tr><td class=eintrag colspan=2>"
        f"{w.body}</tr></table><p>Geschrieben von {w.author}</p></body>"
    )


def shown_day(w: Written) -> str:
    return f"<abbr class=published title='{w.when.isoformat()}'>{w.when:%d.%m.%Y}</abbr>"


def emptied(w: Written) -> Written:
    return replace(w, body="", n=w.n + 100)


@pytest.mark.parametrize("draw", [blogger, tables])
def test_page_with_title_and_day_where_posts_have_them_is_a_post(draw: object) -> None:
    assert callable(draw)
    model, rest = learned(lambda w: draw(w, shown_day(w)))
    _, w = rest[0]
    page = Page(url=w.url, body=draw(emptied(w), shown_day(w)).encode())
    found = extract_post(page, model)
    assert isinstance(found, Post), found
    assert (found.title, found.published) == (w.title, w.when)
    assert found.content_text == ""


def declaring(w: Written, day: str) -> str:
    """Draw as ``blogger``, with the moment in the head, which is surer than the day shown."""
    declared = f"<meta property='article:published_time' content='{w.when.isoformat()}'>"
    return declared + blogger(w, f"{w.when:%d.%m.%Y}" if day else "")


def test_day_that_metadata_say_too_is_the_posts() -> None:
    model, rest = learned(lambda w: declaring(w, shown_day(w)))
    _, w = rest[0]
    page = Page(url=w.url, body=declaring(emptied(w), shown_day(w)).encode())
    found = extract_post(page, model)
    assert isinstance(found, Post), found
    assert (found.title, found.published, found.content_text) == (w.title, w.when, "")


@pytest.mark.parametrize("draw", [blogger, tables])
def test_empty_page_without_a_day_is_none(draw: object) -> None:
    assert callable(draw)
    model, rest = learned(lambda w: draw(w, shown_day(w)))
    _, w = rest[0]
    page = Page(url=w.url, body=draw(emptied(w), "").encode())
    assert isinstance(extract_post(page, model), NotAPost)


def test_posts_without_text_are_of_no_other_template() -> None:
    model, rest = learned(lambda w: blogger(w, shown_day(w)))
    empty = blogger(emptied(rest[0][1]), "")
    assert model.is_read(Page(url="http://b.example/picture", body=empty.encode()))
    other = empty.replace("post-body entry-content", "text")
    assert not model.is_read(Page(url="http://b.example/other", body=other.encode()))
