"""The induced rules as one method among the others (harvest-modern-weblogs)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from typing import Any

from blogcrawl.core.page import Page
from blogcrawl.core.records import Fields, FieldValue
from blogcrawl.dates.patterns import is_yearless
from blogcrawl.dates.url_date import url_near
from blogcrawl.extraction.fields.moment_lines import on_clock
from blogcrawl.extraction.policy import PROVED
from blogcrawl.induction import apply
from blogcrawl.induction.ruleset import Rule, RuleSet


class InducedRules:
    """XPath rules learned from feed and pages. Their content is the page's own node: drop rules are
    for its copy.
    """

    name = "rules"

    def extract(self, page: Page, ruleset: RuleSet | None) -> Fields | None:
        if ruleset is None or not ruleset.rules:
            return None
        out: Fields = {}
        for name, reader in _READERS.items():
            for rule in ruleset.rules.get(name, ()):
                value = reader(page, rule)
                if value is None or value == []:
                    continue
                raw = None
                if name in _MOMENTS:
                    raw, value = value.text, on_clock(value, ruleset.facts.dates)
                said = FieldValue(
                    value=value,
                    method=self.name,
                    confidence=rule.confidence,
                    rule=rule.expression,
                    raw=raw,
                )
                out.setdefault(name, []).append(said)
                if rule.confidence >= PROVED and name not in _MOMENTS:
                    break
        return out or None


def fields_found(page: Page, ruleset: RuleSet) -> Set[str]:
    """Name the fields that rules find on a page."""
    return (InducedRules().extract(page, ruleset) or {}).keys()


def _when(page: Page, rule: Rule) -> Any:
    near = url_near(page.url) if rule.pattern is not None and is_yearless(rule.pattern) else None
    found = apply.when(page.tree, rule, near, page.fetched_at)
    return found if found is not None else apply.only_date(page.tree, rule)


_READERS: Mapping[str, Callable[[Page, Rule], Any]] = {
    "content": lambda page, rule: apply.content_node(page.tree, rule),
    "title": lambda page, rule: apply.title(page.tree, rule),
    "subtitle": lambda page, rule: apply.title(page.tree, rule),
    "authors": lambda page, rule: apply.authors(page.tree, rule),
    "published": _when,
    "modified": _when,
    "tags": lambda page, rule: apply.tags(page.tree, rule),
}
_MOMENTS = frozenset(("published", "modified"))
