"""Posts found against requests: ways through blogs as they are, and through mixed sites built from
them.

    python -m tests.benchmarks.frontier [--corpus FOLDER] [--only NAME …] [--strategies …]
    [--picture FILE] [--json FILE]

Without a corpus, generated blogs are used. A row says how many requests a strategy needed for 50,
90, 95 and 100 % of the posts that links can reach (the posts' own requests count), and how many it
had made, and what share it had, when it ended by itself: ours where it said stop, the 2014 formula,
which has no rule for that, when nothing was left to ask or at the limit.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from blogcrawl.frontier.stop import Stop
from blogcrawl.urls.canonical import canonicalize
from tests.benchmarks import strategies as ways
from tests.benchmarks.mixed_sites import (
    PERMALINKS,
    in_a_portal,
    in_a_tag_jungle,
    make_blog,
    with_a_calendar,
    without_archives,
)
from tests.benchmarks.site_graphs import Site, load_corpus

MIXED = 2
"""Corpus blogs that sites are grown around, those with most posts; and MADE, the posts of generated
ones
"""
MADE = 400
SHARES = (50, 90, 95, 100)
GOAL = 0.2
"""Of breadth first's requests on mixed sites, for 95 % of the posts"""
POINTS = 120
"""Of a curve in the picture."""
TO_ITS_END = "2014"
"""Asks on when all posts are in: it can't know."""
STRATEGIES: dict[str, Callable[[], Callable[[Site], ways.Crawl]]] = {
    "breadth": lambda: ways.breadth_first,
    "depth": lambda: ways.depth_first,
    "random": lambda: ways.at_random,
    "pattern": lambda: ways.pattern_only,
    "2014": lambda: ways.formula_2014,
    "links": lambda: ways.Ours(),
    "all": lambda: ways.Ours(survey=True),
    "oracle": lambda: ways.oracle,
}


@dataclass
class Run:
    site: str
    strategy: str
    posts: int
    needed: dict[int, int | None] = field(default_factory=dict)
    requests: int = 0
    found: int = 0
    stop_requests: int | None = None
    stop_found: int | None = None
    stop_reason: str = ""
    believed: float | None = None
    seconds: float = 0.0
    right: int = 0
    """Posts taken for posts before they were read; ``wrong``: other pages taken for posts;
    ``missed``: posts that were not.
    """
    wrong: int = 0
    missed: int = 0
    curve: list[int] = field(default_factory=list)


def believed(stop: Stop) -> float:
    """Share of the posts that is in, as the rule that stopped the crawl has it."""
    total = stop.evidence.posts + stop.unseen + stop.evidence.posts_pending
    return round(stop.evidence.posts / total, 4) if total else 1.0


def simulate(site: Site, name: str, limit: int) -> Run:
    """Follow one strategy until all reachable posts are in, it gives up, or ``limit`` requests;
    ours runs on past its stop, the 2014 formula to its end."""
    targets = site.reachable_posts()
    run, asked, found = Run(site.name, name, len(targets)), 0, set()
    strategy = STRATEGIES[name]()
    ours = strategy if isinstance(strategy, ways.Ours) else None
    started = time.process_time()
    for url in strategy(site):
        asked += 1
        node = site.get(url)
        if node is not None and canonicalize(node.url) in targets:
            found.add(canonicalize(node.url))
        run.curve.append(len(found))
        for share in SHARES:
            if share not in run.needed and 100 * len(found) >= share * len(targets):
                run.needed[share] = asked
        if ours is not None and ours.stop is not None and run.stop_requests is None:
            run.stop_requests, run.stop_found = ours.stopped_at, run.curve[ours.stopped_at - 1]
            run.stop_reason, run.believed = ours.stop.reason, believed(ours.stop)
        past_stop = ours is not None and ours.stop is not None and asked >= 2 * ours.stopped_at
        if past_stop or asked >= limit:
            break
        if (
            len(found) == len(targets)
            and name != TO_ITS_END
            and (ours is None or run.stop_requests is not None)
        ):
            break
    if name == TO_ITS_END:
        run.stop_requests, run.stop_found, run.stop_reason = (
            asked,
            len(found),
            "limit" if asked >= limit else "nothing left",
        )
    if ours is not None and ours.stop is not None and run.stop_requests is None:
        run.stop_requests, run.stop_found = ours.stopped_at, run.curve[ours.stopped_at - 1]
        run.stop_reason, run.believed = ours.stop.reason, believed(ours.stop)
    for url, called in ours.called.items() if ours is not None else ():
        node = site.get(url)
        if node is not None and canonicalize(node.url) == url:
            run.right += called and node.is_post
            run.wrong += called and not node.is_post
            run.missed += node.is_post and not called
    run.requests, run.found, run.seconds = asked, len(found), time.process_time() - started
    return run


