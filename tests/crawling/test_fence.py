"""Costly pages are tried in a child process."""

from __future__ import annotations

import subprocess
import sys

TRIAL = """
import asyncio, os, sys
from blogcrawl.core.page import Page
from blogcrawl.crawling.fence import Fence

def work(page):
    if "numpy" not in sys.modules:
        os._exit(9)

body = b"<html><body><!--" + b"a comment " * 110_000 + b"--><p>Some text.</p></body></html>"
assert "numpy" not in sys.modules
asyncio.run(Fence(20.0, 24 << 20).vet(Page(url="http://b.example/", body=body), work))
"""


def test_libraries_that_a_page_is_the_first_to_need_do_not_count_as_its_memory() -> None:
    done = subprocess.run([sys.executable, "-c", TRIAL], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_a_page_whose_reading_ends_the_process_is_named_so() -> None:
    trial = TRIAL.replace('if "numpy" not in', 'if "numpy" in')
    done = subprocess.run([sys.executable, "-c", trial], capture_output=True, text=True, timeout=60)
    assert "TooCostlyError: reading it ends its process (status 9)" in done.stderr
