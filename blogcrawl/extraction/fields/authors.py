"""Who the markup says wrote a post: link types, links to authors' pages, elements called byline."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.page import Page
from blogcrawl.extraction.fields.byline import MAX_LOOKED_AT, found, is_aside
from blogcrawl.extraction.fields.embedded import classed
from blogcrawl.extraction.fields.headings import heading_of
from blogcrawl.extraction.fields.names import as_author, is_phrase, plain, stands_in
from blogcrawl.lexicon.css_classes import words_of
from blogcrawl.text.visible import node_text, squeeze

_SAID = etree.XPath("//*[@rel or @itemprop]")
_NAMED = re.compile(r"author|byline|vcard|Author|autor|writer|posted-?by")
_ABOUT_AUTHOR = frozenset(
    (
        "tip tips title heading desc description bio about img image avatar photo count social "
        "link "
        "links posts tagline role text"
    ).split()
)
"""Last words of class names for what stands beside an author's name."""
_ROLES_OF_CARDS = frozenset("item location venue organizer attendee contact sponsor".split())
"""What else than an author a card may be of, in microformats: what a review is of, where an event
takes place.
"""
_NAME_OF_AUTHOR = re.compile(r"author(?:[-_]+info)?[-_]+name")
_AUTHOR_PAGE = re.compile(
    (
        r"/(?:authors?|autor(?:es)?|auteurs?|autore|autoren|people|profiles?|contributors?|staff|"
        r"writers?)/[^/?#]+"
    ),
    re.I,
)
_NAMES = frozenset(("name", "fn", "p-name"))
_PLURAL_OR_COUNT = re.compile(r"^\d+$")
LONGEST_BYLINE, LONGEST_AND = 100, 5
"""Characters of an author's place, and of what stands between two of them."""
MAX_NAMES = 6
_SENTENCE = re.compile(r"\w[:?!]\s|[„“\"»]")
_OF_POST, _AUTHOR_WORDS = (
    frozenset("post entry article".split()),
    frozenset("author authors byline writer writers autor".split()),
)
BESIDE, NEAR = 0.62, 3
"""Weight of an author named in a sidebar, where the post has none itself; elements above that may
say that it is the post's.
"""
PHRASE, ANOTHER = 0.3, 0.06
"""What the words of a link to an author's page are less worth where that page's address has none of
them: as words, as a name.
"""


def markup_authors(page: Page) -> Iterator[tuple[list[str], float, str]]:
    """Texts, weight, where: link type ``author``, links to authors' pages and byline classes
    outside comments and sidebars.

    Several texts where several such elements stand side by side: a post's authors, one in each."""
    group: tuple[list[str], float, str] | None = None
    last: HtmlElement | None = None
    for node, text, weight, rule in _marked(page):
        if group is not None and last is not None and group[2] == rule and _is_beside(last, node):
            group[0].append(text)
        else:
            if group is not None:
                yield group
            group = ([text], weight, rule)
        last = node
    if group is not None:
        yield group


def _marked(page: Page) -> Iterator[tuple[HtmlElement, str, float, str]]:
    """Element, text, weight, where."""
    seen: set[str] = set()
    said = [
        node
        for node in found(_SAID, page.tree)
        if "author" in f"{node.get('rel')} {node.get('itemprop')}"
    ]
    linked = [node for node in page.tree.iter("a") if _AUTHOR_PAGE.search(node.get("href") or "")]
    named = [
        node
        for node, label in classed(page)
        if any(_NAMED.search(name) and _names_one(name) for name in label.split())
    ]
    named = [
        node for node in named if _ROLES_OF_CARDS.isdisjoint((node.get("class") or "").split())
    ]
    named += page.tree.iter("byline")
    names = {node for node in named if _NAME_OF_AUTHOR.search((node.get("class") or "").lower())}
    boxes = {above for node in names if node_text(node) for above in node.iterancestors()} - names
    heading = heading_of(page)
    beside: set[tuple[str, HtmlElement]] = set()
    for node in dict.fromkeys((said + linked + named)[:MAX_LOOKED_AT]):
        if (
            not isinstance(node.tag, str)
            or node.tag in {"link", "meta", "img", "script", "h1", "h2"}
            or node in boxes
        ):
            continue
        inner = [link for link in node.iter("a") if link in linked]
        address = (inner[0].get("href") or "") if inner else ""
        text = (
            node_text(inner[0])
            if len(inner) == 1 and node is not inner[0]
            else _portrayed(node) or _own_words(node)
        )
        if not text or len(text) > LONGEST_BYLINE or text in seen or _PLURAL_OR_COUNT.match(text):
            continue
        if _is_headline(text, address):
            continue
        if is_aside(node):
            beside |= {(text, node)} if _of_the_post(node) else set()
            continue
        seen.add(text)
        label = " ".join(filter(None, (node.get("class"), node.get("itemprop")))).lower()
        rel = "author" in (node.get("rel") or "").split()
        surely = (
            bool(inner)
            or "fn" in label.split()
            or _NAME_OF_AUTHOR.search(label) is not None
            or label == "author"
        )
        weight = (0.78 if rel else 0.74 if surely else 0.62) - 0.04 * (len(seen) - 1)
        if inner and not stands_in(text, address):
            weight -= PHRASE if is_phrase(text) else ANOTHER
        weight -= PHRASE if _is_of_another(node, heading[0] if heading else None) else 0.0
        yield (
            node,
            text,
            weight,
            "rel=author" if rel else "author page" if inner else f"class {label[:60]}",
        )
        if len(seen) > MAX_NAMES:
            return
    if (
        not seen and len({text for text, _ in beside}) == 1
    ):  # of several, each belongs to another post that the sidebar shows
        text, node = beside.pop()
        yield node, text, BESIDE, "class, in a sidebar"


