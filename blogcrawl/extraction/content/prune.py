"""What a theme puts into the content node and what is not the post: found by name and by structure,
and dropped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.page import Page
from blogcrawl.extraction.content.edges import drop_back, drop_front
from blogcrawl.extraction.content.inline_comments import drop_said_below
from blogcrawl.lexicon.css_classes import ROLES, Kind, kind_of
from blogcrawl.text.visible import BLOCK_TAGS, node_text, paragraphs, squeeze

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
SURE = 0.95
"""That share where a name and links of types that say the same, or a header and its
heading, agree.
"""
MIN_REST = 20
"""Characters of text that must be left."""
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
_REL = frozenset("tag category prev next previous license author archives".split())
_TO_COMMENTS = re.compile(r"#(?:comments?|respond|disqus_thread|comment-form|reply)$", re.I)
MAX_BESIDES, MAX_LICENCE = 40, 300
"""Characters beside such links in a block ("Filed under: …"; the sentence of a Creative Commons
notice).
"""
MAX_TOLD = 150


def _values(path: etree.XPath, root: HtmlElement) -> list[str]:
    found: Any = path(root)
    return found


def _length(element: HtmlElement) -> float:
    """Characters of text, white space folded."""
    number: Any = _CHARACTERS(element)
    return float(number)


def prune(root: HtmlElement, page: Page, title: str | None = None, dated: str | None = None) -> str:
    """Drop from ``root`` what is not the post. ``root`` is changed in place; its own label is not
    judged. Returns the text that is left, a line per paragraph."""
    hrefs, rels = _values(_HREFS, root), set(_values(_RELS, root))
    suspects, is_told = _suspects(root, hrefs, rels), _has_telling_links(hrefs, rels)
    total = max(_length(root), 1.0) if suspects or is_told else 1.0
    rest = total
    for element, kind in suspects:
        if element is root or not _inside(element, root):
            continue
        length = _length(element)
        if length > _limit(element, kind) * total or (length and rest - length < MIN_REST):
            continue
        if not _fits(element, kind, length, total):
            continue
        element.drop_tree()
        rest -= length
    for block in _told_by_links(root, total) if is_told else ():
        length = _length(block)
        if block is not root and _inside(block, root) and rest - length >= MIN_REST:
            block.drop_tree()
            rest -= length
    text, before = paragraphs(root), _NODES(root)
    lines = text.split("\n")
    drop_said_below(root, lines, MIN_REST)
    drop_front(root, page, title, dated, lines[0])
    is_whole = _NODES(root) == before
    gone = drop_back(root, lines[-1])
    if not is_whole:
        return paragraphs(root)
    return "\n".join(lines[:-gone]) if gone else text


def _limit(element: HtmlElement, kind: Kind) -> float:
    """The greatest share that may be dropped: what is inside makes the theme's lines around a very
    short post sure.
    """
    is_sure = kind == "meta" and (
        any(_is_told(anchor) for anchor in element.iter("a")) or _signs(element)
    )
    if kind == "title":
        lead = max((_length(paragraph) for paragraph in element.iter("p")), default=0.0)
        is_sure = lead <= MAX_BESIDES and element.find(".//h1") is not None and _is_first(element)
    return SURE if is_sure else LIMITS[kind]


def _signs(element: HtmlElement) -> bool:
    """A footer with day or author in elements made for them is the post's byline."""
    return element.tag == "footer" and next(element.iter("time", "address"), None) is not None


def _is_told(anchor: HtmlElement) -> bool:
    rel = anchor.get("rel")
    return (rel is not None and not _REL.isdisjoint(rel.lower().split())) or _TO_COMMENTS.search(
        anchor.get("href") or ""
    ) is not None


def _has_telling_links(hrefs: Sequence[str], rels: Set[str]) -> bool:
    if any(not _REL.isdisjoint(rel.lower().split()) for rel in rels):
        return True
    return any("#" in href and _TO_COMMENTS.search(href) for href in hrefs)


def _told_by_links(root: HtmlElement, total: float) -> list[HtmlElement]:
    """Blocks that hold little else than links which say themselves what they are: tags, licence,
    previous, next, comments.

    Link types of the HTML Living Standard (4.6.7), microformats' ``rel-tag`` and ``rel-license``.
    """
    told: dict[HtmlElement, float] = {}
    for anchor in root.iter("a"):
        if _is_told(anchor):
            told[anchor] = _length(anchor)
    if len(told) > MAX_TOLD:  # a page of tags, not a post with some
        return []
    blocks: dict[HtmlElement, None] = {}
    for anchor, length in told.items():
        chosen = None
        block: HtmlElement | None = (
            anchor if "license" not in (anchor.get("rel") or "") else anchor.getparent()
        )
        limit = MAX_LICENCE if block is not anchor else MAX_BESIDES
        while block is not None and block is not root:
            whole = _length(block)
            besides = (
                whole
                - sum(
                    other for link, other in told.items() if link is block or _within(link, block)
                )
                - _headings(block)
            )
            if besides > limit or whole > LIMITS["meta"] * total:
                break
            if block.tag in BLOCK_TAGS:
                chosen = block
            block = block.getparent()
        if chosen is not None and length:
            blocks[chosen] = None
    return list(blocks)


