"""Text statistics of a page's elements in one walk: what E-mCST, the SVM, the generic scorer and
postness look at.

Lengths are in letters of Latin script: a Han, Kana or Hangul character counts double, a Cyrillic or
Greek one 1.5 (half of characters plus UTF-8 bytes), so that thresholds hold in every language.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.page import Page, kept
from blogcrawl.dom.index import PageIndex
from blogcrawl.dom.teasers import teaser_boxes
from blogcrawl.lexicon.css_classes import ROLES, TAGS, Kind, kind_of
from blogcrawl.text.visible import BLOCK_TAGS, SILENT_TAGS

MARKS = re.compile("[.,;:!?…、。，！？；：؟،।]")
"""Punctuation of sentences in Latin, CJK, Arabic and Devanagari scripts."""
ENDS = re.compile("[.!?…。！？:：;»”\"')）؟।]$")
_COUNT: Any = etree.XPath("count(descendant-or-self::*)")
BOUNDARIES = BLOCK_TAGS - {"br", "hr"}


@lru_cache(maxsize=4096)
def _kind(tag: str, label: str | None, name: str | None, role: str | None) -> Kind | None:
    """Return what an element's names say against it."""
    for words in (label, name):
        kind = kind_of(words) if words else None
        if kind is not None:
            return kind
    if role and role in ROLES:
        return ROLES[role]
    return TAGS.get(tag)


class Blocks:
    """``elements[i]`` in document order with ``parent``, ``depth``, ``end`` (subtree is ``i ..
    end[i]``).

    Of each element alone, or with inline children if it is a block: ``plain`` and ``linked``
    letters, ``marks``. ``kind[i]`` is what its name says against it.
    """

    def __init__(self, page: Page) -> None:
        self.elements: list[HtmlElement] = []
        self.tags: list[str] = []
        self.parent: list[int] = []
        self.depth: list[int] = []
        self.kind: list[Kind | None] = []
        self.teasers: set[int] = set()
        """Boxes of teasers that no name but their structure says are such."""
        body = page.tree.find("body")
        most = int(_COUNT(body)) if body is not None else 0
        self.end, self.marks = [0] * most, [0] * most
        self.plain, self.linked = [0.0] * most, [0.0] * most
        self.ends = [False] * most
        """Does the last text of the block end like a sentence?"""
        if body is not None:
            self._read(body)
        for numbers in (self.end, self.plain, self.linked, self.marks, self.ends):
            del numbers[len(self.tags) :]  # of what stands in silent elements

    def _read(self, body: HtmlElement) -> None:
        walker = etree.iterwalk(body, events=("start", "end", "comment", "pi"))
        blocks: list[int] = []  # numbers of open block elements
        open_: list[int] = []
        links = 0
        for event, node in walker:
            if event == "start":
                tag = node.tag
                if tag in SILENT_TAGS:
                    walker.skip_subtree()
                    continue
                here = self._enter(node, tag, open_)
                open_.append(here)
                if tag in BOUNDARIES or not blocks:
                    blocks.append(here)
                elif tag == "a":
                    links += 1
                text = node.text
            else:
                if event == "end" and node.tag not in SILENT_TAGS:
                    links -= self._leave(open_.pop(), blocks)
                text = node.tail if blocks else None
            if text and not text.isspace():
                self._add(blocks[-1], text, links)

    def _enter(self, node: HtmlElement, tag: str, open_: Sequence[int]) -> int:
        """Append an element; return its number."""
        here, get = len(self.tags), node.get
        self.elements.append(node)
        self.tags.append(tag)
        self.parent.append(open_[-1] if open_ else -1)
        self.depth.append(len(open_))
        self.kind.append(_kind(tag, get("class"), get("id"), get("role")) if open_ else None)
        return here

    def _leave(self, here: int, blocks: list[int]) -> bool:
        """Set where an element ends; return whether it is a link inside a block."""
        self.end[here] = len(self.tags)
        if blocks and blocks[-1] == here:
            blocks.pop()
            return False
        return self.tags[here] == "a"

    def _add(self, block: int, text: str, links: int) -> None:
        text = text.strip()
        letters = (
            len(text) if text.isascii() else (len(text) + len(text.encode("utf-8", "ignore"))) / 2
        )
        if links:
            self.linked[block] += letters
        else:
            self.plain[block] += letters
            self.marks[block] += len(MARKS.findall(text))
        self.ends[block] = ENDS.search(text) is not None

    @cached_property
    def all_plain(self) -> list[float]:
        """Unlinked letters of each subtree."""
        return self.sums(self.plain)

    @cached_property
    def all_linked(self) -> list[float]:
        return self.sums(self.linked)

    @cached_property
    def all_marks(self) -> list[float]:
        return self.sums([float(mark) for mark in self.marks])

    @cached_property
    def number(self) -> dict[HtmlElement, int]:
        return {element: i for i, element in enumerate(self.elements)}

    def sums(self, values: list[float]) -> list[float]:
        """Return the sum over its subtree for every element."""
        out = list(values)
        for i in range(len(out) - 1, 0, -1):
            out[self.parent[i]] += out[i]
        return out

    def children(self, i: int) -> list[int]:
        out, child = [], i + 1
        while child < self.end[i]:
            out.append(child)
            child = self.end[child]
        return out


@kept
def blocks_of(page: Page) -> Blocks:
    """Return the statistics of ``page``; boxes of teasers without a name are "related"."""
    blocks, index = Blocks(page), PageIndex.of(page)
    for box in teaser_boxes(page):
        i = blocks.number.get(index.elements[box])
        if i is not None and blocks.kind[i] is None:
            blocks.kind[i] = "related"
            blocks.teasers.add(i)
    return blocks
