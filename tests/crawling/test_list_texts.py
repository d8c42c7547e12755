"""Edits that lists show."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from blogcrawl.core.page import Page
from blogcrawl.crawling.list_texts import edited

TEXT = (
    "On the quay of {} the nets and the ropes were mended till all lamps went out in the harbour."
)
ARCHIVED = {f"http://b.example/{n}": f"Walk {n} {TEXT.format(n)}" for n in range(6)}


def entry(n: int, *, title: str = "Walk", text: str = TEXT) -> str:
    info = (
        f"Written down on the {n + 1}th of March 2020 by somebody who was there, filed under boats."
    )
    return (
        f"<div class=post><h2><a href=/{n}>{title} {n}</a></h2><p class=info>{info}</p>"
        f"<p>{text.format(n)}</p><a href=/{n}#comments>{n} comments</a></div>"
    )


def found(entries: Mapping[int, str]) -> set[str]:
    items = "".join(entries.get(n, entry(n)) for n in range(6))
    body = f"<body><h1>A blog</h1>{items}<p>{TEXT.format('the side bar')}</p></body>"
    return set(edited(Page(url="http://b.example/", body=body.encode()), post_at, ARCHIVED.get))


def post_at(url: str) -> str | None:
    key = url.partition("#")[0]
    return key if key in ARCHIVED else None


@pytest.mark.parametrize(
    "changed",
    [
        entry(3, title="Hike"),
        entry(3, text=TEXT.replace("nets", "sails")),
        entry(3, text=TEXT.replace("nets", "sails").replace("harbour.", "… <a>More</a>")),
    ],
)
def test_post_is_edited_that_a_list_shows_otherwise(changed: str) -> None:
    assert found({3: changed}) == {"http://b.example/3"}


def test_list_that_shows_the_archived_texts_or_their_beginnings_shows_no_edit() -> None:
    cut = TEXT.replace("in the harbour.", "in… <a href=/3>Read on</a>")
    assert found({}) == found({3: entry(3, text=cut)}) == set()


def test_summaries_written_for_the_list_are_no_edits() -> None:
    summary = (
        "What a day that was in {}, says the author, and promises that more of it will follow."
    )
    assert found({n: entry(n, text=summary) for n in range(6)}) == set()
