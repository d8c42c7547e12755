"""Outline the nodes from which the fields of a post come: the rule inspector, ``rules --html``.

The page is untrusted and opened from a file: everything active is removed, and a content security
policy blocks what was overlooked (only images, fonts and styles are loaded).
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import islice
from typing import Any

from lxml import etree
from lxml.html import HtmlElement, document_fromstring, fragment_fromstring, tostring

from blogcrawl.core.page import Page
from blogcrawl.core.records import Fields
from blogcrawl.dates.machine_date import parse_date
from blogcrawl.dates.parse import find_date
from blogcrawl.extraction.explain import Explanation, Opinion, Winner
from blogcrawl.induction.apply import compiled
from blogcrawl.packaging.html_templates import render
from blogcrawl.packaging.xmltools import clean
from blogcrawl.text.lengths import MAX_LINE
from blogcrawl.text.visible import node_text
from blogcrawl.web.sheets import Sheet, place_sheets, unloaded

COLOURS = {
    "title": "#c2185b",
    "authors": "#00796b",
    "published": "#1565c0",
    "tags": "#6a1b9a",
    "content": "#2e7d32",
}
OTHER = "#e65100"
ACTIVE = (
    "script",
    "noscript",
    "iframe",
    "frame",
    "frameset",
    "object",
    "embed",
    "applet",
    "portal",
    "base",
)
LOADING = frozenset(("src", "srcset", "poster", "background", "data", "xlink:href"))
"""Attributes with what a browser loads for a page."""
MOST_TAGS = 20
MOST_PLACES = 3
"""Of one text on a page."""
MAX_VALUE = 90
"""Characters of a value in the legend."""
_SAYING = "//body//*[text()[normalize-space(.) = $said]]"
_SAYING_IN_PARTS = "//body//*[normalize-space(.) = $said][not(*[normalize-space(.) = $said])]"
_NAMED = re.compile(r"(?:class|microdata|rel) ([\w-]+)$")
"""How a method names the place of a value in its markup."""
_HAVING = (
    "//body//*[contains(concat(' ', normalize-space(@class), ' ', @itemprop, ' ', @rel, ' '),"
    " $name)][contains(normalize-space(.), $said)]"
)
_WITH_DATE = "//body//*[@datetime or @content or text()[translate(., '0123456789', '') != .]]"
_CLASS = re.compile(r"contains\(concat\(' ',normalize-space\(@class\),' '\),' ([\w-]+) '\)")


def outlined(page: Page, explanation: Explanation) -> bytes:
    """Return the page as passive HTML in which chosen nodes are outlined and labelled."""
    copied = _outlined(page, explanation)
    body = copied.find("body")
    if body is not None:
        body.insert(0, legend(explanation))
    return _written(copied, page)


def outlined_alone(
    page: Page, explanation: Explanation, field: str, mark: str
) -> tuple[str, list[Sheet]]:
    """Return the page so that nothing is loaded from the web, without the box that names values.

    ``field``: show this one only, and with dashes what else the methods named for it. Also the
    style sheets of the page, with ``mark`` in their places (``sheets.fill``).
    """
    copied = _outlined(page, explanation, field)
    sheets = place_sheets(copied, page.base_url, mark)
    _unload(copied)
    return _written(copied, page).decode(), sheets


def _outlined(page: Page, explanation: Explanation, field: str = "") -> HtmlElement:
    own = page.tree.getroottree()
    marks = [
        (own.getpath(node), one)
        for one in _shown(explanation, field)
        for node in nodes(page, one, explanation.said)
    ]
    parts = left_out(page, explanation) if field in ("", "content") else ()
    dropped = [own.getpath(part) for part in parts]
    copied: HtmlElement = copy.deepcopy(page.tree)
    for path in dropped:
        for node in _elements_at(copied, path):
            _restyle(node, "outline:2px dashed #777;opacity:0.5", "excluded from the content")
    # what is chosen last: a title that is left out of the content is outlined as the title
    for path, one in marks:
        for node in _elements_at(copied, path):
            _mark(node, one)
    passive(copied)
    return copied


def _written(tree: HtmlElement, page: Page) -> bytes:
    _add_to_head(tree, page.base_url)
    return bytes(tostring(tree, encoding="utf-8", doctype="<!DOCTYPE html>"))


def _add_to_head(tree: HtmlElement, base_url: str) -> None:
    """Add a policy that forbids active content, the page's own base, and the labels' style."""
    head = tree.find("head")
    if head is None:
        head = etree.SubElement(tree, "head")
        tree.insert(0, head)
    made = document_fromstring(render("outline_head.html", base_url=base_url)).find("head")
    assert made is not None
    *first, style = made
    head[:] = [*first, *head, style]


def _shown(explanation: Explanation, field: str) -> Iterator[Winner | Opinion]:
    """Yield what is outlined, what won last: its outline covers those of others on its node."""
    if field:
        yield from (one for one in explanation.opinions if one.field == field and not one.won)
    yield from (one for one in explanation.winners if field in ("", one.field))


def _mark(node: HtmlElement, one: Winner | Opinion) -> None:
    label = f"{one.field}: {one.method} ({one.confidence:.2f}) {readable(one.rule)}".rstrip()
    colour = COLOURS.get(one.field, OTHER)
    line = "3px solid" if isinstance(one, Winner) else "2px dashed"
    _restyle(node, f"outline:{line} {colour};outline-offset:2px;opacity:1", label)
    if isinstance(one, Winner):
        node.set("title", f"{node.get('data-blogcrawl')}: {one.why}")


def _restyle(node: HtmlElement, style: str, label: str) -> None:
    """Add a style, and a label before those that are there."""
    node.set("style", f"{node.get('style', '')};{style}")
    node.set("data-blogcrawl", " | ".join(filter(None, (label, node.get("data-blogcrawl")))))


def readable(rule: str | None) -> str:
    """Return a rule's XPath with tests of class and id in CSS notation (``div.entry-content``)."""
    text = _CLASS.sub(r".\1", rule or "")
    text = re.sub(r"@id='([\w-]+)'", r"#\1", text)
    return re.sub(
        r"\[([.#][\w-]+(?: and [.#][\w-]+)*)\]", lambda found: found[1].replace(" and ", ""), text
    )


