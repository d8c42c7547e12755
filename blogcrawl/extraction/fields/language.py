"""The language of a post: what page, feed and server declare, weighed against its text.

Declarations lie: the theme's own language stands in ``html lang`` of a quarter of the recorded
blogs, or none at all. The blog's training posts show which language to expect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from lxml import etree

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, FieldValue
from blogcrawl.extraction.confidence import confidences
from blogcrawl.induction.scoring import html_text
from blogcrawl.text.language import (
    DETECTOR,
    language_tag,
    letters_of,
    primary,
    weigh_languages,
)

_WEIGHTS = confidences("language")

LETTERS = 50
"""Letters of prose from which a training post shows the blog's language: 97.6 % of the texts cut to
that length are detected."""
_XML_LANG = "xml:lang"
"""As HTML parsers leave it; that of the document is its ``lang`` where it has no other."""


def usual_languages(entries: Iterable[FeedEntry]) -> dict[str, int]:
    """Count the languages of feed entries by their texts."""
    counted: Counter[str] = Counter()
    for entry in entries:
        text = html_text(entry.content_html or entry.summary_html or "")
        if letters_of(text) >= LETTERS:
            verdict = weigh_languages(f"{entry.title or ''}\n{text}")
            if verdict is not None:
                counted[primary(verdict.tag)] += 1
    return dict(counted)


def declarations(
    page: Page,
    content: Any,
    found: Sequence[FieldValue],
    entry: FeedEntry | None,
    feed: str | None = None,
) -> list[FieldValue]:
    """Return the languages declared for a post, as plausible tags, the nearest to the text first.

    ``content``: its element; ``found``: what the page's metadata declare; ``feed``: what the feed
    declares for all posts, of which it has only the newest.
    """
    stated = [
        ("content lang", _WEIGHTS["content"], _lang_above(content)),
        ("html lang", _WEIGHTS["document"], page.tree.get("lang")),
    ]
    stated += [(v.rule or v.method, v.confidence, v.value) for v in found]
    stated.append(("Content-Language", _WEIGHTS["header"], page.headers.get("content-language")))
    stated.append(("feed", _WEIGHTS["feed"], (entry and entry.language) or feed))
    return [
        FieldValue(value=tag, method="declared", confidence=confidence, rule=rule)
        for rule, confidence, value in stated
        if (tag := language_tag(value))
    ]


def _lang_above(content: Any) -> str | None:
    """Return the ``lang`` of the nearest element around the content, without the document's."""
    node = content[0] if isinstance(content, list) and content else content
    while isinstance(node, etree._Element) and node.getparent() is not None:
        lang: str | None = node.get("lang") or node.get(_XML_LANG)
        if lang:
            return lang
        node = node.getparent()
    return None


def post_language(
    text: str, declared: Sequence[FieldValue], usual: dict[str, int]
) -> FieldValue | None:
    """Choose the language of a post: ``text`` with its title, ``usual`` as counted in training."""
    chances: dict[str, float] = {}
    for one in declared:
        is_own = one.confidence >= _WEIGHTS["content"] or not usual
        chance = one.confidence if is_own else _WEIGHTS["page_wide"]
        chances[one.value] = max(chances.get(one.value, 0.0), chance)
    verdict = weigh_languages(text, chances, usual)
    if verdict is None:
        return None
    said = next((v for v in declared if verdict.is_declared and v.value == verdict.tag), None)
    return FieldValue(
        value=verdict.tag,
        method="declared" if said else "detected",
        confidence=verdict.confidence,
        rule=said.rule if said else DETECTOR,
    )
