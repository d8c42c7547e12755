"""What a page announces of its comments: other pages that hold them."""

from __future__ import annotations

import pytest

from blogcrawl.comments.announced import comment_pages, comments_elsewhere
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
        ("/show.asp?id=126", '<a href="comments.asp?id=126">2 Kommentare</a>', True),
        (
            "/2005/a-long-walk",
            "<a href=\"javascript:open('/talkback/a-long-walk/comments')\">1 comment</a>",
            True,
        ),
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
        ("/2010/a-walk/", "/2010/a-walk/comment-page-999/#comments", False),
    ],
)
def test_comment_pages_belong_to_the_same_post(url: str, href: str, wanted: bool) -> None:
    page = Page(
        url="http://b.example" + url,
        body=f'<html><body><p>Words.</p><a href="{href}">Older</a></body></html>'.encode(),
    )
    assert bool(comment_pages(page)) is wanted
