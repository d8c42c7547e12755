"""Dates of comments as pages print them, in the blog's language, with the order of day and month
told by evidence.

A comment list is a better witness than one date: every comment is younger than its post, most lists
are sorted, and one day above 12 settles the order for the blog. So parsing takes two steps:
``find_date`` reads what a string can mean, ``settle_order`` decides for all of them together.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from itertools import pairwise

from blogcrawl.dates.calendars import gregorian
from blogcrawl.dates.months import languages_of, month_names

MAX_DATE_CHARS = 160
"""A date and its words around it are short; longer strings are text that mentions a date."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a string says about a time: the two readings differ where day and month are both numbers
    below 13.
    """

    day_first: datetime | None
    month_first: datetime | None
    span: tuple[int, int]
    has_time: bool

    def pick(self, day_first: bool | None) -> datetime | None:
        """The reading of the given order; the only possible one where the other makes no date.
        None: month last (most of the world).
        """
        first, second = (
            (self.month_first, self.day_first)
            if day_first is False
            else (self.day_first, self.month_first)
        )
        return first or second

    @property
    def ambiguous(self) -> bool:
        return (
            self.day_first is not None
            and self.month_first is not None
            and self.day_first != self.month_first
        )


_SIGN = r"(?!\w)[\u064b-\u065f\u0900-\u109f\u1780-\u17d3]"
_LETTER = rf"(?:[^\W\d_]|{_SIGN})"
"""Names of months have signs in scripts of India and Indochina, and in Arabic, that are no letters.
Nothing matches both ways: else a long Thai or Hindi word would be tried in two to the power of its
length."""
_MONTH = rf"(?:[^\x00-\x7f\W]{{1,2}}(?:{_SIGN}){{0,9}}\.){{2}}|{_LETTER}{{2,40}}[.׳]?"
"""A word, or the initials that Thai and Lao write: "พ.ค."."""
_ISO = re.compile(
    (
        r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?:[T ]+(\d\d):(\d\d)(?::(\d\d))?(?:[.,]\d+)?\s*(Z|UTC|GMT|"
        r"[+-]\d\d:?\d\d)?)?"
    ),
    re.I,
)
_CJK = re.compile(r"(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일]?")
_NUMERIC = re.compile(
    r"(?<![\d.:/-])(\d{1,4})\s?([./-])\s?(\d{1,2})\s?\2\s?['’]?(\d{3,4}|\d{1,2}(?!\d|"
    r":\d\d))(?![\d/-])"
)
_COMMA_YEAR = re.compile(r"((?<![\d.])\d{1,2}\.\d{1,2}), (?=(?:19|20)\d\d(?!\d))")
"""``17.07, 2011``: a theme's own comma between day and year."""
_DMY = re.compile(
    r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|º|ª|°|\.|,)?(?:-a\b)?\s{0,20}(?:(?:de|of)\s{1,20}|"
    r"d['’])?[\s/-]{0,80}"
    rf"({_MONTH})(?:\s{{1,20}}de[l]?)?[\s,،/-]{{0,80}}'?(\d{{4}}|\d{{2}}(?!\s{{0,20}}:))?(?!\d)"
)
_MDY = re.compile(
    rf"({_MONTH})\s{{1,20}}(?:the\s{{1,20}})?(\d{{1,2}})(?:st|nd|rd|th)?(?:\s{{0,20}}[,،]\s{{0,"
    rf"20}}|\s{{1,20}})(?:at\s{{1,20}})?(\d{{4}})?(?![\d:])"
)
_YMD = re.compile(
    rf"(?<!\d)(\d{{4}})(?:\s?(?:m\.|gada|թ\.|ж\.|\(e\)ko|оны))?[\s.,/-]{{1,80}}({_MONTH})[\s.,"
    rf"/-]{{1,80}}(\d{{1,2}})(?!\d)"
)
_TIME = re.compile(
    r"(上午|下午|午前|午後|오전|오후|[AaPp]\.?[Mm]\.?)?\s{0,20}(?<![\d.:/-])(\d{1,"
    r"2})\s?(?:[:時时시点h]\s?(\d\d)(?:[:分분]\s?(\d\d))?|(?=\s?[ap]\.?m))\s{0,20}分?"
    r"\s{0,20}([ap]\.?\s?m\b\.?|UTC|GMT|[صم](?!\w)|صباح\w{0,40}|مساء)?(?!\d)",
    re.I,
)


