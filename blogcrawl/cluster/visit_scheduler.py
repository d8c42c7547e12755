"""Derive a blog's next turn from the result of a job: pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from blogcrawl.cluster.posting_rate import Habit, observe
from blogcrawl.cluster.revisit import Hints, Outcome, Visit, missing_due, next_visit
from blogcrawl.storage.schedule import service_of
from blogcrawl.storage.tables import BlogRow, CrawlRow, VisitRow

HOPELESS = frozenset({"not-a-blog", "gone", "usage"})
"""Outcomes that another visit would not change: straight to the list, with the reason."""
GOOD = frozenset({"changed", "unchanged", "crawled"})
"""Outcomes of visits that read the blog."""
_OUTCOMES: Mapping[str, Outcome] = {
    "refused": "refused",
    "unchanged": "unchanged",
    "changed": "changed",
    "crawled": "changed",
}
"""The outcome of a visit as the revisit policy knows it; all others are failures."""


def hints_of(data: Mapping[str, Any]) -> Hints:
    known = {name: data[name] for name in Hints.__slots__ if data.get(name) is not None}
    for name in ("skip_hours", "skip_days"):
        if name in known:
            known[name] = tuple(known[name])
    return Hints(**known)


def next_turn(
    visit: VisitRow, now: datetime, *, base_hours: float, pushed: bool = False
) -> VisitRow:
    """Return the turn that follows ``visit.facts``.

    Facts: ``outcome`` (changed, unchanged, astray, failed, refused, gone, not-a-blog, crawled),
    ``published`` (ISO times of new entries), ``window`` (entries in the feed), ``hints``, ``feed``
    (its URL, validators and digests), ``reason``. A poll with news becomes an update that is due
    now; its crawl sees all news, and the habit counts each post once. So does a poll whose feed
    went astray; the crawl reports if the blog is gone too. A finished crawl becomes a poll, unless
    posts are missing or lists are unread (facts ``archived``, ``missing``, ``unread``,
    ``missed_times``): then the next visit is a crawl that requests them soon, and polls before it
    do not defer it. ``pushed``: a hub announced news.
    """
    facts = visit.facts or {}
    outcome = str(facts.get("outcome", "failed"))
    feed = _feed_after(visit.feed, facts.get("feed"))
    visit = replace(visit, host=service_of(visit.url), job_id=None, facts=None, feed=feed)
    if outcome in HOPELESS:
        return _given_up(visit, outcome, facts.get("reason"))
    if visit.kind == "poll" and outcome in ("changed", "astray"):
        return replace(
            visit,
            kind="update",
            state="waiting",
            next_visit=now,
            failures=0,
            reason=facts.get("reason"),
        )
    good = outcome in GOOD
    habit = _habit_after(visit.habit or {}, facts, now, good=good)
    decision = next_visit(
        habit,
        _OUTCOMES.get(outcome, "failed"),
        _hints_after(facts, feed, pushed=pushed),
        now,
        failures=visit.failures,
        key=visit.blog_id,
        base_hours=base_hours,
    )
    if outcome == "crawled" and "missing" in facts:
        visit = _with_missing(visit, facts, now)
    visit = replace(
        visit,
        habit=habit.to_json(),
        failures=decision.failures,
        reason=facts.get("reason") if not good else None,
    )
    return _scheduled(visit, decision, now, good=good)


def first_turn(
    blog: BlogRow, crawls: Sequence[CrawlRow], published: Sequence[datetime], *, base_hours: float
) -> VisitRow:
    """Return the turn of a blog that was crawled by hand, as if its last crawl had been a job.

    ``crawls``: those that ended, oldest first; at least one. ``published``: recent dates of its
    posts, for its habit.
    """
    last = crawls[-1]
    facts: dict[str, Any] = {
        "outcome": "crawled" if any(crawl.is_whole for crawl in crawls) else "failed",
        "published": [moment.isoformat() for moment in published],
        "feed": _feed_of(blog),
        "archived": last.counts.get("posts", 0),
        "missing": last.report.get("missing_count", 0) - last.report.get("dead_count", 0),
    }
    turn = VisitRow(blog_id=blog.id, url=blog.url, host="", facts=facts)
    assert last.ended is not None
    return next_turn(turn, last.ended, base_hours=base_hours)


def _feed_of(blog: BlogRow) -> Mapping[str, Any] | None:
    """Return the feed of posts with its validators, as a poll remembers it."""
    for url, known in blog.feeds.items():
        if known.get("role", "posts") == "posts":
            return {
                "url": url,
                "etag": known.get("etag"),
                "last_modified": known.get("last_modified"),
            }
    return None


def _feed_after(
    known: Mapping[str, Any] | None, seen: Mapping[str, Any] | None
) -> Mapping[str, Any] | None:
    """Return the feed after a visit; crawls keep what polls learned about its server."""
    feed = seen or known
    if feed and known and "whole" in known:
        return {"whole": known["whole"], **feed}
    return feed


def _given_up(visit: VisitRow, outcome: str, reason: str | None) -> VisitRow:
    """Return the final turn of a blog that further visits would not change."""
    return replace(
        visit,
        state="gone" if outcome == "gone" else "listed",
        next_visit=None,
        failures=visit.failures + 1,
        reason=reason or outcome,
    )


def _habit_after(
    known: Mapping[str, Any], facts: Mapping[str, Any], now: datetime, *, good: bool
) -> Habit:
    """Return the habit updated with new posts, not with edited ones."""
    habit = Habit.from_json(known)
    if not good:
        return habit
    published = map(datetime.fromisoformat, facts.get("published", ()))
    seen = [t for t in published if habit.seen_until is None or t > habit.seen_until]
    return observe(habit, seen, now, facts.get("window"))


def _hints_after(
    facts: Mapping[str, Any], feed: Mapping[str, Any] | None, *, pushed: bool
) -> Hints:
    hints = hints_of(facts.get("hints", {}))
    return replace(hints, pushed=pushed, whole=bool((feed or {}).get("whole")))


def _with_missing(visit: VisitRow, facts: Mapping[str, Any], now: datetime) -> VisitRow:
    """Record what the crawl could not read, and when a crawl has to retry it."""
    missing = int(facts["missing"])
    due = None
    if missing or facts.get("unread"):
        due = missing_due(int(facts.get("missed_times", 1)), now)
    archived = int(facts.get("archived", visit.archived))
    return replace(visit, archived=archived, missing=missing, missing_due=due)


def _scheduled(visit: VisitRow, decision: Visit, now: datetime, *, good: bool) -> VisitRow:
    """Return the visit with its next kind, time and host.

    A successful visit is followed by a poll, or by a crawl if missing posts are due earlier.
    """
    kind, at, due = visit.kind, decision.at, visit.missing_due
    if good:
        kind = "poll"
        if due is not None and (at is None or due <= at):
            kind, at = "update", max(due, now)
    return replace(
        visit,
        kind=kind,
        host=service_of(_address_of(visit, kind)),
        state="listed" if decision.listed else "waiting",
        next_visit=None if decision.listed else at or now + timedelta(days=7),
    )


def _address_of(visit: VisitRow, kind: str) -> str:
    """Return the URL of a visit's first request: the feed for a poll, the blog for a crawl."""
    feed = (visit.feed or {}).get("url") if kind == "poll" else None
    return str(feed or visit.url)
