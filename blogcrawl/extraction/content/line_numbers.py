"""Line numbers next to code: highlighters write them into the page as text of their own.

They stand in the cell or block before the code (Pygments, Rouge, Hexo, Octopress, Crayon) or at the
head of each line (Hugo, Pygments inline). They are known by counting. VitePress writes the name of
the language there too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import islice

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.evidence import LEVELS
from blogcrawl.text.visible import node_text

_CODE = ("pre", "code")
_GUTTERS = frozenset(("td", "pre", "div", "span", "ul", "ol"))


def drop_line_numbers(root: HtmlElement) -> None:
    """Take the line numbers of code out of a content; what is no code stays as it is."""
    cells = list(root.iterdescendants("td"))
    for gutter in [cell for cell in cells if _counts_lines(cell, cell.getnext())]:
        gutter.drop_tree()
    for block in list(root.iter("pre")):
        _drop_inline(block)
        for gutter in _gutters(block):
            gutter.drop_tree()


_LANGUAGE = re.compile(r"(?<!\S)lang(?:uage)?-(\S+)", re.IGNORECASE)
_LABELS = frozenset(("span", "div", "figcaption"))


def drop_language_names(root: HtmlElement) -> None:
    """Take out what stands before a block of code and says no more than the block's class: the
    name of its language."""
    for block in list(root.iter("pre")):
        names = _languages(block)
        node: HtmlElement | None = block if names else None
        for _ in range(LEVELS):
            before = node.getprevious() if node is not None else None
            if before is not None and before.tag in _LABELS and _text(before) in names:
                before.drop_tree()
            node = node.getparent() if node is not None else None


def _languages(block: HtmlElement) -> set[str]:
    """Return the languages that the classes of a block, its code and the boxes around it name."""
    boxes = (block, *islice(block.iterancestors(), LEVELS), *block.iterchildren("code"))
    classes = " ".join(box.get("class") or "" for box in boxes)
    return {name.casefold() for name in _LANGUAGE.findall(classes)}


def _text(element: HtmlElement) -> str:
    return node_text(element).casefold()


def _gutters(block: HtmlElement) -> list[HtmlElement]:
    """Return what stands before a block of code and only counts."""
    out: list[HtmlElement] = []
    node: HtmlElement | None = block
    for _ in range(LEVELS):
        if node is None:
            break
        before = node.getprevious()
        if before is not None and _counts_lines(before, node):
            out.append(before)
        node = node.getparent()
    return out


def _counts_lines(gutter: HtmlElement, code: HtmlElement | None) -> bool:
    """Return whether an element holds but numbers that count the lines of the code in the next one;
    that is looked at first, for few cells stand next to code.
    """
    if code is None or gutter.tag not in _GUTTERS or not _is_code(code):
        return False
    numbers = " ".join(gutter.itertext()).split()
    is_sure = len(numbers) > 1 or (_has(gutter, ("pre",)) and _has(code, ("pre",)))
    return is_sure and _is_count(numbers)


def _is_code(element: HtmlElement) -> bool:
    return "code" in (element.get("class") or "") or _has(element, _CODE)


def _has(node: HtmlElement, tags: Sequence[str]) -> bool:
    return next(node.iter(*tags), None) is not None


def _is_count(texts: Sequence[str]) -> bool:
    """Return whether texts are numbers, each one more than the one before."""
    if not texts or not all(text.isdecimal() and len(text) < 6 for text in texts):
        return False
    first = int(texts[0])
    return [int(text) for text in texts] == list(range(first, first + len(texts)))


def _drop_inline(block: HtmlElement) -> None:
    """Drop the elements of one class that number the lines of a block at their heads."""
    named: dict[str, list[HtmlElement]] = defaultdict(list)
    for span in block.iter("span", "a", "i"):
        named[span.get("class", "")].append(span)
    for name, spans in named.items():
        numbers = [(span.text_content() or "").strip() for span in spans]
        if name and len(spans) > 1 and _is_count(numbers) and _are_heads(spans, block):
            for span in spans:
                span.drop_tree()


def _are_heads(spans: Sequence[HtmlElement], block: HtmlElement) -> bool:
    """Return whether each of the elements is the first of its line, and the lines have more
    text."""
    known = set(spans)
    line, heads, others = "", 0, 0
    for event, node in etree.iterwalk(block, events=("start", "end")):
        is_number = event == "start" and node in known
        heads += is_number and not line.strip()
        said = (node.text if event == "start" else node.tail if node is not block else "") or ""
        line = "" if event == "start" and node.tag == "br" else line
        others += not is_number and bool(said.strip())
        line = (line + said).rpartition("\n")[2]
    return heads == len(spans) and 2 * others >= len(spans)
