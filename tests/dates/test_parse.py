"""Dates in many languages and forms."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from babel.dates import format_date
from hypothesis import given, settings
from hypothesis import strategies as st

from blogcrawl.dates.machine_date import machine_date
from blogcrawl.dates.parse import DateReader, find_date, is_moment, with_weekday
from blogcrawl.dates.patterns import patterns_for, read_pattern
from blogcrawl.dates.relative import find_relative
from blogcrawl.dates.url_date import agrees, list_month, url_day, url_near


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Posted on July 5th, 2010 at 3:07 pm", "en", datetime(2010, 7, 5, 15, 7)),
        ("am 5. März 2012 um 13:45 Uhr", "de", datetime(2012, 3, 5, 13, 45)),
        ("vendredi 11 mai 2012", "fr", datetime(2012, 5, 11)),
        ("Publié le 1er août 2015 à 9h30", "fr", datetime(2015, 8, 1, 9, 30)),
        ("24 мая 2016 г.", "ru", datetime(2016, 5, 24)),
        ("3 de febrero de 2011", "es", datetime(2011, 2, 3)),
        ("2012年3月12日", "zh", datetime(2012, 3, 12)),
        ("2012년 3월 12일", "ko", datetime(2012, 3, 12)),
        ("12Nov2011", "en", datetime(2011, 11, 12)),
        ("Nov 12 '08", "en", datetime(2008, 11, 12)),
        ("١٢/٠٣/٢٠١٢", "ar", datetime(2012, 3, 12)),
        ("12:30 on 2012-03-12", "en", datetime(2012, 3, 12, 12, 30)),
        ("no date here, 99 balloons", "en", None),
        ("February 31, 2012", "en", None),
    ],
)
def test_date_reader_reads_moments(text: str, language: str, expected: datetime | None) -> None:
    when = DateReader([language]).read(text)
    assert (when.moment if when else None) == expected


def test_midnight_and_noon_are_distinguished() -> None:
    assert read_pattern("en|MMMM d y", "May 1, 2012 12:05 am").moment.hour == 0  # type: ignore[union-attr]
    assert read_pattern("en|MMMM d y", "May 1, 2012 12:05 pm").moment.hour == 12  # type: ignore[union-attr]


def test_zone_is_kept() -> None:
    when = machine_date("2013-06-12T23:00:00-06:00")
    assert when is not None
    assert when.days() == {date(2013, 6, 12), date(2013, 6, 13)}
    assert when.aware() == datetime(2013, 6, 13, 5, tzinfo=UTC)


def test_time_without_zone_is_in_the_blogs_zone() -> None:
    when = read_pattern("en|y-M-d", "2013-06-12 01:00")
    assert when is not None
    assert when.aware(120) == datetime(2013, 6, 11, 23, tzinfo=UTC)
    bare = read_pattern("en|y-M-d", "2013-06-12")
    assert bare is not None
    assert bare.aware(120).date() == date(2013, 6, 12)


def test_missing_year_is_taken_from_the_url() -> None:
    found = url_day("http://b.example/2009/11/a-meal/")
    assert found == (2009, 11, None)
    assert read_pattern(
        "en|MMMM d", "Published on November 18", date(2009, 11, 1)
    ).moment == datetime(2009, 11, 18)  # type: ignore[union-attr]
    assert read_pattern("en|MMMM d", "Published on November 18") is None


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://b/2013/02/05/x/", (2013, 2, 5)),
        ("http://b/2013-02-05-x.html", (2013, 2, 5)),
        ("http://b/archives/1234/", None),
        ("http://b/2013/99/x", None),
        ("http://b/news/29-10-2021", (2021, 10, 29)),
        ("http://b/news/29.10.2021-x.html", (2021, 10, 29)),
        ("http://b/news/03-04-2021", None),
        ("http://b/2021/okt/29/x/", (2021, 10, 29)),
        ("http://b/2021/march/x", (2021, 3, None)),
        ("http://b/2021/d%C3%A9cembre/x", (2021, 12, None)),
        ("http://b/2021/mills/x", None),
    ],
)
def test_url_date_is_read(url: str, expected: object) -> None:
    assert url_day(url) == expected


@pytest.mark.parametrize(
    ("url", "month"),
    [
        ("http://b.example/2009/11/", (2009, 11)),
        ("http://b.example/archive/200911.html", (2009, 11)),
        ("http://b.example/archive/archive-112009.htm", (2009, 11)),
        ("http://b.example/archive/2009_11_01_archive.html", (2009, 11)),
        ("http://b.example/archive?month=2009-11&openview&type=Month", (2009, 11)),
        ("http://b.example/index.html%3Fm=200911.html", (2009, 11)),
        ("http://b.example/default.asp?M=3&Y=2009", (2009, 3)),
        ("http://b.example/?cat=3&y=2009", None),
        ("http://b.example/?p=200911777", None),
        ("http://b.example/labels/bread.html", None),
    ],
)
def test_month_of_a_list(url: str, month: tuple[int, int] | None) -> None:
    assert list_month(url) == month


def test_url_date_agrees_within_one_day() -> None:
    assert agrees(date(2013, 2, 6), (2013, 2, 5)) is True
    assert agrees(date(2013, 2, 8), (2013, 2, 5)) is False
    assert agrees(date(2013, 1, 31), (2013, 2, None)) is True
    assert agrees(date(2013, 1, 31), None) is None


def test_day_and_month_order_follows_the_known_date() -> None:
    assert "en|d.M.y" in set(patterns_for("05/07/2012", {date(2012, 7, 5)}, ["en"]))
    assert "en|M.d.y" not in set(patterns_for("05/07/2012", {date(2012, 7, 5)}, ["en"]))


def test_relative_dates_are_read() -> None:
    now = datetime(2020, 5, 20, 12, tzinfo=UTC)
    assert find_relative("vor 3 Tagen", now, "de").moment.date() == date(2020, 5, 17)  # type: ignore[union-attr]
    assert find_relative("2 weeks ago", now, "en").moment.date() == date(2020, 5, 6)  # type: ignore[union-attr]
    assert find_relative("soon", now, "en") is None


@settings(max_examples=150, deadline=None)
@given(
    st.dates(date(1995, 1, 1), date(2035, 1, 1)),
    st.sampled_from(
        [
            "en",
            "de",
            "fr",
            "es",
            "it",
            "pt",
            "nl",
            "ru",
            "pl",
            "sv",
            "da",
            "cs",
            "tr",
            "uk",
            "fi",
            "ja",
            "zh",
            "ko",
        ]
    ),
    st.sampled_from(["long", "medium"]),
)
def test_cldr_formatted_dates_are_read_back(day: date, language: str, form: str) -> None:
    when = DateReader([language]).read(format_date(day, format=form, locale=language))
    assert when is not None
    assert abs(when.moment.date() - day) <= timedelta(0)


@given(st.text(max_size=200))
def test_random_text_never_raises(text: str) -> None:
    DateReader(["en", "de"]).read(text)
    machine_date(text)
    url_day("http://b/" + text)


def test_east_asian_short_dates_begin_with_the_year() -> None:
    for language, year in (("ja", 2017), ("ko", 2017), ("de", 2025)):
        when = DateReader([language]).read("17.03.25")
        assert when is not None and when.moment.year == year


def test_url_year_completes_a_date_without_year() -> None:
    when = DateReader(["hu"]).read("jún. 19.", url_near("http://b.hu/2017/egy-nap/"))
    assert when is not None and when.moment.date() == date(2017, 6, 19)
    assert url_near("http://b.hu/tag/2017/") is None and url_near("http://b.hu/2017/06/x/") == date(
        2017, 6, 1
    )


def test_calendar_widget_is_no_date_line() -> None:
    assert list(patterns_for("31 March 2017", {date(2017, 3, 31)}, ["en"]))
    assert not list(
        patterns_for(" ".join(map(str, range(1, 32))) + " March 2017", {date(2017, 3, 31)}, ["en"])
    )


@pytest.mark.parametrize("clock", ["14:05", "2h05 pm", "14 : 05", "14時05分", "14.05"])
def test_time_before_or_after_the_date(clock: str) -> None:
    before, behind = (
        read_pattern("en|d MMMM y", f"{clock} 3 May 2020"),
        read_pattern("en|d MMMM y", f"3 May 2020, {clock}"),
    )
    assert before is not None and behind is not None
    assert before.has_time == behind.has_time == (clock != "14.05")
    assert not behind.has_time or (behind.moment.hour, behind.moment.minute) == (14, 5)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Mon, 17 Nov 2014", True),
        ("Montag, 17. November 2014", True),
        ("17 novembre 2014 (lun.)", True),
        ("2014年11月17日(月)", True),
        ("2014년 11월 17일 （월）", True),
        ("Letter of 17 Nov 2014", False),
        ("17 Nov 2014: harbour", False),
    ],
)
def test_moment_may_name_its_weekday(text: str, is_one: bool) -> None:
    assert is_moment(text) is is_one


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("Ann Lee, Sun 05 Apr 2015", "Ann Lee, "),
        ("Ann Lee, Sunday, April 5, 2015", "Ann Lee, "),
        ("Ann Lee (dim. 5 avril 2015)", "Ann Lee (...)"),
        ("Sam 5 April 2015", "Sam "),  # a Sunday, not the "samedi" of French
        ("Sunflower 5 April 2015", "Sunflower "),
        ("Ann سه شنبه 2015-04-05", "Ann "),
    ],
)
def test_day_of_the_week_belongs_to_its_date(line: str, rest: str) -> None:
    found = find_date(line)
    assert found is not None
    assert line[: with_weekday(line, found).span[0]] == rest.removesuffix("...)")
