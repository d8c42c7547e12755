"""Where the blog's feeds are, announced by a page or guessed, and which of several feeds is the
blog's own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain
from urllib.parse import unquote, urljoin, urlsplit

from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.page import Page
from blogcrawl.core.records import Feed
from blogcrawl.discovery.feed_text import absolute
from blogcrawl.discovery.feeds import entry_dates
from blogcrawl.lexicon.vocabulary import any_of, entries
from blogcrawl.text.visible import squeeze
from blogcrawl.urls.canonical import same_site

_FEED_TYPE = re.compile(
    (
        r"^(?:application|text)/(?:rss\+xml|atom\+xml|rdf\+xml|feed\+json|x\.atom\+xml|rss|atom|"
        r"xml\+rss)$"
    ),
    re.IGNORECASE,
)
_XML_TYPE = re.compile(r"^(?:application|text)/(?:xml|json|x-rss\+xml)$", re.IGNORECASE)
_FEED_URL = re.compile(
    r"(?:/(?:feed|rss|atom|rdf|feeds|rss2|feed1?|syndication|xmlfeed)/?$|/feeds?/(?:posts|all|"
    r"atom|rss|latest|blog|articles|main|"
    r"index)\b[^?]{0,80}$|"
    r"(?:^|[/_.-])(?:feeds?|(?:comments)?rss\d?|atom(?:10)?|index|all|posts?|blog|main|export|news|"
    r"rss_?feed|backend)(?:[_.-](?:rss\d?|atom|"
    r"feed|all)){0,4}\.(?:xml|rss|atom|rdf|json|php)$|"
    r"\.(?:rss|atom|rdf)$|[?&](?:feed|format)=(?:comments-)?"
    r"(?:rss2?|atom|rdf|feed|json)\b|[?&](?:type|"
    r"tempskin|flavor)=_?(?:rss\d?|atom)\b|\?feed$|"
    r"/data/(?:rss|atom)$|/\?/feeds/)",
    re.IGNORECASE,
)
_NO_FEED = re.compile(any_of("feeds", "no_feed"), re.IGNORECASE)
_FEED_HOSTS = re.compile(
    r"^(?:feeds\d*\.feedburner\.com|feeds\.feedblitz\.com|feedpress\.me|feed\.feedsky\.com|"
    r"feeds\.[a-z0-9-]+\.[a-z]{2,8}|"
    r"rss\.[a-z0-9-]+\.[a-z]{2,8})$"
)
_READER = re.compile(any_of("feeds", "reader"), re.IGNORECASE)
_READER_TARGET = re.compile(
    r"(?:feed/|url=|feedurl=|add_feed=|\burl\?|subscribe\?)(https?(?::|%3A)[^&\s]+)", re.IGNORECASE
)
_ANCHOR = re.compile(
    rf"^\W{{0,40}}(?:{any_of('feeds', 'link')})\W{{0,40}}(?:feed|2\.0|1\.0)?\W{{0,40}}$",
    re.IGNORECASE,
)
_COMMENTS = re.compile(any_of("feeds", "comments"), re.IGNORECASE)
_SCOPED = re.compile(
    r"/(?:tags?|categor(?:y|ies)|label|labels|author|authors|user|users|search|type|topics?|"
    r"taxonomy|series|section|kategorie|"
    r"schlagwort|kategori|"
    r"etiqueta|categoria|etiquette|rubrik|thema|tema|archive/tag)s?/|[?&](?:cat|tag|author|s|"
    r"category|label)=|/feeds/posts/default/-/|/blog-category-\d+(?:-\d+)?\.html$",
    re.IGNORECASE,
)
_EMBEDDED_COMMENT = re.compile(
    r"/feeds/\d{1,20}/comments/|/\d{4}/\d{2}/.{0,300}/feed/?$|/comments?/", re.IGNORECASE
)

MAX_ANNOUNCED = 500
"""Feeds of one page."""
GENERIC_PATHS = entries("feeds", "path")
"""Relative to the blog's root, by how many engines use them as default (see the table in
``platforms``).
"""


def announced_feeds(page: Page) -> list[tuple[str, str]]:
    """Return (URL, title) of the feeds that the page names, most likely post feed first: link
    elements, then ordinary links.
    """
    scored: dict[str, tuple[int, str]] = {}
    for url, rank, title in chain(_linked_feeds(page), _anchored_feeds(page)):
        if url not in scored and len(scored) < MAX_ANNOUNCED:
            scored[url] = (rank + _penalty(url, title, page.url), title)
    ordered = sorted(scored.items(), key=lambda item: item[1][0])
    return [(url, title) for url, (_, title) in ordered]


def _linked_feeds(page: Page) -> Iterator[tuple[str, int, str]]:
    """Yield (URL, rank, title) of feeds in ``link`` elements."""
    for link in page.tree.iter("link"):
        rel = set(link.get("rel", "").lower().split())
        href = page.absolute(link.get("href", ""))
        if not href or "stylesheet" in rel or not rel & {"alternate", "feed", "service.feed"}:
            continue
        if _is_feed_link(href, link.get("type", "").split(";")[0].strip()):
            yield href, 0, squeeze(link.get("title"))


def _is_feed_link(url: str, kind: str) -> bool:
    """Return whether an alternate is a feed by its media type ``kind``, or by its address where the
    type does not say.
    """
    if _FEED_TYPE.match(kind):
        return True
    may_be_xml = not kind or _XML_TYPE.match(kind)
    return bool(may_be_xml and _FEED_URL.search(url) and not _NO_FEED.search(url))


def _anchored_feeds(page: Page) -> Iterator[tuple[str, int, str]]:
    """Yield (URL, rank, title) of feeds that links in the text lead to, by URL or by anchor
    text."""
    for anchor in page.tree.iter("a", "area"):
        href = anchor.get("href", "").strip()
        if not href or len(href) > 2000:
            continue
        kind = anchor.get("type", "").split(";")[0].strip()
        target = _feed_link(page, href, typed=bool(_FEED_TYPE.match(kind)))
        text = "".join(anchor.itertext())
        if target:
            yield target, 10, squeeze(anchor.get("title")) or squeeze(text[:200])
        elif (url := _named_feed(page, anchor, href, squeeze(text[:60]))) is not None:
            yield url, 30, squeeze(text[:60])


def _named_feed(page: Page, anchor: etree._Element, href: str, text: str) -> str | None:
    """Return the feed that only the text or the relation of a link identifies."""
    is_alternate = "alternate" in anchor.get("rel", "").split()
    return _unusual_feed(page, href) if is_alternate or _ANCHOR.match(text) else None


def _unusual_feed(page: Page, href: str) -> str | None:
    """Return the target of a link that only its text calls a feed, or None if its URL cannot be
    one.
    """
    url = page.absolute(re.sub(r"^feed:(//)?", "http://", href))
    if not url or "#" in href or urlsplit(url).path in ("", "/"):
        return None
    return None if _NO_FEED.search(url) or _READER.search(url) else url


def _feed_link(page: Page, href: str, *, typed: bool) -> str | None:
    """Return the feed that an ordinary link leads to, also through a reader's "subscribe" address;
    None if it leads elsewhere.
    """
    if _READER.search(href):
        found = _READER_TARGET.search(unquote(href))
        return absolute(unquote(found.group(1)), page.url) if found else None
    if href.lower().startswith("feed:"):
        href = href[5:] if href[5:].lower().startswith("http") else "http:" + href[5:]
    url = page.absolute(href.split("#")[0]) if not href.startswith("#") else None
    if not url or _NO_FEED.search(url):
        return None
    return url if typed or _is_feed_url(url) else None


def _is_feed_url(url: str) -> bool:
    parts = urlsplit(url)
    if _FEED_HOSTS.match(parts.netloc) and len(parts.path) > 1:
        return True
    return bool(_FEED_URL.search(parts.path + ("?" + parts.query if parts.query else "")))


def _penalty(url: str, title: str, page_url: str) -> int:
    """Return how unlikely a feed is the blog's own post feed: comments, one tag's or author's,
    another host's, another language's.
    """
    parts, home = urlsplit(url), urlsplit(page_url)
    where = unquote(parts.path + "?" + parts.query)
    out = 0
    if _COMMENTS.search(where) or _COMMENTS.search(title) or _EMBEDDED_COMMENT.search(where):
        out += 100
    if is_scoped(url):
        out += 40
    if (parts.hostname or "").removeprefix("www.") != (home.hostname or "").removeprefix(
        "www."
    ) and not _FEED_HOSTS.match(parts.netloc):
        out += 20
    if re.search(r"podcast|newsletter|photos?/|news\.google|gallery", where, re.IGNORECASE):
        out += 15
    return out


def is_scoped(url: str) -> bool:
    """Return whether the URL shows that a feed or page is of one tag, category, author or search
    only.
    """
    parts = urlsplit(url)
    return bool(_SCOPED.search(unquote(parts.path) + ("?" + parts.query if parts.query else "")))


def says_comments(url: str, title: str = "") -> bool:
    """Return whether the URL or title indicates a comment feed."""
    where = unquote(urlsplit(url).path + "?" + urlsplit(url).query)
    return bool(_COMMENTS.search(where) or _COMMENTS.search(title))


_FOLDER = re.compile(r"(?!page$)[A-Za-z][\w-]{0,20}")
_DATED = re.compile(r"/(?:19|20)\d\d(?:/|-\d\d|$)")


def blog_roots(page_url: str, *, inner: bool = False) -> list[str]:
    """Return folders that may be the blog's root, likeliest first.

    A start page is taken for the home page: its own folder first, then the host's root. An
    ``inner`` page (a post) and one below a year proves less: the host's root first, then the first
    folder (``/blog/``).
    """
    parts = urlsplit(page_url)
    root = f"{parts.scheme}://{parts.netloc}/"
    *folders, last = parts.path.split("/")
    segments = list(filter(None, folders))
    if last and "." not in last and len(segments) < 2:
        segments.append(last)  # https://example.org/blog, without its slash
    dated = _DATED.search(parts.path)
    if dated:
        segments = list(filter(None, parts.path[: dated.start()].split("/")))
        return list(dict.fromkeys([root, _below(root, segments[:2])]))
    if inner:
        return list(dict.fromkeys([root, _below(root, segments[:1])]))
    return [_below(root, segments[:depth]) for depth in range(min(len(segments), 3), -1, -1)]


def _below(root: str, segments: Sequence[str]) -> str:
    return root + "".join(f"{segment}/" for segment in segments)


def is_inner(page: Page) -> bool:
    """Return whether the page declares itself an article."""
    for meta in page.tree.iter("meta"):
        if (meta.get("property") or meta.get("name", "")).lower() == "og:type":
            return meta.get("content", "").strip().lower() in ("article", "blog.post", "post")
    return False


_BLOG = re.compile(
    r"^\W{0,40}(?:(?:our|the|my|read the)\s{1,20})?"
    rf"(?:{any_of('feeds', 'blog_link')})\W{{0,40}}$",
    re.IGNORECASE,
)


def main_folder(page: Page) -> str | None:
    """Return the folder of the same host that a link named "Blog" leads to, or most of the links
    (``/blog/``, ``/en/``), where one stands out.
    """
    counts: Counter[str] = Counter()
    for path, anchor in _own_paths(page):
        is_shallow = path.count("/") <= 2 and len(path) > 2
        if is_shallow and _BLOG.match(squeeze("".join(anchor.itertext())[:40])):
            return urljoin(page.url, path.rstrip("/") + "/")
        folder = next(filter(None, path.split("/")[:-1]), "")
        if _FOLDER.fullmatch(folder):
            counts[folder] += 1
    for folder, count in counts.most_common(1):
        if count >= max(4, 0.4 * counts.total()):
            return urljoin(page.url, f"/{folder}/")
    return None


def _own_paths(page: Page) -> Iterator[tuple[str, HtmlElement]]:
    """Yield (path, element) of the page's links on its own host, except those to tags and the
    like."""
    host = urlsplit(page.url).netloc
    for anchor in page.tree.iter("a"):
        url = page.absolute(anchor.get("href", ""))
        if url and urlsplit(url).netloc == host and not is_scoped(url):
            yield urlsplit(url).path, anchor


def guessed_feeds(
    page_url: str, paths: Iterable[str] = (), *, inner: bool = False, folder: str | None = None
) -> list[str]:
    """Return usual feed addresses: the platform's own ``paths``, then the generic ones, each under
    every likely root and ``folder``.
    """
    roots = blog_roots(page_url, inner=inner)
    roots = list(dict.fromkeys([roots[0], roots[-1], *([folder] if folder else []), *roots]))
    return list(
        dict.fromkeys(
            urljoin(root, path)
            for some in (list(paths), GENERIC_PATHS)
            for path in some
            for root in roots
        )
    )


def choose_post_feed(feeds: Sequence[Feed]) -> Feed | None:
    """Return the blog's own feed among parsed ones, or None if no feed has posts.

    Comment feeds are out; a feed of one tag or author comes last; then the newest news, the share
    of full entries, the number of entries decide, and the order given.
    """
    posts = [f for f in feeds if f.kind == "posts" and f.entries]
    if not posts:
        return None
    newest = max((d for d in (entry_dates(f)[1] for f in posts) if d), default=None)
    return min(posts, key=lambda feed: _rank(feed, newest))  # the first of equals


def _rank(feed: Feed, newest: datetime | None) -> tuple[float, ...]:
    """Return what ``choose_post_feed`` compares, smallest first. ``newest``: the newest date in any
    of the feeds.
    """
    last = entry_dates(feed)[1]
    is_behind = newest is not None and (last is None or (newest - last).days > 1)
    full = sum(entry.is_full for entry in feed.entries) / len(feed.entries)
    depth = urlsplit(feed.url).path.rstrip("/").count("/")
    return is_scoped(feed.url), is_behind, -round(full), -min(len(feed.entries), 1000) // 5, depth


_FORMAT_WORD = re.compile(r"(?:feeds?|rss\d?|atom|xml|json|index|posts|default|all|rdf)(?:\..*)?")


def other_stream(url: str, known: str) -> bool:
    """Return whether a feed's folder shows that it is no other format of the known one, but another
    section or language of the same site.
    """

    def folder(text: str) -> list[str]:
        parts = urlsplit(text)
        words = [
            word
            for word in parts.path.lower().split("/")
            if word and not _FORMAT_WORD.fullmatch(word)
        ]
        return words[:-1] if words and "." in words[-1] else words

    return same_site(url, known) and not urlsplit(url).query and folder(url) != folder(known)


def is_own_feed(feed_url: str, page_url: str) -> bool:
    """Return whether a feed lies under the page itself (WordPress: ``<post>/feed/`` carries the
    post's comments).
    """
    base = page_url.split("?")[0].split("#")[0].rstrip("/")
    return feed_url.startswith(base + "/feed") and base.count("/") > 3
