"""``serve --crawl``: one machine keeps its archive up to date, whatever is killed or stopped."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from blogcrawl.cli.controller import job_settings
from blogcrawl.cli.options import config_from
from blogcrawl.cli.output import Output
from blogcrawl.cli.serve import crawling
from blogcrawl.cluster import worker
from blogcrawl.cluster.worker import Worker, keeping_up, schedule_archived
from blogcrawl.core.config import Config
from blogcrawl.core.errors import LeaseLostError, UsageError
from blogcrawl.storage.files import FolderLock
from blogcrawl.storage.schedule import LOCAL, Schedule
from blogcrawl.storage.state import open_state
from blogcrawl.storage.tables import BlogRow, CrawlRow, JobRow, NodeRow, PostRow, VisitRow
from tests.cluster.realnodes import family, wait_until
from tests.conftest import Cli, clean_environment
from tests.crawling.blog import entries, write_blog
from tests.server import Rule, Server

SETTINGS = {
    "BLOGCRAWL_DELAY_SECONDS": "0",
    "BLOGCRAWL_MAX_REQUESTS_PER_HOST": "1",
    "BLOGCRAWL_RENDER": "never",
}
NOW = datetime(2026, 6, 1, tzinfo=UTC)
needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")


@contextlib.contextmanager
def opened(archive: Path) -> Iterator[Schedule]:
    with closing(open_state(Config(archive=str(archive)))) as state:
        yield Schedule(state)


def look(archive: Path, read: Callable[[Schedule], Any]) -> Any:
    with opened(archive) as schedule:
        return read(schedule)


def turn(archive: Path) -> VisitRow | None:
    return look(archive, lambda schedule: next(iter(schedule.visits()), None))


def numbers(archive: Path) -> Mapping[str, Any]:
    crawls = look(archive, lambda schedule: schedule.state.running_crawls())
    return crawls[0].counts if crawls else {}


def number_of_posts(archive: Path) -> int:
    return look(archive, lambda schedule: len(list(schedule.state.posts())))


@contextlib.contextmanager
def serving(folder: Path, *lists: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "blogcrawl", "serve", "--crawl", "--port", "0"]
    command += ["--archive", str(folder / "archive"), *map(str, lists)]
    with (
        (folder / "serve.log").open("a") as log,
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=clean_environment(**SETTINGS),
        ) as server,
    ):
        assert server.stdout is not None and server.stdout.readline().startswith("http://")
        try:
            yield server
        finally:
            workers = family(server.pid)[1:]
            server.send_signal(signal.SIGINT)
            assert server.wait(60) == 0
            assert not [pid for pid in workers if Path(f"/proc/{pid}/exe").exists()]


@pytest.mark.slow
@needs_proc
def test_a_list_is_archived_and_kept_up_to_date_through_kills_and_stops(
    tmp_path: Path, cli: Cli
) -> None:
    (tmp_path / "blog").mkdir()
    archive, list_ = tmp_path / "archive", tmp_path / "blogs.txt"
    with Server(tmp_path / "blog", [Rule(path="/20.*", delay=2.0)]) as server:

        def is_read() -> bool:
            return any(path.startswith("/20") for path in server.paths())

        write_blog(tmp_path / "blog", entries(16), base=server.url.rstrip("/"), feed=5)
        list_.write_text(server.url)
        with serving(tmp_path, list_) as serve:
            wait_until(is_read, "a post is read")
            by_hand = cli("crawl", server.url, "--archive", archive, env=SETTINGS)
            assert "another process is crawling this blog" in by_hand.err, by_hand
            wait_until(lambda: number_of_posts(archive) > 0, "a post is archived")
            wait_until(lambda: "queue" in numbers(archive), "its numbers are noted")
            killed = family(serve.pid)[1]
            os.kill(killed, signal.SIGKILL)
            wait_until(lambda: {*family(serve.pid)[1:]} - {killed} != set(), "another goes on")
        # Ctrl-C: what was being crawled is due at once, whatever the stopped crawl noted
        stopped = turn(archive)
        assert stopped is not None and (stopped.state, stopped.failures) == ("waiting", 0)
        assert stopped.next_visit is not None and stopped.next_visit <= datetime.now(UTC)
        server.rules = []
        with serving(tmp_path, list_):
            wait_until(lambda: getattr(turn(archive), "kind", "") == "poll", "all is archived")
            assert number_of_posts(archive) == 16
            write_blog(tmp_path / "blog", entries(17), base=server.url.rstrip("/"), feed=5)
            with opened(archive) as schedule:
                [row] = schedule.visits()
                assert row.next_visit is not None and row.next_visit > datetime.now(UTC)
                schedule.save_visits([replace(row, next_visit=datetime.now(UTC))])
            wait_until(lambda: number_of_posts(archive) == 17, "the new post is found")
    jobs = look(archive, lambda schedule: [job.kind for job in schedule.jobs()])
    assert {"new", "poll", "update"} == set(jobs)
    checked = cli("verify", "--archive", archive)
    assert checked.code == 0, checked


def test_a_blog_archived_by_hand_gets_its_turn_from_what_is_known(tmp_path: Path) -> None:
    with opened(tmp_path) as schedule:
        blog = BlogRow(
            id="b1",
            url="https://blog.example/",
            feeds={"https://blog.example/feed": {"role": "posts", "etag": "x"}},
            last_crawl=NOW,
        )
        schedule.state.save_blog(blog)
        schedule.state.save_blog(replace(blog, id="b2", url="https://other.example/"))
        schedule.state.save_blog(replace(blog, id="b3", url="https://none.example/"))
        whole = CrawlRow(
            id="c1", blog_id="b1", spider="newcrawl", ended=NOW, outcome="finished", started=NOW
        )
        schedule.state.save(whole)
        schedule.state.save(replace(whole, id="c2", blog_id="b2", outcome="failed"))
        for day in range(60):
            date = NOW - timedelta(days=day, hours=day % 16)
            post = PostRow(blog_id="b1", url=f"https://blog.example/{day}", published=date)
            schedule.state.save_post(post)
        assert schedule_archived(schedule, 2.0) == 2  # none of b3's crawls ended
        assert schedule_archived(schedule, 2.0) == 0
        daily, failed = schedule.get_visit("b1"), schedule.get_visit("b2")
        assert daily is not None and failed is not None
        assert daily.kind == "poll" and (daily.feed or {})["etag"] == "x"
        assert daily.next_visit is not None
        assert timedelta(hours=1) < daily.next_visit - NOW < timedelta(hours=6)
        assert failed.kind == "new" and failed.failures == 1


def test_missing_posts_of_a_crawl_by_hand_are_asked_for_soon(tmp_path: Path) -> None:
    with opened(tmp_path) as schedule:
        schedule.state.save_blog(BlogRow(id="b", url="https://blog.example/", last_crawl=NOW))
        crawl = CrawlRow(
            id="c",
            blog_id="b",
            spider="newcrawl",
            ended=NOW,
            outcome="finished",
            counts={"posts": 7},
            report={"missing_count": 3, "dead_count": 1},
        )
        schedule.state.save(crawl)
        schedule_archived(schedule, 2.0)
        visit = schedule.get_visit("b")
        assert visit is not None and (visit.kind, visit.archived, visit.missing) == ("update", 7, 2)
        assert visit.next_visit == NOW + timedelta(minutes=15)


def test_a_stopped_job_leaves_its_blogs_due_but_not_those_with_results(tmp_path: Path) -> None:
    with opened(tmp_path) as schedule:
        names = ("done", "stopped", "silent")
        schedule.add_blogs(
            VisitRow(blog_id=name, url=f"https://{name}.example/", host=name, next_visit=NOW)
            for name in names
        )
        schedule.book([JobRow(id="j", kind="update", host="", blogs=list(names), created=NOW)])
        schedule.note_facts("done", "j", {"outcome": "crawled"})
        schedule.note_facts("stopped", "j", {"outcome": "failed", "reason": "was stopped"})
        assert schedule.take_back("j", NOW + timedelta(hours=1)) == 2
        states = {name: schedule.get_visit(name) for name in names}
        assert [row and row.state for row in states.values()] == ["visited", "waiting", "waiting"]
        assert schedule.open_jobs() == []


def test_nodes_of_a_cluster_are_left_their_blogs(tmp_path: Path) -> None:
    with opened(tmp_path) as schedule:
        schedule.save_node(NodeRow(url="http://n1.example:6800"))
        with (
            pytest.raises(UsageError, match=r"n1\.example"),
            keeping_up(schedule, {}, tmp_path / "log", name="here"),
        ):
            pass
        assert [node.url for node in schedule.nodes()] == ["http://n1.example:6800"]


def test_a_controller_of_a_cluster_sends_the_worker_nothing(tmp_path: Path, cli: Cli) -> None:
    with opened(tmp_path / "archive") as schedule:
        schedule.save_node(NodeRow(url=LOCAL, capacity=1))
    done = cli("controller", "--once", "--archive", tmp_path / "archive")
    assert done.code == 0 and look(tmp_path / "archive", lambda s: s.nodes()) == [], done


def test_a_worker_that_ignores_its_signal_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blogcrawl.cluster.worker.STOP_SECONDS", 0.2)
    script = (
        "import signal,time; signal.signal(signal.SIGINT, signal.SIG_IGN); "
        "print(1, flush=True); time.sleep(99)"
    )

    async def run() -> frozenset[str]:
        worker = Worker(tmp_path / "log", ("-c", script))
        await worker.schedule("poll", "j", {}, {})
        while not (tmp_path / "log").read_bytes():
            await asyncio.sleep(0.01)
        assert (await worker.jobs()).running == {"j"}
        await worker.close()
        assert (await worker.jobs()).running == frozenset()
        return worker.known

    assert asyncio.run(run()) == {"j"}


def test_crawls_of_a_schedule_share_a_folder_and_one_by_hand_does_not(tmp_path: Path) -> None:
    first, second = FolderLock(tmp_path, shared=True), FolderLock(tmp_path, shared=True)
    with pytest.raises(LeaseLostError):
        FolderLock(tmp_path)
    first.release()
    second.release()
    alone = FolderLock(tmp_path)
    with pytest.raises(LeaseLostError):
        FolderLock(tmp_path, shared=True)
    alone.release()


def test_without_a_browser_nothing_is_rendered_here_and_nodes_use_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[Mapping[str, str]] = []

    @contextlib.contextmanager
    def keeping(schedule: Schedule, settings: Mapping[str, str], *_: Any, **__: Any) -> Any:
        sent.append(settings)
        yield

    monkeypatch.setattr(worker, "keeping_up", keeping)
    monkeypatch.setenv("BLOGCRAWL_BROWSER_PATH", "none")
    archive = str(tmp_path)
    config = config_from(archive=archive)
    with crawling(config, (), (), Output(False)):
        pass
    assert sent[0]["BLOGCRAWL_RENDER"] == "never"
    assert "BLOGCRAWL_BROWSER_PATH" not in sent[0]
    assert "BLOGCRAWL_RENDER" not in job_settings(config, ())
    monkeypatch.setenv("BLOGCRAWL_BROWSER_PATH", "/usr/bin/chromium")
    assert job_settings(config, ())["BLOGCRAWL_BROWSER_PATH"] == "/usr/bin/chromium"
