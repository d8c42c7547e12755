"""A fetched page: bytes in, one parsed tree out, shared by all rooms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, cached_property, wraps
from html import escape
from itertools import dropwhile
from typing import Any, TypeVar
from urllib.parse import urljoin, urlsplit

import lxml.html
from lxml import etree
from lxml.html import HtmlComment, HtmlElement, HtmlProcessingInstruction

from blogcrawl.core import charsets, costs

CONTROLS = bytes(code for code in range(0x20) if code not in b"\t\n\r")
_NO_TEXT = "\ufffe", "\uffff", "\ufeff"
"""What no XML text may hold (XML 1.0, 2.2), and the mark at the beginning of files, also of those
that a server put into a page."""
_DECLARATION = re.compile(rb"^\s*<\?xml[^>]*\?>")
_NOT_PLAIN = re.compile(r"[;?#]|//|/\.")
"""What ``urljoin`` may write otherwise in a path from the root."""
_TAG = re.compile(r"<[^<>]*+>?")
_ODD_NAME = re.compile(rb"<[A-Za-z][\w.-]*(?:[^\w.:\s/>-]|:(?![A-Za-z_][\w.-]*[\s/>]))")
_NAME = re.compile(r"[A-Za-z][\w.-]*(?::[A-Za-z_][\w.-]*)?", re.ASCII)
"""Tag names that XPath can express; HTML lets a name go on up to a blank, a slash or ``>``."""
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_DOCUMENT = re.compile(r"\s*<(?:html|!doctype)", re.I)
_PLAIN_FRAGMENT = re.compile(r"#[\w-]+", re.ASCII)
DEEPEST = 2047
"""Depth at which libxml2 2.14 ends a document ("Excessive depth in document: 2048")."""
EMPTY = "<html><head></head><body></body></html>"


@cache
def html_parser() -> lxml.html.HTMLParser:
    """Return the parser for UTF-8 bytes. Every element is a plain ``HtmlElement``: lxml's own
    look-up of a class by tag is Python code that runs for each element that is touched."""
    return _plain(lxml.html.HTMLParser(encoding="utf-8", huge_tree=True))


@cache
def _fragment_parser() -> lxml.html.HTMLParser:
    return _plain(lxml.html.HTMLParser())


def _plain(parser: lxml.html.HTMLParser) -> lxml.html.HTMLParser:
    lookup = etree.ElementDefaultClassLookup(
        element=HtmlElement, comment=HtmlComment, pi=HtmlProcessingInstruction
    )
    parser.set_element_class_lookup(lookup)
    return parser


def fragment(markup: str) -> HtmlElement:
    """Parse a piece of HTML into a new ``div``. Only the text of a frameset, which has no body, and
    of one with so many attributes that parsing takes long.

    Raises lxml.etree.LxmlError and ValueError. Half the time of ``lxml.html.fragment_fromstring``.
    """
    markup = _UNPRINTABLE.sub("", markup)
    if len(markup) > costs.FEW_NAMES_BYTES // 4 and costs.may_have_many_attributes(
        markup.encode("utf-8", "replace")
    ):
        markup = escape(_TAG.sub(" ", markup), quote=False)
    is_document = _DOCUMENT.match(markup) is not None
    document = markup if is_document else f"<html><body>{markup}</body></html>"
    root: HtmlElement | None = etree.fromstring(document, _fragment_parser())
    if root is None:
        raise etree.ParserError("Document is empty")
    bodies = list(root.iterchildren("body"))
    if len(bodies) != 1:
        alone: HtmlElement = html_parser().makeelement("div")
        alone.text = _TAG.sub(" ", markup)
        return alone
    return _as_div(bodies[0])


def _as_div(body: HtmlElement) -> HtmlElement:
    """Make a document's body, without what else is in the document, the ``div``."""
    parent = body.getparent()
    if parent is not None:
        parent.remove(body)
    body.tag, body.tail = "div", None
    body.attrib.clear()
    if body.text and not body.text.strip():
        body.text = None
    return body


