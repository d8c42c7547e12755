"""The tags of a page of a blog that nothing is known of."""

from __future__ import annotations

from collections.abc import Sequence

from blogcrawl.core.page import Page
from blogcrawl.core.records import FieldValue
from blogcrawl.extraction.fields.tag_sources import (
    CLOUD,
    SURE,
    TAGS_AND_CATEGORIES,
    read_source,
)
from blogcrawl.text.similarity import folded

_KEYWORDS = ("meta keywords", "meta news_keywords", "json-ld keywords")


def own_tags(page: Page, values: Sequence[FieldValue]) -> list[FieldValue]:
    """Return candidates where nothing of the blog is known: the post's own links to lists next to
    what the page declares.

    A name that stands in the address of a link of its own is a list's; many of them, or the same
    ones twice, are the theme's. Links amid the post's text go when that is known
    (``drop_tags_in_text``).
    """
    linked = read_source(page, TAGS_AND_CATEGORIES)
    own = list({folded(tag): tag for tag in linked if len(tag) > 1}.values())
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
            rule=TAGS_AND_CATEGORIES,
        ),
        *values,
    ]
