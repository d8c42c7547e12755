"""Dates of calendars and counts of years other than the Gregorian, rewritten so that the patterns
of dates read them.

Solar Hijri (Iran, Afghanistan), Buddhist years (Thailand), Japanese eras, the Republic of China's
years, and days written with Chinese numerals or Vietnamese numbered months. Lunar Hijri and Hebrew
dates are left alone where a Gregorian year stands next to them. The reckoning is that of jdatetime,
hijridate and pyluach, imported (12 to 20 ms each) when a text has such a date.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date

from blogcrawl.lexicon.vocabulary import by_kind, entries

_SOLAR = {
    name: i for names in by_kind("dates", "solar_hijri").values() for i, name in enumerate(names, 1)
}
_SOLAR |= {"امرداد": 5, "ابان": 8, "اذر": 9, "لیندی": 9}
_SOLAR_NAMES = "|".join(sorted(_SOLAR, key=len, reverse=True))
_DAYS_IN_WORDS = [*enumerate(entries("dates", "days.persian"), 1)][::-1]
_SOLAR_YEAR = r"(?P<y>1[34]\d\d)(?!\d)"
_BETWEEN = r"[\s\u200c,،/.-]{0,20}+"
_SOLAR_NAMED = (
    re.compile(
        rf"(?<!\d)(?P<d>[0-3]?\d)(?!\d)(?:ام|"
        rf"م)?{_BETWEEN}(?<![^\W\d_])(?P<n>{_SOLAR_NAMES})(?![^\W\d_]){_BETWEEN}(?:ماه)?"
        rf"{_BETWEEN}"
        rf"(?:سال)?\s{{0,20}}(?:{_SOLAR_YEAR}|'?(?P<yy>\d\d)(?![\d:]))",
        re.I,
    ),
    re.compile(
        (
            rf"(?<![^\W\d_])(?P<n>{_SOLAR_NAMES})(?![^\W\d_]){_BETWEEN}(?P<d>[0-3]?\d)(?:ام|م)?[\s,"
            rf"،]{{1,80}}{_SOLAR_YEAR}"
        ),
        re.I,
    ),
    re.compile(
        (
            rf"(?<!\d){_SOLAR_YEAR}{_BETWEEN}(?P<n>{_SOLAR_NAMES})(?![^\W\d_]){_BETWEEN}(?P<d>[0-3]?"
            rf"\d)(?!\d)"
        ),
        re.I,
    ),
)
_SOLAR_NUMERIC = (
    re.compile(
        r"(?<![\d/.:-])(?P<y>1[34]\d\d)\s?(?P<s>[/.-])\s?(?P<m>[01]?\d)\s?(?P=s)\s?(?P<d>[0-3]?"
        r"\d)(?![\d/-])"
    ),
    re.compile(
        r"(?<![\d/.:-])(?P<d>[0-3]?\d)\s?(?P<s>[/.-])\s?(?P<m>[01]?\d)\s?(?P=s)\s?(?P<y>1[34]\d"
        r"\d)(?![\d/-])"
    ),
)
_DAY_IN_WORDS = re.compile(
    rf"(?<!\w)(?:{'|'.join(f'(?P<d{n}>{word})' for n, word in _DAYS_IN_WORDS)})"
    rf"(?=[\s\u200c]{{1,20}}(?:{_SOLAR_NAMES})(?!\w))"
)
"""The day as Iranian hosts write it before the month: "بیست و سوم بهمن"."""
SOLAR_YEARS = range(1370, 1420)
"""Solar years that a blog can have (1991 to 2040): the lunar ones of that time are higher."""
_LUNAR_MONTHS = entries("dates", "months.islamic")
_LUNAR_NAMES = "|".join(f"(?P<m{n}>{names})" for n, names in enumerate(_LUNAR_MONTHS, 1))
_LUNAR_YEAR = r"(?P<y>14[0-6]\d)(?!\d)"
_AFTER_HIJRA = r"\s?(?:هـ|هجري|ه(?!\w)|AH\b)"
_LUNAR = (
    re.compile(
        (
            rf"(?<!\d)(?P<d>[0-3]?\d)\s{{0,20}}(?:من\s)?(?:{_LUNAR_NAMES})[\s،,]{{0,"
            rf"80}}(?:سنة\s)?{_LUNAR_YEAR}(?:{_AFTER_HIJRA})?"
        ),
        re.I,
    ),
    re.compile(
        (
            rf"(?:{_LUNAR_NAMES})\s{{1,20}}(?P<d>[0-3]?\d)[\s،,]{{1,"
            rf"80}}{_LUNAR_YEAR}(?:{_AFTER_HIJRA})?"
        ),
        re.I,
    ),
    re.compile(
        (
            rf"(?<![\d/.-])(?P<y>14[0-6]\d)(?P<s>[/.-])(?P<m>[01]?\d)(?P=s)(?P<d>[0-3]?\d)"
            rf"{_AFTER_HIJRA}"
        ),
        re.I,
    ),
    re.compile(
        (
            rf"(?<![\d/.-])(?P<d>[0-3]?\d)(?P<s>[/.-])(?P<m>[01]?\d)(?P=s)(?P<y>14[0-6]\d)"
            rf"{_AFTER_HIJRA}"
        ),
        re.I,
    ),
)
_HEBREW_MONTHS = entries("dates", "months.hebrew")
_HEBREW_NAMES = "|".join(
    f"(?P<m{n}>(?:{names})(?!\\w))" for n, names in reversed([*enumerate(_HEBREW_MONTHS, 1)])
)
_HEBREW_LETTERS = dict(
    zip(
        "אבגדהוזחטיכלמנסעפצקרשת",
        [*range(1, 10), *range(10, 100, 10), 100, 200, 300, 400],
        strict=True,
    )
)
_HEBREW = re.compile(
    r"(?<![\d\w])(?:(?P<d>[0-3]?\d)|(?P<dd>[אבגדהוזחטיכל]{1,2}['׳]?|[יכ][\"״][א-ט]|ט[\"״][וז]))\s+"
    rf"(?:of\s+)?ב?(?:{_HEBREW_NAMES}),?\s+"
    r"(?:(?P<y>5[67]\d\d)(?!\d)|(?:ה['׳])?(?P<yy>תש[א-ת]{0,2}[\"״][א-ת]))",
    re.I,
)
"""``15 Nisan 5780``, ``ט״ו בניסן תש״פ``."""
_OUR_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_ARABIC_LETTERS = str.maketrans("يكىة", "یکیه")
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "民國": 1911, "民国": 1911}
_ERA = re.compile(rf"({'|'.join(_ERAS)})\s*(元|\d{{1,3}})\s*年")
_THAI = re.compile(r"[\u0e01-\u0e5b]")
_THAI_YEAR = re.compile(r"(?:พ\.?\s?ศ\.?\s*)?(?<!\d)(25[3-9]\d)(?!\d)")
_BUDDHIST = re.compile(r"(?<![\d/.-])(\d{1,2}([/.-])\d{1,2}\2)(25[3-9]\d)(?![\d/-])")
_HAN = "〇一二三四五六七八九"
_HAN_DAY = re.compile(
    rf"([{_HAN}零]{{4}})\s*年\s*([{_HAN}十]{{1,3}})\s*月\s*([{_HAN}十]{{1,3}})\s*[日号號]"
)
_VIET_MONTHS = entries("dates", "months.vietnamese")
_VIET_MONTH = (
    rf"(?:tháng|thg\.?)\s+(?P<m>\d{{1,2}}(?!\d)|"
    rf"{'|'.join(sorted(_VIET_MONTHS, key=len, reverse=True))})"
)
_VIET = (
    re.compile(
        rf"(?<!\d)(?P<d>\d{{1,2}})\s+{_VIET_MONTH}[\s,]+(?:năm\s+)?(?P<y>(?:19|20)\d\d)(?!\d)", re.I
    ),
    re.compile(rf"{_VIET_MONTH}\s+(?P<d>\d{{1,2}})[.,]?\s+(?P<y>(?:19|20)\d\d)(?!\d)", re.I),
)


def _date(convert: Callable[[int, int, int], date], year: int, month: int, day: int) -> date | None:
    """Return a library's Gregorian date; None if the calendar has no such day."""
    try:
        return convert(year, month, day)
    except (ValueError, OverflowError):
        return None


