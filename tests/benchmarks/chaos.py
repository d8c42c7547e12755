"""Forty blogs over four real nodes while everything goes wrong; then compared with one machine.

    python tests/benchmarks/chaos.py [--blogs 40] [--posts 6] [--frozen 120] [--keep FOLDER]

Real Scrapyd nodes with the real egg, PostgreSQL and an S3 server over TCP, all in a network
namespace of their own (unshare -n; as root), one node in a namespace of *its* own behind a pair of
virtual cables. While crawls run: one node is killed with its crawls (SIGKILL), one is frozen
(SIGSTOP) for two minutes and woken, one loses its network for a minute, the controller is killed
and started again, PostgreSQL is stopped as by a power cut and started again. At the end: every post
one row, every package one version and valid (deep), and the JSONL export is that of one machine
crawling the same blogs, byte for byte after sorting, without ``fetched_at`` (when a page was
fetched). Prints what happened when; ends with 1 where anything does not hold.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import json
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.cluster.realnodes import (
    _EGG,
    PASSWORD,
    Cluster,
    check_once,
    deploy_module,
    family,
    wait_until,
)
from tests.cluster.services import postgres, s3_server
from tests.crawling.blog import entries, write_blog

HERE, FAR = "10.77.0.1", "10.77.0.2"
LEASE = 20
SETTINGS = [
    "--set",
    "delay_seconds=0",
    "--set",
    "render=never",
    "--lease",
    str(LEASE),
    "--pause",
    "0.5",
    "--base-hours",
    "100",
]
TYPES = {".xml": "application/rss+xml", ".png": "image/png"}
LATENCY = 0.4


def run(*command: str | Path) -> None:
    subprocess.run([str(part) for part in command], check=True)


def serve(sites: dict[str, Path], port: int, ready: multiprocessing.synchronize.Event) -> None:
    """Each host its folder; posts come after ``LATENCY`` seconds."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                path = head.split(" ", 2)[1].partition("?")[0]
                host = head.lower().partition("\r\nhost:")[2].split("\r\n")[0].strip()
                file = sites[host.partition(":")[0]] / path.lstrip("/")
                file = file / "index.html" if file.is_dir() else file
                if path.startswith("/20"):
                    await asyncio.sleep(LATENCY)
                body = file.read_bytes() if file.is_file() else b"nothing here"
                mime = TYPES.get(file.suffix, "text/html; charset=utf-8")
                status = "200 OK" if file.is_file() else "404 Not Found"
                writer.write(
                    (
                        f"HTTP/1.1 {status}\r\nContent-Type: {mime}\r\nContent-Length: "
                        f"{len(body)}\r\n\r\n"
                    ).encode()
                    + body
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def go() -> None:
        server = await asyncio.start_server(handle, list(sites), port, backlog=500)
        ready.set()
        await server.serve_forever()

    asyncio.run(go())


@contextlib.contextmanager
def far_node(cluster: Cluster) -> Iterator[int]:
    """One more node, in a network namespace of its own; the id of a process in it."""
    holder = subprocess.Popen(["unshare", "-n", "sleep", "infinity"])
    try:
        time.sleep(0.5)
        inside = ("nsenter", "-t", str(holder.pid), "-n")
        run("ip", "link", "add", "near", "type", "veth", "peer", "name", "far")
        run("ip", "link", "set", "far", "netns", str(holder.pid))
        run("ip", "addr", "add", f"{HERE}/24", "dev", "near")
        run("ip", "link", "set", "near", "up")
        for words in (
            f"addr add {FAR}/24 dev far",
            "link set lo up",
            "link set far up",
            f"route add default via {HERE}",
        ):
            run(*inside, "ip", *words.split())
        cluster_local = deploy_module("cluster_local")
        data = cluster.work / "nodes/far"
        data.mkdir(parents=True)
        extra = {
            "NODE_BIND": FAR,
            "NODE_PORT": "6800",
            "NODE_DATA": str(data),
            "NODE_SLOTS": str(cluster.slots),
            "NODE_PYTHON": sys.executable,
        }
        with (data / "scrapyd.log").open("ab") as log:
            command = [*inside, str(cluster_local.HERE / "node")]
            node = subprocess.Popen(
                command,
                env=cluster.environment | extra,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        cluster.nodes.append((f"http://{FAR}:6800", node))
        asyncio.run(
            deploy_module("deploy_egg").deploy([cluster.urls[-1]], _EGG[0], "blogcrawl", PASSWORD)
        )
        yield holder.pid
    finally:
        holder.kill()
        holder.wait()


class Story:
    def __init__(self) -> None:
        self.began = time.monotonic()

    def log(self, text: str) -> None:
        print(f"{time.monotonic() - self.began:6.1f} s  {text}", flush=True)


def troubles(
    cluster: Cluster,
    controller: subprocess.Popen[bytes],
    database: object,
    blogs: Path,
    frozen: float,
    story: Story,
) -> int:
    """Everything that goes wrong, in order; the exit code of the last controller."""
    wait_until(lambda: all(cluster.crawling(n) for n in range(4)), "all four nodes crawl")
    wait_until(lambda: archived(cluster) > 10, "posts are archived")
    story.log(f"all four nodes crawl, {archived(cluster)} posts are archived")
    story.log(f"node 0 killed, {len(cluster.signal_node(0, signal.SIGKILL)) - 1} crawls with it")
    story.log(f"node 1 frozen, {len(cluster.signal_node(1, signal.SIGSTOP)) - 1} crawls with it")
    asleep = time.monotonic()
    run("ip", "link", "set", "near", "down")
    story.log(
        f"node 3 has no network, {len(family(cluster.nodes[3][1].pid)) - 1} crawls are cut off"
    )
    controller.kill()
    controller.wait()
    story.log("controller killed")
    time.sleep(3)
    controller = cluster.control(blogs, "--until-idle", *SETTINGS)
    story.log("controller started again")
    wait_until(
        lambda: (
            {cluster.urls[0], cluster.urls[1], cluster.urls[3]}
            <= {node for node, _ in cluster.lost()}
        ),
        "jobs are given up",
    )
    story.log(f"their jobs are given up: {len(cluster.lost())}")
    database.stop("immediate")  # type: ignore[attr-defined]
    story.log("PostgreSQL stopped as by a power cut")
    time.sleep(5)
    database.start()  # type: ignore[attr-defined]
    story.log(f"PostgreSQL started again; {archived(cluster)} posts are archived")
    time.sleep(max(asleep + 60 - time.monotonic(), 0))
    run("ip", "link", "set", "near", "up")
    story.log("node 3 has its network back")
    time.sleep(max(asleep + frozen - time.monotonic(), 0))
    cluster.signal_node(1, signal.SIGCONT)
    story.log(
        f"node 1 woken after {time.monotonic() - asleep:.0f} s; {archived(cluster)} posts are "
        f"archived"
    )
    code = controller.wait(1500)
    story.log(f"the controller ended with {code}: nothing is due")
    for late in (1, 3):
        wait_until(lambda late=late: not cluster.crawling(late), f"late crawls of node {late} end")
    return code


def archived(cluster: Cluster) -> int:
    schedule = cluster.schedule()
    try:
        return sum(1 for _ in schedule.state.posts())
    finally:
        schedule.state.close()


def command(cluster: Cluster, *words: str | Path, alone: bool = False) -> str:
    environment = {
        k: v for k, v in cluster.environment.items() if not alone or not re.match("BLOGCRAWL_ST", k)
    }
    done = subprocess.run(
        [sys.executable, "-m", "blogcrawl", *map(str, words)],
        env=environment,
        cwd=cluster.work,
        capture_output=True,
        text=True,
        timeout=1500,
    )
    if done.returncode:
        sys.exit(f"{words[0]} ended with {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def lines_of(export: str) -> list[str]:
    """The export's lines, sorted, byte for byte as they are but for the time of fetching."""
    stamp = re.compile(r'"fetched_at": ?"[^"]*"')
    lines = export.splitlines()
    if not all(len(stamp.findall(line)) == 1 and json.loads(line)["fetched_at"] for line in lines):
        sys.exit("a line has no time of fetching, or two")
    return sorted(stamp.sub("", line) for line in lines)


def compare(cluster: Cluster, urls: dict[str, int], story: Story) -> bool:
    check_once(cluster, urls)
    story.log(
        f"every one of {sum(urls.values())} posts has one row, every package one version, valid "
        f"(deep)"
    )
    story.log(command(cluster, "verify", "--deep", "--archive", cluster.archive).strip())
    fenced = [
        p.name
        for p in (cluster.work / "nodes").rglob("*.log")
        if re.search("given this job to somebody|must not write", p.read_text())
    ]
    story.log(
        f"{len(fenced)} late crawls were fenced off; {len(cluster.lost())} jobs were issued again"
    )
    alone = cluster.work / "alone"
    command(
        cluster, "crawl", "--archive", alone, "--delay", "0", "--render", "never", *urls, alone=True
    )
    exports = [
        lines_of(command(cluster, "export", "--format", "jsonl", "--archive", cluster.archive))
    ]
    exports.append(
        lines_of(command(cluster, "export", "--format", "jsonl", "--archive", alone, alone=True))
    )
    for name, lines in zip(("cluster", "one machine"), exports, strict=True):
        text = "\n".join(lines).encode()
        story.log(
            f"{name}: {len(lines)} lines, {len(text)} bytes, SHA-256 "
            f"{hashlib.sha256(text).hexdigest()[:32]}"
        )
    return exports[0] == exports[1]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--blogs", type=int, default=40)
    parser.add_argument(
        "--posts", type=int, default=6, help="of the smallest blogs; the largest have 3 more"
    )
    parser.add_argument("--frozen", type=float, default=120)
    parser.add_argument("--port", type=int, default=8880)
    parser.add_argument("--keep", help="work there and leave everything")
    args = parser.parse_args()
    if os.environ.get("BLOGCRAWL_CHAOS") != "inside":
        os.execvpe(
            "unshare",
            ["unshare", "-n", sys.executable, *sys.argv],
            os.environ | {"BLOGCRAWL_CHAOS": "inside"},
        )
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was started is stopped then, too
    run("ip", "link", "set", "lo", "up")
    urls = {f"http://10.77.1.{n + 1}:{args.port}/": args.posts + n % 4 for n in range(args.blogs)}
    hosts = [url.split("/")[2].partition(":")[0] for url in urls]
    for host in [*hosts, "10.77.2.1"]:
        run("ip", "addr", "add", f"{host}/32", "dev", "lo")
    work = Path(args.keep or tempfile.mkdtemp(prefix="bc-chaos-", dir="/tmp"))
    sites = {host: work / "sites" / host for host in hosts}
    for (url, posts), folder in zip(urls.items(), sites.values(), strict=True):
        folder.mkdir(parents=True)
        write_blog(folder, entries(posts), base=url.rstrip("/"), feed=5)
    ready = multiprocessing.Event()
    server = multiprocessing.Process(target=serve, args=(sites, args.port, ready), daemon=True)
    server.start()
    ready.wait(20)
    story = Story()
    with contextlib.ExitStack() as stack:
        database = stack.enter_context(postgres("10.77.2.1"))
        login = stack.enter_context(s3_server(work, "10.77.2.1"))
        if database is None or login is None:
            sys.exit("PostgreSQL or an S3 server (localbucket, moto) is not installed")
        os.environ.update(login)
        environment = login | {
            "BLOGCRAWL_STATE_URL": database.url,
            "BLOGCRAWL_STORE_URL": "s3://packages/aips",
        }
        cluster = stack.enter_context(Cluster(work, 3, slots=2, environment=environment))
        stack.enter_context(far_node(cluster))
        (work / "list.txt").write_text("".join(f"{url}\n" for url in urls))
        story.log(f"four nodes are up; {args.blogs} blogs with {sum(urls.values())} posts")
        controller = cluster.control(work / "list.txt", "--until-idle", *SETTINGS)
        code = troubles(cluster, controller, database, work / "list.txt", args.frozen, story)
        same = compare(cluster, urls, story)
        story.log("the exports are equal" if same else "the exports DIFFER")
    server.terminate()
    if not args.keep:
        shutil.rmtree(work, ignore_errors=True)
    return 0 if same and code == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
