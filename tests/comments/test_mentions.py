# ruff: noqa: E501 (markup as engines write it)
"""Mentions by other blogs, in lists of their own next to the comments."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogcrawl.comments.page_reader import look
from blogcrawl.core.page import Page

TWO = "Nice bread."
EXCERPT = "Today somebody baked what I have wanted to bake for years."
COMMENT = ("comment", "Ann", "2008-05-13T14:54", TWO)

PAGES: dict[str, tuple[str, list[tuple[str, str, str, str]]]] = {
    "below a heading, the day in a line behind": (
        '<h2 id="trackbacks">Trackback Pings</h2><p class="techstuff">TrackBack URL for this entry:<br />http://blog.example/mt-tb.cgi/7</p>'
        '<p>Listed below are links to weblogs that reference <a href="http://blog.example/bread">Bread</a>:</p>'
        f'<p id="p55">&raquo; <a href="http://dan.example/1">A loaf</a> from Dan\'s blog<br />{EXCERPT} <a href="http://dan.example/1">[Read More]</a></p><p class="posted">Tracked on May 14, 2008 09:05 AM</p>'
        f'<h2 id="comments">Comments</h2><div id="c1"><p>{TWO}</p></div><p class="posted">Posted by: <a href="http://ann.example/">Ann</a> at May 13, 2008 02:54 PM</p>'
        f'<div id="c2"><p>{TWO}</p></div><p class="posted">Posted by: Ann at May 13, 2008 02:54 PM</p>',
        [
            COMMENT,
            COMMENT,
            (
                "trackback",
                "Dan's blog",
                "2008-05-14T09:05",
                f"» A loaf from Dan's blog\n{EXCERPT} [Read More]",
            ),
        ],
    ),
    "in boxes of their class next to comments": (
        '<div class="trackbacks"><h3>TrackBack</h3><div class="trackbacks-info"><p>TrackBack URL: http://www.typepad.example/t/trackback/1</p></div>'
        f'<div class="trackback"><div class="trackback-content"><p>» <a href="http://dan.example/1">A loaf</a> from Dan\'s blog:<br />{EXCERPT}</p></div><p class="trackback-footer">Tracked on May 14, 2008 at 09:05 AM</p></div></div>'
        f'<div class="comments"><h3>Comments</h3><div class="comment" id="comment-1"><div class="comment-content"><p>{TWO}</p></div><p class="comment-footer">Posted by: <a href="http://ann.example/">Ann</a> | May 13, 2008 at 02:54 PM</p></div></div>',
        [
            COMMENT,
            (
                "trackback",
                "Dan's blog",
                "2008-05-14T09:05",
                f"» A loaf from Dan's blog:\n{EXCERPT}",
            ),
        ],
    ),
    "in boxes named like comments": (
        '<div class="serendipity_comments serendipity_section_trackbacks"><a id="trackbacks"></a><div class="serendipity_commentsTitle">Trackbacks</div>'
        f'<div class="serendipity_comment"><a id="c55"></a><div class="serendipity_commentBody"><a href="http://dan.example/1">A loaf</a><br />{EXCERPT}</div><div class="serendipity_comment_source"><b>Weblog:</b> Dan\'s blog<br /><b>Tracked:</b> May 14, 09:05</div></div></div>',
        [("trackback", "Dan's blog", "2008-05-14T09:05", f"A loaf\n{EXCERPT}")],
    ),
    "links below a heading": (
        f'<h3 id="comments">2 Responses</h3><ol class="commentlist"><li id="comment-1"><cite><a href="http://ann.example/" rel="external nofollow">Ann</a></cite> says: <small>May 13, 2008 at 2:54 pm</small><p>{TWO}</p></li></ol>'
        '<h3>Trackbacks</h3><ol><li><a href="http://dan.example/1" rel="external nofollow">Dan\'s blog</a></li><li><a href="http://blog.example/other">Other post</a></li></ol>',
        [COMMENT, ("trackback", "Dan's blog", "", "")],
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_mentions_next_to_comments_are_read(name: str) -> None:
    markup, wanted = PAGES[name]
    html = f'<html lang="en"><title>Bread</title><body><div class="entry"><h1>Bread</h1><p>Flour, water and salt.</p></div>{markup}</body></html>'
    page = Page(url="http://blog.example/bread", body=html.encode())
    seen = look(page, language="en", published=datetime(2008, 5, 1, tzinfo=UTC)).seen.comments
    assert [
        (c.kind, c.author, c.published.isoformat()[:16] if c.published else "", c.content_text)
        for c in seen
    ] == wanted


def test_lists_of_own_posts_hold_no_mentions() -> None:
    html = '<html><body><h1>Bread</h1><h3>Trackbacks</h3><ul><li><a href="http://blog.example/a">A</a></li><li><a href="/b">B</a></li></ul><p>Send yours to <a href="http://tb.example/trackback/7">this address</a>.</p></body></html>'
    page = Page(url="http://blog.example/bread", body=html.encode())
    assert look(page).seen.comments == ()
