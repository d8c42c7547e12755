"""Names and dates that share one line of text without markup: "Ann wrote on 3 May 2010"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.unit_reader import Reader
from blogcrawl.dates.parse import MAX_CHARS, find_date
from blogcrawl.lexicon.comment_words import (
    BY_AFTER,
    BY_WORDS,
    NO_NAME,
    NOT_THE_NAME,
    SAYS_WORDS,
    STANDING,
    WEEKDAYS,
)
from blogcrawl.text.visible import node_text, squeeze

MAX_NAME = 80
"""Characters of the longest name believed."""
_DAY = re.compile(r"\W*(?:[^\W\d_]{2,5}\.|[^\W\d_]{2,14}\.?,)")
"""What a day of the week before a date looks like: "Fri., 2008-12-12 - Ann"."""
_MARK = re.compile(r"(?<=\S)\s{1,20}#[-\w./]{0,80}(?=\W{0,40}$|\s)")
"""``Ann #-``: what proves who a name is, as Japanese boards and blogs write it."""


_PREPOSITION = re.compile(
    (
        r"(?:\S{1,80}\s{1,20})?(?:il|le|la|el|am|on|at|um|à|em|op|den|kl|the|del|vom|dia|dne|den|de|"
        r"às?|uhr|hrs?|h)\.?"
    ),
    re.I,
)
"""What stands between a word like "written" and the day."""


def learn_byline(readers: Sequence[Reader]) -> tuple[str, str] | None:
    """("by ", " on "): what stands around the name where name and date share one short text."""
    seen: Counter[tuple[str, str]] = Counter()
    for reader in readers:
        text = byline_text(reader)
        if reader.author is None or reader.date is None or text is None:
            continue
        place, day = text.find(reader.author), find_date(text)
        if place >= 0 and day and place + len(reader.author) <= day.span[0]:
            seen[text[:place], text[place + len(reader.author) : day.span[0]]] += 1
    return seen.most_common(1)[0][0] if seen else None


def byline_text(reader: Reader) -> str | None:
    """The short text that holds the date, its parent's where the date stands alone
    in its element.
    """
    node = reader.date_node
    while node is not None and node is not reader.root:
        text = spaced(node)
        if len(text) > MAX_CHARS + MAX_NAME:
            return None
        found = find_date(text)
        rest = text[: found.span[0]] + text[found.span[1] :] if found else ""
        if found and len(rest) > 2 and not _is_of_date(rest):
            return text
        node = node.getparent()
    return None


def _is_of_date(text: str) -> bool:
    """Are the words beside a date the day of the week and the like?"""
    words = re.findall(r"[^\W\d_]+", text)
    return bool(words) and all(
        word.casefold() in WEEKDAYS or _PREPOSITION.fullmatch(word) for word in words
    )


def _without_day(text: str) -> str:
    """What stands before a date, without the day of the week at its end."""
    head, _, last = text.rstrip(" ,.").rpartition(" ")
    return head if last.casefold() in WEEKDAYS else text


def spaced(node: HtmlElement) -> str:
    """Text of a node with a blank between its elements: style sheets, not blanks, keep name and day
    apart on many pages.
    """
    text = node_text(node)
    return (
        squeeze(" ".join(node.itertext(etree.Element)))
        if len(node) > 1 and len(text) <= MAX_CHARS + MAX_NAME
        else text
    )


def by_pattern(text: str | None, pattern: tuple[str, str]) -> str | None:
    """The name where the line is built as ``pattern`` says: what stands before it, and between it
    and the date.
    """
    found = find_date(text) if text else None
    before = text[: found.span[0]] if text and found else ""
    if (
        len(before) > len(pattern[0]) + len(pattern[1])
        and before.startswith(pattern[0])
        and before.endswith(pattern[1])
    ):
        return squeeze(before[len(pattern[0]) : len(before) - len(pattern[1])]) or None
    return None


def from_byline(reader: Reader, pattern: tuple[str, str] | None) -> str | None:
    """The name in the line that holds the date, by the pattern or by the words that bylines are
    made of.
    """
    text = byline_text(reader)
    if text is None:
        return None
    found = find_date(text)
    if found is None:
        return None
    before, after = _without_day(text[: found.span[0]]), text[found.span[1] :]
    if pattern and (learned := by_pattern(text, pattern)):
        return learned
    if marked := marked_name(after):
        return marked
    last = BY_AFTER.search(after) or (
        _DAY.fullmatch(before.strip()) and re.match(r"\s*[-–—]\s", after)
    )
    sides: tuple[str, ...] = (after, before) if last else (before, after)
    if not last and text == spaced(reader.root):
        sides = (before,)  # all of the comment: what follows the date is its text
    return next(filter(_may_be_name, map(_name_in, sides)), None)


def _name_in(side: str) -> str:
    """A side of the date without the words of bylines."""
    text = NOT_THE_NAME.sub("", STANDING.split(side.strip(" -–—|·•,"))[0])
    text = SAYS_WORDS.sub("", BY_WORDS.sub("", text, count=1))
    return NOT_THE_NAME.sub("", squeeze(text).strip(" -–—|·•,[]{}")).strip("() ")


MAX_NAME_WORDS = 6


def _may_be_name(text: str) -> bool:
    if not text or len(text) > MAX_NAME or len(text.split()) > MAX_NAME_WORDS:
        return False
    is_other = NO_NAME.match(text) or _PREPOSITION.fullmatch(text)
    return not is_other and re.search(r"[^\W\d_]", text) is not None


def marked_name(line: str) -> str | None:
    """The name in a line of several parts ("URL | Ann #- [edit]") that bears a mark; None where
    none does.
    """
    for part in re.split(r"[|·•]", line) if _MARK.search(line) else ():
        found = _MARK.search(part)
        name = squeeze(part[: found.start()]) if found else ""
        if 0 < len(name) <= MAX_NAME and not NO_NAME.match(name):
            return name
    return None
