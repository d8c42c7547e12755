"""One page of a site that nothing is known of: the whole post, and nothing else."""

from __future__ import annotations

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import FieldValue, Post
from blogcrawl.extraction.content.single_page import whole_post
from blogcrawl.extraction.decide import first_guess
from blogcrawl.extraction.model import BlogModel, extract_post
from blogcrawl.lexicon.css_classes import kind_of
from blogcrawl.text.visible import node_text

SENTENCES = (
    (
        "The mill had stood empty for years before anyone asked who owned it, and nobody in the "
        "village could say. "
    ),
    (
        "Its wheel was gone, but the race still carried water past the wall, and in spring it "
        "carried a good deal of it. "
    ),
    (
        "We walked around it twice, measured what could be measured, and drew the rest from what "
        "the neighbours told us. "
    ),
    (
        "An old plan in the archive of the county showed three floors and a loft, with a hoist "
        "that "
        "must have been oak. "
    ),
    (
        "What remained of the roof would not hold another winter, so the first job was plain to "
        "all "
        "of us. "
    ),
)


def prose(first: int, count: int = 3) -> str:
    return "".join(
        f"<p>{SENTENCES[(first + i) % 5]}{SENTENCES[(first + i + 2) % 5]}</p>" for i in range(count)
    )


def page_of(body: str) -> Page:
    html = (
        f"<!doctype html><html><head><title>The mill | Village "
        f"paper</title></head><body>{body}</body></html>"
    )
    return Page(
        url="https://paper.example/2021/mill.html",
        body=html.encode(),
        headers={"content-type": "text/html; charset=utf-8"},
    )


def read(body: str) -> str:
    post = extract_post(page_of(body), BlogModel(), None, True)
    assert isinstance(post, Post)
    return post.content_text


MENU = (
    "<nav><ul><li><a href=/>Home</a></li><li><a href=/news>News</a></li><li><a "
    "href=/sport>Sport</a></li></ul></nav>"
)
BANNER = (
    "<div class=bottom-bar><p>We use small files to count our readers. You may say no, and "
    "nothing will change for you here.</p></div>"
)


@pytest.mark.parametrize(
    "name",
    [
        "left-navigation-wrapper",
        "layout--has-sidebar",
        "content right-sidebar",
        "sharing-container",
    ],
)
def test_wrapper_with_a_misleading_name_is_kept(name: str) -> None:
    inner = (
        f"<div class='{name}'><div class='{name}-2'><main><h1>The "
        f"mill</h1>{prose(0)}</main></div></div>"
    )
    text = read(MENU + inner + f"<div class=related-posts>{prose(1, 4)}</div>{BANNER}")
    assert text.startswith("The mill had stood") and "small files" not in text


def test_state_modifier_in_a_class_is_no_kind() -> None:
    assert kind_of("section section--has-ads") is None
    assert kind_of("section-ads") == "ad"


def test_category_named_comments_does_not_make_a_post_comments() -> None:
    assert kind_of("post-12 post type-post hentry category-kommentare tag-newsletter") is None
    assert kind_of("kommentare") == "comments"


def test_consent_dialog_is_not_the_post() -> None:
    window = (
        "<div class=cmplz-window><div class=tabs>"
        + "".join(f"<p>{SENTENCES[4]}{SENTENCES[1]}</p>" for _ in range(4))
        + "</div></div>"
    )
    text = read(f"<div id=page><h1>The mill</h1><div>{prose(0, 2)}</div></div>{window}")
    assert text.count(SENTENCES[4].strip()) == 0


@pytest.mark.parametrize(
    "lead",
    [
        (
            "<p class=teaser>After forty years the old mill gets a roof again, and the village is "
            "to decide what for.</p>"
        ),
        (
            "<h2 class=deck>After forty years the old mill gets a roof again, and the village "
            "is to "
            "decide what for</h2>"
        ),
        (
            "<ul><li>After forty years the old mill gets a roof again.</li><li>And the village is "
            "to decide what it is for.</li></ul>"
        ),
    ],
)
def test_lead_above_the_body_is_part_of_the_post(lead: str) -> None:
    byline = "<p class=byline>By <a href=/ann>Ann Lee</a>, 3 May 2021</p>"
    picture = (
        "<figure><img src=mill.jpg><figcaption>The mill as it stood last spring, seen "
        "from the road.</figcaption></figure>"
    )
    head = f"<header><h1>The mill</h1>{lead}{byline}{picture}</header>"
    text = read(f"{MENU}<article>{head}<div class=article-body>{prose(0)}</div></article>{BANNER}")
    assert text.startswith("After forty years")
    assert "Ann Lee" not in text and "seen from the road" not in text
    assert text.count("had stood empty") == 1


