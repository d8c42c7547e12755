"""Authors that the markup declares: link types, links to authors' pages, byline classes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.bounds import MAX_AUTHORS, MAX_TRIED
from blogcrawl.core.evidence import NEAR
from blogcrawl.core.page import Page
from blogcrawl.extraction.confidence import confidences
from blogcrawl.extraction.fields.byline import found, is_aside
from blogcrawl.extraction.fields.embedded import classed
from blogcrawl.extraction.fields.headings import heading_of
from blogcrawl.extraction.fields.names import as_author, is_phrase, plain, stands_in
from blogcrawl.lexicon.css_classes import words_of
from blogcrawl.lexicon.vocabulary import word_set
from blogcrawl.text.lengths import MAX_BYLINE, MAX_LINE
from blogcrawl.text.visible import BLOCK_TAGS, node_text, squeeze, stripped
from blogcrawl.urls.canonical import same_site

_WEIGHTS = confidences("authors")

_DECLARED = etree.XPath("//*[@rel or @itemprop]")
_NAMED = re.compile(r"author|byline|vcard|Author|autor|writer|posted-?by|(?:entry|post)[-_]poster")
_ABOUT_AUTHOR = word_set("css_classes", "about_author")
"""Last words of class names of what surrounds an author's name."""
_ROLES_OF_CARDS = word_set("css_classes", "no_author_card")
"""What else than an author a card may be of, in microformats: what a review is of, where an event
takes place.
"""
_NAME_OF_AUTHOR = re.compile(r"author(?:[-_]+info)?[-_]+name")
_AUTHOR_PAGE = re.compile(
    (
        r"(?<!/tag)(?<!/tags)/(?:authors?|autor(?:es)?|auteurs?|autore|autoren|people|profiles?|"
        r"contributors?|staff|writers?)/[^/?#]+"
    ),
    re.I,
)
_NAMES = frozenset(("name", "fn", "p-name"))
_NO_BYLINES = frozenset(("link", "meta", "img", "script", "h1", "h2"))
_COUNT = re.compile(r"^\d+$")
_LINE_ENDS = BLOCK_TAGS | {"br"}
LONGEST_AND = 5
"""Characters between two authors."""
_SENTENCE = re.compile(r"\w[:?!]\s|[„“\"»]")
_OF_POST = frozenset("post entry article".split())
_AUTHOR_WORDS = word_set("css_classes", "author_name")


def markup_authors(page: Page) -> Iterator[tuple[list[str], float, str]]:
    """Yield texts, weight and rule: link type ``author``, links to authors' pages and byline
    classes outside comments and sidebars.

    Adjacent elements of one rule are a post's authors, one in each: they make one group.
    """
    group: tuple[list[str], float, str] | None = None
    last: HtmlElement | None = None
    for node, text, weight, rule in _marked(page):
        if group is not None and last is not None and group[2] == rule and _is_adjacent(last, node):
            group[0].append(text)
        else:
            if group is not None:
                yield group
            group = ([text], weight, rule)
        last = node
    if group is not None:
        yield group


def _marked(page: Page) -> Iterator[tuple[HtmlElement, str, float, str]]:
    """Yield element, text, weight and rule of each author that the markup declares.

    One named only in a sidebar counts where the post names none; of several, each belongs to
    another post that the sidebar shows.
    """
    links = _author_links(page)
    heading = heading_of(page)
    seen: set[str] = set()
    in_sidebar: dict[str, HtmlElement] = {}
    for node in _candidates(page, links):
        text, address = _author_text(node, links)
        if text in seen or not _may_be_byline(text, address):
            continue
        if is_aside(node):
            if _of_the_post(node):
                in_sidebar[text] = node
            continue
        weight = _weight(node, address) - 0.04 * len(seen) - _doubt(text, address)
        if _is_of_another(node, heading[0] if heading else None):
            weight -= _WEIGHTS["unlinked_phrase"]
        yield node, text, weight, _rule(node, address)
        seen.add(text)
        if len(seen) > MAX_AUTHORS:
            return
    if not seen and len(in_sidebar) == 1:
        text, node = in_sidebar.popitem()
        yield node, text, _WEIGHTS["in_sidebar"], "class, in a sidebar"


