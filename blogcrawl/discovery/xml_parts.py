"""Elements of feeds, whatever their namespace: keys, texts, markup, links.

Namespaces are recognised with or without ``https``, and by their usual prefix where the declaration
is missing or wrong.
"""

from __future__ import annotations

import copy
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lxml import etree

from blogcrawl.discovery.feed_text import absolute, plain_title
from blogcrawl.text.visible import squeeze

NAMESPACES = {
    "purl.org/dc/elements/1.1": "dc",
    "purl.org/dc/elements/1.0": "dc",
    "purl.org/dc/terms": "dcterms",
    "purl.org/rss/1.0/modules/content": "content",
    "purl.org/rss/1.0/modules/slash": "slash",
    "purl.org/rss/1.0/modules/syndication": "sy",
    "wellformedweb.org/commentapi": "wfw",
    "www.w3.org/2005/atom": "atom",
    "purl.org/atom/ns": "atom",
    "purl.org/syndication/thread/1.0": "thr",
    "purl.org/syndication/history/1.0": "fh",
    "rssnamespace.org/feedburner/ext/1.0": "feedburner",
    "www.pheedo.com/namespace/pheedo": "pheedo",
    "www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
    "search.yahoo.com/mrss": "media",
    "web.resource.org/cc": "cc",
    "backend.userland.com/creativecommonsrssmodule": "cc",
    "creativecommons.org/ns": "cc",
    "purl.org/net/rss1.1": "",
    "cyber.law.harvard.edu/rss/creativecommonsrssmodule.html": "cc",
    "purl.org/rss/1.0": "",
    "my.netscape.com/rdf/simple/0.9": "",
    "channel.netscape.com/rdf/simple/0.9": "",
    "backend.userland.com/rss2": "",
    "blogs.law.harvard.edu/tech/rss": "",
    "my.netscape.com/publish/formats/rss-0.91.dtd": "",
    "www.w3.org/1999/02/22-rdf-syntax-ns": "rdf",
    "www.w3.org/1999/xhtml": "xhtml",
    "a9.com/-/spec/opensearchrss/1.0": "os",
    "a9.com/-/spec/opensearch/1.1": "os",
    "webns.net/mvcb": "admin",
    "schemas.google.com/blogger/2008": "blogger",
    "www.w3.org/xml/1998/namespace": "xml",
    "www.livejournal.org/rss/lj/1.0": "lj",
}
"""Prefix by namespace (scheme, trailing ``/`` and ``#`` taken off, lower case); "" is RSS's own
vocabulary.
"""

_PREFIXES = frozenset(NAMESPACES.values()) | {"a10", "atom10"}
_cache: dict[tuple[str, str | None], str] = {}


def key(node: Any) -> str:
    """``prefix:local`` of an element, ``local`` for RSS's own, "" for what is no element."""
    tag, prefix = node.tag, node.prefix
    if not isinstance(tag, str):
        return ""
    known = _cache.get((tag, prefix))
    if known is None:
        known = _key(tag, prefix)
        if len(_cache) < 4000:
            _cache[tag, prefix] = known
    return known


def _key(tag: str, prefix: str | None) -> str:
    if tag.startswith("{"):
        uri, _, local = tag[1:].partition("}")
        short = NAMESPACES.get(re.sub(r"^https?://", "", uri.strip()).lower().rstrip("/#"))
        if short is None:
            short = (
                prefix.lower()
                if prefix and prefix.lower() in _PREFIXES
                else ""
                if prefix is None
                else f"?{prefix}"
            )
    else:
        short, colon, local = tag.partition(":")
        if not colon:
            short, local = "", tag
        short = short.lower()
    if short in ("atom10", "a10"):
        short = "atom"
    return f"{short}:{local.lower()}" if short else local.lower()


Parts = dict[str, list[Any]]


def parts_of(node: Any) -> Parts:
    """Children by key, document order."""
    out: Parts = {}
    for child in node:
        name = key(child)
        if name:
            out.setdefault(name, []).append(child)
    return out


def text_of(node: Any) -> str:
    """All text inside, as it stands."""
    return node.text or "" if len(node) == 0 else "".join(node.itertext())


