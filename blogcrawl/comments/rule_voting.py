"""Where a field stands, by the voices of all units of a page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from blogcrawl.comments.fields import BARE
from blogcrawl.comments.unit_reader import Reader


def vote(readers: Sequence[Reader], learned: Sequence[str], which: str) -> list[str]:
    """Signatures of a field, best supported first; learned ones keep their place where they occur
    at all.
    """
    total: Counter[str] = Counter()
    values: dict[str, set[str]] = defaultdict(set)
    for reader in readers:
        found = reader.authors if which == "author" else reader.dates
        for path, candidate in found.items():
            total[path] += candidate[0]  # type: ignore[assignment]
            values[path].add(str(candidate[-1]))
    if which == "author":  # emphasis and headings that few units have are of their text
        seen = Counter(path for reader in readers for path in reader.authors)
        total = Counter(
            {p: n for p, n in total.items() if n > BARE * seen[p] or 2 * seen[p] >= len(readers)}
        )
    known = [path for path in learned if path in total]
    ranked = sorted(
        total, key=lambda p: (-total[p] * _variety(len(values[p]), len(readers)), -p.count(">"))
    )
    return known + [path for path in ranked if path not in known]


def _variety(different: int, units: int) -> float:
    """A "field" that says the same in all of many units is a label."""
    return 0.1 if units >= 4 and different == 1 else 1.0
