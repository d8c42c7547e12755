"""Posts per second of one Scrapyd node against several, on blogs that answer after 200 ms.

    python tests/benchmarks/cluster.py [--nodes 1,4] [--slots 1] [--blogs 8] [--posts 8] [--delay
    1.0] [--latency 0.2]

Real nodes on loopback, the real egg, a real controller, SQLite; each blog on a host of its own
(127.2.0.n), served by one asyncio process that never is the bottleneck. With the default politeness
(one request a second and host) a crawl waits most of the time, so what is measured is whether the
controller keeps all slots of all nodes busy. Seconds: from the first request that any blog gets to
the last. Goal: four nodes at least 3.6 times as fast as one, jobs per node differing by at most
one.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import multiprocessing.sharedctypes
import multiprocessing.synchronize
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.cluster.realnodes import Cluster
from tests.crawling.blog import entries, write_blog

BASE = "http://base.blog.test"
TYPES = {".xml": "application/rss+xml", ".png": "image/png"}


def serve(
    root: Path,
    hosts: list[str],
    port: int,
    latency: float,
    ready: multiprocessing.synchronize.Event,
    span: multiprocessing.sharedctypes.SynchronizedArray,
) -> None:
    """Every file of ``root`` on each of ``hosts``; ``span``: times of the first and of the last
    request, their number.
    """
    files = {
        "/" + str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                span[0], span[1], span[2] = span[0] or time.time(), time.time(), span[2] + 1
                path = head.split(" ", 2)[1]
                host = head.lower().partition("\r\nhost:")[2].split("\r\n")[0].strip()
                await asyncio.sleep(latency)
                name = path if path in files else path.rstrip("/") + "/index.html"
                body = files.get(name, b"nothing here").replace(
                    BASE.encode(), f"http://{host}".encode()
                )
                status = "200 OK" if name in files else "404 Not Found"
                mime = TYPES.get(Path(name).suffix, "text/html; charset=utf-8")
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
        server = await asyncio.start_server(handle, hosts, port)
        ready.set()
        await server.serve_forever()

    asyncio.run(go())


def measure(
    work: Path,
    nodes: int,
    args: argparse.Namespace,
    span: multiprocessing.sharedctypes.SynchronizedArray,
) -> tuple[float, list[int]]:
    """Posts per second, and the jobs that each node got."""
    span[0] = span[1] = span[2] = 0
    (work / "list.txt").write_text(
        "".join(f"http://127.2.0.{n + 1}:{args.port}/\n" for n in range(args.blogs))
    )
    options = [
        "--set",
        f"delay_seconds={args.delay}",
        "--set",
        "render=never",
        "--pause",
        "0.5",
        "--base-hours",
        "100",
    ]
    with Cluster(work, nodes, slots=args.slots) as cluster:
        code = cluster.control(work / "list.txt", "--until-idle", *options).wait(args.patience)
        schedule = cluster.schedule()
        posts = sum(1 for _ in schedule.state.posts())
        sent = [node.jobs_sent for node in schedule.nodes()]
        schedule.state.close()
        if code or posts != args.blogs * args.posts:
            sys.exit(
                f"{posts} of {args.blogs * args.posts} posts; the controller "
                f"said:\n{cluster.output()}"
            )
    seconds = span[1] - span[0]
    print(
        (
            f"{nodes} nodes: {posts} posts of {args.blogs} blogs in {seconds:.1f} s, "
            f"{posts / seconds:.2f} a second; jobs {sent}"
        ),
        flush=True,
    )
    return posts / seconds, sent


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", default="1,4")
    parser.add_argument("--slots", type=int, default=1, help="crawls at a time on each node")
    parser.add_argument("--blogs", type=int, default=8)
    parser.add_argument("--posts", type=int, default=8)
    parser.add_argument("--delay", type=float, default=1.0)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--port", type=int, default=8901)
    parser.add_argument("--patience", type=float, default=900)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder) / "site"
        site.mkdir()
        write_blog(site, entries(args.posts), base=BASE, feed=args.posts)
        ready, span = multiprocessing.Event(), multiprocessing.Array("d", 3)
        server = multiprocessing.Process(
            target=serve,
            args=(
                site,
                [f"127.2.0.{n + 1}" for n in range(args.blogs)],
                args.port,
                args.latency,
                ready,
                span,
            ),
            daemon=True,
        )
        server.start()
        ready.wait(10)
        results = []
        for count in map(int, args.nodes.split(",")):
            work = Path(folder) / f"nodes{count}"
            work.mkdir()
            results.append(measure(work, count, args, span))
        server.terminate()
    print(
        f"ratio: {results[-1][0] / results[0][0]:.2f}; jobs per node differ by "
        f"{max(results[-1][1]) - min(results[-1][1])}"
    )


if __name__ == "__main__":
    main()
