"""Dates as people write them, in any language of the CLDR, in one reader for pages, feeds and
comments.

``DateReader.read`` finds a date in a short text: a name of a month with the day and the year around
it, or numbers in one of the usual orders, and the clock time and zone next to it. The form in which
a blog writes its dates has a name as in the CLDR (``d MMMM y``); with its language (``fr|d MMMM
y``) it is the pattern that a learned rule keeps.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import lru_cache
from typing import Literal

from blogcrawl.dates.edtf import DAY, LOCAL, MONTH, YEAR, Partial, approximately, beginning
from blogcrawl.dates.months import (
    COMMON,
    WORD,
    language_code,
    language_codes,
    languages_of,
    month_number,
)
from blogcrawl.lexicon.vocabulary import by_kind, word_set

Order = Literal["dmy", "mdy", "ymd"]
Precision = Literal["year", "month", "day", "minute", "zone"]
_PARTS: dict[str, Partial] = {"year": YEAR, "month": MONTH, "day": DAY}

FORMS = (
    *("y-M-d", "d MMMM y", "MMMM d y", "y MMMM d", "y d MMMM", "d.M.y", "M.d.y"),
    *("d MMMM yy", "MMMM d yy", "d.M.yy", "M.d.yy", "yy.M.d"),
    *("M月d日", "d MMMM", "MMMM d", "d.M", "M.d"),
)
"""In this order the first one that fits is read: the unmistakable ones first, those without a year
last."""
YEARLESS = frozenset(("M月d日", "d MMMM", "MMMM d", "d.M", "M.d"))
_RANK = {form: rank for rank, form in enumerate(FORMS)}
_GENERAL = frozenset(FORMS) - {"d.M", "M.d"}
"""What is read where no form is requested: "4/5" is a score or a fraction as often as a day."""
NAMED = frozenset(form for form in FORMS if "MMMM" in form)
_SWAPPED = {"d.M.y": "M.d.y", "d.M.yy": "M.d.yy", "d.M": "M.d"}
_SWAPPED |= {other: form for form, other in _SWAPPED.items()}

MAX_CHARS = 160
"""Characters of text in which a date is looked for: a date and the words around it are short."""
MAX_COMMENT_CHARS = 2 * MAX_CHARS
"""The same for comments: many themes print the date behind a short text."""
MAX_NUMBERS = 12
"""Numbers in a text from which it is a calendar or a list, not a date line."""
BLOGS_SINCE, EARLIEST, LATEST = 1990, 1500, 2200
"""Years from which on blogs were written, and those that are believed where a feed or a learned
rule gives them: diaries are back-dated. Within them arithmetic with zones can't overflow."""
MONTH_FIRST = frozenset(("en-us", "en-ph"))
"""Language tags whose readers write the month before the day (CLDR ``yMd``)."""
_YEAR_FIRST = frozenset(("ja", "zh", "ko"))
"""Languages whose dates of two-digit numbers begin with the year: 17.03.25 is of 2017."""


def is_utc(moment: datetime) -> bool:
    """Return whether a moment has a zone and that is UTC."""
    return moment.utcoffset() == timedelta()


