"""Dates at the ends of the calendar, and numbers that are too large for one: found by fuzzing,
kept.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogcrawl.comments.sources import _moment
from blogcrawl.dates.machine_date import machine_date, parse_date
from blogcrawl.dates.parse import FORMS, DateReader, find_date
from blogcrawl.dates.patterns import read_pattern
from blogcrawl.dates.relative import find_relative

NOW = datetime(2026, 1, 1, tzinfo=UTC)
HOSTILE = [
    *(
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-12:00",
        "01.01.0001 00:00 +05:00",
        "31.12.9999 23:59 -0500",
    ),
    *(
        "Mon, 01 Jan 0001 00:00:00 +0500",
        "Fri, 31 Dec 9999 23:59:59 -0500",
        "January 1, 0001 1:00 +0900",
        "0000-00-00 00:00:00",
    ),
    *(
        "99999999999999999999 days ago",
        "vor 9999999999 Jahren",
        "2010-01-01T10:00:00+99:99",
        "1 janvier 0001",
        "9" * 150,
        "²5.01.2010",
    ),
    *("il y a 999999999999999 ans", "2010-01-01T10:00 +9999", "31 décembre 9999 23h59"),
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_date_reader_fails(text: str) -> None:
    for code in ("en", "de", "fr"):
        find_relative(text, NOW, code)
        for form in FORMS:
            when = read_pattern(f"{code}|{form}", text, NOW.date())
            assert when is None or (when.aware(60, 60) and when.days())
        find_date(text, code)
        parse_date(text, language=code)
    for when in (machine_date(text), DateReader(["de", "en"]).read(text, NOW.date())):
        assert when is None or (when.aware(60) and when.days())
    _moment(text)


@pytest.mark.parametrize(
    "value", [10**4000, float("inf"), float("nan"), -(10**400), 1e308, True, None, [], {}]
)
def test_no_moment_of_an_api_fails(value: object) -> None:
    assert _moment(value) is None
