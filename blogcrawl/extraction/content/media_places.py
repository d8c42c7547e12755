"""Where the posts of a blog show pictures, films and sounds of their own outside their text: the
strip of a comic above its entry, the photo of a photoblog, the player of a podcast.

The place is learned: what stands there is another on each post, while menus, banners and the
pictures of neighbours recur on the newest posts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from lxml.html import HtmlElement

from blogcrawl.core.evidence import LEVELS, MAJORITY, SEVERAL
from blogcrawl.core.page import Page
from blogcrawl.extraction.content.cover import (
    SHOWN,
    file_name,
    is_of_post,
    links_elsewhere,
    shown_address,
)

_DIGITS = re.compile(r"\d+")
_ADDRESS = re.compile(r"""\b(?:src|href)=["']?([^\s"'<>]{1,2000})""", re.I)
_TRANSPARENT = ("a", "picture")
"""Elements that some of the posts have around their picture: a link to the post before, which the
first one lacks."""


@dataclass(slots=True)
class _Seen:
    """What stands at a place of the pages that were looked at."""

    pages: int = 0
    """Pages on which it is their own."""
    named: int = 0
    """Of them those whose feed entry shows the same."""
    recurs: bool = False
    is_list: bool = False
    """Several links to other pages stand there."""


def own_places(
    pages: Sequence[Page],
    contents: Sequence[HtmlElement | None],
    fed: Sequence[Set[str]],
    recurring: Collection[str],
) -> list[str]:
    """Return the places outside of the ``contents`` of posts' ``pages`` where these show pictures,
    films or sounds that no other page shows (``recurring``: names of those that do), on several
    pages, or on one of which the feed has them (``fed``: names of what each entry shows, links or
    encloses).
    """
    seen: dict[str, _Seen] = {}
    for page, content, shown in zip(pages, contents, fed, strict=True):
        _look(page, content, shown, recurring, seen)
    return sorted(place for place, what in seen.items() if _is_own(what))


def names_in(html: str, enclosed: Iterable[str]) -> Set[str]:
    """Return the names of files that a feed entry's HTML shows or links, and of those ``enclosed``
    (addresses)."""
    return {file_name(url) for url in (*_ADDRESS.findall(html), *enclosed)} - {""}


def _is_own(what: _Seen) -> bool:
    """Return whether what stands at a place is the posts': the feed has it of most of them, or none
    of it recurs."""
    if what.is_list or (what.recurs and what.named < MAJORITY * what.pages):
        return False
    return what.pages >= SEVERAL or what.named > 0


def _look(
    page: Page,
    content: HtmlElement | None,
    fed: Set[str],
    recurring: Collection[str],
    seen: dict[str, _Seen],
) -> None:
    """Note what a page shows outside of its content."""
    own: dict[str, list[str]] = {}
    linked: Counter[str] = Counter()
    for element, name in _outside(page, content):
        place = place_of(element)
        what = seen.setdefault(place, _Seen())
        what.recurs |= name in recurring
        linked[place] += links_elsewhere(element)
        own.setdefault(place, []).append(name)
    for place, names in own.items():
        seen[place].pages += 1
        seen[place].named += not fed.isdisjoint(names)
        seen[place].is_list |= linked[place] > 1


def media_at(
    page: Page,
    content: HtmlElement | None,
    places: Collection[str],
    recurring: Collection[str],
) -> tuple[list[HtmlElement], list[HtmlElement]]:
    """Return what the page shows at these places outside of its content: before it, and behind."""
    if not places:
        return [], []
    found = [
        element
        for element, name in _outside(page, content)
        if name not in recurring and place_of(element) in places
    ]
    first = set(_before(page, content)) if found else ()
    return (
        [_with_link(element) for element in found if element in first],
        [_with_link(element) for element in found if element not in first],
    )


def _with_link(element: HtmlElement) -> HtmlElement:
    """Return a picture with its link where that leads to a larger one."""
    above = element.getparent()
    is_linked = above is not None and above.tag == "a" and not links_elsewhere(element)
    return above if above is not None and is_linked else element


def _before(page: Page, content: HtmlElement | None) -> Iterator[HtmlElement]:
    for element in page.tree.iter():
        if element is content:
            return
        yield element


def _outside(page: Page, content: HtmlElement | None) -> Iterator[tuple[HtmlElement, str]]:
    """Yield the pictures, players and frames outside of the content that may be the post's and that
    it does not show, with their names."""
    known = {""}
    if content is not None:
        known.update(name for _, name in _named(content, page))
    for element, name in _named(page.tree, page):
        if name not in known and is_of_post(element):
            yield element, name


def _named(root: HtmlElement, page: Page) -> Iterator[tuple[HtmlElement, str]]:
    for element in root.iter(*SHOWN):
        url = shown_address(element, page)
        if url is not None:
            yield element, file_name(url)


def place_of(element: HtmlElement) -> str:
    """Return the tags from the nearest element above that has a name, which is with it, down to an
    element."""
    steps = [element.tag]
    above: Iterable[HtmlElement] = element.iterancestors()
    for node, _ in zip(above, range(LEVELS), strict=False):
        if node.tag not in _TRANSPARENT:
            steps.append(_label(node))
            if steps[-1] != node.tag:
                break
    return "/".join(reversed(steps))


def _label(node: HtmlElement) -> str:
    """Return an element's tag with its id, or else its classes; numbers in them are blanked."""
    if node.get("id"):
        return _DIGITS.sub("0", f"{node.tag}#{node.get('id')}")
    names = sorted(set(node.get("class", "").split()))
    return _DIGITS.sub("0", ".".join([node.tag, *names]))
