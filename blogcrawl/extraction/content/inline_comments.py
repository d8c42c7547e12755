"""Readers' comments inside what was taken for the post: a label that says "comments", or the form
to write one, and blocks with dates, or anchors with comments' numbers, right behind it.

Pages made by hand name nothing, and a page alone gives no way to distinguish a long comment from a
paragraph but these two signs together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.repeated_blocks import (
    behind_forms,
    is_anchor_of_comments,
    is_in_row,
    neighbours,
    outermost,
    repeated_blocks,
    title_words,
    without_title,
)
from blogcrawl.extraction.pages.multi_post import anchor_of
from blogcrawl.lexicon.comment_words import UNIT_ID, is_bare_label, is_label
from blogcrawl.text.lengths import MAX_CONTROL, MAX_LINE, MAX_TITLE
from blogcrawl.text.visible import node_text, stripped

_INLINE = ("b", "strong", "font")
_LABELS = (
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "b",
    "strong",
    "p",
    "div",
    "center",
    "font",
    "legend",
    "td",
    "th",
    "caption",
)
MAX_WORDS = 2
"""Words of such a label; a heading of a post says more. It may ("Reactions to this
article") where several blocks follow.
"""


def drop_said_below(root: HtmlElement, lines: Sequence[str], least: int, title: str = "") -> None:
    """Drop the label and what follows it in its box, where it heads comments and at least ``least``
    characters stand before it.

    ``lines``: the text of ``root`` as ``paragraphs`` gives it, in which a label that is a block has
    a line of its own. ``title``: the document's, with which a label may end: "Comments on A walk".
    """
    named = title_words(title)
    is_line = any(len(line) <= MAX_TITLE and is_label(without_title(line, named)) for line in lines)
    found: dict[HtmlElement, int] = {}
    anchors = filter(is_anchor_of_comments, root.iter("a"))
    for label in [*root.iter(*(_LABELS if is_line else _INLINE)), *anchors]:
        if not _heads_comments(label, root, found, named):
            continue
        if _drop_from(outermost(label), root, least):
            return


def drop_said_behind_forms(root: HtmlElement, least: int) -> None:
    """Drop the form for comments and what follows it in its box, where these name nothing but look
    like comments, and at least ``least`` characters stand before them."""
    said = behind_forms(root, set())
    if not said:
        return
    before = said[0][0].itersiblings(etree.Element, preceding=True)
    first = next(each for each in before if next(each.iter("textarea"), None) is not None)
    _drop_from(first, root, least)


_PINGS = re.compile(r"(?:track|ping)-?backs?|pings", re.I)
_ADDRESS = re.compile(r"https?://\S+$")
_HEADINGS = ("h2", "h3", "h4", "h5", "h6")


def drop_pings_below(root: HtmlElement, least: int) -> None:
    """Drop the heading of trackbacks, by its id or that of an anchor in it, and what follows it in
    its box, where the address to ping does: TypePad's first templates have no box around them."""
    headings = filter(_heads_pings, root.iter(*_HEADINGS))
    first = next(filter(_is_above_address, headings), None)
    if first is not None:
        _drop_from(first, root, least)


def _heads_pings(heading: HtmlElement) -> bool:
    names = (anchor_of(each) or "" for each in (heading, *heading.iterchildren("a")))
    return any(map(_PINGS.fullmatch, names))


def _is_above_address(heading: HtmlElement) -> bool:
    """Return whether the line right behind it ends with an address that is no link."""
    line = next(heading.itersiblings(etree.Element), heading)
    return _ADDRESS.search(node_text(line)[-MAX_LINE:]) is not None and line.find(".//a") is None


def _drop_from(first: HtmlElement, root: HtmlElement, least: int) -> bool:
    """Drop an element and what follows it in its box, where enough is left; whether it is."""
    last = [first, *first.itersiblings()]
    length = sum(len(node_text(each)) for each in last if isinstance(each.tag, str))
    if len(node_text(root)) - length < least:
        return False
    for each in last:
        each.drop_tree()
    return True


def _is_title(label: HtmlElement, named: Sequence[str]) -> bool:
    """Return whether the document is called as a label that says more than "comments": "My thoughts
    on rain" is the post's title."""
    text = node_text(label)
    return not is_bare_label(text) and is_in_row(title_words(text), named)


def _least_below(label: HtmlElement, named: Sequence[str]) -> int:
    """Return how many blocks at least follow a label of comments; 0 where the text is none."""
    own = without_title(stripped(label.text), named)
    if not own or len(own) > MAX_CONTROL or not is_label(own) or _is_title(label, named):
        return 0
    whole = without_title(node_text(label), named)
    return 0 if not is_label(whole) else 1 if is_label(whole, MAX_WORDS) else 2


def _is_number(element: HtmlElement) -> bool:
    """Return whether it is an anchor with a comment's number; its byline may be gone."""
    return element.tag == "a" and UNIT_ID.match(anchor_of(element) or "") is not None


def _heads_comments(
    label: HtmlElement, root: HtmlElement, found: dict[HtmlElement, int], named: Sequence[str]
) -> bool:
    """Return whether a short text is a label of comments, or an anchor named so, and repeated
    blocks or numbered anchors follow it: several, if the label has more words than usual.

    ``found``: how many follow labels that were read before, by the elements behind these; behind a
    label in there are no more.
    """
    least = 1 if label.tag == "a" else _least_below(label, named)
    if not least or found.get(label, least) < least:
        return False
    behind = {inner for each in (label, *neighbours(label)) for inner in each.iter()}
    number = len(repeated_blocks(root, set(root.iter()) - behind)) or sum(map(_is_number, behind))
    found.update(dict.fromkeys(behind, number))
    return number >= least
