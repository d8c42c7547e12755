"""The rates of crawls that run: over the last minute, for an hour, of one crawl and of all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from blogcrawl.storage.tables import CrawlRow
from blogcrawl.web.rates import POINTS, WINDOW, Rates, Sample, Series

START = datetime(2026, 6, 1, tzinfo=UTC)


def after(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def crawl(name: str, requests: int, *, began: float = 0, **counts: int) -> CrawlRow:
    counts = {"requests": requests, **counts}
    return CrawlRow(id=name, blog_id="b", spider="newcrawl", started=after(began), counts=counts)


def test_rates_are_those_of_the_last_minute() -> None:
    series = Series()
    for second in range(0, 130, 10):  # two requests a second, then none
        series.add(Sample(after(second), requests=2 * min(second, 60), queue=second))
    rates = series.rates()
    assert [rate.requests for rate in rates[:6]] == [120.0] * 6
    assert [rate.requests for rate in rates[6:]] == [100.0, 80.0, 60.0, 40.0, 20.0, 0.0]
    assert rates[-1].queue == 120


def test_a_series_holds_an_hour_in_few_points() -> None:
    series = Series()
    for second in range(0, 3 * 3600, 2):
        series.add(Sample(after(second), requests=second))
    times = [sample.at for sample in series.samples]
    assert POINTS / 2 <= len(times) <= POINTS
    assert WINDOW * 0.9 < times[-1] - times[0] <= WINDOW
    assert {rate.requests for rate in series.rates()} == {60.0}


def test_all_crawls_together_those_that_ended_and_those_that_began() -> None:
    rates = Rates()
    rates.note([], after(0))
    rates.note([crawl("a", 30, began=1), crawl("b", 10, began=1)], after(20))
    rates.note([crawl("b", 20, began=1)], after(40))
    rates.note([], after(60))
    assert [rate.requests for rate in rates.of()] == [120.0, 75.0, 50.0]
    assert [rate.requests for rate in rates.of("b")] == pytest.approx([31.6, 30.8], abs=0.1)
    rates.note([], after(60) + WINDOW)
    assert rates.of("b") == []


def test_what_a_crawl_did_before_the_room_ran_is_no_rate() -> None:
    rates = Rates()
    for second in (0, 10, 20):
        rates.note([crawl("old", 9000 + second, began=-3600)], after(second))
    assert [rate.requests for rate in rates.of()] == [60.0, 60.0]
    assert [rate.requests for rate in rates.of("old")] == [60.0, 60.0]


def test_nothing_is_plotted_where_nothing_runs() -> None:
    rates = Rates()
    for second in (0, 10, 20):
        rates.note([], after(second))
    assert rates.of() == [] and rates.of("none") == []
