"""Data that a page carries for machines, as it stands there: meta tags, JSON-LD, microdata,
microformats.

Nothing is believed here; ``metadata`` weighs it. Read once per page and kept with it. The whole is
a handful of compiled XPaths over the tree that is parsed anyway: the general libraries parse the
page anew with html5lib (mf2py) or pull in an RDF stack (extruct), which costs more than all the
rest of extraction.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.page import Page, kept
from blogcrawl.lexicon.css_classes import names_of
from blogcrawl.text.visible import node_text, squeeze

ARTICLE_TYPES = frozenset(
    "Article BlogPosting NewsArticle SocialMediaPosting TechArticle ScholarlyArticle Report "
    "OpinionNewsArticle ReviewNewsArticle"
    " AnalysisNewsArticle ReportageNewsArticle BackgroundNewsArticle LiveBlogPosting Review "
    "Recipe HowTo CreativeWork Posting".split()
)
"""schema.org types (and microdata of data-vocabulary.org) that a post may be."""
PAGE_TYPES = frozenset(
    (
        "WebPage ItemPage AboutPage CollectionPage SearchResultsPage ProfilePage ContactPage Blog "
        "WebSite"
    ).split()
)
MAX_DEPTH, MAX_ITEMS = 8, 200
MAX_JSON = 1 << 20
"""Characters of one script; more is a data dump of an application, not a description of the
page."""

_META = etree.XPath("//meta[@content and (@property or @name or @itemprop or @http-equiv)]")
_SCRIPTS = etree.XPath("//script[starts-with(@type, 'application/ld+json')]")
_SCOPES = etree.XPath("//*[@itemscope and @itemtype]")
_PROPS = etree.XPath(".//*[@itemprop]")
_CLASSED = etree.XPath("//*[@class]")
_ENTRY = re.compile(r"(?:^|\s)h-?entry(?:\s|$)")
_FORMAT = re.compile(r"(?:^|\s)(?:[pu]-|dt-|e-content|entry-|published|updated|vcard)")
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_COMMENT = re.compile(
    r"^\s{0,20}(?:<!--|/\*\s{0,20}<!\[CDATA\[\s{0,20}\*/|<!\[CDATA\[)|(?:-->|/\*\s{0,"
    r"20}\]\]>\s{0,20}\*/|\]\]>)\s{0,20};?\s{0,20}$"
)

Item = dict[str, Any]


@dataclass(slots=True)
class Entry:
    """One microformats entry: its element and the elements by property, nested entries and comments
    left out.
    """

    element: HtmlElement
    properties: dict[str, list[HtmlElement]] = field(default_factory=dict)


@dataclass(slots=True)
class Embedded:
    meta: dict[str, list[str]] = field(default_factory=dict)
    """Lower-case property or name -> contents in document order."""
    linked: list[Item] = field(default_factory=list)
    """Objects of JSON-LD, graphs and lists opened, references by ``@id`` still in place."""
    by_id: dict[str, Item] = field(default_factory=dict)
    micro: list[tuple[str, HtmlElement, dict[str, list[HtmlElement]]]] = field(default_factory=list)
    """Microdata scopes: type name, element, elements by property (of this scope only)."""
    entries: list[Entry] = field(default_factory=list)

    def first(self, *names: str) -> str | None:
        """Return the first content of the first of these meta names that is there."""
        for name in names:
            for value in self.meta.get(name, ()):
                if value:
                    return value
        return None


@kept
def embedded(page: Page) -> Embedded:
    """Return what ``page`` carries."""
    tree = page.tree
    found = Embedded()
    for node in _found(_META, tree):
        for name in ("property", "name", "itemprop", "http-equiv"):
            key = node.get(name)
            if key:
                for word in key.lower().split():
                    found.meta.setdefault(word, []).append(squeeze(node.get("content")))
    for script in _found(_SCRIPTS, tree):
        for item in _objects(parse_json(script.text or ""), 0):
            if len(found.linked) >= MAX_ITEMS:
                break
            found.linked.append(item)
            if isinstance(item.get("@id"), str) and len(item) > 1:
                found.by_id.setdefault(item["@id"], item)
    found.micro = list(_microdata(tree))
    found.entries = list(_entries(page))
    return found


def _found(path: etree.XPath, node: HtmlElement) -> list[HtmlElement]:
    result: Any = path(node)
    return result


def parse_json(text: str) -> Any:
    """JSON as pages have it: in HTML comments, with raw line breaks in strings, with trailing
    commas; None where it is none.
    """
    if len(text) > MAX_JSON:
        return None
    text = _COMMENT.sub("", _COMMENT.sub("", text)).strip().rstrip(";")
    for attempt in (
        text,
        _TRAILING_COMMA.sub(r"\1", text),
        _TRAILING_COMMA.sub(r"\1", text).replace("\\'", "'"),
    ):
        try:
            return json.loads(attempt, strict=False)
        except (ValueError, RecursionError):
            continue
    try:  # something follows the first value
        return json.JSONDecoder(strict=False).raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


def _objects(value: Any, depth: int) -> Iterator[Item]:
    if depth > MAX_DEPTH:
        return
    if isinstance(value, list):
        for member in value[:MAX_ITEMS]:
            yield from _objects(member, depth + 1)
    elif isinstance(value, dict):
        if "@type" in value or "headline" in value:
            yield value
        for key in (
            "@graph",
            "mainEntity",
            "mainEntityOfPage",
            "hasPart",
            "blogPost",
            "itemListElement",
            "item",
        ):
            if isinstance(value.get(key), dict | list):
                yield from _objects(value[key], depth + 1)
        for key in ("author", "publisher", "isPartOf"):
            if isinstance(value.get(key), dict) and "@id" in value[key]:
                yield from _objects(value[key], depth + 1)


def is_declared_paid(page: Page) -> bool:
    """Return whether the page declares that not everybody may read all of its post: schema.org's
    ``isAccessibleForFree`` of an article, or ``article:content_tier`` (Facebook)."""
    data = embedded(page)
    return (data.first("article:content_tier") or "").lower() == "locked" or any(
        str(item.get("isAccessibleForFree", "")).lower().rpartition("/")[2] == "false"
        for item in data.linked
        if types_of(item) & ARTICLE_TYPES
    )


def types_of(item: Item) -> set[str]:
    """Return the local names of an object's types."""
    kinds = item.get("@type") or ()
    return {
        str(kind).rsplit("/", 1)[-1].rsplit(":", 1)[-1]
        for kind in (kinds if isinstance(kinds, list) else [kinds])
    }


