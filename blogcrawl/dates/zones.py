"""The zone of a clock that writes none, by what it showed at moments that are known.

Two times of a summer do not say what the clock shows in winter: every zone that fits what is known
stays possible, and the clock's offset is known where all of them have the same.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from datetime import datetime, tzinfo
from functools import cache, lru_cache
from importlib import resources
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from blogcrawl.dates.parse import zone_of

Reading = tuple[datetime, int]
"""What a clock shows, without a zone, and how many minutes it is ahead of UTC then."""


def zones_of(readings: Iterable[Reading]) -> tuple[str, ...]:
    """Return the zones that have shown the most of ``readings``; none if that is less than half:
    bare days make other times. Offsets that never change are zones too (``+02:00``).
    """
    known = list(readings)
    fixed = tuple(dict.fromkeys(fixed_zone(offset) for _, offset in known))
    groups = (_named()["main"] + fixed, _named()["other"]) if _named() else ()
    most, best = 0, fixed[:0]
    for group in groups:
        right = {zone: sum(_shows(zone, reading) for reading in known) for zone in group}
        if max(right.values(), default=0) > most:
            most = max(right.values())
            best = tuple(zone for zone in group if right[zone] == most)
    return best if 2 * most >= len(known) else ()


def offset_at(zones: Sequence[str], moment: datetime) -> int | None:
    """Return the minutes east of UTC that all ``zones`` have at a moment, or at a time on their
    clocks if it has no zone; None where they differ, and without any.
    """
    offsets = {offset for zone in zones for offset in _offsets(_zone(zone), moment)}
    return offsets.pop() if len(offsets) == 1 else None


def is_elsewhere(zones: Sequence[str]) -> bool:
    """Return whether the clock is known not to show UTC at all times."""
    return bool(zones) and fixed_zone(0) not in zones


def _offsets(zone: tzinfo, moment: datetime) -> Iterable[int]:
    if moment.tzinfo is not None:
        return (_minutes(moment.astimezone(zone)),)
    # the hour that is there twice when summer ends has two
    return (_minutes(moment.replace(tzinfo=zone, fold=fold)) for fold in (0, 1))


def _minutes(moment: datetime) -> int:
    offset = moment.utcoffset()
    return round(offset.total_seconds() / 60) if offset is not None else 0


def _shows(zone: str, reading: Reading) -> bool:
    moment, offset = reading
    return offset in _offsets(_zone(zone), moment)


def fixed_zone(offset: int) -> str:
    """Return the name of the zone that is always so many minutes ahead of UTC: ``+02:00``."""
    hours, minutes = divmod(abs(offset), 60)
    return f"{'-' if offset < 0 else '+'}{hours:02d}:{minutes:02d}"


@lru_cache(maxsize=256)
def _zone(name: str) -> tzinfo:
    return zone_of(name) if name[0] in "+-" else ZoneInfo(name)


@cache
def _named() -> dict[str, tuple[str, ...]]:
    """Return the zones of the table; none where the machine lacks the data of one, for what it
    shows is possible all the same.
    """
    text = resources.files("blogcrawl.dates").joinpath("zones.toml").read_text("utf-8")
    names = {group: tuple(zones.split()) for group, zones in tomllib.loads(text).items()}
    try:
        for name in (name for group in names.values() for name in group):
            _zone(name)
    except ZoneInfoNotFoundError:
        return {}
    return names
