"""What the package stage notes in the crawl's evidence."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from warcio.archiveiterator import ArchiveIterator

from blogcrawl.core.page import Page
from blogcrawl.core.records import Post
from blogcrawl.crawling.evidence import note_post
from blogcrawl.storage.evidence import EvidenceWriter

WEBP = b"RIFF\x44\x00\x00\x00WEBP" + bytes(60)


def test_a_screenshot_is_filed_as_what_it_is(tmp_path: Path) -> None:
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
