"""Politeness as pure functions: robots.txt per RFC 9309, Crawl-delay, Retry-After. Fetches nothing, keeps no clock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Literal
from urllib.parse import urlsplit

from protego import Protego

MAX_BYTES = 500 * 1024
"""RFC 9309 section 2.5: at least 500 KiB must be parsed; what comes after is ignored."""
CACHE_SECONDS = 24 * 3600
"""RFC 9309 section 2.4: no longer than 24 hours, unless robots.txt is unreachable."""
UNREACHABLE_GIVE_UP = 30 * 24 * 3600
"""RFC 9309 section 2.3.1.4: after 30 days of 5xx it may be taken for unavailable, that is: all allowed."""
MAX_REDIRECTS = 5
"""RFC 9309 section 2.3.1.2."""
MAX_CRAWL_DELAY = 60.0
"""Seconds; longer delays are cut: a blog of 500 posts would take a week."""
MAX_RETRY_AFTER = 24 * 3600.0
MIN_RETRY_AFTER = 1.0

Access = Literal["parsed", "allow", "disallow"]


@dataclass(frozen=True)
class Robots:
    """What robots.txt of one host says. ``access`` is ``allow`` (unavailable) or ``disallow`` (unreachable) where there are no rules."""

    text: str = ""
    access: Access = "allow"

    @cached_property
    def _rules(self) -> Protego:
        return Protego.parse(self.text)

    def allowed(self, url: str, agent: str) -> bool:
        """May ``agent`` (a product token or a whole User-Agent) fetch ``url``? robots.txt itself always (section 2.2.2)."""
        if urlsplit(url).path == "/robots.txt" or self.access == "allow":
            return True
        return self.access == "parsed" and bool(self._rules.can_fetch(url, agent))

    def crawl_delay(self, agent: str) -> float | None:
        """Seconds between requests, at most MAX_CRAWL_DELAY; None where nothing is asked."""
        delay = self._rules.crawl_delay(agent) if self.access == "parsed" else None
        if delay is None:
            rate = self._rules.request_rate(agent) if self.access == "parsed" else None
            delay = rate.seconds / rate.requests if rate is not None and rate.requests else None
        return None if delay is None or delay <= 0 else min(float(delay), MAX_CRAWL_DELAY)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """``Sitemap:`` lines, in order."""
        return tuple(self._rules.sitemaps) if self.access == "parsed" else ()


def read_robots(status: int | None, body: bytes = b"", cached: Robots | None = None, unreachable_seconds: float = 0.0) -> Robots:
    """Rules from one answer; ``status`` None: no answer at all (time-out, refused, redirects without end).

    2xx: parsed. 3xx (more than MAX_REDIRECTS were followed) and 4xx: unavailable, all allowed (2.3.1.3); 429 too, says the RFC, but it
    asks for slowness, which is the caller's. 5xx and no answer: unreachable, the ``cached`` copy, else nothing allowed (2.3.1.4), until
    that has lasted UNREACHABLE_GIVE_UP.
    """
    if status is not None and 200 <= status < 300:
        return Robots(_text(body), "parsed")
    if status is not None and 300 <= status < 500:
        return Robots()
    if cached is not None and cached.access == "parsed":
        return cached
    return Robots() if unreachable_seconds >= UNREACHABLE_GIVE_UP else Robots(access="disallow")


def _text(body: bytes) -> str:
    """UTF-8 without byte order mark, line ends of any system, cut at MAX_BYTES after the last whole line."""
    cut = body[:MAX_BYTES]
    if len(body) > MAX_BYTES:
        cut = cut[: max(cut.rfind(b"\n"), cut.rfind(b"\r")) + 1] or cut
    text = cut.decode("utf-8-sig", "replace").lstrip("\ufeff").replace("\x00", "")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def retry_after(value: str | None, now: datetime, cap: float = MAX_RETRY_AFTER) -> float | None:
    """Seconds to wait by a Retry-After header (RFC 9110 section 10.2.3): delay-seconds or HTTP-date. None where there is none to read.

    A date in the past or 0 gives MIN_RETRY_AFTER; more than ``cap`` gives ``cap``. ``now`` is aware.
    """
    value = (value or "").strip()
    if not value:
        return None
    if value.isdecimal() and value.isascii():
        seconds = float(value[:12])
    else:
        try:
            at = parsedate_to_datetime(value)
        except (TypeError, ValueError, OverflowError):
            return None
        seconds = ((at if at.tzinfo else at.replace(tzinfo=UTC)) - now).total_seconds()
    return min(max(seconds, MIN_RETRY_AFTER), cap)
