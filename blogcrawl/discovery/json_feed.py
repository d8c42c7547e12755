"""JSON Feed 1.0 and 1.1 (jsonfeed.org/version/1.1) -> records; platforms' own lists of posts are
brought into its form first.

Blogger (``alt=json``: the GData JSON of its Atom feed), Substack (``/api/v1/archive``), Squarespace
(``?format=json``).
"""

from __future__ import annotations

import html
import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from blogcrawl.core.records import Feed, FeedEntry
from blogcrawl.dates.feed_date import parse_date
from blogcrawl.discovery.feed_text import absolute, absolute_links, plain_title
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
    """A platform's list of posts as a JSON Feed; anything else as it is."""
    if isinstance(data, list):  # Substack
        posts = [i for i in data if isinstance(i, dict) and "canonical_url" in i]
        items = [_renamed(i, _SUBSTACK) | {"authors": i.get("publishedBylines")} for i in posts]
        return {"version": JSON_FEED, "items": items}
    if not isinstance(data, dict):
        return data
    feed, collection = data.get("feed"), data.get("collection")
    if isinstance(feed, dict) and isinstance(feed.get("entry"), list):
        items = [_of_blogger(i) for i in feed["entry"] if isinstance(i, dict)]
        return {
            "version": JSON_FEED,
            "title": _inside(feed, "title"),
            "home_page_url": _linked(feed),
            "items": items,
        }
    if isinstance(collection, dict) and isinstance(data.get("items"), list):
        more = data.get("pagination")
        following = _text(more, "nextPageUrl") if isinstance(more, dict) else None
        items = [_of_squarespace(i) for i in data["items"] if isinstance(i, dict)]
        following = following and f"{following}&format=json"
        return {
            "version": JSON_FEED,
            "title": collection.get("title"),
            "items": items,
            "next_url": following,
        }
    return data


def _renamed(item: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    return {ours: item.get(theirs) for ours, theirs in names.items()}


def _inside(item: dict[str, Any], name: str) -> str | None:
    value = item.get(name)
    return _text(value, "$t") if isinstance(value, dict) else None


def _linked(item: dict[str, Any]) -> str | None:
    links = item.get("link")
    found = (link for link in (links if isinstance(links, list) else []) if isinstance(link, dict))
    return next((_text(link, "href") for link in found if link.get("rel") == "alternate"), None)


def _of_blogger(item: dict[str, Any]) -> dict[str, Any]:
    people, tags = item.get("author"), item.get("category")
    return {
        "id": _inside(item, "id"),
        "url": _linked(item),
        "title": _inside(item, "title"),
        "content_html": _inside(item, "content"),
        "summary": _inside(item, "summary"),
        "date_published": _inside(item, "published"),
        "date_modified": _inside(item, "updated"),
        "authors": [_inside(p, "name") for p in people if isinstance(p, dict)]
        if isinstance(people, list)
        else [],
        "tags": [t.get("term") for t in tags if isinstance(t, dict)]
        if isinstance(tags, list)
        else [],
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


def _entry(
    item: dict[str, Any], base: str, served_at: datetime | None
) -> tuple[FeedEntry, bool] | None:
    """(entry, whether it has content); None without a URL."""
    ident = _text(item, "id")
    url = absolute(_text(item, "url"), base) or (
        absolute(ident, base) if ident and "://" in ident else None
    )
    url = url or absolute(_text(item, "external_url"), base)
    if url is None:
        return None
    content, plain = _text(item, "content_html"), _text(item, "content_text")
    if content is None and plain:
        content = "".join(
            f"<p>{html.escape(part)}</p>" for part in plain.split("\n") if part.strip()
        )
    authors, author_url = _names(item)
    published, modified = _text(item, "date_published"), _text(item, "date_modified")
    summary = _text(item, "summary")
    tags = item.get("tags") if isinstance(item.get("tags"), list) else []
    attachments = item.get("attachments") if isinstance(item.get("attachments"), list) else []
    files = [absolute(_text(a, "url"), base) for a in attachments or () if isinstance(a, dict)]
    title = plain_title(_text(item, "title"), is_html=False)
    entry = FeedEntry(
        url=url,
        id=ident,
        title=title,
        authors=authors,
        author_url=author_url,
        published=parse_date(published, served_at=served_at, thorough=False),
        published_raw=published,
        modified=parse_date(modified, served_at=served_at, thorough=False),
        modified_raw=modified,
        content_html=absolute_links(content, url) if content else None,
        summary_html=html.escape(summary) if summary else None,
        tags=tuple(
            dict.fromkeys(t.strip() for t in tags or () if isinstance(t, str) and t.strip())
        ),
        language=_text(item, "language"),
        enclosures=tuple(f for f in files if f),
    )
    return entry, content is not None


def parse_json_feed(text: str, url: str, served_at: datetime | None) -> Feed | None:
    """The feed in ``text``, None where it is no JSON Feed."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    data = _in_our_form(data)
    if not isinstance(data, dict) or not isinstance(data.get("items"), list):
        return None
    version = _text(data, "version") or ""
    if "jsonfeed" not in version and not any(
        isinstance(i, dict) and ("content_html" in i or "content_text" in i) for i in data["items"]
    ):
        return None
    language, authors = _text(data, "language"), _names(data)[0]
    items = (_entry(i, url, served_at) for i in data["items"] if isinstance(i, dict))
    entries = [
        (replace(e, authors=e.authors or authors, language=e.language or language), declared)
        for e, declared in filter(None, items)
    ]
    hubs = data.get("hubs") if isinstance(data.get("hubs"), list) else []
    hub = next((absolute(_text(h, "url"), url) for h in hubs or () if isinstance(h, dict)), None)
    next_url = absolute(_text(data, "next_url"), url)
    return Feed(
        url=url,
        kind="posts",
        format="json" + (version.rsplit("/", 1)[-1] if "/" in version else "1"),
        title=plain_title(_text(data, "title"), is_html=False),
        subtitle=_text(data, "description"),
        language=language,
        authors=authors,
        home_url=absolute(_text(data, "home_page_url"), url),
        self_url=absolute(_text(data, "feed_url"), url),
        hub_url=hub,
        next_urls=(next_url,) if next_url else (),
        entries=tuple(with_fullness(entries)),
    )
