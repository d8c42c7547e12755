"""What readers see: heading, byline, date line, tag links.  Found by link types, element names and class words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from itertools import islice
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.extraction.embedded import classed
from blogcrawl.extraction.names import SEPARATOR, is_phrase, segments, site_names, stands_in
from blogcrawl.extraction.noise import kind_of, words_of
from blogcrawl.induction.dates import read_iso
from blogcrawl.induction.similarity import fold
from blogcrawl.induction.urldays import url_day
from blogcrawl.page import Page
from blogcrawl.text import node_text, squeeze

_HEADINGS = etree.XPath("//h1 | //h2 | //h3")
_TIMES = etree.XPath("//time | //abbr[contains(@class, 'published')]")
_SAID = etree.XPath("//*[@rel or @itemprop]")
_NAMED = re.compile(r"author|byline|vcard|Author|autor|writer|posted-?by")
_ABOUT_AUTHOR = frozenset(
    "tip tips title heading desc description bio about img image avatar photo count social link links posts tagline role text".split()
)
"""Last words of class names for what stands beside an author's name."""
_NAME_OF_AUTHOR = re.compile(r"author[-_]+name")
_AUTHOR_PAGE = re.compile(r"/(?:authors?|autor(?:es)?|auteurs?|autore|autoren|people|profiles?|contributors?)/[^/?#]+", re.I)
_SIDE_TAGS = frozenset("aside nav footer".split())
_SIDE_KINDS = frozenset(("comments", "related", "nav", "ad", "subscribe"))
_SIDE_WORDS = frozenset("sidebar widget widgets footer comment commentlist comments colophon drawer rightbar leftbar".split())
_POST_NAMES = frozenset(("hentry", "h-entry", "post", "post-outer", "entry"))
_OF_POST = frozenset("post entry article no without has hentry".split())
_PLURAL_OR_COUNT = re.compile(r"^\d+$")
MAX_LOOKED_AT = 60
PHRASE, ANOTHER = 0.3, 0.06
"""What the words of a link to an author's page are less worth where that page's address has none of them: as words, as a name."""


def found(path: etree.XPath, node: HtmlElement) -> list[HtmlElement]:
    result: Any = path(node)
    return result


def is_aside(node: HtmlElement, known: dict[HtmlElement, bool] | None = None) -> bool:
    """Does the node stand in a sidebar, footer, navigation, comment or related posts?  ``known`` keeps the answers for the
    elements on the way, where many nodes of a page are asked about."""
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
        told = _told_aside(step.get("class"), step.get("id"))
        if told is None:
            break
        if step.tag in _SIDE_TAGS and not (step.tag == "footer" and any(outer.tag == "article" for outer in step.iterancestors())):
            return True
        if told:
            return True
        step = step.getparent()
    # inside an article, only its own comments are aside
    while step is not None and step.tag not in {"body", "html"}:
        if any(label and kind_of(label) in {"comments", "related"} for label in (step.get("class"), step.get("id"))):
            return True
        step = step.getparent()
    return False


@lru_cache(maxsize=4096)
def _told_aside(label: str | None, ident: str | None) -> bool | None:
    """Whether class and id name what stands beside a post; None where they name the post itself."""
    names = (label or "").split()
    if not _POST_NAMES.isdisjoint(names):
        return None
    if "widget" in names and "Blog" in names:  # Blogger's posts are a widget
        return False
    labels = [name for name in (label, ident) if name]
    return any(kind_of(name) in _SIDE_KINDS or any(map(_is_side_name, name.split())) for name in labels)


@lru_cache(maxsize=4096)
def _is_side_name(name: str) -> bool:
    words = words_of(name)
    return not _SIDE_WORDS.isdisjoint(words) and _OF_POST.isdisjoint(words)


def document_title(page: Page) -> str:
    """Text of the ``title`` element; kept with the page."""
    known: str | None = page.__dict__.get("_title")
    if known is None:
        node = page.tree.find("head/title")
        if node is None:
            node = page.tree.find(".//title")
        known = page.__dict__["_title"] = squeeze(node.text if node is not None else "")
    return known


def spelled(title: str, document: str) -> str:
    """The title with the capitals that the document's title has: themes capitalise headings ("Made With Care")."""
    at = document.casefold().find(title.casefold())
    found = document[at : at + len(title)] if at >= 0 and len(document.casefold()) == len(document) else title
    return found if found.casefold() == title.casefold() and not (found.isupper() or found.islower()) else title


def heading_of(page: Page) -> tuple[HtmlElement, float] | None:
    """The heading that most likely is the post's title, with a weight; kept with the page.

    One that stands in the document's title beats others; the longer and the higher level, the better.
    """
    if "_heading" in page.__dict__:
        known: tuple[HtmlElement, float] | None = page.__dict__["_heading"]
        return known
    title = fold(document_title(page)).casefold()
    names = site_names(page)
    best: tuple[float, HtmlElement] | None = None
    headings = found(_HEADINGS, page.tree)[:MAX_LOOKED_AT]
    h1s = [heading for heading in headings if heading.tag == "h1"]
    for place, heading in enumerate(headings):
        text = fold(node_text(heading)).casefold()
        if not text or len(text) > 400:
            continue
        weight = {"h1": 0.3, "h2": 0.2, "h3": 0.1}[heading.tag]
        weight += (0.45 + 0.12 * min(1.0, len(text) / max(1, len(title)))) if len(text) > 2 and text in title else 0.0
        if heading.tag == "h1" and len(h1s) == 1:
            weight += 0.1
        if text.strip(" .") in names:
            weight -= 0.5
        label = " ".join(filter(None, (heading.get("class"), heading.get("itemprop"))))
        if "title" in label or "headline" in label:
            weight += 0.05
        weight -= 0.01 * min(place, 10)
        if (best is None or weight > best[0]) and not is_aside(heading):
            best = (weight, heading)
    answer = (best[1], max(0.05, min(0.9, best[0]))) if best else None
    page.__dict__["_heading"] = answer
    return answer


