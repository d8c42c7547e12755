# ruff: noqa: E501 - feeds and tables of cases are data
from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import Blog, Feed, FeedEntry
from blogcrawl.discovery.archives import (
    former_place,
    hub_kind,
    in_menu,
    language_links,
    offers_random_post,
    older_links,
    other_languages,
    stated_counts,
    stated_months,
    stated_pages,
)
from blogcrawl.discovery.blog_record import add_feed, add_posts, describe_page
from blogcrawl.discovery.knowledge import merge_entries, record_to_json
from blogcrawl.discovery.links import is_scoped
from blogcrawl.discovery.platforms import Platform
from blogcrawl.dom.links import Link
from blogcrawl.urls.canonical import Scope


@pytest.mark.parametrize(
    ("url", "anchor", "rel", "kind"),
    [
        ("/archives/", "", "", "all"),
        ("/archive.html", "x", "", "all"),
        ("/blog/archives", "", "", "all"),
        ("/x", "All posts", "", "all"),
        ("/liste", "Tous les articles", "", "all"),
        ("/x", "归档", "", "all"),
        ("/x", "アーカイブ", "", "all"),
        ("/x", "Архив", "", "all"),
        ("/2012/03/", "March 2012 (4)", "", "month"),
        ("/2012/", "2012", "", "month"),
        ("/2016/09/28/2000/", "2000", "", None),
        ("/2016/09/2000/", "2000", "", None),
        ("/123/2000/", "2000", "", None),
        ("/2012_03_01_archive.html", "", "", None),
        ("/?m=201203", "x", "", "month"),
        ("/blog/date/201203", "x", "", "month"),
        ("/archives/2012/03/", "x", "", "month"),
        ("/archives/201203.html", "x", "", "month"),
        ("/archive/2012/3", "x", "", "month"),
        ("/blog-date-202001.html", "x", "", "month"),
        ("/blog-date-202001-1.html", "", "", "month"),
        ("/blog-category-3.html", "tea", "", None),
        ("/blog-entry-12.html", "", "", None),
        ("/page/2/", "2", "", "next"),
        ("/index2.html", "", "", "next"),
        ("/?paged=3", "", "", "next"),
        ("/search?updated-max=2012-01-01T00:00:00Z&max-results=7", "Older Posts", "", "next"),
        ("/x?from=3", "Ältere Beiträge", "", "next"),
        ("/x?from=3", "← Older Entries", "", "next"),
        ("/x?from=3", "次へ »", "", "next"),
        ("/2012/03/a-post/", "A post", "", None),
        ("/about/", "About", "", None),
        ("/tag/archive/", "archive", "", None),
        ("/a-post/", "x", "next", None),
        ("/2012/03/the-archive-of-things/", "The archive of things", "", None),
        ("/", "Archive", "", None),
        ("/category/x/page/2/", "2", "", None),
        ("/#/page/3", "Next", "", "next"),
        ("/#!/archive", "All", "", "all"),
        ("/#/post/next", "Next steps", "", None),
    ],
)
def test_hub_links_are_classified(url: str, anchor: str, rel: str, kind: str | None) -> None:
    assert hub_kind(Link("https://b.example" + url, anchor, "", rel)) == kind


@pytest.mark.parametrize(
    ("path", "is_menu"),
    [
        ("header.top>nav.main>ul>li>a", True),
        ("body>footer.site>ul>li>a", True),
        ("footer>p>a.site", True),
        ("main>ul>li>article.entry>footer>a.more", False),
        ("article>footer.meta>a", False),
    ],
)
def test_footer_of_an_article_is_no_menu_of_the_site(path: str, is_menu: bool) -> None:
    assert in_menu(Link("https://b.example/x", "Read more", path)) is is_menu


def test_lists_of_one_category_are_recognised() -> None:
    for path in ("/blog-category-3.html", "/blog-category-3-1.html", "/category/tea/", "/?cat=3"):
        assert is_scoped("https://b.example" + path), path
    assert not is_scoped("https://b.example/blog-entry-3.html")


