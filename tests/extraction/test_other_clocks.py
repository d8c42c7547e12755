"""Pages with dates in another time zone than the feed's: the date is found all the same, and the
time of day is right where it can be.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from blogcrawl.core.page import Page
from blogcrawl.dates.edtf import precision
from blogcrawl.extraction.model import BlogModel
from blogcrawl.induction.ruleset import Sample
from tests.extraction.test_failure_classes import Written, days_of, learned, post_of


def draw(w: Written) -> str:
    return (
        f"<title>x</title></head><body><h1>{w.title}</h1><p "
        f"class=d>{w.when:%d.%m.%Y}</p><div class=c>{w.body}</div>"
    )


def in_utc(sample: Sample) -> Sample:
    moment = sample.entry.published
    return Sample(
        page=sample.page,
        entry=replace(sample.entry, published_raw=moment.isoformat() if moment else None),
    )


@pytest.mark.parametrize(("zone", "hour"), [(2, 0), (9, 0), (-7, 20)])
def test_midnight_in_another_zone(zone: int, hour: int) -> None:
    """All posts' days are the neighbours of the feed's (front matter with days only): those of the
    other posts are the days of the page, as days where the feed has their midnights.
    """
    model, rest = learned(draw, zone=zone, hour=hour, change=in_utc)
    found = [published_of(model, page) for page, _ in rest]
    if hour:
        days = [w.when.astimezone(UTC).date() for _, w in rest]
        assert [m.astimezone(UTC).date() for m in found] == days
        return
    assert [m.date() for m in found] == [w.when.date() for _, w in rest]
    assert {precision(m) for m in found} == {"day"}


def published_of(model: BlogModel, page: Page) -> datetime:
    post = post_of(page, model)
    assert post.published is not None
    return post.published


def test_evening_in_another_zone() -> None:
    """Dates on pages equal the feed's or differ by a day: the page's date is used."""

    def late(sample: Sample) -> Sample:
        moment = sample.entry.published
        assert moment is not None
        moment += timedelta(hours=7 if moment.day % 2 else 0)
        return in_utc(Sample(page=sample.page, entry=replace(sample.entry, published=moment)))

    model, rest = learned(draw, hour=20, change=late)
    assert model.ruleset.rules["published"][0].support_right == 8
    assert days_of(model, rest) == [w.when.date() for _, w in rest]


def test_comment_dates_are_no_evidence_of_another_zone() -> None:
    """The first comment came a day later, and the page shows no other date."""

    def commented(w: Written) -> str:
        said = f"<li><i>{w.when + timedelta(days=1):%d.%m.%Y}</i> <p>Thanks.</p></li>"
        return (
            f"<title>x</title></head><body><h1>{w.title}</h1><div class=c>{w.body}</div><ol "
            f"class=comments>{said}</ol>"
        )

    model, rest = learned(commented, hour=20, change=in_utc)
    assert days_of(model, rest) == [None for _ in rest]
