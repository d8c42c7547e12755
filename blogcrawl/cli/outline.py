"""A page with the nodes outlined that gave a post its fields: for ``blogcrawl rules --html``.

The page comes from a stranger and is opened from a file: what could run or call home is taken out,
and a policy forbids the browser what was overlooked (only pictures, fonts and styles of the blog
are loaded).
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lxml import etree
from lxml.html import HtmlElement, tostring

from blogcrawl.cli.output import shorten
from blogcrawl.core.page import Page
from blogcrawl.core.records import Fields
from blogcrawl.extraction.explain import Explanation, Winner
from blogcrawl.packaging.xmltools import clean
from blogcrawl.text.visible import node_text

COLOURS = {
    "title": "#c2185b",
    "authors": "#00796b",
    "published": "#1565c0",
    "tags": "#6a1b9a",
    "content": "#2e7d32",
}
OTHER = "#e65100"
POLICY = (
    "default-src 'none'; img-src http: https: data:; style-src http: https: 'unsafe-inline'; "
    "font-src http: https: data:;"
    " form-action 'none'"
)
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
MOST_TAGS = 20
LEGEND = (
    "all:initial;display:block;font:13px/1.5 "
    "monospace;background:#fffde7;color:#222;border-bottom:2px solid #999;padding:8px 12px;"
    "white-space:pre-wrap"
)
_CLASS = re.compile(r"contains\(concat\(' ',normalize-space\(@class\),' '\),' ([\w-]+) '\)")
STYLE = (
    "[data-blogcrawl]::before{content:attr(data-blogcrawl);display:inline-block;font:bold "
    "11px/1.4 monospace;"
    "background:#fffde7;color:#222;border:1px solid #999;padding:0 4px;margin:0 4px 2px "
    "0;max-width:40em;"
    "overflow:hidden;white-space:nowrap}"
)


def outlined(page: Page, told: Explanation) -> bytes:
    """The page's HTML, made passive, each winning node with a coloured outline and a label of field
    and method.
    """
    tree = page.tree
    own = tree.getroottree()
    marks = [
        (own.getpath(node), winner)
        for winner in told.winners
        for node in nodes(page, winner, told.said)
    ]
    dropped = [own.getpath(part) for part in left_out(page, told)]
    copied: HtmlElement = copy.deepcopy(tree)
    for path, winner in marks:
        for node in copied.getroottree().xpath(path):
            label = (
                f"{winner.field}: {winner.method} ({winner.confidence:.2f}) {readable(winner.rule)}"
            ).rstrip()
            before = f"{node.get('data-blogcrawl')} | " if node.get("data-blogcrawl") else ""
            node.set(
                "style",
                (
                    f"{node.get('style') or ''};outline:3px solid "
                    f"{COLOURS.get(winner.field, OTHER)};outline-offset:2px"
                ),
            )
            node.set("title", f"{before}{label}: {winner.why}")
            node.set("data-blogcrawl", before + label)
    for path in dropped:
        for node in copied.getroottree().xpath(path):
            node.set("style", f"{node.get('style') or ''};outline:2px dashed #777;opacity:0.5")
            node.set(
                "data-blogcrawl",
                " | ".join(filter(None, (node.get("data-blogcrawl"), "left out of the content"))),
            )
    passive(copied)
    body = copied.find("body")
    if body is not None:
        body.insert(0, legend(told))
    head = copied.find("head")
    if head is None:
        head = etree.SubElement(copied, "head")
        copied.insert(0, head)
    policy = etree.Element("meta", {"http-equiv": "Content-Security-Policy", "content": POLICY})
    style = etree.Element("style")
    style.text = STYLE
    for place, element in enumerate(
        (etree.Element("meta", charset="utf-8"), policy, etree.Element("base", href=page.base_url))
    ):
        head.insert(place, element)
    head.append(style)
    return bytes(tostring(copied, encoding="utf-8", doctype="<!DOCTYPE html>"))


def readable(rule: str | None) -> str:
    """A rule's XPath for people: the tests of classes and ids as style sheets write them
    (``div.entry-content``).
    """
    text = _CLASS.sub(r".\1", rule or "")
    text = re.sub(r"@id='([\w-]+)'", r"#\1", text)
    return re.sub(
        r"\[([.#][\w-]+(?: and [.#][\w-]+)*)\]", lambda found: found[1].replace(" and ", ""), text
    )


def legend(told: Explanation) -> HtmlElement:
    """What the page was taken for, and each field in its outline's colour with its value: some lie
    far below.
    """
    box: HtmlElement = etree.Element("div", style=LEGEND)
    verdict = etree.SubElement(box, "b")
    verdict.text = (
        f"{'a post' if told.is_post else 'no post: ' + told.reason} (belief {told.belief:.2f})"
    )
    values = {opinion.field: opinion.value for opinion in told.opinions if opinion.won}
    for winner in told.winners:
        line = etree.SubElement(box, "div")
        name = etree.SubElement(line, "b", style=f"color:{COLOURS.get(winner.field, OTHER)}")
        name.text = winner.field
        name.tail = clean(
            f": {shorten(values.get(winner.field), 90)} - {winner.method} ({winner.confidence:.2f})"
        )
    return box


def passive(tree: HtmlElement) -> None:
    """Take out scripts, frames, plug-ins, handlers, ``javascript:`` links and what acts in the
    head.
    """
    etree.strip_elements(tree, *ACTIVE, with_tail=False)
    for element in list(tree.iter("meta", "link")):
        acts = element.get("http-equiv") is not None or element.get("charset") is not None
        if acts or (
            element.tag == "link" and "stylesheet" not in (element.get("rel") or "").lower()
        ):
            element.drop_tree()
    for element in tree.iter(etree.Element):
        for name, value in element.items():
            if (
                name.lower().startswith("on")
                or name.lower() in ("srcdoc", "ping")
                or "script:" in value[:40].lower()
            ):
                del element.attrib[name]


def nodes(page: Page, winner: Winner, said: Mapping[str, Fields]) -> Iterator[HtmlElement]:
    """The elements of the page that the winning method took a field from, as far as it gives them.

    A rule gives its XPath (its value may be a copy without the dropped parts), the others give
    elements of the page.
    """
    yield from _by_rule(page, winner, said) or _by_value(page, winner, said)


def _by_rule(page: Page, winner: Winner, said: Mapping[str, Fields]) -> list[HtmlElement]:
    """The elements that the winner's XPath finds; none where its rule is no XPath."""
    rule = winner.rule
    if not rule or not rule.startswith(("/", "(", ".")):
        return []
    found = _elements_at(page, rule.rsplit("/@", 1)[0])
    if winner.field == "tags":
        return _tag_nodes(found, _values_of(winner, said))[:MOST_TAGS]
    if winner.field == "content":
        found = [node for node in found if node.text_content().strip()] or found
    return found[:1]


