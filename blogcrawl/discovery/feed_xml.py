"""RSS 0.9x, 1.0, 2.0, RDF, Atom 0.3 and 1.0 -> entries, from a tree that ``safexml`` made.

One reader for all dialects, since real feeds mix them: every field has a list of elements that may
hold it, best first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from blogcrawl.core.records import FeedEntry
from blogcrawl.dates.feed_date import parse_date
from blogcrawl.discovery.feed_text import absolute, absolute_links, author_name, plain_title
from blogcrawl.discovery.xml_parts import (
    XML_LANG,
    Link,
    Parts,
    first_text,
    html_of,
    links_of,
    node_base,
    number,
    parts_of,
    text_of,
    title_of,
)
from blogcrawl.text.visible import squeeze


def people_of(parts: Parts, *, feed_level: bool = False) -> tuple[tuple[str, ...], str | None]:
    """(names, URL of the first one)."""
    names: list[str] = []
    url = None
    for node in parts.get("atom:author", []) + [n for n in parts.get("author", []) if len(n)]:
        inside = parts_of(node)
        name = author_name(first_text(inside, "atom:name", "name")) or (
            author_name(text_of(node)) if not inside else None
        )
        if name:
            names.append(name)
            url = url or first_text(inside, "atom:uri", "atom:url", "uri", "url")
    for name_key in (
        "dc:creator",
        "author",
        "dc:author",
        "dcterms:creator",
        "lj:poster",
        "itunes:author",
    ):
        if names:
            break
        names += [
            n
            for n in (
                author_name(text_of(node)) for node in parts.get(name_key, []) if not len(node)
            )
            if n
        ]
    if feed_level and not names:
        editor = author_name(first_text(parts, "managingeditor", "webmaster", "dc:publisher"))
        names = [editor] if editor else []
    return tuple(dict.fromkeys(names))[:20], absolute(url, "") if url else None


_PROXY = re.compile(
    (
        r"^https?://(?:feedproxy\.google\.com|feeds?\d*\.feedburner\.com|"
        r"(?:[a-z]+\.)?feedsportal\.com|feeds\.pheedo\.com)/"
    ),
    re.IGNORECASE,
)
"""Redirecting hosts that feed services put in place of the post's own (most are gone): a guid that
is a URL is better.
"""
_PUBLISHED = tuple(
    (
        "pubdate atom:published dc:date dcterms:issued atom:issued dcterms:created atom:created "
        "date published"
    ).split()
)
_MODIFIED = ("atom:updated", "dcterms:modified", "atom:modified", "updated", "lastbuilddate")


@dataclass(slots=True)
class Reader:
    """What entries need to know of their feed."""

    base: str
    language: str | None = None
    authors: tuple[str, ...] = ()
    served_at: datetime | None = None
    is_atom: bool = False
    patience: int = 200
    """Odd dates still looked at in other languages: 200 good or 20 hopeless ones, at up to 50 ms
    each.
    """
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
        language = (
            node.get(XML_LANG) or first_text(parts, "dc:language", "language") or self.language
        )
        published_raw, modified_raw = first_text(parts, *_PUBLISHED), first_text(parts, *_MODIFIED)
        replies = next(
            (x for x in links if x.rel == "replies" and ("atom" in x.type or "rss" in x.type)), None
        )
        counted = [x.count for x in links if x.rel == "replies" and x.count is not None]
        count = (
            number(first_text(parts, "slash:comments"))
            if "slash:comments" in parts
            else number(first_text(parts, "thr:total"))
        )
        return FeedEntry(
            url=url,
            id=ident,
            title=title_of(parts, "title", "atom:title", "dc:title", "media:title"),
            authors=authors,
            author_url=author_url,
            published=self._date(published_raw),
            published_raw=published_raw,
            modified=self._date(modified_raw),
            modified_raw=modified_raw,
            content_html=content,
            summary_html=summary,
            tags=tags_of(parts),
            language=language,
            comments_feed_url=absolute(first_text(parts, "wfw:commentrss"), base)
            or (replies.href if replies else None),
            comments_count=count if count is not None else (max(counted) if counted else None),
            in_reply_to=self._in_reply_to(parts),
            enclosures=_enclosures(parts, links, base),
        )

    def _date(self, raw: str | None) -> datetime | None:
        value = parse_date(raw, served_at=self.served_at, thorough=False)
        if value is None and raw and self.patience > 0:
            value = parse_date(raw, language=self.language, served_at=self.served_at)
            self.patience -= 1 if value else 10
        return value

    @staticmethod
    def _about(node: Any) -> str | None:
        about = node.get("{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about")
        return str(about) if about else None

    def _url(self, parts: Parts, links: list[Link], base: str, ident: str | None) -> str | None:
        """FeedBurner's original, the RSS link, an Atom alternate (HTML first), a permalink guid, an
        id that is a URL.
        """
        for name in ("feedburner:origlink", "pheedo:origlink"):
            url = absolute(first_text(parts, name), base)
            if url:
                return url
        for node in parts.get("link", ()):
            url = absolute(squeeze(text_of(node)), base)
            if url and not (_PROXY.search(url) and ident and re.match(r"https?://", ident)):
                return url
        alternates = [x for x in links if x.rel == "alternate"]
        for link in [
            x for x in alternates if x.type in ("", "text/html", "application/xhtml+xml")
        ] + alternates:
            return link.href
        guid = parts.get("guid")
        if (
            guid
            and ident
            and (guid[0].get("isPermaLink") or guid[0].get("ispermalink") or "").lower() != "false"
        ):
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
        full = _first_html(
            parts,
            "content:encoded",
            "atom:content",
            "xhtml:body",
            "xhtml:div",
            "fullitem",
            "content",
        )
        summary = _first_html(
            parts, "description", "atom:summary", "summary", "dc:description", "itunes:summary"
        )
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


def _first_html(parts: Parts, *names: str) -> str | None:
    nodes: Iterator[Any] = (
        node for name in names for node in parts.get(name, ()) if not node.get("src")
    )
    return next((text for text in map(html_of, nodes) if text), None)


def tags_of(parts: Parts) -> tuple[str, ...]:
    """Categories as their reader sees them, once each."""
    out: list[str] = []
    for name in ("category", "atom:category", "dc:subject"):
        for node in parts.get(name, ())[:200]:
            if (node.get("scheme") or "").endswith(
                "#kind"
            ):  # Blogger says "this is a post" that way
                continue
            tag = plain_title(text_of(node) or node.get("label") or node.get("term"))
            if tag and len(tag) <= 200:
                out.append(tag)
    return tuple(dict.fromkeys(out))


def _enclosures(parts: Parts, links: list[Link], base: str) -> tuple[str, ...]:
    found = [absolute(n.get("url"), base) for n in parts.get("enclosure", ())[:50]]
    found += [x.href for x in links if x.rel == "enclosure"][:50]
    media = [
        n
        for n in parts.get("media:content", ())[:50]
        if (n.get("medium") or n.get("type") or "")[:5] in ("audio", "video")
    ]
    found += [absolute(n.get("url"), base) for n in media]
    return tuple(dict.fromkeys(x for x in found if x))
