"""A fetched page: bytes in, one parsed tree out, shared by all rooms."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, cached_property
from urllib.parse import urljoin

import lxml.html
from lxml import etree
from lxml.html import HtmlComment, HtmlElement, HtmlProcessingInstruction
from w3lib.encoding import html_to_unicode

_CONTROLS = bytes(code for code in range(0x20) if code not in b"\t\n\r")
_NONCHARACTERS = re.compile(b"\xef\xbf[\xbe\xbf]")
"""What no XML text may hold (XML 1.0, 2.2)."""
EMPTY = "<html><head></head><body></body></html>"


@cache
def html_parser() -> lxml.html.HTMLParser:
    """The house's parser of UTF-8 bytes.  Every element is a plain ``HtmlElement``: lxml's own look-up of a class by tag is
    Python code that runs for each element that is touched."""
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
    lookup = etree.ElementDefaultClassLookup(element=HtmlElement, comment=HtmlComment, pi=HtmlProcessingInstruction)
    parser.set_element_class_lookup(lookup)
    return parser


@dataclass(frozen=True, kw_only=True)
class Page:
    """One HTTP answer (or one rendered DOM).

    ``body`` is decoded content (transfer and content encodings undone), in bytes as the server's charset has them.
    ``headers`` has lower-case names.
    """

    url: str
    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    fetched_at: datetime | None = None
    rendered: bool = False
    boxes: dict[str, tuple[float, float, float, float]] | None = None
    """Of a rendered page: element XPath (``getpath``) -> x, y, width, height in CSS pixels."""
    screenshot: bytes | None = None
    frames: tuple[Page, ...] = ()
    """Of a rendered page: the documents of its frames and shadow roots, as they stood at the end."""
    console: tuple[str, ...] = ()
    """Of a rendered page: errors that its scripts reported."""
    static: Page | None = None
    """Of a rendered page: the answer as it came over HTTP."""
    render_error: str | None = None
    """Why a page that needed a browser is here in its static form."""

    @cached_property
    def _decoded(self) -> tuple[str, str]:
        encoding, text = html_to_unicode(self.headers.get("content-type"), self.body, auto_detect_fun=_guess)
        return encoding, text

    @property
    def encoding(self) -> str:
        return self._decoded[0]

    @property
    def text(self) -> str:
        return self._decoded[1]

    @cached_property
    def tree(self) -> HtmlElement:
        """The ``html`` element; an empty document where nothing can be parsed. Never raises on bad markup."""
        text = re.sub(r"^\s*<\?xml[^>]*\?>", "", self.text, count=1).encode("utf-8", "ignore").translate(None, _CONTROLS)
        if b"\xef\xbf" in text:
            text = _NONCHARACTERS.sub(b"", text)
        try:
            root = lxml.html.document_fromstring(text or EMPTY.encode(), parser=html_parser())
        except (etree.ParserError, etree.XMLSyntaxError, ValueError):
            root = lxml.html.document_fromstring(EMPTY)
        return root

    @cached_property
    def base_url(self) -> str:
        """What relative links are resolved against (``<base href>`` where it is usable)."""
        for base in self.tree.iter("base"):
            href = (base.get("href") or "").strip()
            if href:
                try:
                    joined = urljoin(self.url, href)
                except ValueError:
                    break
                if joined.startswith(("http://", "https://")):
                    return joined
                break
        return self.url

    def absolute(self, href: str) -> str | None:
        """``href`` made absolute, or None where it is no http(s) URL."""
        if href.startswith(("http://", "https://")) and href.isprintable() and "[" not in href and href[-1] not in " ?#":
            return href
        try:
            joined = urljoin(self.base_url, href.strip())
        except ValueError:
            return None
        return joined if joined.startswith(("http://", "https://")) else None


def _guess(body: bytes) -> str | None:
    """utf-8 where the bytes are valid utf-8, else leave it to w3lib's fallback (cp1252)."""
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return "utf-8"