def _within(element: HtmlElement, outer: HtmlElement) -> bool:
    return any(ancestor is outer for ancestor in element.iterancestors())


def _headings(block: HtmlElement) -> float:
    return sum(_length(heading) for heading in block.iter("h1", "h2", "h3", "h4", "h5", "h6"))


def _suspects(
    root: HtmlElement, hrefs: Sequence[str], rels: Set[str]
) -> list[tuple[HtmlElement, Kind]]:
    found: list[tuple[HtmlElement, Kind]] = []
    outer: HtmlElement = root[0] if len(root) == 1 and not (root.text or "").strip() else root
    labelled = _labelled(root, outer)
    if labelled is None:
        is_told = any(href.startswith("#") for href in hrefs) or any("tag" in rel for rel in rels)
        labelled = list(root.iter("a")) if is_told else []
    for element in labelled:
        kind = _kind(element) if element is not outer else None
        if (
            kind is not None
            and element.tag not in SKIPPED_TAGS
            and not any(above.tag in SKIPPED_TAGS for above in element.iterancestors())
        ):
            found.append((element, kind))
    return found


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
    """Elements of which one may say what it is; None where only links may. Values are asked first,
    without the elements that bear them: in most posts none says anything, and code has thousands of
    elements with the same few."""
    by_tag = list(root.iter(*_BY_TAG))
    if any(not element.attrib for element in by_tag):  # a bare <header> is rare
        return [element for element in root.iterdescendants() if isinstance(element.tag, str)]
    classes = {label for label in set(_values(_CLASSES, outer)) if kind_of(label)}
    told = {label for label in _values(_IDS, outer) if kind_of(label)} | {
        role for role in _values(_ROLES, outer) if role in ROLES
    }
    told |= {style for style in set(_values(_STYLES, outer)) if _HIDDEN.search(style)}
    if classes or told or by_tag or _values(_HIDDEN_ONES, outer):
        named: Any = _WITH_ATTRIBUTES(root)
        return [
            e
            for e in named
            if e.get("class") in classes or e.tag == "a" or e.tag in _BY_TAG or _says(e, told)
        ]
    return None


def _says(element: HtmlElement, told: Set[str]) -> bool:
    get = element.get
    return (
        get("id") in told
        or get("role") in told
        or get("style") in told
        or get("hidden") is not None
    )


_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_INLINE = frozenset("span em strong b i u code mark abbr sub sup font".split())


def _kind(element: HtmlElement) -> Kind | None:
    get = element.get
    role = get("role")
    if role and role in ROLES:
        return ROLES[role]
    for name in LABELS:
        label = get(name)
        if label:
            kind = kind_of(label)
            if kind is not None and (
                name == "class" or kind == "comments" or element.tag not in _HEADINGS
            ):
                return kind  # the id of a heading is made of its own words
    if get("hidden") is not None and get("hidden") != "until-found":
        return "hidden"
    style = get("style")
    if style and _HIDDEN.search(style):
        return "hidden"
    if element.tag == "a" and (get("href") or "").startswith("#"):
        text = element.text_content() if len(element) else element.text
        if squeeze(text).lower() in _ANCHOR_SIGNS:
            return "hidden"
    if (
        element.tag == "a"
        and get("rel")
        and "tag" in (get("rel") or "").split()
        and "category" in (get("rel") or "")
    ):
        return "meta"
    return _BY_TAG.get(element.tag)


def _fits(element: HtmlElement, kind: Kind, length: float, total: float) -> bool:
    """Is the element built like what its name says?"""
    tag = element.tag
    if (
        tag in {"body", "html", "main", "img", "figure", "table", "tbody", "tr"}
        and kind != "comments"
    ):
        return False
    if kind == "hidden":
        return True
    quoted = any(
        ancestor.tag in {"blockquote", "figure", "table", "dl"}
        for ancestor in element.iterancestors()
    )
    if quoted and kind in {"author", "meta", "title"}:
        return False
    if kind == "related":
        return element.find(".//a") is not None
    if kind == "title":
        return (
            element.find(".//h1") is not None
            or element.find(".//time") is not None
            or _is_first(element)
        )
    if kind == "meta":
        return (
            length < 600
            and "footnote" not in (element.get("class") or "")
            and element.find(".//pre") is None
        )
    if kind == "comments" and tag in _INLINE:
        return length < 60
    if kind == "subscribe" and tag == "form":
        return length < 400
    return True


def _is_first(element: HtmlElement) -> bool:
    """No text stands before the element inside its parent."""
    parent = element.getparent()
    if parent is None or (parent.text or "").strip():
        return False
    return not any(
        node_text(before) or (before.tail or "").strip()
        for before in element.itersiblings(preceding=True)
    )


def _inside(element: HtmlElement, root: HtmlElement) -> bool:
    """Still part of the tree (its ancestors may have been dropped)."""
    node: HtmlElement | None = element
    while node is not None:
        if node is root:
            return True
        node = node.getparent()
    return False
