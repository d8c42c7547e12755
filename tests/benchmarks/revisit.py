"""A year in the life of N blogs: blogcrawl's revisit policy against fixed intervals and a reader's policy.

    python tests/benchmarks/revisit.py [--blogs 20000] [--days 365] [--seed 1] [--picture revisit.svg]

Population: posting rates are log-normal (median one post in ten days, heavy tail), each blog has its own hours and
weekdays, some post in bursts of 40 a day into feeds of 10, some die, some fail for days, some move, nine in ten answer a
conditional request with 304.  Policies see only what polls show them.  A poll that finds more new posts than the feed
holds loses the rest, unless the policy walks the feed's history (blogcrawl does; each walked page is a request).

Printed per policy: requests, requests per new post, mean and median delay from publishing to discovery, lost posts, polls
that brought nothing new, of those answered 304.  blogcrawl is run with several base intervals: its curve.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from blogcrawl.cluster.habit import Habits, intervals_hours
from blogcrawl.cluster.revisit import CEILING, FAILURE_BASE, FAILURE_CEILING, FLOOR

HISTORY_DAYS = 60
WINDOW = 10
STEP_HOURS = 0.25
BINS = np.concatenate([[0], np.geomspace(0.02, 24 * 60, 400)])


@dataclass
class World:
    """Sorted post times (hours; 0 is the start, negative is history) of all blogs in one array."""

    n: int
    hours: float
    starts: np.ndarray
    times: np.ndarray
    keys: np.ndarray
    span: float
    fails_from: np.ndarray
    fails_until: np.ndarray
    conditional: np.ndarray

    def count_until(self, rows: np.ndarray, moment: np.ndarray) -> np.ndarray:
        """How many posts of each row are out at ``moment`` (index into ``times``)."""
        return np.searchsorted(self.keys, rows * self.span + moment + HISTORY_DAYS * 24, side="right")


def make_world(n: int, days: int, seed: int) -> World:
    rng = np.random.default_rng(seed)
    hours, history = days * 24.0, HISTORY_DAYS * 24.0
    rate = np.minimum(np.exp(rng.normal(np.log(0.1), 1.5, n)), 30.0)
    life = np.where(rng.random(n) < 0.2, rng.exponential(200 * 24.0, n), np.inf)
    counts = rng.poisson(rate * (days + HISTORY_DAYS))
    rows = np.repeat(np.arange(n), counts)
    day = rng.integers(0, days + HISTORY_DAYS, len(rows)).astype(float)
    favourite = rng.random((n, 2)) * 24
    night = rng.random(len(rows)) < 0.25
    hour = np.where(night, favourite[rows, 1], favourite[rows, 0]) + rng.normal(0, 2.0, len(rows))
    weekend = (day.astype(int) % 7) >= 5
    quiet = rng.random(n) < 0.5
    keep = ~(weekend & quiet[rows] & (rng.random(len(rows)) < 0.8))
    rows, moment = rows[keep], (day * 24 + np.mod(hour, 24))[keep] - history
    bursts = rng.choice(n, size=max(n // 20, 1), replace=False)
    burst_rows = np.repeat(bursts, 40)
    burst_day = np.repeat(rng.integers(0, days, len(bursts)), 40)
    rows = np.concatenate([rows, burst_rows])
    moment = np.concatenate([moment, burst_day * 24 + rng.random(len(burst_rows)) * 24])
    alive = moment < life[rows]
    rows, moment = rows[alive], moment[alive]
    span = hours + history + 48
    keys = np.sort(rows * span + moment + history)
    owner = (keys // span).astype(np.int64)
    fails_from = np.where(rng.random(n) < 0.1, rng.random(n) * hours, np.inf)
    return World(
        n=n, hours=hours, starts=np.searchsorted(owner, np.arange(n)), times=keys - owner * span - history, keys=keys, span=span,
        fails_from=fails_from, fails_until=fails_from + rng.exponential(72.0, n), conditional=rng.random(n) < 0.9,
    )  # fmt: skip


Policy = Callable[["Run", np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]


class Run:
    """One policy's year. State a row a blog; every step polls what is due."""

    def __init__(self, world: World, policy: Policy, *, walks: bool, learns: bool) -> None:
        self.world, self.policy, self.walks = world, policy, walks
        n = world.n
        self.seen = world.count_until(np.arange(n), np.zeros(n))
        self.last = np.zeros(n)
        self.failures = np.zeros(n, np.int64)
        self.recent_week = np.zeros(n)
        self.requests = self.lost = self.found = self.empty = self.not_modified = 0
        self.delay_sum = 0.0
        self.delays = np.zeros(len(BINS) - 1, np.int64)
        self.habits = self.initial_habits() if learns else None

    def initial_habits(self) -> Habits:
        """What the first look at each feed (its last entries with their dates) teaches."""
        world, rows = self.world, np.arange(self.world.n)
        habits = Habits.empty(world.n)
        first = np.maximum(world.starts, self.seen - WINDOW)
        some = first < self.seen
        oldest = np.where(some, world.times[np.minimum(first, len(world.times) - 1)], 0.0)
        habits.watch(rows, np.maximum(-oldest / 24, 0.0))
        for back in range(WINDOW):
            index = self.seen - 1 - back
            ok = index >= first
            habits.add_posts(rows[ok], (world.times[index[ok]] % 168).astype(np.int64))
        return habits

    def poll(self, rows: np.ndarray, now: np.ndarray) -> np.ndarray:
        world = self.world
        failing = (now >= world.fails_from[rows]) & (now < world.fails_until[rows])
        self.requests += len(rows)
        total = world.count_until(rows, now)
        before = self.seen[rows]
        fresh = np.where(failing, 0, total - before)
        overflow = np.maximum(fresh - WINDOW, 0)
        if self.walks:
            self.requests += int(np.ceil(overflow / WINDOW).sum())
            overflow = np.zeros_like(overflow)
        self.lost += int(overflow.sum())
        self.found += int((fresh - overflow).sum())
        nothing = (fresh == 0) & ~failing
        self.empty += int(nothing.sum())
        self.not_modified += int((nothing & world.conditional[rows]).sum())
        owner = np.repeat(np.arange(len(rows)), fresh - overflow)
        offset = np.arange(len(owner)) - np.repeat(np.cumsum(fresh - overflow) - (fresh - overflow), fresh - overflow)
        index = before[owner] + overflow[owner] + offset
        published = world.times[index]
        delay = now[owner] - published
        self.delay_sum += float(delay.sum())
        self.delays += np.histogram(np.clip(delay, 0, BINS[-1] - 1e-6), BINS)[0]
        if self.habits is not None:
            good = ~failing
            self.habits.watch(rows[good], (now - self.last[rows])[good] / 24)
            self.habits.add_posts(rows[owner], (published % 168).astype(np.int64))
        self.seen[rows] = np.where(failing, before, total)
        self.last[rows] = np.where(failing, self.last[rows], now)
        self.failures[rows] = np.where(failing, self.failures[rows] + 1, 0)
        week_ago = world.count_until(rows, now - 168)
        return self.policy(self, rows, now, fresh, failing, total - week_ago)

    def go(self, rng: np.random.Generator, first_spread: float) -> None:
        due = rng.random(self.world.n) * first_spread
        moment = 0.0
        while moment < self.world.hours:
            moment += STEP_HOURS
            rows = np.nonzero(due < moment)[0]
            if len(rows):
                now = due[rows].copy()
                due[rows] = now + np.maximum(self.poll(rows, now), FLOOR.total_seconds() / 3600)

    def median_delay(self) -> float:
        half = np.searchsorted(np.cumsum(self.delays), self.delays.sum() / 2)
        return float(np.sqrt(max(BINS[half], 0.01) * BINS[half + 1]))


