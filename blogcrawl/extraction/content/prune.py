"""Drop what a theme puts into the content node besides the post, found by name and by structure."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Mapping, Sequence, Set
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.bounds import MAX_TRIED
from blogcrawl.core.evidence import NEAR, NEARLY_ALL
from blogcrawl.core.page import Page
from blogcrawl.dates.parse import find_date
from blogcrawl.extraction.content.edges import (
    drop_back,
    drop_foot,
    drop_front,
    drop_own_line,
    is_to_tag,
)
from blogcrawl.extraction.content.inline_comments import drop_said_below
from blogcrawl.extraction.fields.byline import document_title
from blogcrawl.extraction.fields.names import plain
from blogcrawl.lexicon.comment_words import is_label, names_comments
from blogcrawl.lexicon.css_classes import ROLES, Kind, kind_of
from blogcrawl.text.lengths import MAX_BYLINE, MAX_LABEL, MIN_PARAGRAPH, MIN_REST
from blogcrawl.text.visible import BLOCK_TAGS, node_text, paragraphs, squeeze, stripped
from blogcrawl.urls.page_kinds import LIST_PATHS

LIMITS: dict[Kind, float] = {
    "share": 0.3,
    "related": 0.5,
    "comments": 0.999,
    "author": 0.3,
    "meta": 0.3,
    "nav": 0.4,
    "subscribe": 0.3,
    "ad": 0.3,
    "hidden": 0.45,
    "title": 0.3,
}
"""Greatest share of the content's characters that an element of a kind may hold and still be
dropped.

A name alone proves little: a post inside ``<div class="share-wrapper">`` stays. Comments may be
many times the post.
"""
SKIPPED_TAGS = frozenset("pre code kbd samp math svg video audio picture".split())
LABELS = ("class", "id")
_ANCHOR_SIGNS = frozenset("¶ # § 🔗 ∞ ⚓ link permalink ⌗".split())
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_NODES = etree.XPath("count(descendant::node())")
_CHARACTERS = etree.XPath("string-length(normalize-space(.))")
_CLASSES, _IDS, _STYLES, _ROLES, _HIDDEN_ONES, _HREFS, _RELS = (
    etree.XPath(path, smart_strings=False)
    for path in (
        "descendant::*/@class",
        "descendant::*/@id",
        "descendant::*/@style",
        "descendant::*/@role",
        "descendant::*/@hidden",
        "descendant::a/@href",
        "descendant::a/@rel",
    )
)
_Byline = tuple[str | None, Sequence[str]]
"""The post's date as written, and its authors."""
_NO_SLUG = re.compile(r"[^a-z0-9]")
_JPEG = re.compile(r"\.jpe?g(?:$|[?#])", re.I)
_REL = frozenset("tag category prev next previous license author archives".split())
_TO_TAG = LIST_PATHS["tag"]
_TO_COMMENTS = re.compile(r"#(?:comments?|respond|disqus_thread|comment-form|reply)$", re.I)


def _values(path: etree.XPath, root: HtmlElement) -> list[str]:
    found: Any = path(root)
    return found


def _length(element: HtmlElement) -> float:
    """Return characters of text, white space folded."""
    number: Any = _CHARACTERS(element)
    return float(number)


def _drop_meta_blocks(root: HtmlElement, page: Page, total: float, rest: float) -> None:
    """Drop the blocks of links to tags, authors and the like, as long as enough of the text of
    ``rest`` characters is left."""
    for block in _meta_blocks(root, page, total):
        length = _length(block)
        if block is not root and _inside(block, root) and rest - length >= MIN_REST:
            block.drop_tree()
            rest -= length


