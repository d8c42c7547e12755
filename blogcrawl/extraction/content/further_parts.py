"""Join the parts of a post that stand side by side: the opening, and below it the extended entry of
Movable Type, Serendipity and others, which lists and feeds leave out.
"""

from __future__ import annotations

from lxml.html import HtmlElement

from blogcrawl.lexicon.css_classes import FURTHER, kind_of, words_of
from blogcrawl.text.visible import node_text

_BOXES = frozenset({"div", "section"})
"""What engines write extended entries into; a list called "more" leads to other posts."""


def with_further_parts(node: HtmlElement) -> list[HtmlElement]:
    """Return the content node and the siblings behind it that are named as its further parts."""
    return [node, *filter(_is_further_part, node.itersiblings())]


def _is_further_part(element: HtmlElement) -> bool:
    """Return whether class or id name a further part, and the text is not mostly links ("more
    posts")."""
    if element.tag not in _BOXES:
        return False
    labels = [label for name in ("class", "id") if (label := element.get(name))]
    if not any(not FURTHER.isdisjoint(words_of(label)) for label in labels):
        return False
    linked = sum(len(node_text(link)) for link in element.iter("a"))
    return not any(map(kind_of, labels)) and len(node_text(element)) > 2 * linked
