"""The induced rules as one method among the others (harvest-modern-weblogs)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from blogcrawl.core.evidence import MAJORITY
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


def share_found(page: Page, ruleset: RuleSet) -> float:
    """Return how much of what the rules find on most posts they find on a page: 0..1."""
    usual = [
        name
        for name, rules in ruleset.rules.items()
        if name in _READERS and rules and rules[0].support >= MAJORITY
    ]
    found = InducedRules().extract(page, ruleset) or {}
    return sum(name in found for name in usual) / max(1, len(usual))


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
