"""Dice, runs of words, and bigrams of nodes."""

from __future__ import annotations

import re
import unicodedata

import lxml.html
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml.html import HtmlElement

from blogcrawl.induction.similarity import Bits, bigrams, covered, dice, dice_bits, f1, fold, node_bigrams, shingles, sums, tokens
from blogcrawl.text import SILENT_TAGS, squeeze

texts = st.text(max_size=60)


@given(texts, texts)
def test_dice_is_symmetric_and_bounded(a: str, b: str) -> None:
    assert dice(a, b) == dice(b, a)
    assert 0.0 <= dice(a, b) <= 1.0


@given(texts)
def test_dice_of_a_text_with_itself(a: str) -> None:
    assert dice(a, a) == (1.0 if fold(a) else 0.0)


@given(texts, texts)
def test_bits_are_sets(a: str, b: str) -> None:
    bits = Bits()
    x, y = bits.of(a), bits.of(b)
    assert x.bit_count() == len(bigrams(a))
    assert (x | y).bit_count() == len(bigrams(a) | bigrams(b))
    assert (x & y).bit_count() == len(bigrams(a) & bigrams(b))
    assert 0 <= dice_bits(x, y) <= 1


@st.composite
def trees(draw: st.DrawFn) -> HtmlElement:
    def markup(depth: int) -> str:
        tag = draw(st.sampled_from(["div", "p", "span", "em", "script"]))
        inner = draw(st.text("ab cd", max_size=6))
        for _ in range(draw(st.integers(0, 3)) if depth < 3 else 0):
            inner += markup(depth + 1) + draw(st.text("efg ", max_size=5))
        return f"<{tag}>{inner}</{tag}>"

    return lxml.html.fragment_fromstring(markup(0), create_parent="div")


@settings(max_examples=60)
@given(trees())
def test_bigrams_of_a_node_are_its_own_and_its_childrens(tree: HtmlElement) -> None:
    bits = Bits()
    found = node_bigrams(tree, bits)
    for node, have in found.items():
        own = bits.of(squeeze(node.text))
        for child in node:
            own |= found.get(child, 0) | bits.of(squeeze(child.tail))
        assert have == own
    assert all(node.tag not in SILENT_TAGS for node in found)


def test_examples_of_the_paper() -> None:
    assert round(dice("Scheme Scala", "Scala Scheme"), 2) in (0.9, 0.91)
    assert dice("Rachid", "Amy, Rachid and all their friends") > dice("Rachid", "Richard") - 0.4


def test_words_of_scripts_without_blanks() -> None:
    assert tokens("Ａbc 日本語") == ["abc", "日", "本", "語"]


@given(st.text(st.sampled_from("aZß9 _\u00a0…ée\u0301İﬁ²’–Я\U0001f600") | st.characters(codec="utf-8"), max_size=80))
def test_words_are_runs_of_letters_and_digits_of_the_folded_text(text: str) -> None:
    folded = unicodedata.normalize("NFKC", text).casefold()
    runs = re.findall(r"[^\W_]+", folded)
    assert tokens(text) == runs or any("\u3040" <= c <= "\ufaff" for c in folded)


def test_covered_marks_runs_only() -> None:
    wanted = shingles(tokens("one two three four"), 3)
    marks = covered(tokens("zero one two three nine four one two"), wanted, 3)
    assert list(marks) == [0, 1, 1, 1, 0, 0, 0, 0]
    assert sums(marks)[-1] == 3
    assert f1(3, 8, 4) == 0.5
