from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import Feed, FeedEntry
from blogcrawl.discovery.links import (
    announced_feeds,
    blog_roots,
    choose_post_feed,
    guessed_feeds,
    is_own_feed,
    is_scoped,
    other_stream,
)

URL = "https://b.example/blog/"


def announced(html: str, url: str = URL) -> list[str]:
    return [
        u
        for u, _ in announced_feeds(
            Page(url=url, body=f"<html><head></head><body>{html}</body></html>".encode())
        )
    ]


@pytest.mark.parametrize(
    ("html", "feeds"),
    [
        (
            '<link rel="alternate" type="application/rss+xml" href="/feed/">',
            ["https://b.example/feed/"],
        ),
        (
            (
                '<LINK REL="ALTERNATE feed" TYPE="application/atom+xml; charset=utf-8" '
                'HREF="atom.xml">'
            ),
            ["https://b.example/blog/atom.xml"],
        ),
        (
            '<link rel="alternate" type="application/feed+json" href="feed.json">',
            ["https://b.example/blog/feed.json"],
        ),
        ('<link rel="alternate" type="text/xml" href="/rss.xml">', ["https://b.example/rss.xml"]),
        ('<link rel="alternate" type="application/json+oembed" href="/oembed?url=feed">', []),
        ('<link rel="alternate" type="application/json" href="/wp-json/wp/v2/posts/1">', []),
        ('<link rel="alternate" hreflang="de" href="/de/">', []),
        ('<link rel="stylesheet alternate" type="text/css" href="/feed.css">', []),
        ('<link rel="alternate" type="application/rss+xml" href="">', ["https://b.example/blog/"]),
        ('<a href="/index.xml">RSS</a>', ["https://b.example/index.xml"]),
        ('<a href="/feeds/posts/default">x</a>', ["https://b.example/feeds/posts/default"]),
        ('<a href="?feed=rss2">x</a>', ["https://b.example/blog/?feed=rss2"]),
        ('<a href="/?feed=comments-rss2">x</a>', ["https://b.example/?feed=comments-rss2"]),
        ('<a href="/wp-commentsrss2.php">x</a>', ["https://b.example/wp-commentsrss2.php"]),
        ('<a href="feed://b.example/rss">x</a>', ["http://b.example/rss"]),
        ('<a href="feed:https://b.example/rss">x</a>', ["https://b.example/rss"]),
        (
            '<a href="https://feeds.feedburner.com/Blog">Subscribe</a>',
            ["https://feeds.feedburner.com/Blog"],
        ),
        (
            (
                '<a href="https://feedly.com/i/subscription/feed%2Fhttps%3A%2F%2Fb.example%2Fatom.xm'
                'l">x</a>'
            ),
            ["https://b.example/atom.xml"],
        ),
        ('<a href="/subscribe-here">RSS feed</a>', ["https://b.example/subscribe-here"]),
        ('<a href="/2020/01/how-rss-works.html">How RSS works</a>', []),
        ('<a href="/sitemap.xml">Sitemap</a><a href="/opensearch.xml">x</a>', []),
        ('<a href="javascript:x">RSS</a><a href="#feed">Feed</a>', []),
    ],
)
def test_announced_feeds_are_found(html: str, feeds: list[str]) -> None:
    assert announced(html) == feeds


def test_most_likely_post_feed_comes_first() -> None:
    feeds = announced(
        '<a href="/feed.xml">RSS</a>'
        '<link rel="alternate" type="application/rss+xml" title="B &raquo; Comments Feed" '
        'href="/comments/feed/">'
        '<link rel="alternate" type="application/rss+xml" title="B &raquo; A post Comments '
        'Feed" href="/2020/01/a-post/feed/">'
        '<link rel="alternate" type="application/rss+xml" title="B &raquo; cats" '
        'href="/category/cats/feed/">'
        '<link rel="alternate" type="application/rss+xml" title="Elsewhere" '
        'href="https://other.example/feed/">'
        '<link rel="alternate" type="application/rss+xml" title="B" href="/feed/">'
    )
    assert feeds[:2] == ["https://b.example/feed/", "https://b.example/feed.xml"]
    assert feeds[-2:] == [
        "https://b.example/comments/feed/",
        "https://b.example/2020/01/a-post/feed/",
    ]


