"""Unchanged feeds polled per second and core: real 304s from a real server, through the real
spider.

    python tests/benchmarks/polls.py [--feeds 2000]

A child process serves every feed at its own host (127.1.x.y); the job carries them all; the state
is a SQLite file. Prints feeds per second of wall clock and per second of the spider's CPU, requests
per feed, and the outcomes.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from blogcrawl.core.config import Config
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.state import open_state
from blogcrawl.storage.tables import JobRow, VisitRow

ETAG = '"w/odd-but-ours"'


def serve(
    port: int,
    ready: multiprocessing.synchronize.Event,
    asked: multiprocessing.sharedctypes.Synchronized,
) -> None:
    """A server that answers 304 to the right validator and 200 to anything else, on all of
    127.0.0.0/8.
    """

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                asked.value += 1
                known = f"if-none-match: {ETAG}".encode() in head.lower().replace(b"W/", b"w/")
                writer.write(
                    b"HTTP/1.1 304 Not Modified\r\nConnection: keep-alive\r\n\r\n"
                    if known
                    else b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def go() -> None:
        server = await asyncio.start_server(
            handle, "0.0.0.0" if sys.platform == "never" else None, port
        )
        ready.set()
        async with server:
            await server.serve_forever()

    asyncio.run(go())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--feeds", type=int, default=2000)
    parser.add_argument("--port", type=int, default=8871)
    args = parser.parse_args()
    ready, asked = multiprocessing.Event(), multiprocessing.Value("i", 0)
    server = multiprocessing.Process(target=serve, args=(args.port, ready, asked), daemon=True)
    server.start()
    ready.wait(10)
    with tempfile.TemporaryDirectory() as folder:
        schedule = prepare(Path(folder), args.feeds, args.port)
        environment = os.environ | {"SCRAPY_SETTINGS_MODULE": "blogcrawl.settings"}
        command = [
            sys.executable,
            "-m",
            "scrapy",
            "crawl",
            "pollfeeds",
            "-a",
            "job=job-1",
            "-s",
            f"BLOGCRAWL_ARCHIVE={folder}",
        ]
        began, cpu = time.perf_counter(), os.times()
        subprocess.run(
            command, env=environment, check=True, timeout=300, cwd=Path(__file__).parents[2]
        )
        wall, after = time.perf_counter() - began, os.times()
        used = after.children_user + after.children_system - cpu.children_user - cpu.children_system
        outcomes = Counter(
            (row.facts or {}).get("outcome") for row in schedule.visited(args.feeds + 1)
        )
    server.terminate()
    print(
        f"{args.feeds} feeds: {args.feeds / wall:.0f} a second, {args.feeds / used:.0f} a "
        f"second of CPU (process start included)"
    )
    print(
        Counter(
            (row.facts or {}).get("reason") for row in schedule.visited(args.feeds + 1)
        ).most_common(3)
    ) if "failed" in outcomes else None
    print(f"requests per feed: {asked.value / args.feeds:.2f}; outcomes: {dict(outcomes)}")


def prepare(folder: Path, feeds: int, port: int) -> Schedule:
    schedule = Schedule(open_state(Config(archive=str(folder))))
    now = datetime.now(UTC)
    rows = []
    for i in range(feeds):
        host = f"127.1.{i // 250}.{i % 250 + 1}"
        url = f"http://{host}:{port}/"
        rows.append(
            VisitRow(
                blog_id=f"b{i}",
                url=url,
                host=host,
                kind="poll",
                next_visit=now,
                feed={"url": url + "feed", "etag": ETAG},
            )
        )
    schedule.add_blogs(rows)
    assert schedule.book(
        [JobRow(id="job-1", kind="poll", host="", blogs=[r.blog_id for r in rows], created=now)]
    )
    return schedule


if __name__ == "__main__":
    main()
