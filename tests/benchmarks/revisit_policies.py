"""What visits the simulated blogs of revisit_world.py: blogcrawl's policy on arrays, its check against the product, a reader's policy."""

from __future__ import annotations

import json
import sys
import zlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np

from blogcrawl.cluster.habit import HALF_LIFE_DAYS, PRIOR_DAYS, PRIOR_POSTS, PRIOR_PROFILE, SPILL
from blogcrawl.cluster.revisit import CEILING, FAILURE_BASE, FAILURE_CEILING, FAILURES_TO_LIST, FLOOR, JITTER
from blogcrawl.cluster.turns import next_turn
from blogcrawl.storage.schedule_schema import VisitRow
from tests.benchmarks.revisit_world import WINDOW, Counts, World, ticks

MONDAY = datetime(2024, 1, 1, tzinfo=UTC)
STEP_HOURS = 0.25
FLOOR_HOURS, CEILING_HOURS = FLOOR.total_seconds() / 3600, CEILING.total_seconds() / 3600
NIGHT = 6
"""Feeds that sleep name the hours 0 to 5 in skipHours."""


def moment_of(hours: float) -> datetime:
    return MONDAY + timedelta(hours=hours)


class Reader:
    """Visits a world step by step; ``interval`` is the policy. One row a blog."""

    walks = False

    def __init__(self, world: World, counts: Counts, due: np.ndarray) -> None:
        self.world, self.counts, self.due = world, counts, due
        self.seen = self._advance(world.starts.copy(), np.arange(world.n), np.zeros(world.n))
        self.failures = np.zeros(world.n, np.int64)
        self.moved = np.isinf(world.moves)

    def _advance(self, index: np.ndarray, rows: np.ndarray, now: np.ndarray) -> np.ndarray:
        """The first post after ``now``, from ``index`` on."""
        ahead = np.nonzero(self.world.times[index] <= now)[0]
        while len(ahead):
            index[ahead] += 1
            ahead = ahead[self.world.times[index[ahead]] <= now[ahead]]
        return index

    def go(self) -> None:
        moment = 0.0
        while moment < self.world.hours:
            moment += STEP_HOURS
            rows = np.nonzero(self.due < min(moment, self.world.hours))[0]
            if len(rows):
                now = self.due[rows]
                self.due[rows] = ticks(now + np.maximum(self._poll(rows, now), FLOOR_HOURS))
        world = self.world
        last = np.append(world.starts[1:], len(world.times)) - 1
        left = last - self.seen
        self.counts.lost += int(left[np.isinf(self.due)].sum())
        self.counts.pending += int(left[~np.isinf(self.due)].sum())

    def _poll(self, rows: np.ndarray, now: np.ndarray) -> np.ndarray:
        world, counts = self.world, self.counts
        failing = world.failing(rows, now)
        before = self.seen[rows]
        after = self._advance(before.copy(), rows, np.where(failing, -np.inf, now))
        fresh = after - before
        kept = fresh if self.walks else np.minimum(fresh, WINDOW)
        pages = int((fresh // WINDOW).sum()) if self.walks else 0
        moved = ~self.moved[rows] & (world.moves[rows] <= now) & ~failing
        self.moved[rows[moved]] = True
        counts.polls += len(rows)
        counts.requests += len(rows) + pages + int(moved.sum())
        counts.lost += int((fresh - kept).sum())
        counts.found += int(kept.sum())
        counts.failed += int(failing.sum())
        counts.news += int((fresh > 0).sum())
        nothing = (fresh == 0) & ~failing
        counts.empty += int(nothing.sum())
        counts.not_modified += int((nothing & world.conditional[rows]).sum())
        owner = np.repeat(np.arange(len(rows)), kept)
        index = (after - kept)[owner] + np.arange(len(owner)) - np.repeat(np.cumsum(kept) - kept, kept)
        published = world.times[index]
        counts.add_delays(now[owner] - published)
        self.seen[rows] = after
        self.failures[rows] = np.where(failing, self.failures[rows] + 1, 0)
        wait = self.interval(rows, now, failing, owner, published)
        wait[failing & world.says_gone[rows] & (now >= world.vanish[rows])] = np.inf
        return wait

    def interval(self, rows: np.ndarray, now: np.ndarray, failing: np.ndarray, owner: np.ndarray, published: np.ndarray) -> np.ndarray:
        """Hours until the next visit; infinite: none. ``published``: times of the new posts, of rows ``rows[owner]``."""
        raise NotImplementedError


class Every(Reader):
    """A fixed interval, step by step: what ``fixed`` is checked against."""

    hours = 1.0

    def interval(self, rows: np.ndarray, *_: np.ndarray) -> np.ndarray:
        return np.full(len(rows), self.hours)


class EntryFrequency(Reader):
    """Miniflux's published rule: a week divided by the entries of the last week, not under 5 minutes, ttl and max-age kept, at most
    24 hours. (Its hourly job and its giving up after three failures would make it later; they are left out.)"""

    def __init__(self, world: World, counts: Counts, due: np.ndarray) -> None:
        super().__init__(world, counts, due)
        self.week = world.starts.copy()

    def interval(self, rows: np.ndarray, now: np.ndarray, *_: np.ndarray) -> np.ndarray:
        self.week[rows] = self._advance(self.week[rows], rows, now - 168)
        wait = np.clip(168 / np.maximum(self.seen[rows] - self.week[rows], 1e-9), 5 / 60, 24.0)
        return np.minimum(np.maximum(wait, self.world.held_header[rows]), 24.0)


class Blogcrawl(Reader):
    """``habit.observe``, ``habit.interval_hours`` and ``revisit.next_visit`` on arrays."""

    walks = True

    def __init__(self, world: World, counts: Counts, due: np.ndarray, base_hours: float, sample: int = 0) -> None:
        super().__init__(world, counts, due)
        n = world.n
        self.base, self.last = base_hours, np.zeros(n)
        self.posts, self.days = np.zeros(n), np.zeros(n)
        self.by_hour, self.by_day = np.zeros((n, 24), np.float32), np.zeros((n, 7), np.float32)
        seeds = [f"b{world.first + i}".encode() for i in range(n)]
        # CRC-32 is linear: that of key and hour together is that of the key, pushed on by ten bytes, xor that of the hour.
        blank = bytes(10)
        self.key_bits = np.array([zlib.crc32(blank, zlib.crc32(s)) ^ zlib.crc32(blank) for s in seeds], np.uint32)
        self.hour_bits = np.array([zlib.crc32(f"{moment_of(h):%Y%m%d%H}".encode()) for h in range(int(world.hours) + 1)], np.uint32)
        self.twins = {row: Twin(f"b{world.first + row}", world, row, base_hours) for row in range(min(sample, n))}
        self.compared, self.worst = 0, 0.0
        self._first_look()

    def _first_look(self) -> None:
        """What the last entries of each feed teach, as the first crawl sees them."""
        world, rows = self.world, np.arange(self.world.n)
        first = np.maximum(world.starts, self.seen - WINDOW)
        self.days += np.where(first < self.seen, np.maximum(-world.times[np.minimum(first, len(world.times) - 1)] / 24, 0.0), 0.0)
        for back in range(WINDOW):
            index = self.seen - 1 - back
            ok = index >= first
            self.posts[ok] += 1
            self._add(self.by_hour, self.by_day, rows[ok], world.times[index[ok]])
        for row, twin in self.twins.items():
            twin.visit(0.0, world.times[first[row] : self.seen[row]], failing=False)

    @staticmethod
    def _add(by_hour: np.ndarray, by_day: np.ndarray, rows: np.ndarray, moments: np.ndarray) -> None:
        week_hour = np.floor(moments % 168).astype(np.int64)
        hour = week_hour % 24
        np.add.at(by_hour, (rows, hour), np.float32(1 - 2 * SPILL))
        np.add.at(by_hour, (rows, (hour + 1) % 24), np.float32(SPILL))
        np.add.at(by_hour, (rows, (hour - 1) % 24), np.float32(SPILL))
        np.add.at(by_day, (rows, week_hour // 24), np.float32(1))

    def interval(self, rows: np.ndarray, now: np.ndarray, failing: np.ndarray, owner: np.ndarray, published: np.ndarray) -> np.ndarray:
        world = self.world
        days = np.where(failing, 0.0, (now - self.last[rows]) / 24)
        fade = np.exp2(-days / HALF_LIFE_DAYS)
        self.last[rows] = np.where(failing, self.last[rows], now)
        self.posts[rows] = self.posts[rows] * fade + np.bincount(owner, minlength=len(rows))
        self.days[rows] = self.days[rows] * fade + days
        fading = fade.astype(np.float32)[:, None]
        by_hour, by_day = self.by_hour.take(rows, axis=0) * fading, self.by_day.take(rows, axis=0) * fading
        self._add(by_hour, by_day, owner, published)
        self.by_hour[rows], self.by_day[rows] = by_hour, by_day
        wanted = np.minimum(self._by_habit(rows, now % 168, by_hour, by_day), CEILING_HOURS)
        bits = self.key_bits[rows] ^ self.hour_bits[now.astype(np.int64)]
        jitter = 1 + JITTER * (2 * (bits / 0xFFFFFFFF) - 1)
        wanted *= jitter
        wait = np.maximum(wanted, np.maximum(FLOOR_HOURS, world.held[rows]))
        at = now + wait
        asleep = world.sleeps[rows] & (at % 24 < NIGHT)
        wait = np.where(asleep, np.floor(at / 24) * 24 + NIGHT - now, wait)
        good = ~failing
        self.counts.saved += float((wait[good] / np.maximum(wanted[good], FLOOR_HOURS) - 1).sum())
        first, last = FAILURE_BASE.total_seconds() / 3600, FAILURE_CEILING.total_seconds() / 3600
        back_off = np.minimum(first * 2.0 ** np.minimum(self.failures[rows] - 1, 20), last) * jitter
        wait = np.where(failing, np.maximum(back_off, FLOOR_HOURS), wait)
        listed = self.failures[rows] >= FAILURES_TO_LIST
        self.counts.given_up += int(listed.sum())
        wait[listed] = np.inf
        if self.twins:
            self._compare(rows, now, failing, owner, published, wait)
        return wait

    def _by_habit(self, rows: np.ndarray, moment: np.ndarray, by_hour: np.ndarray, by_day: np.ndarray) -> np.ndarray:
        """``interval_hours``; inside, hours and days are the first axis, so that sums run along whole arrays."""
        rate = (self.posts[rows] + PRIOR_POSTS) / (self.days[rows] + PRIOR_DAYS)
        hour_root = np.sqrt(np.ascontiguousarray(by_hour.T) + np.float32(PRIOR_PROFILE / 24))
        day_root = np.sqrt(np.ascontiguousarray(by_day.T) + np.float32(PRIOR_PROFILE / 7))
        until_hour, until_day = sums(hour_root), sums(day_root)
        every, whole_day = np.arange(len(rows)), until_hour[24]
        week = until_day[7] * whole_day
        day = (moment // 24).astype(np.int64)
        of_day = moment - day * 24
        hour = of_day.astype(np.int64)
        spent = until_day[day, every] * whole_day + day_root[day, every] * (
            until_hour[hour, every] + (of_day - hour) * hour_root[hour, every]
        )
        goal = spent + week * (self.base / 168) / np.sqrt(rate)
        weeks = np.floor(goal / week)
        goal -= weeks * week
        at_day = np.minimum(below(until_day, goal / whole_day), 6)
        left = (goal - until_day[at_day, every] * whole_day) / day_root[at_day, every]
        at_hour = np.minimum(below(until_hour, left), 23)
        part = np.clip((left - until_hour[at_hour, every]) / hour_root[at_hour, every], 0, 1)
        out: np.ndarray = weeks * 168 + at_day * 24 + at_hour + part - moment
        return out

    def _compare(
        self, rows: np.ndarray, now: np.ndarray, failing: np.ndarray, owner: np.ndarray, published: np.ndarray, wait: np.ndarray
    ) -> None:
        """The sample's blogs through the product; leaves with an error where an interval differs."""
        for i in np.nonzero(rows < len(self.twins))[0]:
            row = int(rows[i])
            if failing[i] and self.world.says_gone[row] and now[i] >= self.world.vanish[row]:
                continue
            hours = self.twins[row].visit(float(now[i]), published[owner == i], failing=bool(failing[i]))
            apart = 0.0 if hours == wait[i] else abs(hours - wait[i]) / hours if np.isfinite(hours) else np.inf
            self.compared, self.worst = self.compared + 1, max(self.worst, apart)
            if apart > 1e-3:
                sys.exit(f"blog {row} at hour {now[i]}: {wait[i]} h on arrays, {hours} h by the product")


def sums(parts: np.ndarray) -> np.ndarray:
    """Sums up to each row of ``parts``, the first of nothing."""
    out = np.zeros((len(parts) + 1, parts.shape[1]), np.float32)
    for i, part in enumerate(parts):
        np.add(out[i], part, out=out[i + 1])
    return out


def below(until: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """In which part of each column of ``sums`` the goal lies."""
    out: np.ndarray = (until[1:] < goal.astype(np.float32)).view(np.int8).sum(axis=0, dtype=np.int8).astype(np.int64)
    return out


class Twin:
    """One blog of the sample, visited through ``next_turn`` as the controller does it, its habit kept as the state's JSON."""

    def __init__(self, key: str, world: World, row: int, base_hours: float) -> None:
        self.base = base_hours
        held = {"update_period_seconds": int(world.held[row] * 3600)} if world.held[row] else {}
        self.hints = held | ({"skip_hours": list(range(NIGHT))} if world.sleeps[row] else {})
        self.turn = VisitRow(blog_id=key, url="http://blog.example/", host="blog.example", kind="new")

    def visit(self, now: float, published: np.ndarray, *, failing: bool) -> float:
        moment = moment_of(now)
        turn = self.turn
        if failing:
            facts: dict[str, object] = {"outcome": "failed"}
        else:
            news = len(published) > 0 or turn.kind == "new"
            facts = {"outcome": "changed" if news and turn.kind == "poll" else "crawled" if news else "unchanged", "hints": self.hints}
            facts |= {"published": [moment_of(float(t)).isoformat() for t in published], "window": WINDOW}
        turn = next_turn(self._with(turn, facts), moment, base_hours=self.base)
        if turn.kind == "update":  # the crawl that follows a poll with news
            turn = next_turn(self._with(turn, facts | {"outcome": "crawled"}), moment, base_hours=self.base)
        self.turn = self._with(turn, None, json.loads(json.dumps(turn.habit)))
        return (turn.next_visit - moment).total_seconds() / 3600 if turn.next_visit else np.inf

    @staticmethod
    def _with(turn: VisitRow, facts: dict[str, object] | None, habit: dict[str, object] | None = None) -> VisitRow:
        return replace(turn, facts=facts, habit=habit or turn.habit)
