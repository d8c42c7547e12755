"""RSS 0.9x, 1.0 and 2.0, RDF, Atom 0.3 and 1.0 -> records, read by feedparser.

feedparser gets no bytes: the tree that ``safexml`` made within its limits is played to its handler
as SAX events. So it decodes nothing, expands no entity and opens no connection. What it would mix
up is put straight in the tree first (markup inside of text constructs, rival elements for one
field), and what it leaves out is added here: links by relation, threads (RFC 4685), archives (RFC
5005), the skip elements of RSS.
"""

from __future__ import annotations

import copy
import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Any

from lxml import etree
from lxml.sax import saxify

from blogcrawl.core.errors import FeedError
from blogcrawl.core.page import fragment
from blogcrawl.core.records import Feed, FeedEntry
from blogcrawl.dates.machine_date import parse_date
from blogcrawl.discovery.feed_text import (
    absolute,
    absolute_links,
    author_name,
    enclosures,
    plain_title,
)
from blogcrawl.discovery.full_text import with_fullness
from blogcrawl.discovery.safexml import text_of
from blogcrawl.lexicon.vocabulary import any_of
from blogcrawl.text.visible import node_text, squeeze
from blogcrawl.urls.canonical import host_of, same_site

MAX_ENTRIES = 20_000
"""Entries read of one document; whole-blog dumps of some thousand exist."""
MAX_AUTHORS = 20
MAX_TAGS = 200
MAX_TAG_LENGTH = 200

Parsed = Mapping[str, Any]
"""What feedparser made of a feed or of an entry."""


@cache
def _feedparser_handler() -> Any:
    """Return feedparser's SAX handler (imported here, since that takes 0.1 s), without its own
    reading of dates: ``blogcrawl.dates`` reads them.
    """
    import feedparser
    from feedparser.api import StrictFeedParser

    feedparser.registerDateHandler(lambda _: (1970, 1, 1, 0, 0, 0, 3, 1, 0))
    return StrictFeedParser


class _AnyPrefix(dict[str, str]):
    """Namespaces in use: feedparser refuses a document for one prefix that is not declared."""

    def __contains__(self, _: object) -> bool:
        return True


def _parse(root: Any) -> tuple[Parsed, list[Parsed], str]:
    """Return (feed, entries, version) as feedparser reads them. Addresses stay as written, but for
    ``xml:base``; markup is neither sanitised nor resolved.
    """
    handler = _feedparser_handler()(baseuri="", baselang=None, encoding=None)
    handler.resolve_relative_uris = handler.sanitize_html = False
    handler.namespaces_in_use = _AnyPrefix()
    handler.infeed = 1  # also where a document has no channel
    saxify(root, handler)
    # plain dictionaries: feedparser's answer with "published" where "updated" is requested
    return dict(handler.feeddata), [dict(entry) for entry in handler.entries], handler.version


# -- what feedparser would mix up ------------------------------------------------------------------

_TEXTS = (
    "title description summary content encoded body div fullitem subtitle tagline rights copyright"
).split()
_SUMMARIES = ("description", "summary", "dc:description", "itunes:summary")
_PERSON = "author/"
"""An author with elements of its own."""
_NAMES = (
    "dc:creator",
    "author",
    "dc:author",
    "dcterms:creator",
    "lj:poster",
    "itunes:author",
    "managingeditor",
)
"""Elements that hold a name, best first; those of feedparser's one list of authors."""
_MRSS = "search.yahoo.com/mrss"
_DC_CREATOR = "{http://purl.org/dc/elements/1.1/}creator"
_BODY = "{http://www.w3.org/1999/xhtml}body"
_ATOM_PREFIXES = frozenset({"atom", "atom10", "a10", "rss"})
_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_XMLNS = re.compile(r"""\sxmlns(?::[\w.-]+)?=(?:"[^"]*"|'[^']*')""")


