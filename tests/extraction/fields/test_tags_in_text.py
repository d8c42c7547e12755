"""Links to lists amid the text of a post are no tags of it."""

import pytest

from blogcrawl.core.page import Page, fragment
from blogcrawl.core.records import Post
from blogcrawl.extraction.fields.tags_in_text import names_in_text
from blogcrawl.extraction.model import BlogModel, extract_post

LONG = "<p>We went down to the river again and waited for the ferry, which was half empty.</p>"
LINK = "<a href='/category/ferries/'>Ferries</a>"
SERIES = f"<p>More of these (see {LINK})</p>"


@pytest.mark.parametrize(
    "content",
    [
        f"{LONG}{SERIES}{LONG}",  # a short line, with the text above and below
        f"{LONG}<div>It is the last of my {LINK} so far.</div>",  # words on both sides
        f"{LONG}<ul><li>{LINK}</li></ul>{LONG}",  # nothing around it, but amid the text
        f"That they would ever come to this was never once said in all of my {LINK}.<br>{LONG}",
    ],
)
def test_link_to_a_list_amid_the_text(content: str) -> None:
    assert list(names_in_text(fragment(content))) == ["Ferries"]


@pytest.mark.parametrize(
    "content",
    [
        f"{LONG}{LONG}<p>Filed under {LINK}</p>",
        f"Posted in {LINK}<br>{LONG}{LONG}",
        f"{LONG}<p>Tags: {LINK}, <a href='/tag/rain/'>rain</a></p>{LONG}",
        f"{LONG}<p>See <a href='/ferries/'>Ferries</a> for more of this.</p>",
    ],
)
def test_list_of_the_post_within_its_text(content: str) -> None:
    assert list(names_in_text(fragment(content))) == []


@pytest.mark.parametrize(("foot", "tags"), [("", ()), (f"<div>{LINK}</div>", ("Ferries",))])
def test_tag_named_in_the_text_alone(foot: str, tags: tuple[str, ...]) -> None:
    page = Page(
        url="https://b.example/2014/05/ferry/",
        body=(
            "<html><head><title>The ferry</title></head><body><article><h1>The ferry</h1>"
            f"<div class=entry-content>{LONG}{LONG}{SERIES}{LONG}</div></article>{foot}"
        ).encode(),
        headers={"content-type": "text/html"},
    )
    post = extract_post(page, BlogModel(), None, True)
    assert isinstance(post, Post)
    assert post.tags == tags
