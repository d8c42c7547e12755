"""Lists of entries with pages of their own, and posts with comments or links to related posts."""

from __future__ import annotations

import pytest

from blogcrawl.core.page import Page
from blogcrawl.extraction.pages.several import dated_entries

TEXT = "The kettle sang in the kitchen while rain came down on the roof of the old shed. "
DAYS = ("May 1, 2004", "May 3, 2004", "May 9, 2004", "May 20, 2004")


def page_of(body: str) -> Page:
    html = f"<html><body><h1>Notes</h1>{body}</body></html>"
    return Page(
        url="http://notes.example/2004-05.html",
        body=html.encode(),
        headers={"content-type": "text/html"},
    )


def blocks(text: str, link: str) -> str:
    return "".join(
        f"<div class=item><p>{text}</p><p>Posted on {day} {link.format(n=n)}</p></div>"
        for n, day in enumerate(DAYS)
    )


OWN = "<a href=/entry/{n}.html>Permalink</a> <a href=/about.html>Ann</a>"
POST = f"<p>{TEXT * 6}</p>"


def test_entries_with_a_day_and_a_page_of_their_own() -> None:
    found = dated_entries(page_of(blocks(TEXT * 3, OWN)))
    assert found == [f"http://notes.example/entry/{n}.html" for n in range(len(DAYS))]


def test_entries_below_the_lines_of_their_days() -> None:
    """Two posts of a day have one line."""
    rows = "".join(
        (f"<h4>{day}</h4>" if n != 2 else "")
        + f"<div class=item><p>{TEXT * 3}</p><p>at 13:35 <a href=/entry/{n}.html>#</a></p></div>"
        for n, day in enumerate(DAYS)
    )
    assert len(dated_entries(page_of(rows))) == len(DAYS)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(POST + blocks(TEXT, "<a href=/user/{n}>Ann</a>"), id="comments"),
        pytest.param(POST + blocks("Also", OWN), id="related posts"),
        pytest.param(blocks(TEXT * 3, "<a href=/about.html>Ann</a>"), id="one page for all"),
        pytest.param(blocks(TEXT * 3, "<a href=#n{n}>#</a>"), id="places on the page"),
        pytest.param(
            blocks(TEXT * 3, "<a href=http://other{n}.example/>out</a>"), id="pages of other sites"
        ),
        pytest.param(
            "".join(f"<div><p>{TEXT}</p><a href=/p{n}.html>on</a></div>" for n in range(4)),
            id="no days",
        ),
    ],
)
def test_others_are_no_entries(body: str) -> None:
    assert dated_entries(page_of(body)) == []


def test_rows_without_a_day_above_and_below_entries_are_none_of_them() -> None:
    """Names of columns above, further pages and sections below."""
    row = "<tr><td><a href=/story?id={n}>A boat {n}</a></td><td>{n}</td><td>1{n}.04.2004</td></tr>"
    rows = "".join(row.format(n=n) for n in range(1, 6))
    head = "<tr><td></td><td>Read</td><td>Time</td></tr>"
    foot = "<tr><td>Page: 1 <a href=/?p=2>2</a></td></tr><tr><td><a href=/?s=1>Boats</a></td></tr>"
    assert len(dated_entries(page_of(f"<table>{head}{rows}{foot}</table>"))) == 5
    assert dated_entries(page_of(f"<table>{head}{foot}</table>")) == []


@pytest.mark.parametrize(
    "line", ["<a href=/{n}.html>Day</a> - {n}.4.2004", "{n}.4.2004: <a href=/{n}.html>D</a>"]
)
def test_lines_with_a_link_and_a_day_next_to_it_are_entries(line: str) -> None:
    lines = "<br>".join(line.format(n=n) for n in range(11, 17))
    assert len(dated_entries(page_of(f"<table><tr><td>{lines}</td></tr></table>"))) == 6


def test_menu_before_short_entries_is_no_text_above_them() -> None:
    days = "".join(f"<li>1{n}.04.2004 <a href=day-{n}.html>Day {n}</a></li>" for n in range(6))
    menu = "".join(f"<a href=/trip-{n}/index.html>A trip to the north</a><br>" for n in range(9))
    cells = "<table><tr><td>{}</td><td><h1>Norway</h1><ul>{}</ul></td></tr></table>"
    assert len(dated_entries(page_of(cells.format(menu, days)))) == 6
    assert dated_entries(page_of(cells.format(TEXT * 3, days))) == []