def _name(node: Any) -> str:
    """Return ``prefix:local`` as written, in lower case; Atom's and RSS's own elements without a
    prefix.
    """
    if not isinstance(node.tag, str):
        return ""
    local = node.tag.rpartition("}")[2].lower()
    prefix = (node.prefix or "").lower()
    return local if not prefix or prefix in _ATOM_PREFIXES else f"{prefix}:{local}"


def _straighten(root: Any) -> None:
    """Put in the tree what feedparser needs to read each field from the right element."""
    entries = list(root.iter("{*}item", "{*}entry"))
    for node in entries[MAX_ENTRIES:]:
        node.getparent().remove(node)
    del entries[MAX_ENTRIES:]
    for node in entries:
        # an element before it was not closed; libxml2, which mends, may make an entry the root
        if node is not root and root not in islice(node.iterancestors(), 2):
            root.append(node)
    for node in filter(
        _is_misread, [*root.iterdescendants("{*}description", "{*}link", "{*}owner")]
    ):
        node.getparent().remove(node)
    for node in list(root.iter(*(f"{{*}}{name}" for name in _TEXTS))):
        if _MRSS not in node.tag:
            _flatten(node)
    for node in [*root.iter("{*}channel", "{*}feed"), *entries]:
        _drop_rivals(node)


def _is_misread(node: Any) -> bool:
    """Return whether feedparser misreads the element: it takes an image's description for that of
    the post, a podcast's owner for its author, and no guid for the link if there is an empty one.
    """
    name = _name(node)
    is_empty_link = name == "link" and not node.attrib and not text_of(node).strip()
    return is_empty_link or name == "itunes:owner" or _MRSS in node.tag


def _flatten(node: Any) -> None:
    """Make markup inside of a text construct escaped HTML, as most feeds write it."""
    kind = node.get("type", "").strip().lower()
    if node.tag == "{http://www.w3.org/1999/xhtml}div":
        node.tag = _BODY
    if any(isinstance(child.tag, str) for child in node):
        node.text, kind = inner_html(_without_wrapper(node)), "html"
        del node[:]
    elif kind == "" and node.get("mode") == "escaped":
        kind = "html"
    if kind:
        node.set("type", kind)
    elif "type" in node.attrib:
        del node.attrib["type"]


def _without_wrapper(node: Any) -> Any:
    """Return the ``div`` that Atom requires around XHTML (RFC 4287, 3.1.1.3), where there is
    one."""
    elements = [child for child in node if isinstance(child.tag, str)]
    is_wrapped = len(elements) == 1 and elements[0].tag.rpartition("}")[2] == "div"
    return elements[0] if is_wrapped and not squeeze(node.text) else node


def inner_html(node: Any) -> str:
    """Return markup inside ``node`` as HTML, namespaces dropped."""
    out = [html.escape(node.text or "", quote=False)]
    content = copy.deepcopy(node)
    for inside in content.iter():
        if isinstance(inside.tag, str):
            # a prefix that is not declared stays in the name
            local = inside.tag.rpartition("}")[2].rpartition(":")[2]
            inside.tag = local if _NAME.fullmatch(local) else "span"
    etree.cleanup_namespaces(content)  # each child would be written with all that the feed declares
    for child in content:
        out.append(_XMLNS.sub("", etree.tostring(child, encoding="unicode", method="html")))
    return "".join(out)


def _role(node: Any) -> str:
    """Return the name of an element; Atom's author, made of elements, apart from RSS's, which is
    text.
    """
    name = _name(node)
    has_parts = any(isinstance(part.tag, str) for part in node)
    return _PERSON if name == "author" and has_parts else name


def _drop_rivals(parent: Any) -> None:
    """Keep the best summary (feedparser takes a second one for the content) and the authors of the
    best kind, names without addresses.
    """
    children: dict[str, list[Any]] = {}
    for child in parent:
        children.setdefault(_role(child), []).append(child)
    for name in _NAMES:
        for child in children.get(name, ()):
            child.text = author_name(text_of(child)) or ""
            del child[:]
            if name in ("dcterms:creator", "lj:poster"):
                child.tag = _DC_CREATOR
    summaries = [children.get(name, []) for name in _SUMMARIES]
    _keep_first(parent, [[child] for same in summaries for child in same])
    _keep_first(parent, [children.get(name, []) for name in (_PERSON, *_NAMES)])


