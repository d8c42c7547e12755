"""Calendars other than the Gregorian."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawl.dates.calendars import gregorian, hebrew, lunar_hijri, solar_day, solar_hijri
from blogcrawl.dates.machine_date import machine_date
from blogcrawl.dates.parse import DateReader, normalise
from blogcrawl.dates.patterns import patterns_for

NOWRUZ = {
    **{
        1380: 21,
        1381: 21,
        1382: 21,
        1383: 20,
        1384: 21,
        1385: 21,
        1386: 21,
        1387: 20,
        1388: 21,
        1389: 21,
        1390: 21,
        1391: 20,
    },
    **{
        1392: 21,
        1393: 21,
        1394: 21,
        1395: 20,
        1396: 21,
        1397: 21,
        1398: 21,
        1399: 20,
        1400: 21,
        1401: 21,
        1402: 21,
        1403: 20,
    },
    **{1404: 21, 1405: 21, 1406: 21, 1407: 20, 1408: 20, 1409: 21, 1410: 21},
}
"""The day of March on which the Iranian years from 2001 to 2031 begin."""


@pytest.mark.parametrize("year", sorted(NOWRUZ))
def test_calendar_years_begin_and_end_correctly(year: int) -> None:
    assert solar_hijri(year, 1, 1) == date(year + 621, 3, NOWRUZ[year])
    leap = solar_hijri(year, 12, 30)
    if year + 1 in NOWRUZ:
        last = date(year + 622, 3, NOWRUZ[year + 1]) - timedelta(days=1)
        assert (leap or solar_hijri(year, 12, 29)) == last


@pytest.mark.parametrize(
    ("solar", "day"),
    [
        ((1399, 1, 12), date(2020, 3, 31)),
        ((1384, 7, 1), date(2005, 9, 23)),
        ((1396, 9, 30), date(2017, 12, 21)),
        ((1403, 12, 30), date(2025, 3, 20)),
    ],
)
def test_calendar_days_within_the_year(solar: tuple[int, int, int], day: date) -> None:
    assert solar_hijri(*solar) == day
    assert solar_day(day) == solar[2]


@pytest.mark.parametrize(
    "wrong", [(1399, 13, 1), (1399, 7, 31), (1400, 12, 30), (1399, 0, 1), (1399, 1, 0)]
)
def test_invalid_calendar_dates_are_rejected(wrong: tuple[int, int, int]) -> None:
    assert solar_hijri(*wrong) is None


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("جمعه ۱۲ فروردین ۱۳۹۹ ساعت ۱۲:۳۰", "fa", "2020-03-31 12:30"),
        ("فروردین ۱۲, ۱۳۹۹", "fa", "2020-03-31 00:00"),
        ("پنجشنبه بیست و دوم آذر ۱۳۸۶ ساعت ۱۲:۳۰", "fa", "2007-12-13 12:30"),
        ("شنبه سي و يكم فروردين 1387", "fa", "2008-04-19 00:00"),
        ("۱۲ فروردين‌ماه ۱۳۹۹", "fa", "2020-03-31 00:00"),
        ("۱۲ فروردین ۹۹", "fa", "2020-03-31 00:00"),
        ("۱۳۹۹/۰۱/۱۲ ۱۰:۲۳ ب.ظ", "fa", "2020-03-31 22:23"),
        ("1399/01/12", "en", "2020-03-31 00:00"),
        ("12 فروردین 1399", "fa", "2020-03-31 00:00"),
        ("۱۲ حمل ۱۳۹۹", "fa", "2020-03-31 00:00"),
        ("12 Farvardin 1399", "en", "2020-03-31 00:00"),
        ("วันพฤหัสบดีที่ 12 มีนาคม พ.ศ. 2563", "th", "2020-03-12 00:00"),
        ("12/03/2563", "th", "2020-03-12 00:00"),
        ("12 มีนาคม ค.ศ. 2020", "th", "2020-03-12 00:00"),
        ("令和2年5月4日", "ja", "2020-05-04 00:00"),
        ("令和元年5月4日", "ja", "2019-05-04 00:00"),
        ("平成30年12月1日", "ja", "2018-12-01 00:00"),
        ("民國109年5月4日", "zh", "2020-05-04 00:00"),
        ("二〇二〇年十一月二十五日", "zh", "2020-11-25 00:00"),
        ("2009年3月4日 下午 3:05", "zh", "2009-03-04 15:05"),
        ("ngày 5 tháng 4 năm 2020", "vi", "2020-04-05 00:00"),
        ("Tháng Mười Hai 5, 2020", "vi", "2020-12-05 00:00"),
        ("5 نيسان 2020", "ar", "2020-04-05 00:00"),
        ("12\u200f/03\u200f/2020", "ar", "2020-03-12 00:00"),
        ("2020 m. kovo 12 d.", "lt", "2020-03-12 00:00"),
        ("2020. gada 12. marts", "lv", "2020-03-12 00:00"),
        ("5 Απριλίου 2020 10:30 μ.μ.", "el", "2020-04-05 22:30"),
    ],
)
def test_dates_of_other_calendars_and_spellings(text: str, language: str, expected: str) -> None:
    when = DateReader([language]).read(text)
    assert when is not None and f"{when.moment:%Y-%m-%d %H:%M}" == expected


@pytest.mark.parametrize(
    "text",
    ["12 mehr 10", "1399 words", "Flat 2563", "192.168.1399.1", "1415, Agincourt", "1492-10-12"],
)
def test_numbers_that_resemble_calendar_dates_are_ignored(text: str) -> None:
    assert DateReader(["de"]).read(text) is None


def test_other_calendars_work_in_machine_dates_and_patterns() -> None:
    when = machine_date("1399-01-12T10:00:00+03:30")
    assert when is not None and when.moment.date() == date(2020, 3, 31)
    assert "en|y-M-d" in set(patterns_for("۱۲ فروردین ۱۳۹۹", {date(2020, 3, 31)}, ["fa", "en"]))


@given(st.text(alphabet="0123456789۱۲۳۹/.- فروردین令和元年月日一十tháng,พศ", max_size=60))
def test_random_text_raises_no_error(text: str) -> None:
    gregorian(text)
    normalise(text)


@pytest.mark.parametrize(
    ("lunar", "observed"),
    [
        ((1429, 9, 1), date(2008, 9, 1)),
        ((1430, 12, 10), date(2009, 11, 27)),
        ((1435, 10, 1), date(2014, 7, 28)),
        ((1441, 9, 1), date(2020, 4, 24)),
        ((1442, 1, 1), date(2020, 8, 20)),
        ((1445, 1, 1), date(2023, 7, 19)),
    ],
)
def test_lunar_dates_are_at_most_one_day_off(lunar: tuple[int, int, int], observed: date) -> None:
    found = lunar_hijri(*lunar)
    assert found is not None and abs((found - observed).days) <= 1


def test_lunar_years_are_eleven_days_shorter() -> None:
    starts = [lunar_hijri(year, 1, 1) for year in range(1400, 1431)]
    lengths = {(b - a).days for a, b in pairwise(starts) if a and b}
    assert lengths <= {353, 354, 355}
    assert lunar_hijri(1441, 13, 1) is None and lunar_hijri(1370, 1, 31) is None


@pytest.mark.parametrize(
    ("written", "day"),
    [((5780, 1, 15), date(2020, 4, 9)), ((5782, 13, 3), date(2022, 3, 6))],
)
def test_hebrew_days(written: tuple[int, int, int], day: date) -> None:
    assert hebrew(*written) == day
    assert hebrew(5781, 13, 3) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("الجمعة ١٢ رجب ١٤٤١هـ", "2020-03-07"),
        ("١٢ رمضان ١٤٤١ هـ", "2020-05-05"),
        ("رمضان 12, 1441", "2020-05-05"),
        ("1441/09/01هـ", "2020-04-24"),
        ("15 جمادى الأولى 1435 هـ", "2014-03-16"),
        ("12 Ramadan 1441 AH", "2020-05-05"),
        ("الجمعة 12 رجب 1441هـ الموافق 6 مارس 2020م", "2020-03-06"),
    ],
)
def test_lunar_dates_match_adjacent_gregorian_dates(text: str, expected: str) -> None:
    when = DateReader(["ar"]).read(text)
    assert when is not None and when.moment.date().isoformat() == expected


@pytest.mark.parametrize("text", ["1441/09/01", "Ramadan begins in 1441", "Rajab 1441"])
def test_invalid_lunar_dates_are_rejected(text: str) -> None:
    assert gregorian(text) == text


def test_year_after_the_time_is_read() -> None:
    """As C's ``asctime`` and the command ``date`` write it, and the blog engines of
    shell and Perl.
    """
    assert normalise("Wed Dec 11 16:51:10 2013") == "Wed Dec 11 2013 16:51:10"
    assert normalise("Mi Dez 11 16:51 CET 2013, von Ann") == "Mi Dez 11 2013 16:51 CET, von Ann"
    assert normalise("May 3 at 10:30 2010 people came") == "May 3 at 10:30 2010 people came"
