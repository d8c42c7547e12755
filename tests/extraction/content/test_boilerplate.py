"""What most posts have word for word is the theme's."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from blogcrawl.core.evidence import SEVERAL
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.extraction.content.boilerplate import without_boilerplate
from blogcrawl.extraction.model import Hints, learn_blog
from blogcrawl.extraction.model import extract_post as extracted
from blogcrawl.induction.ruleset import Sample

CONTACT = (
    "<div><h4>Press contact</h4><p>Write to our office in the Long Street, number seven, "
    "or ring the bell twice.</p></div>"
)
WORDS = (
    "alder birch cedar drake ember fjord grove heron inlet juniper kestrel lagoon marsh "
    "nettle otter poplar"
).split()


def post(n: int) -> str:
    text = " ".join(
        (
            f"{WORDS[n]} {WORDS[(n * 5 + k) % 16]} walked {k + 3} miles along the "
            f"{WORDS[(n + k * 3) % 16]}."
        )
        for k in range(9)
    )
    return f"<p>{text}</p><h3>Ingredients</h3><ul><li>{WORDS[n]} leaves, {n + 2} handfuls</li></ul>"


def test_recurring_boxes_are_removed_and_a_recurring_heading_kept() -> None:
    own = without_boilerplate([post(n) + CONTACT for n in range(6)])
    assert own == [post(n) for n in range(6)]


def test_adjacent_recurring_lines_count_together() -> None:
    lines = "<p>Read this first.</p><p>Then subscribe to our letter.</p><p>It is free.</p>"
    assert without_boilerplate([lines + post(n) for n in range(4)]) == [post(n) for n in range(4)]


def test_shared_quotations_and_boilerplate_only_posts_are_kept() -> None:
    quoting = [post(n) + (CONTACT if n < SEVERAL - 1 else "") for n in range(4)]
    assert without_boilerplate(quoting) == quoting
    assert without_boilerplate([CONTACT] * 5) == [CONTACT] * 5
    assert without_boilerplate(["", "bare text"]) == ["", "bare text"]


@given(st.lists(st.text(alphabet="ab <>/p&;", max_size=60), max_size=8))
def test_random_markup_raises_no_error(contents: list[str]) -> None:
    assert len(without_boilerplate(contents)) == len(contents)


def test_theme_boxes_are_removed_without_a_feed() -> None:
    def page(n: int) -> Page:
        head = f"<head><title>The {WORDS[n]} | Walks</title></head>"
        body = (
            f'<body><h1>The {WORDS[n]}</h1><div class="text">{post(n)}<div '
            f'class="desk">{CONTACT}</div></div></body>'
        )
        return Page(
            url=f"http://b.example/{WORDS[n]}",
            body=f"<html>{head}{body}</html>".encode(),
            headers={"content-type": "text/html"},
        )

    model = learn_blog(
        [Sample(page=page(n), entry=FeedEntry(url=page(n).url)) for n in range(8)], Hints()
    )
    for n in range(8, 12):
        result = extracted(page(n), model, None, True)
        assert isinstance(result, Post) and result.content_text is not None
        assert (
            f"{WORDS[n]} leaves" in result.content_text
            and "ring the bell" not in result.content_text
        )
