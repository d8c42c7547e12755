"""Times ago as the only word of a post's date."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogcrawl.core.page import Page
from blogcrawl.dates.edtf import edtf
from blogcrawl.extraction.fields.time_ago import times_ago
from blogcrawl.extraction.methods.generic import GenericExtractor

NOW = datetime(2020, 5, 20, 12, tzinfo=UTC)
MENU = (
    "<ul class=tree>" + "".join(f"<li><a href=/{n}>Page {n}</a></li>" for n in range(30)) + "</ul>"
)
TEXT = "".join(
    f"<p>The kettle of the harbour sang {word} over the stone, and nobody minded it at all.</p>"
    for word in ("once", "twice", "again", "at last")
)


def page(head: str, text: str = TEXT, fetched_at: datetime | None = NOW) -> Page:
    markup = (
        f"<html lang=en><body><h1>The kettle</h1>{MENU}<div class=middle>{head}{text}</div>"
        "<div id=comments><h3>Comments</h3><p>Ann, 2 years ago</p></div></body></html>"
    )
    return Page(url="https://b.example/kettle", body=markup.encode(), fetched_at=fetched_at)


def published(page: Page) -> list[str]:
    fields = GenericExtractor().extract(page) or {}
    return [edtf(value.value) for value in fields.get("published", [])]


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("3 years, 2 months ago", "2017-03~"),
        ("10 years ago", "2010~"),
        ("3\N{NO-BREAK SPACE}weeks ago", "2020-04~"),
        ("5 days ago", "2020-05-15"),
    ],
)
def test_time_ago_behind_a_menu_gives_what_is_known(said: str, day: str) -> None:
    head = f'<h6 class="post-meta">Posted by: <a href=/by/nora>Nora</a> {said}</h6>'
    assert published(page(head)) == [day]


@pytest.mark.parametrize(
    "head",
    [
        "",
        "<h6>Updated 3 years ago</h6>",
        "<p>Ten years ago and 3 years ago we sang.</p>",
    ],
    ids=["of a comment", "of a change", "a sentence"],
)
def test_other_times_ago_are_none_of_the_post(head: str) -> None:
    assert published(page(head)) == []


def test_a_date_is_believed_before_a_time_ago() -> None:
    head = "<h6>Posted 3 years ago</h6><p class=date>4 May 2017</p>"
    assert published(page(head)) == ["2017-05-04"]


def test_nothing_without_the_moment_of_the_fetch() -> None:
    one = page("<h6>Posted 3 years ago</h6>", fetched_at=None)
    assert times_ago(one, one.tree.find(".//div"), ["en"]) == []
