"""The post's content as it is kept: sanitised, absolute, without the theme around it, and still
faithful.

Work is done on a copy of the subtree, in this order: pictures are resolved, what is not the post is
dropped, the text is taken, embeds become links, and nh3 (ammonia) has the last word on the markup.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import lxml.html
from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.costs import may_have_many_attributes
from blogcrawl.core.page import CONTROLS, Page, fragment, html_parser
from blogcrawl.core.records import MediaFile
from blogcrawl.extraction.content.drawings import drawings_to_pictures
from blogcrawl.extraction.content.edges import drop_own_line
from blogcrawl.extraction.content.embeds import (
    embeds_to_links,
    resolve_links,
    script_embeds_to_frames,
    tex_to_text,
)
from blogcrawl.extraction.content.inline_comments import (
    drop_pings_below,
    drop_said_behind_forms,
    drop_said_below,
)
from blogcrawl.extraction.content.line_numbers import drop_language_names, drop_line_numbers
from blogcrawl.extraction.content.markup import ATTRIBUTES, DROP_WITH_CONTENT, TAGS
from blogcrawl.extraction.content.pictures import resolve_pictures
from blogcrawl.extraction.content.prune import prune
from blogcrawl.extraction.fields.byline import document_title
from blogcrawl.induction.apply import drop_parts
from blogcrawl.induction.ruleset import Rule
from blogcrawl.lexicon.css_classes import GATE, words_of
from blogcrawl.text.lengths import MAX_TEASER, MIN_REST
from blogcrawl.text.visible import BLOCK_TAGS, node_text, paragraphs
from blogcrawl.urls.page_kinds import LIST_PATHS

if TYPE_CHECKING:
    import nh3

Source: TypeAlias = "HtmlElement | Sequence[HtmlElement | str] | str"

_SAYING = ATTRIBUTES["*"]
_SAID = etree.XPath(
    " | ".join(f"descendant::span/@{name}" for name in sorted(_SAYING)), smart_strings=False
)

UNSEEN = ("script", "style", "template", "svg", "canvas", "select", "textarea", "button", "applet")
"""Of those, what may go first: neither a picture nor a player hides in it, and all that follows has
less to walk through.
"""


@dataclass(frozen=True, slots=True)
class CleanContent:
    """``html`` sanitised with absolute links, ``text`` a line per paragraph, ``media`` in document
    order, bytes not fetched; ``is_gated``: the rest is for those who sign in.
    """

    html: str
    text: str
    media: tuple[MediaFile, ...] = ()
    is_gated: bool = False


EMPTY = CleanContent("", "")


def clean_content(
    source: Source,
    page: Page,
    *,
    title: str | None = None,
    dated: str | None = None,
    authors: Sequence[str] = (),
    drops: Sequence[Rule] = (),
) -> CleanContent:
    """Clean a content node (or sibling nodes with the text between them, or HTML from a feed).

    ``page`` gives the base of relative links and the document's title; ``title`` is the post's
    where it is known: a leading heading that repeats it is dropped, and so is a first block that
    says no more than ``dated``, the post's date as written, or a last one that names its
    ``authors`` too; ``drops``: the blog's rules for parts
    of the node that are no content. ``source`` is not changed. Raises nothing on odd markup.
    """
    root = _container(source)
    if root is None:
        return EMPTY
    is_gated = _drop_gates(root)
    if drops:
        lines = paragraphs(root).split("\n")
        drop_said_below(root, lines, MIN_REST, document_title(page))  # the label may be dropped
        drop_own_line(root, page, lines)  # before some of its links are dropped
        drop_parts(root[0], drops)
    drop_pings_below(root, MIN_REST)
    drop_said_behind_forms(root, MIN_REST)  # before what readers write in is gone
    tex_to_text(root)
    script_embeds_to_frames(root)
    drawings_to_pictures(root)
    etree.strip_elements(root, etree.Comment, etree.ProcessingInstruction, *UNSEEN, with_tail=False)
    _drop_password_forms(root)
    drop_line_numbers(root)
    drop_language_names(root)
    _uncolour(root)
    media = resolve_pictures(root, page)
    text = prune(root, page, title, dated, authors)
    shown = {picture.get("src") for picture in root.iter("img")}
    kept = [file for file in media if file.url in shown]
    kept += resolve_links(root, page)
    kept += embeds_to_links(root, page)
    markup = etree.tostring(root, encoding="unicode", method="html", with_tail=False)
    del root  # the cleaner builds a tree of its own, of five times the page
    html = _cleaner().clean(markup).strip()
    if html.startswith("<div>") and html.endswith("</div>"):
        html = html[5:-6].strip()
    files = tuple({(file.url, file.role): file for file in kept}.values())
    return CleanContent(html, text, files, is_gated)


def _drop_password_forms(root: HtmlElement) -> None:
    """Drop the forms that stand in the place of a protected post and ask for its password."""
    for form in list(root.iter("form")):
        if any(box.get("type", "").lower() == "password" for box in form.iter("input")):
            form.drop_tree()


def _drop_gates(root: HtmlElement) -> bool:
    """Drop the boxes that stand in the place of what only subscribers or members read, and lead to
    where these sign in; return whether there was one."""
    gates = list(filter(_is_gate, _with_class(root)))
    for gate in gates:
        gate.drop_tree()
    return bool(gates)


def _is_gate(element: HtmlElement) -> bool:
    is_named = not GATE.isdisjoint(words_of(element.get("class", "")))
    return (
        is_named
        and len(node_text(element)) <= MAX_TEASER
        and any(_LOGIN.search(a.get("href", "").partition("?")[0]) for a in element.iter("a"))
    )


_LOGIN = LIST_PATHS["login"]
_with_class: Callable[[HtmlElement], Any] = etree.XPath("descendant::*[@class]")


def _uncolour(root: HtmlElement) -> None:
    """Take the spans out of code that only colour it: their classes are not kept, and without them
    they say nothing. There may be thousands, and each step that follows walks through them."""
    for block in root.iter("pre"):
        kept = (
            [span for span in block.iter("span") if not _SAYING.isdisjoint(span.keys())]
            if _SAID(block)
            else []
        )
        for span in kept:
            span.tag = "data"
        etree.strip_tags(block, "span")
        for span in kept:
            span.tag = "span"


def _container(source: Source) -> HtmlElement | None:
    """Return a new ``div`` that holds copies of the source's nodes."""
    if isinstance(source, str):
        return _parse(source)
    root: HtmlElement = html_parser().makeelement("div")
    if isinstance(source, etree._Element):
        if not isinstance(source.tag, str):
            return None
        node = copy.deepcopy(source)
        node.tail = None
        if node.tag in {"body", "html", "td", "th", "li", "tr", "tbody", "dd"}:
            node.tag = "div"
        root.append(node)
        return root
    for place, item in enumerate(source):
        if isinstance(item, str):
            _append_text(root, item)
            continue
        node = copy.deepcopy(item)
        # text after the last node belongs to it where the node is inline ("text<br>text")
        if place == len(source) - 1 and node.tag in BLOCK_TAGS and node.tag != "br":
            node.tail = None
        root.append(node)
    return root


def _append_text(root: HtmlElement, text: str) -> None:
    if len(root):
        root[-1].tail = (root[-1].tail or "") + text
    else:
        root.text = (root.text or "") + text


def _parse(html: str) -> HtmlElement | None:
    if not html.strip():
        return None
    try:
        markup = f"<html><body>{html}".encode("utf-8", "replace").translate(None, CONTROLS)
        if may_have_many_attributes(markup):
            return fragment(html)
        body: Any = lxml.html.document_fromstring(markup, parser=html_parser()).find("body")
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None
    if body is None:
        return None
    body.tag = "div"
    return body


@cache
def _cleaner() -> nh3.Cleaner:
    import nh3

    return nh3.Cleaner(
        tags=set(TAGS),
        clean_content_tags=set(DROP_WITH_CONTENT),
        attributes=ATTRIBUTES,
        attribute_filter=None,
        link_rel="noopener noreferrer",
        url_schemes={"http", "https", "mailto", "data"},
        strip_comments=True,
    )
