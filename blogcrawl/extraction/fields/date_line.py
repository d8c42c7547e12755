"""Date and author lines that only readers understand: short texts around the heading and below the
content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import date
from itertools import islice, takewhile

from lxml.html import Element, HtmlElement

from blogcrawl.core.page import Page
from blogcrawl.dates.parse import DateMatch, DateReader, is_date
from blogcrawl.dates.url_date import url_day
from blogcrawl.dom.blocks import BOUNDARIES, Blocks, blocks_of
from blogcrawl.dom.text_blocks import is_comment
from blogcrawl.extraction.confidence import confidences
from blogcrawl.extraction.fields.byline import document_title, is_aside
from blogcrawl.extraction.fields.headings import heading_element
from blogcrawl.extraction.fields.names import SEPARATOR
from blogcrawl.lexicon.comment_words import is_label
from blogcrawl.lexicon.css_classes import names_of
from blogcrawl.lexicon.vocabulary import any_of
from blogcrawl.text.lengths import (
    MAX_CONTROL,
    MAX_DATE_LINE,
    MIN_PARAGRAPH,
    MIN_SENTENCE,
    SENTENCE_ENDS,
)
from blogcrawl.text.visible import is_longer, node_text, squeeze

_WEIGHTS = confidences("published")

BEFORE, AFTER = 20, 40
"""Elements looked at before the heading and after the content: themes put a date line within a few
tags of either.
"""
MAX_LINES = 24
_INLINE = frozenset("small span time em i b abbr strong font".split())
"""Where a line stands in no block of its own."""
LINE_TAGS = _INLINE | BOUNDARIES
BREAKS = BOUNDARIES | {"br", "hr"}
_LABEL_TAGS = frozenset("h2 h3 h4 h5 h6 b strong font p div legend center".split())
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W\d_]{2}")
UPDATED = re.compile(any_of("dates", "updated"), re.I)
_LABELS = re.compile(r"date|time|publish|posted|datum|fecha|byline|meta", re.I)
_ABOUT_POST = re.compile(r"(?:post|entry)[-_]?(?:meta|info|foot|date|desc)|dateline|byline", re.I)


def lines_near(page: Page, content: HtmlElement | None) -> list[tuple[str, HtmlElement, int]]:
    """Short texts (text, element, elements away) near heading and content, nearest first; kept with
    the page.
    """
    known = page.__dict__.get("_lines")
    if known is None or known[0] is not content:
        known = page.__dict__["_lines"] = (content, list(_lines_near(page, content)))
    lines: list[tuple[str, HtmlElement, int]] = known[1]
    return lines


def _lines_near(page: Page, content: HtmlElement | None) -> Iterator[tuple[str, HtmlElement, int]]:
    blocks = blocks_of(page)
    title = heading_element(page)
    seen: set[str] = set()
    for away, i in _positions(blocks, title, content):
        element, text = blocks.elements[i], _line_text(blocks, i)
        if not text or text in seen or (element is title and not is_date(text)):
            continue
        seen.add(text)
        if not is_aside(element):
            yield text, element, away
        if len(seen) > MAX_LINES:
            return


def all_lines(page: Page, content: HtmlElement | None) -> Iterator[tuple[str, HtmlElement, int]]:
    """Yield the same, and then the lines that no element of their own holds, each in one made for
    it."""
    found = lines_near(page, content)
    yield from found
    known = {text for text, _, _ in found}
    bare = _bare_lines(heading_element(page), content)
    yield from (line for line in bare if line[0] and line[0] not in known)


def _bare_lines(
    title: HtmlElement | None, content: HtmlElement | None
) -> Iterator[tuple[str, HtmlElement, int]]:
    """Yield the lines behind the heading, or else at the head of the content, up to prose."""
    start = title if title is not None else content
    if not isinstance(start, HtmlElement):  # content may be a text, of data in the page
        return
    pieces: list[str] = []
    for away, piece in enumerate(islice(_pieces(start, is_heading=start is title), AFTER)):
        line = squeeze("".join(pieces))
        if piece is not None:
            pieces.append(piece)
        elif len(line) > MAX_DATE_LINE:
            return
        else:
            element = Element("span")
            element.text = line
            yield line, element, away
            pieces.clear()


def _pieces(start: HtmlElement, *, is_heading: bool) -> Iterator[str | None]:
    """Yield the texts behind a heading, or else inside an element, and None where a line ends;
    those of blocks are none, and one with prose ends them all."""
    yield None
    yield (start.tail if is_heading else start.text) or ""
    for node in start.itersiblings() if is_heading else start:
        if node.tag in BREAKS:
            yield None
            if is_longer(node, MAX_DATE_LINE):
                return
        elif isinstance(node.tag, str):
            yield node_text(node)
        yield node.tail or ""
    yield None


def _positions(
    blocks: Blocks, title: HtmlElement | None, content: HtmlElement | None
) -> list[tuple[int, int]]:
    """Return the distance and number of the elements near heading and content, nearest first. A
    heading behind the content heads something else."""
    inner = blocks.number.get(content) if content is not None else None
    anchor = blocks.number.get(title) if title is not None else None
    if anchor is None or (inner is not None and anchor >= blocks.end[inner]):
        anchor = inner
    if anchor is None:
        return []
    count = len(blocks.tags)
    before = BEFORE if title is not None else AFTER  # a table or two without a heading between
    around = range(max(0, anchor - before), min(count, blocks.end[anchor] + AFTER))
    near = [(abs(i - anchor), i) for i in around]
    if inner is not None:
        near += _at_edges(blocks, inner, anchor)
    readers = _lines_of_readers(blocks, range(anchor, max(i for _, i in near) + 1))
    nearest = {i: away for away, i in sorted(near, reverse=True)}
    return sorted((away, i) for i, away in nearest.items() if i not in readers)


def _at_edges(blocks: Blocks, inner: int, anchor: int) -> Iterator[tuple[int, int]]:
    """Yield the distance and number of the elements behind and at the end of the content, and
    before and at its head where the heading stands elsewhere: menus may be between the two, and the
    only heading of a page that marks no title as one is a side bar's."""
    last = blocks.end[inner]
    behind = range(last, min(len(blocks.tags), last + AFTER))
    foot = range(max(inner, last - 12), last)
    is_inside = inner <= anchor < last
    head = range(0) if is_inside else range(max(0, inner - BEFORE), min(inner + 12, last))
    yield from ((10 + i - last, i) for i in behind)
    yield from ((10 + last - i, i) for i in foot)
    yield from ((10 + abs(i - inner), i) for i in head)


