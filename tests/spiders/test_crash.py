"""Killed at any moment, or stopped with Ctrl-C: the next run goes on, loses nothing and repeats only what was in flight."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from blogcrawl.config import Config
from blogcrawl.storage.state import open_state
from tests.server import Rule, Server
from tests.spiders.blog import entries, write_blog
from tests.spiders.crawling import crawl, faults, rows

COUNT = 40
IN_FLIGHT = 4 + 8
"""Requests to one host at a time, and items in the stages."""
CHILD = """
import sys
from blogcrawl.config import Config
from blogcrawl.spiders.run import run_crawl
row = run_crawl(sys.argv[1], Config(archive=sys.argv[2], delay_seconds=0.0, render="never"))
print(row.outcome, flush=True)
"""


def start(server: Server, archive: Path) -> subprocess.Popen[str]:
    root = str(Path(__file__).resolve().parents[2])
    environment = {**os.environ, "PYTHONPATH": root}
    return subprocess.Popen([sys.executable, "-c", CHILD, server.url, str(archive)], stdout=subprocess.PIPE, text=True, env=environment)


def wait_for_hits(server: Server, count: int) -> None:
    deadline = time.monotonic() + 40
    while len(server.log()) < count and time.monotonic() < deadline:
        time.sleep(0.01)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "site").mkdir()
    return tmp_path / "site"


@pytest.mark.parametrize("after", [3, 23, 50])
def test_kill_9(after: int, site: Path, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    with Server(site) as server:
        write_blog(site, entries(COUNT), base=server.url.rstrip("/"))
        server.rules = [Rule(path=".*", delay=0.01)]
        child = start(server, archive)
        wait_for_hits(server, after)
        child.kill()
        child.wait()
        assert child.stdout is not None
        child.stdout.close()
        server.rules = []
        row = crawl(server.url, archive)
        posts = Counter(p for p in server.paths() if p.startswith("/20"))
    assert row.outcome == "finished" and row.report["missing"] == []
    assert rows(archive).keys() == {entry.path.rstrip("/") for entry in entries(COUNT)}
    assert faults(archive) == []
    assert sum(count - 1 for count in posts.values()) <= 2 * IN_FLIGHT, "on a crowded machine more pages wait for the stages"


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_killed_at_20_random_moments(site: Path, tmp_path: Path) -> None:
    """The set of posts is the uninterrupted crawl's, and nothing was asked for again but what was in flight: no survey, no lesson."""
    archive, rng = tmp_path / "archive", random.Random(4)
    written = entries(5 * COUNT)
    with Server(site) as server:
        write_blog(site, written, base=server.url.rstrip("/"))
        server.rules = [Rule(path=".*", delay=0.01)]
        kills = 0
        while kills < 20:
            child = start(server, archive)
            wait_for_hits(server, len(server.log()) + rng.randrange(2, 25))
            assert child.poll() is None, f"the crawl was over after {kills} kills"
            child.kill()
            child.wait()
            assert child.stdout is not None
            child.stdout.close()
            kills += 1
        server.rules = []
        row = crawl(server.url, archive)
        asked = Counter(server.paths())
    assert row.outcome == "finished" and row.report["missing"] == []
    assert rows(archive).keys() == {entry.path.rstrip("/") for entry in written}
    assert faults(archive) == []
    pages = {path: count for path, count in asked.items() if not path.startswith(("/img", "/robots", "/static", "/media"))}
    assert sum(count - 1 for path, count in pages.items() if path.startswith("/20")) <= 20 * IN_FLIGHT
    again = {path: count - 1 for path, count in pages.items() if not path.startswith("/20") and count > 1}
    assert sum(again.values()) <= 20 + IN_FLIGHT, f"start page, feed, sitemap, lists: once more where the kill came under way: {again}"


def test_ctrl_c_finishes_what_is_in_flight(site: Path, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    with Server(site) as server:
        write_blog(site, entries(COUNT), base=server.url.rstrip("/"))
        server.rules = [Rule(path="/2.*", delay=0.1)]
        child = start(server, archive)
        wait_for_hits(server, 30)
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=30)
        assert child.returncode == 0 and out.strip() == "stopped"
        state = open_state(Config(archive=str(archive)))
        blog = next(state.blogs())
        (first,) = state.crawls(blog.id)
        state.close()
        assert first.outcome == "stopped" and first.ended is not None
        assert 0 < first.counts["posts_archived"] < COUNT
        server.rules = []
        row = crawl(server.url, archive)
        posts = Counter(p for p in server.paths() if p.startswith("/20"))
    assert row.outcome == "finished" and len(rows(archive)) == COUNT
    assert set(posts.values()) == {1}, "nothing is fetched twice"
    assert faults(archive) == []
