"""Decide on author and date of the comments of one page, all comments voting together on where each
field stands.

One comment alone is easily misread; forty with the same inner path are not. So the scores of the
candidates are summed per *signature* (the path of tags and classes inside the comment), and the
best supported signature is read first in every comment. What a field asks for is its ``Policy``.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, takewhile
from operator import attrgetter
from typing import Any

from lxml.html import HtmlElement

from blogcrawl.comments.author import (
    beside_the_date,
    by_pattern,
    byline_text,
    framed,
    from_byline,
    labelled,
    learn_byline,
    titles_give_way,
)
from blogcrawl.comments.candidates import BARE, MACHINE_DATE, NAMED_DATE
from blogcrawl.comments.unit import Candidate, NameCandidate, Reader
from blogcrawl.core.evidence import MOST, SEVERAL
from blogcrawl.dates.parse import MAX_CHARS, DateMatch, find_date, with_weekday
from blogcrawl.lexicon.comment_words import BODY, words_of


@dataclass(frozen=True, slots=True)
class Policy:
    """What the comments of a page ask of the places where a field may stand."""

    candidates: Any
    """The candidates of a comment, by signature."""
    weak: float = 0.0
    """Mean score up to which a place counts only where many comments have one."""
    common: float = 0.5
    """Share of the comments that are many."""


AUTHOR_POLICY = Policy(attrgetter("authors"), weak=BARE)
DATE_POLICY = Policy(attrgetter("dates"))


@dataclass(slots=True)
class Support:
    """What speaks for one place of a field."""

    score: float = 0.0
    comments: int = 0


def rank(readers: Sequence[Reader], learned: Sequence[str], policy: Policy) -> list[str]:
    """Return signatures of a field, best supported first, deeper ones before those around them;
    learned ones keep their place where they occur at all."""
    support = _support(readers, policy)

    def order(path: str) -> tuple[float, int]:
        return -support[path].score, -path.count(">")

    known = [path for path in learned if path in support]
    return known + sorted((path for path in support if path not in known), key=order)


def _support(readers: Sequence[Reader], policy: Policy) -> dict[str, Support]:
    found: dict[str, Support] = defaultdict(Support)
    for reader in readers:
        candidates: Mapping[str, Candidate] = policy.candidates(reader)
        for path, candidate in candidates.items():
            one = found[path]
            one.score += candidate.score
            one.comments += 1
    least = policy.common * len(readers)
    return {
        path: one
        for path, one in found.items()
        if one.score > policy.weak * one.comments or one.comments >= least
    }


def fill(
    readers: Sequence[Reader],
    authors: Sequence[str],
    dates: Sequence[str],
    byline: tuple[str, str] | None,
) -> tuple[str, str] | None:
    """Give every reader its author and date by the ranked signatures, then by the words of bylines
    and what stands around other names; return the byline pattern seen or given.
    """
    around = _around_the_first(readers, authors)
    for reader in readers:
        _choose_author(reader, authors, around)
        _choose_date(reader, dates)
    _add_times(readers)
    titles_give_way(readers)
    labelled(readers)
    if all(map(_is_dated_apart, readers)):
        beside_the_date(readers)
    pattern = byline or learn_byline(readers)
    for reader in readers:
        _read_byline(reader, byline, pattern)
    framed(readers)
    if beside_the_date(readers) and any(reader.author is None for reader in readers):
        framed(readers)  # the others' names stand as far from the date as their texts are long
    for reader in readers:
        reader.author_url = reader.author_url or next(_urls(reader.author_node), None)
    return pattern


def _is_dated_apart(reader: Reader) -> bool:
    """Return whether the date has an element of its own, next to which the name has one too: words
    of the text that stand in the line before it are no byline."""
    date = reader.date
    if reader.date_node is None or date is None:
        return False
    if date.span == (0, len(date.text)):
        return True
    start, end = with_weekday(date.text, date).span
    return not any(map(str.isalnum, date.text[:start] + date.text[end:]))


def _read_byline(
    reader: Reader, learned: tuple[str, str] | None, pattern: tuple[str, str] | None
) -> None:
    """Take the author from the line with the date, where no element holds it, or holds more."""
    if reader.author is None:
        reader.author = from_byline(reader, pattern)
        return
    name = by_pattern(byline_text(reader), learned) if learned else None
    if name and name in reader.author:
        reader.author = name


def _around_the_first(readers: Sequence[Reader], authors: Sequence[str]) -> set[str]:
    """Return signatures around the best one that hold the same name and nothing else: a guest
    without a site has no link there.
    """
    if not authors:
        return set()
    first = authors[0]
    both: Counter[str] = Counter()
    same: Counter[str] = Counter()
    for found in map(AUTHOR_POLICY.candidates, readers):
        around = [path for path in found if first in found and first.startswith(path + ">")]
        both.update(around)
        same.update(path for path in around if found[path].name == found[first].name)
    return {path for path, count in same.items() if count >= MOST * both[path]}


MARKED = 4.0
"""Score of an author's element from which it may stand anywhere; one that only looks like a name
must stand where most names do, and not in the text."""


def _choose_author(reader: Reader, authors: Sequence[str], around: Collection[str]) -> None:
    for path in authors:
        found = reader.authors.get(path)
        if found is None:
            continue
        is_usual = path == authors[0] or path in around
        if found.score >= MARKED or (is_usual and not _is_in_body(found.element)):
            found = _within(reader, path, found)
            reader.author, reader.author_node = found.name, found.element
            return


def _within(reader: Reader, path: str, found: NameCandidate) -> NameCandidate:
    """Return the better marked name in an element with a name: "Pingback by <a
    rel=nofollow>Page</a>"."""
    inner = (c for p, c in reader.authors.items() if p.startswith(path + ">"))
    best = max(inner, key=attrgetter("score"), default=found)
    return best if best.score > found.score else found


