"""From the anchor of a comment (``<a name="comment-12">``) to the block that it names."""

from __future__ import annotations

from lxml.html import HtmlElement

from blogcrawl.dates.parse import find_date
from blogcrawl.lexicon.comment_words import SECTION
from blogcrawl.text.visible import is_longer, node_text

LEAST, HEAD = 12, 1000
"""Characters of a comment with its name and date; of its text in which the date is looked for."""


def definitions(term: HtmlElement, owner: dict[HtmlElement, str]) -> list[HtmlElement]:
    """The ``dd`` that follow a ``dt``, where they have no number of their own."""
    out = []
    for sibling in term.itersiblings():
        if sibling.tag != "dd" or sibling in owner:
            break
        out.append(sibling)
    return out


def is_anchor(element: HtmlElement) -> bool:
    """Marks a place only: ``<a name="comment-12">``, perhaps with the number as its text."""
    return not is_longer(element, 11 if element.tag in ("a", "span", "sup", "small") else 1)


def same_level(roots: list[HtmlElement]) -> list[HtmlElement]:
    """Neighbours of one comment (dt + dd); else the one with most text."""
    parents = {e.getparent() for e in roots}
    if len(parents) == 1:
        return roots
    return [max(roots, key=lambda e: len(node_text(e)))]


def grow(
    element: HtmlElement, number: str, owner: dict[HtmlElement, str]
) -> list[HtmlElement] | None:
    """From an empty anchor to the block it names: the widest ancestor without a foreign number, or
    the siblings up to the next anchor.
    """
    best: HtmlElement | None = None
    node = element
    while True:
        parent = node.getparent()
        if parent is None or parent.tag in ("body", "html"):
            break
        if any(owner.get(d, number) != number for d in parent.iter()) or _follows_anchor(
            parent, number, owner
        ):
            break
        if SECTION.search(f"{parent.get('id') or ''} {parent.get('class') or ''}".strip()):
            break
        node = parent
        best = node
    if best is not None and len(node_text(best)) >= 2:
        return [best]
    run = _run(node, owner)
    return run if len(run) > 1 else None


def _follows_anchor(element: HtmlElement, number: str, owner: dict[HtmlElement, str]) -> bool:
    """Does it stand right behind the empty anchor of another comment, whose box it is then?"""
    elder = element.getprevious()
    return elder is not None and owner.get(elder, number) != number and not node_text(elder)


def _run(node: HtmlElement, owner: dict[HtmlElement, str]) -> list[HtmlElement]:
    """A node and its siblings up to the next number or form, or to a heading behind a date."""
    run = [node]
    for sibling in node.itersiblings():
        if not isinstance(sibling.tag, str):
            continue
        holds = (
            sibling not in owner and len(run) == 1 and not node_text(node)
        )  # the box of an empty anchor has its replies in it
        if (any(d in owner for d in sibling.iter()) and not holds) or sibling.tag == "form":
            break
        if sibling.tag in ("h1", "h2", "h3", "h4") and any(
            find_date(node_text(e)[:HEAD]) for e in run
        ):
            break
        run.append(sibling)
        if len(run) > 40:
            break
    return run


def grow_alone(element: HtmlElement, banned: set[HtmlElement]) -> list[HtmlElement] | None:
    """From the only anchor of a page to the block it names: the narrowest element around it, or run
    of siblings from it on, that bears a date; ``banned``: what holds the post. Other comments would
    show where this one ends."""
    node = element
    while node is not None and node not in banned and node.tag not in ("body", "html"):
        if (
            node is not element
            and len(node_text(node)) >= LEAST
            and find_date(node_text(node)[:HEAD])
        ):
            return [node]
        run = _run(node, {})
        if len(run) > 1 and any(find_date(node_text(e)[:HEAD]) for e in run):
            return run
        node = node.getparent()
    return None