@dataclass(frozen=True, kw_only=True)
class Page:
    """One HTTP answer (or one rendered DOM).

    ``body`` is decoded content (transfer and content encodings undone), in bytes as the server's
    charset has them. ``headers`` has lower-case names.
    """

    url: str
    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    fetched_at: datetime | None = None
    origin: str = ""
    """The web archive that it was read from; empty: the web."""
    rendered: bool = False
    boxes: dict[str, tuple[float, float, float, float]] | None = None
    """Of a rendered page: element XPath (``getpath``) -> x, y, width, height in CSS pixels."""
    screenshot: bytes | None = None
    frames: tuple[Page, ...] = ()
    """Of a rendered page: the final documents of its frames and shadow roots."""
    screens: tuple[Page, ...] = ()
    """Of a rendered list: what it showed before, where a script shows a part at a time."""
    console: tuple[str, ...] = ()
    """Of a rendered page: errors that its scripts reported."""
    static: Page | None = None
    """Of a rendered page: the answer as it came over HTTP."""
    whole: Page | None = None
    """Of a page that is part of another (``/2004.html#e12``): that page, as fetched."""
    render_error: str | None = None
    """Why a page that needed a browser is here in its static form."""

    @cached_property
    def _decoded(self) -> tuple[str, str | None]:
        """The encoding, and the text unless that is quickly had again of a body that is large."""
        encoding, text = charsets.decode_page(self.headers.get("content-type"), self.body)
        is_large = len(self.body) > costs.LARGE_BYTES
        is_whole = encoding == "utf-8" and "\ufffd" not in text
        again = is_large and is_whole and not self.body.startswith(charsets.MARKED)
        return encoding, None if again else text

    @property
    def encoding(self) -> str:
        return self._decoded[0]

    @property
    def text(self) -> str:
        text = self._decoded[1]
        return self.body.decode() if text is None else text

    @property
    def _utf8(self) -> bytes:
        """The text in UTF-8, less what XML forbids; the body itself where it is that already."""
        encoding, text = self.encoding, self.text
        if (
            encoding == "utf-8"
            and not self.body.startswith(charsets.MARKED)
            and not any(c in text for c in ("\ufffd", *_NO_TEXT))
        ):
            return self.body
        for character in _NO_TEXT:
            text = text.replace(character, "")
        return text.encode("utf-8", "ignore")

    @cached_property
    def tree(self) -> HtmlElement:
        """The ``html`` element; an empty document where nothing can be parsed. Never raises."""
        text = _DECLARATION.sub(b"", self._utf8, count=1)
        # to look for each takes half of what it takes to copy the page
        if any(map(text.__contains__, CONTROLS)):
            text = text.translate(None, CONTROLS)
        try:
            root = lxml.html.document_fromstring(text or EMPTY.encode(), parser=html_parser())
        except (etree.ParserError, etree.XMLSyntaxError, ValueError):
            root = lxml.html.document_fromstring(EMPTY)
        if _ODD_NAME.search(text) is not None:
            _rename_odd(root)
        if "lang" not in root.attrib and (language := root.get("xml:lang")):
            root.set("lang", language)
        _end_head(root)
        _hide_titles(root)
        _open_noscript(root)
        if b"data-cfemail" in text:
            _decode_addresses(root)
        return root

    @property
    def is_cut(self) -> bool:
        """Whether the tree ends before the page does: libxml2 stops at too deep nesting."""
        node, depth = self.tree, 0
        while len(node):
            node, depth = node[-1], depth + 1
        return depth >= DEEPEST

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy in another place is made of: the answer, nothing derived from it."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    def forget(self) -> None:
        """Drop what was derived from the answer; it is derived anew where it is wanted again."""
        for name in self.__dict__.keys() - self.__dataclass_fields__.keys():
            del self.__dict__[name]

    @cached_property
    def base_url(self) -> str:
        """What relative links are resolved against (``<base href>`` where it is usable)."""
        for base in self.tree.iter("base"):
            href = base.get("href", "").strip()
            if href:
                try:
                    joined = urljoin(self.url, href)
                except ValueError:
                    break
                if joined.startswith(("http://", "https://")):
                    return joined
                break
        return self.url

    @cached_property
    def _origin(self) -> str:
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc}"

    @cached_property
    def _without_fragment(self) -> str | None:
        joined = urljoin(self.base_url, "#x")
        return joined[:-2] if joined.startswith(("http://", "https://")) else None

    def absolute(self, href: str) -> str | None:
        """Make ``href`` absolute; None if it is no http(s) URL that ``urlsplit`` takes."""
        if href.startswith(("http://", "https://")) and _is_plain_url(href):
            return href
        if href.startswith("/") and _is_plain_path(href):
            return self._origin + href
        if _PLAIN_FRAGMENT.fullmatch(href):
            return self._without_fragment and self._without_fragment + href
        try:
            joined = urljoin(self.base_url, href.strip())
        except ValueError:
            return None
        return joined if joined.startswith(("http://", "https://")) else None


def child_of(element: HtmlElement, tag: str) -> HtmlElement | None:
    """Return the first child with this tag, like ``find`` but without its Python loop."""
    return next(element.iterchildren(tag), None)


Holder = TypeVar("Holder")
Known = TypeVar("Known")


