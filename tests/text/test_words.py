"""Words of every script, as they are indexed and searched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawl.text.words import fold, places, spelled, terms, units


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        ("Café", "cafe"),
        ("cafe\u0301", "CAFÉ"),
        ("STRASSE", "straße"),
        ("İstanbul", "istanbul"),
        ("łódź", "Lodz"),
        ("Ёлка", "елка"),
        ("Ἀθῆναι", "Αθηναι"),
        ("مُدَرِّسَة", "مدرسة"),
        ("كتـــاب", "کتاب"),
        ("می\u200cخواهم", "میخواهم"),
        ("שָׁלוֹם", "שלום"),
        ("ﬁne", "fine"),
        ("co\u00adoperate", "cooperate"),
    ],
)
def test_spellings_of_a_word_are_one(written: str, typed: str) -> None:
    assert [unit.text for unit in units(written)] == [unit.text for unit in units(typed)]


@pytest.mark.parametrize("word", ["हिन्दी", "தமிழ்", "한국어"])
def test_marks_that_are_letters_stay(word: str) -> None:
    assert [unit.text for unit in units(f"({word})")] == [fold(word)]
    assert fold(word) == word


@pytest.mark.parametrize("run", ["東京都庁", "สวัสดีครับ", "カラオケ", "ພາສາລາວ"])
def test_scripts_without_blanks_are_cut_into_pairs(run: str) -> None:
    found = [term for piece in terms(f"in {run}!") for term in piece.terms]
    assert found == ["in", *(run[i : i + 2] for i in range(len(run)))]


def test_half_width_kana_are_kana() -> None:
    assert list(terms("ｶﾗｵｹ")) == list(terms("カラオケ"))


def test_pictures_are_words() -> None:
    [(found, are_words)] = terms("I♥🎉, 👍🏽")
    assert (found, are_words) == (["i", "♥", "🎉", "👍"], True)


@given(st.text())
def test_units_lie_in_the_text(text: str) -> None:
    at = 0
    for unit in units(text):
        assert at <= unit.start + 1 and unit.start < unit.end <= len(text)
        assert unit.text and not any(char.isspace() or char == '"' for char in unit.text)
        at = unit.start
    assert all(term for piece in terms(text) for term in piece.terms)


@given(
    st.text()
    | st.text(st.sampled_from("aB9_\u2019\u201c\u00a0\u00ad\x1c .")).map(lambda text: 40 * text)
    | st.text(st.sampled_from("aé\u0301\u00ad東ﾊﾟ👍ไ "))
)
def test_the_short_way_to_units_finds_the_same(text: str) -> None:
    found = list(units(text))
    assert spelled(text) == [unit.text for unit in found]
    assert places(text) == [(unit.start, unit.end) for unit in found]
