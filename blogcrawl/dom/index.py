"""A page read once: its elements in document order, where each begins and ends in the stream of
words, and tables by id, class and tag, so that a rule is tried with a look-up instead of a walk."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import compress
from typing import Any, TypeVar

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.page import Page
from blogcrawl.text.similarity import run_hashes, sums, tokens_of_pieces
from blogcrawl.text.visible import BLOCK_TAGS, SILENT_TAGS, squeeze

_SKIP = SILENT_TAGS - {"head"}
_HEAD_KEEP = frozenset(("title", "meta", "link"))
NAMED_ATTRIBUTES = ("itemprop", "rel", "role", "property", "name")
"""Attributes that show what an element is for, besides id and class."""
SHORT = 64
_DIGIT = re.compile(r"\d")
FEW_PIECES = 16
"""Pieces of text that are read at once."""
K = TypeVar("K")


class PageIndex:
    """``elements[i]`` with ``parent[i]``, ``depth[i]``, subtree ``i .. end[i]``, words ``first[i]
    .. last[i]`` of ``words``.
    """

    def __init__(self, page: Page | HtmlElement) -> None:
        self.elements: list[HtmlElement] = []
        self.tags: list[str] = []
        self.parent = array("i")
        self.depth = array("i")
        self.end = array("i")
        self.classes: list[str | None] = []
        self.ids: list[str | None] = []
        self.named: dict[int, list[str]] = {}
        """Names of attributes, of the elements that have others than class and id."""
        self._pieces: list[str] = []
        self._from = array("i")
        self._to = array("i")
        self.pools: dict[str, list[int]] = {}
        """Elements by name of the steps that ask for them."""
        self.proposed: dict[int, Sequence[Any]] = {}
        """Selectors by the element that proposes them."""
        self.trusted: dict[int, Sequence[Any]] = {}
        """Those of them that name it by what is its own."""
        self.offered: dict[int, Sequence[Any]] = {}
        """First steps of selectors that an element's own attributes offer."""
        self._texts: dict[int, str] = {}
        self._ancestors: dict[int, Sequence[int]] = {}
        self._holders: dict[str, set[int]] = {}
        self._called: dict[tuple[int, str], list[int]] = {}
        self.hashed: dict[int, array[int]] = {}
        """Hashes of runs by their length, as far as they were requested."""
        self._read(page.tree if isinstance(page, Page) else page)
        self._read_labels()
        self.words, starts = _words_of(self._pieces)
        self.first = array("i", map(starts.__getitem__, self._from))
        self.last = array("i", map(starts.__getitem__, self._to))

    @classmethod
    def of(cls, page: Page) -> PageIndex:
        """Return the page's index; made at the first call, then kept with the page until
        ``forget``.
        """
        known = page.__dict__.get("_index")
        if known is None:
            known = page.__dict__["_index"] = cls(page)
        return known

    def _read(self, root: HtmlElement) -> None:
        """Walk the tree once: every element is entered in document order, and left when its last
        text has been read.
        """
        walker = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        open_, head = list[int](), -1
        for event, node in walker:
            if event == "start":
                tag = node.tag
                if tag in _SKIP or (head >= 0 and tag not in _HEAD_KEEP):
                    walker.skip_subtree()
                    open_.append(-1)
                    continue
                here = self._enter(node, tag, open_)
                open_.append(here)
                if tag == "head":
                    head = here
                text = node.text
            else:
                if event == "end" and (here := open_.pop()) >= 0:
                    self._leave(here)
                    if here == head:
                        head = -1
                text = node.tail if open_ else None
            if text and head < 0:
                self._add(text)

    def _add(self, text: str) -> None:
        """Append a text; words that only white space parts are not joined."""
        if text.isspace():
            self._part_words()
        else:
            self._pieces.append(text)

    def _enter(self, node: HtmlElement, tag: str, open_: Sequence[int]) -> int:
        """Append an element; return its number."""
        here = len(self.tags)
        self.elements.append(node)
        self.tags.append(tag)
        self.parent.append(open_[-1] if open_ else -1)
        self.depth.append(len(open_))
        self.end.append(0)
        self._to.append(0)
        if tag in BLOCK_TAGS:
            self._part_words()
        self._from.append(len(self._pieces))
        return here

    def _leave(self, here: int) -> None:
        """Set where an element ends."""
        if self.tags[here] in BLOCK_TAGS:
            self._part_words()
        self.end[here], self._to[here] = len(self.tags), len(self._pieces)

    def _read_labels(self) -> None:
        """Read the attributes of all elements."""
        for i, element in enumerate(self.elements):
            label = ident = None
            if names := element.keys():
                label = element.get("class") if "class" in names else None
                ident = element.get("id") if "id" in names else None
                if len(names) > (label is not None) + (ident is not None):
                    self.named[i] = names
            self.classes.append(label)
            self.ids.append(ident)

    def _part_words(self) -> None:
        """Append a blank piece unless the last one is blank, or this is the first."""
        if self._pieces and self._pieces[-1] != " ":
            self._pieces.append(" ")

    @cached_property
    def by_id(self) -> dict[str, list[int]]:
        return _table((label, i) for i, label in enumerate(self.ids) if label is not None)

    @cached_property
    def by_class(self) -> dict[str, list[int]]:
        return _table(
            (name, i)
            for i, label in enumerate(self.classes)
            if label
            for name in dict.fromkeys(label.split())
        )

    @cached_property
    def by_tag(self) -> dict[str, list[int]]:
        return _table(zip(self.tags, range(len(self.tags)), strict=True))

    @cached_property
    def by_attribute(self) -> dict[str, dict[str, list[int]]]:
        """Elements by name and value of the attributes that show what an element is for."""
        out: dict[str, dict[str, list[int]]] = {
            name: defaultdict(list) for name in NAMED_ATTRIBUTES
        }
        for i, names in self.named.items():
            for name in names:
                if name in out:
                    out[name][self.elements[i].get(name, "")].append(i)
        return out

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The page's words that begin with a digit."""
        return frozenset(self.words[at] for at in self.number_places)

    @cached_property
    def number_places(self) -> list[int]:
        """Where those stand."""
        return [
            found.start() for found in _DIGIT.finditer("".join([word[0] for word in self.words]))
        ]

    @cached_property
    def where(self) -> dict[HtmlElement, int]:
        """Element -> its number."""
        return {element: i for i, element in enumerate(self.elements)}

    @cached_property
    def _children(self) -> dict[int, list[int]]:
        return _table(zip(self.parent, range(len(self.parent)), strict=True))

    def holders(self, tag: str) -> set[int]:
        """Return elements with a child of this tag."""
        known = self._holders.get(tag)
        if known is None:
            known = self._holders[tag] = {self.parent[i] for i in self.by_tag.get(tag, ())} - {-1}
        return known

    def children(self, i: int) -> list[int]:
        """Return child elements of ``i`` in document order."""
        return self._children.get(i, [])

    def children_called(self, i: int, tag: str) -> list[int]:
        """Return those with this tag; kept, for paths ask again and again."""
        key = (i, tag)
        if (known := self._called.get(key)) is None:
            known = self._called[key] = [j for j in self.children(i) if self.tags[j] == tag]
        return known

    def place(self, i: int) -> int:
        """Return position among siblings of the tag, from 1, as XPath counts."""
        return 1 + bisect_left(self.children_called(self.parent[i], self.tags[i]), i)

    def from_end(self, i: int) -> int:
        """Return the same counted from the last one, which is -1."""
        return self.place(i) - 1 - len(self.children_called(self.parent[i], self.tags[i]))

    @cached_property
    def body(self) -> int:
        """Number of the body element (0 without one)."""
        return (self.by_tag.get("body") or [0])[0]

    def length(self, i: int) -> int:
        """Return words inside element ``i``."""
        return self.last[i] - self.first[i]

    @cached_property
    def short(self) -> list[int]:
        """Elements of the body with one to ``SHORT`` words: where title, byline and the like are
        looked for.
        """
        body = self.body
        return [
            i
            for i, (a, b) in enumerate(zip(self.first, self.last, strict=True))
            if 0 < b - a <= SHORT and i >= body
        ]

    def holding(self, wanted: AbstractSet[str], longest: int) -> list[int]:
        """Return elements of the body of at most so many words that have one of these, in document
        order: looked for from the words upwards.
        """
        if wanted <= self.numbers:
            places = [at for at in self.number_places if self.words[at] in wanted]
        else:
            places = list(compress(range(len(self.words)), map(wanted.__contains__, self.words)))
        first, last, parent = self.first, self.last, self.parent
        out: set[int] = set()
        for at in places:
            i = bisect_right(first, at) - 1
            while i not in out and i >= self.body and last[i] - first[i] <= longest:
                if last[i] > at:
                    out.add(i)
                i = parent[i]
        return sorted(out)

    def runs(self, length: int) -> array[int]:
        """Return hashes of all runs of so many words."""
        if length not in self.hashed:
            self.hashed[length] = run_hashes(self.words, length)
        return self.hashed[length]

    def text(self, i: int) -> str:
        """Return visible text of element ``i`` on one line."""
        if (known := self._texts.get(i)) is None:
            whole = (
                self.elements[i].text
                if self.tags[i] == "title"
                else "".join(self._pieces[self._from[i] : self._to[i]])
            )
            known = self._texts[i] = squeeze(whole)
        return known

    def head(self, i: int, letters: int) -> str:
        """Return the first letters of that text, so many at least: of a large element that is far
        less work than all.
        """
        at, end, raw = self._from[i], self._to[i], ""
        if end - at <= FEW_PIECES:
            return self.text(i)
        while at < end:
            raw += "".join(self._pieces[at : at + FEW_PIECES])
            at += FEW_PIECES
            if len(raw) > letters and len(text := squeeze(raw)) > letters:
                return text[:letters]
        return squeeze(raw)

    def ancestors(self, i: int) -> Sequence[int]:
        """Return parent, grandparent … up to the root; kept, for they are those of all siblings."""
        above = self.parent[i]
        if (known := self._ancestors.get(above)) is None:
            out, i = [], above
            while i >= 0:
                out.append(i)
                i = self.parent[i]
            known = self._ancestors[above] = tuple(out)
        return known

    def distance(self, a: int, b: int) -> int:
        """Return edges on the way from element ``a`` to ``b`` in the tree."""
        steps = 0
        while a != b:
            if self.depth[a] >= self.depth[b]:
                a = self.parent[a]
            else:
                b = self.parent[b]
            steps += 1
        return steps

    def inside(self, numbers: list[int], i: int) -> list[int]:
        """Return those of the sorted ``numbers`` that are descendants of ``i``."""
        return numbers[bisect_left(numbers, i + 1) : bisect_left(numbers, self.end[i])]


def _table(rows: Iterable[tuple[K, int]]) -> dict[K, list[int]]:
    out: dict[K, list[int]] = defaultdict(list)
    for name, i in rows:
        out[name].append(i)
    return out


def _words_of(pieces: list[str]) -> tuple[list[str], array[int]]:
    """Return all words of the pieces, and before which word each piece (and the end) begins."""
    words, counts = tokens_of_pieces(pieces) if pieces else ([], [])
    return words, sums(counts)


def is_read(page: Page) -> bool:
    """Return whether the page has an index already."""
    return "_index" in page.__dict__
