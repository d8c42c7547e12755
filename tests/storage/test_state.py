"""The state: rows go in and come out the same, survive, and refuse late writers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from sqlalchemy import text
from sqlalchemy.dialects import sqlite

from blogcrawl.core.config import Config
from blogcrawl.core.errors import ArchiveError, DamagedError, LeaseLostError
from blogcrawl.dates.edtf import DAY, written
from blogcrawl.storage.state import SqlState, open_state
from blogcrawl.storage.tables import BlogRow, CrawlRow, DateText, MediaRow, PostRow, UtcText
from tests.cluster.services import postgres
from tests.dates.partial import DATES

NOW = datetime(2026, 1, 31, 12, 30, 0, 123456, tzinfo=UTC)
BLOG = BlogRow(
    id="b1",
    url="https://blog.example.org/",
    title="Blåg",
    feeds={"https://blog.example.org/f": {"etag": 'W/"x"'}},
    model={"r": [1]},
    last_crawl=NOW,
)
POST = PostRow(
    blog_id="b1",
    url="https://blog.example.org/a",
    title="A\x00\ud800",
    published=NOW,
    content_digest="d",
    etag='"e"',
    first_seen=NOW,
)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[SqlState]:
    made = open_state(Config(archive=str(tmp_path / "new" / "archive")))
    yield made
    made.close()


def test_blog_is_found_by_id_url_and_alias(state: SqlState) -> None:
    state.save_blog(BLOG, aliases=["http://old.example.org"])
    assert (
        state.get_blog("b1")
        == state.get_blog(BLOG.url)
        == state.get_blog("http://old.example.org")
        == BLOG
    )
    assert state.get_blog("http://other.example.org") is None
    state.save_blog(replace(BLOG, title="new", feeds={}))
    assert [b.title for b in state.blogs()] == ["new"]


def test_post_and_media_are_saved_in_one_transaction(state: SqlState) -> None:
    file = MediaRow(
        blog_id="b1",
        url="https://cdn.example.org/x.png",
        sha256="ab",
        mime="image/png",
        size=5_000_000_000,
        aip_id="u",
        path="m/ab.png",
    )
    state.save_post(POST, [file])
    read = state.get_post("b1", POST.url)
    assert read is not None and read.title == "A?" and read.published == NOW and read.etag == '"e"'
    assert state.get_media("b1", file.url) == state.media_by_digest("b1", "ab") == file
    assert state.get_media("b2", file.url) is None


def test_posts_are_ordered(state: SqlState) -> None:
    for number in (3, 1, 2):
        state.save_post(replace(POST, url=f"u{number}", published=NOW + timedelta(days=number)))
    state.save_post(replace(POST, url="early", published=datetime(970, 1, 1, tzinfo=UTC)))
    state.save_post(replace(POST, blog_id="a"))
    assert [p.url for p in state.posts()] == [POST.url, "early", "u1", "u2", "u3"]
    assert [p.url for p in state.posts("b1")] == ["early", "u1", "u2", "u3"]


def test_very_long_urls_stay_distinct(state: SqlState) -> None:
    long = "https://x.org/" + "é" * 5000
    state.save_post(replace(POST, url=long + "1"))
    state.save_post(replace(POST, url=long + "2"))
    found = state.get_post("b1", long + "2")
    assert found is not None and found.url == long + "2"
    assert len(list(state.posts())) == 2


def test_crawl_rows_are_stored(state: SqlState) -> None:
    crawl = CrawlRow(id="c1", blog_id="b1", spider="newcrawl", started=NOW)
    state.start_crawl(crawl)
    assert state.crawls("b1")[0].outcome == "running"
    state.end_crawl(replace(crawl, outcome="finished", counts={"posts": 3}, report={"missing": []}))
    (read,) = state.crawls("b1")
    assert read.outcome == "finished" and read.counts == {"posts": 3} and read.ended is not None


def test_writer_with_a_stale_lease_is_fenced_off(state: SqlState) -> None:
    first = state.acquire_lease("b1", "node1", 60, NOW)
    assert first == 1
    assert state.acquire_lease("b1", "node2", 60, NOW) is None
    state.save_post(POST, fence=first)
    second = state.acquire_lease("b1", "node2", 60, NOW + timedelta(seconds=61))
    assert second == 2
    with pytest.raises(LeaseLostError):
        state.save_post(replace(POST, title="late"), fence=first)
    with pytest.raises(LeaseLostError):
        state.renew_lease("b1", first, 60, NOW)
    read = state.get_post("b1", POST.url)
    assert read is not None and read.title != "late"
    state.release_lease("b1", "node2")
    assert state.acquire_lease("b1", "node3", 60, NOW) == 3


def test_reads_continue_during_a_write(state: SqlState) -> None:
    for number in range(1200):
        state.save_post(replace(POST, url=f"u{number:05}"))
    reader = state.posts("b1")
    next(reader)
    state.save_post(replace(POST, url="zz"))
    assert len(list(reader)) >= 1199


def test_damaged_database_error_names_the_remedy(tmp_path: Path) -> None:
    config = Config(archive=str(tmp_path / "archive"))
    made = open_state(config)
    made.save_blog(BLOG)
    made.close()
    path = config.archive_path / "state.db"
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xa5" * (len(whole) - 4096))
    with pytest.raises(ArchiveError, match="damaged") as caught:
        made = open_state(config)
        made.get_blog(BLOG.url)
    assert caught.value.advice and "move it aside" in caught.value.advice


@pytest.mark.parametrize("content", [b"this is no database at all, but long enough to be one" * 40])
def test_folder_without_an_archive_is_an_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "state.db").write_bytes(content)
    with pytest.raises(ArchiveError):
        open_state(Config(archive=str(tmp_path)))
    (tmp_path / "file").write_text("x")
    with pytest.raises(ArchiveError):
        open_state(Config(archive=str(tmp_path / "file")))
    for url in ("nonsense", "oracle://x/y", f"sqlite:///{tmp_path}"):
        with pytest.raises(ArchiveError):
            open_state(Config(state_url=url))


KILLED = """
import os, sys
from blogcrawl.core.config import Config
from blogcrawl.storage.tables import PostRow
from blogcrawl.storage.state import open_state
state = open_state(Config(archive=sys.argv[1]))
for n in range(10**6):
    state.save_post(PostRow(blog_id="b", url=f"u{n}", title="x" * 1000))
    os.write(1, b"%d\\n" % n)
