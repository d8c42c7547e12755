"""Pages that are no posts, each with its reason."""

from __future__ import annotations

import pytest

from blogcrawl.core.page import Page
from blogcrawl.extraction.pages.postness import SiteHints, judge
from blogcrawl.extraction.pages.several import units

LOREM = (
    "This is a sentence of the post that is long enough to count as text, and here is another one. "
)
HOME = "https://blog.example"


def page_of(
    body: str, head: str = "<title>T</title>", path: str = "/2020/05/my-post/", **more: object
) -> Page:
    html = (
        f"<html><head>{head}</head>"
        f"{body if body.startswith('<body') else f'<body>{body}</body>'}</html>"
    )
    return Page(
        url=HOME + path,
        body=html.encode(),
        headers={"content-type": "text/html; charset=utf-8"},
        **more,
    )  # type: ignore[arg-type]


POST = (
    f"<article><h1>T</h1><time datetime='2020-05-04'>4 May</time><div "
    f"class=entry-content><p>{LOREM * 6}</p></div></article>"
)
LIST = "".join(
    (
        f"<article><h2><a href='/2020/0{i}/p{i}/'>Title number {i}</a></h2><p>{LOREM}</p><a "
        f"href='/2020/0{i}/p{i}/'>Read more</a></article>"
    )
    for i in range(1, 8)
)
WARE = f"<h1>A vase</h1><p>{LOREM * 6}</p>"
LINKS = (
    "<h1>Archive</h1><ul>"
    + "".join(f"<li><a href='/p{i}/'>A title of a post, number {i}</a></li>" for i in range(60))
    + "</ul>"
)


DATED = "<meta property=article:published_time content='2020-02-02T10:00:00Z'>"


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (page_of(POST, path="/"), {"home"}),
        (page_of(LIST, path="/"), {"home", "list"}),
        (page_of(LIST, path="/page/3/"), {"list"}),
        (page_of(LIST, path="/tag/python/"), {"tag", "list"}),
        (page_of(LIST, path="/category/food/"), {"category", "list"}),
        (page_of(LIST, path="/2020/05/"), {"date", "list"}),
        (page_of(LIST, path="/author/jo/"), {"author", "list"}),
        (page_of(LIST, path="/search/?q=x"), {"search", "list"}),
        (page_of(LIST, path="/some-page/"), {"list"}),
        (page_of(LINKS, path="/archives.html"), {"archive", "list"}),
        (
            page_of(
                (
                    f"<body class='page page-id-2 page-template-default'><h1>About</h1><p>"
                    f"{LOREM * 3}</p></body>"
                ),
                path="/about/",
            ),
            {"static"},
        ),
        (
            page_of(
                "<h1>Page not found</h1><p>It seems nothing is here.</p>",
                "<title>Page not found - Blog</title>",
            ),
            {"missing"},
        ),
        (page_of("<h1>Seite nicht gefunden</h1>", "<title>404</title>"), {"missing"}),
        (page_of("<h1>ページが見つかりません</h1>", "<title>ブログ</title>"), {"missing"}),
        (
            page_of("<form><input name=log><input type=password></form>", "<title>Log In</title>"),
            {"login"},
        ),
        (
            page_of(
                (
                    "<div id=cf-wrapper>Checking</div><script "
                    "src=/cdn-cgi/challenge-platform/x.js></script>"
                ),
                "<title>Just a moment...</title>",
            ),
            {"challenge"},
        ),
        (page_of("<p>x</p>", "<title>Attention Required! | Cloudflare</title>"), {"challenge"}),
        (page_of(POST, path="/pages/about-me/"), {"page"}),
        (
            page_of(
                POST,
                f"<title>About</title><meta property=og:type content=website>{DATED}",
                path="/about/index.html",
            ),
            {"static"},
        ),
        (page_of(POST, path="/p/about-me.html"), {"page"}),
        (page_of(POST, status=404), {"error"}),
        (page_of(POST, status=503), {"error"}),
        (page_of(""), {"empty"}),
        (page_of("<div id=root></div><script>boot()</script>"), {"empty"}),
        (
            Page(
                url=HOME + "/x",
                body=b"<?xml version='1.0'?><rss><channel/></rss>",
                headers={"content-type": "text/html"},
            ),
            {"feed"},
        ),
        (
            Page(url=HOME + "/x.jpg", body=b"\xff\xd8\xff", headers={"content-type": "image/jpeg"}),
            {"not html"},
        ),
        (page_of("<p>This blog has been deleted.</p>", "<title>x</title>"), {"gone"}),
        (
            page_of(
                WARE,
                "<title>A vase</title><meta property=og:type content=product>",
                "/shop/a-blue-vase",
            ),
            {"product"},
        ),
        (
            page_of(
                WARE + '<script type="application/ld+json">{"@type": "Product"}</script>',
                path="/a-blue-vase",
            ),
            {"product"},
        ),
    ],
)
def test_no_post(page: Page, reason: set[str]) -> None:
    verdict = judge(page, SiteHints(home_url=HOME + "/"))
    assert not verdict.is_post
    assert verdict.reason in reason
    assert 0.5 <= verdict.confidence <= 1.0


