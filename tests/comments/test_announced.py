"""What a page announces of its comments: other pages that hold them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogcrawl.comments.announced import (
    announced_feed,
    comment_pages,
    comments_elsewhere,
    page_number,
    shown_count,
)
from blogcrawl.core.page import Page


@pytest.mark.parametrize(
    ("url", "link", "wanted"),
    [
        (
            "/archives/000036.html",
            (
                '<a href="/cgi-bin/mt-comments.cgi?entry_id=36" onclick="open(this.href)">Comments '
                "(3)</a>"
            ),
            True,
        ),
        (
            "/?x=entry:entry070401-102233",
            '<a href="/?x=entry:entry070401-102233;comments:1#c">3 comments</a>',
            True,
        ),
        ("/show.asp?id=126", '<a href="comments.asp?id=126">2 Kommentare</a>', True),
        (
            "/2005/a-long-walk",
            "<a href=\"javascript:open('/talkback/a-long-walk/comments')\">1 comment</a>",
            True,
        ),
        ("/more.php?id=3_0_1_M", '<a href="comments.php?id=3_0_1_C">(2) Comments</a>', True),
        ("/more.php?id=3_0_1_M", '<a href="comments.php?id=4_0_1_C">(2) Comments</a>', False),
        (
            "/PermaLink,guid,07158ab7-95f3-8183.aspx",
            '<a href="/CommentView,guid,07158ab7-95f3-8183.aspx">Comments [3]</a>',
            True,
        ),
        ("/site/a_long_walk/", '(3) <a href="/site/comments/a_long_walk/">Comments</a>', True),
        ("/site/a_long_walk/", '(0) <a href="/site/comments/a_long_walk/">Comments</a>', False),
        ("/site/a_long_walk/", 'in 3 <a href="/site/comments/a_long_walk/">Comments</a>', False),
        (
            "/index.php?showimage=12",
            '<a href="index.php?showimage=12" onclick="window.open('
            "'index.php?popup=comment&amp;showimage=12','Comments','width=480')\">Comments</a>",
            True,
        ),
        (
            "/index.php?showimage=12",
            '<a href="/" onclick="window.open(\'index.php?popup=comment&amp;showimage=11\')">C</a>',
            False,
        ),
        ("/2002_03.html#000012", '<a href="mt-comments.cgi?entry_id=12">Comments (2)</a>', True),
        ("/2002_03.html#000012", '<a href="mt-comments.cgi?entry_id=13">Comments (2)</a>', False),
        ("/show.asp?id=126", '<a href="comments.asp?id=126">0 comments</a>', False),
        ("/show.asp?id=126", '<a href="comments.asp?id=127">2 comments</a>', False),
        ("/show.asp?id=126", '<a href="show.asp?id=126#comments">2 comments</a>', False),
        ("/show.asp?id=126", '<a href="http://comments.example/?id=126">2 comments</a>', False),
    ],
)
def test_comment_count_link_leads_to_the_comments(url: str, link: str, wanted: bool) -> None:
    page = Page(
        url="http://b.example" + url,
        body=f"<html><body><h1>A walk</h1><p>Words.</p>{link}</body></html>".encode(),
    )
    assert bool(comments_elsewhere(page)) is wanted


@pytest.mark.parametrize(
    ("url", "href", "wanted"),
    [
        ("/2010/a-walk/", "/2010/a-walk/comment-page-1/#comments", True),
        ("/2010/a-walk/index.html", "comment-page-1/index.html#comments", True),
        ("/2010/a-walk/", "?cpage=1#comments", True),
        ("/2010/a-walk/", "/2010/a-run/comment-page-1/#comments", False),
        ("/2010/a-walk/", "/2010/a-walk/comment-page-1999/#comments", False),
    ],
)
def test_comment_pages_belong_to_the_same_post(url: str, href: str, wanted: bool) -> None:
    page = Page(
        url="http://b.example" + url,
        body=f'<html><body><p>Words.</p><a href="{href}">Older</a></body></html>'.encode(),
    )
    assert bool(comment_pages(page)) is wanted


@pytest.mark.parametrize(
    ("links", "wanted"),
    [
        ({"1": "a-walk/comment-page-1/", "« Older": "a-walk/comment-page-2/"}, [1]),
        ({"1": "a-walk/comment-page-1/", "2": "a-walk/comment-page-2/"}, [1, 2]),
        ({"1": "a-walk/comment-page-1/", "2": "a-run/comment-page-2/"}, []),
        ({"Ann": "a-walk/comment-page-1/#comment-5"}, []),
    ],
)
def test_comment_pager_below_another_address_of_the_post(
    links: dict[str, str], wanted: list[int]
) -> None:
    pager = "".join(f'<a href="/2010/{url}">{text}</a>' for text, url in links.items())
    page = Page(
        url="http://b.example/index.php?p=896",
        body=f"<html><body><p>Words.</p><div id='comments'>{pager}</div></body></html>".encode(),
    )
    assert [page_number(url) for url in comment_pages(page)] == wanted


@pytest.mark.parametrize("form", ["/2010/a-walk/", "/2010/a-walk/index.html"])
def test_feed_below_a_post_is_that_of_its_comments(form: str) -> None:
    head = '<link rel="alternate" type="application/rss+xml" href="feed/index.html">'
    page = Page(url="http://b.example" + form, body=f"<html><head>{head}</head></html>".encode())
    assert announced_feed(page) == "http://b.example/2010/a-walk/feed/index.html"


def blogger(heading: str) -> str:
    """Draw a page of Blogger, where everything is a widget."""
    return (
        "<div class='main section'><div class='widget Blog' id='Blog1'><div class='post'><h3>A walk"
        "</h3><p>Words.</p><span class='post-comment-link'></span></div><div class='comments'"
        f" id='comments'><a name='comments'></a><h4>{heading}</h4></div></div></div>"
    )


def table(heading: str) -> str:
    """Draw a home-made page whose columns are named after where they stand."""
    return (
        "<table class='widget-frame'><tr><td id='sidebar-left-of'><h2>A walk</h2><p>Words.</p>"
        f"<div id='comments-list'><h5>{heading}</h5></div></td></tr></table>"
    )


RECENT = (
    "<div class='widget' id='recent-comments'><h4>Recent comments</h4><a href='#c'>3 comments</a>"
    "</div><div class='widget'><h4 class='comments-title'>9 comments on other posts</h4></div>"
)


@pytest.mark.parametrize("draw", [blogger, table])
@pytest.mark.parametrize(
    ("heading", "count"),
    [
        ("3 comentarios:", 3),
        ("3 件のコメント:", 3),
        ("No hay comentarios:", 0),
        ("Keine Kommentare:", 0),
        ("12 Kommentare", 12),
    ],
)
def test_number_is_read_in_the_section_of_comments_whatever_stands_around_it(
    draw: Callable[[str], str], heading: str, count: int
) -> None:
    page = Page(url="http://b.example/a", body=f"<body>{draw(heading)}{RECENT}</body>".encode())
    assert shown_count(page) == count


def test_number_of_a_comment_and_its_date_are_not_their_number() -> None:
    ids = ("6b301313cc3801a86251c6e4a29c629e", "0a1b2c3d4e5f60718293a4b5c6d7e8f9")
    units = "".join(
        f"<div class=comment id=comment-{each}><div class=comment-subject><a href=#comment-{each}>"
        f"comment {n}</a></div><p>It was so.</p><div class=comment-header>Comment by Ann "
        f"<span>Fri Apr 22 02:47:31 2016</span></div></div>"
        for n, each in enumerate(ids, 1)
    )
    page = f"<body><div id=comments>{units}</div></body>"
    assert shown_count(Page(url="http://b.example/a", body=page.encode())) is None


def test_number_in_a_widget_of_other_posts_is_not_the_posts() -> None:
    assert shown_count(Page(url="http://b.example/a", body=RECENT.encode())) is None


@pytest.mark.parametrize(
    ("link", "count"),
    [
        ("<a href='/a/#respond'>No Comments</a>", 0),
        ("<a href='http://b.example/a/#respond'>0 kommentarer</a>", 0),
        ("<a href='#comments'>Comments (2)</a>", 2),
        ("<a href='/b/#respond'>No Comments</a>", None),
        ("<a href='/a/#comment-3'>3 comments</a>", None),
        ("<a href='/a/#top'>3 comments</a>", None),
    ],
)
def test_link_to_the_comments_of_the_page_says_how_many_there_are(
    link: str, count: int | None
) -> None:
    page = f"<h1>A walk</h1><p>Words.</p><p class=date>May 3 | {link}</p><p id=respond>Reply</p>"
    assert shown_count(Page(url="http://b.example/a/", body=page.encode())) == count


def test_a_number_in_a_comment_is_no_count() -> None:
    said = (
        'Их было 812 reply guy <span class="comment-label">Анна <b>28.07.2014</b> Ответить</span>'
    )
    item = f'<div class="comments-item" id="comm-5">{said}</div>'
    html = f'<html><body><div class="comments-wrap"><h3>Комментарии</h3>{item}</div></body></html>'
    assert shown_count(Page(url="http://b.example/1", body=html.encode())) is None
