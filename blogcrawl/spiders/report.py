"""What a crawl reports in the end. Pure: facts in, a JSON-able report out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from blogcrawl.errors import BlogcrawlError

DEAD = frozenset({"HTTP 404", "HTTP 410"})
MAX_NAMED = 1_000
"""Missing posts that a report names; their number is always told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A post that a source promised and that is not in the archive."""

    url: str
    reason: str
    sources: tuple[str, ...] = ()

    @property
    def dead(self) -> bool:
        """The blog itself says that there is no such page (404, 410: RFC 9110, 15.5.5 and 15.5.11): its dead link, not our failure."""
        return self.reason in DEAD


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How the crawl came to its end."""

    reason: str
    """complete, exhausted, budget, finished; stopped (by the operator); failed."""
    detail: str = ""
    completeness: float | None = None
    error: BlogcrawlError | None = None


def missing_posts(
    promised: Mapping[str, Iterable[str]], archived: set[str], reasons: Mapping[str, str], *, stopped: bool, linked: Iterable[str] = ()
) -> list[Missing]:
    """Promised posts (canonical URL -> who promised) that are not in ``archived``, each with why; the blog's dead links last.

    ``linked``: addresses like a post's that could not be had, though only links led to them; where the blog says that there is no such
    page (any link may be dead) they are nobody's loss.
    """
    unknown = "not fetched: the crawl was stopped before" if stopped else "not fetched"
    missing = [
        Missing(url=url, reason=reasons.get(url, unknown), sources=tuple(sorted(sources)))
        for url, sources in promised.items()
        if url not in archived
    ]
    lost = {url: reasons[url] for url in linked if url not in promised and url not in archived and url in reasons}
    missing += [Missing(url=url, reason=reason, sources=("links",)) for url, reason in lost.items() if reason not in DEAD]
    return sorted(missing, key=lambda m: m.dead)


Remembered = Mapping[str, Mapping[str, Any]]


def remember_missing(missing: Iterable[Missing], before: Remembered, archived: set[str], *, finished: bool) -> dict[str, dict[str, Any]]:
    """What the next crawl is to ask for again, by canonical URL, with the number of crawls that missed it; the blog's dead links are not.

    ``before``: what the last one remembered, which still holds where this one did not come to its end.
    """
    found = {
        m.url: {"times": int(before.get(m.url, {}).get("times", 0)) + 1, "reason": m.reason, "sources": list(m.sources)}
        for m in missing
        if not m.dead
    }
    left = {} if finished else {url: dict(told) for url, told in before.items() if url not in archived}
    return dict(list({**left, **found}.items())[:MAX_NAMED])


def is_due(times: int) -> bool:
    """Whether what so many crawls have missed is asked for once more: by the next ones, then ever more seldom."""
    return times & (times - 1) == 0


def error_to_json(error: BlogcrawlError) -> dict[str, Any]:
    return {
        "kind": type(error).__name__,
        "message": error.message,
        "exit_code": error.exit_code,
        "url": error.url,
        "advice": error.advice,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Beside the end: everything else that a report tells."""

    missing: Sequence[Missing] = ()
    notes: Sequence[str] = ()
    contradictions: Sequence[str] = ()
    tls_verified: bool = False
    feeds: Sequence[str] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


def report(end: End, facts: Facts) -> dict[str, Any]:
    """``CrawlRow.report``."""
    return {
        "stop": {"reason": end.reason, "detail": end.detail, "completeness": end.completeness},
        "error": error_to_json(end.error) if end.error else None,
        "missing_count": len(facts.missing),
        "dead_count": sum(m.dead for m in facts.missing),
        "missing": [{"url": m.url, "reason": m.reason, "sources": list(m.sources), "dead": m.dead} for m in facts.missing[:MAX_NAMED]],
        "notes": list(facts.notes)[:100],
        "contradictions": list(facts.contradictions)[:100],
        "tls_verified": facts.tls_verified,
        "feeds": list(facts.feeds),
        **facts.extra,
    }


def outcome(end: End) -> str:
    """``CrawlRow.outcome``: finished, stopped or failed."""
    if end.error is not None:
        return "failed"
    return "stopped" if end.reason == "stopped" else "finished"
