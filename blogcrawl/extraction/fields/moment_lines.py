"""Read what lines near the heading and below the text say of a post's moments other than its day:
the time of day, where it stands in another line, and the last change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, time

from lxml.html import HtmlElement

from blogcrawl.core.evidence import SEVERAL
from blogcrawl.core.page import Page
from blogcrawl.core.records import FieldValue
from blogcrawl.dates.edtf import precision
from blogcrawl.dates.machine_date import machine_date
from blogcrawl.dates.parse import (
    DateMatch,
    DateReader,
    clock_times,
    in_zone,
    is_moment,
    is_utc,
)
from blogcrawl.dates.zones import offset_at
from blogcrawl.dom.blocks import Blocks, blocks_of
from blogcrawl.extraction.confidence import confidences
from blogcrawl.extraction.fields.date_line import (
    UPDATED,
    is_labelled,
    is_of_change,
    is_of_post,
    lines_near,
)
from blogcrawl.extraction.fields.headings import heading_element
from blogcrawl.extraction.methods.metadata import declared_dates
from blogcrawl.induction.site_facts import DateFacts
from blogcrawl.text.lengths import MAX_CONTROL


def moments_near(
    page: Page, best: Mapping[str, FieldValue], dates: DateFacts, language: str | None
) -> dict[str, FieldValue]:
    """Return ``published`` with its time of day and ``modified``, where lines have what ``best``
    lacks.
    """
    out, reader = {}, DateReader([language, "en"])
    content = best["content"].value if isinstance(best["content"].value, HtmlElement) else None
    published = best.get("published")
    if content is not None and published is not None and precision(published.value) == "day":
        clock = clock_apart(page, content, published.value, reader)
        if clock is not None:
            raw = f"{published.raw or ''} {clock.text}".strip()
            out["published"] = replace(published, value=on_clock(clock, dates), raw=raw)
    change = None
    if "modified" not in best and not dates.change_is_sites:
        change = change_near(page, content, reader)
    if change is not None:
        out["modified"] = FieldValue(
            value=on_clock(change, dates),
            method="generic",
            confidence=confidences("modified")["line"],
            rule="line of a change",
            raw=change.text,
        )
    return out


def on_clock(when: DateMatch, dates: DateFacts) -> datetime:
    """Return a moment with the zone of the blog's clock, where it is known."""
    offset = offset_at(dates.zones, when.moment.replace(tzinfo=None))
    return when.aware(offset, dates.day_offset, mislabelled=dates.mislabelled)


def change_on_clock(
    page: Page, best: Mapping[str, FieldValue], dates: DateFacts
) -> dict[str, FieldValue]:
    """Return ``modified`` on the blog's clock, where the page declares it with the label of UTC
    that the same markup gives the moment of publication wrongly.
    """
    if not dates.mislabelled or not {"published", "modified"} <= best.keys():
        return {}
    change, published = best["modified"], best["published"]
    if not _is_time_in_utc(change.value) or _digits(published) not in _labelled(page, change):
        return {}
    shown = _digits(change)
    return {"modified": replace(change, value=in_zone(shown, offset_at(dates.zones, shown)))}


def _labelled(page: Page, change: FieldValue) -> set[datetime]:
    """Return what clocks show at publication, labelled as UTC in the markup of a change."""
    declared = (value for field, value in declared_dates(page) if field == "published")
    alike = (value for value in declared if _markup(value) == _markup(change))
    return {_digits(value) for value in alike if _is_time_in_utc(value.value)}


def _digits(value: FieldValue) -> datetime:
    """Return what a clock shows at a moment, without its zone."""
    moment: datetime = value.value
    return moment.replace(tzinfo=None)


def _markup(value: FieldValue) -> str:
    """Return the kind of markup that declares a value: ``meta``, ``json-ld``, ``h-entry``."""
    return (value.rule or "").partition(" ")[0]


def _is_time_in_utc(moment: datetime) -> bool:
    return precision(moment) == "time" and is_utc(moment)


def clock_apart(
    page: Page, content: HtmlElement, day: datetime, reader: DateReader
) -> DateMatch | None:
    """Return the moment on ``day`` that lines outside the text write; None where none does, or two
    have different ones. Midnight is a day: so programs write the days that they have.
    """
    found = {
        clock.moment: clock
        for text, element, is_prose in _lines(page, content)
        if not is_prose
        for clock in _clocks_of(text, element, day, reader)
    }
    return next(iter(found.values())) if len(found) == 1 else None


def _clocks_of(
    text: str, element: HtmlElement, day: datetime, reader: DateReader
) -> Iterator[DateMatch]:
    """Yield the moment that a line writes: a time alone, one in a line about the post, or one next
    to that day."""
    clocks = clock_times(text)
    if len(clocks) != 1 or clocks == {time()} or is_of_change(text, element):
        return
    when = reader.read(text, day.date())
    if when is not None:
        if when.has_time and when.moment.date() == day.date():
            yield when
    elif is_moment(text) or is_of_post(element) or is_labelled(element):
        moment = datetime.combine(day.date(), clocks.pop())
        yield DateMatch((0, len(text)), moment, "minute", text=text)


def change_near(page: Page, content: HtmlElement | None, reader: DateReader) -> DateMatch | None:
    """Return the date behind the label of a change, in a line outside the text or one that says
    nothing else.
    """
    for text, element, is_prose in _lines(page, content):
        label = UPDATED.search(text)
        rest = text[label.end() :] if label is not None else ""
        when = reader.read(rest) if rest else None
        if when is None or when.span[0] > MAX_CONTROL:
            continue
        if not is_prose or is_moment(rest[when.span[0] :]):
            return _as_marked(element, when)
    return None


def _as_marked(line: HtmlElement, when: DateMatch) -> DateMatch:
    """Return the moment of that day that a ``time`` element of the line is marked with, else the
    day."""
    marked = (machine_date(node.get("datetime")) for node in line.iter("time"))
    of_day = (m for m in marked if m is not None and m.moment.date() == when.moment.date())
    return next(of_day, when)


def is_change_of_site(pages: Sequence[Page], language: str | None) -> bool:
    """Return whether pages of posts show one moment of change: that of their site."""
    reader = DateReader([language, "en"])
    changes = [change for page in pages if (change := change_near(page, None, reader)) is not None]
    return len(changes) >= SEVERAL and len({change.moment for change in changes}) == 1


def _lines(page: Page, content: HtmlElement | None) -> Iterator[tuple[str, HtmlElement, bool]]:
    """Yield the lines near heading and text, without those that hold the heading, and whether they
    are in the text."""
    blocks, title = blocks_of(page), _place_of_title(page)
    prose = _prose(blocks, title, content)
    for text, element, _ in lines_near(page, content):
        number = blocks.number[element]
        if not number <= title < blocks.end[number]:
            yield text, element, number in prose


def _place_of_title(page: Page) -> int:
    """Return the number of the heading among the blocks, -1 where there is none."""
    heading = heading_element(page)
    return blocks_of(page).number.get(heading, -1) if heading is not None else -1


def _prose(blocks: Blocks, title: int, content: HtmlElement | None) -> range:
    """Return the numbers of the blocks of the text, behind its heading."""
    if content is None or content not in blocks.number:
        return range(0)
    start = blocks.number[content]
    end = blocks.end[start]
    return range(blocks.end[title] if start < title < end else start, end)
