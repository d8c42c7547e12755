"""Copies of a blog that has moved: its links name the host where it was."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.crawling.blog import entries, write_blog
from tests.crawling.crawling import crawl, rows
from tests.server import Server

COUNT = 33
OLD = "http://www.small-notes.invalid"


def linked_there(text: str) -> str:
    """Name the old host in all links to pages."""
    return re.sub(r'href="(/(?:\d{4}|page|tag|about)/[^"]*)"', rf'href="{OLD}\1"', text)


def oldest_linked_there(text: str) -> str:
    """Name it in the links to all but the ten newest posts."""

    def moved(link: re.Match[str]) -> str:
        return f'href="{OLD}{link[1]}"' if int(link[2]) < COUNT - 10 else link[0]

    return re.sub(r'href="(/\d{4}/[^"]*-(\d+)/)"', moved, text)


def posts_linked_there(text: str) -> str:
    """Name it in the links to posts; the feed has the newest where they are."""
    return re.sub(r'href="(/\d{4}/[^"]*)"', rf'href="{OLD}\1"', text)


def based_there(text: str) -> str:
    """Let a ``base`` element name the old host."""
    return text.replace('href="/', 'href="').replace("<head>", f'<head><base href="{OLD}/">')


def linked_by_tls(text: str) -> str:
    """Name the host in all links, as if it could be reached by TLS."""
    return re.sub(r'href="/', 'href="https://HOST/', text)


@pytest.mark.parametrize("feed", [10, 0])
def test_links_to_a_form_of_the_host_that_gives_nothing_are_tried_where_the_blog_is(
    feed: int, tmp_path: Path
) -> None:
    root = tmp_path / "site"
    with Server(root) as server:
        write_blog(root, entries(COUNT), base=server.url.rstrip("/"), feed=feed)
        for file in (*root.rglob("*.html"), root / "feed.xml"):
            text = linked_by_tls(file.read_text("utf-8").replace("http://", "https://"))
            file.write_text(text.replace("HOST", urlsplit(server.url).netloc), "utf-8")
        row = crawl(server.url, tmp_path / "archive")
    assert rows(tmp_path / "archive").keys() == {e.path.rstrip("/") for e in entries(COUNT)}
    assert row.report["completeness"]["status"] == "complete" and not row.report["missing"]


@pytest.mark.parametrize(
    "change", [linked_there, oldest_linked_there, posts_linked_there, based_there]
)
def test_links_to_the_old_host_are_tried_where_the_blog_is(
    change: Callable[[str], str], tmp_path: Path
) -> None:
    root = tmp_path / "site"
    with Server(root) as server:
        write_blog(root, entries(COUNT), base=server.url.rstrip("/"))
        for file in root.rglob("*.html"):
            file.write_text(change(file.read_text("utf-8")), "utf-8")
        row = crawl(server.url, tmp_path / "archive")
    assert rows(tmp_path / "archive").keys() == {e.path.rstrip("/") for e in entries(COUNT)}
    assert row.report["completeness"]["status"] == "complete"


def test_links_to_other_blogs_are_not_tried_for_long(tmp_path: Path) -> None:
    """A link log: next to each post its lists show one of another blog of the same engine."""
    root = tmp_path / "site"
    with Server(root) as server:
        write_blog(root, entries(COUNT), base=server.url.rstrip("/"))
        for number, file in enumerate([root / "index.html", *root.glob("page/*/index.html")]):
            text = file.read_text("utf-8")
            links = re.findall(r'(<h2[^>]*>)<a href="(/\d{4}/[^"]*)">', text)
            others = "".join(
                f'<article class="post">{heading}<a href="http://{n}.blog{number}.invalid{path}x/">'
                f"As said</a></h2></article>"
                for n, (heading, path) in enumerate(links)
            )
            assert others
            file.write_text(text.replace("</main>", f"{others}</main>"), "utf-8")
        row = crawl(server.url, tmp_path / "archive")
        tried = [path for path in server.paths() if path.endswith("x/")]
    assert rows(tmp_path / "archive").keys() == {e.path.rstrip("/") for e in entries(COUNT)}
    assert len(tried) <= 4 and row.report["gone_count"] == 0
    assert row.report["completeness"]["status"] == "complete"
