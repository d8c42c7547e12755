"""The tags of a page of a blog that nothing is known of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lxml.html import HtmlElement

from blogcrawl.core.page import Page
from blogcrawl.core.records import FieldValue
from blogcrawl.extraction.fields.tag_sources import CLOUD, SURE, read_source
from blogcrawl.text.lengths import MAX_BYLINE
from blogcrawl.text.similarity import folded
from blogcrawl.text.visible import node_text

_KEYWORDS = ("meta keywords", "meta news_keywords", "json-ld keywords")


def own_tags(page: Page, values: Sequence[FieldValue]) -> list[FieldValue]:
    """Return candidates where nothing of the blog is known: the post's own links to lists next to
    what the page declares.

    A name that stands in the address of a link of its own is a list's; many of them, or the same
    ones twice, are the theme's."""
    linked = read_source(page, "tag and category links")
    left = Counter(map(folded, linked))
    left.subtract(
        folded(node_text(link)) for link in page.tree.iter("a") if left and _in_sentence(link)
    )
    own = list(
        {folded(tag): tag for tag in linked if len(tag) > 1 and left[folded(tag)] > 0}.values()
    )
    if not 0 < len(own) <= CLOUD:
        return list(values)
    stated = max(
        (value for value in values if value.rule not in _KEYWORDS),
        key=lambda value: value.confidence,
        default=None,
    )
    have = list(stated.value) if stated is not None else []
    names = {folded(tag): tag for tag in (*have, *own)}
    return [
        FieldValue(
            value=list(names.values()),
            method="metadata",
            confidence=SURE,
            rule="tag and category links",
        ),
        *values,
    ]


def _in_sentence(link: HtmlElement) -> bool:
    """Return whether a link stands amid a paragraph's words."""
    block = link.getparent()
    while block is not None and block.tag in {"b", "strong", "em", "i", "span"}:
        block = block.getparent()
    if block is None or block.tag not in {"p", "li", "blockquote"}:
        return False
    linked = sum(len(node_text(other)) for other in block.iter("a"))
    return len(node_text(block)) - linked > max(MAX_BYLINE, linked)
