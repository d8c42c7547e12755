"""No feed: what the other methods find on each page stands in for the feed's entries, and rules are learned from that.

One page can mislead a method; a rule that has to be right on most pages of a blog evens that out (hybrid mode).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lxml import etree

from blogcrawl.extraction import chain
from blogcrawl.induction.ruleset import RuleSet, Sample
from blogcrawl.items import FieldValue

LEAST = {"title": 0.3, "authors": 0.6, "published": 0.5, "content": 0.3}
"""Confidence from which a method's value may teach: a wrong author teaches worse than none."""
MAX_PAGES = 15


def self_told(samples: Sequence[Sample], ruleset: RuleSet) -> list[Sample]:
    """The samples with entries filled from the pages themselves; those where no content is found are left out."""
    out = []
    for sample in sorted(samples, key=lambda s: s.page.url)[:MAX_PAGES]:
        said = chain.gather(sample.page, ruleset)
        best = {field: _best(said.get(field, []), floor) for field, floor in LEAST.items()}
        content = best["content"]
        if content is None:
            continue
        authors = best["authors"].value if best["authors"] else ()
        entry = replace(
            sample.entry,
            title=sample.entry.title or (best["title"].value if best["title"] else None),
            authors=sample.entry.authors or tuple([authors] if isinstance(authors, str) else authors),
            published=sample.entry.published or (best["published"].value if best["published"] else None),
            published_raw=sample.entry.published_raw or (best["published"].raw if best["published"] else None),
            content_html=_markup(content.value),
            is_full=True,
        )
        out.append(Sample(page=sample.page, entry=entry))
    return out


def _best(values: Sequence[FieldValue], floor: float) -> FieldValue | None:
    good = [value for value in values if value.confidence >= floor and (isinstance(value.value, etree._Element) or value.value)]
    return max(good, key=lambda value: value.confidence, default=None)


def _markup(content: Any) -> str:
    if isinstance(content, str):
        return content
    nodes = [content] if isinstance(content, etree._Element) else list(content)
    parts = [node if isinstance(node, str) else etree.tostring(node, encoding="unicode", method="html", with_tail=False) for node in nodes]
    return "".join(parts)