def solar_hijri(year: int, month: int, day: int) -> date | None:
    """Return the Gregorian date of a Solar Hijri one, or None."""
    import jdatetime

    return _date(lambda *ymd: jdatetime.date(*ymd).togregorian(), year, month, day)


def lunar_hijri(year: int, month: int, day: int) -> date | None:
    """Return the Gregorian date of a lunar Hijri one by the calendar of Umm al-Qura, which may be a
    day off what was observed elsewhere, or None.
    """
    from hijridate import Hijri

    def convert(year: int, month: int, day: int) -> date:
        found = Hijri(year, month, day).to_gregorian()
        return date(found.year, found.month, found.day)

    return _date(convert, year, month, day)


def hebrew(year: int, month: int, day: int) -> date | None:
    """Return the Gregorian date of a Hebrew one (month 1: Nisan), or None."""
    from pyluach.dates import HebrewDate

    return _date(lambda *ymd: HebrewDate(*ymd).to_pydate(), year, month, day)


def solar_day(day: date) -> int:
    """Return the day of the Solar Hijri month that a Gregorian date is."""
    import jdatetime

    return int(jdatetime.date.fromgregorian(date=day).day)


def gregorian(text: str) -> str:
    """Return a short text (NFKC, ASCII digits) with the dates of other calendars as ``2020-03-31``
    or in years of the Gregorian count.
    """
    out = next((new for read in (_lunar, _hebrew, _solar) if (new := read(text)) is not text), text)
    out = _ERA.sub(
        lambda found: f"{_ERAS[found[1]] + (1 if found[2] == '元' else int(found[2]))}年", out
    )
    out = _HAN_DAY.sub(_from_han, out)
    for form in _VIET:
        out = form.sub(_from_viet, out)
    if _THAI.search(out):
        out = _THAI_YEAR.sub(lambda found: str(int(found[1]) - 543), out.replace("ค.ศ.", ""))
    return _BUDDHIST.sub(lambda found: f"{found[1]}{int(found[3]) - 543}", out)


