"""Tables of a page say what a walk over it would."""

from __future__ import annotations

import gc
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from blogcrawl.core.page import Page
from blogcrawl.dom.index import PageIndex
from blogcrawl.extraction.model import Hints, learn_blog
from blogcrawl.induction.learn import Prepared
from blogcrawl.text.similarity import covered, sums
from blogcrawl.text.visible import node_text, squeeze
from tests.induction.test_validate_rules import samples

PIECES = st.lists(st.text("ab 1٣\n", max_size=9), max_size=40)


def _index(pieces: list[str]) -> PageIndex:
    inner = "".join(
        f"<{'i' if n % 3 else 'p'}>{piece}</{'i' if n % 3 else 'p'}>"
        for n, piece in enumerate(pieces)
    )
    return PageIndex(
        Page(
            url="http://b.example/",
            body=f"<html><body><div class=c>{inner}</div></body></html>".encode(),
        )
    )


@given(PIECES, st.integers(min_value=1, max_value=60))
def test_index_has_heads_and_texts_of_elements(pieces: list[str], letters: int) -> None:
    index = _index(pieces)
    for i, element in enumerate(index.elements):
        assert index.text(i) == node_text(element)
        assert index.head(i, letters)[:letters] == index.text(i)[:letters]


@given(PIECES)
def test_numbers_are_found_by_position(pieces: list[str]) -> None:
    index = _index(pieces)
    assert index.number_places == [at for at, word in enumerate(index.words) if word[0].isdecimal()]
    for wanted in ({"1"}, {"a", "1"}):
        said = [set(index.words[a:b]) for a, b in zip(index.first, index.last, strict=True)]
        assert index.holding(wanted, 100) == [
            i for i, words in enumerate(said) if i >= index.body and words & wanted
        ]


@given(st.text(" a\t\n\xa0\u2003\x1cé", max_size=300))
def test_white_space_is_normalised_like_str_split(text: str) -> None:
    assert squeeze(text) == " ".join(text.split())


def test_learning_leaves_no_reference_cycles() -> None:
    known = samples("two")
    gc.collect()
    gc.disable()
    try:
        learn_blog(known, Hints())
        assert not any(isinstance(thing, Prepared) for thing in gc.get_objects())
    finally:
        gc.enable()


def test_indexes_of_pages_with_many_words_are_small() -> None:
    """Blogs with thousands of comments are learned from a dozen such pages at once."""
    words = [f"word{n % 3000}" for n in range(20_000)]
    paragraphs = (" ".join(words[at : at + 100]) for at in range(0, len(words), 100))
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    page = Page(url="http://b.example/", body=f"<html><body>{body}</body></html>".encode())
    assert page.tree is not None
    tracemalloc.start()
    try:
        index = PageIndex(page)
        totals = sums(covered(index.runs(4), set(index.runs(4)), 4, len(index.words)))
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert totals[-1] == len(index.words) == len(words)
    assert held < 60 * len(words), f"{held / len(words):.0f} bytes a word"
