"""A blog that changes under the crawler: its addresses (a new engine, old ones redirect), or its
template in the middle of an update.
"""

from __future__ import annotations

import shutil
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blogcrawl.core.config import Config
from blogcrawl.storage.state import open_state
from tests import forked
from tests.crawling.blog import Entry, entries, write_blog
from tests.crawling.crawling import crawl, faults, post, rows, versions
from tests.server import Rule, Server

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as running:
        yield running


def write(server: Server, posts: list[Entry], **how: object) -> None:
    assert server.root is not None
    write_blog(server.root, posts, base=server.url.rstrip("/"), **how)  # type: ignore[arg-type]


def moved(posts: list[Entry]) -> list[Entry]:
    return [replace(entry, slug=f"note-that-has-moved-{entry.number}") for entry in posts]


def redirects(old: list[Entry], new: list[Entry], status: int = 301) -> list[Rule]:
    return [
        Rule(path=a.path, status=status, headers={"Location": b.path})
        for a, b in zip(old, new, strict=True)
    ]


def move(server: Server, old: list[Entry]) -> list[Entry]:
    """All posts stand elsewhere now; the old addresses lead there."""
    assert server.root is not None
    new = moved(old)
    write(server, new, sitemap=True)
    for entry in old:
        (server.root / entry.path.strip("/") / "index.html").unlink()
    server.rules = redirects(old, new)
    return new


def test_moved_blog_is_not_archived_twice(server: Server, tmp_path: Path) -> None:
    old = entries(20)
    write(server, old, sitemap=True)
    crawl(server.url, tmp_path / "archive")
    before, keys = versions(tmp_path / "archive"), rows(tmp_path / "archive").keys()
    new = move(server, old)
    row = crawl(server.url, tmp_path / "archive", spider="updatecrawl")
    assert row.counts["posts_archived"] == 0 and row.counts["posts_missing"] == 0
    assert rows(tmp_path / "archive").keys() == keys
    assert {
        name: count
        for name, count in versions(tmp_path / "archive").items()
        if before.get(name) != count
    } == {}

    more = [*new, *entries(22)[20:]]
    write(server, more, sitemap=True)
    server.clear_log()
    row = crawl(server.url, tmp_path / "archive", spider="updatecrawl")
    assert row.counts["posts_archived"] == 2 and len(rows(tmp_path / "archive")) == 22
    assert sorted(path for path in server.paths() if path.startswith("/20")) == sorted(
        entry.path for entry in more[20:]
    )
    assert faults(tmp_path / "archive") == []


def test_moved_blog_with_a_moved_feed_is_not_archived_twice(server: Server, tmp_path: Path) -> None:
    old = entries(16)
    write(server, old)
    crawl(server.url, tmp_path / "archive")
    keys = rows(tmp_path / "archive").keys()
    move(server, old)
    assert server.root is not None
    (server.root / "feed.xml").rename(server.root / "index.xml")
    for file in server.root.rglob("*.html"):
        file.write_text(file.read_text("utf-8").replace("/feed.xml", "/index.xml"), "utf-8")
    row = crawl(server.url, tmp_path / "archive", spider="updatecrawl")
    assert row.counts["posts_archived"] == 0
    assert rows(tmp_path / "archive").keys() == keys


def test_blog_that_moves_twice_is_not_archived_twice(server: Server, tmp_path: Path) -> None:
    posts = entries(12)
    write(server, posts)
    crawl(server.url, tmp_path / "archive")
    before, keys = versions(tmp_path / "archive"), rows(tmp_path / "archive").keys()
    assert server.root is not None
    for name in ("first", "second"):
        for folder in server.root.glob("20*"):
            shutil.rmtree(folder)
        posts = [replace(entry, slug=f"{name}-{entry.number}") for entry in posts]
        write(server, posts)
        crawl(server.url, tmp_path / "archive", spider="updatecrawl")
        assert rows(tmp_path / "archive").keys() == keys
        assert versions(tmp_path / "archive") == before


