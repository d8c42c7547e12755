"""The induced rules as one method among the others (harvest-modern-weblogs)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lxml.html import HtmlElement

from blogcrawl.induction import apply
from blogcrawl.induction.dates import is_yearless
from blogcrawl.induction.induce import learn_rules
from blogcrawl.induction.ruleset import Rule, RuleSet, Sample
from blogcrawl.induction.urldays import url_near
from blogcrawl.items import Fields, FieldValue
from blogcrawl.page import Page

ENOUGH = 0.6
"""Confidence of a rule's value from which the field's other rules are not tried."""


class InducedRules:
    """XPath rules learned from feed and pages."""

    name = "rules"

    def learn(self, samples: Sequence[Sample]) -> RuleSet | None:
        return learn_rules(samples)

    def extract(self, page: Page, ruleset: RuleSet | None) -> Fields | None:
        if ruleset is None or not ruleset.rules:
            return None
        tree = page.tree
        offset = int(ruleset.constants.get("utc_offset", 0))
        dropped = apply.drop_rules(ruleset)
        readers: dict[str, Callable[[Rule], tuple[Any, str | None]]] = {
            "content": lambda rule: (_content(tree, rule, dropped), None),
            "title": lambda rule: (apply.title(tree, rule), None),
            "subtitle": lambda rule: (apply.title(tree, rule), None),
            "authors": lambda rule: (apply.authors(tree, rule), None),
            "published": lambda rule: _moment(page, rule, offset),
            "modified": lambda rule: _moment(page, rule, offset),
            "tags": lambda rule: (apply.tags(tree, rule), None),
        }
        out: Fields = {}
        for name, reader in readers.items():
            for rule in ruleset.rules.get(name, ()):
                value, raw = reader(rule)
                if value is None or value == []:
                    continue
                confidence = round(rule.support * max(0.5, rule.mean_score), 3)
                where = rule.xpath + (f"/@{rule.attribute}" if rule.attribute else "")
                out.setdefault(name, []).append(FieldValue(value=value, method=self.name, confidence=confidence, rule=where, raw=raw))
                if confidence >= ENOUGH:
                    break
        return out or None


def _content(tree: HtmlElement, rule: Rule, dropped: tuple[Rule, ...]) -> HtmlElement | None:
    node = apply.content_node(tree, rule)
    return None if node is None else apply.without(node, dropped)


def _moment(page: Page, rule: Rule, offset: int) -> tuple[Any, str | None]:
    near = url_near(page.url) if rule.pattern is not None and is_yearless(rule.pattern) else None
    when = apply.when(page.tree, rule, near, page.fetched_at)
    return (None, None) if when is None else (when.utc(offset), when.raw)