def in_zone(moment: datetime, minutes: int | None) -> datetime:
    """Return what a clock shows that is so many minutes east of UTC, as a moment with that zone;
    None: it is not known how many.
    """
    if minutes is None:
        return moment.replace(tzinfo=LOCAL)
    naive, offset = moment.replace(tzinfo=None), timedelta(minutes=minutes)
    if abs(offset) < timedelta(days=1):
        return naive.replace(tzinfo=timezone(offset) if minutes else UTC)
    return (naive - offset).replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class DateMatch:
    """A date found in a text: where it stands, its moment (naive where no zone is written), how
    precise it is, and the moment with day and month swapped where both are possible.

    ``is_approximate``: its month or year follows from words ("10 years ago") that allow others.
    """

    span: tuple[int, int]
    moment: datetime
    precision: Precision
    swapped: datetime | None = None
    form: str = ""
    text: str = field(default="", compare=False)
    is_approximate: bool = False

    @property
    def has_time(self) -> bool:
        """Whether a time of day is written."""
        return self.precision in {"minute", "zone"}

    @property
    def ambiguous(self) -> bool:
        """Whether day and month can be swapped for another date."""
        return self.swapped is not None

    def pick(self, day_first: bool | None) -> datetime:
        """Return the moment in that order of day and month, or the only possible one."""
        if self.swapped is None or day_first is None:
            return self.moment
        return self.moment if self.form.startswith("d") is day_first else self.swapped

    def picked(self, day_first: bool | None) -> DateMatch:
        """Return the match as it reads in that order of day and month."""
        moment = self.pick(day_first)
        return self if moment is self.moment else replace(self, moment=moment)

    def possible(self, day_first: bool) -> bool:
        """Return whether the date can be read in that order; the seventh of July can in both."""
        is_same = self.swapped is not None or self.moment.day == self.moment.month
        return is_same or self.form.startswith("M.") is not day_first

    def aware(
        self, offset_minutes: int | None = None, of_days: int = 0, *, mislabelled: bool = False
    ) -> datetime:
        """Return the moment with its zone: the one written, else the blog's own, if it is known.

        A bare day stays that day but for ``of_days``, minutes from the posts' moments to the start
        of their days; a bare month or year stays that. ``mislabelled``: the pages write their own
        clock with the label of UTC.
        """
        if self.moment.tzinfo is not None and not (mislabelled and is_utc(self.moment)):
            return self.moment
        if not self.has_time and not (of_days and self.precision == "day"):
            known = beginning(self.moment, _PARTS[self.precision])
            return approximately(known) if self.is_approximate else known
        return in_zone(self.moment, offset_minutes if self.has_time else of_days)

    def days(self) -> set[date]:
        """Return the day as written, and in UTC where the zone is known."""
        out = {self.moment.date()}
        if self.moment.tzinfo is not None:
            out.add(self.moment.astimezone(UTC).date())
        return out


@dataclass(frozen=True, slots=True)
class Written:
    """Numbers in a text that make a date in one form."""

    form: str
    start: int
    end: int
    year: str | None
    month: int
    day: int

    def date(self, near: date | None) -> date | None:
        """Return the date, with the year of ``near`` where none is written, or None."""
        year = int(self.year) if self.year else near.year if near else 0
        if self.year and len(self.year) == 2:
            year += 1900 if year >= 70 else 2000
        try:
            return date(year, self.month, self.day) if EARLIEST <= year <= LATEST else None
        except ValueError:
            return None


