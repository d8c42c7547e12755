"""The places of a page where tags may stand, each read by itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, TypeAlias
from urllib.parse import unquote, urlsplit

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.evidence import MOSTLY_LINKS, NEAR
from blogcrawl.core.page import Page, kept
from blogcrawl.extraction.confidence import confidences
from blogcrawl.extraction.fields.byline import is_aside, typed_tags
from blogcrawl.lexicon.css_classes import kind_of, words_of
from blogcrawl.lexicon.vocabulary import any_of, word_set
from blogcrawl.text.lengths import MAX_BYLINE
from blogcrawl.text.visible import node_text, stripped
from blogcrawl.urls.canonical import host_of
from blogcrawl.urls.page_kinds import kind_of_path

_TAG = re.compile(
    r"(?:^|[/?])(?:tags?|tagged|labels?|keywords?|etiquetas?|mots?-cles?|schlagw[oö]rte?r?|tagy|"
    r"t[ée]giek|теги?|标签|標籤|タグ)/[^/?#]+/?(?:[?#]|$)"
    r"|(?:^|/)tag[-_][^/?#]+\.html?(?:[?#]|$)|[?&](?:tag|label)=[^&]",
    re.I,
)
_CATEGORY = re.compile(
    r"(?:^|[/?])(?:categor(?:y|ies|ia|ias|ie|ies)|cat[ée]gories?|kategorien?|kategorier|"
    r"kategoria|rubri(?:k|que|ka|ca)s?|topics?|рубрики?|分类|分類)"
    r"/[^?#]*[^/?#]/?(?:[?#]|$)|[?&]cat(?:egory)?=[^&]",
    re.I,
)
_LABEL, _COMMA = re.compile(r"^[^,，、:：]*[:：]"), re.compile(r"[,，、]")
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
TAGS_AND_CATEGORIES = "tag and category links"
BY_ADDRESS = frozenset({TAGS_AND_CATEGORIES, "tag links", "category links"})
"""Sources that know a list by the address of a link alone."""
_LISTS, _LINKS = word_set("css_classes", "tag_lists"), word_set("css_classes", "tag_links")

Tag: TypeAlias = tuple[str, HtmlElement | None]
"""A name, and the element that is it; None where none is."""


def _meta(*names: str) -> Callable[[Page], list[Tag]]:
    def read(page: Page) -> list[Tag]:
        said = [content for name, content in _metas(page) if name in names]
        return [
            (word.strip(), None)
            for text in said
            for word in (_COMMA.split(text) if len(said) == 1 else [text])
        ]

    return read


@kept
def _metas(page: Page) -> list[tuple[str, str]]:
    """Return names and contents of the ``meta`` elements; upper case is lower case in names."""
    return [
        ((node.get("property") or node.get("name", "")).lower(), node.get("content", ""))
        for node in page.tree.iter("meta")
    ]


def _linked(*kinds: str) -> Callable[[Page], list[Tag]]:
    def read(page: Page) -> list[Tag]:
        return [tag for kind, tag in _tag_links(page) if kind in kinds]

    return read


@kept
def _tag_links(page: Page) -> list[tuple[str, Tag]]:
    """Return kind and text of the page's links to tags and categories: several sources ask for
    them."""
    found: list[tuple[str, Tag]] = []
    aside: dict[HtmlElement, bool] = {}
    places: dict[tuple[HtmlElement, int], bool] = {}
    for link in page.tree.iter("a"):
        href = link.get("href")
        kind = (_kind(href) or _called(link, href, page)) if href is not None else None
        if kind is None:
            continue
        place = _place(link)
        if place not in places:
            places[place] = not is_aside(link, aside) or _in_tag_box(link) or _in_posts_aside(link)
        if places[place] or (kind == "called" and _is_typed_apart(link)):
            found.append((kind, (_named(link), link)))
    return found


def list_name(link: HtmlElement) -> str | None:
    """Return the tag or category to whose list a link leads by its address, else None."""
    return _named(link) if _kind(link.get("href") or "") is not None else None


def _called(link: HtmlElement, href: str, page: Page) -> str | None:
    """Return "called" where the markup says that a link is a tag's whose address says nothing: by
    its own class or type, by the name of its list, or by the "#" in front of it amid nothing else.
    """
    if href.startswith(("#", "javascript:", "mailto:")):
        return None
    near = islice(link.iterancestors(), NEAR)
    is_called = (
        _is_named(link.get("class"), _LINKS)
        or "tag" in link.get("rel", "").split()
        or any(
            _is_named(outer.get(name), _LISTS)
            for outer in near
            for name in ("class", "id", "itemprop")
        )
        or (node_text(link).lstrip()[:1] == "#" and _is_own_address(href, page) and _alone(link))
    )
    return "called" if is_called else None


def _is_typed_apart(link: HtmlElement) -> bool:
    """Return whether a link of type ``tag`` stands next to the post, where some themes put its tags
    (SPIP): not at another post or a comment.
    """
    return "tag" in link.get("rel", "").split() and not any(
        kind_of(label) in {"related", "comments"}
        for outer in link.iterancestors()
        if (label := outer.get("class"))
    )


def _is_own_address(href: str, page: Page) -> bool:
    url = page.absolute(href)
    return url is not None and host_of(url) == host_of(page.url)


def _alone(link: HtmlElement) -> bool:
    """Return whether the element around a link holds links and little else."""
    box = link.getparent()
    if box is None:
        return False
    linked = sum(len(node_text(other)) for other in box.iter("a"))
    return linked >= MOSTLY_LINKS * len(node_text(box))


@lru_cache(maxsize=4096)
def _is_named(label: str | None, last_words: frozenset[str]) -> bool:
    """Return whether one of the names in a label ends with one of these words."""
    names = map(words_of, (label or "").split())
    return any(words and words[-1] in last_words for words in names)


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
    """Return a link's text without "#", and without the number of posts that themes put behind the
    name, in brackets or into an element of its own.
    """
    last, number = link, ""
    while len(last) and not number.isdigit() and not stripped(last[-1].tail):
        last = last[-1]
        number = node_text(last).strip()
    name = node_text(link).strip()
    if number.isdigit() and name.endswith(number):
        name = name[: -len(number)].rstrip() or name
    name = _COUNT.sub("", name) if name[-1:] in _CLOSING else name
    return name.lstrip("#").strip()


@lru_cache(maxsize=4096)
def _kind(href: str) -> str | None:
    """Return whether an address is a tag's or a category's: a theme links the same ones from every
    page.
    """
    href = unquote(href.strip())
    return "tag" if _TAG.search(href) else "category" if _CATEGORY.search(href) else None


def _labelled(page: Page) -> list[Tag]:
    """Return names without a link: in elements called "tag" inside one called "tags" (Material for
    MkDocs), and what lists of tags without links hold (ikiwiki).
    """
    called = [
        (node_text(node), node)
        for node in page.tree.iter("span", "li", "div", "button")
        if (label := node.get("class")) is not None
        and _ends(label, "tag")
        and _ends(" ".join(_labels_above(node)), "tags")
    ]
    found = called or [
        tag
        for box in page.tree.iter("div", "p", "span", "ul", "nav", "i")
        if _is_named(box.get("class"), _LISTS) and next(box.iter("a"), None) is None
        for tag in _unlinked(box)
    ]
    return [(name.strip().lstrip("#").strip(), node) for name, node in found]


def _unlinked(box: HtmlElement) -> list[Tag]:
    """Return the names in a list of tags: one an element, or parted by commas behind a label."""
    if len(box):
        return [(node_text(node), node) for node in box if isinstance(node.tag, str)]
    return [(name, box) for name in _COMMA.split(_LABEL.sub("", node_text(box)))]


def _categories(page: Page) -> list[Tag]:
    """microformats2 ``p-category``, inside of an h-entry or not."""
    if "p-category" not in page.text:
        return []
    named: Any = _P_CATEGORY(page.tree)
    return [
        (node_text(node).lstrip("#").strip(), node)
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
        if label and (
            (step < NEAR and (kind_of(label) == "meta" or _is_named(label, _LISTS)))
            or _names_posts_meta(label)
        ):
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


def _behind_labels(page: Page) -> list[Tag]:
    """Return what stands behind a label in its line, whatever the markup calls it: links ("Tags:
    a, b", "Filed under a"), the label in one with the name, or all in the label's cell."""
    found: dict[HtmlElement, str] = {}
    aside: dict[HtmlElement, bool] = {}
    for link in page.tree.iter("a"):
        name = _name_behind(link, found) if not _stays(page, link) else None
        if name and not is_aside(link, aside):
            found[link] = name
    linked = [(name, link) for link, name in found.items() if not _leads_home(page, link)]
    return [*linked, *(tag for tag in _in_labelled_cells(page) if tag[1] not in found)]


def _stays(page: Page, link: HtmlElement) -> bool:
    """Return whether a link leads to another place of its own page. Tags may stand on one page,
    each at its name (``/tags/#python``)."""
    address, _, anchor = link.get("href", "").partition("#")
    return bool(anchor or not address) and page.absolute(address) in (page.url, None)


def _leads_home(page: Page, link: HtmlElement) -> bool:
    """Return whether a link leads to the start page, as the first of a path to the post does."""
    parts = urlsplit(page.absolute(link.get("href", "")) or "")
    return kind_of_path(parts.path or "/", parts.query) == "home"


def _in_labelled_cells(page: Page) -> Iterator[Tag]:
    """Yield what the cells next to a label's cell hold."""
    for cell in page.tree.iter("td", "dd"):
        label = cell.getprevious()
        if label is not None and _LABEL_ALONE.fullmatch(node_text(label)[:MAX_BYLINE]):
            yield from _unlinked(cell)


def _name_behind(link: HtmlElement, known: Collection[HtmlElement]) -> str | None:
    """Return the tag that a link behind a label, or behind another such link, names."""
    inside = _LABEL_FIRST.match(node_text(link)[: 2 * MAX_BYLINE])
    if inside is not None:
        return inside["name"]
    text, before = _before(link)
    text = text[-MAX_BYLINE:]
    is_next = not any(map(str.isalpha, text)) and _ends_with_known(before, known)
    is_labelled = _LABEL_LAST.search(text if text or before is None else node_text(before))
    return _named(link) if is_next or is_labelled else None


def _before(node: HtmlElement) -> tuple[str, HtmlElement | None]:
    """Return the text right before an element in its line, and the element before that."""
    while True:
        before = node.getprevious()
        text = stripped(before.tail if before is not None else node.getparent().text)
        if text or before is not None or node.getparent().tag not in _INLINE:
            return text, before
        node = node.getparent()


def _ends_with_known(element: HtmlElement | None, known: Collection[HtmlElement]) -> bool:
    return element is not None and (
        element in known or any(link in known for link in element.iterdescendants("a"))
    )


_INLINE = frozenset("span b strong i em small".split())
_LABEL_WORDS = any_of("tags", "label")
_LABEL_LAST = re.compile(
    rf"(?<!\w)(?:{_LABEL_WORDS})\s?[:：]\s*$"
    rf"|(?:^|[|·•(\[–—-])\s*(?:{any_of('tags', 'phrase')})\s?[:：]?\s*$",
    re.I,
)
_LABEL_ALONE = re.compile(rf"\W*(?:{_LABEL_WORDS}|{any_of('tags', 'phrase')})\s?[:：]?\s*", re.I)
_LABEL_FIRST = re.compile(
    rf"(?:{_LABEL_WORDS})\s?[:：]\s?(?P<name>[^:：]{{1,{MAX_BYLINE}}})$", re.I
)


SOURCES: Mapping[str, Callable[[Page], Sequence[Tag]]] = {
    "meta article:tag": _meta("article:tag"),
    "rel=tag": typed_tags,
    "p-category": _categories,
    "tag links": _linked("tag"),
    TAGS_AND_CATEGORIES: _linked("tag", "category"),
    "elements called tag": _labelled,
    "links called tags": _linked("called"),
    "behind a label": _behind_labels,
    "meta keywords": _meta("keywords", "news_keywords"),
    "category links": _linked("category"),
}
"""The surest first: that decides where no feed does."""


def read_source(page: Page, source: str) -> list[str]:
    """As often as they stand there: a tag in a cloud stands once more where it is the post's."""
    return [tag for tag, _ in _read(page, source)]


def read_lists(page: Page, source: str) -> list[list[str]]:
    """Return the same tags by the list that they stand in, those that stand in none left out."""
    named = [(tag, node) for tag, node in _read(page, source) if node is not None]
    around = Counter(outer for _, node in named for outer in islice(node.iterancestors(), NEAR))
    lists: dict[HtmlElement, list[str]] = {}
    for tag, node in named:
        box = next((o for o in islice(node.iterancestors(), NEAR) if around[o] > 1), None)
        if box is not None:
            lists.setdefault(box, []).append(tag)
    return list(lists.values())


def read_named(page: Page, source: str) -> list[str]:
    """Return the same tags that stand in a box named as one about the post (``post-tags``)."""
    found = ((tag, node) for tag, node in _read(page, source) if node is not None)
    return [tag for tag, node in found if any(map(_names_posts_meta, _labels_above(node)))]


def _read(page: Page, source: str) -> Sequence[Tag]:
    tags = [tag for tag in SOURCES[source](page) if 0 < len(tag[0]) <= MAX_BYLINE]
    return tags if len(tags) <= MAX_TAGS else []