def legend(explanation: Explanation) -> HtmlElement:
    """Return a box with the class of the page and the value of each field in its colour."""
    values = {opinion.field: opinion.value for opinion in explanation.opinions if opinion.won}
    lines = [
        (winner, COLOURS.get(winner.field, OTHER), (values.get(winner.field) or "")[:MAX_VALUE])
        for winner in explanation.winners
    ]
    return fragment_fromstring(
        clean(render("outline_legend.html", explanation=explanation, lines=lines))
    )


def passive(tree: HtmlElement) -> None:
    """Remove scripts, frames, plug-ins, handlers, ``javascript:`` links, active head elements."""
    etree.strip_elements(tree, *ACTIVE, with_tail=False)
    for element in list(filter(_acts, tree.iter("meta", "link"))):
        element.drop_tree()
    for element in tree.iter(etree.Element):
        for name, value in element.items():
            if _is_active(name.lower(), value):
                del element.attrib[name]


def _unload(tree: HtmlElement) -> None:
    """Remove what loads style sheets, pictures and media."""
    etree.strip_elements(tree, "link", with_tail=False)
    for element in tree.iter(etree.Element):
        for name in LOADING & set(element.keys()):
            del element.attrib[name]
        if style := element.get("style"):
            element.set("style", unloaded(style))
        if element.tag == "style":
            element.text = unloaded(element.text or "")


def _acts(element: HtmlElement) -> bool:
    if element.get("http-equiv") is not None or element.get("charset") is not None:
        return True
    return element.tag == "link" and "stylesheet" not in element.get("rel", "").lower()


def _is_active(name: str, value: str) -> bool:
    handles = name.startswith("on") or name in ("srcdoc", "ping")
    return handles or "script:" in value[:40].lower()


def nodes(
    page: Page, winner: Winner | Opinion, candidates: Mapping[str, Fields]
) -> Iterator[HtmlElement]:
    """Yield the elements from which a method took a field, if it provides them.

    A rule provides its XPath (its value may be a copy without the dropped parts), other methods
    provide elements of the page, a text or a day, which may stand in several places, or the name
    of markup in which the text stands.
    """
    given = _values_of(winner, candidates)
    if isinstance(given, datetime):
        yield from _by_rule(page, winner, candidates) or _by_day(page, given)
        return
    yield from (
        _by_rule(page, winner, candidates)
        or _by_value(page, given)
        or _by_text(page, given)
        or _by_name(page, given, winner.rule or "")
    )