def _lines_of_readers(blocks: Blocks, numbers: Sequence[int]) -> range:
    """Return the elements from a label of comments behind prose on, to the end of what surrounds
    the label, or from the first comment with a number on."""
    is_behind = False
    for i in numbers:
        if is_behind and _heads_comments(blocks, i):
            around = blocks.number.get(blocks.elements[i].getparent(), i)
            return range(i, blocks.end[around])
        if is_behind and is_comment(blocks, i):
            return range(_outermost_behind(blocks, i, numbers[0]), len(blocks.tags))
        is_behind |= blocks.plain[i] >= MIN_SENTENCE
    return range(0)


def _outermost_behind(blocks: Blocks, i: int, before: int) -> int:
    """Return the outermost element around element ``i`` that stands behind element ``before``."""
    around = (blocks.number.get(outer, 0) for outer in blocks.elements[i].iterancestors())
    return min(takewhile(lambda number: number > before, around), default=i)


def _heads_comments(blocks: Blocks, i: int) -> bool:
    if blocks.tags[i] not in _LABEL_TAGS or not 0 < letters(blocks, i) <= 2 * MAX_CONTROL:
        return False
    element = blocks.elements[i]
    has_link = next(element.iter("a"), None) is not None or element.getparent().tag == "a"
    return not has_link and is_label(node_text(element))


