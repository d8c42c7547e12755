"""Boxes of teasers of other posts, recognised by their structure: in every language, without names.

A teaser is a short text that begins with a link to another page of the site, on a line of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from blogcrawl.core.page import Page, kept
from blogcrawl.dom.index import PageIndex
from blogcrawl.text.lengths import MAX_BYLINE, MAX_TEASER
from blogcrawl.text.visible import BLOCK_TAGS, stripped
from blogcrawl.urls.canonical import entry_key, same_site


@kept
def teaser_boxes(page: Page) -> frozenset[int]:
    """Return the elements, by their numbers in the page's index, that hold teasers of several other
    pages and nothing else but a label above them.
    """
    index = PageIndex.of(page)
    rows: defaultdict[int, dict[int, str]] = defaultdict(dict)
    for link in index.by_tag.get("a", ()):
        url = (page.absolute(index.elements[link].get("href") or "") or "").partition("#")[0]
        if url and index.length(link) and _is_other(page, url):
            row = _row(index, link)
            if row is not None:
                rows[index.parent[row]][row] = entry_key(url)
    return frozenset(box for box, found in rows.items() if _is_full(index, box, found))


def _is_other(page: Page, url: str) -> bool:
    return same_site(url, page.url) and entry_key(url) != entry_key(page.url)


def _row(index: PageIndex, link: int) -> int | None:
    """Return the outermost element with the text that a link begins; None if there is no such text
    below the link's line."""
    head = _outermost(index, link)
    row = index.parent[head]
    if row <= index.body or index.first[row] != index.first[link] or not _ends_line(index, head):
        return None
    row = _outermost(index, row)
    return row if _letters(index.words[index.first[row] : index.last[row]]) <= MAX_TEASER else None


def _outermost(index: PageIndex, i: int) -> int:
    """Return the outermost element in the body with an element's text and no other."""
    a, b, above = index.first[i], index.last[i], index.parent[i]
    while above > index.body and index.first[above] == a and index.last[above] == b:
        i, above = above, index.parent[above]
    return i


def _ends_line(index: PageIndex, i: int) -> bool:
    """Return whether a line ends behind an element."""
    behind = index.end[i]
    is_before_block = behind < len(index.tags) and index.tags[behind] in BLOCK_TAGS
    is_last = not stripped(index.elements[i].tail)
    return index.tags[i] in BLOCK_TAGS or (is_before_block and is_last)


def _letters(words: Iterable[str]) -> int:
    return sum(len(word) + 1 for word in words)


def _is_full(index: PageIndex, box: int, rows: dict[int, str]) -> bool:
    """Return whether a box is these rows, with a label above them or none."""
    places: Sequence[int] = sorted(rows)
    a, b = index.first[places[0]], index.last[places[-1]]
    return (
        len(set(rows.values())) == len(rows) > 1
        and len({index.tags[i] for i in places}) == 1
        and sum(map(index.length, places)) == b - a
        and b == index.last[box]
        and _letters(index.words[index.first[box] : a]) <= MAX_BYLINE
    )
