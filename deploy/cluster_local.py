"""N Scrapyd nodes, an egg on each, a controller: what deploy/cluster-local runs."""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from deploy_egg import deploy, kept_egg

from blogcrawl import __version__
from blogcrawl.cli.output import Output, shorten
from blogcrawl.cli.summary import reasons_text
from blogcrawl.core.config import Config
from blogcrawl.storage.archive import open_archive
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.state import SqlState, open_state
from blogcrawl.storage.tables import VisitRow

HERE = Path(__file__).resolve().parent
MAX_ROWS = 1000
"""Blogs that the closing table shows."""


def free_port(wanted: int) -> int:
    with socket.socket() as probe:
        # connections of a node that was just killed do not hold its port
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", wanted))
        except OSError:
            probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start_node(
    number: int, work: Path, slots: int, environment: dict[str, str]
) -> tuple[str, subprocess.Popen[bytes]]:
    port = free_port(6800 + number)
    data = work / f"node{number}"
    data.mkdir(parents=True, exist_ok=True)
    extra = {
        "NODE_PORT": str(port),
        "NODE_DATA": str(data),
        "NODE_SLOTS": str(slots),
        "NODE_PYTHON": sys.executable,
    }
    with (data / "scrapyd.log").open("ab") as log:
        # A session of its own: Ctrl-C reaches the controller alone, which ends in order; the node's
        # crawls go with it.
        node = subprocess.Popen(
            [HERE / "node"], env=environment | extra, stdout=log, stderr=log, start_new_session=True
        )
    return f"http://127.0.0.1:{port}", node


def private_file(path: Path, text: str) -> Path:
    """Write a file that nobody else may read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    return path


def forget_old_nodes(archive: str, urls: list[str]) -> None:
    """Nodes of an earlier run in this archive are gone; their open jobs come back when their leases
    end.
    """
    config = Config(archive=archive)
    open_archive(config, now=datetime.now(UTC))
    schedule = Schedule(open_state(config))
    for node in schedule.nodes():
        if node.url not in urls:
            schedule.save_node(replace(node, state="removed"))
    schedule.state.close()


def _reason(state: SqlState, row: VisitRow) -> str:
    """Return why a blog was put aside, or else why posts of it are missing."""
    if row.reason:
        return row.reason
    if row.state == "claimed":
        return "stopped before its end: the next start goes on with it"
    crawls = state.crawls(row.blog_id) if row.missing else []
    return reasons_text(crawls[-1].report.get("missing", ())) if crawls else ""


def _as_ended(row: VisitRow) -> VisitRow:
    """Return a blog's row as its last crawl left it, which the controller may not have read."""
    facts = row.facts or {}
    seen = {name: facts[name] for name in ("archived", "missing", "reason") if facts.get(name)}
    return replace(row, **seen)


def _archived(state: SqlState, row: VisitRow) -> int:
    """Return how many posts of a blog the archive has, those of a crawl that broke off too."""
    return max(row.archived, state.post_span(row.blog_id).posts)


def print_summary(archive: str) -> None:
    """Print what was archived and what is missing, per blog and in all, and where it lies."""
    config = Config(archive=archive)
    folder = open_archive(config, now=datetime.now(UTC))
    with closing(open_state(config)) as state:
        rows = sorted(Schedule(state).visits(limit=MAX_ROWS + 1), key=lambda row: row.url)
        rows = [replace(row, archived=_archived(state, row)) for row in map(_as_ended, rows)]
        reasons = {row.url: _reason(state, row) for row in rows}
    out = Output()
    out.table(
        ["posts", "missing", "blog", "reason"],
        [
            [str(row.archived), str(row.missing), row.url, shorten(reasons[row.url], 60)]
            for row in rows[:MAX_ROWS]
        ],
    )
    if len(rows) > MAX_ROWS:
        out.line(f"... (the first {MAX_ROWS} blogs; `blogcrawl blogs` shows the others)")
    archived, missing = sum(row.archived for row in rows), sum(row.missing for row in rows)
    out.line(
        f"{len(rows)} blogs: {archived} posts archived, {missing} missing; packages in "
        f"{config.store_url or folder.packages} (`blogcrawl list --archive {archive}`, "
        f"`blogcrawl show BLOG --archive {archive}`)"
    )


def stop_nodes(nodes: list[subprocess.Popen[bytes]]) -> None:
    for sent in (signal.SIGTERM, signal.SIGKILL):
        for node in nodes:
            try:
                os.killpg(node.pid, sent)
            except ProcessLookupError:
                continue
        until = time.monotonic() + 8
        while (
            sent is signal.SIGTERM
            and time.monotonic() < until
            and any(n.poll() is None for n in nodes)
        ):
            time.sleep(0.1)


def until_ended(command: list[str], environment: dict[str, str]) -> int:
    """Run the controller and return its exit code; Ctrl-C and SIGTERM end it in order."""
    controller = subprocess.Popen(command, env=environment)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: controller.terminate())
    return controller.wait()


def arguments(words: list[str] | None = None) -> tuple[argparse.Namespace, list[str]]:
    """Ours, wherever they stand after the number of nodes, and what is left for the controller."""
    parser = argparse.ArgumentParser(
        prog="deploy/cluster-local",
        usage=(
            "%(prog)s N [--slots N] [--keep] [--archive FOLDER] [LIST or option of blogcrawl "
            "controller]..."
        ),
        description="Scrapyd nodes on loopback and a controller.",
        allow_abbrev=False,
    )
    parser.add_argument("nodes", type=int, help="how many nodes")
    parser.add_argument(
        "--slots", type=int, default=2, help="crawls at a time on each node (default 2)"
    )
    parser.add_argument(
        "--keep",
        action="store_true",
        help="go on after all blogs are archived, and come back for what changes",
    )
    parser.add_argument("--archive", default="archive", help="archive folder (default ./archive)")
    return parser.parse_known_args(words)


def main() -> int:
    args, rest = arguments()
    work = Path(f"{args.archive}-nodes").absolute()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    password = secrets.token_urlsafe(18)
    place = private_file(work / "password", password)
    environment = os.environ | {
        "BLOGCRAWL_NODES_USERNAME": "blogcrawl",
        "BLOGCRAWL_NODES_PASSWORD_FILE": str(place),
    }
    environment.pop("BLOGCRAWL_NODES_PASSWORD", None)
    started = [start_node(i + 1, work, args.slots, environment) for i in range(args.nodes)]
    nodes = [node for _, node in started]
    urls = [url for url, _ in started]
    try:
        asyncio.run(deploy(urls, kept_egg(Path(sys.prefix)), "blogcrawl", password))
        forget_old_nodes(args.archive, urls)
        print(
            (
                f"cluster-local: {args.nodes} nodes: {' '.join(urls)} (user blogcrawl, password in "
                f"{place})"
            ),
            file=sys.stderr,
        )
        command = [
            sys.executable,
            "-m",
            "blogcrawl",
            "controller",
            "--archive",
            args.archive,
            "--egg-version",
            __version__,
        ]
        command += (
            [x for url in urls for x in ("--node", f"{url}={args.slots}")]
            + ([] if args.keep else ["--until-idle"])
            + rest
        )
        code = until_ended(command, environment)
    finally:
        stop_nodes(nodes)
    print_summary(args.archive)
    return code


if __name__ == "__main__":
    sys.exit(main())
