"""Platforms' public, documented read interfaces -> entries: WordPress REST ``wp/v2/posts``, Blogger
JSON feeds, Tumblr ``/api/read``.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

from blogcrawl.core.costs import bounded
from blogcrawl.core.errors import FeedError
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from blogcrawl.dates.feed_date import parse_date
from blogcrawl.discovery.feed_text import absolute, absolute_links, plain_title
from blogcrawl.discovery.safexml import decode, parse_xml, text_of
from blogcrawl.text.visible import squeeze

WP_PER_PAGE = 100
"""The most that WordPress allows (developer.wordpress.org, REST API, pagination)."""
_WP_FIELDS = "id,link,date,date_gmt,modified_gmt,title,content,excerpt,_links,_embedded"
TUMBLR_PER_PAGE = 50
_TUMBLR_BODIES = tuple(
    (
        "regular-body photo-caption quote-text link-description conversation-text video-caption "
        "audio-caption answer"
    ).split()
)
_TUMBLR_TITLES = ("regular-title", "link-text", "conversation-title", "question")


def wp_api_root(page: Page) -> str | None:
    """Where the page says its WordPress REST interface lies: ``link rel="https://api.w.org/"`` or
    the HTTP header of that name.
    """
    for link in page.tree.iter("link"):
        if "https://api.w.org/" in (link.get("rel") or "").split():
            return page.absolute(link.get("href") or "")
    found = re.search(
        r"<([^<>\s]++)>\s*+;[^,]{0,100}rel=[\"']?https://api\.w\.org/",
        page.headers.get("link", "")[:4000],
    )
    return absolute(found.group(1), page.url) if found else None


def wp_posts_url(root: str, page: int) -> str:
    """Address of one page of posts under an API root of either form (``/wp-json/`` or
    ``?rest_route=/``).
    """
    query = f"per_page={WP_PER_PAGE}&page={page}&_fields={_WP_FIELDS}&_embed=author,wp:term"
    if "rest_route=" in root:
        base = root.rstrip("/")
        return f"{base}/wp/v2/posts&{query}"
    return f"{root.rstrip('/')}/wp/v2/posts?{query}"


def _json(body: bytes, url: str) -> Any:
    text = decode(body, "application/json")[0].lstrip("\ufeff \t\r\n")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FeedError("not JSON", url=url) from error


def _rendered(item: dict[str, Any], name: str) -> str | None:
    value = item.get(name)
    text = value.get("rendered") if isinstance(value, dict) else value
    return text if isinstance(text, str) and text.strip() else None


def _embedded(item: dict[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(authors, tags) of a WordPress post."""
    inside = item.get("_embedded")
    if not isinstance(inside, dict):
        return (), ()
    people = [a.get("name") for a in inside.get("author") or () if isinstance(a, dict)]
    groups = [g for g in inside.get("wp:term") or () if isinstance(g, list)]
    terms = [
        plain_title(t.get("name"))
        for g in groups
        for t in g
        if isinstance(t, dict) and t.get("taxonomy") in ("category", "post_tag")
    ]
    return tuple(squeeze(p) for p in people if isinstance(p, str) and p.strip()), tuple(
        dict.fromkeys(t for t in terms if t)
    )


@bounded
def parse_wp_posts(
    body: bytes, url: str, headers: Mapping[str, str]
) -> tuple[list[FeedEntry], int | None, int | None]:
    """(entries, posts in all, pages in all) of one answer of ``wp/v2/posts``. Raises FeedError
    where it is none.
    """
    data = _json(body, url)
    if not isinstance(data, list):
        raise FeedError("not a list of WordPress posts", url=url)
    out = []
    for item in data:
        link = (
            absolute(item.get("link"), url)
            if isinstance(item, dict) and isinstance(item.get("link"), str)
            else None
        )
        if not link:
            continue
        content, excerpt = _rendered(item, "content"), _rendered(item, "excerpt")
        locked = isinstance(item.get("content"), dict) and bool(item["content"].get("protected"))
        authors, tags = _embedded(item)
        published, modified = item.get("date_gmt") or item.get("date"), item.get("modified_gmt")
        published, modified = (x if isinstance(x, str) else None for x in (published, modified))
        title = _rendered(item, "title")
        out.append(
            FeedEntry(
                url=link,
                id=str(item.get("id") or "") or None,
                title=plain_title(title),
                authors=authors,
                tags=tags,
                published=parse_date(published, thorough=False),
                published_raw=published,
                modified=parse_date(modified, thorough=False),
                modified_raw=modified,
                content_html=absolute_links(content, link) if content else None,
                summary_html=excerpt,
                is_full=bool(content) and not locked,
                source="wp-json",
            )
        )
    total, pages = (_number(headers.get(n)) for n in ("x-wp-total", "x-wp-totalpages"))
    return out, total, pages


def _number(raw: str | None) -> int | None:
    return int(raw) if raw and re.fullmatch(r"[0-9]{1,8}", raw.strip()) else None


def blogger_page(feed_url: str, start: int, count: int = 150) -> str:
    """Address of a window of a Blogger feed; 150 is what Blogger gives at most with content,
    ``redirect=false`` keeps FeedBurner out.
    """
    parts = urlsplit(feed_url)
    keep = [p for p in parts.query.split("&") if p and p.partition("=")[0] in ("alt", "orderby")]
    return parts._replace(
        query="&".join([*keep, "redirect=false", f"start-index={start}", f"max-results={count}"]),
        fragment="",
    ).geturl()


def total_results(body: bytes) -> int | None:
    """OpenSearch ``totalResults`` of a feed, in XML or in Blogger's JSON (which writes how many
    posts there are).
    """
    found = re.search(
        rb"<(?:openSearch|os):totalResults>\s*([0-9]{1,8})\s*<", body[:200_000], re.IGNORECASE
    )
    found = found or re.search(
        rb'"openSearch\$totalResults":\s*\{"\$t":\s*"?([0-9]{1,8})', body[:200_000]
    )
    return int(found.group(1)) if found else None


def tumblr_page(home_url: str, start: int) -> str:
    """Address of a window of a Tumblr blog's public data (tumblr.com/docs/api/v1)."""
    return urljoin(home_url, f"/api/read?num={TUMBLR_PER_PAGE}&start={start}")


@bounded
def parse_tumblr(body: bytes, url: str) -> tuple[list[FeedEntry], int | None]:
    """(entries, posts in all) of ``/api/read``.  Raises FeedError where it is none."""
    root = parse_xml(decode(body)[0])
    posts = root.find("posts") if root is not None and root.tag == "tumblr" else None
    if posts is None:
        raise FeedError("not Tumblr's public data", url=url)
    out = []
    for node in posts.iterfind("post"):
        link = absolute(node.get("url-with-slug") or node.get("url"), url)
        if not link:
            continue
        field = {child.tag: text_of(child) for child in node if isinstance(child.tag, str)}
        content = next((field[n] for n in _TUMBLR_BODIES if field.get(n)), None)
        title = next((field[n] for n in _TUMBLR_TITLES if field.get(n)), None)
        raw = node.get("date-gmt") or node.get("date")
        tags = tuple(html.unescape(text_of(t)).strip() for t in node.iterfind("tag"))
        out.append(
            FeedEntry(
                url=link,
                id=node.get("id"),
                title=plain_title(title),
                published=parse_date(raw, thorough=False),
                published_raw=raw,
                content_html=content,
                is_full=node.get("type") == "regular" and bool(content),
                tags=tags,
                source="tumblr-api",
            )
        )
    return out, _number(posts.get("total"))
