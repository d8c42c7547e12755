"""Times ago ("3 days ago", "vor 2 Wochen", "3年前") in every language of the CLDR."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from functools import cache, lru_cache

from blogcrawl.dates.months import COMMON, WORD, cldr, language_code, language_codes
from blogcrawl.dates.parse import (
    MAX_COMMENT_CHARS,
    YEARLESS,
    DateMatch,
    DateReader,
    Precision,
    find_date,
    normalise,
)

_DAYS = {
    "year": 365.25,
    "month": 30.44,
    "week": 7.0,
    "day": 1.0,
    "hour": 1 / 24,
    "minute": 1 / 1440,
    "second": 1 / 86400,
}
_ONE = r"an?|one|eine[mr]?|une?|uno?|um[ao]?|een|en|ett"
"""Articles and numerals that stand for 1 where the CLDR only has the number."""
_NUMBER = rf"(?P<number>\d{{1,3}}|{_ONE})"
_FIRST_UNIT = r"(?:(?P<more>\d{1,3})\s(?P<of>[^\W\d_]{1,12}),?\s(?:[^\W\d_]{1,4}\s)?)?"
"""``2 years, 3 months ago``"""
_PRECISION: dict[str, Precision] = {"year": "year", "month": "month", "week": "month"}
"""Units of which a time ago leaves the day open."""
_LATER = 0.25
"""Share of a unit by which a month or year is longer ago than it says: most programs cut what is
left of the unit (half of it on average), some round.
"""
_STEM = 3
"""Letters by which units are compared: a language may inflect them after its word for "ago"."""
MAX_DAYS = 200_000
"""Days back to the earliest year that is believed."""


@lru_cache(maxsize=64)
def _forms(language: str) -> tuple[tuple[str, str, str], ...]:
    """Return by pattern of a language a word that it has, its expression, and its unit.

    The expressions are compiled where one is used: those of all languages take 0.4 s.
    """
    out = []
    for unit, forms in cldr().get(language, {}).get("ago", {}).items():
        for form in (form for form in forms if "{0}" in form):
            head, _, tail = form.partition("{0}")
            blank = r"\s?" if tail.startswith(" ") else ""  # "3 日前" and "3日前"
            expression = (
                rf"(?<!\w){re.escape(head)}{_FIRST_UNIT}{_NUMBER}{blank}{re.escape(tail.lstrip())}"
                r"(?!\w)"
            )
            out.append((max(WORD.findall(head + " " + tail), key=len), expression, unit))
    return tuple(out)


_compiled = cache(re.compile)


@lru_cache(maxsize=64)
def relative_words(language: str) -> frozenset[str]:
    """Return the words of which a time ago in a language has one."""
    return frozenset(word for word, _, _ in _forms(language_code(language)))


@lru_cache(maxsize=64)
def _all_words(languages: tuple[str | None, ...]) -> frozenset[str]:
    return frozenset().union(*map(relative_words, language_codes(languages)))


def _find(text: str, languages: tuple[str | None, ...]) -> tuple[re.Match[str], float, str] | None:
    """Return where a text names a time ago, its days, and the last unit of it."""
    plain = normalise(text).lower()
    words = set(WORD.findall(plain))
    if words.isdisjoint(_all_words(languages)):
        return None
    for language in language_codes(languages):
        if words.isdisjoint(relative_words(language)):
            continue
        for word, expression, unit in _forms(language):
            found = _compiled(expression).search(plain) if word in words else None
            if found is not None:
                days = _days(found["number"], unit) + _days_before(found, language)
                if days <= MAX_DAYS:
                    return found, days, unit
    return None


def _days(number: str, unit: str) -> float:
    return _DAYS[unit] * (int(number) if number.isdecimal() else 1)


def _days_before(found: re.Match[str], language: str) -> float:
    """Return the days of the larger unit before the last: those of "2 years, " in "2 years, 3
    months ago".
    """
    if found["more"] is None:
        return 0.0
    stem = found["of"][:_STEM]
    unit = next(
        (
            unit
            for _, expression, unit in _forms(language)
            if re.search(rf"(?<!\w){re.escape(stem)}", expression)
        ),
        None,
    )
    return _days(found["more"], unit) if unit is not None else 0.0


def find_relative(text: str, now: datetime, language: str | None = None) -> DateMatch | None:
    """Return the day that a text names as a time before ``now``, or the approximate month or year;
    None if it names none.
    """
    found = _find(text, (language or "en", "en"))
    if found is None:
        return None
    days, unit = found[1], found[2]
    days += _LATER * _DAYS[unit] if unit in {"year", "month"} else 0.0
    moment = (now - timedelta(days=days)).replace(
        hour=0, minute=0, second=0, microsecond=0, tzinfo=None
    )
    known = _PRECISION.get(unit, "day")
    form, is_approximate = "relative", known != "day"
    return DateMatch(found[0].span(), moment, known, None, form, text.strip(), is_approximate)


@lru_cache(maxsize=4096)
def is_relative(text: str) -> bool:
    """Return whether a text is a time ago in a common language, and nothing else."""
    found = _find(text, COMMON)
    return found is not None and found[0].end() - found[0].start() == len(normalise(text))


@lru_cache(maxsize=4096)
def mentions_date(text: str, language: str | None = None) -> bool:
    """Return whether a short text has a date, one without its year before a clock time, or a time
    ago.
    """
    if find_date(text, language) is not None:
        return True
    found = find_yearless(text, language, date(2000, 1, 1))
    if found is not None and found.has_time:
        return True
    return _find(text, (language, *COMMON)) is not None


def find_yearless(text: str, language: str | None, near: date) -> DateMatch | None:
    """Return the date that a text writes without a year, in the year of ``near``."""
    return _yearless_reader(language).read(text, near)


@lru_cache(maxsize=64)
def _yearless_reader(language: str | None) -> DateReader:
    return DateReader((language, "en"), forms=YEARLESS, strict=True, max_chars=MAX_COMMENT_CHARS)
