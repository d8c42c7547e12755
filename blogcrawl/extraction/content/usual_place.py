"""Contents that a method read page by page, made one: most pages of a blog show in which element
its posts stand, and on a short post the footer may weigh more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from lxml.html import HtmlElement

from blogcrawl.core.evidence import MAJORITY, SEVERAL
from blogcrawl.core.page import Page
from blogcrawl.core.records import FieldValue

_PATH = "path"


class _Place(NamedTuple):
    """What names an element: its tag with its id, with one of its classes, or alone; the path to
    one that has no names."""

    tag: str
    attribute: str
    name: str


def at_usual_place(
    contents: Sequence[FieldValue | None], pages: Sequence[Page]
) -> list[FieldValue | None]:
    """Return the contents, those outside the element that holds most of the others' replaced by
    what that element is on their page.
    """
    own = [_own_places(value, page) for value, page in zip(contents, pages, strict=True)]
    counts = Counter(place for places in own for place in places)
    if not counts:
        return list(contents)
    usual, pages_with = max(counts.items(), key=lambda item: (item[1], item[0]))
    if pages_with < max(SEVERAL, MAJORITY * len(pages)) or pages_with == len(pages):
        return list(contents)
    return [
        value if usual in places else _moved(value, usual, page)
        for value, places, page in zip(contents, own, pages, strict=True)
    ]


def _own_places(value: FieldValue | None, page: Page) -> set[_Place]:
    """Return the names that a content's element has on its page alone."""
    node = value.value if value is not None else None
    if not isinstance(node, HtmlElement) or node.tag in ("body", "html"):
        return set()
    return {place for place in _places(node) if _only(page, place) is node}


def _places(node: HtmlElement) -> Iterator[_Place]:
    yield _Place(node.tag, "", "")
    yield from (_Place(node.tag, "class", name) for name in node.get("class", "").split())
    if node.get("id"):
        yield _Place(node.tag, "id", node.get("id", ""))
    elif not node.get("class"):
        yield _Place(node.tag, _PATH, node.getroottree().getpath(node))


def _only(page: Page, place: _Place) -> HtmlElement | None:
    """Return the page's element of this name, None unless there is exactly one."""
    if place.attribute == _PATH:
        return next(iter(page.tree.xpath(place.name)), None)
    found = [
        node
        for node in page.tree.iter(place.tag)
        if not place.attribute or place.name in node.get(place.attribute, "").split()
    ]
    return found[0] if len(found) == 1 else None


def _moved(value: FieldValue | None, usual: _Place, page: Page) -> FieldValue | None:
    """Return a content with the element of this name, if the page has one that it is no part of."""
    node = _only(page, usual)
    if value is None or not isinstance(value.value, HtmlElement) or node is None:
        return value
    is_part = any(above is node for above in value.value.iterancestors())
    return value if is_part else replace(value, value=node)
