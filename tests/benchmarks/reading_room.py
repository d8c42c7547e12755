"""Reading room: response times and memory over a large archive, and the time to start.

    python -m tests.benchmarks.reading_room [--posts 50000] [--rounds 15]

The state's rows are synthetic (blogs of 10 to 30,000 posts, with crawls and models); one real
package is what post pages show. The server runs as a process of its own and is asked one request
after the other. Times are CPU times of the server per request (user + system, from /proc), so that
other load on the machine does not count; wall times are printed beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx

from blogcrawl.packaging import ids
from blogcrawl.storage.tables import BlogRow, CrawlRow, PostRow
from tests.web.archive import BLOG_ID, Sample, make

START = datetime(2003, 1, 1, tzinfo=UTC)
SHARES = (0.6, 0.2, 0.1, 0.05, *(0.05 / 46 for _ in range(46)))
"""Shares of the posts that the blogs have: few large ones, many small ones."""
TICKS = os.sysconf("SC_CLK_TCK")


def fill(sample: Sample, posts: int, rng: random.Random) -> None:
    """Add synthetic blogs, their posts and crawls to the state."""
    for number, share in enumerate(SHARES):
        blog = f"synthetic-{number}"
        home = f"https://blog{number}.example/"
        rejected = [
            {"url": f"{home}tag/{n}", "reason": "a list", "probability": 0.1, "title": f"Tag {n}"}
            for n in range(300)
        ]
        sample.state.save_blog(
            BlogRow(
                id=blog,
                url=home,
                title=f"Synthetic blog {number}",
                record={"language": rng.choice(["en", "de", "ar"]), "platform": "WordPress"},
                model={"stages": {"rejected": rejected}},
                last_crawl=START + timedelta(days=8000),
                health="ok",
            )
        )
        for crawl in range(20):
            began = START + timedelta(days=7000 + crawl)
            report = {
                "completeness": {"status": "complete", "share": 0.99, "reasons": ["so"]},
                "missing": rejected[:50],
                "rejected": rejected,
            }
            sample.state.save(
                CrawlRow(
                    id=f"{blog}-{crawl}",
                    blog_id=blog,
                    spider="UpdateCrawl",
                    started=began,
                    ended=began,
                    outcome="finished",
                    report=report,
                )
            )
        sample.state.save(*rows(blog, home, max(10, int(posts * share)), rng))


def rows(blog: str, home: str, count: int, rng: random.Random) -> Iterator[PostRow]:
    for number in range(count):
        url = f"{home}{number}-a-post-with-a-name-of-usual-length"
        yield PostRow(
            blog_id=blog,
            url=url,
            title=f"Post {number} with a title of usual length",
            published=START + timedelta(hours=rng.randrange(24 * 8000)),
            content_digest="0" * 64,
            comment_count=rng.randrange(20),
            aip_id=ids.urn(ids.entry_id(url)),
            aip_version=1,
            first_seen=START + timedelta(days=8000, seconds=number),
            last_seen=START + timedelta(days=8000, seconds=number),
        )


class Server:
    """``blogcrawl serve`` on an archive."""

    def __init__(self, archive: Path) -> None:
        command = [sys.executable, "-m", "blogcrawl", "serve", "--port", "0", "--json"]
        began = time.monotonic()
        self.process = subprocess.Popen(
            [*command, "--archive", str(archive)], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        text = ""
        while not text.rstrip().endswith("}"):
            text += self.process.stdout.readline()
        self.start_wall, self.start_cpu = time.monotonic() - began, self.cpu()
        self.url = str(json.loads(text)["url"])

    def cpu(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self) -> int:
        """Highest resident memory so far, in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmHWM:\s+(\d+)", status)
        return int(found[1]) // 1024 if found else 0

    def close(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)


def pages(client: httpx.Client, rng: random.Random) -> dict[str, list[str]]:
    """Return addresses by kind; the keys of later pages are read from earlier ones."""
    large = "/blog/synthetic-0"
    deep, place = [], "/api/blogs/synthetic-0/posts?limit=500"
    for _ in range(8):
        answer = client.get(place).json()
        deep.append(f"{large}?{httpx.QueryParams(after=answer['after'])}")
        place = (
            f"/api/blogs/synthetic-0/posts?{httpx.QueryParams(limit=500, after=answer['after'])}"
        )
    return {
        "blogs": ["/", "/?order=posts", "/?q=blog1", "/?language=de&order=comments"],
        "blog": [large, *(f"/blog/synthetic-{rng.randrange(1, 50)}" for _ in range(3))],
        "blog, deep page": deep,
        "blog, one month": [f"{large}?month={2003 + n}-05" for n in range(8)],
        "missing": [f"{large}/missing"],
        "crawls": [f"{large}/crawls"],
        "post": ["/post/" + ids.entry_id("https://blog.example/post-0")],
        "API posts": ["/api/blogs/synthetic-0/posts"],
        "Atom": ["/feed.atom"],
        "TimeGate": ["/timegate/https://blog.example/post-0"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--posts", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        sample = make(Path(folder) / "archive", 2)
        fill(sample, options.posts, rng)
        total = sample.state.post_span().posts
        sample.state.close()
        server = Server(Path(folder) / "archive")
        try:
            print(f"{total} posts, {len(SHARES) + 1} blogs ({BLOG_ID[:8]} has packages)")
            print(f"start: {server.start_wall:.2f} s, CPU {server.start_cpu:.2f} s")
            report(server, rng, options.rounds)
            print(f"memory at most: {server.memory()} MB")
        finally:
            server.close()


def report(server: Server, rng: random.Random, rounds: int) -> None:
    """Print a line for each kind of page."""
    with httpx.Client(base_url=server.url, timeout=60) as client:
        kinds = pages(client, rng)
        print(f"{'':18} {'CPU ms/request':>15} {'p95 wall ms':>12}")
        for name, places in kinds.items():
            for place in places:
                assert client.get(place).status_code in (200, 302), place
            walls, before = [], server.cpu()
            for number in range(rounds * 2):
                began = time.perf_counter()
                client.get(places[number % len(places)])
                walls.append(1000 * (time.perf_counter() - began))
            spent = 1000 * (server.cpu() - before) / len(walls)
            p95 = statistics.quantiles(walls, n=20)[18]
            print(f"{name:18} {spent:15.1f} {p95:12.1f}", flush=True)


if __name__ == "__main__":
    main()
