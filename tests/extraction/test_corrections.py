"""The operator's word wins over all that was learned."""

from __future__ import annotations

from datetime import datetime

from lxml.html import HtmlElement

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.extraction.corrections import Corrections
from blogcrawl.extraction.model import BY_OPERATOR, BlogModel, NotAPost, extract_post

URL = "http://b.example/tag/kettles"
BODY = """<html><head><title>Kettles | Notes</title></head><body><h1>Archive</h1>
<div class="x"><b>Three kettles</b> <i>Ada</i> <i>Bea</i> <u>5 March 2019</u>
<p>They stood on the sill for years, and nobody asked whose they were until the house was sold.</p>
<p>Then a boy came with a cart, and took them to the mill, where they stand to this day.</p>
</div></body></html>"""


def page(url: str = URL) -> Page:
    return Page(url=url, body=BODY.encode())


def test_newer_of_two_url_patterns_wins() -> None:
    said = Corrections.of([("post", "/tag/*", ""), ("no-post", "/tag/k*", "")])
    assert said.is_post(URL) is False
    assert said.is_post("http://b.example/tag/lamps") is True
    assert said.is_post("http://b.example/2019/lamps") is None


def test_operator_decides_whether_a_page_is_a_post() -> None:
    model = BlogModel(corrections=Corrections.of([("post", "/tag/*", "")]))
    assert isinstance(extract_post(page(), BlogModel()), NotAPost)
    assert isinstance(extract_post(page(), model), Post)
    model.corrections = Corrections.of([("no-post", "/tag/*", "")])
    verdict = extract_post(page(), model, promised=True)
    assert isinstance(verdict, NotAPost) and verdict.reason == BY_OPERATOR


def test_operators_xpath_beats_the_feed() -> None:
    fields = [
        ("field", "title", "//div/b"),
        ("field", "authors", "//div/i/text()"),
        ("field", "published", "//div/u"),
        ("field", "tags", "//nothing"),
    ]
    model = BlogModel(corrections=Corrections.of([("post", "/tag/*", ""), *fields]))
    entry = FeedEntry(url=URL, title="Another title", authors=("Cleo",))
    post = extract_post(page(), model, entry)
    assert isinstance(post, Post)
    assert (post.title, post.authors) == ("Three kettles", ("Ada", "Bea"))
    assert post.published is not None and post.published.date() == datetime(2019, 3, 5).date()
    assert post.extraction["title"]["method"] == "operator"


def test_content_is_taken_from_the_operators_xpath() -> None:
    values = Corrections.of([("field", "content", "//div/p")]).values(page(), None)
    assert [type(node) for node in values["content"].value] == [HtmlElement, HtmlElement]


def test_unmatched_operator_xpath_keeps_the_extracted_value() -> None:
    assert Corrections.of([("field", "title", "//h6")]).values(page(), "en") == {}
