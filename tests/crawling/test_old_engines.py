"""Engines with several pages for a post: each post is one record, whatever they call its views."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.made_blogs import serve
from tests.benchmarks.old_engines import ENGINES, POSTS, strangers
from tests.crawling.crawling import crawl, rows


@pytest.mark.parametrize("name", ["story_pages", "folders", "nodes", "popups", "letters"])
def test_one_post_is_one_record(name: str, tmp_path: Path) -> None:
    server = serve(ENGINES[name].site().pages)
    row = crawl(f"http://127.0.0.1:{server.server_port}/", tmp_path)
    server.shutdown()
    found = set(rows(tmp_path))
    assert not strangers(ENGINES[name], found)
    assert len(found) == POSTS
    assert row.report["completeness"]["share"] > 0.95


def test_pages_that_repeat_posts_make_no_second_record_whichever_are_read_first(
    tmp_path: Path,
) -> None:
    server = serve(ENGINES["sid"].site().pages)
    crawl(f"http://127.0.0.1:{server.server_port}/", tmp_path)
    server.shutdown()
    assert len(rows(tmp_path)) == POSTS