def _by_rule(
    page: Page, winner: Winner | Opinion, candidates: Mapping[str, Fields]
) -> list[HtmlElement]:
    """Return the elements matching the winner's XPath; [] if its rule is not an XPath."""
    rule = winner.rule
    if not rule or not rule.startswith(("/", "(", ".")):
        return []
    found = _elements_at(page.tree, rule.rsplit("/@", 1)[0])
    if winner.field == "tags":
        return _tag_nodes(found, _values_of(winner, candidates))[:MOST_TAGS]
    if winner.field == "content":
        found = [node for node in found if node.text_content().strip()] or found
    return found[:1]


def _tag_nodes(found: list[HtmlElement], tags: Sequence[str]) -> list[HtmlElement]:
    """Return the elements whose text is one of the tags; all if none is."""
    return [node for node in found if node_text(node).strip("#,; ") in tags] or found


def _elements_at(tree: HtmlElement, xpath: str) -> list[HtmlElement]:
    try:
        found: Any = compiled(xpath)(tree)
    except etree.XPathError:
        return []
    if not isinstance(found, list):
        return []
    return [node for node in found if isinstance(node, HtmlElement)]


def _values_of(winner: Winner | Opinion, candidates: Mapping[str, Fields]) -> Any:
    """Return the values extracted by the winner's rule."""
    values = candidates.get(winner.method, {}).get(winner.field, ())
    return next((value.value for value in values if value.rule == winner.rule), ())


def _by_value(page: Page, given: Any) -> list[HtmlElement]:
    """Return the extracted values that are elements of the page."""
    parts = given if isinstance(given, (list, tuple)) else [given]
    return [part for part in parts if isinstance(part, HtmlElement) and _lies_in(part, page.tree)]


def _texts(given: Any) -> Iterator[str]:
    """Yield the extracted values that are texts, with one blank between words."""
    for text in [given] if isinstance(given, str) else given if _are_several(given) else ():
        if isinstance(text, str) and text.strip():
            yield " ".join(text.split())


def _are_several(given: Any) -> bool:
    return isinstance(given, (list, tuple))


def _by_text(page: Page, given: Any) -> list[HtmlElement]:
    """Return elements of the page that say an extracted text, and nothing else."""
    find = page.tree.xpath
    return [
        node
        for text in _texts(given)
        for node in (find(_SAYING, said=text) or find(_SAYING_IN_PARTS, said=text))[:MOST_PLACES]
    ]


def _by_name(page: Page, given: Any, rule: str) -> list[HtmlElement]:
    """Return elements of the markup that a method names, in which an extracted text stands among
    other words (``<p class="byline">by Ann``).
    """
    named = _NAMED.search(rule)
    if named is None:
        return []
    name = f" {named[1]} "
    return [
        node
        for text in _texts(given)
        for node in page.tree.xpath(_HAVING, name=name, said=text)[:1]
    ]


def _by_day(page: Page, moment: datetime) -> list[HtmlElement]:
    """Return the innermost elements of the page that state the day of a moment."""
    language = page.tree.get("lang")
    found = (node for node in page.tree.xpath(_WITH_DATE) if moment.date() in _days(node, language))
    return list(islice(found, MOST_PLACES))


def _days(node: HtmlElement, language: str | None) -> Iterator[date]:
    """Yield the days that an element states: in its attributes, and in its line."""
    for name in ("datetime", "content"):
        stated = parse_date(node.get(name))
        if stated is not None:
            yield stated.date()
    line = node_text(node)
    if len(line) <= MAX_LINE:
        read = find_date(line, language)
        if read is not None:
            yield read.moment.date()


def left_out(page: Page, explanation: Explanation) -> Iterator[HtmlElement]:
    """Yield the parts of the content that the blog's rules drop."""
    content = next(
        (
            winner
            for winner in explanation.winners
            if winner.field == "content" and winner.method == "rules"
        ),
        None,
    )
    for node in nodes(page, content, explanation.said) if content is not None else ():
        for xpath in explanation.left_out:
            yield from (part for part in node.xpath(xpath) if isinstance(part, HtmlElement))


def _lies_in(node: HtmlElement, tree: HtmlElement) -> bool:
    top = node
    while (above := top.getparent()) is not None:
        top = above
    return top is tree