def _microdata(
    tree: HtmlElement,
) -> Iterator[tuple[str, HtmlElement, dict[str, list[HtmlElement]]]]:
    scopes = _found(_SCOPES, tree)[:MAX_ITEMS]
    for scope in scopes:
        kind = scope.get("itemtype", "").strip().rstrip("/").rsplit("/", 1)[-1]
        if kind not in ARTICLE_TYPES and kind not in PAGE_TYPES:
            continue
        properties: dict[str, list[HtmlElement]] = {}
        for node in _found(_PROPS, scope):
            if _scope_of(node) is scope:
                for name in node.get("itemprop", "").split():
                    properties.setdefault(name, []).append(node)
        yield kind, scope, properties


def _scope_of(node: HtmlElement) -> HtmlElement | None:
    """Return the item that a property belongs to (HTML Living Standard 5.2: the nearest ancestor
    with itemscope).
    """
    outer = node.getparent()
    while outer is not None and outer.get("itemscope") is None:
        outer = outer.getparent()
    return outer


@kept
def classed(page: Page) -> list[tuple[HtmlElement, str]]:
    """Every element that has a class, with it: one XPath instead of many with ``contains``."""
    return [(node, node.get("class", "")) for node in _found(_CLASSED, page.tree)]


def _entries(page: Page) -> Iterator[Entry]:
    """Yield the outermost microformats entries with their properties, without those of entries and
    comments inside.
    """
    elements = [node for node, label in classed(page) if _ENTRY.search(label)][:MAX_ITEMS]
    roots = set(elements)
    entries = {
        element: Entry(element)
        for element in elements
        if not any(outer in roots for outer in element.iterancestors())
    }
    for node, label in classed(page) if entries else ():
        entry = _entry_of(node, entries, roots) if _FORMAT.search(label) else None
        if entry is not None:
            for name in label.split():
                entry.properties.setdefault(name, []).append(node)
    yield from entries.values()


def _entry_of(
    node: HtmlElement, entries: Mapping[HtmlElement, Entry], roots: Set[HtmlElement]
) -> Entry | None:
    """Return the entry whose property an element is; None outside of any, in an entry inside it and
    in a comment.
    """
    path = [] if node in entries else [node]
    for step in node.iterancestors():
        if step in entries:
            is_inner = any(inner in roots or _is_comment(inner) for inner in path)
            return None if is_inner else entries[step]
        path.append(step)
    return None


def _is_comment(node: HtmlElement) -> bool:
    label = names_of(node).split()
    return any(
        name in {"h-cite", "u-comment", "p-comment", "comment", "comments", "commentlist"}
        for name in label
    )


def main_entry(data: Embedded) -> Entry | None:
    """Return the h-entry that is the page's post: the only one, or the only one with content."""
    entries = data.entries
    if len(entries) > 1:
        entries = [
            entry for entry in entries if entry.properties.keys() & {"e-content", "entry-content"}
        ]
    return entries[0] if len(entries) == 1 else None


def value_of(node: HtmlElement) -> str:
    """Return the value of a property element (microdata 5.2.4; the value-class and datetime rules
    of microformats).
    """
    for name in ("content", "datetime"):
        value = node.get(name)
        if value and value.strip():
            return squeeze(value)
    if node.tag in {"abbr", "data"}:
        return squeeze(node.get("title") or node.get("value")) or node_text(node)
    return node_text(node)
