"""Stated completeness against truth, on recorded blogs with and without faults.

    python -m tests.benchmarks.completeness --corpus FOLDER --tools FOLDER [--ids a,b]
        [--cases plain,feeds] [--results FILE] [--picture docs/completeness.svg]

Each blog is crawled as it is; without feeds; without sitemaps; with its newest third of posts in
another theme; with a tenth of its pages failing. Truth is the share of its posts that is archived:
its gold posts, which may be a few of many, and what else the first crawl of the blog archives at
addresses like theirs (talks and wares next to a blog are none of its posts). Posts to which nothing
leads that is served, be it links, feeds or sitemaps, are named and count for nothing.
``--tools`` has ``serve.py`` and ``score.py``. Cases that the file ``--results`` has already are not
crawled again; those that are crawled are added to it.
"""

from __future__ import annotations

import argparse
import contextlib
import html
import json
import multiprocessing
import re
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from http.client import HTTPException
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit
from urllib.request import urlopen

from blogcrawl.dates.url_date import url_day
from blogcrawl.urls.post_pattern import LIKELY, PostPattern

CASES = ("plain", "feeds", "sitemaps", "theme", "failing")
SOURCES = ("feeds", "sitemaps")
"""Cases in which what leads to posts is not served."""
COLOURS = dict(zip(CASES, ("#1f5fa8", "#c0661c", "#2f8f4e", "#8a3fa0", "#b02a37"), strict=True))
FAILING = 10
"""One page in so many fails."""
RENAMED = re.compile(rb"""(?<=\s)(class|id)=(["'])(.*?)\2""", re.DOTALL)
TAGS = re.compile(rb"<(/?)(?:article|main|section)\b")
LINKS = re.compile(
    rb"""(?:href|src)\s*=\s*["']?([^"'\s>]+)|<(?:loc|link|guid)\b[^>]*>\s*([^<\s]+)|^sitemap:\s*(\S+)""",
    re.IGNORECASE | re.MULTILINE,
)
HIDDEN = re.compile(rb"<!--.*?-->", re.DOTALL)
READ = ("html", "xml", "text/plain", "json")
"""Kinds of answers that have links."""
WALKED = 20_000
"""Answers that a walk reads at most."""


@dataclass(frozen=True)
class Case:
    """What a crawl stated, and what is true."""

    blog: str
    name: str
    truth: float
    posts: int
    share: float | None
    lower: float | None
    upper: float | None
    status: str
    reasons: Sequence[str]
    unreachable: Sequence[str] = ()
    """Files of posts to which nothing leads."""

    @property
    def is_false(self) -> bool:
        """Whether more than 5 % are lost, and the archive is called complete."""
        return self.share is not None and self.share >= 0.95 and self.truth < 0.95

    @property
    def is_inside(self) -> bool:
        return (
            self.lower is not None
            and self.upper is not None
            and self.lower - 0.005 <= self.truth <= self.upper + 0.005
        )


def other_theme(body: bytes) -> bytes:
    """Return a page in another theme: other names, other elements, other nesting."""
    start = body.lower().find(b"<body")
    if start < 0:
        return body
    head, rest = body[:start], body[start:]

    def renamed(found: re.Match[bytes]) -> bytes:
        names = b" ".join(b"n-" + name for name in found[3].split())
        return found[1] + b"=" + found[2] + names + found[2]

    rest = TAGS.sub(rb"<\1div", RENAMED.sub(renamed, rest))
    end = rest.find(b">") + 1
    return head + rest[:end] + b'<div class="n-frame"><div class="n-page">' + rest[end:]


def gold_files(folder: Path) -> list[str]:
    """Files of the gold posts, newest first."""
    lines = (folder / "gold.jsonl").read_text("utf-8").splitlines()
    gold = [json.loads(line) for line in lines if line.strip()]
    gold.sort(key=lambda entry: entry.get("date") or "", reverse=True)
    return [entry["path"].lstrip("/") for entry in gold]


