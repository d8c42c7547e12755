"""When to stop, and how complete the archive is believed to be. Pure: evidence in, decision out.

Two estimators, both stated in the evidence:

*Recapture* (Lincoln-Petersen): what the blog's own sources promised is one capture, what links show is another.  With ``q`` the
share of promised posts that links showed as well, ``linked_only`` posts found by links alone stand for
``linked_only * (1 - q) / q`` that neither capture has seen.

*Cluster yield*: for every cluster of URLs the expected number of new posts on its next page (window of its last pages, k nearest
neighbours as prior).  The rest is extrapolated to at most as many pages as were seen, which is how far such estimates hold
(Good & Toulmin 1956).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

StopReason = Literal["complete", "exhausted", "budget"]

WORTH = 0.04
"""Below one new post in 25 requests a page is not worth its request (chosen on the simulator: half lost posts, double cost pages)."""
UNSEEN_SHARE = 0.005
"""Share of posts that may remain unseen: the goal of 99.5 %."""
MIN_RECAPTURE = 5
AUDIT_PAGES = 1
AUDIT_EVERY = 40
"""One page that is no post, plus one for every so many promised posts, must have been read before promises are believed complete."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """0 means no limit."""

    pages: int = 0
    posts: int = 0
    seconds: float = 0.0
    bytes: int = 0

    @property
    def any(self) -> bool:
        return bool(self.pages or self.posts or self.seconds or self.bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterEvidence:
    name: str
    pages: int
    gain: float
    """New posts its pages brought."""
    recent: tuple[float, ...]
    """New posts on each of its last pages."""
    pending: int
    worth: float
    """Expected new posts on its next page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the frontier knows at one moment."""

    pages: int = 0
    posts: int = 0
    failed: int = 0
    pending: int = 0
    in_flight: int = 0
    posts_pending: int = 0
    """Promised or likely posts still queued."""
    promised: int = 0
    promised_linked: int = 0
    linked_only: int = 0
    sources_complete: bool = False
    audited: int = 0
    """Pages read that are no posts."""
    quiet: int = 0
    """How many of them, the latest ones, brought nothing new in a row."""
    best_worth: float = 0.0
    clusters: tuple[ClusterEvidence, ...] = ()
    seconds: float = 0.0
    bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """``completeness`` in 0..1 is the believed share of the blog's posts that is in; ``detail`` one sentence for people."""

    reason: StopReason
    detail: str
    completeness: float
    unseen: float
    evidence: Evidence = field(default_factory=Evidence)


def decide(evidence: Evidence, budgets: Budgets) -> Stop | None:
    """Stop, or None to go on."""
    over = _over_budget(evidence, budgets)
    if over:
        return _stop("budget", over, max(unseen_by_yield(evidence), unseen_by_recapture(evidence) or 0.0), evidence)
    if evidence.posts_pending:
        return None
    if not evidence.pending:
        return _stop("exhausted", "every page in scope was read", unseen_by_recapture(evidence) or 0.0, evidence)
    unseen = unseen_by_recapture(evidence)
    if unseen is not None and unseen <= max(0.5, UNSEEN_SHARE * evidence.promised) and _audited(evidence):
        detail = (
            f"links showed {evidence.promised_linked} of {evidence.promised} promised posts and {evidence.linked_only} others:"
            f" {unseen:.1f} posts expected unseen"
        )
        return _stop("complete", detail, unseen, evidence)
    if evidence.best_worth < WORTH:
        detail = f"the best of {len(evidence.clusters)} groups of pages promises {evidence.best_worth:.3f} new posts a page"
        return _stop("exhausted", detail, unseen_by_yield(evidence), evidence)
    return None


def unseen_by_recapture(e: Evidence) -> float | None:
    """Posts that neither sources nor links have shown; None where the sources don't claim to be complete or too little was seen."""
    if not e.sources_complete or e.promised_linked < min(MIN_RECAPTURE, e.promised) or not e.promised_linked:
        return None
    q = e.promised_linked / e.promised
    return (e.linked_only + 0.5) * (1 - q) / q


def unseen_by_yield(e: Evidence) -> float:
    """Posts that the pages left unread may still bring."""
    return sum(c.worth * min(c.pending, c.pages + 1) for c in e.clusters)


def _audited(e: Evidence) -> bool:
    wanted = AUDIT_PAGES + e.promised // AUDIT_EVERY
    return e.audited >= wanted and e.quiet >= min(wanted, 3)


def _over_budget(e: Evidence, b: Budgets) -> str:
    if b.pages and e.pages >= b.pages:
        return f"{e.pages} pages read, the budget is {b.pages}"
    if b.posts and e.posts >= b.posts:
        return f"{e.posts} posts found, the budget is {b.posts}"
    if b.seconds and e.seconds >= b.seconds:
        return f"{e.seconds:.0f} seconds spent, the budget is {b.seconds:.0f}"
    if b.bytes and e.bytes >= b.bytes:
        return f"{e.bytes} bytes received, the budget is {b.bytes}"
    return ""


def _stop(reason: StopReason, detail: str, unseen: float, evidence: Evidence) -> Stop:
    left = unseen + evidence.posts_pending
    total = evidence.posts + left
    believed = round(evidence.posts / total, 4) if total else 1.0
    return Stop(reason=reason, detail=detail, unseen=round(unseen, 2), completeness=believed, evidence=evidence)
