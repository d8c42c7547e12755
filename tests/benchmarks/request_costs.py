"""What crawls asked a server for, by class: requests per post, blog by blog and in the median.

    python -m tests.benchmarks.request_costs --log ACCESS.jsonl --map MAP.json EXPORT.jsonl …

The log is the server's: a line per request with the blog's ``id``, ``path`` (query included) and
``status``; the map says at which address each blog was served; the exports are those of ``blogcrawl
export --format jsonl`` after the crawls. Media and style sheets are counted apart, as feeds of
comments are: ``all`` is the sum of the rest. ``--paths`` names the requests that were for no post.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
from collections import Counter, defaultdict
from pathlib import Path
from urllib.parse import urljoin

from blogcrawl.discovery.archives import hub_kind
from blogcrawl.discovery.links import is_scoped
from blogcrawl.dom.links import Link
from blogcrawl.urls.canonical import entry_key, resource_kind

CLASSES = (
    "robots",
    "home",
    "feed",
    "no feed",
    "sitemap",
    "no map",
    "list",
    "post",
    "again",
    "moved",
    "missing",
    "other",
)
ASIDE = ("comments", "style", "media")
_FEED = re.compile(r"(?:feed|rss|atom|posts/default|index\.(?:xml|json))", re.IGNORECASE)


def class_of(url: str, status: int, posts: frozenset[str], seen: set[str]) -> str:
    """The class of one request; ``seen`` holds the canonical URLs of those before it."""
    path = url.split("/", 3)[-1]
    key = entry_key(url)
    again = key in seen
    seen.add(key)
    if path == "robots.txt":
        return "robots"
    if not path:
        return "again" if again else "home"
    if _FEED.search(path) and (
        "comment" in path
        or any(entry_key(url.rsplit("/feed", 1)[0] + slash) in posts for slash in ("", "/"))
    ):
        return "comments"
    if re.search(r"\.(?:jpe?g|png|gif|webp)\b", url, re.IGNORECASE):
        return "media"
    if re.search(r"\.(?:css|js|woff2?|ttf|svg)(?:\?|$)|/css/", url):
        return "style"
    if resource_kind(url) not in {"page", "feed"} and not path.endswith(
        (".xml", ".gz", ".json", ".txt")
    ):
        return "media"
    if key in posts and status < 300:
        return "again" if again else "post"
    if "sitemap" in path:
        return "no map" if status >= 400 else "sitemap"
    if _FEED.search(path):
        return "no feed" if status >= 400 else "feed"
    if status >= 300:
        return "missing" if status >= 400 else "moved"
    return "list" if is_scoped(url) or hub_kind(Link(url)) is not None else "other"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--map", type=Path, required=True)
    parser.add_argument("--paths", action="store_true")
    parser.add_argument("export", type=Path, nargs="+")
    arguments = parser.parse_args()
    bases: dict[str, str] = json.loads(arguments.map.read_text("utf-8"))
    rows = [
        json.loads(line)["url"]
        for export in arguments.export
        for line in export.read_text("utf-8").splitlines()
    ]
    log = [json.loads(line) for line in arguments.log.read_text("utf-8").splitlines()]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    paths: dict[str, list[str]] = defaultdict(list)
    posts = frozenset(entry_key(url).partition("#")[0] for url in rows)
    seen: set[str] = set()
    for asked in log:
        url = urljoin(bases[asked["id"]], asked["path"])
        kind = class_of(url, asked["status"], posts, seen)
        counts[asked["id"]][kind] += 1
        if kind not in {"post", "media", "comments"}:
            paths[asked["id"]].append(f"{kind} {asked['status']} {asked['path']}")
    print(f"{'blog':22}{'posts':>6}" + "".join(f"{name:>9}" for name in (*CLASSES, "all", *ASIDE)))
    ratios: dict[str, list[float]] = defaultdict(list)
    for blog, count in counts.items():
        found = sum(url.startswith(bases[blog]) for url in rows)
        if not found:
            continue
        whole = Counter({**count, "all": sum(count[name] for name in CLASSES)})
        for name in (*CLASSES, "all", *ASIDE):
            ratios[name].append(whole[name] / found)
        print(
            f"{blog:22}{found:>6}"
            + "".join(f"{whole[name]:>9}" for name in (*CLASSES, "all", *ASIDE))
            + f"{whole['all'] / found:>7.3f}"
        )
        if arguments.paths:
            print("\n".join(f"    {line}" for line in paths[blog]))
    print(
        f"{'per post, median':28}"
        + "".join(f"{statistics.median(values):>9.3f}" for values in ratios.values())
    )
    print(
        f"{'per post, mean':28}"
        + "".join(f"{statistics.mean(values):>9.3f}" for values in ratios.values())
    )


if __name__ == "__main__":
    main()
