"""A page alone, of a site that nothing is known of: own scorer, embedded data and, where they are at odds, a library."""

from __future__ import annotations

from collections.abc import Sequence

from blogcrawl.extraction.blocks import blocks_of
from blogcrawl.extraction.byline import visible_dates
from blogcrawl.extraction.density import find_content, worths
from blogcrawl.extraction.metadata import MetadataExtractor
from blogcrawl.induction.ruleset import RuleSet, Sample
from blogcrawl.items import Fields, FieldValue
from blogcrawl.page import Page

AGREE = 0.6
"""Share of the place's worth that a marked content element must hold to be believed."""


class GenericExtractor:
    """The last word of the chain, and the only one on a page without a site."""

    name = "generic"

    def learn(self, samples: Sequence[Sample]) -> RuleSet | None:
        return None

    def extract(self, page: Page, ruleset: RuleSet | None = None) -> Fields | None:
        """Candidates by field; content is an element."""
        fields: Fields = {name: list(values) for name, values in (MetadataExtractor().extract(page, None) or {}).items()}
        languages = [value.value for value in fields.get("language", [])] + ["en"]
        for when, weight, rule in visible_dates(page, languages):
            fields.setdefault("published", []).append(
                FieldValue(value=when.utc(), method=self.name, confidence=weight, rule=rule, raw=when.raw)
            )
        if "published" in fields:
            fields["published"].sort(key=lambda value: -value.confidence)
        content = self._content(page, fields.get("content", []))
        if content is not None:
            fields["content"] = [content]
        return fields or None

    def _content(self, page: Page, marked: list[FieldValue]) -> FieldValue | None:
        blocks = blocks_of(page)
        place = find_content(blocks)
        if place is None:
            return marked[0] if marked else None
        worth = worths(blocks)
        for value in marked:
            number = blocks.number.get(value.value)
            if number is not None and worth[number] >= AGREE * place.worth:
                return value
        return FieldValue(
            value=blocks.elements[place.number], method=self.name, confidence=round(0.75 * place.confidence, 3), rule="density"
        )
