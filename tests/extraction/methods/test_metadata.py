"""Embedded data is evidence with weights; the liars are known."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from blogcrawl.core.page import Page
from blogcrawl.extraction.fields.embedded import embedded, parse_json
from blogcrawl.extraction.fields.names import as_author, segments, site_names
from blogcrawl.extraction.methods.metadata import MetadataExtractor


def page_of(
    head: str = "", body: str = "", url: str = "https://blog.example/2020/05/post/"
) -> Page:
    html = f"<html lang=en><head>{head}</head><body>{body}</body></html>"
    return Page(url=url, body=html.encode(), headers={"content-type": "text/html; charset=utf-8"})


def best(page: Page, field: str) -> Any:
    values = (MetadataExtractor().extract(page, None) or {}).get(field)
    return values[0].value if values else None


def linked(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script>'


DAY = datetime(2020, 5, 4, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        (
            '{"@type":"BlogPosting","headline":"H","author":{"@type":"Person","name":"Ann '
            'Lee"},"datePublished":"2020-05-04T12:00:00+02:00"}'
        ),
        '{"@context":"https://schema.org","@graph":[{"@type":"WebSite","name":"S"},'
        '{"@type":"Article","headline":"H","author":{"@id":"#a"},'
        '"datePublished":"2020-05-04T10:00:00Z"},{"@type":"Person","@id":"#a","name":"Ann Lee"}]}',
        '[{"@type":["NewsArticle","Article"],"headline":"H","author":[{"@type":"Person",'
        '"name":"Ann Lee"}],'
        '"datePublished":"2020-05-04T10:00:00Z"}]',
        (
            '<!-- {"@type":"BlogPosting","headline":"H","author":"Ann '
            'Lee","datePublished":"2020-05-04T10:00:00Z",} -->'
        ),
        (
            '{"@type":"BlogPosting","headline":"H\n","author":"Ann '
            'Lee","datePublished":"2020-05-04T10:00:00Z"};'
        ),
        (
            '{"@type":"WebPage","mainEntity":{"@type":"BlogPosting","headline":"H","author":"Ann '
            'Lee","datePublished":"2020-05-04T10:00:00Z"}}'
        ),
    ],
)
def test_json_ld_variants_are_read(text: str) -> None:
    page = page_of(linked(text))
    assert best(page, "title") == "H"
    assert best(page, "authors") == ["Ann Lee"]
    assert best(page, "published") == DAY


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[1, 2]",
        '"x"',
        "{}" * 9,
        "[" * 5000,
        '{"@type": {"a": []}}',
        '{"@graph": 5}',
        "<p>no</p>",
    ],
)
def test_broken_json_ld_is_ignored(text: str) -> None:
    page = page_of(linked(text) + "<title>T</title>")
    assert best(page, "title") == "T"


def test_organization_has_low_confidence_as_author() -> None:
    page = page_of(
        linked(
            '{"@type":"Article","headline":"H","author":{"@type":"Organization","name":"Acme"}}'
        ),
        '<article><h1>H</h1><a rel="author" href="/jo">Jo Doe</a></article>',
    )
    assert best(page, "authors") == ["Jo Doe"]


def test_site_name_is_no_author_if_a_person_is_named() -> None:
    page = page_of(
        '<meta property="og:site_name" content="My Blog"><meta name="author" content="My Blog">',
        '<p class="byline">by Jo Doe</p>',
    )
    assert best(page, "authors") == ["Jo Doe"]


@pytest.mark.parametrize(
    ("words", "address"),
    [
        ("More from this author", "/author/ann-lee"),
        ("her RSS feed", "/author/index.php?author=ann-lee"),
        ("Learn More", "/people/ann-lee/"),
    ],
)
def test_author_link_label_is_no_name(words: str, address: str) -> None:
    page = page_of(
        "",
        (
            f'<article><h1>H</h1><a href="{address}">{words}</a><p class="author">Ann '
            f"Lee</p></article>"
        ),
    )
    assert best(page, "authors") == ["Ann Lee"]


@pytest.mark.parametrize(
    "link",
    [
        "<a href=/tag/authors/index.html>authors</a>",
        "<a rel='external nofollow' href=https://social.example/people/bo-day>Bo Day</a>",
    ],
)
def test_neither_tags_nor_readers_are_authors(link: str) -> None:
    assert best(page_of("", f"<article><h1>H</h1></article><div>{link}</div>"), "authors") is None


def test_name_in_the_author_url_has_higher_confidence() -> None:
    for name, address in (
        ("José Núñez", "/author/jose-n/"),
        ("王明", "/author/%E7%8E%8B%E6%98%8E"),
        ("Ann Lee", "/people/77/"),
    ):
        page = page_of(
            "",
            (
                f'<article><h1>H</h1><p><a href="{address}">{name}</a></p><p class="author">Guest '
                f"Writer</p></article>"
            ),
        )
        assert best(page, "authors") == [name]


def test_link_to_a_persons_page_in_prose_is_no_byline() -> None:
    prose = "Can you imagine that anyone would try for thirteen days to talk to a machine?"
    link = '<a href="http://lab.example/people/roe/chapter3.html">It did happen</a>'
    page = page_of("", f"<article><h1>H</h1><p>{prose} {link}</p><p>Posted by annlee</p></article>")
    assert best(page, "authors") != ["It did happen"]
    byline = f'<article><h1>H</h1><p>{prose}<br>By <a href="/people/ann-lee/">Ann Lee</a></p>'
    assert best(page_of("", f"{byline}</article>"), "authors") == ["Ann Lee"]


def test_modified_date_is_not_published() -> None:
    head = '<meta property="article:modified_time" content="2024-01-01T00:00:00Z">'
    assert best(page_of(head), "published") is None
    assert best(page_of(head), "modified") == datetime(2024, 1, 1, tzinfo=UTC)
    times = (
        '<time class="updated" datetime="2024-01-01">x</time><time class="published" '
        'datetime="2020-05-04T10:00:00Z">y</time>'
    )
    body = f"<article>{times}</article>"
    assert best(page_of("", body), "published") == DAY


def test_times_in_comments_and_sidebar_are_ignored() -> None:
    body = (
        '<div class="sidebar"><time datetime="2011-01-01">a</time></div>'
        '<article><h1>H</h1><time datetime="2020-05-04T10:00:00Z">b</time></article>'
        '<ol class="commentlist"><li><time datetime="2021-01-01">c</time><span '
        'class="comment-author">Troll</span></li></ol>'
    )
    page = page_of("<title>H</title>", body)
    assert best(page, "published") == DAY
    assert best(page, "authors") is None


def test_microdata_of_a_post_may_be_those_of_its_blog() -> None:
    author = "<div itemprop=author itemscope itemtype=http://schema.org/Person>{}</div>"
    name = author.format("<meta itemprop=name content='Ann Lee'>")
    for day, authors in (
        ("<time itemprop=datePublished>2014-05-26</time>", ["Ann Lee"]),
        ("", None),
    ):
        blog = f"<div itemscope itemtype=http://schema.org/Blog><h1>H</h1>{day}{name}</div>"
        assert best(page_of("", blog), "authors") == authors


def test_microdata_of_comments_are_ignored() -> None:
    body = """<div itemscope itemtype="http://schema.org/BlogPosting"><h2 itemprop="headline">Head</h2>
      <span itemprop="author" itemscope itemtype="http://schema.org/Person"><b itemprop="name">Ann Lee</b></span>
      <meta itemprop="datePublished" content="2020-05-04T10:00:00Z"><div itemprop="articleBody" id=b>Text of it</div>
      <div itemprop="comment" itemscope itemtype="http://schema.org/Comment"><span itemprop="author">Troll</span>
      <meta itemprop="datePublished" content="2021-01-01"></div></div>"""  # noqa: E501
    page = page_of("<title>Head</title>", body)
    assert (
        best(page, "title") == "Head"
        and best(page, "authors") == ["Ann Lee"]
        and best(page, "published") == DAY
    )
    assert best(page, "content").get("id") == "b"


@pytest.mark.parametrize("classic", [False, True])
def test_microformats_1_and_2_are_read(classic: bool) -> None:
    names = (
        ("hentry", "entry-title", "entry-content", "published", "vcard", "fn")
        if classic
        else ("h-entry", "p-name", "e-content", "dt-published", "p-author h-card", "p-name")
    )
    root, title, content, when, card, person = names
    text = "Words of the post, as many as it takes to be some content at all."
    body = f"""<article class="{root}"><h1 class="{title}">Head</h1><time class="{when}" datetime="2020-05-04T10:00:00Z">4 May</time>
      <span class="{card}"><a class="{person}" href="/">Ann Lee</a></span><div id=c class="{content}">{text}</div>
      <div class="u-comment h-cite"><span class="p-author">Troll</span><div class="e-content">c</div></div></article>"""  # noqa: E501
    page = page_of("<title>Head</title>", body)
    assert (
        best(page, "title") == "Head"
        and best(page, "authors") == ["Ann Lee"]
        and best(page, "published") == DAY
    )
    assert best(page, "content").get("id") == "c"


def test_list_of_entries_gives_no_content() -> None:
    body = (
        '<div class="h-entry"><b class="p-name">A</b><p class="e-content">x</p></div><div '
        'class="h-entry"><p class="e-content">y</p></div>'
    )
    assert best(page_of("", body), "content") is None


@pytest.mark.parametrize(
    ("title", "site", "wanted"),
    [
        ("Post - My Blog", "My Blog", "Post"),
        ("My Blog | Post", "My Blog", "Post"),
        ("Post « My Blog", "My Blog", "Post"),
        ("A - B - C · My Blog", "My Blog", "A - B - C"),
        ("Post: a story — My Blog", "my  blog", "Post: a story"),
        ("My Blog", "My Blog", "My Blog"),
        ("State-of-the-art", "art", "State-of-the-art"),
        ("Post", "", "Post"),
    ],
)
def test_site_name_is_cut_from_titles(title: str, site: str, wanted: str) -> None:
    page = page_of(
        f'<title>{title}</title><meta property="og:site_name" content="{site}"><meta '
        f'property="og:title" content="{title}">'
    )
    assert best(page, "title") == wanted
    assert segments(title, site_names(page)) == wanted


@pytest.mark.parametrize(
    ("text", "name"),
    [
        *(
            ("by Ann Lee", "Ann Lee"),
            ("Posted by Ann Lee on May 4", "Ann Lee"),
            ("von Jörg Müller", "Jörg Müller"),
            ("作者：王小明", "王小明"),
        ),
        *(
            ("https://facebook.com/ann", None),
            ("4 comments", None),
            ("2020-05-04", None),
            ("", None),
            ("ann@x.org (Ann Lee)", "Ann Lee"),
        ),
        *(("Ann Lee @annlee", "Ann Lee"), ("→ Ann Lee", "Ann Lee"), ("Ann Lee Tuesday", "Ann Lee")),
        *(
            ("par André", "André"),
            ("x" * 90, None),
            ("Staff", None),
            ("@ann", None),
            ("admin", "admin"),
        ),
    ],
)
def test_person_names_are_recognised(text: str, name: str | None) -> None:
    assert as_author(text) == name


def test_metadata_are_read_once_and_cached() -> None:
    page = page_of("<title>T</title>")
    assert embedded(page) is embedded(page)
    assert MetadataExtractor().extract(page) is MetadataExtractor().extract(page)


def test_random_pages_raise_no_error() -> None:
    for body in (
        b"",
        b"\x00\xff\xfe",
        b"<html>",
        b"<title></title>",
        b"<meta name content>",
        "<meta property='og:title' content='\ud800'>".encode("utf-8", "surrogatepass"),
    ):
        MetadataExtractor().extract(Page(url="https://x.example/", body=body))


def test_parse_json_refuses_a_data_dump() -> None:
    assert parse_json('{"a": "' + "x" * (1 << 21) + '"}') is None