def prune(
    root: HtmlElement,
    page: Page,
    title: str | None = None,
    dated: str | None = None,
    authors: Sequence[str] = (),
) -> str:
    """Drop from ``root`` what is not the post, and return the text that is left, a line per
    paragraph.

    ``root`` is changed in place; its own label is not judged.
    """
    hrefs, rels = _values(_HREFS, root), set(_values(_RELS, root))
    suspects, has_meta_links = _suspects(root, hrefs, rels), _has_meta_links(hrefs, rels)
    said = [node_text(element) for element, kind in suspects if kind == "comments"]
    if any(map(is_label, said)):  # before the label goes, which shows where they begin
        drop_said_below(root, said, MIN_REST, document_title(page))
    total = max(_length(root), 1.0) if suspects or has_meta_links else 1.0
    rest = _drop_suspects(root, page, suspects, total, (dated, authors))
    if has_meta_links:
        _drop_meta_blocks(root, page, total, rest)
    text, before = paragraphs(root), _NODES(root)
    lines = text.split("\n")
    drop_said_below(root, lines, MIN_REST, document_title(page))
    drop_front(root, page, title, dated, lines, authors)
    if _NODES(root) != before:
        text = paragraphs(root)
        lines = text.split("\n")
    gone = drop_own_line(root, page, lines)
    lines = lines[: len(lines) - gone]
    gone = drop_foot(root, lines, dated, authors) or drop_back(root, lines[-1])
    return "\n".join(lines[: len(lines) - gone])


def _drop_suspects(
    root: HtmlElement,
    page: Page,
    suspects: Sequence[tuple[HtmlElement, Kind]],
    total: float,
    byline: _Byline,
) -> float:
    """Drop the elements that are built like what their names say, within the limits; return the
    length of the text left, of ``total``.
    """
    rest = total
    for element, kind in suspects:
        if element is root or not _inside(element, root):
            continue
        length = _length(element)
        if length and rest - length < MIN_REST:
            continue
        if length > _limit(element, kind, page) * total and not _is_signed(element, kind, byline):
            continue
        if _fits(element, kind, length):
            element.drop_tree()
            rest -= length
    return rest


def _is_signed(element: HtmlElement, kind: Kind, byline: _Byline) -> bool:
    """Return whether an element that is called a byline has a date, and the post's as written or
    one of its authors: it is one, however short the post."""
    text = " ".join(element.itertext()) if kind == "meta" else ""
    dated, authors = byline
    is_own = any(known in text for known in (dated, *authors) if known)
    return is_own and find_date(text) is not None


def _limit(element: HtmlElement, kind: Kind, page: Page) -> float:
    """Return the greatest share that may be dropped: what is inside makes the theme's lines around
    a very short post sure.
    """
    is_sure = kind == "meta" and (
        any(_is_meta_link(a, page) or _is_to_category(a) for a in element.iter("a"))
        or _signs(element)
    )
    if kind == "subscribe":
        is_sure = next(element.iter("form", "input"), None) is not None
    if kind == "title":
        lead = max((_length(paragraph) for paragraph in element.iter("p")), default=0.0)
        is_sure = lead <= MAX_LABEL and element.find(".//h1") is not None and _is_first(element)
    return NEARLY_ALL if is_sure else LIMITS[kind]


def _signs(element: HtmlElement) -> bool:
    """A footer with day or author in elements made for them is the post's byline."""
    return element.tag == "footer" and next(element.iter("time", "address"), None) is not None


def _is_meta_link(anchor: HtmlElement, page: Page) -> bool:
    """Return whether a link is to tags, licence, neighbours or comments, by its type or address."""
    return _has_meta_type(anchor) or is_to_tag(anchor.get("href", ""), page)


def _has_meta_type(anchor: HtmlElement) -> bool:
    """Return whether a link says of itself that it is of such a type, or leads to the comments."""
    rel = anchor.get("rel")
    if rel is not None and not _REL.isdisjoint(rel.lower().split()):
        return True
    return _TO_COMMENTS.search(anchor.get("href", "")) is not None


def _is_to_category(anchor: HtmlElement) -> bool:
    """Return whether a link's address is that of the page of a category."""
    return LIST_PATHS["category"].search(anchor.get("href", "")) is not None


def _has_meta_links(hrefs: Sequence[str], rels: Set[str]) -> bool:
    if any(not _REL.isdisjoint(rel.lower().split()) for rel in rels):
        return True
    return any(_TO_COMMENTS.search(href) or _TO_TAG.search(href) for href in hrefs)


