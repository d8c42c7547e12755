"""Days that addresses carry (``/2013/02/05/a-walk``)."""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import lru_cache
from urllib.parse import parse_qsl, unquote, urlsplit

from blogcrawl.dates.months import COMMON, month_number

_URL_DAY = re.compile(
    r"/((?:19|20)\d\d)[/-](0?[1-9]|1[0-2])(?:[/-](0?[1-9]|[12]\d|3[01])(?!\d))?(?=[/-]|$|\.)"
)
_DAY_FIRST = re.compile(
    r"(?<![\d-])(0?[1-9]|[12]\d|3[01])([-_.])(0[1-9]|1[0-2])\2((?:19|20)\d\d)(?![\d])"
)
"""``29-10-2021``: the month has two digits, so that no range of chapters or numbers is taken for a
day.
"""
_NAMED = re.compile(r"/((?:19|20)\d\d)/([^\W\d_]{3,12})(?:/(0?[1-9]|[12]\d|3[01]))?(?=/)")
_URL_YEAR = re.compile(r"/((?:19|20)\d\d)/[^/]*[^\W\d_]")
_URL_SLUG = re.compile(r"(?<!\d)((?:19|20)\d\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?!\d)")
_MONTH = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_.]?(0[1-9]|1[0-2])(?:[-_.]?\d\d)?(?!\d)")
_MONTH_FIRST = re.compile(r"(?<!\d)(0[1-9]|1[0-2])[-_.]?((?:19|20)\d\d)(?!\d)")

MONTHS = 12


@lru_cache(maxsize=1024)
def url_day(url: str) -> tuple[int, int, int | None] | None:
    """Return year, month and perhaps day that the URL's path carries (``/2013/02/05/…``,
    ``/2013-02-05-…``).
    """
    path = urlsplit(url).path
    match = _URL_DAY.search(path) or _URL_SLUG.search(path)
    if match is not None:
        return int(match[1]), int(match[2]), int(match[3]) if match[3] else None
    first = _DAY_FIRST.search(path)
    if first is not None and (int(first[1]) > MONTHS or first[1] == first[3]):
        return int(first[4]), int(first[3]), int(first[1])
    return _day_with_name(path)


def _day_with_name(path: str) -> tuple[int, int, int | None] | None:
    named = _NAMED.search(unquote(path))
    month = month_number(named[2], COMMON) if named is not None else None
    if named is None or not month:
        return None
    return int(named[1]), month, int(named[3]) if named[3] else None


def list_month(url: str) -> tuple[int, int] | None:
    """Return year and month of a list of a month's posts, which its path or its query carries
    (``/archive/200409.html``, ``?month=2004-09``, ``?y=2004&m=9``)."""
    day = url_day(url)
    if day is not None:
        return day[:2]
    _, _, path, query, _ = urlsplit(unquote(url))
    for text in (query, path):
        if match := _MONTH.search(text):
            return int(match[1]), int(match[2])
        if match := _MONTH_FIRST.search(text):
            return int(match[2]), int(match[1])
    return _month_in_items(parse_qsl(query))


def _month_in_items(items: list[tuple[str, str]]) -> tuple[int, int] | None:
    numbers = [(name.lower(), int(value)) for name, value in items if value.isdecimal()]
    years = [value for _, value in numbers if 1900 <= value < 2100]
    months = [value for name, value in numbers if name[:1] == "m" and 1 <= value <= MONTHS]
    return (years[0], months[0]) if years and months else None


def url_near(url: str) -> date | None:
    """Return the URL's day (the first of its month or year where it has none), for dates written
    without a year.
    """
    found = url_day(url)
    year = None if found else _URL_YEAR.search(urlsplit(url).path)
    try:
        return (
            date(found[0], found[1], found[2] or 1)
            if found
            else date(int(year[1]), 1, 1)
            if year
            else None
        )
    except ValueError:
        return None


def agrees(day: date, in_url: tuple[int, int, int | None] | None) -> bool | None:
    """Return whether a day goes with the URL's: one day of slack for time zones. None if the URL
    has none.
    """
    if in_url is None:
        return None
    year, month, number = in_url
    if number is None:
        return any(
            (day + timedelta(days=step)).timetuple()[:2] == (year, month) for step in (-1, 0, 1)
        )
    try:
        return abs((day - date(year, month, number)).days) <= 1
    except ValueError:
        return None