def test_lead_repeated_in_the_body_is_kept_once() -> None:
    lead = f"<p class=teaser>{SENTENCES[0]}</p>"
    text = read(
        f"{MENU}<article><h1>The mill</h1>{lead}<div class=article-body>{prose(0)}</div></article>"
    )
    assert text.count("had stood empty") == 1


def test_sibling_sections_of_one_kind_are_joined() -> None:
    parts = "".join(
        f"<section class='part part-{i}'>{prose(i, 2 + i)}</section><div class=ad-slot>Advert</div>"
        for i in range(3)
    )
    text = read(f"{MENU}<main><h1>The mill</h1><div class=parts>{parts}</div></main>")
    assert text.count("\n") == 8 and "Advert" not in text


def test_other_posts_below_are_not_joined() -> None:
    def post(title: str, first: int, count: int) -> str:
        return (
            f"<div class=box><h2><a href=/{title}.html>{title}</a></h2><div "
            f"class=text>{prose(first, count)}</div></div>"
        )

    text = read(
        f"{MENU}<div id=all><div class=box><h1>The mill</h1><div "
        f"class=text>{prose(0, 6)}</div></div>{post('bridge', 1, 1)}</div>"
    )
    assert len(text.splitlines()) == 6


def test_site_navigation_links_are_left_out() -> None:
    also = "<p>Read also: <a href=/2020/bridge.html>The bridge that was never built and why</a></p>"
    body = (
        f"{prose(0, 2)}{also}{prose(2, 2)}</div><p><a href='javascript:history.back()'>back</a></p>"
    )
    text = read(f"{MENU}<article><h1>The mill</h1><div class=article-body>{body}</div></article>")
    assert len(text.splitlines()) == 4 and "Read also" not in text and "back" not in text


def test_label_is_dropped_with_its_box() -> None:
    row = (
        "<div class=row>"
        + "".join(
            f"<div><h4><a href=/2020/{i}.html>A story of number {i}</a></h4></div>"
            for i in range(3)
        )
        + "</div>"
    )
    box = f"<section class=x><h2>More from the village</h2>{row}</section>"
    text = read(
        f"{MENU}<article><h1>The mill</h1><div "
        f"class=article-body>{prose(0, 2)}{box}{prose(2, 2)}</div></article>"
    )
    assert "More from" not in text and len(text.splitlines()) == 4


@pytest.mark.parametrize(
    "label", ["<h3>More from the village</h3>", "<p><strong>More from the village</strong></p>"]
)
def test_label_right_above_a_list_of_posts_is_dropped(label: str) -> None:
    rows = "".join(f"<li><a href=/2020/{i}.html>A story of number {i}</a></li>" for i in range(3))
    text = read(
        f"{MENU}<article><h1>The mill</h1><div "
        f"class=article-body>{prose(0, 2)}{label}<ul>{rows}</ul>{prose(2, 2)}</div></article>"
    )
    assert "More from" not in text and len(text.splitlines()) == 4


def test_sentence_around_a_link_is_kept() -> None:
    own = (
        "<p>It belonged to <a href=/people/hansen.html>the family Hansen, who left the "
        "village a hundred years ago</a> and sold it.</p>"
    )
    contents = (
        "<ul><li><a href=#one>What was there</a></li><li><a href=#two>What is left of "
        "it</a></li></ul>"
    )
    text = read(
        f"{MENU}<article><h1>The mill</h1><div "
        f"class=article-body>{contents}{prose(0, 2)}{own}{prose(2, 2)}</div></article>"
    )
    assert "family Hansen" in text and "What is left of it" in text


