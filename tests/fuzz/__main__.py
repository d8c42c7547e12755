"""Fuzz every parser of foreign bytes.

    python -m tests.fuzz --runs 5000000 [--seed 1] [--work FOLDER] [--targets url,feed] [--plain]

The runs are shared among the targets by what they cost and done in slices, each in a process of its
own (``worker``); the folder remembers them: the same command goes on where it was ended. Prints a
table and ends with 1 when an input crashes a parser, takes over two seconds of CPU time, or lets
the memory grow; "open" are crashes that the code has still when the table is made. Inputs lie in
FOLDER/crashes and FOLDER/slow; one that is fixed belongs into tests/fuzz/found/TARGET, where the
test suite runs it for good.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.fuzz import worker

HERE = Path(__file__).parent
MAX_SECONDS = 2.0
"""CPU time that one input may take."""

SLICE_RUNS = 2000
"""Of a slice at least; a tenth of the target's runs where that is more."""
MAX_GROWTH = 64.0
"""Megabytes that a process may grow by after its caches are full."""


@dataclass
class Total:
    """What all slices of one target gave. ``over``: inputs over two seconds -> seconds, measured
    without instruments.
    """

    runs: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    megabytes: float = 0.0
    grown: float = 0.0
    slices: int = 0
    crashes: dict[str, str] = field(default_factory=dict)
    over: dict[str, float] = field(default_factory=dict)


def slice_of(name: str, runs: int, total: Total, args: argparse.Namespace) -> None:
    """One process; what it noted goes into ``total``."""
    from tests.fuzz.engine import keep

    noted = args.work / f"{name}.json"
    noted.unlink(missing_ok=True)
    guided = not args.plain and worker.atheris is not None
    code = worker.run_slice(
        name, runs, args.seed * 1000 + total.slices + 1, args.work, guided=guided
    )
    saved = json.loads(noted.read_text()) if noted.exists() else {}
    total.slices += 1
    total.runs += saved.get("runs", 0)
    total.seconds += saved.get("seconds", 0.0)
    total.megabytes = max(total.megabytes, saved.get("megabytes", 0.0))
    total.grown = max(total.grown, saved.get("grown", 0.0))
    total.crashes.update(saved.get("crashes", {}))
    slowest = saved.get("slowest", 0.0)
    for path in saved.get("slow", ()):
        seconds = measured(name, Path(path))
        slowest = min(slowest, max(seconds, MAX_SECONDS))
        if seconds > MAX_SECONDS:
            total.over[path] = seconds
    total.slowest = max(total.slowest, slowest)
    if code:
        last = (args.work / f"{name}.input").read_bytes()
        data = last[8 : 8 + int.from_bytes(last[:8], "big")]
        total.crashes[f"the process ended with {code}"] = str(
            keep(args.work / "crashes", name, data)
        )


