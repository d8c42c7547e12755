"""Comment dates with month names of the page's language."""

from __future__ import annotations

import pytest

from blogcrawl.comments.page_reader import read_page
from blogcrawl.core.page import Page


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
