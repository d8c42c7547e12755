"""Days that no line near the heading tells: in a box beside the text, at the head of the text."""

from __future__ import annotations

import pytest

from blogcrawl.core.page import Page
from blogcrawl.extraction.fields.date_line import visible_dates
from blogcrawl.extraction.fields.date_near_title import days_aside

WORDS = ("once", "twice", "again", "at last")
TEXT = "".join(
    f"<p>The kettle of the harbour sang {word} over the stone, and nobody minded.</p>"
    for word in WORDS
)


def days(body: str) -> list[str]:
    page = Page(
        url="https://b.example/kettle",
        body=f"<html lang=de><body><main>{body}</main></body></html>".encode(),
    )
    content = page.tree.find(".//div[@class='text']")
    assert content is not None and not visible_dates(page, content, ["de"])
    return [when.moment.date().isoformat() for when, _, _ in days_aside(page, content, ["de"])]


def post(aside: str, text: str = TEXT) -> str:
    return f"<div class=story><h1>Der Kessel</h1>{aside}<div class=text>{text}</div></div>"


@pytest.mark.parametrize(
    "aside",
    [
        (
            "<aside><ul><li>Wissen</li><li class=item__date>26.02.2020</li><li>Lesedauer 7 "
            "Minuten</li></ul></aside>"
        ),
        (
            "<div class=sidebar><p class=time><time datetime=2020-02-26>26. Februar "
            "2020</time></p></div>"
        ),
        "<div class=sidebar><span>veröffentlicht am</span> <b>26.02.2020 06:00</b></div>",
        # what is called the day of publication counts before other days
        "<aside><i>1. Mai 2019</i><i class=published>26. Februar 2020</i></aside>",
    ],
)
def test_only_date_in_a_box_next_to_the_text(aside: str) -> None:
    assert days(post(aside)) == ["2020-02-26"]


@pytest.mark.parametrize(
    "aside",
    [
        "<aside><i>1. Mai 2019</i><i>26. Februar 2020</i></aside>",
        "<aside class=related><i>26. Februar 2020</i></aside>",
        "<aside><a href=/other>26. Februar 2020</a></aside>",
        (
            "<aside>Die Ausstellung im alten Hafen, die seit dem 26. Februar 2020 zu sehen ist, "
            "schließt im Herbst</aside>"
        ),
        "<aside>Band 26, Seite 2020</aside>",
    ],
)
def test_unrelated_dates_are_ignored(aside: str) -> None:
    assert days(post(aside)) == []


def test_date_of_an_unnamed_comment_is_not_the_posts() -> None:
    comment = "<div><b>Ann Lee</b> <i>26. Februar 2020</i><p>Very true.</p></div>"
    assert days(post("").replace("</div></div>", f"</div>{'<p>.</p>' * 60}{comment}</div>")) == []


def test_box_outside_the_post_element_is_ignored() -> None:
    assert days("<aside><p>26. Februar 2020</p></aside>" + post("")) == []


def test_press_release_dateline_gives_the_date() -> None:
    song = "Der Kessel sang im Hafen. " * 8
    assert days(
        post("", f"<p><br></p><p>Pressemitteilung vom 26. Februar 2020 | Berlin. {song}</p>{TEXT}")
    ) == ["2020-02-26"]
    assert days(post("", f"<p>{song} Am 26. Februar 2020 war es still.</p>{TEXT}")) == []