_TWO_NUMBERS = re.compile(r"\d\D+\d")
"""What every date has; most of the texts that are asked about have less, and need no more than this
look.
"""


def find_date(text: str, language: str | None = None) -> Reading | None:
    """The first date in a short string; naive where no zone stands in it. None where there is none,
    or the string is long.
    """
    return _find_date(text, _own_languages(language))


@lru_cache(maxsize=4096)
def _find_date(text: str, languages: tuple[str, ...]) -> Reading | None:
    text = unicodedata.normalize("NFKC", text)[: MAX_DATE_CHARS * 2]
    plain = _COMMA_YEAR.sub(r"\1. ", gregorian(text))
    if _TWO_NUMBERS.search(plain) is None:
        return None
    for reader in (_read_iso, _read_cjk, _read_words, _read_numeric):
        found = reader(plain, languages)
        if found is not None:
            return (
                found
                if plain == text
                else replace(found, span=_span_before(found.span, text, plain))
            )
    return None


def find_stamp(text: str) -> Reading | None:
    """Seconds or milliseconds since 1970, as scripts write them into attributes."""
    if not re.fullmatch(r"1\d{9}(?:\d{3})?", text):
        return None
    moment = datetime.fromtimestamp(int(text[:10]), UTC)
    return Reading(moment, moment, (0, len(text)), True)


def _span_before(span: tuple[int, int], text: str, plain: str) -> tuple[int, int]:
    """Where in the text a span lies that was found after dates were rewritten in it."""
    same, ending = _alike(text, plain), _alike(text[::-1], plain[::-1])
    return min(span[0], same), max(span[1] + len(text) - len(plain), len(text) - ending)


def _alike(a: str, b: str) -> int:
    """Characters that two different texts begin with."""
    return next(
        (i for i, pair in enumerate(zip(a, b, strict=False)) if pair[0] != pair[1]),
        min(len(a), len(b)),
    )


def _read_iso(text: str, languages: tuple[str, ...]) -> Reading | None:
    found = _ISO.search(text)
    if not found:
        return None
    year, month, day, hour, minute, second, zone = found.groups()
    base = _make(int(year), int(month), int(day))
    if base is None:
        return None
    if hour is None:
        return _with_time(text, base, base, found.span())
    try:
        moment = base.replace(
            hour=int(hour), minute=int(minute), second=int(second or 0), tzinfo=_zone(zone)
        )
    except ValueError:
        return None
    return Reading(moment, moment, found.span(), True)


def _zone(text: str | None) -> timezone | None:
    if not text:
        return None
    if text.upper() in {"Z", "UTC", "GMT"}:
        return UTC
    sign = -1 if text[0] == "-" else 1
    digits = text[1:].replace(":", "")
    return timezone(sign * timedelta(hours=int(digits[:2]), minutes=int(digits[2:])))


def _read_cjk(text: str, languages: tuple[str, ...]) -> Reading | None:
    found = _CJK.search(text)
    base = _make(*(int(g) for g in found.groups())) if found else None
    return _with_time(text, base, base, found.span()) if found and base else None


def _read_numeric(text: str, languages: tuple[str, ...]) -> Reading | None:
    for found in _NUMERIC.finditer(text):
        a, _, b, c = found.groups()
        if len(a) == 4:
            base = _make(int(a), int(b), int(c))
            readings = (base, base)
        elif len(a) > 2 or len(c) not in (2, 4):
            continue
        else:
            year = _year(c)
            readings = (_make(year, int(b), int(a)), _make(year, int(a), int(b)))
            if readings == (None, None) and len(c) == 2:
                base = _make(_year(a), int(b), int(c))
                readings = (base, base)
        if readings != (None, None):
            return _with_time(text, readings[0], readings[1], found.span())
    return None


