"""Search indexes of themes: where pages name them, and what they list."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from blogcrawl.core.errors import FeedError
from blogcrawl.core.page import Page
from blogcrawl.discovery.search_index import announced_indexes
from blogcrawl.discovery.sitemaps import parse_sitemap

H = "https://b.example"
DAY = datetime(2021, 7, 29, tzinfo=UTC)


@pytest.mark.parametrize(
    ("named", "found"),
    [
        (
            '<script>var CONFIG = {localSearch: {"path":"/search.xml","preload":false}}</script>',
            ["/search.xml"],
        ),
        (
            "<script>SimpleJekyllSearch({json: '/assets/js/data/search.json', limit: 10})</script>",
            ["/assets/js/data/search.json"],
        ),
        ('<script>fetch("/index.json").then(r => r.json())</script>', ["/index.json"]),
        ('<div data-index="blog/searchindex.json?v=3"></div>', ["/notes/blog/searchindex.json"]),
        (r'<script>{"path":"\/local-search.xml"}</script>', ["/local-search.xml"]),
        ('<link rel="alternate" href="/index.xml"><a href="/research.html">x</a>', []),
        ('<script>fetch("https://api.other.example/search.json")</script>', []),
        ("<p>I wrote search.json by hand.</p>", []),
    ],
)
def test_search_indexes_named_by_pages_are_found(named: str, found: list[str]) -> None:
    page = Page(url=H + "/notes/", body=f"<html><body>{named}</body></html>".encode())
    assert announced_indexes(page) == [H + path for path in found]


XML = """<?xml version="1.0"?><search><entry><title>A &amp; B</title><link href="/a/"/><url>/a/</url>
<content type="html">x</content></entry></search>"""  # noqa: E501


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (XML, [("/a/", "A & B", None)]),
        (
            json.dumps(
                [{"title": "A", "url": "/a/", "date": "2021-07-29 00:00:00 +0000", "snippet": "x"}]
            ),
            [("/a/", "A", DAY)],
        ),
        (
            json.dumps([{"title": "A", "permalink": H + "/a/", "content": "<p>x"}]),
            [("/a/", "A", None)],
        ),
        (
            json.dumps(
                {
                    "posts": [{"title": "A", "path": "a/", "date": "2021-07-29"}],
                    "pages": [{"title": "P", "path": "p/"}],
                }
            ),
            None,
        ),
        (
            json.dumps(
                [
                    {"title": 3, "url": "/a/"},
                    7,
                    None,
                    {"title": "no address"},
                    {"title": "A", "url": "/a/"},
                ]
            ),
            [("/a/", "A", None)],
        ),
    ],
)
def test_search_index_posts_are_listed(
    text: str, expected: list[tuple[str, str | None, datetime | None]] | None
) -> None:
    expected = expected if expected is not None else [("/a/", "A", DAY), ("/p/", "P", None)]
    found = parse_sitemap(text.encode(), H + "/search.json").entries
    assert [(entry.loc, entry.title, entry.published) for entry in found] == [
        (H + path, title, day) for path, title, day in expected
    ]


NOTHING = (
    "[]",
    "{}",
    "[1, 2",
    '{"a": [[[["/x/"]]]]}',
    "[" * 5_000,
    "<search></search>",
    "<search><entry><title>x</title></entry>",
)


@pytest.mark.parametrize("text", NOTHING)
def test_document_without_entries_is_no_search_index(text: str) -> None:
    with pytest.raises(FeedError):
        parse_sitemap(text.encode(), H + "/search.json")
