"""Lines that are a day's."""

from __future__ import annotations

from datetime import date

import pytest

from blogcrawl.core.page import Page
from blogcrawl.extraction.pages.day_lines import day_lines, days_begun


def days(markup: str, title: str = "December 2003", path: str = "/dec03.html") -> list[str]:
    body = f"<html><head><title>{title}</title></head><body>{markup}</body></html>".encode()
    kind = {"content-type": "text/html; charset=utf-8"}
    page = Page(url=f"https://blog.example{path}", body=body, headers=kind)
    return [f"{line.when.moment:%Y-%m-%d}" for line in day_lines(page)]


@pytest.mark.parametrize("line", ["Monday 8th", "Mon 8", "8日（月）", "8日", "Monday, 8.", "8th"])
def test_number_of_a_day_is_of_the_month_of_its_page(line: str) -> None:
    assert days(f"<h3>{line}</h3>") == ["2003-12-08"]
    assert days(f"<p>{line}", "2003年12月の日記") == ["2003-12-08"]
    assert days(f"<p>{line}", "Diary", "/2003/12/index.html") == ["2003-12-08"]
    assert not days(f"<h3>{line}</h3>", "Diary, 2003", "/diary.html")


@pytest.mark.parametrize("line", ["8", "Part 8", "8:30", "8 comments", "Monday 32nd", "No. 8"])
def test_other_numbers_are_no_days(line: str) -> None:
    assert not days(f"<h3>{line}</h3>")


@pytest.mark.parametrize(
    "markup",
    [
        "<td><u>8.12.2003</u><br>Text of the day",
        "<p>8.12.2003<br>Text of the day<br>and more",
        "Title<br>8.12.2003<br>Text of the day",
        "<p><b>Lima, 8 December 2003</b></p>",
        "<big>Monday, 8 December 2003</big>",
    ],
)
def test_lines_of_other_markup_are_days(markup: str) -> None:
    assert days(markup) == ["2003-12-08"]


def test_first_day_behind_the_name_of_its_month() -> None:
    day = "8.12.2003<br>Text of the day<br>"
    assert days(f"<h2>December</h2> {day} 9.12.2003<br>Text") == ["2003-12-08", "2003-12-09"]


@pytest.mark.parametrize(
    "markup",
    [
        "<p>We left <b>Lima, 8 December 2003</b> and came back.",
        "<p>8.12.2003 was a Monday<br>Text of the day",
        "Title<br>8.12.2003 was a Monday<br>Text of the day",
        "<h2>December</h2> 8.12.2003 was a Monday<br>Text of the day",
        "Text of the day<br>8.12.2003",
    ],
)
def test_dates_in_the_text_are_no_lines(markup: str) -> None:
    assert not days(markup)


@pytest.mark.parametrize(
    "form",
    ["{:%A, %B} {}, 2003\nRain.", "{:%B} {}: rain.", "{1}.12.2003 - rain", "{0:%d %b %y} rain."],
)
def test_text_with_several_days_is_of_several_entries(form: str) -> None:
    """No line says nothing but a day, so that the page could not be cut there."""
    text = "\n".join(form.format(date(2003, 12, day), day) for day in (3, 9, 14, 20))
    assert days_begun("December\n" + text) == 4


def test_days_amid_lines_or_in_no_order_begin_no_entries() -> None:
    assert days_begun("We left on 3 May 2004.\nThen came 4 May 2004.") == 0
    assert days_begun("3 May 2004 Lima\n1 May 2004 Cusco\n9 May 2004 Puno") == 0