def kept(find_out: Callable[[Holder], Known]) -> Callable[[Holder], Known]:
    """Cache the result of a function on its argument, a page or something made from one."""
    name = f"{find_out.__module__}.{find_out.__qualname__}"

    @wraps(find_out)
    def cached(holder: Holder) -> Known:
        have = holder.__dict__
        if name not in have:
            have[name] = find_out(holder)
        known: Known = have[name]
        return known

    return cached


OF_HEAD = frozenset(
    (
        "base basefont bgsound command isindex link meta noframes noscript object script style "
        "template title"
    ).split()
)
"""Elements that leave the head open (HTML 13.2.6.4.4, and what libxml2 has besides)."""


_USUAL = "meta link script style title base noscript template".split()
_HEAD_IS_USUAL = etree.XPath(f"count(head/*)={'+'.join(f'count(head/{tag})' for tag in _USUAL)}")
"""Whether the head's own elements are all that is in it: counted in C, for there are dozens."""


def _rename_odd(root: HtmlElement) -> None:
    """Give elements a name that rules and selectors can be made of, where they have none."""
    for element in root.iter():
        if isinstance(element.tag, str) and _NAME.fullmatch(element.tag) is None:
            element.tag = "span"


def _is_plain_url(href: str) -> bool:
    """Return whether an absolute URL is printable and has only letters in its host that every host
    may have (not so after NFKC).
    """
    if not href.isprintable() or "[" in href or "]" in href or href[-1] in " ?#":
        return False
    return href.isascii() or href.split("/", 3)[2].isascii()


def _is_plain_path(href: str) -> bool:
    return href.isprintable() and href[-1] != " " and _NOT_PLAIN.search(href) is None


def _may_stand_in_head(element: HtmlElement) -> bool:
    return element.tag in OF_HEAD or not isinstance(element.tag, str)


def _end_head(root: HtmlElement) -> None:
    """Move elements that do not belong into the head to the body.

    libxml2 ends the head at elements of HTML 4 only, so a page without a ``body`` tag that begins
    with ``header`` or ``main`` ends up in the head.
    """
    if _HEAD_IS_USUAL(root):
        return
    head = child_of(root, "head")
    moved = list(dropwhile(_may_stand_in_head, head)) if head is not None else []
    if not moved:
        return
    body = child_of(root, "body")
    if body is None:
        body = etree.SubElement(root, "body")
    moved[-1].tail = (moved[-1].tail or "") + (body.text or "")
    body.text = None
    for place, element in enumerate(moved):
        body.insert(place, element)


_TITLES = etree.XPath("body//title[not(ancestor::svg)]")


def _hide_titles(root: HtmlElement) -> None:
    """Take titles of documents out of the body, where browsers show none: scripts of a site put
    one page into another. The first is the document's where its head has none.
    """
    found: Any = _TITLES(root)
    if not found:
        return
    head = child_of(root, "head")
    if head is None:
        head = root.makeelement("head")
        root.insert(0, head)
    if child_of(head, "title") is None:
        etree.SubElement(head, "title").text = found[0].text
    for title in found:
        title.drop_tree()


_HIDDEN_ADDRESSES = etree.XPath("//*[@data-cfemail]")


def _decode_addresses(root: HtmlElement) -> None:
    """Show the mail addresses that Cloudflare hides from programs, as its script does for readers:
    the first byte is a key that the others were combined with."""
    found: Any = _HIDDEN_ADDRESSES(root)
    for element in found:
        try:
            key, *hidden = bytes.fromhex(element.get("data-cfemail"))
            address = bytes(byte ^ key for byte in hidden).decode("utf-8")
        except ValueError:
            continue
        if address.isprintable():
            element.text, element[:] = address, []
            del element.attrib["data-cfemail"]


SWALLOWED = 20
"""Elements in a ``noscript`` from which it may be the page itself; a notice has fewer."""


def _open_noscript(root: HtmlElement) -> None:
    """Unwrap a ``noscript`` with nothing visible next to it: it is the page, not a notice.

    Either its end tag is inside an element that it opens (``<noscript><div></noscript>``), or a
    script draws its contents.
    """
    body = child_of(root, "body")
    if body is None or child_of(body, "noscript") is None:
        return
    shown = [
        child
        for child in body
        if isinstance(child.tag, str) and child.tag not in ("script", "style", "template", "link")
    ]
    for child in shown:
        if child.tag == "noscript" and _is_large(child) and not _has_text_next_to(child, shown):
            child.tag = "div"


def _is_large(element: HtmlElement) -> bool:
    return sum(1 for _ in element.iter(etree.Element)) > SWALLOWED


def _has_text_next_to(element: HtmlElement, shown: Iterable[HtmlElement]) -> bool:
    """Return whether any other element of ``shown`` except ``noscript`` holds text."""
    others = (other for other in shown if other is not element and other.tag != "noscript")
    return any(any(text.strip() for text in other.itertext(etree.Element)) for other in others)
