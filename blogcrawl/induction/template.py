"""Template model: a block of text that recurs over a blog's pages is the template's, no post's.

Blocks are compared by their text (posts-and-comments-separation-ja, section 3: content is what
stands on one page only). The model shows which words of a page are its own, where the feed does not
give the whole text, and which blocks inside posts are boilerplate, where there is no feed.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from blogcrawl.core.bounds import MAX_ELEMENTS
from blogcrawl.core.evidence import SEVERAL, SOME
from blogcrawl.dom.index import PageIndex
from blogcrawl.text.visible import BLOCK_TAGS

MIN_WORDS = 8
"""Words of neighbouring blocks in a post: "Ingredients" above what differs is the author's, be it
in every post.
"""
EDGES = BLOCK_TAGS | {"a"}
"""A link is a block of its own: tags and names recur in lines that do not."""


@dataclass(frozen=True)
class TemplateModel:
    """On how many of so many pages each block is that more than one page has."""

    pages: int = 0
    counts: Mapping[Any, int] = field(default_factory=dict)

    @classmethod
    def learn(cls, pages: Sequence[Iterable[Hashable]]) -> TemplateModel:
        """Count the blocks of a series of pages; they are given by their text or its digest."""
        counts = Counter(block for page in pages for block in set(page))
        return cls(len(pages), {block: count for block, count in counts.items() if count > 1})

    @classmethod
    def of_pages(cls, pages: Iterable[PageIndex]) -> TemplateModel:
        """Count the texts of the pages' blocks."""
        return cls.learn([digests(page) for page in pages])

    def share(self, block: Hashable) -> float:
        """Return the share of the other pages that have a block."""
        return (self.counts.get(block, 1) - 1) / max(1, self.pages - 1)

    def has(self, block: Hashable) -> bool:
        """Return whether a block is the template's: on more than ``SOME`` of the other pages."""
        return self.share(block) > SOME and self.counts.get(block, 1) >= SEVERAL

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON data of a model whose blocks are digests: those of the template."""
        known = sorted((-count, block) for block, count in self.counts.items() if self.has(block))
        return {"pages": self.pages, "blocks": [[b, -n] for n, b in known[:MAX_ELEMENTS]]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TemplateModel:
        """Return the model that ``to_json`` wrote."""
        return cls(data.get("pages", 0), dict(data.get("blocks", ())))

    def _runs(self, page: PageIndex) -> Iterator[tuple[int, int]]:
        """Yield where neighbouring blocks are the template's."""
        start = end = 0
        for a, b in spans(page):
            if self.has(hash(tuple(page.words[a:b]))):
                end = b
                continue
            if start < end:
                yield start, end
            start = end = b
        if start < end:
            yield start, end

    def own_words(self, page: PageIndex) -> bytearray:
        """Return a byte for each word of a page: 1 where it is in no block of the template."""
        marks = bytearray(b"\x01" * len(page.words))
        for a, b in self._runs(page):
            marks[a:b] = bytes(b - a)
        return marks

    def parts(self, page: PageIndex) -> list[int]:
        """Return the outermost blocks that are wholly the template's, with their neighbours of at
        least ``MIN_WORDS`` words.
        """
        marks = bytearray(len(page.words))
        for a, b in self._runs(page):
            if b - a >= MIN_WORDS:
                marks[a:b] = b"\x01" * (b - a)
        out: list[int] = []
        for i, (tag, a, b) in enumerate(zip(page.tags, page.first, page.last, strict=True)):
            is_inside = bool(out) and i < page.end[out[-1]]
            if a < b and tag in BLOCK_TAGS and not is_inside and all(marks[a:b]):
                out.append(i)
        return out


def spans(page: PageIndex) -> list[tuple[int, int]]:
    """Return where the page's blocks and links have words of their own: between their edges."""
    cuts = {0, len(page.words)}
    for tag in EDGES & page.by_tag.keys():
        for i in page.by_tag[tag]:
            cuts.update((page.first[i], page.last[i]))
    return list(pairwise(sorted(cuts)))


def digests(page: PageIndex) -> Sequence[int]:
    """Return digests of the page's blocks: good for one process."""
    return array("q", (hash(tuple(page.words[a:b])) for a, b in spans(page)))
