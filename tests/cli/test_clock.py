"""Clocks that are wrong: one line, no traceback, and nothing is shut out for
centuries afterwards.
"""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from blogcrawl.cli.clock import clock_fault
from blogcrawl.storage.archive import made_at
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tables import PostRow
from tests import forked
from tests.cli.test_bad_input import CRAWL, small_blog
from tests.clocks import at, unavailable
from tests.conftest import clean_environment
from tests.server import Server

needs_clocks = pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
NOW = datetime(2026, 6, 1, tzinfo=UTC)
WITHOUT_TIME = (
    "import time\ndef broken(): raise OverflowError\ntime.time = broken\nfrom "
    "blogcrawl.cli.main import run\nrun()"
)


@pytest.mark.parametrize(("arguments", "is_json"), [(["list"], False), (["list", "--json"], True)])
def test_year_beyond_pythons_range_is_a_one_line_error(
    tmp_path: Path, arguments: list[str], is_json: bool
) -> None:
    command = [sys.executable, "-c", WITHOUT_TIME, *arguments]
    done = subprocess.run(command, env=clean_environment(), capture_output=True, text=True)
    assert (
        done.returncode == 1
        and len(done.stderr.splitlines()) == 1
        and "set the clock" in done.stderr
    )
    assert not is_json or json.loads(done.stdout)["error"]["exit_code"] == 1


@needs_clocks
@pytest.mark.parametrize(
    ("moment", "wanted"),
    [("@2343-02-03 00:00:00", "unsupported year"), ("@1970-01-01 00:00:10", "no archive")],
)
def test_command_runs_at_another_clock_time(tmp_path: Path, moment: str, wanted: str) -> None:
    command = [
        *at(moment),
        sys.executable,
        "-m",
        "blogcrawl",
        "verify",
        "--archive",
        str(tmp_path / "none"),
    ]
    done = subprocess.run(command, env=clean_environment(), capture_output=True, text=True)
    assert (
        "Traceback" not in done.stderr
        and wanted in done.stderr
        and len(done.stderr.splitlines()) == 1
    )


@needs_clocks
@pytest.mark.parametrize(
    ("moment", "wanted"),
    [
        ("@1970-01-01 00:00:10", "the clock says 1970"),
        pytest.param("@2200-02-03 00:00:00", "", marks=pytest.mark.slow),
        ("@2343-02-03 00:00:00", "unsupported year"),
    ],
)
def test_crawl_with_a_wrong_clock_leaves_a_valid_archive(
    tmp_path: Path, moment: str, wanted: str
) -> None:
    """2200 is beyond what a ZIP can date; beyond 2262 nothing begins. Only one line
    mentions the clock.
    """
    small_blog(tmp_path / "site")

    def call(*arguments: str, time: str = moment) -> tuple[int, list[str]]:
        line = [sys.executable, "-m", "blogcrawl", *arguments]
        env = clean_environment()
        done = (
            subprocess.run(
                [*at(time), *line], cwd=tmp_path, env=env, capture_output=True, text=True
            )
            if time
            else forked.run(line, cwd=tmp_path, env=env)
        )
        assert "Traceback" not in done.stderr
        return done.returncode, [
            line for line in done.stderr.splitlines() if " posts · " not in line
        ]  # but for the progress

    with Server(tmp_path / "site") as server:
        for command in ("crawl", "update"):
            code, lines = call(command, server.url, *CRAWL)
            if wanted == "unsupported year":
                assert (
                    code == 1
                    and len(lines) == 1
                    and wanted in lines[0]
                    and not (tmp_path / "archive").exists()
                )
                continue
            assert code == 0, lines
            assert [wanted in line for line in lines] == [True] * bool(wanted), lines
            assert call("verify", "--deep") == (0, [])
            assert not list((tmp_path / "archive").rglob("*.db-*")), "every database is closed"
        command = "crawl" if wanted == "unsupported year" else "update"
        assert call(command, server.url, *CRAWL, time="")[0] == 0, "the clock is right again"
    assert call("verify", "--deep", time="") == (0, [])


def test_implausible_clocks_are_detected() -> None:
    assert clock_fault(NOW, None) is None and clock_fault(NOW, NOW + timedelta(hours=20)) is None
    assert "before the release" in str(clock_fault(datetime(1970, 1, 1, tzinfo=UTC), None))
    assert "created on 2200" in str(clock_fault(NOW, datetime(2200, 1, 1, tzinfo=UTC)))


def test_archive_creation_time_is_read(tmp_path: Path) -> None:
    assert made_at(tmp_path) is None
    (tmp_path / "blogcrawl-archive.json").write_text('{"made": "2026-06-01T00:00:00Z"}')
    assert made_at(tmp_path) == NOW
    (tmp_path / "blogcrawl-archive.json").write_text("[]")
    assert made_at(tmp_path) is None


def test_archive_written_by_a_future_clock_stays_usable(tmp_path: Path) -> None:
    state, far = SqlState(f"sqlite:///{tmp_path / 'state.db'}"), NOW + timedelta(days=200 * 365)
    assert state.acquire_lease("b", "one", 120, far) == 1
    assert state.acquire_lease("b", "two", 120, far) is None
    assert state.acquire_lease("b", "two", 120, NOW) == 2, "no lease is given for centuries"
    assert state.acquire_lease("b", "three", 120, NOW) is None
    for number, due in enumerate((far, NOW + timedelta(days=30), NOW)):
        state.save_post(PostRow(blog_id="b", url=f"https://x/{number}", next_comment_check=due))
    assert sorted(post.url for post in state.posts_to_check("b", NOW)) == [
        "https://x/0",
        "https://x/2",
    ]
    state.close()