def _read_words(text: str, languages: tuple[str, ...]) -> Reading | None:
    found = [
        (order, match)
        for pattern, order in ((_YMD, "ymd"), (_DMY, "dmy"), (_MDY, "mdy"))
        for match in pattern.finditer(text)
    ]
    if not found:
        return None
    return _read_months(text, found, languages) or _read_months(
        text, found, (*languages_of(text), *WIDE_LANGUAGES)
    )


def _read_months(
    text: str, matches: Sequence[tuple[str, re.Match[str]]], languages: tuple[str, ...]
) -> Reading | None:
    for digits in (4, 2):  # "Reader 23 June 25, 2022": a whole year tells more than two digits
        for order, found in matches:
            parts = dict(zip(order, found.groups(), strict=True))
            if len(parts["y"] or "") != digits:
                continue
            month = _month(_fold(parts["m"]), languages)
            base = _make(_year(parts["y"]), month, int(parts["d"])) if month else None
            if base is not None:
                return _with_time(text, base, base, found.span())
    return None


@lru_cache(maxsize=4096)
def _month(word: str, languages: tuple[str, ...]) -> int | None:
    """Number of the month that a folded word names in the first language that knows it."""
    return next((table[word] for table in map(_months, languages) if word in table), None)


@lru_cache(maxsize=64)
def _months(language: str) -> dict[str, int]:
    """CLDR's names, folded, and their first three letters ("Sept.", "déc" and other shortenings
    that CLDR lacks).
    """
    names: dict[str, int] = {}
    for name, number in month_names("nb" if language == "no" else language).items():
        folded = _fold(name)
        if (len(folded) >= 3 or not folded.isascii()) and not folded.isdigit():
            names.setdefault(folded, number)
            if len(folded) >= 3:
                names.setdefault(folded[:3], number)
    return names


def _with_time(
    text: str, first: datetime | None, second: datetime | None, span: tuple[int, int]
) -> Reading:
    """Adds the clock time that stands next to the date, after it or before."""
    after, before = text[span[1] : span[1] + 40], text[max(0, span[0] - 30) : span[0]]
    for part, start in ((after, span[1]), (before, max(0, span[0] - 30))):
        found = _TIME.search(part)
        if found is None:
            continue
        hour, minute, second_of = (
            int(found.group(2)),
            int(found.group(3) or 0),
            int(found.group(4) or 0),
        )
        marks = _fold((found.group(1) or "") + (found.group(5) or ""))
        if hour > 23 or minute > 59 or second_of > 59:
            continue
        hour = _hour_of_day(hour, found.group(1) or "", marks)
        zone = UTC if marks.endswith(("utc", "gmt")) else None
        low, high = sorted((start + found.start(), start + found.end()))

        def stamp(
            day: datetime | None,
            clock: tuple[int, int, int] = (hour, minute, second_of),
            zone: timezone | None = zone,
        ) -> datetime | None:
            return day and day.replace(hour=clock[0], minute=clock[1], second=clock[2], tzinfo=zone)

        return Reading(stamp(first), stamp(second), (min(span[0], low), max(span[1], high)), True)
    return Reading(first, second, span, False)


def _hour_of_day(hour: int, prefix: str, marks: str) -> int:
    """The hour on the 24-hour clock. ``marks``: the words around it, folded; ``prefix``: the one
    before it as written (folding takes Hangul apart).
    """
    if hour < 12 and _is_marked(marks, prefix, ("p", "م"), ("下午", "午後"), "오후"):
        return hour + 12
    if hour == 12 and _is_marked(marks, prefix, ("a", "ص"), ("上午", "午前"), "오전"):
        return 0
    return hour


