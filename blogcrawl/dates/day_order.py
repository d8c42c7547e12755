"""Whether day or month comes first in the numbers of a list of dates, by evidence.

A list of comments is a better witness than one date: every comment is younger than its post, most
lists are sorted, and one day above 12 settles the order for the blog.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from blogcrawl.dates.edtf import Partial
from blogcrawl.dates.parse import MONTH_FIRST, DateMatch, in_zone
from blogcrawl.dates.zones import Reading


def settle_order(
    found: Iterable[DateMatch | None],
    not_before: datetime | None = None,
    language: str | None = None,
) -> bool | None:
    """Return whether the day is first in these dates; None if there is no evidence.

    Evidence, strongest first: dates that are possible in one order only; comments older than their
    post (``not_before``); an order that leaves the list sorted; the page's region; the order that
    keeps the comments near the post.
    """
    dates = list(filter(None, found))
    unsure = [match for match in dates if match.ambiguous]
    order = _fewer(lambda first: sum(not match.possible(first) for match in dates))
    if not unsure:
        return order
    region = (language or "").lower().replace("_", "-")
    evidence: tuple[Callable[[], bool | None], ...] = (
        lambda: order,
        lambda: _by_post(_too_early, unsure, not_before),
        lambda: _fewer(lambda first: _turns([match.pick(first) for match in dates])),
        lambda: False if region in MONTH_FIRST else None,
        lambda: _by_post(_distance, unsure, not_before),
    )
    return next((settled for look in evidence if (settled := look()) is not None), None)


def proved_order(found: Iterable[DateMatch]) -> bool | None:
    """Return whether the day comes first, where dates of numbers are possible in one order only and
    none in the other; else None."""
    day, month = sure_orders(found)
    return None if bool(day) == bool(month) else day > 0


def sure_orders(found: Iterable[DateMatch | None]) -> tuple[int, int]:
    """Return how many dates of numbers have the day first for sure, and how many the month: one of
    the two is above 12. The third of March says nothing."""
    known = [m for m in found if m is not None and m.swapped is None]
    sure = Counter([m.form for m in known if m.moment.day != m.moment.month])
    return sure["d.M.y"] + sure["d.M.yy"], sure["M.d.y"] + sure["M.d.yy"]


def _by_post(
    measure: Callable[[Sequence[DateMatch], bool, datetime], float],
    dates: Sequence[DateMatch],
    post: datetime | None,
) -> bool | None:
    """Return the order with less evidence against it by the date of the post, where known."""
    return None if post is None else _fewer(lambda first: measure(dates, first, post))


def _fewer(counter_evidence: Callable[[bool], float]) -> bool | None:
    """Return whether there is less evidence against the day first (True) than against the month
    first; None if there is as much.
    """
    day_first, month_first = counter_evidence(True), counter_evidence(False)
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


MAX_OFFSET = 15 * 60
"""Minutes: no zone in use is further from UTC."""


SLACK = 2
"""Minutes that a clock may show another time than a quarter of an hour off: seconds are cut off."""


def clock_readings(
    pairs: Iterable[tuple[datetime | None, datetime | None]],
) -> Iterator[Reading]:
    """Yield times on a page's clock and how many minutes it is ahead of UTC then, by moments as the
    page writes them and as another source knows them; to the quarter of an hour, of which all zones
    are multiples.

    A zone that the page writes counts, but for UTC: that label is often put on the local time.
    """
    for moment, truth in pairs:
        if moment is None or truth is None or isinstance(truth.tzinfo, Partial):
            continue  # a time without a zone is another clock's, no moment
        if (moment.hour, moment.minute) == (0, 0):  # a day without a clock time
            continue
        written = moment.utcoffset() or in_zone(moment, 0) - truth
        minutes = written.total_seconds() / 60
        quarter = round(minutes / 15) * 15
        if abs(minutes) <= MAX_OFFSET and abs(minutes - quarter) <= SLACK:
            yield moment.replace(tzinfo=None), quarter
