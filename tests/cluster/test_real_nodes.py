"""Real Scrapyd nodes under a real controller: whatever dies or sleeps, nothing is lost, nothing is
there twice.
"""

from __future__ import annotations

import contextlib
import json
import signal
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from sqlalchemy.engine import make_url

from blogcrawl.core.config import Config
from blogcrawl.storage.state import open_state
from tests.cluster.realnodes import PASSWORD, PATIENCE, Cluster, check_once, family, wait_until
from tests.cluster.services import postgres, s3_server
from tests.conftest import Cli
from tests.crawling.blog import entries, write_blog
from tests.server import Rule, Server

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc"),
]
POSTS = 12
LEASE = "15"
SETTINGS = [
    "--set",
    "delay_seconds=0",
    "--set",
    "render=never",
    "--lease",
    LEASE,
    "--pause",
    "0.5",
    "--base-hours",
    "20",
]
NEVER = datetime.min.replace(tzinfo=UTC)
TIMES = {"fetched_at"}
"""Fields of a record with the time of fetching: the only ones in which two crawls of the same
blog may differ.
"""


@contextlib.contextmanager
def blogs(folder: Path, count: int, *, delay: float, posts: int = POSTS) -> Iterator[list[Server]]:
    with contextlib.ExitStack() as stack:
        servers = []
        for number in range(count):
            root = folder / f"blog{number}"
            root.mkdir(parents=True)
            server = stack.enter_context(
                Server(root, [Rule(path="/20.*", delay=delay)], host=f"127.0.9.{number + 1}")
            )
            write_blog(root, entries(posts + number), base=server.url.rstrip("/"), feed=8)
            servers.append(server)
        yield servers


def write_list(path: Path, servers: list[Server]) -> Path:
    path.write_text("".join(f"{server.url}\n" for server in servers))
    return path


def exported(cli: Cli, archive: Path, env: dict[str, str] | None = None) -> list[dict[str, Any]]:
    """Sorted by address, without the times of fetching."""
    done = cli("export", "--format", "jsonl", "--archive", archive, env=env)
    assert done.code == 0, done
    rows = sorted((json.loads(line) for line in done.out.splitlines()), key=lambda row: row["url"])
    return [{name: value for name, value in row.items() if name not in TIMES} for row in rows]


def on_one_machine(cli: Cli, servers: list[Server], archive: Path) -> list[dict[str, Any]]:
    done = cli(
        "crawl",
        "--archive",
        archive,
        "--delay",
        "0",
        "--render",
        "never",
        *[s.url for s in servers],
    )
    assert done.code == 0, done
    return exported(cli, archive)


def check(cluster: Cluster, servers: list[Server]) -> None:
    check_once(cluster, {server.url: POSTS + n for n, server in enumerate(servers)})


def test_cluster_survives_dead_and_frozen_nodes_and_a_killed_controller(
    tmp_path: Path, cli: Cli
) -> None:
    with blogs(tmp_path / "blogs", 6, delay=0.4) as servers, Cluster(tmp_path, 3) as cluster:
        controller = cluster.control(
            write_list(tmp_path / "list.txt", servers), "--until-idle", *SETTINGS
        )
        wait_until(lambda: cluster.crawling(0) and cluster.crawling(1), "two nodes crawl")
        wait_until(
            lambda: sum(p.startswith("/20") for s in servers for p in s.paths()) > 12,
            "posts are fetched",
        )
        cluster.signal_node(0, signal.SIGKILL)
        frozen = cluster.signal_node(1, signal.SIGSTOP)
        assert len(frozen) > 1, "the node that sleeps has crawls"
        controller.kill()
        controller = cluster.control("--until-idle", *SETTINGS)
        wait_until(
            lambda: {*cluster.urls[:2]} <= {node for node, _ in cluster.lost()},
            "both nodes' jobs are given up",
        )
        cluster.signal_node(1, signal.SIGCONT)
        assert controller.wait(PATIENCE) == 0, cluster.output()
        wait_until(lambda: not cluster.crawling(1), "late crawls end")
        for server in servers:
            server.rules = []
        check(cluster, servers)
        logs = [path.read_text() for path in (tmp_path / "nodes/node101/logs").rglob("*.log")]
        assert any(
            "given this job to somebody else" in log or "this job must not write" in log
            for log in logs
        ), "late writers were fenced off"
        assert exported(cli, cluster.archive) == on_one_machine(cli, servers, tmp_path / "alone")
        assert cli("verify", "--deep", "--archive", cluster.archive).code == 0


