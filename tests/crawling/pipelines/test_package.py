"""Which posts are looked at for late comments by the schedule."""

from __future__ import annotations

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.crawling.pipelines.base import ExtractedPost, PostPage
from blogcrawl.crawling.pipelines.package import _may_have_comments

URL = "http://b.example/a"


@pytest.mark.parametrize(
    ("body", "entry", "shown", "expected"),
    [
        ("<p>Text</p>", None, None, False),
        ("<p>Text</p><a href=/login>Leave a comment</a>", None, None, True),
        ("<p>Text</p><div id=disqus_thread></div><p>Kommentare</p>", None, None, True),
        ("<p>Text</p>", None, 0, True),
        ("<p>Text</p>", FeedEntry(url=URL), None, False),
        ("<p>Text</p>", FeedEntry(url=URL, comments_feed_url=f"{URL}/feed"), None, True),
    ],
)
def test_posts_that_speak_of_no_comments_are_not_looked_at_for_them(
    body: str, entry: FeedEntry | None, shown: int | None, expected: bool
) -> None:
    post = Post(url=URL, canonical_url=URL, title="A", comments_shown=shown)
    source = PostPage(page=Page(url=URL, body=body.encode()), entry=entry)
    assert _may_have_comments(ExtractedPost(post=post, source=source)) is expected
