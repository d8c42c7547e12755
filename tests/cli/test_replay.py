"""Replay without pywb: what is missing is said, and evidence is laid out safely."""

from __future__ import annotations

import io
import socket
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blogcrawl.cli.replay import free_port, programs
from blogcrawl.core.errors import ArchiveError, UsageError
from blogcrawl.storage.replay import _unpack, pywb_settings, up_to
from blogcrawl.storage.tables import CrawlRow


def test_missing_pywb_error_names_the_package(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError) as caught:
        programs(str(tmp_path))
    assert "replay" in str(caught.value.advice)


def test_busy_port_is_named() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(UsageError, match=str(other.getsockname()[1])):
            free_port(other.getsockname()[1])
    assert free_port(0) > 0


def test_wacz_member_names_cannot_escape_the_folder(tmp_path: Path) -> None:
    package = io.BytesIO()
    with zipfile.ZipFile(package, "w") as archive:
        archive.writestr("archive/../../evil.warc.gz", b"x")
        archive.writestr("archive/a.warc.gz", b"abc")
        archive.writestr("pages/pages.jsonl", b"{}")
    (tmp_path / "in").mkdir()
    assert _unpack(package, tmp_path / "in") == 4
    assert (
        sorted(p.name for p in tmp_path.rglob("*.gz")) == ["a.warc.gz", "evil.warc.gz"]
        and not (tmp_path / "evil.warc.gz").exists()
    )


def test_replay_of_a_crawl_includes_earlier_crawls() -> None:
    crawls = [
        CrawlRow(
            id=name, blog_id="b", spider="newcrawl", started=datetime(2024, 1, day, tzinfo=UTC)
        )
        for day, name in ((2, "b1"), (1, "a1"), (3, "c1"))
    ]
    assert [c.id for c in up_to(crawls, "b")] == ["a1", "b1"]
    with pytest.raises(UsageError):
        up_to(crawls, "x")


def test_replay_proxy_serves_captured_bytes_of_the_chosen_time() -> None:
    assert (
        pywb_settings("")
        == "client_side_replay: true\nproxy:\n  coll: blog\n  enable_content_rewrite: false\n"
    )
    assert "default_timestamp: '20240102000000'" in pywb_settings("20240102000000")
