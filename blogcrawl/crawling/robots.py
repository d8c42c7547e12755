"""robots.txt as RFC 9309 reads it: a decision from one answer. Pure.

2xx: the rules hold (the first 500 KiB of them, section 2.5). 4xx: no rules, all is allowed
(2.3.1.3). 5xx, or no answer at all: everything is forbidden (2.3.1.4), for what the site wants is
unknown; but that may pass, so it is asked again, soon at first. What was read holds for a day
(2.4), and longer while the server is in trouble.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

MAX_BYTES = 500 * 1024
"""RFC 9309, section 2.5: crawlers must parse at least 500 kibibytes."""
MAX_CRAWL_DELAY = 30.0
"""Seconds; ``Crawl-delay`` is no part of the RFC, and a site that asks for hours would never be
archived.
"""
KEPT_SECONDS = 24 * 3600.0
TROUBLE_SECONDS, MAX_TROUBLE_SECONDS = 15.0, 3600.0
"""How long a failure is taken for the answer; each further one twice as long."""
TOKEN = "blogcrawl"
"""Product token (section 2.2.1) that site owners write after ``User-agent:``."""
_DELIMITER = re.compile(r"%(3[Ff]|23)")
_AGENT = re.compile(r"(?im)^([ \t]*user-agent[ \t]*:[ \t]*)([a-z_*-]*)[^\n#]*")


@dataclass(frozen=True)
class Robots:
    """What a host allows. ``why`` says why nothing is allowed, where that is so."""

    text: str = ""
    rules: Any = None
    why: str | None = None
    delay: float | None = None
    cause: Exception | None = None
    """How the fetch failed, where there was no answer."""
    failures: int = 0
    """Times in a row that the server had trouble; 0: it answered."""
    fetched: float = 0.0
    """Seconds of any one clock"""

    def stale(self, now: float) -> bool:
        """Return whether it is time to request it again."""
        patience = (
            min(TROUBLE_SECONDS * 2.0 ** (self.failures - 1), MAX_TROUBLE_SECONDS)
            if self.failures
            else KEPT_SECONDS
        )
        return now - self.fetched >= patience

    def after(self, old: Robots | None, now: float) -> Robots:
        """Return this response, fetched ``now``, in place of ``old``: known rules stay in force
        while the server fails.
        """
        if old is None or not self.failures:
            return replace(self, fetched=now)
        failures = old.failures + 1
        return replace(self if old.why is not None else old, failures=failures, fetched=now)

    def allowed(self, url: str) -> bool:
        if self.why is not None:
            return False
        return self.rules is None or bool(self.rules.can_fetch(_shielded(url), TOKEN))


def read_robots(status: int | None, body: bytes) -> Robots:
    """Return the rules of a robots.txt; ``status`` None: the host did not answer."""
    from protego import Protego

    if status is None:
        return Robots(
            why="robots.txt could not be fetched, so nothing may be (RFC 9309)", failures=1
        )
    if status >= 500 or status == 429:
        return Robots(
            why=f"robots.txt answers {status}, so nothing may be fetched now (RFC 9309)", failures=1
        )
    if status >= 300:
        return Robots()
    text = (
        body[:MAX_BYTES]
        .decode("utf-8", "replace")
        .lstrip("\ufeff")
        .replace("\r\n", "\n")
        .replace("\r", "\n")
    )
    if len(body) > MAX_BYTES:
        text = text.rpartition("\n")[0]  # what the limit has cut in two is no rule
    text = _AGENT.sub(lambda line: line[1] + _token(line[2]), text)
    if "<html" in text[:1000].lower():
        return Robots()
    rules = Protego.parse(_shielded(text))
    delay = rules.crawl_delay(TOKEN)
    return Robots(
        text=text, rules=rules, delay=min(float(delay), MAX_CRAWL_DELAY) if delay else None
    )


def without_frames(error: Exception) -> Exception:
    """Cut an error that is kept off the frames it went through: they hold what a download had."""
    link: BaseException | None = error
    while link is not None:
        link.__traceback__ = None
        link = link.__cause__ or link.__context__
    return error


def _shielded(text: str) -> str:
    """Escape the escapes of ``?`` and ``#``: Protego takes them for the delimiters themselves, RFC
    9309 (section 2.2.2) does not.
    """
    return _DELIMITER.sub(lambda found: "%25" + found[1].upper(), text)


def _token(name: str) -> str:
    """Return our token, that of all, or one that is no one's: Protego takes a part of our name for
    us, the RFC only the whole.
    """
    return name if name.lower() in (TOKEN, "*") else "nobody"
