"""Comments read from a corpus of real blogs, against its gold data, without a network.

    python tests/benchmarks/comments.py --corpus DIR --tools DIR [--mode
    markup|rules|feeds|separation] [--ids a,b] [--pages N] [--misses N]

``markup``: the page alone; ``rules``: the page with rules learned from up to 15 pages and their
comment feeds; ``feeds``: page and feed merged, as a crawl does; ``separation``: blocks of post and
comments separated by a series of up to 60 pages alone, without feeds
(posts-and-comments-separation-ja, tables 5 and 6). ``--pages``: at most so many of a blog, from its
oldest to its newest. ``--tools`` holds the scorer ``metrics.py``.
Prints per blog F1, share of right authors and days.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from blogcrawl.comments import extract_comments, feed_comments, learn_comments
from blogcrawl.comments.announced import announced_feed
from blogcrawl.core.errors import FeedError
from blogcrawl.core.page import Page
from blogcrawl.core.records import Comment, FeedEntry
from blogcrawl.dates.parse import find_date
from blogcrawl.discovery.feeds import parse_feed
from blogcrawl.dom.blocks import Blocks, blocks_of
from blogcrawl.dom.text_blocks import texts
from blogcrawl.induction.learn import spread
from blogcrawl.induction.ruleset import Sample
from blogcrawl.induction.series import SeriesExtractor, calls

SAMPLES = 15
LONG = 25
"""Letters from which a text is believed to stand where it belongs and nowhere else."""
BYLINE_BLOCKS = 6
"""Blocks before the first and after the last text of a comment in which a byline may stand."""


class BlogFiles:
    def __init__(self, folder: Path, pages: int = 0) -> None:
        self.site = folder / "site"
        self.base = (
            json.loads((folder / "blog.json").read_text())["base_url"] or "http://blog.example"
        )
        gold = [
            json.loads(line) for line in (folder / "comments_gold.jsonl").read_text().splitlines()
        ]
        self.gold = spread(gold, pages) if pages else gold

    def page(self, path: str) -> Page | None:
        for name in (path, f"{path}/index.html", f"{path}/index.xml"):
            file = self.site / name.lstrip("/")
            if file.is_file():
                return Page(url=self.base + path, body=file.read_bytes())
        return None

    def feed(self, page: Page, path: str) -> list[Comment]:
        announced = announced_feed(page)
        own = (
            announced.removeprefix(self.base)
            if announced
            else path.removesuffix("index.html") + "feed"
        )
        found = self.page(
            "/" + own.split("//", 1)[-1].split("/", 1)[-1]
            if own.startswith("http")
            else own.rstrip("/")
        )
        try:
            return feed_comments(parse_feed(found.body, found.url)) if found else []
        except FeedError:
            return []


def comment_numbers(gold: dict[str, Any], comments: Sequence[Comment]) -> dict[str, int]:
    """How many comments of a page are found, and with the right author and day."""
    from metrics import comment_scores  # type: ignore[import-not-found]

    found = [{"text": c.content_text, "author": c.author, "date": c.published} for c in comments]
    return {key: int(value) for key, value in comment_scores(gold["comments"], found).items()}


def measure(blog: BlogFiles, mode: str, misses: int) -> Counter[str]:
    posts = [
        (g, p, blog.feed(p, g["path"]) if mode != "markup" else [])
        for g in blog.gold
        if (p := blog.page(g["path"]))
    ]
    rules = (
        learn_comments([(p, f) for _, p, f in posts if f][:SAMPLES]) if mode != "markup" else None
    )
    total: Counter[str] = Counter()
    for gold, page, fed in posts:
        result = extract_comments(page, rules, known=[fed] if fed and mode == "feeds" else [])
        numbers = comment_numbers(gold, result.comments)
        total.update(numbers)
        if misses and (
            numbers["tp"] < numbers["n_gold"]
            or numbers["n_pred"] > numbers["tp"]
            or numbers["a_ok"] < numbers["a_n"]
        ):
            misses -= 1
            print("  miss", gold["path"], dict(result.methods), numbers)
    return total


def folded(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def separation(blog: BlogFiles) -> Counter[str]:
    """Blocks of the gold post and of gold comments, by what the series calls them; ``noise``: all
    others.
    """
    golds = [
        json.loads(line) for line in (blog.site.parent / "gold.jsonl").read_text().splitlines()
    ]
    said = {g["path"]: g["comments"] for g in blog.gold}
    rows = [(g, page) for g in golds if (page := blog.page(g["path"]))][:60]
    found = SeriesExtractor().learn(
        [Sample(page=page, entry=FeedEntry(url=page.url, title="")) for _, page in rows]
    )
    total: Counter[str] = Counter()
    slot = found.slot("series") if found else None
    for gold, page in rows:
        blocks = blocks_of(page)
        called = {i: call for i, call, _ in calls(blocks, slot)} if slot else {}
        for i, truth in truths(blocks, gold.get("content_text") or "", said.get(gold["path"], [])):
            call = called.get(i, "")
            total[f"{truth} {call if call in ('post', 'comment') else '-'}"] += bool(
                gold.get("content_text")
            )
    return +total


def truths(blocks: Blocks, post: str, comments: list[dict[str, Any]]) -> list[tuple[int, str]]:
    """What each block of a page is. A comment's blocks are its text and its byline (the author's
    name or the day, as the paper counts all blocks that make up comments); a short text counts
    between longer ones only, as it may stand in the sidebar too."""
    kinds = {"post": folded(post), "comment": folded(" ".join(c["text"] for c in comments))}
    names = {folded(c["author"] or "") for c in comments} - {""}
    days = {str(c["date"])[:10] for c in comments if c["date"]}
    rows = [(i, text, folded(text)) for i, text, _ in texts(blocks)]
    span = {
        kind: [i for i, _, key in rows if min(LONG, len(whole)) <= len(key) and key in whole]
        for kind, whole in kinds.items()
    }
    if comments and span["comment"]:
        span["comment"] = [
            min(span["comment"]) - BYLINE_BLOCKS,
            max(span["comment"]) + BYLINE_BLOCKS,
        ]
    out = []
    for i, text, key in rows:
        if len(key) < 8:
            continue
        inside = [kind for kind, s in span.items() if s and min(s) <= i <= max(s)]
        truth = next((kind for kind in inside if key in kinds[kind]), "noise")
        if truth == "noise" and "comment" in inside and len(text) < 120:
            when = find_date(text)
            day = when.pick(None) if when else None
            truth = (
                "comment"
                if any(n in key for n in names)
                or (day and (not days or day.date().isoformat() in days))
                else truth
            )
        out.append((i, truth))
    return out


def separations(corpus: Path) -> None:
    total: Counter[str] = Counter()
    for folder in sorted(p.parent for p in corpus.glob("*/comments_gold.jsonl")):
        mine = separation(BlogFiles(folder))
        print(f"{folder.name:18} {dict(mine) or 'no text of posts in its gold'}")
        total.update(mine)
    for name, other in (("post", "comment"), ("comment", "post")):
        right, missed = total[f"{name} {name}"], total[f"{name} {other}"] + total[f"{name} -"]
        only = 2 * right / (2 * right + missed + total[f"{other} {name}"])
        whole = 2 * right / (2 * right + missed + total[f"{other} {name}"] + total[f"noise {name}"])
        print(
            f"{name:8} F {only:.3f} among content blocks (separation alone), {whole:.3f} among "
            f"all blocks"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--tools", type=Path, required=True)
    parser.add_argument(
        "--mode", choices=("markup", "rules", "feeds", "separation"), default="feeds"
    )
    parser.add_argument("--ids", default="")
    parser.add_argument("--pages", type=int, default=0)
    parser.add_argument("--misses", type=int, default=0)
    args = parser.parse_args()
    if args.mode == "separation":
        separations(args.corpus)
        return
    sys.path.insert(0, str(args.tools))
    columns: dict[str, list[float]] = {"F1": [], "authors": [], "days": []}
    for folder in sorted(p.parent for p in args.corpus.glob("*/comments_gold.jsonl")):
        if args.ids and folder.name not in args.ids.split(","):
            continue
        started = time.perf_counter()
        t = measure(BlogFiles(folder, args.pages), args.mode, args.misses)
        if not t["n_gold"]:
            continue
        row = {
            "F1": 2 * t["tp"] / (t["n_gold"] + t["n_pred"]),
            "authors": t["a_ok"] / t["a_n"] if t["a_n"] else None,
            "days": t["d_ok"] / t["d_n"] if t["d_n"] else None,
        }
        for name, value in row.items():
            if value is not None:
                columns[name].append(value)
        cells = "  ".join(
            f"{name} {value:.3f}" if value is not None else f"{name} -    "
            for name, value in row.items()
        )
        print(
            f"{folder.name:18} {cells}  {t['n_gold']} comments, "
            f"{time.perf_counter() - started:.1f} s"
        )
    print(
        f"{'mean of blogs':18} "
        + "  ".join(f"{name} {fmean(values):.3f}" for name, values in columns.items() if values)
    )


if __name__ == "__main__":
    main()
