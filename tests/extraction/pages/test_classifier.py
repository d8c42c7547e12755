"""Posts, lists and other pages: each feature with a page that shows it, and what follows."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

import pytest
from msgspec import structs

from blogcrawl.contrib.keypath import KeyPaths
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, FieldValue, Post
from blogcrawl.extraction.model import (
    BlogModel,
    Generation,
    Hints,
    NotAPost,
    extract_post,
    learn_blog,
)
from blogcrawl.extraction.pages.classifier import UNKNOWN, Site, barrier, classify, features, table
from blogcrawl.extraction.pages.listing import Places, is_album
from blogcrawl.extraction.pages.several import units
from blogcrawl.induction import apply
from blogcrawl.induction.fingerprint import Marks, is_of_other_template, learn_marks
from blogcrawl.induction.ruleset import Rule, RuleSet, Sample
from blogcrawl.urls.canonical import canonicalize, entry_key
from blogcrawl.urls.post_pattern import PostPattern

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


DATA = '<script type="application/ld+json">{{"@type": "{}"}}</script>'
ENTRY = FeedEntry(url=HOME, title="T", content_html=f"<p>{LOREM * 6}</p>")
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
def test_non_post_pages_are_classified(page: Page, reason: set[str]) -> None:
    verdict = classify(page, Site(home=canonicalize(HOME + "/")))
    assert not verdict.is_post
    assert verdict.kind in reason
    assert verdict.reason


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
def test_post_pages_are_classified(page: Page) -> None:
    verdict = classify(page)
    assert verdict.is_post, verdict


def test_list_units_are_counted() -> None:
    found = units(page_of(LIST, path="/"))
    assert [url for _element, url in found] == [f"{HOME}/2020/0{i}/p{i}/" for i in range(1, 8)]
    assert {element.tag for element, _url in found} == {"article"}
    assert units(page_of(POST)) == []


def test_post_selected_by_query_is_not_the_home_page() -> None:
    home = Site(home=canonicalize(HOME + "/"))
    assert classify(page_of(POST, path="/?p=228"), home).is_post
    for path in ("/", "/index.html", "/?utm_source=feed"):
        assert classify(page_of(POST, path=path), home).kind == "home", path


def found_at(page: Page, xpath: str) -> dict[str, list[FieldValue]]:
    """Return the content as a rule finds it."""
    [node] = page.tree.xpath(xpath)
    return {"content": [FieldValue(value=node, method="rules", confidence=0.9, rule=xpath)]}


def test_rule_that_finds_the_body_of_any_page_hides_no_login_form() -> None:
    page = page_of("<h1>Log in</h1><form><input type=password></form>", "<title>Log in</title>")
    site = Site(listed=True, found=found_at(page, "/html/body"))
    assert barrier(page, site) == "login"


def test_heading_that_says_that_a_password_is_needed_is_no_post() -> None:
    box = "<form><input type=password></form>"
    links = "".join(f"<li><a href=/{n}>{LOREM[: 20 + n]}</a></li>" for n in range(60))
    page = page_of(f"<h1>Password required</h1>{box}<ul>{links}</ul>", "<title>A blog</title>")
    assert barrier(page) == "login"
    page = page_of(f"<h1>Password required reading</h1>{box}<p>{LOREM * 40}</p>")
    assert barrier(page) is None, "a whole text"


def test_box_that_asks_for_a_password_in_place_of_the_text_is_no_post() -> None:
    box = "<form><p>This post is protected.</p><input type=password></form>"
    page = page_of(f"<h1>Protected: T</h1><div class=entry>{box}</div><p>{LOREM * 20}</p>")
    assert barrier(page, Site(found=found_at(page, "//div[@class='entry']"))) == "protected"
    page = page_of(f"<h1>T</h1><div class=entry><p>{LOREM * 20}</p>{box}</div>")
    assert barrier(page, Site(found=found_at(page, "//div[@class='entry']"))) is None


def test_list_whose_first_post_asks_for_a_password_is_a_list() -> None:
    box = "<div class=entry><form><p>This post is protected.</p><input type=password></form></div>"
    page = page_of(
        f"<h2>Protected: T</h2>{box}<h2>U</h2><div class=entry><p>{LOREM * 20}</p></div>"
    )
    [first, _] = page.tree.xpath("//div[@class='entry']")
    content = FieldValue(value=first, method="rules", confidence=0.9, rule="//div.entry")
    rule = Rule(field="content", xpath="//div[@class='entry']", support_right=9, support_tried=9)
    rules = RuleSet(rules={"content": [rule]})
    assert barrier(page, Site(found={"content": [content]}, ruleset=rules)) is None


def test_form_for_comments_that_asks_for_a_password_protects_no_post() -> None:
    form = "<tr><td>비밀번호 : <input type=password><td>내용 : <textarea></textarea></tr>"
    page = page_of(f"<h1>T</h1><div class=entry><p>짧은 글.</p><table>{form}</table></div>")
    assert barrier(page, Site(found=found_at(page, "//div[@class='entry']"))) is None


@pytest.mark.parametrize(
    ("title", "words", "kind"),
    [
        ("A walk", "This site is busy. Come back later.", "notice"),
        ("A walk", "A walk. It rained.", None),
        ("", "This site is busy. Come back later.", None),
        ("A walk", LOREM * 20, None),
    ],
)
def test_short_page_without_the_title_that_the_feed_has_is_a_notice(
    title: str, words: str, kind: str | None
) -> None:
    rules = {"title": [Rule(field="title", xpath="//h1", support_right=9, support_tried=10)]}
    page = page_of(f"<p>{words}</p>")
    assert barrier(page, Site(title=title, ruleset=RuleSet(rules=rules))) == kind
    assert barrier(page, Site(title=title)) is None  # other posts may not show theirs


def test_a_listed_page_may_be_a_challenge() -> None:
    page = page_of("<p>x</p>", "<title>Just a moment...</title>")
    assert barrier(page, Site(listed=True)) == "challenge"
    assert classify(page, Site(listed=True)).probability == 0.0


def test_section_that_a_feed_lists_is_no_post() -> None:
    """Hugo's feed of everything may name ``/blog/`` beside posts."""
    posts = [f"{HOME}/blog/a-post-of-day-{n}/" for n in range(1, 9)]
    site = Site(listed=True, pattern=PostPattern.learn(posts))

    def cards(urls: list[str]) -> str:
        return "".join(
            f"<article><h2><a href='{u}'>T</a></h2><p>{LOREM}</p></article>" for u in urls
        )

    section = page_of("<h1>Blog</h1>" + cards(posts), path="/blog/")
    assert classify(section, site).kind == "section"
    assert classify(section, Site(listed=True)).kind != "section", "no post is known"
    day = page_of("<h1>May</h1>" + cards(posts), path="/blog.html")
    assert classify(day, site).kind == "section", "a month's file above the folder of its posts"
    related = page_of(POST + cards(posts[1:5]), path="/blog/a-post-of-day-1/")
    assert classify(related, site).is_post
    parts = [f"{HOME}/blog/a-post-of-day-1/{name}/" for name in ("rope", "knot", "sail")]
    assert classify(page_of(POST + cards(parts), path="/blog/a-post-of-day-1/"), site).is_post


