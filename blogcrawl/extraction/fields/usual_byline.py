"""The one name next to the dates of a blog's posts where no word or markup says that it is one:
"Mon, 03/24/2008 - 16:27 — kmarsh". A page alone can't show that; that it is the same on all of them
does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from itertools import chain, zip_longest
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.bounds import Walk, unnested
from blogcrawl.core.evidence import FEW_PAGES, MAJORITY, MOST, NEARLY_ALL, SEVERAL
from blogcrawl.core.page import Page, child_of
from blogcrawl.dates.months import languages_of, month_number
from blogcrawl.dates.parse import find_date, find_time, is_moment, normalise
from blogcrawl.dom.page_lines import PageLine, Piece, page_lines
from blogcrawl.extraction.fields.byline import document_title
from blogcrawl.extraction.fields.date_line import YEAR, lines_near
from blogcrawl.extraction.fields.names import BY, HAN, as_author, is_placeholder, links_to_author
from blogcrawl.extraction.fields.tag_sources import TAGS_AND_CATEGORIES, read_source
from blogcrawl.lexicon.vocabulary import any_of
from blogcrawl.text.lengths import MAX_DATE_LINE
from blogcrawl.text.similarity import folded
from blogcrawl.text.visible import SILENT_TAGS, squeeze

_PARTS = re.compile(
    rf"\s{{1,20}}::\s|\s{{0,20}}[|·•∙⋅@\[\](),–—]\s{{0,20}}|\s-\s|(?<!\S)(?:{BY})\s", re.I
)
_NICK = re.compile(rf"~?[^\W\d_][\w.-]{{2,30}}|(?:{HAN.pattern}){{2}}|~\w\w")
"""Shorter words before a date are prepositions."""
_NO_NICK = re.compile(any_of("bylines", "on", "of", "from", "written", "commented"), re.I)
_LETTERS = re.compile(r"[^\W\d_]{2}")


_SIGNED = re.compile(
    rf"(?<!\S)(?:{BY}|(?:{any_of('bylines', 'written')})\s(?:{any_of('bylines', 'of', 'from')}))\s"
    rf"(?P<after>{_NICK.pattern})(?=[^\w.-]|[.-]?$)"
    rf"|^(?P<before>{_NICK.pattern})\s(?:{any_of('bylines', 'says')})(?!\w)",
    re.I,
)
_POSTED = re.compile(rf"\W*(?:{any_of('bylines', 'written')})\s(?:{BY})\s", re.I)
_NO_SENTENCE = re.compile(r"\s{0,20}(?:[|·•/\[(–—-]|$)")
_NEXT_NAME = re.compile(r"\s[^\W\d_a-z][^\W\d_]|\s[^\W\d_a-z]['’.]")
_TEXTS: Any = etree.XPath(".//text()")
_AT_HOUR = re.compile(rf"(?P<nick>{_NICK.pattern})\s(?:[^\W\d_]{{1,4}}\s)?\d{{1,2}}[:.h]\d\d")


def usual_byline(pages: Sequence[Page], contents: Sequence[HtmlElement | None] = ()) -> str | None:
    """Return the only word that stands next to the date on nearly all of these pages: behind a "by"
    or before a "wrote", else alone. Pages without any say nothing, if few.

    ``contents``: of each page, the node with its text, which many bylines stand below."""
    pairs = list(zip_longest(pages, contents))
    signed = _usual([set(_signed_words(*pair)) for pair in pairs], MAJORITY)
    if signed is not None and _may_be_name(signed, pages):
        return signed
    name = _usual([set(_words_next_to_dates(page)) for page in pages], MOST)
    if name is None:
        name = _usual([set(words) for words in _words_in_lines(pages)], MOST)
    return name if name is not None and _may_be_name(name, pages) else None


def _words_in_lines(pages: Sequence[Page]) -> Iterator[Iterator[str]]:
    """Yield the same of lines that no element of their own holds, and those behind a "posted by"
    that begins a line; of each page, without the lines that several have."""
    bodies = [child_of(page.tree, "body") for page in pages]
    read = [page_lines(body) if body is not None else [] for body in bodies]
    counts = Counter(text for lines in read for text in {line.text for line in lines})
    for lines in read:
        own = (line for line in lines if counts[line.text] < SEVERAL or _POSTED.match(line.text))
        yield chain.from_iterable(map(_words_in, own))


def _words_in(line: PageLine) -> Iterable[str]:
    text = line.text if len(line.text) <= MAX_DATE_LINE else ""
    signed = list(_SIGNED.finditer(text))
    if signed and (_is_timed(text) or _is_all(text, signed[0])):
        return map(_signer, signed)
    return _left(_without_links(line), text) if _is_timed(text) else ()


def _is_all(text: str, signed: re.Match[str]) -> bool:
    """Return whether a line begins with "posted by" and does not go on as a sentence does
    ("Written by hand, served by a small machine")."""
    return _POSTED.match(text) is not None and _NO_SENTENCE.match(text, signed.end()) is not None


def _is_timed(text: str) -> bool:
    return YEAR.search(normalise(text)) is not None or find_time(text) is not None


def _without_links(line: PageLine) -> str:
    """Return the text of a line without its links, those to authors' pages excepted."""
    nodes = [_shown(piece) for piece in line.pieces]
    return squeeze(" ".join(nodes))