def _meta_blocks(root: HtmlElement, page: Page, total: float) -> list[HtmlElement]:
    """Return the blocks that hold little else than links of telling types: tags, licence, previous,
    next, comments.

    Link types of the HTML Living Standard (4.6.7), microformats' ``rel-tag`` and ``rel-license``.
    """
    links = _meta_links(root, page)
    if len(links) > MAX_TRIED:  # a page of tags, not a post with some
        return []
    found = ((anchor, _meta_block(anchor, root, links, total)) for anchor in links if links[anchor])
    blocks = {block: _has_meta_type(anchor) for anchor, block in found if block is not None}
    amid = _amid_text(root, blocks) if not all(blocks.values()) else ()
    return [block for block, has_type in blocks.items() if has_type or block not in amid]


def _meta_links(root: HtmlElement, page: Page) -> dict[HtmlElement, float]:
    """Return the links of telling types with their letters."""
    return {anchor: _length(anchor) for anchor in root.iter("a") if _is_meta_link(anchor, page)}


def _amid_text(root: HtmlElement, blocks: Container[HtmlElement]) -> set[HtmlElement]:
    """Return which of the blocks have text of the post above and below, links apart, and no label
    ("Tags:"): an author's list of what the site has tags for."""
    places: dict[HtmlElement, list[int]] = {}
    length = links = 0
    for event, node in etree.iterwalk(root, events=("start", "end")):
        if node in blocks:
            places.setdefault(node, []).append(length)
        if node.tag == "a":
            links += 1 if event == "start" else -1
        length += 0 if links else len(stripped(node.text if event == "start" else node.tail))
    return {
        block
        for block, (start, end) in places.items()
        if min(start, length - end) >= MAX_BYLINE and not _is_labelled(block)
    }


def _is_labelled(block: HtmlElement) -> bool:
    """Return whether what stands before the first link of a block with words ends with a colon."""
    link = next(filter(None, map(node_text, block.iter("a"))), None)
    lead = "" if link is None else node_text(block).partition(link)[0]
    return lead.rstrip().endswith((":", "："))


def _meta_block(
    anchor: HtmlElement, root: HtmlElement, links: Mapping[HtmlElement, float], total: float
) -> HtmlElement | None:
    """Return the outermost block around a link that holds little text besides such ``links``."""
    is_licence = "license" in anchor.get("rel", "")
    limit = MIN_PARAGRAPH if is_licence else MAX_LABEL
    chosen = None
    for block in (*(() if is_licence else (anchor,)), *anchor.iterancestors()):
        if block is root:
            break
        whole = _length(block)
        linked = sum(n for link, n in links.items() if link is block or _within(link, block))
        if whole - linked - _headings(block) > limit or whole > LIMITS["meta"] * total:
            break
        if block.tag in BLOCK_TAGS:
            chosen = block
    return chosen


def _within(element: HtmlElement, outer: HtmlElement) -> bool:
    return any(ancestor is outer for ancestor in element.iterancestors())


def _headings(block: HtmlElement) -> float:
    return sum(_length(heading) for heading in block.iter("h1", "h2", "h3", "h4", "h5", "h6"))


def _suspects(
    root: HtmlElement, hrefs: Sequence[str], rels: Set[str]
) -> list[tuple[HtmlElement, Kind]]:
    """Return the elements inside ``root`` that names, tags or links call something else than the
    post, with what they are called.
    """
    outer: HtmlElement = root[0] if len(root) == 1 and not stripped(root.text) else root
    labelled = _labelled(root, outer)
    if labelled is None:
        has_kind = any(href.startswith("#") for href in hrefs) or any("tag" in rel for rel in rels)
        labelled = list(root.iter("a")) if has_kind else []
    return [
        (element, kind)
        for element in labelled
        if element is not outer
        and (kind := _kind(element)) is not None
        and not _is_skipped(element)
    ]