def test_moved_blog_without_a_feed_costs_its_lists(server: Server, tmp_path: Path) -> None:
    old = entries(40)
    feed = Rule(path="/feed.xml", status=404)
    server.rules = [feed]
    write(server, old)
    crawl(server.url, tmp_path / "archive")
    new = move(server, old)
    assert server.root is not None
    (server.root / "sitemap.xml").unlink()
    server.rules = [feed, *redirects(old, new)]
    crawl(server.url, tmp_path / "archive", spider="updatecrawl")
    assert len(rows(tmp_path / "archive")) == 40
    write(server, [*new[:30], *new[31:]])
    (server.root / new[30].path.strip("/") / "index.html").unlink()
    server.clear_log()
    crawl(server.url, tmp_path / "archive", spider="updatecrawl")
    assert len([path for path in server.paths() if path.startswith("/20")]) <= 20
    gone = [path for path, row in rows(tmp_path / "archive").items() if row.status == "gone"]
    assert gone == [old[30].path.rstrip("/")]


def test_edited_moved_post_is_a_new_version_of_its_package(server: Server, tmp_path: Path) -> None:
    old = entries(12)
    write(server, old)
    crawl(server.url, tmp_path / "archive")
    before = rows(tmp_path / "archive")
    new = moved(old)
    new[11] = replace(
        new[11], text="Postscript: the kettle was found again behind the bicycle, and all is well."
    )
    write(server, new)
    server.rules = redirects(old, new)
    row = crawl(server.url, tmp_path / "archive", spider="updatecrawl")
    assert (row.counts["posts_archived"], row.counts["posts_changed"]) == (0, 1)
    now = rows(tmp_path / "archive")[old[11].path.rstrip("/")]
    assert now.aip_id == before[old[11].path.rstrip("/")].aip_id and now.aip_version == 2
    assert post(tmp_path / "archive", now).url.endswith(new[11].path)


def test_posts_with_equal_titles_at_live_urls_are_two(server: Server, tmp_path: Path) -> None:
    posts = entries(12)
    write(server, posts)
    crawl(server.url, tmp_path / "archive")

    class Again(Entry):
        @property
        def title(self) -> str:
            return posts[3].title

    write(server, [*posts, *(Again(number) for number in range(12, 22))])
    server.clear_log()
    row = crawl(server.url, tmp_path / "archive", spider="updatecrawl")
    assert row.counts["posts_archived"] == 10 and len(rows(tmp_path / "archive")) == 22
    assert server.paths().count(posts[3].path) <= 5, (
        "after a few old addresses that lead nowhere the blog has not moved"
    )


def test_template_changed_during_an_update_is_learned(server: Server, tmp_path: Path) -> None:
    write(server, entries(20), feed=12)
    crawl(server.url, tmp_path / "archive")
    write(server, entries(29), theme="new", feed=12)
    newest = entries(29)[-1]
    assert server.root is not None
    new_page = (server.root / newest.path.strip("/") / "index.html").read_text("utf-8")
    other = tmp_path / "other"
    other.mkdir()
    write_blog(other, entries(29), base=server.url.rstrip("/"), feed=12)
    (server.root / newest.path.strip("/") / "index.html").write_text(
        (other / newest.path.strip("/") / "index.html").read_text("utf-8")
    )
    assert new_page != (server.root / newest.path.strip("/") / "index.html").read_text("utf-8")
    for entry in entries(20):  # what was archived is old still
        (server.root / entry.path.strip("/") / "index.html").write_text(
            (other / entry.path.strip("/") / "index.html").read_text("utf-8")
        )
    row = crawl(server.url, tmp_path / "archive", spider="updatecrawl")
    assert row.counts["posts_archived"] == 9
    found = rows(tmp_path / "archive")
    by_rule = 0
    for entry in entries(29)[20:]:
        record = post(tmp_path / "archive", found[entry.path.rstrip("/")])
        assert record.title == entry.title and record.content_text.startswith(entry.paragraphs[0])
        by_rule += (
            record.extraction["content"]["method"] == "rules"
            and "with a pen" not in record.content_text
        )
    assert by_rule >= 7, "all but those that showed that there is a new template"
    state = open_state(Config(archive=str(tmp_path / "archive")))
    history = next(iter(state.blogs())).model["stages"]["history"]
    state.close()
    assert len(history) == 1


