"""Comments of script-driven systems: out of their rendered documents, by the table's selectors, or
out of their JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import lru_cache

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.candidates import read_units
from blogcrawl.comments.locate import nest, number_of
from blogcrawl.comments.page_reader import read_page
from blogcrawl.comments.records import inner_html, make_comment, unique_ids
from blogcrawl.comments.threads import parents
from blogcrawl.comments.unit import Reader, Unit
from blogcrawl.core.page import Page
from blogcrawl.core.records import Comment
from blogcrawl.dates.day_order import settle_order
from blogcrawl.dates.machine_date import unix_time
from blogcrawl.dates.parse import find_date
from blogcrawl.rendering.systems import SYSTEMS, Carried, CommentSystem, Reading, carried_systems
from blogcrawl.text.visible import node_text, squeeze


@lru_cache(maxsize=256)
def _xpath(css: str) -> etree.XPath:
    from cssselect import HTMLTranslator

    return etree.XPath(HTMLTranslator().css_to_xpath(css, prefix="descendant-or-self::"))


def select(root: HtmlElement, css: str) -> list[HtmlElement]:
    """Return nodes below ``root`` (itself included) that a CSS selector names, in document
    order."""
    found = _xpath(css)(root) if css else []
    return [n for n in found if isinstance(n, etree._Element)] if isinstance(found, list) else []


def read_embedded(page: Page, system: CommentSystem) -> list[Comment]:
    """Return comments in a document that ``system`` has drawn: the rendered page, or one of its
    frames. Source: browser (endpoint: api).
    """
    reading = system.reading
    if not reading.unit:
        return [replace(c, source="browser") for c in read_page(page).comments]
    units = [Unit([n], number_of(n)) for n in _unit_nodes(page, reading)]
    if not units:
        return []
    nest(units)
    readers = read_units(units, page.tree.get("lang"))
    bodies = [_fields(reader, reading) for reader in readers]
    first = settle_order([r.date for r in readers])
    made = [_comment(page, r, html, first) for r, html in zip(readers, bodies, strict=True)]
    return list(filter(_has_content, _threaded(made, readers, reading)))


def _has_content(comment: Comment) -> bool:
    return bool(comment.content_text or comment.content_html)


def _threaded(
    made: Sequence[Comment], readers: Sequence[Reader], reading: Reading
) -> Iterator[Comment]:
    """Yield the comments with ids of their own and those of what they answer."""
    marks = [select(r.root, reading.thread)[:1] for r in readers]
    ids = unique_ids([c.id for c in made])
    above = parents(readers, ids, marks)
    for comment, own, parent in zip(made, ids, above, strict=True):
        yield replace(comment, id=own, parent_id=parent)


def _unit_nodes(page: Page, reading: Reading) -> list[HtmlElement]:
    """Return a node for each comment; of two nodes around one body the outer."""
    nodes = select(page.tree, reading.unit)
    if not reading.body:
        return nodes
    outer = {found[0]: n for n in reversed(nodes) if (found := select(n, reading.body))}
    return list(reversed(outer.values()))


def _comment(page: Page, reader: Reader, html: str, day_first: bool | None) -> Comment:
    """Return the comment of a reader; ``day_first``: the order of day and month in the page's
    dates."""
    return make_comment(
        html,
        source="browser" if page.rendered else "api",
        base_url=page.base_url,
        number=reader.unit.number,
        author=reader.author,
        author_url=page.absolute(reader.author_url) if reader.author_url else None,
        published=reader.date.picked(day_first).aware() if reader.date else None,
        published_raw=reader.date_raw,
    )


def _fields(reader: Reader, reading: Reading) -> str:
    """Fill author and date of the reader and return the body's HTML."""
    _read_author(reader, reading)
    _read_date(reader, reading)
    bodies = select(reader.root, reading.body)
    body = bodies[0] if bodies else reader.root
    if reading.drop:
        body = deepcopy(body)
        for node in select(body, reading.drop):
            node.drop_tree()
    return inner_html(body)


def _read_author(reader: Reader, reading: Reading) -> None:
    author = next((n for n in select(reader.root, reading.author) if node_text(n)), None)
    if author is None:
        return
    reader.author = node_text(author)
    links = (author, *author.iterancestors("a"), *author.iterdescendants("a"))
    href = next((link.get("href") for link in links if link.get("href")), None)
    reader.author_url = href if href and not href.startswith(("#", "javascript:")) else None


def _read_date(reader: Reader, reading: Reading) -> None:
    for node in select(reader.root, reading.date):
        for text in filter(None, _date_texts(node)):
            date = find_date(text) or unix_time(text)
            if date is not None:
                reader.date, reader.date_raw = date, text
                return
        reader.date_raw = reader.date_raw or squeeze(node_text(node)) or None


def _date_texts(node: HtmlElement) -> Iterator[str]:
    """Yield attributes and texts of a node that may hold its date, most exact first."""
    names = ["datetime", "title", "data-time", "data-timestamp"]
    names += [name for name in node.attrib if re.search(r"time|date", name)]
    yield from filter(None, map(node.get, names))
    yield node_text(node)
    for child in node.iterdescendants("time", "abbr", "span", "a"):
        yield child.get("datetime") or child.get("title") or ""


def drawn_systems(page: Page) -> list[Carried]:
    """Return the systems on a page as a browser showed it: by their marks, and by comments as they
    draw them, as applications bundle the scripts of systems."""
    found = carried_systems(page)
    known = {carried.system.name for carried in found}
    drawn = (s for s in SYSTEMS if s.name not in known and s.reading.unit and s.reading.author)
    return found + [Carried(s) for s in drawn if _is_drawn(page, s.reading)]


def _is_drawn(page: Page, reading: Reading) -> bool:
    return any(
        select(unit, reading.author) and select(unit, reading.body)
        for unit in select(page.tree, reading.unit)
    )


def read_rendered(page: Page, systems: tuple[CommentSystem, ...]) -> list[list[Comment]]:
    """Return per system carried, its comments in the rendered page and in its frames."""
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
