"""Expressions made of the lists of comments and bylines: every language works in each of them."""

from __future__ import annotations

import pytest

from blogcrawl.lexicon.comment_words import (
    BY_AFTER,
    BY_WORDS,
    NO_NAME,
    RESIDUE,
    ROLE,
    SAYS_WORDS,
    UNIT_ID,
    is_label,
    names_section,
    tokens,
)
from blogcrawl.lexicon.vocabulary import entries


@pytest.mark.parametrize("word", entries("bylines", "by", "of"))
def test_a_preposition_before_a_name_is_cut_off(word: str) -> None:
    assert BY_WORDS.sub("", f"{word} Ann") == "Ann"
    assert BY_AFTER.sub("", f" {word}: Ann") == "Ann"
    assert RESIDUE.fullmatch(f"{word} ")


@pytest.mark.parametrize(
    "text",
    ["Ann says:", "Ann schrieb am 3. Mai", "Ann a écrit :", "Ann napisał", "Ann sagde", "Ann |"],
)
def test_words_after_a_name_are_cut_off(text: str) -> None:
    assert SAYS_WORDS.sub("", text) == "Ann"


def test_name_that_begins_like_a_preposition_is_kept() -> None:
    for name in ("Per Hansen", "Van Morrison", "Frances", "Parker"):
        assert BY_WORDS.sub("", name) == name


def test_engine_words_are_no_names() -> None:
    assert all(NO_NAME.match(text) for text in ("Reply", "permalink", "#12", "says:", "返信"))
    assert NO_NAME.match("Ann") is None and ROLE.fullmatch(" Author ") and ROLE.fullmatch("作者")


@pytest.mark.parametrize(
    "text",
    [
        "4 Comments",
        "Kommentare (3)",
        "2 reacties",
        "Lesermeinungen",
        "コメント",
        "댓글 5",
        "תגובה אחת",
    ],
)
def test_comment_labels_are_recognised(text: str) -> None:
    assert is_label(text)


@pytest.mark.parametrize(
    "text",
    [
        "Recent comments",
        "Leave a comment",
        "הוסף תגובה",
        "What a comment on a post of mine taught me",
    ],
)
def test_labels_merely_containing_the_word_comment_are_rejected(text: str) -> None:
    assert not is_label(text)


def test_element_names_of_comments_are_recognised() -> None:
    assert names_section("commentList") and names_section("post-comments-area")
    assert not names_section("entry-content")
    found = UNIT_ID.match("li-comment-12")
    assert found is not None and found["num"] == "12"
    assert tokens("comment odd depth-2 comment-17 byuser") == ("comment",)