def _is_marked(
    marks: str, prefix: str, starts: tuple[str, ...], words: tuple[str, ...], korean: str
) -> bool:
    return marks.startswith(starts) or any(word in marks for word in words) or korean in prefix


def _make(year: int, month: int, day: int) -> datetime | None:
    if not 1990 <= year <= 2100:  # no blog is older than the web
        return None
    try:
        return datetime(year, month, day)
    except ValueError:
        return None


def _year(text: str) -> int:
    year = int(text)
    return year + 2000 if year < 70 else year + 1900 if year < 100 else year


def _fold(word: str) -> str:
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c)).rstrip(".׳")


WIDE_LANGUAGES = tuple(
    "en de fr es it pt nl sv nb da fi pl cs sk hu ro ru uk bg el tr ca hr sl lt lv et id vi".split()
)
"""Tried where the page's own language and English find no month: those with most of the web's pages
that write months as words.
"""


@lru_cache(maxsize=64)
def _own_languages(language: str | None) -> tuple[str, ...]:
    own = re.split(r"[-_]", language.lower())[0] if language else "en"
    return tuple(dict.fromkeys((own, "en")))


def settle_order(
    readings: Iterable[Reading | None],
    not_before: datetime | None = None,
    language: str | None = None,
) -> bool | None:
    """Is the day first in this list of dates? None where nothing tells.

    Evidence, strongest first: readings that make a date in one order only; comments older than
    their post (``not_before``); an order that leaves the list sorted; the page's region.
    """
    dates = [r for r in readings if r is not None]
    unsure = [r for r in dates if r.ambiguous]
    if not unsure:
        return _fewer(
            sum(r.month_first is not None and r.day_first is None for r in dates),
            sum(r.day_first is not None and r.month_first is None for r in dates),
        )
    order = _fewer(
        sum(r.day_first is None for r in dates), sum(r.month_first is None for r in dates)
    )
    if order is None and not_before is not None:
        order = _fewer(*(_too_early(unsure, first, not_before) for first in (True, False)))
    if order is None:
        order = _fewer(*(_turns([r.pick(first) for r in dates]) for first in (True, False)))
    if order is None and language and re.search(r"[-_](us|ph)$", language.lower()):
        return False
    if order is None and not_before is not None:
        # comments come soon: the order that keeps them near the post
        order = _fewer(*(_distance(unsure, first, not_before) for first in (True, False)))
    return order


def _fewer(day_first: float, month_first: float) -> bool | None:
    """Does less speak against the day first than against the month first? None where as much."""
    return None if day_first == month_first else day_first < month_first


def _too_early(readings: Sequence[Reading], day_first: bool, not_before: datetime) -> int:
    return sum(_before(r.pick(day_first), not_before) for r in readings)


def _distance(readings: Sequence[Reading], day_first: bool, post: datetime) -> float:
    """Seconds between the post and the readings, in all."""
    return sum(abs((_naive(r.pick(day_first)) - _naive(post)).total_seconds()) for r in readings)


def _naive(moment: datetime | None) -> datetime:
    assert moment is not None
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def _before(moment: datetime | None, limit: datetime) -> bool:
    return moment is not None and _naive(moment) < _naive(limit) - timedelta(
        days=1
    )  # a day: zones differ


def _turns(moments: Sequence[datetime | None]) -> int:
    """How often a list of times goes back."""
    times = [_naive(m) for m in moments if m is not None]
    steps = [b < a for a, b in pairwise(times)]
    return min(sum(steps), len(steps) - sum(steps))  # newest-first lists are sorted too


def to_utc(moment: datetime, utc_offset_minutes: int | None = None) -> datetime:
    """Aware UTC; a naive time is of the page's clock (``utc_offset_minutes`` east of UTC, 0 where
    unknown).
    """
    if moment.tzinfo is None:
        return (moment - timedelta(minutes=utc_offset_minutes or 0)).replace(tzinfo=UTC)
    return moment.astimezone(UTC)
