"""Whether day or month comes first in the numbers of a list of dates, by evidence.

A list of comments is a better witness than one date: every comment is younger than its post, most
lists are sorted, and one day above 12 settles the order for the blog.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from blogcrawl.dates.parse import MONTH_FIRST, DateMatch


def settle_order(
    found: Iterable[DateMatch | None],
    not_before: datetime | None = None,
    language: str | None = None,
) -> bool | None:
    """Return whether the day is first in these dates; None where nothing tells.

    Evidence, strongest first: dates that are possible in one order only; comments older than their
    post (``not_before``); an order that leaves the list sorted; the page's region; the order that
    keeps the comments near the post.
    """
    dates = [match for match in found if match is not None]
    unsure = [match for match in dates if match.ambiguous]
    order = _fewer(*(sum(not match.possible(first) for match in dates) for first in (True, False)))
    if not unsure or order is not None:
        return order
    if not_before is not None:
        order = _fewer(*(_too_early(unsure, first, not_before) for first in (True, False)))
    if order is None:
        order = _fewer(*(_turns([match.pick(first) for match in dates]) for first in (True, False)))
    if order is None and (language or "").lower().replace("_", "-") in MONTH_FIRST:
        return False
    if order is None and not_before is not None:
        order = _fewer(*(_distance(unsure, first, not_before) for first in (True, False)))
    return order


def _fewer(day_first: float, month_first: float) -> bool | None:
    """Return whether less speaks against the day first than against the month first; None where as
    much does.
    """
    return None if day_first == month_first else day_first < month_first


def _too_early(dates: Sequence[DateMatch], day_first: bool, not_before: datetime) -> int:
    """Count the dates before a moment; a day before is not early, as zones differ."""
    limit = _naive(not_before) - timedelta(days=1)
    return sum(_naive(match.pick(day_first)) < limit for match in dates)


def _distance(dates: Sequence[DateMatch], day_first: bool, post: datetime) -> float:
    """Return the seconds between the post and the dates, in all."""
    return sum(
        abs((_naive(match.pick(day_first)) - _naive(post)).total_seconds()) for match in dates
    )


def _naive(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def _turns(moments: Sequence[datetime]) -> int:
    """Return how often a list of times changes its direction at most: lists with the newest first
    are sorted too.
    """
    steps = [b < a for a, b in pairwise(map(_naive, moments))]
    return min(sum(steps), len(steps) - sum(steps))


def to_utc(moment: datetime, utc_offset_minutes: int | None = None) -> datetime:
    """Return aware UTC; a naive time is of the page's clock (``utc_offset_minutes`` east of UTC, 0
    where unknown).
    """
    if moment.tzinfo is None:
        return (moment - timedelta(minutes=utc_offset_minutes or 0)).replace(tzinfo=UTC)
    return moment.astimezone(UTC)
