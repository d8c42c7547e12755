"""Kill what runs, many times, and see that nothing is lost.

    python -m tests.chaos --kills 500 [--seed N] [--only crawl,update] [--work FOLDER] [--minutes M]
    [--list]

Prints a line for each scenario (kills, restarts, and how often each invariant was broken), what was
broken, and the seed; ends with 1 when anything was. The folders of broken rounds stay. A round
depends on the seed, the scenario and its number, and on the machine's speed: kills before the n-th
change of a file come again at the same change, those by the clock come about then.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.chaos.engine import KINDS, Result, play
from tests.chaos.scenarios import SCENARIOS


def table(results: list[Result]) -> str:
    row = "{:18} {:>6} {:>6} {:>8} {:>8}  " + "  ".join(f"{{:>{len(kind)}}}" for kind in KINDS)
    lines = [row.format("scenario", "rounds", "kills", "restarts", "seconds", *KINDS)]
    for one in results:
        if one.skipped:
            lines.append(f"{one.scenario:18} skipped: {one.skipped}")
        else:
            counts = [one.count(kind) for kind in KINDS]
            lines.append(
                row.format(
                    one.scenario, one.rounds, one.kills, one.restarts, f"{one.seconds:.0f}", *counts
                )
            )
    sums = [sum(one.count(kind) for one in results) for kind in KINDS]
    rounds, kills, restarts = (
        sum(getattr(one, name) for one in results) for name in ("rounds", "kills", "restarts")
    )
    lines.append(
        row.format(
            "all", rounds, kills, restarts, f"{sum(one.seconds for one in results):.0f}", *sums
        )
    )
    return "\n".join(
        [
            *lines,
            *(f"{one.scenario}: {kind}: {what}" for one in results for kind, what in one.faults),
        ]
    )


def show(result: Result) -> None:
    """After each round: how far it is, and what that round broke."""
    done = f"{result.rounds} rounds, {result.kills} kills, {len(result.faults)} faults"
    print(f"{time.strftime('%H:%M:%S')} {result.scenario}: {done}", flush=True)
    for kind, what in result.faults:
        if what.startswith(f"round {result.rounds}: "):
            print(f"  {kind}: {what[:500]}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--kills", type=int, default=50, help="over all scenarios, shared by what they are worth"
    )
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--only", default="", help="names of scenarios, parted by commas")
    parser.add_argument("--work", type=Path)
    parser.add_argument(
        "--minutes",
        type=float,
        default=float("inf"),
        help="no further round of a scenario after so long",
    )
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    if args.list:
        print("\n".join(SCENARIOS))
        return 0
    names = args.only.split(",") if args.only else list(SCENARIOS)
    work = args.work or Path(tempfile.mkdtemp(prefix="blogcrawl-chaos-"))
    shares = sum(SCENARIOS[name].share for name in names)
    print(f"seed {args.seed}, in {work}", flush=True)
    results = []
    for name in names:
        scenario = SCENARIOS[name]
        kills = math.ceil(args.kills * scenario.share / shares)
        results.append(play(scenario, kills, args.seed, work, seconds=args.minutes * 60, step=show))
    print(table(results))
    return 1 if any(one.faults for one in results) else 0


if __name__ == "__main__":
    sys.exit(main())
