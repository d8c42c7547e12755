"""Who wrote a post, on a page of a site that nothing else is known of."""

from __future__ import annotations

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import Post
from blogcrawl.extraction.fields.names import as_author
from blogcrawl.extraction.fields.people import people_of
from blogcrawl.extraction.model import BlogModel, extract_post

TEXT = (
    "<p>"
    + "We walked along the river until the bridge came into sight, and then the rain began. " * 12
    + "</p>"
)


def authors(
    body: str, head: str = "", url: str = "https://www.riverwalks.org/2021/rain"
) -> tuple[str, ...]:
    html = (
        f"<html><head><meta charset=utf-8><title>Rain at "
        f"noon</title>{head}</head><body>{body}</body></html>"
    )
    post = extract_post(
        Page(url=url, body=html.encode(), headers={"content-type": "text/html"}),
        BlogModel(),
        None,
        True,
    )
    assert isinstance(post, Post)
    return post.authors


def article(byline: str, more: str = "") -> str:
    return f"<article><h1>Rain at noon</h1>{byline}{TEXT}</article>{more}"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("2015年7月21日 · travel", None),
        ("February 23, 2009 · travel", None),
        ("By", None),
        ("von", None),
        ("Autorenseite von", None),
        ("Alle Artikel von Ute Maier", "Ute Maier"),
        ("Text und Fotos: Ute Maier", "Ute Maier"),
        ("Artikel von: Ute Maier", "Ute Maier"),
        ("View all articles by Ann Lee", "Ann Lee"),
        ("Autor/in: Ute Maier", "Ute Maier"),
        ("© Ute Maier Ute Maier", "Ute Maier"),
        ("Ute Maier, 01.12.2021", "Ute Maier"),
        ("Ute Maier @", "Ute Maier"),
        ("Foto: Ute Maier", None),
        ("Vicco von Maier", "Vicco von Maier"),
        ("About the author", None),
        ("Übersetzt von: Ute Maier", None),
        ("Publicado el 9 de mayo", None),
    ],
)
def test_name_is_cut_from_its_surroundings(text: str, name: str | None) -> None:
    assert as_author(text) == name


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Von Ute Maier, Jan Bo Koch und Ann Lee, NDR", ["Ute Maier", "Jan Bo Koch", "Ann Lee"]),
        ("Ann Lee, PhD", ["Ann Lee"]),
        ("Jean Paul Petit et Simone de Clair", ["Jean Paul Petit", "Simone de Clair"]),
        ("Ann and Bo Day", ["Ann and Bo Day"]),
        ("Day, Ann", ["Day, Ann"]),
        ("María García y Pérez", ["María García y Pérez"]),
    ],
)
def test_several_people_in_one_byline(text: str, people: list[str]) -> None:
    assert people_of(text) == people


def test_adjacent_authors_are_all_authors_of_the_post() -> None:
    links = (
        "<a href=/author/ann-lee>Ann Lee</a>, <a href=/author/ute-maier>Ute Maier</a> and "
        "<a href=/author/bo-day>Bo Day</a>"
    )
    assert authors(article(f"<p>{links}</p>")) == ("Ann Lee", "Ute Maier", "Bo Day")


def test_author_of_another_post_is_ignored() -> None:
    teaser = "<div><h3><a href=/x>A dry day</a></h3><span class=author>Bo Day</span></div>"
    assert authors(
        f"{teaser}"
        f"{article('<p>Rainy days: Ann Lee, 3.5.2021</p><span class=byline>Ann Lee</span>')}"
    ) == ("Ann Lee",)


def test_publisher_yields_to_a_byline() -> None:
    data = (
        '<meta name=author content="River Walks Verlag GmbH"><script '
        'type="application/ld+json">{"@type": "NewsArticle", "headline":'
    )
    data += (
        '"Rain at noon", "author": {"@type": "Organization", "name": "riverwalks.org"}}</script>'
    )
    assert authors(article("<p>Von: Ute Maier</p>"), data) == ("Ute Maier",)
    assert authors(article(""), data) == ()


def test_site_named_like_a_person_does_not_hide_the_byline() -> None:
    data = (
        '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "Rain at '
        'noon", "author": "River Walks"}</script>'
    )
    assert authors(article("<div class=autor>Ute Maier</div>"), data) == ("Ute Maier",)
    assert authors(article(""), data) == ("River Walks",)


def test_headline_in_a_people_section_is_no_author() -> None:
    links = "<a href=/people/star-x-a-dog-for-christmas>Star X: A dog for Christmas</a>"
    assert authors(article("", links)) == ()


def test_first_name_is_completed_to_the_full_name() -> None:
    data = (
        '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "Rain at '
        'noon", "author": "Ute"}</script>'
    )
    assert authors(article("<span class=author-name>Ute Maier</span>"), data) == ("Ute Maier",)


def test_text_of_the_next_element_is_no_part_of_the_name() -> None:
    assert authors(
        article("<p>By <a href=/ann>Ann Lee</a> <span>Photos</span> | 3 May 2021</p>")
    ) == ("Ann Lee",)


