"""When to stop, and how complete the archive is believed to be. Pure: evidence in, decision out.

Two estimators, both stated in the evidence:

*Recapture*: two ways of seeing posts that know little of one another.  Where the blog's sources were walked to their end these are
one way and all links the other: Lincoln-Petersen, every cell plus one half: ``a`` posts seen the one way only, ``b`` the other way
only and ``both`` stand for ``a * b / both`` posts that neither has seen.  Else listing pages are one way, posts' own links and the
feed the other; these depend on one another (a chain of neighbours breaks where an archive has its hole), so Chao's lower bound for
uneven chances of capture (Chao 1987, two occasions) is taken: ``f1 ** 2 / (4 * f2)`` of ``f1`` seen one way and ``f2`` both ways.

*Cluster yield*: for every cluster of URLs the expected number of new posts on its next page (window of its last pages, k nearest
neighbours as prior).  The rest is extrapolated to at most as many pages as were seen, which is how far such estimates hold
(Good & Toulmin 1956).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

StopReason = Literal["complete", "exhausted", "budget"]

WORTH = 0.04
"""Below one new post in 25 requests a page is not worth its request, whatever else is known."""
WORTH_WHEN_SEEN = 0.3
"""Nor below one in three, where recapture says that (nearly) all posts were seen. Both by the simulator: see docs/decisions.md."""
UNSEEN_SHARE = 0.005
"""Share of posts that may remain unseen: the goal of 99.5 %."""
AUDIT_PAGES = 1
AUDIT_EVERY = 60
"""One page that is no post, plus one for every so many posts, must have been read before recapture is believed."""


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
    shown: tuple[int, ...] = (0,) * 8
    """Posts known, by what showed them: index is a sum of 1 (a listing page), 2 (another post), 4 (a source)."""
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
        return _stop("budget", over, max(unseen_by_yield(evidence), unseen_by_recapture(evidence)), evidence)
    if evidence.posts_pending:
        return None
    if not evidence.pending:
        return _stop("exhausted", "every page in scope was read", 0.0, evidence)
    unseen = unseen_by_recapture(evidence)
    known = sum(evidence.shown)
    enough = evidence.sources_complete or evidence.best_worth < WORTH_WHEN_SEEN
    if enough and unseen <= max(0.5, UNSEEN_SHARE * known) and _audited(evidence, known):
        a, b, both = captures(evidence)
        detail = f"of {known} posts {both} were seen on both ways, {a} and {b} on one only: {unseen:.1f} more expected unseen"
        return _stop("complete", detail, unseen, evidence)
    if evidence.best_worth < WORTH:
        detail = f"the best of {len(evidence.clusters)} groups of pages promises {evidence.best_worth:.3f} new posts a page"
        return _stop("exhausted", detail, unseen_by_yield(evidence), evidence)
    return None


def captures(e: Evidence) -> tuple[int, int, int]:
    """Posts seen one way only, the other way only, both ways."""
    if e.sources_complete:
        one, other = 4, 3
    else:
        one, other = 1, 6
    only_one = sum(n for mask, n in enumerate(e.shown) if mask & one and not mask & other)
    only_other = sum(n for mask, n in enumerate(e.shown) if mask & other and not mask & one)
    return only_one, only_other, sum(n for mask, n in enumerate(e.shown) if mask & one and mask & other)


def unseen_by_recapture(e: Evidence) -> float:
    """Posts that neither way has shown."""
    a, b, both = captures(e)
    if e.sources_complete:
        return (a + 0.5) * (b + 0.5) / (both + 0.5)
    return (a + b) * (a + b - 1) / (4 * (both + 1))


def unseen_by_yield(e: Evidence) -> float:
    """Posts that the pages left unread may still bring."""
    return sum(c.worth * min(c.pending, c.pages + 1) for c in e.clusters)


def _audited(e: Evidence, known: int) -> bool:
    return e.audited >= AUDIT_PAGES + known // AUDIT_EVERY


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
