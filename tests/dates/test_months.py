"""Names of months."""

from __future__ import annotations

import pytest

from blogcrawl.dates.months import names_month


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
