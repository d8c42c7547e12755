"""The operator's word on a blog: what was rejected is seen, and put right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Cli
from tests.crawling.blog import entries, page, put, write_blog
from tests.server import Server

COUNT = 12
OPTIONS = ("--archive", "a", "--json")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    root = tmp_path / "site"
    root.mkdir()
    with Server(root) as server:
        write_blog(root, entries(COUNT), base=server.url.rstrip("/"))
        text = "<p>We have moved the shop into the old mill, with all its lamps and kettles.</p>"
        put(root, "/about/", page("About", f"<h1>About</h1><b>The mill</b>{text * 3}"))
        yield server


def test_page_corrected_to_a_post_is_archived_by_the_next_update(server: Server, cli: Cli) -> None:
    blog = server.url
    first = cli("crawl", blog, "--delay", "0", "--render", "never", *OPTIONS).json["crawls"][0]
    assert first["crawl"]["report"]["rejected_count"] == sum(
        first["crawl"]["report"]["rejected_reasons"].values()
    )
    rejected = cli("show", blog, "--rejected", *OPTIONS).json["rejected"]
    about = next(page for page in rejected if page["url"].endswith("/about"))
    assert about["probability"] < 0.5 and about["reason"] and "About" in about["title"]
    assert "/about" in cli("show", blog, "--rejected", "--archive", "a").out

    title = "title=//main/b"
    said = cli("correct", blog, "--post", "/about/", "--field", title, *OPTIONS).json
    assert said["rejected"] == [about["url"]]
    cli("update", blog, "--delay", "0", "--render", "never", *OPTIONS)
    shown = cli("show", blog, *OPTIONS).json
    assert {post["title"] for post in shown["posts"] if "/about" in post["url"]} == {"The mill"}
    assert len(shown["posts"]) == COUNT + 1
    left = cli("show", blog, "--rejected", *OPTIONS).json["rejected"]
    assert about["url"] not in [page["url"] for page in left]
    again = cli("update", blog, "--delay", "0", "--render", "never", *OPTIONS)
    assert again.code == 0, str(again)


def test_pages_corrected_to_no_posts_are_neither_archived_nor_missing(
    server: Server, cli: Cli
) -> None:
    blog = server.url
    cli("crawl", blog, "--max-posts", "1", "--delay", "0", "--render", "never", *OPTIONS)
    [archived] = cli("show", blog, *OPTIONS).json["posts"]
    newest = next(
        entry.path
        for entry in reversed(entries(COUNT))
        if entry.path.strip("/") not in archived["url"]
    )
    cli("correct", blog, "--no-post", newest, *OPTIONS)
    full = cli("crawl", blog, "--full", "--delay", "0", "--render", "never", *OPTIONS)
    report = full.json["crawls"][0]["crawl"]["report"]
    assert full.code == 0 and report["missing"] == [], str(full)
    urls = [post["url"] for post in cli("show", blog, *OPTIONS).json["posts"]]
    assert len(urls) == COUNT - 1 and not any(newest.strip("/") in url for url in urls)


def test_corrections_are_listed_and_withdrawn(server: Server, cli: Cli) -> None:
    blog = server.url
    cli("crawl", blog, "--max-posts", "1", "--delay", "0", "--render", "never", *OPTIONS)
    cli("correct", blog, "--post", "/a/*", "--no-post", "/a/b*", *OPTIONS)
    cli("correct", blog, "--no-post", "/a/*", *OPTIONS)
    known = cli("correct", blog, "--list", *OPTIONS).json["corrections"]
    assert [(row["kind"], row["name"]) for row in known] == [
        ("no-post", "/a/b*"),
        ("no-post", "/a/*"),
    ]
    assert cli("correct", blog, "--remove", "/a/*", *OPTIONS).json["corrections"] == known[:1]
    assert cli("correct", blog, "--remove", "/a/*", *OPTIONS).code == 2
    for wrong in ("title", "colour=//b", "title=//b["):
        done = cli("correct", blog, "--field", wrong, "--archive", "a")
        assert done.code == 2 and "Traceback" not in done.err, str(done)


def test_language_set_by_the_operator_and_withdrawn(server: Server, cli: Cli) -> None:
    blog = server.url
    cli("crawl", blog, "--max-posts", "1", "--delay", "0", "--render", "never", *OPTIONS)
    said = cli("correct", blog, "--language", "pt_br", *OPTIONS).json["corrections"]
    assert [(row["kind"], row["value"]) for row in said] == [("language", "pt-BR")]
    cli("update", blog, "--delay", "0", "--render", "never", *OPTIONS)
    assert cli("show", blog, *OPTIONS).json["blog"]["record"]["language"] == "pt-BR"
    assert cli("correct", blog, "--remove", "language", *OPTIONS).json["corrections"] == []
    wrong = cli("correct", blog, "--language", "Portuguese!", *OPTIONS)
    assert wrong.code == 2 and "no language tag" in wrong.err