_ORDINAL = r"(?:-?(?:st|nd|rd|th|er|re|ste|de|go|го|е|ти|a|e)(?![^\W\d_])|º|ª|°|\.|\(a\)|,)?"
_GAP = r"[\s,،./\-–·|]{0,80}"
_LINK = rf"{_GAP}(?:de\s|del\s|of\s|d[’']|ta[’']\s|'|’)?\s{{0,20}}"
_YEAR = r"(?:19|20)\d\d(?!\d)"
_SHORT_YEAR = r"\d\d(?!\d|\s{0,20}[:時时h]\s?\d|\s?[ap]\.?m\b)"
_OF_YEAR = r"\.?(?:\s?(?:m\.|gada|թ\.|ж\.|оны|\(e\)ko)|-ж\.)?"
_DAY_OF_WEEK = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?[.,]?"
_DAY_BEFORE = re.compile(rf"(?<!\d)(?P<d>[0-3]?\d){_ORDINAL}{_LINK}(?:-a\s)?$", re.I)
_YEAR_BEFORE = re.compile(rf"(?<!\d)(?P<y>{_YEAR}){_OF_YEAR}{_LINK}$", re.I)
_YEAR_DAY_BEFORE = re.compile(
    rf"(?<!\d)(?P<y>{_YEAR}){_OF_YEAR}[\s,]{{1,20}}(?P<d>[0-3]?\d){_ORDINAL}{_GAP}$", re.I
)
_YEAR_AFTER = re.compile(rf"[.׳]?{_LINK}(?:(?P<y>{_YEAR})|(?P<yy>{_SHORT_YEAR}))", re.I)
_DAY_AFTER = re.compile(
    rf"[.׳]?{_GAP}(?:the\s)?(?P<d>[0-3]?\d)(?![\d:]){_ORDINAL}"
    rf"(?:{_LINK}(?:at\s|{_DAY_OF_WEEK}\s)?(?P<y>{_YEAR})|[\s,]{{1,20}}['’]?(?P<yy>{_SHORT_YEAR}))?",
    re.I,
)
_WINDOW = 32
"""Characters before a month's name in which day and year stand."""
_NO_DASH = r"(?<![^א-ת]-)(?<!^-)"
"""Before a number that is part of no other text: in Hebrew a dash joins it to "on"."""
_NUMERIC = re.compile(
    rf"(?<![\d/=]){_NO_DASH}"
    r"(?<!\d[.:])(?P<a>\d{1,4})\s?(?P<s>[./-])\s?(?P<b>\d{1,2})"
    r"(?:\s?(?P=s)\s?['’]?|,\s(?=(?:19|20)\d\d(?!\d)))(?P<c>\d{4}|\d{1,2}(?!:\d))(?!\d|[/-]\d|/)"
)
_CJK = re.compile(
    r"(?<!\d)(?:(\d{4})\s*[年년]\s*)?(\d{1,2})\s*[月월]\s*(\d{1,2})(?!\d)\s*([日일号號]?)"
)
_TWO_NUMBERS = re.compile(rf"(?<![\d/=]){_NO_DASH}(?<!\d[.:])(\d{{1,2}})[-/.](\d{{1,2}})(?![\d:])")
_NUMBER = re.compile(r"\d+")
_ANY_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_OTHER_DIGIT = re.compile(r"[^\D0-9]")
_DIRECTIONS = re.compile(r"[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")
_OTHER_CALENDAR = re.compile(
    r"(?<!\d)(?:1[34]\d\d|25[3-9]\d|5[67]\d\d)(?!\d)|\bth(?:áng|g)\b|תש|[〇一二三四五六七八九元]年"
    r"|令和|平成|昭和|民[國国]|ค\.ศ\.|[\u0627\u0622-\u06cc]{3}",
    re.I,
)
"""What every text has that the calendars can rewrite."""
_CALENDAR_IN_ASCII = re.compile(
    r"(?<!\d)(?:1[34]\d\d|25[3-9]\d|5[67]\d\d)(?!\d)|\bthg\b", re.I | re.ASCII
)
"""The same in a text of ASCII characters."""


@lru_cache(maxsize=1024)
def normalise(text: str, max_chars: int = MAX_CHARS) -> str:
    """Return the start of a text in NFKC, with ASCII digits, the year of C's ``asctime`` next to
    the day, and dates of other calendars as Gregorian ones.
    """
    text = text[:max_chars]
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = _OTHER_DIGIT.sub(
            lambda match: str(unicodedata.digit(match[0])), _DIRECTIONS.sub("", text)
        )
    if ":" in text:
        text = _CTIME.sub(
            lambda found: f"{found[1]} {found[2]} {found[5]} {found[3]} {found[4] or ''}".rstrip(),
            text,
        )
    if (_CALENDAR_IN_ASCII if text.isascii() else _OTHER_CALENDAR).search(text):
        from blogcrawl.dates.calendars import gregorian

        text = gregorian(text)
    return text


_CTIME = re.compile(
    r"(?<!\w)([^\W\d_]{3,12}\.?)\s+(\d{1,2})\s+(\d\d:\d\d(?::\d\d)?)\s+(?:([A-Z]{2,"
    r"5})\s+)?((?:19|20)\d\d)(?![\d:])"
)
"""C's ``asctime`` and the command ``date`` put the year behind the clock: "Wed Dec 11 16:51:10 CET
2013"."""


