"""Join the parts of a post that stand side by side: the opening, and below it the extended entry of
Movable Type, Serendipity and others, which lists and feeds leave out.

Or the first paragraph in a box of its own, which lists show: that of TYPO3 and SPIP.
"""

from __future__ import annotations

from collections.abc import Set

from lxml.html import HtmlElement

from blogcrawl.lexicon.css_classes import FURTHER, OPENING, kind_of, words_of
from blogcrawl.text.lengths import SENTENCE_ENDS
from blogcrawl.text.visible import node_text

_BOXES = frozenset({"div", "section"})
"""What engines write extended entries into; a list called "more" leads to other posts."""


def with_further_parts(node: HtmlElement) -> list[HtmlElement]:
    """Return the content node with the siblings that are named as its further parts: the only one
    above it that is called an opening, and those behind it."""
    above = [each for each in node.itersiblings(preceding=True) if _is_part(each, OPENING)]
    opening = above if len(above) == 1 and _is_opening(above[0], node) else []
    behind = (each for each in node.itersiblings() if _is_part(each, FURTHER))
    return [*opening, node, *behind]


def _is_part(element: HtmlElement, words: Set[str]) -> bool:
    """Return whether class or id name a part of a post with one of ``words``, and the text is not
    mostly links ("more posts")."""
    if element.tag not in _BOXES:
        return False
    labels = [label for name in ("class", "id") if (label := element.get(name))]
    if not any(not words.isdisjoint(words_of(label)) for label in labels):
        return False
    linked = sum(len(node_text(link)) for link in element.iter("a"))
    return not any(map(kind_of, labels)) and len(node_text(element)) > 2 * linked


def _is_opening(element: HtmlElement, node: HtmlElement) -> bool:
    """Return whether a box is sentences and no heading, which a teaser of another post has, and not
    the beginning of the content over again."""
    is_headed = next(element.iter("h1", "h2", "h3", "h4", "h5", "h6"), None) is not None
    text = node_text(element)
    is_repeated = node_text(node).startswith(text.rstrip("".join(SENTENCE_ENDS)))
    return not (is_headed or is_repeated) and text.endswith(SENTENCE_ENDS)
