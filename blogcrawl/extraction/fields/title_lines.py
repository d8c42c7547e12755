"""Titles that are no headings: lines in bold or larger letters above the text, or named titles, in
the same place on nearly all posts of a blog, and with other words on each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile

from lxml.html import HtmlElement

from blogcrawl.core.evidence import NEARLY_ALL, SEVERAL
from blogcrawl.core.page import Page, child_of
from blogcrawl.dates.parse import find_date, is_date, is_time
from blogcrawl.dom.page_lines import PageLine, page_lines
from blogcrawl.lexicon.comment_words import is_label
from blogcrawl.lexicon.css_classes import words_of
from blogcrawl.text.lengths import MAX_LINE, MIN_SENTENCE
from blogcrawl.text.visible import stripped

_MARKED = frozenset("b strong font big th center u blink".split())
_ORNAMENT = re.compile(r"^[^\w\s\"'«»„“”‘’(\[¿¡#$€@&-]+\s+(?=\w)")
_DAY = re.compile(r"[0-3]?\d")
_TAIL = re.compile(r"(?<!\w)\w+$")
Place = tuple[str, int]
"""In which elements a line stands, and how many such lines before it."""


def head_of_days(titles: Sequence[str], language: str | None = None) -> str | None:
    """Return what all titles begin with, where days follow it and nothing else; None where these
    are no titles of days."""
    ends = zip(min(titles), max(titles), strict=False) if len(set(titles)) > 1 else ()
    head = _TAIL.sub("", "".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], ends)))
    days = [title[len(head) :].strip() for title in titles]
    return head if days and all(is_date(day, language) for day in days) else None


def is_day_number(title: str) -> bool:
    """Return whether a title is the number of a day, which links of calendars have."""
    return _DAY.fullmatch(title) is not None


def names_nothing(text: str) -> bool:
    """Return whether the text of a link to a post does not name it: "3 comments", or the time of
    day, of which older templates of Blogger make the permalink."""
    return is_label(text) or is_time(text)


def title_place(pages: Sequence[Page]) -> Place | None:
    """Return where nearly all of these posts have such a line, the nearest to the text where there
    are several."""
    read = [_lines(page) for page in pages]
    counts = Counter(text for lines in read for text in {line.text for line in lines})
    places = Counter(
        place
        for lines in read
        for place, line in _marked_above(lines, counts)
        if counts[line.text] < SEVERAL and _may_be_title(line.text)
    )
    least = max(SEVERAL, NEARLY_ALL * len(read))
    usual = [place for place, count in places.items() if count >= least]
    return usual[-1] if usual else None


def title_at(page: Page, place: Place) -> str | None:
    """Return the line at a place of a page; None where it may be no title."""
    found = (line.text for at, line in _placed(_lines(page)) if at == place)
    text = next(found, "")
    return _ORNAMENT.sub("", text) if _may_be_title(text) else None


def _lines(page: Page) -> list[PageLine]:
    body = child_of(page.tree, "body")
    lines = page_lines(body) if body is not None else []
    return [part for line in lines for part in _named_parts(line) or [line]]


def _named_parts(line: PageLine) -> list[PageLine]:
    """Return the elements of a line that are named titles, each as one: the day may stand before
    them."""
    named = (each for each in line.pieces if each.part == "whole" and _is_named_title(each.node))
    return [PageLine([piece], line.block) for piece in named]


def _is_named_title(node: HtmlElement) -> bool:
    return any(words_of(name)[-1:] == ("title",) for name in node.get("class", "").split())


def _marked_above(
    lines: Sequence[PageLine], counts: Counter[str]
) -> Iterator[tuple[Place, PageLine]]:
    """Yield the marked lines above the first text that hardly another page has."""
    texts = (i for i, line in enumerate(lines) if _is_text(line) and counts[line.text] < SEVERAL)
    return _placed(lines[: next(texts, 0)])


def _is_text(line: PageLine) -> bool:
    return len(line.text) >= MIN_SENTENCE and not _marks_of(line)


def _placed(lines: Sequence[PageLine]) -> Iterator[tuple[Place, PageLine]]:
    before: Counter[str] = Counter()
    for line in lines:
        marks = _marks_of(line)
        if marks:
            yield (marks, before[marks]), line
            before[marks] += 1


def _marks_of(line: PageLine) -> str:
    """Return the elements that mark all of a line; "" where none does."""
    whole = [piece for piece in line.pieces if piece.text.strip()]
    node = whole[0].node if len(whole) == 1 and whole[0].part != "tail" else line.block
    names = [str(node.tag), *(str(each.tag) for each in _inside(node))]
    around = [str(line.block.tag)] if node is not line.block else []
    is_marked = _MARKED.intersection(around + names) or _is_named_title(node)
    return "/".join(around + names) if is_marked else ""


def _inside(node: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the elements in an element that hold all of its text, each in the one before."""
    while len(node) == 1 and not stripped(node.text) and not stripped(node[0].tail):
        node = node[0]
        yield node


def _may_be_title(text: str) -> bool:
    is_line = 0 < len(text) <= MAX_LINE and any(map(str.isalpha, text))
    return is_line and not text.endswith((":", "：")) and find_date(text) is None