def first_text(parts: Parts, *names: str) -> str | None:
    """The first non-empty text among the named children, squeezed."""
    for name in names:
        for node in parts.get(name, ()):
            text = squeeze(text_of(node))
            if text:
                return text
    return None


_XMLNS = re.compile(r"""\sxmlns(?::[\w.-]+)?=(?:"[^"]*"|'[^']*')""")


_NAME = re.compile(r"[A-Za-z_][\w.-]*")


def inner(node: Any) -> str:
    """Markup inside ``node`` as HTML, namespaces dropped."""
    out = [html.escape(node.text or "", quote=False)]
    content = copy.deepcopy(node)
    for inside in content.iter():
        if isinstance(inside.tag, str):
            local = inside.tag.rpartition("}")[2].rpartition(":")[
                2
            ]  # a prefix that nobody declared stays in the name
            inside.tag = local if _NAME.fullmatch(local) else "span"
    etree.cleanup_namespaces(content)  # each child would be written with all that the feed declares
    for child in content:
        out.append(_XMLNS.sub("", etree.tostring(child, encoding="unicode", method="html")))
    return "".join(out)


_TAGGED = re.compile(
    r"<(?:p|br|div|a|img|h[1-6]|ul|ol|em|strong|b|i|span|pre|table|blockquote)\b[^<>]*>",
    re.IGNORECASE,
)


def html_of(node: Any) -> str | None:
    """The HTML that an element carries: escaped, inline (XHTML), or plain text made HTML; None when
    empty.
    """
    kind = (node.get("type") or "").strip().lower()
    elements = [child for child in node if isinstance(child.tag, str)]
    if elements:
        if (
            len(elements) == 1
            and elements[0].tag.rpartition("}")[2] == "div"
            and not squeeze(node.text)
        ):
            node = elements[0]
        text = inner(node)
    else:
        text = node.text or ""
        if key(node).startswith("atom:"):
            if kind not in (
                "",
                "text",
                "text/plain",
                "html",
                "text/html",
                "xhtml",
                "application/xhtml+xml",
            ):
                return None
            plain = kind in ("", "text", "text/plain") and node.get("mode") != "escaped"
            if plain and not _TAGGED.search(text):
                text = html.escape(text, quote=False)
    return text.strip() or None


def title_of(parts: Parts, *names: str) -> str | None:
    """A title as plain text."""
    for name in names:
        for node in parts.get(name, ()):
            kind = (node.get("type") or "").lower()
            literal = name.startswith("atom:") and kind in ("text", "text/plain")
            text = plain_title(inner(node) if len(node) else node.text, is_html=not literal)
            if text:
                return text
    return None


@dataclass(frozen=True, slots=True)
class Link:
    rel: str
    type: str
    href: str
    count: int | None = None


def links_of(parts: Parts, base: str) -> Iterator[Link]:
    """Atom links (also inside RSS), ``rel`` in lower case without IANA's prefix."""
    for name in ("atom:link", "link"):
        for node in parts.get(name, ()):
            href = absolute(node.get("href"), node_base(node, base))
            if href:
                rel = (
                    (node.get("rel") or "alternate")
                    .strip()
                    .lower()
                    .removeprefix("http://www.iana.org/assignments/relation/")
                )
                count = next(
                    (v for k, v in node.attrib.items() if k.endswith("}count") or k == "thr:count"),
                    None,
                )
                yield Link(rel, (node.get("type") or "").lower(), href, number(count))


XML_BASE = "{http://www.w3.org/XML/1998/namespace}base"
XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


def node_base(node: Any, base: str) -> str:
    """``base`` as changed by ``xml:base`` of the element and its ancestors (RFC 4287 section 2)."""
    chain = []
    while node is not None:
        value = node.get(XML_BASE)
        if value:
            chain.append(value)
        node = node.getparent()
    for value in reversed(chain):
        base = absolute(value, base) or base
    return base


def number(raw: str | None) -> int | None:
    """A count, None where there is none or nonsense."""
    text = (raw or "").strip()
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None
