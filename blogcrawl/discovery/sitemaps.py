"""Sitemaps (sitemaps.org 0.9): where they are, what they list, and which of them list posts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from io import BytesIO
from itertools import islice
from urllib.parse import unquote, urlsplit

from lxml import etree

from blogcrawl.core.costs import bounded
from blogcrawl.core.errors import FeedError
from blogcrawl.dates.machine_date import parse_date
from blogcrawl.discovery.feed_text import absolute, plain_title
from blogcrawl.discovery.feeds import parse_feed
from blogcrawl.discovery.safexml import SAFELY, TooBigError, decode, gunzip, prepare, text_of
from blogcrawl.discovery.search_index import is_index, read_index
from blogcrawl.text.visible import squeeze

MAX_URLS = 50_000
"""URLs of one sitemap (sitemaps.org); what is beyond is not read."""
MAX_CHILDREN = 50_000
MAX_DEPTH = 3
"""Indexes inside indexes: one level is legal, some plug-ins make two."""


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    loc: str
    lastmod: datetime | None = None
    title: str | None = None
    published: datetime | None = None


@dataclass(frozen=True, slots=True)
class Sitemap:
    """One document: ``entries`` of a url set, ``children`` (address, lastmod) of an index."""

    url: str
    entries: tuple[SitemapEntry, ...] = ()
    children: tuple[tuple[str, datetime | None], ...] = ()
    is_cut: bool = False
    """It ends before its root element does."""


def robots_sitemaps(robots_txt: str | None, home_url: str) -> list[str]:
    """Return the ``Sitemap:`` lines (RFC 9309 section 2.2.4: case ignored, they belong to no
    group), at most 50.
    """
    out = []
    for line in re.split(r"[\r\n]+", (robots_txt or "").lstrip("\ufeff")[:512_000]):
        found = re.match(r"\s*sitemap\s*:\s*(\S+)", line, re.IGNORECASE)
        if found:
            url = absolute(found.group(1), home_url)
            if url:
                out.append(url)
    return list(dict.fromkeys(out))[:50]


_POSTS = re.compile(
    r"(?:^|[/_.=-])(?:posts?|posts-post|blog(?:-?posts?)?|articles?|news|stor(?:y|ies)|entr(?:y|"
    r"ies)|pt-post|beitr[aä]e?ge?|"
    r"notes?)(?=$|[/_.=&\d-])",
    re.IGNORECASE,
)
_ROOT = re.compile(r"<(?:\w{1,40}:)?(?:urlset|sitemapindex)[\s>/]")
_END = re.compile(r"</(?:\w{1,40}:)?(?:urlset|sitemapindex)\s*>|<(?:urlset|sitemapindex)[^<>]*/>")
_OTHERS = re.compile(
    r"(?:categor(?:y|ies)|\btags?\b|post[_-]tag|[/_.-]tags?[_.-]|taxonom|authors?|users?|"
    r"products?|images?|videos?|attachment|"
    r"page[s]?[-_.]?sitemap|"
    r"sitemap[-_.]?(?:misc|pages?|authors?|tags?|images?|videos?|archives?|categories|external|"
    r"tax|locations?|geo)|posts-page|pt-page|"
    r"pt-(?!post)\w+-|forum|topics?|wiki|shop|events?|formats?|media|archive)",
    re.IGNORECASE,
)


def kind_by_name(url: str) -> int:
    """Return what a sitemap lists by its name: 1 posts, -1 something else, 0 nothing."""
    parts = urlsplit(url)
    name = unquote(parts.path.rsplit("/", 1)[-1] + ("?" + parts.query if parts.query else ""))
    if re.search(r"posts?[_-]tag|posts-page|taxonom", name, re.IGNORECASE):
        return -1
    if _POSTS.search(name):
        return 1
    return -1 if _OTHERS.search(name) else 0


def worthwhile(children: Iterable[tuple[str, datetime | None]]) -> list[str]:
    """Return the children of an index that may list posts: the post sitemaps where names show them,
    else nearly all others.

    What is written for Baidu repeats the sitemap next to it in that engine's form.
    """
    every = list(dict.fromkeys(url for url, _ in children))
    urls = [url for url in every if "baidu" not in url.rsplit("/", 1)[-1].lower()] or every
    best = max(map(kind_by_name, urls), default=0)
    return [url for url in urls if kind_by_name(url) == best]


@bounded
def parse_sitemap(body: bytes, url: str, content_type: str | None = None) -> Sitemap:
    """Return the sitemap in ``body`` (url set, index, plain text, a feed, a search index; gzip or
    not).

    Raises FeedError for anything else (HTML, empty, too big).
    """
    try:
        text, _ = decode(gunzip(body), content_type)
        if not text.strip():
            raise FeedError("sitemap is empty", url=url)
        head = text[:2000].lower()
        if re.search(r"<!doctype html|<html[\s>]", head):
            raise FeedError("not a sitemap but an HTML page", url=url)
        if is_index(text):
            return _search_index(text, url)
        if "<" not in head:
            return _plain(text, url)
        found = _xml(text, url)
    except TooBigError as error:
        raise FeedError(f"sitemap is too big: {error}", url=url) from error
    if _ROOT.search(text[:20_000]):
        return replace(found, is_cut=_END.search(text) is None)
    if found.entries or found.children:
        return found
    feed = parse_feed(body, url)  # sitemaps.org allows RSS 2.0 and Atom as sitemaps
    return Sitemap(
        url, tuple(SitemapEntry(e.url, e.modified, e.title, e.published) for e in feed.entries)
    )


def _search_index(text: str, url: str) -> Sitemap:
    rows = islice(read_index(text, url), MAX_URLS)
    found = tuple(SitemapEntry(loc, title=title, published=day) for loc, title, day in rows)
    if not found:
        raise FeedError("neither a sitemap nor an index of pages", url=url)
    return Sitemap(url, found)


def _plain(text: str, url: str) -> Sitemap:
    lines = (line.strip() for line in text.lstrip("\ufeff").split("\n")[:MAX_URLS])
    found = [absolute(line, url) for line in lines if line.startswith(("http://", "https://"))]
    if not found:
        raise FeedError("not a sitemap: no URL in it", url=url)
    return Sitemap(url, tuple(SitemapEntry(u) for u in found if u))


def _forget(node: etree._Element) -> None:
    node.clear()
    above = node.getparent()
    while above is not None and above[0] is not node:
        del above[0]


def _xml(text: str, url: str) -> Sitemap:
    """Parse in one pass with bounded memory: an element is freed as soon as it is read."""
    entries: list[SitemapEntry] = []
    children: list[tuple[str, datetime | None]] = []
    events = etree.iterparse(BytesIO(prepare(text)), events=("end",), **SAFELY)
    try:
        for _, node in events:
            local = _local(node)
            if local not in ("url", "sitemap"):
                continue
            loc, lastmod, title, published = _fields(node, url)
            if loc and local == "url" and len(entries) < MAX_URLS:
                entries.append(SitemapEntry(loc, lastmod, title, published))
            elif loc and local == "sitemap" and len(children) < MAX_CHILDREN:
                children.append((loc, lastmod))
            _forget(node)
    except (etree.XMLSyntaxError, ValueError):
        pass  # what was read before the fault counts
    return Sitemap(url, tuple(entries), tuple(children))


def _fields(
    node: etree._Element, url: str
) -> tuple[str | None, datetime | None, str | None, datetime | None]:
    """Return (loc, lastmod, news title, news date); ``image:loc`` and the like are distinguished by
    their parents.
    """
    loc = lastmod = title = published = None
    for child in node.iterchildren():
        local = _local(child)
        if local == "loc" and loc is None and not re.search("image|video", str(child.tag)):
            loc = absolute(squeeze(text_of(child)), url)
        elif local == "lastmod":
            lastmod = parse_date(child.text)
        elif local == "news":
            parts = {_local(part): part.text for part in child.iterchildren()}
            title = plain_title(parts.get("title"))
            published = parse_date(parts.get("publication_date"))
    return loc, lastmod, title, published


def _local(node: etree._Element) -> str:
    """Return the name of an element without its namespace; "" for a comment."""
    return node.tag.rpartition("}")[2].lower() if isinstance(node.tag, str) else ""
