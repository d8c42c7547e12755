"""What the package stage notes in the crawl's evidence."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

from warcio.archiveiterator import ArchiveIterator

from blogcrawl.core.page import Page
from blogcrawl.core.records import Post
from blogcrawl.crawling.evidence import note_post
from blogcrawl.storage.evidence import EvidenceWriter
from tests.crawling.blog import entries, write_blog
from tests.crawling.crawling import crawl
from tests.server import Server

WEBP = b"RIFF\x44\x00\x00\x00WEBP" + bytes(60)


def test_screenshot_is_stored_with_its_media_type(tmp_path: Path) -> None:
    writer = EvidenceWriter(tmp_path, info={})
    url = "http://a.test/1"
    page = Page(url=url, body=b"<html>dom", rendered=True, screenshot=WEBP)
    note_post(SimpleNamespace(evidence=writer), Post(url=url, canonical_url=url), page)  # type: ignore[arg-type]
    [path] = writer.close()
    with path.open("rb") as stream:
        kinds = {
            r.rec_headers.get_header("WARC-Target-URI"): r.rec_headers.get_header("Content-Type")
            for r in ArchiveIterator(stream)
        }
    assert kinds[f"urn:dom:{url}"] == "text/html"
    assert kinds[f"urn:screenshot:{url}"] == "image/webp"


def test_unchanged_visit_closes_evidence_of_a_killed_crawl(tmp_path: Path) -> None:
    """It stayed open until a visit that found something."""
    archive, site = tmp_path / "archive", tmp_path / "site"
    site.mkdir()
    with Server(site) as server:
        write_blog(site, entries(3), base=server.url.rstrip("/"))
        crawl(server.url, archive)
        [evidence] = archive.glob("crawls/*/evidence")
        killed = EvidenceWriter(evidence / "killed", info={})
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"
        killed.exchange(server.url, b"", answer, date=datetime(2026, 1, 2, tzinfo=UTC))
        crawl(server.url, archive, spider="updatecrawl")
    assert [path.suffix for path in evidence.glob("killed/*.warc.gz*")] == [".gz"]
    assert list(archive.rglob("*.open")) == []
