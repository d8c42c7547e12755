"""What an update finds of a blog whose host has healed since."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crawling.blog import entries, page, put, write_blog
from tests.crawling.crawling import crawl, rows
from tests.server import Rule, Server

POSTS = entries(22)
NO_FEED = Rule(path="/feed.xml|/sitemap.xml", status=404)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    root = tmp_path / "site"
    root.mkdir()
    with Server(root) as server:
        write_blog(root, POSTS, base=server.url.rstrip("/"))
        yield server


def test_missing_post_of_a_blog_without_a_feed_is_asked_for_though_no_list_has_it_now(
    server: Server, tmp_path: Path
) -> None:
    archive, oldest = tmp_path / "archive", POSTS[0].path
    server.rules = [NO_FEED, Rule(path=oldest, status=403)]
    assert crawl(server.url, archive).report["missing_count"] == 1
    server.rules = [NO_FEED, Rule(path="/page/5/", status=404)]
    assert crawl(server.url, archive, spider="updatecrawl").report["missing_count"] == 0
    assert oldest.rstrip("/") in {path.rstrip("/") for path in rows(archive)}


def test_months_whose_posts_are_archived_since_are_lost_no_more(
    server: Server, tmp_path: Path
) -> None:
    """Their lists are gone for good; where the address of a missing post has its month, it counts
    once."""
    assert server.root is not None
    months = [e for e in POSTS if (e.date.year, e.date.month) == (2024, 1)]
    links = "".join(f'<a href="/2024/{m:02}/">2024-{m:02}</a> ' for m in range(1, 5))
    start = (server.root / "index.html").read_text("utf-8")
    put(server.root, "/", start.replace("</main>", f"{links}</main>"))
    archive = tmp_path / "archive"
    gone = Rule(path="/2024/0[1-4]/", status=404)
    server.rules = [gone, *(Rule(path=entry.path, status=500) for entry in months)]
    found = crawl(server.url, archive).report["completeness"]
    assert found["share"] == pytest.approx(1 - len(months) / len(POSTS), abs=0.02)
    server.rules = [gone]
    found = crawl(server.url, archive, spider="updatecrawl").report["completeness"]
    assert not any("months have a list" in reason for reason in found["reasons"])
    assert found["status"] == "complete"


def test_completeness_is_known_once_the_list_of_all_posts_can_be_read(
    server: Server, tmp_path: Path
) -> None:
    assert server.root is not None
    everything = "".join(f'<li><a href="{e.path}">{e.title}</a></li>' for e in POSTS)
    put(server.root, "/archive/", page("Archive", f"<ul>{everything}</ul>"))
    newest = "".join(f'<li><a href="{e.path}">{e.title}</a></li>' for e in POSTS[-10:])
    put(server.root, "/", page("Notes", f'<ul>{newest}</ul><a href="/archive/">Archive</a>'))
    archive = tmp_path / "archive"
    server.rules = [Rule(path="/archive/", status=403)]
    found = crawl(server.url, archive).report["completeness"]
    assert found["share"] is None and "/archive/" in found["reasons"][0]
    server.rules = []
    found = crawl(server.url, archive, spider="updatecrawl").report["completeness"]
    assert found["status"] == "complete", found
    assert len(rows(archive)) == len(POSTS)
