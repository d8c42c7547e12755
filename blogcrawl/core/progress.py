"""How far a crawl is, by its live numbers: the same wherever it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def posts_done(counts: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many posts are in the archive, new or not, and of how many.

    The numbers are written one after the other, so what is done may be ahead of what was found.
    """
    kinds = ("archived", "changed", "unchanged")
    done = sum(int(counts.get(f"posts_{kind}") or 0) for kind in kinds)
    return done, max(int(counts.get("posts_found") or 0), done)