def test_blog_record_is_filled_from_the_home_page() -> None:
    page = Page(
        url="https://b.example/",
        body=b"""<html lang="en_us"><head><title>Home - B</title><meta property="og:site_name" content="B"><meta name="description" content="About B">
        <meta name="author" content="Ann"><link rel="license" href="https://creativecommons.org/licenses/by/4.0/"></head></html>""",
    )
    blog = describe_page(page, Platform("Hugo", "0.1", "generator"))
    assert (
        blog.title,
        blog.subtitle,
        blog.language,
        blog.platform,
        blog.platform_version,
        blog.authors,
        blog.licence,
    ) == (
        "B",
        "About B",
        "en-US",
        "Hugo",
        "0.1",
        ("Ann",),
        "https://creativecommons.org/licenses/by/4.0/",
    )
    feed = Feed(
        url="https://b.example/f",
        kind="posts",
        format="rss2.0",
        title="Bee",
        rights="CC https://creativecommons.org/licenses/by-sa/3.0/ ok",
        authors=("Bob",),
    )
    blog = add_feed(blog, feed)
    assert (blog.title, blog.authors, blog.licence) == (
        "Bee",
        ("Bob",),
        "https://creativecommons.org/licenses/by-sa/3.0/",
    )
    assert add_posts(blog, []).first_post is None


def described(head: str = "", body: str = "", feed: str = "", subtitle: str = "") -> Blog:
    html = f"<html><head>{head}</head><body>{body}</body></html>"
    blog = describe_page(Page(url="https://b.example/", body=html.encode()), Platform())
    found = Feed(url="https://b.example/f", kind="posts", format="atom", title=feed or None)
    return add_feed(blog, replace(found, subtitle=subtitle or None))


@pytest.mark.parametrize("title", ["atom feed", "RSS", "RSS Feed", "Recent posts", "Home"])
def test_title_of_a_feed_that_names_no_blog_gives_way(title: str) -> None:
    assert described("<title>high level bits - home</title>", feed=title).title == "high level bits"
    assert described(feed="Feed the birds").title == "Feed the birds"


@pytest.mark.parametrize(
    ("address", "title", "wanted"),
    [
        ("/category/uncategorized/feed/", "Uncategorized – High Level", "High Level"),
        ("/tag/soft-wood/feed", "High Level » Soft wood", "High Level"),
        ("/feed", "High Level – Notes", "High Level – Notes"),
        ("/category/notes/feed", "Notes", "Notes"),
    ],
)
def test_title_of_a_categorys_feed_is_that_of_the_blog(
    address: str, title: str, wanted: str
) -> None:
    feed = Feed(url=f"https://b.example{address}", kind="posts", format="rss2.0", title=title)
    assert add_feed(Blog(url="https://b.example/", title="H"), feed).title == wanted


@pytest.mark.parametrize(
    "text",
    ["Recent content on B", "Recent content in Posts on B", "Just another WordPress site", "Bee"],
)
def test_subtitle_of_an_engine_is_none_of_the_blog(text: str) -> None:
    assert described(feed="Bee", subtitle=text).subtitle is None
    own = "<meta name=description content='Words on bees'>"
    assert described(own, feed="Bee", subtitle=text).subtitle in ("Words on bees", None)
    assert described(feed="Bee", subtitle="Recent content of my life").subtitle is not None


def test_description_made_of_posts_is_no_subtitle() -> None:
    entry = FeedEntry(url="https://b.example/1", title="Learning to keep bees")
    blog = described("<meta name=description content='Dec 18 Learning to keep bees It was …'>")
    assert blog.subtitle and add_posts(blog, [entry]).subtitle is None
    blog = described("<meta name=description content='Learning to keep bees'>")
    assert add_posts(blog, [entry]).subtitle == "Learning to keep bees"