def test_site_knowledge_decides_doubtful_pages() -> None:
    page = page_of(f"<p>{LOREM}</p>", path="/about/")
    assert not classify(page).is_post
    assert classify(page, Site(listed=True)).is_post
    likely = PostPattern.learn(f"{HOME}/{name}/" for name in ("about", "me", "you", "it", "we"))
    assert classify(page, Site(pattern=likely)).probability > classify(page).probability


def test_features_are_listed_with_their_contributions() -> None:
    signs = classify(page_of(LIST, path="/tag/x/")).signs
    assert any(sign.startswith("url.tag -") for sign in signs)


# each feature, with a page that shows it

RULES = RuleSet(
    samples=9,
    rules={
        name: (Rule(field=name, xpath=xpath, support_right=9, support_tried=9, mean_score=0.9),)
        for name, xpath in (
            ("content", "//div[@class='text']"),
            ("title", "//h1"),
            ("published", "//time"),
        )
    },
)
TEXT = f"<div class=text><p>{LOREM * 6}</p></div>"
RULED = page_of(f"<h1>T</h1><time>4 May 2020</time>{TEXT}")
PATTERN = PostPattern.learn(f"{HOME}/2020/0{i}/post-{i}/" for i in range(1, 9))


def found_on(page: Page) -> dict[str, list[FieldValue]]:
    """What the rules find."""
    return {
        name: [FieldValue(value=hit[0], method="rules", confidence=0.9)]
        for name, rules in RULES.rules.items()
        if (hit := apply.first(page.tree, rules[0]))
    }


def ruled(page: Page, **more: object) -> Site:
    return Site(ruleset=RULES, found=found_on(page), pattern=PATTERN, **more)  # type: ignore[arg-type]


def listed(*urls: str) -> Places:
    places = Places()
    places.among.update(map(entry_key, urls))
    return places


MARKS = Marks(posts=("body.single", ".meta", "#post"), others=(".list",))
SHAPED = page_of("<body class=single><i class=meta id=post>x</i></body>")
NO_TEXT = page_of(f"<h1>T</h1><time>4 May 2020</time>{LINKS}")
TWICE = page_of(f"<h1>T</h1><time>4 May 2020</time>{TEXT * 2}")
OLD = page_of("<b>T</b>")
OTHER = "<h3><a href=/2020/03/post-3/>#</a> Bread</h3>"


def test_og_type_of_all_posts_speaks_against_no_page() -> None:
    """Themes call every page a website."""
    page = page_of(POST, "<meta property=og:type content=website>")
    usual = Site(marks=Marks(steady=("og:type=website",)))
    for site, speaks in ((UNKNOWN, True), (usual, False)):
        names = {name for group in features(page, site) for name in group}
        assert ("og.website" in names) is speaks


def test_body_with_the_class_list_is_a_lists() -> None:
    values = {name for group in features(page_of("<body class='list dark'>x")) for name in group}
    assert "body.archive" in values


def test_comments_with_the_class_of_posts_make_no_list() -> None:
    """Themes write both alike: a post with four comments was a list of five."""
    comments = f"<ol id=comments>{'<li>' + TEXT + '</li>'}{'<li>' + TEXT}</ol>"
    page = page_of(f"<h1>T</h1><time>4 May 2020</time>{TEXT}{comments}")
    assert not features(page, ruled(page))[0].get("rules.content_repeated")
    assert features(TWICE, ruled(TWICE))[0]["rules.content_repeated"]


