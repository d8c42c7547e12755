"""What hostile pages cost a crawl: each among the posts of a small healthy blog, compared with a
crawl without it.

    python -m tests.benchmarks.hostile_pages [--only TEXT] [--runs N]

Prints for each page the CPU seconds (children included) and the peak memory beyond those of a
healthy crawl just before it, what the report says of the page, and how many healthy posts were
archived.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests import hostile
from tests.crawling.blog import entries, write_blog
from tests.server import Server

POSTS, AT = 8, 2
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


def crawl(html: str | None, folder: Path) -> dict[str, Any]:
    """One crawl in a process of its own, of a blog in which ``html`` stands in place
    of one post.
    """
    site = folder / "site"
    site.mkdir()
    known = entries(POSTS)
    write_blog(site, known)
    if html is not None:
        (site / known[AT].path.strip("/") / "index.html").write_text(html, "utf-8")
    with Server(site) as server:
        command = [sys.executable, "-c", CHILD, server.url, str(folder / "archive")]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode:
        return {"failed": done.stderr.strip()[-300:] or f"ended by {done.returncode}"}
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    result["path"] = known[AT].path.rstrip("/")
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


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--only", default="", help="pages whose name has this")
    options.add_argument("--runs", type=int, default=1)
    given = options.parse_args()

    def best(html: str | None) -> dict[str, Any]:
        rounds = []
        for _ in range(given.runs):
            with tempfile.TemporaryDirectory(prefix="blogcrawl-hostile-") as folder:
                rounds.append(crawl(html, Path(folder)))
        return min(rounds, key=lambda result: result.get("cpu", 1e9))

    print(f"{'page':38} {'kB':>6} {'healthy':>7} {'CPU s':>6} {'MB':>5} {'others':>6}  report")
    for name, make in hostile.PAGES.items():
        if given.only not in name:
            continue
        html = make("The ferry")
        healthy, result = best(None), best(html)
        if "failed" in result:
            print(f"{name:38} {len(html) >> 10:6d}  FAILED {result['failed']}", flush=True)
            continue
        others = sum(result["path"] not in url for url in result["posts"])
        extra = result["cpu"] - healthy["cpu"], result["rss"] - healthy["rss"]
        more = f"  UNFORESEEN {result['unforeseen']}" if result["unforeseen"] else ""
        print(
            (
                f"{name:38} {len(html) >> 10:6d} {healthy['cpu']:7.2f} {extra[0]:6.2f} "
                f"{extra[1]:5.0f} {others:4d}/{POSTS - 1}  {said(result)}{more}"
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