def _choose_date(reader: Reader, dates: Sequence[str]) -> None:
    """Take the date in the best supported place; one made for machines elsewhere beats a guess."""
    voted = next((reader.dates[path] for path in dates if path in reader.dates), None)
    if voted is None:
        return
    best = max(reader.dates.values(), key=attrgetter("score"))
    chosen = best if voted.score < NAMED_DATE and best.score >= MACHINE_DATE else voted
    reader.date_node, reader.date, reader.date_raw = chosen.element, chosen.date, chosen.text


def _add_times(readers: Sequence[Reader]) -> None:
    """Add to days the time that stands behind them in the line, in an element of its own ("<b>3 May
    2010</b> at <i>10:11</i>"), or in the text of an element whose attribute has the day only. Where
    none of the first has one, the others are not asked."""
    dated = [reader for reader in readers if reader.date is not None]
    if not any(map(_timed, dated[:SEVERAL])):
        return
    for reader in dated:
        reader.date, reader.date_raw = _timed(reader) or (reader.date, reader.date_raw)


def _timed(reader: Reader) -> tuple[DateMatch, str] | None:
    """Return the reader's day with the time of its line, and that line; None where it has none."""
    day = reader.date
    if day is None or day.has_time:
        return None
    text = next(filter(_CLOCK.search, _lines_around(reader)), "")
    line = find_date(text)
    if line is None or not line.has_time:
        return None
    return (line, text) if line.moment.date() == day.moment.date() else None


def _lines_around(reader: Reader) -> Iterator[str]:
    """Yield the texts of the date's element and of the boxes around it, as long as they are
    short."""
    node = reader.date_node if reader.date_node is not None else reader.root
    boxes = takewhile(lambda box: box is not reader.root, chain((node,), node.iterancestors()))
    return takewhile(lambda text: len(text) <= MAX_CHARS, map(reader.texts.of, boxes))


_CLOCK = re.compile(r"\d[:.]\d\d|\d\s?[ap]\.?m", re.I)


def _is_in_body(element: HtmlElement) -> bool:
    return next(element.iterancestors("p", "blockquote", "li"), None) is not None and any(
        BODY.search(words_of(above.get("class"))) for above in element.iterancestors()
    )


_NO_ADDRESS = ("#", "javascript:", "mailto:")


def _urls(node: HtmlElement | None) -> Iterator[str]:
    """Yield addresses that the author's name leads to."""
    if node is None:
        return
    for link in (node, *node.iterancestors("a"), *node.iterdescendants("a")):
        href = (link.get("href") or "").strip() if link.tag == "a" else ""
        is_comment = "replytocom" in href or "#comment" in href
        if href and not is_comment and not href.startswith(_NO_ADDRESS):
            yield href