@pytest.mark.parametrize(
    ("feature", "page", "site"),
    [
        ("url.dated", page_of(POST), UNKNOWN),
        ("url.list", page_of(POST, path="/page/3/"), UNKNOWN),
        ("url.tag", page_of(POST, path="/tag/x/"), UNKNOWN),
        ("url.category", page_of(POST, path="/category/x/"), UNKNOWN),
        ("url.author", page_of(POST, path="/author/x/"), UNKNOWN),
        ("url.archive", page_of(POST, path="/archives.html"), UNKNOWN),
        ("url.date", page_of(POST, path="/2020/05/"), UNKNOWN),
        ("url.search", page_of(POST, path="/x?q=y"), UNKNOWN),
        ("url.feed", page_of(POST, path="/atom.xml"), UNKNOWN),
        ("url.login", page_of(POST, path="/login"), UNKNOWN),
        ("url.page", page_of(POST, path="/pages/x"), UNKNOWN),
        ("url.static", page_of(POST, path="/about/"), UNKNOWN),
        ("url.home", page_of(POST, path="/blog/"), UNKNOWN),
        ("url.no_page", page_of(POST, path="/x.pdf"), UNKNOWN),
        ("site.listed", page_of(POST), Site(listed=True)),
        ("site.anchor", replace(page_of(POST), whole=page_of(POST)), UNKNOWN),
        ("site.among_posts", page_of(POST, path="/x/"), Site(places=listed(f"{HOME}/x/"))),
        (
            "site.only_in_menu",
            page_of(POST, path="/x/"),
            Site(places=Places(menu=[entry_key(f"{HOME}/x/")])),
        ),
        ("site.url_like_posts", page_of(POST), Site(pattern=PATTERN)),
        ("site.url_unlike_posts", page_of(POST, path="/x/"), Site(pattern=PATTERN)),
        (
            "site.canonical_is_home",
            page_of(POST, f"<link rel=canonical href='{HOME}/'>"),
            Site(home=canonicalize(HOME + "/")),
        ),
        ("rules.no_content", OLD, replace(ruled(OLD), pattern=None)),
        ("rules.content_found", RULED, ruled(RULED)),
        ("rules.title_found", RULED, ruled(RULED)),
        ("rules.published_found", RULED, ruled(RULED)),
        ("rules.content_missing", NO_TEXT, ruled(NO_TEXT)),
        ("rules.title_missing", OLD, replace(ruled(OLD), pattern=None)),
        ("rules.published_missing", OLD, replace(ruled(OLD), pattern=None)),
        ("rules.content_repeated", TWICE, ruled(TWICE)),
        ("rules.title_repeated", (LONG := page_of("<h1>T</h1>" * 3)), ruled(LONG)),
        ("rules.older_template", OLD, ruled(OLD)),
        (
            "rules.title_links_to_post",
            (LED := page_of("<h1><a href=/2020/03/post-3/>T</a></h1>", path="/x/")),
            ruled(LED),
        ),
        (
            "rules.title_links_to_post",
            (DAY := page_of("<h1>T</h1>" + TEXT.replace("<p>", f"{OTHER}<p>", 1), path="/x/")),
            ruled(DAY),
        ),
        ("site.shape_of_posts", SHAPED, Site(marks=MARKS)),
        ("site.body_of_posts", SHAPED, Site(marks=MARKS)),
        ("site.lacks_shape", page_of(POST), Site(marks=MARKS)),
        ("site.shape_of_others", page_of("<i class=list>x</i>"), Site(marks=MARKS)),
        ("body.post", page_of("<body class=single-post></body>"), UNKNOWN),
        ("body.home", page_of("<body class=home></body>"), UNKNOWN),
        ("body.tag", page_of("<body class=tag></body>"), UNKNOWN),
        ("body.category", page_of("<body class=category></body>"), UNKNOWN),
        ("body.author", page_of("<body class=author></body>"), UNKNOWN),
        ("body.archive", page_of("<body class=archive></body>"), UNKNOWN),
        ("body.search", page_of("<body class=search-results></body>"), UNKNOWN),
        ("body.static", page_of("<body class=page-template></body>"), UNKNOWN),
        ("body.missing", page_of("<body class=error404></body>"), UNKNOWN),
        ("og.website", page_of(POST, "<meta property=og:type content=website>"), UNKNOWN),
        ("og.profile", page_of(POST, "<meta property=og:type content=profile>"), UNKNOWN),
        ("og.product", page_of(POST, "<meta property=og:type content=product>"), UNKNOWN),
        ("json_ld.list", page_of(POST + DATA.format("CollectionPage")), UNKNOWN),
        ("json_ld.static", page_of(POST + DATA.format("AboutPage")), UNKNOWN),
        ("json_ld.profile", page_of(POST + DATA.format("ProfilePage")), UNKNOWN),
        ("json_ld.product", page_of(POST + DATA.format("Product")), UNKNOWN),
        ("json_ld.articles", page_of(POST + DATA.format("Article") * 2), UNKNOWN),
        ("markup.article", page_of(POST + DATA.format("Article")), UNKNOWN),
        ("markup.article", page_of(POST, "<meta property=og:type content=article>"), UNKNOWN),
        ("markup.article", page_of(POST, DATED), UNKNOWN),
        ("text.date", page_of(POST, DATED), UNKNOWN),
        ("text.list_title", page_of(LINKS, "<title>Tag: bread</title>"), UNKNOWN),
        ("text.picture_only", page_of("<img src=x.jpg>"), UNKNOWN),
        ("text.empty", page_of(""), UNKNOWN),
        ("text.little", page_of(f"<p>{LOREM}</p>"), UNKNOWN),
        ("text.mostly_links", page_of(LINKS), UNKNOWN),
        ("entries.number", page_of(LIST), UNKNOWN),
        ("entries.share", page_of(LIST), UNKNOWN),
        (
            "rules.title_links_to_post",
            (
                DAYS := page_of(
                    "<h1><a href=/2020/03/post-3/>4 May</a> <i class=x>T</i></h1>", path="/x/"
                )
            ),
            Site(
                ruleset=RuleSet(
                    rules={
                        "title": (
                            Rule(
                                field="title",
                                xpath="//i",
                                support_right=4,
                                support_tried=4,
                                mean_score=1.0,
                            ),
                        )
                    }
                ),
                found=found_on(DAYS),
                pattern=PATTERN,
            ),
        ),
    ],
)
def test_each_feature_has_an_example_page(feature: str, page: Page, site: Site) -> None:
    values = {name: value for group in features(page, site) for name, value in group.items()}
    assert values[feature] > 0
    assert values.keys() <= table().features.keys()


@pytest.mark.parametrize("path", ["/talks/", "/projekte.html"])
def test_lists_of_talks_and_projects_are_pages_besides_the_posts(path: str) -> None:
    page = page_of(POST, path=path)
    values = {name: value for group in features(page, UNKNOWN) for name, value in group.items()}
    assert values["url.static"] > 0


@pytest.mark.parametrize(
    ("path", "to", "is_list"),
    [
        ("/x.php?id=A200305", "/2020/03/post-3/", True),
        ("/x.php?id=A200305", "/x.php?id=A200305", False),
        ("/x.php?id=A200305", "/about", False),
        ("/2020/04/post-9/", "/2020/03/post-3/", False),
    ],
)
def test_permanent_link_to_a_post_is_a_lists(path: str, to: str, is_list: bool) -> None:
    page = page_of(f"<b>T</b>{TEXT}<p>3 May | <a href='{to}'>Permalink</a></p>", path=path)
    values = {name: value for group in features(page, ruled(page)) for name, value in group.items()}
    assert bool(values.get("rules.title_links_to_post")) is is_list


