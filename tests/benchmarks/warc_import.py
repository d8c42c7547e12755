"""Imports of web archives against live crawls: found posts and equal fields, per blog.

    python -m tests.benchmarks.warc_import URL... [--scratch DIR]

wget makes a WARC file of each blog (all pages, with what they need, robots.txt aside); the blog is
crawled live and imported from the file; printed are the shares of the live crawl's posts that the
import has, and of these with equal title, authors, date, text and number of comments.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

FIELDS = ("title", "authors", "published", "content_text", "comments")
Posts = dict[str, dict[str, Any]]


def blogcrawl(*arguments: str | Path) -> str:
    """Run a command of blogcrawl and return its output, whatever its exit code."""
    command = [sys.executable, "-m", "blogcrawl", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def warc_of(url: str, folder: Path) -> Path:
    """Return the WARC file that wget makes of the site at ``url``."""
    command = ["wget", "-q", "--mirror", "--page-requisites", "--no-parent", "-e", "robots=off"]
    where = [f"--warc-file={folder / 'wget'}", "--delete-after", "-P", str(folder / "mirror")]
    subprocess.run([*command, *where, url], cwd=folder, check=False)
    return folder / "wget.warc.gz"


def posts(archive: Path) -> Posts:
    """Return the exported posts by canonical URL."""
    lines = blogcrawl("export", "-a", archive).splitlines()
    return {post["canonical_url"]: post for post in map(json.loads, lines)}


def shares(live: Posts, imported: Posts) -> dict[str, float]:
    """Return in percent: posts found, and of them those with equal fields."""
    both = [(live[url], imported[url]) for url in live if url in imported]
    found = {"found": 100 * len(both) / max(1, len(live))}
    for name in FIELDS:
        equal = sum(_value(a, name) == _value(b, name) for a, b in both)
        found[name] = 100 * equal / max(1, len(both))
    return found


def _value(post: dict[str, Any], name: str) -> Any:
    return len(post["comments"]) if name == "comments" else post[name]


def measured(url: str, folder: Path) -> tuple[dict[str, float], int, int]:
    """Return the shares of one blog, and the posts of both archives."""
    folder.mkdir(parents=True)
    blogcrawl("crawl", url, "-a", folder / "live", "--delay", "0")
    blogcrawl("import", "--warc", warc_of(url, folder), "--blog", url, "-a", folder / "imported")
    live, imported = posts(folder / "live"), posts(folder / "imported")
    return shares(live, imported), len(live), len(imported)


def main() -> None:
    """Print a row per blog."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("urls", nargs="+")
    parser.add_argument("--scratch", type=Path)
    options = parser.parse_args()
    scratch = options.scratch or Path(tempfile.mkdtemp())
    print(f"{'':32} {'live':>6} {'import':>6} " + " ".join(f"{n:>12}" for n in ("found", *FIELDS)))
    for number, url in enumerate(options.urls):
        found, live, imported = measured(url, scratch / str(number))
        cells = " ".join(f"{value:12.1f}" for value in found.values())
        print(f"{url[:32]:32} {live:6} {imported:6} {cells}", flush=True)


if __name__ == "__main__":
    main()
