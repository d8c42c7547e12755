"""Which language a text is in: what was declared of it, weighed against fastText's detection.

The detector is fastText's ``lid.176.ftz`` (Joulin et al., "Bag of Tricks for Efficient Text
Classification", 2016; the file is under CC BY-SA 3.0, see ``lid.176.md``), run by
``fasttext-predict``. It is loaded with the first text.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from typing import Any

DETECTOR = "fasttext lid.176"
READ, PROSE = 20_000, 4_000
"""Characters of a text that are read, and of prose that the detector gets: on 8,000 posts of known
language more of them changed no verdict."""
DOUBT = 20
"""Letters of a text that weigh as much as not having seen it."""
LANGUAGES = 20
"""Languages over which that doubt is spread: those with more than 0.5 % of the web's pages
(w3techs.com/technologies/overview/content_language)."""
RARE = 0.02
"""Smallest share of a blog's posts that any language is given."""

_TAG = re.compile(r"^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*$")
_NO_LANGUAGE = frozenset({"und", "mul", "zxx", "mis"})
_PLAIN_WORD = re.compile(
    r"[\"'(\[]{0,2}[A-Za-z][a-z]*+(?:[-'][A-Za-z]?+[a-z]*+)*+[\"')\].,;:!?]{0,3}"
)
_SAME = {
    **{"nb": "no", "nn": "no", "iw": "he", "in": "id", "ji": "yi"},
    **{"wuu": "zh", "yue": "zh", "cmn": "zh", "arz": "ar", "als": "gsw"},
}
"""Codes that detection can't or need not distinguish, old ones, and Wikipedia's own for Alemannic;
the language that they count for."""
_log = logging.getLogger(__name__)


def language_tag(*candidates: str | None) -> str | None:
    """Return the first plausible language tag, as BCP 47 writes it (``en-GB``).

    gettext's ``en_GB`` is understood; of several tags in one value the first counts.
    """
    for text in candidates:
        tag = (text or "").strip().split(",")[0].strip()
        if _TAG.match(tag) and tag.lower() not in _NO_LANGUAGE:
            first, *rest = tag.replace("_", "-").split("-")
            return "-".join([first.lower(), *(r.upper() if len(r) == 2 else r for r in rest)])
    return None


def primary(tag: str) -> str:
    """Return the language of a tag, without script and region: ``nb-NO`` -> ``no``."""
    code = tag.split("-", 1)[0].lower()
    return _SAME.get(code, code)


def letters_of(text: str) -> int:
    """Count the letters of a text, of any script."""
    return sum(map(str.isalpha, text))


def most_common(usual: Mapping[str, int]) -> str:
    """Return the language with the highest count; of equals the first by its code."""
    return max(sorted(usual), key=usual.__getitem__)


@dataclass(frozen=True, slots=True)
class Verdict:
    """``tag``: the language; ``confidence``: its probability, 0..1; ``is_declared``: it is one of
    those declared."""

    tag: str
    confidence: float
    is_declared: bool


def blog_language(declared: str | None, counted: Mapping[str, int]) -> Verdict | None:
    """Return the language in which most of a blog is written; None where nothing is counted.

    ``declared``: what the blog says of itself; it is kept, with its region, where it is that
    language. ``counted``: letters (or posts) by tag. The confidence is their share.
    """
    by_language: Counter[str] = Counter()
    for tag, count in counted.items():
        by_language[primary(tag)] += count
    total = by_language.total()
    if not total:
        return None
    code = most_common(by_language)
    is_declared = declared is not None and primary(declared) == code
    usual = most_common({tag: count for tag, count in counted.items() if primary(tag) == code})
    tag = declared if declared is not None and is_declared else usual
    return Verdict(tag, round(by_language[code] / total, 3), is_declared)


def weigh_languages(
    text: str, declared: Mapping[str, float] | None = None, usual: Mapping[str, int] | None = None
) -> Verdict | None:
    """Return the most probable language of a text; None where nothing is known.

    ``declared``: tag -> how often a declaration of that kind is right (0..1); ``usual``: language
    -> posts of the blog in it. Bayes' rule: the detector's probability, less sure the fewer letters
    there are, times the odds of the declaration, times the share of the blog's posts.
    """
    declared, usual = declared or {}, usual or {}
    letters, seen = detect(text)
    if not seen:
        return _without_text(declared, usual)
    nearest = reversed(list(declared))  # of those that are as sure the first has the last word
    tags = {primary(tag): tag for tag in sorted(nearest, key=declared.__getitem__)}
    trust = letters / (letters + DOUBT)
    weights = {}
    for code in sorted({*seen, *tags, *usual}):
        likely = trust * seen.get(code, 0.0) + (1 - trust) / LANGUAGES
        odds = _odds(declared[tags[code]]) if code in tags else 1.0
        weights[code] = likely * odds * _share(code, usual)
    best = max(weights, key=weights.__getitem__)
    confidence = round(weights[best] / sum(weights.values()), 3)
    return Verdict(tags.get(best, best), confidence, best in tags)


def _without_text(declared: Mapping[str, float], usual: Mapping[str, int]) -> Verdict | None:
    """Return what the blog's posts usually are in, else what is declared."""
    if usual:
        code = most_common(usual)
        tags = [tag for tag in declared if primary(tag) == code]
        return Verdict(tags[0] if tags else code, round(_share(code, usual), 3), bool(tags))
    tag = max(sorted(declared), key=declared.__getitem__, default=None)
    return Verdict(tag, declared[tag], True) if tag else None


def _odds(probability: float) -> float:
    return probability / max(1e-6, 1 - probability)


def _share(code: str, usual: Mapping[str, int]) -> float:
    """Return the share of a blog's posts in a language, with half a post of doubt."""
    if not usual:
        return 1.0
    return max(RARE, (usual.get(code, 0) + 0.5) / (sum(usual.values()) + 1))


def detect(text: str) -> tuple[int, dict[str, float]]:
    """Return how many letters of prose the text has, and each likely language's probability."""
    plain = prose(text)
    letters = letters_of(plain)
    model = _model() if letters else None
    if model is None:
        return letters, {}
    found: dict[str, float] = {}
    readable = plain.encode("utf-8", "replace").decode()
    for label, share in zip(*model.predict(readable, k=5), strict=True):
        code = primary(label.removeprefix("__label__"))
        found[code] = found.get(code, 0.0) + float(share)
    return letters, found


def prose(text: str) -> str:
    """Return the words of a text without what looks like code, numbers or addresses.

    Posts in another script lose their English keywords and names with it: a third of the words of a
    Chinese post about a program may be Latin.
    """
    words = (
        word
        for word in text[:READ].split()
        if not word.isascii() or _PLAIN_WORD.fullmatch(word) is not None
    )
    return " ".join(words)[:PROSE]


@cache
def _model() -> Any:
    """Load the detector; None, with a warning, where its package is missing."""
    try:
        import fasttext
    except ImportError:
        _log.warning("fasttext-predict is not installed: declared languages are taken as they are")
        return None
    with as_file(files("blogcrawl.text") / "lid.176.ftz") as path:
        return fasttext.load_model(str(path))