def _tag_nodes(found: list[HtmlElement], tags: Sequence[str]) -> list[HtmlElement]:
    """The elements whose text is one of the tags; all where none is."""
    return [node for node in found if node_text(node).strip("#,; ") in tags] or found


def _elements_at(page: Page, xpath: str) -> list[HtmlElement]:
    try:
        found = page.tree.xpath(xpath)
    except etree.XPathError:
        return []
    if not isinstance(found, list):
        return []
    return [node for node in found if isinstance(node, HtmlElement)]


def _values_of(winner: Winner, said: Mapping[str, Fields]) -> Any:
    """What the winner's rule gave for its field."""
    values = said.get(winner.method, {}).get(winner.field, ())
    return next((value.value for value in values if value.rule == winner.rule), ())


def _by_value(page: Page, winner: Winner, said: Mapping[str, Fields]) -> list[HtmlElement]:
    """The elements of the page among what the winner's rule gave."""
    given = _values_of(winner, said)
    parts = given if isinstance(given, (list, tuple)) else [given]
    return [part for part in parts if isinstance(part, HtmlElement) and _lies_in(part, page.tree)]


def left_out(page: Page, told: Explanation) -> Iterator[HtmlElement]:
    """The parts of the content's element that the blog's rules leave out."""
    content = next(
        (
            winner
            for winner in told.winners
            if winner.field == "content" and winner.method == "rules"
        ),
        None,
    )
    for node in nodes(page, content, told.said) if content is not None else ():
        for xpath in told.left_out:
            yield from (part for part in node.xpath(xpath) if isinstance(part, HtmlElement))


def _lies_in(node: HtmlElement, tree: HtmlElement) -> bool:
    top = node
    while (above := top.getparent()) is not None:
        top = above
    return top is tree