@pytest.mark.parametrize(
    ("path", "link", "is_list"),
    [
        ("/?day=3", "<a href=/2020/03/post-3/#said>4 comments</a>", True),
        ("/?day=3", "<a href=/2020/03/post-3/>Comments</a>", False),
        ("/?day=3", "<a href='/?day=3#said'>4 comments</a>", False),
        ("/?day=3", "<div class=sidebar><a href=/2020/03/post-3/>4 comments</a></div>", False),
        ("/2020/04/post-9/", "<a href=/2020/03/post-3/>4 comments</a>", False),
    ],
)
def test_number_of_comments_that_leads_to_a_post_is_a_lists(
    path: str, link: str, is_list: bool
) -> None:
    page = page_of(f"<b>T</b>{TEXT}<p>3 May</p>{link}", path=path)
    values = {name: value for group in features(page, ruled(page)) for name, value in group.items()}
    assert bool(values.get("rules.title_links_to_post")) is is_list


@pytest.mark.parametrize(
    ("to", "is_list"), [("/2020/03/post-3/", True), ("/?month=3", False), ("/2020/03/", False)]
)
def test_date_that_leads_to_a_post_is_a_lists(to: str, is_list: bool) -> None:
    page = page_of(f"<b>T</b><a href='{to}'><time>3 May 2020</time></a>{TEXT}", path="/?month=3")
    site = ruled(page)
    rule = Rule(field="published", xpath="//time", support_right=4, support_tried=4, mean_score=1.0)
    rules = {**site.ruleset.rules, "published": (rule,)}
    known = replace(site, ruleset=replace(site.ruleset, rules=rules))
    values = {name: value for group in features(page, known) for name, value in group.items()}
    assert bool(values.get("rules.title_links_to_post")) is is_list


@pytest.mark.parametrize(
    "body",
    [
        "<h2><a href='#in-brief'>In brief</a></h2>",
        "<h1>T</h1>" + TEXT.replace("<p>", f"<p>See also:</p>{OTHER}<p>"),
    ],
)
def test_title_linking_to_its_own_page_is_no_list_evidence(body: str) -> None:
    """Nor is a heading amid the text that leads to another post."""
    page = page_of(body, path="/2020/03/post-3/" if "brief" in body else "/x/")
    values = {name: value for group in features(page, ruled(page)) for name, value in group.items()}
    assert not values.get("rules.title_links_to_post")


def test_heading_that_leads_where_all_pages_lead_is_the_sites() -> None:
    page = page_of(f"<h1><a href=/2020/03/post-3/>Blog</a></h1>{TEXT}", path="/2020/03/post-4/")
    places = Places(everywhere=[entry_key(f"{HOME}/2020/03/post-3/")])
    for site, is_list in ((ruled(page), True), (ruled(page, places=places), False)):
        values = {name: value for group in features(page, site) for name, value in group.items()}
        assert bool(values.get("rules.title_links_to_post")) is is_list


def test_title_that_leads_to_itself_by_a_scripts_route_is_no_list_evidence() -> None:
    route = "#/posts/boat"
    link = f"<h1 id=t><a href='{route}?id=t'>T</a></h1>{TEXT}"
    routes = PostPattern.learn(f"{HOME}/{route}-{n}" for n in range(9))
    page = replace(page_of(link, path=f"/{route}"), rendered=True)
    site = replace(ruled(page), pattern=routes)
    values = {name: value for group in features(page, site) for name, value in group.items()}
    assert not values.get("rules.title_links_to_post")


def test_title_rule_that_is_right_on_few_posts_is_no_list_evidence() -> None:
    page = page_of(f"<h1>T</h1>{TEXT}<p><a href='/2020/03/post-3/'>next</a></p>", path="/x/")
    site = ruled(page)
    rule = Rule(field="title", xpath="//a", support_right=1, support_tried=4, mean_score=0.5)
    rules = {**site.ruleset.rules, "title": (rule,)}
    known = replace(site, ruleset=replace(site.ruleset, rules=rules))
    values = {name: value for group in features(page, known) for name, value in group.items()}
    assert not values.get("rules.title_links_to_post")


def test_key_path_of_posts_is_a_feature() -> None:
    ruleset = KeyPaths().learn([Sample(page=page_of(POST), entry=ENTRY) for _ in range(3)])
    assert ruleset is not None
    like, unlike = (
        features(page, Site(ruleset=ruleset))[-1] for page in (page_of(POST), page_of(LINKS))
    )
    assert like["site.key_path"] > 0.5 > unlike["site.key_path"]
    assert unlike["site.no_key_path"] == 1.0


@pytest.mark.parametrize("title", ["By the river", "A walk - By the river"])
def test_site_title_is_no_post_title(title: str) -> None:
    rule = structs.replace(RULES.rules["title"][0], xpath="//title", suffix=" - By the river")
    page = page_of(TEXT, f"<title>{title}</title>", "/show?p=2")
    site = Site(ruleset=replace(RULES, rules={"title": (rule,)}), found={})
    (first, *_) = features(page, site)
    assert first["rules.site_title"] == float(title == "By the river")


def test_groups_are_read_until_the_sum_decides() -> None:
    page = page_of(f"<h1>T</h1><time>4 May 2020</time>{TEXT}", DATED)
    sure = classify(page, ruled(page, listed=True))
    assert sure.is_post
    assert not any(sign.startswith(("text.", "markup.")) for sign in sure.signs)
    doubtful = classify(page, Site(ruleset=RULES, found={}))
    assert any(sign.startswith("markup.article") for sign in doubtful.signs)


@pytest.mark.parametrize("heading", ["<h2>Blog</h2>", "<h1>T</h1>"])
def test_page_that_lacks_what_posts_have_is_no_post_before_its_text_was_read(heading: str) -> None:
    """A page at the address of a post that shows the posts, without the title that they have."""
    posts = LIST.replace("/2020/", "/read/")
    box = f"{heading}<time>4 May 2020</time><div class=text>{posts}</div>"
    page = page_of(box, "<meta property=og:type content=website>", "/2020/09/post-9/")
    verdict = classify(page, ruled(page))
    assert verdict.is_post is ("h1" in heading), verdict


