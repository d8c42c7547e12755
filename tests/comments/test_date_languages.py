"""Comment dates with month names of the page's language."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogcrawl.comments.page_reader import look, read_page
from blogcrawl.core.page import Page
from blogcrawl.core.records import Post
from blogcrawl.crawling.pipelines.comments import language_of_dates


@pytest.mark.parametrize(
    ("language", "date", "expected"),
    [
        pytest.param("nl", "3 maart 2012 om 10:11", "2012-03-03", id="dutch"),
        pytest.param("nl", "12 augustus 2012 om 10:11", "2012-08-12", id="dutch-august"),
        pytest.param("de", "3. März 2012 um 10:11", "2012-03-03", id="german"),
        pytest.param("pl", "3 marca 2012 10:11", "2012-03-03", id="polish"),
    ],
)
def test_month_names_in_comment_dates_are_read(language: str, date: str, expected: str) -> None:
    html = (
        f'<html lang={language}><meta charset="utf-8"><body><h1>A walk</h1><ol class=commentlist>'
        f'<li id="comment-11"><cite>Ann</cite> <span class="date">{date}</span>'
        "<p>It rained on seven days.</p></li></ol></body></html>"
    )
    (comment,) = read_page(Page(url="http://b.example/1.html", body=html.encode())).comments
    assert str(comment.published)[:10] == expected


@pytest.mark.parametrize(
    ("declared", "written", "date"),
    [
        pytest.param("en-US", "fr", "04/03/2012 10:11", id="numbers-below-a-foreign-theme"),
        pytest.param("en-US", "nl", "4 maart 10:11", id="month-without-a-year"),
        pytest.param("de", "en", "4. März 2012 um 10:11", id="the-theme's-own-months"),
        pytest.param("fr", None, "4 mars 10:11", id="post-of-unknown-language"),
    ],
)
def test_comments_are_dated_in_the_language_of_their_post(
    declared: str, written: str | None, date: str
) -> None:
    html = (
        f'<html lang={declared}><meta charset="utf-8"><body><h1>A walk</h1><ol class=commentlist>'
        f'<li id="comment-11"><cite>Ann</cite> <span class="date">{date}</span>'
        "<p>It rained on seven days.</p></li></ol></body></html>"
    )
    page = Page(url="http://b.example/1.html", body=html.encode())
    day = datetime(2012, 3, 2, tzinfo=UTC)
    post = Post(url=page.url, canonical_url=page.url, language=written, published=day)
    (comment,) = look(page, language=language_of_dates(post, page), published=day).seen.comments
    assert str(comment.published)[:10] == "2012-03-04"
