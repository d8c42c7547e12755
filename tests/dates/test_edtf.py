"""Dates are as precise as they are known, in memory and in text."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given

from blogcrawl.dates.edtf import (
    DAY,
    LOCAL,
    MONTH,
    YEAR,
    approximately,
    calendar_date,
    day_at_midnight,
    edtf,
    is_approximate,
    precision,
    qualified_precision,
    read_written,
    readable,
    written,
)
from blogcrawl.dates.machine_date import parse_date
from tests.dates.partial import DATES

EVENING = datetime(2012, 10, 3, 23, 18, tzinfo=timezone(timedelta(hours=-4)))


@given(DATES)
def test_edtf_round_trip_keeps_time_date_and_precision(moment: datetime) -> None:
    again = read_written(written(moment))
    assert again == moment and again.utcoffset() == moment.utcoffset()
    assert precision(again) == precision(moment) and written(again) == written(moment)
    assert is_approximate(again) is is_approximate(moment)


@pytest.mark.parametrize(
    ("moment", "text", "day", "shown"),
    [
        (EVENING, "2012-10-03T23:18:00-04:00", "2012-10-03", "2012-10-03 23:18"),
        (EVENING.astimezone(UTC), "2012-10-04T03:18:00Z", "2012-10-04", "2012-10-04 03:18"),
        (
            datetime(2012, 10, 3, 23, 18, tzinfo=LOCAL),
            "2012-10-03T23:18:00",
            "2012-10-03",
            "2012-10-03 23:18",
        ),
        (datetime(2012, 10, 3, tzinfo=LOCAL), "2012-10-03", "2012-10-03", "2012-10-03"),
        (datetime(2012, 10, 3, tzinfo=DAY), "2012-10-03", "2012-10-03", "2012-10-03"),
        (datetime(2012, 10, 3, tzinfo=UTC), "2012-10-03", "2012-10-03", "2012-10-03"),
        (datetime(2012, 10, 1, tzinfo=MONTH), "2012-10", "2012-10", "2012-10"),
        (datetime(2012, 1, 1, tzinfo=YEAR), "2012", "2012", "2012"),
        (approximately(datetime(2012, 1, 1, tzinfo=YEAR)), "2012~", "2012", "~2012"),
        (approximately(datetime(2012, 10, 1, tzinfo=MONTH)), "2012-10~", "2012-10", "~2012-10"),
        (approximately(EVENING), "2012-10-03T23:18:00-04:00", "2012-10-03", "2012-10-03 23:18"),
    ],
)
def test_each_precision_has_its_edtf_form(
    moment: datetime, text: str, day: str, shown: str
) -> None:
    assert (written(moment), edtf(moment)) == (text, text)
    assert (calendar_date(moment), readable(moment)) == (day, shown)


def test_catalogue_dates_have_no_fractional_seconds() -> None:
    assert edtf(EVENING.replace(microsecond=5)) == "2012-10-03T23:18:00-04:00"
    assert edtf(None) == calendar_date(None) == readable(None) == ""


def test_midnight_in_another_zone_is_a_time() -> None:
    assert precision(EVENING.replace(hour=0, minute=0)) == "time"


def test_midnight_of_a_site_is_its_day() -> None:
    midnight = EVENING.replace(hour=0, minute=0)
    assert written(day_at_midnight(midnight)) == "2012-10-03"
    assert day_at_midnight(EVENING) == EVENING
    assert written(day_at_midnight(datetime(2012, 10, 1, tzinfo=MONTH))) == "2012-10"


def test_partial_dates_sort_among_moments_and_are_copied() -> None:
    day = datetime(2012, 10, 4, tzinfo=DAY)
    assert sorted([EVENING, day]) == [day, EVENING]
    assert written(pickle.loads(pickle.dumps(day))) == written(copy.deepcopy(day)) == "2012-10-04"


def test_approximate_year_is_a_year_that_says_so() -> None:
    year = datetime(2012, 1, 1, tzinfo=YEAR)
    about = approximately(year)
    assert sorted([EVENING, about]) == [about, EVENING] and about == year
    assert (precision(about), qualified_precision(about)) == ("year", "year~")
    assert about.tzinfo != YEAR and approximately(about).tzinfo == about.tzinfo
    assert written(pickle.loads(pickle.dumps(about))) == written(copy.deepcopy(about)) == "2012~"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("2012-10-03", "2012-10-03"),
        ("2012-10", "2012-10"),
        ("2012", "2012"),
        ("3 October 2012", "2012-10-03"),
        ("Wed, 03 Oct 2012", "2012-10-03"),
        ("Wed, 03 Oct 2012 00:00:00 +0000", "2012-10-03"),
        ("Wed, 03 Oct 2012 23:18:00 -0400", "2012-10-03T23:18:00-04:00"),
        ("2012-10-03 23:18", "2012-10-03T23:18:00"),
        ("2012-10-03 00:00", "2012-10-03"),
    ],
)
def test_feed_dates_keep_their_precision(raw: str, text: str) -> None:
    moment = parse_date(raw)
    assert moment is not None and written(moment) == text


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "2012-13",
        "12",
        "~2012",
        "2012~~",
        "2012-10-03T23:18:00~",
        "2012-10-03T25:00:00Z",
        "0001-01-01T00:00+09",
    ],
)
def test_invalid_edtf_is_refused(bad: str) -> None:
    with pytest.raises((ValueError, OverflowError)):
        read_written(bad)