@pytest.mark.parametrize(
    ("foot", "notice"),
    [
        ("<p>©Copyright 2025 <a href=/>まんまる</a> All Rights Reserved.</p>", "©Copyright 2025 まんまる All Rights Reserved."),
        ("<p>All content copyright <a href=/>The Bees</a> &copy; 2016 &bull; All rights reserved.</p>", "All content copyright The Bees © 2016 • All rights reserved."),
        ("<p>Copyright &copy; 2019 - Ann Lee - <span>Powered by <a>Octopress</a></span></p>", "Copyright © 2019 - Ann Lee"),
        ("<footer><span>&copy; 2022 <a>ann</a></span> <span>Powered by Hugo</span></footer>", "© 2022 ann"),
        ("<p><span>©</span> <span>2012 Ann Lee</span></p>", "© 2012 Ann Lee"),
        ("<p>© 2022</p>", None),
        ("<p>Copyright is a strange thing, I have always thought, and this is why.</p>" * 3, None),
        ("<p>© 2022 Powered by Hugo</p>", None),
        ("<script>/* Copyright 2012 jQuery */</script>", None),
    ],
)  # fmt: skip
def test_rights_are_the_notice_in_the_foot_of_the_page(foot: str, notice: str | None) -> None:
    assert described(body=f"<h1>B</h1>{foot}").rights == notice


@pytest.mark.parametrize("box", ["<article>{}</article>", "<div class='post hentry'>{}</div>"])
def test_notice_inside_a_post_on_the_start_page_is_of_that_post(box: str) -> None:
    guest = box.format("<p>Words of a guest.</p><p id=copyright>© <span>2025</span> Bob Roe</p>")
    assert described(body=guest).rights is None
    assert described(body=f"<p>© 2020 Ann Lee</p>{guest}").rights == "© 2020 Ann Lee"


def test_bare_name_that_a_theme_declares_gives_way_to_the_notice() -> None:
    foot = "<footer>© 2021 ann. All rights reserved.</footer>"
    declared = "<meta name=copyright content={}>"
    assert described(declared.format("ann"), foot).rights == "© 2021 ann. All rights reserved."
    assert described(declared.format("Bob"), foot).rights == "Bob"
    assert described(declared.format("ann")).rights == "ann"


def test_address_of_a_licence_is_no_copyright_statement() -> None:
    address = "https://creativecommons.org/licenses/by-nc-sa/4.0/"
    feed = Feed(url="https://b.example/f", kind="posts", format="rss2.0", rights=f" {address}\n")
    blog = add_feed(described(body="<h1>B</h1><footer>© 2022 Ann Lee</footer>"), feed)
    assert (blog.licence, blog.rights) == (address, "© 2022 Ann Lee")


def test_several_licences_on_a_page_are_credits() -> None:
    links = "".join(
        f'<a href="https://creativecommons.org/licenses/{kind}/2.0/">CC</a>'
        for kind in ("by", "by-sa")
    )
    assert (
        describe_page(
            Page(url="https://b.example/", body=f"<html>{links}</html>".encode()), Platform()
        ).licence
        is None
    )


def test_zone_of_a_moment_that_another_source_has_in_utc_is_kept() -> None:
    utc = datetime(2010, 4, 21, 23, 51, tzinfo=UTC)
    local = utc.astimezone(timezone(timedelta(hours=2)))
    feed = FeedEntry(url="https://b.example/1", published=utc, source="feed")
    rest = FeedEntry(url="https://b.example/1", published=local, source="wp-json")
    for merged in (merge_entries(feed, rest), merge_entries(rest, feed)):
        assert merged.published is not None and merged.published.day == 22
    later = replace(rest, published=local + timedelta(hours=3))
    assert merge_entries(feed, later).published == utc


