"""Search: size of the index against the text, time of queries, what filling it costs a crawl.

    python -m tests.benchmarks.search [--posts 50000] [--comments 10] [--archive DIR]
    python -m tests.benchmarks.search crawl [--posts 200] [--runs 5]
    python -m tests.benchmarks.search postgres [--posts 5000]

The archive is one of ``large_archive``, in DIR, made if it is not there. Times are of CPU (user and
system), so that a busy machine changes little. ``crawl`` crawls a generated blog with and without
the index by turns.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sqlalchemy import text

from blogcrawl.core.config import Config
from blogcrawl.packaging import ids
from blogcrawl.storage.base import PackageStore
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.search.base import Filters
from blogcrawl.storage.search.documents import read_text
from blogcrawl.storage.search.filling import fill, open_index
from blogcrawl.storage.search.finding import Search
from blogcrawl.storage.state import SqlState, open_state
from tests.benchmarks.large_archive import build, made_in
from tests.benchmarks.twice import long_entries
from tests.cluster.services import postgres
from tests.crawling.blog import write_blog
from tests.server import Server


@dataclass(frozen=True)
class Reading:
    """Posts of an archive by their addresses."""

    store: PackageStore
    samples: Sequence[str]

    def words(self, number: int) -> list[str]:
        """Return the words of a post."""
        aip_id = ids.urn(ids.entry_id(self.samples[number]))
        return read_text(self.store, aip_id, 1).content_text.replace(".", "").split()


def queries(sample: Reading, count: int) -> Iterator[tuple[str, str, Filters]]:
    """Yield what users type, taken from texts: kind, query, filters."""
    random = np.random.default_rng(2)
    for number in range(count):
        words = sample.words(int(random.integers(len(sample.samples))))
        at = int(random.integers(max(1, len(words) - 4)))
        one, two = words[at], words[int(random.integers(len(words)))]
        year = Filters(year=(str(2008 + int(random.integers(17))),))
        yield [
            ("word", one, Filters()),
            ("words", f"{one} {two}", Filters()),
            ("phrase", f'"{" ".join(words[at : at + 2 + number % 3])}"', Filters()),
            ("word in a year", one, year),
            ("prefix", f"{one[:4]}*", Filters()),
            ("without", f"{one} -{two}", Filters()),
        ][number % 6]


def measure(search: Search, sample: Reading, count: int) -> None:
    began = time.process_time()
    search.find("")
    print(f"first query: {1000 * (time.process_time() - began):.0f} ms")
    spent: dict[str, list[float]] = {}
    for kind, query, filters in queries(sample, count):
        began = time.process_time()
        found = search.find(query, filters=filters)
        taken = 1000 * (time.process_time() - began)
        assert found.hits or kind in ("word in a year", "without"), (kind, query)
        spent.setdefault(kind, []).append(taken)
    spent["all"] = [one for some in spent.values() for one in some]
    for kind, taken_by in spent.items():
        print(
            f"{kind:16} {len(taken_by):4} queries  p50 {np.percentile(taken_by, 50):6.1f} ms  "
            f"p95 {np.percentile(taken_by, 95):6.1f} ms  most {max(taken_by):6.1f} ms"
        )


def archive(folder: Path, count: int, comments: int, number: int) -> None:
    made = made_in(folder, count, comments)
    print(f"{made.posts} posts, {made.comments} comments, {made.text_bytes / 1e6:.1f} MB of text")
    whole = sum(path.stat().st_size for path in folder.glob("search.db*"))
    print(f"index: {whole / 1e6:.1f} MB, {100 * whole / made.text_bytes:.1f} % of the text")
    a_post = 1000 * made.fill_seconds / made.posts
    print(f"filled in {made.fill_seconds} s CPU, {a_post:.2f} ms a post", flush=True)
    config = Config(archive=str(folder))
    with closing(open_state(config, reading=True)) as state:
        store = open_store(config, reading=True)
        with closing(open_index(config, state, store, reading=True)) as index:
            measure(Search(index, store), Reading(store, made.samples), number)


def on_postgres(folder: Path, count: int, comments: int, number: int) -> None:
    with postgres() as server:
        assert server is not None
        config = Config(archive=str(folder), state_url=server.url)
        made = build(config, count, comments)
        with closing(SqlState(server.url)) as state:
            store = open_store(config)
            index = open_index(config, state, store)
            fill(state, store, index)
            index.settle()
            whole = state.value(text("SELECT pg_total_relation_size('search_posts')"))
            print(f"index: {whole / 1e6:.1f} MB, {100 * whole / made.text_bytes:.1f} % of the text")
            began = time.perf_counter()
            measure(Search(index, store), Reading(store, made.samples), number)
            print(f"with the server {1000 * (time.perf_counter() - began) / number:.1f} ms a query")


def crawl(folder: Path, count: int, runs: int) -> None:
    (folder / "site").mkdir()
    with Server(folder / "site") as server:
        write_blog(folder / "site", long_entries(count), base=server.url.rstrip("/"), sitemap=True)
        spent: dict[str, list[float]] = {"0": [], "1": []}
        for run in range(2 * runs):
            on = str(run % 2)
            spent[on].append(_crawl(server.url, folder / f"archive{run}", on))
        without, filled = (statistics.median(spent[on]) for on in "01")
        print(f"a crawl of {count} posts: {without:.2f} s CPU, with the index {filled:.2f} s")
        print(f"cost: {100 * (filled / without - 1):.1f} %")
        both = zip(spent["0"], spent["1"], strict=True)
        print("by turns: " + ", ".join(f"{filled / without - 1:+.1%}" for without, filled in both))


def _crawl(url: str, folder: Path, on: str) -> float:
    options = ["--delay", "0", "--render", "never", "--set", f"search={on}"]
    process = subprocess.Popen(
        [sys.executable, "-m", "blogcrawl", "crawl", "-a", str(folder), *options, url],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", nargs="?", default="archive")
    parser.add_argument("--archive", type=Path)
    parser.add_argument("--posts", type=int)
    parser.add_argument("--comments", type=int, default=10)
    parser.add_argument("--queries", type=int, default=400)
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bc-search-") as folder:
        if given.what == "crawl":
            crawl(Path(folder), given.posts or 200, given.runs)
        elif given.what == "postgres":
            on_postgres(Path(folder), given.posts or 5_000, given.comments, given.queries)
        else:
            kept = given.archive or Path(folder)
            archive(kept, given.posts or 50_000, given.comments, given.queries)


if __name__ == "__main__":
    main()
