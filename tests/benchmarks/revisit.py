"""A year in the life of N blogs: blogcrawl's revisit policy against fixed intervals and a reader's policy.

    python tests/benchmarks/revisit.py [--blogs 20000] [--days 365] [--seed 1] [--bases 1,6,10] [--picture revisit.svg]

Population (revisit_world.py): posting rates are log-normal (median one post in ten days, heavy tail), each blog has its own hours and
weekdays; one in twenty once posts 40 a day into its feed of 10; one in ten fails for days, one in five dies, one in twenty moves; nine in
ten answer a conditional request with 304, six in ten ask for patience (ttl, max-age, sy:updatePeriod, skipHours). Policies see only what
polls show them. A poll that finds more new posts than the feed holds loses the rest, unless the policy walks the history (blogcrawl does;
each page of it is a request). Every policy stops at a 410 and learns a new address from one redirect.

A million blogs need the policy on whole arrays. So blogcrawl's rows here are a vectorised form, and in every run --sample blogs
are visited through the product's own functions too (next_turn, with the state's JSON between any two visits): where one interval
differs by more than a thousandth, the run ends with an error. Fixed intervals are counted per post (``fixed``), checked against the same
stepping that the others go through.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TextIO

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.benchmarks.revisit_picture import draw
from tests.benchmarks.revisit_policies import Blogcrawl, EntryFrequency, Every
from tests.benchmarks.revisit_world import Counts, World, fixed, make_world, ticks

Run = Callable[[World, Counts, np.ndarray], Blogcrawl | None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blogs", type=int, default=20_000)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bases", default="1,1.5,3,6,10,16")
    parser.add_argument("--chunk", type=int, default=100_000, help="blogs at a time in memory")
    parser.add_argument("--sample", type=int, default=50, help="blogs that the product's own functions visit too")
    parser.add_argument("--picture")
    args = parser.parse_args()
    totals: dict[str, Counts] = {}
    published = compared = 0
    worst = 0.0
    for first in range(0, args.blogs, args.chunk):
        world = make_world(first, min(args.chunk, args.blogs - first), args.days, args.seed)
        published += world.published
        phase = ticks(np.random.default_rng([args.seed, first, 1]).random(world.n) * 24)
        if first == 0:
            check_fixed(args.days, args.seed)
        for name, run in policies(args.bases, args.sample if first == 0 else 0).items():
            counts, began = totals.setdefault(name, Counts()), time.process_time()
            reader = run(world, counts, phase)
            if reader is not None:
                compared, worst = compared + reader.compared, max(worst, reader.worst)
            counts.seconds += time.process_time() - began
        print(f"{first + world.n} of {args.blogs} blogs, {time.process_time():.0f} CPU s", file=sys.stderr, flush=True)
        if first + world.n < args.blogs:
            print_table(totals, published, sys.stderr)
    print(f"{args.blogs} blogs, {args.days} days, {published} posts; {compared} intervals of {args.sample} blogs by the product's own")
    print(f"functions, the largest difference {worst:.1e} of an interval")
    print_table(totals, published)
    if args.picture:
        draw([(n, c.requests / c.found, c.median(), c.delay_sum / c.found) for n, c in totals.items()], args.picture)


def policies(bases: str, sample: int) -> dict[str, Run]:
    """By name; each visits a world, its first polls spread over ``phase`` (up to 24 hours)."""

    def every(hours: float, world: World, counts: Counts, phase: np.ndarray) -> None:
        fixed(world, hours, ticks(phase * hours / 24), counts)

    def reader(world: World, counts: Counts, phase: np.ndarray) -> None:
        EntryFrequency(world, counts, phase.copy()).go()

    def ours(base: float, world: World, counts: Counts, phase: np.ndarray) -> Blogcrawl:
        visits = Blogcrawl(world, counts, phase.copy(), base, sample)
        visits.go()
        return visits

    runs: dict[str, Run] = {"fixed 1 h": partial(every, 1.0), "fixed 24 h": partial(every, 24.0), "entry frequency": reader}
    return runs | {f"blogcrawl {base} h": partial(ours, float(base)) for base in bases.split(",")}


def check_fixed(days: int, seed: int) -> None:
    """Counting per post and stepping agree."""
    world = make_world(0, 300, min(days, 60), seed)
    phase = ticks(np.random.default_rng(seed).random(world.n))
    one, other = Counts(), Counts()
    fixed(world, 1.0, phase, one)
    Every(world, other, phase.copy()).go()
    for name in ("requests", "polls", "news", "empty", "not_modified", "failed", "found", "lost", "pending"):
        if getattr(one, name) != getattr(other, name):
            sys.exit(f"fixed: {name} is {getattr(one, name)} counted per post, {getattr(other, name)} step by step")


def print_table(totals: dict[str, Counts], published: int, to: TextIO = sys.stdout) -> None:
    """``304|hints %``: polls answered 304 or saved by hints, of those made and saved; ``of empty %``: of those that brought nothing."""
    heads = ("requests", "per post", "mean h", "median h", "lost", "listed", "news %", "failed %", "304|hints %", "of empty %", "CPU s")
    print(f"{'policy':16}" + "".join(f"{h:>{14 if i == 0 else 12}}" for i, h in enumerate(heads)), file=to)
    for name, c in totals.items():
        if c.found + c.lost + c.pending != published:
            sys.exit(f"{name}: {c.found} found, {c.lost} lost, {c.pending} pending of {published}")
        kept = c.not_modified + c.saved
        print(
            f"{name:16}{c.requests:14d}{c.requests / c.found:12.2f}{c.delay_sum / c.found:12.2f}{c.median():12.2f}{c.lost:12d}"
            f"{c.given_up:12d}{100 * c.news / c.polls:12.1f}{100 * c.failed / c.polls:12.1f}{100 * kept / (c.polls + c.saved):12.1f}"
            f"{100 * kept / (c.empty + c.saved):12.1f}{c.seconds:12.0f}",
            file=to,
            flush=True,
        )


if __name__ == "__main__":
    main()
