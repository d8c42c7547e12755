"""Pictures, films and sounds of a post that stand outside its text at a place that was learned."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, MediaFile, Post
from blogcrawl.extraction.content.media_places import names_in, place_of
from blogcrawl.extraction.model import BlogModel, extract_post, learn_blog
from blogcrawl.induction.ruleset import Sample
from tests.induction.test_unlabelled_drops import sentence_of

Markup = Callable[[int], str]


def text(n: int) -> str:
    return "".join(f"<p>{sentence_of(20 * n + k)}</p>" for k in range(2 + n % 3))


def strip(n: int) -> str:
    """Return a picture that leads to the post before it."""
    link = f"<a href=/{n - 1}><img src=/strips/{n}.gif></a>" if n else "<img src=/strips/0.gif>"
    return f"<div id=comic>{link}</div>"


def page(n: int, above: str, below: str = "") -> Page:
    html = (
        f"<html><head><title>Day {n}</title></head><body><div id=top><img src=/logo.png></div>"
        f"{above}<div class=post><h1>Day {n}</h1><div class=entry>{text(n)}</div></div>{below}"
        "<div id=foot><p>Drawn by Ann</p></div></body></html>"
    )
    return Page(url=f"http://b.example/{n}", body=html.encode())


def entry(n: int, inside: str = "", *sounds: str) -> FeedEntry:
    return FeedEntry(
        url=f"http://b.example/{n}",
        title=f"Day {n}",
        content_html=inside + text(n),
        enclosures=tuple(MediaFile(url=url, role="audio") for url in sounds),
    )


def learned(above: Markup, below: Markup = lambda n: "", fed: Markup = lambda n: "") -> BlogModel:
    return learn_blog(
        [Sample(page=page(n, above(n), below(n)), entry=entry(n, fed(n))) for n in range(8)]
    )


def post_of(model: BlogModel, read: Page) -> Post:
    post = extract_post(read, model, None, True)
    assert isinstance(post, Post)
    return post


def test_strip_above_the_entry_is_the_posts_though_it_leads_to_another() -> None:
    post = post_of(learned(strip), page(21, strip(21)))
    assert [file.url for file in post.media] == ["http://b.example/strips/21.gif"]
    assert post.content_html is not None
    assert post.content_html.startswith('<img src="http://b.example/strips/21.gif">')
    assert post.content_text.count("\n") == text(21).count("<p>") - 1


def test_picture_that_recurs_is_no_posts() -> None:
    def banner(n: int) -> str:
        return f"<div id=banner><img src=/banners/{n % 3}.jpg></div>"

    post = post_of(learned(banner), page(21, "<div id=banner><img src=/banners/9.jpg></div>"))
    assert post.media == ()


def test_pictures_of_related_posts_are_not_the_posts() -> None:
    def related(n: int) -> str:
        links = (f"<a href=/{n + k}><img src=/thumbs/{n}-{k}.jpg></a>" for k in (20, 30))
        return f"<div class=more>{''.join(links)}</div>"

    assert post_of(learned(lambda n: "", related), page(21, "", related(21))).media == ()


def test_place_that_few_posts_have_is_believed_where_the_feed_shows_it_too() -> None:
    def photo(n: int) -> str:
        return f"<div class=photo><img src=/photos/{n}.jpg></div>" if n in (3, 21) else ""

    assert post_of(learned(photo), page(21, photo(21))).media == ()
    post = post_of(learned(photo, fed=photo), page(21, photo(21)))
    assert [file.url for file in post.media] == ["http://b.example/photos/21.jpg"]


def test_player_is_the_posts_though_the_newest_are_on_every_page() -> None:
    def player(n: int) -> str:
        return f"<div class=player><audio src=/sounds/{n}.mp3></audio></div>"

    def newest(n: int) -> str:
        return "".join(map(player, (6, 7)))

    samples = [
        Sample(
            page=page(n, player(n), newest(n)),
            entry=entry(n, "", f"http://b.example/sounds/{n}.mp3"),
        )
        for n in range(8)
    ]
    post = post_of(learn_blog(samples), page(21, player(21), newest(21)))
    assert [file.url for file in post.media] == ["http://b.example/sounds/21.mp3"]


def test_picture_that_the_text_has_is_not_shown_twice() -> None:
    def both(n: int) -> str:
        return f"<div class=cover><img src=/photos/{n}-640x480.jpg></div>"

    model = learned(both)
    inside = page(21, both(21)).body.replace(b"<p>", b"<p><img src=/photos/21.jpg>", 1)
    post = post_of(model, Page(url="http://b.example/21", body=inside))
    assert [file.url for file in post.media] == ["http://b.example/photos/21.jpg"]


@pytest.mark.parametrize(
    ("markup", "place"),
    [
        ("<div id=photo><a href=/1><img></a></div>", "div#photo/img"),
        ("<div class='b photo a12'><p><img></p></div>", "div.a0.b.photo/p/img"),
        ("<p><img></p>", "p/img"),
    ],
)
def test_place_is_named_by_the_nearest_box(markup: str, place: str) -> None:
    tree = Page(url="http://b.example/", body=f"<main id=m>{markup}</main>".encode()).tree
    found = next(tree.iter("img"))
    assert place_of(found).removeprefix("main#m/") == place


def test_names_in_entries_are_those_of_files_not_words() -> None:
    html = "<p>Day 3 of 1984 <img src=/strips/7-640x480.gif><a href='/a/tide.mp3'>tide</a></p>"
    assert names_in(html, ["http://b.example/21.mp3"]) == {"7", "tide.mp3", "21.mp3"}
