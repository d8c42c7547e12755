# ruff: noqa: E501 (markup as engines write it)
"""The comments stage in a real crawl: where it asks, how often, and what it makes of the answers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from blogcrawl.core.evidence import SEVERAL
from tests.conftest import Cli
from tests.crawling.crawling import crawl
from tests.crawling.pipelines import shellblog
from tests.server import Rule, Server

COUNT = 6


def comment(post: int, n: int, *, children: str = "") -> str:
    return (
        f'<li id="comment-{post}{n}" class="comment"><article class="comment-body"><footer class="comment-meta"><b class="fn">Reader {n}</b> <a href="#comment-{post}{n}">'
        f'<time datetime="2020-02-0{n}T10:00:00+00:00">then</time></a></footer><div class="comment-content"><p>Reader {n} says this of post {post}.</p></div></article>{children}</li>'
    )


def write(folder: Path, base: str, *, api: bool, feeds: bool) -> None:
    items = ""
    for i, post in enumerate(shellblog.posts(COUNT), 1):
        url = f"{base}{post['slug']}/"
        head = f'<link rel="https://api.w.org/" href="{base}wp-json/">' if api else ""
        head += (
            f'<link rel="alternate" type="application/rss+xml" title="Comments" href="{url}feed/">'
            if feeds
            else ""
        )
        thread = comment(i, 1, children=f"<ol class=children>{comment(i, 2)}</ol>") + comment(i, 3)
        path = folder / post["slug"] / "index.html"
        path.parent.mkdir(parents=True)
        path.write_text(
            f"<!doctype html><html lang=en><head><title>{post['title']}</title>{head}</head><body class='single postid-{i}'><article id='post-{i}'><h1 class='entry-title'>{post['title']}</h1>"
            f"<div class='entry-content'>{post['html']}</div></article><div id='comments'><h2 class='comments-title'>3 thoughts</h2><ol class='comment-list'>{thread}</ol></div></body></html>"
        )
        items += f"<item><title>{post['title']}</title><link>{url}</link><pubDate>{i:02d} Jan 2020 08:00:00 GMT</pubDate><description><![CDATA[{post['html']}]]></description></item>"
    (folder / "feed.xml").write_text(
        f'<rss version="2.0"><channel><title>Blog</title><link>{base}</link>{items}</channel></rss>'
    )
    (folder / "index.html").write_text(
        '<html><head><title>Blog</title><link rel="alternate" type="application/rss+xml" href="/feed.xml"></head><body><p>Hello</p></body></html>'
    )


def rows() -> list[dict[str, Any]]:
    kinds = {1: 0, 2: 1, 3: 0}
    return [
        {
            "id": int(f"{post}{n}"),
            "post": post,
            "parent": int(f"{post}1") if kinds[n] else 0,
            "author_name": f"Reader {n}",
            "author_url": "http://r.example",
            "date": f"2020-02-0{n}T11:00:07",
            "date_gmt": f"2020-02-0{n}T10:00:07",
            "content": {"rendered": f"<p>Reader {n} says this of post {post}.</p>"},
            "link": f"http://x/#comment-{post}{n}",
            "type": "comment",
        }
        for post in range(1, COUNT + 1)
        for n in (1, 2, 3)
    ]


@pytest.mark.parametrize("api", [True, False])
def test_comments_of_a_blog_are_archived(api: bool, cli: Cli, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    rules = []
    if api:
        headers = {
            "Content-Type": "application/json",
            "X-WP-Total": str(3 * COUNT),
            "X-WP-TotalPages": "1",
        }
        rules.append(
            Rule(path=r"/wp-json/wp/v2/comments\?.*", body=json.dumps(rows()), headers=headers)
        )
    with Server(site, rules) as server:
        write(site, server.url, api=api, feeds=True)
        done = cli("crawl", server.url, "--archive", "a", "--delay", "0")
        paths = server.paths()
    assert done.code == 0, str(done)
    assert cli("export", "--archive", "a", "--format", "jsonl", "-o", "posts.jsonl").code == 0
    posts = [json.loads(line) for line in (tmp_path / "posts.jsonl").read_text().splitlines()]
    assert len(posts) == COUNT
    for post in posts:
        found = post["comments"]
        assert [c["author"] for c in found] == ["Reader 1", "Reader 2", "Reader 3"]
        assert [c["published"][:10] for c in found] == ["2020-02-01", "2020-02-02", "2020-02-03"]
        assert [c["parent_id"] for c in found] == [None, found[0]["id"], None]
        assert {c["source"] for c in found} == {"api" if api else "html"}
        assert post["comments_shown"] == 3
        assert "says this of post" not in post["content_text"]
    asked_api = [p for p in paths if "/wp/v2/comments" in p]
    asked_feeds = [p for p in paths if p.endswith("/feed/") and p.count("/") == 3]
    if api:
        assert len(asked_api) == 1 and not asked_feeds, "one request for the whole blog"
    else:
        assert not asked_api and len(asked_feeds) <= COUNT, asked_feeds


@pytest.mark.parametrize(("api", "most"), [(True, 1), (False, SEVERAL)])
def test_missing_sources_are_asked_for_few_posts_however_many_come_at_once(
    api: bool, most: int, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    site.mkdir()
    path = r"/wp-json/.*" if api else r"/[^/]+/feed/"
    with Server(site, [Rule(path=path, status=404, delay=0.2)]) as server:
        write(site, server.url, api=api, feeds=not api)
        row = crawl(server.url, tmp_path / "a")
        asked = [hit for hit in server.paths() if re.fullmatch(path, hit)]
    assert len(asked) == most
    assert row.counts["comments"] == 3 * COUNT


def test_comments_are_found_by_comparing_pages(cli: Cli, tmp_path: Path) -> None:
    """A blog made by hand: no class, id, heading or feed names comments; the form below the post says that there may be some."""
    site = tmp_path / "site"
    site.mkdir()
    said = "<div class=bx><div class=hd><b>Guest{1}</b> 2021-03-0{1} 10:11</div><div class=tx><p>Guest {1} says this of post {0}.</p></div></div>"
    form = "<form action=/say method=post><input name=who><input name=mail type=email><textarea name=words></textarea></form>"
    with Server(site) as server:
        items = ""
        for i, post in enumerate(shellblog.posts(8), 1):
            below = "".join(said.format(i, n) for n in range(1, 1 + i % 3))
            (site / f"{post['slug']}.html").write_text(
                f"<html><head><title>{post['title']}</title></head><body><div class=a1><h1>{post['title']}</h1><div class=a2>{post['html']}</div></div>"
                f"<div class=a3>{below}</div>{form}</body></html>"
            )
            items += f"<item><title>{post['title']}</title><link>{server.url}{post['slug']}.html</link><pubDate>{i:02d} Jan 2020 08:00:00 GMT</pubDate><description><![CDATA[{post['html']}]]></description></item>"
        (site / "feed.xml").write_text(
            f'<rss version="2.0"><channel><title>Blog</title><link>{server.url}</link>{items}</channel></rss>'
        )
        (site / "index.html").write_text(
            '<html><head><link rel="alternate" type="application/rss+xml" href="/feed.xml"></head><body>Hi</body></html>'
        )
        done = cli("crawl", server.url, "--archive", "a", "--delay", "0", "--render", "never")
    assert done.code == 0, str(done)
    assert cli("export", "--archive", "a", "--format", "jsonl", "-o", "posts.jsonl").code == 0
    rows = [json.loads(line) for line in (tmp_path / "posts.jsonl").read_text().splitlines()]
    numbers = {post["title"]: i for i, post in enumerate(shellblog.posts(8), 1)}
    for row in rows:
        i = numbers[row["title"]]
        assert [c["content_text"] for c in row["comments"]] == [
            f"Guest {n} says this of post {i}." for n in range(1, 1 + i % 3)
        ], i
        assert [c["author"] for c in row["comments"]] == [f"Guest{n}" for n in range(1, 1 + i % 3)]
        assert "says this of post" not in row["content_text"]
        if row["comments"]:
            assert (
                row["extraction"]["comments"]["method"] == "series"
                and row["extraction"]["comments"]["confidence"] < 0.5
            )