COMMENTED = (
    POST
    + "<ol class=commentlist>"
    + f"<li><h3><a href='/u'>Jo</a></h3><p>{LOREM}</p></li>" * 30
    + "</ol>"
)


@pytest.mark.parametrize(
    "page",
    [
        page_of(POST),
        page_of(COMMENTED),
        page_of(POST + f"<aside><h3><a href='/a'>Recent</a></h3>{LINKS}</aside>"),
        page_of(
            POST.replace("T</h1>", "How to build a nice 404 page</h1>").replace(LOREM, LOREM * 5),
            "<title>How to build a nice 404 page</title>",
        ),
        page_of(POST, path="/?p=123"),
        page_of(POST, path="/p/a-title-of-it"),
        page_of(POST, path="/p12.html"),
        page_of(POST, path="/2020/05/04/some-title.html"),
        page_of("<h1>T</h1><time datetime='2020-05-04'>d</time><img src=photo.jpg><p>A photo.</p>"),
        page_of(
            POST
            + "<h3><a href='/older/'>Older post</a></h3><h3><a href='/newer/'>Newer post</a></h3>"
        ),
        page_of(POST, "<title>T</title><meta name=robots content=noindex>"),
        page_of(POST + "<form><input type=password><input name=u></form>"),
    ],
)
def test_post(page: Page) -> None:
    verdict = judge(page)
    assert verdict.is_post, verdict


def test_site_hints_decide_doubtful_pages() -> None:
    page = page_of(f"<p>{LOREM}</p>", path="/about/")
    assert not judge(page, SiteHints(pattern=0.05)).is_post
    assert judge(page, SiteHints(promised=True)).is_post
    assert judge(page, SiteHints(pattern=0.95, keypath=0.9)).is_post


def test_a_promise_does_not_make_a_challenge_a_post() -> None:
    page = page_of("<p>x</p>", "<title>Just a moment...</title>")
    assert judge(page, SiteHints(promised=True)).reason == "challenge"


def test_units_of_a_list() -> None:
    found = units(page_of(LIST, path="/"))
    assert [url for _element, url in found] == [f"{HOME}/2020/0{i}/p{i}/" for i in range(1, 8)]
    assert {element.tag for element, _url in found} == {"article"}
    assert units(page_of(POST)) == []


def test_signs_are_told() -> None:
    assert any("url like tag" in sign for sign in judge(page_of(LIST, path="/tag/x/")).signs)


def test_a_query_that_chooses_a_post_is_not_the_home_page() -> None:
    home = SiteHints(home_url=HOME + "/")
    assert judge(page_of(POST, path="/?p=228"), home).is_post
    for path in ("/", "/index.html", "/?utm_source=feed"):
        assert judge(page_of(POST, path=path), home).reason == "home", path