def _shown(piece: Piece) -> str:
    if piece.part != "whole":
        return piece.text
    holder = etree.Element("div")
    holder.append(deepcopy(piece.node))
    holder[0].tail = None
    return "".join(unnested(_unlinked(holder)))


def _usual(found: Sequence[set[str]], share: float) -> str | None:
    """Return the only word in nearly all of the sets that are not empty, where this ``share`` of
    the pages has one; "" stands for a name of several words."""
    said = [words for words in found if words]
    if sum(words != {""} for words in said) < max(FEW_PAGES, share * len(found)):
        return None
    counts = Counter(word for words in said for word in words if word)
    usual = [word for word, times in counts.items() if times >= NEARLY_ALL * len(said)]
    return usual[0] if len(usual) == 1 else None


def _signed_words(page: Page, content: HtmlElement | None) -> Iterator[str]:
    """Yield the single words behind a "by" and before a "wrote" in lines with a date or an hour,
    and those before an hour that the site is called by ("ann at 10:30")."""
    for line, element, _ in lines_near(page, content):
        if YEAR.search(normalise(line)) or find_time(line):
            text = squeeze(" ".join(_TEXTS(element)))
            yield from map(_signer, _SIGNED.finditer(text))
            yield from filter(None, [_before_hour(text, document_title(page))])


def _signer(match: re.Match[str]) -> str:
    """Return the name; "" where it is but the first of several."""
    is_cut = _NEXT_NAME.match(match.string, match.end()) is not None
    return "" if is_cut else match["after"] or match["before"]


def _before_hour(text: str, title: str) -> str:
    match = _AT_HOUR.match(text)
    return match["nick"] if match is not None and match["nick"] in title else ""


def _may_be_name(word: str, pages: Sequence[Page]) -> bool:
    """Return whether a word is neither a placeholder nor a label. Chinese and Japanese labels
    are a word, too: there the name must stand in that of the site.
    """
    if as_author(word) is None or is_placeholder(word) or _NO_NICK.fullmatch(word):
        return False
    return (
        word.isascii()
        or HAN.search(word) is None
        or all(word in document_title(page) for page in pages)
    )


def _words_next_to_dates(page: Page) -> Iterator[str]:
    """Yield what is left of lines with a date or an hour where that is a word, or one and the name
    of the day.
    """
    topics = set(map(folded, read_source(page, TAGS_AND_CATEGORIES)))
    for line, element, _ in lines_near(page, None):
        text = squeeze("".join(unnested(_unlinked(element))))
        when = find_date(line)
        # years that are links are a list of the archive, linked days are dates
        if not (YEAR.search(normalise(text)) or find_time(line) or when):
            continue
        yield from (word for word in _left(text, line) if folded(word) not in topics)


def _left(text: str, line: str) -> list[str]:
    """Return what is left of a text (of a ``line`` with a date) where that is a word, or one and
    the name of the day."""
    when = find_date(line)
    day = line[slice(*when.span)] if when is not None else ""
    parts = [part.strip(" .") for part in _PARTS.split(text)]
    left = [part for part in parts if _LETTERS.search(part) and not _is_no_name(part, day)]
    return left if not left[2:] and all(map(_NICK.fullmatch, left)) else []


def _is_no_name(part: str, day: str) -> bool:
    """Return whether a part of a line belongs to its date (``day``), or labels something else: it
    has digits, names a month or the day of the week, or ends with a colon.
    """
    return (
        part.endswith((":", "："))
        or (day != "" and is_moment(f"{part} {day}"))
        or any(map(str.isdigit, part))
        or month_number(part, languages_of(part) or ("en",)) is not None
    )


def _unlinked(element: HtmlElement) -> Walk[str]:
    """Yield an element's text without its links, those to authors' pages excepted: a link next to a
    date leads to a list, or does something.
    """
    yield element.text or ""
    for child in element:
        is_left_out = not isinstance(child.tag, str) or child.tag in SILENT_TAGS
        if child.tag == "a" and not _leads_to_person(child.get("href", "")):
            is_left_out = True
        between = " | " if is_left_out or child.tag == "a" else " "
        yield between
        if not is_left_out:
            yield _unlinked(child)
            yield between
        yield child.tail or ""


def _leads_to_person(href: str) -> bool:
    return links_to_author(href) or href.startswith("mailto:")
