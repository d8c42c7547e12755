"""One machine without Scrapyd: the controller's jobs as child processes of this one."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO

from blogcrawl.cluster.controller import Controller, ControllerConfig, Tick
from blogcrawl.cluster.plan import Limits
from blogcrawl.cluster.posting_rate import HALF_LIFE_DAYS
from blogcrawl.cluster.scrapyd import NodeClient, NodeJobs
from blogcrawl.cluster.visit_scheduler import first_turn
from blogcrawl.core.errors import UsageError
from blogcrawl.storage.schedule import LOCAL, Schedule
from blogcrawl.storage.tables import NodeRow

log = logging.getLogger(__name__)

STOP_SECONDS = 30.0
"""Within these a crawl that is asked to stop ends in good order; then it is killed."""
PAUSE_SECONDS = 2.0
ROUNDS_UNTIL_LOOK = 30
"""Rounds between two looks for blogs that were archived by hand."""
HABIT_DAYS = 6 * HALF_LIFE_DAYS
MAX_LOG = 5_000_000
_ENDED = 100


class Worker:
    """Runs jobs as a Scrapyd node does, one at a time. ``log``: file of what they write."""

    def __init__(self, log: Path, command: tuple[str, ...] = ("-m", "scrapy", "crawl")) -> None:
        self._log, self._command = log, command
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._ended: deque[str] = deque(maxlen=_ENDED)

    @property
    def known(self) -> frozenset[str]:
        """Jobs that run, and those that ended last."""
        return frozenset(self._running) | frozenset(self._ended)

    async def versions(self) -> list[str]:
        return []

    async def jobs(self) -> NodeJobs:
        for job_id, process in list(self._running.items()):
            code = process.poll()
            if code is not None:
                del self._running[job_id]
                self._ended.append(job_id)
                log.log(logging.WARNING if code else logging.INFO, "job %s: %s", job_id, code)
        return NodeJobs(
            pending=frozenset(), running=frozenset(self._running), finished=frozenset(self._ended)
        )

    async def schedule(
        self,
        spider: str,
        job_id: str,
        arguments: Mapping[str, str],
        settings: Mapping[str, str],
        *,
        version: str = "",
    ) -> str:
        command = [sys.executable, *self._command, spider]
        for option, values in (("-a", arguments), ("-s", settings)):
            command += [
                word for name, value in values.items() for word in (option, f"{name}={value}")
            ]
        self._running[job_id] = self._started(command)
        return job_id

    def _started(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        with _opened(self._log) as output:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={**os.environ, "SCRAPY_SETTINGS_MODULE": "blogcrawl.settings"},
                start_new_session=True,  # Ctrl-C is for this process, which stops the job itself
            )

    async def close(self) -> None:
        """Stop what runs, as Ctrl-C does, and wait for it."""
        await self.jobs()
        for process in self._running.values():
            process.send_signal(signal.SIGINT)
        for job_id, process in self._running.items():
            self._ended.append(job_id)
            try:
                await asyncio.to_thread(process.wait, STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._running.clear()


@contextlib.contextmanager
def keeping_up(
    schedule: Schedule, settings: Mapping[str, str], output: Path, *, name: str
) -> Iterator[None]:
    """Crawl the blogs that are due, in a worker process, while the body runs.

    ``settings``: of every job. ``output``: file of what jobs write. ``name``: of this process, for
    the leader's lease. Where the controller fails, this process gets SIGTERM, and the body's end
    raises what it failed with.
    """
    known = schedule.nodes()
    for node in known:
        only_here(node.url)
    if not known:
        schedule.save_node(NodeRow(url=LOCAL, capacity=1))
    worker = Worker(output)
    config = ControllerConfig(name=name, settings=settings, limits=Limits(queue_per_slot=1))
    running = _Rounds(schedule, config, worker)
    running.start()
    try:
        yield
    finally:
        running.end()
        for job in schedule.open_jobs():
            if job.id in worker.known:
                schedule.take_back(job.id, datetime.now(UTC))
    if running.error is not None:
        raise running.error


def only_here(node: str) -> None:
    """Raise UsageError for a node that is no worker of ours."""
    if node != LOCAL:
        raise UsageError(
            f"the node {node} crawls the blogs of this archive",
            advice="run `blogcrawl controller`, or remove it with `blogcrawl nodes --remove`",
        )


class _Rounds:
    """The controller in a thread of its own, whose database calls delay no reader."""

    def __init__(self, schedule: Schedule, config: ControllerConfig, client: NodeClient) -> None:
        self._schedule, self._config, self._client = schedule, config, client
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="blogcrawl-controller")
        self._rounds = 0
        self.error: BaseException | None = None

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        self._loop.close()

    def _run(self) -> None:
        controller = Controller(self._schedule, self._config, self._client_of)
        rounds = controller.run(self._stop, pause_seconds=PAUSE_SECONDS, report=self._after)
        try:
            self._loop.run_until_complete(rounds)
        except BaseException as error:
            self.error = error
            self._loop.run_until_complete(self._client.close())
            os.kill(os.getpid(), signal.SIGTERM)

    def _client_of(self, node: str) -> NodeClient:
        only_here(node)
        return self._client

    def _after(self, tick: Tick) -> None:
        if tick.leads and self._rounds % ROUNDS_UNTIL_LOOK == 0:
            schedule_archived(self._schedule, self._config.base_hours)
        self._rounds += tick.leads


def schedule_archived(schedule: Schedule, base_hours: float) -> int:
    """Give each blog that was archived by hand its turn; how many."""
    rows = []
    for blog in schedule.unscheduled():
        crawls = [crawl for crawl in schedule.state.crawls(blog.id) if crawl.ended]
        if crawls and crawls[-1].ended:
            recent = schedule.state.posts_since(
                blog.id, crawls[-1].ended - timedelta(days=HABIT_DAYS)
            )
            dates = [post.published for post in recent if post.published]
            rows.append(first_turn(blog, crawls, dates, base_hours=base_hours))
    return schedule.add_blogs(rows)


def _opened(path: Path) -> BinaryIO:
    """Open a log to append to; one that is long is kept under another name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > MAX_LOG:
        path.replace(path.with_suffix(".1.log"))
    return path.open("ab")
