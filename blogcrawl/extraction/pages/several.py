"""Several posts on one page: lists of entries, found as repeated units that each carry a linked
heading.
"""

from __future__ import annotations

from collections import defaultdict
from urllib.parse import unquote, urlsplit

from lxml.html import HtmlElement

from blogcrawl.core.page import Page
from blogcrawl.dom.blocks import blocks_of
from blogcrawl.extraction.fields.byline import is_aside

HEADINGS = frozenset(("h1", "h2", "h3", "h4"))
MIN_UNITS = 2
MAX_LINKS = 400


def units(page: Page) -> list[tuple[HtmlElement, str]]:
    """The repeated units with the URL each heading links to, in document order; empty on a page
    with one post.

    A unit is a child of a common parent that holds one linked heading, the link leading to another
    page of the site.
    """
    blocks = blocks_of(page)
    here = _place(page.url)
    groups: dict[tuple[int, str], list[tuple[int, str]]] = defaultdict(list)
    links = 0
    for i, tag in enumerate(blocks.tags):
        if tag != "a" or links > MAX_LINKS:
            continue
        above = blocks.parent[i]
        heading = (
            above
            if above >= 0 and blocks.tags[above] in HEADINGS
            else blocks.parent[above]
            if above > 0
            else -1
        )
        is_wrapped = any(blocks.tags[child] in HEADINGS for child in blocks.children(i))
        if not is_wrapped and (heading < 0 or blocks.tags[heading] not in HEADINGS):
            continue
        links += 1
        url = page.absolute(blocks.elements[i].get("href") or "")
        if url is None or _place(url) == here:
            continue
        # the chain of containers upwards: units of a list are children of one parent, with one tag
        step = i if is_wrapped else heading
        for _level in range(5):
            parent = blocks.parent[step]
            if parent < 0:
                break
            groups[(parent, blocks.tags[step])].append((step, url))
            step = parent
    best: list[tuple[int, str]] = []
    for members in groups.values():
        single = dict(members)
        if (
            len(single) < MIN_UNITS
            or len(set(single.values())) < MIN_UNITS
            or len(single) != len(members)
        ):
            continue
        if len(single) > len(best) and not is_aside(blocks.elements[next(iter(single))]):
            best = sorted(single.items())
    return [(blocks.elements[number], url) for number, url in best]


def _place(url: str) -> str:
    """Path and query: a copy of a blog may link to its first home's host."""
    parts = urlsplit(url)
    return unquote(parts.path).removesuffix("index.html").rstrip("/") + "?" + parts.query
