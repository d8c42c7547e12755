"""Comments by the lines with which the readers of a blog sign."""

from __future__ import annotations

from datetime import datetime

from blogcrawl.comments.separate import Post, signed
from blogcrawl.core.page import Page
from blogcrawl.induction.site_facts import SignedLines

BODY = b"""<html><body><p>The text of the post, long enough to be one.</p>
<hr>A fine boat.<br>And a fast one.<br><font><a href=http://ann.example/>Ann
Lee</a>, 14 March 2004 20:05</font>
<hr>I have none.<br><font>Bob, 15 March 2004 21:07</font></body></html>"""
RULE = SignedLines(kind=("body.", "font.", ",", "time", "", "end"), is_above=True, is_ruled=True)


def test_boxes_are_made_of_signed_lines():
    page = Page(url="http://blog.example/1", body=BODY)
    seen = signed(page, RULE, None, Post(published=datetime(2004, 3, 14)))
    assert [(c.author, c.content_text) for c in seen.comments] == [
        ("Ann Lee", "A fine boat.\nAnd a fast one."),
        ("Bob", "I have none."),
    ]
    assert seen.comments[0].author_url == "http://ann.example/"
    assert seen.comments[1].published is not None
    assert seen.comments[1].published.isoformat()[:16] == "2004-03-15T21:07"


def test_days_of_numbers_have_the_order_that_the_blog_proves():
    body = BODY.replace(b"14 March 2004", b"04/05/2004").replace(b"15 March 2004", b"04/06/2004")
    page = Page(url="http://blog.example/1", body=body)
    rule = SignedLines(**{f: getattr(RULE, f) for f in RULE.__struct_fields__})
    rule.day_first = False
    seen = signed(page, rule, None, Post(published=datetime(2004, 4, 5)))
    assert [str(c.published)[:10] for c in seen.comments] == ["2004-04-05", "2004-04-06"]
    late = Post(published=datetime(2004, 4, 5, 9, 0))
    assert len(signed(page, rule, None, late).comments) == 2


def test_a_day_before_the_post_is_no_comments():
    page = Page(url="http://blog.example/1", body=BODY)
    assert not signed(page, RULE, None, Post(published=datetime(2004, 5, 1))).comments
