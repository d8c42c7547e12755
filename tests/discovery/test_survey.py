# ruff: noqa: E501 - feeds and tables of cases are data
from __future__ import annotations

import json
from collections.abc import Callable
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from blogcrawl.core.page import Page
from blogcrawl.discovery.collector import Collector
from blogcrawl.discovery.knowledge import SiteKnowledge
from blogcrawl.discovery.sitemap_walker import read_late
from blogcrawl.discovery.survey import Survey
from blogcrawl.urls.canonical import canonicalize
from tests.discovery.site import Site, home, paths, rss, sitemap, sitemap_index

B = "https://blog.example.org"
RSS = {"content-type": "application/rss+xml"}
FEED_LINK = '<link rel="alternate" type="application/rss+xml" title="Example" href="/feed/">'
WP = '<meta name="generator" content="WordPress 6.4.2">'


def known(survey: Survey) -> set[str]:
    return {e.url.removeprefix(B) for e in survey.knowledge.entries.values()}


def test_announced_feed_and_named_sitemap_take_one_request_each() -> None:
    site = Site(
        {
            "/": home(FEED_LINK),
            "/feed/": (200, rss(paths(31, 40)), {**RSS, "etag": '"1"'}),
            "/map.xml": sitemap(
                [B + p for p, _ in paths(1, 40)]
                + [B + "/", B + "/about/", B + "/tag/x/", B + "/page/2/"]
            ),
        }
    )
    survey = site.survey(robots="User-agent: *\nSitemap: https://blog.example.org/map.xml\n")
    assert site.asked == ["/feed/", "/map.xml"]
    assert known(survey) == {p for p, _ in paths(1, 40)}
    knowledge = survey.knowledge
    assert knowledge.promised[canonicalize(B + paths(1, 1)[0][0])] == {"sitemap"}
    assert knowledge.promised[canonicalize(B + paths(40, 40)[0][0])] == {"sitemap", "feed"}
    assert [url for url, _ in knowledge.candidates.values()] == [B + "/about/"]
    assert knowledge.post_feed is not None and knowledge.post_feed.etag == '"1"'
    assert knowledge.blog.sitemap == B + "/map.xml" and knowledge.blog.title == "Example"
    assert survey.done and survey.requests == 2