def test_last_line_above_share_buttons_is_part_of_the_post() -> None:
    share = "<div class=sharedaddy><a href=/?share=x>X</a> <a href=/?share=y>Y</a></div>"
    text = read(
        f"{MENU}<article><h1>The mill</h1><div class=entry-content>{prose(0, 2)}<p>See you "
        f"there, all of you</p>{share}</div></article>"
    )
    assert text.endswith("See you there, all of you")


@pytest.mark.parametrize("ident", ["related-work", "newsletter", "nav_what_is_left"])
def test_heading_id_made_of_its_words_is_no_label(ident: str) -> None:
    body = f"{prose(0, 2)}<h2 id={ident}>What is left of it</h2>{prose(2, 2)}"
    text = read(f"{MENU}<article><h1>The mill</h1><div class=article-body>{body}</div></article>")
    assert "What is left of it" in text


def test_heading_next_to_a_gallery_is_not_the_text() -> None:
    shots = "".join(f"<li>{SENTENCES[i]}</li>" for i in range(4))
    head = f"<div class=container><ul>{shots}</ul><h1>The mill</h1></div>"
    text = read(f"{MENU}<main>{head}<div class=container>{prose(1, 6)}</div></main>")
    assert len(text.splitlines()) >= 6


def test_long_list_of_related_posts_is_not_the_post() -> None:
    related = "<div id=next-related-posts>" + "".join(
        (
            f"<h2><a href=/stories/{i}.html>A story {i} of the "
            f"village</a></h2><p>{SENTENCES[i % 5]}</p>"
        )
        for i in range(20)
    )
    related += "</div>"
    text = read(
        f"<div id=story><h1>The mill</h1><p>{SENTENCES[0] * 2}{SENTENCES[3] * 3}</p></div>{related}"
    )
    assert "A story" not in text and text.startswith("The mill had stood")


def test_links_that_the_post_is_about_are_kept() -> None:
    own = "<p><a href=https://mills.example/list>https://mills.example/list</a></p>"
    text = read(
        f"{MENU}<article><h1>The mill</h1><div "
        f"class=article-body>{prose(0, 2)}{own}{prose(2, 1)}</div></article>"
    )
    assert "https://mills.example/list" in text
    links = (
        "<ul>"
        + "".join(
            f"<li><a href=/mills/{i}.html>The mill of the village number {i}</a></li>"
            for i in range(40)
        )
        + "</ul>"
    )
    page = page_of(
        f"{MENU}<article><h1>The mill</h1><div id=body>{prose(0, 1)}{links}</div></article>"
    )
    assert "number 39" in node_text(whole_post(page, page.tree.get_element_by_id("body")))


def test_blocks_before_the_heading_and_after_the_comments_are_left_out() -> None:
    crumbs = "<div class=c1>You are reading the paper of the village</div>"
    comments = f"<div id=comments>{prose(1, 6)}</div>"
    foot = (
        "<div class=c2><p>The paper is made by those who live here. Write to us if you want "
        "to help.</p></div>"
    )
    text = read(f"<div class=one>{crumbs}<h1>The mill</h1>{prose(0, 8)}{comments}{foot}</div>")
    assert (
        "You are reading" not in text
        and "made by those" not in text
        and len(text.splitlines()) == 8
    )


def test_small_boxes_of_half_links_are_left_out() -> None:
    box = (
        "<div class=more><p>All that we wrote on it</p><a href=/mills>All the mills of the "
        "county</a></div>"
    )
    text = read(
        f"{MENU}<article><h1>The mill</h1><div "
        f"class=article-body>{prose(0, 3)}{box}{prose(3, 2)}</div></article>"
    )
    assert len(text.splitlines()) == 5


def test_generic_candidate_is_preferred_among_guesses() -> None:
    def value(method: str, confidence: float) -> FieldValue:
        return FieldValue(value=method, method=method, confidence=confidence)

    assert (
        first_guess([value("mcst", 0.45), value("svm", 0.59), value("generic", 0.4)]).method
        == "generic"
    )
    assert first_guess([value("metadata", 0.8), value("generic", 0.9)]).method == "metadata"
    assert first_guess([value("mcst", 0.8), value("generic", 0.9)]).method == "mcst"
