"""Whole crawls of blogs that real engines made: every post, every field, nothing else; then nothing
twice.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Cli
from tests.engines.build import Site
from tests.engines.truth import TruthPost
from tests.server import Server

SLOW = (pytest.mark.slow,)
BY_HAND = (pytest.mark.slow, pytest.mark.by_hand)
KINDS: list[tuple[str, bool, tuple[pytest.MarkDecorator, ...]]] = [
    ("pelican", False, ()),
    ("nikola", False, ()),
    ("ablog", True, ()),
    ("pelican", True, SLOW),
    ("blag", False, SLOW),
    ("nikola", True, BY_HAND),
    ("blag", True, BY_HAND),
    ("ablog", False, BY_HAND),
]
CASES = [
    pytest.param(engine, full, id=f"{engine}-{'full' if full else 'excerpt'}", marks=marks)
    for engine, full, marks in KINDS
]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def export(cli: Cli, archive: Path) -> list[dict[str, Any]]:
    done = cli("export", "--format", "jsonl", "--archive", archive)
    assert done.code == 0, done
    return [json.loads(line) for line in done.out.splitlines()]


@pytest.mark.parametrize(("engine", "full_feed"), CASES)
def test_every_engines_blog_is_archived_completely(
    engine: str,
    full_feed: bool,
    built_site: Callable[..., Site],
    serve_site: Callable[..., Server],
    cli: Cli,
    tmp_path: Path,
) -> None:
    site = built_site(engine, full_feed)
    server = serve_site(site)
    archive = tmp_path / "archive"
    done = cli(
        "crawl", server.url, "--archive", archive, "--delay", "0", "--render", "never", "--json"
    )
    assert done.code == 0, done
    rows = {row["url"].removeprefix(server.url.rstrip("/")): row for row in export(cli, archive)}
    wanted = dict(zip(site.paths, site.posts, strict=True))
    assert sorted(rows) == sorted(wanted)
    for path, post in wanted.items():
        check_post(rows[path], post, site)
    assert cli("verify", "--archive", archive).code == 0
    check_theme([hit.path for hit in server.log()], site)
    check_second_crawl(site, server, cli, archive)


def check_post(row: dict[str, Any], post: TruthPost, site: Site) -> None:
    assert row["title"] == post.title
    assert words(row["content_text"]) == words(post.text), post.title
    if "published" in site.says:
        assert datetime.fromisoformat(row["published"]).date() == post.published.date(), post.title
    if "authors" in site.says:
        assert row["authors"] == [post.author], post.title
    tags = {tag.casefold() for tag in row["tags"]}
    assert tags <= {*post.tags, *site.categories}, post.title
    if "tags" in site.says:
        assert set(post.tags) <= tags, post.title
    assert row["comments"] == []
    digests = [media["sha256"] for media in row["media"]]
    assert digests == [hashlib.sha256(site.picture(name)).hexdigest() for name in post.pictures], (
        post.title
    )
    for block in post.blocks:
        if block.kind == "code":
            assert "\n".join(block.lines) in row["content_text"], "code keeps its lines"


def check_theme(asked: list[str], site: Site) -> None:
    """What pages need to be shown is asked for once, after the last post, style sheets' own
    pictures and fonts too.
    """
    sheets = [path for path in asked if path.endswith(".css")]
    assert len(sheets) == len(set(sheets))
    if site.engine == "pelican":
        assert asked.index(sheets[0]) > max(asked.index(path) for path in site.paths)
        assert any(path.endswith((".woff", ".woff2")) for path in asked), (
            "named by a style sheet that another one imports"
        )


def check_second_crawl(site: Site, server: Server, cli: Cli, archive: Path) -> None:
    """Unchanged: no post page travels again, no package gets a new version."""
    before = {row["url"]: row for row in export(cli, archive)}
    versions = packages(cli, archive, server.url)
    server.clear_log()
    done = cli(
        "crawl", server.url, "--archive", archive, "--delay", "0", "--render", "never", "--json"
    )
    assert done.code == 0, done
    fetched = [hit.path for hit in server.log() if hit.status == 200]
    assert not set(fetched) & set(site.paths) and not [
        path for path in fetched if path.endswith((".css", ".woff2", ".png"))
    ]
    assert {row["url"]: row for row in export(cli, archive)} == before
    assert packages(cli, archive, server.url) == versions


def packages(cli: Cli, archive: Path, url: str) -> dict[str, int]:
    shown = cli("show", url, "--archive", archive, "--json").json
    return {post["url"]: post["aip_version"] for post in shown["posts"]}
