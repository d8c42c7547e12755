"""The post's content as it is kept: sanitised, absolute, without the theme around it, and still
faithful.

Work is done on a copy of the subtree, in this order: pictures are resolved, what is not the post is
dropped, the text is taken, embeds become links, and nh3 (ammonia) has the last word on the markup.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import lxml.html
from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.costs import may_have_many_attributes
from blogcrawl.core.page import CONTROLS, Page, fragment, html_parser
from blogcrawl.core.records import MediaFile
from blogcrawl.extraction.content.embeds import embeds_to_links, resolve_links, tex_to_text
from blogcrawl.extraction.content.line_numbers import drop_line_numbers
from blogcrawl.extraction.content.pictures import resolve_pictures
from blogcrawl.extraction.content.prune import prune
from blogcrawl.induction.apply import drop_parts
from blogcrawl.induction.ruleset import Rule
from blogcrawl.text.visible import BLOCK_TAGS

if TYPE_CHECKING:
    import nh3

Source: TypeAlias = "HtmlElement | Sequence[HtmlElement | str] | str"

TAGS = frozenset(
    "a abbr acronym address article aside audio b bdi bdo big blockquote br caption center cite "
    "code col colgroup data dd del details dfn"
    " div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hgroup hr i img ins kbd li main mark ol "
    "p picture pre q rp rt ruby s samp section"
    " small source span strike strong sub summary sup table tbody td tfoot th thead time tr "
    "track tt u ul var video wbr"
    # MathML core
    " math annotation maction menclose merror mfrac mi mmultiscripts mn mo mover mpadded "
    "mphantom mprescripts mroot mrow ms mspace msqrt"
    " mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics".split()
)
"""What a post may be made of (HTML Living Standard, flow and phrasing content; MathML Core)."""

ATTRIBUTES: dict[str, set[str]] = {
    "*": {"id", "title", "lang", "dir"},
    "a": {"href", "name", "hreflang", "rev"},
    "img": {"src", "alt", "width", "height"},
    "audio": {"src", "controls"},
    "video": {"src", "poster", "controls", "width", "height"},
    "source": {"src", "type", "media"},
    "track": {"src", "kind", "srclang", "label"},
    "blockquote": {"cite"},
    "q": {"cite"},
    "del": {"cite", "datetime"},
    "ins": {"cite", "datetime"},
    "time": {"datetime"},
    "data": {"value"},
    "ol": {"start", "type", "reversed"},
    "li": {"value"},
    "td": {"colspan", "rowspan", "headers", "align"},
    "th": {"colspan", "rowspan", "headers", "scope", "align"},
    "col": {"span"},
    "colgroup": {"span"},
    "details": {"open"},
    # language-xyz of code blocks; what highlighters hang on spans is not kept
    "code": {"class"},
    "pre": {"class"},
    "math": {"display", "xmlns", "alttext"},
    "annotation": {"encoding"},
    "mo": {"stretchy", "fence", "separator", "lspace", "rspace"},
    "mi": {"mathvariant"},
    "mstyle": {"displaystyle", "scriptlevel"},
    "mspace": {"width"},
    "mtd": {"columnspan", "rowspan"},
    "mfrac": {"linethickness"},
}

_SAYING = ATTRIBUTES["*"]
_SAID = etree.XPath(
    " | ".join(f"descendant::span/@{name}" for name in sorted(_SAYING)), smart_strings=False
)

DROP_WITH_CONTENT = frozenset(
    (
        "script style template noscript iframe object embed applet svg canvas select textarea "
        "button head"
    ).split()
)

UNSEEN = ("script", "style", "template", "svg", "canvas", "select", "textarea", "button", "applet")
"""Of those, what may go first: neither a picture nor a player hides in it, and all that follows has
less to walk through.
"""


@dataclass(frozen=True, slots=True)
class CleanContent:
    """``html`` sanitised with absolute links, ``text`` a line per paragraph, ``media`` in document
    order, bytes not fetched.
    """

    html: str
    text: str
    media: tuple[MediaFile, ...] = ()


EMPTY = CleanContent("", "")


def clean_content(
    source: Source,
    page: Page,
    *,
    title: str | None = None,
    dated: str | None = None,
    drops: Sequence[Rule] = (),
) -> CleanContent:
    """Clean a content node (or sibling nodes with the text between them, or HTML from a feed).

    ``page`` gives the base of relative links and the document's title; ``title`` is the post's
    where it is known: a leading heading that repeats it is dropped, and so is a first block that
    says no more than ``dated``, the post's date as written; ``drops``: the blog's rules for parts
    of the node that are no content. ``source`` is not changed. Raises nothing on odd markup.
    """
    root = _container(source)
    if root is None:
        return EMPTY
    if drops:
        drop_parts(root[0], drops)
    tex_to_text(root)
    etree.strip_elements(root, etree.Comment, etree.ProcessingInstruction, *UNSEEN, with_tail=False)
    drop_line_numbers(root)
    _uncolour(root)
    media = resolve_pictures(root, page)
    text = prune(root, page, title, dated)
    shown = {picture.get("src") for picture in root.iter("img")}
    kept = [file for file in media if file.url in shown]
    kept += resolve_links(root, page)
    kept += embeds_to_links(root, page)
    markup = etree.tostring(root, encoding="unicode", method="html", with_tail=False)
    del root  # the cleaner builds a tree of its own, of five times the page
    html = _cleaner().clean(markup).strip()
    if html.startswith("<div>") and html.endswith("</div>"):
        html = html[5:-6].strip()
    return CleanContent(html, text, tuple({(file.url, file.role): file for file in kept}.values()))


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
