"""Titles that are no headings: lines in bold or larger letters above the text, named titles, or
lines next to the post's day, in the same place on nearly all posts of a blog, and with other words
on each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, takewhile

from lxml.html import HtmlElement

from blogcrawl.core.evidence import NEARLY_ALL, SEVERAL
from blogcrawl.core.page import Page, child_of
from blogcrawl.dates.parse import DateMatch, find_date, is_date, is_time
from blogcrawl.dom.page_lines import PageLine, page_lines
from blogcrawl.induction.edge_boilerplate import is_line
from blogcrawl.lexicon.comment_words import is_label
from blogcrawl.lexicon.css_classes import words_of
from blogcrawl.text.lengths import MAX_BYLINE, MAX_LINE, MIN_SENTENCE
from blogcrawl.text.visible import stripped

_MARKED = frozenset("b strong font big th center u blink".split())
_ORNAMENT = re.compile(
    r"^(?:[^\w\s\"'«»„“”‘’(\[¿¡#$€@&-]+\s+|[\u2500-\u27bf]+\s*)(?=[\w「『【（(])"
)
_DAY = re.compile(r"[0-3]?\d")
_TAIL = re.compile(r"(?<!\w)\w+$")
_DAY_AT = {"above day": 1, "below day": -1}
"""How far the day is from a line on one side of it."""
Place = tuple[str, int]
"""In which elements a line stands, or on which side of a day, and how many such lines before
it."""


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
    usual = [place for place, count in places.items() if count >= least][::-1]
    return max(usual, key=_is_marked, default=None)


def _is_marked(place: Place) -> bool:
    return place[0] not in _DAY_AT


def title_at(page: Page, place: Place) -> str | None:
    """Return the line at a place of a page; None where it may be no title."""
    found = (line.text for at, line in _placed(_lines(page)) if at == place)
    text = next(found, "")
    return _ORNAMENT.sub("", text) if _may_be_title(text) else None


def day_at(page: Page, place: Place) -> DateMatch | None:
    """Return the day next to the line at such a place; None where none marks it."""
    lines, away = _lines(page), _DAY_AT.get(place[0], 0)
    found = (number + away for number, (at, _) in _numbered(lines) if at == place)
    return _day_of(lines, next(found, -1)) if away else None


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
    """Yield the marked lines above the first text that hardly another page has: a sentence, or
    what goes on behind the last marked line where the post has none so long."""
    numbers = range(len(lines))
    plain = [i for i in numbers if _is_plain(lines[i], counts)]
    texts = filter(partial(_is_sentence, lines), plain)
    return _placed(lines[: next(chain(texts, plain), 0)])


def _is_plain(line: PageLine, counts: Counter[str]) -> bool:
    """Return whether a line is the post's own, and neither marked nor a day."""
    is_own = counts[line.text] < SEVERAL
    return is_own and not _marks_of(line) and find_date(line.text) is None


def _is_sentence(lines: Sequence[PageLine], number: int) -> bool:
    return len(lines[number].text) >= MIN_SENTENCE


def _placed(lines: Sequence[PageLine]) -> Iterator[tuple[Place, PageLine]]:
    return (placed for _, placed in _numbered(lines))


def _numbered(lines: Sequence[PageLine]) -> Iterator[tuple[int, tuple[Place, PageLine]]]:
    before: Counter[str] = Counter()
    for number, line in enumerate(lines):
        marks = _marks_of(line) or _side_of_day(lines, number)
        if marks:
            yield number, ((marks, before[marks]), line)
            before[marks] += 1


def _side_of_day(lines: Sequence[PageLine], number: int) -> str:
    """Return on which side of a line that is a post's day a line stands; "" where on none, and of
    what goes on like a sentence."""
    if not is_line(lines[number].text.rstrip("!?")) or _day_of(lines, number) is not None:
        return ""
    sides = (side for side, away in _DAY_AT.items() if _day_of(lines, number + away) is not None)
    return next(sides, "")


def _day_of(lines: Sequence[PageLine], number: int) -> DateMatch | None:
    """Return the date of the line with this number, if it is short."""
    text = lines[number].text if 0 <= number < len(lines) else ""
    return find_date(text) if 0 < len(text) <= MAX_BYLINE else None


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
