"""Which heading is the post's title, and which of its words, on a page of a site that nothing else
is known of.
"""

from __future__ import annotations

import sys
from types import FrameType

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import Post
from blogcrawl.extraction.fields.byline import is_aside
from blogcrawl.extraction.fields.headings import heading_of, heading_text, is_part, is_reworded
from blogcrawl.extraction.model import BlogModel, extract_post

TEXT = (
    "<p>"
    + "We walked along the river until the bridge came into sight, and then the rain began. " * 12
    + "</p>"
)


def page_of(
    body: str, title: str = "", head: str = "", url: str = "https://www.riverwalks.org/2021/rain"
) -> Page:
    html = (
        f"<html><head><meta charset=utf-8><title>{title}</title>{head}</head><body>{body}</bo"
        f"dy></html>"
    )
    return Page(url=url, body=html.encode(), headers={"content-type": "text/html"})


def title_of(body: str, title: str = "", head: str = "") -> str | None:
    post = extract_post(page_of(body, title, head), BlogModel(), None, True)
    assert isinstance(post, Post)
    return post.title


def og(text: str) -> str:
    return f'<meta property="og:title" content="{text}">'


def test_headline_wins_over_og_title() -> None:
    body = f"<article><h1>Rain came over the old bridge before noon</h1>{TEXT}</article>"
    assert title_of(
        body,
        "Rain over the old bridge: tips and maps",
        og("Rain over the old bridge: tips and maps"),
    ) == ("Rain came over the old bridge before noon")


def test_headline_wins_over_an_unrelated_document_title() -> None:
    assert title_of(f"<h1>The day we got wet</h1>{TEXT}", "Home") == "The day we got wet"


def test_og_title_ignored_when_page_contradicts() -> None:
    body = f"<h2>News</h2><article><h1>Rain over the old bridge</h1>{TEXT}</article>"
    assert (
        title_of(body, "Rain over the old bridge", og("Join us on the network today"))
        == "Rain over the old bridge"
    )


@pytest.mark.parametrize("suffix", ["riverwalks", "Riverwalks.org", "River Walks"])
def test_site_host_is_a_site_name(suffix: str) -> None:
    assert title_of(f"<div>{TEXT}</div>", f"Rain at noon | {suffix}") == "Rain at noon"


@pytest.mark.parametrize("title", [": The kettle", "The kettle |", "» The kettle", "The kettle"])
def test_mark_next_to_an_empty_name_of_the_site_is_no_part_of_the_title(title: str) -> None:
    assert title_of("<p>Words.</p>", title) == "The kettle"


def test_document_title_parts_around_the_heading_are_cut() -> None:
    body = f"<article><h2>Rain at noon</h2>{TEXT}</article>"
    assert (
        title_of(body, "Diary of Walks | Rain at noon", og("Diary of Walks | Rain at noon"))
        == "Rain at noon"
    )
    assert is_part("Rain at noon", "Rain at noon - Diary") and not is_part("Rain", "Rain at noon")


def test_hidden_heading_is_not_the_title() -> None:
    body = (
        f"<h1 class=visually-hidden>Walks</h1><article><h1>Rain over the "
        f"bridge</h1>{TEXT}</article>"
    )
    assert title_of(body, "Walks online - Notes - Rain over the bridge") == "Rain over the bridge"


def test_site_banner_is_not_the_title() -> None:
    body = f"<h1>River Club, a society for walkers and their dogs</h1><h2>Rain and dogs</h2>{TEXT}"
    heading = heading_of(page_of(body, "Rain and dogs - River Club"))
    assert heading is not None
    assert heading[0].tag == "h2"


def test_banner_equal_to_the_title_suffix_is_not_the_title() -> None:
    body = f"<h1>River Club</h1><h2>3 May 2021</h2><h3>Rain and dogs</h3>{TEXT}"
    heading = heading_of(page_of(body, "Rain and dogs : River Club"))
    assert heading is not None
    assert heading[0].tag == "h3"


def test_date_heading_above_posts_is_not_the_title() -> None:
    heading = heading_of(page_of(f"<h2>05.03.21</h2><h3>Rain and dogs</h3>{TEXT}", "River Club"))
    assert heading is not None
    assert heading[0].tag == "h3"