class DateReader:
    """Read the dates of one blog or page.

    ``languages``: tags of the page's languages, the likeliest first. A whole date with a name of a
    month in another language is read too, unless ``strict``. ``order``: of numbers; by default of
    the first language. ``forms``: those that are read. ``since``: the first year that is believed.
    ``max_chars``: of a text that are looked at.
    """

    __slots__ = ("_by_rank", "forms", "languages", "max_chars", "since", "strict")

    def __init__(
        self,
        languages: Iterable[str | None] = (),
        order: Order | None = None,
        *,
        forms: Iterable[str] | None = None,
        strict: bool = False,
        since: int = BLOGS_SINCE,
        max_chars: int = MAX_CHARS,
    ) -> None:
        tags = [tag for tag in languages if tag]
        self.languages = language_codes(tags) or ("en",)
        self.forms = frozenset(forms) if forms else _GENERAL
        self.strict, self.since, self.max_chars = strict, since, max_chars
        self._by_rank = _ranks(order or _order_of(tags))

    def read(self, text: str, near: date | None = None) -> DateMatch | None:
        """Return the date that a short text writes in the least mistakable form; None if it has
        none. ``near`` (of the URL, a list, the feed) gives the year where none is written.
        """
        if text.isascii() and not _may_be_date(text[: self.max_chars], near):
            return None  # no calendar is written in ASCII without these numbers
        plain = normalise(text, self.max_chars)
        if not _may_be_date(plain, near):
            return None
        found = self._best(plain, self.languages, near)
        if found is None and not self.strict and _ANY_YEAR.search(plain):
            more = (*languages_of(plain), *COMMON)
            found = self._best(plain, more, None)
        return found and _in_original(found, text[: self.max_chars], plain)

    def _best(self, plain: str, languages: tuple[str, ...], near: date | None) -> DateMatch | None:
        known: dict[tuple[int, int, str], datetime] = {}
        best: Written | None = None
        for written in written_dates(plain, languages, self.forms):
            day = written.date(near)
            if day is None or day.year < self.since:
                continue
            known[written.start, written.end, written.form] = datetime(day.year, day.month, day.day)
            if best is None or self._by_rank[written.form] < self._by_rank[best.form]:
                best = written
        if best is None:
            return None
        moment = known[best.start, best.end, best.form]
        other = known.get((best.start, best.end, _SWAPPED.get(best.form, "")))
        return _with_clock(plain, best, moment, other if other != moment else None)


def written_dates(
    plain: str, languages: tuple[str, ...], forms: frozenset[str]
) -> Iterator[Written]:
    """Yield the dates in a normalised text that are written in some of the forms, those of each
    form from left to right. They may overlap, and need not exist.
    """
    if not forms.isdisjoint(NAMED):
        for start, end, month in _months_in(plain, languages):
            yield from (w for w in _around_month(plain, start, end, month) if w.form in forms)
    if not NAMED.issuperset(forms):
        yield from (
            w for w in numbers_in(plain, "d.M" in forms or "M.d" in forms) if w.form in forms
        )


def _months_in(plain: str, languages: tuple[str, ...]) -> Iterator[tuple[int, int, int]]:
    """Yield start, end and number of the months named in a text; names may be of two words."""
    before: re.Match[str] | None = None
    for word in WORD.finditer(plain):
        number = month_number(word[0], languages)
        if number is not None:
            yield word.start(), word.end(), number
        if before is not None and plain[before.end() : word.start()] == " ":
            number = month_number(f"{before[0]} {word[0]}", languages)
            if number is not None:
                yield before.start(), word.end(), number
        before = word


def _around_month(plain: str, start: int, end: int, month: int) -> Iterator[Written]:
    left = plain[max(0, start - _WINDOW) : start]
    has_year = _ANY_YEAR.search(left) is not None  # without one, two expressions need not be tried
    yield from _day_before_month(plain, left, start, end, month, has_year=has_year)
    day_after = _DAY_AFTER.match(plain, end)
    if day_after is not None:
        yield from _day_after_month(day_after, left, start, month, has_year=has_year)


def _day_before_month(
    plain: str, left: str, start: int, end: int, month: int, *, has_year: bool
) -> Iterator[Written]:
    skipped, year_after = start - len(left), _YEAR_AFTER.match(plain, end)
    if has_year and (found := _YEAR_DAY_BEFORE.search(left)) is not None:
        yield Written("y d MMMM", skipped + found.start(), end, found["y"], month, int(found["d"]))
    if (found := _DAY_BEFORE.search(left)) is not None:
        begun, day = skipped + found.start(), int(found["d"])
        yield Written("d MMMM", begun, end, None, month, day)
        if year_after is not None:
            form = "d MMMM y" if year_after["y"] else "d MMMM yy"
            year = year_after["y"] or year_after["yy"]
            yield Written(form, begun, year_after.end(), year, month, day)


