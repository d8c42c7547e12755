# ruff: noqa: E501 - feeds and tables of cases are data
from __future__ import annotations

import json

import pytest

from blogcrawl.core.errors import FeedError
from blogcrawl.core.page import Page
from blogcrawl.dates.edtf import edtf
from blogcrawl.discovery.public_data import (
    blogger_page,
    parse_tumblr,
    parse_wp_posts,
    total_results,
    wp_api_root,
    wp_posts_url,
)

U = "https://b.example/wp-json/wp/v2/posts"


def test_wordpress_api_root_and_urls() -> None:
    page = Page(
        url="https://b.example/",
        body=b'<html><head><link rel="https://api.w.org/" href="https://b.example/index.php?rest_route=/"></head></html>',
    )
    root = wp_api_root(page)
    assert root == "https://b.example/index.php?rest_route=/"
    assert wp_posts_url(root, 3).startswith(
        "https://b.example/index.php?rest_route=/wp/v2/posts&per_page=100&page=3&"
    )
    assert wp_posts_url("https://b.example/wp-json/", 1).startswith(U + "?per_page=100&page=1&")
    header = Page(
        url="https://b.example/",
        body=b"",
        headers={"link": '<https://b.example/api/>; rel="https://api.w.org/", </x>; rel=preload'},
    )
    assert wp_api_root(header) == "https://b.example/api/"
    assert wp_api_root(Page(url="https://b.example/", body=b"")) is None


def test_api_posts_of_any_shape_are_read() -> None:
    rows = [
        {
            "link": "https://b.example/1",
            "title": {"rendered": "A &#8211; B"},
            "date_gmt": None,
            "date": "2021-03-02T10:00:00",
            "content": {"rendered": "<p>x</p>", "protected": True},
        },
        {
            "link": "/2",
            "title": "t",
            "_embedded": {"author": [{"code": "rest_user_invalid_id"}], "wp:term": "x"},
        },
        {"link": 7},
        None,
        "x",
        {"title": {}},
    ]
    entries, total, pages = parse_wp_posts(
        json.dumps(rows).encode(), U, {"x-wp-total": "17", "x-wp-totalpages": "none"}
    )
    assert [(e.url, e.title, e.is_full) for e in entries] == [
        ("https://b.example/1", "A – B", False),
        ("https://b.example/2", "t", False),
    ]
    assert (total, pages) == (17, None)
    for body in (b"{}", b"<html>", b'{"code":"rest_disabled"}', b"", b"[" * 100_000):
        with pytest.raises(FeedError):
            parse_wp_posts(body, U, {})


def test_api_dates_are_on_the_blogs_clock() -> None:
    rows = [
        {
            "link": "https://b.example/1",
            "date": "2020-08-09T00:02:28",
            "date_gmt": "2020-08-08T22:02:28",
            "modified": "2021-01-01T00:30:00",
            "modified_gmt": "2020-12-31T23:30:00",
        },
        {"link": "https://b.example/2", "date_gmt": "2020-08-08T22:02:28"},
        {
            "link": "https://b.example/3",
            "date": "2020-08-08T22:02:28",
            "date_gmt": "0000-00-00T00:00:00",
        },
        {
            "link": "https://b.example/4",
            "date": "2020-08-09T00:08:28",
            "date_gmt": "2020-08-08T22:02:28",
        },
    ]
    entries, *_ = parse_wp_posts(json.dumps(rows).encode(), U, {})
    assert [edtf(e.published) for e in entries] == [
        "2020-08-09T00:02:28+02:00",
        "2020-08-08T22:02:28Z",
        "2020-08-08T22:02:28",
        "2020-08-08T22:02:28Z",
    ]
    assert entries[0].published_raw == "2020-08-09T00:02:28"
    assert edtf(entries[0].modified) == "2021-01-01T00:30:00+01:00"


def test_numbers_in_headers_may_have_control_characters_around_them() -> None:
    headers = {"x-wp-total": "12\x1d", "x-wp-totalpages": "9" * 400}
    assert parse_wp_posts(b"[]", "https://b.example/wp-json/wp/v2/posts", headers) == ([], 12, None)


def test_blogger_windows_and_totals_are_read() -> None:
    url = "https://b.example/feeds/posts/default?alt=rss&max-results=5&start-index=9"
    assert (
        blogger_page(url, 26)
        == "https://b.example/feeds/posts/default?alt=rss&redirect=false&start-index=26&max-results=150"
    )
    assert total_results(b"<feed><openSearch:totalResults>51</openSearch:totalResults>") == 51
    assert total_results(b"<feed>") is None


def test_tumblr_responses_are_read() -> None:
    with pytest.raises(FeedError):
        parse_tumblr(b"<html></html>", "https://b.example/api/read")
    entries, total = parse_tumblr(
        b'<tumblr><posts total="x"><post url="/post/1" type="photo"><photo-caption>c</photo-caption></post><post/></posts></tumblr>',
        "https://b.example/",
    )
    assert total is None and [(e.url, e.content_html, e.is_full) for e in entries] == [
        ("https://b.example/post/1", "c", False)
    ]
