"""Entries filled from the pages of a blog without a feed."""

from __future__ import annotations

from blogcrawl.core.page import Page
from blogcrawl.core.records import FieldValue
from blogcrawl.extraction.fields.names import same_headings
from blogcrawl.extraction.methods.self_training import common_titles


def _titled(*titles: str) -> dict[str, list[FieldValue]]:
    return {
        "title": [FieldValue(value=title, method="generic", confidence=0.5) for title in titles]
    }


def test_title_of_over_a_quarter_of_the_other_pages_is_the_sites() -> None:
    pages = [_titled(f"Letter {n}", *(["The Long  Street"] if n < 3 else [])) for n in range(8)]
    assert common_titles(pages) == {"the long street"}
    assert not common_titles([*pages, _titled("Letter 8")])


def test_heading_of_two_pages_is_a_posts() -> None:
    def page(n: int) -> Page:
        body = f"<h1>The Long Street</h1>{'<h1>Part two</h1>' if n < 2 else ''}<h1>Letter {n}</h1>"
        return Page(url=f"http://b.example/{n}", body=f"<html><body>{body}".encode())

    assert same_headings([page(n) for n in range(4)]) == ["the long street"]
