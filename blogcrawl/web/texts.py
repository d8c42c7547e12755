"""The interface's texts: English in the templates, other languages in ``locale/<tag>.json``.

A catalogue maps the English text to its translation, as gettext does; a text with a number maps to
its forms. A text that is missing there stays English. ``locale/<tag>.reasons.json`` does the same
for sentences that crawls have stored, with their values as ``{n}`` (a number), ``{text}`` or
``{reason}`` (translated too).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from markupsafe import Markup

LANGUAGES = ("en", "de")
_VALUE = re.compile(r"\\{(\w+)\\}")
_LONGEST_REASON = 2000
_RANGE = re.compile(r"\s*([A-Za-z]{1,8})[\w-]*\s*(?:;\s*q\s*=\s*([\d.]{1,6}))?")


@cache
def catalogue(language: str) -> Mapping[str, Any]:
    """Return the translations of a language; none for English."""
    if language == "en":
        return {}
    file = resources.files("blogcrawl.web") / "locale" / f"{language}.json"
    read: Mapping[str, Any] = json.loads(file.read_text("utf-8"))
    return read


@cache
def stored_sentences(language: str) -> Sequence[tuple[re.Pattern[str], str]]:
    """Return patterns of the sentences that crawls store, with their translations."""
    file = resources.files("blogcrawl.web") / "locale" / f"{language}.reasons.json"
    read: Mapping[str, str] = json.loads(file.read_text("utf-8"))
    return [(re.compile(_VALUE.sub(_value, re.escape(key))), read[key]) for key in read]


def _value(found: re.Match[str]) -> str:
    kind = ".+" if found[1] in ("text", "reason") else r"[\d.,]+"
    return f"(?P<{found[1]}>{kind})"


class Texts:
    """The texts in one language. Values are escaped; the texts themselves are markup of ours."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._known = catalogue(language)

    def names(self) -> dict[str, Any]:
        """Return what templates call."""
        return {
            "_": self.text,
            "n_": self.number,
            "digits": self.digits,
            "decimal": self.decimal,
            "percent": self.percent,
            "word": self.word,
            "reason": self.reason,
            "lang": self.language,
        }

    def text(self, english: str, **values: object) -> Markup:
        """Return the translation of a text with ``{name}`` filled in."""
        return Markup(self._known.get(english, english)).format(**values)

    def word(self, value: str) -> str:
        """Return the translation of a word that stands in the archive: unlike a text of ours it is
        no markup, and may be anything."""
        known = self._known.get(value, value)
        return known if isinstance(known, str) else value

    def reason(self, stored: object) -> str:
        """Return the translation of a sentence that a crawl has stored, or of several with
        semicolons between; what is not known stays as it is. Like a word it is no markup."""
        text = str(stored or "")[:_LONGEST_REASON]
        return "; ".join(map(self._sentence, text.split("; ")))

    def _sentence(self, text: str) -> str:
        for pattern, translated in stored_sentences(self.language):
            if found := pattern.fullmatch(text):
                values = found.groupdict()
                if "reason" in values:
                    values["reason"] = self._sentence(values["reason"])
                return translated.format(**values)
        return text

    def number(self, one: str, many: str, n: int, **values: object) -> Markup:
        """Return the form of a text for the number ``n``, which is written with separators."""
        forms = self._known.get(many, (one, many))
        return Markup(forms[n != 1]).format(n=self.digits(n), **values)

    def digits(self, n: int) -> str:
        """Return a number with the language's separators of thousands."""
        text = f"{n:,}"
        return text.replace(",", ".") if self.language == "de" else text

    def decimal(self, number: float, places: int) -> str:
        """Return a number with so many digits behind the language's decimal sign."""
        text = f"{number:.{places}f}"
        return text.replace(".", ",") if self.language == "de" else text

    def percent(self, found: Mapping[str, Any]) -> str:
        """Return the estimated completeness; empty if there is no estimate."""
        share = found.get("share")
        if not isinstance(share, int | float):
            return ""
        return f"{self.decimal(100 * min(share, 0.999), 1) if share < 1 else '100'} %"


def choose(asked: str, accepted: str) -> str:
    """Return the language of an answer: the one ``asked`` for, else the best ``accepted``."""
    if asked in LANGUAGES:
        return asked
    ranked: list[tuple[float, int, str]] = []
    for part in accepted[:500].split(","):
        found = _RANGE.match(part)
        if found is not None:
            ranked.append((-_quality(found[2]), len(ranked), found[1].lower()))
    return next((tag for _, _, tag in sorted(ranked) if tag in LANGUAGES), "en")


def _quality(text: str | None) -> float:
    try:
        return float(text or 1)
    except ValueError:
        return 0.0
