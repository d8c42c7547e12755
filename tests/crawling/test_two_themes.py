"""Whole crawls of a blog that has had two themes, each with its own kind of addresses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.crawling.blog import Entry, entries, page, put, rss
from tests.crawling.crawling import crawl, rows
from tests.server import Server

NEW = (
    '<div class="note"><h2 class="name">{title}</h2><span class="when">{day}</span>'
    '<div class="txt">{text}</div></div>'
)
OLD = (
    "<title>{title}</title><body><center><h3>{title}</h3></center>{text}<hr>"
    '<a href="/">Back to the notes</a>'
)


def write(root: Path, posts: Sequence[Entry], feed: int, base: str) -> set[str]:
    """Write a blog whose newest third has a new theme; return the paths of all posts."""
    paths = {}
    for entry in posts:
        text = "".join(f"<p>{line}</p>" for line in entry.paragraphs)
        values = {"title": entry.title, "day": f"{entry.date:%B %d, %Y}", "text": text}
        if 3 * entry.number >= 2 * len(posts):
            paths[entry.number] = entry.path
            put(root, entry.path, page(entry.title, NEW.format(**values)))
        else:
            paths[entry.number] = f"/archives/{entry.number + 101:06}.html"
            file = root / paths[entry.number].strip("/")
            file.parent.mkdir(exist_ok=True)
            file.write_text(OLD.format(**values), "utf-8")
    newest = list(reversed(posts))
    for number, start in enumerate(range(0, len(posts), 6), 1):
        shown = "".join(
            f'<h2><a href="{paths[e.number]}">{e.title}</a></h2><p>{e.paragraphs[0]}</p>'
            for e in newest[start : start + 6]
        )
        older = f'<a rel="next" href="/page/{number + 1}/">older</a>'
        more = older if start + 6 < len(posts) else ""
        put(root, "/" if number == 1 else f"/page/{number}/", page("Notes", shown + more))
    put(root, "/about/", page("About", "<h1>About</h1><p>These are small notes.</p>"))
    if feed:
        (root / "feed.xml").write_text(rss(newest[:feed], base), "utf-8")
    return {path.rstrip("/") for path in paths.values()}


@pytest.mark.parametrize("feed", [0, 6])
def test_posts_of_the_older_theme_are_archived(tmp_path: Path, feed: int) -> None:
    site = tmp_path / "site"
    site.mkdir()
    with Server(site) as server:
        paths = write(site, entries(36), feed, server.url.rstrip("/"))
        row = crawl(server.url, tmp_path / "archive")
    assert rows(tmp_path / "archive").keys() == paths
    assert row.report["completeness"]["share"] > 0.95
