"""How fast extraction is, as ratios of CPU time in one run: nothing here depends on the machine.

    python tests/benchmarks/extraction_speed.py [--corpus DIR --tools DIR [--ids a,b]] [--pages 20]
    [--profile learn|record]

Over recorded blogs (layout as in extraction.py) or a generated one. Units: *parse* is what lxml
takes for the same bytes. ``apply``: the learned rules on a parsed page. ``record``: bytes to Post
(parse, rules, sanitised content). ``learn``: rules and all other methods from 15 pages, parsed
already. The last lines: exponents of time over size of page and number of entries (1 is linear).
``peer``: trafilatura from the same bytes at its least, text and metadata without comments; ``peer's
html``: what a record has, sanitised HTML with links, pictures, tables and formatting. Parse, record
and peers take turns, each as often as the others; the best run counts.
"""

from __future__ import annotations

import argparse
import cProfile
import math
import pstats
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import lxml.html

ROOT = Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT)  # not this folder, whose names hide packages

from blogcrawl.core.page import Page  # noqa: E402
from blogcrawl.extraction.chain import method  # noqa: E402
from blogcrawl.extraction.model import Hints, extract_post, learn_blog  # noqa: E402
from blogcrawl.induction.induce import MAX_SAMPLES, learn_rules  # noqa: E402
from blogcrawl.induction.ruleset import Sample  # noqa: E402
from tests.benchmarks.post_cpu import generated, recorded  # noqa: E402

SIZES = (50_000, 500_000, 5_000_000)
ENTRIES = (4, 8, 15)
RUNS = 8
"""Of learning, and of the parses that are its unit: a single one on a busy machine says little."""
TURNS = 5
Blog = tuple[str, list[Sample], Hints, list[Page]]


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """The best CPU time of a few runs."""
    best = math.inf
    for _ in range(times):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best


