"""Dates of comments without a year ("3 May, 10:11"): the first such day that is not before the
post's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from lxml.html import HtmlElement

from blogcrawl.comments.fields import reconsider
from blogcrawl.comments.unit_reader import Reader
from blogcrawl.dates.comment_date import Reading, find_date
from blogcrawl.dates.date_headings import YEARLESS, with_year
from blogcrawl.text.visible import node_text

LONGEST = 40
"""Characters of an element that is but such a date."""
LINE = 120
"""Characters of a byline's text that has such a day in it."""
SHARE = 0.6
"""Of the comments that must bear one at the same place."""
SCORE = 2.0
_HOUR = re.compile(
    (
        r"[\s,@-]{0,80}(?:(?<![\w])(?:at|um|à|às|a "
        r"las|alle|om|kl\.?|в|o|klo)\s{1,20})?(?<!\d)\d{1,2}\s?(?:[:h]\s?\d\d|[ap]\.?m)"
    ),
    re.I,
)
_NUMBERS = re.compile(r"\d{1,2}\s?([./-])\s?\d{1,2}\1?")
_SHORT = re.compile(r"\d{1,2}\D|\D\d{1,2}$")


def date_without_year(
    readers: Sequence[Reader], published: datetime | None, language: str | None
) -> None:
    """Adds such dates to the readers' candidates, where none of them has another and the post's day
    is known.
    """
    if published is None or not readers or any(reader.dates for reader in readers):
        return
    found: list[dict[str, tuple[float, HtmlElement, Reading, str]]] = []
    for reader in readers:
        own: dict[str, tuple[float, HtmlElement, Reading, str]] = {}
        for element, path in reader.nodes:
            text = node_text(element)
            if (
                path not in own
                and 4 <= len(text) <= LONGEST
                and (reading := read_without_year(text, published, language)) is not None
            ):
                own[path] = (SCORE + reading.has_time, element, reading, text)
        found.append(own)
    votes = Counter(path for own in found for path in own)
    if not votes:
        add_years(readers, published, language)
        return
    best = max(votes, key=lambda path: (votes[path], path.count(">")))
    if votes[best] >= SHARE * len(readers):
        for reader, own in zip(readers, found, strict=True):
            if best in own:
                reader.dates[best] = own[best]


def read_without_year(text: str, published: datetime, language: str | None) -> Reading | None:
    """The day and hour that a short text means; None where it is none, or says more."""
    hour = _HOUR.search(text)
    day = text[: hour.start()].strip(" ,") if hour else text.strip()
    rest = text[hour.start() :] if hour else ""
    if not _SHORT.search(day) or len(day.split()) > 4:
        return None
    numbers = _NUMBERS.fullmatch(day)
    mark = numbers.group(1) if numbers else ""
    limit = published.replace(tzinfo=None) - timedelta(days=1)
    for year in (published.year, published.year + 1):
        whole = f"{day.rstrip(mark)}{mark}{year}" if mark else f"{day} {year}"
        reading = find_date(f"{whole} {rest.strip(' ,@-')}".strip(), language)
        if reading is None or reading.span[0] > len(day):
            return None
        if any(
            m is not None and m.replace(tzinfo=None) >= limit
            for m in (reading.day_first, reading.month_first)
        ):
            return reading
    return None


def add_years(readers: Sequence[Reader], published: datetime, language: str | None) -> None:
    """Writes the year into days that stand in a longer line ("Posted by Ann on 05/03 at 10:11"),
    where most readers have one.
    """
    found = [
        (reader, place)
        for reader in readers
        if (place := _yearless(reader, published, language)) is not None
    ]
    if len(found) < SHARE * len(readers):
        return
    for reader, (element, name, day, whole) in found:
        setattr(element, name, (getattr(element, name) or "").replace(day, whole, 1))
        reconsider(reader, language)
        for path, (score, node, reading, raw) in reader.dates.items():
            reader.dates[path] = (score, node, reading, raw.replace(whole, day, 1))


def _yearless(
    reader: Reader, published: datetime, language: str | None
) -> tuple[HtmlElement, str, str, str] | None:
    """The first such day of a comment: the element and which of its texts has it, the day, and the
    day with its year.
    """
    for element, _ in reader.nodes:
        for name in ("text", "tail"):
            text = getattr(element, name)
            match = YEARLESS.search(text) if text and len(text) <= LINE else None
            reading = read_without_year(match.group(), published, language) if match else None
            if match and reading is not None and (moment := reading.pick(None)) is not None:
                return element, name, match.group(1), with_year(match.group(1), moment.year)
    return None
