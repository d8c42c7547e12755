"""Who answers whom: by nesting, by ids in the markup, by depth classes, or by a marker in the
text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from lxml.html import HtmlElement

from blogcrawl.comments.unit import Reader, Unit
from blogcrawl.core.bounds import MAX_TRIED
from blogcrawl.lexicon.vocabulary import any_of
from blogcrawl.text.visible import node_text

_DEPTH = re.compile(r"(?:depth|level|indent|nest(?:ed)?)[-_]?(\d{1,2})(?:$|[-_ ])", re.I)
_INDENT = re.compile(
    r"(?:margin|padding)-(?:left|right|inline-start)\s*:\s*(?:calc\([^;*]{1,80}\*\s*)?(\d{1,4})",
    re.I,
)
"""Depth as old pages draw it; only whether one is deeper than another counts, so any unit will
do."""
THIN = ("0", "1", "2")
"""Heights of pictures that no one sees."""
_PARENT_ATTRIBUTES = (
    "data-parent-id",
    "data-parent",
    "data-parentid",
    "data-comment-parent",
    "data-in-reply-to",
    "data-link-to-post",
    "parentid",
)
_REPLY_NAMES = re.compile(r"in-reply-to|reply-to|\bparent\b", re.I)
_REPLY_WORDS = re.compile(any_of("comments", "in_reply_to"), re.I)


_FRAGMENT = re.compile(r"#(?:[\w-]*?comment-?|c|p|t|cmt)?([0-9a-f-]+)$", re.I)
_LAST_NUMBER = re.compile(r"(?<![0-9a-f-])[0-9a-f-]++$")


def parents(
    readers: Sequence[Reader], ids: Sequence[str], marks: Sequence[Sequence[HtmlElement]] = ()
) -> list[str | None]:
    """Return the parent's comment id of every reader, None for the top level. ``ids``: the
    comments' ids in the same order.

    ``marks``: for each reader, further nodes whose class or attributes show its place.
    """
    marks = marks or [()] * len(readers)
    units = [reader.unit for reader in readers]
    elements = [(*unit.elements, *more) for unit, more in zip(units, marks, strict=True)]
    by_unit = {id(unit): own for unit, own in zip(units, ids, strict=True)}
    known = {"0": "", **_by_number(units, ids)}
    out: list[str | None] = []
    above = _by_depth(_depths(elements), ids)
    for reader, own, nodes, shallower in zip(readers, ids, elements, above, strict=True):
        parent = _by_attribute(nodes, known)
        if parent is None:
            parent = _by_nesting(reader.unit, by_unit) or shallower or _by_marker(reader, known)
        out.append(parent if parent and parent != own else None)
    return out


def _by_number(units: Sequence[Unit], ids: Sequence[str]) -> dict[str | None, str]:
    """Return the ids of comments by the numbers that the markup gives to them."""
    return {unit.number: own for unit, own in zip(units, ids, strict=True) if unit.number}


def _by_depth(depths: Sequence[int | None], ids: Sequence[str]) -> list[str | None]:
    """For each comment the nearest one before it that stands less deep; None at the top level."""
    out: list[str | None] = []
    trail: list[tuple[int, str]] = []
    for depth, own in zip(depths, ids, strict=True):
        if depth is None:
            out.append(None)
            continue
        while trail and trail[-1][0] >= depth:
            trail.pop()
        out.append(trail[-1][1] if trail else None)
        trail.append((depth, own))
    return out


def _by_nesting(unit: Unit, by_unit: dict[int, str]) -> str | None:
    return by_unit.get(id(unit.parent)) if unit.parent is not None else None


def _by_attribute(elements: Sequence[HtmlElement], known: dict[str | None, str]) -> str | None:
    """Return the id of the comment that an attribute names as the one above; "" where it says that
    it has no parent, None where the page does not show it."""
    for element in elements:
        for name in _PARENT_ATTRIBUTES:
            value = element.get(name)
            number = _LAST_NUMBER.search(value) if value else None
            named = number.group().lstrip("-") if number else ""
            if named in known:
                return known[named]
    return None


def _depths(comments: Sequence[Sequence[HtmlElement]]) -> Sequence[int | None]:
    """Return how deep comments stand: by their classes; where none has such a class, by how far
    they are moved, and those that are not stand at the top."""
    depths = _numbers(comments, "class", _DEPTH)
    if any(depth is not None for depth in depths):
        return depths
    moved = _numbers(comments, "style", _INDENT)
    if not any(moved):
        moved = [_spacing(elements[0]) for elements in comments]
    return [depth or 0 for depth in moved] if any(moved) else moved


def _numbers(
    comments: Sequence[Sequence[HtmlElement]], name: str, pattern: re.Pattern[str]
) -> list[int | None]:
    """Return for each comment the number that a pattern finds in an attribute."""
    out: list[int | None] = []
    for elements in comments:
        found: re.Match[str] | None = None
        for element in elements:
            found = found or pattern.search(element.get(name, ""))
        out.append(int(found.group(1)) if found else None)
    return out


def _spacing(element: HtmlElement) -> int | None:
    """Return pixels of the transparent picture or of the empty cell by which tables of the time
    before style sheets move an answer.
    """
    aside = element.getprevious() if element.tag == "td" else next(element.iter("td"), None)
    if aside is None or aside.tag != "td" or node_text(aside):
        return None
    pictures = aside.findall(".//img")
    if len(pictures) == 1 and pictures[0].get("height") in THIN:
        return _pixels(pictures[0].get("width"))
    return _pixels(aside.get("width")) if not pictures else None


def _pixels(width: str | None) -> int | None:
    return int(width) if width and width.isascii() and width.isdigit() else None


def _by_marker(reader: Reader, known: dict[str | None, str]) -> str | None:
    """Return the id of the comment that a link of this one names as what it answers."""
    anchor_links = (link for link in reader.unit.own("a") if "#" in (link.get("href") or ""))
    for link in islice(anchor_links, MAX_TRIED):
        found = _FRAGMENT.search(link.get("href") or "")
        if not found or found.group(1) not in known or found.group(1) == reader.unit.number:
            continue
        if _is_reply_link(link):
            return known[found.group(1)]
    return None


def _is_reply_link(link: HtmlElement) -> bool:
    """Return whether the link's words or names make it one to the comment that is answered."""
    text = link.text or ""
    around = " ".join([_text_before(link), link.get("class") or "", link.get("rel") or "", text])
    is_reply = _REPLY_WORDS.search(around) or _REPLY_NAMES.search(around)
    return bool(is_reply) or text.startswith("@")


def _text_before(link: HtmlElement) -> str:
    previous, parent = link.getprevious(), link.getparent()
    if previous is not None and previous.tail:
        return str(previous.tail)
    return (parent.text or "") if parent is not None else ""
