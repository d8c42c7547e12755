"""A simulated population of blogs, and what was counted when a policy visited it. For
tests/benchmarks/revisit.py.

Times are hours from the start of the simulation (a Monday, 00:00 UTC), in steps of 1/4096: exact as
floats and never so near to a whole hour that rounding to microseconds moves them over it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

HISTORY_DAYS = 60
WINDOW = 10
"""Entries that a feed shows."""
BINS = np.concatenate([[0], np.geomspace(0.02, 24 * 60, 400)])
"""Hours; a longer delay counts in the last one."""
TICK = 4096


def ticks(hours: np.ndarray) -> np.ndarray:
    return np.ceil(hours * TICK) / TICK


@dataclass
class World:
    """``times``: post times of all blogs, each blog's sorted and closed by an infinite one;
    ``starts``: a blog's first.

    ``vanish``: the feed is no more; it answers 410 where ``says_gone``, else errors for ever.
    ``held``: hours that feed and server ask to wait (``ttl``, ``max-age``, ``sy:update*``),
    ``held_header`` the same without ``sy:update*``.
    """

    first: int
    n: int
    hours: float
    starts: np.ndarray
    times: np.ndarray
    fails_from: np.ndarray
    fails_until: np.ndarray
    vanish: np.ndarray
    says_gone: np.ndarray
    moves: np.ndarray
    conditional: np.ndarray
    held: np.ndarray
    held_header: np.ndarray
    sleeps: np.ndarray

    @property
    def published(self) -> int:
        return int(((self.times > 0) & np.isfinite(self.times)).sum())


def make_world(first: int, n: int, days: int, seed: int) -> World:
    """Blogs ``first`` to ``first + n``: the same whatever chunk they are made in is *not* promised,
    the same seed and chunk is.
    """
    rng = np.random.default_rng([seed, first])
    hours = days * 24.0
    rate = np.minimum(np.exp(rng.normal(np.log(0.1), 1.5, n)), 30.0)
    life = np.where(rng.random(n) < 0.2, rng.exponential(200 * 24.0, n), np.inf)
    rows, moment = _posts(rng, n, days, rate)
    alive = (moment < life[rows]) & (moment < hours)
    rows, moment = rows[alive], ticks(moment[alive])
    rows, moment = (
        np.concatenate([rows, np.arange(n)]),
        np.concatenate([moment, np.full(n, np.inf)]),
    )
    order = np.lexsort((moment, rows))
    rows, moment = rows[order], moment[order]
    fails_from = np.where(rng.random(n) < 0.1, rng.random(n) * hours, np.inf)
    # A blog that dies falls silent; in two cases of three its feed goes later, not before a
    # domain's 30 days of grace.
    vanish = np.where(rng.random(n) < 2 / 3, life + 24 * rng.uniform(30, 390, n), np.inf)
    kind = rng.random(n)
    header = np.select(
        [kind < 0.10, kind < 0.15, kind < 0.20], [1.0, 1 / 6, 12.0], 0.0
    )  # ttl 60; max-age 600; ttl 720
    period = np.where(
        kind > 0.6, 1.0, 0.0
    )  # sy:updatePeriod hourly: what WordPress writes into every feed
    return World(
        first=first,
        n=n,
        hours=hours,
        starts=np.searchsorted(rows, np.arange(n)),
        times=moment,
        fails_from=ticks(fails_from),
        fails_until=ticks(fails_from + rng.exponential(72.0, n)),
        vanish=ticks(vanish),
        says_gone=rng.random(n) < 0.5,
        moves=np.where(rng.random(n) < 0.05, rng.random(n) * hours, np.inf),
        conditional=rng.random(n) < 0.9,
        held=np.maximum(header, period),
        held_header=header,
        sleeps=rng.random(n) < 0.02,
    )


def _posts(
    rng: np.random.Generator, n: int, days: int, rate: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    counts = rng.poisson(rate * (days + HISTORY_DAYS))
    rows = np.repeat(np.arange(n), counts)
    day = rng.integers(0, days + HISTORY_DAYS, len(rows)).astype(float)
    favourite = rng.random((n, 2)) * 24
    second = rng.random(len(rows)) < 0.25
    hour = np.where(second, favourite[rows, 1], favourite[rows, 0]) + rng.normal(0, 2.0, len(rows))
    weekend = (day.astype(int) - HISTORY_DAYS) % 7 >= 5
    quiet = rng.random(n) < 0.5
    keep = ~(weekend & quiet[rows] & (rng.random(len(rows)) < 0.8))
    rows, moment = rows[keep], (day * 24 + np.mod(hour, 24))[keep] - HISTORY_DAYS * 24.0
    bursts = rng.choice(n, size=max(n // 20, 1), replace=False)
    burst_rows = np.repeat(bursts, 40)
    burst_day = np.repeat(rng.integers(0, days, len(bursts)), 40)
    return np.concatenate([rows, burst_rows]), np.concatenate(
        [moment, burst_day * 24 + rng.random(len(burst_rows)) * 24]
    )


@dataclass
class Counts:
    """Sums over all chunks. ``requests``: polls, redirects, pages of history; ``saved``: polls that
    the blog's habit asked for and its hints forbade; ``pending``: posts of the last hours of the
    year, not visited yet; ``given_up``: blogs on the failing list."""

    requests: int = 0
    polls: int = 0
    news: int = 0
    empty: int = 0
    not_modified: int = 0
    failed: int = 0
    found: int = 0
    lost: int = 0
    pending: int = 0
    given_up: int = 0
    saved: float = 0.0
    delay_sum: float = 0.0
    seconds: float = 0.0
    delays: np.ndarray = field(default_factory=lambda: np.zeros(len(BINS) - 1, np.int64))

    def median(self) -> float:
        half = np.searchsorted(np.cumsum(self.delays), self.delays.sum() / 2)
        return float(np.sqrt(max(BINS[half], 0.01) * BINS[half + 1]))
