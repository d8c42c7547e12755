"""Names of a site and its sections behind a separator at the end of titles."""

from __future__ import annotations

from blogcrawl.core.records import FieldValue
from blogcrawl.extraction.fields.names import end_of, segments, without_ends


def test_end_of_a_title_is_what_stands_behind_the_last_separator() -> None:
    assert end_of("Bread - and more : The Old Blog") == "the old blog"
    assert end_of("Bread and more") == ""


def test_known_ends_are_cut_and_others_stay() -> None:
    titles = [
        FieldValue(value=text, method="title", confidence=0.5)
        for text in ("Bread : The Old Blog", "Bread : a story")
    ]
    assert [v.value for v in without_ends(titles, {"the old blog"})] == ["Bread", "Bread : a story"]


def test_marks_of_a_quotation_before_the_sites_name_are_the_posts() -> None:
    names = frozenset({"the old blog"})
    assert segments("The «family bank»… : The Old Blog", names) == "The «family bank»…"