@pytest.mark.parametrize("line", ["Ein Abend mit Vicco von Maier | 3.5.2021", "By the numbers"])
def test_sentence_words_are_no_byline(line: str) -> None:
    assert authors(article(f"<p>{line}</p>")) == ()


def test_cards_of_other_posts_name_no_author() -> None:
    card = "<div class=c><a href=/{n}>{title}</a> <span>0{n}.03.2009</span></div>"
    titles = enumerate(("Holz Regale", "Zimmer Pflanzen", "Stille Wasser"), 1)
    cards = "".join(card.format(n=n, title=title) for n, title in titles)
    assert authors(article("", f"<div>{cards}</div>")) == ()


def test_initial_ends_a_name_and_no_sentence() -> None:
    line = "<p>10.02.2009 | Geschrieben von Uwe K. | <a href='#c'>1 Kommentar</a></p>"
    assert authors(article(line)) == ("Uwe K.",)


def test_label_after_the_name_is_dropped() -> None:
    assert authors(article("<p>Text: Ute Maier Photos: Bo Day</p>")) == ("Ute Maier",)
    assert authors(article("<p>By Ann Lee Photos: Bo Day | 3 May 2021</p>")) == ("Ann Lee",)


@pytest.mark.parametrize(
    "line",
    [
        "Eine Kolumne von Ann Lee",
        "Text von Ann Lee Illustration von Bo Day",
        "A guest post by Ann Lee",
    ],
)
def test_labelled_author_line_is_read(line: str) -> None:
    assert authors(article(f"<p>{line}</p>")) == ("Ann Lee",)


def test_about_the_author_aside_names_the_author() -> None:
    box = "<aside class=author-meta><a rel=author href=/author/ann>Ann Lee</a></aside>"
    assert authors(article("", box)) == ("Ann Lee",)


def test_byline_adds_authors_missing_in_metadata() -> None:
    data = (
        '<script type="application/ld+json">{"@type": "BlogPosting", "headline": "Rain at '
        'noon", "author": "Ann Lee"}</script>'
    )
    assert authors(article("<p class=byline>Ann Lee, Bo Day</p>"), data) == ("Ann Lee", "Bo Day")


def test_role_before_a_linked_name_is_dropped() -> None:
    data = (
        '<script type="application/ld+json">{"@type": "BlogPosting", "headline": "Rain at '
        'noon", "author": "River-Expert Ann Lee"}</script>'
    )
    assert authors(
        article("<p>River-Expert <a rel=author href=/ann-lee>Ann Lee</a></p>"), data
    ) == ("Ann Lee",)


def test_site_name_next_to_the_author_is_dropped() -> None:
    assert authors(article(""), '<meta name=author content="River Walks - Ann Lee">') == (
        "Ann Lee",
    )


def test_subject_of_the_post_is_not_its_author() -> None:
    assert authors(article("<p>Noon Rain | 3 May 2021</p>")) == ()
    assert authors(article("<p>Ann Lee | 3 May 2021</p>")) == ("Ann Lee",)


@pytest.mark.parametrize(
    "holder", ["Wanderverband Nord", "River Walks Holding AG", "Ann Lee Verlag"]
)
def test_copyright_company_is_no_author(holder: str) -> None:
    assert authors(article("", f"<footer>© 2021 {holder}</footer>")) == ()


def test_copyright_line_names_the_author_before_its_years() -> None:
    assert authors(article("", "<footer>© Ann Lee, 2011–2016</footer>")) == ("Ann Lee",)


def test_author_in_a_page_builder_widget() -> None:
    builder = "<div class=elementor-widget-container><span class=author>Ann Lee</span></div>"
    assert authors(
        f"<div class=elementor-widget-container><h1>Rain at noon</h1></div>{builder}{TEXT}"
    ) == ("Ann Lee",)


def card(label: str, data: str) -> str:
    return (
        f'<meta name="twitter:label1" content="{label}"><meta name="twitter:data1" '
        f'content="{data}">'
    )


def test_author_in_card_labels() -> None:
    assert authors(article(""), card("Verfasst von", "Ute Maier")) == ("Ute Maier",)
    assert authors(article(""), card("Written by", "Ann Lee")) == ("Ann Lee",)
    assert authors(article(""), card("Price", "Ute Maier")) == ()
    assert authors(article(""), card("Est. reading time", "4 minutes")) == ()


def test_newsroom_is_the_author_if_no_person_is_named() -> None:
    byline = "<p class=byline>Von <span class='author vcard'>Redaktion</span></p>"
    assert authors(article(byline)) == ("Redaktion",)
    assert authors(article(byline), card("Verfasst von", "Ute Maier")) == ("Ute Maier",)
    assert authors(article(""), '<meta name=author content="Ute Maier, Redaktion">') == (
        "Ute Maier",
    )


def test_reviewed_item_card_is_no_author() -> None:
    review = (
        "<div class=hreview><span class='item vcard'><span class='fn org'>River Bridge "
        "Inn</span></span></div>"
    )
    assert authors(article(review)) == ()
    assert authors(article(f"{review}<span class='author vcard'>Ann Lee</span>")) == ("Ann Lee",)
