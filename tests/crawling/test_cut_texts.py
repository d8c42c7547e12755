"""Posts on several pages of which one could not be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from blogcrawl.cli.summary import Summary
from tests.crawling.blog import Entry, entries, put, write_blog
from tests.crawling.crawling import crawl, post, rows
from tests.server import Rule, Server

POSTS = entries(6)
LONG = POSTS[2]
REST = "The second page says how the journey went on, and who came home again in the end."
FAST = {"extra": {"RETRY_TIMES": 1}, "max_retry_after_seconds": 1.0}


def _write(site: Path) -> None:
    """A blog of which one post has a second page."""
    write_blog(site, POSTS)
    first = (site / LONG.path.strip("/") / "index.html").read_text()
    links = f'<p>Pages: 1 <a href="{LONG.path}2/">2</a></p></div></article>'
    put(site, LONG.path, first.replace("</div></article>", links))
    text = f"<p>{REST}</p>" * 3
    head, _, rest = first.partition('<div class="entry">')
    put(site, f"{LONG.path}2/", f'{head}<div class="entry">{text}{rest[rest.index("</div>") :]}')


def _text(archive: Path, entry: Entry) -> str:
    return post(archive, rows(archive)[entry.path.rstrip("/")]).content_text


@pytest.mark.parametrize(("status", "exit_code"), [(503, 11), (404, 0)])
def test_post_without_its_second_page_is_named_and_asked_for_again(
    status: int, exit_code: int, tmp_path: Path
) -> None:
    """A page that the blog says not to exist is no failure of the crawl."""
    site, archive = tmp_path / "site", tmp_path / "archive"
    site.mkdir()
    with Server(site, [Rule(path=f"{LONG.path}2/", status=status)]) as server:
        _write(site)
        first = crawl(server.url, archive, **FAST)
        cut = _text(archive, LONG)
        server.rules = []
        again = crawl(server.url, archive, spider="updatecrawl", **FAST)
        server.clear_log()
        last = crawl(server.url, archive, spider="updatecrawl", **FAST)
        asked = [hit.path for hit in server.log() if LONG.path in hit.path]
    [named] = first.report["texts_incomplete"]
    assert LONG.path.rstrip("/") in named["url"] and named["reason"] == f"page 2: HTTP {status}"
    assert Summary(server.url, first, None, str(archive)).exit_code == exit_code
    assert REST not in cut and LONG.paragraphs[0] in cut
    assert again.counts["posts_changed"] == 1 and again.report["texts_incomplete"] == []
    assert REST in _text(archive, LONG)
    assert not asked and last.counts.get("posts_changed", 0) == 0


def test_post_with_all_its_pages_is_whole(tmp_path: Path) -> None:
    site, archive = tmp_path / "site", tmp_path / "archive"
    site.mkdir()
    with Server(site) as server:
        _write(site)
        row = crawl(server.url, archive, **FAST)
    assert row.report["texts_incomplete"] == [] and REST in _text(archive, LONG)
    assert (
        "incomplete"
        not in post(archive, rows(archive)[LONG.path.rstrip("/")]).extraction["content"]
    )


def test_post_that_is_gone_is_not_asked_for_again(tmp_path: Path) -> None:
    site, archive = tmp_path / "site", tmp_path / "archive"
    site.mkdir()
    with Server(site, [Rule(path=f"{LONG.path}2/", status=503)]) as server:
        _write(site)
        crawl(server.url, archive, **FAST)
        server.rules = [Rule(path=f"{LONG.path}.*", status=410)]
        row = crawl(server.url, archive, spider="updatecrawl", **FAST)
    assert rows(archive)[LONG.path.rstrip("/")].status == "gone"
    assert row.report["texts_incomplete"] == []


def test_post_whose_page_breaks_off_is_named_and_asked_for_again(tmp_path: Path) -> None:
    """Its server sends no length, so nothing else shows it."""
    site, archive = tmp_path / "site", tmp_path / "archive"
    site.mkdir()
    with Server(site) as server:
        write_blog(site, POSTS)
        whole = (site / LONG.path.strip("/") / "index.html").read_text()
        half = whole[: whole.index(LONG.paragraphs[-1])]
        server.rules = [Rule(path=LONG.path, body=half)]
        first = crawl(server.url, archive, **FAST)
        cut = _text(archive, LONG)
        server.rules = []
        again = crawl(server.url, archive, spider="updatecrawl", **FAST)
    [named] = first.report["texts_incomplete"]
    assert LONG.path.rstrip("/") in named["url"] and named["reason"] == "the page breaks off"
    assert LONG.paragraphs[0] in cut and LONG.paragraphs[-1] not in cut
    assert again.report["texts_incomplete"] == [] and LONG.paragraphs[-1] in _text(archive, LONG)
