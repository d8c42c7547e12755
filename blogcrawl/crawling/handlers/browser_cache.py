"""What the browser asks for again within one crawl: scripts, style sheets, data of the theme.

Playwright switches Chromium's own cache off where requests are watched, and each tab would fetch
the theme anew. So answers are kept in the proxy, as long as HTTP says that they may be used without
a new request (RFC 9111, 4.2). Evidence has them from their first time. Pure: the time comes in.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime

import h11

from blogcrawl.core.page import Page

MAX_ANSWER = 4 * 2**20
"""Bytes of one answer that is kept."""
MAX_TOTAL = 48 * 2**20
HEURISTIC = 0.1
"""Share of the time since the last change for which an answer is fresh that does not say it (RFC
9111, 4.2.2)."""
THEME_SECONDS = 3600.0
"""The same where not even a last change is stated, for parts of a theme: a crawl sees one state of
it."""
_THEME = re.compile(rb"(?:text|application)/(?:x-)?(?:java|ecma)script\b|text/css\b|font/|image/")
_SECONDS = re.compile(r"\b(?:s-maxage|max-age)\s*=\s*\"?(\d{1,9})")
_OF_THIS_REQUEST = frozenset((b"authorization", b"range", b"if-none-match", b"if-modified-since"))


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer as the browser got it."""

    response: h11.Response
    body: bytes
    until: float


class BrowserCache:
    """Answers by URL, the latest used last."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._bytes = 0

    def get(self, request: h11.Request, url: str, now: float) -> Kept | None:
        """Return the answer to use in place of a request; ``now``: seconds of any one clock."""
        kept = self._kept.get(url) if _is_plain(request) else None
        if kept is None or kept.until <= now:
            return None
        self._kept.move_to_end(url)
        return kept

    def page(self, url: str, now: float) -> Page | None:
        """Return what the browser was answered at ``url``, for those who would ask for it next;
        None of bodies that are encoded."""
        kept = self._kept.get(url)
        if kept is None or kept.until <= now:
            return None
        pairs = ((name.decode(), value.decode("latin-1")) for name, value in kept.response.headers)
        headers = {name.lower(): value for name, value in pairs}
        is_plain = headers.get("content-encoding", "identity") == "identity"
        return Page(url=url, body=kept.body, headers=headers) if is_plain else None

    def put(
        self, request: h11.Request, url: str, response: h11.Response, body: bytes, now: float
    ) -> None:
        """Keep an answer, if it may be used again."""
        fresh = fresh_seconds(response) if _is_plain(request) else 0.0
        if fresh <= 0 or len(body) > MAX_ANSWER:
            return
        old = self._kept.pop(url, None)
        self._bytes += len(body) - (len(old.body) if old is not None else 0)
        self._kept[url] = Kept(response, body, now + fresh)
        while self._bytes > MAX_TOTAL:
            self._bytes -= len(self._kept.popitem(last=False)[1].body)


def _is_plain(request: h11.Request) -> bool:
    names = {name.lower() for name, _ in request.headers}
    return request.method == b"GET" and not names & _OF_THIS_REQUEST


def fresh_seconds(response: h11.Response) -> float:
    """Return for how long the answer may be used without a new request; 0: not at all."""
    headers = {name.lower(): value for name, value in response.headers}
    control = headers.get(b"cache-control", b"").decode("latin-1").lower()
    forbidden = "no-store" in control or "no-cache" in control or b"set-cookie" in headers
    varies = headers.get(b"vary", b"").lower().replace(b"accept-encoding", b"").strip(b" ,")
    if response.status_code != 200 or forbidden or varies not in (b"", b"origin"):
        return 0.0
    stated = _SECONDS.search(control)
    return float(stated[1]) if stated else _unstated(headers)


def _unstated(headers: Mapping[bytes, bytes]) -> float:
    """Return how long an answer is fresh that names no age."""
    date = _date(headers.get(b"date"))
    if b"expires" in headers:
        expires = _date(headers[b"expires"])
        return (expires - date).total_seconds() if expires and date else 0.0
    changed = _date(headers.get(b"last-modified"))
    if changed and date:
        return HEURISTIC * (date - changed).total_seconds()
    return THEME_SECONDS if _THEME.match(headers.get(b"content-type", b"").lower()) else 0.0


def _date(value: bytes | None) -> datetime | None:
    try:
        found = parsedate_to_datetime(value.decode("latin-1")) if value else None
    except ValueError:
        return None
    return found if found is not None and found.tzinfo is not None else None
