"""Feed documents -> records: every dialect, every fault that servers put on top."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Literal
from urllib.parse import urlsplit

from blogcrawl.core.costs import bounded
from blogcrawl.core.errors import FeedError
from blogcrawl.core.records import Feed, FeedEntry
from blogcrawl.dates.machine_date import (
    parse_date,
    with_days,
    without_build_time,
    without_pages,
)
from blogcrawl.discovery.feed_text import absolute, without_site_name
from blogcrawl.discovery.json_feed import looks_like, parse_json_feed
from blogcrawl.discovery.places import placed
from blogcrawl.discovery.rss_atom import read_feed
from blogcrawl.discovery.safexml import TooBigError, decode, gunzip, parse_xml
from blogcrawl.lexicon.vocabulary import any_of

_ROOT = re.compile(r"<(?:[A-Za-z][\w.-]*:)?(rss|feed|RDF|channel)[\s>/]")
_SECURE_NAMESPACE = re.compile(r"""(\sxmlns(?::[\w.-]+)?\s*=\s*["'])https:""")
_HTML = re.compile(r"<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]", re.IGNORECASE)
_LINK = re.compile(r"""<([^<>]*)>((?:\s*;\s*[^\s=;,<>"]+(?:\s*=\s*(?:"[^"]*"|[^\s;,"<>]*))?)*)""")
_PARAMETER = re.compile(r""";\s*([^\s=;]+)\s*=\s*(?:"([^"]*)"|([^\s;,]*))""")
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
_COMMENT_TITLE = re.compile(rf"^\s{{0,20}}(?:{any_of('feeds', 'comment_title')})", re.IGNORECASE)
"""Feed titles of WordPress's comment feeds in its larger languages."""
A_PAGE = "not a feed but an HTML page"


@bounded
def parse_feed(body: bytes, url: str, headers: Mapping[str, str] | None = None) -> Feed:
    """Return the feed in ``body`` as fetched from ``url`` (content encodings undone; header names
    in lower case).

    A valid feed without entries is a Feed with ``entries == ()``. Raises FeedError whose message
    names what the document is instead: empty, HTML, too big, not XML, XML of another kind.
    """
    headers = headers or {}
    try:
        body = gunzip(body)
        text, _ = decode(body, headers.get("content-type"))
    except TooBigError as error:
        raise FeedError(f"feed is too big: {error}", url=url) from error
    if not text.strip("\ufeff \t\r\n\0"):
        raise FeedError("feed is empty (no bytes)", url=url)
    served_at = parse_date(headers.get("date"))
    text = text.lstrip("\ufeff \t\r\n\0")
    feed = parse_json_feed(text, url, served_at) if looks_like(text) else None
    if feed is None:
        feed = _parse_xml_feed(text, url, served_at)
    etag, modified = headers.get("etag"), headers.get("last-modified")
    named = header_links(headers.get("link", ""), url)
    hub, own = named.get("hub", feed.hub_url), named.get("self", feed.self_url)
    kind = _kind(feed)
    entries = feed.entries
    if kind == "posts":
        posts = without_pages(placed(entries, feed.home_url))
        dated = with_days(without_build_time(posts))
        entries = without_site_name(dated, feed.title)
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
    """Return absolute addresses of a ``Link`` header (RFC 8288) by relation, the first of each.
    WebSub, section 4: where header and document both name a hub, the header counts."""
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


def _parse_xml_feed(text: str, url: str, served_at: datetime | None) -> Feed:
    start = _ROOT.search(text[:200_000])
    if start is None or _HTML.search(text[: start.start()]):
        raise FeedError(_other_kind(text), url=url)
    # plug-ins that turn each "http:" of a page into "https:" do so in the names of namespaces
    end = text.find(">", start.end() - 1)
    namespaces = _SECURE_NAMESPACE.sub(r"\1http:", text[start.start() : end])
    text = text[: start.start()] + namespaces + text[end:]
    doctype = text.find("<!DOCTYPE", 0, start.start())
    # junk before the root goes; parse_xml cuts a document type declaration with its subset
    try:
        root = parse_xml(text[doctype if doctype >= 0 else start.start() :])
    except TooBigError as error:
        raise FeedError(f"feed is too big: {error}", url=url) from error
    if root is None:
        raise FeedError("feed is broken XML beyond repair", url=url)
    return read_feed(root, url, served_at)


def _other_kind(text: str) -> str:
    """Return what a document is instead of a feed."""
    if _HTML.search(text[:200_000]):
        return A_PAGE
    if text[:1] in "{[":
        return "not a feed but other JSON"
    has_tags = "<" in text[:5000]
    return "not a feed: " + ("no rss, feed or RDF element" if has_tags else "not XML at all")


def _kind(feed: Feed) -> Literal["posts", "comments"]:
    """Comments or posts: by what most entries are, else by the feed's address and title."""
    comments = sum(map(_is_comment, feed.entries))
    is_titled = bool(_COMMENT_TITLE.match(feed.title or ""))
    if comments * 2 > len(feed.entries):
        return "comments"
    if feed.entries and not comments and not is_titled:
        return "posts"
    where = urlsplit(feed.url).path + "?" + urlsplit(feed.url).query
    is_named = any(map(_COMMENT_FEED.search, (where, feed.self_url or "")))
    return "comments" if is_named or is_titled else "posts"


def _is_comment(entry: FeedEntry) -> bool:
    addresses = (entry.url, entry.id or "")
    return bool(entry.in_reply_to) or any(map(_COMMENT_URL.search, addresses))


def entry_dates(feed: Feed) -> tuple[datetime | None, datetime | None]:
    """Return (oldest, newest) publication date among the entries."""
    dates = [e.published for e in feed.entries if e.published]
    return (min(dates), max(dates)) if dates else (None, None)
