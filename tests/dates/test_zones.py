"""Zones of clocks that write none: what stays possible, and where the offset is known."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawl.dates import zones
from blogcrawl.dates.zones import Reading, is_elsewhere, offset_at, zones_of

WINTER, SUMMER = datetime(2015, 1, 10, 12), datetime(2015, 7, 10, 12)


def readings(zone: str, *times: datetime) -> list[Reading]:
    """What a clock shows in a zone; a fixed offset is one of Etc (``Etc/GMT-8``)."""
    offsets = (time.replace(tzinfo=ZoneInfo(zone)).utcoffset() for time in times)
    return [
        (time, round(offset.total_seconds() / 60))
        for time, offset in zip(times, offsets, strict=True)
        if offset is not None
    ]


def test_both_halves_of_the_year_give_both_offsets() -> None:
    found = zones_of(readings("Europe/Paris", WINTER, SUMMER))
    assert offset_at(found, datetime(2009, 12, 24, 18)) == 60
    assert offset_at(found, datetime(2021, 8, 1, 9)) == 120
    assert offset_at(found, datetime(2021, 8, 1, 9, tzinfo=UTC)) == 120
    assert is_elsewhere(found)


@pytest.mark.parametrize(("known", "unknown"), [(WINTER, SUMMER), (SUMMER, WINTER)])
def test_one_half_of_the_year_says_nothing_of_the_other(known: datetime, unknown: datetime) -> None:
    found = zones_of(readings("Europe/Paris", known, known.replace(day=20)))
    assert offset_at(found, known.replace(year=2018)) == (60 if known is WINTER else 120)
    assert offset_at(found, unknown) is None


def test_offset_that_never_changes_is_known_all_year() -> None:
    found = zones_of(readings("Etc/GMT-8", WINTER))
    assert offset_at(found, SUMMER) == 480
    found = zones_of(readings("Asia/Kolkata", WINTER, SUMMER))
    assert offset_at(found, datetime(2011, 3, 1)) == 330


def test_a_zone_of_few_people_is_found_where_it_alone_fits() -> None:
    found = zones_of(readings("Australia/Adelaide", WINTER, SUMMER))
    assert offset_at(found, datetime(2012, 7, 1)) == 570
    assert offset_at(found, datetime(2012, 1, 1)) == 630


def test_laws_of_other_years_are_not_forgotten() -> None:
    """Russia has had no summer time since 2011, and another offset until 2014."""
    found = zones_of(readings("Europe/Moscow", WINTER, SUMMER))
    assert offset_at(found, SUMMER) == 180
    assert offset_at(found, datetime(2012, 7, 1)) is None


def test_times_of_another_kind_do_not_count_but_most_must_fit() -> None:
    right = readings("Europe/Paris", WINTER, SUMMER, datetime(2016, 2, 2, 2))
    assert offset_at(zones_of([*right, (SUMMER, -300)]), SUMMER) == 120
    assert zones_of([(WINTER, 0), (WINTER, 60), (WINTER, 120), (SUMMER, 345)]) == ()
    assert zones_of([]) == () and offset_at((), WINTER) is None


def test_hour_that_is_there_twice_has_no_offset() -> None:
    found = zones_of(readings("Europe/Paris", WINTER, SUMMER))
    assert offset_at(found, datetime(2015, 10, 25, 2, 30)) is None
    assert offset_at(found, datetime(2015, 10, 25, 4, 30)) == 60


def test_utc_is_possible_for_a_clock_of_london_in_winter() -> None:
    assert not is_elsewhere(zones_of(readings("Europe/London", WINTER)))
    assert is_elsewhere(zones_of(readings("Europe/London", SUMMER)))


def test_machine_without_zones_learns_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zones, "_named", dict)
    assert zones_of(readings("Europe/Paris", WINTER, SUMMER)) == ()


MAIN = sorted({*zones._named()["main"]})
TIMES = st.datetimes(datetime(1999, 1, 1), datetime(2025, 12, 31))


@given(st.sampled_from(MAIN), st.lists(TIMES, min_size=1, max_size=10), TIMES)
def test_stated_offset_is_never_wrong(zone: str, seen: list[datetime], asked: datetime) -> None:
    moment = asked.replace(tzinfo=ZoneInfo(zone))
    truth = {
        round(m.utcoffset().total_seconds() / 60) for f in (0, 1) for m in [moment.replace(fold=f)]
    }  # type: ignore[union-attr]
    found = offset_at(zones_of(readings(zone, *seen)), asked)
    assert found is None or found in truth
