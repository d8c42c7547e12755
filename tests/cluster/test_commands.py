"""``blogcrawl controller --once``, ``nodes``, ``jobs``, ``blogs``: seeing and steering a cluster
from the shell.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from blogcrawl.cli.main import cli
from blogcrawl.core.config import Config
from blogcrawl.core.errors import UsageError
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.state import open_state
from blogcrawl.storage.tables import JobRow

NODE = "http://127.0.0.1:9"
OPML = (
    '<opml><body><outline text="folder"><outline type="rss" xmlUrl="http://a.example/feed" '
    'htmlUrl="http://a.example/"/></outline></body></opml>'
)


class Shell:
    def __init__(self, folder: Path) -> None:
        self.folder, self.archive = folder, folder / "archive"

    def __call__(self, *words: str, stdin: str = "") -> Any:
        """What the command prints as JSON."""
        done = CliRunner().invoke(
            cli,
            [*words, "--archive", str(self.archive), "--json"],
            input=stdin,
            catch_exceptions=False,
        )
        return json.loads(
            done.stdout[min(i for i in (done.stdout.find("{"), done.stdout.find("[")) if i >= 0) :]
        )

    def schedule(self) -> Schedule:
        return Schedule(open_state(Config(archive=str(self.archive))))


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Four blogs from a pipe, an OPML and a CSV; a node that is down."""
    made = Shell(tmp_path)
    (tmp_path / "list.opml").write_text(OPML)
    (tmp_path / "list.csv").write_text("title,url\nB,http://b.example/\nagain,http://a.example\n")
    lists = ["-", str(tmp_path / "list.opml"), str(tmp_path / "list.csv")]
    result = made(
        "controller",
        "--once",
        "--node",
        f"{NODE}=3",
        *lists,
        stdin="http://c.example/\n# no blog\nd.example\n",
    )
    none = {"archived": 0, "missing": 0, "blogs_missing": 0}
    assert result == {
        "counts": {"visits": {"waiting": 4}, "jobs": {}, "nodes": {"active": 1}},
        "posts": none,
        "leads": True,
    }
    return made


def test_controller_once_imports_lists_and_reports_a_dead_node(shell: Shell) -> None:
    [node] = shell("nodes")
    assert (node["url"], node["capacity"], node["trouble"], node["failures"]) == (
        NODE,
        3,
        "unreachable",
        1,
    )
    assert {(b["url"], b["kind"], b["state"]) for b in shell("blogs")} == {
        (url, "new", "waiting")
        for url in (
            "http://a.example/",
            "http://b.example/",
            "http://c.example/",
            "https://d.example",
        )
    }
    assert shell("jobs") == []


def test_node_is_drained_resumed_and_removed(shell: Shell) -> None:
    assert shell("nodes", "--drain", NODE + "/")[0]["state"] == "draining"
    assert shell("nodes", "--resume", NODE)[0]["state"] == "active"
    assert shell("nodes", "--remove", NODE) == []
    with pytest.raises(UsageError, match="unknown node"):
        shell("nodes", "--drain", NODE)
    assert shell("controller", "--once", "--node", f"{NODE}=2")["counts"]["nodes"] == {
        "active": 1
    }, "and comes back when it is named again"


def test_end_of_a_controller_says_which_nodes_are_down(shell: Shell) -> None:
    schedule = shell.schedule()
    visit = next(iter(schedule.visits(limit=1)))
    schedule.save_visits([replace(visit, archived=3, missing=2)])
    words = ["controller", "--once", "--archive", str(shell.archive)]
    lines = CliRunner().invoke(cli, words, catch_exceptions=False).stdout.splitlines()
    assert "nodes   1 down" in lines
    assert "posts   3 archived, 2 missing in 1 blog, which is visited again soon" in lines


def test_invalid_nodes_are_refused(shell: Shell) -> None:
    for words in ("10.0.0.1:6800", "http://n:6800=many", "http://n:6800=²", "http://n:6800=0"):
        with pytest.raises(UsageError, match="--node takes"):
            shell("controller", "--once", "--node", words)


def test_problem_blog_is_listed_with_its_reason_and_reinstated(shell: Shell) -> None:
    schedule = shell.schedule()
    row = next(r for r in schedule.visits() if r.url == "http://b.example/")
    schedule.save_visits(
        [replace(row, state="listed", next_visit=None, failures=12, reason="500 for a month")]
    )
    schedule.state.close()
    [listed] = shell("blogs", "--state", "listed")
    assert (listed["url"], listed["reason"]) == ("http://b.example/", "500 for a month")
    shell("blogs", "--retry", "http://b.example")
    assert shell("blogs", "--state", "listed") == []
    schedule = shell.schedule()
    back = schedule.get_visit(row.blog_id)
    schedule.state.close()
    assert back is not None and (back.state, back.failures) == ("waiting", 0)
    assert back.next_visit is not None and back.next_visit < datetime.now(UTC) + timedelta(
        seconds=1
    )
    with pytest.raises(UsageError, match="unknown blog"):
        shell("blogs", "--retry", "http://unknown.example/")


def test_jobs_list_their_blogs(shell: Shell) -> None:
    schedule = shell.schedule()
    blogs = [row.blog_id for row in schedule.visits()]
    schedule.book(
        [JobRow(id="job-1", kind="new", host="", blogs=blogs[:1], created=datetime.now(UTC))]
    )
    schedule.state.close()
    [job] = shell("jobs")
    assert (job["id"], job["state"], job["blogs"]) == ("job-1", "ready", blogs[:1])


def test_nodes_shows_a_dead_node_as_down_without_old_numbers(shell: Shell) -> None:
    done = CliRunner().invoke(cli, ["nodes", "--archive", str(shell.archive)])
    [row] = [line.split() for line in done.output.splitlines() if NODE in line]
    assert row[:4] == ["down", "3", "-", "-"]
    assert shell("nodes")[0]["shown"] == "down"
