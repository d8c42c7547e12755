from __future__ import annotations

from typing import get_args

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import Feed
from blogcrawl.discovery.platforms import Paging, Platform, detect, engines, with_feed


def page(head: str = "", url: str = "https://b.example/", **headers: str) -> Page:
    return Page(
        url=url,
        body=f"<html><head>{head}</head><body></body></html>".encode(),
        headers={k.replace("_", "-"): v for k, v in headers.items()},
    )


@pytest.mark.parametrize(
    ("generator", "name", "version"),
    [
        ("WordPress 6.4.2", "WordPress", "6.4.2"),
        ("WordPress.com", "WordPress", None),
        ("blogger", "Blogger", None),
        ("Ghost 5.75", "Ghost", "5.75"),
        ("Hugo 0.161.1", "Hugo", "0.161.1"),
        ("Hugo 0.120.0-DEV", "Hugo", "0.120.0"),
        ("Jekyll v4.2.0", "Jekyll", "4.2.0"),
        ("Hexo 6.3.0", "Hexo", "6.3.0"),
        ("Pelican", "Pelican", None),
        ("Nikola (getnikola.com)", "Nikola", None),
        ("Eleventy v3.1.2", "Eleventy", "3.1.2"),
        ("Gatsby 5.12.4", "Gatsby", "5.12.4"),
        ("Octopress 3", "Octopress", "3"),
        ("Movable Type Pro 5.2.6", "Movable Type", "5.2.6"),
        ("http://www.typepad.com/", "TypePad", None),
        ("Drupal 10 (https://www.drupal.org)", "Drupal", "10"),
        ("Joomla! - Open Source Content Management", "Joomla", None),
        ("Dotclear 2.24", "Dotclear", "2.24"),
        ("Serendipity v.2.3.5", "Serendipity", "2.3.5"),
        ("Textpattern CMS 4.8.8", "Textpattern", "4.8.8"),
        ("JBake v2.6.7", "JBake", "2.6.7"),
        ("Wix.com Website Builder", "Wix", None),
        ("Squarespace", "Squarespace", None),
        ("Quarto-1.4", "Quarto", "1.4"),
        ("Astro v4.0.7", "Astro", "4.0.7"),
        ("micro.blog", "micro.blog", None),
        ("WriteFreely", "WriteFreely", None),
        ("Frobnicator 1.2", "Frobnicator", "1.2"),
    ],
)
def test_platforms_are_detected_by_generator(
    generator: str, name: str, version: str | None
) -> None:
    found = detect(page(f'<meta name="generator" content="{generator}">'))
    assert (found.name, found.version) == (name, version)


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (page('<link rel="stylesheet" href="/wp-content/themes/x/style.css">'), "WordPress"),
        (page(link='<https://b.example/wp-json/>; rel="https://api.w.org/"'), "WordPress"),
        (page(x_tumblr_user="x"), "Tumblr"),
        (page(url="https://x.tumblr.com/"), "Tumblr"),
        (page(url="https://x.blogspot.co.uk/"), "Blogger"),
        (page(url="https://ann.livejournal.com/"), "LiveJournal"),
        (page('<script src="https://substackcdn.com/x.js">'), "Substack"),
        (page("<!-- Begin Jekyll SEO tag v2.8 -->"), "Jekyll"),
        (page('<script src="/sites/default/files/js/x.js">'), "Drupal"),
        (page('<div id="___gatsby">'), "Gatsby"),
        (page(), ""),
        (page("<p>I moved from WordPress to Hugo and wrote about Ghost</p>"), ""),
    ],
)
def test_platforms_are_detected_by_markup(made: Page, name: str) -> None:
    assert detect(made).name == name


def test_platform_is_detected_from_the_feed() -> None:
    feed = Feed(
        url="https://b.example/feed/",
        kind="posts",
        format="rss2.0",
        generator="https://wordpress.org/?v=5.7.2",
    )
    assert with_feed(Platform(), feed) == Platform("WordPress", "5.7.2", "feed")
    assert with_feed(Platform("WordPress", None, "markup"), feed).version == "5.7.2"
    assert with_feed(Platform("Hugo", None, "markup"), feed) == Platform("Hugo", None, "markup")
    assert (
        detect(
            None,
            Feed(
                url="https://b.example/feed",
                kind="posts",
                format="rss2.0",
                generator="PyRSS2Gen-1.1.0",
            ),
        ).name
        == ""
    )


def test_platform_table_is_consistent() -> None:
    assert len({e.name for e in engines()}) == len(engines()) > 50
    for engine in engines():
        assert engine.generator or engine.clues or engine.headers or engine.hosts
        assert engine.paging in get_args(Paging)
        assert not any(p.startswith("/") for p in (*engine.feeds, engine.sitemap, engine.archive))
    assert (
        Platform("WordPress").engine.paging == "wordpress" and Platform("nobody").engine.feeds == ()
    )