def _author_links(page: Page) -> dict[HtmlElement, None]:
    """Return the links to authors' pages outside running prose, in document order."""
    return {
        a: None
        for a in page.tree.iter("a")
        if _AUTHOR_PAGE.search(a.get("href", ""))
        and not _is_readers(a, page)
        and not _ends_prose(a)
    }


def _is_readers(link: HtmlElement, page: Page) -> bool:
    """Return whether the page does not vouch for a link to another site, as for those that readers
    leave with their comments."""
    url = page.absolute(link.get("href", "")) or ""
    return "nofollow" in link.get("rel", "").split() and not same_site(url, page.url)


def _ends_prose(link: HtmlElement) -> bool:
    """Return whether more stands before a link in its line than before the name in a byline."""
    length = 0
    for text in _before_in_line(link):
        length += len(stripped(text))
        if length > MAX_BYLINE:
            return True
    return False


def _before_in_line(node: HtmlElement) -> Iterator[str | None]:
    """Yield the texts of a node's line before it, the nearest first."""
    for step in (node, *node.iterancestors()):
        if step is not node and step.tag in BLOCK_TAGS:
            return
        for elder in step.itersiblings(preceding=True):
            yield elder.tail
            if elder.tag in _LINE_ENDS:
                return
            yield node_text(elder)
        above = step.getparent()
        yield above.text if above is not None else None


def _doubt(text: str, address: str) -> float:
    """Return what to take off an author page's link whose words are not in its address."""
    if not address or stands_in(text, address):
        return 0.0
    return _WEIGHTS["unlinked_phrase"] if is_phrase(text) else _WEIGHTS["unlinked_name"]


def _candidates(page: Page, links: Mapping[HtmlElement, None]) -> Iterator[HtmlElement]:
    """Yield once each element that may hold an author: by link type, address, class or tag."""
    declared = [
        node
        for node in found(_DECLARED, page.tree)
        if "author" in f"{node.get('rel')} {node.get('itemprop')}"
    ]
    named = [*_named_by_class(page), *page.tree.iter("byline")]
    boxes = _boxes_around_names(named)
    for node in dict.fromkeys([*declared, *links, *named][:MAX_TRIED]):
        if isinstance(node.tag, str) and node.tag not in _NO_BYLINES and node not in boxes:
            yield node


def _named_by_class(page: Page) -> Iterator[HtmlElement]:
    """Yield elements whose class is an author's, and no card of something else."""
    for node, label in classed(page):
        is_named = any(_NAMED.search(name) and _names_author(name) for name in label.split())
        if is_named and _ROLES_OF_CARDS.isdisjoint(node.get("class", "").split()):
            yield node


def _boxes_around_names(named: Sequence[HtmlElement]) -> set[HtmlElement]:
    """Return the elements around those whose class is an author's name: these say it better."""
    names = {node for node in named if _NAME_OF_AUTHOR.search(node.get("class", "").lower())}
    return {above for node in names if node_text(node) for above in node.iterancestors()} - names


def _author_text(node: HtmlElement, links: Mapping[HtmlElement, None]) -> tuple[str, str]:
    """Return the author's text in an element, and the address of the author's page linked in it (""
    without).
    """
    inner = [link for link in node.iter("a") if link in links]
    address = inner[0].get("href", "") if inner else ""
    if len(inner) == 1 and node is not inner[0]:
        return node_text(inner[0]), address
    return _portrayed(node) or _own_words(node), address


def _may_be_byline(text: str, address: str) -> bool:
    """Return whether a text is short enough for an author's, no count and no article's title."""
    return (
        0 < len(text) <= MAX_LINE and _COUNT.match(text) is None and not _is_headline(text, address)
    )


def _label(node: HtmlElement) -> str:
    return " ".join(filter(None, (node.get("class"), node.get("itemprop")))).lower()


def _is_link_type(node: HtmlElement) -> bool:
    return "author" in node.get("rel", "").split()


