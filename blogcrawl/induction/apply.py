"""Rules applied to a page: XPath in, values out.  No index, no bigrams: this is what every page of a crawl pays."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from functools import lru_cache
from itertools import islice
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.induction.dates import When, read, relative
from blogcrawl.induction.ruleset import Rule, RuleSet
from blogcrawl.induction.scoring import strip_by
from blogcrawl.induction.similarity import fold
from blogcrawl.text import node_text, squeeze

LOOKED_AT = 50
"""Elements that a rule returns of which the first with a value is taken."""
_ONE_STEP = re.compile(
    r"(\.?)//([a-z][\w-]*)(?:\[contains\(concat\(' ',normalize-space\(@(class)\),' '\),' ([^' ]+) '\)\]|\[@([a-z-]+)='([^']*)'\])?"
)
_QUOTED_OR_DEEP = re.compile(r"""('[^']*'|"[^"]*")|//""")
_CLASS = re.compile(r"contains\(concat\(' ',normalize-space\(@class\),' '\),' ([^' ]+) '\)")
_AROUND_TAG = re.compile(r"^#\s*|[,;]\s*$")
Finder = Callable[[HtmlElement], Iterator[HtmlElement]]


@lru_cache(maxsize=4096)
def compiled(xpath: str) -> etree.XPath:
    """The compiled expression; raises etree.XPathSyntaxError on a broken one (rules are made here, so: never).

    ``//`` becomes the descendant axis: the same nodes, as no rule has a position after it, in a third of the time.  A class is
    looked for as it stands before it is looked for as a word: half the time.
    """
    plain = _QUOTED_OR_DEEP.sub(lambda match: match[1] or "/descendant::", xpath)
    return etree.XPath(_CLASS.sub(r"(contains(@class,'\1') and \g<0>)", plain))


@lru_cache(maxsize=4096)
def finder(xpath: str) -> Finder:
    """What yields a rule's elements in document order.  Most rules are one step with one condition: those walk in C from
    element to element of the tag and stop when the caller has enough, which is half of what XPath takes to start."""
    plain = _ONE_STEP.fullmatch(xpath)
    if plain is None:
        return lambda tree: _by_xpath(tree, xpath)
    inside, tag, label, word, name, value = plain.groups()

    def steps(tree: HtmlElement) -> Iterator[HtmlElement]:
        if not inside and tree.getparent() is not None:  # ``//`` begins at the root, wherever it is asked
            return _by_xpath(tree, xpath)
        walk = tree.iterdescendants(tag) if inside else tree.iter(tag)
        if label:
            return (e for e in walk if (have := e.get(label)) is not None and word in have and word in have.split())
        return (e for e in walk if e.get(name) == value) if name else walk

    return steps


def _by_xpath(tree: HtmlElement, xpath: str) -> Iterator[HtmlElement]:
    found: Any = compiled(xpath)(tree)
    return iter(found) if isinstance(found, list) else iter(())


def elements(page_tree: HtmlElement, rule: Rule, most: int | None = None) -> Iterator[HtmlElement]:
    """Elements that a rule returns, the first ``most`` of them."""
    return islice(finder(rule.xpath)(page_tree), most)


def raw(element: HtmlElement, rule: Rule) -> str:
    """The rule's text or attribute of an element."""
    if rule.attribute is not None:
        return squeeze(element.get(rule.attribute))
    if element.tag == "title":
        return squeeze(element.text)
    return node_text(element)


def first(tree: HtmlElement, rule: Rule) -> tuple[HtmlElement, str] | None:
    """The first node of a rule that is not empty, with its text."""
    for element in elements(tree, rule, LOOKED_AT):
        text = raw(element, rule)
        if text:
            return element, text
    return None


def is_visible(element: HtmlElement) -> bool:
    """Whether the element holds text that is more than white space (of XML: a fixed blank counts)."""
    return any(text.strip(" \t\r\n") for text in element.itertext())


def content_node(tree: HtmlElement, rule: Rule) -> HtmlElement | None:
    """The first node with visible text, or with a picture where none has text."""
    found = []
    for element in elements(tree, rule, LOOKED_AT):
        if is_visible(element):
            return element
        found.append(element)
    return next((e for e in found if e.find(".//img") is not None or e.find(".//iframe") is not None), None)


def counted(tree: HtmlElement, rule: Rule) -> int:
    """How many nodes with text a rule returns that do not lie in one another (up to 100)."""
    found = list(islice(_by_xpath(tree, rule.xpath), 100))  # to the end: XPath is the faster walk then
    if len(found) < 2:
        return len(found)
    out, last = 0, None
    for element in found:
        if last is not None and last in element.iterancestors():
            continue
        if is_visible(element):
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
    for element in elements(tree, rule, 5):
        if form == "relative":
            found = relative(raw(element, rule), now, language) if now else None
        else:
            found = read(rule.pattern, raw(element, rule), near)
        if found is not None:
            return found
    return None


def tags(tree: HtmlElement, rule: Rule) -> list[str]:
    """Texts of all the rule's nodes, without a leading # and without repeats."""
    names = [_AROUND_TAG.sub("", raw(element, rule)) for element in elements(tree, rule, 60)]
    return list(dict.fromkeys(name for name in names if name and len(name) <= 80))


def without(node: HtmlElement, drops: Sequence[Rule]) -> HtmlElement:
    """A copy of the content node (with no parent) without the parts that the blog's drop rules name; the node itself where it has none."""
    if not any(True for rule in drops for _ in elements(node, rule, 1)):
        return node
    twin = copy.deepcopy(node)
    twin.tail = None
    drop_parts(twin, drops)
    return twin


def drop_parts(node: HtmlElement, drops: Sequence[Rule]) -> None:
    """Take out of a node, a copy of the content, the parts that the blog's drop rules name: they are relative to it."""
    doomed = [element for rule in drops for element in elements(node, rule)]
    for element in doomed:
        if element.getparent() is not None:
            element.drop_tree()


def drop_rules(rules: RuleSet) -> tuple[Rule, ...]:
    """The blog's rules for unwanted parts of the content."""
    return rules.rules.get("content.drop", ())