def _day_after_month(
    day_after: re.Match[str], left: str, start: int, month: int, *, has_year: bool
) -> Iterator[Written]:
    skipped = start - len(left)
    day, ending = int(day_after["d"]), day_after.end("d")
    yield Written("MMMM d", start, ending, None, month, day)
    if has_year and (found := _YEAR_BEFORE.search(left)) is not None:
        yield Written("y MMMM d", skipped + found.start(), ending, found["y"], month, day)
    if day_after["y"] or day_after["yy"]:
        form = "MMMM d y" if day_after["y"] else "MMMM d yy"
        year = day_after["y"] or day_after["yy"]
        yield Written(form, start, day_after.end(), year, month, day)


def numbers_in(plain: str, pairs: bool) -> Iterator[Written]:
    """Yield dates in numbers; ``pairs``: those of two numbers as well."""
    for found in _NUMERIC.finditer(plain):
        yield from _three_numbers(found)
    for found in _CJK.finditer(plain):
        year, month, day = found[1], int(found[2]), int(found[3])
        if year:
            yield Written("y-M-d", found.start(), found.end(), year, month, day)
        if found[4]:
            yield Written("M月d日", found.start(), found.end(), None, month, day)
    for found in _TWO_NUMBERS.finditer(plain) if pairs else ():
        a, b = int(found[1]), int(found[2])
        yield Written("d.M", found.start(), found.end(), None, b, a)
        yield Written("M.d", found.start(), found.end(), None, a, b)


def _three_numbers(found: re.Match[str]) -> Iterator[Written]:
    a, b, c = found["a"], found["b"], found["c"]
    start, end = found.span()
    if len(a) == 4 and len(c) <= 2:
        yield Written("y-M-d", start, end, a, int(b), int(c))
    elif len(a) <= 2 and len(c) in (2, 4):
        y = "y" if len(c) == 4 else "yy"
        yield Written(f"d.M.{y}", start, end, c, int(b), int(a))
        yield Written(f"M.d.{y}", start, end, c, int(a), int(b))
    if len(a) == len(c) == 2:
        yield Written("yy.M.d", start, end, a, int(b), int(c))


def _order_of(tags: Sequence[str]) -> Order:
    if tags and tags[0].casefold().replace("_", "-") in MONTH_FIRST:
        return "mdy"
    return "ymd" if tags and language_code(tags[0]) in _YEAR_FIRST else "dmy"


@lru_cache(maxsize=4)
def _ranks(order: Order) -> dict[str, int]:
    """Return the order in which forms are preferred."""
    rank = dict(_RANK)
    if order == "mdy":
        rank |= {form: _RANK[other] for form, other in _SWAPPED.items()}
    elif order == "ymd":
        rank["yy.M.d"] = rank["y d MMMM"]
    return rank


def _may_be_date(plain: str, near: date | None) -> bool:
    """Return whether a text has the numbers of a date: most that are asked about have not."""
    number = _NUMBER.search(plain)
    return number is not None and (
        near is not None or _NUMBER.search(plain, number.end()) is not None
    )


_CLOCK = re.compile(
    r"(?:(?P<before>上午|下午|午前|午後|晚上|오전|오후|[ap]\.?m\.?)\s{0,20})?"
    rf"(?<![\d.:/]){_NO_DASH}(?P<h>\d{{1,2}})"
    r"(?:\s?[:時时시点h]\s?(?P<m>\d\d)(?:\s?[:分분]\s?(?P<s>\d\d))?|(?=\s?[ap]\.?m\b))(?!\d)"
    r"\s{0,20}[分분]?\s{0,20}"
    r"(?P<after>[ap]\.?\s?m\b\.?|[πμ]\.?\s?μ\b\.?|[بق]\.?\s?ظ|[صم](?!\w)|صباح\w{0,40}|مساء)?",
    re.I,
)
_ZONE = re.compile(
    r"\s{0,20}(?:(?:UTC|GMT)?\s?(?P<offset>[+-]\d\d:?\d\d)(?!\d)|(?:UTC|GMT|Z)\b)", re.I
)
_AFTER_NOON = re.compile(r"[pμم]|下午|午後|晚上|오후|ب", re.I)
_BEFORE_NOON = re.compile(r"[aπصق]|上午|午前|오전", re.I)
_CLOCK_AFTER, _CLOCK_BEFORE = 40, 30
"""Characters behind and before a date among which its clock time stands."""


