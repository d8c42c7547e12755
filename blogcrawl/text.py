"""Text of HTML trees: the one definition of "the text of a node" that every room uses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml.html import HtmlElement

BLOCK_TAGS = frozenset(
    "address article aside blockquote body br center dd details dialog dir div dl dt fieldset figcaption figure footer form"
    " frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav noframes ol option p pre section summary"
    " table tbody td tfoot th thead tr ul".split()
)
"""Elements that break the line (HTML Living Standard, section 15.3: display block, list-item, table parts; and br)."""

SILENT_TAGS = frozenset("script style template noscript head iframe object svg select textarea button input datalist".split())
"""Elements whose text a reader does not see."""

_SPACE = re.compile(r"\s+")


def squeeze(text: str | None) -> str:
    """White space folded to single blanks, ends trimmed."""
    return _SPACE.sub(" ", text).strip() if text else ""


def _pieces(element: HtmlElement, *, skip: frozenset[str]) -> Iterator[str]:
    """Text in document order, "\\n" where a block begins or ends. Iterative: depth of a hostile page is no limit."""
    stack: list[tuple[HtmlElement | None, str]] = [(element, "")]
    while stack:
        node, text = stack.pop()
        if node is None:
            yield text
            continue
        tag = node.tag
        if not isinstance(tag, str) or (tag in skip and node is not element):
            continue
        is_block = tag in BLOCK_TAGS
        if is_block:
            yield "\n"
        if node.text:
            yield node.text
        if is_block:
            stack.append((None, "\n"))
        for child in reversed(node):
            if child.tail:
                stack.append((None, child.tail))
            stack.append((child, ""))


def node_text(element: HtmlElement) -> str:
    """Visible text on one line, blocks separated by a blank: what similarity compares."""
    return squeeze("".join(_pieces(element, skip=SILENT_TAGS)))


def paragraphs(element: HtmlElement) -> str:
    """Visible text with a line per block; the lines of ``pre`` are kept."""
    lines = "".join(_pieces_pre(element)).split("\n")
    out = [re.sub(r"[^\S\n]+", " ", line).strip() for line in lines]
    return "\n".join(line for line in out if line)


def _pieces_pre(element: HtmlElement) -> Iterator[str]:
    inside_pre = {id(d) for pre in element.iter("pre") for d in pre.iter()}
    stack: list[tuple[HtmlElement | None, str]] = [(element, "")]
    while stack:
        node, text = stack.pop()
        if node is None:
            yield text
            continue
        tag = node.tag
        if not isinstance(tag, str) or (tag in SILENT_TAGS and node is not element):
            continue
        keep = id(node) in inside_pre
        if tag in BLOCK_TAGS:
            yield "\n"
            stack.append((None, "\n"))
        if node.text:
            yield node.text if keep else _SPACE.sub(" ", node.text)
        parent_keeps = keep
        for child in reversed(node):
            if child.tail:
                stack.append((None, child.tail if parent_keeps else _SPACE.sub(" ", child.tail)))
            stack.append((child, ""))
