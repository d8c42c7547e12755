"""Patterns of dates: language and form (``fr|d MMMM y``) in which a blog writes its dates at one
place, learned from samples and kept with the rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from functools import lru_cache

from blogcrawl.dates.machine_date import machine_date
from blogcrawl.dates.months import language_codes
from blogcrawl.dates.parse import (
    EARLIEST,
    FORMS,
    MAX_NUMBERS,
    NAMED,
    YEARLESS,
    DateMatch,
    DateReader,
    Written,
    normalise,
    numbers_in,
    written_dates,
)
from blogcrawl.dates.relative import find_relative

ISO, RELATIVE = "iso", "relative"
"""Forms of machine dates and of times ago."""
_NUMBER = re.compile(r"\d+")


def read_pattern(
    pattern: str, text: str, near: date | None = None, now: datetime | None = None
) -> DateMatch | None:
    """Return the first date in a text that follows a pattern. ``near`` gives the year where the
    form has none, ``now`` (the page's fetch) what times ago count from.
    """
    language, form = pattern.split("|", 1)
    if form == ISO:
        return machine_date(text)
    if form == RELATIVE:
        return find_relative(text, now, language) if now is not None else None
    return _reader(language, form).read(text, near)


@lru_cache(maxsize=512)
def _reader(language: str, form: str) -> DateReader:
    return DateReader((language, "en"), forms=(form,), strict=True, since=EARLIEST)


def is_yearless(pattern: str) -> bool:
    """Return whether a date that follows the pattern needs its year from elsewhere."""
    return pattern.split("|", 1)[1] in YEARLESS


def trust(pattern: str) -> tuple[int, str]:
    """Return a key that sorts patterns with the least mistakable form first."""
    form = pattern.split("|", 1)[1]
    return (FORMS.index(form) if form in FORMS else -1, pattern)


def patterns_for(text: str, days: set[date], languages: Iterable[str]) -> Iterator[str]:
    """Yield the patterns that read one of ``days`` out of a text, by language, the least mistakable
    first (the reverse of rendering the feed's date, as the BlogForever papers do).
    """
    plain = normalise(text)
    numbers = _NUMBER.findall(plain)
    if not 0 < len(numbers) <= MAX_NUMBERS or {int(number) for number in numbers}.isdisjoint(
        day.day for day in days
    ):
        return
    numeric = list(numbers_in(plain, pairs=True))
    for language in languages:
        named = written_dates(plain, language_codes((language, "en")), NAMED)
        written = [*named, *(numeric if language == "en" else ())]
        yield from (f"{language}|{form}" for form in _forms_of(written, days))


def _forms_of(written: Iterable[Written], days: set[date]) -> list[str]:
    """Return the forms whose first date in the text is one of the days."""
    right: dict[str, bool] = {}
    for one in written:
        found = [(one.date(near), near) for near in days]
        if any(read for read, _ in found):
            right.setdefault(one.form, any(read == near for read, near in found))
    return sorted((form for form, is_right in right.items() if is_right), key=FORMS.index)
