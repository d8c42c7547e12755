"""Times ago."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from blogcrawl.dates.edtf import edtf
from blogcrawl.dates.relative import find_relative, find_yearless, is_relative, mentions_date

NOW = datetime(2020, 5, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "language", "day"),
    [
        ("3 days ago", "en", date(2020, 5, 17)),
        ("an hour ago", "en", date(2020, 5, 20)),
        ("Posted 2 weeks ago by Ann", "en", date(2020, 5, 6)),
        ("vor 3 Tagen", "de", date(2020, 5, 17)),
        ("vor einer Woche", "de", date(2020, 5, 13)),
        ("il y a 2 jours", "fr", date(2020, 5, 18)),
        ("hace 4 días", "es", date(2020, 5, 16)),
        ("há 2 dias", "pt", date(2020, 5, 18)),
        ("3 giorni fa", "it", date(2020, 5, 17)),
        ("3 dagen geleden", "nl", date(2020, 5, 17)),
        ("3 dni temu", "pl", date(2020, 5, 17)),
        ("3 дня назад", "ru", date(2020, 5, 17)),
        ("för 3 dagar sedan", "sv", date(2020, 5, 17)),
        ("3 gün önce", "tr", date(2020, 5, 17)),
        ("3日前", "ja", date(2020, 5, 17)),
        ("3天前", "zh", date(2020, 5, 17)),
        ("3일 전", "ko", date(2020, 5, 17)),
        ("۳ روز پیش", "fa", date(2020, 5, 17)),
        ("3 ימים", "he", None),
        ("לפני 3 ימים", "he", date(2020, 5, 17)),
        ("soon", "en", None),
        ("99999999999 days ago", "en", None),
        ("3 days", "en", None),
    ],
)
def test_times_ago_are_read(text: str, language: str, day: date | None) -> None:
    found = find_relative(text, NOW, language)
    assert (found.moment.date() if found else None) == day


@pytest.mark.parametrize(
    ("text", "language", "known"),
    [
        ("3 days ago", "en", "2020-05-17"),
        ("3 weeks ago", "en", "2020-04~"),
        ("2 months ago", "en", "2020-03~"),
        ("10 years ago", "en", "2010~"),
        ("2 years, 3 months ago", "en", "2018-02~"),
        ("3 weeks, 2 days ago", "en", "2020-04-27"),
        ("3 года 2 месяца назад", "ru", "2017-03~"),
    ],
)
def test_both_units_count_and_what_they_leave_open_is_not_claimed(
    text: str, language: str, known: str
) -> None:
    found = find_relative(text, NOW, language)
    assert found is not None and edtf(found.aware()) == known


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("3 years ago", True),
        ("2 years, 3 months ago", True),
        ("vor 3 Jahren", True),
        ("3年前", True),
        ("3 years ago I wrote", False),
        ("Reply", False),
    ],
)
def test_text_consisting_of_a_time_ago_is_recognised(text: str, whole: bool) -> None:
    assert is_relative(text) is whole


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("3 May 2011", True),
        ("3 May, 10:11", True),
        ("05/03 at 10:11", True),
        ("posted 3 days ago", True),
        ("3 May", False),
        ("1/2 cup at noon", False),
        ("Reply", False),
    ],
)
def test_texts_mentioning_a_date_are_recognised(text: str, dated: bool) -> None:
    assert mentions_date(text, "en") is dated


def test_date_without_year_takes_the_nearest_year() -> None:
    found = find_yearless("05/03 at 10:11", "de", date(2010, 1, 1))
    assert found is not None and found.ambiguous
    assert found.pick(True) == datetime(2010, 3, 5, 10, 11)