def _line_text(blocks: Blocks, i: int) -> str:
    """Return the text of an element that is a short line or the beginning of the theme's sentence
    about the post; "" for any other.
    """
    element, size = blocks.elements[i], letters(blocks, i)
    if _is_of_code(element):
        return ""
    if 0 < size <= MIN_PARAGRAPH and _ABOUT_POST.search(element.get("class", "")):
        return node_text(element)[:MAX_DATE_LINE]
    is_block = blocks.tags[i] in BOUNDARIES and 0 < size <= MAX_DATE_LINE
    text = node_text(element) if is_block or blocks.tags[i] in _INLINE else ""
    return text if len(text) <= MAX_DATE_LINE else ""


def _is_of_code(element: HtmlElement) -> bool:
    """Return whether an element is preformatted text, holds some or stands in it: programs have
    "BY" and days of their own, each in an element where they are highlighted."""
    is_inside = any(outer.tag == "pre" for outer in element.iterancestors())
    return is_inside or next(element.iter("pre"), None) is not None


def letters(blocks: Blocks, i: int) -> float:
    """Return letters of an element, with those of links."""
    return blocks.all_plain[i] + blocks.all_linked[i]


def visible_dates(
    page: Page, content: HtmlElement | None, languages: list[str]
) -> list[tuple[DateMatch, float, str]]:
    """Return the dates in such lines with weight and rule, the surest first."""
    dated = list(islice(_dated_lines(page, content, DateReader([*languages, "en"])), 4))
    lines = [(line.when, line.weight, line.element) for line in dated if not line.is_title]
    later = _days_of_change(lines) | _days_of_answers(lines, blocks_of(page), content)
    out = []
    for line in dated:
        weight = line.weight - (_WEIGHTS["changed"] if line.when.moment.date() in later else 0.0)
        rule = f"line near heading {names_of(line.element).strip()[:40]}".strip()
        out.append((line.when, max(0.2, round(weight, 3)), rule))
    return sorted(out, key=lambda item: -item[1])


@dataclass(frozen=True, slots=True)
class _Line:
    """A line with a date; whether that is but a day which the title is about."""

    when: DateMatch
    weight: float
    element: HtmlElement
    is_title: bool


def _dated_lines(page: Page, content: HtmlElement | None, reader: DateReader) -> Iterator[_Line]:
    near, heading = _first_day(url_day(page.url)), heading_element(page)
    titles = _titles_with_days(page, reader)
    for whole, element, away in all_lines(page, content):
        if not may_tell(whole, element, heading):
            continue
        text, is_title = _without_title(whole, titles)
        text = _without_change(text, reader, near)
        when = reader.read(text, near)
        if when is None:
            continue
        weight = _line_weight(text, element, away) - _WEIGHTS["in_title"] * is_title
        if near is not None and _same_month(when.moment.date(), near):
            weight += 0.1
        yield _Line(when, weight, element, is_title)


def _titles_with_days(page: Page, reader: DateReader) -> list[str]:
    """Return the parts of the document's title in which a day stands among words: what the post is
    about, not when it was published."""
    parts = (part.strip() for part in SEPARATOR.split(document_title(page)))
    return [
        part
        for part in parts
        if (when := reader.read(part)) is not None
        and _WORD.search(part[: when.span[0]] + part[when.span[1] :])
    ]


def _without_title(text: str, titles: Sequence[str]) -> tuple[str, bool]:
    """Return a line without such a title ("3 May, no comments on 25.04.07: a film"), and whether it
    has no digits but those of one: such a line is left as it is."""
    rest = text
    for title in titles:
        rest = rest.replace(title, " ")
    return (rest, False) if _DIGIT.search(rest) else (text, rest != text)


def _without_change(text: str, reader: DateReader, near: date | None) -> str:
    """Return the part of a line before or behind the date of a change, where it has another date;
    else the line."""
    change = UPDATED.search(text)
    if change is None:
        return text
    head, tail = text[: change.start()], text[change.end() :]
    changed = reader.read(tail, near)
    rest = tail[changed.span[1] :] if changed is not None else ""
    return next((part for part in (head, rest) if reader.read(part, near) is not None), text)


