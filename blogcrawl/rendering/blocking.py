"""What a rendering does not load: trackers, advertising, fonts, video. Pure."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from blogcrawl.lexicon.vocabulary import word_set

BLOCKED_TYPES = frozenset(
    "font media texttrack manifest ping cspviolationreport prefetch eventsource".split()
)
"""Playwright's resource types that add nothing to text, boxes or picture of a page."""

TRACKERS = word_set("trackers", "trackers")
"""Hosts of measuring, advertising, consent or chat, as blogs embed them."""

_TRACKING_PATH = re.compile(
    (
        r"/(?:piwik|matomo)\.(?:js|php)|/(?:g/)?collect\?|/beacon(?:\.gif|\.js|/)|/pixel\.gif|"
        r"/adsbygoogle\.js|/(?:ga|gtag|analytics)\.js(?:$|\?)|/tracking\.gif"
    ),
    re.I,
)


def blocked(url: str, resource_type: str = "other") -> str | None:
    """Return why a rendering leaves this request out ("font", "tracker"), None if it is loaded."""
    if resource_type in BLOCKED_TYPES:
        return resource_type
    if url.startswith(("data:", "blob:", "about:")):
        return None
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower()
    except ValueError:
        return "broken URL"
    if resource_type == "document":
        return "tracker" if is_tracker(host) else None
    return (
        "tracker"
        if is_tracker(host) or _TRACKING_PATH.search(parts.path + ("?" if parts.query else ""))
        else None
    )


def is_tracker(host: str) -> bool:
    """Return whether a host, or one above it, is in the table."""
    labels = host.split(".")
    return any(".".join(labels[i:]) in TRACKERS for i in range(len(labels) - 1))
