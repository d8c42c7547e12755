"""Real Scrapyd nodes on loopback and a real controller, which a test may kill, freeze, wake and
start again.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Self

from blogcrawl import __version__
from blogcrawl.core.config import Config
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.state import open_state
from blogcrawl.storage.tables import VisitRow
from tests.conftest import ROOT, clean_environment

PASSWORD = "only-for-tests"
_EGG: list[bytes] = []


def deploy_module(name: str) -> ModuleType:
    """``deploy/<name>.py``, which is no package."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, ROOT / "deploy" / f"{name}.py")
        assert spec is not None and spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


class Cluster:
    """``count`` nodes with the project's egg, and controllers as they are started. ``environment``
    reaches them all.
    """

    def __init__(
        self, work: Path, count: int, *, slots: int = 2, environment: dict[str, str] | None = None
    ) -> None:
        self.work, self.archive = work, work / "archive"
        login = {"BLOGCRAWL_NODES_USERNAME": "blogcrawl", "BLOGCRAWL_NODES_PASSWORD": PASSWORD}
        self.environment = clean_environment(**login, **(environment or {}))
        self.count, self.slots = count, slots
        self.nodes: list[tuple[str, subprocess.Popen[bytes]]] = []
        self.controllers: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        deploy_egg = deploy_module("deploy_egg")
        start_node = deploy_module("cluster_local").start_node
        if not _EGG:
            _EGG.append(deploy_egg.build_egg())
        try:
            self.nodes = [
                start_node(100 + i, self.work / "nodes", self.slots, self.environment)
                for i in range(self.count)
            ]
            asyncio.run(deploy_egg.deploy(self.urls, _EGG[0], "blogcrawl", PASSWORD))
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for controller in self.controllers:
            controller.kill()
            controller.wait()
        for _, node in self.nodes:
            for process in family(node.pid):
                for number in (signal.SIGCONT, signal.SIGKILL):
                    send(process, number)
            node.wait()

    @property
    def urls(self) -> list[str]:
        return [url for url, _ in self.nodes]

    def control(self, *arguments: str | Path, nodes: int | None = None) -> subprocess.Popen[bytes]:
        """A controller for the first ``nodes`` nodes, all by default; its messages go to
        controller.log.
        """
        command = [
            sys.executable,
            "-m",
            "blogcrawl",
            "controller",
            "--archive",
            str(self.archive),
            "--egg-version",
            __version__,
        ]
        command += [word for url in self.urls[:nodes] for word in ("--node", f"{url}={self.slots}")]
        with (self.work / "controller.log").open("ab") as log:
            command += map(str, arguments)
            self.controllers.append(
                subprocess.Popen(
                    command, env=self.environment, cwd=self.work, stdout=log, stderr=log
                )
            )
        return self.controllers[-1]

    def signal_node(self, index: int, number: signal.Signals) -> list[int]:
        """To a node and the crawls it runs; their process ids."""
        processes = family(self.nodes[index][1].pid)
        for process in processes:
            send(process, number)
        return processes

    def schedule(self) -> Schedule:
        url = self.environment.get("BLOGCRAWL_STATE_URL", "")
        return Schedule(open_state(Config(archive=str(self.archive), state_url=url)))

    def turns(self) -> list[VisitRow]:
        schedule = self.schedule()
        try:
            return list(schedule.visits())
        finally:
            schedule.state.close()

    def lost(self) -> list[tuple[str | None, str]]:
        """(node, job) of the jobs that were given up."""
        schedule = self.schedule()
        try:
            return [(job.node, job.id) for job in schedule.jobs() if job.state == "lost"]
        finally:
            schedule.state.close()

    def crawling(self, index: int) -> bool:
        return len(family(self.nodes[index][1].pid)) > 1

    def output(self) -> str:
        """The controllers' messages, for a failing test."""
        return (self.work / "controller.log").read_text()[-4000:]


def check_once(cluster: Cluster, posts: dict[str, int]) -> None:
    """Of each blog (by URL) so many posts: each post one row, each package one version; every
    blog's turn is to be polled next.
    """
    schedule = cluster.schedule()
    rows = list(schedule.state.posts())
    schedule.state.close()
    assert Counter(row.url.split("/")[2] for row in rows) == {
        url.split("/")[2]: count for url, count in posts.items()
    }
    store = open_store(
        Config(
            archive=str(cluster.archive),
            store_url=cluster.environment.get("BLOGCRAWL_STORE_URL", ""),
        )
    )
    assert {row.aip_id: len(store.versions(row.aip_id or "")) for row in rows} == {
        row.aip_id: 1 for row in rows
    }
    assert [fault for row in rows for fault in store.verify(row.aip_id or "", deep=True)] == []
    assert {turn.url: (turn.kind, turn.state) for turn in cluster.turns()} == dict.fromkeys(
        posts, ("poll", "waiting")
    ), cluster.output()


PATIENCE = 400.0
"""Seconds after which nothing will come any more, on any machine."""


def wait_until(true: Callable[[], bool], what: str, seconds: float = PATIENCE) -> None:
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, f"not within {seconds} s: {what}"
        time.sleep(0.1)


def send(process: int, number: signal.Signals) -> None:
    try:
        os.kill(process, number)
    except ProcessLookupError:
        return


def family(process: int) -> list[int]:
    """A process and all below it."""
    found = [process]
    for parent in found:
        for thread in Path(f"/proc/{parent}/task").glob("*/children"):
            with contextlib.suppress(OSError):  # it has ended
                found += map(int, thread.read_text().split())
    return found
