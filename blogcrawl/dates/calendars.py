"""Dates of calendars and counts of years other than the Gregorian, rewritten so that the patterns
of dates read them.

Solar Hijri (Iran, Afghanistan), Buddhist years (Thailand), Japanese eras, the Republic of China's
years, and days written with Chinese numerals or Vietnamese numbered months. Lunar Hijri dates,
whose months begin by sighting, are reckoned by the civil cycle of 30 years and may be a day off;
they are left alone where a Gregorian year stands beside them.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from functools import lru_cache

_NOWRUZ_1399 = date(2020, 3, 20).toordinal()
_IRAN = "فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند".split()
_AFGHAN = "حمل ثور جوزا سرطان اسد سنبله میزان عقرب قوس جدی دلو حوت".split()
_PASHTO = "وری غویی غبرګولی چنګاښ زمری وږی تله لړم لیندۍ مرغومی سلواغه کب".split()
_LATIN = (
    "farvardin ordibehesht khordad tir mordad shahrivar mehr aban azar dey bahman esfand".split()
)
_SOLAR = {name: i for names in (_IRAN, _AFGHAN, _PASHTO, _LATIN) for i, name in enumerate(names, 1)}
_SOLAR |= {"امرداد": 5, "ابان": 8, "اذر": 9, "لیندی": 9}
_SOLAR_NAMES = "|".join(sorted(_SOLAR, key=len, reverse=True))
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
SOLAR_YEARS = range(1370, 1420)
"""Solar years that a blog can have (1991 to 2040): the lunar ones of that time are higher."""
_LUNAR_MONTHS = (
    r"(?:ال)?محرم|muharram",
    r"صفر|safar",
    r"ربيع\s(?:ال)?[اأ]ول|rabi['’]?\s(?:al-?awwal|i)(?!\w)",
    r"ربيع\s(?:ال)?(?:[اآ]خر|ثاني|ثانى)|rabi['’]?\s(?:al-?(?:thani|akhir)|ii)",
    r"جماد[ىي]\s(?:ال)?[اأ]ول[ىي]|jumada\s(?:al-?(?:ula|awwal)|i)(?!\w)",
    r"جماد[ىي]\s(?:ال)?(?:[اآ]خر[ةه]?|ثاني[ةه]?)|jumada\s(?:al-?(?:thani|akhirah?)|ii)",
    r"رجب|rajab",
    r"شعبان|sha['’]?ban",
    r"رمضان|rama[dz]an",
    r"شوال|shawwal",
    r"ذ[وي]\s?(?:ال)?قعد[ةه]|dhu['’]?\s?(?:al-?|l-?)?qa['’]?dah?",
    r"ذ[وي]\s?(?:ال)?حج[ةه]|dhu['’]?\s?(?:al-?|l-?)?hijjah?",
)
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
_OUR_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_HIJRA = 227015
"""Ordinal (day 1: 1 January of the year 1) of the first day of the civil lunar Hijri calendar, 16
July 622 Julian.
"""
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
_VIET_MONTHS = (
    "một",
    "hai",
    "ba",
    "tư",
    "năm",
    "sáu",
    "bảy",
    "tám",
    "chín",
    "mười",
    "mười một",
    "mười hai",
)
_VIET_MONTH = (
    rf"(?:tháng|thg\.?)\s+(?P<m>\d{{1,2}}(?!\d)|"
    rf"{'|'.join(sorted(_VIET_MONTHS, key=len, reverse=True))})"
)
_VIET = (
    re.compile(
        rf"(?<!\d)(?P<d>\d{{1,2}})\s+{_VIET_MONTH}[\s,]+(?:năm\s+)?(?P<y>(?:19|20)\d\d)(?!\d)", re.I
    ),
    re.compile(rf"{_VIET_MONTH}\s+(?P<d>\d{{1,2}}),?\s+(?P<y>(?:19|20)\d\d)(?!\d)", re.I),
)
_OTHER_DIGIT = re.compile(r"[^\D0-9]")
_DIRECTIONS = re.compile(r"[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")
_MAYBE_ASCII = re.compile(r"(?<!\d)(?:1[34]|25)\d\d(?!\d)|\bthg\b", re.I)
_MAYBE = re.compile(
    rf"1[34]\d\d|25[3-9]\d|[{_HAN}]年|{'|'.join(_ERAS)}|th(?:áng|g)\b|ค\.ศ\.|{_SOLAR_NAMES}", re.I
)


def solar_hijri(year: int, month: int, day: int) -> date | None:
    """The Gregorian day of a Solar Hijri one; None where there is no such day.

    Leap years by the cycle of 8 in 33 (Borkowski, "The Persian calendar for 3000 years", 1996): the
    same as by the equinox from 1178 to 1633.
    """
    if not (1178 <= year <= 1633 and 1 <= month <= 12 and 1 <= day <= (31 if month <= 6 else 30)):
        return None
    if month == 12 and day == 30 and _leaps(year) == _leaps(year - 1):
        return None
    before = 31 * (month - 1) if month <= 7 else 30 * (month - 1) + 6
    return date.fromordinal(
        _NOWRUZ_1399 + 365 * (year - 1399) + _leaps(year - 1) - _leaps(1398) + before + day - 1
    )


def lunar_hijri(year: int, month: int, day: int) -> date | None:
    """The Gregorian day of a lunar Hijri one by the civil cycle, at most a day off what was
    observed; None where there is no such day.
    """
    if not (1400 <= year <= 1469 and 1 <= month <= 12 and 1 <= day <= 30):
        return None
    return date.fromordinal(
        _HIJRA + 354 * (year - 1) + (11 * year + 3) // 30 + 29 * (month - 1) + month // 2 + day - 1
    )


def _leaps(year: int) -> int:
    """Leap years from 1 to ``year``: those that leave 1, 5, 9, 13, 17, 22, 26 or 30 when divided by
    33.
    """
    return (8 * year + 29) // 33


def solar_day(day: date) -> int:
    """The day of the Solar Hijri month that a Gregorian day is."""
    year = day.year - 621
    start = solar_hijri(year, 1, 1)
    if start is None or day < start:
        start = solar_hijri(year - 1, 1, 1)
    passed = (day - start).days if start else 0
    return passed % 31 + 1 if passed < 186 else (passed - 186) % 30 + 1


_CTIME = re.compile(
    r"(?<!\w)([^\W\d_]{3,12}\.?)\s+(\d{1,2})\s+(\d\d:\d\d(?::\d\d)?)\s+(?:([A-Z]{2,"
    r"5})\s+)?((?:19|20)\d\d)(?![\d:])"
)
"""C's ``asctime`` and the command ``date`` put the year behind the clock: "Wed Dec 11 16:51:10 CET
2013".
"""


@lru_cache(maxsize=4096)
def gregorian(text: str) -> str:
    """A short text (NFKC) with ASCII digits, the year beside the day, and the dates of other
    calendars as ``2020-03-31`` or in years of our count."""
    if not text.isascii():
        text = _OTHER_DIGIT.sub(
            lambda match: str(unicodedata.digit(match[0])), _DIRECTIONS.sub("", text)
        )
    if ":" in text:
        text = _CTIME.sub(
            lambda found: f"{found[1]} {found[2]} {found[5]} {found[3]} {found[4] or ''}".rstrip(),
            text,
        )
    if (
        _MAYBE_ASCII.search(text)
        if text.isascii()
        else _MAYBE.search(text.translate(_ARABIC_LETTERS))
    ) is None:
        return text
    out = _lunar(text)
    out = _solar(out) if out is text else out
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


def _solar(text: str) -> str:
    plain = text.translate(_ARABIC_LETTERS)
    for form in (*_SOLAR_NAMED, *_SOLAR_NUMERIC):
        for found in form.finditer(plain):
            parts = found.groupdict()
            short = parts.get("yy")
            year = (
                int(parts["y"])
                if parts["y"]
                else (1300 if int(short or 0) >= 70 else 1400) + int(short or 0)
            )
            if short and parts["n"].isascii():
                continue  # "mehr", "tir", "dey" are words of other languages, too
            month = _SOLAR[parts["n"].lower()] if "n" in parts else int(parts["m"])
            day = solar_hijri(year, month, int(parts["d"])) if year in SOLAR_YEARS else None
            if day is not None:
                return text[: found.start()] + day.isoformat() + text[found.end() :]
    return text


def _from_han(found: re.Match[str]) -> str:
    year = "".join(str(_HAN.find(digit.replace("零", "〇"))) for digit in found[1])
    return f"{year}年{_han_number(found[2])}月{_han_number(found[3])}日"


def _han_number(text: str) -> int:
    tens, ten, ones = text.rpartition("十")
    return (_HAN.find(tens) if tens else 1) * 10 * bool(ten) + (_HAN.find(ones) if ones else 0)


def _from_viet(found: re.Match[str]) -> str:
    month = found["m"].lower()
    number = int(month) if month.isdigit() else _VIET_MONTHS.index(month) + 1
    return f"{found['y']}-{number:02d}-{int(found['d']):02d}"
