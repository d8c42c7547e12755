"""A page read once: its elements in document order, where each begins and ends in the stream of words,
and tables by id, class and tag, so that a rule is tried with a look-up instead of a walk."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property

from lxml.html import HtmlElement

from blogcrawl.induction.similarity import tokens
from blogcrawl.page import Page
from blogcrawl.text import BLOCK_TAGS, SILENT_TAGS, squeeze

_SKIP = SILENT_TAGS - {"head"}
_HEAD_KEEP = frozenset(("title", "meta", "link"))
NAMED_ATTRIBUTES = ("itemprop", "rel", "role", "property", "name")
"""Attributes that tell what an element is for, besides id and class."""


class PageIndex:
    """``elements[i]`` with ``parent[i]``, ``depth[i]``, subtree ``i .. end[i]``, words ``first[i] .. last[i]`` of ``words``."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.elements: list[HtmlElement] = []
        self.tags: list[str] = []
        self.parent: list[int] = []
        self.depth: list[int] = []
        self.end: list[int] = []
        self.place: list[int] = []
        """Position among siblings of the same tag, from 1, as XPath counts."""
        self.first: list[int] = []
        self.last: list[int] = []
        self.words: list[str] = []
        self._pieces: list[str] = []
        self._from: list[int] = []
        self._to: list[int] = []
        self.by_id: dict[str, list[int]] = {}
        self.by_class: dict[str, list[int]] = {}
        self.by_tag: dict[str, list[int]] = {}
        self.by_attribute: dict[tuple[str, str], list[int]] = {}
        self.pools: dict[tuple[str, tuple[tuple[str, str, str], ...]], list[int]] = {}
        """Elements by tag and conditions, as selectors ask for them."""
        self._read(page.tree)

    def _read(self, root: HtmlElement) -> None:
        """One walk with a stack: every element is entered in document order, and left when its last text has been read.

        A stack item is an element to enter, a text to read (a tail), or the number of an element to leave.
        """
        stack: list[HtmlElement | str | int] = [root]
        push, pop = stack.append, stack.pop
        pieces, words, tags, parents = self._pieces, self.words, self.tags, self.parent
        seen: list[dict[str, int]] = [{}]
        above = -1
        while stack:
            item = pop()
            if isinstance(item, str):
                pieces.append(item)
                if item != " ":
                    words += tokens(item)
                continue
            if isinstance(item, int):
                if tags[item] in BLOCK_TAGS:
                    pieces.append(" ")
                self.end[item], self.last[item], self._to[item] = len(tags), len(words), len(pieces)
                seen.pop()
                above = parents[item]
                continue
            tag = item.tag
            counts = seen[-1]
            if not isinstance(tag, str) or tag in _SKIP:
                if isinstance(tag, str):
                    counts[tag] = counts.get(tag, 0) + 1
                continue
            counts[tag] = counts.get(tag, 0) + 1
            seen.append({})
            here = self._enter(item, tag, above, counts[tag])
            above = here
            push(here)
            if tag == "head":
                stack.extend(child for child in reversed(item) if child.tag in _HEAD_KEEP)
                continue
            text = item.text
            if text and not text.isspace() and tag != "title":
                pieces.append(text)
                words += tokens(text)
            for child in item.iterchildren(reversed=True):
                tail = child.tail
                if tail:
                    push(" " if tail.isspace() else tail)
                push(child)

    def _enter(self, node: HtmlElement, tag: str, above: int, place: int) -> int:
        here, at = len(self.tags), len(self.words)
        self.elements.append(node)
        self.tags.append(tag)
        self.parent.append(above)
        self.depth.append(self.depth[above] + 1 if above >= 0 else 0)
        self.end.append(here + 1)
        self.place.append(place)
        if tag in BLOCK_TAGS:
            self._pieces.append(" ")
        self.first.append(at)
        self.last.append(at)
        self._from.append(len(self._pieces))
        self._to.append(len(self._pieces))
        self.by_tag.setdefault(tag, []).append(here)
        for name, value in node.items():
            if name == "class":
                for token in dict.fromkeys(value.split()):
                    self.by_class.setdefault(token, []).append(here)
            elif name == "id":
                self.by_id.setdefault(value, []).append(here)
            elif name in NAMED_ATTRIBUTES:
                self.by_attribute.setdefault((name, value), []).append(here)
        return here

    @cached_property
    def where(self) -> dict[HtmlElement, int]:
        """Element -> its number."""
        return {element: i for i, element in enumerate(self.elements)}

    @cached_property
    def _children(self) -> dict[int, list[int]]:
        out: dict[int, list[int]] = {}
        for i, above in enumerate(self.parent):
            out.setdefault(above, []).append(i)
        return out

    def children(self, i: int) -> list[int]:
        """Child elements of ``i`` in document order."""
        return self._children.get(i, [])

    @cached_property
    def _siblings(self) -> dict[tuple[int, str], int]:
        """How many children of a tag an element has: the last one's place."""
        return {(above, tag): place for above, tag, place in zip(self.parent, self.tags, self.place, strict=True)}

    def from_end(self, i: int) -> int:
        """Position among siblings of the tag counted from the last one, which is -1."""
        return self.place[i] - self._siblings[self.parent[i], self.tags[i]] - 1

    @cached_property
    def body(self) -> int:
        """Number of the body element (0 where there is none)."""
        return (self.by_tag.get("body") or [0])[0]

    def length(self, i: int) -> int:
        """Words inside element ``i``."""
        return self.last[i] - self.first[i]

    def text(self, i: int) -> str:
        """Visible text of element ``i`` on one line."""
        if self.tags[i] == "title":
            return squeeze(self.elements[i].text)
        return squeeze("".join(self._pieces[self._from[i] : self._to[i]]))

    def ancestors(self, i: int) -> list[int]:
        """Parent, grandparent … up to the root."""
        out = []
        while (i := self.parent[i]) >= 0:
            out.append(i)
        return out

    def distance(self, a: int, b: int) -> int:
        """Edges on the way from element ``a`` to ``b`` in the tree."""
        steps = 0
        while a != b:
            if self.depth[a] >= self.depth[b]:
                a = self.parent[a]
            else:
                b = self.parent[b]
            steps += 1
        return steps

    def inside(self, numbers: list[int], i: int) -> list[int]:
        """Those of the sorted ``numbers`` that are descendants of ``i``."""
        return numbers[bisect_left(numbers, i + 1) : bisect_left(numbers, self.end[i])]
