"""Calls of the C library."""

from __future__ import annotations

import subprocess
import sys

import pytest

CHILD = """
from blogcrawl.storage.linux import return_large_blocks
from tests.memory import peak_kilobytes
assert return_large_blocks(2**20)
bytes(2**24)  # from here on glibc would keep blocks of 16 MB
rest = []
before = peak_kilobytes()
for n in range(20):
    large = b"x" * 2**23
    rest.append(bytes(2**19))  # lies behind it in the heap
    del large
print((peak_kilobytes() - before) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="mallopt is glibc's")
def test_freed_large_blocks_are_returned_to_the_system() -> None:
    done = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 32  # 10 MB are kept, 8 MB are in use at a time