def _keep_first(parent: Any, groups: list[list[Any]]) -> None:
    """Remove all but the first group of children that has a text."""
    filled = ([child for child in group if text_of(child).strip()] for group in groups)
    keep = next((group for group in filled if group), [])
    for child in (child for group in groups for child in group):
        if child not in keep:
            parent.remove(child)


# -- what feedparser read, as records --------------------------------------------------------------

_ORIGINS = ("feedburner_origlink", "pheedo_origlink")
"""Where feed services keep the address that they replaced."""
_PROXY = re.compile(
    r"^https?://(?:feedproxy\.google\.com/|feeds?\d*\.feedburner\.com/|"
    r"(?:[a-z]+\.)?feedsportal\.com/|feeds\.pheedo\.com/|[^/]+/~r/)",
    re.IGNORECASE,
)
"""Redirecting addresses that feed services put in place of the post's own, on hosts of theirs or,
with FeedBurner, of the blog's (most are gone): that of the post's comments, or a guid that is a
URL, is better.
"""
_AT_COMMENTS = re.compile(r"(https?://[^#]+)#(?:comments?|respond|comment-form)$")
"""Where a post's own page has its comments (RSS 2.0, ``comments``)."""
_HTTP = re.compile(r"https?://")
_PERMALINK = re.compile(r"https?://|\.{0,2}/")
_SAYS_PERMANENT = re.compile(any_of("navigation", "permalink"), re.I)
_TAGGED = re.compile(
    r"<(?:p|br|div|a|img|h[1-6]|ul|ol|em|strong|b|i|span|pre|table|blockquote)\b[^<>]*>",
    re.IGNORECASE,
)
_HTML_TYPES = ("", "text/html", "application/xhtml+xml")
_VERSION = re.compile(r"(rss|atom)(\d)(\d+)")
_PERIODS = {
    "hourly": 3600,
    "daily": 86400,
    "weekly": 7 * 86400,
    "monthly": 30 * 86400,
    "yearly": 365 * 86400,
}
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True)
class _Link:
    rel: str
    type: str
    href: str
    count: int | None


def _links(parsed: Parsed, base: str) -> list[_Link]:
    """Return links with an address, ``rel`` without IANA's prefix."""
    out = []
    for link in parsed.get("links", ()):
        href = absolute(link.get("href"), base)
        if href:
            rel = link.get("rel", "").strip()
            rel = rel.removeprefix("http://www.iana.org/assignments/relation/")
            count = next((v for k, v in link.items() if k.rpartition(":")[2] == "count"), None)
            out.append(_Link(rel, link.get("type", ""), href, _number(count)))
    return out


def _number(raw: str | None) -> int | None:
    """Return a count, None if it is missing or nonsense."""
    text = (raw or "").strip()
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None


def _alternate(links: list[_Link]) -> str | None:
    """Return where the feed or entry stands as a page, HTML first."""
    alternates = [link for link in links if link.rel == "alternate"]
    pages = [link for link in alternates if link.type in _HTML_TYPES]
    return next((link.href for link in pages + alternates), None)


def _title(parsed: Parsed, name: str) -> str | None:
    """Return a title as plain text."""
    return plain_title(parsed.get(name))


def _people(parsed: Parsed) -> tuple[tuple[str, ...], str | None]:
    """Return (names, URL of the first that has one)."""
    people = parsed.get("authors", ())
    names = [name for name in (author_name(p.get("name")) for p in people) if name]
    base = parsed.get("title_detail", {}).get("base")  # what "https://" alone is resolved to
    url = next((p["href"] for p in people if p.get("href") not in (None, "", base)), None)
    return tuple(dict.fromkeys(names))[:MAX_AUTHORS], absolute(url, "")


