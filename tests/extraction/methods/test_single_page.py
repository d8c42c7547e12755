"""Single pages with a misleading layout: structured data and a second content extractor help."""

from __future__ import annotations

import json

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import Post
from blogcrawl.extraction.methods import single_page as lonepage
from blogcrawl.extraction.methods.single_page import stated_body
from blogcrawl.extraction.model import BlogModel, extract_post
from blogcrawl.lexicon.css_classes import kind_of
from tests.extraction.content.test_single_page import MENU, SENTENCES, page_of, prose, read

TOLD = " ".join(SENTENCES[i % 5].strip() for i in range(5))

LEAD = (
    "Nobody in the village could say who owned the mill by the river, and so one day a few "
    "of them went to look at it."
)


def with_body(body: str, text: str) -> str:
    """A page with a NewsArticle whose text it carries for machines."""
    data = json.dumps(
        {
            "@context": "https://schema.org",
            "@type": "NewsArticle",
            "headline": "The mill",
            "articleBody": text,
        }
    )
    return f'<script type="application/ld+json">{data}</script>{body}'


def test_text_in_structured_data_only() -> None:
    teaser = (
        "<div class=intro><p>Nobody knew who owned the mill. Read on after a short word "
        "from us, which takes a moment only.</p></div>"
    )
    text = read(
        with_body(
            f"{MENU}<main><h1>The mill</h1>{teaser}</main>", f"{TOLD}\n{SENTENCES[1]} & more."
        )
    )
    assert text.startswith(SENTENCES[0].strip()) and text.endswith("& more.")


def test_text_in_structured_data_locates_the_content() -> None:
    other = (
        "<div class=wide>"
        + "".join(
            f"<p>Room {i} of the hotel looks out on the lake, and it has a bed and a chair.</p>"
            for i in range(40)
        )
        + "</div>"
    )
    own = (
        "<div class=narrow>"
        + "".join(f"<p>{SENTENCES[i]}</p>" for i in range(5))
        + "<p>See <b>more</b>.</p></div>"
    )
    post = extract_post(page_of(with_body(f"{MENU}{other}{own}", TOLD)), BlogModel(), None, True)
    assert isinstance(post, Post)
    assert (
        post.content_text.startswith("The mill had stood")
        and "hotel" not in post.content_text
        and "<b>more</b>" in post.content_html
    )


def test_teaser_is_not_the_text() -> None:
    assert stated_body(page_of(with_body("", "Nobody knew who owned the mill. Read on …"))) is None
    assert stated_body(page_of(with_body("", f"&lt;p&gt;{TOLD}&lt;/p&gt;"))) == TOLD


def test_short_content_is_checked_by_a_second_extractor(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def library(page: Page) -> str:
        asked.append(page.url)
        return f"<html><body>{prose(0, 6)}</body></html>"

    monkeypatch.setattr(lonepage, "library_content", library)
    short = read(
        f"{MENU}<article><h1>The mill</h1><div "
        f"class=entry-content><p>{SENTENCES[2] * 2}</p></div></article>"
    )
    assert len(short.splitlines()) == 6 and len(asked) == 1
    long = read(
        f"{MENU}<article><h1>The mill</h1><div class=entry-content>{prose(0, 4)}</div></article>"
    )
    assert len(long.splitlines()) == 4 and len(asked) == 1


def test_lead_inside_the_article_header_is_kept() -> None:
    lead = (
        f"<div class=article-header><h1>The mill</h1><p class=excerpt>{LEAD}</p><p>By Ann "
        f"Lee, 3 May 2021</p></div>"
    )
    text = read(f"{MENU}<article>{lead}<div class=article-body>{prose(0, 4)}</div></article>")
    assert text.startswith(LEAD) and "Ann Lee" not in text


def test_long_first_box_is_a_lead() -> None:
    first = "".join(f"<p>{SENTENCES[i % 5]}</p>" for i in range(7))
    text = read(
        f"{MENU}<article><h1>The mill</h1><div class=first>{first}</div><div "
        f"class=second>{prose(0, 14)}</div></article>"
    )
    assert len(text.splitlines()) == 21


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("product-reviews", "comments"),
        ("kommentarModul", "comments"),
        ("widget__reviews-list", "comments"),
        ("review-content", None),
        ("article--kommentar", None),
        ("editorial-disclosure", "meta"),
        ("recipe-card-buttons", "share"),
        ("adv", "ad"),
        ("letters-cta", "subscribe"),
    ],
)
def test_sidebar_names_are_recognised(label: str, kind: str | None) -> None:
    assert kind_of(label) == kind


def test_long_list_of_other_posts_is_dropped() -> None:
    others = "".join(
        (
            f"<h3><a href=/stories/{i}.html>A story {i} of the "
            f"village</a></h3><p>{SENTENCES[i % 5]}</p>"
        )
        for i in range(20)
    )
    body = (
        f"<div class=page-body><h1>The mill</h1>{prose(0, 3)}<div "
        f"class=related-posts>{others}</div></div>"
    )
    assert len(read(f"{MENU}{body}").splitlines()) == 3
