"""Comments whose dates lack the year."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogcrawl.comments.page_reader import read_page
from blogcrawl.core.page import Page

NAMES = ("Ann", "Bob", "Carl")


@pytest.mark.parametrize(
    ("language", "published", "days", "wanted"),
    [
        (
            "en",
            (2008, 5, 1),
            ("3 May at 10:11", "4 May at 10:12", "5 June at 10:13"),
            ("2008-05-03", "2008-05-04", "2008-06-05"),
        ),
        (
            "en",
            (2008, 12, 28),
            ("December 29, 10:11", "December 30, 10:12", "January 2, 10:13"),
            ("2008-12-29", "2008-12-30", "2009-01-02"),
        ),
        (
            "de",
            (2008, 5, 1),
            ("03.05. 10:11", "04.05. 10:12", "13.06. 10:13"),
            ("2008-05-03", "2008-05-04", "2008-06-13"),
        ),
        (
            "fr",
            (2008, 5, 1),
            ("3 mai à 10h11", "4 mai à 10h12", "5 juin à 10h13"),
            ("2008-05-03", "2008-05-04", "2008-06-05"),
        ),
    ],
)
def test_date_without_year_is_the_first_after_the_post(
    language: str, published: tuple[int, int, int], days: tuple[str, ...], wanted: tuple[str, ...]
) -> None:
    unit = (
        '<li id="comment-{i}1"><cite>{name}</cite> <span class="date">{day}</span><p>In 2 of '
        "3 houses it rained on 7 days.</p></li>"
    )
    units = "".join(
        unit.format(i=i + 1, name=name, day=day)
        for i, (name, day) in enumerate(zip(NAMES, days, strict=True))
    )
    html = (
        f'<html lang={language}><meta charset="utf-8"><body><h1>A walk</h1><ol '
        f"class=commentlist>{units}</ol></body></html>"
    )
    page = Page(url="http://b.example/1.html", body=html.encode())
    seen = read_page(page, published=datetime(*published, 9, tzinfo=UTC))
    assert [(c.author, str(c.published)[:10]) for c in seen.comments] == list(
        zip(NAMES, wanted, strict=True)
    )
    assert all(c.content_text == "In 2 of 3 houses it rained on 7 days." for c in seen.comments)
    assert [c.published for c in read_page(page).comments] == [None] * 3


@pytest.mark.parametrize("count", [1, 3])
def test_name_before_a_date_without_year(count: int) -> None:
    """Textpattern writes both below the text, between the marks of a line."""
    unit = (
        '<li id="c{i}"><p><a href="#c{i}">#</a> It rained here too.</p>'
        '<p>&#8212; {name} &#183; {i} May, 13:46 &#183; <a href="/1#c{i}">#</a></p></li>'
    )
    units = "".join(unit.format(i=i + 2, name=name) for i, name in enumerate(NAMES[:count]))
    html = f'<body><h1>A walk</h1><h3>Comments</h3><ol class="comments">{units}</ol>'
    page = Page(url="http://b.example/1", body=html.encode())
    seen = read_page(page, published=datetime(2008, 5, 1, 9, tzinfo=UTC))
    assert [(c.author, str(c.published)[:16], c.content_text) for c in seen.comments] == [
        (name, f"2008-05-0{i + 2} 13:46", "It rained here too.")
        for i, name in enumerate(NAMES[:count])
    ]
