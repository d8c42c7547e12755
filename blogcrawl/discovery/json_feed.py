"""JSON Feed 1.0 and 1.1 (jsonfeed.org/version/1.1) -> records; platforms' own lists of posts are
brought into its form first.

Blogger (``alt=json``: the GData JSON of its Atom feed), Substack (``/api/v1/archive``), Squarespace
(``?format=json``).
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from blogcrawl.core.records import Feed, FeedEntry
from blogcrawl.dates.machine_date import parse_date
from blogcrawl.discovery.feed_text import absolute, absolute_links, enclosures, plain_title
from blogcrawl.discovery.full_text import with_fullness
from blogcrawl.text.visible import squeeze

JSON_FEED = "https://jsonfeed.org/version/1.1"
_SUBSTACK = {
    "id": "id",
    "url": "canonical_url",
    "title": "title",
    "date_published": "post_date",
    "summary": "subtitle",
    "content_html": "body_html",
}
_SQUARESPACE = {
    "id": "id",
    "url": "fullUrl",
    "title": "title",
    "content_html": "body",
    "tags": "tags",
}


def looks_like(text: str) -> bool:
    """JSON that could be a feed."""
    head, start = text.lstrip()[:1], text[:200_000]
    return (head == "{" and ('"items"' in start or '"entry"' in start)) or (
        head == "[" and '"canonical_url"' in start
    )


def _in_our_form(data: Any) -> Any:
    """Return a platform's list of posts as a JSON Feed; anything else as it is."""
    if isinstance(data, list):
        return _of_substack_list(data)
    if not isinstance(data, dict):
        return data
    feed = data.get("feed")
    if isinstance(feed, dict) and isinstance(feed.get("entry"), list):
        return _of_blogger_feed(feed)
    if isinstance(data.get("collection"), dict) and isinstance(data.get("items"), list):
        return _of_squarespace_page(data)
    return data


def _of_substack_list(data: list[Any]) -> dict[str, Any]:
    posts = [i for i in data if isinstance(i, dict) and "canonical_url" in i]
    items = [_renamed(i, _SUBSTACK) | {"authors": i.get("publishedBylines")} for i in posts]
    return {"version": JSON_FEED, "items": items}


def _of_blogger_feed(feed: dict[str, Any]) -> dict[str, Any]:
    return {
        "version": JSON_FEED,
        "title": _inside(feed, "title"),
        "home_page_url": _linked(feed),
        "items": [_of_blogger(item) for item in _objects(feed, "entry")],
    }


def _of_squarespace_page(data: dict[str, Any]) -> dict[str, Any]:
    more = data.get("pagination")
    following = _text(more, "nextPageUrl") if isinstance(more, dict) else None
    return {
        "version": JSON_FEED,
        "title": data["collection"].get("title"),
        "items": [_of_squarespace(item) for item in _objects(data, "items")],
        "next_url": following and f"{following}&format=json",
    }


def _list(value: dict[str, Any], name: str) -> list[Any]:
    found = value.get(name)
    return found if isinstance(found, list) else []


