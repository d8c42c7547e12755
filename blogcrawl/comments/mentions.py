"""Mentions of a post by other blogs that have a list of their own next to the comments, as Movable
Type, TypePad, Serendipity and many themes have it: below a heading, or in a box, that is named
after trackbacks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import chain, islice, takewhile
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.comments.locate import is_dated_line
from blogcrawl.comments.unit import Unit
from blogcrawl.core.bounds import MAX_TRIED
from blogcrawl.text.visible import node_text

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_NAMED: Any = etree.XPath(
    "descendant::*[contains(@id, 'rackback') or contains(@class, 'rackback')"
    " or contains(@id, 'ings') or contains(@class, 'ings') or contains(@class, 'ingback')]"
    "|descendant::h2|descendant::h3|descendant::h4"
)
_LIST = re.compile(
    r"#trackback|#?(?:trackback|pingback|ping)s(?:[-_](?:list|content))?"
    r"|[\w-]{0,60}[-_]section[-_]trackbacks",
    re.I,
)
_LABEL = re.compile(r"[\W\d]*+(?:trackback|pingback)s?(?:\spings)?[\W\d]*+", re.I)
_HOST = re.compile(r"https?://([^/?#]+)", re.I)
_OWN_ADDRESS = re.compile(r"trackback|mt-?tb|tb\.(?:cgi|php)", re.I)
"""Of the address to which other blogs send their mentions."""


class MentionLists:
    """The lists of mentions on a page; ``host``: of it, to which no mention links."""

    def __init__(self, root: HtmlElement, host: str) -> None:
        self.host = host
        self.lists = list(filter(_is_list, _NAMED(root)))

    def mark(self, comments: Sequence[Unit]) -> None:
        """Mark those of the comments that stand in a box of mentions."""
        boxes = {box for box in self.lists if box.tag not in _HEADINGS}
        for unit in comments if boxes else ():
            unit.is_mention = not boxes.isdisjoint(unit.elements[0].iterancestors())

    def find(self, comments: Sequence[Unit], banned: Collection[HtmlElement] = ()) -> list[Unit]:
        """Return the mentions that are not among the comments; ``banned``: elements that are in no
        comment."""
        known = _elements(comments)
        lists = self._outside(known)
        taken = known.union(banned, lists)
        found: list[Unit] = []
        for item in dict.fromkeys(chain.from_iterable(map(_parts, lists))):
            if not taken.isdisjoint(item.iter()):
                continue
            if _leads_out(item, self.host):
                found.append(Unit([item], is_mention=True))
            elif found and _is_byline(item, found[-1]):
                found[-1].elements.append(item)
        return found

    def _outside(self, comments: set[HtmlElement]) -> list[HtmlElement]:
        """Return the lists that are and stand in no comment."""
        return [e for e in self.lists if not _is_within(e, comments)]


def _elements(comments: Sequence[Unit]) -> set[HtmlElement]:
    out: set[HtmlElement] = set()
    for unit in comments:
        out.update(unit.elements)
    return out


def _is_within(element: HtmlElement, others: set[HtmlElement]) -> bool:
    return not others.isdisjoint((element, *element.iterancestors()))


def _is_byline(element: HtmlElement, mention: Unit) -> bool:
    """Return whether an element is the line with the date behind a mention."""
    return mention.elements[-1] is element.getprevious() and is_dated_line(element)


def _is_list(element: HtmlElement) -> bool:
    """Return whether a heading or box is that of the mentions, by its name or words."""
    names = (f"#{element.get('id')}", *element.get("class", "").split())
    if any(map(_LIST.fullmatch, names)):
        return True
    return element.tag in _HEADINGS and _LABEL.fullmatch(node_text(element)) is not None


def _parts(area: HtmlElement) -> Iterator[HtmlElement]:
    """Yield what stands below a heading up to the next one, or in a box; the entries of lists in
    it."""
    parts = area.iterchildren(etree.Element)
    if area.tag in _HEADINGS or (area.tag == "a" and not node_text(area)):
        below = area.itersiblings(etree.Element)
        parts = takewhile(lambda element: element.tag not in _HEADINGS, below)
    for part in islice(parts, MAX_TRIED):
        yield from part if part.tag in ("ul", "ol") else (part,)


def _leads_out(item: HtmlElement, host: str) -> bool:
    """Return whether a link leads to a page of another host."""
    links = (link.get("href") or "" for link in islice(item.iter("a"), MAX_TRIED))
    return any(map(partial(_is_elsewhere, host), links))


def _is_elsewhere(host: str, address: str) -> bool:
    found = _HOST.match(address)
    return found is not None and found[1] != host and not _OWN_ADDRESS.search(address)