def test_weights_have_the_signs_of_their_features() -> None:
    source = files("blogcrawl.extraction.pages").joinpath("page_classifier.json")
    data = json.loads(source.read_text("utf-8"))
    for name, row in data["rows"].items():
        assert row["weight"] * row["prior"] >= 0, name
        assert row["kind"], name
        assert row["reason"], name
    assert {"command", "data", "date", "of other blogs"} <= data["card"].keys()


# pages of a learned blog

DAY = datetime(2020, 5, 4, tzinfo=UTC)


def post_page(path: str, title: str, words: str) -> Page:
    text = "".join(
        f"<p>{words} {i} and some more words of the post, which say little.</p>" for i in range(4)
    )
    body = (
        f"<main><h1>{title}</h1><time datetime='2020-05-04'>4 May 2020</time><div "
        f"class=body>{text}</div></main>"
    )
    return Page(
        url=HOME + path,
        body=f"<html><head><title>{title}</title></head><body>{body}</body></html>".encode(),
    )


NAMES = ("a-walk", "two-geese", "three-boats", "the-river-in-may", "bread-and-salt", "my-kettle")


def samples_of(path: str) -> list[Sample]:
    """Return posts at addresses of that form."""
    pages = [
        post_page(path.format(name), name.replace("-", " "), f"words of {name}") for name in NAMES
    ]
    return [
        Sample(
            page=page,
            entry=FeedEntry(url=page.url, title=page.tree.findtext(".//h1") or "", published=DAY),
        )
        for page in pages
    ]


@pytest.mark.parametrize(("path", "is_post"), [("/blog/3/", False), ("/blog/a-third-walk/", True)])
def test_the_second_page_of_a_section_is_no_post(path: str, is_post: bool) -> None:
    model = learn_blog(samples_of("/blog/{}/"), Hints(home=post_page("/", "Blog", "welcome")))
    found = extract_post(post_page(path, "A third walk" if is_post else "Blog", "others"), model)
    assert (
        isinstance(found, Post)
        if is_post
        else isinstance(found, NotAPost) and "the URL is that of a list" in found.reason
    )


@pytest.mark.parametrize("slug", ["2013", "rss/"])
def test_a_slug_that_lists_or_feeds_have_is_a_posts_where_its_page_is_a_post(slug: str) -> None:
    model = learn_blog(samples_of("/articles/{}"), Hints(home=post_page("/", "Blog", "welcome")))
    page = post_page(f"/articles/{slug}", "The summer of 2013", "others")
    assert isinstance(extract_post(page, model), Post) is (slug == "2013"), "a year's page decides"
    model.places.among.add(entry_key(page.url))  # linked where posts are
    found = extract_post(page, model)
    assert isinstance(found, Post) and found.title == "The summer of 2013"
    month = extract_post(post_page("/2013/05/", "A walk", "one post of this month"), model)
    assert isinstance(month, NotAPost) and "the URL is that of a list" in month.reason
    rows = "".join(
        f"<p><a href=/articles/{name}>{name.replace('-', ' ')}</a></p>" for name in NAMES
    )
    body = f"<main><h1>2013</h1><time>4 May 2020</time><div class=body>{rows}</div></main>"
    page = Page(url=f"{HOME}/articles/2013", body=f"<html><body>{body}</body></html>".encode())
    listed = extract_post(page, model)
    assert isinstance(listed, NotAPost) and "the URL is that of a list" in listed.reason


@pytest.mark.parametrize("place", ["menu only", "menu and list", "menu of posts"])
def test_page_linked_only_from_the_menu_is_no_post(place: str) -> None:
    samples = samples_of("/{}/")
    menu = (
        "<nav><a href=/hire-me/>Hire me</a> <a href=/our-tools/>Tools</a>"
        + "<a href=/a-walk/>A walk</a>" * (place == "menu of posts")
    )
    items = [*NAMES, "hire-me"] if place == "menu and list" else NAMES
    listed = "".join(f"<article><h2><a href=/{name}/>{name}</a></h2></article>" for name in items)
    home = Page(
        url=HOME + "/", body=f"<html><body>{menu}</nav><main>{listed}</main></body></html>".encode()
    )
    model = BlogModel.from_json(
        json.loads(json.dumps(learn_blog(samples, Hints(home=home)).to_json()))
    )
    found = extract_post(post_page("/hire-me/", "Hire me", "hire"), model)
    assert (
        isinstance(found, NotAPost) and "menu" in found.reason
        if place == "menu only"
        else isinstance(found, Post)
    )


@pytest.mark.parametrize("among", [True, False])
def test_short_slug_is_no_evidence_in_a_post_folder(among: bool) -> None:
    def page(name: str) -> Page:
        text = "".join(f"<p>Words of {name}, number {i}.</p>" for i in range(3))
        body = (
            f"<header><h1>{name}</h1></header><div class=text>{text}</div><footer><a "
            f"href=/>Home</a></footer>"
        )
        return Page(
            url=f"{HOME}/{name}/",
            body=f"<html><head><title>{name}</title></head><body>{body}</body></html>".encode(),
        )

    names = (
        "a-walk-in-may",
        "two-grey-geese",
        "three-boats-at-home",
        "the-river-in-may",
        "bread-and-salt",
        "my-oldest-kettle",
    )
    samples = [
        Sample(page=page(name), entry=FeedEntry(url=f"{HOME}/{name}/", title=name))
        for name in names
    ]
    others = [page(name) for name in ("about", "contact", "imprint")]
    model = learn_blog(samples, Hints(home=post_page("/", "Blog", "welcome"), others=others))
    if among:
        model.places.among.add(entry_key(f"{HOME}/bugs/"))
    assert isinstance(extract_post(page("bugs"), model), Post if among else NotAPost)


