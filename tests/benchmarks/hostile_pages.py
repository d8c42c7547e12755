"""What hostile pages cost a crawl: each among the posts of a small healthy blog, compared with a
crawl without it.

    python -m tests.benchmarks.hostile_pages [--only TEXT] [--rounds 5] [--newest]
                                             [--against FOLDER]

In each round the blog is crawled without and with the page, one right after the other, each in a
process of its own; the next round begins with the other one. Prints for each page the CPU seconds
(children included) of the healthy crawl, those that the page adds to it (median of the rounds'
differences, least and most) and how many healthy crawls that is, which depends less on how busy the
machine is; the peak memory it adds, the most of the rounds; how many healthy posts were archived;
and what the report says of the page. ``--against``: each round with the code in FOLDER too (``git
archive COMMIT | tar -x -C FOLDER``). ``--newest``: the page is in place of the newest post, one of
those that rules are learned from. Modules are compiled before, as an installation has them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from tests import hostile
from tests.conftest import ROOT
from tests.crawling.blog import entries, write_blog
from tests.server import Server

POSTS, AT = 8, 2
NEWEST = POSTS - 1
CHILD = """
import json, resource, sys
from blogcrawl.core.config import Config
from blogcrawl.crawling.run import run_crawl
from blogcrawl.storage.state import open_state
from tests.memory import peak_kilobytes
config = Config(archive=sys.argv[2], delay_seconds=0.0, render="never", learn_entries=4)
row = run_crawl(sys.argv[1], config)
state = open_state(config)
usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(json.dumps({
    "cpu": sum(u.ru_utime + u.ru_stime for u in usage),
    "rss": max(peak_kilobytes(), usage[1].ru_maxrss) / 1024,  # forks of it start at what it holds
    "outcome": row.outcome,
    "missing": {m["url"]: m["reason"] for m in row.report["missing"]},
    "lacking": {m["url"]: m["reason"] for m in row.report["comments_incomplete"]},
    "posts": {p.url: p.comment_count for p in state.posts()},
    "unforeseen": row.report.get("unforeseen"),
}))
"""


def crawl(html: str | None, folder: Path, code: Path = ROOT, at: int = AT) -> dict[str, Any]:
    """One crawl in a process of its own, of a blog in which ``html`` stands in place
    of the post ``at`` that number, with the ``code`` of a checkout.
    """
    site = folder / "site"
    site.mkdir()
    known = entries(POSTS)
    write_blog(site, known)
    if html is not None:
        (site / known[at].path.strip("/") / "index.html").write_text(html, "utf-8")
    with Server(site) as server:
        command = [sys.executable, "-c", CHILD, server.url, str(folder / "archive")]
        environment = {**os.environ, "PYTHONPATH": str(code)}
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
            cwd=code,
            env=environment,
        )
    if done.returncode:
        return {"failed": done.stderr.strip()[-300:] or f"ended by {done.returncode}"}
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    result["path"] = known[at].path.rstrip("/")
    return result


def said(result: dict[str, Any]) -> str:
    """What became of the hostile page."""
    path = result["path"]
    for url, reason in result["missing"].items():
        if path in url:
            return f"missing: {reason}"
    found = [count for url, count in result["posts"].items() if path in url]
    lacking = [
        f" (incomplete: {reason})" for url, reason in result["lacking"].items() if path in url
    ]
    return f"archived, {found[0]} comments{''.join(lacking)}" if found else "no post"


Pair = tuple[dict[str, Any], dict[str, Any]]
"""The results of a healthy crawl and of one with the page."""


def pair(html: str, code: Path, at: int, *, page_first: bool) -> Pair:
    """Return what the two crawls of one round give."""
    results = {}
    for with_page in (page_first, not page_first):
        with tempfile.TemporaryDirectory(prefix="blogcrawl-hostile-") as folder:
            results[with_page] = crawl(html if with_page else None, Path(folder), code, at)
    return results[False], results[True]


def line(pairs: list[Pair]) -> str:
    """What the rounds say of a page."""
    failed = [one["failed"] for both in pairs for one in both if "failed" in one]
    if failed:
        return f"FAILED {failed[0]}"
    extra = [page["cpu"] - healthy["cpu"] for healthy, page in pairs]
    shares = [page["cpu"] / healthy["cpu"] - 1 for healthy, page in pairs]
    memory = max(page["rss"] - healthy["rss"] for healthy, page in pairs)
    pages = [page for _, page in pairs]
    others = min(sum(page["path"] not in url for url in page["posts"]) for page in pages)
    unforeseen = next((page["unforeseen"] for page in pages if page["unforeseen"]), None)
    reports = "; ".join(sorted(set(map(said, pages))))
    return (
        f"{median(healthy['cpu'] for healthy, _ in pairs):7.2f} {median(extra):6.2f} "
        f"{min(extra):6.2f} {max(extra):6.2f} {median(shares):7.2f} {memory:5.0f} "
        f"{others:4d}/{POSTS - 1}  {reports}" + (f"  UNFORESEEN {unforeseen}" if unforeseen else "")
    )


def measure(html: str, sides: dict[str, Path], rounds: int, at: int) -> dict[str, list[Pair]]:
    """Return the pairs of each version of the code, a round of all of them after the other; the
    first crawls only compile what they import."""
    pairs: dict[str, list[Pair]] = {side: [] for side in sides}
    for number in range(-1, rounds):
        for side, code in sides.items():
            both = pair(html, code, at, page_first=number % 2 == 1)
            if number >= 0:
                pairs[side].append(both)
    return pairs


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--only", default="", help="pages whose name has this")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--newest", action="store_true", help="in place of the newest post")
    options.add_argument("--against", type=Path, help="another checkout, crawled with in turn")
    given = options.parse_args()
    sides, at = {"": ROOT}, NEWEST if given.newest else AT
    if given.against is not None:
        sides = {" (here)": ROOT, " (there)": given.against.resolve()}
    print(
        f"{'page':38} {'kB':>6} {'healthy':>7} {'CPU s':>6} {'least':>6} {'most':>6} {'crawls':>7} "
        f"{'MB':>5} {'others':>6}  report"
    )
    with tempfile.TemporaryDirectory(prefix="blogcrawl-compiled-") as compiled:
        os.environ["PYTHONPYCACHEPREFIX"] = compiled
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        for name, make in hostile.PAGES.items():
            if given.only not in name:
                continue
            html = make("The ferry")
            for side, pairs in measure(html, sides, given.rounds, at).items():
                print(f"{name + side:38} {len(html) >> 10:6d} {line(pairs)}", flush=True)
    print(f"load {os.getloadavg()[1]:.1f} on {os.cpu_count()} cores, {given.rounds} rounds")


if __name__ == "__main__":
    main()
