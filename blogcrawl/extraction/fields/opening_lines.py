"""Title and day in the first lines of a text whose page has no headings: "a walk", below it
"2001-09-10 - 6:12 p.m.", parted by breaks or blocks."""

from __future__ import annotations

from collections.abc import Sequence

from lxml.html import HtmlElement

from blogcrawl.core.evidence import NEAR
from blogcrawl.core.page import Page
from blogcrawl.dates.parse import DateMatch, DateReader
from blogcrawl.extraction.fields.headings import heading_element
from blogcrawl.induction.edge_boilerplate import is_line
from blogcrawl.text.lengths import MAX_DATE_LINE
from blogcrawl.text.visible import paragraphs


def opening(
    page: Page, content: HtmlElement | None, languages: Sequence[str]
) -> tuple[str | None, DateMatch | None]:
    """Return the line above the first line that is but a date, and that date; None for what is not
    there, and where the page has a heading."""
    if not isinstance(content, HtmlElement) or heading_element(page) is not None:
        return None, None
    reader = DateReader([*languages, "en"])
    above: str | None = None
    for line in paragraphs(content).split("\n")[:NEAR]:
        when = _date_alone(line, reader)
        if when is not None:
            return above, when
        above = line if is_line(line.rstrip("!?")) else None
    return None, None


def _date_alone(line: str, reader: DateReader) -> DateMatch | None:
    """Return the date of a line that has no other words than those of its hour: "p.m."."""
    when = reader.read(line, None) if len(line) <= MAX_DATE_LINE else None
    if when is None:
        return None
    rest = line[: when.span[0]] + line[when.span[1] :]
    return None if any(map(_is_word, rest.split())) else when


def _is_word(text: str) -> bool:
    return sum(map(str.isalpha, text)) > 2
