# ruff: noqa: E501
"""What a browser costs: ``auto`` against ``always`` on a mixed blog, and 500 pages in a row.

    python -m tests.benchmarks.rendering mixed [--pages 300] [--shells 6]
    python -m tests.benchmarks.rendering soak [--pages 500]
    python -m tests.benchmarks.rendering paired --against FOLDER [--pages 40 | --url URL]
                                                [--render never] [--rounds 5]

``mixed`` crawls a generated blog twice by the command line and compares time and records. ``soak`` renders every page of a blog
in one crawl and prints the memory of the process tree along the way, and what is left of the browser at the end. ``paired``
crawls a served blog, or one whose pages have a style sheet, a script and eight pictures each, in turn with the code here and that
in FOLDER (``git archive COMMIT | tar -x -C FOLDER``), with a browser (``always``) or as ordinary crawls (``--render never``).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT)  # not this folder, whose names hide packages

from blogcrawl.crawling.handlers.browser import descendants  # noqa: E402
from tests.crawling.pipelines import shellblog  # noqa: E402
from tests.server import Server  # noqa: E402

HEAD = '<!doctype html><html><head><meta charset="utf-8"><title>{title}</title><link rel="alternate" type="application/rss+xml" href="/feed.xml"><script src="/a.js"></script></head>'


def write_blog(folder: Path, base: str, pages: int, shells: int) -> None:
    """``pages`` posts, all in the feed (as excerpts), each ``pages // shells``-th drawn by a script from JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    items, drawn = [], []
    for i in range(pages):
        words = [
            shellblog.WORDS[(i * 7 + k * (i % 11 + 2)) % len(shellblog.WORDS)] for k in range(40)
        ]
        title, slug = f"On {words[0]} and the number {i}", f"entry-{i}"
        html = "".join(
            f"<p>{' '.join(words[j:] + words[:j])}, said part {j} of number {i}.</p>"
            for j in range(6)
        )
        if shells and i % (pages // shells) == 0:
            drawn.append(
                {
                    "slug": slug,
                    "title": title,
                    "author": "Ada",
                    "date": "2020-01-01T08:00:00Z",
                    "html": html,
                }
            )
            text = shellblog.SHELL
        else:
            nav = "".join(
                f'<li><a href="/post/entry-{(i + k) % pages}.html">Another {k}</a></li>'
                for k in range(1, 9)
            )
            text = f"{HEAD.format(title=title)}<body><header><ul>{nav}</ul></header><article class=post><h1>{title}</h1><p class=author>Ada</p><div class=body>{html}</div></article></body></html>"
        path = folder / "post" / f"{slug}.html"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        items.append(
            f"<item><title>{title}</title><link>{base}post/{slug}.html</link><author>Ada</author><pubDate>Wed, 01 Jan 2020 08:00:00 GMT</pubDate><description><![CDATA[{html[:200]}]]></description></item>"
        )
    (folder / "posts.json").write_text(json.dumps(drawn))
    (folder / "app.js").write_text(shellblog.APP)
    (folder / "a.js").write_text("")
    (folder / "feed.xml").write_text(
        f'<rss version="2.0"><channel><title>Mixed</title><link>{base}</link>{"".join(items)}</channel></rss>'
    )
    (folder / "index.html").write_text(
        f"{HEAD.format(title='Mixed')}<body><h1>Mixed</h1><p>{' '.join(shellblog.WORDS) * 5}</p></body></html>"
    )


def crawl(
    url: str, archive: Path, mode: str, sample: bool = False, root: Path = ROOT
) -> tuple[float, float, list[tuple[float, float]]]:
    """Wall and CPU seconds of a crawl, browser included; (second, MB of the process tree) every few seconds where ``sample``."""
    started, spent = time.monotonic(), cpu()
    arguments = [
        sys.executable,
        "-m",
        "blogcrawl",
        "crawl",
        url,
        "--archive",
        str(archive),
        "--delay",
        "0",
        "--render",
        mode,
    ]
    child = subprocess.Popen(
        arguments, cwd=root, env={**os.environ, "PYTHONPATH": str(root)}, stdout=subprocess.DEVNULL
    )
    memory = []
    while child.poll() is None:
        time.sleep(2 if sample else 0.2)
        if sample:
            memory.append(
                (time.monotonic() - started, sum(map(rss, [child.pid, *descendants(child.pid)])))
            )
    return time.monotonic() - started, cpu() - spent, memory


def cpu() -> float:
    """CPU seconds of all children that have ended, and theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def rss(pid: int) -> float:
    """Proportional share of memory, MB."""
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    except (OSError, ValueError):
        pass
    return 0.0


def records(archive: Path) -> dict[str, tuple[str, str]]:
    out = archive.parent / f"{archive.name}.jsonl"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "blogcrawl",
            "export",
            "--archive",
            str(archive),
            "--format",
            "jsonl",
            "-o",
            str(out),
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    rows = map(json.loads, out.read_text().splitlines())
    return {row["url"]: (row["title"], row["content_text"]) for row in rows}


def mixed(pages: int, shells: int) -> None:
    with tempfile.TemporaryDirectory() as name, Server(Path(name) / "site") as server:
        write_blog(Path(name) / "site", server.url, pages, shells)
        seconds, work, found = {}, {}, {}
        for mode in ("auto", "always"):
            seconds[mode], work[mode], _ = crawl(server.url, Path(name) / mode, mode)
            found[mode] = records(Path(name) / mode)
            print(
                f"{mode:7} {seconds[mode]:.1f} s, {work[mode]:.1f} s of CPU, {len(found[mode])} posts, {len(found[mode]) / seconds[mode]:.1f} pages/s",
                flush=True,
            )
        same = sum(found["auto"].get(url) == row for url, row in found["always"].items())
        print(
            f"auto is {seconds['always'] / seconds['auto']:.1f} times as fast, takes 1/{work['always'] / work['auto']:.1f} of the CPU; {same} of {len(found['always'])} records are the same"
        )


def soak(pages: int) -> None:
    with tempfile.TemporaryDirectory() as name, Server(Path(name) / "site") as server:
        write_blog(Path(name) / "site", server.url, pages, 0)
        seconds, work, memory = crawl(server.url, Path(name) / "a", "always", sample=True)
        print(
            f"{pages} pages in {seconds:.0f} s: {pages / seconds:.1f} pages/s, {1000 * work / pages:.0f} ms of CPU a page"
        )
        for share in (0.2, 0.4, 0.6, 0.8, 0.95):
            at = memory[int(share * (len(memory) - 1))]
            print(f"  after {at[0]:.0f} s: {at[1]:.0f} MB (browser and crawler)")
        left = [
            pid
            for pid in descendants(os.getpid())
            if "headless" in comm(pid) or "chrom" in comm(pid)
        ]
        print(
            f"browser processes left: {len(left)}, of which zombies: {sum(state(pid) == 'Z' for pid in left)}"
        )


PICTURES = 8


def with_files(folder: Path) -> None:
    """A style sheet and pictures for every page of a blog, each page's own."""
    pixels = bytes(range(256)) * 80
    (folder / "all.css").write_text("body { font: 16px serif } img { width: 20px; height: 20px }")
    for path in (folder / "post").glob("*.html"):
        pictures = ""
        for number in range(PICTURES):
            name = f"{path.stem}-{number}.gif"
            (folder / name).write_bytes(
                b"GIF89a\x01\0\x01\0\0\0\0;" + path.stem.encode() + bytes([number]) + pixels
            )
            pictures += f'<img src="/{name}">'
        text = path.read_text().replace("</head>", '<link rel=stylesheet href="/all.css"></head>')
        path.write_text(text.replace("</article>", f"</article><aside>{pictures}</aside>"))


def paired(against: Path, url: str, render: str, rounds: int, folder: Path) -> None:
    """Wall and CPU seconds of crawls of ``url`` by both, in turn; the order changes with every round."""
    both = {"here": ROOT, "there": against}
    wall: dict[str, list[float]] = {name: [] for name in both}
    work: dict[str, list[float]] = {name: [] for name in both}
    for turn in range(rounds + 1):
        for side in sorted(both, reverse=bool(turn % 2)):
            seconds, used, _ = crawl(url, folder / f"{side}-{turn}", render, root=both[side])
            print(f"round {turn}, {side}: {seconds:.1f} s, {used:.1f} s of CPU", flush=True)
            if turn:  # the first one warms up
                wall[side].append(seconds)
                work[side].append(used)
    for side in both:
        count = len(records(folder / f"{side}-{rounds}"))
        print(
            f"{side:6} {median(wall[side]):.1f} s ({min(wall[side]):.1f} to {max(wall[side]):.1f}), "
            f"{median(work[side]):.1f} s of CPU, {count} posts"
        )
    for what, times in (("wall clock", wall), ("CPU", work)):
        ratios = [here / there for here, there in zip(times["here"], times["there"], strict=True)]
        print(
            f"{what}: here takes {median(ratios):.3f} of there's time (rounds: {', '.join(f'{r:.2f}' for r in ratios)})"
        )


def paired_here(against: Path, pages: int, render: str, rounds: int) -> None:
    """``paired`` on a generated blog whose pages have files of their own."""
    with tempfile.TemporaryDirectory() as name, Server(Path(name) / "site") as server:
        write_blog(Path(name) / "site", server.url, pages, 0)
        with_files(Path(name) / "site")
        paired(against, server.url, render, rounds, Path(name))


def comm(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return ""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("mixed", "soak", "paired"))
    parser.add_argument("--against", type=Path, default=None)
    parser.add_argument("--url", default="", help="a served blog, instead of the generated one")
    parser.add_argument("--render", choices=("never", "auto", "always"), default="always")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pages", type=int, default=0)
    parser.add_argument("--shells", type=int, default=6)
    args = parser.parse_args()
    if args.what == "paired":
        against = (args.against or ROOT).resolve()
        if args.url:
            with tempfile.TemporaryDirectory() as name:
                paired(against, args.url, args.render, args.rounds, Path(name))
        else:
            paired_here(against, args.pages or 40, args.render, args.rounds)
    elif args.what == "mixed":
        mixed(args.pages or 300, args.shells)
    else:
        soak(args.pages or 500)


if __name__ == "__main__":
    main()
