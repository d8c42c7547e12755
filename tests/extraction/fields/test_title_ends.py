"""Names of a site and its sections behind a separator at the end of titles."""

from __future__ import annotations

from blogcrawl.core.records import FieldValue
from blogcrawl.extraction.fields.names import (
    end_of,
    own_part,
    segments,
    starts_of,
    without_ends,
)


def test_title_end_follows_the_last_separator() -> None:
    assert end_of("Bread - and more : The Old Blog") == "the old blog"
    assert end_of("Bread and more") == ""


def test_known_title_ends_are_cut_and_others_kept() -> None:
    titles = [
        FieldValue(value=text, method="title", confidence=0.5)
        for text in ("Bread : The Old Blog", "Bread : a story")
    ]
    assert [v.value for v in without_ends(titles, {"the old blog"})] == ["Bread", "Bread : a story"]


def test_quotation_mark_before_the_site_name_is_kept() -> None:
    names = frozenset({"the old blog"})
    assert segments("The «family bank»… : The Old Blog", names) == "The «family bank»…"


def test_title_starts_precede_separators_and_colons() -> None:
    assert starts_of("The Old Blog: Bread - and more") == {"the old blog", "bread"}
    assert starts_of("The Old Blog - Archives » Bread") == {"the old blog", "archives"}
    assert starts_of("Bread and more") == {"bread and more"}


def test_site_name_before_a_colon_is_cut_and_other_words_kept() -> None:
    names = frozenset({"the old blog"})
    assert segments("The Old Blog: Bread", names) == "Bread"
    assert segments("Bread: The Old Blog", names) == "Bread: The Old Blog"
    assert segments("Bread: a story", names) == "Bread: a story"


def test_document_title_without_common_parts_is_the_title() -> None:
    assert [v.value for v in own_part("The Old Blog - Bread", {"the old blog"})] == ["Bread"]
    assert own_part("Bread", {"the old blog"}) == []
    assert own_part("The Old Blog | A diary", {"the old blog", "a diary"}) == []
    both = {"the old blog", "archives"}
    assert [v.value for v in own_part("The Old Blog - Archives » Bread", both)] == ["Bread"]


def test_site_name_in_brackets_at_the_end_is_cut_and_other_brackets_kept() -> None:
    assert end_of("Bread (The Old Blog)") == end_of("Bread - more (The Old Blog)") == "the old blog"
    assert end_of("Bread(2)") == end_of("(The Old Blog)") == ""
    names = frozenset({"the old blog"})
    assert segments("Bread - more (The Old Blog)", names) == "Bread - more"
    assert segments("Bread (part 2)", names) == "Bread (part 2)"
    titles = [FieldValue(value="Bread (The Old Blog)", method="title", confidence=0.5)]
    assert [v.value for v in without_ends(titles, names)] == ["Bread"]
