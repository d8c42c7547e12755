"""How alike two texts are, in linear time (harvest-modern-weblogs, sections 3.3 and 3.4).

Two measures: Sorensen-Dice over sets of character bigrams, as in the paper, and the share of words
that stand in runs which the target has too. The first saturates on long texts (most bigrams of a
language occur in any of them); the second does not, and computes for every node of a page at once
how much of it is target and how much is not.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import accumulate, chain
from sys import intern

from blogcrawl.text.visible import squeeze

_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
EDGE = "\x00"
"""Between texts that are read in one go: no parsed page has it."""
_CJK_TOKEN = re.compile(f"[{_CJK}]")
_UNSPACED = re.compile(f"([{_CJK}]+)")
_STRANGE = re.compile("[^à-öø-ÿά-ία-ρσ-ώа-џא-תء-غف-يぁ-ゖァ-ヺー一-鿿가-힣]")
"""All but the letters of large scripts that folding leaves as they are."""
SAME_TEXT = 0.9
"""Similarity from which two texts are the same: the threshold of the papers' evaluations."""
FEW_HIGH = 100
"""Characters beyond ASCII from which it is cheaper to look for the strange ones among them than to
look at each.
"""
_ASCII = bytes(range(128))
_PLAIN = bytes(
    c if c > 127 or c == ord(EDGE) else ord(chr(c).lower()) if chr(c).isalnum() else ord(" ")
    for c in range(256)
)
"""UTF-8, byte by byte: ASCII letters small, what is no letter or digit a blank."""
MANY = 24
"""Characters of a text to replace from which folding all of it is cheaper."""
_FOLD: dict[int, str | None] = {
    ord(a): b for a, b in zip("‘’‚‛ʼ`´′“”„‟″«»–—‒―‐‑−", "''''''''" + '"' * 7 + "-" * 7, strict=True)
}
_FOLD.update({ord(c): None for c in "\u200b\u200c\u200d\ufeff\u00ad"})
WORD_RUN, CJK_RUN = 3, 5
"""Length of the runs (shingles): three words, or five characters where words are not spaced."""


def fold(text: str | None) -> str:
    """Return text for comparison: NFKC, typographic quotes and dashes made plain, invisible
    characters out, blanks squeezed.
    """
    if not text:
        return ""
    return squeeze(text if text.isascii() else unicodedata.normalize("NFKC", text).translate(_FOLD))


@lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """Return the key by which titles, names and tags are the same; a blog has the same ones on many
    pages.
    """
    return fold(text).casefold()


def bigrams(text: str) -> frozenset[str]:
    """Return pairs of adjacent characters of ``text`` as it stands; of a single character that
    character.
    """
    if len(text) == 1:
        return frozenset(text)
    return frozenset(map(str.__add__, text, text[1:]))


def dice(left: str, right: str) -> float:
    """Return Sorensen-Dice over bigram sets of the folded texts: 0..1, symmetric, 1 for equal texts
    (two empty ones: 0).
    """
    return folded_dice(fold(left), fold(right))


def folded_dice(left: str, right: str) -> float:
    """Return the same for texts that are folded already."""
    if not left or not right:
        return 0.0
    if left == right:
        return 1.0
    a, b = bigrams(left), bigrams(right)
    return 2 * len(a & b) / (len(a) + len(b))


def tokens(text: str) -> list[str]:
    """Return words, case folded; scripts written without blanks (Han, Kana) give one token a
    character.
    """
    return tokens_of_pieces([text])[0]


