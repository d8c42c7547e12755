"""When to visit a blog again: a pure function of its habit, the last visit's outcome, the feed's hints and ``now``."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import numpy as np

from blogcrawl.cluster.habit import HALF_LIFE_DAYS, PRIOR_DAYS, PRIOR_POSTS, Habits, intervals_hours

Outcome = Literal["changed", "unchanged", "failed", "gone", "refused"]

FLOOR = timedelta(minutes=15)
"""No feed is asked more often (FreshRSS's hard minimum; feed owners ban below)."""
CEILING = timedelta(days=7)
"""A living blog is seen at least weekly: the safety poll that publishers of WebSub readers settled on."""
HINT_CAP = timedelta(days=1)
"""ttl, max-age and the like are honoured up to here: templates often carry absurd values."""
RETRY_AFTER_CAP = timedelta(days=7)
FAILURE_BASE = timedelta(hours=1)
FAILURE_CEILING = timedelta(days=14)
FAILURES_TO_LIST = 12
"""After so many failures in a row (about a month of back-off) a blog goes to the list of the failing with its reason."""
WINDOW_SAFETY = 0.5
"""Share of the time in which the feed's window would fill at the fastest pace seen lately."""
JITTER = 0.1
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """One blog's posting habit as the state keeps it (about 300 bytes of JSON)."""

    posts: float = 0.0
    days: float = 0.0
    hours: tuple[float, ...] = (0.0,) * 24
    weekdays: tuple[float, ...] = (0.0,) * 7
    window: int = 10
    """Entries that the feed shows."""
    pace: float = 0.0
    """Fastest posts a day over one window, decayed like the rest."""
    seen_until: datetime | None = None
    walkable: bool = True
    """A burst that overran the feed can be caught up by walking the history; where not, bursts are forestalled."""

    def to_json(self) -> dict[str, Any]:
        return {
            "posts": round(self.posts, 4),
            "days": round(self.days, 4),
            "hours": [round(x, 2) for x in self.hours],
            "weekdays": [round(x, 2) for x in self.weekdays],
            "window": self.window,
            "pace": round(self.pace, 4),
            "seen_until": self.seen_until.isoformat() if self.seen_until else None,
            "walkable": self.walkable,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Habit:
        seen = data.get("seen_until")
        return cls(
            posts=data.get("posts", 0.0),
            days=data.get("days", 0.0),
            hours=tuple(data.get("hours", (0.0,) * 24)),
            weekdays=tuple(data.get("weekdays", (0.0,) * 7)),
            window=data.get("window", 10),
            pace=data.get("pace", 0.0),
            seen_until=datetime.fromisoformat(seen) if seen else None,
            walkable=data.get("walkable", True),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What feed and server ask of us. Durations in seconds, hours in GMT."""

    ttl_minutes: int | None = None
    skip_hours: tuple[int, ...] = ()
    skip_days: tuple[str, ...] = ()
    update_period_seconds: int | None = None
    max_age_seconds: int | None = None
    retry_after_seconds: int | None = None
    pushed: bool = False
    """A WebSub hub delivers; polls are only the safety net."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """``at`` is None where the blog is not to be visited any more; ``listed`` asks a person to look at it."""

    at: datetime | None
    interval: timedelta | None
    reason: str
    failures: int = 0
    listed: bool = False


def observe(habit: Habit, published: Sequence[datetime], now: datetime, window: int | None = None) -> Habit:
    """The habit after a visit at ``now`` that found new posts ``published`` at these times (any order, lies tolerated).

    On the first visit ``published`` are all dates of the feed: the habit starts from them instead of from nothing.
    """
    times = sorted(t for t in published if t <= now + timedelta(days=1) and t.year > 1990)
    times = [min(t, now) for t in times]
    start = habit.seen_until or (times[0] if times else now)
    days = max((now - start).total_seconds() / 86400, 0.0)
    rows = np.zeros(1, np.int64)
    habits = _as_row(habit)
    habits.watch(rows, np.array([days]))
    fresh = [t for t in times if (now - t).days < 6 * HALF_LIFE_DAYS]
    if fresh:
        habits.add_posts(np.zeros(len(fresh), np.int64), np.array([int(_week_hour(t)) for t in fresh]))
    pace = habit.pace * float(0.5 ** (days / HALF_LIFE_DAYS))
    return Habit(
        posts=float(habits.posts[0]),
        days=float(habits.days[0]),
        hours=tuple(map(float, habits.hours[0])),
        weekdays=tuple(map(float, habits.weekdays[0])),
        window=window or habit.window,
        pace=max(pace, _fastest_pace(times)),
        seen_until=now,
        walkable=habit.walkable,
    )


def next_visit(
    habit: Habit,
    outcome: Outcome,
    hints: Hints,
    now: datetime,
    *,
    failures: int = 0,
    key: str = "",
    base_hours: float = 6.0,
) -> Visit:
    """Decide the next visit.

    ``failures`` counts those in a row before this one; ``key`` (the blog's id) spreads visits deterministically;
    ``base_hours`` is the cluster's one knob: the interval of a blog that posts daily.
    """
    jitter = 1 + JITTER * (2 * (zlib.crc32(f"{key}{now:%Y%m%d%H}".encode()) / 0xFFFFFFFF) - 1)
    if outcome == "gone":
        return Visit(at=None, interval=None, reason="gone (410): no more visits", failures=failures + 1, listed=True)
    if outcome in ("failed", "refused"):
        return _after_failure(hints, now, failures + 1, jitter, outcome)
    if hints.pushed:
        interval, reason = CEILING * jitter, "pushed by a hub; weekly safety poll"
    else:
        interval, reason = _by_habit(habit, now, base_hours)
        interval *= jitter
    floor = max(FLOOR, _hinted(hints))
    if interval < floor:
        interval, reason = floor, f"{reason}; held back to {floor} by the feed's own hint" if floor > FLOOR else f"{reason}; floor"
    at = _after_skips(now + interval, hints)
    return Visit(at=at, interval=at - now, reason=reason)


def _by_habit(habit: Habit, now: datetime, base_hours: float) -> tuple[timedelta, str]:
    hours = float(intervals_hours(_as_row(habit), np.zeros(1, np.int64), np.array([_week_hour(now)]), base_hours)[0])
    interval = min(timedelta(hours=hours), CEILING)
    reason = f"{(habit.posts + PRIOR_POSTS) / (habit.days + PRIOR_DAYS):.2f} posts a day"
    if habit.pace > 0 and not habit.walkable:
        safe = timedelta(days=WINDOW_SAFETY * habit.window / habit.pace)
        if safe < interval:
            return safe, f"{reason}; a burst of {habit.pace:.0f} a day would fill the feed"
    return interval, reason


def _hinted(hints: Hints) -> timedelta:
    waits = [
        timedelta(minutes=hints.ttl_minutes or 0),
        timedelta(seconds=hints.max_age_seconds or 0),
        timedelta(seconds=hints.update_period_seconds or 0),
    ]
    wanted = min(max(waits), HINT_CAP)
    return max(wanted, min(timedelta(seconds=hints.retry_after_seconds or 0), RETRY_AFTER_CAP))


def _after_failure(hints: Hints, now: datetime, failures: int, jitter: float, outcome: Outcome) -> Visit:
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
    """The first moment from ``at`` on that skipHours and skipDays (GMT) allow; a feed that skips everything is ignored."""
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


def _fastest_pace(times: Sequence[datetime]) -> float:
    """Posts a day over the tightest run of five: a burst counts even when it is short."""
    run = 5
    if len(times) < run:
        return 0.0
    gaps = [(times[i + run - 1] - times[i]).total_seconds() for i in range(len(times) - run + 1)]
    return (run - 1) * 86400 / max(min(gaps), 3600.0)


def _week_hour(moment: datetime) -> float:
    moment = moment.astimezone(UTC)
    return moment.weekday() * 24 + moment.hour + moment.minute / 60


def _as_row(habit: Habit) -> Habits:
    return Habits(
        np.array([habit.posts], float),
        np.array([habit.days], float),
        np.array([habit.hours], np.float32),
        np.array([habit.weekdays], np.float32),
    )