def test_merged_blog_records_keep_the_better_values() -> None:
    feed = FeedEntry(
        url="https://b.example/1",
        title="T",
        content_html="<p>cut</p>",
        source="feed",
        comments_count=1,
    )
    rest = FeedEntry(
        url="https://b.example/1",
        title="T2",
        authors=("Ann",),
        content_html="<p>whole text</p>",
        is_full=True,
        source="wp-json",
        comments_count=3,
    )
    site = FeedEntry(url="https://b.example/1/", title="S", source="sitemap")
    for order in ([site, feed, rest], [rest, feed, site], [feed, site, rest]):
        merged = order[0]
        for entry in order[1:]:
            merged = merge_entries(merged, entry)
        assert (
            merged.title in ("T", "T2")
            and merged.authors == ("Ann",)
            and merged.is_full
            and merged.content_html == "<p>whole text</p>"
        )
        assert (
            set(merged.source.split()) == {"feed", "wp-json", "sitemap"}
            and merged.comments_count == 3
        )
    assert record_to_json(site) == {
        "url": "https://b.example/1/",
        "title": "S",
        "source": "sitemap",
    }


def test_numbers_of_posts_next_to_months_are_read() -> None:
    items = (
        '<a href="/2011/07/">July 2011</a>&nbsp;(12)',
        '<a href="/2011/06/">June 2011</a> <span dir="ltr">(7)</span>',
        '<a href="/2011/05/">May 2011 (1)</a>',
        '<a href="/2011/04/">April 2011</a> 2011',
        '<a href="/2010/">2010</a> (80)',
        '<a href="/tag/kettle/">kettle</a> (5)',
        '<a href="http://other.example/2009/01/">January 2009</a> (3)',
    )
    body = "".join(f"<li>{item}</li>" for item in items)
    page = Page(url="http://blog.example/", body=f"<ul>{body}</ul>".encode(), headers={})
    assert stated_months(page) == {"2011-07": 12, "2011-06": 7, "2011-05": 1, "2010": 80}


def test_numbers_of_posts_are_stated_for_years() -> None:
    """Closed years lead to their last month, or to a list of their own."""
    page = Page(
        url="http://b.example/2017/05/",
        body=b"<p><a href=/2017/05/>2017</a> (11) <a href=/2017/05/>May</a> (2)"
        b"<a href=/2017/04/>April</a> (9) <a href=/2016/12/>2016</a> (46) "
        b"<a href=/2015/>2015 (52)</a> <a href=/tag/2014/>2014</a> (7)"
        b"<a href=/2013/12/>2012</a> (5)",
    )
    assert stated_months(page) == {"2017": 11, "2016": 46, "2015": 52, "2013-12": 5}


def test_numbers_next_to_links_to_lists_are_read() -> None:
    items = (
        '<a href="/tag/kettle/">kettle</a> (5)',
        '<a href="/tag/rain/"><span>rain</span> <span class="count">14</span></a>',
        '<a href="/tag/bridge/">bridge</a><sup>3</sup>',
        '<a href="/tag/river/">river [7]</a>',
        '<a href="/page/2/"><span>2</span></a>',
        '<a href="/rooms/">No. 4</a>',
        '<a href="/tag/north/">north</a> <em>12 of them</em>',
        '<a href="/a-walk/#comments">Comments (3)</a>',
        '<a href="http://other.example/tag/kettle/">kettle</a> (9)',
    )
    body = "".join(f"<li>{item}</li>" for item in items)
    page = Page(url="http://blog.example/", body=f"<ul>{body}</ul>".encode(), headers={})
    assert stated_counts(page) == {
        f"http://blog.example/tag/{name}": number
        for name, number in (("kettle", 5), ("rain", 14), ("bridge", 3), ("river", 7))
    }


