"""What an update drops, and what it finds behind pages that could not be read before."""

from __future__ import annotations

from pathlib import Path

from tests.crawling.blog import entries, write_blog
from tests.crawling.crawling import crawl, rows
from tests.server import Rule, Server

COUNT = 20
SOFT_404 = """<title>Page not found</title><h1>Page not found</h1>
<p>Nothing was found at this address.</p>"""


def test_update_reports_why_it_drops_pages(root: Path, tmp_path: Path) -> None:
    with Server(root) as server:
        write_blog(root, entries(COUNT), base=server.url.rstrip("/"))
        crawl(server.url, tmp_path / "a")
        write_blog(root, entries(COUNT + 2), base=server.url.rstrip("/"))
        gone = entries(COUNT + 2)[-1].path
        server.rules = [Rule(path=gone, body=SOFT_404)]
        row = crawl(server.url, tmp_path / "a", spider="updatecrawl")
    assert row.counts["posts_archived"] == 1 and row.counts["pages_rejected"] == 1
    [dropped] = row.report["rejected"]
    assert (
        dropped["url"].endswith(gone.rstrip("/"))
        and "fetched because: new in the feed" in dropped["reason"]
    )
    assert [m["url"] for m in row.report["missing"]] == [dropped["url"]], (
        "the feed lists it as a post"
    )


def test_posts_of_a_failed_list_are_archived_by_the_next_update(root: Path, tmp_path: Path) -> None:
    with Server(root) as server:
        write_blog(root, entries(COUNT), base=server.url.rstrip("/"), feed=5)
        server.rules = [Rule(path="/page/2/", status=500)]
        first = crawl(server.url, tmp_path / "a", extra={"RETRY_TIMES": 1})
        server.rules = []
        last = crawl(server.url, tmp_path / "a", spider="updatecrawl")
    assert first.counts["posts_archived"] < COUNT, "older posts are only on further lists"
    assert [m["url"].rsplit("/", 2)[1:] for m in first.report["unread"]] == [["page", "2"]]
    assert first.report["stop"]["completeness"] < 1 and first.report["missing"] == []
    assert len(rows(tmp_path / "a")) == COUNT and last.report["unread"] == []


def test_unreadable_post_is_reported_and_requested_again(root: Path, tmp_path: Path) -> None:
    with Server(root) as server:
        write_blog(root, entries(COUNT), base=server.url.rstrip("/"))
        crawl(server.url, tmp_path / "a")
        post = entries(COUNT)[-2].path
        server.rules = [Rule(path=post, status=500)]
        row = crawl(server.url, tmp_path / "a", full=True, extra={"RETRY_TIMES": 1})
        server.rules = []
        server.clear_log()
        last = crawl(server.url, tmp_path / "a", spider="updatecrawl")
        asked = server.paths()
    assert row.report["missing"] == [] and [m["sources"] for m in row.report["unread"]] == [
        ["archive"]
    ]
    assert post in asked and last.report["unread"] == []
