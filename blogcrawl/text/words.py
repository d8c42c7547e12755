"""Words of text in any script, as a search index and its queries know them.

A word is folded: lower case, without diacritics, vowel points and variants of one letter. Scripts
without blanks between words (Han, kana, Thai, Lao, Khmer, Burmese) are cut into pairs of
characters, not by a dictionary: every string of them is found, names and new words too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

LONGEST = 48
"""Characters of a word that count."""
_GRAMS = (
    "\u0e01-\u0e3a\u0e40-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3005\u3007\u3041-\u3096\u309d\u309e\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff\uff66-\uff9f"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # kana, Han
)
_PICTURES = "\u2600-\u27bf\u2b50\u2b55\u3030\U0001f000-\U0001f3fa\U0001f400-\U0001faff"
_HALF_WIDTH = re.compile("[\uff66-\uff9f]")
_BLANKS = {code: " " for code in range(128) if not chr(code).isalnum()}
"""Signs of ASCII between words. Translating is eight times as fast as a regular expression."""
_ASCII_WORD = re.compile("[0-9A-Za-z]+")
_PUNCTUATION = "\u2019\u2018\u201c\u201d\u201e\u2013\u2014\u2026\u00ab\u00bb\u00a0"
"""Typographic signs: most texts have no others outside ASCII."""
_DROPPED = dict.fromkeys(
    (
        *range(0x0300, 0x0370),  # combining marks of Latin, Greek, Cyrillic
        *(*range(0x0591, 0x05BE), 0x05BF, 0x05C1, 0x05C2, 0x05C4, 0x05C5, 0x05C7),  # Hebrew points
        *(0x0640, *range(0x064B, 0x0660), 0x0670),  # Arabic tatweel and vowel signs
        *(0x00AD, 0x200C, 0x200D, *range(0xFE00, 0xFE10)),  # soft hyphen, joiners, selectors
    )
)
_SAME = str.maketrans("łøđħıیکے", "lodhiيكي")
"""Letters that do not decompose; the Persian and Urdu forms of Arabic letters."""


class Unit(NamedTuple):
    """A folded word, or one character of a script without blanks, and where it lies in the text.

    ``run``: the number of its run of such characters in the text; -1: a word.
    """

    text: str
    start: int
    end: int
    run: int = -1


@cache
def _pattern() -> re.Pattern[str]:
    """Match a run of characters without blanks, a picture (emoji), or a word with its marks."""
    marks = "".join(
        chr(code)
        for first, last in ((0x300, 0x1E00), (0xA800, 0xAC00), (0xFE00, 0xFE30), (0x11000, 0x12000))
        for code in range(first, last)
        if unicodedata.category(chr(code))[0] == "M"
    )
    inside = f"[{re.escape(marks)}\u00ad\u200c\u200d]"
    word = rf"[^\W_{_GRAMS}]+"
    return re.compile(rf"[{_GRAMS}]+|[{_PICTURES}]|{word}(?:{inside}+(?:{word})?)*")


@cache
def _gram() -> re.Pattern[str]:
    return re.compile(f"[{_GRAMS}]")


def fold(word: str) -> str:
    """Return the form under which a word is found; empty if nothing of it is letter or digit."""
    return word.lower()[:LONGEST] if word.isascii() else _fold_letters(word)


@lru_cache(maxsize=4_096)
def _fold_letters(word: str) -> str:
    plain = unicodedata.normalize("NFKD", word.casefold()).translate(_DROPPED).translate(_SAME)
    plain = unicodedata.normalize("NFC", plain)
    pieces = _pattern().findall(plain)
    return "".join(pieces)[:LONGEST]


def _fold_run(run: str) -> str:
    return unicodedata.normalize("NFKC" if _HALF_WIDTH.search(run) else "NFC", run)


def units(text: str) -> Iterator[Unit]:
    """Yield the units of a text in their order."""
    is_gram = _gram().match
    for number, found in enumerate(_pattern().finditer(text)):
        piece, start = found[0], found.start()
        if not piece.isascii() and is_gram(piece):
            folded, last = _fold_run(piece), len(piece) - 1
            for at, char in enumerate(folded):
                place = start + min(at, last)
                yield Unit(char, place, place + 1, number)
        elif word := fold(piece):
            yield Unit(word, start, found.end())


def spelled(text: str) -> list[str]:
    """Return the texts of all units, at a tenth of their time: most texts have no word that is
    looked for."""
    plain = _ascii(text)
    if plain is not None:
        return _split(plain)
    is_gram, found = _gram().match, list[str]()
    for piece in _pattern().findall(text):
        if not piece.isascii() and is_gram(piece):
            found += _fold_run(piece)
        elif word := fold(piece):
            found.append(word)
    return found


def places(text: str) -> list[tuple[int, int]]:
    """Return where the units of ``spelled`` are in the text."""
    plain = _ascii(text)
    if plain is not None:
        return [found.span() for found in _ASCII_WORD.finditer(plain)]
    return [(unit.start, unit.end) for unit in units(text)]


def _ascii(text: str) -> str | None:
    """Return a text of ASCII and typographic signs, these as blanks; None for any other."""
    if not text.isascii():
        for sign in _PUNCTUATION:
            text = text.replace(sign, " ")
    return text if text.isascii() else None


def _split(plain: str) -> list[str]:
    """Return the words of a text of ASCII."""
    words = plain.lower().translate(_BLANKS).split()
    is_long = max(map(len, words), default=0) > LONGEST
    return [word[:LONGEST] for word in words] if is_long else words


class Terms(NamedTuple):
    """Terms under which a piece of a text is indexed; ``words``: they are words, and neighbours."""

    terms: Sequence[str]
    words: bool = True


def terms(text: str) -> Iterator[Terms]:
    """Yield the terms under which a text is indexed.

    Words as they are; of a run of characters each with the one after it, the last alone: so each
    begins a term.
    """
    plain = _ascii(text)
    if plain is not None:
        yield Terms(_split(plain))
        return
    is_gram, words = _gram().match, list[str]()
    for piece in _pattern().findall(text):
        if not piece.isascii() and is_gram(piece):
            run = _fold_run(piece)
            yield Terms(words)
            yield Terms([run[at : at + 2] for at in range(len(run))], words=False)
            words = []
        elif word := fold(piece):
            words.append(word)
    yield Terms(words)
