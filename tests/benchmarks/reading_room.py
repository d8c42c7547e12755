"""Reading room: response times and memory over a large archive, and the time to start.

    python -m tests.benchmarks.reading_room [--archive DIR] [--posts 50000] [--rounds 15]

The archive is one of ``large_archive``: made in DIR if it is not there, else in a folder that is
deleted afterwards. The server runs as a process of its own and is asked one request after the
other. Of each request three times are printed, by the kernel's own clocks (/proc/*/schedstat): what
the server computed, what it waited for a processor that others had, and the wall time. Their
difference is what it waited for the disk, and the way of the answer.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx

from blogcrawl.core.config import Config
from blogcrawl.packaging import ids
from blogcrawl.storage.ocfl import open_store
from tests.benchmarks.large_archive import SHARES, Made, address, made_in
from tests.benchmarks.search import Reading, queries

LARGE = ids.blog_id(address(0))
"""The blog with most posts."""


class Spent(NamedTuple):
    """Milliseconds: computed, waited for a processor, from question to answer."""

    cpu: float
    waited: float
    wall: float


class Server:
    """``blogcrawl serve`` on an archive."""

    def __init__(self, archive: Path) -> None:
        command = [sys.executable, "-m", "blogcrawl", "serve", "--port", "0", "--json"]
        began = time.monotonic()
        self.process = subprocess.Popen(
            [*command, "--archive", str(archive)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout is not None
        text = ""
        while not text.rstrip().endswith("}"):
            text += self.process.stdout.readline()
        self.start = Spent(*self.times(), 1000 * (time.monotonic() - began))
        self.url = str(json.loads(text)["url"])

    def times(self) -> tuple[float, float]:
        """Milliseconds that its threads have computed, and waited for a processor."""
        computed = waited = 0
        for path in Path(f"/proc/{self.process.pid}/task").glob("*/schedstat"):
            one, other, _ = path.read_text().split()
            computed, waited = computed + int(one), waited + int(other)
        return computed / 1e6, waited / 1e6

    def memory(self) -> int:
        """Highest resident memory so far, in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmHWM:\s+(\d+)", status)
        return int(found[1]) // 1024 if found else 0

    def ask(self, client: httpx.Client, place: str) -> Spent:
        """Ask for a page."""
        before, began = self.times(), time.perf_counter()
        answer = client.get(place)
        wall = 1000 * (time.perf_counter() - began)
        after = self.times()
        assert answer.status_code in (200, 302), (place, answer.status_code)
        return Spent(after[0] - before[0], after[1] - before[1], wall)

    def close(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)


def pages(client: httpx.Client, made: Made, rng: random.Random) -> dict[str, list[str]]:
    """Return addresses by kind; the keys of later pages are read from earlier ones."""
    large = f"/blog/{LARGE}"
    deep, place = [], f"/api/blogs/{LARGE}/posts?limit=500"
    for _ in range(8):
        answer = client.get(place).json()
        deep.append(f"{large}?{httpx.QueryParams(after=answer['after'])}")
        place = f"/api/blogs/{LARGE}/posts?{httpx.QueryParams(limit=500, after=answer['after'])}"
    some = [ids.blog_id(address(rng.randrange(1, len(SHARES)))) for _ in range(3)]
    return {
        "blogs": ["/", "/?order=posts", "/?q=blog1", "/?language=de&order=comments"],
        "blog": [large, *(f"/blog/{one}" for one in some)],
        "blog, deep page": deep,
        "blog, one month": [f"{large}?month={2008 + n}-05" for n in range(8)],
        "missing": [f"{large}/missing"],
        "crawls": [f"{large}/crawls"],
        "plots": [f"{large}/plots", *(f"/blog/{one}/plots" for one in some)],
        "post": [f"/post/{ids.entry_id(one)}" for one in rng.sample(made.samples, 30)],
        "API posts": [f"/api/blogs/{LARGE}/posts"],
        "Atom": ["/feed.atom"],
        "TimeGate": [f"/timegate/{one}" for one in made.samples[:8]],
    }


def searches(archive: Path, made: Made, count: int) -> Mapping[str, Sequence[str]]:
    """Return addresses of searches by kind, none of them twice."""
    reading = Reading(open_store(Config(archive=str(archive)), reading=True), made.samples)
    found: dict[str, list[str]] = {}
    for kind, query, filters in queries(reading, count):
        year = {"year": filters.year[0]} if filters.year else {}
        found.setdefault(f"search: {kind}", []).append(
            f"/search?{httpx.QueryParams({'q': query, **year})}"
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--archive", type=Path, help="Of large_archive; made if it is not there.")
    parser.add_argument("--posts", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    rng = random.Random(7)
    with folder_of(options.archive) as folder:
        made = made_in(folder, options.posts, 10)
        searched = searches(folder, made, options.rounds * 12)
        server = Server(folder)
        try:
            print(f"{made.posts} posts, {made.comments} comments, {len(SHARES)} blogs")
            print(f"start: {server.start.wall / 1000:.2f} s, CPU {server.start.cpu / 1000:.2f} s")
            report(server, made, searched, options.rounds, rng)
            print(f"memory at most: {server.memory()} MB")
        finally:
            server.close()


@contextmanager
def folder_of(given: Path | None) -> Iterator[Path]:
    """Yield the folder of the archive; one that was not given is deleted."""
    if given is not None:
        given.mkdir(parents=True, exist_ok=True)
        yield given
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def report(
    server: Server,
    made: Made,
    searched: Mapping[str, Sequence[str]],
    rounds: int,
    rng: random.Random,
) -> None:
    """Print a line for each kind of page: of CPU the mean and the 95th percentile, of waiting for a
    processor and of wall time the latter."""
    with httpx.Client(base_url=server.url, timeout=60) as client:
        print(f"{'ms':24} {'CPU':>7} {'p95':>7} {'waited':>7} {'wall p50':>9} {'p95':>7}")
        for name, places in pages(client, made, rng).items():
            server.ask(client, places[0])
            _line(name, [server.ask(client, places[n % len(places)]) for n in range(2 * rounds)])
        first = [server.ask(client, "/search?q=x"), server.ask(client, "/search?q=%22x+y%22")]
        _line("search: the first two", first)
        every: list[Spent] = []
        for name, asked in searched.items():
            spent = [server.ask(client, one) for one in asked]
            every += spent
            _line(name, spent)
        _line("search: all", every)


def _line(name: str, spent: Sequence[Spent]) -> None:
    def p95(values: Sequence[float]) -> float:
        return statistics.quantiles(values, n=20)[18] if len(values) > 2 else max(values)

    cpu, waited, wall = zip(*spent, strict=True)
    print(
        f"{name:24} {statistics.mean(cpu):7.1f} {p95(cpu):7.1f} {p95(waited):7.1f} "
        f"{statistics.median(wall):9.1f} {p95(wall):7.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
