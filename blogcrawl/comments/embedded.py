"""Comments of script-driven systems: out of their rendered documents, by the table's selectors, or
out of their JSON.
"""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import replace
from functools import lru_cache

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.fields import read_unit
from blogcrawl.comments.page_reader import read_page
from blogcrawl.comments.records import inner_html, make_comment, unique_ids
from blogcrawl.comments.threads import parents
from blogcrawl.comments.unit import Unit
from blogcrawl.comments.unit_reader import Reader
from blogcrawl.comments.units import nest, number_of
from blogcrawl.core.page import Page
from blogcrawl.core.records import Comment
from blogcrawl.dates.comment_date import find_date, find_stamp, settle_order, to_utc
from blogcrawl.rendering.system_types import CommentSystem, Reading
from blogcrawl.text.visible import node_text, squeeze


@lru_cache(maxsize=256)
def _xpath(css: str) -> etree.XPath:
    from cssselect import HTMLTranslator

    return etree.XPath(HTMLTranslator().css_to_xpath(css, prefix="descendant-or-self::"))


def select(root: HtmlElement, css: str) -> list[HtmlElement]:
    """Nodes below ``root`` (itself included) that a CSS selector names, in document order."""
    found = _xpath(css)(root) if css else []
    return [n for n in found if isinstance(n, etree._Element)] if isinstance(found, list) else []


def read_embedded(page: Page, system: CommentSystem) -> list[Comment]:
    """Comments in a document that ``system`` has drawn: the rendered page, or one of its frames.
    Source: browser (endpoint: api).
    """
    reading = system.reading
    nodes = select(page.tree, reading.unit)
    if not nodes:
        return (
            [replace(c, source="browser") for c in read_page(page).comments]
            if not reading.unit
            else []
        )
    if reading.body:
        outer = {found[0]: n for n in reversed(nodes) if (found := select(n, reading.body))}
        nodes = list(reversed(outer.values()))  # of two nodes around one text the outer
    units = [Unit([n], number_of(n)) for n in nodes]
    nest(units)
    readers = [read_unit(unit, page.tree.get("lang")) for unit in units]
    read = [_fields(reader, reading) for reader in readers]
    first = settle_order([r.date for r in readers])
    made = []
    for reader, html in zip(readers, read, strict=True):
        moment = reader.date.pick(first) if reader.date else None
        made.append(
            make_comment(
                html,
                source="browser" if page.rendered else "api",
                base_url=page.base_url,
                number=reader.unit.number,
                author=reader.author,
                author_url=page.absolute(reader.author_url) if reader.author_url else None,
                published=to_utc(moment) if moment else None,
                published_raw=reader.date_raw,
            )
        )
    marks = [select(r.root, reading.thread)[:1] for r in readers]
    ids = unique_ids([c.id for c in made])
    threaded = [
        replace(c, id=i, parent_id=p)
        for c, i, p in zip(made, ids, parents(readers, ids, marks), strict=True)
    ]
    return [c for c in threaded if c.content_text or c.content_html]


def _fields(reader: Reader, reading: Reading) -> str:
    """Fills author and date of the reader and returns the body's HTML."""
    author = next((n for n in select(reader.root, reading.author) if node_text(n)), None)
    if author is not None:
        reader.author = node_text(author)
        href = author.get("href") or next(
            (
                a.get("href")
                for a in [*author.iterancestors("a"), *author.iterdescendants("a")]
                if a.get("href")
            ),
            None,
        )
        reader.author_url = href if href and not href.startswith(("#", "javascript:")) else None
    for node in select(reader.root, reading.date):
        texts = [node.get(name) for name in ("datetime", "title", "data-time", "data-timestamp")]
        texts += [value for name, value in node.attrib.items() if re.search(r"time|date", name)] + [
            node_text(node)
        ]
        texts += [
            child.get("datetime") or child.get("title")
            for child in node.iterdescendants("time", "abbr", "span", "a")
        ]
        found = next(((t, d) for t in texts if t and (d := find_date(t) or find_stamp(t))), None)
        reader.date_raw = found[0] if found else reader.date_raw or squeeze(node_text(node)) or None
        if found:
            reader.date = found[1]
            break
    bodies = select(reader.root, reading.body)
    body = bodies[0] if bodies else reader.root
    if reading.drop:
        body = deepcopy(body)
        for node in select(body, reading.drop):
            node.drop_tree()
    return inner_html(body)


def read_rendered(page: Page, systems: tuple[CommentSystem, ...]) -> list[list[Comment]]:
    """Per system carried, its comments in the rendered page and in its frames."""
    out = []
    for system in systems:
        documents = [page] + [
            f
            for f in page.frames
            if not system.frame or re.search(system.frame, f.url) or f.url == page.url
        ]
        lists = [read_embedded(d, system) for d in documents]
        best = max(lists, key=len, default=[])
        if best:
            out.append(best)
    return out
