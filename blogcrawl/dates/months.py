"""Names of months in every language of the CLDR.

They come from ``cldr.json``, which ``python -m tests.dates.make_cldr`` writes from Babel's copy of
the CLDR; the file is read when a text has a word that may be a month in another language than
English. Names are compared folded: without case, accents and full stops.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from itertools import islice
from typing import Any

_EN = (
    "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug "
    "september|sept|sep october|oct november|nov december|dec"
).split()
WORD = re.compile(
    r"(?:[^\x00-\x7f\W]{1,2}(?:(?!\w)[\u064b-\u065f\u0900-\u109f\u1780-\u17d3]){0,9}\.){2}"
    r"|(?:[^\W\d_]|(?!\w)[\u064b-\u065f\u0900-\u109f\u1780-\u17d3])+"
)
"""A word, with the vowel signs of Arabic and of the scripts of India and Indochina, which are no
letters; or the two initials of a Thai or Lao abbreviation ("พ.ค."). Nothing matches both ways, so
the time is linear."""
COMMON = tuple(
    "en de fr es it pt nl sv nb da fi pl cs sk hu ro ru uk bg el tr ca hr sl lt lv et id vi "
    "ja zh ko".split()
)
"""Languages that are tried where the page's own have no such month, in the order in which they win
where two of them mean different months by one word. Those of other scripts follow by script."""
_SCRIPTS = (
    (re.compile(r"[\u0590-\u05ff]"), ("he", "yi")),
    (re.compile(r"[\u0600-\u06ff]"), ("ar", "fa", "ur", "ps", "ckb", "ug", "sd")),
    (
        re.compile(r"[\u0900-\u0dff]"),
        ("hi", "mr", "ne", "bn", "gu", "ta", "te", "kn", "ml", "pa", "or", "as", "si"),
    ),
    (re.compile(r"[\u0e00-\u0eff]"), ("th", "lo")),
    (re.compile(r"[\u0530-\u058f\u1000-\u137f\u1780-\u17ff]"), ("ka", "hy", "am", "my", "km")),
)
OTHER_SCRIPTS = tuple(code for _, codes in _SCRIPTS for code in codes)
PREFIX = 3
"""Letters by which writers shorten a name where the CLDR has another abbreviation ("Sept.",
"déc")."""


@lru_cache(maxsize=1024)
def language_code(code: str | None) -> str:
    """Return ``pt`` of ``pt-BR`` or ``pt_BR``; ``en`` where nothing is known."""
    found = re.split(r"[-_]", (code or "en").strip().lower())[0] or "en"
    return "nb" if found == "no" else found


def languages_of(text: str) -> tuple[str, ...]:
    """Return the languages whose script the text has a letter of; none for Latin, Greek and
    Cyrillic, which many languages share.
    """
    if text.isascii():
        return ()
    return next((languages for letters, languages in _SCRIPTS if letters.search(text)), ())


@cache
def cldr() -> Mapping[str, Mapping[str, Any]]:
    """Return the file's data by language: ``months``, ``ago``, ``order``."""
    data: dict[str, dict[str, Any]] = json.loads(
        files("blogcrawl.dates").joinpath("cldr.json").read_text("utf-8")
    )
    return data


def fold(word: str) -> str:
    """Return the word without case, accents and a full stop at its end."""
    if word.isascii():
        return word.lower().rstrip(".")
    # Hindi writes the same nasal as a letter or as a sign, and has two t
    spelled = word.casefold().replace("म्ब", "ंब").replace("क्तू", "क्टू")
    decomposed = unicodedata.normalize("NFKD", spelled)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).rstrip(".׳")


@lru_cache(maxsize=128)
def month_names(language: str) -> Mapping[str, int]:
    """Return the folded names and abbreviations of the language's months with their numbers."""
    listed = _EN if language == "en" else cldr().get(language, {}).get("months", ())
    names = {name: i for i, names in enumerate(listed, 1) for name in names.split("|")}
    prefixes: dict[str, set[int]] = {}
    for name, number in names.items():
        if len(name) > PREFIX and " " not in name:
            prefixes.setdefault(name[:PREFIX], set()).add(number)
    return {prefix: min(found) for prefix, found in prefixes.items() if len(found) == 1} | names


@lru_cache(maxsize=512)
def month_words(language: str, months: frozenset[int] | None = None) -> frozenset[str]:
    """Return the words in the language's names of months, or of some of them, folded."""
    return frozenset(
        word
        for name, month in month_names(language).items()
        if months is None or month in months
        for word in WORD.findall(name)
    )


@lru_cache(maxsize=8192)
def month_number(word: str, languages: tuple[str, ...]) -> int | None:
    """Return the number of the month that a word names in the first language that knows it."""
    folded = fold(word)
    return next(
        (names[folded] for names in map(month_names, languages) if folded in names),
        None,
    )


_MONTH_AND_YEAR = re.compile(
    r"(?P<month>[^\W\d_][^\d]{0,20}|(?:0?[1-9]|1[0-2])\s?[-./]\s?)\b(?:19|20|25|1[34])\d\d(?!\d)"
    r"|(?:19|20)\d\d(?:\s?[-./年년]\s?(?:0?[1-9]|1[0-2])(?!\d)\s?[月월]?"
    r"|\W{1,3}(?P<after>[^\W\d_][^\d]{0,20}))"
)
_WESTERN_YEAR = re.compile(r"(?:19|20)\d\d")
_COUNTED = re.compile(r"(?<!\s)\s*+[(\[（]\s?\d{1,4}\s?[)\]）]$")


@lru_cache(maxsize=4096)
def names_month(text: str) -> bool:
    """Return whether a text is a month of a year and nothing else, but the number of its posts:
    "November 2001 (4)", "2001年11月", "11/2001"."""
    found = _MONTH_AND_YEAR.fullmatch(_COUNTED.sub("", text.strip())) if len(text) < 40 else None
    word = (found["month"] or found["after"] or "1") if found is not None else ""
    words = [word for word in WORD.findall(word) if len(word) > len("de")]
    languages = (*COMMON, *languages_of(word))
    return found is not None and all(month_number(word, languages) for word in words)


def month_in(text: str) -> tuple[int, int] | None:
    """Return year and month of the only month of a year in a text ("Diary, November 2001",
    "2001年11月の日記")."""
    found = list(islice(_MONTH_AND_YEAR.finditer(text), 2))
    year = _WESTERN_YEAR.search(found[0][0]) if len(found) == 1 else None
    if year is None:
        return None
    rest = _WESTERN_YEAR.sub(" ", year.string, count=1)
    numbers = re.findall(r"\d+", rest)
    named = (month_number(word, COMMON) for word in reversed(WORD.findall(rest)))
    month = int(numbers[0]) if numbers else next(filter(None, named), None)
    return (int(year[0]), month) if month else None


def language_codes(languages: Iterable[str | None]) -> tuple[str, ...]:
    """Return the codes of some language tags, without repeats."""
    return tuple(dict.fromkeys(language_code(tag) for tag in languages if tag))
