"""Jobs that a controller picks and records per second, and how that grows with the number of blogs.

    python tests/benchmarks/controller.py [--blogs 1000,100000,1000000] [--state-url postgresql://…] [--jobs 5000]

Without --state-url a PostgreSQL server is started from the distribution's binaries in a temporary folder (as user postgres when
root), else SQLite is used.  Nodes are scripted (no network): what is measured is claiming, planning, booking, assigning, noting.
Prints jobs per second for crawls (one blog each), the blogs per second of polls (200 a job), and the controller's peak memory.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
from sqlalchemy import text

from blogcrawl.cluster.controller import Controller, ControllerConfig
from blogcrawl.cluster.plan import Limits
from blogcrawl.cluster.scrapyd import ScrapydClient
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.schedule_schema import NodeRow, VisitRow
from blogcrawl.storage.state import SqlState

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@contextlib.contextmanager
def postgres() -> Iterator[str | None]:
    """A server on a socket in a temporary folder, or None where there are no binaries."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")) if Path("/usr/lib/postgresql").is_dir() else []
    initdb = str(found[-1]) if found else shutil.which("initdb")
    if initdb is None:
        yield None
        return
    folder = tempfile.mkdtemp(prefix="bc-pg-", dir="/tmp")
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if user:
        shutil.chown(folder, "postgres")
    pg_ctl = str(Path(initdb).with_name("pg_ctl"))
    subprocess.run([*user, initdb, "-D", f"{folder}/data", "-A", "trust", "-U", "blogcrawl"], check=True, capture_output=True)
    options = f"-k {folder} -c listen_addresses= -c fsync=on"
    subprocess.run(
        [*user, pg_ctl, "-D", f"{folder}/data", "-o", options, "-w", "-l", f"{folder}/log", "start"], check=True, capture_output=True
    )
    try:
        yield f"postgresql://blogcrawl@/postgres?host={folder}"
    finally:
        subprocess.run([*user, pg_ctl, "-D", f"{folder}/data", "-m", "fast", "stop"], capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)


class Nodes:
    """Scripted Scrapyd servers that take everything and list what they run."""

    def __init__(self) -> None:
        self.running: dict[str, list[str]] = {}

    def answer(self, request: httpx.Request) -> httpx.Response:
        jobs = self.running.setdefault(request.url.host, [])
        if request.url.path == "/listjobs.json":
            listed = {"pending": [], "finished": [], "running": [{"id": j} for j in jobs]}
            return httpx.Response(200, json={"status": "ok", **listed})
        job = httpx.QueryParams(request.content.decode())["jobid"]
        jobs.append(job)
        return httpx.Response(200, json={"status": "ok", "jobid": job})


def fill(schedule: Schedule, blogs: int, kind: str) -> None:
    with schedule.state.write() as connection:
        for table in ("visits", "jobs", "nodes", "leases"):
            connection.execute(text(f"DELETE FROM {table}"))
    step = timedelta(days=1) / blogs
    schedule.add_blogs(
        VisitRow(blog_id=f"b{i}", url=f"http://h{i}.example/", host=f"h{i}.example", kind=kind, next_visit=NOW + i * step)
        for i in range(blogs)
    )
    if schedule.state.engine.dialect.name == "postgresql":
        with schedule.state.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("VACUUM ANALYZE"))


async def measure(schedule: Schedule, jobs: int, per_round: int) -> float:
    """Seconds for handing out ``jobs`` jobs in rounds of ``per_round``."""
    nodes = Nodes()
    limits = Limits(host_budget=1, queue_per_slot=1)
    config = ControllerConfig(name="bench", settings={}, limits=limits)
    controller = Controller(schedule, config, lambda url: ScrapydClient(url, transport=httpx.MockTransport(nodes.answer)))
    sent, seconds = 0, 0.0
    while sent < jobs:
        for i in range(4):
            schedule.save_node(NodeRow(url=f"http://n{i}.example:6800", capacity=per_round // 4, jobs_sent=sent // 4))
        began = time.perf_counter()
        tick = await controller.tick(NOW + timedelta(days=2))
        seconds += time.perf_counter() - began
        if not tick.sent:
            break
        sent += tick.sent
        nodes.running.clear()
        finish_all(schedule)
    await controller.close()
    return seconds * jobs / max(sent, 1)


def finish_all(schedule: Schedule) -> None:
    """What the crawls would write: the jobs are done, the blogs' facts noted (the controller reads them in its next round)."""
    with schedule.state.write() as connection:
        connection.execute(text("UPDATE visits SET state = 'visited', facts = '{\"outcome\": \"crawled\"}' WHERE state = 'claimed'"))
        connection.execute(text("UPDATE jobs SET state = 'done' WHERE state = 'sent'"))


def size_of(schedule: Schedule, blogs: int) -> str:
    """Bytes on disk of a blog's turn, indexes included (PostgreSQL)."""
    if schedule.state.engine.dialect.name != "postgresql":
        return ""
    with schedule.state.engine.connect() as connection:
        total = connection.execute(text("SELECT pg_total_relation_size('visits')")).scalar() or 0
    return f"  {total / blogs:6.0f} bytes a blog"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blogs", default="1000,100000,1000000")
    parser.add_argument("--jobs", type=int, default=4000)
    parser.add_argument("--state-url")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the server is stopped then, too
    with contextlib.ExitStack() as stack:
        url = args.state_url or stack.enter_context(postgres())
        if url is None:
            url = "sqlite:///" + stack.enter_context(tempfile.TemporaryDirectory()) + "/state.db"
        schedule = Schedule(SqlState(url))
        print(f"state: {schedule.state.engine.dialect.name}")
        for blogs in map(int, args.blogs.split(",")):
            for kind in ("new", "poll"):
                fill(schedule, blogs, kind)
                jobs = min(args.jobs, blogs) if kind == "new" else min(100, max(blogs // 200, 1))
                seconds = asyncio.run(measure(schedule, jobs, 1000 if kind == "new" else 100))
                carried = f"{jobs / seconds:8.0f} jobs/s" if kind == "new" else f"{jobs * min(200, blogs) / seconds:8.0f} blogs/s"
                print(f"{blogs:9d} blogs  {kind:5} {carried}{size_of(schedule, blogs)}", flush=True)
        schedule.state.close()
    print(f"controller's peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