@pytest.mark.parametrize(
    "text", ["Comments", "Leave a comment", "Kommentar schreiben", "Latest comments"]
)
def test_label_of_comments_and_of_their_form_is_not_the_title(text: str) -> None:
    label = f"{TEXT}<h3>{text}</h3>"
    assert heading_of(page_of(label)) is None
    assert heading_of(page_of(label, f"{text} - River walks")) is not None


def test_date_that_is_the_document_title_is_the_title() -> None:
    heading = heading_of(page_of(f"<h2>3 May 2021</h2>{TEXT}", "3 May 2021 - River Club"))
    assert heading is not None
    assert heading[0].tag == "h2"


def test_time_element_in_the_heading_is_not_the_title() -> None:
    page = page_of(f"<h3><b>[ 07:19 ]</b> Rain and dogs</h3>{TEXT}")
    assert heading_text(page, page.tree.find(".//h3")) == "Rain and dogs"


def test_section_and_date_in_the_heading_are_not_the_title() -> None:
    body = (
        "<h1><span class=kicker>Weather</span> <span>Rain over the bridge</span> "
        "<time>3.5.2021</time></h1>"
    )
    page = page_of(body, "Rain over the bridge")
    assert heading_text(page, page.tree.find(".//h1")) == "Rain over the bridge"


def test_unnamed_section_is_recognised_by_the_metadata_title() -> None:
    page = page_of(
        "<h1><span>Weather</span> <span>Rain over the bridge</span></h1>",
        "Weather: Rain over the bridge",
    )
    assert heading_text(page, page.tree.find(".//h1")) == "Rain over the bridge"
    page = page_of(
        "<h1><span>Letter:</span> <span>Rain over the bridge</span></h1>",
        "Letter: Rain over the bridge",
    )
    assert heading_text(page, page.tree.find(".//h1")) == "Letter: Rain over the bridge"


def test_ruby_annotations_are_not_read_twice() -> None:
    page = page_of("<h1><ruby>雨<rt>あめ</rt></ruby>の日</h1>", "雨の日")
    assert heading_text(page, page.tree.find(".//h1")) == "雨の日"


@pytest.mark.parametrize(
    "wrapper",
    [
        "content-wrapper sidebar-included",
        "sidebar-wrapper",
        "above-footer",
        "elementor-widget-container",
    ],
)
def test_wrapper_around_the_post_is_no_sidebar(wrapper: str) -> None:
    page = page_of(f"<div class='{wrapper}'><h1>Rain over the bridge</h1>{TEXT}</div>", "Walks")
    assert not is_aside(page.tree.find(".//h1"))
    assert (
        title_of(f"<div class='{wrapper}'><h1>Rain over the bridge</h1>{TEXT}</div>", "Walks")
        == "Rain over the bridge"
    )


def test_category_class_does_not_make_a_related_posts_list() -> None:
    page = page_of(
        f"<article class='post type-post category-related-posts'><h1>Rain</h1>{TEXT}</article>"
    )
    assert not is_aside(page.tree.find(".//h1"))


def test_entities_in_metadata_are_decoded() -> None:
    data = (
        '<script type="application/ld+json">{"@type": "BlogPosting", "headline": '
        '"&#8222;Rain&#8220;: the bridge at noon"}</script>'
    )
    assert title_of(f"<div>{TEXT}</div>", "", data) == "„Rain“: the bridge at noon"


def test_titles_of_one_post_share_most_words() -> None:
    assert is_reworded("how the rain came to the bridge", "the bridge and the rain: how it came")
    assert not is_reworded("recipes for a winter evening", "the bridge and the rain")


def calls(depth: int) -> int:
    """Return how many calls it takes to choose among headings of which each holds the next."""
    page = page_of("<div><h1>A walk " * depth + "</h1></div>" * depth)
    assert len(page.tree.findall(".//h1")) == depth
    count = 0

    def counted(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        heading_of(page)
    finally:
        sys.setprofile(before)
    return count


def test_headings_in_headings_cost_no_square_of_their_number() -> None:
    assert calls(240) < 3 * calls(120)


@pytest.mark.parametrize("tag", ["i", "span class=x", "h1"])
def test_elements_in_elements_of_a_heading_are_read_at_any_depth(tag: str) -> None:
    deep = sys.getrecursionlimit() + 500
    page = page_of(f"<h1>Rain {f'<{tag}>' * deep}over the bridge</h1>{TEXT}")
    found = heading_of(page)
    assert found is not None
    assert "over the bridge" in heading_text(page, found[0])
