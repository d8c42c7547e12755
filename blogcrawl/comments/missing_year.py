"""Dates of comments without a year ("3 May, 10:11"): the first such day that is not before the
post's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, timedelta

from lxml.html import HtmlElement

from blogcrawl.comments.candidates import reconsider
from blogcrawl.comments.unit import DateCandidate, Reader
from blogcrawl.dates.parse import DateMatch
from blogcrawl.dates.relative import find_yearless
from blogcrawl.text.visible import node_text

LONGEST = 40
"""Characters of an element that is but such a date."""
LINE = 120
"""Characters of a byline's text that has such a day in it."""
SHARE = 0.6
"""Of the comments that must bear one at the same place."""
SCORE = 2.0
MAX_WORDS = 2
"""Words beside such a date in a text that is but the date: a weekday, "at"."""
_DAY = re.compile(
    r"(?<![\d./-])(\d{1,2}[./-]\d{1,2}\.?|[^\W\d_]{3,12}\.?\s+\d{1,2}|\d{1,2}\.?\s+[^\W\d_]{3,12})"
    r"\b[^\d\n]{0,12}?(?<!\d)\d{1,2}[:h]\d\d(?!\d)(?:\s?[ap]\.?m\b)?",
    re.I,
)
"""A day and a clock time."""
_MARK = re.compile(r"[./-]")


def date_without_year(
    readers: Sequence[Reader], published: datetime | None, language: str | None
) -> None:
    """Adds such dates to the readers' candidates, where none of them has another and the post's day
    is known.
    """
    if published is None or not readers or any(reader.dates for reader in readers):
        return
    found = [_candidates(reader, published, language) for reader in readers]
    votes = Counter(path for own in found for path in own)
    if not votes:
        add_years(readers, published, language)
        return
    best = max(votes, key=lambda path: (votes[path], path.count(">")))
    if votes[best] < SHARE * len(readers):
        return
    for reader, own in zip(readers, found, strict=True):
        if best in own:
            reader.dates[best] = own[best]


def _candidates(
    reader: Reader, published: datetime, language: str | None
) -> dict[str, DateCandidate]:
    own: dict[str, DateCandidate] = {}
    for element, path in reader.nodes:
        text = node_text(element)
        if path in own or not 4 <= len(text) <= LONGEST:
            continue
        reading = read_without_year(text, published, language)
        if reading is not None:
            own[path] = DateCandidate(SCORE + reading.has_time, element, reading, text)
    return own


def read_without_year(text: str, published: datetime, language: str | None) -> DateMatch | None:
    """Return the day and hour that a short text means; None where it means none, or says more."""
    limit = published.replace(tzinfo=None) - timedelta(days=1)
    for year in (published.year, published.year + 1):
        found = find_yearless(text, language, date(year, 1, 1))
        rest = f"{text[: found.span[0]]} {text[found.span[1] :]}" if found is not None else ""
        if found is None or len(rest.split()) > MAX_WORDS or any(c.isdigit() for c in rest):
            return None
        if any(found.pick(first).replace(tzinfo=None) >= limit for first in (True, False)):
            return found
    return None


def add_years(readers: Sequence[Reader], published: datetime, language: str | None) -> None:
    """Writes the year into days that stand in a longer line ("Posted by Ann on 05/03 at 10:11"),
    where most readers have one.
    """
    places = [
        (reader, place)
        for reader in readers
        if (place := _yearless(reader, published, language)) is not None
    ]
    if len(places) < SHARE * len(readers):
        return
    for reader, (element, name, day, whole) in places:
        setattr(element, name, (getattr(element, name) or "").replace(day, whole, 1))
        reconsider(reader, language)
        for path, found in reader.dates.items():
            reader.dates[path] = found._replace(text=found.text.replace(whole, day, 1))


def _yearless(
    reader: Reader, published: datetime, language: str | None
) -> tuple[HtmlElement, str, str, str] | None:
    """The first such day of a comment: the element and which of its texts has it, the day, and the
    day with its year.
    """
    for element, _ in reader.nodes:
        for name in ("text", "tail"):
            text = getattr(element, name)
            match = _DAY.search(text) if text and len(text) <= LINE else None
            reading = read_without_year(match.group(), published, language) if match else None
            if match and reading is not None:
                day = match.group(1)
                return element, name, day, _with_year(day, reading.moment.year)
    return None


def _with_year(day: str, year: int) -> str:
    """Return a day ("05/03", "3 May") with a year behind it."""
    mark = _MARK.search(day)
    in_numbers = mark is not None and day[0].isdigit() and day.rstrip(".")[-1].isdigit()
    return f"{day.rstrip('.')}{mark[0] if mark and in_numbers else ' '}{year}"
