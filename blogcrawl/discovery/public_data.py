"""Platforms' public, documented read interfaces -> entries: WordPress REST ``wp/v2/posts``, Blogger
JSON feeds, Tumblr ``/api/read``.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

from blogcrawl.core.costs import bounded
from blogcrawl.core.errors import FeedError
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from blogcrawl.dates.machine_date import date_by_two_clocks
from blogcrawl.discovery.feed_text import absolute, absolute_links, plain_title
from blogcrawl.discovery.safexml import decode, parse_xml, text_of
from blogcrawl.text.visible import natural, squeeze

WP_PER_PAGE = 100
"""The most that WordPress allows (developer.wordpress.org, REST API, pagination)."""
_WP_FIELDS = "id,link,date,date_gmt,modified,modified_gmt,title,content,excerpt,_links,_embedded"
TUMBLR_PER_PAGE = 50
_TUMBLR_BODIES = tuple(
    (
        "regular-body photo-caption quote-text link-description conversation-text video-caption "
        "audio-caption answer"
    ).split()
)
_TUMBLR_TITLES = ("regular-title", "link-text", "conversation-title", "question")


def wp_api_root(page: Page) -> str | None:
    """Return the WordPress REST interface that the page names: ``link rel="https://api.w.org/"`` or
    the HTTP header of that name.
    """
    for link in page.tree.iter("link"):
        if "https://api.w.org/" in link.get("rel", "").split():
            return page.absolute(link.get("href", ""))
    found = re.search(
        r"<([^<>\s]++)>\s*+;[^,]{0,100}rel=[\"']?https://api\.w\.org/",
        page.headers.get("link", "")[:4000],
    )
    return absolute(found.group(1), page.url) if found else None


def wp_posts_url(root: str, page: int, modified_after: datetime | None = None) -> str:
    """Return address of one page of posts under an API root of either form (``/wp-json/`` or
    ``?rest_route=/``).

    ``modified_after``: posts modified since then, latest first. WordPress before 5.7 ignores the
    limit and keeps the order.
    """
    query = f"per_page={WP_PER_PAGE}&page={page}&_fields={_WP_FIELDS}&_embed=author,wp:term"
    if modified_after is not None:
        moment = modified_after.astimezone(UTC)
        query += f"&orderby=modified&order=desc&modified_after={moment:%Y-%m-%dT%H:%M:%S}Z"
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


def _embedded(item: dict[str, Any], name: str) -> Iterator[Any]:
    """Yield what a WordPress post embeds under ``name``, lists in it unfolded."""
    inside = item.get("_embedded")
    found = inside.get(name) if isinstance(inside, dict) else None
    for value in found if isinstance(found, list) else ():
        yield from value if isinstance(value, list) else (value,)


def _wp_authors(item: dict[str, Any]) -> tuple[str, ...]:
    names = (a.get("name") for a in _embedded(item, "author") if isinstance(a, dict))
    return tuple(squeeze(name) for name in names if isinstance(name, str) and name.strip())


def _wp_tags(item: dict[str, Any]) -> tuple[str, ...]:
    terms = (term for term in _embedded(item, "wp:term") if isinstance(term, dict))
    kinds = ("category", "post_tag")
    names = (plain_title(_string(t.get("name"))) for t in terms if t.get("taxonomy") in kinds)
    return tuple(dict.fromkeys(filter(None, names)))


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _wp_entry(item: Any, url: str) -> FeedEntry | None:
    """Return a WordPress post; None without an address."""
    link = absolute(_string(item.get("link")), url) if isinstance(item, dict) else None
    if not link:
        return None
    content = _rendered(item, "content")
    is_locked = isinstance(item.get("content"), dict) and bool(item["content"].get("protected"))
    published, modified = (
        tuple(_string(item.get(key)) for key in (name, f"{name}_gmt"))
        for name in ("date", "modified")
    )
    return FeedEntry(
        url=link,
        id=str(item.get("id") or "") or None,
        title=plain_title(_rendered(item, "title")),
        authors=_wp_authors(item),
        tags=_wp_tags(item),
        published=date_by_two_clocks(*published),
        published_raw=next(filter(None, published), None),
        modified=date_by_two_clocks(*modified),
        modified_raw=next(filter(None, modified), None),
        content_html=absolute_links(content, link) if content else None,
        summary_html=_rendered(item, "excerpt"),
        is_full=bool(content) and not is_locked,
        source="wp-json",
    )


@bounded
def parse_wp_posts(
    body: bytes, url: str, headers: Mapping[str, str]
) -> tuple[list[FeedEntry], int | None, int | None]:
    """Return (entries, posts in all, pages in all) of one response of ``wp/v2/posts``. Raises
    FeedError on other data.
    """
    data = _json(body, url)
    if not isinstance(data, list):
        raise FeedError("not a list of WordPress posts", url=url)
    entries = [entry for entry in (_wp_entry(item, url) for item in data) if entry]
    total, pages = (_number(headers.get(n)) for n in ("x-wp-total", "x-wp-totalpages"))
    return entries, total, pages


def _number(raw: str | None) -> int | None:
    text = squeeze(raw)
    return natural(text) if len(text) <= 8 else None


def blogger_page(feed_url: str, start: int) -> str:
    """Return address of a window of a Blogger feed; 150 is what Blogger gives at most with content,
    ``redirect=false`` keeps FeedBurner out.
    """
    parts = urlsplit(feed_url)
    keep = [p for p in parts.query.split("&") if p and p.partition("=")[0] in ("alt", "orderby")]
    return parts._replace(
        query="&".join([*keep, "redirect=false", f"start-index={start}", "max-results=150"]),
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
    """Return address of a window of a Tumblr blog's public data (tumblr.com/docs/api/v1)."""
    return urljoin(home_url, f"/api/read?num={TUMBLR_PER_PAGE}&start={start}")


@bounded
def parse_tumblr(body: bytes, url: str) -> tuple[list[FeedEntry], int | None]:
    """Return (entries, posts in all) of ``/api/read``. Raises FeedError on other data."""
    root = parse_xml(decode(body)[0])
    posts = root.find("posts") if root is not None and root.tag == "tumblr" else None
    if posts is None:
        raise FeedError("not Tumblr's public data", url=url)
    entries = [entry for entry in (_tumblr_entry(n, url) for n in posts.iterfind("post")) if entry]
    return entries, _number(posts.get("total"))


def _tumblr_entry(node: Any, url: str) -> FeedEntry | None:
    """Return a Tumblr post; None without an address."""
    link = absolute(node.get("url-with-slug") or node.get("url"), url)
    if not link:
        return None
    texts = {child.tag: text_of(child) for child in node if isinstance(child.tag, str)}
    content = next(filter(None, map(texts.get, _TUMBLR_BODIES)), None)
    dates = node.get("date"), node.get("date-gmt")
    return FeedEntry(
        url=link,
        id=node.get("id"),
        title=plain_title(next(filter(None, map(texts.get, _TUMBLR_TITLES)), None)),
        published=date_by_two_clocks(*dates),
        published_raw=next(filter(None, dates), None),
        content_html=content,
        is_full=node.get("type") == "regular" and bool(content),
        tags=tuple(html.unescape(text_of(tag)).strip() for tag in node.iterfind("tag")),
        source="tumblr-api",
    )
