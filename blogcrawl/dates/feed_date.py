"""Dates as feeds and sitemaps write them -> aware UTC datetimes.

Formats: RFC 822/2822 (RSS), RFC 3339 / ISO 8601 / W3C-DTF (Atom, JSON Feed, sitemaps), and what
servers really send: missing zones (read as UTC), zone names beyond those of RFC 822, one-digit
parts, month names in other languages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from email.utils import mktime_tz, parsedate_tz
from typing import Any

from blogcrawl.core.records import FeedEntry

ZONES = {
    "UTC": 0,
    "GMT": 0,
    "Z": 0,
    "WET": 0,
    "WEST": 60,
    "BST": 60,
    "IST": 330,
    "CET": 60,
    "CEST": 120,
    "MEZ": 60,
    "MESZ": 120,
    "MET": 60,
    "MEST": 120,
    "EET": 120,
    "EEST": 180,
    "MSK": 180,
    "MSD": 240,
    "TRT": 180,
    "JST": 540,
    "KST": 540,
    "HKT": 480,
    "SGT": 480,
    "AWST": 480,
    "ACST": 570,
    "AEST": 600,
    "AEDT": 660,
    "NZST": 720,
    "NZDT": 780,
    "AST": -240,
    "ADT": -180,
    "AKST": -540,
    "AKDT": -480,
    "HST": -600,
    "BRT": -180,
    "ART": -180,
    "EST": -300,
    "EDT": -240,
    "CST": -360,
    "CDT": -300,
    "MST": -420,
    "MDT": -360,
    "PST": -480,
    "PDT": -420,
}
"""Minutes east of UTC by zone name (IANA names' usual abbreviations; ambiguous ones in their
commonest blog use).
"""

_ISO = re.compile(
    r"^\s*([0-9]{4})(?:[-/.]?([0-9]{1,2})(?:[-/.]?([0-9]{1,2}))?)?"
    r"(?:[T\s_]+([0-9]{1,2}):?([0-9]{2})(?::?([0-9]{2})(?:[.,][0-9]{1,9})?)?)?"
    r"\s*(Z|UTC|GMT|[+-][0-9]{1,2}:?[0-9]{0,2}|[A-Z]{2,5})?\s*$",
    re.IGNORECASE,
)
_NAMED_ZONE = re.compile(r"\s([A-Za-z]{1,5})\s*$")
_GMT_OFFSET = re.compile(r"\b(?:GMT|UTC)([+-][0-9]{1,2}):?([0-9]{2})?\b", re.IGNORECASE)
SAME = 4
"""So many entries don't come in one second by chance."""
MAX_LENGTH = 80
"""Characters beyond which a string is no date."""


def _zone(name: str | None) -> timezone:
    if not name:
        return UTC
    if name[0] in "+-":
        digits = name[1:].replace(":", "")
        hours, minutes = (digits[:2], digits[2:]) if len(digits) > 2 else (digits, "0")
        total = int(hours) * 60 + int(minutes or 0)
        if total >= 24 * 60:
            return UTC
        return timezone(timedelta(minutes=-total if name[0] == "-" else total))
    return timezone(timedelta(minutes=ZONES.get(name.upper(), 0)))


def _iso(raw: str) -> datetime | None:
    found = _ISO.match(raw)
    if not found:
        return None
    year, month, day, hour, minute, second, zone = found.groups()
    try:
        value = datetime(
            int(year),
            int(month or 1),
            int(day or 1),
            int(hour or 0),
            int(minute or 0),
            min(int(second or 0), 59),
            tzinfo=_zone(zone),
        )  # fractions go: no page shows them
        return value.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _rfc822(raw: str) -> datetime | None:
    raw = _GMT_OFFSET.sub(lambda m: f"{m[1][0]}{m[1][1:].zfill(2)}{m[2] or '00'}", raw)
    try:
        parts = parsedate_tz(raw)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
    if parts is None:
        return None
    try:
        if parts[9] is None or parts[9] == 0:
            named = _NAMED_ZONE.search(raw)
            offset = ZONES.get(named.group(1).upper(), 0) * 60 if named else 0
            year, month, day, hour, minute, second = parts[:6]
            return datetime(
                year, month, day, hour, minute, min(second, 59), tzinfo=UTC
            ) - timedelta(seconds=offset)
        return datetime.fromtimestamp(mktime_tz(parts), UTC)
    except (ValueError, OverflowError, OSError):
        return None