def _objects(value: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Return the objects in a list."""
    return [item for item in _list(value, name) if isinstance(item, dict)]


def _renamed(item: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    return {ours: item.get(theirs) for ours, theirs in names.items()}


def _inside(item: dict[str, Any], name: str) -> str | None:
    value = item.get(name)
    return _text(value, "$t") if isinstance(value, dict) else None


def _linked(item: dict[str, Any]) -> str | None:
    links = (link for link in _objects(item, "link") if link.get("rel") == "alternate")
    return next((_text(link, "href") for link in links), None)


def _of_blogger(item: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": _inside(item, "id"),
        "url": _linked(item),
        "title": _inside(item, "title"),
        "content_html": _inside(item, "content"),
        "summary": _inside(item, "summary"),
        "date_published": _inside(item, "published"),
        "date_modified": _inside(item, "updated"),
        "authors": [_inside(person, "name") for person in _objects(item, "author")],
        "tags": [tag.get("term") for tag in _objects(item, "category")],
    }


def _of_squarespace(item: dict[str, Any]) -> dict[str, Any]:
    days = {}
    for ours, theirs in (("date_published", "publishOn"), ("date_modified", "updatedOn")):
        if isinstance(item.get(theirs), int) and 0 < item[theirs] < 10**13:  # milliseconds
            days[ours] = datetime.fromtimestamp(item[theirs] / 1000, UTC).isoformat()
    person = item.get("author")
    author = {"name": _text(person, "displayName")} if isinstance(person, dict) else None
    return _renamed(item, _SQUARESPACE) | days | {"author": author}


def _names(value: dict[str, Any]) -> tuple[tuple[str, ...], str | None]:
    people = (
        value.get("authors") if isinstance(value.get("authors"), list) else [value.get("author")]
    )
    names, url = [], None
    for person in people or ():
        name = person.get("name") if isinstance(person, dict) else person
        if isinstance(name, str) and squeeze(name):
            names.append(squeeze(name)[:300])
            url = url or (_text(person, "url") if isinstance(person, dict) else None)
    return tuple(dict.fromkeys(names)), absolute(url, "") if url else None


def _text(value: dict[str, Any], *names: str) -> str | None:
    for name in names:
        text = value.get(name)
        if isinstance(text, int | float) and not isinstance(text, bool):
            text = str(text)
        if isinstance(text, str) and text.strip():
            return text.strip()
    return None


def _url(item: dict[str, Any], base: str) -> str | None:
    ident = _text(item, "id")
    return (
        absolute(_text(item, "url"), base)
        or (absolute(ident, base) if ident and "://" in ident else None)
        or absolute(_text(item, "external_url"), base)
    )


def _content(item: dict[str, Any]) -> str | None:
    """Return the content as HTML."""
    content, text = _text(item, "content_html"), _text(item, "content_text")
    if content is not None or not text:
        return content
    return "".join(f"<p>{html.escape(part)}</p>" for part in text.split("\n") if part.strip())


def _entry(
    item: dict[str, Any], base: str, served_at: datetime | None
) -> tuple[FeedEntry, bool] | None:
    """Return (entry, whether it has content), or None without a URL."""
    url = _url(item, base)
    if url is None:
        return None
    content, summary = _content(item), _text(item, "summary")
    authors, author_url = _names(item)
    published, modified = _text(item, "date_published"), _text(item, "date_modified")
    tags = (tag.strip() for tag in _list(item, "tags") if isinstance(tag, str))
    entry = FeedEntry(
        url=url,
        id=_text(item, "id"),
        title=plain_title(_text(item, "title"), is_html=False),
        authors=authors,
        author_url=author_url,
        published=parse_date(published, served_at=served_at),
        published_raw=published,
        modified=parse_date(modified, served_at=served_at),
        modified_raw=modified,
        content_html=absolute_links(content, url) if content else None,
        summary_html=html.escape(summary) if summary else None,
        tags=tuple(dict.fromkeys(filter(None, tags))),
        language=_text(item, "language"),
        enclosures=enclosures(_files(item, base)),
    )
    return entry, content is not None


def _files(item: dict[str, Any], base: str) -> Iterator[tuple[str, str]]:
    """Yield (URL, declared type) of an item's attachments."""
    for file in _objects(item, "attachments"):
        url = absolute(_text(file, "url"), base)
        if url:
            yield url, _text(file, "mime_type") or ""


def _load(text: str) -> dict[str, Any] | None:
    """Return the JSON Feed in ``text``; a feed that names no version has an item with content."""
    try:
        data = _in_our_form(json.loads(text))
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or not isinstance(data.get("items"), list):
        return None
    has_content = any({"content_html", "content_text"} & i.keys() for i in _objects(data, "items"))
    return data if has_content or "jsonfeed" in (_text(data, "version") or "") else None


def parse_json_feed(text: str, url: str, served_at: datetime | None) -> Feed | None:
    """Return the feed in ``text``, None if it is no JSON Feed."""
    data = _load(text)
    if data is None:
        return None
    _, has_version, version = (_text(data, "version") or "").rpartition("/")
    language, authors = _text(data, "language"), _names(data)[0]
    items = (_entry(item, url, served_at) for item in _objects(data, "items"))
    entries = [
        (replace(e, authors=e.authors or authors, language=e.language or language), declared)
        for e, declared in filter(None, items)
    ]
    hubs = (absolute(_text(hub, "url"), url) for hub in _objects(data, "hubs"))
    next_url = absolute(_text(data, "next_url"), url)
    return Feed(
        url=url,
        kind="posts",
        format=f"json{version if has_version else 1}",
        title=plain_title(_text(data, "title"), is_html=False),
        subtitle=_text(data, "description"),
        language=language,
        authors=authors,
        home_url=absolute(_text(data, "home_page_url"), url),
        self_url=absolute(_text(data, "feed_url"), url),
        hub_url=next(hubs, None),
        next_urls=(next_url,) if next_url else (),
        entries=tuple(with_fullness(entries)),
    )
