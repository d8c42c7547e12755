"""The places of a page where tags may stand, each read by itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any
from urllib.parse import unquote

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.evidence import NEAR
from blogcrawl.core.page import Page, kept
from blogcrawl.extraction.confidence import confidences
from blogcrawl.extraction.fields.byline import is_aside, markup_tags
from blogcrawl.lexicon.css_classes import kind_of, words_of
from blogcrawl.text.lengths import MAX_BYLINE
from blogcrawl.text.visible import node_text

_TAG = re.compile(
    r"(?:^|[/?])(?:tags?|tagged|labels?|keywords?|etiquetas?|mots?-cles?|schlagw[oö]rte?r?|tagy|"
    r"t[ée]giek|теги?|标签|標籤|タグ)/[^/?#]+/?(?:[?#]|$)"
    r"|(?:^|/)tag-[^/?#]+\.html?(?:[?#]|$)|[?&](?:tag|label)=[^&]",
    re.I,
)
_CATEGORY = re.compile(
    r"(?:^|[/?])(?:categor(?:y|ies|ia|ias|ie|ies)|cat[ée]gories?|kategorien?|kategorier|"
    r"kategoria|rubri(?:k|que|ka|ca)s?|topics?|рубрики?|分类|分類)"
    r"/[^?#]*[^/?#]/?(?:[?#]|$)|[?&]cat(?:egory)?=[^&]",
    re.I,
)
_COUNT, _CLOSING = re.compile(r"\s{0,20}[(（\[]\d{1,20}[)）\]]\s{0,20}$"), frozenset(")）]")
_P_CATEGORY = etree.XPath("/descendant::*[contains(@class, 'p-category')]")
FAR = 8
"""Elements above a link that may name the list of the post."""
_PLAIN_TAGS = frozenset("a li span b strong em i small p".split())
"""Elements whose tag does not show where they stand."""
CLOUD = 20
"""Tags of a page from which it may show a cloud."""
MAX_TAGS = 150
SURE = confidences("tags")["source"]
"""Confidence of tags that a learned or unmistakable source lists."""


def _meta(*names: str) -> Callable[[Page], list[str]]:
    def read(page: Page) -> list[str]:
        said = [content for name, content in _metas(page) if name in names]
        return [
            word.strip()
            for text in said
            for word in (re.split(r"[,，、]", text) if len(said) == 1 else [text])
        ]

    return read


@kept
def _metas(page: Page) -> list[tuple[str | None, str]]:
    """Return names and contents of the ``meta`` elements."""
    return [
        (node.get("property") or node.get("name"), node.get("content") or "")
        for node in page.tree.iter("meta")
    ]


def _linked(*kinds: str) -> Callable[[Page], list[str]]:
    def read(page: Page) -> list[str]:
        return [text for kind, text in _tag_links(page) if kind in kinds]

    return read


@kept
def _tag_links(page: Page) -> list[tuple[str, str]]:
    """Return kind and text of the page's links to tags and categories: several sources ask for
    them."""
    found = []
    aside: dict[HtmlElement, bool] = {}
    places: dict[tuple[HtmlElement, int], bool] = {}
    for link in page.tree.iter("a"):
        href = link.get("href")
        kind = _kind(href) if href is not None else None
        if kind is None:
            continue
        place = _place(link)
        if place not in places:
            places[place] = not is_aside(link, aside) or _in_tag_box(link) or _in_posts_aside(link)
        if places[place]:
            name = _named(link)
            found.append(
                (
                    kind,
                    (_COUNT.sub("", name) if name[-1:] in _CLOSING else name).lstrip("#").strip(),
                )
            )
    return found


def _place(link: HtmlElement) -> tuple[HtmlElement, int]:
    """Return the nearest element that may show where a link stands, and how far above it: all links
    of a list have one.
    """
    box, steps = link, 0
    while (
        box.tag in _PLAIN_TAGS
        and not box.get("class")
        and not box.get("id")
        and (above := box.getparent()) is not None
    ):
        box, steps = above, steps + 1
    return box, steps


def _named(link: HtmlElement) -> str:
    """Return a link's text without the number of posts that themes put into an element of its own
    behind the name.
    """
    last, number = link, ""
    while len(last) and not number.isdigit() and not (last[-1].tail or "").strip():
        last = last[-1]
        number = node_text(last).strip()
    name = node_text(link).strip()
    return (
        name[: -len(number)].rstrip() or name
        if number.isdigit() and name.endswith(number)
        else name
    )


@lru_cache(maxsize=16384)
def _kind(href: str) -> str | None:
    """Return whether an address is a tag's or a category's: a theme links the same ones from every
    page.
    """
    href = unquote(href.strip())
    return "tag" if _TAG.search(href) else "category" if _CATEGORY.search(href) else None


def _labelled(page: Page) -> list[str]:
    """Return names without a link, in elements called "tag" inside one called "tags" (Material for
    MkDocs).
    """
    return [
        node_text(node).lstrip("#").strip()
        for node in page.tree.iter("span", "li", "div", "button")
        if (label := node.get("class")) is not None
        and _ends(label, "tag")
        and _ends(" ".join(_labels_above(node)), "tags")
    ]


def _categories(page: Page) -> list[str]:
    """microformats2 ``p-category``, inside of an h-entry or not."""
    if "p-category" not in page.text:
        return []
    named: Any = _P_CATEGORY(page.tree)
    return [
        node_text(node).lstrip("#").strip()
        for node in named
        if "p-category" in node.get("class").split()
    ]


@lru_cache(maxsize=4096)
def _ends(label: str, word: str) -> bool:
    return word in label.lower() and any(words_of(name)[-1:] == (word,) for name in label.split())


def _labels_above(node: HtmlElement) -> list[str]:
    return [label for outer in islice(node.iterancestors(), NEAR) if (label := outer.get("class"))]


def _in_tag_box(link: HtmlElement) -> bool:
    """Return whether the list around the link is named so; a ``nav`` of tags is no menu. What is
    the same on all pages goes later.

    A box farther away must say that it is the post's: some themes have a sidebar for that."""
    for step, outer in enumerate(islice(link.iterancestors(), FAR)):
        label = outer.get("class")
        if label and ((step < NEAR and kind_of(label) == "meta") or _names_posts_meta(label)):
            return True
    return False


@lru_cache(maxsize=4096)
def _names_posts_meta(label: str) -> bool:
    return any(kind_of(name) == "meta" and "post" in words_of(name) for name in label.split())


def _in_posts_aside(link: HtmlElement) -> bool:
    """Return whether it stands in an ``aside`` without a name right in the post: some themes put
    its date and tags there.
    """
    box = next(link.iterancestors("aside"), None)
    above = box.getparent() if box is not None else None
    return (
        box is not None
        and not box.attrib
        and above is not None
        and above.tag in ("article", "main")
    )


SOURCES: Mapping[str, Callable[[Page], list[str]]] = {
    "meta article:tag": _meta("article:tag"),
    "rel=tag": markup_tags,
    "p-category": _categories,
    "tag links": _linked("tag"),
    "tag and category links": _linked("tag", "category"),
    "elements called tag": _labelled,
    "meta keywords": _meta("keywords", "news_keywords"),
    "category links": _linked("category"),
}
"""The surest first: that decides where no feed does."""


def read_source(page: Page, source: str) -> list[str]:
    """As often as they stand there: a tag in a cloud stands once more where it is the post's."""
    tags = [tag for tag in SOURCES[source](page) if 0 < len(tag) <= MAX_BYLINE]
    return tags if len(tags) <= MAX_TAGS else []