def test_pages_called_those_of_older_posts_are_read_wherever_they_lead() -> None:
    body = (
        '<link rel="next" href="/page/3/"><h1><a href="/">Notes</a></h1><a href="/page/1/">Newer</a>'
        '<a href="/">« Older posts</a><a href="#">Next</a><a href="http://o.example/">Older</a>'
    )
    page = Page(url="http://blog.example/page/2/", body=body.encode(), headers={})
    assert older_links(page) == ["http://blog.example/page/3", "http://blog.example/"]


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("<p>Page 3 of 6 <a href=/2>Older</a>", (3, 6)),
        ("<span>Seite 1 von 12</span>", (1, 12)),
        ("<p>Página 2 de 4", (2, 4)),
        ("<p>Page 7 of 6", None),
        ("<p>Posted on page 3 in 6 parts", None),
    ],
)
def test_pages_state_how_many_a_list_has(text: str, stated: tuple[int, int] | None) -> None:
    assert stated_pages(Page(url="http://a.example/", body=text.encode())) == stated


def test_older_posts_on_another_host_are_named() -> None:
    scope = Scope.around("http://a.example/", "http://a.example/")

    def place(link: str) -> str | None:
        return former_place(Page(url="http://a.example/", body=link.encode()), scope)

    assert place("<a href=http://old.example/>Posts before 2014</a>") == "http://old.example/"
    assert place("<a href=http://old.example/>My old blog</a>") == "http://old.example/"
    assert place("<a href=/old/>My old blog</a><a href=http://b.example/>A blog</a>") is None


def test_links_to_another_language_are_called_by_its_name() -> None:
    markup = (
        "<a href=/set?lang=de>Deutsch</a><a href=/en/>English version</a>"
        "<a href=/2004/english>My English teacher</a><a href=/ja/>日本語</a>"
    )
    page = Page(
        url="http://a.example/",
        body=markup.encode(),
        headers={"content-type": "text/html; charset=utf-8"},
    )
    found = [url.removeprefix("http://a.example") for url in language_links(page)]
    assert found == ["/set?lang=de", "/en", "/ja"]


@pytest.mark.parametrize(
    ("markup", "found"),
    [
        ("<link rel=alternate hreflang=en href=/notebook/>", ["/notebook/"]),
        ("<link rel=alternate hreflang=fr href=/fr/>", []),
        ("<link rel=alternate hreflang=en href=/en/rss type=application/rss+xml>", []),
        ("<link rel=alternate hreflang=en href=http://b.example/>", []),
        ("<link rel=alternate hreflang=x-default href=/>", []),
        ("<a hreflang=en href=/en/><img src=/en.png></a>", ["/en/"]),
        ("<a href=/>English</a><a href=/de/>DE</a>", ["/", "/de/"]),
        ("<a href=/2004/english>English</a><a href=/en/about>English</a>", []),
        ("<a href=/de/>Deutsch</a>", ["/de/"]),
        ("<a href=/pt/>Português</a>", []),
    ],
)
def test_start_page_names_other_languages_outside_the_address_asked_for(
    markup: str, found: list[str]
) -> None:
    """Those of other blogs, and what the operator excludes, are none."""
    home = "http://a.example/fr/"
    page = Page(url=home, body=f"<body>{markup}".encode(), headers={"content-type": "text/html"})
    named = other_languages(page, Scope(home, exclude="/pt/"))
    assert [url.removeprefix("http://a.example") for url in named] == found


def test_link_to_a_random_post_is_known_by_its_words() -> None:
    def offers(anchor: str) -> bool:
        body = f"<meta charset=utf-8><a href=/r>{anchor}</a>".encode()
        headers = {"content-type": "text/html"}
        return offers_random_post(Page(url="http://a.example/", body=body, headers=headers))

    assert offers("A random post") and offers("Zufälliger Beitrag") and offers("» Random entry")
    assert not offers("Random thoughts of a post office clerk")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/journal.nsf/archive", "all"),
        ("/journal.nsf/archive?openview&month=2004-09", "month"),
        ("/archives.php?month=9&year=2004", "month"),
        ("/archives.php?id=12", None),
    ],
)
def test_query_picks_a_part_of_an_archive(path: str, kind: str | None) -> None:
    assert hub_kind(Link(f"http://a.example{path}", "")) == kind