def _weight(node: HtmlElement, address: str) -> float:
    """Weigh an element by its markup: the link type, an author's page or exact class, any other."""
    if _is_link_type(node):
        return 0.78
    label = _label(node)
    is_exact = "fn" in label.split() or _NAME_OF_AUTHOR.search(label) or label == "author"
    return 0.74 if address or is_exact else 0.62


def _rule(node: HtmlElement, address: str) -> str:
    """Name the markup that declares an author."""
    if _is_link_type(node):
        return "rel=author"
    return "author page" if address else f"class {_label(node)[:60]}"


def _portrayed(node: HtmlElement) -> str:
    """Return a portrait's alternative text where the element or its parent shows that name, too,
    perhaps with a word on who that is; else "".
    """
    picture = node.find(".//img")
    name = squeeze(picture.get("alt")) if picture is not None else ""
    around = node.getparent()
    return name if len(name) > 1 and around is not None and name in node_text(around) else ""


def _of_the_post(node: HtmlElement) -> bool:
    """Return whether one class name of it or near it says that it is a post's author."""
    near = (node, *islice(node.iterancestors(), NEAR))
    names = {name for each in near for name in each.get("class", "").split()}
    return any(
        not _OF_POST.isdisjoint(words) and not _AUTHOR_WORDS.isdisjoint(words)
        for words in map(words_of, names)
    )


def _is_headline(text: str, address: str) -> bool:
    """Return whether a link into a folder called like authors' pages has an article's title:
    sections about people are called so too.
    """
    slug = plain(address.rstrip("/").rpartition("/")[2])
    words = [plain(word) for word in text.split() if len(word) > 3]
    return bool(address) and (
        _SENTENCE.search(as_author(text) or "") is not None
        or (len(words) > 3 and all(word in slug for word in words))
    )


def _is_adjacent(node: HtmlElement, following: HtmlElement) -> bool:
    """Return whether nothing but a comma or an "and" parts two elements, or two list items that
    hold nothing else.
    """
    if node.getnext() is following:
        return len(stripped(node.tail)) <= LONGEST_AND
    above, next_above = node.getparent(), following.getparent()
    if above is None or above.tag not in {"li", "span"} or above.getnext() is not next_above:
        return False
    return (
        node_text(above).strip(" ,") == node_text(node).strip(" ,")
        and len(stripped(above.tail)) <= LONGEST_AND
    )


def _is_of_another(node: HtmlElement, heading: HtmlElement | None) -> bool:
    """Return whether the nearest headings around the element are other posts': all linked, and the
    page's own is not among them.
    """
    around = set(node.iterancestors())
    for step in node.iterancestors():
        if step.tag in {"body", "html"}:
            return False
        near = [h for h in step.iter("h1", "h2", "h3", "h4") if h not in around]
        if near:
            return heading is not None and heading not in near and all(map(_is_linked, near))
    return False


def _is_linked(heading: HtmlElement) -> bool:
    """Return whether a heading holds a link or stands in one."""
    return heading.find(".//a") is not None or any(
        above.tag == "a" for above in heading.iterancestors()
    )


@lru_cache(maxsize=4096)
def _names_author(name: str) -> bool:
    """Return whether a class name may be an author's name's, and not that of a heading, portrait or
    biography next to it, or of a commenter (``commentauthor``).
    """
    words = words_of(name)
    return not words or (words[-1] not in _ABOUT_AUTHOR and not words[0].startswith("comment"))


def _own_words(node: HtmlElement) -> str:
    """Return text of the element itself where it has some, or of what in it is called a name,
    without the badges and counters inside it.
    """
    named = [
        inner
        for inner in node.iterdescendants("*")
        if not _NAMES.isdisjoint(inner.get("class", "").split())
    ]
    if len(named) == 1 and node_text(named[0]):
        return node_text(named[0])
    own = squeeze(" ".join([node.text or "", *(child.tail or "" for child in node)]))
    return own if len(own) > 2 and len(own.split()) > 1 else node_text(node)
