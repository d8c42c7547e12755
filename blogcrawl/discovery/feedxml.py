"""RSS 0.9x, 1.0, 2.0, RDF, Atom 0.3 and 1.0 -> records, from a tree that ``safexml`` made.

One reader for all dialects, since real feeds mix them: every field has a list of elements that may hold it, best first.
Namespaces are recognised with or without ``https``, and by their usual prefix where the declaration is missing or wrong.
"""

from __future__ import annotations

import copy
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from lxml import etree

from blogcrawl.discovery.feeddates import parse_date
from blogcrawl.discovery.feedtext import absolute, absolute_links, author_name, plain_title, squeeze
from blogcrawl.items import FeedEntry

NAMESPACES = {
    "purl.org/dc/elements/1.1": "dc", "purl.org/dc/elements/1.0": "dc", "purl.org/dc/terms": "dcterms",
    "purl.org/rss/1.0/modules/content": "content", "purl.org/rss/1.0/modules/slash": "slash",
    "purl.org/rss/1.0/modules/syndication": "sy", "wellformedweb.org/commentapi": "wfw", "www.w3.org/2005/atom": "atom",
    "purl.org/atom/ns": "atom", "purl.org/syndication/thread/1.0": "thr", "purl.org/syndication/history/1.0": "fh",
    "rssnamespace.org/feedburner/ext/1.0": "feedburner", "www.pheedo.com/namespace/pheedo": "pheedo",
    "www.itunes.com/dtds/podcast-1.0.dtd": "itunes", "search.yahoo.com/mrss": "media", "web.resource.org/cc": "cc",
    "backend.userland.com/creativecommonsrssmodule": "cc", "creativecommons.org/ns": "cc", "purl.org/net/rss1.1": "",
    "cyber.law.harvard.edu/rss/creativecommonsrssmodule.html": "cc", "purl.org/rss/1.0": "", "my.netscape.com/rdf/simple/0.9": "",
    "channel.netscape.com/rdf/simple/0.9": "", "backend.userland.com/rss2": "", "blogs.law.harvard.edu/tech/rss": "",
    "my.netscape.com/publish/formats/rss-0.91.dtd": "", "www.w3.org/1999/02/22-rdf-syntax-ns": "rdf", "www.w3.org/1999/xhtml": "xhtml",
    "a9.com/-/spec/opensearchrss/1.0": "os", "a9.com/-/spec/opensearch/1.1": "os", "webns.net/mvcb": "admin",
    "schemas.google.com/blogger/2008": "blogger", "www.w3.org/xml/1998/namespace": "xml", "www.livejournal.org/rss/lj/1.0": "lj",
}  # fmt: skip
"""Prefix by namespace (scheme, trailing ``/`` and ``#`` taken off, lower case); "" is RSS's own vocabulary."""

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
            short = prefix.lower() if prefix and prefix.lower() in _PREFIXES else "" if prefix is None else f"?{prefix}"
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


def _inner(node: Any) -> str:
    """Markup inside ``node`` as HTML, namespaces dropped."""
    node = copy.deepcopy(node)
    for inside in node.iter():
        if isinstance(inside.tag, str) and inside is not node:
            inside.tag = inside.tag.rpartition("}")[2]
    etree.cleanup_namespaces(node)
    out = [html.escape(node.text or "", quote=False)]
    out += [etree.tostring(child, encoding="unicode", method="html") for child in node]
    return "".join(out)


_TAGGED = re.compile(r"<(?:p|br|div|a|img|h[1-6]|ul|ol|em|strong|b|i|span|pre|table|blockquote)\b[^<>]*>", re.IGNORECASE)


