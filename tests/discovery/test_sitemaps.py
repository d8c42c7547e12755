# ruff: noqa: E501 - feeds and tables of cases are data
from __future__ import annotations

import gzip
from datetime import UTC, datetime

import pytest

from blogcrawl.core.errors import FeedError
from blogcrawl.discovery.sitemaps import kind_by_name, parse_sitemap, robots_sitemaps, worthwhile

U = "https://b.example/sitemap.xml"


def test_url_set_with_news_and_images_is_read() -> None:
    body = b"""<?xml version="1.0" encoding="UTF-8"?><?xml-stylesheet href="x.xsl"?>
    <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
     xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
    <url><image:image><image:loc>https://b.example/pic.jpg</image:loc></image:image><loc>
      https://b.example/a?x=1&amp;y=2 </loc><lastmod>2021-03-02T10:00:00+00:00</lastmod><xhtml:link rel="alternate" hreflang="de" href="https://b.example/de"/></url>
    <url><loc><![CDATA[/b]]></loc><lastmod>2021-03</lastmod><news:news><news:publication><news:name>N</news:name></news:publication>
      <news:publication_date>2021-02-01</news:publication_date><news:title>T &amp; U</news:title></news:news></url>
    <url><loc>javascript:1</loc></url><url/></urlset>"""
    found = parse_sitemap(body, U)
    assert [(e.loc, e.title) for e in found.entries] == [
        ("https://b.example/a?x=1&y=2", None),
        ("https://b.example/b", "T & U"),
    ]
    assert found.entries[0].lastmod == datetime(2021, 3, 2, 10, tzinfo=UTC)
    assert found.entries[1].published == datetime(2021, 2, 1, tzinfo=UTC)


def test_sitemap_variants_are_read() -> None:
    index = b"<sitemapindex><sitemap><loc>https://b.example/1.xml</loc><lastmod>2021-01-01</lastmod></sitemap></sitemapindex>"
    assert parse_sitemap(gzip.compress(index), U + ".gz").children == (
        ("https://b.example/1.xml", datetime(2021, 1, 1, tzinfo=UTC)),
    )
    assert [
        e.loc
        for e in parse_sitemap(
            b"\xef\xbb\xbfhttps://b.example/1\r\nhttps://b.example/2\n\nrubbish\n", U
        ).entries
    ] == [
        "https://b.example/1",
        "https://b.example/2",
    ]
    rss = b'<rss version="2.0"><channel><item><title>x</title><link>https://b.example/p</link></item></channel></rss>'
    assert [(e.loc, e.title) for e in parse_sitemap(rss, U).entries] == [
        ("https://b.example/p", "x")
    ]
    assert (
        parse_sitemap(
            b"<ns:urlset xmlns:ns='urn:x'><ns:url><ns:loc>https://b.example/n</ns:loc></ns:url></ns:urlset>",
            U,
        )
        .entries[0]
        .loc
        == "https://b.example/n"
    )
    assert parse_sitemap(b"<urlset/>", U).entries == ()


def test_broken_sitemap_yields_its_readable_entries() -> None:
    body = b"<urlset><url><loc>https://b.example/1</loc></url><url><loc>https://b.example/2</loc></url><url><loc>https://b.exa"
    assert [e.loc for e in parse_sitemap(body, U).entries][:2] == [
        "https://b.example/1",
        "https://b.example/2",
    ]


@pytest.mark.parametrize(
    ("end", "is_cut"),
    [("</urlset>", False), ("</urlset><!-- made by hand", False), ("<url><loc>https://b.ex", True)],
)
def test_sitemap_without_its_last_tag_is_cut(end: str, is_cut: bool) -> None:
    body = f"<urlset><url><loc>https://b.example/1</loc></url>{end}"
    assert parse_sitemap(body.encode(), U).is_cut is is_cut
    assert not parse_sitemap(b"<urlset/>", U).is_cut
    assert not parse_sitemap(b"https://b.example/1\nhttps://b.example/2", U).is_cut


@pytest.mark.parametrize(
    "body",
    [b"", b"<!DOCTYPE html><html></html>", b"not found", b"<html><urlset/></html>", b"<opml/>"],
)
def test_invalid_sitemaps_are_errors(body: bytes) -> None:
    with pytest.raises(FeedError):
        parse_sitemap(body, U)


def test_sitemaps_are_read_from_robots_txt() -> None:
    text = "\ufeffUser-agent: *\rDisallow: /\r\nSITEMAP : https://b.example/a.xml # x\nsitemap:/b.xml\nSitemap:\nSitemap: ftp://x/y\nSitemap: https://b.example/a.xml"
    assert robots_sitemaps(text, "https://b.example/") == [
        "https://b.example/a.xml",
        "https://b.example/b.xml",
    ]
    assert robots_sitemaps(None, "https://b.example/") == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("wp-sitemap-posts-post-1.xml", 1),
        ("wp-sitemap-posts-page-1.xml", -1),
        ("wp-sitemap-taxonomies-category-1.xml", -1),
        ("wp-sitemap-users-1.xml", -1),
        ("post-sitemap2.xml", 1),
        ("post_tag-sitemap.xml", -1),
        ("page-sitemap.xml", -1),
        ("sitemap-posts.xml", 1),
        ("sitemap-tags.xml", -1),
        ("sitemap-authors.xml", -1),
        ("sitemap-pt-post-2012-03.xml", 1),
        ("sitemap-pt-page-2012-03.xml", -1),
        ("sitemap-misc.xml", -1),
        ("blog-posts-sitemap.xml", 1),
        ("sitemap-1.xml", 0),
        ("sitemap.xml?page=2", 0),
        ("category-sitemap.xml", -1),
        ("image-sitemap-1.xml", -1),
        ("product-sitemap.xml", -1),
        ("sitemap.xml", 0),
        ("articles.xml", 1),
    ],
)
def test_sitemap_names_indicate_their_content(name: str, kind: int) -> None:
    assert kind_by_name("https://b.example/" + name) == kind


def test_post_sitemaps_are_chosen_from_an_index() -> None:
    def pick(*names: str) -> list[str]:
        return [
            u.rsplit("/", 1)[1] for u in worthwhile((f"https://b.example/{n}", None) for n in names)
        ]

    assert pick(
        "page-sitemap.xml", "post-sitemap.xml", "post-sitemap2.xml", "category-sitemap.xml"
    ) == [
        "post-sitemap.xml",
        "post-sitemap2.xml",
    ]
    assert pick("sitemap-1.xml", "sitemap-2.xml", "tag-sitemap.xml") == [
        "sitemap-1.xml",
        "sitemap-2.xml",
    ]
    assert pick("page-sitemap.xml") == ["page-sitemap.xml"]
    assert pick("sitemap.xml", "baidusitemap.xml") == ["sitemap.xml"] and pick(
        "baidusitemap.xml"
    ) == ["baidusitemap.xml"]
