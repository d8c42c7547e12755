"""Jobs that a controller picks and records per second, and how that grows with the number of blogs.

    python tests/benchmarks/controller.py [--blogs 1000,100000,1000000] [--state-url postgresql://…]
    [--jobs 5000]

Without --state-url a PostgreSQL server is started from the distribution's binaries in a temporary
folder (as user postgres when root), else SQLite is used. Nodes are scripted (no network): what is
measured is claiming, planning, booking, assigning, noting. Every job's whole way is in it: claimed,
booked, sent, its facts turned into the next visit. The machine may be shared, so next to jobs
(crawls of one blog each) and blogs (polls, 200 a job) per second of wall clock stand those per
second of CPU, the controller's and the database's together; whether the cost grows with the number
of blogs is judged by that. Last: the controller's peak memory.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import httpx
from sqlalchemy import text

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from blogcrawl.cluster.controller import Controller, ControllerConfig
from blogcrawl.cluster.plan import Limits
from blogcrawl.cluster.scrapyd import ScrapydClient
from blogcrawl.cluster.sources import blog_id
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tables import NodeRow, VisitRow
from tests.cluster.services import postgres
from tests.memory import peak_kilobytes

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Nodes:
    """Scripted Scrapyd servers that take everything and list what they run."""

    def __init__(self) -> None:
        self.running: dict[str, list[str]] = {}

    def answer(self, request: httpx.Request) -> httpx.Response:
        jobs = self.running.setdefault(request.url.host, [])
        if request.url.path == "/listjobs.json":
            listed = {"pending": [], "finished": [], "running": [{"id": j} for j in jobs]}
            return httpx.Response(200, json={"status": "ok", **listed})
        job = request.content.partition(b"jobid=")[2].partition(b"&")[0].decode()
        jobs.append(job)
        return httpx.Response(200, json={"status": "ok", "jobid": job})


def fill(schedule: Schedule, blogs: int, kind: str) -> None:
    """Blogs as a list brings them: ids are digests, and the order in which they are due is not that
    of the table.
    """
    with schedule.state.write() as connection:
        for table in ("visits", "jobs", "nodes", "leases"):
            connection.execute(
                text(
                    f"{'TRUNCATE' if schedule.state.engine.dialect.name == 'postgresql' else 'DELETE FROM'} {table}"  # noqa: E501
                )
            )
    step = timedelta(days=1) / blogs
    due = list(range(blogs))
    random.Random(1).shuffle(due)
    schedule.add_blogs(
        VisitRow(
            blog_id=blog_id(f"h{i}.example"),
            url=f"http://h{i}.example/",
            host=f"h{i}.example",
            kind=kind,
            next_visit=NOW + due[i] * step,
        )
        for i in range(blogs)
    )
    if schedule.state.engine.dialect.name == "postgresql":
        with schedule.state.engine.connect().execution_options(
            isolation_level="AUTOCOMMIT"
        ) as connection:
            connection.execute(text("VACUUM ANALYZE"))
            connection.execute(text("CHECKPOINT"))


@dataclass
class Spent:
    jobs: int = 0
    blogs: int = 0
    wall: float = 0.0
    controller: float = 0.0
    database: float = 0.0

    def line(self, polls: bool) -> str:
        each = self.blogs if polls else self.jobs
        own, theirs = 1e6 * self.controller / each, 1e6 * self.database / each
        return (
            f"{each / self.wall:8.0f} {'blogs' if polls else 'jobs'}/s  "
            f"{1e6 / (own + theirs):8.0f} per CPU second: "
            f"{own:5.0f} us controller + {theirs:5.0f} us database each"
        )


async def measure(
    schedule: Schedule, jobs: int, per_round: int, database: Callable[[], float], spent: Spent
) -> None:
    """Hand out ``jobs`` jobs in rounds of ``per_round``; after each the crawls' facts are there to
    be turned into next visits, after the last one a round turns them and has no work to
    assign."""
    nodes = Nodes()
    limits = Limits(host_budget=1, queue_per_slot=1)
    config = ControllerConfig(name="bench", settings={}, limits=limits)
    controller = Controller(
        schedule,
        config,
        lambda url: ScrapydClient(url, transport=httpx.MockTransport(nodes.answer)),
    )
    left = jobs
    while True:
        for i in range(4):
            capacity = min(per_round, left) // 4
            schedule.save_node(
                NodeRow(
                    url=f"http://n{i}.example:6800", capacity=capacity, jobs_sent=(jobs - left) // 4
                )
            )
        wall, own, theirs = time.perf_counter(), time.process_time(), database()
        tick = await controller.tick(NOW + timedelta(days=2))
        spent.wall += time.perf_counter() - wall
        spent.controller += time.process_time() - own
        spent.database += database() - theirs
        spent.jobs += tick.sent
        if not tick.sent:
            break
        left -= tick.sent
        nodes.running.clear()
        spent.blogs += finish_all(schedule)
    await controller.close()


def finish_all(schedule: Schedule) -> int:
    """What the crawls would write: the jobs are done, the blogs' facts noted (the controller reads
    them in its next round).
    """
    with schedule.state.write() as connection:
        noted = connection.execute(
            text(
                "UPDATE visits SET state = 'visited', facts = '{\"outcome\": \"crawled\"}' "
                "WHERE state = 'claimed'"
            )
        )
        connection.execute(text("UPDATE jobs SET state = 'done' WHERE state = 'sent'"))
        return noted.rowcount


def cpu_of_tree(pid: int) -> float:
    """CPU seconds of a process, of all below it, and of those that it has waited for."""
    total, tick = 0, os.sysconf("SC_CLK_TCK")
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(stat.parent.name) == pid:
            total += sum(map(int, fields[11:15]))
        elif int(fields[1]) == pid:
            total += sum(map(int, fields[11:13]))
    return total / tick


def size_of(schedule: Schedule, blogs: int) -> str:
    """Bytes on disk of a blog's turn, indexes included (PostgreSQL)."""
    if schedule.state.engine.dialect.name != "postgresql":
        return ""
    with schedule.state.engine.connect() as connection:
        total = connection.execute(text("SELECT pg_total_relation_size('visits')")).scalar() or 0
    return f"  {total / blogs:6.0f} bytes a blog"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--blogs", default="1000,100000,1000000")
    parser.add_argument("--jobs", type=int, default=4000)
    parser.add_argument("--state-url")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the server is stopped then, too
    with contextlib.ExitStack() as stack:
        server = None if args.state_url else stack.enter_context(postgres())
        url = args.state_url or (server and server.url)
        if url is None:
            url = "sqlite:///" + stack.enter_context(tempfile.TemporaryDirectory()) + "/state.db"
        schedule = Schedule(SqlState(url))
        print(f"state: {schedule.state.engine.dialect.name}")
        database = partial(cpu_of_tree, server.pid) if server else float
        for blogs in map(int, args.blogs.split(",")):
            for kind in ("new", "poll"):
                jobs, spent = (
                    (min(args.jobs, blogs) if kind == "new" else min(100, max(blogs // 200, 1))),
                    Spent(),
                )
                for _ in range(
                    max(args.jobs // jobs, 1) if kind == "new" else max(min(100 // jobs, 10), 1)
                ):
                    fill(schedule, blogs, kind)
                    asyncio.run(
                        measure(schedule, jobs, 500 if kind == "new" else 100, database, spent)
                    )
                print(
                    (
                        f"{blogs:9d} blogs  {kind:5} {spent.line(kind == 'poll')}"
                        f"{size_of(schedule, blogs)}"
                    ),
                    flush=True,
                )
        schedule.state.close()
    print(f"controller's peak memory: {peak_kilobytes() / 1024:.0f} MB")


if __name__ == "__main__":
    main()
