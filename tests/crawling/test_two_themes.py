"""Whole crawls of a blog that has had two themes, each with its own kind of addresses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from blogcrawl.crawling.pipelines import extract
from blogcrawl.crawling.session import Session
from blogcrawl.storage.tables import BlogRow
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


def write(
    root: Path, posts: Sequence[Entry], feed: int, base: str, *, on_one_list: bool = False
) -> set[str]:
    """Write a blog whose newest third has a new theme; return the paths of all posts. The older
    ones are on the pages of the blog, or ``on_one_list``, with their days, which they lack."""
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
    older = [e for e in newest if 3 * e.number < 2 * len(posts)] if on_one_list else []
    paged = newest[: len(newest) - len(older)]
    listed = "".join(
        f'<li><a href="{paths[e.number]}">{e.title}</a> {e.date:%B %d, %Y}' for e in older
    )
    put(root, "/old/", page("Archives", f"<h1>Archives</h1><ul>{listed}</ul>"))
    for number, start in enumerate(range(0, len(paged), 6), 1):
        shown = "".join(
            f'<h2><a href="{paths[e.number]}">{e.title}</a></h2><p>{e.paragraphs[0]}</p>'
            for e in paged[start : start + 6]
        )
        following = f'<a rel="next" href="/page/{number + 1}/">older</a>'
        more = following if start + 6 < len(paged) else '<a href="/old/">Archives</a>'
        put(root, "/" if number == 1 else f"/page/{number}/", page("Notes", shown + more))
    put(root, "/about/", page("About", "<h1>About</h1><p>These are small notes.</p>"))
    if feed:
        (root / "feed.xml").write_text(rss(newest[:feed], base), "utf-8")
    return {path.rstrip("/") for path in paths.values()}


@pytest.mark.parametrize(("feed", "on_one_list"), [(0, False), (6, False), (10, True)])
def test_posts_of_the_older_theme_are_archived(
    tmp_path: Path, feed: int, on_one_list: bool
) -> None:
    site = tmp_path / "site"
    site.mkdir()
    with Server(site) as server:
        base = server.url.rstrip("/")
        paths = write(site, entries(36), feed, base, on_one_list=on_one_list)
        row = crawl(server.url, tmp_path / "archive")
    assert rows(tmp_path / "archive").keys() == paths
    assert row.report["completeness"]["share"] > 0.95
    counted = sum(
        row.counts.get(f"posts_{kind}", 0) for kind in ("archived", "changed", "unchanged")
    )
    assert counted == len(paths), "once each, though rules learned late read some of them again"


def test_rules_for_the_older_theme_are_kept_when_they_are_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill may come before the end: the pages that wait are read by them in the next crawl."""
    kept, original = tmp_path / "kept", extract.save_model

    def save_model(session: Session) -> BlogRow:
        row = original(session)
        kept.write_text(str(len(row.model["model"]["generations"])), "utf-8")
        return row

    monkeypatch.setattr(extract, "save_model", save_model)
    (site := tmp_path / "site").mkdir()
    with Server(site) as server:
        write(site, entries(36), 6, server.url.rstrip("/"))
        crawl(server.url, tmp_path / "archive")
    assert kept.read_text("utf-8") == "1"