def _is_skipped(element: HtmlElement) -> bool:
    return element.tag in SKIPPED_TAGS or any(
        above.tag in SKIPPED_TAGS for above in element.iterancestors()
    )


_BY_TAG: dict[str, Kind] = {
    "nav": "nav",
    "header": "title",
    "footer": "meta",
    "form": "subscribe",
    "dialog": "hidden",
    "menu": "nav",
}
_WITH_ATTRIBUTES = etree.XPath("descendant::*[@*]")


def _labelled(root: HtmlElement, outer: HtmlElement) -> list[HtmlElement] | None:
    """Return the elements whose attributes or tag may name a kind; None where only links may.

    Values are looked up first, without the elements that have them: in most posts none names a
    kind, and code has thousands of elements with the same few.
    """
    by_tag = list(root.iter(*_BY_TAG))
    if not all(element.attrib for element in by_tag):  # a bare <header> is rare
        return list(root.iterdescendants(etree.Element))
    classes = set(filter(kind_of, set(_values(_CLASSES, outer))))
    others = {
        *filter(kind_of, _values(_IDS, outer)),
        *filter(ROLES.__contains__, _values(_ROLES, outer)),
        *filter(_HIDDEN.search, set(_values(_STYLES, outer))),
    }
    if not any((classes, others, by_tag, _values(_HIDDEN_ONES, outer))):
        return None
    named: Any = _WITH_ATTRIBUTES(root)
    return [
        e
        for e in named
        if e.get("class") in classes or e.tag == "a" or e.tag in _BY_TAG or _has_one(e, others)
    ]


def _has_one(element: HtmlElement, values: Set[str]) -> bool:
    """Return whether an element's id, role or style is one of these, or it is hidden."""
    get = element.get
    return (
        get("id") in values
        or get("role") in values
        or get("style") in values
        or get("hidden") is not None
    )


_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_INLINE = frozenset("span em strong b i u code mark abbr sub sup font".split())


def _kind(element: HtmlElement) -> Kind | None:
    """Return what an element is by role, names, style, link or tag; None where it may be the
    post's.
    """
    role = element.get("role")
    if role and role in ROLES:
        return ROLES[role]
    kind = _kind_by_name(element)
    if kind is not None:
        return kind
    if _is_hidden(element):
        return "hidden"
    if element.tag == "a":
        return _kind_of_link(element)
    return _BY_TAG.get(element.tag)


def _kind_by_name(element: HtmlElement) -> Kind | None:
    """Return what class or id call an element; the id of a heading is made of its own words."""
    for name in LABELS:
        label = element.get(name)
        kind = kind_of(label) if label else None
        if kind is not None and (
            name == "class" or not _is_own_words(element, label or "", kind == "comments")
        ):
            return kind
    return None


def _is_own_words(element: HtmlElement, ident: str, of_comments: bool) -> bool:
    """Return whether an id is made of a heading's words: of the element, or of the section that it
    begins, where these are too many for a name (docutils, Sphinx, Pandoc). One ``of_comments`` must
    have all words of a heading that names no comments: "It is hard to respond" is the post's."""
    if element.tag in _HEADINGS:
        is_posts = _is_slug_of(element, ident) and not names_comments(node_text(element))
        return is_posts or not of_comments
    heading = next(element.iterchildren(etree.Element), None)
    if heading is None or heading.tag not in _HEADINGS or ident.count("-") < NEAR:
        return False
    return not of_comments and _is_slug_of(heading, ident)


def _is_slug_of(heading: HtmlElement, ident: str) -> bool:
    """Return whether an id has the words of a heading: engines keep letters with accents, write
    them without (docutils), or leave them out."""
    text = node_text(heading)
    return plain(ident) == plain(text) or _NO_SLUG.sub("", text.lower()) == ident.replace("-", "")


def _is_hidden(element: HtmlElement) -> bool:
    hidden, style = element.get("hidden"), element.get("style")
    if hidden is not None and hidden != "until-found":
        return True
    hides = bool(style) and _HIDDEN.search(style or "") is not None
    return hides and not _can_be_shown(element)