def test_crawls_of_a_restarted_scrapyd_continue(tmp_path: Path) -> None:
    """Scrapyd forgets what it ran when it is killed alone: the orphan renews its lease, so no other
    crawl gets its blog.
    """
    with blogs(tmp_path / "blogs", 1, delay=0.5) as servers, Cluster(tmp_path, 1) as cluster:
        controller = cluster.control(
            write_list(tmp_path / "list.txt", servers), "--until-idle", *SETTINGS
        )
        wait_until(
            lambda: any(p.startswith("/20") for p in servers[0].paths()), "posts are fetched"
        )
        cluster.nodes[0][1].kill()
        assert controller.wait(PATIENCE) == 0, cluster.output()
        check(cluster, servers)
        assert [job.attempt for job in cluster.schedule().jobs()] == [1], "issued once"


def test_a_blog_under_two_addresses_is_archived_once(tmp_path: Path, cli: Cli) -> None:
    """The second address leads to a blog that is known by then: it is listed with that reason, and
    nothing is there twice.
    """
    with (
        blogs(tmp_path / "blogs", 1, delay=0.0) as servers,
        Cluster(tmp_path, 1, slots=1) as cluster,
    ):
        with Server(
            None,
            [Rule(path=".*", status=301, headers={"Location": servers[0].url})],
            host="127.0.9.50",
        ) as other:
            (tmp_path / "list.txt").write_text(f"{servers[0].url}\n{other.url}\n")
            assert (
                cluster.control(
                    tmp_path / "list.txt", "--until-idle", *SETTINGS, "--set", "allow_private=1"
                ).wait(PATIENCE)
                == 0
            ), cluster.output()
        turns = {turn.url: turn for turn in cluster.turns()}
        listed = next(turn for turn in turns.values() if turn.state == "listed")
        assert (
            "known already" in (listed.reason or "")
            and len(exported(cli, cluster.archive)) == POSTS
        )


def test_no_secret_is_in_the_arguments_or_logs_of_any_process(tmp_path: Path) -> None:
    """The database's password reaches nodes as a file; jobs, their processes and logs never show
    it.
    """
    pytest.importorskip("psycopg")
    with contextlib.ExitStack() as stack:
        database = stack.enter_context(postgres())
        if database is None:
            pytest.skip("no PostgreSQL binaries")
        secret = "unique-pass%2Fword-of-the-database"
        with_secret = (
            make_url(database.url)
            .set(password=unquote(secret))
            .render_as_string(hide_password=False)
        )
        (tmp_path / "state_url").write_text(with_secret)
        (tmp_path / "state_url").chmod(0o600)
        webhook = "http://127.0.0.1:1/hook-token-that-is-a-secret"
        environment = {
            "BLOGCRAWL_STATE_URL_FILE": str(tmp_path / "state_url"),
            "BLOGCRAWL_WEBHOOK": webhook,
        }
        servers = stack.enter_context(blogs(tmp_path / "blogs", 2, delay=0.1))
        cluster = stack.enter_context(Cluster(tmp_path, 2, environment=environment))
        controller = cluster.control(
            write_list(tmp_path / "list.txt", servers), "--until-idle", *SETTINGS
        )
        traces = (unquote(secret), secret, "hook-token", PASSWORD)
        found, jobs = set[str](), set[int]()
        until = time.monotonic() + PATIENCE
        while controller.poll() is None and time.monotonic() < until:
            for process in [
                controller.pid,
                *(pid for _, node in cluster.nodes for pid in family(node.pid)),
            ]:
                with contextlib.suppress(OSError):
                    words = Path(f"/proc/{process}/cmdline").read_text()
                    found |= {words for trace in traces if trace in words}
                    jobs |= {process} if "BLOGCRAWL_JOB_ID" in words else set()
                    variables = Path(f"/proc/{process}/environ").read_text()
                    found |= {
                        f"environment of {words}" for trace in traces[:2] if trace in variables
                    }
            time.sleep(0.1)
        assert controller.wait(PATIENCE) == 0, cluster.output()
        assert jobs and not found
        outputs = [
            path.read_text(errors="replace") for path in (tmp_path / "nodes").rglob("*.log")
        ] + [cluster.output()]
        assert not [text for text in outputs for trace in traces if trace in text]
        state = open_state(Config(archive=str(cluster.archive), state_url=database.url))
        assert len(list(state.posts())) == POSTS * 2 + 1
        rows = [
            json.dumps(asdict(crawl), default=str)
            for blog in state.blogs()
            for crawl in state.crawls(blog.id)
        ]
        state.close()
        assert not [row for row in rows for trace in traces if trace in row]


