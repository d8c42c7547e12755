"""Switch each mechanism off in turn and print what gets worse.

    python -m tests.ablation --corpus DIR --tools DIR [--ids a,b] [--only NAME,…] [--group NAME,…]
        [--posts N] [--enough N] [--out FILE]
    python -m tests.ablation --comments --corpus DIR --tools DIR [--ids a,b] [--posts N] …
    python -m tests.ablation --sites

``--comments``: the mechanisms of comments, on recorded blogs with comments. ``--sites``: on the
blogs of tests/sites; else on recorded blogs (layout as in
tests/benchmarks/extraction.py) with a cut feed, with excerpts, without a feed, and each page
alone. ``--group``: these are switched off together. ``--enough``: a mechanism that hurts that many
blogs is not tried on further ones. A mechanism is tried where it makes a difference at all: one
run with all of them on shows where.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import traceback
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.ablation.measure import (
    COLUMNS,
    CommentsBlog,
    CorpusBlog,
    SiteBlog,
    corpus_blogs,
    use_tools,
)
from tests.ablation.mechanisms import MECHANISMS
from tests.ablation.switch import Mechanism, switched_off, watching
from tests.sites.measure import sites

HURTS = 0.005
"""Loss of a column of a blog that counts."""
Row = tuple[str, str, str, dict[str, tuple[float, float]]]
"""Mechanism, blog, mode, and the columns that changed: before, after."""


def changed(before: dict[str, float], after: dict[str, float]) -> dict[str, tuple[float, float]]:
    return {
        name: (before[name], after.get(name, 0.0))
        for name in before
        if abs(before[name] - after.get(name, 0.0)) > 1e-9
    }


def hurts(columns: dict[str, tuple[float, float]]) -> bool:
    return any(after < before - HURTS for before, after in columns.values())


def ablate(
    name: str,
    scores: Callable[[str], dict[str, float]],
    modes: Sequence[str],
    groups: Sequence[tuple[str, Sequence[Mechanism]]],
    harm: Any,
    enough: int,
) -> list[Row]:
    """All groups on one blog; ``harm`` counts the blogs that each has hurt."""
    rows: list[Row] = []
    every = list({m.name: m for _, group in groups for m in group}.values())
    for mode in modes:
        with watching(every) as active:
            before = scores(mode)
        rows.append(("", name, mode, {key: (value, value) for key, value in before.items()}))
        for title, group in groups:
            if harm.get(title, 0) >= enough or not any(m.name in active for m in group):
                continue
            try:
                with switched_off(group):
                    columns = changed(before, scores(mode))
            except Exception:
                traceback.print_exc(limit=-2)
                columns = {"error": (1.0, 0.0)}
            rows.append((title, name, mode, columns))
            if hurts(columns):
                harm[title] = harm.get(title, 0) + 1
    return rows


def _corpus_task(task: tuple[Any, ...]) -> list[Row]:
    tools, number, folder, posts, groups, harm, enough, comments = task
    use_tools(tools)
    chosen = [(title, [m for m in MECHANISMS if m.name in names]) for title, names in groups]
    blog: Any = CommentsBlog(folder, posts) if comments else None
    blog = blog or CorpusBlog(tools, folder, number, posts)
    try:
        return ablate(blog.name, blog.scores, blog.modes, chosen, harm, enough)
    except Exception:
        print(blog.name, traceback.format_exc(limit=-2), file=sys.stderr)
        return []


def table(rows: Sequence[Row], groups: Sequence[str]) -> str:
    """A line for each group: blogs on which it made a difference, hurt blogs and columns, gains."""
    lines = []
    for title in groups:
        mine = [row for row in rows if row[0] == title]
        lost: dict[str, float] = defaultdict(float)
        gained: dict[str, float] = defaultdict(float)
        hurt, worst = set(), (0.0, "")
        for _, blog, mode, columns in mine:
            for column, (before, after) in columns.items():
                (lost if after < before else gained)[column] += 100 * abs(after - before)
                if after < before - HURTS:
                    hurt.add(blog)
                    worst = min(worst, (100 * (after - before), f"{blog} {mode} {column}"))
        active = len({blog for _, blog, _, _ in mine})
        parts = " ".join(f"{c} -{lost[c]:.1f}" for c in (*COLUMNS, "error") if c in lost)
        gains = " ".join(f"{c} +{gained[c]:.1f}" for c in COLUMNS if c in gained)
        lines.append(
            f"{title:32} tried {active:3} hurt {len(hurt):3}  {parts or '-'}"
            + (f"  (gains {gains})" if gains else "")
            + (f"  worst {worst[0]:.1f} {worst[1]}" if worst[1] else "")
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sites", action="store_true")
    parser.add_argument("--comments", action="store_true")
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--tools", type=Path)
    parser.add_argument("--ids", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--group", default="")
    parser.add_argument("--posts", type=int, default=5)
    parser.add_argument("--enough", type=int, default=1000)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    names = [m.name for m in MECHANISMS if m.is_of_comments == args.comments]
    if args.only:
        names = [name for name in args.only.split(",") if name in names]
    groups = [(name, [name]) for name in names]
    if args.group:
        groups = [(args.group, args.group.split(","))]
    harm: dict[str, int] = {}
    rows: list[Row] = []
    if args.sites:
        chosen = [(title, [m for m in MECHANISMS if m.name in own]) for title, own in groups]
        for name in sites():
            site = SiteBlog(name)
            rows += ablate(name, site.scores, site.modes, chosen, harm, args.enough)
    else:
        with multiprocessing.Manager() as manager, multiprocessing.Pool(2) as pool:
            shared = manager.dict()
            tasks = [
                (args.tools, number, folder, args.posts, groups, shared, args.enough, args.comments)
                for number, folder in corpus_blogs(
                    args.corpus, list(filter(None, args.ids.split(",")))
                )
            ]
            for found in pool.imap_unordered(_corpus_task, tasks):
                rows += found
                print(".", end="", file=sys.stderr, flush=True)
                if args.out:
                    with args.out.open("a") as file:
                        file.writelines(json.dumps(row) + "\n" for row in found)
    print(table(rows, [title for title, _ in groups]))


if __name__ == "__main__":
    main()
