"""Dates of records, each as precise as it is known, and their form in text (EDTF level 0; level 1
for an approximate year, month or day, ``2012~``).

A moment is a ``datetime`` with its author's offset. A day, month or year is a ``datetime`` at its
start whose zone is a ``Partial``: it sorts and is compared like midnight UTC, and is written
without a clock time. Midnight UTC itself is a day too: so programs write the days that they have.
A time whose zone nothing states is ``LOCAL``: compared like UTC, and written without a zone.
https://www.loc.gov/standards/datetime/
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import Literal

Precision = Literal["year", "month", "day", "local", "time"]


class Partial(tzinfo):
    """The zone of a date that lacks a clock time or a zone; it keeps how much is known, and whether
    only approximately.
    """

    def __init__(self, unit: Precision, mark: Literal["", "~"] = "") -> None:
        self.unit = unit
        self.mark = mark

    def __getinitargs__(self) -> tuple[Precision, str]:
        return (self.unit, self.mark)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Partial) and str(other) == str(self)

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        return self.unit + self.mark

    def __repr__(self) -> str:
        return f"Partial({str(self)!r})"

    def utcoffset(self, _moment: datetime | None) -> timedelta:
        return timedelta()

    def dst(self, _moment: datetime | None) -> None:
        return None

    def tzname(self, _moment: datetime | None) -> str:
        return str(self)


YEAR, MONTH, DAY, LOCAL = Partial("year"), Partial("month"), Partial("day"), Partial("local")
_LENGTH: dict[Precision, int] = {"year": 4, "month": 7, "day": 10, "local": 10, "time": 10}
"""Characters of an ISO date."""
_APPROXIMATE = {exact: Partial(exact.unit, "~") for exact in (YEAR, MONTH, DAY)}
PARTS = {str(partial): partial for partial in (YEAR, MONTH, DAY, LOCAL, *_APPROXIMATE.values())}
_BY_LENGTH = {_LENGTH[partial.unit]: partial for partial in (YEAR, MONTH, DAY)}
CLOCK: tuple[Precision, ...] = ("local", "time")
"""What has a time of day."""
_PARTIAL = re.compile(r"([0-9]{4}(?:-[0-9]{2}){0,2})(~?)")


def beginning(moment: datetime, part: Partial) -> datetime:
    """Return the start of the day, month or year of a moment, as precise as that."""
    start = datetime(moment.year, moment.month, moment.day, tzinfo=part)
    if part is DAY:
        return start
    return start.replace(month=1, day=1) if part is YEAR else start.replace(day=1)


def approximately(start: datetime) -> datetime:
    """Return a bare day, month or year as one that is known approximately."""
    part = start.tzinfo
    return start.replace(tzinfo=_APPROXIMATE.get(part, part) if isinstance(part, Partial) else part)


def is_approximate(moment: datetime) -> bool:
    """Return whether a day, month or year is known approximately."""
    return isinstance(moment.tzinfo, Partial) and moment.tzinfo.mark == "~"


def is_coarse(moment: datetime) -> bool:
    """Return whether only the month or year of a date is known."""
    return precision(moment) in {"year", "month"}


def precision(moment: datetime) -> Precision:
    """Return how much of a date is known."""
    unit = moment.tzinfo.unit if isinstance(moment.tzinfo, Partial) else "time"
    if unit in CLOCK and moment.time() == time() and not moment.utcoffset():
        return "day"
    return unit


def qualified_precision(moment: datetime) -> str:
    """Return how much of a date is known, with ``~`` where that is approximate: ``year~``."""
    return precision(moment) + ("~" if is_approximate(moment) else "")


def day_at_midnight(moment: datetime) -> datetime:
    """Return the day of a moment that is midnight to the second: programs write days so, in the
    zone of their site."""
    is_midnight = moment.time() == time() and not isinstance(moment.tzinfo, Partial)
    return moment.replace(tzinfo=DAY) if is_midnight else moment


def written(moment: datetime) -> str:
    """Write a date: ``2012-10-03``, ``2012-10``, ``2012~``, ``2012-10-03T23:18:00-04:00``, UTC as
    ``Z``, a time whose zone is unknown without one.

    A moment without any ``tzinfo`` is taken as UTC. Fractions of seconds are kept (RFC 3339).
    """
    known = precision(moment)
    if known not in CLOCK:
        return edtf_date(moment)
    if known == "local":
        return moment.replace(tzinfo=None).isoformat()
    aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    return aware.isoformat().replace("+00:00", "Z")


def edtf(moment: datetime | None) -> str:
    """Write a date for catalogues: EDTF has no fractions of seconds; "" where it is unknown."""
    return written(moment.replace(microsecond=0)) if moment else ""


def calendar_date(moment: datetime | None) -> str:
    """Return the author's day, or the month or year that is known; "" where none is."""
    return moment.date().isoformat()[: _LENGTH[precision(moment)]] if moment else ""


def edtf_date(moment: datetime | None) -> str:
    """Return the same as EDTF writes it: ``2012~`` where it is approximate."""
    return calendar_date(moment) + ("~" if moment and is_approximate(moment) else "")


def readable_date(moment: datetime | None) -> str:
    """Return the same for people: ``~2012``, as most languages mark what is approximate (CLDR)."""
    return ("~" if moment and is_approximate(moment) else "") + calendar_date(moment)


def readable(moment: datetime | None) -> str:
    """Return the author's day, and the minute where it is known, for people."""
    has_time = moment is not None and precision(moment) in CLOCK
    return format(moment, "%Y-%m-%d %H:%M") if has_time else readable_date(moment)


def read_written(text: str) -> datetime:
    """Inverse of ``written``. Raises ValueError, TypeError or OverflowError.

    Overflow: a moment before year 1 or after 9999 in UTC.
    """
    if partial := _PARTIAL.fullmatch(text):
        date, mark = partial.groups()
        start = datetime.fromisoformat(date + "0001-01-01"[len(date) :])
        exact = start.replace(tzinfo=_BY_LENGTH[len(date)])
        return approximately(exact) if mark else exact
    moment = datetime.fromisoformat(text)
    aware = moment.replace(tzinfo=LOCAL) if moment.tzinfo is None else moment
    aware.astimezone(UTC)
    return aware
