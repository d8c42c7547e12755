"""Comments without a box of their own: bylines and texts that follow each other as neighbours, as
hand-made pages write them.

A line with a date that comes back in the same markup parts the flow; what stands between two of
them is one comment's text. Each comment is put into a box of its own, made of copies.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field

import lxml.html
from lxml.html import HtmlElement

from blogcrawl.dates.parse import find_date
from blogcrawl.dates.relative import mentions_date
from blogcrawl.lexicon.comment_words import COMMENT_NAMES, NO_COMMENT, is_label
from blogcrawl.text.visible import BLOCK_TAGS, node_text, squeeze

MAX_BYLINE = 120
"""Characters of a line with name and date."""
MAX_PIECES = 4_000
"""Neighbours looked at; the longest flat lists known have some hundreds of comments."""
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


@dataclass(slots=True)
class Line:
    """What stands between two breaks: one block element, or text and inline elements."""

    pieces: list[HtmlElement | str] = field(default_factory=list)
    mark: tuple[str, str] | None = None
    """Tag and class of the piece with the date, ("", "") for bare text; None: no byline."""

    @property
    def text(self) -> str:
        return squeeze("".join(p if isinstance(p, str) else node_text(p) for p in self.pieces))


def flow_units(
    label: HtmlElement, banned: set[HtmlElement], language: str | None = None
) -> list[list[HtmlElement]]:
    """One made box per comment that stands after ``label`` (the comments' heading) among its
    neighbours; empty where no byline recurs.
    """
    lines = [line for line in _lines(_after(label, banned)) if line.text]
    while (
        len(lines) == 1
        and len(lines[0].pieces) == 1
        and not isinstance(box := lines[0].pieces[0], str)
        and len(box) > 1
    ):
        lines = [
            line for line in _lines(_pieces(box)) if line.text
        ]  # a list or box around all of them
    for line in lines:
        _mark(line, language)
    marks = Counter(line.mark for line in lines if line.mark is not None)
    if not marks:
        return []
    mark = max(marks, key=lambda m: (marks[m], m != ("", "")))
    places = [i for i, line in enumerate(lines) if line.mark == mark]
    alike = (
        sum(_sign(p) == mark for line in lines for p in line.pieces)
        if mark != ("", "")
        else len(places)
    )
    if len(places) < 0.8 * alike:
        return []  # other lines are written the same way: no byline
    before, after = _length(lines[: places[0]]), _length(lines[places[-1] + 1 :])
    if before > after:
        parts = [(lines[i], lines[j + 1 : i]) for j, i in zip([-1, *places], places, strict=False)]
    else:
        parts = [
            (lines[i], lines[i + 1 : j])
            for i, j in zip(places, [*places[1:], len(lines)], strict=True)
        ]
    return [[_box(head, body)] for head, body in parts if _length(body)]


def outermost(label: HtmlElement) -> HtmlElement:
    """The widest element around a label that says nothing else."""
    node, parent = label, label.getparent()
    while (
        parent is not None
        and _ends(node)
        and not squeeze(node.tail)
        and is_label(node_text(parent))
    ):
        node, parent = parent, parent.getparent()
    return node


def _ends(node: HtmlElement) -> bool:
    """Nothing but empty elements comes behind it."""
    return all(
        next(e.iter("form", "img"), None) is None and not node_text(e)
        for e in node.itersiblings()
        if isinstance(e.tag, str)
    )


def _after(label: HtmlElement, banned: set[HtmlElement]) -> Iterator[HtmlElement | str]:
    """What follows the label: its tail and neighbours, of the nearest ancestor that has any, up to
    a form or the next heading.
    """
    node = outermost(label)
    if node.tag in ("body", "html", "td", "th"):
        return
    yield node.tail or ""
    for count, sibling in enumerate(node.itersiblings()):
        if count > MAX_PIECES or sibling.tag == "form":
            return
        if (
            not isinstance(sibling.tag, str)
            or sibling in banned
            or sibling.tag in ("script", "style", "noscript")
        ):
            yield sibling.tail or ""
            continue
        if (
            sibling.tag in _HEADINGS
            and (sibling.tag == label.tag or is_label(node_text(sibling)))
            and find_date(node_text(sibling)) is None
        ):
            return
        yield sibling
        yield sibling.tail or ""


def _pieces(box: HtmlElement) -> Iterator[HtmlElement | str]:
    yield box.text or ""
    for child in box:
        if isinstance(child.tag, str) and child.tag not in ("script", "style", "noscript", "form"):
            yield child
        yield child.tail or ""


def _lines(pieces: Iterator[HtmlElement | str]) -> Iterator[Line]:
    line = Line()
    for piece in pieces:
        if isinstance(piece, str):
            if piece:
                line.pieces.append(piece)
        elif piece.tag in BLOCK_TAGS:
            yield line
            line = Line()
            if piece.tag not in ("br", "hr"):
                yield Line([piece])
        else:
            line.pieces.append(piece)
    yield line


def _sign(piece: HtmlElement | str) -> tuple[str, str]:
    return ("", "") if isinstance(piece, str) else (str(piece.tag), piece.get("class") or "")


def _mark(line: Line, language: str | None) -> None:
    text = line.text
    if len(text) > MAX_BYLINE or not re.search(r"\d", text) or not mentions_date(text, language):
        return
    if any(not isinstance(p, str) and is_teaser(p) for p in line.pieces):
        return
    parts = [(p, squeeze(p if isinstance(p, str) else node_text(p))) for p in line.pieces]
    line.mark = next((_sign(p) for p, own in parts if mentions_date(own, language)), ("", ""))


def _length(lines: Sequence[Line]) -> int:
    return sum(len(line.text) for line in lines)


def _box(head: Line, body: Sequence[Line]) -> HtmlElement:
    box = lxml.html.Element("div")
    for name, lines in (("comment-meta", [head]), ("comment-body", body)):
        part = lxml.html.Element("div", {"class": name})
        for line in lines:
            whole = (
                len(line.pieces) == 1
                and not isinstance(line.pieces[0], str)
                and name == "comment-body"
            )
            part.append(_copy(line.pieces, "div" if whole else "p"))
        box.append(part)
    return box


def _copy(pieces: Sequence[HtmlElement | str], tag: str) -> HtmlElement:
    out = lxml.html.Element(tag)
    for piece in pieces:
        if not isinstance(piece, str):
            copy = deepcopy(piece)
            copy.tail = None
            out.append(copy)
        elif len(out):
            out[-1].tail = (out[-1].tail or "") + piece
        else:
            out.text = (out.text or "") + piece
    return out


MIN_TITLE, MAX_TITLED = 15, 0.4
"""Characters of a link that may be another page's title; share of a block's text in such links from
which it says little else.
"""


def is_teaser(element: HtmlElement) -> bool:
    """A block of another kind by its name, or one that links to other pages by their titles and
    says little else.
    """
    names = element.get("class")
    if names and NO_COMMENT.search(names) and not COMMENT_NAMES.search(names):
        return True
    titles = 0
    for link in element.iter("a"):
        if "nofollow" in (link.get("rel") or "") or "#" in (link.get("href") or "#"):
            continue
        if len(text := node_text(link)) >= MIN_TITLE and text not in (link.get("href") or ""):
            titles += len(text)
    return titles > 0 and titles > MAX_TITLED * len(node_text(element))
