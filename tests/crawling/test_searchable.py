"""The search index during crawls: filled by them, mended by the next, in no crawl's way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from blogcrawl.core.config import Config
from blogcrawl.crawling import searchable
from blogcrawl.crawling.searchable import SearchFilling
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.search.filling import lag, open_index
from blogcrawl.storage.search.finding import Search
from blogcrawl.storage.state import open_state
from tests.crawling.blog import Entry, entries, write_blog
from tests.crawling.crawling import crawl, rows
from tests.server import Server

COUNT = 6


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site") as made:
        write(made, entries(COUNT))
        yield made


def write(server: Server, posts: list[Entry]) -> None:
    assert server.root is not None
    write_blog(server.root, posts, base=server.url.rstrip("/"))


def found(archive: Path, text: str) -> tuple[int, int]:
    """How many posts are found, and how many the index does not know as they are archived."""
    config = Config(archive=str(archive))
    with closing(open_state(config)) as state:
        store = open_store(config)
        with closing(open_index(config, state, store)) as index:
            return Search(index, store).find(text).total, lag(state, index)


def test_crawl_fills_the_index_and_an_update_renews_it(server: Server, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    crawl(server.url, archive)
    assert found(archive, "") == (COUNT, 0)
    first, *others = entries(COUNT)
    write(server, [replace(first, text="A zebrafinch sings on the roof of the house."), *others])
    crawl(server.url, archive, spider="updatecrawl")
    assert found(archive, "zebrafinch") == (1, 0)


def test_what_a_killed_crawl_did_not_write_is_indexed_by_the_next(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "archive"
    with monkeypatch.context() as killed:
        killed.setattr(SearchFilling, "close", lambda *args, **how: None)
        crawl(server.url, archive)
    assert found(archive, "") == (0, COUNT)
    monkeypatch.setattr(searchable, "MISSED", COUNT - 2)
    crawl(server.url, archive, spider="updatecrawl")
    assert found(archive, "") == (COUNT - 2, 2)
    crawl(server.url, archive, spider="updatecrawl")
    assert found(archive, "") == (COUNT, 0)


@pytest.mark.parametrize("waiting", [1, 50])
def test_index_that_can_not_be_written_fails_no_crawl(
    server: Server, tmp_path: Path, waiting: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searchable, "WAITING", waiting)
    archive = tmp_path / "archive"
    archive.mkdir()
    (archive / "search.db").write_bytes(b"no database" * 1000)
    row = crawl(server.url, archive)
    assert row.outcome == "finished" and row.report["error"] is None
    assert len(rows(archive)) == COUNT


def test_no_index_is_made_where_none_is_wanted(server: Server, tmp_path: Path) -> None:
    crawl(server.url, tmp_path / "archive", search=False)
    assert not (tmp_path / "archive" / "search.db").exists()