def test_update_maps_a_feeds_foreign_host_like_the_first_crawl(
    server: Server, tmp_path: Path
) -> None:
    """``hugo server`` writes localhost into the feed: its entries are the blog's posts, the known
    ones too.
    """
    assert server.root is not None
    write_blog(server.root, entries(12), base="http://localhost:1313")
    crawl(server.url, tmp_path / "archive")
    assert len(rows(tmp_path / "archive")) == 12
    before = versions(tmp_path / "archive")
    write_blog(server.root, entries(13), base="http://localhost:1313")
    row = crawl(server.url, tmp_path / "archive", spider="updatecrawl")
    assert (
        row.counts["posts_archived"],
        row.counts["posts_changed"],
        row.counts["posts_missing"],
    ) == (1, 0, 0)
    assert len(versions(tmp_path / "archive")) == len(before) + 1


KILLED_AFTER_PAGES = """
import os, signal, sys
from blogcrawl.core.config import Config
from blogcrawl.crawling.run import run_crawl
from blogcrawl.frontier.frontier import Frontier
done, left = Frontier.done, int(sys.argv[3])

def done_and_die(self, *args, **how):
    global left
    done(self, *args, **how)
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)

Frontier.done = done_and_die
config = Config(archive=sys.argv[2], delay_seconds=0.0, retry_pause_seconds=0.0, render="never")
run_crawl(sys.argv[1], config, spider="updatecrawl")
"""


def killed_update(server: Server, archive: Path, after: int) -> None:
    """An update that is killed when it has dealt with so many pages."""
    command = [sys.executable, "-c", KILLED_AFTER_PAGES, server.url, str(archive), str(after)]
    done = forked.run(command)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize(
    "after",
    [pytest.param(1, marks=pytest.mark.slow), 9, pytest.param(19, marks=pytest.mark.slow)],
)
def test_moves_noted_by_a_killed_update_are_known_to_the_next(
    server: Server, tmp_path: Path, after: int
) -> None:
    """They were in memory only: moved posts were reported as missing."""
    old, archive = entries(20), tmp_path / "archive"
    write(server, old, sitemap=True)
    crawl(server.url, archive)
    keys = rows(archive).keys()
    move(server, old)
    killed_update(server, archive, after)
    row = crawl(server.url, archive, spider="updatecrawl")
    assert row.report["missing"] == [] and row.counts["posts_archived"] == 0
    assert rows(archive).keys() == keys
    server.clear_log()
    row = crawl(server.url, archive, spider="updatecrawl")
    assert row.report["missing"] == [] and row.counts["posts_archived"] == 0
    assert [path for path in server.paths() if path.startswith("/20")] == []
    assert faults(archive) == []


def test_moves_of_unchanged_posts_noted_by_a_killed_update_are_known(
    server: Server, tmp_path: Path
) -> None:
    """The old address leads on, and the new one answers 304."""
    old, archive = entries(12), tmp_path / "archive"
    write(server, old)
    crawl(server.url, archive)
    state = open_state(Config(archive=str(archive)))
    for row in state.posts():  # to be looked at for late comments
        state.save_post(replace(row, next_comment_check=datetime(2026, 1, 1, tzinfo=UTC)))
    state.close()
    assert server.root is not None
    feed = (server.root / "feed.xml").read_text("utf-8")
    new = move(server, old)
    new_feed = (server.root / "feed.xml").read_text("utf-8")
    (server.root / "feed.xml").write_text(feed, "utf-8")
    killed_update(server, archive, after=6)
    row = crawl(server.url, archive, spider="updatecrawl")
    assert row.counts["posts_unchanged"] == 6 and row.report["missing"] == []
    (server.root / "feed.xml").write_text(new_feed, "utf-8")
    server.clear_log()
    row = crawl(server.url, archive, spider="updatecrawl")
    assert row.report["missing"] == [] and row.counts["posts_archived"] == 0
    assert {entry.path for entry in new}.isdisjoint(server.paths())
    assert faults(archive) == []
