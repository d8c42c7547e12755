"""Policies over the blogs of revisit_world.py: revisit.c, and its check against the product's own
functions.
"""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
import sys
import tempfile
import zlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from blogcrawl.cluster import posting_rate as habit
from blogcrawl.cluster import revisit
from blogcrawl.cluster.visit_scheduler import next_turn
from blogcrawl.storage.tables import VisitRow
from tests.benchmarks.revisit_world import BINS, WINDOW, Counts, World

MONDAY = datetime(2024, 1, 1, tzinfo=UTC)
FIXED, ENTRY_FREQUENCY, BLOGCRAWL = 0, 1, 2
NIGHT = 6
"""Feeds that sleep name the hours 0 to 5 in skipHours."""
COUNTED = (
    "requests",
    "polls",
    "news",
    "empty",
    "not_modified",
    "failed",
    "found",
    "lost",
    "pending",
    "given_up",
)
SUMMED = ("saved", "delay_sum")
ROOM = 3_000_000


def moment_of(hours: float) -> datetime:
    return MONDAY + timedelta(hours=hours)


@cache
def compiled() -> Any:
    """``simulate`` of revisit.c. Leaves with a line where there is no C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        sys.exit("this simulation is a C file: install a C compiler (cc)")
    library = Path(tempfile.mkdtemp(prefix="bc-revisit-")) / "revisit.so"
    source = Path(__file__).with_suffix(".c").with_name("revisit.c")
    subprocess.run(
        [
            compiler,
            "-O3",
            "-march=native",
            "-fno-math-errno",
            "-shared",
            "-fPIC",
            "-o",
            library,
            source,
            "-lm",
        ],
        check=True,
    )
    simulate = ctypes.CDLL(str(library)).simulate
    simulate.restype = ctypes.c_int64
    shutil.rmtree(library.parent)
    return simulate


def c_world(world: World, phase: np.ndarray, held: np.ndarray) -> tuple[Any, list[np.ndarray]]:
    """The struct World, and the arrays that must live as long as it does."""
    # CRC-32 is linear: that of key and hour together is that of the key, pushed on by ten bytes,
    # xor that of the hour.
    blank = bytes(10)
    keys = [
        zlib.crc32(blank, zlib.crc32(key_of(world, row).encode())) ^ zlib.crc32(blank)
        for row in range(world.n)
    ]
    hours = [zlib.crc32(f"{moment_of(h):%Y%m%d%H}".encode()) for h in range(int(world.hours) + 1)]
    floats = (
        world.times,
        world.fails_from,
        world.fails_until,
        world.vanish,
        world.moves,
        held,
        phase,
    )
    arrays = [np.append(world.starts, len(world.times)).astype(np.int64)]
    arrays += [np.ascontiguousarray(a, np.float64) for a in floats]
    arrays += [
        np.ascontiguousarray(a, np.uint8)
        for a in (world.says_gone, world.conditional, world.sleeps)
    ]
    arrays += [np.array(keys, np.uint32), np.array(hours, np.uint32)]
    constants = [
        habit.HALF_LIFE_DAYS,
        habit.PRIOR_POSTS,
        habit.PRIOR_DAYS,
        habit.PRIOR_PROFILE,
        habit.SPILL,
    ]
    constants += [
        t.total_seconds() / 3600
        for t in (revisit.FLOOR, revisit.CEILING, revisit.FAILURE_BASE, revisit.FAILURE_CEILING)
    ]
    constants += [float(revisit.FAILURES_TO_LIST), revisit.JITTER]
    constants.insert(7, revisit.WHOLE_FACTOR)
    kinds = [
        ctypes.c_int64,
        ctypes.c_double,
        *[ctypes.c_void_p] * len(arrays),
        *[ctypes.c_double] * len(constants),
    ]
    fields = [(f"f{i}", kind) for i, kind in enumerate([*kinds, ctypes.c_void_p, ctypes.c_int64])]
    struct = type("CWorld", (ctypes.Structure,), {"_fields_": fields})
    arrays.append(BINS)
    pointers = [a.ctypes.data for a in arrays]
    return struct(
        world.n, world.hours, *pointers[:-1], *constants, pointers[-1], len(BINS) - 1
    ), arrays


def visit_all(
    world: World, policy: int, hours: float, phase: np.ndarray, counts: Counts, sample: int = 0
) -> tuple[int, float]:
    """Let a policy visit the world and add what it saw to ``counts``.

    With ``sample`` that many blogs are visited by the product's functions too; how many intervals
    were compared, the largest difference as a share of an interval. Leaves with an error where it
    is more than a thousandth.
    """
    struct, arrays = c_world(world, phase, world.held if policy == BLOGCRAWL else world.held_header)
    numbers, sums = np.zeros(len(COUNTED), np.int64), np.zeros(len(SUMMED))
    visits = np.zeros((ROOM if sample else 1, 6))
    out = [ctypes.c_void_p(a.ctypes.data) for a in (numbers, sums, counts.delays)]
    end = ctypes.c_void_p(visits.ctypes.data), ctypes.c_int64(len(visits))
    written = compiled()(
        ctypes.byref(struct), policy, ctypes.c_double(hours), *out, ctypes.c_int64(sample), *end
    )
    for names, values in ((COUNTED, numbers.tolist()), (SUMMED, sums.tolist())):
        for name, value in zip(names, values, strict=True):
            setattr(counts, name, getattr(counts, name) + value)
    del arrays
    return compare(world, visits[:written], hours) if sample else (0, 0.0)


def compare(world: World, visits: np.ndarray, base_hours: float) -> tuple[int, float]:
    twins: dict[int, Twin] = {}
    worst = 0.0
    for row, now, failing, first, fresh, wait in visits.tolist():
        if int(row) not in twins:
            twins[int(row)] = Twin(world, int(row), base_hours)
        hours = twins[int(row)].visit(
            now, world.times[int(first) : int(first + fresh)], failing=bool(failing)
        )
        apart = 0.0 if hours == wait else abs(hours - wait) / hours
        worst = max(worst, apart)
        if not apart <= 1e-3:
            sys.exit(
                f"blog {row:.0f} at hour {now}: {wait} h in the simulation, {hours} h by the "
                f"product"
            )
    return len(visits), worst


def key_of(world: World, row: int) -> str:
    return f"b{world.first + row}"


class Twin:
    """One blog of the sample, visited through ``next_turn`` as the controller does it, its habit
    kept as the state's JSON.
    """

    def __init__(self, world: World, row: int, base_hours: float) -> None:
        self.base = base_hours
        held = {"update_period_seconds": int(world.held[row] * 3600)} if world.held[row] else {}
        self.hints = held | ({"skip_hours": list(range(NIGHT))} if world.sleeps[row] else {})
        self.conditional = bool(world.conditional[row])
        self.turn = VisitRow(
            blog_id=key_of(world, row), url="http://blog.example/", host="blog.example", kind="new"
        )
        start = world.starts[row]
        seen = start + np.searchsorted(
            world.times[start : start + np.argmax(np.isinf(world.times[start:])) + 1],
            0.0,
            side="right",
        )
        self.visit(0.0, world.times[max(start, seen - WINDOW) : seen], failing=False)

    def visit(self, now: float, published: np.ndarray, *, failing: bool) -> float:
        """Hours until the next visit."""
        moment = moment_of(now)
        facts: dict[str, object] = {"outcome": "failed"}
        if not failing:
            news = len(published) > 0 or self.turn.kind == "new"
            outcome = (
                "unchanged" if not news else "changed" if self.turn.kind == "poll" else "crawled"
            )
            times = [moment_of(t).isoformat() for t in published.tolist()]
            facts = {"outcome": outcome, "hints": self.hints, "published": times, "window": WINDOW}
            if outcome == "unchanged":
                facts["feed"] = {"whole": not self.conditional}
        turn = next_turn(replace(self.turn, facts=facts), moment, base_hours=self.base)
        if turn.kind == "update":  # the crawl that follows a poll with news
            turn = next_turn(
                replace(turn, facts=facts | {"outcome": "crawled"}), moment, base_hours=self.base
            )
        self.turn = replace(turn, habit=json.loads(json.dumps(turn.habit)))
        return (turn.next_visit - moment).total_seconds() / 3600 if turn.next_visit else np.inf
