"""Posts on several pages: which pages belong to them, and the whole text in the end."""

from __future__ import annotations

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import MediaFile, Post
from blogcrawl.extraction.pages.further_pages import further_pages, joined
from blogcrawl.urls.shapes import part_number

BASE = "http://blog.test"


def page(path: str, *links: str) -> Page:
    return Page(
        url=BASE + path,
        body=("<body>" + "".join(f"<a href='{link}'>x</a>" for link in links)).encode(),
    )


@pytest.mark.parametrize(
    ("path", "links", "pages"),
    [
        (
            "/a-walk/",
            ["/a-walk/3/", "/a-walk/2/", "/a-walk/2/#top", "/a-walk/"],
            ["/a-walk/2/", "/a-walk/3/"],
        ),
        ("/?p=7", ["/?p=7&page=2"], ["/?p=7&page=2"]),
        ("/a-walk.html", ["/a-walk.html?page=2", "/a-walk-2.html"], ["/a-walk.html?page=2"]),
        ("/a-walk/", ["/a-walk/3/", "/a-walk/4/"], []),
        (
            "/a-walk/",
            ["/a-walk/2017/", "/a-walk/two/", "/a-walks/2/", "http://other.test/a-walk/2/"],
            [],
        ),
        ("/a-walk/2/", ["/a-walk/", "/a-walk/3/"], []),
    ],
)
def test_pages_of_a_post_are_found(path: str, links: list[str], pages: list[str]) -> None:
    assert further_pages(page(path, *links)) == [BASE + url for url in pages]


def test_page_numbers_are_bounded() -> None:
    assert part_number("http://b/x/60", "http://b/x") == 60
    assert [
        part_number(f"http://b/x{end}", "http://b/x") for end in ("/61", "/1", "", "/02", "2")
    ] == [None] * 5


def test_text_of_further_pages_is_joined_once() -> None:
    def post(text: str, *pictures: str) -> Post:
        media = tuple(MediaFile(url=url) for url in pictures)
        return Post(
            url=BASE,
            canonical_url=BASE,
            content_html=f"<p>{text}</p>",
            content_text=text,
            media=media,
        )

    whole = joined(post("One.", "a.png"), [post("Two.", "a.png", "b.png"), post("One."), post("")])
    assert whole.content_text == "One.\n\nTwo."
    assert whole.content_html == "<p>One.</p>\n<p>Two.</p>"
    assert [media.url for media in whole.media] == ["a.png", "b.png"]
