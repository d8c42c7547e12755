"""Key-paths: light XPaths with wildcards that lead to a field and recognise a post
(adaptive-post-recognition, III B-E).

A path is a row of nodes from ``html`` down: tag and attribute patterns (``post-*``); a node ``*``
stands for any number of elements. Found by shrinking the feed's value, resolved by the longest
prefix shared with the content's path, generalised upwards, merged over pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from typing import Any, NamedTuple

from lxml.html import HtmlElement

from blogcrawl.core.bounds import MAX_TRIED
from blogcrawl.dom.index import PageIndex
from blogcrawl.text.lengths import MIN_WORDS
from blogcrawl.text.similarity import tokens

KEPT = ("id", "class", "itemprop", "role", "rel")
MIN_PREFIX = 3
"""Nodes two paths must share from the root to be merged: html, body and one more."""
_INLINE = frozenset("b i em strong a span font u".split())
_SMALL = frozenset(
    (
        "p section span b i em strong a br font u small blockquote ul ol li h2 h3 h4 h5 h6 pre "
        "table tbody tr td figure img"
    ).split()
)


class Node(NamedTuple):
    """``tag`` with attribute patterns (name, value or prefix, is a prefix); tag ``*`` is a gap."""

    tag: str
    attributes: tuple[tuple[str, str, bool], ...] = ()

    def meets(self, element: HtmlElement) -> bool:
        """Return whether the element has the tag and all the attributes (more of them do no
        harm)."""
        if element.tag != self.tag:
            return False
        for name, value, prefix in self.attributes:
            have = element.get(name, "").strip()
            if not have or not (have.startswith(value) if prefix else have == value):
                return False
        return True


Path = tuple[Node, ...]
GAP = Node("*")


def path_of(index: PageIndex, i: int) -> Path:
    """Return the absolute path of an element with its distinctive attributes."""
    out = []
    for j in [i, *index.ancestors(i)]:
        said = [("id", index.ids[j]), ("class", index.classes[j])]
        if j in index.named:
            said += [(name, index.elements[j].get(name)) for name in KEPT[2:]]
        found = tuple(
            (name, value, False)
            for name, text in said
            if text and (value := text.strip()) and len(value) < 200
        )
        out.append(Node(index.tags[j], found))
    return tuple(reversed(out))


def find(index: PageIndex, value: str, least: int = MIN_WORDS) -> list[int]:
    """Return elements whose text holds the value, or the longest beginning of it that any element
    holds.
    """
    wanted = tokens(value)
    if not wanted:
        return []
    least = min(least, len(wanted))
    head, words = wanted[:least], index.words
    best = 0
    starts: list[tuple[int, int]] = []
    for at in islice(_places(index, head), MAX_TRIED * 4):
        length = least
        while (
            length < len(wanted)
            and at + length < len(words)
            and words[at + length] == wanted[length]
        ):
            length += 1
        starts.append((at, length))
        best = max(best, length)
    out = []
    for start, length in starts:
        if length < 0.8 * best:
            continue
        node = _innermost(index, start, start + least)
        while index.last[node] < start + length and index.tags[node] in _INLINE:
            node = index.parent[node]
        out.append(node)
    return list(dict.fromkeys(out))[:MAX_TRIED]


def _places(index: PageIndex, head: list[str]) -> Iterator[int]:
    """Yield where the words stand on the page; by the hashes of runs where they are known, for a
    first word alone stands in many places.
    """
    length = max((n for n in index.hashed if n <= len(head)), default=0)
    row: Sequence[object] = index.runs(length) if length else index.words
    first, at = hash(tuple(head[:length])) if length else head[0], -1
    while True:
        try:
            at = row.index(first, at + 1)
        except ValueError:
            return
        if index.words[at : at + len(head)] == head:
            yield at


def _innermost(index: PageIndex, start: int, stop: int) -> int:
    """Return the smallest element of the body that holds the words ``start .. stop``."""
    best, i = index.body, index.body + 1
    last = index.end[index.body]
    while i < last:
        if index.first[i] <= start and stop <= index.last[i]:
            best = i
            i += 1
        else:
            i = index.end[i]
    return best


def generalise(index: PageIndex, i: int, hits: Sequence[int], full: bool) -> int:
    """From the element where a shrunk content value was found, up to the one that covers the whole
    of it.

    ``hits``: running totals of the value's words on the page. Where the value is an excerpt,
    elements that only structure text are left.
    """
    total = hits[-1]
    while index.tags[i] not in ("body", "html"):
        mine = hits[index.last[i]] - hits[index.first[i]]
        enough = mine >= 0.9 * total and (
            full or index.length(i) > 1.5 * total or index.tags[i] not in _SMALL
        )
        if enough and index.tags[i] not in _SMALL:
            return i
        i = index.parent[i]
    return i


def nearest(index: PageIndex, candidates: Sequence[int], content: int) -> int | None:
    """Return the candidate whose path shares the longest prefix with the content's; the earlier one
    of two.
    """
    return next(iter(by_nearness(index, candidates, content)), None)


def by_nearness(index: PageIndex, candidates: Sequence[int], content: int) -> list[int]:
    """Return the candidates in that order."""
    parent, depth = index.parent, {-1: 0}
    depth |= {j: n for n, j in enumerate(reversed([content, *index.ancestors(content)]))}

    def apart(i: int) -> int:
        while i not in depth:
            i = parent[i]
        return -depth[i]

    return sorted(candidates, key=apart)


def merge(a: Path, b: Path) -> Path | None:
    """Return what two paths have in common: their shared prefix of tags, a gap and shared end where
    they part.

    None where they share less than the minimum prefix.
    """
    n = _same_tags(a, b)
    head = tuple(map(_common, a[:n], b[:n]))
    if n == len(a) == len(b):
        return head
    tail = list(takewhile(lambda node: node.tag != GAP.tag, a[: n - 1 : -1]))
    m = _same_tags(tail, b[: n - 1 : -1])
    if n < MIN_PREFIX or not m:
        return None
    return (*head, GAP, *map(_common, a[-m:], b[-m:]))


def _same_tags(a: Sequence[Node], b: Sequence[Node]) -> int:
    """Return how many nodes at the beginning have the same tags."""
    n = 0
    while n < min(len(a), len(b)) and a[n].tag == b[n].tag:
        n += 1
    return n


def _common(x: Node, y: Node) -> Node:
    mine = {name: (value, prefix) for name, value, prefix in y.attributes}
    out = []
    for name, value, prefix in x.attributes:
        if name not in mine:
            continue
        other, other_prefix = mine[name]
        if value == other and prefix == other_prefix:
            out.append((name, value, prefix))
        else:
            shared = next(
                (n for n, (p, q) in enumerate(zip(value, other, strict=False)) if p != q),
                min(len(value), len(other)),
            )
            out.append((name, value[:shared], True))
    return Node(x.tag, tuple(out))


def cluster(paths: Sequence[Path]) -> list[tuple[Path, int]]:
    """Return merged paths with the number of pages they stand for, most pages first."""
    groups: list[tuple[Path, int]] = []
    for path in sorted(paths, key=lambda p: (len(p), p)):
        for at, (known, count) in enumerate(groups):
            merged = merge(known, path)
            if merged is not None and specific(merged) >= 0.5 * min(
                specific(known), specific(path)
            ):
                groups[at] = (merged, count + 1)
                break
        else:
            groups.append((path, 1))
    return sorted(groups, key=lambda group: -group[1])


def specific(path: Path) -> float:
    """Return how much a path says: attributes count, wildcard-only ones a fifth."""
    return 1 + sum(
        1.0 if value and not prefix else 0.8 if len(value) > 2 else 0.2
        for node in path
        for _, value, prefix in node.attributes
    )


def match(root: HtmlElement, path: Path) -> Iterator[HtmlElement]:
    """Yield elements that a path leads to, in document order."""
    if not path or not path[0].meets(root):
        return
    stack = [(root, 1)]
    budget = 200_000
    seen: set[HtmlElement] = set()
    while stack and budget:
        budget -= 1
        element, at = stack.pop()
        if at == len(path):
            if element not in seen:
                seen.add(element)
                yield element
            continue
        gap = path[at] == GAP
        wanted, after = (path[at + 1], at + 2) if gap else (path[at], at + 1)
        for child in element.iterchildren("*", reversed=True):
            if gap:
                stack.append((child, at))
            if wanted.meets(child):
                stack.append((child, after))


def to_json(path: Path) -> list[Any]:
    """Plain data of a path."""
    return [[node.tag, [list(attribute) for attribute in node.attributes]] for node in path]


def from_json(data: Sequence[Any]) -> Path:
    """Back from ``to_json``."""
    return tuple(
        Node(tag, tuple((name, value, bool(prefix)) for name, value, prefix in attributes))
        for tag, attributes in data
    )


def show(path: Path) -> str:
    """Return a path as the paper writes it: ``|html|body|div[@id=post-*]|*|p``."""
    out = []
    for node in path:
        inner = ",".join(
            f"@{name}={value}{'*' if prefix else ''}" for name, value, prefix in node.attributes
        )
        out.append(f"{node.tag}[{inner}]" if inner else node.tag)
    return "|" + "|".join(out)