@pytest.mark.parametrize(
    "path", ["/archives/cat_politics.html", "/2002/03/07.html", "/2002/03/07/"]
)
def test_list_urls_of_old_engines_are_recognised(path: str) -> None:
    assert not classify(page_of(POST, path=path)).is_post


def test_post_at_the_address_of_a_day_is_told_from_a_list_of_the_day() -> None:
    names = ("walk-in-may", "two-geese", "boats-at-home", "river-in-may", "bread", "kettle")
    posts = [
        post_page(f"/2016/01/{name}.html", name.replace("-", " "), f"words of {name}")
        for name in names
    ]
    titles = [name.replace("-", " ") for name in names]
    samples = [
        Sample(page=page, entry=FeedEntry(url=page.url, title=title, published=DAY))
        for page, title in zip(posts, titles, strict=True)
    ]
    model = learn_blog(samples, Hints(home=post_page("/", "Blog", "welcome")))
    found = extract_post(post_page("/2016/01/19.html", "Soup on Tuesday", "soup"), model)
    assert isinstance(found, Post) and found.title == "Soup on Tuesday"
    linked = f"<a href=/2016/01/{names[0]}.html>{titles[0]}</a>"
    for heading in (linked, "Walk</h1><h1>Geese</h1><h1>Boats</h1><h1>Bread"):
        listed = post_page("/2016/01/19.html", heading, "soup")
        assert isinstance(extract_post(listed, model), NotAPost)


def test_entries_with_day_and_page_but_no_headings_are_a_list() -> None:
    """A hand-made list of a category: bold links, bylines, beginnings of the posts."""
    entries = [
        f"<p><a href='/article{n}.html'><b>Title number {n}</b></a><br><small>{n} May 2013 - by "
        f"Ann Lee</small><br>{LOREM}...</p>"
        for n in range(10, 20)
    ]

    def is_post(count: int) -> bool:
        shown = "".join(entries[:count])
        return classify(page_of(f"<table><tr><td>{shown}</table>", path="/cat1.html")).is_post

    assert not is_post(10) and not is_post(4)
    assert is_post(2), "a post's neighbours"


def test_word_and_number_is_a_post_where_posts_are_linked() -> None:
    page = page_of(POST, path="/posts/46")
    assert classify(page).kind == "list"
    assert classify(page, Site(places=Places(among={entry_key(HOME + "/posts/46")}))).is_post
    assert classify(page_of(POST, path="/post/46")).is_post


def test_route_of_a_script_is_an_address() -> None:
    """An application's pages are all at its start page, but for the fragment."""
    assert classify(page_of(POST, path="/#/post/a-walk")).is_post
    assert classify(page_of(POST, path="/#/page/2")).reason == "the URL is that of a list"


def test_month_of_the_persian_calendar_is_a_list() -> None:
    assert classify(page_of(POST, path="/1389/02")).kind == "date"


def test_page_listed_among_posts_is_classified_without_rules_that_find_nothing() -> None:
    """A blog had another theme and other addresses before; the lists of posts have both."""
    names = ("walk-in-may", "two-geese", "boats-at-home", "river-in-may", "bread", "kettle")
    posts = [post_page(f"/2016/01/{name}/", name, f"words of {name}") for name in names]
    samples = [
        Sample(page=page, entry=FeedEntry(url=page.url, title=name, published=DAY))
        for page, name in zip(posts, names, strict=True)
    ]
    model = learn_blog(samples, Hints(home=post_page("/", "Blog", "welcome")))
    old = page_of(f"<center><h3>Soup</h3></center><p>{LOREM * 6}</p>", path="/archives/000117.html")
    assert isinstance(extract_post(old, model), NotAPost)
    model.places.among.add(entry_key(old.url))
    assert isinstance(extract_post(old, model), Post)


CHROME = "".join(f"<div id={n} class='{n}-box'></div>" for n in ("header", "menu", "sidebar"))
THEMED = f"{CHROME}<article class=post>{{}}</article>"


def themed_site() -> Site:
    """A site whose posts and lists share header and sidebar."""
    posts = [page_of(THEMED.format(f"<p class=entry>{LOREM}</p>"), path=f"/p/{i}") for i in (1, 2)]
    lists = [page_of(f"{CHROME}<ul class=list></ul>", path="/list")]
    rules = {
        field: (Rule(field=field, xpath=path, support_right=9, support_tried=9, mean_score=0.9),)
        for field, path in (("published", "//time"), ("content", "//p[@class='entry']"))
    }
    return Site(
        pattern=PostPattern.learn([page.url for page in posts]),
        marks=learn_marks(posts, lists),
        ruleset=RuleSet(rules=rules, samples=8),
        found={},
    )


def test_page_of_an_older_template_is_classified_without_rules() -> None:
    old = page_of(f"<h2>06.04.04</h2><p>{LOREM * 6}</p>", path="/archives/000353.html")
    verdict = classify(old, themed_site())
    assert verdict.is_post and "site.other_template" in " ".join(verdict.signs)
    short = page_of("<img src=x.jpg> a picture", path="/photos/x.html")
    assert not classify(short, themed_site()).is_post, "albums and other applications of a site"


def test_a_theme_of_few_class_names_shows_in_its_landmarks_and_style_sheet() -> None:
    """The pages of the theme before it have neither, and are judged without its rules."""
    theme = "<header><nav><a class=brand href=/>Rosa</a></nav></header><main>{}</main><footer>"
    head = '<link rel=stylesheet href="/a/site.css?v=3">'
    posts = [page_of(theme.format(f"<p>{LOREM * 6}</p>"), head, f"/p/{i}/") for i in range(4)]
    marks = learn_marks(posts, [page_of(theme.format("<ul></ul>"), head, "/archive/")])
    assert marks is not None and "site.css" in marks.steady
    old = page_of(f"<center><h1>my pages</h1></center><table><tr><td>{LOREM * 6}</table>", "")
    assert is_of_other_template(old, marks)
    assert not is_of_other_template(page_of(theme.format("<h1>About</h1>"), head), marks)


