"""When does this blog post? A small habit per blog, and the polling density that follows from it.

The habit is an exponentially forgotten posting rate with a gamma prior, times an hour-of-day and a
day-of-week profile with Dirichlet priors.

Why polls follow the *square root* of the rate: with polls every T hours a post waits T/2 on
average, so a blog of rate r costs r*T/2 of waiting and 1/T of requests; the sum of both over all
blogs, at any price of a request, is least at T proportional to 1/sqrt(r). (Proportional to 1/r, as
readers do it, wastes requests on the busiest blogs; a constant T wastes them on the sleeping ones.)
The same holds hour by hour inside one blog's week.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from math import sqrt
from typing import Any

import msgspec

HOURS_A_WEEK = 168
HALF_LIFE_DAYS = 45.0
"""Half-life of a habit; a sweep of tests/benchmarks/revisit.py is flat from 30 to 60."""
PRIOR_POSTS, PRIOR_DAYS = 0.25, 7.0
"""Gamma prior of the rate: a post every four weeks, worth a week of watching."""
PRIOR_PROFILE = 3.0
"""Dirichlet weight of a flat week, in posts: a pattern shows once a handful of posts repeat it."""
SPILL = 0.25
"""Share of a post's weight that goes to each neighbouring hour: people are not punctual."""
PRECISION = 6
"""Decimals in the state: polls every 15 minutes fade a habit by 0.00016 of itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """Posting rate and profile of one blog as stored in the state (about 400 bytes of JSON).

    ``posts`` and ``days``: decayed sums; ``hours`` (of the day) and ``weekdays``: decayed counts of
    posts, UTC.
    """

    posts: float = 0.0
    days: float = 0.0
    hours: tuple[float, ...] = (0.0,) * 24
    weekdays: tuple[float, ...] = (0.0,) * 7
    window: int = 10
    """Entries that the feed shows."""
    seen_until: datetime | None = None

    @property
    def rate(self) -> float:
        """Posts per day."""
        return (self.posts + PRIOR_POSTS) / (self.days + PRIOR_DAYS)

    def to_json(self) -> dict[str, Any]:
        return {
            "posts": round(self.posts, PRECISION),
            "days": round(self.days, PRECISION),
            "hours": [round(x, PRECISION) for x in self.hours],
            "weekdays": [round(x, PRECISION) for x in self.weekdays],
            "window": self.window,
            "seen_until": self.seen_until.isoformat() if self.seen_until else None,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Habit:
        """Back from ``to_json``. Raises ValueError on other data."""
        return msgspec.convert(data, cls)


def _plausible(published: Sequence[datetime], now: datetime) -> list[datetime]:
    """Return the possible times, oldest first; those of tomorrow count as now."""
    tomorrow = now + timedelta(days=1)
    return [min(t, now) for t in sorted(published) if t <= tomorrow and t.year > 1990]


def observe(
    habit: Habit, published: Sequence[datetime], now: datetime, window: int | None = None
) -> Habit:
    """Update the habit after a visit at ``now`` that found new posts ``published`` at these times.

    The order does not matter, and wrong dates are tolerated. At the first visit ``published`` are
    all dates of the feed: the habit starts from them.
    """
    times = _plausible(published, now)
    start = habit.seen_until or (times[0] if times else now)
    days = max((now - start).total_seconds() / 86400, 0.0)
    fade = 0.5 ** (days / HALF_LIFE_DAYS)
    fresh = [int(week_hour(t)) for t in times if (now - t).days < 6 * HALF_LIFE_DAYS]
    hours, weekdays = [x * fade for x in habit.hours], [x * fade for x in habit.weekdays]
    for hour in fresh:
        hours[hour % 24] += 1 - 2 * SPILL
        hours[(hour + 1) % 24] += SPILL
        hours[(hour - 1) % 24] += SPILL
        weekdays[hour // 24] += 1
    return Habit(
        posts=habit.posts * fade + len(fresh),
        days=habit.days * fade + days,
        hours=tuple(hours),
        weekdays=tuple(weekdays),
        window=window or habit.window,
        seen_until=now,
    )


def interval_hours(habit: Habit, now: datetime, base_hours: float) -> float:
    """Return the hours until the next poll; ``base_hours`` applies to one post per day.

    The density of polls over the week is the square root of the habit's; the next poll is due when
    the density integrates to one. Root and product commute, so a week is 24 hours times 7 days, not
    168 cells; whole weeks are skipped.
    """
    by_hour = [sqrt(x + PRIOR_PROFILE / 24) for x in habit.hours]
    by_day = [sqrt(x + PRIOR_PROFILE / 7) for x in habit.weekdays]
    until_hour = list(accumulate(by_hour, initial=0.0))
    until_day = list(accumulate(by_day, initial=0.0))
    day_sum = until_hour[24]
    week_sum = until_day[7] * day_sum
    moment = week_hour(now)
    day, rest = divmod(moment, 24)
    hour = int(rest)
    spent = until_day[int(day)] * day_sum + by_day[int(day)] * (
        until_hour[hour] + (rest - hour) * by_hour[hour]
    )
    weeks, goal = divmod(
        spent + week_sum * base_hours / (HOURS_A_WEEK * sqrt(habit.rate)), week_sum
    )
    at_day = next((d for d in range(6) if until_day[d + 1] * day_sum >= goal), 6)
    left = (goal - until_day[at_day] * day_sum) / by_day[at_day]
    at_hour = next((h for h in range(23) if until_hour[h + 1] >= left), 23)
    part = min(max((left - until_hour[at_hour]) / by_hour[at_hour], 0.0), 1.0)
    return weeks * HOURS_A_WEEK + at_day * 24 + at_hour + part - moment


def week_hour(moment: datetime) -> float:
    """Return the hours since Monday 00:00 UTC."""
    moment = moment.astimezone(UTC)
    return (
        moment.weekday() * 24
        + moment.hour
        + (moment.minute * 60 + moment.second + moment.microsecond / 1e6) / 3600
    )