def _tags(parsed: Parsed) -> tuple[str, ...]:
    """Return categories as their reader sees them, once each."""
    out: list[str] = []
    for tag in parsed.get("tags", ())[:MAX_TAGS]:
        scheme = tag.get("scheme") or ""
        # Blogger marks "this is a post" by a category; iTunes and Media RSS have lists of genres
        if scheme.endswith(("#kind", "www.itunes.com/", "mrss/category_schema")):
            continue
        text = plain_title(tag.get("label") or tag.get("term"))
        if text and len(text) <= MAX_TAG_LENGTH:
            out.append(text)
    return tuple(dict.fromkeys(out))


def _html(detail: Parsed, is_atom: bool) -> str | None:
    """Return the HTML of a text construct; plain text of Atom is made HTML. None: empty, or no
    text.
    """
    text, kind = str(detail.get("value") or ""), detail.get("type")
    if detail.get("src") or (is_atom and kind not in ("text/plain", *_HTML_TYPES)):
        return None
    if is_atom and kind == "text/plain" and not _TAGGED.search(text):
        text = html.escape(text, quote=False)
    return text.strip() or None


def _content(parsed: Parsed, url: str, is_atom: bool) -> tuple[str | None, str | None, bool]:
    """Return (content, summary, whether the content is in an element for full posts)."""
    found = (_html(detail, is_atom) for detail in parsed.get("content", ()))
    full = next((text for text in found if text), None)
    # without a detail, "summary" is feedparser's copy of the content
    summary = _html(parsed["summary_detail"], is_atom) if "summary_detail" in parsed else None
    content = full or summary
    return content and absolute_links(content, url), summary, full is not None


def _entry_url(parsed: Parsed, links: list[_Link], base: str) -> str | None:
    """Return FeedBurner's original URL, the link (HTML first), a permalink guid, or an id that is a
    URL.
    """
    origins = (absolute(parsed.get(name), base) for name in _ORIGINS)
    return (
        next(filter(None, origins), None)
        or _own_url(parsed, _alternate(links), base)
        or next((link.href for link in links if link.rel in ("related", "via", "self")), None)
    )


def _own_url(parsed: Parsed, linked: str | None, base: str) -> str | None:
    """Return the entry's link; where it leads through a proxy, the page with the post's comments;
    without either, an id that is an address.
    """
    if linked and not _PROXY.search(linked):
        return linked
    discussed = _AT_COMMENTS.match(parsed.get("comments") or "") if linked else None
    if discussed:
        return absolute(discussed[1], base)
    ident = parsed.get("id") or ""
    address = _PERMALINK if parsed.get("guidislink") else _HTTP
    return (address.match(ident) and absolute(ident, base)) or linked


def _permalinks(parsed: Parsed, links: list[_Link], content: str | None) -> tuple[str, ...]:
    """Return an id that is an address, related pages, and the last link of the text where it is a
    sign or says that it is permanent."""
    found = [squeeze(parsed.get("id")), *(link.href for link in links if link.rel == "related")]
    last = (content or "").rpartition("<a ")[2]
    anchor = next(fragment(f"<a {last}").iter("a"), None) if last else None
    if anchor is not None:
        said = f"{anchor.get('title', '')} {node_text(anchor)}"
        if _SAYS_PERMANENT.search(said) or not re.search(r"\w", said):
            found.append(anchor.get("href", ""))
    return tuple(dict.fromkeys(filter(_HTTP.match, found)))


def _comments(parsed: Parsed, links: list[_Link], base: str) -> tuple[str | None, int | None]:
    """Return (the entry's own comment feed, their number): wfw, slash, RFC 4685."""
    replies = [link for link in links if link.rel == "replies"]
    feed = next((link.href for link in replies if re.search("atom|rss", link.type)), None)
    count = _number(parsed.get("slash_comments", parsed.get("thr_total")))
    if count is None:
        count = max((link.count for link in replies if link.count is not None), default=None)
    return absolute(parsed.get("wfw_commentrss"), base) or feed, count


