"""A page with the nodes outlined that gave a post its fields: for ``blogcrawl rules --html``."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from lxml import etree
from lxml.html import HtmlElement, tostring

from blogcrawl.items import Fields
from blogcrawl.page import Page

COLOURS = {"title": "#c2185b", "authors": "#00796b", "published": "#1565c0", "tags": "#6a1b9a", "content": "#2e7d32"}
OTHER = "#e65100"


def outlined(page: Page, won: Mapping[str, Mapping[str, Any]], said: Mapping[str, Fields]) -> bytes:
    """The page's HTML, scripts removed, each winning node with a coloured outline and a label of field and method."""
    tree = page.tree
    marks = [(tree.getroottree().getpath(node), field, told) for field, told in won.items() for node in nodes(page, field, told, said)]
    copied: HtmlElement = copy.deepcopy(tree)
    for path, field, told in marks:
        for node in copied.getroottree().xpath(path):
            colour = COLOURS.get(field, OTHER)
            label = f"{field}: {told.get('method')} ({told.get('confidence') or 0:.2f}) {told.get('rule') or ''}"
            node.set("style", f"{node.get('style') or ''};outline:3px solid {colour};outline-offset:2px")
            node.set("title", label)
            node.set("data-blogcrawl", label)
    etree.strip_elements(copied, "script", "noscript", with_tail=False)
    head = copied.find("head")
    if head is not None:
        base = etree.Element("base", href=page.base_url)
        style = etree.Element("style")
        style.text = (
            "[data-blogcrawl]::before{content:attr(data-blogcrawl);display:inline-block;font:bold 11px/1.4 monospace;"
            "background:#fffde7;color:#222;border:1px solid #999;padding:0 4px;margin:0 4px 2px 0;max-width:40em;"
            "overflow:hidden;white-space:nowrap}"
        )
        head.insert(0, base)
        head.append(style)
    return bytes(tostring(copied, encoding="utf-8", doctype="<!DOCTYPE html>"))


def nodes(page: Page, field: str, told: Mapping[str, Any], said: Mapping[str, Fields]) -> Iterator[Any]:
    """The elements of the page that the winning method took a field from, as far as it tells."""
    for value in said.get(str(told.get("method")), {}).get(field, ())[:1]:
        parts = value.value if isinstance(value.value, (list, tuple)) else [value.value]
        yield from (part for part in parts if isinstance(part, HtmlElement) and part.getroottree() is not None)
    rule = told.get("rule")
    if isinstance(rule, str) and rule.startswith(("/", "(", ".")):
        try:
            found = page.tree.xpath(rule)
        except etree.XPathError:
            return
        if isinstance(found, list):
            yield from [node for node in found if isinstance(node, HtmlElement)][: 20 if field == "tags" else 1]
