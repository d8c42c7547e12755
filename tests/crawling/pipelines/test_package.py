"""What the package of a post says of it, and which posts are looked at for late comments."""

from __future__ import annotations

from pathlib import Path

import pytest

from blogcrawl.core.config import Config
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.crawling.pipelines.base import ExtractedPost, PostPage
from blogcrawl.crawling.pipelines.package import _may_have_comments
from blogcrawl.packaging.layout import DC_XML, MARC_XML
from blogcrawl.storage.ocfl import open_store
from tests.crawling.blog import entries, write_blog
from tests.crawling.crawling import crawl, rows
from tests.server import Server

URL = "http://b.example/a"
LICENCE = "https://creativecommons.org/licenses/by-nc/4.0/"


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


def test_licence_that_only_pages_of_posts_name_is_in_every_record(
    root: Path, tmp_path: Path
) -> None:
    with Server(root) as server:
        posts = entries(6)
        write_blog(root, posts, base=server.url.rstrip("/"))
        for entry in posts:
            file = root / entry.path.strip("/") / "index.html"
            notice = f'<p>Posts are <a href="{LICENCE}">CC BY-NC</a>.</p></footer>'
            file.write_text(file.read_text("utf-8").replace("</footer>", notice), "utf-8")
        crawl(server.url, tmp_path / "a", metadata_profile="marc21")
    store = open_store(Config(archive=str(tmp_path / "a")))
    for row in rows(tmp_path / "a").values():
        for name in (DC_XML, MARC_XML, "metadata/preservation/premis.xml"):
            with store.open(row.aip_id or "", name) as file:
                assert LICENCE.encode() in file.read(), name
