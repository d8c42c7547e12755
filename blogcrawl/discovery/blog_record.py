"""The Blog record: what home page and feed say about the blog as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from blogcrawl.core.page import Page
from blogcrawl.core.records import Blog, Feed, FeedEntry
from blogcrawl.discovery.feed_text import plain_title
from blogcrawl.discovery.platforms import Platform
from blogcrawl.text.language import language_tag
from blogcrawl.text.visible import squeeze

_LICENCE = re.compile(
    (
        r"https?://(?:www\.)?(?:creativecommons\.org/(?:licenses|publicdomain)|"
        r"opensource\.org/licen[sc]es|gnu\.org/licenses)/[\w./+-]+"
    ),
    re.IGNORECASE,
)


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
    title = next((squeeze("".join(t.itertext())) for t in page.tree.iter("title")), None)
    author = _meta(page, "author")
    return Blog(
        url=page.url,
        title=_meta(page, "og:site_name", "application-name") or title,
        subtitle=_meta(page, "description", "og:description"),
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
        rights=_meta(page, "copyright", "rights", "dc.rights", "dcterms.rights"),
        licence=_licence(page),
        authors=(author,) if author and len(author) <= 200 else (),
    )


def _licence(page: Page) -> str | None:
    """Return the licence that a link declares, else the only one that the page names: several are
    credits of images.
    """
    for link in page.tree.iter("a", "link"):
        if "license" in link.get("rel", "").lower().split() and link.get("href"):
            return page.absolute(link.get("href", ""))
    named = set(_LICENCE.findall(page.text[:1_000_000]))
    return page.absolute(named.pop()) if len(named) == 1 else None


def add_feed(blog: Blog, feed: Feed) -> Blog:
    """Add what the post feed states; its title is the blog's own, a page's ``<title>`` may be a
    slogan.
    """
    found = _LICENCE.search(feed.rights or "")
    licence = found.group() if found else blog.licence
    return replace(
        blog,
        title=plain_title(feed.title) or blog.title,
        subtitle=plain_title(feed.subtitle) or blog.subtitle,
        licence=licence,
        language=blog.language or language_tag(feed.language),
        rights=feed.rights or blog.rights,
        authors=feed.authors or blog.authors,
    )


def add_posts(blog: Blog, entries: Iterable[FeedEntry]) -> Blog:
    """First and last post, frequency (posts a week between them), and authors where no source named
    one.
    """
    known = list(entries)
    dates: list[datetime] = sorted(e.published for e in known if e.published)
    authors = blog.authors or tuple(dict.fromkeys(a for e in known for a in e.authors))[:20]
    if not dates:
        return replace(blog, authors=authors)
    weeks = (dates[-1] - dates[0]).total_seconds() / (7 * 86400)
    rate = round((len(dates) - 1) / weeks, 3) if weeks > 0 else None
    return replace(
        blog, first_post=dates[0], last_post=dates[-1], posts_per_week=rate, authors=authors
    )
