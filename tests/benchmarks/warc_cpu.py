"""What writing WARC files costs: the CPU of the same crawl with and without it, turn about.

    python tests/benchmarks/warc_cpu.py [--posts 150] [--rounds 2]

Crawls a generated blog (posts of 17 kB) in processes of their own, with BLOGCRAWL_WARC on and off
alternately, and compares the least user and system time of each kind: a busy machine only ever adds
to it. The aim is less than 10 %.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT)  # not this folder, whose names hide packages

from tests.benchmarks.twice import crawl, long_entries  # noqa: E402
from tests.crawling.blog import write_blog  # noqa: E402
from tests.server import Server  # noqa: E402


def cpu() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--posts", type=int, default=150)
    options.add_argument("--rounds", type=int, default=2)
    args = options.parse_args()
    best = {"1": float("inf"), "0": float("inf")}
    with tempfile.TemporaryDirectory() as site, Server(Path(site)) as server:
        write_blog(Path(site), long_entries(args.posts), base=server.url.rstrip("/"))
        for _ in range(args.rounds):
            for setting in best:
                os.environ["BLOGCRAWL_WARC"] = setting
                with tempfile.TemporaryDirectory() as folder:
                    began = cpu()
                    crawl(server.url, Path(folder) / "archive")
                    best[setting] = min(best[setting], cpu() - began)
    share = (best["1"] - best["0"]) / best["1"]
    print(
        f"{args.posts} posts: {best['1']:.2f} s of CPU with WARC, {best['0']:.2f} s without: "
        f"{share:.1%} of the crawl"
    )


if __name__ == "__main__":
    main()