@pytest.mark.parametrize(
    ("url", "roots"),
    [
        ("https://x.example", ["/"]),
        ("https://x.example/", ["/"]),
        ("https://x.example/blog", ["/blog/", "/"]),
        ("https://x.example/~ann/blog/", ["/~ann/blog/", "/~ann/", "/"]),
        ("https://x.example/2020/01/02/a-post/", ["/"]),
        ("https://x.example/blog/2020/01/a-post.html", ["/", "/blog/"]),
        ("https://x.example/index.html", ["/"]),
    ],
)
def test_blog_root_candidates(url: str, roots: list[str]) -> None:
    assert blog_roots(url) == ["https://x.example" + r for r in roots]


def test_candidates_end_with_conventional_urls_of_both_roots() -> None:
    candidates = guessed_feeds(URL, ["own.xml"])
    assert candidates[:4] == [
        "https://b.example/blog/own.xml",
        "https://b.example/own.xml",
        "https://b.example/blog/feed/",
        "https://b.example/feed/",
    ]
    assert len(candidates) == len(set(candidates))


@pytest.mark.parametrize(
    "url",
    [
        "/tag/x/feed/",
        "/category/a/b/feed/",
        "/author/ann/feed/",
        "/?cat=3&feed=rss2",
        "/feeds/posts/default/-/Travel",
        "/tags/x/index.xml",
        "/search/label/x",
    ],
)
def test_feeds_within_the_scope(url: str) -> None:
    assert is_scoped("https://b.example" + url)


@pytest.mark.parametrize(
    "url",
    [
        "/feed/",
        "/feeds/posts/default",
        "/authors-note/feed/",
        "/2020/01/tagging-things/",
        "/blog/index.xml",
    ],
)
def test_feeds_outside_the_scope(url: str) -> None:
    assert not is_scoped("https://b.example" + url)


def feed(url: str, last: int, count: int, full: bool = True, kind: str = "posts") -> Feed:
    entries = tuple(
        FeedEntry(
            url=f"https://b.example/{n}",
            published=datetime(2021, 1, last, tzinfo=UTC),
            is_full=full,
        )
        for n in range(count)
    )
    return Feed(url="https://b.example" + url, kind=kind, format="rss2.0", entries=entries)  # type: ignore[arg-type]


def test_feed_choice_prefers_posts() -> None:
    main, tag = feed("/feed/", 20, 10), feed("/tag/x/feed/", 20, 10)
    assert choose_post_feed([tag, main]) is main
    assert choose_post_feed([feed("/comments/feed/", 25, 10, kind="comments"), tag]) is tag
    assert choose_post_feed([feed("/old.xml", 1, 50), main]) is main
    assert choose_post_feed([feed("/excerpts.xml", 20, 10, full=False), main]) is main
    assert choose_post_feed([feed("/ru/rss.xml", 20, 10), feed("/rss.xml", 20, 10)]).url.endswith(
        "example/rss.xml"
    )  # type: ignore[union-attr]
    assert choose_post_feed([replace(main, entries=())]) is None
    assert choose_post_feed([]) is None


def test_streams_are_separate_from_the_blogs_own_feeds() -> None:
    assert not other_stream("https://b.example/feed/atom/", "https://b.example/feed/")
    assert not other_stream("https://b.example/atom.xml", "https://b.example/rss.xml")
    assert other_stream("https://b.example/ru/rss.xml", "https://b.example/rss.xml")
    assert not other_stream("https://other.example/ru/rss.xml", "https://b.example/rss.xml")
    assert is_own_feed(
        "https://b.example/2020/a/feed/", "https://b.example/2020/a/"
    ) and not is_own_feed("https://b.example/feed/", "https://b.example/")
