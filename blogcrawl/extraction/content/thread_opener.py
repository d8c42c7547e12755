"""Pages of forums and guest books: all that is said on them is named a comment, and the first is
the post that the others answer.
"""

from __future__ import annotations

from lxml.html import HtmlElement

from blogcrawl.dom.blocks import Blocks
from blogcrawl.extraction.content.single_page import bare
from blogcrawl.lexicon.css_classes import kind_of

LITTLE, SHARE = 200.0, 0.1
"""Letters, and share of the node's, that may stand beside the comments of a thread: a notice, a
form's label.
"""
SAID = 40.0
"""Letters of a box that says something."""
LABELS = ("class", "id")
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())


def first_said(blocks: Blocks, number: int) -> int | None:
    """The first of the boxes named comments, where the node is one of them or holds hardly anything
    else; None on any other page.
    """
    if number >= len(blocks.tags):  # a page without body
        return None
    outer, above = None, number
    while above > 0:
        outer = above if blocks.kind[above] == "comments" else outer
        above = blocks.parent[above]
    if outer is not None:
        return _first_inside(blocks, outer)
    boxes, beside, i = [], blocks.plain[number], number + 1
    while i < blocks.end[number]:
        if blocks.kind[i] is None:
            beside += blocks.plain[i] if blocks.tags[i] not in _HEADINGS else 0.0
            i += 1
            continue
        if blocks.kind[i] == "comments" and blocks.all_plain[i] >= SAID:
            boxes.append(i)
        i = blocks.end[i]
    if not boxes or beside > min(LITTLE, SHARE * blocks.all_plain[number]):
        return None
    return _first_inside(blocks, boxes[0])


def _first_inside(blocks: Blocks, box: int) -> int:
    """The first comment of a list of them; the box itself where it is one."""
    here = box
    while True:
        said = [i for i in blocks.children(here) if blocks.all_plain[i] >= SAID]
        if (
            len(said) > 1
            and len({(blocks.tags[i], _label(blocks, i)) for i in said}) == 1
            and blocks.kind[said[0]] == "comments"
        ):
            return said[0]
        if len(said) != 1 or blocks.plain[here] > 0:
            return here
        here = said[0]


def _label(blocks: Blocks, i: int) -> str:
    return (blocks.elements[i].get("class") or "").split(" ")[0]


def unnamed(node: HtmlElement) -> HtmlElement:
    """A copy without names that say "comment": here they say nothing against it."""
    copy = bare(node)
    for element in copy.iter():
        for name in LABELS:
            label = element.get(name) if isinstance(element.tag, str) else None
            if label and kind_of(label) == "comments":
                del element.attrib[name]
    return copy
