"""The lines of a page as a reader sees them, whatever boxes they stand in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Literal

import lxml.html
from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.bounds import MAX_STORED
from blogcrawl.text.visible import BLOCK_TAGS, SILENT_TAGS, node_text, squeeze

Part = Literal["whole", "text", "tail"]


@dataclass(frozen=True, slots=True)
class Piece:
    """An element without breaks in it, or some characters of an element's text or tail."""

    node: HtmlElement
    part: Part
    start: int = 0
    end: int = 0

    @property
    def text(self) -> str:
        if self.part == "whole":
            return node_text(self.node)
        return (getattr(self.node, self.part) or "")[self.start : self.end]


@dataclass(eq=False)
class PageLine:
    """What stands between two breaks."""

    pieces: list[Piece]
    block: HtmlElement
    """The innermost element around it that breaks lines."""
    is_ruled: bool = False
    """A horizontal rule stands between it and the line before."""
    is_behind_field: bool = False
    """A field to write in stands between it and the line before."""

    @cached_property
    def text(self) -> str:
        return squeeze("".join(spaced(piece) for piece in self.pieces))

    @property
    def linked(self) -> int:
        """Characters of the line in links."""
        links = (a for p in self.pieces if p.part == "whole" for a in p.node.iter("a"))
        inside = next(self.block.iterancestors("a"), None) is not None
        return len(self.text) if inside else sum(len(node_text(link)) for link in links)


def spaced(piece: Piece) -> str:
    """Return the text of a piece; of an element, with the blanks at its ends."""
    if piece.part != "whole":
        return piece.text
    raw = "".join(piece.node.itertext())
    before, after = " " * (raw[:1].isspace()), " " * (raw[-1:].isspace())
    return f"{before}{piece.text}{after}"


@dataclass(slots=True)
class _Walk:
    """The lines so far, and what the next one is made of."""

    lines: list[PageLine] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    blocks: list[HtmlElement] = field(default_factory=list)
    kept: int = 0
    """Elements around the place that keep the breaks in texts."""
    is_ruled: bool = False
    is_behind_field: bool = False

    def end_line(self) -> None:
        line = PageLine(self.pieces, self.blocks[-1], self.is_ruled, self.is_behind_field)
        self.pieces = []
        if line.text:
            self.lines.append(line)
            self.is_ruled = self.is_behind_field = False

    def add(self, node: HtmlElement, part: Part) -> None:
        text, start = getattr(node, part) or "", 0
        while self.kept and (at := text.find("\n", start)) >= 0:
            self.pieces.append(Piece(node, part, start, at))
            self.end_line()
            start = at + 1
        if start < len(text):
            self.pieces.append(Piece(node, part, start, len(text)))

    def begin(self, node: HtmlElement) -> bool:
        """Take an element's beginning; return whether its inside is to be walked."""
        if node.tag in SILENT_TAGS:
            if node.tag == "textarea":
                self.end_line()
                self.is_behind_field = True
            return False
        if node.tag in BLOCK_TAGS:
            self.end_line()
            self.blocks.append(node)
            self.kept += node.tag == "pre"
            self.is_ruled = self.is_ruled or node.tag == "hr"
        elif next(node.iterdescendants(*BLOCK_TAGS), None) is None and not self.kept:
            self.pieces.append(Piece(node, "whole"))
            return False
        self.add(node, "text")
        return True

    def end(self, node: HtmlElement) -> None:
        if self.blocks[-1] is node and len(self.blocks) > 1:
            self.end_line()
            self.blocks.pop()
            self.kept -= node.tag == "pre"
        self.add(node, "tail")


def page_lines(root: HtmlElement) -> list[PageLine]:
    """Return the lines with text of an element, in document order."""
    walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    out = _Walk(blocks=[root])
    for event, node in islice(walk, MAX_STORED):
        if event == "start":
            if node is not root and not out.begin(node):
                walk.skip_subtree()
            elif node is root:
                out.add(node, "text")
        elif node is not root:
            out.end(node) if event == "end" else out.add(node, "tail")
    out.end_line()
    return out.lines


def blank(lines: Sequence[PageLine]) -> None:
    """Take the text of lines out of their tree."""
    pieces = [piece for line in lines for piece in line.pieces]
    for piece in reversed(pieces):
        if piece.part == "whole":
            tail = piece.node.tail
            piece.node.clear()
            piece.node.tail = tail
        else:
            text = getattr(piece.node, piece.part) or ""
            setattr(piece.node, piece.part, text[: piece.start] + text[piece.end :])


def copied(line: PageLine, tag: str) -> HtmlElement:
    """Return a new element with a copy of a line."""
    out = lxml.html.Element(tag)
    for piece in line.pieces:
        if piece.part == "whole":
            copy = deepcopy(piece.node)
            copy.tail = None
            out.append(copy)
        elif len(out):
            out[-1].tail = (out[-1].tail or "") + piece.text
        else:
            out.text = (out.text or "") + piece.text
    return out


def parted(line: PageLine, at: int) -> Iterator[PageLine]:
    """Yield a line's pieces before a place and those from there on as lines of their own."""
    yield PageLine(line.pieces[:at], line.block, line.is_ruled, line.is_behind_field)
    yield PageLine(line.pieces[at:], line.block)