def tokens_of_pieces(pieces: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return words of texts that are read in one go, none of them over a text's edge; and how many
    each text has. Equal words are one string: pages with thousands of comments are learned from
    together.
    """
    rows = list(map(str.split, _plain(EDGE.join(pieces)).split(EDGE)))
    return list(map(intern, chain.from_iterable(rows))), list(map(len, rows))


def _plain(text: str) -> str:
    """NFKC, case folded, all that is no letter or digit a blank, a blank on either side of what is
    a word by itself. Character by character of those there are beyond ASCII: they are few, and
    replacing each in C is five times as fast as a regular expression that reads every word."""
    if text.isascii():
        return text.encode().translate(_PLAIN).decode()
    high = _high(text)
    normal = _normalized(text, high)
    if normal != text:
        text, high = normal, _high(normal)
    has_unspaced = _UNSPACED.search(high)
    text = _casefolded(text, high)
    text = text.encode("utf-8", "surrogatepass").translate(_PLAIN).decode("utf-8", "surrogatepass")
    return _spaced(text) if has_unspaced else text


def _normalized(text: str, high: str) -> str:
    """NFKC. ``high``: the text's characters beyond ASCII."""
    for c in _strange(high):
        if _nfkc(c) != c:
            text = text.replace(c, _nfkc(c))
    if unicodedata.is_normalized("NFKC", text):
        return text
    return unicodedata.normalize("NFKC", text)


def _casefolded(text: str, high: str) -> str:
    changed = [c for c in _strange(high) if _folded(c) != c]
    if len(changed) > MANY:
        text = text.casefold()
        changed = [c for c in _strange(_high(text)) if _folded(c) != c]
    for c in changed:
        text = text.replace(c, _folded(c))
    return text


def _spaced(text: str) -> str:
    """Put a space on either side of each character of the scripts that are written without."""
    parts = _UNSPACED.split(text)
    parts[1::2] = [f" {' '.join(run)} " for run in parts[1::2]]
    return "".join(parts)


def _high(text: str) -> str:
    """Return the characters beyond ASCII."""
    return (
        text.encode("utf-8", "surrogatepass")
        .translate(None, _ASCII)
        .decode("utf-8", "surrogatepass")
    )


def _strange(high: str) -> set[str]:
    """Return those of the characters beyond ASCII that folding may change."""
    return set(high if len(high) < FEW_HIGH else _STRANGE.findall(high))


@lru_cache(maxsize=8192)
def _nfkc(character: str) -> str:
    return unicodedata.normalize("NFKC", character)


@lru_cache(maxsize=8192)
def _folded(character: str) -> str:
    return "".join(c if c.isalnum() or _UNSPACED.match(c) else " " for c in character.casefold())


def run_length(sequence: Sequence[str]) -> int:
    """Return which run length fits this text: by whether most of it is written without blanks."""
    sample = sequence[:400]
    unspaced = len(_CJK_TOKEN.findall("".join(sample)))  # each is a token
    return CJK_RUN if 2 * unspaced > len(sample) else WORD_RUN


def run_hashes(sequence: Sequence[str], length: int) -> array[int]:
    """Return hashes of all runs of ``length`` tokens, in order; none of a shorter text."""
    return array("q", map(hash, zip(*(sequence[i:] for i in range(length)), strict=False)))


def shingles(sequence: Sequence[str], length: int) -> set[int]:
    """Return the distinct ones; a shorter text is one run."""
    if len(sequence) < length:
        return {hash(tuple(sequence))} if sequence else set()
    return set(run_hashes(sequence, length))


def covered(hashes: Sequence[int], wanted: AbstractSet[int], length: int, tokens: int) -> bytearray:
    """Return a byte for each of so many tokens with these runs: 1 where the token lies in a run
    that is wanted.
    """
    bits = int.from_bytes(bytes(map(wanted.__contains__, hashes)), "little")
    marks = 0
    for step in range(length):  # all runs are spread over their words at once
        marks |= bits << 8 * step
    return bytearray(marks.to_bytes(tokens, "little"))


def sums(marks: Iterable[int]) -> array[int]:
    """Running totals with a leading 0: marks in [a, b) are ``total[b] - total[a]``."""
    return array("i", accumulate(marks, initial=0))


def f1(hits: int, length: int, target: int) -> float:
    """Return token F1 of a stretch of ``length`` tokens of which ``hits`` are the target's
    ``target`` tokens.
    """
    return 2 * min(hits, target) / (length + target) if length + target else 0.0