def _files(parsed: Parsed, links: list[_Link], base: str) -> Iterator[tuple[str, str]]:
    """Yield (URL, declared type) of the files that come with an entry: its enclosures (RSS 2.0;
    RFC 4287, 4.2.7.2), and those of Media RSS."""
    yield from ((link.href, link.type) for link in links if link.rel == "enclosure")
    for file in parsed.get("media_content", ()):
        href = absolute(file.get("url"), base)
        if href:
            yield href, file.get("type") or file.get("medium") or ""


def _in_reply_to(parsed: Parsed) -> str | None:
    """Return what the entry answers (RFC 4685, 3)."""
    answered = parsed.get("thr_in-reply-to")
    if not isinstance(answered, dict):
        return None
    return (answered.get("ref") or answered.get("href") or "").strip() or None


class _EntryReader:
    """What entries need to know of their feed."""

    def __init__(
        self, feed: Parsed, base: str, *, is_atom: bool, served_at: datetime | None
    ) -> None:
        self.base = base
        self.language = feed.get("language")
        self.authors = _feed_authors(feed)
        self._is_atom = is_atom
        self._served_at = served_at

    def read(self, parsed: Parsed) -> tuple[FeedEntry, bool] | None:
        """Return (entry, whether its content is in an element for full posts), or None without a
        URL.
        """
        links = _links(parsed, self.base)
        url = _entry_url(parsed, links, self.base)
        if url is None:
            return None
        content, summary, is_declared = _content(parsed, url, self._is_atom)
        authors, author_url = _people(parsed)
        published, modified = self._dates(parsed)
        comments_feed, comments_count = _comments(parsed, links, self.base)
        entry = FeedEntry(
            url=url,
            id=squeeze(parsed.get("id")) or None,
            title=_title(parsed, "title"),
            authors=authors or self._inherited_authors(parsed),
            author_url=author_url,
            published=self._date(published),
            published_raw=published,
            modified=self._date(modified),
            modified_raw=modified,
            content_html=content,
            summary_html=summary,
            tags=_tags(parsed),
            language=self._language(parsed),
            enclosures=enclosures(_files(parsed, links, self.base)),
            comments_feed_url=comments_feed,
            comments_count=comments_count,
            in_reply_to=_in_reply_to(parsed),
            permalinks=() if same_site(url, self.base) else _permalinks(parsed, links, content),
        )
        return entry, is_declared

    def _inherited_authors(self, parsed: Parsed) -> tuple[str, ...]:
        """Return the authors of the entry's source, else of the feed: in Atom they apply to entries
        without their own (RFC 4287, 4.2.1).
        """
        return (_people(parsed.get("source", {}))[0] or self.authors) if self._is_atom else ()

    def _language(self, parsed: Parsed) -> str | None:
        return (
            parsed.get("language")
            or parsed.get("title_detail", {}).get("language")
            or parsed.get("summary_detail", {}).get("language")
            or self.language
        )

    def _dates(self, parsed: Parsed) -> tuple[str | None, str | None]:
        """Return (published, modified) as written. RSS names no date of change: ``dc:date`` alone,
        which feedparser calls "updated", is the post's.
        """
        published = squeeze(parsed.get("published") or parsed.get("created")) or None
        modified = squeeze(parsed.get("updated")) or None
        if not self._is_atom and published is None:
            return modified, None
        return published, modified

    def _date(self, raw: str | None) -> datetime | None:
        return parse_date(raw, language=self.language, served_at=self._served_at)


def _feed_authors(feed: Parsed) -> tuple[str, ...]:
    authors = _people(feed)[0]
    editor = author_name(feed.get("publisher")) if not authors else None
    return (editor,) if editor else authors