def _with_clock(
    plain: str, written: Written, moment: datetime, other: datetime | None
) -> DateMatch:
    """Add the clock time that stands next to the date, behind it or before."""
    start, end = written.start, written.end
    low = max(0, start - _CLOCK_BEFORE)
    for begin, stop in ((_iso_time(plain, end), end + _CLOCK_AFTER), (low, start)):
        for clock in _CLOCK.finditer(plain, begin, stop):
            read = _time_of(clock)
            if read is None:
                continue
            zone = _ZONE.match(plain, clock.end())
            ending = zone.end() if zone else clock.end()
            parts = {"hour": read[0], "minute": read[1], "second": read[2]}
            tz = zone_of(zone["offset"] or "Z") if zone else None
            return DateMatch(
                (min(start, clock.start()), max(end, ending)),
                moment.replace(**parts, tzinfo=tz),
                "zone" if zone else "minute",
                other and other.replace(**parts, tzinfo=tz),
                written.form,
            )
    return DateMatch((start, end), moment, "day", other, written.form)


def find_time(text: str) -> time | None:
    """Return the first clock time in a short text; None if there is none."""
    clock = _CLOCK.search(text[:MAX_CHARS])
    found = _time_of(clock) if clock else None
    return time(*found) if found else None


def clock_times(text: str) -> set[time]:
    """Return the clock times in a short text."""
    found = map(_time_of, _CLOCK.finditer(text[:MAX_CHARS]))
    return {time(*parts) for parts in found if parts}


def _iso_time(plain: str, end: int) -> int:
    """Return where the time of an ISO 8601 date begins."""
    return end + 1 if plain[end : end + 1] in ("T", "t") else end


def _time_of(clock: re.Match[str]) -> tuple[int, int, int] | None:
    hour, minute, second = (int(clock[name] or 0) for name in ("h", "m", "s"))
    if hour > 23 or minute > 59 or second > 59:
        return None
    return _of_24_hours(hour, clock["before"] or clock["after"] or ""), minute, second


def _of_24_hours(hour: int, half: str) -> int:
    if hour < 12 and _AFTER_NOON.match(half):
        return hour + 12
    return 0 if hour == 12 and _BEFORE_NOON.match(half) else hour


def zone_of(offset: str) -> timezone:
    """Return the zone of ``Z``, ``+02:00`` or ``-0500``; UTC where it can't be one."""
    if offset[0] not in "+-":
        return UTC
    digits = re.sub(r"\D", "", offset)
    hours, minutes = (digits[:2], digits[2:]) if len(digits) > 2 else (digits, "0")
    delta = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    if delta >= timedelta(hours=15):
        return UTC
    return timezone(-delta if offset[0] == "-" else delta)


def _in_original(found: DateMatch, text: str, plain: str) -> DateMatch:
    """Return a match in the text as it was before characters and dates were rewritten in it."""
    start, end = found.span
    if plain != text:
        wide = unicodedata.normalize("NFKC", text)
        if plain != wide:
            same, ending = _alike(wide, plain), _alike(wide[::-1], plain[::-1])
            start = min(start, same)
            end = max(end + len(wide) - len(plain), len(wide) - ending)
        if len(wide) != len(text):
            start, end = (_before_nfkc(text, place) for place in (start, end))
    return replace(found, span=(start, end), text=text.strip())


def _before_nfkc(text: str, place: int) -> int:
    """Return where a place in the NFKC form of a text is in the text itself."""
    return bisect_left(
        range(len(text)), place, key=lambda i: len(unicodedata.normalize("NFKC", text[:i]))
    )


def _alike(a: str, b: str) -> int:
    """Return characters that two different texts begin with."""
    return next(
        (i for i, pair in enumerate(zip(a, b, strict=False)) if pair[0] != pair[1]),
        min(len(a), len(b)),
    )