_CJK = re.compile(
    r"([0-9]{4})\s*[年년]\s*([0-9]{1,2})\s*[月월]\s*([0-9]{1,2})\s*[日일]?\s*(?:\(.\)|[月火水木金土日]曜日|"
    r"星期.)?\s*"
)
_DOTTED = re.compile(r"^([0-9]{4})\.\s*([0-9]{1,2})\.\s*([0-9]{1,2})\.?(?=\s|$)\s*")
_NUMBERED_MONTH = re.compile(r"(?<![0-9])(1[0-2]|0?[1-9])\s?[月월](?=\s)")
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_WORDY = re.compile(r"(?=.*[0-9]{4})(?=.*\b[0-9]{1,2}\b)(?=.*[^\W\d_]{3})", re.DOTALL)
"""A year, a day, and a word that may be a month."""


def _other_languages(raw: str, language: str | None) -> datetime | None:
    """Month names in other languages, by dateparser (slow to import): absolute dates only, "3 days
    ago" is no feed's date.
    """
    if not _WORDY.match(raw):
        return None
    import dateparser

    settings: dict[str, Any] = {
        "TIMEZONE": "UTC",
        "TO_TIMEZONE": "UTC",
        "RETURN_AS_TIMEZONE_AWARE": True,
        "REQUIRE_PARTS": ["day", "month", "year"],
        "PARSERS": ["absolute-time"],
    }
    languages = [language.split("-")[0].lower()] if language else None
    for some in [languages, None] if languages else [None]:
        try:
            value: datetime | None = dateparser.parse(raw, languages=some, settings=settings)
        except (ValueError, OverflowError, TypeError, AttributeError, RecursionError):
            continue
        if value and 1 < value.year < 9999:  # beyond, a zone's hours have no date
            return value.astimezone(UTC)
    return None


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_date(
    raw: str | None,
    *,
    language: str | None = None,
    served_at: datetime | None = None,
    thorough: bool = True,
) -> datetime | None:
    """A feed's date string as aware UTC, None where it is none or can't be true. Not ``thorough``:
    without other languages (slow).

    ``served_at`` is the server's own ``Date``. Not believed: unset clocks (1970, years before 1500:
    the zero dates of .NET, Go and MySQL) and dates over a year after ``served_at``. Older dates
    than the web stay: diaries are back-dated.
    """
    if not raw:
        return None
    text = " ".join(raw.split())
    if not text or len(text) > MAX_LENGTH:
        return None
    text = _DOTTED.sub(r"\1-\2-\3 ", _CJK.sub(r"\1-\2-\3 ", text, count=1), count=1).strip()
    text = _NUMBERED_MONTH.sub(lambda m: _MONTHS[int(m[1]) - 1], text, count=1)
    value = _iso(text) or _rfc822(text)
    if value is None and thorough and not re.fullmatch(r"[0-9]{1,14}", text):
        value = _other_languages(text, language)
    if value is None and re.fullmatch(r"[0-9]{9,13}", text):  # Unix time in seconds or milliseconds
        value = datetime.fromtimestamp(int(text) / (1000 if len(text) > 10 else 1), UTC)
    return value if value is not None and _is_credible(value, served_at) else None


def _is_credible(value: datetime, served_at: datetime | None) -> bool:
    if not 1500 <= value.year <= 2200 or abs((value - _EPOCH).days) <= 1:
        return False
    return served_at is None or value - served_at <= timedelta(days=366)


def without_build_time(entries: Sequence[FeedEntry]) -> tuple[FeedEntry, ...]:
    """The entries without dates where several all have the very same one: that is when the feed was
    made.
    """
    moments = {entry.published for entry in entries}
    if len(entries) < SAME or len(moments) > 1:
        return tuple(entries)
    return tuple(replace(entry, published=None, published_raw=None) for entry in entries)
