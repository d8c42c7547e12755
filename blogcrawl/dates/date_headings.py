"""What tells a comment's time without being a date: a day without its year, or how
long ago it was.
"""

from __future__ import annotations

import re
from functools import lru_cache

from blogcrawl.dates.comment_date import find_date

_UNIT = r"(?:\d{1,4}|an?|one|eine[mr]?|une?|uno?|um[ao]?|een|en|ett)\s+[^\W\d_]{1,12}"
RELATIVE = re.compile(
    rf"(?<!\w)(?:{_UNIT}(?:,?\s{{1,20}}(?:and\s{{1,20}})?{_UNIT})?\s{{1,20}}(?:ago|fa|geleden|"
    rf"temu|назад|atrás|sedan|siden|önce|zuvor)"
    rf"|(?:vor|il y a|hace|há|för|for|pred|před)\s{{1,20}}{_UNIT}(?:\s{{1,20}}(?:sedan|"
    rf"siden))?)(?!\w)|\d{{1,4}}\s{{0,20}}[^\W\d_a-z]{{1,4}}(?:前|전)",
    re.I,
)
"""``3 years ago``, ``vor 3 Jahren``, ``il y a 3 ans``, ``3年前``."""
YEARLESS = re.compile(
    (
        r"(?<![\d./-])(\d{1,2}[./-]\d{1,2}\.?|[^\W\d_]{3,12}\.?\s+\d{1,2}|\d{1,2}\.?\s+[^\W\d_]{3,"
        r"12})\b[^\d\n]{0,12}?(?<!\d)\d{1,2}[:h]\d\d(?!\d)(?:\s?[ap]\.?m\b)?"
    ),
    re.I,
)
_MARK = re.compile(r"[./-]")


@lru_cache(maxsize=4096)
def tells_day(text: str, language: str | None = None) -> bool:
    """Does a short text name a day: a date, a day without its year before a clock's time, or the
    time that has gone by?
    """
    if find_date(text, language) is not None or RELATIVE.search(text):
        return True
    found = YEARLESS.search(text)
    if found is None:
        return False
    return find_date(with_year(found.group(1), 2000), language) is not None


def with_year(day: str, year: int) -> str:
    """A day ("05/03", "3 May") with a year behind it."""
    mark = _MARK.search(day)
    in_numbers = mark is not None and day[0].isdigit() and day.rstrip(".")[-1].isdigit()
    return (
        f"{day.rstrip('.')}{mark.group()}{year}"
        if mark is not None and in_numbers
        else f"{day} {year}"
    )
