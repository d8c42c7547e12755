"""Many updates in one process: blogs do not affect one another."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from blogcrawl.core.config import Config
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.state import open_state
from blogcrawl.storage.tables import JobRow, VisitRow
from tests.conftest import clean_environment
from tests.crawling.blog import entries, write_blog
from tests.crawling.crawling import crawl, faults
from tests.server import Rule, Server

POSTS = 5


class Blogs:
    """``count`` archived blogs, all with a new post since, all in the update job ``job-1``."""

    def __init__(self, servers: list[Server], archive: Path) -> None:
        self.servers, self.archive = servers, archive
        self.now = datetime.now(
            UTC
            # not the time of import: in a long run of the suite leases would be over before the
            # test begins
        )
        for number, server in enumerate(servers):
            self._write(server, POSTS)
            crawl(server.url, archive, blog_id=f"b{number}")
            self._write(server, POSTS + 1)
            server.clear_log()
        self.schedule = Schedule(open_state(Config(archive=str(archive))))
        rows = [
            VisitRow(blog_id=f"b{n}", url=s.url, host=f"h{n}", kind="update", next_visit=self.now)
            for n, s in enumerate(servers)
        ]
        self.schedule.add_blogs(rows)
        assert self.schedule.book(
            [
                JobRow(
                    id="job-1",
                    kind="update",
                    host="",
                    blogs=[r.blog_id for r in rows],
                    created=self.now,
                )
            ]
        )

    @staticmethod
    def _write(server: Server, posts: int) -> None:
        assert server.root is not None
        write_blog(server.root, entries(posts), base=server.url.rstrip("/"), feed=4)

    def start(self, *settings: str) -> subprocess.Popen[str]:
        """The job as a node runs it."""
        given = (
            "JOB_ID=job-1",
            "DELAY_SECONDS=0",
            "RETRY_PAUSE_SECONDS=0",
            "RENDER=never",
            *settings,
        )
        given += (f"ARCHIVE={self.archive}", "NODE=http://n1:6800")
        command = [sys.executable, "-m", "scrapy", "crawl", "updateblogs", "-a", "job=job-1"]
        command += [word for one in given for word in ("-s", f"BLOGCRAWL_{one}")]
        environment = clean_environment(SCRAPY_SETTINGS_MODULE="blogcrawl.settings")
        return subprocess.Popen(
            command, cwd=self.archive, env=environment, stderr=subprocess.PIPE, text=True
        )

    def turns(self) -> dict[str, tuple[str, str | None]]:
        return {
            row.blog_id: (row.state, (row.facts or {}).get("outcome"))
            for row in self.schedule.visits()
        }

    def posts(self) -> dict[str, int]:
        return {
            f"b{n}": sum(1 for _ in self.schedule.state.posts(f"b{n}"))
            for n in range(len(self.servers))
        }


@contextlib.contextmanager
def blogs(folder: Path, count: int) -> Iterator[Blogs]:
    with contextlib.ExitStack() as stack:
        servers = []
        for number in range(count):
            (folder / f"site{number}").mkdir(parents=True)
            servers.append(
                stack.enter_context(Server(folder / f"site{number}", host=f"127.0.8.{number + 1}"))
            )
        world = Blogs(servers, folder / "archive")
        yield world
        world.schedule.state.close()


def test_blogs_of_a_job_do_not_affect_each_other(tmp_path: Path) -> None:
    """One is well, one's server fails, one belongs to another job by now, one is held by a twin of
    this process.
    """
    with blogs(tmp_path, 4) as world:
        world.servers[1].rules = [Rule(path=".*", status=404)]
        other = world.schedule.get_visit("b2")
        assert other is not None
        world.schedule.let_go("job-1", ["b2"])
        assert world.schedule.book(
            [JobRow(id="job-2", kind="update", host="", blogs=["b2"], created=world.now)]
        )
        assert world.schedule.take("job-1", "b3", 3600, datetime.now(UTC)) is not None
        done = world.start("LOG_FORMAT=json")
        _, err = done.communicate()
        assert done.returncode == 0, err
        said = world.turns()
        assert said["b0"] == ("visited", "crawled") and said["b1"] == ("visited", "failed"), err
        logged = [json.loads(line) for line in err.splitlines() if line.startswith('{"time"')]
        ends = {
            line["blog"]
            for line in logged
            if line["spider"] == "updatecrawl" and "archived" in line["message"]
        }
        assert ends == {"b0"} and all(line["job"] == "job-1" for line in logged), err
        assert said["b2"] == ("claimed", None) and said["b3"] == ("claimed", None), (
            "neither is ours"
        )
        assert world.posts() == {"b0": POSTS + 1, "b1": POSTS, "b2": POSTS, "b3": POSTS}
        assert not world.servers[2].paths() and not world.servers[3].paths()
        assert faults(world.archive) == []
        row = next(row for row in world.schedule.state.crawls("b0") if row.spider == "updatecrawl")
        assert (row.id, row.node, row.outcome) == ("job-1-b0", "http://n1:6800", "finished")


def test_stopped_job_returns_blogs_it_has_not_begun(tmp_path: Path) -> None:
    """Begun crawls are reported as stopped, and the archive holds nothing half-written."""
    with blogs(tmp_path, 2) as world:
        rows = [row for b in ("b0", "b1") if (row := world.schedule.get_visit(b))]
        world.schedule.save_visits(
            [VisitRow(**{n: getattr(r, n) for n in r.__slots__} | {"host": "one"}) for r in rows]
        )
        world.servers[0].rules = world.servers[1].rules = [Rule(path="/20.*", delay=4.0)]
        job = world.start()
        while not any(p.startswith("/20") for s in world.servers for p in s.paths()):
            assert job.poll() is None, job.communicate()[1]
            time.sleep(0.05)
        job.send_signal(signal.SIGTERM)
        _, err = job.communicate()
        assert sorted(world.turns().values(), key=str) == [
            ("visited", "failed"),
            ("waiting", None),
        ], err
        assert faults(world.archive) == []


def test_blogs_begun_by_a_dead_process_are_reissued_alone(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    schedule = Schedule(open_state(Config(archive=str(tmp_path))))
    names = [f"b{n}" for n in range(6)]
    schedule.add_blogs(
        VisitRow(blog_id=b, url=f"http://{b}.example/", host=b, kind="update", next_visit=now)
        for b in names
    )
    [job] = schedule.book([JobRow(id="job-1", kind="update", host="", blogs=names, created=now)])
    tokens = [taken[1] for b in names[:3] if (taken := schedule.take("job-1", b, 60, now))]
    assert tokens == [1, 1, 1] and schedule.take("job-1", "b0", 60, now) is None, (
        "a second copy of the process is refused"
    )
    schedule.note_facts("b0", "job-1", {"outcome": "crawled"})
    again = schedule.give_up(job, now + timedelta(seconds=9), "lost")
    assert [(j.blogs, j.attempt) for j in again] == [
        (["b1"], 2),
        (["b2"], 2),
        (["b3", "b4", "b5"], 1),
    ]
    assert schedule.take("job-1", "b3", 60, now) is None, "the lost job begins nothing any more"
    assert schedule.take(again[0].id, "b1", 60, now) is not None, (
        "whoever gets it next does not wait for the lease"
    )
    with pytest.raises(Exception, match="lease"):
        schedule.state.check_fence("b1", 1)
    schedule.state.close()
