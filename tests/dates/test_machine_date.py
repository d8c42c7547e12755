from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawl.core.records import FeedEntry
from blogcrawl.dates.edtf import written
from blogcrawl.dates.machine_date import machine_date, parse_date, with_days

D = datetime(2021, 3, 2, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "raw",
    [
        "Tue, 02 Mar 2021 10:00:00 +0000",
        "Tue, 2 Mar 2021 10:00:00 GMT",
        "02 Mar 21 10:00:00 UT",
        "Tue,02 Mar 2021 10:00:00Z",
        "2 Mar 2021 10:00 +0000",
        "Tue, 02 Mar 2021 12:00:00 +0200",
        "Tue, 02 Mar 2021 05:00:00 EST",
        "Tue, 02 Mar 2021 02:00:00 PST",
        "Tue, 02 Mar 2021 11:00:00 CET",
        "Tue, 02 Mar 2021 19:00:00 JST",
        "Tue, 02 Mar 2021 13:00:00 MSK",
        "Tue, 02 Mar 2021 12:00:00 GMT+2",
        "Tue, 02 Mar 2021 12:00:00 GMT+0200",
        "Tuesday, 02 March 2021 10:00:00 +0000",
        "2021-03-02T10:00:00Z",
        "2021-03-02T10:00:00.123Z",
        "2021-03-02T10:00:00.123456789+00:00",
        "2021-03-02T11:00:00+0100",
        "2021-03-02T11:00+01:00",
        "2021-03-02 10:00:00",
        "2021-03-02 10:00:00 UTC",
        "2021-03-02 12:00:00 +0200",
        "20210302T100000Z",
        "2021-03-02T10:00:00 Z",
        " 2021-03-02T10:00:00Z\n",
        "2021-3-2T10:00:00Z",
        "1614679200",
        "1614679200000",
        "Mar 2, 2021 10:00 AM",
        "March 2, 2021 10:00 am",
        "2021/03/02 10:00:00",
        "02 mars 2021 10:00",
        "2. März 2021 10:00",
        "2 марта 2021 10:00",
        "2021年3月2日 10:00",
        "2021년 3월 2일 10:00",
        "2021. 3. 2. 10:00",
        "화, 2 3월 2021 19:00:00 +0900",
        "火, 02 3月 2021 19:00:00 +0900",
        "Di, 02 Mär 2021 11:00:00 +0100",
        "Τρι, 02 Μάρ 2021 12:00:00 EET",
        "Tue Mar 02 2021 11:00:00 GMT+0100 (CET)",
        "Tue Mar  2 10:00:00 2021",
    ],
)
def test_machine_date_formats_are_read(raw: str) -> None:
    assert parse_date(raw) == D


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("2021-03-02", (2021, 3, 2)),
        ("2021-03", (2021, 3, 1)),
        ("2021", (2021, 1, 1)),
        ("20210302", (2021, 3, 2)),
        ("Tue, 02 Mar 2021", (2021, 3, 2)),
    ],
)
def test_days_without_a_time(raw: str, value: tuple[int, int, int]) -> None:
    assert parse_date(raw) == datetime(*value, tzinfo=UTC)


@pytest.mark.parametrize(
    "raw",
    [
        "",
        " ",
        None,
        "soon",
        "Thu, 01 Jan 1970 00:00:00 +0000",
        "1970-01-01T00:00:00Z",
        "1969-12-31T23:00:00Z",
        "0000-00-00 00:00:00",
        "0001-01-01T00:00:00Z",
        "Mon, 01 Jan 0001 00:00:00 +0000",
        "-0001-11-30T00:00:00+00:00",
        "2021-13-45T99:99:99Z",
        "Tue, 99 Mar 2021 10:00:00 +0000",
        "9999-12-31T00:00:00Z",
        "{{ post.date }}",
        "x" * 500,
        "2021-03-02T10:00:00+99:99x",
        "Invalid Date",
        "NaN",
        "12",
        "1e9",
        "3 days ago",
        "yesterday",
        "02/03/2021 10:00",
    ],
)
def test_texts_without_a_date_are_rejected(raw: str | None) -> None:
    assert parse_date(raw) is None


@pytest.mark.parametrize(
    ("text", "is_date"),
    [
        ("2025-07-31 2025", False),
        ("2025/7/31 120400", False),
        ("2025-07-31 20:25", True),
        ("2025-07-31T2025", True),
        ("20250731 2025", True),
    ],
)
def test_number_behind_a_day_is_no_time_of_day(text: str, is_date: bool) -> None:
    """Themes write the year once more there, hidden, or how often a post was read."""
    assert (machine_date(text) is not None) is is_date


@pytest.mark.parametrize(
    ("raw", "zone"),
    [
        ("Thu, 20 Mar 2025 17:51:02 +0806", ""),
        ("2025-03-20T17:51:02-04:56", ""),
        ("2025-03-20T17:51:02+08.00", "+08:00"),
        ("2025-03-20T17:51:02+05:45", "+05:45"),
    ],
)
def test_mean_time_of_a_town_is_no_zone(raw: str, zone: str) -> None:
    """Such as pytz gives: the time is that of the clock, its zone is not known."""
    found = parse_date(raw)
    assert found is not None and written(found) == f"2025-03-20T17:51:02{zone}"


@pytest.mark.parametrize(("hours", "is_days"), [((1, 1, 2, 1), True), ((1, 1, 2, 3), False)])
def test_midnights_in_the_zone_of_the_site_are_days(hours: Sequence[int], is_days: bool) -> None:
    """Front matter has days, which a program takes for midnights in UTC and writes in a zone."""
    zones = [timezone(timedelta(hours=zone)) for zone in (1, 1, 2, 1)]
    entries = [
        FeedEntry(url=str(day), published=datetime(2024, 1, day + 1, hour, tzinfo=zone))
        for day, (hour, zone) in enumerate(zip(hours, zones, strict=True))
    ]
    found = [entry.published for entry in with_days([*entries, FeedEntry(url="undated")])]
    days = [datetime(2024, 1, day, tzinfo=UTC) for day in range(1, 5)]
    assert found == [*(days if is_days else (e.published for e in entries)), None]
    assert all(when.tzinfo is UTC for when in found if when) is is_days


def test_future_dates_are_judged_by_the_servers_clock() -> None:
    assert parse_date("2027-03-02T10:00:00Z", served_at=D) is None
    assert parse_date("2021-04-02T10:00:00Z", served_at=D) is not None
    assert parse_date("1850-04-02T10:00:00Z", served_at=D) is not None  # a back-dated diary


@given(st.text(max_size=90))
def test_random_text_never_raises(raw: str) -> None:
    value = parse_date(raw)
    assert value is None or value.tzinfo is not None
