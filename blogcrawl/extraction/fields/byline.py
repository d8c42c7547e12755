"""What readers see: byline, date line, tag links. Found by link types, element names and class
words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from datetime import date
from functools import lru_cache
from html import unescape
from itertools import islice
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.bounds import MAX_TRIED
from blogcrawl.core.page import Page, child_of, kept
from blogcrawl.dates.machine_date import machine_date
from blogcrawl.dates.url_date import url_day
from blogcrawl.extraction.confidence import confidences
from blogcrawl.lexicon.css_classes import SIDE, kind_of, names_of, words_of
from blogcrawl.text.visible import node_text, squeeze

_WEIGHTS = confidences("published")

_TIMES = etree.XPath("//time | //abbr[contains(@class, 'published')]")
_SIDE_TAGS = frozenset("aside nav footer".split())
_SIDE_KINDS = frozenset(("comments", "related", "nav", "ad", "subscribe"))
_POST_NAMES = frozenset(("hentry", "h-entry", "post", "post-outer", "entry"))
_POST_BOXES = _POST_NAMES | {"article"}
_OF_PAGE = frozenset("site page main content body wrapper wrap layout container".split())
_OF_POST = frozenset("post entry article no without has hentry".split())
_BUILDERS = ("elementor-", "so-widget")
"""How names begin that page builders (Elementor, SiteOrigin) give to every element: "widget" in
them says nothing.
"""
MOST = 8
"""Paragraphs (twice as many) that a page must have, so that where they stand says something."""


def found(path: etree.XPath, node: HtmlElement) -> list[HtmlElement]:
    result: Any = path(node)
    return result


def is_aside(node: HtmlElement, known: dict[HtmlElement, bool] | None = None) -> bool:
    """Does the node stand in a sidebar, footer, navigation, comment or related posts? ``known``
    keeps the answers for the elements on the way, where many nodes of a page are asked about."""
    known = {} if known is None else known
    passed: list[HtmlElement] = []
    answer = _is_aside(node, known, passed)
    known.update(dict.fromkeys(passed, answer))
    return answer


def _is_aside(node: HtmlElement, known: dict[HtmlElement, bool], passed: list[HtmlElement]) -> bool:
    step: HtmlElement | None = node
    while step is not None and step.tag not in {"body", "html", "main", "article"}:
        if step in known:
            return known[step]
        passed.append(step)
        is_aside = _names_an_aside(step.get("class"), step.get("id"))
        if is_aside is None:
            break
        if _stands_aside(step, is_aside):
            return True
        step = step.getparent()
    # inside an article, only its own comments are aside
    while step is not None and step.tag not in {"body", "html"}:
        if _names_an_aside(step.get("class"), None) is not None and any(
            label and kind_of(label) in {"comments", "related"}
            for label in (step.get("class"), step.get("id"))
        ):
            return True
        step = step.getparent()
    return False


def _stands_aside(node: HtmlElement, is_named: bool) -> bool:
    """Return whether an element stands next to a post by its tag or, where it ``is_named`` so, by
    its name.
    """
    if node.tag in _SIDE_TAGS and not _is_line(node):
        return True
    return is_named and not (_holds_post(node) or _is_foot_of_post(node))


def _is_line(node: HtmlElement) -> bool:
    """Return whether a footer or an aside is a post's own, as its place or its name says."""
    if node.tag == "footer":
        return any(outer.tag == "article" for outer in node.iterancestors())
    return (
        node.tag == "aside"
        and bool(node.get("class"))
        and kind_of(node.get("class", "")) in {"meta", "author"}
    )


def _is_foot_of_post(node: HtmlElement) -> bool:
    """Return whether what is called a footer stands in a post: themes put its author, date and tags
    there. What it is the footer of is a post too where the box around it has that name
    (``asset-footer`` in ``asset``), unless that is the page.
    """
    words = words_of(node.get("class", ""))
    own = frozenset(words) - {"footer"}
    if "footer" not in words:
        return False
    return _is_post_box(node.iterancestors()) or (
        bool(own) and own.isdisjoint(_OF_PAGE) and own <= _words_around(node)
    )


def _is_post_box(around: Iterable[HtmlElement]) -> bool:
    return any(
        outer.tag == "article" or not _POST_BOXES.isdisjoint(outer.get("class", "").split())
        for outer in around
    )


def _words_around(node: HtmlElement) -> AbstractSet[str]:
    """Return the words of the class of the box in which an element stands."""
    around = node.getparent()
    return frozenset(words_of(around.get("class", ""))) if around is not None else frozenset()


