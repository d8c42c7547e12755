"""Languages as MARC 21 codes them, and the articles with which their titles are not filed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from blogcrawl.packaging.contents import resource

MOST = 9
"""Characters that the indicator of 245 can count."""
_MARKS = '[\\[("“„«¿¡‘]*'
_FIRST_WORD = re.compile(rf"{_MARKS}(['’]?\w+['’]|['’]?\w+(?=\s)\s+){_MARKS}['’]?(?=\S)")


@cache
def _codes() -> Mapping[str, str]:
    """Return language subtag -> MARC code."""
    data = _data()
    codes = {code: code for code in data["codes"].split()}
    for name in ("other", "two_letters"):
        codes |= dict(pair.split(":") for pair in data[name].split())
    return codes


@cache
def _articles() -> Mapping[str, frozenset[str]]:
    """MARC code -> the articles that filing skips."""
    return {code: frozenset(words.split()) for code, words in _data()["articles"].items()}


def _data() -> dict[str, Any]:
    data: dict[str, Any] = tomllib.loads(resource("marc.toml").decode())
    return data


@lru_cache(maxsize=256)
def marc_language(tag: str | None) -> str | None:
    """Return the MARC code of a BCP 47 tag or None: ``pt-BR`` -> ``por``; ``por`` stays."""
    primary = (tag or "").replace("_", "-").split("-", 1)[0].lower()
    return _codes().get(primary)


def nonfiling(title: str, language: str | None) -> int:
    """Return how many characters of ``title`` filing skips (245), with the marks before an article
    and before the word behind it; ``language``: a MARC code.
    """
    found = _FIRST_WORD.match(title)
    articles = _articles().get(language or "", frozenset())
    word = found[1].strip().lower().replace("’", "'") if found else ""
    if found is None or articles.isdisjoint({word, word.removeprefix("'")}):
        return 0
    return min(MOST, found.end())
