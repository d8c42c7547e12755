"""A page alone, of a site that nothing is known of: own scorer, embedded data and, where they are
at odds, a library.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from lxml.html import HtmlElement

from blogcrawl.core.evidence import MAJORITY, MOSTLY_LINKS, NEARLY_ALL
from blogcrawl.core.page import Page
from blogcrawl.core.records import Fields, FieldValue
from blogcrawl.dom.blocks import blocks_of
from blogcrawl.dom.density import find_content, worths
from blogcrawl.dom.text_blocks import said_below
from blogcrawl.extraction.confidence import confidences
from blogcrawl.extraction.content.repeated import content_without, is_repeated
from blogcrawl.extraction.fields.author_lines import copyright_holder, visible_authors
from blogcrawl.extraction.fields.date_line import visible_dates
from blogcrawl.extraction.fields.date_near_title import days_aside
from blogcrawl.extraction.fields.headings import heading_element
from blogcrawl.extraction.fields.names import as_author, declared_names, is_site_name
from blogcrawl.extraction.fields.opening_lines import opening
from blogcrawl.extraction.fields.time_ago import times_ago
from blogcrawl.extraction.methods.fallback import MUCH, library_content
from blogcrawl.extraction.methods.metadata import MetadataExtractor
from blogcrawl.induction.ruleset import RuleSet
from blogcrawl.induction.scoring import html_text
from blogcrawl.text.lengths import MAX_LINE, MIN_PARAGRAPH
from blogcrawl.text.similarity import dice, tokens
from blogcrawl.text.visible import node_text, paragraphs

_AUTHORS = confidences("authors")
_OPENING = confidences("title")["opening"]

UNSURE_PLACE = "density, unsure"


class GenericExtractor:
    """The last word of the chain, and the only one on a page without a site."""

    name = "generic"

    def extract(self, page: Page, ruleset: RuleSet | None = None) -> Fields | None:
        """Return candidates by field; content is an element."""
        known = ruleset.facts.repeated if ruleset is not None else ()
        return self._extract(page, lambda page, marked: self._content(page, marked, known))

    def supplement(self, page: Page, ruleset: RuleSet | None, have: Sequence[str]) -> Fields | None:
        """Return the same of a page whose content is known: its own scorer finds where the lines
        stand, no library is asked.
        """
        return self._extract(page, self._place, have)

    def _extract(
        self,
        page: Page,
        find: Callable[[Page, list[FieldValue]], FieldValue | None],
        have: Sequence[str] = (),
    ) -> Fields | None:
        fields: Fields = {
            name: list(values)
            for name, values in (MetadataExtractor().extract(page, None) or {}).items()
        }
        content = find(page, fields.get("content", []))
        if content is not None:
            fields["content"] = [content]
        node = content.value if content is not None else None
        if "published" not in have or "title" not in have:
            self._opening(page, fields, node)
        if "published" not in have:
            self._dates(page, fields, node)
        if "authors" not in have:
            self._authors(page, fields, node)
        for name in ("published", "authors"):
            if name in fields:
                fields[name].sort(key=lambda value: -value.confidence)
        return fields or None

    def _opening(self, page: Page, fields: Fields, content: HtmlElement | None) -> None:
        """Add title and day from the first lines of the text of a page without headings."""
        languages = [value.value for value in fields.get("language", [])]
        title, when = opening(page, content, languages)
        if title is not None:
            value = FieldValue(value=title, method=self.name, confidence=_OPENING, rule="line")
            fields.setdefault("title", []).append(value)
        if when is not None:
            value = FieldValue(
                value=when.aware(),
                method=self.name,
                confidence=_OPENING,
                rule="first lines",
                raw=when.text,
            )
            fields.setdefault("published", []).append(value)

    def _dates(self, page: Page, fields: Fields, content: HtmlElement | None) -> None:
        """Add what date lines say."""
        languages = [value.value for value in fields.get("language", [])]
        seen = visible_dates(page, content, languages)
        if not seen and not fields.get("published"):
            seen = days_aside(page, content, languages) or times_ago(page, content, languages)
        for when, weight, rule in seen:
            value = FieldValue(
                value=when.aware(), method=self.name, confidence=weight, rule=rule, raw=when.text
            )
            fields.setdefault("published", []).append(value)

    def _authors(self, page: Page, fields: Fields, content: HtmlElement | None) -> None:
        """Add what author lines say."""
        names = declared_names(page)
        for text, weight in visible_authors(page, content):
            person = as_author(text)
            if person:
                doubt = 0.7 if is_site_name(person, names) else 1.0
                value = FieldValue(
                    value=[person],
                    method=self.name,
                    confidence=round(weight * doubt, 3),
                    rule="line near heading",
                )
                fields.setdefault("authors", []).append(value)
        holder = copyright_holder(page) if not fields.get("authors") else None
        if holder is not None and (person := as_author(holder)):
            fields["authors"] = [
                FieldValue(
                    value=[person],
                    method=self.name,
                    confidence=_AUTHORS["copyright_holder"],
                    rule="copyright line",
                )
            ]

    def _content(
        self, page: Page, marked: list[FieldValue], known: Sequence[str]
    ) -> FieldValue | None:
        """Return the content; where a page has hardly any other text than what nearly all posts'
        pages have (``known``), its pictures."""
        own = self._place(page, marked)
        if own is not None and is_repeated(paragraphs(own.value), known):
            own = self._value(content_without(page, known), 0.3, "not repeated")
        if own is not None:
            return self._vote(page, own) if own.rule == UNSURE_PLACE else own
        html = library_content(page)
        if html is None:
            return None
        if _are_links(html_text(html), page):
            return self._value(content_without(page, known), 0.3, "not repeated")
        return self._value(html, 0.3, "library")

    def _value(self, content: HtmlElement | str, confidence: float, rule: str) -> FieldValue:
        return FieldValue(value=content, method=self.name, confidence=confidence, rule=rule)

    def _place(self, page: Page, marked: list[FieldValue]) -> FieldValue | None:
        """Return what is marked as the content and holds most of it, else where the scorer finds
        it."""
        blocks = blocks_of(page)
        heading = blocks.number.get(heading_element(page))
        said = frozenset(said_below(blocks, heading))
        place = find_content(blocks, heading, said)
        worth = worths(blocks) if marked else []
        for value in marked:
            number = blocks.number.get(value.value)
            if number is not None and (place is None or worth[number] >= MAJORITY * place.worth):
                return value
        if place is None:
            return None
        rule = "density" if said or place.worth >= MIN_PARAGRAPH else UNSURE_PLACE
        return self._value(blocks.elements[place.number], round(0.75 * place.confidence, 3), rule)

    def _vote(self, page: Page, own: FieldValue) -> FieldValue:
        """Return the library's view of a page on which the text is spread: agreement makes sure,
        else its choice stands next to.
        """
        html, own = library_content(page), replace(own, rule="density")
        if html is None:
            return own
        theirs = html_text(html)
        alike = dice(node_text(own.value), theirs)
        if alike >= NEARLY_ALL:
            return replace(own, confidence=max(own.confidence, 0.6), rule="density, library agrees")
        if len(theirs) < max(MAX_LINE, MUCH * len(node_text(own.value))):
            return own
        return self._value(html, 0.35, "library")


def _are_links(text: str, page: Page) -> bool:
    """Return whether the words of a text are mostly those of the page's links and its heading: a
    menu, where the page has no other text."""
    heading, folded = heading_element(page), text.casefold()
    known = [*page.tree.iter("a"), *([] if heading is None else [heading])]
    said = (said for element in known if (said := node_text(element).casefold()) in folded)
    words = Counter(tokens(text))
    own = words - Counter(word for text in said for word in tokens(text))
    return own.total() <= (1 - MOSTLY_LINKS) * words.total()
