"""The collector of circular garbage, kept still during a short piece of work that makes many objects and no circles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def still() -> Iterator[None]:
    """No collection inside: each walks through all that a crawl holds, which takes longer than the work where that is much."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
