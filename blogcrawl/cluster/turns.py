"""From what a job saw of a blog to the blog's next turn: pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from blogcrawl.cluster.habit import Habit, observe
from blogcrawl.cluster.revisit import Hints, Outcome, missing_due, next_visit
from blogcrawl.storage.schedule_schema import VisitRow, service_of

HOPELESS = frozenset({"not-a-blog", "gone", "usage"})
"""Outcomes that another visit would not change: straight to the list, with the reason."""


def hints_of(data: Mapping[str, Any]) -> Hints:
    known = {name: data[name] for name in Hints.__slots__ if data.get(name) is not None}
    for name in ("skip_hours", "skip_days"):
        if name in known:
            known[name] = tuple(known[name])
    return Hints(**known)


def next_turn(visit: VisitRow, now: datetime, *, base_hours: float, pushed: bool = False) -> VisitRow:
    """The turn after ``visit.facts``.

    Facts: ``outcome`` (changed, unchanged, astray, failed, refused, gone, not-a-blog, crawled), ``published`` (ISO times of entries
    not seen before), ``window`` (entries the feed shows), ``hints``, ``feed`` (its url, validators and digests), ``reason``.
    A poll that found news becomes an update, due at once: its crawl sees all of the news, and the habit learns each post once.
    So does one whose feed went astray: its crawl looks at the blog anew, and where that is gone too, or no blog, says so.
    A crawl that ended becomes a poll, unless posts are missing (facts ``archived``, ``missing``, ``missed_times``): then the next visit
    is a crawl that asks for them, soon, whatever the feed says; polls before it don't put it off. ``pushed``: a hub tells of news.
    """
    facts = visit.facts or {}
    outcome = str(facts.get("outcome", "failed"))
    known = visit.feed or {}
    feed: Mapping[str, Any] | None = facts.get("feed") or visit.feed
    if feed and "whole" in known:  # what polls learned of the server outlives the crawls between them
        feed = {"whole": known["whole"], **feed}
    visit = replace(visit, host=service_of(visit.url), job_id=None, facts=None, feed=feed)
    if outcome in HOPELESS:
        state = "gone" if outcome == "gone" else "listed"
        return replace(visit, state=state, next_visit=None, failures=visit.failures + 1, reason=facts.get("reason") or outcome)
    if visit.kind == "poll" and outcome in ("changed", "astray"):
        return replace(visit, kind="update", state="waiting", next_visit=now, failures=0, reason=facts.get("reason"))
    habit = Habit.from_json(visit.habit or {})
    good = outcome in ("changed", "unchanged", "crawled")
    if good:
        # Edited entries have been learned already.
        seen = [t for t in map(datetime.fromisoformat, facts.get("published", ())) if habit.seen_until is None or t > habit.seen_until]
        habit = observe(habit, seen, now, facts.get("window"))
    kind = "poll" if good else visit.kind
    told: Outcome = "refused" if outcome == "refused" else "failed" if not good else "unchanged" if outcome == "unchanged" else "changed"
    hints = replace(hints_of(facts.get("hints", {})), pushed=pushed, whole=bool((feed or {}).get("whole")))
    decision = next_visit(habit, told, hints, now, failures=visit.failures, key=visit.blog_id, base_hours=base_hours)
    at = decision.at
    if outcome == "crawled" and "missing" in facts:
        lost = int(facts["missing"])
        again = missing_due(int(facts.get("missed_times", 1)), now) if lost else None
        visit = replace(visit, archived=int(facts.get("archived", visit.archived)), missing=lost, missing_due=again)
    if good and visit.missing_due is not None and (at is None or visit.missing_due <= at):
        kind, at = "update", max(visit.missing_due, now)
    asked = (visit.feed or {}).get("url") if kind == "poll" else None
    return replace(
        visit,
        kind=kind,
        host=service_of(str(asked or visit.url)),
        state="listed" if decision.listed else "waiting",
        next_visit=None if decision.listed else at or now + timedelta(days=7),
        habit=habit.to_json(),
        failures=decision.failures,
        reason=facts.get("reason") if not good else None,
    )
