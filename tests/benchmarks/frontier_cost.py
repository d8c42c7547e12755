"""What choosing costs: CPU time of a prediction, of a push and of a page taken and ended, as what
was seen grows; memory at the end.

python -m tests.benchmarks.frontier_cost [--most 1000000]
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

from blogcrawl.frontier.frontier import Frontier
from blogcrawl.frontier.knn import Example, YieldEstimator
from tests.memory import peak_kilobytes

HOST = "http://example.org"
WORDS = "alpha beta gamma delta rust python garden cake river".split()
OBSERVATIONS = 5000
"""Kept by the estimator."""
BATCH = 64
TURNS = 500


def url(number: int, rng: random.Random) -> str:
    return (
        f"{HOST}/{rng.choice(WORDS)}-{rng.choice(WORDS)}/{number}/"
        f"{'-'.join(rng.choices(WORDS, k=4))}?{rng.choice(WORDS)}=1"
    )


def prediction(estimator: YieldEstimator) -> float:
    """Microseconds of CPU per URL, the best of 50 batches."""
    batch = [
        Example(url(-number, random.Random(number)), "anchor", "div.main>p>a")
        for number in range(BATCH)
    ]
    best = float("inf")
    for _ in range(50):
        began = time.process_time()
        estimator.ask(batch)
        best = min(best, time.process_time() - began)
    return best / BATCH * 1e6


def turn(frontier: Frontier) -> float:
    """Milliseconds of CPU of a page taken and ended."""
    began = time.process_time()
    for _ in range(TURNS):
        page = frontier.pop(0)
        assert page is not None
        frontier.done(page.url, is_post=False)
    return (time.process_time() - began) / TURNS * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--most", type=int, default=1_000_000)
    most = parser.parse_args().most
    sizes = [size for size in (10_000, 100_000, 1_000_000) if size <= most]
    rng, estimator, seen, first = random.Random(1), YieldEstimator(capacity=OBSERVATIONS), 0, 0.0
    for size in sizes:
        began = time.process_time()
        for number in range(seen, size):
            estimator.observe(
                url(number, rng), rng.choice(WORDS), "div.main>ul.list>li>a", rng.random()
            )
        observed, cost = (time.process_time() - began) / (size - seen) * 1e6, prediction(estimator)
        seen, first = size, first or cost
        print(
            (
                f"{size:9} URLs seen: {observed:5.1f} µs to observe, {cost:5.1f} µs to predict one "
                f"({cost / first:.2f} of the first)"
            ),
            flush=True,
        )
    seen, first = 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        frontier = Frontier(Path(folder) / "frontier.db")
        frontier.learn_pattern(f"{HOST}/2012/0{n}/post-number-{n}/" for n in range(1, 9))
        for size in sizes:
            began = time.process_time()
            for n in range(seen, size):
                frontier.push(
                    f"{HOST}/section{n % 300}/item-{n}-some-slug",
                    anchor="some anchor",
                    tag_path="div>ul.x>li>a",
                    parent=HOST + "/",
                )
            frontier.store.commit()
            pushed, cost = (time.process_time() - began) / (size - seen) * 1e6, turn(frontier)
            seen, first = size, first or cost
            memory = peak_kilobytes() / 1024
            costs = (
                f"{pushed:5.1f} µs to push one, {cost:5.2f} ms to take and end one "
                f"({cost / first:.2f} of the first)"
            )
            print(f"{size:9} URLs pending: {costs}, {memory:.0f} MB", flush=True)


if __name__ == "__main__":
    main()
