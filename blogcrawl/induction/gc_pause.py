"""What learning leaves behind, and the collector of circular garbage, kept still during a short
piece of work that makes many objects and no circles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from blogcrawl.core.page import Page


@contextmanager
def still() -> Iterator[None]:
    """No collection inside: each walks through all that a crawl holds, which takes longer than the
    work where that is much.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def forget(page: Page) -> None:
    """Drop what learning kept with a page."""
    prepared = page.__dict__.pop("_prepared", None)
    if prepared is not None:
        # what was not asked of them holds the sample: a circle, which only the collector would
        # break
        prepared.patterns.clear()
    page.__dict__.pop("_index", None)
