"""Names of months in any language that CLDR knows."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_EN = (
    "january february march april may june july august september october november december".split()
)
_GLUED = re.compile(r"(?<![^\W\d_])([^\W\d_A-Za-z]+)M{3,4}")
LETTERS = re.compile(r"[^\W\d_]+")
_REGIONS = {"ar": ("ar", "ar_LB", "ar_DZ", "ar_MA"), "no": ("nb",)}
"""Languages whose countries name the months differently (Arabic: in Egypt, the Levant, Algeria and
Morocco).
"""
_SCRIPTS = (
    (re.compile(r"[\u0590-\u05ff]"), ("he",)),
    (re.compile(r"[\u0600-\u06ff]"), ("ar", "fa", "ur")),
    (
        re.compile(r"[\u0900-\u0dff]"),
        ("hi", "mr", "ne", "bn", "gu", "ta", "te", "kn", "ml", "pa", "si"),
    ),
    (re.compile(r"[\u0e00-\u0eff]"), ("th", "lo")),
    (re.compile(r"[\u1000-\u10ff\u1780-\u17ff\u0530-\u058f]"), ("ka", "hy", "my", "km")),
)
"""Languages whose months are looked for where a letter of their script stands: old pages in them
hardly ever name their language.
"""


def language_code(code: str | None) -> str:
    """``pt`` of ``pt-BR`` or ``pt_BR``; ``en`` where nothing is known."""
    return re.split(r"[-_]", (code or "en").strip().lower())[0] or "en"


def languages_of(text: str) -> tuple[str, ...]:
    """Languages whose script the text has a letter of; none for Latin, Greek and Cyrillic, which
    many languages share.
    """
    if text.isascii():
        return ()
    return next((languages for letters, languages in _SCRIPTS if letters.search(text)), ())


@lru_cache(maxsize=64)
def month_names(language: str) -> dict[str, int]:
    """Lower-case month names of a language (wide and abbreviated, both cases of use) with their
    number; English always.
    """
    names = (
        {name: i for i, name in enumerate(_EN, 1)}
        | {name[:3]: i for i, name in enumerate(_EN, 1)}
        | {"sept": 9}
    )
    for code in _REGIONS.get(language, (language,)):
        if code != "en":
            _add_names(names, code)
    return names


@lru_cache(maxsize=64)
def month_words(language: str) -> frozenset[str]:
    """The runs of letters in the language's month names."""
    return frozenset(word for name in month_names(language) for word in LETTERS.findall(name))


@lru_cache(maxsize=512)
def names_of(language: str, months: frozenset[int]) -> frozenset[str]:
    """The runs of letters in the names of some months."""
    return frozenset(
        word
        for name, month in month_names(language).items()
        if month in months
        for word in LETTERS.findall(name)
    )


def _add_names(names: dict[str, int], code: str) -> None:
    from babel import Locale, UnknownLocaleError

    try:
        locale = Locale.parse(code)
    except (UnknownLocaleError, ValueError):
        return
    months = locale.months
    # a preposition that the script writes together with the name (Hebrew: "d בMMMM y")
    glued = {
        "",
        *(found for form in locale.date_formats.values() for found in _GLUED.findall(form.pattern)),
    }
    for context in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            for number, name in months[context][width].items():
                bare = unicodedata.normalize("NFKC", name).lower().rstrip(".")
                if len(bare) > 1 and not re.search(r"\d", bare):
                    names |= {before + bare: int(number) for before in glued}
                    plain = "".join(
                        c
                        for c in unicodedata.normalize("NFD", bare)
                        if not unicodedata.combining(c)
                    )
                    names.setdefault(plain, int(number))
