"""Where the post's content stands on its page, so that nothing of it becomes a comment."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.records import html_text
from blogcrawl.core.page import Page, fragment
from blogcrawl.text.visible import node_text, squeeze

SLACK = 20
"""Characters more than the content that its node may hold (a word or two of the theme): even one
short comment with its byline, the heading of the list and the form's labels come to more, so a node
that holds both is not taken for the content."""
LEAST, EDGE = 80, 40
"""Characters of a content that can be found by its text, and of either end by which it is."""
PROBES = 3
"""Paragraphs tried at either end of a content: the first and last may have lost or gained words in
cleaning.
"""
_UNREAD = frozenset(("head", "script", "style", "noscript", "template"))


def text_of(content: str) -> str:
    """Text of a piece of HTML; "" where it is none."""
    try:
        return squeeze(node_text(fragment(content)))
    except (ValueError, etree.LxmlError):
        return ""


def content_node(page: Page, content: HtmlElement | str | None) -> HtmlElement | None:
    """The node of the page that holds the post's content and next to nothing else: as given, or
    found by the text of its HTML.
    """
    if content is None or not isinstance(content, str):
        return content
    target = text_of(content)
    if len(target) < LEAST:
        return None
    found = _deepest(page.tree, target)
    if found is not None:
        return found
    head, tail = target[:EDGE], target[-EDGE:]
    best: HtmlElement | None = None
    node = page.tree
    while node is not None:
        text = node_text(node)
        if head not in text or tail not in text:
            break
        best = node if len(text) <= len(target) + SLACK else best
        node = next(
            (
                c
                for c in node
                if isinstance(c.tag, str) and head in (t := node_text(c)) and tail in t
            ),
            None,
        )
    return best


def _deepest(root: HtmlElement, target: str) -> HtmlElement | None:
    """The deepest node with all of the text, if it has little more; None where the slow way has to
    look.

    Walks down by raw text, without blanks, which libxml2 gives at once; only the node it ends at is
    read as a reader would.
    """
    head, tail = "".join(target[:EDGE].split()), "".join(target[-EDGE:].split())
    node, down = None, root
    while down is not None:
        node = down
        down = next(
            (
                c
                for c in node
                if isinstance(c.tag, str) and c.tag not in _UNREAD and _holds(c, head, tail)
            ),
            None,
        )
    text = node_text(node)
    return (
        node
        if target[:EDGE] in text and target[-EDGE:] in text and len(text) <= len(target) + SLACK
        else None
    )


def _holds(element: HtmlElement, head: str, tail: str) -> bool:
    text = "".join("".join(element.itertext()).split())
    return head in text and tail in text


def content_pieces(page: Page, content: str) -> set[HtmlElement]:
    """The elements that hold pieces of the content, and all around them, where cleaning took so
    much out of it that no node of the page is just the content. Empty where its ends are not found.
    """
    lines = [
        key
        for line in html_text(content).splitlines()
        if len(key := "".join(line.split())) >= EDGE // 2
    ]
    if not lines:
        return set()
    text, starts, owners = _spelled(page.tree)
    begin = _first_found(text, [line[:EDGE] for line in lines[:PROBES]], 0)
    end = _first_found(text, [line[-EDGE:] for line in lines[: -PROBES - 1 : -1]], max(0, begin))
    if begin < 0 or end < begin:
        return set()
    whole = "".join(lines)
    out: set[HtmlElement] = set()
    for i in range(bisect_right(starts, begin) - 1, bisect_right(starts, end)):
        piece = text[starts[i] : starts[i + 1] if i + 1 < len(starts) else len(text)]
        if len(piece) >= EDGE // 2 and piece[:EDGE] in whole:
            node: HtmlElement | None = owners[i]
            while node is not None and node not in out:
                out.add(node)
                node = node.getparent()
    return out


def _first_found(text: str, probes: Sequence[str], start: int) -> int:
    """Where the first of the probes that occurs stands from ``start`` on; -1 if none does."""
    places = (text.find(probe, start) for probe in probes)
    return next((place for place in places if place >= 0), -1)


def _spelled(root: HtmlElement) -> tuple[str, list[int], list[HtmlElement]]:
    """All letters of a page without blanks; where each piece of text begins, and the element it
    stands in.
    """
    parts: list[str] = []
    starts: list[int] = []
    owners: list[HtmlElement] = []
    length = 0
    for event, node in etree.iterwalk(root, events=("start", "end")):
        text, owner = (node.text, node) if event == "start" else (node.tail, node.getparent())
        if not text or owner is None or owner.tag in _UNREAD or not isinstance(owner.tag, str):
            continue
        if key := "".join(text.split()):
            parts.append(key)
            starts.append(length)
            owners.append(owner)
            length += len(key)
    return "".join(parts), starts, owners
