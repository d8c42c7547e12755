"""Costly pages are tried in a child process."""

from __future__ import annotations

import subprocess
import sys

import pytest

from blogcrawl.core.page import Page
from blogcrawl.crawling.fence import Fence

TRIAL = """
import asyncio, os, sys
from blogcrawl.core.page import Page
from blogcrawl.crawling.fence import Fence

def work(page):
    if "numpy" not in sys.modules:
        os._exit(9)

body = b"<html><body><!--" + b"a comment " * 110_000 + b"--><p>Some text.</p></body></html>"
assert "numpy" not in sys.modules
fence, page = Fence(20.0, 24 << 20), Page(url="http://b.example/", body=body)
asyncio.run(fence.vet(page, work))
fence.account.check(page)
"""


def test_memory_of_first_imports_is_not_charged_to_the_page() -> None:
    done = subprocess.run([sys.executable, "-c", TRIAL], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_page_that_crashes_the_process_is_reported() -> None:
    trial = TRIAL.replace('if "numpy" not in', 'if "numpy" in')
    done = subprocess.run([sys.executable, "-c", trial], capture_output=True, text=True)
    assert "TooCostlyError: reading it ends its process (status 9)" in done.stderr


GROWTH = """
import asyncio, os, threading
from blogcrawl.core.page import Page
from blogcrawl.crawling.fence import Fence

def work(page):
    held = []
    try:
        while True:
            held.append(bytes(4000))
    except MemoryError:
        os._exit(8 if 4000 * len(held) <= 26 << 20 else 7)

thread = threading.Thread(target=lambda: [bytes(4000) for _ in range(100)])
thread.start()
thread.join()
body = b"<html><body><!--" + b"a comment " * 110_000 + b"--><p>Some text.</p></body></html>"
fence, page = Fence(20.0, 24 << 20), Page(url="http://b.example/", body=body)
asyncio.run(fence.vet(page, work))
fence.account.check(page)
"""


def test_memory_growth_beyond_the_limit_ends_the_process() -> None:
    done = subprocess.run([sys.executable, "-c", GROWTH], capture_output=True, text=True)
    assert "reading it ends its process (status 8)" in done.stderr


LINKS_ONLY = """
import asyncio, time
from blogcrawl.core.page import Page
from blogcrawl.crawling import fence as module
from blogcrawl.crawling.fence import Fence
from blogcrawl.dom.links import page_links

def work(page):
    while True:
        pass

forks, fork = [], module._fork
module._fork = lambda *args: forks.append(args) or fork(*args)

body = b"<html><body><!--" + b"a comment " * 110_000 + b"--><a href=/p/1>One</a></body></html>"
fence, page = Fence(2.0, 24 << 20), Page(url="http://b.example/", body=body)
asyncio.run(fence.vet(page, work))
assert [link.url for link in page_links(page)] == ["http://b.example/p/1"]
assert len(forks) == 1
fence.account.check(page)
"""


def test_links_of_a_page_are_followed_after_one_trial_if_extraction_fails() -> None:
    done = subprocess.run([sys.executable, "-c", LINKS_ONLY], capture_output=True, text=True)
    assert "TooCostlyError: reading it takes too much CPU time" in done.stderr


def test_part_of_the_cpu_time_is_left_for_what_cannot_be_stopped() -> None:
    page = Page(url="http://b.example/", body=b"<p>Some text.</p>")
    assert Fence(2.0, 0).account.left(page) == 1.5
    assert Fence(0.0, 0).account.left(page) == 0.0


@pytest.mark.parametrize(("size", "seconds"), [(2**18, 1.5), (2**20, 6.0), (2**25, 48.0)])
def test_a_large_page_may_cost_more_in_proportion(size: int, seconds: float) -> None:
    page = Page(url="http://b.example/", body=bytes(size))
    assert Fence(2.0, 0).account.left(page) == seconds
