"""What an update keeps of posts that show less of themselves than before."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.crawling import known_posts
from blogcrawl.crawling.session import Session
from blogcrawl.dates.edtf import written
from tests.crawling.crawling import crawl, post, rows
from tests.server import Server

WORDS = "kettle harbour orchard lantern ferry copper meadow ladder".split()


def write(root: Path, first: str, others: str) -> None:
    """Write a blog without a feed that names dates as times ago only: of one post and of all
    others."""
    teasers = ""
    for number, word in enumerate(WORDS):
        ago = f'<p class="when">{others if number else first}</p>'
        title = f"The {word} and the stone"
        text = "".join(
            f"<p>The {word} stood {place} and sang to the river, which had heard it all before.</p>"
            for place in ("by the wall", "below the tower", "in the yard", "near the old mill")
        )
        body = f"<main><article><h1>{title}</h1>{ago}<div class=text>{text}</div></article></main>"
        body += (
            f'<ol class="comments"><li class="comment" id="comment-{number}1"><p class="by">Ann</p>'
            f"{ago}<p>The {word} was mine before it was lent to the miller.</p></li></ol>"
        )
        (root / f"{word}.html").write_text(_page(title, body))
        teasers += f'<section><h2><a href="/{word}.html">{title}</a></h2>{ago}</section>'
    (root / "index.html").write_text(_page("The shelf", f"<main>{teasers}</main>"))


def _page(title: str, body: str) -> str:
    return (
        f'<!DOCTYPE html><html lang="en"><head><title>{title}</title></head><body>'
        f'<header><a href="/">The shelf</a></header>{body}</body></html>'
    )


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("2 days ago", "1 month ago", True),
        ("2 days ago", "3 days ago", True),
        ("2 years ago", "3 years ago", True),
        ("2 years ago", "2 years, 3 months ago", False),
        ("3 days ago", "1 hour ago", False),
    ],
)
def test_time_ago_that_says_less_than_before_changes_no_date(
    root: Path, tmp_path: Path, before: str, after: str, same: bool
) -> None:
    archive = tmp_path / "archive"

    def visit(ago: str) -> str:
        write(root, ago, "10 years ago")
        crawl(server.url, archive, full=True)
        found = post(archive, rows(archive)[f"/{WORDS[0]}.html"])
        assert found.published is not None
        [comment] = found.comments
        assert comment.published is not None
        assert written(comment.published) == written(found.published)
        return f"{written(found.published)} {found.published_raw}"

    with Server(root) as server:
        first, second = visit(before), visit(after)
    assert (first == second) is same
    made = {path for path, row in rows(archive).items() if row.aip_version != 1}
    assert made == (set() if same else {f"/{WORDS[0]}.html"})


def test_what_a_feed_or_an_api_has_said_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "http://b.example/a"
    said = {
        "tags": {"method": "wp-json"},
        "authors": {"method": "feed wp-json"},
        "published": {"method": "rules"},
    }
    before = Post(
        url=url,
        canonical_url=url,
        title="A",
        tags=("ferry",),
        authors=("Ann",),
        published=datetime(2024, 3, 2, tzinfo=UTC),
        extraction=said,
    )
    monkeypatch.setattr(known_posts, "archived_post", lambda *_: before)
    page = Page(url=url, body=b"<p>A</p>")
    entry = known_posts.remembered(cast("Session", None), url, page)
    assert entry == FeedEntry(url=url, tags=("ferry",), authors=("Ann",))


@pytest.mark.parametrize(
    ("after", "date"),
    [
        ("2 March 2024", "2024-03-02T10:30:00Z"),
        ("3 March 2024", "2024-03-03"),
    ],
)
def test_day_without_the_time_that_it_had_before_changes_no_date(
    root: Path, tmp_path: Path, after: str, date: str
) -> None:
    archive, before = tmp_path / "archive", '<time datetime="2024-03-02T10:30:00Z">2 March</time>'
    with Server(root) as server:
        for when in (before, after):
            write(root, when, when)
            crawl(server.url, archive, full=True)
        found = rows(archive)[f"/{WORDS[0]}.html"]
        published = post(archive, found).published
    assert published is not None and written(published) == date
    assert found.aip_version == (1 if "T" in date else 2)
