"""At which length a feed cuts its texts, where it does not say so."""

from __future__ import annotations

from collections.abc import Sequence

SAME, LEAST_CUT = 0.6, 3
"""Share of a feed's texts, and their number, that end at the same length where it cuts them
unmarked.
"""
SHORTEST, LONGEST = 100, 600
"""Letters of such texts: engines cut at 140 to 500; longer texts of one length are whole."""
A_WORD = 12
"""Letters before the limit at which a text may end that is cut between words."""


def limits(lengths: Sequence[int]) -> range:
    """The lengths at which a feed cuts its texts without saying so: those that most of them have;
    none of whole posts.
    """
    found = (
        range(most - A_WORD, most + 1)
        for most in sorted(set(lengths))
        if SHORTEST <= most <= LONGEST
    )
    often = max(found, key=lambda same: sum(length in same for length in lengths), default=range(0))
    return (
        often
        if sum(length in often for length in lengths) >= max(LEAST_CUT, SAME * len(lengths))
        else range(0)
    )
