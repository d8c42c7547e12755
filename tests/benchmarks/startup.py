"""What a crawl costs before it has a page, against an empty spider of Scrapy's own, and the most
memory that a whole crawl without a browser takes.

    python tests/benchmarks/startup.py [--pairs 7] [--urls http://127.0.0.1:8000/ …]

Runs ``blogcrawl crawl`` at a port that refuses the connection and ``scrapy runspider`` with a
spider that asks for the same address by turns; prints the CPU of each (user and system, median) and
the ratio of the medians. The aim is 1.2 at most. ``--urls``: blogs that are crawled whole, for the
peak of memory; the aim is 150 MB.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
REFUSED = "http://127.0.0.1:1/"
SPIDER = f"""
import scrapy

class Empty(scrapy.Spider):
    name = "empty"
    start_urls = ["{REFUSED}"]

    def parse(self, response):
        pass
"""


def run(arguments: Sequence[str], folder: Path) -> tuple[float, float]:
    """CPU seconds and peak memory in MB of one Python process, run in ``folder``."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # Scrapy's modules are compiled: so are ours
    process = subprocess.Popen(
        [sys.executable, "-m", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, _, usage = os.wait4(process.pid, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def crawl(url: str, folder: Path) -> tuple[float, float]:
    options = ("--delay", "0", "--render", "never", "--contact", "benchmark@example.org")
    with tempfile.TemporaryDirectory(dir=folder) as archive:
        return run(("blogcrawl", "crawl", "-a", archive, *options, url), folder)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--urls", nargs="*", default=())
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)  # not the project's: its scrapy.cfg would load our settings
        (folder / "empty.py").write_text(SPIDER)
        ours, theirs = [], []
        for _ in range(given.pairs):
            ours.append(crawl(REFUSED, folder))
            theirs.append(run(("scrapy", "runspider", "empty.py"), folder))
        for label, runs in (("blogcrawl crawl", ours), ("scrapy runspider", theirs)):
            cpu, memory = (median(column) for column in zip(*runs, strict=True))
            print(f"{label:18} {cpu:6.2f} s CPU {memory:6.0f} MB")
        ratio = median(cpu for cpu, _ in ours) / median(cpu for cpu, _ in theirs)
        print(f"ratio {ratio:.2f}")
        for url in given.urls:
            cpu, memory = crawl(url, folder)
            print(f"{url} {cpu:.2f} s CPU, {memory:.0f} MB at most", flush=True)


if __name__ == "__main__":
    main()