def _lunar(text: str) -> str:
    if _OUR_YEAR.search(text):
        return text
    for form in _LUNAR:
        for found in form.finditer(text):
            parts = found.groupdict()
            month = (
                int(parts["m"]) if "m" in parts else next(n for n in range(1, 13) if parts[f"m{n}"])
            )
            day = lunar_hijri(int(parts["y"]), month, int(parts["d"]))
            if day is not None:
                return text[: found.start()] + day.isoformat() + text[found.end() :]
    return text


def _hebrew(text: str) -> str:
    found = None if _OUR_YEAR.search(text) else _HEBREW.search(text)
    if found is None:
        return text
    month = next(n for n in range(1, 14) if found[f"m{n}"])
    year = int(found["y"]) if found["y"] else 5000 + _hebrew_number(found["yy"])
    day = hebrew(year, month, int(found["d"] or 0) or _hebrew_number(found["dd"]))
    return text if day is None else text[: found.start()] + day.isoformat() + text[found.end() :]


def _hebrew_number(letters: str) -> int:
    return sum(_HEBREW_LETTERS.get(letter, 0) for letter in letters)


def _solar(text: str) -> str:
    plain = text.translate(_ARABIC_LETTERS)
    if _DAY_IN_WORDS.search(plain) is not None:
        text = plain = _DAY_IN_WORDS.sub(_number_of_day, plain)
    for form in (*_SOLAR_NAMED, *_SOLAR_NUMERIC):
        for found in form.finditer(plain):
            day = _solar_day(found.groupdict())
            if day is not None:
                return text[: found.start()] + day.isoformat() + text[found.end() :]
    return text


def _number_of_day(found: re.Match[str]) -> str:
    return str(next(n for n in range(1, 32) if found[f"d{n}"]))


def _solar_year(short: int) -> int:
    return short + (1300 if short >= 70 else 1400)


def _solar_day(parts: Mapping[str, str | None]) -> date | None:
    """Return the day of a date with a month by name (``n``) or number (``m``)."""
    name, short = parts.get("n") or "", parts.get("yy") or "0"
    if not parts["y"] and name.isascii():
        return None  # "mehr", "tir", "dey" are words of other languages, too
    year = int(parts["y"] or _solar_year(int(short)))
    month = _SOLAR[name.lower()] if name else int(parts["m"] or 0)
    return solar_hijri(year, month, int(parts["d"] or 0)) if year in SOLAR_YEARS else None


def _from_han(found: re.Match[str]) -> str:
    year = "".join(str(_HAN.find(digit.replace("零", "〇"))) for digit in found[1])
    return f"{year}年{_han_number(found[2])}月{_han_number(found[3])}日"


def _han_number(text: str) -> int:
    tens, ten, ones = text.rpartition("十")
    return (_HAN.find(tens) if tens else 1) * 10 * bool(ten) + (_HAN.find(ones) if ones else 0)


def _from_viet(found: re.Match[str]) -> str:
    month = found["m"].lower()
    number = int(month) if month.isdigit() else _VIET_MONTHS.index(month) % 12 + 1
    return f"{found['y']}-{number:02d}-{int(found['d']):02d}"