def sites(corpus: Path | None) -> Iterable[Site]:
    """Blogs as they are, then the mixed sites grown around those with most posts and around larger
    generated ones.
    """
    blogs = (
        list(load_corpus(corpus))
        if corpus
        else [make_blog(f"made-{s}", 120, s) for s in PERMALINKS]
    )
    made = [
        make_blog(f"pager-{MADE}", MADE, "plain", months=False, chain=False),
        make_blog(f"chain-{MADE}", MADE, "dated", months=False),
    ]
    yield from [*blogs, *made]
    for blog in [
        *(sorted(blogs, key=lambda b: -len(b.reachable_posts()))[:MIXED] if corpus else ()),
        *made,
    ]:
        yield in_a_portal(blog)
        yield in_a_tag_jungle(blog)
        yield with_a_calendar(blog)
        yield without_archives(blog)
        yield in_a_portal(without_archives(blog))


def table(runs: list[Run]) -> str:
    lines = [
        f"{'site':28}{'strategy':10}{'posts':>6}"
        + "".join(f"{s:>6}%" for s in SHARES)
        + f"{'at stop':>9}{'found':>7}{'believed':>9}  why"
    ]
    for r in runs:
        needs = "".join(f"{r.needed.get(s) or '-':>7}" for s in SHARES)
        at = f"{r.stop_requests or '':>9}{r.stop_found if r.stop_found is not None else '':>7}"
        lines.append(
            f"{r.site:28}{r.strategy:10}{r.posts:>6}{needs}{at}"
            f"{r.believed if r.believed is not None else '':>9}  {r.stop_reason}"
        )
    return "\n".join(lines)


def summary(runs: list[Run]) -> str:
    """The goals, and whether they are met."""
    by = {(r.site, r.strategy): r for r in runs}
    names = list(dict.fromkeys(r.site for r in runs))
    mixed = [n for n in names if "+" in n or n.endswith("-archives")]
    out = []

    def ratio(a: str, b: str, group: list[str], share: int = 95) -> list[tuple[float, str]]:
        pairs = [(by.get((n, a)), by.get((n, b)), n) for n in group]
        return [
            ((x.needed.get(share) or 10 * x.requests) / (y.needed.get(share) or y.requests), n)
            for x, y, n in pairs
            if x and y
        ]

    for title, a, b, group, share in (
        ("links/breadth, mixed, 95 %", "links", "breadth", mixed, 95),
        ("links/oracle, mixed, 95 %", "links", "oracle", mixed, 95),
        ("oracle/breadth, mixed, 95 %", "oracle", "breadth", mixed, 95),
        ("all/breadth, mixed, 95 %", "all", "breadth", mixed, 95),
        ("links/breadth, pure, 95 %", "links", "breadth", [n for n in names if n not in mixed], 95),
        (
            "links/breadth, pure, 100 %",
            "links",
            "breadth",
            [n for n in names if n not in mixed],
            100,
        ),
        ("links/oracle, pure, 95 %", "links", "oracle", [n for n in names if n not in mixed], 95),
        ("links/2014, all sites, 95 %", "links", "2014", names, 95),
    ):
        values = sorted(ratio(a, b, group, share))
        if values:
            out.append(
                f"{title:32} median {statistics.median(v for v, _ in values):.3f}  worst "
                f"{values[-1][0]:.3f} {values[-1][1]}"
            )
    dear = [(share, n) for share, n in ratio("links", "breadth", mixed) if share > GOAL]
    least = {n: share for share, n in ratio("oracle", "breadth", mixed)}
    above = ", ".join(
        f"{n} {share:.2f} (oracle {least.get(n, 0):.2f})" for share, n in sorted(dear)
    )
    out.append(
        f"links/breadth, mixed, 95 %: above {GOAL} on {len(dear)} of {len(mixed)}: "
        f"{above or 'none'}"
    )
    out += [_against_2014(by, names), _whole_crawls(by, names)]
    for name in ("links", "all"):
        ended = [
            r
            for r in runs
            if r.strategy == name
            and r.stop_requests
            and r.posts
            and (name == "links" or r.site not in mixed)
        ]
        if ended:
            share = sorted((r.stop_found or 0) / r.posts for r in ended)
            cost = sorted((r.stop_requests or 0) / max(1, r.stop_found or 0) for r in ended)
            missing = [r for r in ended if (r.stop_found or 0) < 0.995 * r.posts]
            lost = [f"{r.site} {r.stop_found}/{r.posts}" for r in missing]
            whole = (
                f"{name} at stop: found median {statistics.median(share):.4f} worst {share[0]:.4f};"
            )
            out.append(
                f"{whole} requests per post median {statistics.median(cost):.3f} worst "
                f"{cost[-1]:.2f}; lost: {', '.join(lost) or 'none'}"
            )
            right, wrong, missed = (
                sum(getattr(r, part) for r in ended) for part in ("right", "wrong", "missed")
            )
            classified = (
                f"{name}, classified by URL alone before reading: {right} posts right, {wrong} "
                f"pages wrong, {missed} posts missed"
            )
            out.append(
                f"{classified}; effectiveness {right / max(1, right + wrong):.4f}, coverage "
                f"{right / max(1, right + missed):.4f}"
            )
    return "\n".join(out)