_CONTROLS_BY_ID = etree.XPath(
    "boolean(//*[@aria-controls = $id or @data-target = concat('#', $id)"
    " or @href = concat('#', $id) or contains(@onclick, $id)"
    " or starts-with(@href, 'javascript:') and contains(@href, $id)])"
)
_CONTROL_BEFORE = etree.XPath(
    "boolean((preceding-sibling::*[1] | parent::*/preceding-sibling::*[1])"
    "/descendant-or-self::*[@onclick])"
)


def _can_be_shown(element: HtmlElement) -> bool:
    """Return whether the post has a control that shows a hidden element: one that names its id, or
    one right before it (spoilers, tabs, answers to riddles)."""
    ident = element.get("id")
    if ident and _CONTROLS_BY_ID(element, id=ident):
        return True
    return bool(_CONTROL_BEFORE(element))


def _kind_of_link(link: HtmlElement) -> Kind | None:
    """Return what a link is: an anchor's sign, or one to a category."""
    if link.get("href", "").startswith("#"):
        text = link.text_content() if len(link) else link.text
        if squeeze(text).lower() in _ANCHOR_SIGNS:
            return "hidden"
    rel = link.get("rel", "")
    return "meta" if "tag" in rel.split() and "category" in rel else None


def _fits(element: HtmlElement, kind: Kind, length: float) -> bool:
    """Return whether an element is built like what its name says."""
    if element.tag in _HOLDERS and kind != "comments":
        return False
    if kind in {"author", "meta", "title"} and _is_quoted(element):
        return False
    if kind == "related":
        return element.find(".//a") is not None
    if kind == "title":
        return _is_header(element)
    if kind == "meta" and not length and any(map(_is_photograph, element.iter("img"))):
        return False
    return not _is_posts(element, kind) and length < _longest(element, kind)


def _is_photograph(image: HtmlElement) -> bool:
    """Return whether a picture is one by its format: icons and drawn words are not JPEG."""
    return _JPEG.search(image.get("src", "")) is not None


def _is_posts(element: HtmlElement, kind: Kind) -> bool:
    """Return whether an element is part of the post whatever its name says."""
    return (kind == "meta" and _is_footnote(element)) or (kind == "hidden" and _is_heading(element))


def _longest(element: HtmlElement, kind: Kind) -> float:
    """Return the letters below which an element may be of a kind."""
    if kind == "meta":
        return 600
    if kind == "comments" and element.tag in _INLINE:
        return 60
    return 400 if kind == "subscribe" and element.tag == "form" else math.inf


def _is_quoted(element: HtmlElement) -> bool:
    return any(ancestor.tag in _QUOTING for ancestor in element.iterancestors())


def _is_footnote(element: HtmlElement) -> bool:
    """Return whether an element is called a footnote's or holds code: it is the post's."""
    return "footnote" in element.get("class", "") or element.find(".//pre") is not None


def _is_heading(element: HtmlElement) -> bool:
    """Return whether an element is a heading's whole text, and no sign: its link to itself."""
    above = element.getparent()
    if element.tag != "a" or above is None or above.tag not in _HEADINGS:
        return False
    text = node_text(element)
    return text.lower() not in _ANCHOR_SIGNS and text == node_text(above)


_HOLDERS = frozenset("body html main img figure table tbody tr".split())
_QUOTING = frozenset("blockquote figure table dl".split())


def _is_header(element: HtmlElement) -> bool:
    """Return whether an element holds the title or the date, or stands before all text."""
    holds = element.find(".//h1") is not None or element.find(".//time") is not None
    return holds or _is_first(element)


def _is_first(element: HtmlElement) -> bool:
    """No text stands before the element inside its parent."""
    parent = element.getparent()
    if parent is None or stripped(parent.text):
        return False
    return not any(
        node_text(before) or stripped(before.tail)
        for before in element.itersiblings(preceding=True)
    )


def _inside(element: HtmlElement, root: HtmlElement) -> bool:
    """Return whether an element is still part of the tree (its ancestors may have been dropped)."""
    return element is root or _within(element, root)