def newest_third(folder: Path) -> set[str]:
    """Files of the newest third of the gold posts."""
    files = gold_files(folder)
    return set(files[: len(files) // 3])


def serve(tools: str, folder: str, port: int, case: str, ready: str) -> None:
    """Serve one blog of a corpus with the faults of a case, until the process is ended."""
    sys.path.insert(0, tools)
    server: Any = import_module("serve")
    web: Any = import_module("aiohttp.web")
    root = Path(folder)
    themed = newest_third(root) if case == "theme" else set()

    class Faulty(server.Server):  # type: ignore[misc]
        def entry(self, blog: Any, name: str) -> Any:
            body, kind, tag, changed, _ = super().entry(blog, name)
            return other_theme(body) if name in themed else body, kind, tag, changed, None

        def respond(self, blog: Any, request: Any) -> Any:
            path, _, query = request.raw_path.partition("?")
            hit = blog.find(path, query)
            if hit is not None and hit[0] == "file":
                body, kind, *_ = self.entry(blog, hit[1])
                fault = fault_of(case, hit[1], body, kind, server.feed_kind)
                if fault and path != blog.start.removeprefix(blog.origin):
                    return web.Response(status=fault)
            return super().respond(blog, request)

    about = argparse.Namespace(
        blogs_dir=str(root.parent),
        ids=root.name,
        port=port,
        feed_limit="auto",
        latency=0,
        log=None,
        map=ready,
    )
    with open("/dev/null", "w") as sys.stdout:
        import_module("asyncio").run(Faulty(about).run())


def fault_of(case: str, name: str, body: bytes, kind: str, feed_kind: Any) -> int:
    """Return the status in place of a file, 0 for none."""
    if case == "feeds" and ("rss" in kind or "atom" in kind or feed_kind(body)):
        return 404
    if case == "sitemaps" and (b"<urlset" in body[:2000] or b"<sitemapindex" in body[:2000]):
        return 404
    fails = case == "failing" and "html" in kind and zlib.crc32(name.encode()) % FAILING == 0
    return 503 if fails else 0


def measure(
    folder: Path, tools: Path, port: int, name: str, others: set[str] | None
) -> tuple[Case, set[str]]:
    """Crawl a blog with the faults of a case, and compare; also return ``others``.

    ``others``: files of its posts that are not gold, None: those that this crawl archives.
    """
    sys.path.insert(0, str(tools))
    score: Any = import_module("score")
    with tempfile.TemporaryDirectory() as work:
        archive, posts = Path(work, "archive"), Path(work, "posts")
        with _served(folder, tools, port, name) as url:
            options = ["--delay", "0", "--render", "never", "--set", "BLOGCRAWL_MEDIA=no"]
            options += ["--set", "BLOGCRAWL_RETRY_PAUSE_SECONDS=0", "--json"]
            done = _run("crawl", url, "-a", str(archive), *options)
            _run("export", "--format", "jsonl", "-o", str(posts), "-a", str(archive))
        rows = score.read_lines(posts)
        result = score.score_blog(folder, rows, 0, False)
        files = {score.site_file(folder / "site", row["url"]) for row in rows} - {None}
    crawl = (json.loads(done)["crawls"][0].get("crawl") or {}) if done else {}
    found = crawl.get("report", {}).get("completeness", {})
    others = _like_gold(folder, files) if others is None else others
    archived = float(result["found"] or 0) * result["n"] + len(files & others)
    unreachable: list[str] = []
    counted = result["n"] + len(others)
    if round(archived) < result["n"] + len(others):
        lacking = {*gold_files(folder), *others} - files
        with _served(folder, tools, port, name if name in SOURCES else "plain") as url:
            led_to = {file_of(score, folder / "site", link) for link in walk(url)} - {None}
        unreachable = sorted(lacking - led_to)
    counted = max(round(archived), result["n"] + len(others) - len(unreachable))
    case = Case(
        blog=folder.name,
        name=name,
        truth=archived / max(1, counted),
        posts=len(rows),
        share=found.get("share"),
        lower=found.get("lower"),
        upper=found.get("upper"),
        status=found.get("status", "failed"),
        reasons=found.get("reasons", ()),
        unreachable=unreachable,
    )
    return case, others


@contextlib.contextmanager
def _served(folder: Path, tools: Path, port: int, case: str) -> Iterator[str]:
    """Serve a blog with the faults of a case; give its address."""
    with tempfile.TemporaryDirectory() as work:
        ready = Path(work, "map")
        made = multiprocessing.get_context("spawn").Process(
            target=serve, args=(str(tools), str(folder), port, case, str(ready))
        )
        made.start()
        try:
            yield _url(ready, folder.name)
        finally:
            made.terminate()
            made.join()


def walk(start: str) -> set[str]:
    """Return all addresses of a site to which its start page, sitemaps and feeds lead at any
    number of steps, without scripts.
    """
    host, seen = urlsplit(start).netloc, {start}
    waiting = [start, urljoin(start, "/robots.txt"), urljoin(start, "/sitemap.xml")]
    for url in waiting:
        try:
            with urlopen(url, timeout=60) as answer:
                kind = answer.headers.get_content_type()
                body = answer.read() if any(name in kind for name in READ) else b""
                base = answer.url
        except (OSError, ValueError, HTTPException):
            continue
        for parts in LINKS.findall(HIDDEN.sub(b"", body)):
            link = html.unescape(b"".join(parts).decode("utf-8", "replace"))
            try:
                address = urljoin(base, link).partition("#")[0]
                is_own = urlsplit(address).netloc == host
            except ValueError:
                continue
            if is_own and address not in seen and len(waiting) < WALKED:
                seen.add(address)
                waiting.append(address)
    return seen


def file_of(score: Any, site: Path, url: str) -> str | None:
    """Return the file at an address; None for what only looks like a link, and is too long."""
    try:
        found: str | None = score.site_file(site, url)
    except OSError:
        return None
    return found


def _like_gold(folder: Path, files: Iterable[str]) -> set[str]:
    """Return those of the files that are no gold posts and have addresses like theirs, or dates."""
    site = "http://blog.example/"
    gold = gold_files(folder)
    pattern = PostPattern.learn(site + name for name in gold)
    others = set(files).difference(gold)
    return {name for name in others if url_day(site + name) or pattern.score(site + name) >= LIKELY}


def _url(ready: Path, blog: str) -> str:
    for _ in range(600):
        if ready.exists() and ready.read_text("utf-8").endswith("}"):
            url: str = json.loads(ready.read_text("utf-8"))[blog]
            with urlopen(url, timeout=60):
                return url
        time.sleep(0.1)
    raise TimeoutError("the server of the corpus does not start")


def _run(*arguments: str) -> str:
    command = [sys.executable, "-m", "blogcrawl", *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout


def summary(cases: Iterable[Case]) -> str:
    """Mean absolute error, false statements and share of intervals that hold the truth, by case."""
    known = list(cases)
    lines = []
    for name in (*CASES, "all"):
        some = [case for case in known if name in (case.name, "all")]
        stated = [(case, case.share) for case in some if case.share is not None]
        if not stated:
            continue
        error = sum(abs(share - case.truth) for case, share in stated) / len(stated)
        lines.append(
            f"{name:9} {len(stated):3} stated, {len(some) - len(stated)} unknown; mean absolute "
            f"error {100 * error:.1f} points; {sum(case.is_false for case in some)} say 95 % and "
            "lost more than 5 %; truth inside the interval: "
            f"{sum(case.is_inside for case in some)}"
        )
    return "\n".join(lines)


SIZE, MARGIN = 300, 40


def picture(cases: Iterable[Case]) -> str:
    """Draw stated completeness against truth as SVG."""

    def at(x: float, y: float) -> tuple[float, float]:
        return round(MARGIN + x * SIZE, 1), round(MARGIN + (1 - y) * SIZE, 1)

    full = SIZE + 2 * MARGIN
    (left, low), (right, high) = at(0, 0), at(1, 1)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {full} {full}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{full}" height="{full}" fill="white"/>',
        f'<polyline points="{left},{high} {left},{low} {right},{low}" fill="none" stroke="#000"/>',
        f'<line x1="{left}" y1="{low}" x2="{right}" y2="{high}" stroke="#bbb"/>',
        f'<text x="{full / 2}" y="{full - 8}" text-anchor="middle">stated completeness</text>',
        f'<text x="{full / 2}" y="20" text-anchor="middle">share of posts archived</text>',
    ]
    for case in cases:
        if case.share is not None:
            x, y = at(case.share, case.truth)
            out.append(
                f'<circle cx="{x}" cy="{y}" r="3" fill="{COLOURS[case.name]}" '
                f'fill-opacity="0.7"><title>{case.share:.3f} stated, {case.truth:.3f} true'
                "</title></circle>"
            )
    for row, name in enumerate(CASES):
        x, y = at(0.05, 0.95 - 0.06 * row)
        out.append(f'<text x="{x}" y="{y}" fill="{COLOURS[name]}">{name}</text>')
    return "\n".join([*out, "</svg>", ""])


class Results:
    """Cases in a file of JSON lines, each with the files of the blog's posts that are not gold."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.known: dict[tuple[str, str], tuple[Case, set[str]]] = {}
        lines = file.read_text("utf-8").splitlines() if file is not None and file.exists() else ()
        for row in map(json.loads, lines):
            case = Case(**row["case"])
            self.known[case.blog, case.name] = case, set(row["others"])

    def add(self, case: Case, others: set[str]) -> None:
        self.known[case.blog, case.name] = case, others
        if self.file is not None:
            with self.file.open("a", encoding="utf-8") as out:
                out.write(json.dumps({"case": asdict(case), "others": sorted(others)}) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True, action="append")
    parser.add_argument("--tools", type=Path, required=True)
    parser.add_argument("--ids", default="", help="blogs, with commas; all of them if empty")
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--port", type=int, default=8890)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    wanted = options.ids.split(",") if options.ids else None
    found = (one.parent for corpus in options.corpus for one in sorted(corpus.glob("*/blog.json")))
    folders = [folder for folder in found if wanted is None or folder.name in wanted]
    results, cases = Results(options.results), []
    for folder in folders:
        others: set[str] | None = None
        for name in options.cases.split(","):
            if (folder.name, name) not in results.known:
                results.add(*measure(folder, options.tools, options.port, name, others))
            case, others = results.known[folder.name, name]
            cases.append(case)
            stated = "unknown" if case.share is None else f"{case.share:.3f}"
            interval = "" if case.lower is None else f"[{case.lower:.3f} {case.upper:.3f}]"
            print(
                f"{case.blog:18} {name:9} stated {stated} {interval:15} true {case.truth:.3f} "
                f"{case.posts:5} posts  {case.status}: {'; '.join(case.reasons)}"
                + "".join(f"; nothing leads to {name}" for name in case.unreachable),
                flush=True,
            )
    print(summary(cases))
    if options.picture:
        options.picture.write_text(picture(cases), "utf-8")


if __name__ == "__main__":
    main()
