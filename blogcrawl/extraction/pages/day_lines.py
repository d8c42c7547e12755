"""Lines that are a day's, with which posts begin on pages without anchors: diaries written by hand.

A text fragment leads to such a line (WICG, "URL Fragment Text Directives"), which browsers follow:
``/diary/2003.html#:~:text=WEDNESDAY%2030th%20APRIL``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from itertools import islice
from typing import NamedTuple
from urllib.parse import urlsplit

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.bounds import MAX_ELEMENTS
from blogcrawl.core.evidence import LEVELS, NEAR
from blogcrawl.core.page import Page, kept
from blogcrawl.dates.months import month_in
from blogcrawl.dates.parse import (
    LONGEST_MOMENT,
    DateMatch,
    DateReader,
    find_date,
    is_date,
    with_weekday,
)
from blogcrawl.dates.url_date import list_month, url_near
from blogcrawl.extraction.fields.byline import document_title
from blogcrawl.extraction.pages.several import HEADINGS
from blogcrawl.text.lengths import MAX_TITLE
from blogcrawl.text.visible import node_text, squeeze
from blogcrawl.urls.canonical import TEXT

_BOLD = frozenset(("b", "strong", "dt"))
_BLOCKS = ("td", "th", "p", "div", "center", "dd", "li")
_ENDS = ("br", "hr")
_LINES = (*sorted(_BOLD), *_BLOCKS, *_ENDS, "font", "span", "i", "em", "u", "big")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_DAY = re.compile(r"(?<![\d.:/])(\d{1,2})(?:st|nd|rd|th|[日.])?(?![\d.:/])", re.I)
_ANY_YEAR = date(2000, 1, 1)
_WIDE = frozenset(("month", "year"))
_ADDED = re.compile(r"\d{1,2}[:.]\d\d(?:\s?[ap]\.?m\b)?|[(（][^\W\d]{1,12}[)）]", re.I)
"""What stands next to a date: a time, the day of the week in brackets."""


class DayLine(NamedTuple):
    """A line that is a day's, or a heading with one."""

    node: HtmlElement
    fragment: str
    when: DateMatch


@kept
def day_lines(page: Page) -> list[DayLine]:
    """Return the lines of a page that say no more than a day, perhaps with a time, and its headings
    with a day, in document order; the year is the page's where they have none."""
    reader = DateReader((page.tree.get("lang"), "en"), max_chars=MAX_TITLE)
    near, month = _year_of(page), _month_of(page)
    for heading in page.tree.iter(*sorted(HEADINGS)):
        _end_line(heading)
    nodes = page.tree.iter(*sorted(HEADINGS), *_LINES)
    found = (_day_line(node, reader, near, month) for node in nodes)
    return list(islice(filter(None, found), MAX_ELEMENTS))


def _end_line(heading: HtmlElement) -> None:
    """Let the line behind a heading begin with an element, as others do behind a ``br``: the first
    day below the name of its month has none."""
    line = heading.tail or ""
    if len(line) <= MAX_TITLE and any(map(str.isdigit, line)) and _ends_line(heading.getnext()):
        heading.tail = None
        line_end = etree.Element("br")
        line_end.tail = line
        heading.addnext(line_end)


def _day_line(
    node: HtmlElement, reader: DateReader, near: date | None, month: date | None
) -> DayLine | None:
    text = _line_of(node)
    found = reader.read(text, near) if len(text) <= MAX_TITLE else None
    if found is None and month and (day := _day_in(text, month)):
        return DayLine(node, TEXT + text, day)
    if found is None or found.precision in _WIDE:
        return None
    return DayLine(node, TEXT + text, found) if _is_of_day(node, text, found) else None


def _line_of(node: HtmlElement) -> str:
    """Return the text of a small element, the first line of a larger one, or the line that begins
    behind the end of another."""
    if node.tag in _ENDS:
        return squeeze(node.tail) if _ends_line(node.getnext()) else ""
    first = next(node.iterchildren(), None) if node.tag in _BLOCKS else None
    return (squeeze(node.text) if _ends_line(first) else "") or _text_if_small(node)


def _ends_line(node: HtmlElement | None) -> bool:
    return node is not None and node.tag == "br"


def _text_if_small(node: HtmlElement) -> str:
    is_small = next(islice(node.iter(), LEVELS, None), None) is None
    return node_text(node) if is_small else ""


def _is_of_day(node: HtmlElement, text: str, found: DateMatch) -> bool:
    """Return whether it is a heading, a bold line that begins with the date or is alone and ends
    with it ("Lima, 3 May 2004"), or a line that says no more than the date and a time."""
    start, end = with_weekday(text, found).span
    if node.tag in HEADINGS:
        return True
    if node.tag not in _BOLD:
        return _says_nothing(_ADDED.sub("", text[:start] + text[end:]))
    return _says_nothing(text[:start]) or (_says_nothing(text[end:]) and _is_alone(node, text))


def _says_nothing(text: str) -> bool:
    return not any(map(str.isalnum, text))


def _is_alone(node: HtmlElement, text: str) -> bool:
    around = node.getparent()
    return around is not None and node_text(around) == text


def _day_in(text: str, month: date) -> DateMatch | None:
    """Return the day of a month in a line that says its number and perhaps the day of the week, no
    more ("Monday 12th", "12日（月）"); a number alone may be anything."""
    number = _DAY.search(text) if len(text) <= LONGEST_MOMENT else None
    if number is None or number[0] == text.strip() == number[1]:
        return None
    whole = text[: number.start()] + f"{month:%Y-%m}-{number[1]:0>2}" + text[number.end() :]
    return find_date(whole) if is_date(whole) else None


def _month_of(page: Page) -> date | None:
    """Return the first day of the month by which a page is called: in its address, its title or its
    first headings."""
    named = filter(None, map(month_in, _names_of(page)))
    known = list_month(page.url) or next(named, None)
    return date(*known, 1) if known else None


def days_begun(text: str) -> int:
    """Return how many lines of a post's text begin with a day, where these go one way: entries of a
    diary whose page could not be cut; 0 where they don't."""
    reader = DateReader(("en",), max_chars=LONGEST_MOMENT)
    plain = text.replace(":", " ")  # what stands behind "3 May:" makes no time of it
    lines = (line[:LONGEST_MOMENT] for line in islice(plain.split("\n"), MAX_ELEMENTS))
    days = list(filter(None, (_day_begun(line, reader) for line in lines)))
    return len(days) if days in (sorted(days), sorted(days, reverse=True)) else 0


def _day_begun(line: str, reader: DateReader) -> date | None:
    found = reader.read(line, _ANY_YEAR) if any(map(str.isdigit, line)) else None
    if found is None or found.precision in _WIDE:
        return None
    begins = _says_nothing(line[: with_weekday(line, found).span[0]])
    return found.moment.date() if begins else None


def _year_of(page: Page) -> date | None:
    """Return the year by which a page is called: in its address, its title or its first headings,
    where these have one only."""
    if (near := url_near(page.url)) is not None:
        return near
    years = (set(_YEAR.findall(text)) for text in _names_of(page))
    return next((date(int(*found), 1, 1) for found in years if len(found) == 1), None)


def _names_of(page: Page) -> Iterator[str]:
    yield urlsplit(page.url).path.rpartition("/")[2]
    yield document_title(page)
    yield from map(node_text, islice(page.tree.iter("h1", "h2"), NEAR))
