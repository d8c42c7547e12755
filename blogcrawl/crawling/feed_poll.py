"""What one look at a known feed shows: pure. The facts go to the schedule, which decides the next
visit.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from blogcrawl.core.errors import FeedError
from blogcrawl.core.page import Page
from blogcrawl.core.records import Feed
from blogcrawl.discovery.feeds import parse_feed

_MAX_AGE = re.compile(r"(?:^|[\s,])max-age\s*=\s*\"?(\d{1,10})", re.I)


def conditional_headers(memory: Mapping[str, Any]) -> dict[str, str]:
    """Return validators sent back byte for byte as they came (RFC 9110, 13.1)."""
    headers = {}
    if memory.get("etag"):
        headers["If-None-Match"] = str(memory["etag"])
    if memory.get("last_modified"):
        headers["If-Modified-Since"] = str(memory["last_modified"])
    return headers


def poll_facts(
    page: Page, memory: Mapping[str, Any], seen_until: datetime | None, moved_to: str | None = None
) -> dict[str, Any]:
    """Return facts of a poll: ``outcome`` and ``feed`` (what to remember), on news also
    ``published`` and ``window``, ``hints`` always.

    ``memory``: the facts' ``feed`` of the last visit. 304: unchanged. 200: unchanged where the
    bytes, or the entries with their dates and counts of comments, are the old ones;
    ``feed["whole"]`` notes that the server knows no conditional requests. 404, 410, no feed: astray
    (the blog may have another feed by now). 429, 503: refused. Else failed, with the reason.
    """
    hints = header_hints(page.headers)
    old = dict(memory) | ({"url": moved_to} if moved_to else {})
    known = {"hints": dict(memory.get("hints", {})) | hints}
    if page.status == 304:
        return {"outcome": "unchanged", "feed": old | {"whole": False}} | known
    if page.status != 200:
        return _failed_poll(page.status, {"feed": old, "hints": hints})
    digest = hashlib.sha256(page.body).hexdigest()
    feed = old | {
        "etag": page.headers.get("etag"),
        "last_modified": page.headers.get("last-modified"),
        "digest": digest,
    }
    if digest == memory.get("digest"):
        return {"outcome": "unchanged", "feed": feed | {"whole": True}} | known
    try:
        parsed = parse_feed(page.body, page.url, page.headers)
    except FeedError as error:
        return {
            "outcome": "astray",
            "reason": f"the feed turned into something else: {error.message}",
        }
    hints |= feed_hints(parsed)
    entries = entries_digest(parsed)
    feed |= {
        "entries": entries,
        "hints": feed_hints(parsed),
        "hub": parsed.hub_url,
        "self": parsed.self_url,
    }
    if entries == memory.get("entries"):
        return {"outcome": "unchanged", "feed": feed | {"whole": True}, "hints": hints}
    times = [e.published for e in parsed.entries if e.published]
    # The update crawl reads the feed itself: what it must find changed is what this poll found
    # changed, so the old memory stays.
    return {
        "outcome": "changed",
        "feed": old,
        "hints": hints,
        "published": [t.isoformat() for t in times if seen_until is None or t > seen_until],
        "window": len(parsed.entries),
    }


def _failed_poll(status: int, known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of a poll that another status answered than 200 and 304."""
    if status in (404, 410):
        return {"outcome": "astray", "reason": f"the feed answers {status}"}
    if status in (429, 503):
        reason = f"the server asks for patience ({status})"
        return {"outcome": "refused", **known, "reason": reason}
    return {"outcome": "failed", **known, "reason": f"the feed answers {status}"}


def header_hints(headers: Mapping[str, str]) -> dict[str, Any]:
    """Return seconds that the server asks us to stay away."""
    hints: dict[str, Any] = {}
    age = _MAX_AGE.search(headers.get("cache-control", ""))
    if age:
        hints["max_age_seconds"] = int(age[1])
    retry = headers.get("retry-after", "").strip()
    if retry.isascii() and retry.isdigit() and len(retry) < 10:
        hints["retry_after_seconds"] = int(retry)
    return hints


def feed_hints(feed: Feed) -> dict[str, Any]:
    named = {
        "ttl_minutes": feed.ttl_minutes,
        "skip_hours": list(feed.skip_hours) or None,
        "skip_days": list(feed.skip_days) or None,
        "update_period_seconds": feed.update_period_seconds,
    }
    return {name: value for name, value in named.items() if value is not None}


def entries_digest(feed: Feed) -> str:
    """Changes when an entry comes, goes, or is edited, or gets a comment; not when only the
    channel's build date does.
    """
    digest = hashlib.sha256()
    for e in feed.entries:
        text = (
            e.id,
            e.url,
            e.title,
            e.modified_raw,
            e.published_raw,
            e.comments_count,
            e.content_html,
            e.summary_html,
        )
        digest.update(repr(text).encode("utf-8", "replace"))
    return digest.hexdigest()
