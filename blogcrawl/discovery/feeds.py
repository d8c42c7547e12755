"""Feed documents -> records: every dialect, every fault that servers put on top."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from blogcrawl.core.costs import bounded
from blogcrawl.core.errors import FeedError
from blogcrawl.core.records import Feed, FeedEntry
from blogcrawl.dates.feed_date import parse_date, without_build_time
from blogcrawl.discovery.feed_text import absolute
from blogcrawl.discovery.feed_titles import without_site_name
from blogcrawl.discovery.feed_xml import Reader, people_of
from blogcrawl.discovery.full_text import judge
from blogcrawl.discovery.json_feed import looks_like, parse_json_feed
from blogcrawl.discovery.places import placed
from blogcrawl.discovery.safexml import TooBigError, decode, gunzip, parse_xml
from blogcrawl.discovery.xml_parts import (
    XML_LANG,
    Parts,
    first_text,
    key,
    links_of,
    node_base,
    number,
    parts_of,
    text_of,
    title_of,
)

MAX_ENTRIES = 20_000
"""Entries read of one document; whole-blog dumps of some thousand exist."""

_ROOT = re.compile(r"<(?:[A-Za-z][\w.-]*:)?(rss|feed|RDF|channel)[\s>/]")
_HTML = re.compile(r"<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]", re.IGNORECASE)
_LINK = re.compile(r"""<([^<>]*)>((?:\s*;\s*[^\s=;,<>"]+(?:\s*=\s*(?:"[^"]*"|[^\s;,"<>]*))?)*)""")
_PARAMETER = re.compile(r""";\s*([^\s=;]+)\s*=\s*(?:"([^"]*)"|([^\s;,]*))""")
_PERIODS = {
    "hourly": 3600,
    "daily": 86400,
    "weekly": 7 * 86400,
    "monthly": 30 * 86400,
    "yearly": 365 * 86400,
}
_COMMENT_URL = re.compile(
    r"#(?:comment|c|cmt|respond|disqus|discussion_)[-_]?[0-9a-z]{0,20}\d|[?&]showcomment=|"
    r"[#/]comments?[-/]?\d+$|/comment-\d+",
    re.IGNORECASE,
)
_COMMENT_FEED = re.compile(
    (
        r"/comments(?:/feed|/default|\.(?:rss|atom|xml))|comments?[-_/.]?(?:feed|rss|atom)|"
        r"feed=(?:rss2-|atom-)?comments|/feeds/\d+/comments/"
    ),
    re.IGNORECASE,
)
_COMMENT_TITLE = re.compile(
    r"^\s{0,20}(?:comments?\s{1,20}(?:on|for|to|:)|comments$|kommentare?\s{1,20}(?:zu|für|zum)|"
    r"commentaires?\s{1,20}(?:sur|pour)|"
    r"comentarios?\s{1,20}(?:en|de|a)\b|comentários\s{1,20}(?:em|sobre)|"
    r"commenti\s{1,20}(?:a|su|per)|reacties\s{1,20}op|kommentarer\s{1,20}(?:till|til|på)|"
    r"комментарии\s{1,20}(?:к|на|для)|komentarze\s{1,20}do|.{0,300}のコメント|"
    r".{0,300}へのコメント|.{0,300}的评论|.{0,300}的留言)",
    re.IGNORECASE,
)
"""Feed titles of WordPress's comment feeds in its larger languages."""


@bounded
def parse_feed(body: bytes, url: str, headers: Mapping[str, str] | None = None) -> Feed:
    """The feed in ``body`` as fetched from ``url`` (content encodings undone; header names in lower
    case).

    A valid feed without entries is a Feed with ``entries == ()``. Raises FeedError whose message
    says what the document is instead: empty, HTML, too big, not XML, XML of another kind.
    """
    headers = headers or {}
    try:
        body = gunzip(body)
        text, _ = decode(body, headers.get("content-type"))
    except TooBigError as error:
        raise FeedError(f"feed is too big: {error}", url=url) from error
    if not text.strip("\ufeff \t\r\n\0"):
        raise FeedError("feed is empty (no bytes)", url=url)
    reader = Reader(base=url, served_at=parse_date(headers.get("date")))
    text = text.lstrip("\ufeff \t\r\n\0")
    feed = parse_json_feed(text, url, reader) if looks_like(text) else None
    if feed is None:
        feed = _parse_xml_feed(text, url, reader)
    etag, modified = headers.get("etag"), headers.get("last-modified")
    told = header_links(headers.get("link", ""), url)
    hub, own = told.get("hub", feed.hub_url), told.get("self", feed.self_url)
    kind = _kind(feed)
    entries = feed.entries
    if kind == "posts":
        entries = without_site_name(without_build_time(placed(entries, feed.home_url)), feed.title)
    return replace(
        feed,
        entries=entries,
        etag=etag,
        last_modified=modified,
        kind=kind,
        hub_url=hub,
        self_url=own,
    )


def header_links(value: str, url: str) -> dict[str, str]:
    """Absolute addresses of a ``Link`` header (RFC 8288) by relation, the first of each. WebSub,
    section 4: where header and document both name a hub, the header counts."""
    links: dict[str, str] = {}
    for target, parameters in _LINK.findall(value[:8192]):
        address = absolute(target.strip(), url)
        named = {
            name.lower(): quoted or plain
            for name, quoted, plain in reversed(_PARAMETER.findall(parameters))
        }
        for relation in named.get("rel", "").lower().split() if address else ():
            links.setdefault(relation, address or "")
    return links


def _parse_xml_feed(text: str, url: str, reader: Reader) -> Feed:
    start = _ROOT.search(text[:200_000])
    page = _HTML.search(text[: start.start()] if start else text[:5000])
    if page or not start:
        if page or _HTML.search(text[:200_000]):
            raise FeedError("not a feed but an HTML page", url=url)
        if text[:1] in "{[":
            raise FeedError("not a feed but other JSON", url=url)
        raise FeedError(
            "not a feed: no rss, feed or RDF element"
            if "<" in text[:5000]
            else "not a feed: not XML at all",
            url=url,
        )
    doctype = text.find("<!DOCTYPE", 0, start.start())
    # junk before the root goes, a document type declaration with its subset is dealt with by
    # parse_xml
    try:
        root = parse_xml(text[doctype if doctype >= 0 else start.start() :])
    except TooBigError as error:
        raise FeedError(f"feed is too big: {error}", url=url) from error
    if root is None:
        raise FeedError("feed is broken XML beyond repair", url=url)
    return _from_tree(root, url, reader)


def _from_tree(root: Any, url: str, reader: Reader) -> Feed:
    reader.is_atom = key(root).endswith("feed")
    channel = root
    if not reader.is_atom and key(root) != "channel":
        channel = next((n for n in root if key(n) in ("channel", "rss:channel")), root)
    parts = parts_of(channel)
    base = node_base(channel, url)
    links = list(links_of(parts, url))
    home = next(
        (u for u in (absolute(text_of(n), base) for n in parts.get("link", ()) if not len(n)) if u),
        None,
    )
    home = home or next(
        (
            x.href
            for x in links
            if x.rel == "alternate" and x.type in ("", "text/html", "application/xhtml+xml")
        ),
        None,
    )
    # links relative to a feed that lies on another host (FeedBurner and its kind) mean the blog's
    # own host
    reader.base = home if home and urlsplit(home).hostname != urlsplit(url).hostname else url
    reader.language = first_text(parts, "language", "dc:language") or root.get(XML_LANG)
    reader.authors = people_of(parts, feed_level=True)[0]
    entries = _entries(root, reader)
    older = [x.href for x in links if x.rel in ("prev-archive", "next")]
    older.sort(key=lambda href: next(x.rel != "prev-archive" for x in links if x.href == href))
    return Feed(
        url=url,
        kind="posts",
        format=_format(root),
        title=title_of(parts, "title", "atom:title", "dc:title"),
        subtitle=title_of(
            parts,
            "description",
            "atom:subtitle",
            "atom:tagline",
            "subtitle",
            "dc:description",
            "itunes:subtitle",
        ),
        language=reader.language,
        generator=_generator(parts),
        rights=_rights(parts),
        authors=reader.authors,
        home_url=home,
        self_url=next((x.href for x in links if x.rel == "self"), None),
        hub_url=next((x.href for x in links if x.rel == "hub"), None),
        entries=entries,
        next_urls=tuple(dict.fromkeys(older)),
        complete="fh:complete" in parts,
        ttl_minutes=number(first_text(parts, "ttl")),
        skip_hours=_skip_hours(parts),
        skip_days=_skip_days(parts),
        update_period_seconds=_period(parts),
    )


def _entries(root: Any, reader: Reader) -> tuple[FeedEntry, ...]:
    nodes = [n for n in root.iter() if key(n) in ("item", "atom:entry", "entry")][:MAX_ENTRIES]
    found = [e for e in map(reader.entry, nodes) if e is not None]
    full = judge([e.content_html for e in found], [e.summary_html for e in found], reader.declared)
    has_published = any(e.published_raw for e in found)
    out: dict[tuple[str, str | None], FeedEntry] = {}
    for entry, is_full in zip(found, full, strict=True):
        if (
            not has_published and entry.modified
        ):  # Octopress, Eleventy …: "updated" is the only date and means the post's
            entry = replace(entry, published=entry.modified, published_raw=entry.modified_raw)
        out.setdefault((entry.url, entry.id), replace(entry, is_full=is_full))
    return tuple(out.values())


def _format(root: Any) -> str:
    name = key(root)
    if name.endswith("feed"):
        return "atom0.3" if "purl.org/atom" in str(root.tag) else "atom1.0"
    if name.endswith("rdf"):
        return (
            "rss1.0"
            if any("purl.org/rss/1.0" in str(uri) for uri in root.nsmap.values())
            else "rss0.9"
        )
    return "rss" + (root.get("version") or "2.0").strip()[:8]


def _generator(parts: Parts) -> str | None:
    for node in parts.get("atom:generator", []) + parts.get("generator", []):
        words = [
            text_of(node).strip(),
            node.get("version") or "",
            node.get("uri") or node.get("url") or "",
        ]
        text = " ".join(w for w in words if w)
        if text:
            return text[:300]
    for node in parts.get("admin:generatoragent", ()):
        resource = node.get("{http://www.w3.org/1999/02/22-rdf-syntax-ns#}resource")
        if resource:
            return str(resource)[:300]
    return None


def _rights(parts: Parts) -> str | None:
    words = [title_of(parts, "copyright", "atom:rights", "rights", "dc:rights", "atom:copyright")]
    for name in ("cc:license", "dcterms:license"):
        words += [
            text_of(n).strip() or n.get("{http://www.w3.org/1999/02/22-rdf-syntax-ns#}resource")
            for n in parts.get(name, ())
        ]
    words += [x.href for x in links_of(parts, "") if x.rel == "license"]
    return " ".join(dict.fromkeys(w for w in words if w))[:2000] or None


def _skip_hours(parts: Parts) -> tuple[int, ...]:
    hours = [number(text_of(h)) for node in parts.get("skiphours", ()) for h in node]
    return tuple(sorted({h % 24 for h in hours if h is not None and h <= 24}))


def _skip_days(parts: Parts) -> tuple[str, ...]:
    names = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    days = {text_of(d).strip().capitalize() for node in parts.get("skipdays", ()) for d in node}
    return tuple(d for d in names if d in days)


def _period(parts: Parts) -> int | None:
    period = _PERIODS.get((first_text(parts, "sy:updateperiod") or "").lower())
    if period is None:
        return None
    return period // max(1, number(first_text(parts, "sy:updatefrequency")) or 1)


def _kind(feed: Feed) -> Any:
    """Comments or posts: by what most entries are, else by the feed's address and title."""
    if feed.entries:
        marks = sum(
            1
            for e in feed.entries
            if e.in_reply_to or _COMMENT_URL.search(e.url) or (e.id and _COMMENT_URL.search(e.id))
        )
        if 2 * marks > len(feed.entries):
            return "comments"
        if marks == 0 and not _COMMENT_TITLE.match(feed.title or ""):
            return "posts"
    named = _COMMENT_FEED.search(
        urlsplit(feed.url).path + "?" + urlsplit(feed.url).query
    ) or _COMMENT_FEED.search(feed.self_url or "")
    return "comments" if named or _COMMENT_TITLE.match(feed.title or "") else "posts"


def entry_dates(feed: Feed) -> tuple[datetime | None, datetime | None]:
    """(oldest, newest) publication among the entries."""
    dates = [e.published for e in feed.entries if e.published]
    return (min(dates), max(dates)) if dates else (None, None)
