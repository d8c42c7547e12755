"""How a target is run: bounded, measured, with what went wrong kept as a file.

Two ways to new inputs. ``mutate`` is our own: seeded, without coverage, for the short run in the
test suite. The long run is guided by coverage (atheris, libFuzzer) in a process of its own:
``worker``.
"""

from __future__ import annotations

import contextlib
import hashlib
import random
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.targets import TARGETS, Target

HERE = Path(__file__).parent
SEEDS, FOUND = HERE / "seeds", HERE / "found"
MAX_SECONDS = 2.0
"""CPU time that one input may take."""

TOKENS = (
    b"\x00",
    b"\x1b",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    "\u202e".encode(),
    "\u0130".encode(),
    "\u00b2".encode(),
    b"%00",
    b"%2e%2e",
    b"../",
    b"//",
    b"http://[",
    b"]]>",
    b"<!--",
    b"-->",
    b"<![CDATA[",
    b"&#0;",
    b"&#xd800;",
    b"&#99999999999;",
    b"-1",
    b"0",
    b"1e999",
    b"NaN",
    b"9" * 20,
    b"9" * 400,
    b"null",
    b"true",
    b"[]",
    b"{}",
    b'"',
    b"'",
    b"\\ud800",
    b"\\u0000",
    b"\r\n",
    b"\n",
    b"\t",
    b" " * 200,
    b"[" * 200,
    b'{"a":' * 100,
    b"<div>" * 200,
    b"0000-00-00T00:00:00Z",
    b"9999-12-31T23:59:59-14:00",
    b"0001-01-01T00:00:00+14:00",
)


def seeds(name: str) -> list[bytes]:
    """Hand-written inputs of a target, and what was found with it before."""
    files = [*sorted((SEEDS / name).glob("*")), *sorted((FOUND / name).glob("*"))]
    return [path.read_bytes() for path in files] or [b""]


def mutate(rng: random.Random, corpus: Sequence[bytes], max_bytes: int) -> bytes:
    """An input made of one or two others by a few random changes."""
    data = bytearray(rng.choice(corpus))
    for _ in range(1 << rng.randrange(5)):
        start = rng.randrange(len(data) + 1)
        end = min(len(data), start + rng.choice((1, 1, 2, 4, 8, 32, 128)))
        kind = rng.randrange(7)
        if kind == 0:
            data[start:start] = rng.choice(TOKENS)
        elif kind == 1:
            del data[start:end]
        elif kind == 2 and start < len(data):
            data[start] ^= 1 << rng.randrange(8)
        elif kind == 3 and start < len(data):
            data[start] = rng.randrange(256)
        elif kind == 4:
            data[start:start] = data[start:end] * rng.choice((1, 2, 10, 100))
        elif kind == 5:
            other = rng.choice(corpus)
            cut = rng.randrange(len(other) + 1)
            data[start:end] = other[cut : cut + rng.choice((4, 16, 64, 256))]
        else:
            data[start:end] = rng.choice(TOKENS)
    return bytes(data[:max_bytes])


@dataclass
class Tally:
    """What the runs of one target gave. ``crashes``: where it broke -> an input; ``slowest`` in
    seconds of CPU time.
    """

    runs: int = 0
    slowest: float = 0.0
    crashes: dict[str, bytes] = field(default_factory=dict)
    slow: dict[str, bytes] = field(default_factory=dict)

    def run(self, target: Target, data: bytes) -> None:
        began = time.process_time()
        try:
            target.run(data)
        except Exception as error:
            self.crashes.setdefault(where(error), data)
        seconds = time.process_time() - began
        self.runs += 1
        if seconds > self.slowest:
            self.slowest = seconds
        if seconds > MAX_SECONDS and len(self.slow) < 20:
            self.slow[digest(data)] = data


def where(error: BaseException) -> str:
    """Type of an error and the innermost line of the project that it came through: two inputs with
    one cause are one crash.
    """
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/blogcrawl/" in frame.filename] or frames
    last = ours[-1]
    return (
        f"{type(error).__name__} at {last.filename.rpartition('/blogcrawl/')[2]}:{last.name}:"
        f" {last.line}"
    )[:200]


def digest(data: bytes) -> str:
    return hashlib.sha1(data).hexdigest()[:12]


def short_runs(target: Target, seed: int, runs: int) -> Tally:
    """``runs`` seeded mutations of the target's seeds, each of which is run as it is first."""
    tally, corpus, rng = Tally(), seeds(target.name), random.Random(f"{target.name} {seed}")
    for data in corpus:
        tally.run(target, data)
    for _ in range(runs):
        tally.run(target, mutate(rng, corpus, target.max_bytes))
    return tally


def keep(folder: Path, name: str, data: bytes) -> Path:
    """Write an input below ``folder``, named by its digest."""
    path = folder / name / digest(data)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def found_inputs() -> Iterator[tuple[Target, Path]]:
    """Inputs that broke something once."""
    for path in sorted(FOUND.glob("*/*")):
        with contextlib.suppress(KeyError):
            yield TARGETS[path.parent.name], path
