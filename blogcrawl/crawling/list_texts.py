"""Edits of archived posts that lists show: an update reads the lists of a blog without a feed
anyway, and many show the posts' titles and the beginning of their texts, or all of them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import chain

from lxml.html import HtmlElement

from blogcrawl.core.evidence import MAJORITY, SEVERAL
from blogcrawl.core.page import Page
from blogcrawl.dom.blocks import BOUNDARIES
from blogcrawl.text.lengths import MIN_SENTENCE
from blogcrawl.text.visible import node_text

HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_CUT = re.compile(r"(?:…|\.{3}|\[…\]|\[\.{3}\]).{0,40}$")
"""Where an excerpt ends, and the link behind it."""
Place = tuple[str, str, str]
"""Tag and classes of an element, and classes of the one around it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A title or a passage that a list shows of a post, and the place that it has in the theme."""

    post: str
    place: Place
    text: str


def edited(
    page: Page, post_at: Callable[[str], str | None], text_of: Callable[[str], str | None]
) -> dict[str, str]:
    """Return the posts of a list whose titles or texts there are not those that are archived, with
    a digest of what is new. ``post_at``: the archived post at an address; ``text_of``: its title
    and text.

    What a place of the theme shows is of the archived text where it is so of most posts: summaries
    that were written for the list, dates and numbers never are.
    """
    places: dict[Place, list[tuple[Piece, bool]]] = defaultdict(list)
    archived = cache(lambda post: _letters(text_of(post) or ""))
    for piece in pieces(page, post_at):
        if text := archived(piece.post):
            places[piece.place].append((piece, piece.text in text))
    changed = chain.from_iterable(map(_changed, places.values()))
    return {piece.post: _digest(piece.text) for piece in changed}


def _changed(found: Sequence[tuple[Piece, bool]]) -> list[Piece]:
    """Return what a place shows that is not archived, where it shows what is, of most posts."""
    other = [piece for piece, is_archived in found if not is_archived]
    known = len(found) - len(other)
    return other if known >= SEVERAL and known >= MAJORITY * len(found) else []


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def pieces(page: Page, post_at: Callable[[str], str | None]) -> Iterator[Piece]:
    """Yield what a list shows of archived posts: headings and passages in the widest element around
    the links to one post that leads to no other."""
    owners: dict[HtmlElement, str | None] = {}
    for link, post in _links(page, post_at):
        for node in (link, *link.iterancestors()):
            owners[node] = post if owners.get(node, post) == post else None
    for block, post in _widest(owners).items():
        yield from _pieces_in(block, post)


def _pieces_in(block: HtmlElement, post: str) -> Iterator[Piece]:
    for node in filter(_is_innermost, block.iter(*BOUNDARIES)):
        if text := _letters(_passage(node)):
            yield Piece(post, (str(node.tag), _class(node), _class(node.getparent())), text)


def _class(node: HtmlElement | None) -> str:
    return node.get("class", "") if node is not None else ""


def _is_innermost(node: HtmlElement) -> bool:
    return all(inner is node for inner in node.iter(*BOUNDARIES))


def _links(page: Page, post_at: Callable[[str], str | None]) -> Iterator[tuple[HtmlElement, str]]:
    for link in page.tree.iter("a"):
        url = page.absolute(link.get("href", ""))
        post = post_at(url) if url is not None else None
        if post is not None:
            yield link, post


def _widest(owners: Mapping[HtmlElement, str | None]) -> dict[HtmlElement, str]:
    """Return the elements of one post each that stand in one of several."""
    return {
        node: owner
        for node, owner in owners.items()
        if owner is not None and owners.get(node.getparent(), owner) is None
    }


def _passage(node: HtmlElement) -> str:
    """Return the text of a heading, or of a passage without what leads on; "" of a shorter one."""
    if node.tag in HEADINGS:
        return node_text(node)
    text = _CUT.sub("", _without_link(node))
    return text if len(text) >= MIN_SENTENCE else ""


def _without_link(node: HtmlElement) -> str:
    """Return the text without a link at its end ("Read more")."""
    last = next(reversed(list(node.iter("a"))), None)
    text = node_text(node)
    return text.removesuffix(node_text(last)) if last is not None else text


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())