def _against_2014(by: dict[tuple[str, str], Run], names: list[str]) -> str:
    """Requests for 95 % of the posts: where ours needs as many, is it the least that any way needs
    that reads start page and feed?
    """
    better, least, lost = 0, 0, []
    for name in names:
        ours, theirs, oracle = (by.get((name, way)) for way in ("links", "2014", "oracle"))
        if not (ours and theirs and oracle):
            continue
        own, other = (run.needed.get(95) or 10 * run.requests for run in (ours, theirs))
        if own < other:
            better += 1
        elif own == other and own <= (oracle.needed.get(95) or 0) + 2:
            least += 1
        else:
            lost.append(f"{name} {own}:{other} (oracle {oracle.needed.get(95)})")
    return (
        f"links against 2014, 95 %: better on {better}, alike at the least possible on "
        f"{least}, else: {', '.join(lost) or 'none'}"
    )


def _whole_crawls(by: dict[tuple[str, str], Run], names: list[str]) -> str:
    """Requests until each ends by itself: better is who has no post less for fewer requests, or
    more posts for no more requests.
    """
    counts, rest, shares = Counter[str](), [], []
    for name in names:
        ours, theirs = by.get((name, "links")), by.get((name, TO_ITS_END))
        if not (ours and theirs):
            continue
        own, other = (
            (run.stop_requests or run.requests, -(run.stop_found or 0)) for run in (ours, theirs)
        )
        shares.append(own[0] / other[0])
        fewer, lost = own[0] <= other[0], own[1] > other[1]
        outcome = (
            "equal"
            if own == other
            else "better"
            if fewer and not lost
            else "worse"
            if not fewer or own[0] == other[0]
            else "mixed"
        )
        counts[outcome] += 1
        if outcome != "better":
            rest.append(
                f"{name} {outcome} {own[0]} requests {-own[1]} posts : {other[0]} {-other[1]}"
            )
    if not shares:
        return ""
    outcome = ", ".join(
        f"{kind} on {counts[kind]}" for kind in ("better", "equal", "mixed", "worse")
    )
    return (
        f"links against 2014, whole crawls: {outcome}; requests median "
        f"{statistics.median(shares):.3f}; {', '.join(rest)}"
    )


def draw(runs: list[Run], target: Path) -> None:
    """Curves of every site as one picture. Needs matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.fonttype"] = "none"
    from matplotlib import pyplot

    names = list(dict.fromkeys(r.site for r in runs))
    columns = 4
    rows = -(-len(names) // columns)
    figure, axes = pyplot.subplots(rows, columns, figsize=(4.2 * columns, 3 * rows), squeeze=False)
    for place, name in enumerate(names):
        axis = axes[place // columns][place % columns]
        for run in (r for r in runs if r.site == name):
            at = sorted(
                {int(len(run.curve) ** (i / POINTS)) - 1 for i in range(POINTS + 1)}
                if run.curve
                else ()
            )
            axis.plot(
                [i + 1 for i in at],
                [100 * run.curve[i] / max(1, run.posts) for i in at],
                label=run.strategy,
                linewidth=1.2,
            )
        axis.set_title(name, fontsize=9)
        axis.set_xscale("log")
        axis.set_ylim(0, 102)
        axis.tick_params(labelsize=7)
    for place in range(len(names), rows * columns):
        axes[place // columns][place % columns].axis("off")
    axes[0][0].legend(fontsize=7)
    figure.supxlabel("requests")
    figure.supylabel("posts found, %")
    figure.tight_layout()
    figure.savefig(target, dpi=80)
    if target.suffix == ".svg":
        target.write_text(re.sub(r"(\d\.\d)\d+", r"\1", target.read_text("utf-8")), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--strategies", nargs="*", default=list(STRATEGIES))
    parser.add_argument("--limit", type=int, default=20_000, help="requests per run at most")
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    runs: list[Run] = []
    for site in sites(options.corpus):
        if options.only and not any(
            site.name == o or (o.startswith("+") and site.name.endswith(o)) for o in options.only
        ):
            continue
        for name in options.strategies:
            runs.append(simulate(site, name, options.limit))
            print(
                table(runs[-1:]).splitlines()[1],
                f"{runs[-1].seconds:.1f} s",
                flush=True,
                file=sys.stderr,
            )
    print(table(runs))
    print(summary(runs))
    if options.json:
        options.json.write_text(
            json.dumps(
                [{k: v for k, v in asdict(r).items() if k != "curve"} for r in runs], indent=1
            )
        )
    if options.picture:
        draw(runs, options.picture)


if __name__ == "__main__":
    main()
