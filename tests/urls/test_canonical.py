"""One name for one page; which URLs are the blog's."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogcrawl.urls.canonical import (
    Scope,
    canonicalize,
    clean,
    resource_kind,
    same_site,
    without_language,
)
from tests.cpu import loops

HOME = "http://example.org/2012/03/hello-world"


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/2012/03/hello-world/",
        "HTTPS://WWW.Example.ORG:443/2012/03/hello-world",
        "http://example.org:80/2012/03/hello-world/index.html",
        "http://example.org/2012/./x/../03//hello-world/#comments",
        "http://example.org/2012/03/hello-world/?utm_source=a&utm_medium=b&fbclid=1",
        "http://example.org/2012/03/hello-world?replytocom=12#respond",
        "http://example.org/2012/03/hello-world/?share=twitter&nb=1",
        "http://example.org/2012/03/hello-world/amp/",
        "http://example.org/2012/03/hello-world/?amp=1",
        "http://example.org/2012/03/hello-world/print/",
        "http://example.org/2012/03/hello-world/embed/",
        "http://example.org/2012/03/hello-world?print=1",
        "http://example.org/2012/03/hello-world?m=1",
        "http://example.org/2012/03/hello-world;jsessionid=0A1B2C/",
        "http://example.org/2012/03/hello-world?PHPSESSID=0123456789abcdef",
        "http://example.org/2012/03/hello-world?sid=0123456789abcdef0123",
        "http://example.org/2012/03/hell%6f-world?ref=rss",
        "http://example.org/2012/03/hello-world?source=collection_home---4------0-----------",
        "http://example.org/2012/03/hello-world?source=---------7-----------",
        "http://example.org./2012/03/hello-world?ref=other-blog.example",
        "http://example.org/2012/03/hello-world%3FshowComment=12.html",
        "http://example.org/2012/03/hello-world/index.html@share=twitter.html",
        "http://example.org/2012/03/hello-world/index.html%3Freplytocom=553.html",
        "http://example.org/2012/03/hello-world?widgetType=BlogArchive&widgetId=BlogArchive1"
        "&action=toggle&dir=open&toggle=YEARLY-1199142000000&toggleopen=MONTHLY-1222812000000",
        "http://user:secret@example.org/2012/03/hello-world",
    ],
)
def test_equivalent_urls_have_one_canonical_form(url: str) -> None:
    assert canonicalize(url) == HOME


@pytest.mark.parametrize(
    ("url", "own"),
    [
        ("http://fr.a.example/blog/", "http://a.example/blog"),
        ("http://a.example/pt-br/blog/?x=1", "http://a.example/blog"),
        ("http://a.example/en/", "http://a.example"),
        ("http://de.example/eng/x", "http://de.example/eng/x"),
    ],
)
def test_address_without_its_language(url: str, own: str) -> None:
    assert without_language(url) == own


def test_what_the_user_leaves_out_is_unwanted() -> None:
    scope = Scope("http://a.example/", exclude="/en/")
    assert scope.is_unwanted("http://a.example/en/x") and not scope.is_unwanted("http://b.example/")
    only = Scope("http://a.example/", include="/fr/")
    assert only.is_unwanted("http://a.example/de/") and not only.is_unwanted("http://a.example/fr/")


def test_fragment_routes_are_distinct_pages() -> None:
    assert canonicalize("http://example.org/#/post/1/") == canonicalize(
        "http://www.example.org/index.html#!/post/1"
    )
    assert (
        canonicalize("http://example.org/#/")
        == canonicalize("http://example.org/#top")
        == "http://example.org/"
    )
    key = canonicalize("http://example.org/#/post?id=å b&x=1")
    assert canonicalize(key) == key


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("http://example.org/?p=12", "http://example.org/?p=13"),
        ("http://example.org/?page_id=2", "http://example.org/"),
        ("http://example.org/?paged=2", "http://example.org/"),
        ("http://example.org/?m=201203", "http://example.org/"),
        ("http://example.org/tag/amp/", "http://example.org/tag/"),
        ("http://example.org/2012/03/print/", "http://example.org/2012/03/"),
        ("http://example.org/?s=hello", "http://example.org/"),
        ("http://example.org/article.php?sid=12", "http://example.org/article.php"),
        ("http://example.org/Hello", "http://example.org/hello"),
        ("http://example.org/a%2Fb", "http://example.org/a/b"),
        ("http://example.org/a.html", "http://example.org/a"),
        ("http://example.org:8080/", "http://example.org/"),
        ("http://blog.example.org/", "http://example.org/"),
        ("http://www.com/", "http://com/"),
        ("http://example.org/#/post/1", "http://example.org/"),
        ("http://example.org/#!post/1", "http://example.org/#!post/2"),
    ],
)
def test_different_pages_have_different_canonical_forms(a: str, b: str) -> None:
    assert canonicalize(a) != canonicalize(b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("http://example.org/?b=2&a=1", "http://example.org/?a=1&b=2"),
        ("http://example.org/?q=a+b", "http://example.org/?q=a%20b"),
        ("http://bücher.example/ä", "http://xn--bcher-kva.example/a%CC%88"),
        ("http://some.blogspot.de/2012/01/x.html?m=1", "https://some.blogspot.com/2012/01/x.html"),
        ("http://example.org/ä b", "http://example.org/%c3%a4%20b"),
        ("http://example.org/index.php?p=12", "http://example.org/?p=12"),
        ("http://example.org/blog/?p=1", "http://example.org/blog?p=1"),
        (
            "http://example.org/2015/10/05/party/comment-page-2/#comments",
            "http://example.org/2015/10/05/party/",
        ),
        (
            "http://example.org/2015/10/05/party/comment-page-4/index.html",
            "http://example.org/2015/10/05/party/index.html",
        ),
        ("http://example.org/?p=7&cpage=2#comments", "http://example.org/?p=7"),
    ],
)
def test_more_equivalent_urls_have_one_canonical_form(a: str, b: str) -> None:
    assert canonicalize(a) == canonicalize(b)


@pytest.mark.parametrize(
    "url",
    [
        "mailto:a@b.example",
        "javascript:void(0)",
        "http://[::1",
        "http://",
        "",
        "http://exa mple:bad:port/",
        "data:text/html,x",
    ],
)
def test_invalid_urls_do_not_raise(url: str) -> None:
    canonicalize(url)
    clean(url)
    assert not Scope("http://example.org/").contains(url)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60), st.text(max_size=40))
def test_canonical_form_is_idempotent(path: str, query: str) -> None:
    once = canonicalize(f"http://example.org/{path}?{query}")
    assert canonicalize(once) == once or "%3F" in once
    assert once.isascii()


def test_clean_url_keeps_significant_parts() -> None:
    assert (
        clean("http://www.example.org/A/?b=2&a=1&utm_source=x#top")
        == "http://www.example.org/A/?b=2&a=1"
    )
    assert clean("http://example.org/?utm_source=x#/post/1/") == "http://example.org/#/post/1"
    assert clean("http://example.org/#/") == clean("http://example.org/#!") == "http://example.org/"
    assert clean("http://example.org/p//double/") == "http://example.org/p//double/", (
        "an object store knows it under no other name"
    )
    assert clean("https://example.org/a?empty=&flag") == "https://example.org/a?empty=&flag"


def test_clean_url_requests_the_post_itself() -> None:
    post = "http://example.org/2012/09/x-y-z/"
    assert (
        clean(f"{post}comment-page-3/#comment-12")
        == clean(f"{post}amp/")
        == clean(f"{post}print/")
        == clean(f"{post}comment-page-3/index.html")
        == post
    )
    assert clean("http://example.org/x-y/comment-page-1") == "http://example.org/x-y"
    assert clean("http://example.org/tag/amp/") == "http://example.org/tag/amp/"
    assert clean("http://example.org/comment-page-2/") == "http://example.org/comment-page-2/"


def test_very_long_urls_are_fast() -> None:
    def read_all() -> None:
        for url in (
            "http://example.org/" + "a/../" * 100_000,
            "http://example.org/?" + "a=1&" * 100_000,
            "http://example.org/" + ";sid=" * 50_000,
        ):
            canonicalize(url)
            resource_kind(url)
            Scope("http://example.org/", exclude="*a*b*c*d*e*f*g*").contains(url)

    assert loops(read_all) < 100


def test_scope_of_a_blog_in_a_folder() -> None:
    scope = Scope("https://www.example.org/blog/", exclude="/blog/tag/* *.php")
    assert scope.contains("http://example.org/blog")
    assert scope.contains("http://example.org/blog/2012/a")
    assert scope.contains("http://example.org/blog?p=1")
    assert not scope.contains("http://example.org/blogs/a")
    assert not scope.contains("http://example.org/blog/tag/a")
    assert not scope.contains("http://example.org/blog/a.php")
    assert not scope.contains("http://other.example/blog/a")


def test_scope_include_replaces_the_prefix() -> None:
    scope = Scope("http://example.org/blog/", include="/news, /en/*/story-*")
    assert scope.contains("http://example.org/blog/")
    assert scope.contains("http://example.org/news/a")
    assert scope.contains("http://example.org/en/x/story-1")
    assert not scope.contains("http://example.org/en/story-1")
    assert not scope.contains("http://example.org/blog/a")


def test_scope_widens_to_the_posts() -> None:
    scope = Scope("http://example.org/posts/")
    assert scope.widen([f"http://example.org/2012/{i}" for i in range(5)])
    assert scope.contains("http://example.org/2012/9")
    sub = Scope("http://example.org/")
    assert sub.widen([f"http://blog.example.org/{i}" for i in range(5)])
    assert sub.contains("http://blog.example.org/9") and sub.contains("http://example.org/x")
    proxy = Scope("http://example.org/")
    assert not proxy.widen([f"http://feedproxy.example.net/{i}" for i in range(5)])


def test_start_page_widens_the_folder_only() -> None:
    links = [f"http://example.org/post/{i}" for i in range(5)]
    scope = Scope("http://example.org/blog")
    assert not scope.widen_on_site([links[0]] * 5)
    assert not scope.widen_on_site(
        ["http://example.org/", *(f"{scope.home_key}/{i}" for i in "ab")]
    )
    assert scope.widen_on_site(links) and scope.contains(links[0])
    others = [f"http://blog.example.org/{i}" for i in range(5)]
    assert not scope.widen_on_site(others) and not scope.contains(others[0])


def test_same_site_is_decided_by_host() -> None:
    assert same_site("http://blog.example.org/a", "https://www.example.org/")
    assert not same_site("http://example.org/", "http://badexample.org/")


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("http://e.org/a/photo.JPG", "media"),
        ("http://e.org/a/paper.pdf", "file"),
        ("http://e.org/feed/", "feed"),
        ("http://e.org/index.xml", "feed"),
        ("http://e.org/?feed=rss2", "feed"),
        ("http://e.org/index.php?atom=1", "feed"),
        ("http://e.org/feeds/posts/default", "feed"),
        ("http://e.org/wp-login.php", "service"),
        ("http://e.org/cgi-bin/blog.pl?id=12", "page"),
        ("http://e.org/cgi-bin/mt-tb.cgi?tb_id=12", "service"),
        ("http://e.org/wp-content/uploads/a.png", "media"),
        ("http://e.org/2012/03/node.js-tips/", "page"),
        ("http://e.org/a.html", "page"),
        ("http://e.org/?p=1", "page"),
        ("http://e.org/.well-known", "page"),
    ],
)
def test_resource_kinds_are_recognised(url: str, kind: str) -> None:
    assert resource_kind(url) == kind


@pytest.mark.parametrize(
    "path",
    [
        "/blog/comments.asp?id=126",
        "/mt-comments.php?entry_id=36",
        "/comments_popup.php?p=3",
        "/wp-comments-popup.php?p=7",
    ],
)
def test_comment_popup_scripts_are_no_pages(path: str) -> None:
    assert resource_kind("http://e.org" + path) == "service"


def test_framed_comment_script_belongs_to_its_post() -> None:
    whole = "http://blogs.example/ann77/220000182740"
    assert canonicalize(
        "http://blogs.example/PostView.naver?logNo=220000182740&from=postList&blogId=ann77"
    ) == canonicalize(whole)
    assert "blogId" in canonicalize("http://blogs.example/PostList.naver?blogId=ann77")


def test_query_may_select_the_blog_in_a_folder() -> None:
    scope = Scope("http://blogs.example/ann77")
    assert scope.contains("http://blogs.example/PostList.naver?blogId=ann77&currentPage=2")
    assert not scope.contains("http://blogs.example/PostList.naver?blogId=bob&currentPage=2")
    assert not Scope("http://e.org/a/b").contains("http://e.org/list?x=b")


@pytest.mark.parametrize(
    ("start", "home", "inside", "outside"),
    [
        ("http://b.example/", "http://b.example/2017/05/index.html", "/2006/01/x.html", ""),
        ("http://b.example/", "https://www.b.example/home/", "/posts/one/", ""),
        ("http://b.example/ann/", "http://b.example/ann/2017/", "/ann/2006/x", "/bob/x"),
        ("http://b.example/~ann", "http://b.example/people/ann/", "/people/ann/x", "/other"),
    ],
)
def test_a_redirect_of_the_start_page_never_narrows_the_scope(
    start: str, home: str, inside: str, outside: str
) -> None:
    scope = Scope.around(start, home)
    assert scope.contains("http://b.example" + inside)
    assert not outside or not scope.contains("http://b.example" + outside)


def test_a_redirect_to_another_site_moves_the_scope() -> None:
    scope = Scope.around("http://b.example/", "https://hosts.example/@ann/")
    assert scope.contains("https://hosts.example/@ann/x")
    assert not scope.contains("https://hosts.example/@bob/x")


@pytest.mark.parametrize("query", ["m=1&y=2004", "M=1&Y=2004", "m=1&year=04", "m=01&y=2004"])
def test_month_next_to_a_year_is_no_view_for_telephones(query: str) -> None:
    assert clean(f"http://a.example/archive.asp?{query}").endswith(f"?{query}")
    assert canonicalize("http://a.example/a.html?m=1") == "http://a.example/a.html"
