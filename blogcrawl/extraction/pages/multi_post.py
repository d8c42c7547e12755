"""Several posts on one page, distinguished by fragments (``/2004.html#e12``): hand-made diaries,
weblogs of the first engines, link logs.

The feed's entries of one page show what has a post's fragment and what belongs to the post around
it; then every page of that kind, also those that the feed never showed, falls into pages of one
post each, on which all methods work as on any other.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from urllib.parse import quote, unquote

import lxml.html
from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.bounds import MAX_ELEMENTS
from blogcrawl.core.page import Page
from blogcrawl.dates.parse import find_date
from blogcrawl.extraction.pages import post_splitter as partcut
from blogcrawl.extraction.pages.day_lines import DayLine, day_lines
from blogcrawl.extraction.pages.post_splitter import Cut, Part, place_of
from blogcrawl.text.visible import node_text
from blogcrawl.urls.canonical import TEXT, canonicalize, entry_key

_IN_LINES = ("b", "strong", "font", "span", "i", "em")
_BEHIND_DAY = " \t\r\n\u00a0:.-–—"
_KEPT_META = frozenset({"author", "generator", "dc.creator", "byl", "language", "content-language"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PartShape:
    """What has the fragment of a post (``tag``, and ``forms`` of its value as regular expressions),
    and how a page is cut.

    ``places``: signatures of such elements and those around them, where the values have no common
    form; ``on_home``: the feed's posts stand on the start page; ``lines``: posts have no fragments,
    but begin with lines that are days.
    """

    tag: str
    forms: tuple[str, ...]
    places: tuple[str, ...] = ()
    on_home: bool = False
    lines: bool = False
    cut: Cut = field(default_factory=Cut)

    def fits(self, element: HtmlElement) -> str | None:
        """Return the fragment that ``element`` has as a post's anchor, else None."""
        value = anchor_of(element)
        if not value or not any(_pattern(form).fullmatch(value) for form in self.forms):
            return None
        return value if not self.places or place_of(element) in self.places else None


@cache
def _pattern(form: str) -> re.Pattern[str]:
    return re.compile(form)


def anchor_of(element: HtmlElement) -> str | None:
    """Return the fragment that leads to ``element`` (HTML Living Standard 7.4.6.4: id, or the name
    of an ``a``).
    """
    return element.get("id") or (element.get("name") if element.tag == "a" else None)


def fragment_of(url: str) -> str:
    """Return the fragment of the address of a part, decoded; ``""`` for other addresses."""
    return unquote(entry_key(url).partition("#")[2])


def text_of_part(part: Page) -> str:
    """Return fragment and text of a part, by which other pages show it too."""
    return f"{fragment_of(part.url)}\n{node_text(part.tree)}"


def anchors(page: Page, shape: PartShape) -> list[tuple[str, HtmlElement]]:
    """Return fragments of posts on the page with their elements, each once, in document order."""
    if shape.lines:
        lines = (line for line in day_lines(page) if line.node.tag == shape.tag)
        return _each_once(lines, shape)
    found: dict[str, HtmlElement] = {}
    for element in page.tree.iter(shape.tag):
        value = shape.fits(element)
        if value is not None and len(found) < MAX_ELEMENTS:
            found.setdefault(value, element)
    return list(found.items())


def _each_once(lines: Iterable[DayLine], shape: PartShape) -> list[tuple[str, HtmlElement]]:
    """Return the lines at the shape's places; what stands below one that a former line repeats
    belongs to that."""
    found: dict[str, HtmlElement] = {}
    for line in lines:
        if place_of(line.node) in shape.places:
            found.setdefault(line.fragment, line.node)
    return list(found.items())


def split_page(page: Page, shape: PartShape) -> list[Page]:
    """One page per post, in document order; its ``whole`` is ``page``. Posts that name another page
    as their place are left out.
    """
    about = _kept_of_head(page)
    return [
        _part_page(page, about, part, shape.cut)
        for part in partcut.parts(page, anchors(page, shape), shape.cut)
        if _at_home(page, *part)
    ]