def test_cluster_archives_to_postgresql_and_s3(tmp_path: Path, cli: Cli) -> None:
    pytest.importorskip("psycopg")
    pytest.importorskip("s3fs")
    with contextlib.ExitStack() as stack:
        database = stack.enter_context(postgres())
        if database is None:
            pytest.skip("no PostgreSQL binaries")
        login = stack.enter_context(s3_server(tmp_path))
        if login is None:
            pytest.skip("no S3 server: neither localbucket nor moto is installed")
        for name, value in login.items():
            stack.enter_context(pytest.MonkeyPatch.context()).setenv(name, value)
        environment = login | {
            "BLOGCRAWL_STATE_URL": database.url,
            "BLOGCRAWL_STORE_URL": "s3://packages/aips",
        }
        servers = stack.enter_context(blogs(tmp_path / "blogs", 3, delay=0.3))
        cluster = stack.enter_context(Cluster(tmp_path, 2, environment=environment))
        controller = cluster.control(
            write_list(tmp_path / "list.txt", servers), "--until-idle", *SETTINGS
        )
        wait_until(
            lambda: sum(p.startswith("/20") for s in servers for p in s.paths()) > 6,
            "posts are fetched",
        )
        cluster.signal_node(0, signal.SIGKILL)
        assert controller.wait(PATIENCE) == 0, cluster.output()
        for server in servers:
            server.rules = []
        check(cluster, servers)
        assert exported(cli, cluster.archive, environment) == on_one_machine(
            cli, servers, tmp_path / "alone"
        )


@pytest.mark.by_hand
def test_updates_are_batched_and_only_unfinished_ones_reissued(tmp_path: Path, cli: Cli) -> None:
    with (
        blogs(tmp_path / "blogs", 10, delay=0.0, posts=2) as servers,
        Cluster(tmp_path, 2, slots=1) as cluster,
    ):
        assert (
            cluster.control(
                write_list(tmp_path / "list.txt", servers), "--until-idle", *SETTINGS
            ).wait(PATIENCE)
            == 0
        ), cluster.output()
        for number, server in enumerate(servers):
            assert server.root is not None
            write_blog(server.root, entries(3 + number), base=server.url.rstrip("/"), feed=8)
            server.clear_log()
            server.rules = [Rule(path="/20.*", delay=0.2 if number < 2 else 6.0)]
        due = [replace(turn, next_visit=datetime.now(UTC)) for turn in cluster.turns()]
        cluster.schedule().save_visits(due)
        controller = cluster.control("--until-idle", *SETTINGS)

        def updated() -> list[str]:
            return [
                turn.url
                for turn in cluster.turns()
                if turn.kind == "poll" and (turn.next_visit or NEVER) > datetime.now(UTC)
            ]

        wait_until(lambda: len(updated()) >= 2, "two blogs are updated")
        [busy] = [n for n in (0, 1) if cluster.crawling(n)]
        ready = set(updated())
        cluster.signal_node(busy, signal.SIGKILL)
        assert controller.wait(PATIENCE) == 0, cluster.output()
        jobs = [job for job in cluster.schedule().jobs() if job.kind == "update"]
        first = min(jobs, key=lambda job: str(job.created))
        assert len(first.blogs) == 10 and first.state == "lost", jobs
        again = [blog for job in jobs if job.id != first.id for blog in job.blogs]
        assert len(again) == len(set(again)) and {
            turn.blog_id for turn in cluster.turns() if turn.url in ready
        }.isdisjoint(again), jobs
        for server in servers:
            server.rules = []
        check_once(cluster, {server.url: 3 + n for n, server in enumerate(servers)})
        assert cli("verify", "--deep", "--archive", cluster.archive).code == 0
