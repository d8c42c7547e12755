"""Costly pages are tried in a child process."""

from __future__ import annotations

import subprocess
import sys

TRIAL = """
import asyncio, sys
from blogcrawl.core.page import Page
from blogcrawl.crawling.fence import Fence

def work(page):
    import numpy
    numpy.ones((64, 64)) @ numpy.ones((64, 64))

body = b"<html><body><!--" + b"a comment " * 200_000 + b"--><p>Some text.</p></body></html>"
assert "numpy" not in sys.modules
asyncio.run(Fence(20.0, 12 << 20).vet(Page(url="http://b.example/", body=body), work))
"""


def test_libraries_that_a_page_is_the_first_to_need_do_not_count_as_its_memory() -> None:
    done = subprocess.run([sys.executable, "-c", TRIAL], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
