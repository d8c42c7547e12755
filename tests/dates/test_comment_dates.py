from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawl.comments.page_reader import read_page
from blogcrawl.core.page import Page
from blogcrawl.dates.day_order import clock_readings, settle_order, sure_orders
from blogcrawl.dates.edtf import LOCAL, written
from blogcrawl.dates.parse import find_date

CASES = [
    ("March 13, 2010 at 7:40 pm", None, datetime(2010, 3, 13, 19, 40)),
    ("mars 13, 2010, kl. 7:40 pm", "no", datetime(2010, 3, 13, 19, 40)),
    ("by Ann on 1. November 2010 at 10:14. Reply #", "de", datetime(2010, 11, 1, 10, 14)),
    ("29 janvier 2012 à 05:32", "fr", datetime(2012, 1, 29, 5, 32)),
    ("le 3 août 2012 à 17h05", "fr", datetime(2012, 8, 3, 17, 5)),
    ("28 января 2015 в 23:14", "ru", datetime(2015, 1, 28, 23, 14)),
    ("2009年3月4日 下午 3:05", "zh", datetime(2009, 3, 4, 15, 5)),
    ("2014年7月1日 09:30", "ja", datetime(2014, 7, 1, 9, 30)),
    ("2011년 5월 6일 오후 2:03", "ko", datetime(2011, 5, 6, 14, 3)),
    ("12:05 am, 3 May 2011", "en", datetime(2011, 5, 3, 0, 5)),
    ("el 5 de septiembre de 2013 a las 12:01", "es", datetime(2013, 9, 5, 12, 1)),
    ("2010. november 1. 10:00", "hu", datetime(2010, 11, 1, 10, 0)),
    ("Reader 23 June 25, 2022", "en", datetime(2022, 6, 25)),
    ("3 Dec 08 at 12:15", "en", datetime(2008, 12, 3, 12, 15)),
    ("۱۲ فروردین ۱۳۹۹ در ۱۰:۲۳ ق.ظ", "fa", datetime(2020, 3, 31, 10, 23)),
    ("۱۳۹۹/۰۱/۱۲", "fa", datetime(2020, 3, 31)),
    ("5 เมษายน 2563", "th", datetime(2020, 4, 5)),
    ("令和2年5月4日 09:30", "ja", datetime(2020, 5, 4, 9, 30)),
    ("5 Tháng Tư, 2020 lúc 10:30", "vi", datetime(2020, 4, 5, 10, 30)),
    ("12 मार्च 2020", "hi", datetime(2020, 3, 12)),
    ("12\u200f/03\u200f/2020", "ar", datetime(2020, 3, 12)),
    ("Wed Dec 11 16:51:10 2013", "en", datetime(2013, 12, 11, 16, 51, 10)),
    ("Comment by Ann on Mi Dez 11 16:51 CET 2013", "de", datetime(2013, 12, 11, 16, 51)),
    ("2020. 5. 4. 10:30", "ko", datetime(2020, 5, 4, 10, 30)),
]


@pytest.mark.parametrize(("text", "language", "expected"), CASES)
def test_theme_date_formats_are_read(text: str, language: str | None, expected: datetime) -> None:
    reading = find_date(text, language)
    assert reading is not None and reading.pick(None) == expected


def test_the_third_of_march_proves_no_order() -> None:
    dates = [find_date(text) for text in ("03/03/2004", "03/14/2004", "05/04/2004")]
    assert sure_orders(dates) == (0, 1)


def test_words_around_a_date_of_another_calendar_are_kept() -> None:
    text = "رضا در ۱۲ فروردین ۱۳۹۹ گفت"
    reading = find_date(text, "fa")
    assert reading is not None
    assert text[: reading.span[0]].strip() == "رضا در" and text[reading.span[1] :].strip() == "گفت"


def test_machine_dates_keep_their_zone() -> None:
    reading = find_date("2012-01-29T05:32:05-05:00")
    assert reading is not None
    assert reading.picked(None).aware() == datetime(2012, 1, 29, 10, 32, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I ate 3 apples in 2010",
        "Reply",
        "99/99/2010",
        "2010-13-45",
        "version 1.2.3",
        "call 555-12-1234",
        "at 10:30",
    ],
)
def test_texts_without_a_date_are_rejected(text: str) -> None:
    assert find_date(text) is None