@lru_cache(maxsize=4096)
def find_date(text: str, language: str | None = None) -> DateMatch | None:
    """Return the date in a short text of a page in that language, as ``DateReader.read`` does."""
    return _reader((language, "en") if language else ("en",)).read(text)


@lru_cache(maxsize=256)
def _reader(languages: tuple[str, ...]) -> DateReader:
    return DateReader(languages, max_chars=MAX_COMMENT_CHARS)


LONGEST_MOMENT = 60
_MARKS = " .,:;|-–—·•[]()"
"""What may stand around a date or time that is alone in its element."""
_TIME = re.compile(r"\d{1,2}\s?[:h.]\s?\d{2}(?:[:.]\d{2})?(?:\s?[ap]\.?m\.?)?", re.I)


_WEEKDAYS = word_set("dates", "weekdays")
_NAMES_OF_DAY = tuple(
    frozenset(names[day] for names in by_kind("dates", "weekdays").values() if len(names) == 7)
    for day in range(7)
)
"""The names of Sunday, of Monday, …, in the languages that have one for each."""
CUT = 2
"""Letters of the shortest abbreviation of a weekday ("Mo")."""
_LONGEST_FIRST = sorted(_WEEKDAYS, key=len, reverse=True)


def is_time(text: str) -> bool:
    """Return whether a short text is a time of day and nothing else ("7:40 PM")."""
    return _TIME.fullmatch(text.strip(_MARKS)) is not None


def is_moment(text: str, language: str | None = None) -> bool:
    """Return whether a short text is a date or a time of day and nothing else, as stand above the
    posts of a day."""
    bare = text.strip(_MARKS)
    if not bare or len(bare) > LONGEST_MOMENT or not any(map(str.isdigit, bare)):
        return False
    return _is_moment(bare, language)


def with_weekday(text: str, found: DateMatch) -> DateMatch:
    """Return the date found in a text together with its day of the week where that stands right
    before it: whole, or cut short ("Sun 05 Apr 2015") if it is the date's own. "Sam" may be a name.
    """
    before = text[: found.span[0]].rstrip(" ,.(")
    end = before[-len(_LONGEST_FIRST[0]) - 1 :].casefold()
    day = _weekday_at(end) or _cut_weekday_at(end, found)
    return replace(found, span=(len(before) - len(day), found.span[1])) if day else found


def _weekday_at(end: str) -> str:
    """Return the weekday with which a text ends; "" where it ends with another word."""
    whole = next(filter(end.endswith, _LONGEST_FIRST), "")
    return "" if end.removesuffix(whole)[-1:].isalpha() else whole


_LAST_WORD = re.compile(r"(?<![\w-])[^\W\d_]\w{1,40}\Z")


def _cut_weekday_at(end: str, found: DateMatch) -> str:
    """Return the last word of a text where the day of the week of a date begins with it."""
    word = _LAST_WORD.search(end)
    swapped = {found.swapped.date()} if found.swapped else set()
    days = {day.isoweekday() % 7 for day in found.days() | swapped}
    is_its_day = word and any(n.startswith(word[0]) for day in days for n in _NAMES_OF_DAY[day])
    return word[0] if word and is_its_day else ""


def is_date(text: str, language: str | None = None) -> bool:
    """Return whether a short text is a date, perhaps with its day of the week, and nothing else."""
    return is_moment(text, language) and find_date(text, language) is not None


@lru_cache(maxsize=1024)
def _is_moment(bare: str, language: str | None) -> bool:
    """Return the same of a text without marks around it; elements in one another have one text."""
    if is_time(bare):
        return True
    when = find_date(bare, language)
    if when is None:
        return False
    first, last = when.span
    return _is_weekday(f"{bare[:first]}{bare[last:]}".strip(f"{_MARKS},.()（）"))


def _is_weekday(text: str) -> bool:
    """Return whether nothing is left of a moment but the day of the week, whole or cut short."""
    short = text.casefold()
    is_long = len(short) >= CUT or short > "\u3000"  # one Han or Hangul letter is a word
    return not short or (is_long and any(day.startswith(short) for day in _WEEKDAYS))