def test_post_template_page_without_rule_matches_is_no_post() -> None:
    new = page_of(f"{CHROME}<p>{LOREM * 6}</p>", path="/archives/000353.html")
    assert not is_of_other_template(new, themed_site().marks or Marks())
    assert not classify(new, themed_site()).is_post


def test_page_with_a_date_elsewhere_is_classified_without_rules() -> None:
    """Posts of another section share the header with those whose rules were learned."""
    site, essay = themed_site(), page_of(f"{CHROME}<p>{LOREM * 6}</p>", path="/essays/rain.html")
    assert not classify(essay, site).is_post
    day = FieldValue(value=datetime(2012, 9, 8, tzinfo=UTC), method="generic", confidence=0.68)
    verdict = classify(essay, replace(site, found={"published": [day]}))
    assert verdict.is_post and "site.other_template" in " ".join(verdict.signs)
    month = page_of(f"{CHROME}<h2><a href=/p/1>Rain</a></h2><p>{LOREM * 6}</p>", path="/m/1391-04")
    assert not classify(month, replace(site, found={"published": [day]})).is_post
    ruled = replace(day, method="rules")
    verdict = classify(essay, replace(site, found={"published": [ruled]}))
    assert "site.other_template" not in " ".join(verdict.signs)


@pytest.mark.parametrize("title", ["//title", "/html/head[1]/title[1]"])
def test_rules_that_find_something_on_any_page_do_not_make_it_one_of_their_template(
    title: str,
) -> None:
    """Pages without classes are read by the whole body and the head's title, whatever made them."""
    site, page = themed_site(), page_of(f"{CHROME}<p>{LOREM * 6}</p>", path="/2004/rain.html")
    body = page.tree.find("body")
    found = {
        "content": [FieldValue(value=body, method="rules", confidence=0.9, rule="/html/body[1]")],
        "title": [FieldValue(value="Rain", method="rules", confidence=0.9, rule=title)],
        "published": [
            FieldValue(value=datetime(2004, 9, 8, tzinfo=UTC), method="generic", confidence=0.67)
        ],
    }
    verdict = classify(page, replace(site, found=found))
    assert verdict.is_post and "site.other_template" in " ".join(verdict.signs)
    undated = classify(page, replace(site, found={**found, "published": []}))
    assert not undated.is_post
    found["title"][0] = replace(found["title"][0], rule="//h1")
    verdict = classify(page, replace(site, found=found))
    assert "site.other_template" not in " ".join(verdict.signs)


def test_day_that_no_rule_finds_is_not_missing_where_the_page_shows_it() -> None:
    """Themes of a year call the day's element otherwise than those of the next."""
    page = page_of(f"<h1>T</h1><h5>4 May 2020</h5>{TEXT}", path="/web/rain.html")
    day = FieldValue(value=datetime(2020, 5, 4, tzinfo=UTC), method="metadata", confidence=0.73)
    site = ruled(page)
    verdict = classify(page, replace(site, found={**found_on(page), "published": [day]}))
    assert "published_missing" not in " ".join(verdict.signs)
    for other in (replace(day, confidence=0.4), replace(day, rule="url")):
        verdict = classify(page, replace(site, found={**found_on(page), "published": [other]}))
        assert "rules.published_missing" in " ".join(verdict.signs)


def test_words_of_list_titles_decide_nothing_at_the_address_of_a_post_without_entries() -> None:
    pattern = PostPattern.learn(f"{HOME}/2020/05/{name}/" for name in ("a-b", "c-d", "e-f", "g-h"))
    post = page_of(POST, "<title>The winter archive</title>")
    assert features(post, UNKNOWN)[-1]["text.list_title"] == 1.0
    assert features(post, Site(pattern=pattern))[-1]["text.list_title"] == 0.0
    listed = page_of(LIST, "<title>The winter archive</title>")
    assert features(listed, Site(pattern=pattern))[-1]["text.list_title"] == 1.0


def test_table_of_entries_is_a_list_though_the_content_rule_finds_the_body() -> None:
    """On class-less pages the text has no place but the body, which all pages have."""
    row = "<tr><td><a href=/story?id={n}>A boat {n}</a></td><td>1{n}.04.2004</td><td>Ann</td></tr>"
    rows = "".join(row.format(n=n) for n in range(1, 9))
    page = page_of(f"<table><tr><td></td><td>Time</td></tr>{rows}</table>", path="/all?part=4")
    body = FieldValue(value=page.tree.find("body"), method="rules", confidence=0.9, rule="/body")
    rule = Rule(
        field="content", xpath="/html/body", support_right=9, support_tried=9, mean_score=0.9
    )
    pattern = PostPattern.learn([f"http://blog.example/story?id={n}" for n in range(9)])
    site = Site(
        pattern=pattern, ruleset=RuleSet(rules={"content": (rule,)}), found={"content": [body]}
    )
    verdict = classify(page, site)
    assert "entries.number" in str(verdict.signs), verdict


@pytest.mark.parametrize(("path", "is_list"), [("/trips/north/", True), ("/story?id=30", False)])
def test_dated_links_are_a_list_where_the_address_is_unlike_those_of_posts(
    path: str, *, is_list: bool
) -> None:
    """One template made lists and posts alike; a post may be a list of links."""
    rows = "".join(f"<li>1{n}.04.2004 <a href=/story?id={n}>Day {n}</a></li>" for n in range(1, 9))
    page = page_of(f"<div class=main><h1>To the north</h1><ul>{rows}</ul></div>", path=path)
    node = page.tree.find(".//div")
    body = FieldValue(value=node, method="rules", confidence=0.9, rule="//div[@class='main']")
    pattern = PostPattern.learn([f"http://blog.example/story?id={n}" for n in range(9)])
    verdict = classify(page, Site(pattern=pattern, found={"content": [body]}))
    assert ("entries.number" in str(verdict.signs)) is is_list, verdict


