"""Comments whose dates lack the year."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from blogcrawl.comments.page_reader import extract_comments, read_page
from blogcrawl.core.page import Page
from blogcrawl.dates.edtf import read_written, written

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


AGO = {
    "3 days ago": "2020-05-17",
    "2 months ago": "2020-03~",
    "4 years ago": "2016~",
}


def _with_times_ago(dates: Sequence[str], day: int = 20) -> Page:
    units = "".join(
        f'<li class="comment"><p class="by">{name}</p><p class="on">{date}</p><div><p>The ferry '
        f"left without {other} and came back at noon.</p></div></li>"
        for name, date, other in zip(NAMES, dates, reversed(NAMES), strict=True)
    )
    html = f"<html lang=en><body><h1>A walk</h1><ol class=comments>{units}</ol></body></html>"
    fetched = datetime(2020, 5, day, 12, tzinfo=UTC)
    return Page(url="http://b.example/1.html", body=html.encode(), fetched_at=fetched)


def test_times_ago_are_days_or_approximate() -> None:
    seen = read_page(_with_times_ago(list(AGO)))
    assert [written(c.published) for c in seen.comments if c.published] == list(AGO.values())
    assert [c.published_raw for c in seen.comments] == list(AGO)
    assert [c.author for c in seen.comments] == list(NAMES)
    assert not any(word in c.content_text for c in seen.comments for word in ("ago", "years"))


def test_comment_dated_by_a_time_ago_has_the_same_id_at_every_visit() -> None:
    ids = [
        [c.id for c in read_page(_with_times_ago(list(dates), day)).comments]
        for day, dates in ((20, AGO), (29, ["12 days ago", "3 months ago", "4 years ago"]))
    ]
    assert ids[0] == ids[1] and len(set(ids[0])) == len(NAMES)


def test_times_ago_give_way_to_the_dates_of_another_source() -> None:
    page = _with_times_ago(list(AGO))
    said = read_page(page).comments
    exact = [
        replace(c, id=f"7{n}", source="feed", published=read_written(date))
        for n, (c, date) in enumerate(
            zip(
                said,
                ("2020-05-17T11:00:00Z", "2020-02-27T11:00:00Z", "2015-11-03T09:00:00Z"),
                strict=True,
            )
        )
    ]
    found = extract_comments(page, known=[exact]).comments
    assert {c.published for c in found} == {c.published for c in exact}
    assert len(found) == len(NAMES)


def test_time_ago_within_other_words_is_no_date() -> None:
    page = _with_times_ago(["I saw it 3 years ago on the way to the old mill"] * 3)
    assert not any(c.published for c in read_page(page).comments)