def markup_titles(page: Page) -> Iterator[tuple[str, float, str]]:
    """Text, weight, where: the heading, and the document's title without the site's name."""
    heading = heading_of(page)
    if heading is not None:
        yield node_text(heading[0]), heading[1], heading[0].tag
    whole = document_title(page)
    cut = segments(whole, site_names(page))
    if cut != whole:
        yield cut, 0.6, "title without site name"
    elif whole:
        parts = [part.strip() for part in SEPARATOR.split(whole) if part and part.strip()]
        yield (parts[0], 0.4, "title, first part") if len(parts) > 1 else (whole, 0.5, "title")


def markup_dates(page: Page) -> Iterator[tuple[str, float, str]]:
    """ISO text, weight, where: ``time`` elements outside comments and sidebars, then the URL."""
    seen = 0
    for node in found(_TIMES, page.tree)[:MAX_LOOKED_AT]:
        text = node.get("datetime") or node.get("title") or ""
        if read_iso(text) is None or is_aside(node):
            continue
        label = " ".join(filter(None, (node.get("class"), node.get("itemprop")))).lower()
        weight = 0.78 - 0.15 * seen
        if node.get("pubdate") is not None or "publish" in label or "dt-published" in label:
            weight += 0.08
        elif "updat" in label or "modif" in label:
            weight -= 0.3
        yield text, max(0.2, weight), "time"
        seen += 1
        if seen > 2:
            break
    day = url_day(page.url)
    if day is not None and day[2] is not None:
        try:
            yield date(*day).isoformat(), 0.65, "url"  # type: ignore[arg-type]
        except ValueError:
            return


def markup_authors(page: Page) -> Iterator[tuple[str, float, str]]:
    """Text, weight, where: link type ``author``, links to authors' pages and byline classes outside comments and sidebars."""
    seen: set[str] = set()
    said = [node for node in found(_SAID, page.tree) if "author" in f"{node.get('rel')} {node.get('itemprop')}"]
    linked = [node for node in page.tree.iter("a") if _AUTHOR_PAGE.search(node.get("href") or "")]
    named = [node for node, label in classed(page) if any(_NAMED.search(name) and _names_one(name) for name in label.split())]
    names = {node for node in named if _NAME_OF_AUTHOR.search((node.get("class") or "").lower())}
    boxes = {above for node in names if node_text(node) for above in node.iterancestors()} - names
    for node in dict.fromkeys((said + linked + named)[:MAX_LOOKED_AT]):
        if not isinstance(node.tag, str) or node.tag in {"link", "meta", "img", "script"} or node in boxes:
            continue
        inner = [link for link in node.iter("a") if link in linked]
        text = node_text(inner[0]) if len(inner) == 1 and node is not inner[0] else _own_words(node)
        if not text or len(text) > 80 or text in seen or _PLURAL_OR_COUNT.match(text) or node.tag in {"h1", "h2"} or is_aside(node):
            continue
        seen.add(text)
        label = " ".join(filter(None, (node.get("class"), node.get("itemprop")))).lower()
        rel = "author" in (node.get("rel") or "").split()
        surely = bool(inner) or "fn" in label.split() or _NAME_OF_AUTHOR.search(label) is not None or label == "author"
        weight = 0.78 if rel else 0.74 if surely else 0.62
        if inner and not stands_in(text, inner[0].get("href") or ""):
            weight -= PHRASE if is_phrase(text) else ANOTHER
        yield text, weight - 0.04 * (len(seen) - 1), "rel=author" if rel else "author page" if inner else f"class {label[:60]}"
        if len(seen) > 4:
            break


@lru_cache(maxsize=4096)
def _names_one(name: str) -> bool:
    """Whether a class name may be an author's name's, and not that of a heading, portrait or biography beside it."""
    words = words_of(name)
    return not words or words[-1] not in _ABOUT_AUTHOR


def _own_words(node: HtmlElement) -> str:
    """Text of the element itself where it has some, without the badges and counters inside it."""
    own = squeeze(" ".join([node.text or "", *(child.tail or "" for child in node)]))
    return own if len(own) > 2 and len(own.split()) > 1 else node_text(node)


def markup_tags(page: Page) -> list[str]:
    """Texts of links with type ``tag``, sidebars' tag clouds left out."""
    return [
        text.lstrip("#")
        for node in islice((a for a in page.tree.iter("a") if "tag" in (a.get("rel") or "")), MAX_LOOKED_AT)
        if "tag" in (node.get("rel") or "").split() and not is_aside(node) and 0 < len(text := node_text(node)) <= 60
    ]
