"""Texts that the pages of nearly all posts of a blog have, word for word: the theme's credit, a
licence, a call to subscribe. They are no content of a post, even where its page has no other text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import islice, takewhile

from lxml.html import HtmlElement

from blogcrawl.core.evidence import LEVELS, NEARLY_ALL, SEVERAL
from blogcrawl.core.page import Page, html_parser
from blogcrawl.dom.blocks import Blocks, blocks_of
from blogcrawl.dom.density import MENU, find_content
from blogcrawl.dom.text_blocks import texts
from blogcrawl.extraction.fields.headings import heading_element
from blogcrawl.text.lengths import MIN_PARAGRAPH
from blogcrawl.text.visible import squeeze


def repeated_texts(pages: Sequence[Page]) -> list[str]:
    """Return the texts, not of links, that nearly all of several posts' pages have."""
    if len(pages) < SEVERAL:
        return []
    seen = Counter(text for page in pages for text in set(_written(blocks_of(page)).values()))
    return sorted(text for text, count in seen.items() if count >= NEARLY_ALL * len(pages))


def _written(blocks: Blocks) -> dict[int, str]:
    """Return the texts of the blocks that are longer than labels, and not mostly links."""
    return {
        i: squeeze(text)
        for i, text, _ in texts(blocks)
        if blocks.plain[i] >= max(MENU, blocks.linked[i])
    }


def is_repeated(text: str, known: Collection[str]) -> bool:
    """Return whether each line of a text is in one that is known to be repeated."""
    lines = [squeeze(line) for line in text.splitlines() if line.strip()]
    return bool(lines) and all(any(line in one for one in known) for line in lines)


def content_without(page: Page, known: Collection[str]) -> HtmlElement:
    """Return the content of a page on which the scorer takes such texts for it: where it finds
    others, else the pictures; an empty element where there are none."""
    blocks, heading = blocks_of(page), heading_element(page)
    foreign = frozenset(i for i, text in _written(blocks).items() if text in known)
    place = find_content(blocks, blocks.number.get(heading), foreign)
    if place is not None and place.worth >= MIN_PARAGRAPH:
        return blocks.elements[place.number]
    around = islice(heading.iterancestors(), LEVELS) if heading is not None else ()
    boxes = takewhile(_is_box, around)
    return next(filter(_shows_picture, boxes), html_parser().makeelement("div"))


def _is_box(element: HtmlElement) -> bool:
    return element.tag not in ("body", "html")


def _shows_picture(element: HtmlElement) -> bool:
    return next(element.iter("img", "video", "iframe", "object"), None) is not None
