"""Search: size of the index against the text, time of queries, what filling it costs a crawl.

    python -m tests.benchmarks.search [--posts 50000] [--comments 10] [--queries 400] [--keep DIR]
    python -m tests.benchmarks.search crawl [--posts 200] [--runs 5]
    python -m tests.benchmarks.search postgres [--posts 5000]

The archive is generated: words by Zipf and Mandelbrot's law over 200,000 words, a quarter of each
post's words from 60 of its own, posts of 350 words and comments of 45 (log-normal), in packages of
an OCFL store. Times are of CPU (user and system), so that a busy machine changes little. ``crawl``
crawls a generated blog with and without the index by turns.
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
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from sqlalchemy import text

from blogcrawl.core.config import Config
from blogcrawl.core.records import Comment, Post
from blogcrawl.packaging import ids
from blogcrawl.packaging.layout import POST_JSON
from blogcrawl.packaging.records import encode, post_to_json
from blogcrawl.storage.archive import open_archive
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.search.base import Filters
from blogcrawl.storage.search.filling import fill, open_index
from blogcrawl.storage.search.finding import Search
from blogcrawl.storage.state import SqlState, open_state
from blogcrawl.storage.tables import BlogRow, PostRow
from tests.benchmarks.twice import long_entries
from tests.cluster.services import postgres
from tests.crawling.blog import write_blog
from tests.server import Server

WORDS, BLOGS, TAGS, AUTHORS = 200_000, 40, 300, 200
START = datetime(2008, 1, 1, tzinfo=UTC)
SYLLABLES = [c + v for c in "b d f g k l m n p r s t v z ch st".split() for v in "aeiou"]


class Language:
    """Words as frequent as those of a natural language; frequent ones are short."""

    def __init__(self, seed: int = 1) -> None:
        self.random = np.random.default_rng(seed)
        rank = np.arange(1, WORDS + 1)
        weights = 1 / (rank + 2.7) ** 1.07
        self.sums = np.cumsum(weights / weights.sum())
        self.words = np.array(list(self._spellings()), object)

    def _spellings(self) -> Iterator[str]:
        for rank in range(WORDS):
            word, rest = "", rank
            while True:
                rest, digit = divmod(rest, len(SYLLABLES))
                word += SYLLABLES[digit]
                if not rest:
                    break
            yield word if rank % 3 else word + "n"

    def numbers(self, count: int) -> np.ndarray:
        return np.searchsorted(self.sums, self.random.random(count)).clip(0, WORDS - 1)

    def length(self, mean: float) -> int:
        return 3 + int(self.random.lognormal(np.log(mean) - 0.32, 0.8))

    def text(self, count: int, own: np.ndarray) -> str:
        numbers = self.numbers(count)
        mask = self.random.random(count) < 0.25
        numbers[mask] = self.random.choice(own, int(mask.sum()))
        return ". ".join(" ".join(self.words[numbers[at : at + 12]]) for at in range(0, count, 12))


def posts(count: int, comments: int) -> Iterator[tuple[str, Post]]:
    """Yield posts with their blogs."""
    made = Language()
    for number in range(count):
        own = made.numbers(60) + 200
        own = own.clip(0, WORDS - 1)
        url = f"https://blog{number % BLOGS}.example.org/{number}"
        said = tuple(
            Comment(
                id=str(one),
                author=f"Reader {made.random.integers(20_000)}",
                content_text=made.text(made.length(45), own),
            )
            for one in range(int(made.random.poisson(comments)))
        )
        yield (
            url.rsplit("/", 1)[0] + "/",
            Post(
                url=url,
                canonical_url=url,
                title=made.text(6, own),
                authors=(f"Author {made.random.integers(AUTHORS)}",),
                tags=tuple(f"tag {one}" for one in made.random.integers(TAGS, size=3)),
                published=START + timedelta(hours=int(made.random.integers(150_000))),
                language="en",
                content_text=made.text(made.length(350), own),
                comments=said,
            ),
        )


def text_of(post: Post) -> int:
    """Bytes of what a post and its comments say."""
    return sum(
        len(one.encode())
        for one in (post.title or "", post.content_text, *(c.content_text for c in post.comments))
    )


def build(config: Config, count: int, comments: int) -> tuple[int, int, list[Post]]:
    """Make the archive; the bytes of its text, its comments, and a sample of its posts."""
    open_archive(config, now=START)
    size = said = 0
    sample = []
    with closing(open_state(config)) as state:
        store = open_store(config)
        for number in range(BLOGS):
            url = f"https://blog{number}.example.org/"
            state.save_blog(BlogRow(id=ids.blog_id(url), url=url))
        rows: list[PostRow] = []
        for number, (blog, post) in enumerate(posts(count, comments)):
            size += text_of(post)
            said += len(post.comments)
            if number % max(1, count // 1000) == 0:
                sample.append(post)
            version = store.put(
                ids.urn(ids.entry_id(post.canonical_url)),
                {POST_JSON: encode(post_to_json(post))},
                message="m",
                created=START,
            )
            rows.append(
                PostRow(
                    blog_id=ids.blog_id(blog),
                    url=post.canonical_url,
                    title=post.title,
                    published=post.published,
                    aip_id=version.object_id,
                    aip_version=version.version,
                )
            )
            if len(rows) == 1000 or number == count - 1:
                state.save(*rows)
                rows = []
    return size, said, sample


def queries(sample: Sequence[Post], count: int) -> Iterator[tuple[str, str, Filters]]:
    """Yield what users type, taken from texts: kind, query, filters."""
    random = np.random.default_rng(2)
    for number in range(count):
        post = sample[random.integers(len(sample))]
        words = post.content_text.replace(".", "").split()
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


def measure(search: Search, sample: Sequence[Post], count: int) -> None:
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
    config = Config(archive=str(folder))
    size, said, sample = build(config, count, comments)
    print(f"{count} posts, {said} comments, {size / 1e6:.1f} MB of text", flush=True)
    with closing(open_state(config)) as state:
        store = open_store(config)
        with closing(open_index(config, state, store)) as index:
            began = time.process_time()
            fill(state, store, index)
            index.settle()
            taken = time.process_time() - began
            whole = sum(path.stat().st_size for path in folder.glob("search.db*"))
            print(f"index: {whole / 1e6:.1f} MB, {100 * whole / size:.1f} % of the text")
            print(f"filled in {taken:.1f} s CPU, {1000 * taken / count:.2f} ms a post", flush=True)
            measure(Search(index, store), sample, number)


def on_postgres(folder: Path, count: int, comments: int, number: int) -> None:
    with postgres() as server:
        assert server is not None
        config = Config(archive=str(folder), state_url=server.url)
        size, _, sample = build(config, count, comments)
        with closing(SqlState(server.url)) as state:
            store = open_store(config)
            index = open_index(config, state, store)
            fill(state, store, index)
            index.settle()
            whole = state.value(text("SELECT pg_total_relation_size('search_posts')"))
            print(f"index: {whole / 1e6:.1f} MB, {100 * whole / size:.1f} % of the text")
            began = time.perf_counter()
            measure(Search(index, store), sample, number)
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
            archive(Path(folder), given.posts or 50_000, given.comments, given.queries)


if __name__ == "__main__":
    main()
