"""The Blog record: what home page and feed say about the blog as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import unquote, urlsplit

from lxml import etree

from blogcrawl.core.page import Page
from blogcrawl.core.records import Blog, Feed, FeedEntry
from blogcrawl.discovery.feed_text import BREAK, plain_title
from blogcrawl.discovery.platforms import Platform
from blogcrawl.discovery.rights import LICENCE, declared_licences, named_licence
from blogcrawl.lexicon.vocabulary import any_of
from blogcrawl.text.language import language_tag
from blogcrawl.text.visible import node_text, squeeze

_NO_TITLE = re.compile(rf"(?:{any_of('feeds', 'no_title')})", re.IGNORECASE)
_HOME = re.compile(
    rf"(?<=\S)\s+[|·•»:–—-]\s+(?:{any_of('feeds', 'start_page')})\s*$", re.IGNORECASE
)
_NO_DESCRIPTION = re.compile(rf"(?:{any_of('feeds', 'no_description')})", re.IGNORECASE)
_NOTICE = re.compile(
    r"(?:(?=.{0,20}?(?:©|\(c\)|(?:19|20)\d\d))"
    r"|all\s\w{1,12}\s(?=copyright.{0,80}?(?:©|(?:19|20)\d\d)))"
    r"\W{0,5}(?:(?:copyright|\(c\)|©)[\s:]{0,5}){1,3}"
    r"(?=[^\W\d_]|(?:19|20)\d\d)"
    r"[\d\s,;–—-]{0,30}(?P<holder>[^\W\d_].{0,200})",
    re.IGNORECASE,
)
"""A copyright notice with a name (17 U.S.C. 401(b))."""
_CREDIT = re.compile(
    rf"[\s|·•.,–—-]*(?<!\w)(?:{any_of('bylines', 'credit')})(?!\w).*", re.IGNORECASE
)
_MAX_NOTICE = 200
_LONG_TITLE = 12
"""Characters of a title that no description holds by chance."""
_signed = etree.XPath(
    "//body//*[not(self::script or self::style)][text()[contains(., '©') or contains(., '(c)') or "
    "contains(., '(C)') or contains(., 'opyright') or contains(., 'OPYRIGHT')]]"
    "[not(ancestor-or-self::article or ancestor-or-self::*[contains(@class, 'hentry') or "
    "contains(@class, 'h-entry')])]"
)
"""Elements with a copyright sign or word of their own, outside of posts: a guest's text on the
start page says whose that one is."""


def _meta(page: Page, *names: str) -> str | None:
    found: dict[str, str] = {}
    for node in page.tree.iter("meta"):
        name = (node.get("name") or node.get("property") or node.get("http-equiv", "")).lower()
        text = squeeze(node.get("content"))
        if text:
            found.setdefault(name, text)
    return next((found[n] for n in names if n in found), None)


def describe_page(page: Page, platform: Platform) -> Blog:
    """Add what the home page states."""
    title = next((squeeze("".join(t.itertext())) for t in page.tree.iter("title")), "")
    author = _meta(page, "author")
    return Blog(
        url=page.url,
        title=_meta(page, "og:site_name", "application-name") or _HOME.sub("", title) or None,
        subtitle=_own_description(_meta(page, "description", "og:description")),
        platform=platform.name or None,
        platform_version=platform.version,
        encoding=page.encoding,
        http_status=page.status,
        language=language_tag(
            page.tree.get("lang"),
            page.tree.get("{http://www.w3.org/XML/1998/namespace}lang"),
            page.tree.get("xml:lang"),
            _meta(page, "content-language", "og:locale"),
            page.headers.get("content-language"),
        ),
        rights=_rights(page),
        licence=next(iter(declared_licences(page)), named_licence(page)),
        authors=(author,) if author and len(author) <= 200 else (),
    )


def _own_title(feed: Feed) -> str | None:
    """Return a feed's title unless it says only that it is a feed; without the name of the category
    that the feed's address has: "Uncategorized – Messy Matters".
    """
    title = plain_title(feed.title)
    if title is None or _NO_TITLE.fullmatch(title):
        return None
    folders = unquote(urlsplit(feed.url).path).casefold().split("/")
    parts = BREAK.split(title)
    own = [part for part in parts if "-".join(part.casefold().split()) not in folders]
    return own[0] if len(own) == 1 else title


def _rights(page: Page) -> str | None:
    """Return the statement of rights that the page declares, or the notice in its foot, which may
    hold it: themes declare the bare name of the holder."""
    declared = _meta(page, "copyright", "rights", "dc.rights", "dcterms.rights")
    notice = _notice(page)
    return notice if declared is None or (notice and declared in notice) else declared


def _own_description(text: str | None) -> str | None:
    """Return a description unless it is the one that an engine writes by default."""
    return None if text is None or _NO_DESCRIPTION.fullmatch(text) else text


def _notice(page: Page) -> str | None:
    """Return the last copyright notice of the page that names a holder, without credits of engine
    and theme.
    """
    signed: Any = _signed(page.tree)
    for node in reversed(signed):
        for holder in (node, node.getparent()):
            text = node_text(holder) if holder is not None else ""
            if notice := _without_credits(text):
                return notice
    return None


def _without_credits(text: str) -> str | None:
    """Return a copyright notice without what is said of engine and theme; None for other text."""
    if len(text) > _MAX_NOTICE or not _NOTICE.match(text):
        return None
    kept = _CREDIT.sub("", text).rstrip(" |·•,–—-")
    return kept if _NOTICE.match(kept) else None


def add_feed(blog: Blog, feed: Feed) -> Blog:
    """Add what the post feed states; its title is the blog's own, a page's ``<title>`` may be a
    slogan.
    """
    found = LICENCE.search(feed.rights or "")
    licence = found.group() if found else blog.licence
    title = _own_title(feed) or blog.title
    subtitle = _own_description(plain_title(feed.subtitle)) or blog.subtitle
    return replace(
        blog,
        title=title,
        subtitle=None if subtitle == title else subtitle,
        licence=licence,
        language=blog.language or language_tag(feed.language),
        rights=_statement(feed.rights) or blog.rights,
        authors=feed.authors or blog.authors,
    )


def _statement(rights: str | None) -> str | None:
    """Return a feed's statement of rights unless it is the address of a licence and no more."""
    return None if LICENCE.fullmatch((rights or "").strip()) else rights


def add_posts(blog: Blog, entries: Iterable[FeedEntry]) -> Blog:
    """First and last post, and frequency (posts a week between them)."""
    known = list(entries)
    dates: list[datetime] = sorted(e.published for e in known if e.published)
    if blog.subtitle and _is_of_posts(blog.subtitle, known):
        blog = replace(blog, subtitle=None)
    if not dates:
        return blog
    weeks = (dates[-1] - dates[0]).total_seconds() / (7 * 86400)
    rate = round((len(dates) - 1) / weeks, 3) if weeks > 0 else None
    return replace(blog, first_post=dates[0], last_post=dates[-1], posts_per_week=rate)


def _is_of_posts(description: str, entries: Iterable[FeedEntry]) -> bool:
    """Return whether an engine made the description from the posts that the start page shows: it
    has the title of one among other words.
    """
    titles = {squeeze(entry.title or "") for entry in entries}
    return any(
        len(title) >= _LONG_TITLE and title in description and title != description
        for title in titles
    )
