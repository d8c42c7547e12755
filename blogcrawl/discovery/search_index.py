"""Search indexes of static blogs: the file that a theme's search box reads names all posts, often
with their days. Pure.

Hexo's and Jekyll's search plug-ins and many Hugo themes write one (``search.xml``, ``search.json``,
``index.json``); a page names it in a script or an attribute. It lists pages besides posts, as a
sitemap does, so it is read as one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from blogcrawl.core.page import Page
from blogcrawl.dates.machine_date import parse_date
from blogcrawl.discovery.feed_text import absolute, plain_title
from blogcrawl.discovery.safexml import parse_xml, text_of
from blogcrawl.urls.canonical import same_site

MOST = 2
"""Announced indexes that are worth a request."""
LOOKED_AT = 2_000_000
"""Characters of a page."""
_NAMED = re.compile(r"[\"'(=]\s{0,9}([^\"'()\s<>=]{5,300})")
_FILE = re.compile(
    r"[\w-]{0,80}search[\w-]{0,80}\.(?:json|xml)|(?:index|content|posts)\.json", re.I
)
"""File names that only search indexes have."""
_ADDRESSES = ("url", "permalink", "relpermalink", "uri", "href", "path", "link", "ref", "location")
_DAYS = ("date", "published", "publishdate", "pubdate", "created", "createdat", "created_at")
Row = tuple[str, str | None, Any]


def announced_indexes(page: Page) -> list[str]:
    """Return addresses on the page's own site that its scripts or attributes name as a search
    index."""
    names = (
        match.group(1).partition("?")[0].replace("\\/", "/")
        for match in _NAMED.finditer(page.text[:LOOKED_AT])
    )
    urls = (
        url
        for name in names
        if _FILE.fullmatch(name.rsplit("/", 1)[-1]) and (url := page.absolute(name)) is not None
    )
    return list(dict.fromkeys(url for url in urls if same_site(url, page.url)))[:MOST]


def is_index(text: str) -> bool:
    """Return whether a document begins like such an index."""
    head = text[:2000].lstrip("\ufeff \t\r\n")
    return head[:1] in ("[", "{") or re.search(r"<search[\s>]", head) is not None


def read_index(text: str, url: str) -> Iterator[tuple[str, str | None, Any]]:
    """Yield (URL, title, date as ``datetime`` or None) of each page that the index lists; nothing
    on other data.
    """
    rows = _of_json(text) if text.lstrip("\ufeff \t\r\n")[:1] in ("[", "{") else _of_xml(text)
    for address, title, day in rows:
        found = absolute(address.strip(), url)
        if found:
            yield found, plain_title(title), parse_date(str(day)) if day else None


def _of_xml(text: str) -> Iterator[Row]:
    root = parse_xml(text)
    for entry in root.iter("entry") if root is not None else ():
        values = {child.tag: text_of(child) for child in entry if isinstance(child.tag, str)}
        link = entry.find("link")
        address = values.get("url") or (link.get("href") if link is not None else None)
        if address:
            yield address, values.get("title"), values.get("date")


def _of_json(text: str) -> Iterator[Row]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return
    for group in data.values() if isinstance(data, dict) else (data,):
        for item in group if isinstance(group, list) else ():
            row = _json_row(item) if isinstance(item, dict) else None
            if row:
                yield row


def _json_row(item: dict[str, Any]) -> Row | None:
    """Return (URL, title, date) of a page, or None without URL and title."""
    texts = {str(name).lower(): value for name, value in item.items() if isinstance(value, str)}
    addresses = (texts[name] for name in _ADDRESSES if "/" in texts.get(name, ""))
    address, title = next(addresses, None), texts.get("title")
    if not address or title is None:
        return None
    return address, title, next((texts[name] for name in _DAYS if name in texts), None)
