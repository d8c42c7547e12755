"""Names of months."""

from __future__ import annotations

import pytest

from blogcrawl.dates.months import month_in, names_month


@pytest.mark.parametrize(
    ("text", "is_month"),
    [
        ("November 2001 (4)", True),
        ("1/2005", True),
        ("2005年11月(3)", True),
        ("Dezembro de 2004", True),
        ("Notes of 2004", False),
        ("May 2011 in pictures", False),
    ],
)
def test_texts_that_are_a_month_are_known(text: str, is_month: bool) -> None:
    assert names_month(text) is is_month


@pytest.mark.parametrize(
    ("text", "month"),
    [
        ("Diary, November 2001", (2001, 11)),
        ("2001年11月の日記", (2001, 11)),
        ("Tagebuch Mai 2004", (2004, 5)),
        ("January 2004 - March 2004", None),
        ("Notes of 2004", None),
        ("may03.html", None),
    ],
)
def test_only_month_in_a_text_is_found(text: str, month: tuple[int, int] | None) -> None:
    assert month_in(text) == month
