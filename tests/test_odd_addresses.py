"""Addresses that are none: a page's brackets and odd hosts must break nothing, wherever on it they
stand.
"""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from blogcrawl.comments.announced import comments_elsewhere
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.discovery.links import announced_feeds, main_folder
from blogcrawl.dom.links import page_links
from blogcrawl.extraction.model import BlogModel, Hints, extract_post, learn_blog
from blogcrawl.induction.ruleset import Sample
from blogcrawl.rendering.systems import carried_systems

ODD = [
    *(
        "http://[privacy-settings]/",
        "https://[",
        "//[x]/y",
        "http://[::1",
        "[[ADDRESS]]",
        "https://[%POST%]/comments/feed/",
    ),
    *("http://a\u2100b.example/x", "http://b.example:99999/a", "http://b.example:port/a"),
]
TEXT = (
    "<p>"
    + "The ferry left late, and the people on the quay said that it had always been so. " * 4
    + "</p>"
)


def page(address: str, number: int) -> Page:
    html = f"""<!doctype html><html><head><title>The ferry {number}</title><link rel=canonical href="{address}">
    <link rel=alternate type="application/rss+xml" href="{address}"><meta property="og:url" content="{address}">
    <script type="application/ld+json">{{"@type": "BlogPosting", "headline": "The ferry {number}", "url": "{address}",
    "author": {{"@type": "Person", "name": "Ann Lee", "url": "{address}"}}}}</script></head>
    <body><h2><a href="{address}">Blog</a></h2><h2><a href="{address}feed/">Feed</a></h2><article><h1><a href="{address}">The ferry
    {number}</a></h1><a rel=author href="{address}">Ann Lee</a><div>{TEXT}<img src="{address}" srcset="{address} 2x"><iframe
    src="{address}"></iframe>{TEXT}<a href="{address}">there</a></div></article><div id=comments><p><a href="{address}">Bob</a> Yes.</p>
    <a href="{address}#comment-page-1">Older comments</a></div><script data-isso="{address}"></script></body></html>"""  # noqa: E501
    return Page(
        url=f"http://b.example/{number}/ferry.html",
        body=html.encode(),
        headers={"content-type": "text/html"},
    )


@pytest.mark.parametrize("address", ODD)
def test_page_of_odd_urls_is_read(address: str) -> None:
    pages = [page(address, number) for number in (1, 2, 3)]
    for alone in pages:
        post = extract_post(alone, BlogModel(), None, True)
        assert isinstance(post, Post) and "always been so" in post.content_text
        for work in (announced_feeds, main_folder, comments_elsewhere, carried_systems):
            work(alone)  # type: ignore[operator]
        for link in page_links(alone):
            urlsplit(link.url)
    model = learn_blog(
        [Sample(page=alone, entry=FeedEntry(url=alone.url)) for alone in pages[1:]],
        Hints(home=pages[0]),
    )
    assert isinstance(extract_post(page(address, 4), model, None, True), Post)


@pytest.mark.parametrize("address", ODD)
def test_absolute_urls_can_be_split(address: str) -> None:
    absolute = page(address, 1).absolute(address)
    assert absolute is None or urlsplit(absolute).scheme in {"http", "https"}
