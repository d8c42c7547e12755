"""Updates per CPU second: many blogs with news in one job against a process for each.

    python tests/benchmarks/updates.py [--blogs 20] [--posts 6]

Every blog is archived first, then gets one new post. One half is then updated by one job
(``updateblogs``), the other half as one job after the other that carries one blog
(``updatecrawl``); same archive, no pauses between requests, no browser. Counted is the CPU time of
the processes, their start included; both halves must end with every new post archived.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from blogcrawl.core.config import Config
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.state import open_state
from blogcrawl.storage.tables import JobRow, VisitRow
from tests.crawling.blog import entries, write_blog
from tests.crawling.crawling import crawl
from tests.server import Server


def scrapy(archive: Path, job: str, spider: str, *words: str) -> None:
    settings = [
        f"ARCHIVE={archive}",
        "DELAY_SECONDS=0",
        "RETRY_PAUSE_SECONDS=0",
        "RENDER=never",
        f"JOB_ID={job}",
    ]
    command = [
        sys.executable,
        "-m",
        "scrapy",
        "crawl",
        spider,
        *words,
        *(w for one in settings for w in ("-s", f"BLOGCRAWL_{one}")),
    ]
    environment = os.environ | {"SCRAPY_SETTINGS_MODULE": "blogcrawl.settings"}
    root = Path(__file__).parents[2]
    subprocess.run(
        command, check=True, env=environment, cwd=root, timeout=1200, stderr=subprocess.DEVNULL
    )


def spent(work: Callable[[], None]) -> tuple[float, float]:
    """CPU seconds of the processes that ``work`` waited for, and wall clock."""
    before, began = os.times(), time.perf_counter()
    work()
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system,
        time.perf_counter() - began,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--blogs", type=int, default=20)
    parser.add_argument("--posts", type=int, default=6)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        archive, servers = Path(folder) / "archive", []
        for number in range(args.blogs):
            root = Path(folder) / f"site{number}"
            root.mkdir()
            server = stack.enter_context(Server(root, host=f"127.0.7.{number + 1}"))
            write_blog(root, entries(args.posts), base=server.url.rstrip("/"), feed=5)
            crawl(server.url, archive, blog_id=f"b{number}")
            write_blog(root, entries(args.posts + 1), base=server.url.rstrip("/"), feed=5)
            servers.append(server)
        schedule, now = Schedule(open_state(Config(archive=str(archive)))), datetime.now(UTC)
        turns = [
            VisitRow(blog_id=f"b{n}", url=s.url, host=f"h{n}", kind="update", next_visit=now)
            for n, s in enumerate(servers)
        ]
        schedule.add_blogs(turns)
        together, alone = turns[::2], turns[1::2]
        schedule.book(
            [
                JobRow(
                    id="all",
                    kind="update",
                    host="",
                    blogs=[t.blog_id for t in together],
                    created=now,
                )
            ]
        )
        schedule.book(
            [
                JobRow(
                    id=f"one-{t.blog_id}", kind="update", host="", blogs=[t.blog_id], created=now
                )
                for t in alone
            ]
        )

        def one_by_one() -> None:
            for t in alone:
                scrapy(
                    archive,
                    f"one-{t.blog_id}",
                    "updatecrawl",
                    "-a",
                    f"startat={t.url}",
                    "-s",
                    f"BLOGCRAWL_BLOG_ID={t.blog_id}",
                )

        rates = []
        for name, blogs, work in (
            ("a process for each", alone, one_by_one),
            ("one job", together, lambda: scrapy(archive, "all", "updateblogs", "-a", "job=all")),
        ):
            cpu, wall = spent(work)
            rates.append(len(blogs) / cpu)
            rate = (
                f"{rates[-1]:.2f} a CPU second ({cpu / len(blogs):.2f} s each), "
                f"{len(blogs) / wall:.2f} a second"
            )
            print(f"{name:20} {len(blogs)} updates: {rate}", flush=True)
        said = {row.blog_id: (row.facts or {}).get("outcome") for row in schedule.visited(1000)}
        posts = [sum(1 for _ in schedule.state.posts(t.blog_id)) for t in turns]
        schedule.state.close()
    if (
        posts != [args.posts + 1] * args.blogs
        or set(said.values()) != {"crawled"}
        or len(said) != args.blogs
    ):
        sys.exit(f"not all is updated: {posts}, {said}")
    print(f"ratio: {rates[1] / rates[0]:.1f}")


if __name__ == "__main__":
    main()
