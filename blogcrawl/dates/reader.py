"""Dates as blogs write them: in any language CLDR knows, with or without year, clock and zone.

A pattern is ``language|form`` (``fr|d MMMM y``); the one that won on the samples is remembered with
its rule, so that a later page costs one regular expression. Month names come from CLDR (via babel,
loaded only when a blog is not English).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from functools import lru_cache

from blogcrawl.dates.calendars import gregorian
from blogcrawl.dates.months import LETTERS, language_code, month_names, month_words
from blogcrawl.text.similarity import tokens
from blogcrawl.text.visible import natural

_ORDINAL = r"(?:st|nd|rd|th|er|re|º|ª|°|\.|-a|\(a\))?"
_GAP = r"[\s,،./\-–·|]*"
_OF_YEAR = r"(?:\s?(?:m\.|gada|թ\.|ж\.|оны|\(e\)ko)|-ж\.)?"
_LINK = rf"{_GAP}(?:de\s|del\s|of\s|d[’']|'|’)?\s*"
_YEAR = r"(?P<y>(?:19|20)\d\d)(?!\d)"
_SHORT = r"(?P<y>\d\d)(?!\d)"
_DAY = r"(?<!\d)(?P<d>[0-3]?\d)(?!\d)"
_MONTH = r"(?P<m>[01]?\d)(?!\d)"
_NUMERIC = {
    "y-M-d": rf"(?<!\d)(?P<y>(?:19|20)\d\d)\s*[-/.年년]\s*{_MONTH}"
    r"\s*[-/.月월]\s*(?P<d>[0-3]?\d)(?!\d)",
    "d.M.y": rf"{_DAY}\s?[-/.]\s?{_MONTH}\s?[-/.]\s?{_YEAR}",
    "M.d.y": rf"(?<!\d){_MONTH}\s?[-/.]\s?(?P<d>[0-3]?\d)(?!\d)\s?[-/.]\s?{_YEAR}",
    "d.M.yy": rf"{_DAY}[-/.]{_MONTH}[-/.]{_SHORT}",
    "M.d.yy": rf"(?<!\d){_MONTH}[-/.](?P<d>[0-3]?\d)(?!\d)[-/.]{_SHORT}",
    "yy.M.d": rf"(?<!\d)(?P<y>\d\d)[-/.]{_MONTH}[-/.](?P<d>[0-3]?\d)(?!\d)",
    "M月d日": rf"(?<!\d){_MONTH}\s*[月월]\s*(?P<d>[0-3]?\d)\s*[日일]",
    "d.M": rf"{_DAY}[-/.]{_MONTH}",
    "M.d": rf"(?<!\d){_MONTH}[-/.](?P<d>[0-3]?\d)(?!\d)",
}
_YEAR_FIRST = frozenset({"ja", "zh", "ko"})
"""Languages whose short dates begin with the year, as CLDR has it: 17.03.25 is of 2017."""
_NAMED = {
    "d MMMM y": rf"{_DAY}{_ORDINAL}{_LINK}(?P<n>NAMES){_LINK}{_YEAR}",
    "MMMM d y": rf"(?P<n>NAMES){_GAP}(?P<d>[0-3]?\d)(?!\d){_ORDINAL}{_LINK}{_YEAR}",
    "y MMMM d": (
        rf"(?<!\d)(?P<y>(?:19|20)\d\d)(?!\d){_OF_YEAR}{_LINK}(?P<n>NAMES){_GAP}(?P<d>[0-"
        rf"3]?\d)(?!\d)"
    ),
    "y d MMMM": (
        rf"(?<!\d)(?P<y>(?:19|20)\d\d)(?!\d)\.?{_OF_YEAR}[\s,"
        rf"]+{_DAY}{_ORDINAL}{_GAP}(?P<n>NAMES)"
    ),
    "d MMMM yy": rf"{_DAY}{_ORDINAL}{_LINK}(?P<n>NAMES){_LINK}{_SHORT}",
    "MMMM d yy": rf"(?P<n>NAMES){_GAP}(?P<d>[0-3]?\d)(?!\d){_ORDINAL}[\s,]+['’]?{_SHORT}(?!:)",
    "d MMMM": rf"{_DAY}{_ORDINAL}{_LINK}(?P<n>NAMES)(?!\w)",
    "MMMM d": rf"(?P<n>NAMES){_GAP}(?P<d>[0-3]?\d)(?!\d)",
}
FORMS = (
    *("y-M-d", "d MMMM y", "MMMM d y", "y MMMM d", "y d MMMM", "d.M.y", "M.d.y"),
    *(
        "d MMMM yy",
        "MMMM d yy",
        "d.M.yy",
        "M.d.yy",
        "yy.M.d",
        "M月d日",
        "d MMMM",
        "MMMM d",
        "d.M",
        "M.d",
    ),
)
"""Tried in this order: the unmistakable ones first, those without a year last."""
YEARLESS = frozenset(("M月d日", "d MMMM", "MMMM d", "d.M", "M.d"))
_NUMBERS = re.compile(r"\d+")
_BEFORE_ZONE = re.compile(r"\s{1,20}(?=[+-]\d\d:?\d\d$)")
_CLOCK = re.compile(
    (
        r"(?<![\d:])(\d{1,2})\s?[:h時시][ ]?(\d{2})(?:分|분)?(?::(\d{2}))?"
        r"\s*(a\.?m\b\.?|p\.?m\b\.?|"
        r"[πμ]\.?μ\b|[بق]\.?\s?ظ|[صم](?!\w))?(?!\d)"
    ),
    re.I,
)
_MAYBE_CLOCK = re.compile(r"\d\s?[:hH時시]")
_AFTER_NOON, _BEFORE_NOON = (
    re.compile(r" [pPمμΜب]|下午|午後|晚上|오후"),
    re.compile(r" [aAصقπΠ]|上午|午前|오전"),
)
_ZONE = re.compile(r"(?:UTC|GMT)?\s*([+-])(\d{2}):?(\d{2})\b|\b(UTC|GMT|Z)\b")
_RFC_MONTH = re.compile(r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec", re.I)
MOST_NUMBERS = 12
"""Numbers in a text from which it is a calendar or a list, no date line."""
MOST_DAYS = 200_000
"""Days back to the earliest year that is believed."""
LONGEST = 160
"""Characters of text in which a date is looked for: longer nodes are no date lines."""


EARLIEST, LATEST = 1500, 2200
"""Years that are believed, as of feeds' dates: diaries are back-dated. Within them arithmetic with
zones can't overflow.
"""


@dataclass(frozen=True, slots=True)
class When:
    """A date found: ``moment`` is naive where no zone was written; ``clock`` tells whether a time
    of day was.
    """

    moment: datetime
    clock: bool
    raw: str

    def utc(self, offset_minutes: int = 0, of_days: int = 0) -> datetime:
        """Aware UTC. A zoneless clock is read in the blog's zone; a bare day stays that day
        (midnight UTC) but for ``of_days``, minutes from the moments of posts to what their days
        begin with."""
        if self.moment.tzinfo is not None:
            return self.moment.astimezone(UTC)
        return (self.moment - timedelta(minutes=offset_minutes if self.clock else of_days)).replace(
            tzinfo=UTC
        )

    def days(self) -> set[date]:
        """The day as written, and in UTC where the zone is known."""
        out = {self.moment.date()}
        if self.moment.tzinfo is not None:
            out.add(self.moment.astimezone(UTC).date())
        return out


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    language, form = pattern.split("|", 1)
    if form in _NUMERIC:
        return re.compile(_NUMERIC[form])
    names = "|".join(sorted(map(re.escape, month_names(language)), key=len, reverse=True))
    return re.compile(
        _NAMED[form].replace("NAMES", rf"(?<![^\W\d_])(?:{names})\.?(?![^\W\d_])"), re.I
    )


def normalise(text: str) -> str:
    """NFKC, digits of all scripts as ASCII digits, dates of other calendars as Gregorian ones, cut
    to the longest date line.
    """
    text = text[:LONGEST]
    return gregorian(text if text.isascii() else unicodedata.normalize("NFKC", text))


def read(pattern: str, text: str, near: date | None = None) -> When | None:
    """The first date in ``text`` that follows ``pattern``.

    ``near`` (a day from the URL, an archive list, the feed) gives the year where the form has none.
    """
    form = pattern.split("|", 1)[1]
    if form == "iso":
        return read_iso(text)
    if form == "relative":
        return None  # needs the time of fetching: see relative()
    text = normalise(text)
    for match in _compiled(pattern).finditer(text):
        day = _day(match, pattern, near)
        if day is not None:
            return _clock(text, match, day)
    return None


def is_yearless(pattern: str) -> bool:
    """Whether a date that follows the pattern needs its year from elsewhere."""
    return pattern.split("|", 1)[1] in YEARLESS


def _day(match: re.Match[str], pattern: str, near: date | None) -> date | None:
    groups = match.groupdict()
    name = groups.get("n")
    month = (
        month_names(pattern.split("|", 1)[0]).get(name.lower().rstrip("."), 0)
        if name
        else int(groups["m"])
    )
    year = groups.get("y")
    if year is None:
        if near is None:
            return None
        number = near.year
    else:
        number = int(year) if len(year) == 4 else 2000 + int(year) - (100 if int(year) >= 70 else 0)
    if not EARLIEST <= number <= LATEST:
        return None
    try:
        return date(number, month, int(groups["d"]))
    except ValueError:
        return None


def _find_clock(text: str, date: re.Match[str]) -> re.Match[str] | None:
    """The clock time after the date, else before it."""
    if _MAYBE_CLOCK.search(text) is None:  # a fifth of what the whole expression takes
        return None
    return _CLOCK.search(text, date.end()) or _CLOCK.search(text[: date.start()])


def _hour_of_day(hour: int, half: str) -> int:
    """The hour on the 24-hour clock; ``half``: the words around it (a.m., p.m.)."""
    if hour < 12 and _AFTER_NOON.search(half):
        hour += 12
    if hour == 12 and _BEFORE_NOON.search(half):
        hour = 0
    return hour


def _clock(text: str, match: re.Match[str], day: date) -> When:
    midnight = datetime(day.year, day.month, day.day)
    clock = _find_clock(text, match)
    if clock is None:
        return When(midnight, False, text.strip())
    half = f"{text[max(0, clock.start() - 5) : clock.start()]} {clock[4] or ''}"
    hour, minute = _hour_of_day(int(clock[1]), half), int(clock[2])
    if hour > 23 or minute > 59:
        return When(midnight, False, text.strip())
    moment = midnight.replace(hour=hour, minute=minute)
    zone = _ZONE.match(text[clock.end() :].lstrip())
    return When(moment.replace(tzinfo=_zone(zone)) if zone else moment, True, text.strip())


def _zone(match: re.Match[str]) -> timezone:
    offset = timedelta(hours=int(match[2] or 0), minutes=int(match[3] or 0))
    if offset >= timedelta(hours=15):
        return UTC
    return timezone(-offset if match[1] == "-" else offset)


def read_iso(text: str | None) -> When | None:
    """A machine date (ISO 8601 as in ``<time datetime>``, or RFC 5322 as in RSS); None where it is
    none.
    """
    text = normalise((text or "").strip())
    if len(text) < 8 or _NUMBERS.search(text) is None:
        return None
    try:
        moment = datetime.fromisoformat(_BEFORE_ZONE.sub("", text))
    except ValueError:
        if _RFC_MONTH.search(text) is None:  # what is no date costs the mail parser most
            return None
        try:
            moment = parsedate_to_datetime(text)
        except (ValueError, TypeError, IndexError):
            return None
    if not 1990 <= moment.year <= 2100:
        return None
    return When(moment, len(text) > 10, text)


def patterns_for(text: str, days: set[date], languages: Iterable[str]) -> Iterator[str]:
    """Which patterns read one of ``days`` out of ``text`` (the paper's renderings of the feed's
    date, turned round).
    """
    text = normalise(text)
    numbers = _NUMBERS.findall(text)
    if not 0 < len(numbers) <= MOST_NUMBERS or not any(
        {str(day.day), f"{day.day:02d}"}.intersection(numbers) for day in days
    ):
        return
    forms = [form for form in FORMS if _may_fit(form, numbers)]
    words = set(LETTERS.findall(text.lower()))
    for language in languages:
        named = not words.isdisjoint(month_words(language))
        for form in forms:
            if (language != "en") if form in _NUMERIC else not named:
                continue
            pattern = f"{language}|{form}"
            found = next(
                (
                    day
                    for match in _compiled(pattern).finditer(text)
                    for day in _all_days(match, pattern, days)
                ),
                None,
            )
            if found in days:
                yield pattern


def _may_fit(form: str, numbers: list[str]) -> bool:
    """Whether a text with these runs of digits can follow a form at all: cheaper than its regular
    expression.
    """
    if form in ("y-M-d", "d.M.y", "M.d.y"):
        return len(numbers) >= 3 and any(len(number) >= 4 for number in numbers)
    if form in ("d MMMM y", "MMMM d y", "y MMMM d", "y d MMMM"):
        return len(numbers) >= 2 and any(len(number) >= 4 for number in numbers)
    if form in ("d.M.yy", "M.d.yy", "yy.M.d"):
        return len(numbers) >= 3
    return len(numbers) >= (1 if form in ("d MMMM", "MMMM d") else 2)


def _all_days(match: re.Match[str], pattern: str, days: set[date]) -> Iterator[date]:
    for near in days:
        day = _day(match, pattern, near)
        if day is not None:
            yield day
            if pattern.split("|", 1)[1] not in YEARLESS:
                return


def read_any(
    text: str, languages: Iterable[str], near: date | None = None, month_first: bool = False
) -> When | None:
    """The date that a short text writes, by the least mistakable form that fits; None where there
    is none.
    """
    languages = list(dict.fromkeys(map(language_code, languages))) or ["en"]
    forms = list(FORMS)
    if languages[0] in _YEAR_FIRST:
        forms.insert(forms.index("d.M.y"), forms.pop(forms.index("yy.M.d")))
    if month_first:
        for a, b in (("d.M.y", "M.d.y"), ("d.M.yy", "M.d.yy"), ("d.M", "M.d")):
            i, j = forms.index(a), forms.index(b)
            forms[i], forms[j] = forms[j], forms[i]
    text = normalise(text)
    numbers, words = _NUMBERS.findall(text), set(LETTERS.findall(text.lower()))
    named = [language for language in languages if not words.isdisjoint(month_words(language))]
    for form in forms:
        if form in ("d.M", "M.d") or not _may_fit(form, numbers):
            continue
        for language in languages[:1] if form in _NUMERIC else named:
            when = read(f"{language}|{form}", text, near)
            if when is not None:
                return when
    return None


def relative(text: str, now: datetime, language: str | None = None) -> When | None:
    """ "3 days ago", "vor 2 Wochen": CLDR's relative patterns in the blog's language, counted from
    ``now``.
    """
    lowered = normalise(text).lower().strip()
    for code in dict.fromkeys((language_code(language), "en")):
        for expression, unit_days, word in _relative_forms(code):
            match = expression.search(lowered) if word in lowered else None
            if match:
                days = natural(match[1])
                if days is None or days * unit_days > MOST_DAYS:
                    continue
                moment = now - timedelta(days=unit_days * days)
                return When(
                    moment.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None),
                    False,
                    text.strip(),
                )
    return None


@lru_cache(maxsize=64)
def relative_words(language: str) -> frozenset[str]:
    """Words (as ``similarity.tokens`` reads them) of which a date in a language's relative patterns
    has one.
    """
    return frozenset(
        part for _, _, word in _relative_forms(language_code(language)) for part in tokens(word)
    )


@lru_cache(maxsize=16)
def _relative_forms(language: str) -> list[tuple[re.Pattern[str], float, str]]:
    """Expression, days of the unit, and a word without which the expression matches nothing."""
    from babel import Locale, UnknownLocaleError

    try:
        fields = Locale.parse(language)._data["date_fields"]
    except (UnknownLocaleError, ValueError, KeyError):
        return []
    out: list[tuple[re.Pattern[str], float, str]] = []
    lengths = {
        "year": 365.25,
        "month": 30.44,
        "week": 7.0,
        "day": 1.0,
        "hour": 1 / 24,
        "minute": 1 / 1440,
        "second": 1 / 86400,
    }
    for unit, days in lengths.items():
        for name in (unit, f"{unit}-short"):
            if name not in fields or "past" not in fields[name]:
                continue
            for plural in fields[name]["past"]:
                form = str(fields[name]["past"][plural]).lower()
                head, _, tail = form.partition("{0}")
                word = max(head.strip(), tail.strip(), key=len)
                if word:
                    out.append(
                        (
                            re.compile(
                                rf"(?<!\w){re.escape(head)}(\d{{1,3}}){re.escape(tail)}(?!\w)"
                            ),
                            days,
                            word,
                        )
                    )
    return out