"""


def test_kill_9_loses_no_row_that_was_reported(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    said = [int(child.stdout.readline()) for _ in range(60)]
    child.kill()
    child.wait()
    said += [int(line) for line in child.stdout.read().split()]
    state = open_state(Config(archive=str(tmp_path)))
    rows = {p.url for p in state.posts("b")}
    assert {f"u{n}" for n in said} <= rows and len(rows) <= len(said) + 1


def test_state_behaves_alike_on_postgresql() -> None:
    pytest.importorskip("psycopg")
    checks = (
        test_blog_is_found_by_id_url_and_alias,
        test_post_and_media_are_saved_in_one_transaction,
        test_very_long_urls_stay_distinct,
        test_crawl_rows_are_stored,
        test_writer_with_a_stale_lease_is_fenced_off,
    )
    with postgres() as server:
        if server is None:
            pytest.skip("no PostgreSQL binaries")
        state = SqlState(server.url)
        for check in checks:
            with state.write() as connection:
                for table in ("blogs", "aliases", "posts", "media", "crawls", "leases"):
                    connection.execute(text(f"DELETE FROM {table}"))
            check(state)
        state.close()


def test_concurrent_processes_create_the_database_once(tmp_path: Path) -> None:
    opening = (
        "import sys\nfrom blogcrawl.storage.state import SqlState\nprint('ready', flush=True)\n"
        "for line in sys.stdin:\n    SqlState(f'sqlite:///{line.strip()}').close()\n    "
        "print('made', flush=True)\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    started = [
        subprocess.Popen([sys.executable, "-c", opening], text=True, **pipes) for _ in range(4)
    ]
    answers = [process.stdout.readline() for process in started]  # type: ignore[union-attr]
    for number in range(30):
        for process in started:
            if process.poll() is None:
                process.stdin.write(f"{tmp_path / str(number)}.db\n")  # type: ignore[union-attr]
                process.stdin.flush()  # type: ignore[union-attr]
        answers += [process.stdout.readline() for process in started]  # type: ignore[union-attr]
    errors = [process.communicate()[1] for process in started]
    assert answers == ["ready\n"] * 4 + ["made\n"] * 120, "\n".join(errors)


EAST = timezone(timedelta(hours=5, minutes=45))


@given(DATES)
def test_dates_keep_offset_and_precision(moment: datetime) -> None:
    column, dialect = DateText(), sqlite.dialect()
    text = column.process_bind_param(moment, dialect)
    again = column.process_result_value(text, dialect)
    assert again == moment and again is not None and written(again) == written(moment)
    assert text is not None and text.startswith(
        str(UtcText().process_bind_param(moment, dialect))
    ), "sorts by time"


def test_local_dates_are_kept_and_posts_sort_by_time(state: SqlState) -> None:
    evening = datetime(2026, 1, 30, 23, 18, tzinfo=timezone(timedelta(hours=-4)))
    made = {
        "/b": evening,
        "/a": datetime(2026, 1, 30, tzinfo=DAY),
        "/c": datetime(2026, 1, 31, 9, 5, tzinfo=EAST),
    }
    for path, moment in made.items():
        state.save_post(replace(POST, url=f"https://blog.example.org{path}", published=moment))
    found = [row.published for row in state.posts("b1") if row.published]
    assert [*map(written, found)] == [
        "2026-01-30",
        "2026-01-30T23:18:00-04:00",
        "2026-01-31T09:05:00+05:45",
    ]
    assert [row.url[-1] for row in state.posts_since("b1", evening.astimezone(UTC))] == ["b", "c"]
    span = state.post_span("b1")
    assert span.first and span.last and written(span.first) == "2026-01-30"


@pytest.mark.parametrize("text", ["2026-01-31T12:30:00Z", "2026-01-30T00:00:00.000000Z"])
def test_dates_of_older_archives_are_read(state: SqlState, text: str) -> None:
    assert written(DateText().process_result_value(text, sqlite.dialect()) or NOW) in (
        "2026-01-31T12:30:00Z",
        "2026-01-30",
    )


def test_damaged_date_is_reported() -> None:
    for damaged in ("2026-01-31T12:30:00Z century", "yesterday day"):
        with pytest.raises(DamagedError):
            DateText().process_result_value(damaged, sqlite.dialect())
