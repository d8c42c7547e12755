"""Imports of web archives against live crawls: found posts and equal fields, per blog.

    python -m tests.benchmarks.warc_import URL... [--scratch DIR] [--pywb DIR] [--seeds start]

The blog is crawled live. wget makes a WARC file of it, or pywb's recorder does, through which wget
reads (``--pywb``: the folder of its programs): all pages, with what they need, robots.txt aside.
Seeds are the start page, the sitemap, the feeds, and the posts that these list, as crawlers take
them that read feeds (wget does not); ``--seeds start``: the start page alone. The file is imported.
Printed are the shares of the live crawl's posts that the file has a page of and that the import
has, and of these with equal title, authors, date, text and number of comments.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urljoin
from urllib.request import urlopen

from blogcrawl.discovery.feeds import parse_feed
from blogcrawl.storage.web_archive import WebArchive
from tests.pywb import recorder

FIELDS = ("title", "authors", "published", "content_text", "comments")
Posts = dict[str, dict[str, Any]]


def blogcrawl(*arguments: str | Path) -> str:
    """Run a command of blogcrawl and return its output, whatever its exit code."""
    command = [sys.executable, "-m", "blogcrawl", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def warc_of(seeds: Sequence[str], folder: Path, pywb: Path | None) -> Path:
    """Return the WARC file of the site that ``seeds`` lead to, by wget or pywb's recorder."""
    (folder / "seeds").write_text("\n".join(seeds))
    command = ["wget", "-q", "--mirror", "--page-requisites", "--no-parent", "-e", "robots=off"]
    where = ["--delete-after", "-P", str(folder / "mirror"), "-i", str(folder / "seeds")]
    if pywb is None:
        file = [f"--warc-file={folder / 'wget'}"]
        subprocess.run([*command, *file, *where], cwd=folder, check=False)
        return folder / "wget.warc.gz"
    with recorder(folder / "pywb", pywb) as (proxy, archive):
        through = ["-e", "use_proxy=yes", "-e", f"http_proxy={proxy}"]
        subprocess.run([*command, *through, *where], cwd=folder, check=False)
    [found] = archive.glob("*.warc.gz")
    return found


def seeds_of(url: str, feeds: Sequence[str]) -> list[str]:
    """Return the start page, the sitemap, the feeds and what they list."""
    found = [url, urljoin(url, "/sitemap.xml"), *feeds]
    for feed in feeds:
        with urlopen(feed) as answer:
            parsed = parse_feed(answer.read(), feed)
        found += [entry.url for entry in parsed.entries if entry.url]
    return list(dict.fromkeys(found))


def posts(archive: Path) -> Posts:
    """Return the exported posts by canonical URL."""
    lines = blogcrawl("export", "-a", archive).splitlines()
    return {post["canonical_url"]: post for post in map(json.loads, lines)}


def shares(live: Posts, imported: Posts, captured: set[str]) -> dict[str, float]:
    """Return in percent: posts that the file has, posts found, and of these those with equal
    fields."""
    both = [(live[url], imported[url]) for url in live if url in imported]
    found = {
        "captured": 100 * len(captured) / max(1, len(live)),
        "found": 100 * len(both) / max(1, len(live)),
    }
    for name in FIELDS:
        equal = sum(_value(a, name) == _value(b, name) for a, b in both)
        found[name] = 100 * equal / max(1, len(both))
    return found


def captured_of(live: Posts, warc: Path) -> set[str]:
    """Return the posts of which the file has a page."""
    with WebArchive() as archive:
        archive.add(warc)
        return {url for url, post in live.items() if asyncio.run(archive.find(post["url"]))}


def _value(post: dict[str, Any], name: str) -> Any:
    return len(post["comments"]) if name == "comments" else post[name]


def measured(
    url: str, folder: Path, pywb: Path | None, start_only: bool
) -> tuple[dict[str, float], int, int]:
    """Return the shares of one blog, and the posts of both archives."""
    folder.mkdir(parents=True)
    done = json.loads(blogcrawl("crawl", url, "-a", folder / "live", "--delay", "0", "--json"))
    feeds = done["crawls"][0]["crawl"]["report"]["feeds"]
    warc = warc_of([url] if start_only else seeds_of(url, feeds), folder, pywb)
    blogcrawl("import", "--warc", warc, "--blog", url, "-a", folder / "imported")
    live, imported = posts(folder / "live"), posts(folder / "imported")
    return shares(live, imported, captured_of(live, warc)), len(live), len(imported)


def main() -> None:
    """Print a row per blog."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("urls", nargs="+")
    parser.add_argument("--scratch", type=Path)
    parser.add_argument("--pywb", type=Path)
    parser.add_argument("--seeds", choices=("feeds", "start"), default="feeds")
    options = parser.parse_args()
    scratch = options.scratch or Path(tempfile.mkdtemp())
    names = ("captured", "found", *FIELDS)
    print(f"{'':32} {'live':>6} {'import':>6} " + " ".join(f"{name:>12}" for name in names))
    for number, url in enumerate(options.urls):
        found, live, imported = measured(
            url, scratch / str(number), options.pywb, options.seeds == "start"
        )
        cells = " ".join(f"{value:12.1f}" for value in found.values())
        print(f"{url[:32]:32} {live:6} {imported:6} {cells}", flush=True)


if __name__ == "__main__":
    main()