@pytest.mark.parametrize(
    ("items", "kind"),
    [
        ("<li><a href=/story?id={n}>Day {n}</a> - 1{n}.04.2004</li>", "index"),
        ("<li><a href=/tag_{n}.html>Word {n}</a> - {n} posts</li>", "index"),
        ("<li><a href=/story?id={n}>Day {n}</a>, which went well</li>", None),
        ("<li><a href=/tag_{n}.html>Word {n}</a> <a href=/about.html>Me</a></li>", None),
    ],
    ids=["days", "lists", "no days", "other pages"],
)
def test_index_is_made_as_posts_are_without_a_day_of_its_own(items: str, kind: str | None) -> None:
    rows = "".join(items.format(n=n) for n in range(1, 9))
    page = page_of(f"<div class=main><h3>All</h3><ul>{rows}</ul></div>", path="/everything.html")
    found = FieldValue(value=page.tree.find(".//div"), method="rules", confidence=0.9, rule="//div")
    day = FieldValue(value=DAY, method="rules", confidence=0.9, rule="//span")
    site = Site(found={"content": [found]}, shows_days=True)
    assert barrier(page, site) == kind
    assert barrier(page, replace(site, found={"content": [found], "published": [day]})) is None


UNDATED = Path(__file__).parents[2] / "fixtures" / "undated"
ALBUM = "/pictures/lake/"


def pictures(name: str, path: str) -> Page:
    return Page(url=HOME + path, body=(UNDATED / name).read_bytes())


def themed(page: Page) -> Page:
    """The page with what a theme puts around all pages."""
    theme = "".join(f"<section id={n} class={n}></section>" for n in "abcdefgh").encode()
    return replace(page, body=page.body.replace(b"<main>", theme + b"<main>"))


def dated_blog(days: int = 8) -> BlogModel:
    """The model of a blog of eight posts; of ``days`` of them the feed has the day."""
    samples = []
    for number, word in enumerate("mill lake shop hill bank park pier wood".split()):
        post = themed(post_page(f"/2020/a-walk-to-the-{word}/", f"A {word}", f"words of {word}"))
        published = DAY if number < days else None
        entry = FeedEntry(url=post.url, title=f"A {word}", published=published)
        samples.append(Sample(page=post, entry=entry))
    return learn_blog(samples, Hints(home=themed(post_page("/", "Blog", "welcome"))))


def is_post(page: Page, model: BlogModel) -> bool:
    return isinstance(extract_post(page, model), Post)


def test_albums_without_a_day_and_their_pictures_are_no_posts() -> None:
    model = dated_blog()
    album, picture = pictures("album.html", ALBUM), pictures("picture.html", ALBUM + "l03/")
    assert not is_post(album, model)
    assert is_post(picture, model), "nothing is known of the page above it"
    model.places.note_album(picture)
    model.places.note_album(album)
    model = BlogModel.from_json(json.loads(json.dumps(model.to_json())))
    assert not is_post(picture, model)
    assert is_post(replace(picture, url=f"{HOME}/rain/l03/"), model)
    rainy, day = "/pictures/2004-05-03-rain/", "/pictures/2004/05/03/"
    for path, is_of_album in ((rainy, True), (day, False)):
        model.places.note_album(replace(album, url=HOME + path))
        assert is_post(replace(picture, url=f"{HOME}{path}l03/"), model) is not is_of_album
    rule = Rule(
        field="content", xpath="/html/body[1]", support_right=8, support_tried=8, mean_score=0.9
    )
    pattern = PostPattern.learn([f"{HOME}/pictures/{n}/" for n in ("rain", "may", "mill", "snow")])
    rules = RuleSet(rules={"content": (rule,)}, samples=8)
    model.generations.append(Generation((), rules, pattern))
    assert not is_post(album, model), "albums with a day give no rules for those without"


def test_albums_are_posts_where_something_says_so() -> None:
    model, album = dated_blog(), pictures("album.html", ALBUM)
    dated = album.body.replace(b"<h1>", b"<p>Posted on 3 May 2004</p><h1>")
    assert is_post(replace(album, body=dated), model)
    link = rb'<a (href="l\d+/")>(.*?)</a>'
    headed = re.sub(link, rb"<a \1>\2</a><h3><a \1>More</a></h3>", album.body)
    assert is_album(album)
    assert not is_album(replace(album, body=headed)), "a list of posts with pictures"
    assert is_post(replace(album, url=f"{HOME}/pictures/2004/05/03/lake/"), model)
    assert is_post(replace(album, url=f"{HOME}/2020/a-weekend-at-the-lake/"), model)
    assert isinstance(extract_post(album, model, promised=True), Post)
    model.places.among.add(entry_key(album.url))
    assert is_post(album, model)
    assert is_post(album, dated_blog(days=3))


def test_a_page_next_to_all_posts_that_lists_many_with_their_days_is_none_of_them() -> None:
    places = Places(everywhere=[entry_key(f"{HOME}/fullarchive")])
    entries = "".join(f"<li><a href=/p{n}>Letter {n}</a> May {n}, 2011</li>" for n in range(1, 9))
    page = page_of(f"<h2>Full archive</h2><ul>{entries}</ul>", path="/fullarchive")
    assert barrier(page, Site(places=places)) == "part"
    assert barrier(page, Site(places=Places())) is None
    few = page_of(f"<h2>Letters</h2>{TEXT}<ul>{entries}</ul>{TEXT}", path="/fullarchive")
    assert barrier(few, Site(places=places)) is None


@pytest.mark.parametrize(
    "markup",
    [
        "<body class='single attachment attachmentid-7'><h1>05</h1><img src=5.jpg></body>",
        "<div class='hentry type-attachment'><h1>05</h1><p><img src=5.jpg></p></div>",
        "<h2>05</h2><div><p class='attachment'><a href=5.jpg><img src=5s.jpg></a></p></div>",
    ],
)
def test_page_of_a_file_is_no_post_unless_a_source_lists_it(markup: str) -> None:
    page = page_of(markup, path="/2012/a-post/attachment/05/")
    assert barrier(page) == "attachment"
    assert barrier(page, Site(listed=True)) is None


def test_post_with_a_file_below_it_is_no_page_of_a_file() -> None:
    below = "<div class='hentry type-attachment'><img src=5.jpg></div>"
    assert barrier(page_of(f"<div class='hentry type-post'><p>Text.</p></div>{below}")) is None