def in_turn(works: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The best CPU time of each: what disturbs the machine disturbs them all."""
    turns = [{name: seconds(work, 1) for name, work in works.items()} for _ in range(TURNS)]
    return {name: min(turn[name] for turn in turns) for name in works}


def parse(pages: Sequence[Page]) -> None:
    for page in pages:
        lxml.html.document_fromstring(page.body)


def parsed(pages: Sequence[Page]) -> list[Page]:
    """Fresh pages with their trees: what a method gets that is asked first."""
    out = [replace(page, fetched_at=datetime.now(UTC)) for page in pages]
    for page in out:
        assert page.tree is not None
    return out


def peer(pages: Sequence[Page]) -> None:
    import trafilatura

    for page in pages:
        trafilatura.bare_extraction(
            page.body, url=page.url, include_comments=False, with_metadata=True
        )


def peer_html(pages: Sequence[Page]) -> None:
    import trafilatura

    wanted = dict.fromkeys(
        (
            "include_formatting",
            "include_links",
            "include_images",
            "include_tables",
            "with_metadata",
        ),
        True,
    )
    for page in pages:
        trafilatura.extract(
            page.body, url=page.url, output_format="html", include_comments=False, **wanted
        )


def fresh(samples: Sequence[Sample]) -> list[Sample]:
    return [
        replace(sample, page=page)
        for sample, page in zip(samples, parsed([s.page for s in samples]), strict=True)
    ]


def learning(
    samples: Sequence[Sample], whole: Callable[[list[Sample]], object]
) -> tuple[float, float]:
    """CPU seconds of learning from parsed pages, and of parsing them: by turns, for the machine may
    be busier now than then.
    """
    best = one = math.inf
    for _ in range(RUNS):
        one = min(one, seconds(lambda: parse([s.page for s in samples]), 1))
        ready = fresh(samples)
        best = min(best, seconds(lambda ready=ready: whole(ready), 1))  # type: ignore[misc]
    return best, one


def row_of(blog: Blog, most: int) -> dict[str, float]:
    _, samples, hints, pages = blog
    model, pages = learn_blog(samples, hints), pages[:most]
    ready, rules = parsed(pages), method("rules")
    assert rules is not None
    spent = in_turn(
        {
            "parse": lambda: parse(pages),
            "apply": lambda: [rules.extract(page, model.ruleset) for page in ready],
            "record": lambda: [extract_post(replace(page), model, None, True) for page in pages],
            "peer": lambda: peer(pages),
            "html": lambda: peer_html(pages),
        }
    )
    few = samples[:MAX_SAMPLES]
    only_rules, once = learning(few, learn_rules)
    all_methods, again = learning(few, lambda ready: learn_blog(ready, Hints(feed=hints.feed)))
    one = min(once, again)
    return {
        "kB": sum(len(page.body) for page in pages) / len(pages) / 1000,
        "apply": spent["apply"] / spent["parse"],
        "record": spent["record"] / spent["parse"],
        "peer": spent["peer"] / spent["record"],
        "html": spent["html"] / spent["record"],
        "rules": only_rules / one,
        "learn": all_methods / one,
    }


def blogs(args: argparse.Namespace) -> Iterator[Blog]:
    if args.corpus is None:
        samples, hints, pages = generated(60, 10)
        yield "generated", samples, hints, pages
        return
    wanted = [name for name in args.ids.split(",") if name]
    for name, (samples, hints, pages) in recorded(
        args.corpus, args.tools, wanted, args.pages, str(MAX_SAMPLES)
    ):
        known = {page.url: page for page in pages}
        more = [
            Sample(page=page, entry=replace(samples[0].entry, url=url))
            for url, page in known.items()
            if not samples
        ]
        yield name, samples or more, hints, pages


def stretched(page: Page, size: int) -> Page:
    """The page with its paragraphs repeated up to ``size`` bytes."""
    head, begin, rest = page.body.partition(b'<div class="entry">')
    text, close, tail = rest.partition(b"</div>")
    times = max(1, (size - len(page.body)) // len(text) + 1)
    return replace(page, body=head + begin + text * times + close + tail)


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """Slope of the line through the logarithms."""
    return statistics.linear_regression(
        [math.log(x) for x in sizes], [math.log(x) for x in times]
    ).slope


def linearity() -> None:
    samples, hints, pages = generated(MAX_SAMPLES + 5, 10)
    model = learn_blog(samples, hints)
    large = [stretched(pages[0], size) for size in SIZES]
    spent = []
    for page in large:
        spent.append(seconds(lambda page=page: extract_post(replace(page), model, None, True)))  # type: ignore[misc]
    timings = ", ".join(
        f"{len(page.body) / 1000:.0f} kB {1000 * each:.0f} ms"
        for page, each in zip(large, spent, strict=True)
    )
    print(
        f"record over size of page: exponent "
        f"{exponent([len(page.body) for page in large], spent):.2f} ({timings})"
    )
    few = []
    for n, url in enumerate(page.url for page in pages):
        known = samples[n % len(samples)]
        few.append(Sample(page=replace(known.page, url=url), entry=replace(known.entry, url=url)))
    spent = [learning(few[:n], learn_rules)[0] for n in ENTRIES]
    timings = ", ".join(
        f"{n} entries {1000 * each:.0f} ms" for n, each in zip(ENTRIES, spent, strict=True)
    )
    print(f"learning over number of entries: exponent {exponent(ENTRIES, spent):.2f} ({timings})")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--tools", type=Path)
    parser.add_argument("--ids", default="")
    parser.add_argument("--pages", type=int, default=20, help="pages a blog")
    parser.add_argument("--profile", choices=("learn", "record"))
    args = parser.parse_args()
    if args.profile:
        profiled(args)
        return
    columns = ("kB", "apply", "record", "peer", "html", "rules", "learn")
    heads = (
        "kB",
        "apply/parse",
        "record/parse",
        "peer/record",
        "peer's html",
        "rules/parse",
        "learn/parse",
    )
    print(f"{'blog':16}" + "".join(f"{head:>14}" for head in heads))
    rows = []
    for blog in blogs(args):
        if not blog[1] or not blog[3]:
            continue
        rows.append(row_of(blog, args.pages))
        print(
            f"{blog[0]:16}" + "".join(f"{rows[-1][column]:14.2f}" for column in columns), flush=True
        )
    worst = [min if column in ("peer", "html") else max for column in columns]
    for name, figure in (
        ("geometric mean", statistics.geometric_mean),
        ("median", statistics.median),
    ):
        print(
            f"{name:16}"
            + "".join(f"{figure([row[column] for row in rows]):14.2f}" for column in columns)
        )
    print(
        f"{'worst':16}"
        + "".join(
            f"{figure(row[column] for row in rows):14.2f}"
            for figure, column in zip(worst, columns, strict=True)
        )
    )
    linearity()


def profiled(args: argparse.Namespace) -> None:
    profile = cProfile.Profile()
    for _, samples, hints, pages in blogs(args):
        model, ready = learn_blog(samples, hints), fresh(samples[:MAX_SAMPLES])
        profile.enable()
        if args.profile == "learn":
            learn_blog(ready, hints)
        else:
            for page in pages[: args.pages]:
                extract_post(replace(page), model, None, True)
        profile.disable()
    pstats.Stats(profile).sort_stats("tottime").print_stats(45)


if __name__ == "__main__":
    main()