def html_of(node: Any) -> str | None:
    """The HTML that an element carries: escaped, inline (XHTML), or plain text made HTML; None when empty."""
    kind = (node.get("type") or "").strip().lower()
    elements = [child for child in node if isinstance(child.tag, str)]
    if elements:
        if len(elements) == 1 and elements[0].tag.rpartition("}")[2] == "div" and not squeeze(node.text):
            node = elements[0]
        text = _inner(node)
    else:
        text = node.text or ""
        if key(node).startswith("atom:"):
            if kind not in ("", "text", "text/plain", "html", "text/html", "xhtml", "application/xhtml+xml"):
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
            text = plain_title(_inner(node) if len(node) else node.text, is_html=not literal)
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
                rel = (node.get("rel") or "alternate").strip().lower().removeprefix("http://www.iana.org/assignments/relation/")
                count = next((v for k, v in node.attrib.items() if k.endswith("}count") or k == "thr:count"), None)
                yield Link(rel, (node.get("type") or "").lower(), href, number(count))


_XML_BASE = "{http://www.w3.org/XML/1998/namespace}base"
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


def node_base(node: Any, base: str) -> str:
    """``base`` as changed by ``xml:base`` of the element and its ancestors (RFC 4287 section 2)."""
    chain = []
    while node is not None:
        value = node.get(_XML_BASE)
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


def people_of(parts: Parts, *, feed_level: bool = False) -> tuple[tuple[str, ...], str | None]:
    """(names, URL of the first one)."""
    names: list[str] = []
    url = None
    for node in parts.get("atom:author", []) + [n for n in parts.get("author", []) if len(n)]:
        inside = parts_of(node)
        name = author_name(first_text(inside, "atom:name", "name")) or (author_name(text_of(node)) if not inside else None)
        if name:
            names.append(name)
            url = url or first_text(inside, "atom:uri", "atom:url", "uri", "url")
    for name_key in ("dc:creator", "author", "dc:author", "dcterms:creator", "lj:poster", "itunes:author"):
        if names:
            break
        names += [n for n in (author_name(text_of(node)) for node in parts.get(name_key, []) if not len(node)) if n]
    if feed_level and not names:
        editor = author_name(first_text(parts, "managingeditor", "webmaster", "dc:publisher"))
        names = [editor] if editor else []
    return tuple(dict.fromkeys(names))[:20], absolute(url, "") if url else None


_PROXY = re.compile(r"^https?://(?:feedproxy\.google\.com|feeds?\d*\.feedburner\.com|(?:[a-z]+\.)*feedsportal\.com|rss\.feedsportal\.com|feeds\.pheedo\.com)/", re.I)
"""Redirecting hosts that feed services put in place of the post's own (most are gone): a guid that is a URL is better."""
_PUBLISHED = ("pubdate", "atom:published", "dc:date", "dcterms:issued", "atom:issued", "dcterms:created", "atom:created", "date", "published")
_MODIFIED = ("atom:updated", "dcterms:modified", "atom:modified", "updated", "lastbuilddate")


