"""When to visit a blog again: pure.

Input: its habit, the outcome of the last visit, the feed's hints and ``now``.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from blogcrawl.cluster.posting_rate import Habit, interval_hours

Outcome = Literal["changed", "unchanged", "failed", "gone", "refused"]

FLOOR = timedelta(minutes=15)
"""No feed is asked more often (FreshRSS's hard minimum; feed owners ban below)."""
CEILING = timedelta(days=7)
"""A living blog is polled at least weekly, as readers with WebSub do."""
WHOLE_FACTOR = 3.0
"""A feed that is sent whole though nothing changed is asked so much less often: of requests that
cost c a blog wants one every sqrt(c) as long (see ``habit``), and a feed of 50 KB is ten times what
a connection with its 304 is. sqrt(10) = 3."""
HINT_CAP = timedelta(days=1)
"""ttl, max-age and the like are honoured up to here: templates often carry absurd values."""
RETRY_AFTER_CAP = timedelta(days=7)
FAILURE_BASE = timedelta(hours=1)
FAILURE_CEILING = timedelta(days=14)
FAILURES_TO_LIST = 12
"""Failures in a row (about a month of back-off) after which a blog is listed as failing."""
MISSING_BASE = timedelta(minutes=15)
"""First wait before missing posts are requested again; it doubles with each crawl."""
JITTER = 0.1
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """Hints of feed and server. Durations in seconds, hours in GMT."""

    ttl_minutes: int | None = None
    skip_hours: tuple[int, ...] = ()
    skip_days: tuple[str, ...] = ()
    update_period_seconds: int | None = None
    max_age_seconds: int | None = None
    retry_after_seconds: int | None = None
    whole: bool = False
    """The server sends the feed even where nothing changed: it knows no conditional requests."""
    pushed: bool = False
    """A WebSub hub delivers; polls are only the safety net."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """The next visit. ``at`` None: no further one; ``listed``: an operator should look."""

    at: datetime | None
    interval: timedelta | None
    reason: str
    failures: int = 0
    listed: bool = False


def next_visit(
    habit: Habit,
    outcome: Outcome,
    hints: Hints,
    now: datetime,
    *,
    failures: int = 0,
    key: str = "",
    base_hours: float = 2.0,
) -> Visit:
    """Decide the next visit.

    ``failures`` counts those in a row before this one; ``key`` (the blog's id) spreads visits
    deterministically; ``base_hours`` is the cluster's one knob: the interval of a blog that posts
    daily.
    """
    jitter = 1 + JITTER * (2 * (zlib.crc32(f"{key}{now:%Y%m%d%H}".encode()) / 0xFFFFFFFF) - 1)
    if outcome == "gone":
        return Visit(
            at=None,
            interval=None,
            reason="gone (410): no more visits",
            failures=failures + 1,
            listed=True,
        )
    if outcome in ("failed", "refused"):
        return _after_failure(hints, now, failures + 1, jitter, outcome)
    if hints.pushed:
        interval, reason = CEILING * jitter, "pushed by a hub; weekly safety poll"
    else:
        hours = interval_hours(habit, now, base_hours) * (WHOLE_FACTOR if hints.whole else 1)
        interval = min(timedelta(hours=hours), CEILING) * jitter
        reason = f"{habit.rate:.2f} posts a day" + (
            "; its feed is always sent whole" if hints.whole else ""
        )
    floor = max(FLOOR, _hinted(hints))
    if interval < floor:
        interval, reason = (
            floor,
            f"{reason}; held back to {floor} by the feed's own hint"
            if floor > FLOOR
            else f"{reason}; floor",
        )
    at = _after_skips(now + interval, hints)
    return Visit(at=at, interval=at - now, reason=reason)


def missing_due(times: int, now: datetime) -> datetime | None:
    """Return when a crawl retries posts missed ``times`` times; None: at the next visit."""
    wait = MISSING_BASE * 2 ** min(max(times, 1) - 1, 20)
    return now + wait if wait <= CEILING else None


def _hinted(hints: Hints) -> timedelta:
    waits = [
        timedelta(minutes=hints.ttl_minutes or 0),
        timedelta(seconds=hints.max_age_seconds or 0),
        timedelta(seconds=hints.update_period_seconds or 0),
    ]
    wanted = min(max(waits), HINT_CAP)
    return max(wanted, min(timedelta(seconds=hints.retry_after_seconds or 0), RETRY_AFTER_CAP))


def _after_failure(
    hints: Hints, now: datetime, failures: int, jitter: float, outcome: Outcome
) -> Visit:
    wait = min(FAILURE_BASE * 2 ** min(failures - 1, 20), FAILURE_CEILING) * jitter
    wait = max(wait, min(timedelta(seconds=hints.retry_after_seconds or 0), RETRY_AFTER_CAP), FLOOR)
    return Visit(
        at=now + wait,
        interval=wait,
        reason=f"{outcome} {failures} times in a row: back-off",
        failures=failures,
        listed=failures >= FAILURES_TO_LIST,
    )


def _after_skips(at: datetime, hints: Hints) -> datetime:
    """Return the first moment from ``at`` allowed by skipHours and skipDays (GMT).

    A feed that skips everything is ignored.
    """
    hours = {h % 24 for h in hints.skip_hours}
    days = {d.strip().lower() for d in hints.skip_days}
    if len(hours) >= 24 or days.issuperset(_WEEKDAYS):
        return at
    moment = at.astimezone(UTC)
    for _ in range(24 * 8):
        if moment.hour not in hours and _WEEKDAYS[moment.weekday()] not in days:
            return moment
        moment = moment.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    return at
