# ruff: noqa: E501 (markup in one line)
"""Pages that are but frames around others."""

from __future__ import annotations

from blogcrawl.core.page import Page
from blogcrawl.dom.links import page_links
from blogcrawl.rendering.framesets import frame_urls, inline_urls, merged
from blogcrawl.urls.canonical import canonicalize

FRAMESET = '<html><head><title>Home</title></head><frameset cols="180,*"><frame src="menu.htm"><frame src="http://ads.example/"><frame src="main.htm"></frameset></html>'
TEXT = "<p>" + "Words of a post. " * 40 + "</p>"


def page(body: str, url: str = "http://b.example/x/") -> Page:
    return Page(url=url, body=body.encode(), headers={"content-type": "text/html; charset=utf-8"})


def test_frameset_includes_only_frames_of_its_site() -> None:
    assert frame_urls(page(FRAMESET)) == [
        "http://b.example/x/menu.htm",
        "http://b.example/x/main.htm",
    ]


def test_iframe_is_read_if_the_page_has_no_other_text() -> None:
    frame = '<iframe id="mainFrame" src="/view?blog=ann&no=7"></iframe>'
    assert frame_urls(page(f"<title>A walk</title>{frame}")) == [
        "http://b.example/view?blog=ann&no=7"
    ]
    assert frame_urls(page(f"<title>A walk</title>{TEXT}{frame}")) == []
    assert (
        frame_urls(page('<title>x</title><iframe src="/like" width="1" height="1"></iframe>')) == []
    )
    assert frame_urls(page('<title>x</title><iframe src="https://video.example/7"></iframe>')) == []


def test_frame_at_the_posts_canonical_url_is_requested() -> None:
    post = page(
        '<title>A walk</title><iframe src="/PostView.naver?blogId=ann&logNo=7"></iframe>',
        "http://blog.naver.com/ann/7",
    )
    assert canonicalize("http://blog.naver.com/PostView.naver?blogId=ann&logNo=7") == canonicalize(
        post.url
    )
    assert frame_urls(post) == ["http://blog.naver.com/PostView.naver?blogId=ann&logNo=7"]
    assert frame_urls(page('<title>A walk</title><iframe src="/x/#top"></iframe>')) == []


def test_frames_are_merged_into_one_page() -> None:
    menu = page(
        '<html lang="zh"><body><a href="diary/2004.htm">2004</a></body></html>',
        "http://b.example/x/menu.htm",
    )
    main = page(
        '<html><head><title>No</title></head><body><base href="/y/"><p>Hello <a href="a.htm">a</a></p></body></html>'
    )
    whole = merged(page(FRAMESET), [menu, main])
    assert [link.url for link in page_links(whole)] == [
        "http://b.example/x/diary/2004.htm",
        "http://b.example/y/a.htm",
    ]
    assert (
        whole.tree.findtext("head/title") == "Home"
        and whole.tree.get("lang") == "zh"
        and "Hello" in whole.text
    )
    assert whole.static is not None and b"frameset" in whole.static.body


def test_own_documents_in_boxes_of_a_page() -> None:
    body = b"""<p>Words</p><iframe src=/list.html></iframe><object data="all.html"></object>
    <iframe src=/count.html width=1 height=1></iframe><iframe src="//video.example/v"></iframe>
    <object></object>"""
    page = Page(url="http://e.org/a/", body=body)
    assert inline_urls(page) == ["http://e.org/list.html", "http://e.org/a/all.html"]