@dataclass(slots=True)
class Reader:
    """What entries need to know of their feed."""

    base: str
    language: str | None = None
    authors: tuple[str, ...] = ()
    served_at: datetime | None = None
    is_atom: bool = False
    declared: list[bool] = field(default_factory=list)
    """Per entry read: its content stood in an element meant for whole posts."""

    def entry(self, node: Any) -> FeedEntry | None:
        """One ``item`` or ``entry``; None where it has no usable URL."""
        parts = parts_of(node)
        base = node_base(node, self.base)
        links = list(links_of(parts, self.base))
        ident = first_text(parts, "guid", "atom:id", "id") or self._about(node)
        url = self._url(parts, links, base, ident)
        if url is None:
            return None
        content, summary, declared = self._content(parts, url)
        self.declared.append(declared)
        authors, author_url = people_of(parts)
        if not authors and self.is_atom:
            source = parts.get("atom:source")
            authors = (people_of(parts_of(source[0]))[0] if source else ()) or self.authors
        language = node.get(_XML_LANG) or first_text(parts, "dc:language", "language") or self.language
        published_raw, modified_raw = first_text(parts, *_PUBLISHED), first_text(parts, *_MODIFIED)
        replies = next((x for x in links if x.rel == "replies" and ("atom" in x.type or "rss" in x.type)), None)
        counted = [x.count for x in links if x.rel == "replies" and x.count is not None]
        count = number(first_text(parts, "slash:comments")) if "slash:comments" in parts else number(first_text(parts, "thr:total"))
        return FeedEntry(
            url=url, id=ident, title=title_of(parts, "title", "atom:title", "dc:title", "media:title"), authors=authors,
            author_url=author_url, published=self._date(published_raw), published_raw=published_raw, modified=self._date(modified_raw),
            modified_raw=modified_raw, content_html=content, summary_html=summary, tags=tags_of(parts), language=language,
            comments_feed_url=absolute(first_text(parts, "wfw:commentrss"), base) or (replies.href if replies else None),
            comments_count=count if count is not None else (max(counted) if counted else None),
            in_reply_to=self._in_reply_to(parts), enclosures=_enclosures(parts, links, base),
        )  # fmt: skip

    def _date(self, raw: str | None) -> datetime | None:
        return parse_date(raw, language=self.language, served_at=self.served_at)

    @staticmethod
    def _about(node: Any) -> str | None:
        about = node.get("{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about")
        return str(about) if about else None

    def _url(self, parts: Parts, links: list[Link], base: str, ident: str | None) -> str | None:
        """FeedBurner's original, the RSS link, an Atom alternate (HTML first), a permalink guid, an id that is a URL."""
        for name in ("feedburner:origlink", "pheedo:origlink"):
            url = absolute(first_text(parts, name), base)
            if url:
                return url
        for node in parts.get("link", ()):
            url = absolute(squeeze(text_of(node)), base)
            if url and not (_PROXY.search(url) and ident and re.match(r"https?://", ident)):
                return url
        alternates = [x for x in links if x.rel == "alternate"]
        for link in [x for x in alternates if x.type in ("", "text/html", "application/xhtml+xml")] + alternates:
            return link.href
        guid = parts.get("guid")
        if guid and ident and (guid[0].get("isPermaLink") or guid[0].get("ispermalink") or "").lower() != "false":
            looks = re.match(r"https?://|\.{0,2}/", ident)
            url = absolute(ident, base) if looks else None
            if url:
                return url
        if ident and re.match(r"https?://", ident):
            return absolute(ident, base)
        return next((x.href for x in links if x.rel in ("related", "via", "self")), None)

    @staticmethod
    def _content(parts: Parts, url: str) -> tuple[str | None, str | None, bool]:
        """(content, summary, stood it in an element for whole posts?)"""
        full = next((t for n in ("content:encoded", "atom:content", "xhtml:body", "xhtml:div", "fullitem", "content") for t in
                     map(html_of, (x for x in parts.get(n, ()) if not x.get("src"))) if t), None)  # fmt: skip
        summary = next((t for n in ("description", "atom:summary", "summary", "dc:description") for t in map(html_of, parts.get(n, ())) if t), None)
        declared = full is not None
        content = full if declared else summary
        if content:
            content = absolute_links(content, url)
        return content, summary, declared

    @staticmethod
    def _in_reply_to(parts: Parts) -> str | None:
        for node in parts.get("thr:in-reply-to", ()):
            target = node.get("ref") or node.get("href")
            if target:
                return str(target).strip()
        return None


def tags_of(parts: Parts) -> tuple[str, ...]:
    """Categories as their reader sees them, once each."""
    out: list[str] = []
    for name in ("category", "atom:category", "dc:subject"):
        for node in parts.get(name, ())[:200]:
            if (node.get("scheme") or "").endswith("#kind"):  # Blogger says "this is a post" that way
                continue
            tag = plain_title(text_of(node) or node.get("label") or node.get("term"))
            if tag and len(tag) <= 200:
                out.append(tag)
    return tuple(dict.fromkeys(out))


def _enclosures(parts: Parts, links: list[Link], base: str) -> tuple[str, ...]:
    found = [absolute(n.get("url"), base) for n in parts.get("enclosure", ())[:50]]
    found += [x.href for x in links if x.rel == "enclosure"][:50]
    media = [n for n in parts.get("media:content", ())[:50] if (n.get("medium") or n.get("type") or "")[:5] in ("audio", "video")]
    found += [absolute(n.get("url"), base) for n in media]
    return tuple(dict.fromkeys(x for x in found if x))