def read_feed(root: Any, url: str, served_at: datetime | None = None) -> Feed:
    """Return the feed that the tree ``root`` holds, as fetched from ``url``. ``served_at``: the
    server's own time, beyond which no date is believed. Raises FeedError for one whose elements
    stand in one another as feedparser does not expect.
    """
    _straighten(root)
    try:
        feed, parsed_entries, version = _parse(root)
    except LookupError as error:  # of its stacks, of entries in links of entries
        raise FeedError("feed is broken: its entries stand in one another", url=url) from error
    links = _links(feed, url)
    home = _alternate(links)
    # links relative to a feed that lies on another host (FeedBurner and its kind) mean the blog's
    base = home if home and host_of(home) != host_of(url) else url
    is_atom = version.startswith("atom")
    reader = _EntryReader(feed, base, is_atom=is_atom, served_at=served_at)
    rels = {link.rel: link.href for link in reversed(links)}
    older = [x.href for rel in ("prev-archive", "next") for x in links if x.rel == rel]
    return Feed(
        url=url,
        kind="posts",
        format=_format(root, version),
        title=_title(feed, "title"),
        subtitle=_title(feed, "subtitle"),
        language=reader.language,
        generator=_generator(feed),
        rights=_rights(feed, links),
        authors=reader.authors,
        home_url=home,
        self_url=rels.get("self"),
        hub_url=rels.get("hub"),
        entries=_entries(reader, parsed_entries),
        next_urls=tuple(dict.fromkeys(older)),
        complete="fh_complete" in feed,
        ttl_minutes=_number(feed.get("ttl")),
        skip_hours=_skip_hours(root),
        skip_days=_skip_days(root),
        update_period_seconds=_period(feed),
    )


def _entries(reader: _EntryReader, parsed_entries: list[Parsed]) -> tuple[FeedEntry, ...]:
    found = [entry for entry in map(reader.read, parsed_entries) if entry]
    entries = with_fullness(found)
    if not any(entry.published_raw for entry in entries):
        # Octopress, Eleventy: "updated" is the only date and means the post's
        entries = [
            replace(entry, published=entry.modified, published_raw=entry.modified_raw)
            for entry in entries
        ]
    unique: dict[tuple[str, str | None], FeedEntry] = {}
    for entry in entries:
        unique.setdefault((entry.url, entry.id), entry)
    return tuple(unique.values())


def _format(root: Any, version: str) -> str:
    """Return ``rss2.0``, ``atom1.0`` ... from feedparser's ``rss20``, ``atom10``."""
    found = _VERSION.match(version)
    if found:
        return f"{found[1]}{found[2]}.{found[3]}"
    if version == "atom":
        return "atom1.0"
    return "rss0.9" if _name(root).endswith("rdf") else "rss2.0"


def _generator(feed: Parsed) -> str | None:
    detail = feed.get("generator_detail", {})
    words = [feed.get("generator"), detail.get("version"), detail.get("href")]
    words.append(feed.get("admin_generatoragent", {}).get("rdf:resource"))
    return " ".join(dict.fromkeys(word.strip() for word in words if word))[:300] or None


def _rights(feed: Parsed, links: list[_Link]) -> str | None:
    words = [_title(feed, "rights"), *(link.href for link in links if link.rel == "license")]
    return " ".join(dict.fromkeys(word for word in words if word))[:2000] or None


def _texts_below(root: Any, name: str) -> Iterator[str]:
    return (text_of(child).strip() for node in root.iter(name) for child in node)


def _skip_hours(root: Any) -> tuple[int, ...]:
    hours = map(_number, _texts_below(root, "{*}skipHours"))
    return tuple(sorted({hour % 24 for hour in hours if hour is not None and hour <= 24}))


def _skip_days(root: Any) -> tuple[str, ...]:
    days = {text.capitalize() for text in _texts_below(root, "{*}skipDays")}
    return tuple(day for day in _DAYS if day in days)


def _period(feed: Parsed) -> int | None:
    period = _PERIODS.get((feed.get("sy_updateperiod") or "").strip().lower())
    if period is None:
        return None
    return period // max(1, _number(feed.get("sy_updatefrequency")) or 1)
