"""Slices of a target's runs, each in a forked process, guided by coverage.

``atheris`` (extra ``fuzz``) instruments the package and lets libFuzzer choose the inputs; where it
is not installed they are seeded mutations. What an input breaks does not end the run: the input is
kept, and the figures are in ``FOLDER/TARGET.json``. An input that ends the process (a loop without
end, a crash of C code) is the one that stands in ``FOLDER/TARGET.input``.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import logging
import mmap
import os
import random
import resource
import signal
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

try:
    import atheris  # type: ignore[import-not-found, import-untyped, unused-ignore]
except ImportError:
    atheris = None

HANG_SECONDS = 30.0
"""CPU time of one input after which the kernel ends the process."""
MAX_MEGABYTES = 2048
NOTE_EVERY = 2000
"""Runs."""
WARM = 0.3
"""Share of the runs after which caches are taken to be full: memory must not grow from then on."""


def megabytes() -> float:
    """Resident memory of this process now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


class Runner:
    """Counts, measures and keeps; ``__call__`` takes one input."""

    def __init__(self, target: Any, tally: Any, work: Path, runs: int) -> None:
        self.target, self.tally, self.work, self.runs = target, tally, work, runs
        self.warm = self.now = 0.0
        self.began = time.process_time()
        path = work / f"{target.name}.input"
        path.write_bytes(b"\0" * (8 + 2**20))
        with path.open("r+b") as file:
            self.last = mmap.mmap(file.fileno(), 8 + 2**20)

    def __call__(self, data: bytes) -> None:
        size = min(len(data), 2**20)
        self.last[:8] = size.to_bytes(8, "big")
        self.last[8 : 8 + size] = data[:size]
        signal.setitimer(signal.ITIMER_PROF, HANG_SECONDS)
        self.tally.run(self.target, data)
        count = self.tally.runs
        if count % NOTE_EVERY == 0 or count == self.runs or count == int(self.runs * WARM):
            self.note()

    def note(self) -> None:
        self.now = megabytes()
        if not self.warm and self.tally.runs >= int(self.runs * WARM):
            self.warm = self.now
        from tests.fuzz.engine import keep

        status = {
            "runs": self.tally.runs,
            "seconds": round(time.process_time() - self.began, 1),
            "slowest": round(self.tally.slowest, 3),
            "crashes": {
                why: str(keep(self.work / "crashes", self.target.name, d))
                for why, d in self.tally.crashes.items()
            },
            "slow": [
                str(keep(self.work / "slow", self.target.name, data))
                for data in self.tally.slow.values()
            ],
            "megabytes": round(self.now, 1),
            "grown": round(self.now - self.warm, 1) if self.warm else 0.0,
        }
        temporary = self.work / f"{self.target.name}.tmp"
        temporary.write_text(json.dumps(status))
        temporary.replace(self.work / f"{self.target.name}.json")


def load(*, guided: bool) -> None:
    """Import targets and parsers, instrumented (once: it takes long) where libFuzzer is to see
    which lines an input reaches.
    """
    with (
        atheris.instrument_imports(include=["blogcrawl"], enable_loader_override=False)
        if guided
        else contextlib.nullcontext()
    ):
        importlib.import_module("tests.fuzz.targets")


def run_slice(name: str, runs: int, seed: int, work: Path, *, guided: bool) -> int:
    """Run a slice in a forked process; its exit code, negative where a signal ended it."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    try:
        _run(name, runs, seed, work, guided=guided)
        code = 0
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _run(name: str, runs: int, seed: int, work: Path, *, guided: bool) -> None:
    from tests.fuzz.engine import Tally, mutate, seeds
    from tests.fuzz.targets import TARGETS

    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    log = os.open(work / f"{name}.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 2)
    os.dup2(log, 1)
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - a library prints about each damaged record
    target = TARGETS[name]
    runner = Runner(target, Tally(), work, runs)
    if guided:
        guide(runner, seed, seeds(name))
    rng, corpus = random.Random(f"{name} {seed}"), seeds(name)
    while runner.tally.runs < runs:
        runner(mutate(rng, corpus, target.max_bytes))


def guide(runner: Runner, seed: int, given: list[bytes]) -> None:
    """libFuzzer, in this process; its corpus grows in a folder from one slice to the next. It ends
    the process.
    """
    from tests.fuzz.engine import TOKENS

    corpus = runner.work / "corpus" / runner.target.name
    corpus.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(given):
        (corpus / f"seed-{number}").write_bytes(data)
    words = runner.work / "words.dict"
    words.write_text(
        "".join('"' + "".join(f"\\x{byte:02x}" for byte in token[:60]) + '"\n' for token in TOKENS)
    )
    options = {
        "runs": runner.runs + 1,
        "seed": seed,
        "max_len": runner.target.max_bytes,
        "dict": words,
        # by the clock, which says nothing on a loaded machine; HANG_SECONDS is what counts
        "timeout": 600,
        "rss_limit_mb": MAX_MEGABYTES,
        "artifact_prefix": f"{runner.work}/",
        "verbosity": 0,
        "print_final_stats": 0,
    }

    def one(data: bytes) -> None:
        if runner.tally.runs >= runner.runs:
            os._exit(0)
        runner(data)

    atheris.Setup(
        [sys.argv[0], str(corpus), *(f"-{name}={value}" for name, value in options.items())], one
    )
    atheris.Fuzz()
