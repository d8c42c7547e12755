"""The post's day where no line near its heading has it: in a box next to the text, or at the head
of the text itself.

Used last and with little weight. A theme puts the facts of a post (day, reading time, tags) into an
aside of the post's element; press offices begin the text with the day. A day counts only if all
such lines have the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml.html import HtmlElement

from blogcrawl.core.bounds import MAX_ELEMENTS
from blogcrawl.core.page import Page
from blogcrawl.dates.parse import DateMatch, DateReader
from blogcrawl.dom.blocks import Blocks, blocks_of
from blogcrawl.extraction.confidence import confidences
from blogcrawl.extraction.fields.byline import is_aside
from blogcrawl.extraction.fields.date_line import (
    LINE_TAGS,
    letters,
    may_tell,
)
from blogcrawl.extraction.fields.headings import common_box, heading_of
from blogcrawl.lexicon.css_classes import kind_of, names_of
from blogcrawl.lexicon.vocabulary import any_of
from blogcrawl.text.lengths import MAX_BYLINE, MAX_LINE, MIN_SENTENCE
from blogcrawl.text.similarity import fold
from blogcrawl.text.visible import node_text

_WEIGHTS = confidences("published")

_NAMED = re.compile(r"date|publi|posted|datum|fecha|created", re.I)
_WORDED = re.compile(any_of("dates", "published"), re.I)
_OTHERS = frozenset(("comments", "related", "ad", "subscribe"))


def days_aside(
    page: Page, content: HtmlElement | None, languages: list[str]
) -> list[tuple[DateMatch, float, str]]:
    """Return the only day with weight and rule, as ``visible_dates`` does; none or one."""
    reader = DateReader([*languages, "en"])
    named: list[DateMatch] = []
    bare: list[DateMatch] = []
    for text, element in _lines(page, content):
        when = reader.read(text)
        if when is not None and len(text) <= MAX_BYLINE:
            (named if _is_published(text, element) else bare).append(when)
    for found, weight in ((named, _WEIGHTS["labelled_box"]), (bare, _WEIGHTS["box"])):
        days = {when.moment.date() for when in found}
        if len(days) == 1:
            return [(found[0], weight, "line next to the text")]
        if days:
            return []
    when = _leading_date(content, reader) if isinstance(content, HtmlElement) else None
    return [(when, _WEIGHTS["head_of_text"], "head of the text")] if when is not None else []


def _is_published(text: str, element: HtmlElement) -> bool:
    """Return whether an element's name or a word in it calls its day that of publication."""
    label = names_of(element)
    return _NAMED.search(label) is not None or _WORDED.search(text) is not None


def _leading_date(content: HtmlElement, reader: DateReader) -> DateMatch | None:
    """Return the day at the head of the first paragraph with text."""
    heads = ((node_text(node)[:MIN_SENTENCE], node) for node in content.iter("p"))
    text, node = next((head for head in heads if head[0]), ("", None))
    return reader.read(text) if node is not None and may_tell(text, node, None) else None


def _lines(page: Page, content: HtmlElement | None) -> Iterator[tuple[str, HtmlElement]]:
    """Yield short texts outside the content in the innermost element that holds it and the heading.

    After the content only elements that are named a sidebar's or the like: others are comments as
    often as not.
    """
    blocks = blocks_of(page)
    heading = heading_of(page)
    if heading is None or content is None or content not in blocks.number:
        return
    outer = common_box(heading[0], content)
    if outer is None:
        return
    aside: dict[HtmlElement, bool] = {}
    first, inner = blocks.number[outer], blocks.number[content]
    inside = range(inner, blocks.end[inner]) if outer is not content else range(0)
    for i in range(first, min(blocks.end[first], first + MAX_ELEMENTS)):
        if i in inside or not _may_be_line(blocks, i):
            continue
        element = blocks.elements[i]
        if i < blocks.end[inner] or is_aside(element, aside):
            text = fold(node_text(element))
            if may_tell(text, element, heading[0]) and not _is_others(element, outer):
                yield text, element


def _may_be_line(blocks: Blocks, i: int) -> bool:
    """Return whether an element is short enough for a line, and not mostly links."""
    return (
        blocks.tags[i] in LINE_TAGS
        and letters(blocks, i) <= MAX_LINE
        and blocks.all_linked[i] <= blocks.all_plain[i]
    )


def _is_others(element: HtmlElement, outer: HtmlElement) -> bool:
    """Return whether the line is of comments, of other posts, or a link to one."""
    for step in (element, *element.iterancestors()):
        if step is outer:
            return False
        if step.tag in {"a", "nav"} or any(
            kind_of(label) in _OTHERS for label in (step.get("class"), step.get("id")) if label
        ):
            return True
    return False
