"""When does this blog post?  A small, mergeable habit per blog, and the polling density that follows from it.

The habit is an exponentially forgotten posting rate with a gamma prior, times an hour-of-day and a day-of-week profile
with Dirichlet priors.  Everything works on arrays (one row a blog), so that the controller, which asks for one blog, and
the simulation, which asks for a million, run the same lines.

Why polls follow the *square root* of the rate: with polls every T hours a post waits T/2 on average, so a blog of rate r
costs r*T/2 of waiting and 1/T of requests; the sum of both over all blogs, at any price of a request, is least at
T proportional to 1/sqrt(r).  (Proportional to 1/r, as readers do it, wastes requests on the busiest blogs; a constant T
wastes them on the sleeping ones.)  The same holds hour by hour inside one blog's week.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

HOURS_A_WEEK = 168
HALF_LIFE_DAYS = 45.0
"""A habit is forgotten to one half in this time. Sweep of tests/benchmarks/revisit.py over 15, 30, 45, 90: flat from 30 to 60."""
PRIOR_POSTS, PRIOR_DAYS = 0.25, 7.0
"""Gamma prior of the rate: an unknown blog counts as one that posts every four weeks, worth a week of watching."""
PRIOR_PROFILE = 3.0
"""Dirichlet weight of a flat week, in posts: a pattern shows once a handful of posts repeat it."""
SPILL = 0.25
"""Share of a post's weight that goes to each neighbouring hour: people are not punctual."""


@dataclass(slots=True)
class Habits:
    """Rows of habits. ``posts`` and ``days`` are decayed sums, ``hours`` (n, 24) and ``weekdays`` (n, 7) decayed counts."""

    posts: Floats
    days: Floats
    hours: NDArray[np.float32]
    weekdays: NDArray[np.float32]

    @classmethod
    def empty(cls, n: int) -> Habits:
        return cls(np.zeros(n), np.zeros(n), np.zeros((n, 24), np.float32), np.zeros((n, 7), np.float32))

    def watch(self, rows: NDArray[np.int64], days: Floats) -> None:
        """``days`` more of watching have passed for ``rows``; the past fades."""
        fade = 0.5 ** (days / HALF_LIFE_DAYS)
        self.posts[rows] *= fade
        self.days[rows] = self.days[rows] * fade + days
        self.hours[rows] *= fade[:, None].astype(np.float32)
        self.weekdays[rows] *= fade[:, None].astype(np.float32)

    def add_posts(self, rows: NDArray[np.int64], week_hours: NDArray[np.int64]) -> None:
        """One post each at hour ``week_hours`` of the week (0 = Monday 00:00 UTC); a row may occur several times."""
        np.add.at(self.posts, rows, 1.0)
        hour, weekday = week_hours % 24, week_hours // 24
        np.add.at(self.hours, (rows, hour), 1 - 2 * SPILL)
        np.add.at(self.hours, (rows, (hour + 1) % 24), SPILL)
        np.add.at(self.hours, (rows, (hour - 1) % 24), SPILL)
        np.add.at(self.weekdays, (rows, weekday), 1.0)

    def rates(self, rows: NDArray[np.int64]) -> Floats:
        """Posts a day."""
        rates: Floats = (self.posts[rows] + PRIOR_POSTS) / (self.days[rows] + PRIOR_DAYS)
        return rates

    def week_density(self, rows: NDArray[np.int64]) -> Floats:
        """Square root of the relative intensity for each hour of the week, (n, 168), mean 1 a row."""
        hours = self.hours[rows] + np.float32(PRIOR_PROFILE / 24)
        days = self.weekdays[rows] + np.float32(PRIOR_PROFILE / 7)
        week = np.sqrt(days[:, :, None] * hours[:, None, :]).reshape(len(rows), HOURS_A_WEEK)
        density: Floats = week / week.mean(axis=1, keepdims=True)
        return density


def intervals_hours(habits: Habits, rows: NDArray[np.int64], now_week_hour: Floats, base_hours: float) -> Floats:
    """Hours until the next poll of each row.

    ``base_hours`` is the interval of a blog that posts once a day; ``now_week_hour`` is the (fractional) hour of the week.
    Walks each row's week, hour by hour, until the polling density has added up to one poll; weeks that don't suffice are
    jumped over whole.
    """
    per_hour = np.sqrt(habits.rates(rows)) / base_hours
    cumulated = np.cumsum(habits.week_density(rows), axis=1) * per_hour[:, None]
    week_total = cumulated[:, -1]
    start = np.minimum(now_week_hour.astype(np.int64), HOURS_A_WEEK - 1)
    part = now_week_hour - start
    every = np.arange(len(rows))
    before = np.where(start > 0, cumulated[every, start - 1], 0.0)
    spent = before + part * (cumulated[every, start] - before)
    goal = spent + 1.0
    weeks = np.floor(goal / week_total)
    rest = goal - weeks * week_total
    slot = np.minimum((cumulated < rest[:, None]).sum(axis=1), HOURS_A_WEEK - 1)
    low = np.where(slot > 0, cumulated[every, slot - 1], 0.0)
    inside = (rest - low) / np.maximum(cumulated[every, slot] - low, 1e-12)
    result: Floats = weeks * HOURS_A_WEEK + slot + np.clip(inside, 0, 1) - now_week_hour
    return result