def _holds_post(node: HtmlElement) -> bool:
    """Return whether what is called a sidebar's holds the page's main part as well: themes name the
    wrapper of both so.
    """
    label = names_of(node)
    kind = kind_of(label)
    if kind == "comments" or (kind == "nav" and node.tag in {"li", "ol", "ul", "nav"}):
        return False
    if node.find(".//main") is not None or (
        node.find(".//h1") is not None and (kind != "nav" or "sidebar" in words_of(label))
    ):
        return True
    return (
        kind != "related"
        and 3 * _paragraphs(node) > 2 * _paragraphs(node.getroottree().getroot()) > MOST
    )


def _paragraphs(node: HtmlElement) -> int:
    return sum(1 for _ in node.iter("p"))


@lru_cache(maxsize=4096)
def _names_an_aside(label: str | None, ident: str | None) -> bool | None:
    """Return whether class and id name what stands next to a post; None where they name the
    post."""
    names = (label or "").split()
    if not _POST_NAMES.isdisjoint(names):
        return None
    if "widget" in names and "Blog" in names:  # Blogger's posts are a widget
        return False
    labels = [name for name in (label, ident) if name]
    return any(
        kind_of(name) in _SIDE_KINDS or any(map(_is_side_name, name.split())) for name in labels
    )


@lru_cache(maxsize=4096)
def _is_side_name(name: str) -> bool:
    words = words_of(name)
    return (
        not SIDE.isdisjoint(words) and _OF_POST.isdisjoint(words) and not name.startswith(_BUILDERS)
    )


_EMPTY_PART = re.compile(r"^[|\-–—·»«›:]{1,2}\s|\s[|\-–—·»«›:]{1,2}$")


@kept
def document_title(page: Page) -> str:
    """Return text of the ``title`` element, without the mark next to a part that is empty (": X" of
    a blog without a name).
    """
    head = child_of(page.tree, "head")
    node = child_of(head, "title") if head is not None else None
    if node is None:
        node = next(page.tree.iter("title"), None)
    text = unescape(node.text or "") if node is not None else ""  # some engines escape twice
    return _EMPTY_PART.sub("", squeeze(text))


def spelled(title: str, document: str) -> str:
    """Return the title with the capitals that the document's title has: themes capitalise headings
    ("Made With Care").
    """
    at = document.casefold().find(title.casefold())
    found = (
        document[at : at + len(title)]
        if at >= 0 and len(document.casefold()) == len(document)
        else title
    )
    return (
        found
        if found.casefold() == title.casefold() and not (found.isupper() or found.islower())
        else title
    )


def markup_dates(page: Page) -> Iterator[tuple[str, float, str]]:
    """ISO text, weight, where: ``time`` elements outside comments and sidebars, then the URL."""
    dated = (
        node
        for node in found(_TIMES, page.tree)[:MAX_TRIED]
        if machine_date(_moment_in(node)) is not None and not is_aside(node)
    )
    for seen, node in enumerate(islice(dated, 3)):
        weight = 0.78 - 0.15 * seen + _weight_of_label(node)
        yield _moment_in(node), max(0.2, weight), "time"
    day = url_day(page.url)
    if day is not None and day[2] is not None:
        try:
            yield date(*day).isoformat(), _WEIGHTS["url"], "url"  # type: ignore[arg-type]
        except ValueError:
            return


def _moment_in(time: HtmlElement) -> str:
    return time.get("datetime") or time.get("title", "")


def _weight_of_label(time: HtmlElement) -> float:
    """Return what its names add for a moment of publication, and take from one of a change."""
    label = f"{time.get('class', '')} {time.get('itemprop', '')}".lower()
    if time.get("pubdate") is not None or "publish" in label:
        return 0.08
    return -0.3 if "updat" in label or "modif" in label else 0.0


def markup_tags(page: Page) -> list[str]:
    """Return texts of links with type ``tag``, sidebars' tag clouds left out."""
    return [text for text, _ in typed_tags(page)]


@kept
def typed_tags(page: Page) -> list[tuple[str, HtmlElement]]:
    """Return the same texts, each with its link."""
    aside: dict[HtmlElement, bool] = {}
    return [
        (text, node)
        for node in islice((a for a in page.tree.iter("a") if "tag" in a.get("rel", "")), MAX_TRIED)
        if "tag" in node.get("rel", "").split()
        and not is_aside(node, aside)
        and 0 < len(text := node_text(node).lstrip("#").strip()) <= 60
    ]
