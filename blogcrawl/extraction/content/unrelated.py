"""What stands inside a guessed node and leads elsewhere: recognised by structure alone, so that it
holds in every language.

Blocks that are links and nothing else (lists of other posts, "read also" lines, menus), what stands
before the heading, what follows the comments, and the labels above such things.
"""

from __future__ import annotations

from lxml.html import HtmlElement

from blogcrawl.core.evidence import MAJORITY, MOSTLY_LINKS
from blogcrawl.core.page import Page
from blogcrawl.dom.blocks import BOUNDARIES, Blocks
from blogcrawl.dom.density import LANDMARKS, worths
from blogcrawl.text.lengths import (
    MAX_BYLINE,
    MAX_TEASER,
    MIN_PARAGRAPH,
    MIN_SENTENCE,
    SENTENCE_ENDS,
)
from blogcrawl.text.visible import node_text, stripped
from blogcrawl.urls.canonical import same_site

BEFORE, AFTER = 0.3, 0.6
"""Share of the worth that may stand before the heading; share that must stand before the
comments."""
_BOXES = frozenset("div section ul ol".split())
_TABLES = frozenset("table tbody thead tfoot tr td th pre dl".split())
_HEADINGS = frozenset("h2 h3 h4 h5 h6".split())


def unrelated(page: Page, blocks: Blocks, number: int, title: int | None) -> set[HtmlElement]:
    """Return elements inside the node that are not of the post."""
    found = _links(page, blocks, number) | _related(blocks, number)
    found |= {i for box in list(found) if (i := _label_above(blocks, box, number)) is not None}
    found |= _around(blocks, number, title)
    return {blocks.elements[i] for i in found}


def _letters(blocks: Blocks, i: int) -> float:
    return blocks.all_plain[i] + blocks.all_linked[i]


def _related(blocks: Blocks, number: int) -> set[int]:
    """Return what is named as other posts and links to them, however long it is, where enough else
    is left.
    """
    found, i = set(), number + 1
    while i < blocks.end[number]:
        is_list = blocks.kind[i] == "related" and blocks.all_linked[i] > 0
        if is_list and not any(tag in LANDMARKS for tag in blocks.tags[i : blocks.end[i]]):
            found.add(i)
            i = blocks.end[i]
        else:
            i += 1
    left = blocks.all_plain[number] - sum(blocks.all_plain[i] for i in found)
    enough = MIN_SENTENCE if blocks.teasers >= found else MIN_PARAGRAPH
    return found if left >= enough else set()


def _links(page: Page, blocks: Blocks, number: int) -> set[int]:
    """Return outermost blocks of links; none where they are most of the node."""
    found: set[int] = set()
    i = number + 1
    while i < blocks.end[number]:
        if blocks.tags[i] in _TABLES:
            i = blocks.end[i]
            continue
        if blocks.tags[i] in BOUNDARIES and _is_elsewhere(page, blocks, i):
            found.add(i)
            i = blocks.end[i]
            continue
        i += 1
    return (
        found
        if sum(_letters(blocks, i) for i in found) <= MAJORITY * _letters(blocks, number)
        else set()
    )


def _is_elsewhere(page: Page, blocks: Blocks, i: int) -> bool:
    """Return whether a block is links and little else, most of them to the site's own pages."""
    letters = _letters(blocks, i)
    is_box = (
        blocks.tags[i] in _BOXES
        and letters <= MAX_TEASER
        and 2 * blocks.all_linked[i] >= letters > 0
    )
    return (_is_linked(blocks, i) or is_box) and _stays(page, blocks, i)


def _is_linked(blocks: Blocks, i: int) -> bool:
    plain, linked = blocks.all_plain[i], blocks.all_linked[i]
    if (
        blocks.tags[i] in _HEADINGS
        or blocks.tags[i] == "li"
        or linked <= 0
        or linked < MOSTLY_LINKS * (plain + linked)
    ):
        return False
    return blocks.tags[i] != "p" or (
        plain <= MAX_BYLINE and linked <= MIN_PARAGRAPH and not _is_sentence(blocks, i)
    )


