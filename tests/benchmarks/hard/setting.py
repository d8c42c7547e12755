"""A recorded post's page as it is made harder: where its parts stand, what is true of it, and
chance that is the same at every run.
"""

from __future__ import annotations

import hashlib
import random
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import lxml.html

from blogcrawl.core.page import Page
from tests.benchmarks.theme_parts import node_of

HEADINGS = ("h1", "h2", "h3", "h4", "a", "span", "div", "p", "b", "td")


@dataclass
class Facts:
    """What is true of a post; None is not scored.  ``untitled``: a title would be made up."""

    title: str | None = None
    authors: tuple[str, ...] = ()
    date: str | None = None
    text: str | None = None
    tags: tuple[str, ...] | None = None
    pictures: tuple[str, ...] = ()
    untitled: bool = False


@dataclass
class Site:
    """What themes write of the blog itself and of its other posts: title, address,
    ISO day of each.
    """

    id: str
    title: str
    posts: list[tuple[str, str, str]]
    authors: tuple[str, ...]


@dataclass
class Hard:
    """A page to be changed.  ``age``: 0 for the newest of the blog's posts, 1 for the oldest."""

    tree: Any
    url: str
    site: Site
    facts: Facts
    age: float = 0.0
    node: Any = None
    heading: Any = None
    encoding: str = "utf-8"
    declared: str | None = "utf-8"
    chance: random.Random = field(default_factory=random.Random)

    @property
    def number(self) -> int:
        """As an engine counts posts."""
        return 100 + int(digest(self.url)[:6], 16) % 9000

    def above(self) -> Iterator[Any]:
        """The elements around the content, below the body."""
        return (each for each in self.node.iterancestors() if each.tag not in ("body", "html"))

    def put_first(self, markup: str) -> None:
        """HTML before everything else of the body."""
        body = self.tree.find("body")
        for made in reversed(lxml.html.fragments_fromstring(markup)):
            made.tail, body.text = body.text, None
            body.insert(0, made)

    def put_last(self, markup: str) -> None:
        """HTML behind everything else of the body."""
        self.tree.find("body").extend(lxml.html.fragments_fromstring(markup))

    def put_before(self, place: Any, markup: str) -> None:
        for made in lxml.html.fragments_fromstring(markup):
            place.addprevious(made)

    def put_behind(self, place: Any, markup: str) -> None:
        made = lxml.html.fragments_fromstring(markup)
        made[-1].tail, place.tail = place.tail, None
        for part in reversed(made):
            own, part.tail = part.tail, None
            place.addnext(part)
            part.tail = own

    def outside(self) -> Iterator[Any]:
        """Elements of the page that are not in the content."""
        inside = set(self.node.iter()) if self.node is not None else set()
        return (
            each for each in self.tree.iter() if isinstance(each.tag, str) and each not in inside
        )


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def plain(text: str | None) -> str:
    return re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", text or "")).casefold().strip()


def heading_of(tree: Any, node: Any, title: str | None) -> Any:
    """The element that shows the post's title, the nearest to its content among those of the best
    kind, or None.
    """
    wanted, order = plain(title), {each: at for at, each in enumerate(tree.iter())}
    if not wanted:
        return None
    here = order.get(node, 0)
    found = [
        (HEADINGS.index(each.tag) if each.tag in HEADINGS[:4] else 9, abs(order[each] - here), each)
        for each in tree.iter(*HEADINGS)
        if len(each.text_content()) < 2 * len(title or "") + 40
        and plain(each.text_content()) == wanted
    ]
    return min(found, key=lambda row: row[:2])[2] if found else None


def opened(page: Page, site: Site, facts: Facts, age: float, place: str | None) -> Hard:
    """The page, parsed; ``place``: path of the content's node where it is known already."""
    tree = lxml.html.document_fromstring(
        page.body, parser=lxml.html.HTMLParser(encoding=page.encoding)
    )
    node = tree.getroottree().xpath(place)[0] if place else node_of(tree, facts.text or "")
    heading = heading_of(tree, node, facts.title) if node is not None else None
    return Hard(tree, page.url, site, facts, age, node, heading, chance=random.Random(page.url))


def closed(hard: Hard) -> Page:
    """The changed page as a server sends it."""
    for meta in hard.tree.xpath(
        "//meta[@charset or translate(@http-equiv,'CONTEYP','conteyp')='content-type']"
    ):
        meta.getparent().remove(meta)
    head = hard.tree.find("head")
    if hard.declared and head is not None:
        head.insert(0, lxml.html.fragment_fromstring(f'<meta charset="{hard.declared}">'))
    text = lxml.html.tostring(hard.tree, encoding="unicode", doctype="<!DOCTYPE html>")
    body = text.encode(hard.encoding, "xmlcharrefreplace")
    kind = f"text/html; charset={hard.declared}" if hard.declared else "text/html"
    return Page(url=hard.url, body=body, headers={"content-type": kind})


def day_of(moment: str | None) -> datetime | None:
    return datetime.fromisoformat(moment) if moment else None
