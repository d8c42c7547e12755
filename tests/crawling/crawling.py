"""Running crawls in tests, and looking at what they left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from blogcrawl.core.config import Config
from blogcrawl.core.records import Post
from blogcrawl.crawling.run import run_crawl
from blogcrawl.packaging.records import post_from_json
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.state import open_state
from blogcrawl.storage.tables import CrawlRow, PostRow


def crawl(
    url: str,
    archive: Path,
    *,
    spider: str = "newcrawl",
    feed: str | None = None,
    since: Any = None,
    **config: Any,
) -> CrawlRow:
    values = {
        "archive": str(archive),
        "delay_seconds": 0.0,
        "retry_pause_seconds": 0.0,
        "render": "never",
        **config,
    }
    extra = values.pop("extra", None)
    return run_crawl(url, Config(**values), spider=spider, feed=feed, since=since, extra=extra)


def rows(archive: Path) -> dict[str, PostRow]:
    """Post rows by the path of their URL."""
    state = open_state(Config(archive=str(archive)))
    found = {"/" + row.url.split("/", 3)[3]: row for row in state.posts()}
    state.close()
    return found


def post(archive: Path, row: PostRow) -> Post:
    """The record in the newest version of a post's package."""
    assert row.aip_id is not None
    with open_store(Config(archive=str(archive))).open(
        row.aip_id, "metadata/other/post.json"
    ) as file:
        return post_from_json(json.load(file))


def versions(archive: Path) -> dict[str, int]:
    """Package id -> number of versions, of all packages."""
    store = open_store(Config(archive=str(archive)))
    return {object_id: len(store.versions(object_id)) for object_id in store.object_ids()}


def faults(archive: Path) -> list[str]:
    store = open_store(Config(archive=str(archive)))
    return [
        fault for object_id in store.object_ids() for fault in store.verify(object_id, deep=True)
    ]