def test_unambiguous_date_settles_the_day_order() -> None:
    readings = [find_date(t) for t in ("09.12.08", "09.15.08", "10.02.08")]
    assert settle_order(readings) is False
    readings = [find_date(t) for t in ("09.12.08", "15.12.08")]
    assert settle_order(readings) is True


def test_day_order_is_chosen_by_the_posts_date() -> None:
    readings = [find_date("03.05.09 at 6:29 pm")]
    assert settle_order(readings, datetime(2009, 4, 30, tzinfo=UTC)) is True
    assert settle_order(readings, datetime(2009, 3, 2, tzinfo=UTC)) is False, (
        "the reading near the post wins"
    )


def test_day_order_is_chosen_so_that_lists_are_sorted() -> None:
    assert (
        settle_order(
            [find_date(t) for t in ("01/02/2010", "02/02/2010", "03/02/2010", "01/03/2010")]
        )
        is True
    )
    assert (
        settle_order(
            [find_date(t) for t in ("01/02/2010", "01/03/2010", "02/01/2010", "03/05/2010")]
        )
        is False
    )
    assert settle_order([]) is None


def test_utc_offset_applies_to_times_but_not_to_bare_dates() -> None:
    clock, day = find_date("1 January 2020 01:00"), find_date("1 January 2020")
    assert clock is not None and day is not None
    assert clock.aware(120) == datetime(2019, 12, 31, 23, 0, tzinfo=UTC)
    assert written(day.aware(120)) == "2020-01-01"


def test_time_of_an_unknown_clock_gets_no_zone() -> None:
    clock = find_date("1 January 2020 01:00")
    assert clock is not None and written(clock.aware()) == "2020-01-01T01:00:00"
    assert written(clock.aware(0)) == "2020-01-01T01:00:00Z"


@given(st.text(max_size=400))
def test_random_text_raises_no_error(text: str) -> None:
    reading = find_date(text)
    assert reading is None or reading.pick(None) is not None


def test_comma_before_the_year_is_accepted() -> None:
    found = find_date("Comment by Ann — 17.07, 2011 @ 13:04", "de")
    assert found is not None and str(found.pick(None)) == "2011-07-17 13:04:00"


@pytest.mark.parametrize(
    "shown",
    [
        (
            '<a rel="nofollow" href="http://b.example/2013/10/p.html?showComment=1381172401460#c42">'
            "21:00</a>"
        ),
        '<time datetime="1381172401460">just now</time>',
    ],
)
def test_machine_readable_times_are_read(shown: str) -> None:
    html = (
        f'<html><body><div id="comments"><div class="comment" id="c42"><cite>Ann</cite> '
        f"{shown}<p>So do I.</p></div></div></body></html>"
    )
    (comment,) = read_page(Page(url="http://b.example/2013/10/p.html", body=html.encode())).comments
    assert (comment.author, comment.content_text, comment.published) == (
        "Ann",
        "So do I.",
        datetime(2013, 10, 7, 19, 0, 1, tzinfo=UTC),
    )


def test_stated_time_zones_are_used_except_utc() -> None:
    truth = datetime(2020, 1, 1, 10, 0, 30, tzinfo=UTC)
    east = datetime(2020, 1, 1, 12, 0, 30, tzinfo=timezone(timedelta(hours=2)))
    labelled = datetime(2020, 1, 1, 12, 0, tzinfo=UTC)
    other = datetime(2020, 1, 1, 12, 7)
    pairs = [(east, truth), (labelled, truth), (other, truth), (None, truth)]
    assert [offset for _, offset in clock_readings(pairs)] == [120, 120]


def test_time_without_a_zone_says_nothing_of_the_clock() -> None:
    shown = datetime(2020, 1, 1, 12, 0, 30)
    assert not list(clock_readings([(shown, shown.replace(tzinfo=LOCAL))]))


def test_the_seventh_of_july_does_not_say_which_comes_first() -> None:
    readings = [find_date(text) for text in ("07/05/2004", "07/07/2004", "07/08/2004")]
    assert settle_order(readings, datetime(2004, 7, 5, tzinfo=UTC)) is False, (
        "no comment is older than its post"
    )
