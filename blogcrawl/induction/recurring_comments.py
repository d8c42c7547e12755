"""Find comments in unlabelled blocks: alike, each with a date, below the post, and in a number that
varies from page to page.

Blocks on all pages are the post's, blocks that come and go are its readers'
(posts-and-comments-separation-ja). The paper distinguishes them by their place in the template,
where blocks of the post's own kind can be too; here their shape does.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise

from blogcrawl.core.evidence import MOST
from blogcrawl.dom.index import PageIndex

_BOXES = ("div", "table", "dl", "section", "article")
"""What holds a comment."""
_ROWS = ("li", "tr", "dt", "blockquote")
"""What holds one, or heads it, outside of the box that has the feed's text; in it results,
programmes and quotations have dates too.
"""
_LINES = frozenset("p span b strong i em font a h1 h2 h3 h4 h5 h6 blockquote li".split())
"""What is no box around a text."""
HEAD, FOOT = 16, 10
"""Words at either end of a block among which its date stands."""
DROP_HITS = 0.08
"""A part of a page of whose words the feed has less than this is no content; one with more is the
post."""
CLOSE = 4
"""Words in which a date's numbers stand."""
_YEAR = re.compile(r"(?:19|20|1[34]|25)\d\d")
"""Of the calendars that blogs are dated by, the Persian and the Thai one among them. Numbers alone
are a listing's lines.
"""
_DIGITS = re.compile(r"\d+")
_Shape = tuple[object, ...]


def varying_blocks(pages: Sequence[tuple[PageIndex, Sequence[int]]]) -> list[set[int]]:
    """Return for each page (with the running totals of the feed's words in it) the blocks that are
    comments.
    """
    rough = [_below(index, hits) for index, hits in pages]
    often = {key for key, counts in _counted(rough).items() if _recurs(counts)}
    found = [
        _by_shape(index, groups, often) for (index, _), groups in zip(pages, rough, strict=True)
    ]
    asked = sum(bool(hits[-1]) for _, hits in pages)
    known = [
        shape
        for shape, counts in _counted(found).items()
        if _recurs(counts) and _varies(counts, asked) and _are_dated(pages, found, shape)
    ]
    indexes = [index for index, _ in pages]
    return [_wholes(index, shapes, known) for index, shapes in zip(indexes, found, strict=True)]


def _recurs(counts: Sequence[int]) -> bool:
    """Return whether enough pages have such blocks, and any page several."""
    return len(counts) > 1 and max(counts) > 1


def _varies(counts: Sequence[int], pages: int) -> bool:
    """Return whether the number of such blocks differs from page to page."""
    return len(set(counts)) > 1 or len(counts) < pages


def _by_shape(
    index: PageIndex, groups: Mapping[_Shape, Sequence[int]], often: AbstractSet[_Shape]
) -> dict[_Shape, list[int]]:
    """Return the blocks of the frequent groups by their shape."""
    out: dict[_Shape, list[int]] = defaultdict(list)
    for key in often & groups.keys():
        for i in groups[key]:
            out[_shape(index, i)].append(i)
    return out


def _are_dated(
    pages: Sequence[tuple[PageIndex, Sequence[int]]],
    found: Sequence[Mapping[_Shape, Sequence[int]]],
    shape: _Shape,
) -> bool:
    """Return whether most blocks of a shape have a date."""
    dated = [
        _is_dated(index, i)
        for (index, _), shapes in zip(pages, found, strict=True)
        for i in shapes.get(shape, ())
    ]
    return sum(dated) >= MOST * len(dated)


def _counted(pages: Sequence[Mapping[_Shape, Sequence[int]]]) -> dict[_Shape, list[int]]:
    """Return how many blocks are made so, on each page that has any."""
    counts: dict[_Shape, list[int]] = defaultdict(list)
    for shapes in pages:
        for shape, blocks in shapes.items():
            counts[shape].append(len(blocks))
    return counts


def _whole(index: PageIndex, i: int) -> int:
    """Return the element; of a term its list, for the text stands next to it."""
    return index.parent[i] if index.tags[i] == "dt" else i


def _below(index: PageIndex, hits: Sequence[int]) -> dict[_Shape, list[int]]:
    """Return boxes behind the feed's text, by depth and tag; none on a page that shows nothing of
    it."""
    out: dict[_Shape, list[int]] = defaultdict(list)
    total = hits[-1]
    if not total:
        return out
    end = index.end[_holder(index, hits)]
    for tag in (*_BOXES, *_ROWS):
        for i in index.by_tag.get(tag, ()):
            a, b = index.first[i], index.last[i]
            if (
                i > index.body
                and b > a
                and 2 * hits[a] >= total
                and hits[b] - hits[a] <= DROP_HITS * total
                and (tag in _BOXES or i >= end)
            ):
                out[index.depth[i], tag].append(i)
    return out


def _holder(index: PageIndex, hits: Sequence[int]) -> int:
    """Return the innermost box with nearly all of the feed's text."""
    least, here = (1 - DROP_HITS) * hits[-1], index.body
    while True:
        inner = next(
            (
                i
                for i in index.children(here)
                if hits[index.last[i]] - hits[index.first[i]] >= least
            ),
            None,
        )
        if inner is None or index.tags[inner] in _LINES:
            return here
        here = inner


def _shape(index: PageIndex, i: int) -> _Shape:
    """Return depth, tag and attributes without what numbers one of many, and the tags of the
    elements inside, two steps down.
    """
    element = index.elements[i]
    made = sorted(
        (name, value)
        for name, value in element.attrib.items()
        if name not in ("id", "name", "title") and not _DIGITS.search(value)
    )
    children = index.children(i)
    inner = index.children(children[0]) if children else ()
    return index.depth[i], index.tags[i], tuple(made), _kinds(index, children), _kinds(index, inner)


def _kinds(index: PageIndex, numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple(index.tags[j] for j in numbers[:2])


def _is_dated(index: PageIndex, i: int) -> bool:
    """Return whether numbers that make a date stand together at either end of the block."""
    a, b = index.first[i], index.last[i]
    return _has_date(index, a, min(b, a + HEAD)) or _has_date(index, max(a, b - FOOT), b)


def _has_date(index: PageIndex, a: int, b: int) -> bool:
    places, words = index.number_places, index.words
    near = pairwise(places[bisect_left(places, a) : bisect_left(places, b)])
    return any(
        q - p < CLOSE and (_YEAR.fullmatch(words[p]) or _YEAR.fullmatch(words[q])) for p, q in near
    )


def _wholes(
    index: PageIndex, shapes: Mapping[_Shape, Sequence[int]], known: Sequence[_Shape]
) -> set[int]:
    """Return the whole blocks of the known shapes on a page."""
    return {_whole(index, i) for shape in known for i in shapes.get(shape, ())}
