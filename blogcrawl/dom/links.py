"""The links of a page, each with what distinguishes a pager from a tag cloud: anchor text and tag
path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, islice
from typing import NamedTuple
from urllib.parse import unquote

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.bounds import MAX_TRIED
from blogcrawl.core.page import Page, kept
from blogcrawl.dom import forms
from blogcrawl.text.visible import squeeze
from blogcrawl.urls import parts as urlparts

MAX_LINKS = 5000
"""Per page; the busiest archive pages seen hold some 2,000."""
MAX_ANCHOR = 80
PATH_STEPS = 6
"""Nearest ancestors kept: enough to part side bar from body, short enough to repeat from page to
page (Gauquier 2026 uses whole paths).
"""
_STEP_NAME = re.compile(r"[A-Za-z][A-Za-z_\-]{1,23}")
_ADDRESS_STARTS = ("http://", "https://", "/", "?", "./", "../")
MAX_SCRIPT = 1000
"""Characters of a script in which the address that it leads to is looked for."""
_LOCATION = re.compile(
    r"""\blocation(?:\.href)?(?:\s?=|\.(?:assign|replace)\()\s?"""
    r"""(?P<mark>["'])(?P<place>[^"'<>\s]++)(?P=mark)(?!\s?\+)"""
)
_LINKING = etree.XPath(
    "descendant::*[self::a or self::area or self::link or self::option or self::form"
    " or contains(@onclick, 'location')]"
)
_WITH_ID = etree.XPath("boolean(descendant::*[@id=$name])")
_LINK_RELS = frozenset(
    {"next", "prev", "previous", "archives", "amphtml", "index", "start", "first", "last"}
)


@dataclass(frozen=True, slots=True)
class Link:
    """``url`` is absolute, without fragment but a script's route; ``rel`` lower case, words parted
    by blanks.
    """

    url: str
    anchor: str = ""
    tag_path: str = ""
    rel: str = ""
    nofollow: bool = False


class _Leading(NamedTuple):
    """An element that leads to a page, with its address, ``rel`` and anchor text, None: its own."""

    element: HtmlElement
    href: str
    rel: str
    label: str | None = None


def _linking(page: Page) -> Iterator[_Leading]:
    """Yield the elements that lead to pages."""
    known_forms = 0
    leading: list[HtmlElement] = _LINKING(page.tree)  # type: ignore[assignment]
    for element in leading:
        if element.tag == "form":
            known_forms += 1
            yield from _sent(page, element) if known_forms <= MAX_TRIED else ()
            continue
        href, rel = _reference(element), squeeze(element.get("rel")).lower()
        if href and (element.tag != "link" or not _LINK_RELS.isdisjoint(rel.split())):
            yield _Leading(element, href, rel)


def _sent(page: Page, form: HtmlElement) -> Iterator[_Leading]:
    """Yield the pages that a form without words to fill in leads to."""
    if forms.method_of(form) != "get":
        return
    action = re.split(r"[?#]", form.get("action") or page.url, maxsplit=1)[0]
    for sent in forms.answers(form, page.encoding):
        yield _Leading(sent.element, f"{action}?{sent.query}", "", sent.label)


def _reference(element: HtmlElement) -> str | None:
    """Return where an element leads: a link; the choice in a menu of months, whose value is an
    address; what a click on any other element, or a link by script, makes the page's location.
    """
    if element.tag == "option":
        value = (element.get("value") or "").strip()
        return value if value.startswith(_ADDRESS_STARTS) else None
    href = element.get("href", "").strip()
    is_script = href[:11].lower() == "javascript:"
    if href and not is_script and not href.startswith("#"):
        return href
    script = _LOCATION.search((href if is_script else element.get("onclick", ""))[:MAX_SCRIPT])
    return script["place"] if script else None if is_script else href


@kept
def page_links(page: Page) -> list[Link]:
    """Return links of ``page`` in document order, each URL once: ``a`` and ``area``, ``link``
    elements that lead to more pages, menus, buttons and forms whose address stands in the markup;
    of a list that was read a part at a time, those of all parts.

    A URL linked twice keeps the first place with an anchor text. Never raises; at most MAX_LINKS.
    """
    found: dict[str, Link] = {}
    for part in (page, *page.screens):
        _gather(part, found)
    return list(found.values())


def _gather(page: Page, found: dict[str, Link]) -> None:
    """Add the links of one document to those that are known."""
    all_nofollow = _robots_nofollow(page)
    absolute = cache(partial(_absolute, page))
    for element, href, rel, label in _linking(page):
        if len(found) >= MAX_LINKS:
            break
        url = absolute(href)
        known = found.get(url or "")
        if url is None or (known is not None and (known.anchor or element.tag == "link")):
            continue
        anchor = _anchor(element) if label is None else label[:MAX_ANCHOR]
        if anchor or known is None:
            nofollow = all_nofollow or "nofollow" in rel.split()
            found[url] = Link(url, anchor, tag_path(element), rel, nofollow)


def tag_path(element: HtmlElement) -> str:
    """Return up to PATH_STEPS steps to ``element``, outermost first, as ``tag.class`` with digits
    cut off: ``div.pager>a.next``.
    """
    steps: list[str] = []
    node: HtmlElement | None = element
    while node is not None and len(steps) < PATH_STEPS:
        tag = node.tag
        if tag in ("body", "html"):
            break
        if isinstance(tag, str):
            name = _STEP_NAME.search((node.get("class") or node.get("id", ""))[:200])
            steps.append(f"{tag}.{name.group().lower()}" if name else tag)
        node = node.getparent()
    return ">".join(reversed(steps))


def _absolute(page: Page, href: str) -> str | None:
    href = href.strip()
    if href.startswith("#") and not (page.rendered and href[1:2] in ("/", "!")):
        return None
    url = page.absolute(href[:8192])
    if not url or "#" not in url:
        return url
    route = urlparts.route(url) if page.rendered else ""
    if route and is_place_in(page, url):
        return None
    return url.partition("#")[0] + (f"#{route}" if route else "")


def is_place_in(page: Page, url: str) -> bool:
    """Return whether a script's route leads to a place in the page that shows it: it adds the
    ``id`` of an element to the page's own, ``#/post/1?id=first-steps``."""
    head, _, query = urlparts.route(url).partition("?")
    own = urlparts.route(page.url).partition("?")[0]
    if not query or head.strip("!/") != own.strip("!/"):
        return False
    names = {unquote(item.partition("=")[2]) for item in query.split("&")} - {""}
    return any(_WITH_ID(page.tree, name=name) for name in names)


def _anchor(element: HtmlElement) -> str:
    pieces: list[str] = []
    length = 0
    for piece in element.itertext():
        pieces.append(piece)
        length += len(piece)
        if length > 4 * MAX_ANCHOR:
            break
    text = squeeze("".join(pieces)[: 4 * MAX_ANCHOR])
    if not text:
        image = next(element.iter("img"), None)
        text = squeeze(
            (image.get("alt") if image is not None else None)
            or element.get("title")
            or element.get("aria-label")
        )
    return text[:MAX_ANCHOR]


def _robots_nofollow(page: Page) -> bool:
    """Return whether ``<meta name=robots content=nofollow>`` or the equivalent header is
    present."""
    values = [page.headers.get("x-robots-tag", "")]
    values += [
        m.get("content", "")
        for m in page.tree.iter("meta")
        if m.get("name", "").lower() == "robots"
    ]
    return any(re.search(r"\b(?:nofollow|none)\b", v.lower()) for v in values)


def headed_links(page: Page) -> Iterator[str]:
    """Yield the addresses of links in or around headings: what a list of posts calls each."""
    for heading in islice(page.tree.iter("h1", "h2", "h3", "h4"), MAX_TRIED):
        link = next(chain(heading.iterdescendants("a"), heading.iterancestors("a")), None)
        url = page.absolute(link.get("href") or "") if link is not None else None
        if url is not None:
            yield url
