"""Several posts on one page: lists of entries, found as repeated units that each carry a linked
heading.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from urllib.parse import unquote, urlsplit

from lxml.html import HtmlElement

from blogcrawl.core.page import Page
from blogcrawl.dom.blocks import Blocks, blocks_of
from blogcrawl.extraction.fields.byline import is_aside

HEADINGS = frozenset(("h1", "h2", "h3", "h4"))
MIN_UNITS = 2
MAX_LINKS = 400
MAX_LEVELS = 5
"""Containers above a heading that may be its unit."""


def units(page: Page) -> list[tuple[HtmlElement, str]]:
    """Return the repeated units with the URL each heading links to, in document order; empty on a
    page with one post.

    A unit is a child of a common parent that holds one linked heading, the link leading to another
    page of the site.
    """
    blocks = blocks_of(page)
    groups: dict[tuple[int, str], list[tuple[int, str]]] = defaultdict(list)
    for heading, url in _linked_headings(page, blocks):
        # the chain of containers upwards: units of a list are children of one parent, with one tag
        step = heading
        for _level in range(MAX_LEVELS):
            parent = blocks.parent[step]
            if parent < 0:
                break
            groups[(parent, blocks.tags[step])].append((step, url))
            step = parent
    best: list[tuple[int, str]] = []
    for members in groups.values():
        if len(members) > len(best) and _are_units(members, blocks):
            best = sorted(members)
    return [(blocks.elements[number], url) for number, url in best]


def _linked_headings(page: Page, blocks: Blocks) -> Iterator[tuple[int, str]]:
    """Yield number and URL of headings in a link or with one to another page; of a link around a
    heading the link's number.
    """
    here = _place(page.url)
    links = 0
    for i, tag in enumerate(blocks.tags):
        if tag != "a" or links > MAX_LINKS:
            continue
        is_around = any(blocks.tags[child] in HEADINGS for child in blocks.children(i))
        heading = i if is_around else _heading_above(blocks, i)
        if heading is None:
            continue
        links += 1
        url = page.absolute(blocks.elements[i].get("href") or "")
        if url is not None and _place(url) != here:
            yield heading, url


def _heading_above(blocks: Blocks, i: int) -> int | None:
    """Return the number of the heading that is an element's parent or the parent's."""
    above = blocks.parent[i]
    if above >= 0 and blocks.tags[above] not in HEADINGS:
        above = blocks.parent[above]
    return above if above >= 0 and blocks.tags[above] in HEADINGS else None


def _are_units(members: Sequence[tuple[int, str]], blocks: Blocks) -> bool:
    """Return whether each of several children has one linked heading, they link to several pages,
    and they are not in a sidebar.
    """
    single = dict(members)
    return (
        len(single) == len(members) >= MIN_UNITS
        and len(set(single.values())) >= MIN_UNITS
        and not is_aside(blocks.elements[members[0][0]])
    )


def _place(url: str) -> str:
    """Return path and query: a copy of a blog may link to its first home's host."""
    parts = urlsplit(url)
    return unquote(parts.path).removesuffix("index.html").rstrip("/") + "?" + parts.query
