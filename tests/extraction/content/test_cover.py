"""Covers: pictures of a post outside its text."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, MediaFile, Post
from blogcrawl.extraction.content.cover import cover, recurring_pictures
from blogcrawl.extraction.model import extract_post, learn_blog
from blogcrawl.induction.ruleset import Sample

TEXT = "The boats came in with the tide, and everybody went down to the quay to look at the catch."
HEAD = '<meta property="og:image" content="https://cdn.example/i/harbour-1200x630.jpg">'
SHOWN = '<img src="/i/harbour-640x320.jpg?w=2" alt="The  harbour">'


def page(head: str = HEAD, body: str = SHOWN, url: str = "https://blog.example/p") -> Page:
    markup = f"<html><head>{head}</head><body>{body}<main><p>{url}: {TEXT}</p></main></body></html>"
    return Page(url=url, body=markup.encode())


def test_the_variant_that_the_page_shows_is_the_cover() -> None:
    assert cover(page(), (), ()) == MediaFile(
        url="https://blog.example/i/harbour-640x320.jpg?w=2", alt="The harbour"
    )


@pytest.mark.parametrize(
    ("head", "body", "media", "recurring"),
    [
        (HEAD, "", (), ()),
        ("", SHOWN, (), ()),
        (HEAD, '<img src="/i/boat.jpg">', (), ()),
        (HEAD, SHOWN, ("https://blog.example/i/harbour.jpg",), ()),
        (HEAD, SHOWN, (), ("harbour",)),
        ('<meta property="og:image" content="http://[">', '<img src="http://[">', (), ()),
    ],
    ids=["not shown", "not named", "another", "in the text", "of the site", "no address"],
)
def test_no_cover(head: str, body: str, media: Sequence[str], recurring: Sequence[str]) -> None:
    assert cover(page(head, body), [MediaFile(url=url) for url in media], recurring) is None


def test_what_several_posts_name_recurs() -> None:
    logo = '<meta name="twitter:image" content="/logo.png">'
    boat, banner = '<img src="/i/boat.jpg">', '<img src="/i/banner.png">'
    pages = [page(HEAD + logo), page(logo, boat + banner), page(logo, banner)]
    assert recurring_pictures(pages) == ["banner", "logo"]


BOX = "<article><h1>The harbour</h1>{}<div class=text><p>{}</p></div></article>"


def above(picture: str, recurring: Sequence[str] = (), outside: str = "") -> str | None:
    one = page("", outside + BOX.format(picture, TEXT))
    found = cover(one, (), recurring, one.tree.find(".//div[@class='text']"))
    return found.url if found is not None else None


def test_picture_between_title_and_text_is_the_cover_without_metadata() -> None:
    boat = '<div class="field-image"><img src="/i/boat.jpg" width=640></div>'
    assert above(boat) == "https://blog.example/i/boat.jpg"
    assert above(boat, ("boat",)) is None
    assert above("", outside=boat) is None


def test_background_of_the_header_is_the_cover_unless_it_recurs() -> None:
    one = page(
        "",
        "<article><header style=\"background-image: url('/i/boat.jpg')\"><h1>The harbour</h1>"
        f"</header><div class=text><p>{TEXT}</p></div></article>",
    )
    text = one.tree.find(".//div[@class='text']")
    assert cover(one, (), (), text) == MediaFile(url="https://blog.example/i/boat.jpg")
    assert recurring_pictures([one, one]) == ["boat"]
    assert cover(one, (), ("boat",), text) is None


def test_background_that_the_metadata_name_is_the_cover() -> None:
    box = '<div class=hero style="background-image:url(/i/harbour-1600x900.jpg)"></div>'
    found = cover(page(HEAD, box), (), ())
    assert found == MediaFile(url="https://blog.example/i/harbour-1600x900.jpg")


@pytest.mark.parametrize(
    "picture",
    [
        '<img src="/i/ann.jpg" width=48>',
        '<div style="background:url(/i/ann.jpg);width:48px"></div>',
        '<img src="/i/ann.jpg" class=avatar>',
        "<a href=/ann><img src=/i/ann.jpg></a>",
        "<aside><img src=/i/boat.jpg></aside>",
        '<img src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP">',
    ],
    ids=["small", "small background", "portrait", "link elsewhere", "aside", "placeholder"],
)
def test_other_pictures_above_the_text_are_no_cover(picture: str) -> None:
    assert above(picture) is None


def posts_of(pages: Sequence[Page]) -> list[Post]:
    """Posts of pages, all but the last one taught by a feed."""
    samples = [
        Sample(
            page=each,
            entry=FeedEntry(
                url=each.url, title=f"Title {number}", content_html=f"<p>{each.url}: {TEXT}</p>"
            ),
        )
        for number, each in enumerate(pages[:-1])
    ]
    model = learn_blog(samples)
    found = (extract_post(each, model) for each in pages)
    return [post for post in found if isinstance(post, Post)]


def test_a_post_has_its_cover_and_not_the_portrait_of_its_author() -> None:
    def of(number: int, picture: str) -> Page:
        head = f'<meta property="og:image" content="https://blog.example/i/{picture}.jpg">'
        body = (
            f'<header><img src="/i/{picture}.jpg"><img src="/i/ann.jpg"></header>'
            f"<h1>Title {number}</h1>"
        )
        return page(head, body, f"https://blog.example/{number}")

    pages = [of(number, f"photo{number}" if number % 2 else "ann") for number in range(6)]
    posts = posts_of([*pages, of(7, "photo7")])
    assert [[m.url[23:] for m in post.media] for post in posts] == [
        *[[], ["photo1.jpg"], [], ["photo3.jpg"], [], ["photo5.jpg"]],
        ["photo7.jpg"],
    ]


def test_film_above_the_text_is_linked_before_it() -> None:
    def of(number: int) -> Page:
        film = f'<iframe src="https://films.example/v/{number}"></iframe>'
        body = f"<article><header>{film}</header><h1>Title {number}</h1>"
        return page("", body, f"https://blog.example/{number}")

    posts = posts_of([of(number) for number in range(7)])
    links = [post.content_html.partition("</p>")[0] for post in posts if post.content_html]
    assert [link.partition(">https")[2] for link in links] == [
        f"://films.example/v/{number}</a>" for number in range(7)
    ]


def test_film_above_the_text_belongs_to_the_post() -> None:
    film, button = "https://films.example/v/7?byline=0", "https://www.facebook.com/plugins/like"
    frame = '<div class=entry-video><iframe src="{}" width="100%"></iframe></div>'
    assert above(frame.format(film)) == film
    assert above(frame.format(button)) is None
    boxed = BOX.replace("<h1>", f"<header>{frame.format(film)}</header><div><h1>").format("", TEXT)
    one = page("", boxed.replace("</article>", "</div></article>"))
    found = cover(one, (), (), one.tree.find(".//div[@class='text']"))
    assert found is not None and found.url == film
    recurring = recurring_pictures([page(body=frame.format(film))] * 2)
    assert above(frame.format(film), recurring) is None
    assert above(f'<iframe src="{film}" width="1" height="1"></iframe>') is None
