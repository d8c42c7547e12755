"""Dates that programs write: ISO 8601 and RFC 5322, in attributes of pages, feeds and sitemaps.

Servers really send missing zones, zone names beyond those of RFC 822, one-digit parts, and names of
months in other languages, which ``DateReader`` reads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta, timezone, tzinfo
from email.utils import parsedate_to_datetime

from blogcrawl.core.records import FeedEntry
from blogcrawl.dates.day_order import MAX_OFFSET
from blogcrawl.dates.edtf import DAY, LOCAL, MONTH, YEAR, Partial
from blogcrawl.dates.parse import (
    BLOGS_SINCE,
    EARLIEST,
    FORMS,
    LATEST,
    YEARLESS,
    DateMatch,
    DateReader,
    normalise,
    zone_of,
)
from blogcrawl.lexicon.vocabulary import entries

_ZONES = {
    name: int(minutes) for name, minutes in (zone.split(":") for zone in entries("dates", "zones"))
}
"""Minutes east of UTC by abbreviations of zones; ambiguous ones as most blogs use them."""

_ISO = re.compile(
    r"([0-9]{4})(?:[-/.]?([0-9]{1,2})(?:[-/.]?([0-9]{1,2}))?)?"
    r"(?:[T\s_]+([0-9]{1,2}):?([0-9]{2})(?::?([0-9]{2})(?:[.,][0-9]{1,9})?)?)?"
    r"\s*(Z|UTC|GMT|[+-][0-9]{1,2}[:.]?[0-9]{0,2}|[A-Z]{2,5})?",
    re.IGNORECASE,
)
_RFC_MONTH = re.compile(r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec", re.I)
_NO_YEAR = re.compile(r"(?<![-+:0-9])0[0-9]{3}(?![:0-9])")
"""A year before 1000 is that of a date which was never set (Go's zero time: 1 January 0001)."""
_NAMED_ZONE = re.compile(r"\s([A-Za-z]{1,5})\s*$")
_GMT_OFFSET = re.compile(r"\b(?:GMT|UTC)([+-][0-9]{1,2}):?([0-9]{2})?\b", re.IGNORECASE)
_NUMBERED_MONTH = re.compile(r"(?<![0-9])(1[0-2]|0?[1-9])\s?[月월](?=\s)")
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_QUARTER = timedelta(minutes=15)
_FURTHEST = timedelta(minutes=MAX_OFFSET)
_DAY_SECONDS = 86_400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EAST_ASIAN_YEAR = re.compile(r"[0-9]{4}\s*[年년]|^[0-9]{4}\. ")
_BARE_NUMBER = re.compile(r"[0-9][-/.][0-9]{1,2}\s+[0-9]{4,6}(?![0-9:])")
"""A number behind a day: a clock has colons there (ISO 8601), that is the year again, or hits."""
_HALF_DAY = re.compile(r"\d\s?[ap]\.?m\b", re.I)
_ENGLISH = DateReader(["en-us"])
_WORDED_FORMS = tuple(form for form in FORMS if "MMMM" in form and form not in YEARLESS)
MAX_LENGTH = 80
"""Characters beyond which a string is no date."""
MIN_DAY = 8
"""Characters of the shortest date with a day: shorter ones are months and years."""
SAME = 4
"""So many entries don't come in one second by chance."""


def machine_date(text: str | None) -> DateMatch | None:
    """Return the date that an attribute (``<time datetime>``, ``<meta content>``) writes; None
    where it writes none, or one before there were blogs.
    """
    plain = normalise((text or "").strip())
    if len(plain) < MIN_DAY or _BARE_NUMBER.search(plain):
        return None
    if _HALF_DAY.search(plain):
        found = _ENGLISH.read(plain)
        return found if found is not None and found.span == (0, len(plain)) else None
    moment = _moment(plain)
    if moment is None or not BLOGS_SINCE <= moment.year <= LATEST:
        return None
    has_time = len(plain) > len("2020-01-31")
    precision = ("zone" if moment.tzinfo else "minute") if has_time else "day"
    return DateMatch((0, len(plain)), moment, precision, None, "iso", plain)  # type: ignore[arg-type]


def unix_time(text: str) -> DateMatch | None:
    """Return the moment of seconds or milliseconds since 1970, as scripts write them into
    attributes.
    """
    if not re.fullmatch(r"1\d{9}(?:\d{3})?", text):
        return None
    moment = datetime.fromtimestamp(int(text[:10]), UTC)
    return DateMatch((0, len(text)), moment, "zone", None, "iso", text)


def _moment(text: str) -> datetime | None:
    """Return the moment of an ISO 8601 or RFC 5322 date, naive where it has no zone."""
    found = _ISO.fullmatch(text)
    if found is not None:
        return _in_real_zone(_iso(found))
    return _in_real_zone(_rfc5322(text)) if _RFC_MONTH.search(text) else None  # it costs most


def _in_real_zone(moment: datetime | None) -> datetime | None:
    """Return a moment without a zone that no clock has, such as +08:06: the mean time of a town
    before there were zones, which programs take for its zone by mistake. The time is the clock's.
    """
    offset = moment.utcoffset() if moment is not None else None
    return moment.replace(tzinfo=None) if moment and offset and offset % _QUARTER else moment


def _iso(found: re.Match[str]) -> datetime | None:
    if found[7] and not found[4] and found[7][1:].isalpha():
        return None  # "2026-03-01 CAR"
    numbers = [int(part or default) for part, default in zip(found.groups(), _LEAST, strict=False)]
    numbers[5] = min(numbers[5], 59)
    try:
        return datetime(*numbers[:6], tzinfo=_zone(found[7]))  # type: ignore[misc, arg-type]
    except ValueError:
        return None


_LEAST = (1, 1, 1, 0, 0, 0)


def _zone(name: str | None) -> timezone | None:
    if name and name[0] in "+-":
        return zone_of(name)
    minutes = _ZONES.get(name.upper()) if name else None
    return None if minutes is None else timezone(timedelta(minutes=minutes))


def _rfc5322(text: str) -> datetime | None:
    if _HALF_DAY.search(text) or _NO_YEAR.search(text):
        return None  # the module ``email`` passes over the one, and reads 2001 in the other
    text = _GMT_OFFSET.sub(lambda m: f"{m[1][0]}{m[1][1:].zfill(2)}{m[2] or '00'}", text)
    try:
        value = parsedate_to_datetime(text.replace(":60", ":59"))
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
    return value if value.tzinfo else _in_named_zone(value, text)


def _in_named_zone(value: datetime, text: str) -> datetime:
    """Return a naive moment in the zone that the text ends with; naive where there is none."""
    named = _NAMED_ZONE.search(text)
    return value.replace(tzinfo=_zone(named[1])) if named else value


def parse_date(
    raw: str | None,
    *,
    language: str | None = None,
    served_at: datetime | None = None,
) -> datetime | None:
    """Return a feed's date string with its zone, if it has one, None if it can't be true.

    ``served_at`` is the server's own ``Date``. Not believed: unset clocks (1970, years before 1500:
    the zero dates of .NET, Go and MySQL) and dates over a year after ``served_at``. Older dates
    than the web stay: diaries are back-dated.
    """
    text = " ".join((raw or "").split())
    if not text or len(text) > MAX_LENGTH:
        return None
    if not _EAST_ASIAN_YEAR.search(text):
        text = _NUMBERED_MONTH.sub(lambda m: _MONTHS[int(m[1]) - 1], text, count=1)
    value = _moment(text)
    if value is None and re.fullmatch(r"[0-9]{9,13}", text):  # Unix time
        value = datetime.fromtimestamp(int(text) / (1000 if len(text) > 10 else 1), UTC)
    if value is None:
        value = _in_words(text, language)
    if value is None:
        return None
    zone = value.tzinfo or _precision(value, text)
    return _credible(value.replace(tzinfo=zone), served_at)


def date_by_two_clocks(local: str | None, utc: str | None) -> datetime | None:
    """Return a date that a source writes on the blog's clock and in UTC, as WordPress and Tumblr
    do: on the blog's clock, whose offset is the difference of the two.
    """
    here, universal = parse_date(local), parse_date(utc)
    if universal is None:
        return here
    universal = universal.replace(tzinfo=UTC)
    offset = here.replace(tzinfo=UTC) - universal if here is not None else timedelta()
    is_zone = abs(offset) <= _FURTHEST and not offset % _QUARTER
    return universal.astimezone(timezone(offset)) if is_zone else universal


def _precision(value: datetime, text: str) -> tzinfo:
    """Return as zone of a date without one what of it is written."""
    found = _ISO.fullmatch(text)
    if found is not None and not found[4]:
        return DAY if found[3] else MONTH if found[2] else YEAR
    return DAY if value.time() == time() and ":" not in text else LOCAL


def _in_words(text: str, language: str | None) -> datetime | None:
    """Read a date with its month in words, or the year first: "02/03/2021" may be of February."""
    forms = (*_WORDED_FORMS, "y-M-d") if _EAST_ASIAN_YEAR.search(text) else _WORDED_FORMS
    found = DateReader([language], forms=forms, since=EARLIEST).read(text)
    if found is None:
        return None
    return found.moment if found.moment.tzinfo else _in_named_zone(found.moment, text)


def _credible(value: datetime, served_at: datetime | None) -> datetime | None:
    if not EARLIEST <= value.year <= LATEST:
        return None
    is_unset = abs((value - _EPOCH).days) <= 1
    is_future = served_at is not None and value - served_at > timedelta(days=366)
    return None if is_unset or is_future else value


def without_build_time(entries: Sequence[FeedEntry]) -> tuple[FeedEntry, ...]:
    """Return the entries without dates where several all have the very same one: that is when the
    feed was made.
    """
    moments = {entry.published for entry in entries}
    if len(entries) < SAME or len(moments) > 1:
        return tuple(entries)
    return tuple(replace(entry, published=None, published_raw=None) for entry in entries)


def without_pages(entries: Sequence[FeedEntry]) -> tuple[FeedEntry, ...]:
    """Return the entries without those whose date was never set, where at least as many have days:
    engines that put all pages in the feed (Hugo) give "About" and "Contact" the zero date.
    """
    dated = sum(entry.published is not None for entry in entries)
    kept = tuple(entry for entry in entries if not _is_unset(entry))
    return kept if len(entries) - len(kept) <= dated else tuple(entries)


def _is_unset(entry: FeedEntry) -> bool:
    return entry.published is None and bool(_NO_YEAR.search(entry.published_raw or ""))


def with_days(entries: Sequence[FeedEntry]) -> tuple[FeedEntry, ...]:
    """Return the entries with midnights in UTC where all of several have these: programs write days
    so, and some then in the zone of the site (``01:00:00 +0100``).
    """
    moments = [entry.published for entry in entries if entry.published is not None]
    if len(moments) < SAME or not all(map(_is_midnight, moments)):
        return tuple(entries)
    return tuple(
        replace(entry, published=entry.published.astimezone(UTC)) if entry.published else entry
        for entry in entries
    )


def _is_midnight(moment: datetime) -> bool:
    return not isinstance(moment.tzinfo, Partial) and moment.timestamp() % _DAY_SECONDS == 0
