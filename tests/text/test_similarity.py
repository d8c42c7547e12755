"""Dice, runs of words, and bigrams of nodes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import lxml.html
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml.html import HtmlElement

from blogcrawl.core.page import Page
from blogcrawl.dom.index import PageIndex
from blogcrawl.text.similarity import (
    _STRANGE,
    _folded,
    _nfkc,
    bigrams,
    covered,
    dice,
    f1,
    fold,
    run_hashes,
    shingles,
    sums,
    tokens,
)
from blogcrawl.text.visible import SILENT_TAGS

texts = st.text(max_size=60)


@given(texts, texts)
def test_dice_is_symmetric_and_bounded(a: str, b: str) -> None:
    assert dice(a, b) == dice(b, a)
    assert 0.0 <= dice(a, b) <= 1.0


@given(texts)
def test_dice_of_a_text_with_itself_is_one(a: str) -> None:
    assert dice(a, a) == (1.0 if fold(a) else 0.0)


@st.composite
def trees(draw: st.DrawFn) -> HtmlElement:
    def markup(depth: int) -> str:
        tag = draw(st.sampled_from(["div", "p", "span", "em", "script"]))
        inner = draw(st.text("ab cd", max_size=6))
        for _ in range(draw(st.integers(0, 3)) if depth < 3 else 0):
            inner += markup(depth + 1) + draw(st.text("efg ", max_size=5))
        return f"<{tag}>{inner}</{tag}>"

    return lxml.html.fragment_fromstring(markup(0), create_parent="div")


def letters(words: Sequence[str]) -> frozenset[str]:
    return frozenset().union(*map(bigrams, words))


@settings(max_examples=60)
@given(trees())
def test_bigrams_of_a_node_include_its_childrens(tree: HtmlElement) -> None:
    """Paper, Algorithm 2: what a rule returns is compared without a node's text being read again
    for each node above it.
    """
    index = PageIndex(Page(url="http://a.test/", body=lxml.html.tostring(tree)))
    for node in range(len(index.elements)):
        children = [i for i, parent in enumerate(index.parent) if parent == node]
        place, own = index.first[node], []
        for child in children:
            assert place <= index.first[child] <= index.last[child] <= index.last[node], (
                "children lie in their parent, one after the other"
            )
            own += index.words[place : index.first[child]]
            place = index.last[child]
        own += index.words[place : index.last[node]]
        below = [letters(index.words[index.first[i] : index.last[i]]) for i in children]
        assert letters(index.words[index.first[node] : index.last[node]]) == letters(own).union(
            *below
        )
    assert not SILENT_TAGS.difference({"head"}) & set(index.tags)


def test_examples_of_the_paper() -> None:
    assert round(dice("Scheme Scala", "Scala Scheme"), 2) in (0.9, 0.91)
    assert dice("Rachid", "Amy, Rachid and all their friends") > dice("Rachid", "Richard") - 0.4


def test_words_in_scripts_without_spaces() -> None:
    assert tokens("Ａbc 日本語") == ["abc", "日", "本", "語"]


@given(
    st.text(
        st.sampled_from("aZß9 _\u00a0…ée\u0301İﬁ²’–Я\U0001f600") | st.characters(codec="utf-8"),
        max_size=80,
    )
)
def test_words_are_runs_of_letters_and_digits_of_the_folded_text(text: str) -> None:
    folded = unicodedata.normalize("NFKC", text).casefold()
    runs = re.findall(r"[^\W_]+", folded)
    assert tokens(text) == runs or any("\u3040" <= c <= "\ufaff" for c in folded)


@given(st.text(st.sampled_from("aZ9 _。，、ーィ・ぱ漢字한글яЯώΏＡ①ｶﾞ\u3099’"), max_size=400))
def test_words_within_scripts_without_spaces(text: str) -> None:
    alone = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    folded = unicodedata.normalize("NFKC", text).casefold()
    assert tokens(text) == re.findall(f"[{alone}]|[^\\W_{alone}]+", folded)


def test_ignored_characters_are_unchanged() -> None:
    steady = [c for c in map(chr, range(0x80, 0x30000)) if not _STRANGE.match(c)]
    assert len(steady) > 30_000 and all(_nfkc(c) == c == _folded(c) for c in steady)


def test_covered_marks_only_runs_of_words() -> None:
    wanted = shingles(tokens("one two three four"), 3)
    words = tokens("zero one two three nine four one two")
    marks = covered(run_hashes(words, 3), wanted, 3, len(words))
    assert list(marks) == [0, 1, 1, 1, 0, 0, 0, 0]
    assert sums(marks)[-1] == 3
    assert f1(3, 8, 4) == 0.5
