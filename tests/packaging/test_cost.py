"""What a package costs grows with its post, not faster: twice the size, hardly more than twice the
CPU time and bytes.
"""

from __future__ import annotations

import gc
import math
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from blogcrawl.core.records import Comment
from blogcrawl.packaging.aip import entry_aip
from blogcrawl.packaging.thread import Thread
from tests.packaging.samples import comment, entry, post

MOST_TIME, MOST_BYTES = 2.6, 2.1
KB_A_COMMENT = 15
"""Memory beyond what the post itself takes; trees of all MARC records at once took 35."""
WORDS = "word & "


def growth(some: Callable[[], object], many: Callable[[], object]) -> float:
    """CPU time of ``many`` by that of ``some``, each at its best of up to forty turns: on a busy
    machine few of them have the caches for themselves."""
    spent: dict[Callable[[], object], float] = {}
    gc.collect()
    gc.disable()  # its turns depend on what other tests left behind
    for _ in range(40):
        for work in (some, many):
            start = time.process_time()
            work()
            spent[work] = min(spent.get(work, math.inf), time.process_time() - start)
        if spent[many] <= MOST_TIME * spent[some]:
            break
    gc.enable()
    return spent[many] / spent[some]


def levels(count: int, depth: int) -> tuple[Comment, ...]:
    return tuple(comment(n, n - 1 if n % depth else None) for n in range(count))


THREADS: dict[str, Callable[[int], tuple[Comment, ...]]] = {
    "one chain of answers": lambda n: levels(n, n),
    "a quarter as many levels as comments": lambda n: levels(n, n // 4),
    "last comes first": lambda n: tuple(reversed(levels(n, n))),
    "one id for all": lambda n: tuple(comment(1, 1) for _ in range(n)),
    "ids that look as if they had been made unique": lambda n: tuple(
        comment(1, id=f"c#{i}" if i % 2 else "c") for i in range(n)
    ),
}


@pytest.mark.parametrize("name", THREADS)
def test_comment_threads_take_linear_time(name: str) -> None:
    some, many = (replace(post(0, 0), comments=THREADS[name](count)) for count in (4_000, 8_000))
    assert (
        growth(lambda: Thread(some, "e").node("e", "t"), lambda: Thread(many, "e").node("e", "t"))
        <= MOST_TIME
    )


POSTS: dict[str, Callable[[int], dict[str, Any]]] = {
    "comments": lambda n: {"comments": levels(200 * n, 50 * n)},
    "tags": lambda n: {"tags": tuple(f"tag {i}" for i in range(2_000 * n))},
    "authors": lambda n: {"authors": tuple(f"Ann {i}" for i in range(2_000 * n))},
    "title": lambda n: {"title": WORDS * 200_000 * n},
    "content": lambda n: {"content_html": WORDS * 700_000 * n, "content_text": WORDS * 700_000 * n},
    "excerpt": lambda n: {"excerpt": WORDS * 700_000 * n},
    "a long title with many comments": lambda n: {
        "title": WORDS * 1_000 * n,
        "comments": levels(100 * n, 1),
    },
    "answers to a comment with a long address": lambda n: {
        "comments": (
            comment(0, url="https://b.example/" + "x" * 7_000 * n),
            *(comment(i, 0) for i in range(1, 100 * n)),
        )
    },
}


@pytest.mark.parametrize("profile", ["blogforever", "marc21"])
@pytest.mark.parametrize("name", POSTS)
def test_packages_take_linear_time_and_space(name: str, profile: str) -> None:
    some, many = (
        replace(entry(post_changes=POSTS[name](count)), profile=profile) for count in (1, 2)
    )

    def size(source: Any) -> int:
        files = entry_aip(source)
        return sum(len(files[path]) for path in files)  # type: ignore[arg-type]

    assert size(many) <= MOST_BYTES * size(some)
    assert growth(lambda: entry_aip(some), lambda: entry_aip(many)) <= MOST_TIME


def test_comment_records_are_streamed() -> None:
    script = (
        "from tests.memory import peak_kilobytes\n"
        "from tests.packaging.samples import entry\n"
        "from blogcrawl.packaging.aip import entry_aip\n"
        "source = entry(0, 4_000)\n"
        "before = peak_kilobytes()\n"
        "files = entry_aip(source)\n"
        "print((peak_kilobytes() - before) / 4_000)"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    assert float(done.stdout) < KB_A_COMMENT