def part_page(page: Page, shape: PartShape, url: str) -> Page | None:
    """Return the part of ``page`` at ``url``, whose fragment names it, else None."""
    wanted = fragment_of(url)
    found = (
        part for part in partcut.parts(page, anchors(page, shape), shape.cut) if part[0] == wanted
    )
    return next((_part_page(page, _kept_of_head(page), part, shape.cut) for part in found), None)


def _at_home(
    page: Page, fragment: str, _lead: HtmlElement | None, nodes: Sequence[HtmlElement]
) -> bool:
    """False on copies (lists of categories, start pages): the post's own link leads to another page
    with the same fragment.
    """
    own = canonicalize(page.url)
    for node in nodes:
        for link in node.iter("a"):
            href = link.get("href", "")
            if href.endswith("#" + fragment) or unquote(href).endswith("#" + fragment):
                url = page.absolute(href)
                if url is not None and canonicalize(url) != own:
                    return False
    return True


def _kept_of_head(page: Page) -> list[HtmlElement]:
    """Return what of a page's head holds for each of its parts."""
    known = (
        node
        for head in page.tree.iterchildren("head")
        for node in head.iterchildren("base", "meta")
    )
    return [node for node in known if node.tag == "base" or _name_of(node) in _KEPT_META]


def _name_of(meta: HtmlElement) -> str:
    return (meta.get("name") or meta.get("http-equiv", "")).lower()


def _day_of_page(page: Page, fragment: str) -> str | None:
    """Return the day of a line that has its year or month from the page, which the part has not."""
    lines = day_lines(page) if fragment.startswith(TEXT) else []
    found = next((line.when for line in lines if line.fragment == fragment), None)
    is_whole = find_date(fragment.removeprefix(TEXT), page.tree.get("lang")) is not None
    return None if found is None or is_whole else found.moment.date().isoformat()


def _quoted(fragment: str) -> str:
    if fragment.startswith(TEXT):
        return TEXT + quote(fragment.removeprefix(TEXT), safe="")
    return quote(fragment, safe="!$&'()*+,;=:@/?-._~%")


def _end_line(body: HtmlElement, day: str) -> None:
    """End the line behind a day with which a post's text begins: ``<li><b>3.5.04</b>: The …``."""
    node = next((node for node in body.iter(*_IN_LINES) if node_text(node) == day), None)
    text = (node.tail or "").lstrip(_BEHIND_DAY) if node is not None else ""
    if node is not None and text:
        node.tail = None
        line_end = etree.Element("br")
        line_end.tail = text
        node.addnext(line_end)


def _part_page(page: Page, about: Sequence[HtmlElement], part: Part, cut: Cut) -> Page:
    fragment, lead, nodes = part
    root = lxml.html.document_fromstring("<html></html>")
    head, body = etree.SubElement(root, "head"), etree.SubElement(root, "body")
    if page.tree.get("lang"):
        root.set("lang", page.tree.get("lang"))
    head.extend(map(copy.deepcopy, about))
    if (day := _day_of_page(page, fragment)) is not None:
        etree.SubElement(head, "meta", {"property": "article:published_time", "content": day})
    body.extend(partcut.assembled(lead, nodes, cut))
    if fragment.startswith(TEXT):
        _end_line(body, fragment.removeprefix(TEXT))
    source = lxml.html.tostring(root, encoding="utf-8", doctype="<!DOCTYPE html>")
    url = page.url.partition("#")[0] + "#" + _quoted(fragment)
    headers = {**page.headers, "content-type": "text/html; charset=utf-8"}
    return replace(
        page,
        url=url,
        body=source,
        headers=headers,
        boxes=None,
        screenshot=None,
        frames=(),
        whole=page,
        rendered=False,
    )