def measured(name: str, path: Path) -> float:
    """CPU seconds that an input takes in a fresh process without instruments."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", "--replay", name, str(path)],
        capture_output=True,
        text=True,
        cwd=HERE.parents[1],
        check=False,
    )
    try:
        return float(done.stdout.split()[0])
    except (ValueError, IndexError):
        return float("inf")


def replay(name: str, path: Path) -> int:
    """Run one input as it is; prints its CPU seconds (once everything is loaded) and what it
    raises.
    """
    from tests.fuzz.engine import where
    from tests.fuzz.targets import TARGETS

    data = path.read_bytes()
    with contextlib.suppress(Exception):
        TARGETS[name].run(data)
    began = time.process_time()
    try:
        TARGETS[name].run(data)
    except Exception as error:
        print(f"{time.process_time() - began:.3f} s  {where(error)}")
        return 1
    print(f"{time.process_time() - began:.3f} s")
    return 0


ROW = "{:18} {:>9} {:>7} {:>7} {:>5} {:>9} {:>8} {:>6} {:>6}"


def table(totals: dict[str, Total], still: dict[str, list[str]]) -> str:
    """``still``: of each target, what its kept inputs break today."""
    lines = [
        ROW.format(
            "target", "runs", "CPU s", "crashes", "open", "slowest s", "over 2 s", "MB", "grown"
        )
    ]
    for name, t in totals.items():
        figures = (
            len(t.crashes),
            len(still[name]),
            f"{t.slowest:.3f}",
            len(t.over),
            f"{t.megabytes:.0f}",
            f"{t.grown:.1f}",
        )
        lines.append(ROW.format(name, t.runs, f"{t.seconds:.0f}", *figures))
    crashes, over = (
        sum(len(t.crashes) for t in totals.values()),
        sum(len(t.over) for t in totals.values()),
    )
    runs, seconds = sum(t.runs for t in totals.values()), sum(t.seconds for t in totals.values())
    lines.append(
        ROW.format(
            "all", runs, f"{seconds:.0f}", crashes, sum(map(len, still.values())), "", over, "", ""
        )
    )
    return "\n".join(
        [*lines, *(f"{name}: {line}" for name, found in still.items() for line in found)]
    )


def open_faults(name: str, total: Total) -> list[str]:
    """What the inputs that were kept break in the code as it is now."""
    found = []
    for path in dict.fromkeys((*total.crashes.values(), *total.over)):
        command = [sys.executable, "-m", "tests.fuzz", "--replay", name, path]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=HERE.parents[1], check=False
        )
        seconds, _, why = done.stdout.strip().partition(" s")
        if done.returncode or float(seconds) > MAX_SECONDS:
            found.append(f"{seconds} s {why.strip() or done.stderr.strip()[-200:]}\n    {path}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=100_000, help="over all targets")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "blogcrawl-fuzz")
    parser.add_argument("--targets", default="", help="names, parted by commas; all by default")
    parser.add_argument(
        "--plain",
        action="store_true",
        help="seeded mutations without coverage, also where atheris is installed",
    )
    parser.add_argument("--replay", nargs=2, metavar=("TARGET", "FILE"), help="run one input")
    parser.add_argument("--table", action="store_true", help="print what the folder holds and end")
    args = parser.parse_args()
    if args.replay:
        return replay(args.replay[0], Path(args.replay[1]))
    worker.load(guided=not args.table and not args.plain and worker.atheris is not None)
    from tests.fuzz.targets import TARGETS

    args.work = args.work.resolve()
    args.work.mkdir(parents=True, exist_ok=True)
    book = args.work / "totals.json"
    known = json.loads(book.read_text()) if book.exists() else {}
    names = args.targets.split(",") if args.targets else list(TARGETS)
    totals = {name: Total(**known.get(name, {})) for name in names}
    if not args.table:
        shares = sum(TARGETS[name].share for name in names)
        goals = {name: max(100, round(args.runs * TARGETS[name].share / shares)) for name in names}
        while behind := [name for name in names if totals[name].runs < goals[name]]:
            name = min(behind, key=lambda name: totals[name].runs / goals[name])
            left = goals[name] - totals[name].runs
            slice_of(name, min(left, max(SLICE_RUNS, goals[name] // 10)), totals[name], args)
            done = f"{totals[name].runs} of {goals[name]}, crashes {len(totals[name].crashes)}"
            print(f"{time.strftime('%H:%M:%S')} {name}: {done}", flush=True)
            temporary = book.with_suffix(".tmp")
            temporary.write_text(
                json.dumps({**known, **{name: asdict(total) for name, total in totals.items()}})
            )
            temporary.replace(book)
    still = {name: open_faults(name, total) for name, total in totals.items()}
    print(table(totals, still))
    return (
        1
        if any(still.values()) or any(total.grown > MAX_GROWTH for total in totals.values())
        else 0
    )


if __name__ == "__main__":
    sys.exit(main())
