"""Where the posts of a feed stand: on pages of their own, or several on one page, distinguished by
fragments (``/2004.html#e12``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from blogcrawl.core.records import FeedEntry
from blogcrawl.urls.canonical import canonicalize, entry_key, host_of, same_site

MOST = 0.8
"""Share of the entries whose addresses have fragments, from which fragments may name posts."""


def placed(entries: Sequence[FeedEntry], home_url: str | None) -> tuple[FeedEntry, ...]:
    """Return the entries under their own addresses: a link log's by their permalinks, and without
    fragments that name no posts.

    A fragment names a post where nearly all entries have one and two of them differ by nothing
    else; ``#comments`` and ``#more`` on pages of one post do not.
    """
    own = tuple(entries)
    if home_url and _leads_around(entries, home_url):
        own = tuple(_permalink(entry, home_url) for entry in entries)
    return own if _fragments_name_posts(own) else tuple(map(_without_fragment, own))


def _fragments_name_posts(entries: Sequence[FeedEntry]) -> bool:
    keys = {entry_key(entry.url) for entry in entries}
    named = [key for key in keys if "#" in key]
    is_shared = len({key.partition("#")[0] for key in named}) < len(named)
    return is_shared and len(named) >= MOST * len(keys)


def _without_fragment(entry: FeedEntry) -> FeedEntry:
    has_fragment = "#" in entry_key(entry.url)
    return replace(entry, url=entry.url.partition("#")[0]) if has_fragment else entry


def _leads_around(entries: Sequence[FeedEntry], home_url: str) -> bool:
    """Return whether some entries lead to other sites, and not most to one (which is the blog's new
    or its feed's own host).
    """
    hosts = Counter(host_of(e.url) for e in entries if not same_site(e.url, home_url))
    return (
        bool(hosts)
        and (max(hosts.values()) == 1 or 2 * max(hosts.values()) <= len(entries))
        and len(entries) > 1
    )


def _permalink(entry: FeedEntry, home_url: str) -> FeedEntry:
    """Return the permalink of a link log's entry: its link leads elsewhere, and its id is its
    location on the blog.
    """
    ident = entry.id or ""
    if (
        not ident.startswith(("http://", "https://"))
        or same_site(entry.url, home_url)
        or not same_site(ident, home_url)
    ):
        return entry
    return (
        replace(entry, url=ident)
        if urlsplit(ident).path.strip("/") or urlsplit(ident).fragment or urlsplit(ident).query
        else entry
    )


def is_shared(entries: Sequence[FeedEntry]) -> bool:
    """Return whether the URLs of ``entries`` (``placed``) name several posts of one page."""
    return any("#" in entry_key(e.url) for e in entries)


def unshared(entries: Sequence[FeedEntry]) -> list[FeedEntry]:
    """Return the entries by their pages alone, for fragments that no page has: the first one of
    each.
    """
    first: dict[str, FeedEntry] = {}
    for entry in entries:
        first.setdefault(canonicalize(entry.url), replace(entry, url=entry.url.partition("#")[0]))
    return list(first.values())