def wordpress(total: int, *, rest: bool, paged: bool) -> Site:
    def default(path: str) -> object:
        if path.startswith("/wp-json/wp/v2/posts?") and rest:
            page = int(path.split("&page=")[1].split("&")[0])
            rows = [
                {
                    "id": n,
                    "link": f"{B}/2021/03/post-number-{n}/",
                    "title": {"rendered": f"Post {n} &amp; more"},
                    "date_gmt": "2021-03-02T10:00:00",
                    "content": {"rendered": f"<p>{n} " + "word " * 300 + "</p>"},
                    "excerpt": {"rendered": "<p>x</p>"},
                    "_embedded": {
                        "author": [{"name": "Ann"}],
                        "wp:term": [[{"taxonomy": "category", "name": "C"}]],
                    },
                }
                for n in range(total, 0, -1)
            ][(page - 1) * 100 : page * 100]
            pages = str(-(-total // 100))
            return (
                (200, json.dumps(rows), {"x-wp-total": str(total), "x-wp-totalpages": pages})
                if rows
                else (400, "{}", {})
            )
        if path.startswith("/feed/?paged="):
            page = int(path.rpartition("=")[2]) if paged else 1
            items = paths(1, total)[::-1][(page - 1) * 10 : page * 10]
            return (200, rss(items), RSS) if items else (404, home(), {})
        return None

    head = (
        FEED_LINK + WP + '<link rel="https://api.w.org/" href="https://blog.example.org/wp-json/">'
    )
    return Site(
        {"/": home(head), "/feed/": (200, rss(paths(1, total)[::-1][:10]), RSS)}, default=default
    )


def test_wordpress_rest_lists_100_posts_per_request() -> None:
    site = wordpress(250, rest=True, paged=True)
    survey = site.survey()
    assert len(known(survey)) == 250
    assert len(site.asked) == 4, site.asked  # feed and three pages; no guess at a sitemap
    assert survey.knowledge.expected_posts == 250 and survey.knowledge.walked_to_end
    entry = survey.knowledge.entries[canonicalize(f"{B}/2021/03/post-number-7/")]
    assert (entry.title, entry.authors, entry.tags, entry.source) == (
        "Post 7 & more",
        ("Ann",),
        ("C",),
        "wp-json",
    )
    assert (
        sum(1 for e in survey.knowledge.entries.values() if e.content_html) == 200
    )  # bounded memory
    assert not survey.knowledge.contradictions


def test_wordpress_walk_ends_at_the_limit_or_on_repetition() -> None:
    site = wordpress(1234, rest=True, paged=True)
    survey = site.survey()
    assert len(known(survey)) == 1234 and len(site.asked) == 14 and survey.knowledge.walked_to_end
    rows = json.dumps([{"link": f"{B}/2021/03/post-number-{n}/"} for n in range(100)])
    for headers in ({}, {"x-wp-total": "99999", "x-wp-totalpages": "1000"}):
        site = wordpress(40, rest=False, paged=False)
        site.default = lambda path, h=headers: (
            (200, rows, h) if path.startswith("/wp-json") else None
        )  # type: ignore[misc]
        survey = site.survey()
        assert len(site.asked) <= 8 and not survey.knowledge.walked_to_end


def test_wordpress_without_rest_reads_paged_feeds_to_the_end() -> None:
    site = wordpress(34, rest=False, paged=True)
    survey = site.survey()
    assert len(known(survey)) == 34 and survey.knowledge.walked_to_end
    assert [a for a in site.asked if "paged" in a] == [
        "/feed/?paged=2",
        "/feed/?paged=3",
        "/feed/?paged=4",
    ]  # a short page is the last
    site = wordpress(30, rest=False, paged=True)
    assert len(known(site.survey())) == 30
    assert site.asked[-1] == "/feed/?paged=4"


def test_static_copy_ignoring_queries_costs_two_probes() -> None:
    site = wordpress(40, rest=False, paged=False)
    survey = site.survey()
    assert len(known(survey)) == 10 and not survey.knowledge.walked_to_end
    assert len(site.asked) == 3, (
        site.asked
    )  # feed, REST, ?paged=2: where robots.txt of a WordPress names no sitemap, none exists


def test_static_files_are_not_probed_for_rest() -> None:
    site = wordpress(40, rest=False, paged=False)
    site.pages["/"] = (
        200,
        site.pages["/"],
        {"etag": '"1"', "last-modified": "Tue, 02 Mar 2021 10:00:00 GMT"},
    )
    site.survey()
    assert not [a for a in site.asked if "wp-json" in a]


def test_server_error_within_pagination_is_no_end() -> None:
    site = wordpress(60, rest=False, paged=True)
    site.pages["/feed/?paged=4"] = (500, "oops", {})
    survey = site.survey()
    assert len(known(survey)) == 30 and not survey.knowledge.walked_to_end
    [unread] = survey.knowledge.unread_sources.values()
    assert (unread.kind, unread.number, unread.reason, unread.posts) == (
        "feed-page",
        4,
        "HTTP 500",
        10,
    )
    assert any(unread.url in note and "HTTP 500" in note for note in survey.knowledge.notes)


def test_blogger_feed_is_read_in_windows_of_150() -> None:
    total = 410

    def feed(first: int, count: int) -> str:
        rows = "".join(
            f"<entry><id>tag:blogger.com,1999:post-{n}</id><title type='text'>Post {n}</title><published>2012-09-01T10:00:00.001-04:00</published>"
            f"<category scheme='http://schemas.google.com/g/2005#kind' term='x#post'/><content type='html'>&lt;p&gt;{n} {'w ' * 200}&lt;/p&gt;</content>"
            f"<link rel='replies' type='application/atom+xml' href='{B}/feeds/{n}/comments/default' title='0'/>"
            f"<link rel='alternate' type='text/html' href='{B}/2012/09/post-number-{n}.html'/></entry>"
            for n in range(total - first + 1, max(0, total - first + 1 - count), -1)
        )
        return (
            "<?xml version='1.0'?><feed xmlns='http://www.w3.org/2005/Atom' xmlns:openSearch='http://a9.com/-/spec/opensearchrss/1.0/'><id>b</id>"
            f"<generator version='7.00' uri='http://www.blogger.com'>Blogger</generator><openSearch:totalResults>{total}</openSearch:totalResults>"
            f"<link rel='next' type='application/atom+xml' href='http://www.blogger.com/feeds/1/posts/default?start-index=26'/>{rows}</feed>"
        )

    def default(path: str) -> object:
        if path.startswith("/feeds/posts/default?redirect=false"):
            start = int(path.split("start-index=")[1].split("&")[0])
            return feed(start, 150)
        return None

    head = "<meta content='blogger' name='generator'><link rel='alternate' type='application/atom+xml' title='x' href='/feeds/posts/default'>"
    site = Site({"/": home(head), "/feeds/posts/default": feed(1, 25)}, default=default)
    survey = site.survey()
    assert (
        len(known(survey)) == total
        and survey.knowledge.walked_to_end
        and survey.knowledge.expected_posts == total
    )
    assert len(site.asked) == 4, site.asked
    assert (
        survey.knowledge.comment_feeds[canonicalize(f"{B}/2012/09/post-number-9.html")]
        == f"{B}/feeds/9/comments/default"
    )


def test_rfc5005_archives_are_followed_without_cycles() -> None:
    pages = {
        "/": home(FEED_LINK),
        "/feed/": rss(paths(21, 30), extra=f'<atom:link rel="prev-archive" href="{B}/a2.xml"/>'),
        "/a2.xml": rss(paths(11, 20), extra=f'<atom:link rel="prev-archive" href="{B}/a1.xml"/>'),
        "/a1.xml": rss(paths(1, 10), extra=f'<atom:link rel="prev-archive" href="{B}/a2.xml"/>'),
    }
    site = Site(pages)
    survey = site.survey()
    assert len(known(survey)) == 30 and survey.knowledge.walked_to_end
    assert site.asked == ["/feed/", "/a2.xml", "/a1.xml"]


def test_json_feed_next_url_is_followed() -> None:
    def feed(first: int, last: int, follow: str) -> str:
        items = [
            {
                "id": str(n),
                "url": f"{B}/2021/post-{n}",
                "content_html": f"<p>{n}</p><p>{'w ' * 300}</p>",
            }
            for n in range(first, last)
        ]
        return json.dumps(
            {
                "version": "https://jsonfeed.org/version/1.1",
                "title": "J",
                "items": items,
                **({"next_url": follow} if follow else {}),
            }
        )

    head = '<link rel="alternate" type="application/feed+json" href="/feed.json">'
    site = Site(
        {
            "/": home(head),
            "/feed.json": feed(0, 10, "/feed.json?p=2"),
            "/feed.json?p=2": feed(10, 20, "/feed.json?p=3"),
            "/feed.json?p=3": feed(20, 25, ""),
        }
    )
    survey = site.survey()
    assert len(known(survey)) == 25 and survey.knowledge.walked_to_end and len(site.asked) == 3


def test_ghost_and_tumblr_sources_are_read() -> None:
    head = '<meta name="generator" content="Ghost 5.9"><link rel="alternate" type="application/rss+xml" href="/rss/">'
    site = Site(
        {
            "/": home(head),
            "/rss/": rss(paths(16, 30)),
            "/rss/2/": rss(paths(1, 15)),
            "/rss/3/": (404, "", {}),
        }
    )
    survey = site.survey()
    assert (
        len(known(survey)) == 30
        and survey.knowledge.walked_to_end
        and survey.knowledge.platform.version == "5.9"
    )

    def api(url: str) -> str:
        start = int(url.rpartition("=")[2])
        rows = "".join(
            f'<post id="{n}" url="{B}/post/{n}" url-with-slug="{B}/post/{n}/s" type="regular" date-gmt="2012-01-02 03:04:05 GMT">'
            f"<regular-title>T &amp;amp; {n}</regular-title><regular-body>&lt;p&gt;x&lt;/p&gt;</regular-body><tag>t</tag></post>"
            for n in range(start, min(start + 50, 120))
        )
        return f'<tumblr version="1.0"><tumblelog name="x"/><posts start="{start}" total="120">{rows}</posts></tumblr>'

    tumblr = Site(
        {
            "/": (
                200,
                home('<link rel="alternate" type="application/rss+xml" href="/rss">'),
                {"x-tumblr-user": "x"},
            ),
            "/rss": rss([(f"/post/{n}/s", "t") for n in range(20)]),
        },
        default=lambda path: api(path) if path.startswith("/api/read") else None,
    )
    survey = tumblr.survey()
    assert len(known(survey)) == 120 and survey.knowledge.walked_to_end and len(tumblr.asked) == 4


@pytest.mark.parametrize(
    "found_at", ["/feed.xml", "/atom.xml", "/index.xml", "/feeds/all.atom.xml", "/rss"]
)
def test_conventional_feed_urls_are_tried_if_none_is_announced(found_at: str) -> None:
    site = Site({"/": home(), found_at: rss(paths(1, 5))})
    survey = site.survey()
    assert len(known(survey)) == 5
    assert len(site.asked) <= 18


def test_folder_with_most_links_is_probed_for_feeds() -> None:
    links = (
        "".join(f'<a href="/blog/post-{n}/">Post {n}</a>' for n in range(8))
        + '<a href="/about/">About</a>'
    )
    site = Site(
        {
            "/": home(body=links),
            "/blog/atom.xml": rss([(f"/blog/post-{n}/", "x") for n in range(5)]),
        }
    )
    assert len(known(site.survey())) == 5
    site = Site(
        {
            "/": home(body='<a href="/shop/">Shop</a><a href="/weblog">Our Blog</a>'),
            "/weblog/feed.xml": rss([(f"/weblog/post-{n}/", "x") for n in range(5)]),
        }
    )
    assert len(known(site.survey())) == 5


def test_survey_without_any_source_ends_soon() -> None:
    site = Site({"/": home(body='<a href="/x">x</a>')})
    survey = site.survey()
    assert survey.done and survey.knowledge.post_feed is None and not survey.knowledge.entries
    assert len(site.asked) <= 26


def test_blog_in_a_subfolder_is_surveyed() -> None:
    site = Site(
        {
            "/blog/": home(),
            "/blog/feed/": rss([("/blog" + p, t) for p, t in paths(1, 5)]),
            "/blog/sitemap.xml": sitemap([B + "/blog" + p for p, _ in paths(1, 9)]),
        }
    )
    survey = site.survey("/blog/")
    assert len(known(survey)) == 9
    assert survey.scope.contains(B + "/blog/x") and not survey.scope.contains(B + "/shop/x")


def test_announced_comment_and_category_feeds_are_not_the_post_feed() -> None:
    head = (
        '<link rel="alternate" type="application/rss+xml" title="Example » Comments Feed" href="/comments/feed/">'
        '<link rel="alternate" type="application/rss+xml" title="Cats" href="/category/cats/feed/">'
        + FEED_LINK
    )
    site = Site(
        {
            "/": home(head),
            "/feed/": rss(paths(1, 10)),
            "/category/cats/feed/": rss(paths(1, 2)),
            "/comments/feed/": rss([]),
        }
    )
    survey = site.survey()
    assert site.asked[0] == "/feed/" and "/comments/feed/" not in site.asked
    assert survey.knowledge.blog_comment_feed == B + "/comments/feed/"


def test_excerpt_feed_triggers_one_request_for_the_other_format() -> None:
    cut = rss(paths(1, 5)).replace("end&lt;/p&gt;", "[…]&lt;/p&gt;")
    head = (
        FEED_LINK
        + '<link rel="alternate" type="application/atom+xml" title="Example" href="/atom.xml">'
    )
    site = Site({"/": home(head), "/feed/": cut, "/atom.xml": rss(paths(1, 5))})
    survey = site.survey()
    assert site.asked[:2] == ["/feed/", "/atom.xml"]
    assert all(e.is_full for e in survey.knowledge.entries.values())
    assert (
        survey.knowledge.post_feed is not None and survey.knowledge.post_feed.url == B + "/atom.xml"
    )


def test_feed_of_another_language_is_a_separate_stream() -> None:
    head = FEED_LINK + "".join(
        f'<link rel="alternate" type="application/rss+xml" title="x" href="{h}">'
        for h in ("/feed/atom/", "/ru/feed/")
    )
    site = Site(
        {
            "/": home(head),
            "/feed/": rss(paths(1, 5)),
            "/feed/atom/": rss(paths(1, 5)),
            "/ru/feed/": rss([("/ru" + p, t) for p, t in paths(1, 5)]),
        }
    )
    survey = site.survey()
    assert len(known(survey)) == 10 and "/feed/atom/" not in site.asked


def test_start_url_may_be_a_feed() -> None:
    site = Site(
        {"/": home(WP), "/feed.xml": rss(paths(1, 10)), "/feed.xml?paged=2": rss(paths(11, 14))}
    )
    survey = site.survey("/feed.xml")
    assert survey.knowledge.blog.url == B + "/" and survey.knowledge.platform.name == "WordPress"
    assert len(known(survey)) == 14, site.asked


def test_given_feed_comes_first() -> None:
    site = Site({"/": home(FEED_LINK), "/feed/": rss(paths(1, 3)), "/my": rss(paths(1, 8))})
    survey = site.survey(feed_url=B + "/my")
    assert site.asked[0] == "/my" and len(known(survey)) == 8


def test_disabled_survey_requests_only_the_feed() -> None:
    site = wordpress(50, rest=True, paged=True)
    survey = site.survey(robots="Sitemap: https://blog.example.org/s.xml", enabled=False)
    assert site.asked == ["/feed/"] and len(known(survey)) == 10


def test_broken_announced_feed_falls_back_to_others() -> None:
    site = Site({"/": home(FEED_LINK), "/feed/": home(), "/rss.xml": rss(paths(1, 4))})
    survey = site.survey()
    assert len(known(survey)) == 4
    assert any("/feed/: not a feed but an HTML page" in n for n in survey.knowledge.notes)


@pytest.mark.parametrize(
    ("pages", "posts"),
    [
        ({"/feed/": home(), "/section?rss=1": home()}, {0.0}),
        ({"/feed/": (503, "", {}), "/section?rss=1": (500, "", {})}, {None}),
    ],
    ids=["pages in their place", "no answer"],
)
def test_page_in_place_of_a_feed_hides_no_posts(
    pages: dict[str, object], posts: set[float | None]
) -> None:
    """A page is read as a page; what does not answer may have listed posts."""
    section = FEED_LINK.replace("/feed/", "/section?rss=1").replace("Example", "Section")
    survey = Site({"/": home(FEED_LINK + section), "/rss.xml": rss(paths(1, 4)), **pages}).survey()
    found = survey.knowledge.unread_sources
    assert canonicalize(f"{B}/feed/") in found
    assert {source.posts for source in found.values()} == posts, found


def test_localhost_urls_in_feeds_are_mapped_to_the_blog() -> None:
    site = Site(
        {
            "/": home(FEED_LINK),
            "/feed/": rss(paths(1, 5), base="http://localhost:1313"),
            "/sitemap.xml": sitemap(["http://localhost:1313" + p for p, _ in paths(1, 9)]),
        }
    )
    survey = site.survey()
    assert known(survey) == {p for p, _ in paths(1, 9)}
    assert any("localhost:1313" in n for n in survey.knowledge.notes)


def test_title_that_most_entries_have_is_no_posts() -> None:
    items = [(path, "Example" if n < 5 else title) for n, (path, title) in enumerate(paths(1, 6))]
    survey = Site({"/": home(FEED_LINK), "/feed/": rss(items)}).survey()
    titles = [entry.title for entry in survey.knowledge.entries.values()]
    assert titles == [None] * 5 + ["Post 6"]


def test_mirror_urls_are_mapped_by_path() -> None:
    body = f'<a href="{paths(5, 5)[0][0]}">latest</a>'
    site = Site(
        {
            "/": home(FEED_LINK, body),
            "/feed/": rss(paths(1, 5), base="https://old-name.example.com"),
        }
    )
    assert known(site.survey()) == {p for p, _ in paths(1, 5)}
    moved = Site(
        {"/": home(FEED_LINK), "/feed/": rss(paths(1, 5), base="https://www.other.example.com")}
    )
    assert {e.url for e in moved.survey().knowledge.entries.values()} == {
        "https://www.other.example.com" + p for p, _ in paths(1, 5)
    }


def window(
    count: int, size: int, name: str, one: Callable[[int], dict[str, object]]
) -> Callable[[str], str]:
    """Answers for a list of ``count`` posts that begins where the query's ``name`` says, newest
    first.
    """

    def answer(url: str) -> str:
        start = int(dict(parse_qsl(urlsplit(url).query)).get(name, "0"))
        return json.dumps([one(n) for n in range(count - start, max(0, count - start - size), -1)])

    return answer


def test_substack_archive_is_read_to_its_end() -> None:
    def one(n: int) -> dict[str, object]:
        day = f"2021-03-{1 + n % 28:02}T08:00:00.000Z"
        about = {
            "id": n,
            "canonical_url": f"{B}/p/letter-number-{n}",
            "title": f"Letter {n}",
            "post_date": day,
        }
        return about | {"publishedBylines": [{"name": "Ada"}]}

    feed = rss([(f"/p/letter-number-{n}", f"Letter {n}") for n in range(60, 40, -1)])
    answer = window(60, 12, "offset", one)
    site = Site(
        {
            "/": home(
                '<meta name="generator" content="Substack"><link rel="alternate" type="application/rss+xml" href="/feed">'
            ),
            "/feed": feed,
        },
        default=lambda path: answer(path) if path.startswith("/api/v1/archive?sort=new") else None,
    )
    survey = site.survey()
    assert len(known(survey)) == 60 and survey.knowledge.walked_to_end, (
        "the server gives fewer at a time than it is asked for"
    )
    oldest = survey.knowledge.entries[canonicalize(f"{B}/p/letter-number-1")]
    assert (
        oldest.title == "Letter 1" and oldest.authors == ("Ada",) and oldest.published is not None
    )


@pytest.mark.parametrize(
    ("generator", "feed", "ask"),
    [
        ("Joomla! - Open Source", "/?format=feed&type=rss", "start"),
        ("Squarespace 7", "/blog?format=rss", "page"),
        ("Drupal 9", "/rss.xml", "page"),
    ],
)
def test_feeds_paged_by_query_are_followed(generator: str, feed: str, ask: str) -> None:
    def answer(path: str) -> object:
        query = dict(parse_qsl(urlsplit(path).query))
        number = int(query.pop(ask, "0"))
        skipped = (
            number
            if ask == "start"
            else 10 * (max(1, number) - 1)
            if "Square" in generator
            else 10 * number
        )
        asked = f"{urlsplit(path).path}?{urlencode(query)}" if query else urlsplit(path).path
        return rss(paths(1, 34)[::-1][skipped : skipped + 10]) if asked == feed else None

    head = f'<meta name="generator" content="{generator}"><link rel="alternate" type="application/rss+xml" href="{feed.replace("&", "&amp;")}">'
    survey = Site({"/": home(head)}, default=answer).survey()
    assert known(survey) == {p for p, _ in paths(1, 34)} and survey.knowledge.walked_to_end


def test_micro_blog_archive_lists_all_posts() -> None:
    items = [
        {"id": f"{B}{p}", "url": B + p, "title": t, "content_text": t} for p, t in paths(1, 55)
    ]
    pages: dict[str, object] = {
        "/": home(
            '<meta name="generator" content="Micro.blog"><link rel="alternate" type="application/rss+xml" href="/feed.xml">'
        ),
        "/feed.xml": rss(paths(46, 55)),
        "/archive/index.json": json.dumps(
            {"version": "https://jsonfeed.org/version/1", "title": "x", "items": items}
        ),
    }
    site = Site(pages)
    survey = site.survey()
    assert len(known(survey)) == 55 and survey.knowledge.walked_to_end
    assert site.asked == ["/feed.xml", "/archive/index.json"]


def test_blogger_json_is_used_if_xml_is_missing() -> None:
    def entry(n: int) -> dict[str, object]:
        link = [
            {"rel": "self", "href": f"{B}/feeds/{n}"},
            {"rel": "alternate", "href": f"{B}/2021/03/post-number-{n}.html"},
        ]
        text = {
            "title": {"$t": f"Post {n}"},
            "content": {"type": "html", "$t": f"<p>{'words ' * 90}</p>"},
            "published": {"$t": "2021-03-01T10:00:00Z"},
        }
        return {
            "id": {"$t": f"tag:{n}"},
            "link": link,
            "author": [{"name": {"$t": "Ada"}}],
            "category": [{"term": "tea"}],
            **text,
        }

    def answer(path: str) -> object:
        query = dict(parse_qsl(urlsplit(path).query))
        if not path.startswith("/feeds/posts/default") or query.get("alt") != "json":
            return "<feed><entry broken" if path.startswith("/feeds/") else None
        start = int(query.get("start-index", "1"))
        some = [
            entry(n)
            for n in range(61 - start, max(0, 61 - start - int(query.get("max-results", "25"))), -1)
        ]
        feed = {
            "title": {"$t": "Notes"},
            "openSearch$totalResults": {"$t": "60"},
            "link": [{"rel": "alternate", "href": B + "/"}],
            "entry": some,
        }
        return json.dumps({"version": "1.0", "encoding": "UTF-8", "feed": feed})

    survey = Site({"/": home('<meta name="generator" content="Blogger">')}, default=answer).survey()
    assert (
        len(known(survey)) == 60
        and survey.knowledge.expected_posts == 60
        and survey.knowledge.walked_to_end
    )
    one = survey.knowledge.entries[canonicalize(f"{B}/2021/03/post-number-7.html")]
    assert (
        one.title == "Post 7"
        and one.authors == ("Ada",)
        and one.tags == ("tea",)
        and one.content_html
    )


def test_link_blog_entries_use_their_permalinks() -> None:
    feed = rss(paths(1, 6)).replace(
        f"<link>{B}/2021/03/post-number-3/</link>", "<link>https://news.example.net/story</link>"
    )
    feed = feed.replace(
        f"<link>{B}/2021/03/post-number-4/</link><guid>{B}/2021/03/post-number-4/</guid>",
        "<link>https://news.example.net/b</link>",
    )
    survey = Site({"/": home(FEED_LINK), "/feed/": feed}).survey()
    assert known(survey) == {p for p, _ in paths(1, 6)} - {"/2021/03/post-number-4/"}
    assert any("other sites" in n for n in survey.knowledge.notes)


def test_sitemap_index_reads_post_sitemaps_first() -> None:
    months = [f"/sitemap-pt-post-2021-{m:02}.xml" for m in range(1, 13)]
    pages: dict[str, object] = {
        "/": home(FEED_LINK),
        "/feed/": rss(paths(1, 3)),
        "/sitemap.xml": sitemap_index(
            [
                B + u
                for u in [
                    "/sitemap-misc.xml",
                    "/sitemap-tax-category.xml",
                    *months,
                    "/sitemap-pt-page-2021-01.xml",
                ]
            ]
        ),
    }
    for n, month in enumerate(months):
        pages[month] = sitemap([f"{B}/2021/03/post-number-{n}/"])
    site = Site(pages)
    survey = site.survey()
    assert not [a for a in site.asked if "misc" in a or "tax" in a or "page" in a]
    assert len([a for a in site.asked if "pt-post" in a]) == 12 and len(known(survey)) == 12, (
        "nothing else leads to these"
    )
    pages["/"] = home(FEED_LINK, '<a href="/archives/">Archives</a>')
    site = Site(pages)
    survey = site.survey()
    assert len([a for a in site.asked if "pt-post" in a]) == 3 and survey.knowledge.hubs, (
        "a list is cheaper"
    )


def test_sitemaps_rich_in_posts_are_all_read() -> None:
    pages: dict[str, object] = {
        "/": home(FEED_LINK),
        "/feed/": rss(paths(1, 10)),
        "/sitemap.xml": sitemap_index([f"{B}/post-sitemap{n}.xml" for n in range(8)]),
    }
    for n in range(8):
        pages[f"/post-sitemap{n}.xml"] = sitemap([B + p for p, _ in paths(n * 50 + 1, n * 50 + 50)])
    assert len(known(Site(pages).survey())) == 400


def test_sitemap_cycles_and_depth_are_limited() -> None:
    site = Site(
        {"/": home(FEED_LINK), "/feed/": rss(paths(1, 2))},
        default=lambda p: (
            sitemap_index([B + p.replace(".xml", "x.xml"), B + p]) if "sitemap" in p else None
        ),
    )
    survey = site.survey()
    assert len(site.asked) < 12 and any("nested" in n for n in survey.knowledge.notes)


def test_sources_that_disagree_are_reported() -> None:
    site = wordpress(30, rest=False, paged=True)
    site.pages["/map.xml"] = sitemap([B + p for p, _ in paths(5, 40)])
    survey = site.survey(robots=f"Sitemap: {B}/map.xml")
    assert len(known(survey)) == 40
    assert any(
        "sitemap lists 10 posts that the feed pages lack" in c
        for c in survey.knowledge.contradictions
    )
    assert any(
        "feed lists 4 posts that the sitemap lacks" in c for c in survey.knowledge.contradictions
    )


def test_blog_with_a_sitemap_but_no_feed() -> None:
    site = Site(
        {
            "/": home(),
            "/sitemap.xml": sitemap([B + p for p, _ in paths(1, 9)] + [B + "/about", B + "/tag/x"]),
        }
    )
    survey = site.survey()
    assert known(survey) == {p for p, _ in paths(1, 9)} and survey.knowledge.post_feed is None


@pytest.mark.parametrize("name", ["/sitemap.xml", "/post-sitemap.xml"])
def test_numbered_posts_of_a_sitemap_without_a_feed_are_no_pages_of_a_list(name: str) -> None:
    listed = [f"/p/{n}" for n in range(30, 39)]
    site = Site({"/": home(), name: sitemap([B + path for path in listed])})
    survey = site.survey(robots=f"Sitemap: {B}{name}")
    candidates = {url.removeprefix(B) for url, _ in survey.knowledge.candidates.values()}
    assert known(survey) | candidates == set(listed)


def test_pages_of_lists_in_a_sitemap_without_a_feed_are_no_posts() -> None:
    posts = [f"/blog/a-walk-{n}/" for n in range(9)]
    lists = [f"/blog/page/{n}/" for n in range(2, 6)]
    listed = sitemap([B + path for path in [*posts, *lists]])
    survey = Site({"/": home(), "/sitemap.xml": listed}).survey()
    candidates = {url.removeprefix(B) for url, _ in survey.knowledge.candidates.values()}
    assert (known(survey) | candidates).issuperset(posts)
    assert (known(survey) | candidates).isdisjoint(lists)


def test_candidate_sitemaps_wait_if_a_feed_gives_the_url_pattern() -> None:
    pages = {
        "/": home(FEED_LINK),
        "/feed/": rss(paths(5, 9)),
        "/sitemap.xml": sitemap([B + p for p, _ in paths(1, 9)]),
    }
    site = Site(dict(pages))
    survey = site.survey(release=False)
    assert survey.done and site.asked == ["/feed/"] and len(known(survey)) == 5
    assert survey.knowledge.guesses == [B + "/sitemap.xml"]
    assert SiteKnowledge.from_json(survey.knowledge.to_json()).guesses == survey.knowledge.guesses
    site.drive(survey, survey.release())
    assert (
        site.asked == ["/feed/", "/sitemap.xml"]
        and len(known(survey)) == 9
        and survey.knowledge.guesses == []
    )
    for other in (
        {"/feed/": rss(paths(8, 9))},
        {"/": home(FEED_LINK + '<meta name="generator" content="Hugo 0.111">')},
    ):
        site = Site({**pages, **other})
        assert len(known(site.survey(release=False))) == 9, (
            "few posts, or sections that only a sitemap names: asked at once"
        )


def test_engine_archive_is_tried_after_its_sitemap() -> None:
    head = FEED_LINK + '<meta name="generator" content="Hexo 6.3">'
    site = Site({"/": home(head), "/feed/": rss(paths(5, 9))})
    assert site.survey(release=False).knowledge.guesses == [B + "/sitemap.xml", B + "/archives/"]


def test_sitemap_reads_alike_after_a_restart() -> None:
    urls = [B + p for p, _ in paths(1, 9)] + [B + "/about/", B + "/tag/x/"]
    pages = {"/": home(FEED_LINK), "/feed/": rss(paths(5, 9)), "/sitemap.xml": sitemap(urls)}
    site = Site(pages)
    survey = site.survey(release=False)
    again = Collector.resumed(
        SiteKnowledge.from_json(survey.knowledge.to_json()), site.get(B + "/"), None
    )  # type: ignore[arg-type]
    for collector in (survey.collector, again):
        assert read_late(collector, site.get(B + "/sitemap.xml")) == (4, [])  # type: ignore[arg-type]
        assert len(collector.knowledge.promised) == 9 and [
            url for url, _ in collector.knowledge.candidates.values()
        ] == [B + "/about/"]


def test_missing_candidate_sources_cost_few_requests() -> None:
    site = Site({"/": home()})
    survey = site.survey()
    assert survey.done and [a for a in site.asked if "sitemap" in a] == ["/sitemap.xml"]
    assert len(site.asked) <= 9, site.asked
    site = Site({"/": home('<meta name="generator" content="Pelican">')})
    site.survey()
    assert len(site.asked) <= 4 and not [a for a in site.asked if "sitemap" in a], (
        site.asked
    )  # it writes none of itself


def test_empty_feed_is_noted_and_candidates_are_tried() -> None:
    survey = Site({"/": home(FEED_LINK), "/feed/": rss([])}).survey()
    assert survey.knowledge.post_feed is not None and not survey.knowledge.entries
    assert any("has no entries" in n for n in survey.knowledge.notes)


def test_tag_feeds_are_read_only_while_productive() -> None:
    site = Site(
        {
            "/": home(FEED_LINK),
            "/feed/": rss(paths(1, 5)),
            "/sitemap.xml": sitemap([B + p for p, _ in paths(1, 60)]),
        }
    )
    survey = site.survey()

    def tag_page(n: int) -> Page:
        html = home(
            f'<link rel="alternate" type="application/rss+xml" title="t" href="/tag/t{n}/feed/">'
        )
        return Page(url=f"{B}/tag/t{n}/", body=html.encode())

    offered = survey.found_page(tag_page(1))
    assert [p.url for p in offered] == [B + "/tag/t1/feed/"] and offered[0].priority < 50
    survey.receive(offered[0], Page(url=offered[0].url, body=rss(paths(20, 29)).encode()))
    assert survey.knowledge.entries[canonicalize(B + paths(25, 25)[0][0])].title == "Post 25"
    for n in range(2, 12):
        for probe in survey.found_page(tag_page(n)):
            survey.receive(probe, None, "gone")
    assert survey.found_page(tag_page(99)) == []
    post = Page(
        url=B + paths(3, 3)[0][0],
        body=home(
            f'<link rel="alternate" type="application/rss+xml" title="x » Comments" href="{paths(3, 3)[0][0]}feed/">'
        ).encode(),
    )
    assert survey.found_page(post) == []
    assert survey.knowledge.comment_feeds[canonicalize(post.url)] == post.url + "feed/"


def test_feed_that_only_an_inner_page_announces_is_the_blogs() -> None:
    survey = Site({"/": home("<p>Welcome.</p>")}).survey()
    assert survey.knowledge.post_feed is None
    page = Page(
        url=f"{B}/journal/",
        body=home('<a href="/tag/x/feed/">x</a> <a href="/journal/news.rss">RSS</a>').encode(),
    )
    offered = survey.found_page(page)
    assert [probe.url for probe in offered] == [f"{B}/journal/news.rss"]
    survey.receive(
        offered[0], Page(url=offered[0].url, body=rss(paths(1, 3)).encode(), headers=RSS)
    )
    assert survey.knowledge.post_feed is not None and len(survey.knowledge.entries) == 3


def test_unrequested_responses_are_ignored() -> None:
    site = Site({"/": home(FEED_LINK), "/feed/": rss(paths(1, 5))})
    page = site.get(B + "/")
    assert page is not None
    survey = Survey(page)
    probe = survey.probes()[0]
    site.drive(survey, [probe])
    before, asked = survey.knowledge.to_json(), survey.requests
    assert survey.receive(probe, site.get(B + "/feed/")) == []
    assert survey.knowledge.to_json() == before and survey.requests == asked


def test_home_page_hubs_are_classified() -> None:
    body = (
        '<a href="/archives/">Archives</a><a href="/2021/03/">March 2021</a><a rel="next" href="/page/2/">Older posts</a><a href="/about/">About</a>'
        '<a href="https://elsewhere.example.net/archive/">Archive</a><a href="/tag/x/">x</a>'
    )
    survey = Site({"/": home(FEED_LINK, body), "/feed/": rss(paths(1, 5))}).survey()
    assert survey.knowledge.hubs == [B + "/archives/", B + "/page/2/", B + "/2021/03/"]


def test_menu_pages_with_flat_urls_are_not_listed_posts() -> None:
    words = ["first", "green", "old", "small", "loud", "quiet", "red", "cold", "late", "long"]
    posts = [(f"/a-{a}-{b}-thing/", f"A {a} {b} thing") for a in words for b in ("day", "night")]
    pages = ["/about/", "/contact/", "/privacy-policy/", "/start-here-now/"]
    body = (
        '<nav class="main-menu"><ul>'
        + "".join(f'<li><a href="{p}">{p.strip("/")}</a></li>' for p in pages)
        + "</ul></nav>"
    )
    body += "".join(f'<h2><a href="{p}">{t}</a></h2>' for p, t in posts[:5])
    site = Site(
        {
            "/": home(FEED_LINK, body),
            "/feed/": rss(posts[:10]),
            "/sitemap.xml": sitemap([B + p for p, _ in posts] + [B + p for p in pages]),
        }
    )
    survey = site.survey()
    assert known(survey) == {p for p, _ in posts}
    assert {url.removeprefix(B) for url, _ in survey.knowledge.candidates.values()} == set(pages)


def test_similar_sections_are_post_candidates_and_listings_are_not() -> None:
    urls = (
        [f"/blog/post-{n}/" for n in range(12)]
        + [f"/notes/note-{n}/" for n in range(4)]
        + ["/blog/", "/notes/", "/about/"]
    )
    feed = rss([(f"/blog/post-{n}/", f"Post {n}") for n in range(5)])
    survey = Site(
        {"/": home(FEED_LINK), "/feed/": feed, "/sitemap.xml": sitemap([B + u for u in urls])}
    ).survey()
    assert known(survey) == {f"/blog/post-{n}/" for n in range(12)}
    beliefs = {url.removeprefix(B): belief for url, belief in survey.knowledge.candidates.values()}
    assert beliefs == {**{f"/notes/note-{n}/": 0.3 for n in range(4)}, "/about/": 0.05}


HUGO = '<meta name="generator" content="Hugo 0.120.1"><link rel="alternate" type="application/rss+xml" href="/index.xml">'


def hugo(sections: dict[str, object]) -> Site:
    urls = [f"/blog/post-{n}/" for n in range(12)] + [
        "/projects/engine/",
        "/projects/tool/",
        "/talks/one/",
        "/stack/go/",
        "/stack/sql/",
        "/docs/help/faq/",
        "/docs/help/start/",
        "/contributors/ann/",
    ]
    urls += ["/", "/blog/", "/projects/", "/talks/", "/stack/", "/tags/", "/tags/go/", "/about/"]
    urls += ["/docs/", "/docs/help/", "/contributors/"]
    feed = rss([(f"/blog/post-{n}/", f"Post {n}") for n in range(5)])
    return Site(
        {
            "/": home(HUGO),
            "/index.xml": feed,
            "/sitemap.xml": sitemap([B + u for u in urls]),
            **sections,
        }
    )


def test_section_feeds_are_read() -> None:
    terms = "".join(
        f"<item><title>{t}</title><link>{B}/stack/{t}/</link><pubDate>Mon, 01 Mar 2021 10:00:00 +0000</pubDate></item>"
        for t in ("go", "sql")
    )
    terms = f'<rss version="2.0"><channel><title>Stack</title>{terms}</channel></rss>'
    site = hugo(
        {
            "/projects/index.xml": rss(
                [("/projects/engine/", "The engine"), ("/projects/tool/", "A tool")]
            ),
            "/stack/index.xml": terms,
        }
    )
    survey = site.survey()
    assert known(survey) == {f"/blog/post-{n}/" for n in range(12)} | {
        "/projects/engine/",
        "/projects/tool/",
    }
    assert sorted(site.asked[2:]) == [
        "/projects/index.xml",
        "/stack/index.xml",
        "/talks/index.xml",
    ], "not of tags, contributors and documentation, nor of what is known"
    entry = survey.knowledge.entries[canonicalize(B + "/projects/engine/")]
    assert entry.title == "The engine" and entry.published is not None


def test_only_two_section_feeds_are_probed_if_missing() -> None:
    site = hugo({})
    assert known(site.survey()) == {f"/blog/post-{n}/" for n in range(12)}
    assert len(site.asked) == 4


def test_start_url_may_be_a_post() -> None:
    post = home(FEED_LINK + '<meta property="og:type" content="article">', "<h1>Post 5</h1>")
    front = home(FEED_LINK, '<a href="/page/2/">Older posts</a>')
    site = Site({paths(5, 5)[0][0]: post, "/": front, "/feed/": rss(paths(1, 5))})
    survey = site.survey(paths(5, 5)[0][0])
    assert survey.knowledge.blog.url == B + "/" and survey.knowledge.hubs == [B + "/page/2/"]
    assert known(survey) == {path for path, _ in paths(1, 5)} and site.asked.count("/") == 1


def test_feed_that_names_itself_as_its_home_is_no_list() -> None:
    feed = rss(paths(1, 5)).replace(
        "<link>https://blog.example.org/</link>", f"<link>{B}/feed/</link>", 1
    )
    site = Site({"/": home(FEED_LINK, '<a href="/page/2/">Older posts</a>'), "/feed/": feed})
    assert site.survey().knowledge.hubs == [B + "/page/2/"]
