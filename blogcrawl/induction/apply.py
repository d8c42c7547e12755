"""Rules applied to a page: XPath in, values out.  No index, no bigrams: this is what every page of a crawl pays."""

from __future__ import annotations

import copy
import re
from datetime import date, datetime
from functools import lru_cache

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.induction.dates import When, read, relative
from blogcrawl.induction.ruleset import Rule, RuleSet
from blogcrawl.induction.scoring import strip_by
from blogcrawl.induction.similarity import fold
from blogcrawl.text import node_text, squeeze

_VISIBLE = etree.XPath("boolean(descendant::text()[normalize-space()][1])")


@lru_cache(maxsize=4096)
def compiled(xpath: str) -> etree.XPath:
    """The compiled expression; raises etree.XPathSyntaxError on a broken one (rules are made here, so: never).

    A leading ``//`` becomes the descendant axis: the same nodes, as no rule has a position in its first step, in a
    third of the time.
    """
    for written, axis in (("//", "/descendant::"), (".//", "descendant::")):
        if xpath.startswith(written):
            xpath = axis + xpath[len(written) :]
            break
    return etree.XPath(xpath)


def elements(page_tree: HtmlElement, rule: Rule) -> list[HtmlElement]:
    """Elements that a rule returns."""
    found = compiled(rule.xpath)(page_tree)
    return [element for element in found if isinstance(element, etree._Element)] if isinstance(found, list) else []


def raw(element: HtmlElement, rule: Rule) -> str:
    """The rule's text or attribute of an element."""
    if rule.attribute is not None:
        return squeeze(element.get(rule.attribute))
    if element.tag == "title":
        return squeeze(element.text)
    return node_text(element)


def first(tree: HtmlElement, rule: Rule) -> tuple[HtmlElement, str] | None:
    """The first node of a rule that is not empty, with its text."""
    for element in elements(tree, rule)[:50]:
        text = raw(element, rule)
        if text:
            return element, text
    return None


def content_node(tree: HtmlElement, rule: Rule) -> HtmlElement | None:
    """The first node with visible text, or with a picture where none has text."""
    found = elements(tree, rule)
    for element in found[:50]:
        if _VISIBLE(element):
            return element
    return next((e for e in found[:50] if e.find(".//img") is not None or e.find(".//iframe") is not None), None)


def counted(tree: HtmlElement, rule: Rule) -> int:
    """How many nodes with text a rule returns that do not lie in one another (up to 100)."""
    found = elements(tree, rule)[:100]
    if len(found) < 2:
        return len(found)
    out, last = 0, None
    for element in found:
        if last is not None and last in element.iterancestors():
            continue
        if _VISIBLE(element):
            out, last = out + 1, element
    return out


def strip_affixes(text: str, rule: Rule) -> str:
    """The value without what the theme writes around it, as far as it is there."""
    folded = fold(text)
    if rule.prefix and folded.casefold().startswith(rule.prefix.casefold()):
        text = _cut(text, len(rule.prefix), front=True)
    if rule.suffix and fold(text).casefold().endswith(rule.suffix.casefold()):
        text = _cut(text, len(rule.suffix), front=False)
    return squeeze(text)


def _cut(text: str, length: int, *, front: bool) -> str:
    text = squeeze(text)
    if len(fold(text)) != len(text):
        text = fold(text)
    return text[length:] if front else text[:-length]


def title(tree: HtmlElement, rule: Rule) -> str | None:
    """The title a rule gives, or None."""
    found = first(tree, rule)
    return (strip_affixes(found[1], rule) or None) if found else None


def authors(tree: HtmlElement, rule: Rule) -> list[str]:
    """The name a rule gives: its node's text, or what stands in it between the words that surround a name there."""
    found = first(tree, rule)
    if found is None:
        return []
    text = fold(found[1])
    at = text.casefold().find(rule.prefix.casefold()) if rule.prefix else 0
    if at < 0:
        return []
    text = text[at + len(rule.prefix) :]
    end = text.casefold().find(rule.suffix.casefold()) if rule.suffix else -1
    name = strip_by(text[:end] if end >= 0 else text).strip(" ,;:|-·")
    return [name] if name and len(name) <= 80 else []


def when(tree: HtmlElement, rule: Rule, near: date | None, now: datetime | None = None) -> When | None:
    """The date a rule gives, read with its pattern; ``now``: when the page was fetched, for "3 days ago"."""
    if rule.pattern is None:
        return None
    language, form = rule.pattern.split("|", 1)
    for element in elements(tree, rule)[:5]:
        if form == "relative":
            found = relative(raw(element, rule), now, language) if now else None
        else:
            found = read(rule.pattern, raw(element, rule), near)
        if found is not None:
            return found
    return None


def tags(tree: HtmlElement, rule: Rule) -> list[str]:
    """Texts of all the rule's nodes, without a leading # and without repeats."""
    names = [re.sub(r"^#\s*|[,;]\s*$", "", raw(element, rule)) for element in elements(tree, rule)[:60]]
    return list(dict.fromkeys(name for name in names if name and len(name) <= 80))


def without(node: HtmlElement, drops: tuple[Rule, ...]) -> HtmlElement:
    """The content node, or a copy of it without the parts that the blog's drop rules name."""
    if not any(elements(node, rule) for rule in drops):
        return node
    twin = copy.deepcopy(node)
    twin.tail = None
    doomed = [element for rule in drops for element in elements(twin, rule)]  # they are relative: in the copy they find the same
    for element in doomed:
        if element.getparent() is not None:
            element.drop_tree()
    return twin


def drop_rules(rules: RuleSet) -> tuple[Rule, ...]:
    """The blog's rules for unwanted parts of the content."""
    return rules.rules.get("content.drop", ())