def fixed(hours: float) -> Policy:
    return lambda run, rows, now, fresh, failing, week: np.full(len(rows), hours)


def entry_frequency(run: Run, rows: np.ndarray, now: np.ndarray, fresh: np.ndarray, failing: np.ndarray, week: np.ndarray) -> np.ndarray:
    """A reader's published rule: a week divided by the entries of the last week, between 5 minutes and 24 hours."""
    return np.clip(168 / np.maximum(week, 1e-9), 5 / 60, 24.0)


def ours(base_hours: float) -> Policy:
    ceiling = CEILING.total_seconds() / 3600
    first, last = FAILURE_BASE.total_seconds() / 3600, FAILURE_CEILING.total_seconds() / 3600

    def policy(run: Run, rows: np.ndarray, now: np.ndarray, fresh: np.ndarray, failing: np.ndarray, week: np.ndarray) -> np.ndarray:
        assert run.habits is not None
        wait = np.empty(len(rows))
        for part in np.array_split(np.arange(len(rows)), max(len(rows) // 20_000, 1)):
            wait[part] = intervals_hours(run.habits, rows[part], now[part] % 168, base_hours)
        wait = np.minimum(wait, ceiling)
        back_off = np.minimum(first * 2.0 ** np.minimum(run.failures[rows] - 1, 20), last)
        return np.where(failing, back_off, wait)

    return policy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blogs", type=int, default=20_000)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bases", default="1.5,3,6,10,16")
    parser.add_argument("--picture")
    args = parser.parse_args()
    world = make_world(args.blogs, args.days, args.seed)
    published = int((world.times > 0).sum())
    print(f"{args.blogs} blogs, {args.days} days, {published} posts")
    runs: list[tuple[str, Policy, bool, bool, float]] = [
        ("fixed 1 h", fixed(1.0), False, False, 1.0),
        ("fixed 24 h", fixed(24.0), False, False, 24.0),
        ("entry frequency", entry_frequency, False, False, 24.0),
        *((f"blogcrawl {b} h", ours(float(b)), True, True, 24.0) for b in args.bases.split(",")),
    ]
    print(
        f"{'policy':18}{'requests':>13}{'per post':>10}{'mean h':>9}{'median h':>10}{'lost':>8}{'empty %':>9}{'304 of empty %':>16}{'s':>7}"
    )
    rows = []
    for name, policy, walks, learns, spread in runs:
        began = time.perf_counter()
        run = Run(world, policy, walks=walks, learns=learns)
        run.go(np.random.default_rng(args.seed), spread)
        per_post, mean = run.requests / max(run.found, 1), run.delay_sum / max(run.found, 1)
        rows.append((name, per_post, run.median_delay(), mean))
        print(
            f"{name:18}{run.requests:13d}{per_post:10.2f}{mean:9.2f}{run.median_delay():10.2f}{run.lost:8d}"
            f"{100 * run.empty / run.requests:9.1f}{100 * run.not_modified / max(run.empty, 1):16.1f}{time.perf_counter() - began:7.0f}",
            flush=True,
        )
    if args.picture:
        draw(rows, args.picture)


def draw(rows: list[tuple[str, float, float, float]], path: str) -> None:
    """An SVG: requests per new post against the delay of discovery, both logarithmic; left the median, right the mean."""
    width, height, left, bottom = 480, 330, 60, 40
    across, up = (1.3, 120.0), (0.3, 20.0)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * width} {height}" font-family="sans-serif" font-size="12">']
    parts.append('<rect width="100%" height="100%" fill="white"/>')

    def share(value: float, ends: tuple[float, float]) -> float:
        return float(np.log(value / ends[0]) / np.log(ends[1] / ends[0]))

    for panel, (column, label) in enumerate(((2, "median delay, hours"), (3, "mean delay, hours"))):

        def place(x: float, y: float, panel: int = panel) -> tuple[float, float]:
            return panel * width + left + share(x, across) * (width - left - 20), (height - bottom) - share(y, up) * (height - bottom - 20)

        for x in (2, 5, 10, 20, 50, 100):
            (x0, y0), (_, y1) = place(x, up[0]), place(x, up[1])
            parts.append(f'<path d="M{x0:.1f} {y0:.1f}V{y1:.1f}" stroke="#ddd"/>')
            parts.append(f'<text x="{x0:.1f}" y="{y0 + 16:.1f}" text-anchor="middle">{x}</text>')
        for y in (0.5, 1, 2, 5, 10, 20):
            (x0, y0), (x1, _) = place(across[0], y), place(across[1], y)
            parts.append(f'<path d="M{x0:.1f} {y0:.1f}H{x1:.1f}" stroke="#ddd"/>')
            parts.append(f'<text x="{x0 - 6:.1f}" y="{y0 + 4:.1f}" text-anchor="end">{y:g}</text>')
        middle = panel * width + (width + left) / 2
        parts.append(f'<text x="{middle:.0f}" y="{height - 6}" text-anchor="middle">requests per new post</text>')
        parts.append(f'<text x="{panel * width + left + 6}" y="14">{label}</text>')
        curve = [(row[0], *place(row[1], row[column])) for row in rows if row[0].startswith("blogcrawl")]
        parts.append(f'<path d="M{" L".join(f"{x:.1f} {y:.1f}" for _, x, y in curve)}" fill="none" stroke="#0a6" stroke-width="2"/>')
        for row in rows:
            x, y = place(row[1], row[column])
            ours_ = row[0].startswith("blogcrawl")
            shape = (
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#0a6"/>'
                if ours_
                else f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" fill="#c40"/>'
            )
            if ours_:
                parts.append(f'{shape}<text x="{x - 7:.1f}" y="{y + 14:.1f}" text-anchor="end">{row[0].removeprefix("blogcrawl ")}</text>')
            else:
                near = 'text-anchor="end"' if x > panel * width + width - 80 else ""
                parts.append(f'{shape}<text x="{x + (-8 if near else 8):.1f}" y="{y - 5:.1f}" {near}>{row[0]}</text>')
        parts.append(f'<text x="{panel * width + width - 20}" y="40" text-anchor="end" fill="#0a6">blogcrawl, by base interval</text>')
    parts.append("</svg>")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