def _is_sentence(blocks: Blocks, i: int) -> bool:
    """Return whether a sentence begins before and ends behind the links of a paragraph."""
    anchors = [blocks.elements[k] for k in range(i, blocks.end[i]) if blocks.tags[k] == "a"]
    return bool(anchors) and (anchors[-1].tail or "").rstrip().endswith(SENTENCE_ENDS)


def _stays(page: Page, blocks: Blocks, i: int) -> bool:
    """Return whether most links of a block lead to the site's own pages: what a post itself points
    to mostly lies elsewhere.
    """
    hrefs = [
        href
        for k in range(i, blocks.end[i])
        if blocks.tags[k] == "a" and (href := blocks.elements[k].get("href"))
    ]
    return 2 * sum(_is_own(page, href) for href in hrefs) > len(hrefs) if hrefs else True


def _is_own(page: Page, href: str) -> bool:
    if href.startswith("#"):  # a table of contents is the author's
        return False
    url = page.absolute(href)
    return (
        href.lstrip().lower().startswith("javascript:") if url is None else same_site(url, page.url)
    )


def _label_above(blocks: Blocks, box: int, number: int) -> int | None:
    """Return the heading or short line right before a box."""
    elder = [i for i in blocks.children(blocks.parent[box]) if i < box]
    if not elder or elder[-1] <= number or not 0 < _letters(blocks, elder[-1]) <= MAX_BYLINE:
        return None
    last = elder[-1]
    element = blocks.elements[last]
    if stripped(element.tail) or blocks.tags[last] not in BOUNDARIES:
        return None
    return last if _is_label(blocks, last) and _last(element) not in ".!…" else None


def _is_label(blocks: Blocks, number: int) -> bool:
    """Return whether a line is a heading, wholly strong, or ends in a colon."""
    tag = blocks.tags[number]
    if tag in _HEADINGS or tag in {"li", "figure"}:
        return tag in _HEADINGS
    is_strong = any(
        _letters(blocks, i) == 0 and blocks.tags[i] in {"b", "strong"}
        for i in range(number + 1, blocks.end[number])
    )
    return is_strong or _last(blocks.elements[number]) == ":"


def _last(element: HtmlElement) -> str:
    return node_text(element)[-1:]


def _around(blocks: Blocks, number: int, title: int | None) -> set[int]:
    """Return what stands before the heading inside the node, and what follows the comments."""
    worth = worths(blocks)
    found: set[int] = set()
    whole = max(1.0, worth[number])
    if title is not None and number < title < blocks.end[number]:
        before = _outside(blocks, number, number + 1, title)
        if sum(max(0.0, worth[i]) for i in before) <= BEFORE * whole:
            found.update(i for i in before if not _has_picture(blocks, i))
    comments = _comments(blocks, number)
    if comments is not None:
        after = _outside(blocks, number, blocks.end[comments], blocks.end[number])
        if sum(max(0.0, worth[i]) for i in after) <= (1 - AFTER) * whole:
            found.update(after)
    return found


def _has_picture(blocks: Blocks, i: int) -> bool:
    return not {"img", "picture", "video"}.isdisjoint(blocks.tags[i : blocks.end[i]])


def _comments(blocks: Blocks, number: int) -> int | None:
    """Return the first element inside the node that is named as comments and holds some."""
    inside = range(number + 1, blocks.end[number])
    named = (i for i in inside if blocks.kind[i] == "comments")
    return next((i for i in named if _letters(blocks, i) > MAX_TEASER), None)


def _outside(blocks: Blocks, number: int, start: int, stop: int) -> list[int]:
    """Return outermost elements with text that lie wholly between two places of the node."""
    out, i = [], start
    while i < stop:
        if blocks.end[i] <= stop and _letters(blocks, i) > 0:
            out.append(i)
            i = blocks.end[i]
        else:
            i += 1
    return out