def _portrayed(node: HtmlElement) -> str:
    """The name that a portrait bears and that stands in or beside the element, too, perhaps with a
    word on who that is.
    """
    picture = node.find(".//img")
    name = squeeze(picture.get("alt")) if picture is not None else ""
    around = node.getparent()
    return name if len(name) > 1 and around is not None and name in node_text(around) else ""


def _of_the_post(node: HtmlElement) -> bool:
    """Whether one class name of it or near it says that it is a post's author."""
    near = (node, *islice(node.iterancestors(), NEAR))
    names = {name for each in near for name in (each.get("class") or "").split()}
    return any(
        not _OF_POST.isdisjoint(words) and not _AUTHOR_WORDS.isdisjoint(words)
        for words in map(words_of, names)
    )


def _is_headline(text: str, address: str) -> bool:
    """Whether a link into a folder called like authors' pages has an article's title: sections
    about people are called so too.
    """
    slug = plain(address.rstrip("/").rpartition("/")[2])
    words = [plain(word) for word in text.split() if len(word) > 3]
    return bool(address) and (
        _SENTENCE.search(as_author(text) or "") is not None
        or (len(words) > 3 and all(word in slug for word in words))
    )


def _is_beside(node: HtmlElement, following: HtmlElement) -> bool:
    """Whether nothing but a comma or an "and" parts two elements, or two list items that hold
    nothing else.
    """
    if node.getnext() is following:
        return len((node.tail or "").strip()) <= LONGEST_AND
    above, next_above = node.getparent(), following.getparent()
    if above is None or above.tag not in {"li", "span"} or above.getnext() is not next_above:
        return False
    return (
        node_text(above).strip(" ,") == node_text(node).strip(" ,")
        and len((above.tail or "").strip()) <= LONGEST_AND
    )


def _is_of_another(node: HtmlElement, heading: HtmlElement | None) -> bool:
    """Whether the nearest heading around the element is another post's: one with a link, beside
    which the page's own does not stand.
    """
    step = node.getparent()
    while step is not None and step.tag not in {"body", "html"}:
        near = [
            inner
            for inner in step.iter("h1", "h2", "h3", "h4")
            if node not in inner.iterdescendants()
        ]
        if near:
            links = [
                h
                for h in near
                if h.find(".//a") is not None
                or any(above.tag == "a" for above in h.iterancestors())
            ]
            return heading is not None and heading not in near and len(links) == len(near)
        step = step.getparent()
    return False


@lru_cache(maxsize=4096)
def _names_one(name: str) -> bool:
    """Whether a class name may be an author's name's, and not that of a heading, portrait or
    biography beside it.
    """
    words = words_of(name)
    return not words or words[-1] not in _ABOUT_AUTHOR


def _own_words(node: HtmlElement) -> str:
    """Text of the element itself where it has some, or of what in it is called a name, without the
    badges and counters inside it.
    """
    named = [
        inner
        for inner in node.iterdescendants()
        if not _NAMES.isdisjoint((inner.get("class") or "").split())
    ]
    if len(named) == 1 and node_text(named[0]):
        return node_text(named[0])
    own = squeeze(" ".join([node.text or "", *(child.tail or "" for child in node)]))
    return own if len(own) > 2 and len(own.split()) > 1 else node_text(node)
