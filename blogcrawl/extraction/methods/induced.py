"""The induced rules as one method among the others (harvest-modern-weblogs)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.announced import read_count
from blogcrawl.core.evidence import MAJORITY
from blogcrawl.core.page import Page
from blogcrawl.core.records import Fields, FieldValue
from blogcrawl.dates.patterns import is_yearless
from blogcrawl.dates.url_date import url_near
from blogcrawl.extraction.fields.moment_lines import on_clock
from blogcrawl.extraction.policy import PROVED
from blogcrawl.induction import apply
from blogcrawl.induction.ruleset import Rule, RuleSet
from blogcrawl.lexicon.comment_words import is_label
from blogcrawl.text.visible import node_text


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
        if len(out.get("content", ())) > 1:
            out["content"] = _without_cuts(out["content"], ruleset)
        return out or None


def _without_cuts(found: Sequence[FieldValue], ruleset: RuleSet) -> list[FieldValue]:
    """Leave out what a rule finds that few posts prove, where it is the smaller part of the prose
    in what one finds that most posts prove: a video or a note in a box of one post's own kind."""
    support = {rule.expression: rule.support for rule in ruleset.rules["content"]}
    sure = [value for value in found if support[value.rule or ""] >= MAJORITY]
    return [v for v in found if v in sure or not any(_is_cut(v.value, s.value) for s in sure)]


def _is_cut(node: HtmlElement, whole: HtmlElement) -> bool:
    return whole in node.iterancestors() and 2 * _prose(node) < _prose(whole)


def _prose(node: HtmlElement) -> int:
    """Return how many characters of text stand outside links, before the comments."""
    return _unlinked(node) - sum(map(_unlinked, _below_label(node)))


def _unlinked(node: HtmlElement) -> int:
    return len(node_text(node)) - sum(len(node_text(link)) for link in node.iter("a"))


def _below_label(node: HtmlElement) -> Iterator[HtmlElement]:
    """Yield what follows the first heading of comments in a node."""
    headings = (h for h in node.iter("h1", "h2", "h3", "h4", "h5", "h6") if h is not node)
    element = next((h for h in headings if is_label(node_text(h))), node)
    while element is not node:
        yield from element.itersiblings(etree.Element)
        element = element.getparent()


def fields_found(page: Page, ruleset: RuleSet) -> Set[str]:
    """Name the fields that rules find on a page."""
    return (InducedRules().extract(page, ruleset) or {}).keys()


def _when(page: Page, rule: Rule) -> Any:
    near = url_near(page.url) if rule.pattern is not None and is_yearless(rule.pattern) else None
    found = apply.when(page.tree, rule, near, page.fetched_at)
    return found if found is not None else apply.only_date(page.tree, rule)


def _names(page: Page, rule: Rule) -> list[str]:
    """Return the authors at the rule's place, which on an older theme may say how many comments
    there are."""
    return [name for name in apply.authors(page.tree, rule) if read_count(name) is None]


_READERS: Mapping[str, Callable[[Page, Rule], Any]] = {
    "content": lambda page, rule: apply.content_node(page.tree, rule),
    "title": lambda page, rule: apply.title(page.tree, rule),
    "subtitle": lambda page, rule: apply.title(page.tree, rule),
    "authors": _names,
    "published": _when,
    "modified": _when,
    "tags": lambda page, rule: apply.tags(page.tree, rule),
}
_MOMENTS = frozenset(("published", "modified"))
