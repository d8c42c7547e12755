"""A year in the life of N blogs: blogcrawl's revisit policy against fixed intervals and a reader's
policy.

    python tests/benchmarks/revisit.py [--blogs 20000] [--days 365] [--seed 1] [--bases 1,3,6,10,16]
    [--picture revisit.svg]

Population (revisit_world.py): posting rates are log-normal (median one post in ten days, heavy
tail), each blog has its own hours and weekdays; one in twenty once posts 40 a day into its feed of
10; one in ten fails for days, one in five dies, one in twenty moves; nine in ten answer a
conditional request with 304, six in ten ask for patience (ttl, max-age, sy:updatePeriod,
skipHours). Policies see only what polls show them. A poll that finds more new posts than the feed
holds loses the rest, unless the policy walks the history (blogcrawl does; each page of it is a
request). Every policy stops at a 410 and learns a new address from one redirect. "entry frequency"
is Miniflux's published rule, without its hourly job and its giving up after three failures, which
would make it later.

A million blogs are half a billion polls, so the policies run as C (revisit.c; needs a C compiler).
In every run the visits of --sample blogs are repeated by the product's own functions (next_turn,
with the state's JSON between any two visits): where one interval differs by more than a thousandth,
the run ends with an error.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TextIO

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.benchmarks.revisit_picture import draw
from tests.benchmarks.revisit_policies import BLOGCRAWL, ENTRY_FREQUENCY, FIXED, visit_all
from tests.benchmarks.revisit_world import Counts, make_world, ticks


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--blogs", type=int, default=20_000)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bases", default="1,3,6,10,16")
    parser.add_argument("--chunk", type=int, default=100_000, help="blogs at a time in memory")
    parser.add_argument(
        "--sample", type=int, default=50, help="blogs that the product's own functions visit too"
    )
    parser.add_argument("--picture")
    args = parser.parse_args()
    totals: dict[str, Counts] = {}
    published = compared = 0
    worst = 0.0
    policies = {
        "fixed 1 h": (FIXED, 1.0),
        "fixed 24 h": (FIXED, 24.0),
        "entry frequency": (ENTRY_FREQUENCY, 0.0),
    }
    policies |= {f"blogcrawl {base} h": (BLOGCRAWL, float(base)) for base in args.bases.split(",")}
    for first in range(0, args.blogs, args.chunk):
        world = make_world(first, min(args.chunk, args.blogs - first), args.days, args.seed)
        published += world.published
        phase = ticks(np.random.default_rng([args.seed, first, 1]).random(world.n) * 24)
        for name, (policy, hours) in policies.items():
            counts, began = totals.setdefault(name, Counts()), time.process_time()
            sample = args.sample if first == 0 and policy == BLOGCRAWL else 0
            times, apart = visit_all(
                world,
                policy,
                hours,
                ticks(phase * hours / 24) if policy == FIXED else phase,
                counts,
                sample,
            )
            compared, worst = compared + times, max(worst, apart)
            counts.seconds += time.process_time() - began
        print(
            f"{first + world.n} of {args.blogs} blogs, {time.process_time():.0f} CPU s",
            file=sys.stderr,
            flush=True,
        )
        if first + world.n < args.blogs:
            print_table(totals, published, sys.stderr)
    print(
        f"{args.blogs} blogs, {args.days} days, {published} posts; {compared} intervals of "
        f"{args.sample} blogs by the product's own"
    )
    print(f"functions, the largest difference {worst:.1e} of an interval")
    print_table(totals, published)
    if args.picture:
        draw(
            [
                (n, c.requests / c.found, c.median(), c.delay_sum / c.found)
                for n, c in totals.items()
            ],
            args.picture,
        )


def print_table(totals: dict[str, Counts], published: int, to: TextIO = sys.stdout) -> None:
    """``304|hints %``: polls answered 304 or saved by hints, of those made and saved; ``of empty
    %``: of those that brought nothing.
    """
    heads = (
        "requests",
        "per post",
        "mean h",
        "median h",
        "lost",
        "listed",
        "news %",
        "failed %",
        "304|hints %",
        "of empty %",
        "CPU s",
    )
    print(
        f"{'policy':16}" + "".join(f"{h:>{14 if i == 0 else 12}}" for i, h in enumerate(heads)),
        file=to,
    )
    for name, c in totals.items():
        if c.found + c.lost + c.pending != published:
            sys.exit(f"{name}: {c.found} found, {c.lost} lost, {c.pending} pending of {published}")
        kept = c.not_modified + c.saved
        print(
            f"{name:16}{c.requests:14d}{c.requests / c.found:12.2f}{c.delay_sum / c.found:12.2f}"
            f"{c.median():12.2f}{c.lost:12d}"
            f"{c.given_up:12d}{100 * c.news / c.polls:12.1f}{100 * c.failed / c.polls:12.1f}"
            f"{100 * kept / (c.polls + c.saved):12.1f}"
            f"{100 * kept / (c.empty + c.saved):12.1f}{c.seconds:12.0f}",
            file=to,
            flush=True,
        )


if __name__ == "__main__":
    main()
