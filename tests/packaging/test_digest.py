"""Which differences make a new version."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from blogcrawl.core.records import Comment, MediaFile, Post
from blogcrawl.packaging.digest import content_digest, says_more

POST = Post(
    url="http://x.org/a",
    canonical_url="http://x.org/a",
    title="A",
    tags=("x", "y"),
    content_html="<p>text  here</p>",
    content_text="text  here",
    comments=(Comment(id="1", author="B", content_text="hm"),),
    media=(MediaFile(url="http://x.org/1.png", sha256="ab"),),
)


def test_invisible_changes_keep_the_digest() -> None:
    same = replace(
        POST,
        url="https://www.x.org/a",
        content_html="<div class=new><p>text here</p></div>",
        content_text="text here",
        tags=("y", "x"),
        fetched_at=datetime(2026, 1, 1, tzinfo=UTC),
        media=(MediaFile(url="http://cdn.x.org/1.png?v=2", sha256="ab"),),
        comments=(replace(POST.comments[0], source="feed"),),
    )
    assert content_digest(same) == content_digest(POST)


def test_visible_changes_change_the_digest() -> None:
    others = [
        replace(POST, title="B"),
        replace(POST, content_text="text there"),
        replace(POST, comments=()),
        replace(POST, comments=(replace(POST.comments[0], content_text="hm!"),)),
        replace(POST, media=(MediaFile(url="http://x.org/1.png", sha256="cd"),)),
        replace(POST, status="gone"),
        replace(POST, authors=("C",)),
        replace(POST, published=datetime(2026, 1, 1, tzinfo=UTC)),
    ]
    digests = {content_digest(p) for p in [POST, *others]}
    assert len(digests) == len(others) + 1


def test_new_extraction_of_the_same_page_says_more() -> None:
    day, later = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 4, tzinfo=UTC)
    by_rule = {"modified": {"method": "rules"}}
    wrong = replace(POST, modified=day, extraction=by_rule)
    linked = replace(POST, comments=(replace(POST.comments[0], author_url="http://y.org/"),))
    assert says_more(replace(POST, modified=day), POST) and says_more(linked, POST)
    assert says_more(replace(wrong, modified=later), wrong) and says_more(POST, wrong)
    of_feed = replace(wrong, extraction={"modified": {"method": "feed-page"}})
    assert not says_more(POST, of_feed), "the feed of today has newer posts"
    assert not says_more(POST, linked) and not says_more(POST, POST)