def _days_of_change(found: Sequence[tuple[DateMatch, float, HtmlElement]]) -> Set[date]:
    """Return the days that stand next to an earlier one."""
    days = [(when.moment.date(), element) for when, _, element in found]
    return {
        day
        for day, element in days
        if any(other < day and _are_neighbours(element, beside) for other, beside in days)
    }


def _days_of_answers(
    found: Sequence[tuple[DateMatch, float, HtmlElement]],
    blocks: Blocks,
    content: HtmlElement | None,
) -> Set[date]:
    """Return the days behind the text that are later than that of an earlier line there: of
    comments that no label heads."""
    end = blocks.end[blocks.number[content]] if content in blocks.number else len(blocks.tags)
    places = ((blocks.number.get(element, 0), when.moment.date()) for when, _, element in found)
    behind = [day for place, day in sorted(places) if place >= end]
    return {day for day in behind if day > behind[0]}


def _are_neighbours(one: HtmlElement, other: HtmlElement) -> bool:
    """Return whether two lines stand next to each other, in one element or in two that do, and the
    other holds no link, as those to the posts before and after have, and is no sentence.
    """
    above, besides = one.getparent(), other.getparent()
    if above is None or besides is None or next(other.iter("a"), None) is not None:
        return False
    if len(node_text(other)) >= MIN_SENTENCE:
        return False
    return above is besides or (
        above.getparent() is besides.getparent() and above.getparent() is not None
    )


def _same_month(day: date, other: date) -> bool:
    return (day.year, day.month) == (other.year, other.month)


def _line_weight(text: str, element: HtmlElement, away: int) -> float:
    """Weigh the date of a line by the line's distance, label and length; a day of updating or in a
    sentence is worth less.
    """
    has_label = is_labelled(element)
    weight = 0.66 - 0.008 * away + (0.06 if has_label else 0.0)
    if len(text) < 40:
        weight += 0.04
    elif _is_sentence(text) and not has_label and not is_of_post(element):
        weight -= 0.2
    else:
        weight -= 0.04
    return weight - (_WEIGHTS["changed"] if is_of_change(text, element) else 0.0)


def is_of_change(text: str, element: HtmlElement) -> bool:
    """Return whether a line says when the post was changed, by its words or its names."""
    above = element.getparent()
    around = above.get("class", "") if above is not None else ""
    return UPDATED.search(f"{text}\n{names_of(element)} {around}") is not None


def is_labelled(element: HtmlElement) -> bool:
    """Return whether an element's name says that it holds a date or what else is said of posts."""
    return _LABELS.search(names_of(element)) is not None


def is_of_post(element: HtmlElement) -> bool:
    """Return whether an element's name says that it is about the post."""
    return _ABOUT_POST.search(names_of(element)) is not None


def may_tell(text: str, element: HtmlElement, heading: HtmlElement | None) -> bool:
    """Return whether a line may hold the post's day: it has digits, and is no address and no
    picture's caption.
    """
    return (
        _DIGIT.search(text) is not None and "://" not in text and not _in_picture(element, heading)
    )


def _is_sentence(text: str) -> bool:
    is_whole = text.rstrip(" \"'»”“)").endswith(SENTENCE_ENDS)
    return len(text) >= MIN_SENTENCE and is_whole and _WRITTEN_ON.match(text) is None


_WRITTEN_ON = re.compile(
    rf"\W{{0,5}}(?:{any_of('bylines', 'written')})(?:\W{{1,5}}[^\W\d]{{1,20}}){{0,3}}\W{{1,5}}\d",
    re.I,
)
"""A sentence that begins with when the post was published, as themes write it."""


def _in_picture(element: HtmlElement, heading: HtmlElement | None) -> bool:
    """Return whether the line is a picture's caption: the day in it is the picture's. One with the
    headline in it is the post's head.
    """
    for node in (element, element.getparent()):
        if node is not None and (
            node.tag in {"figure", "figcaption"} or "caption" in node.get("class", "").lower()
        ):
            return heading is None or node not in heading.iterancestors()
    return False


def _first_day(parts: tuple[int, int, int | None] | None) -> date | None:
    if parts is None:
        return None
    try:
        return date(parts[0], parts[1], parts[2] or 1)
    except ValueError:
        return None
