"""The records of one page, out of the evidence of several crawls."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from blogcrawl.core.config import Config
from blogcrawl.core.errors import DamagedError
from blogcrawl.packaging.layout import WEB
from blogcrawl.storage.closing import close_evidence
from blogcrawl.storage.evidence import EvidenceWriter
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.warc_records import records_of
from tests.packaging.samples import BLOG

NOW = datetime(2026, 3, 1, tzinfo=UTC)
OBJECT = "urn:uuid:00000000-0000-5000-8000-000000000001"
REQUEST = b"GET / HTTP/1.1\r\nHost: blog.example\r\n\r\n"


def evidence(tmp_path: Path, crawl: str) -> bytes:
    out = EvidenceWriter(tmp_path / crawl, info={"software": "test"}, clock=lambda: NOW)
    for page in ("a", "b"):
        body = f"{crawl} {page}".encode()
        answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
        out.exchange(f"https://blog.example/{page}", REQUEST, answer, date=NOW)
    out.close()
    path = close_evidence(tmp_path / crawl, blog=BLOG, crawl_id=crawl, created=NOW)
    assert path is not None
    return path.read_bytes()


def test_records_of_a_page_are_a_warc_file(tmp_path: Path) -> None:
    store = open_store(Config(archive=str(tmp_path / "archive")))
    files = {f"{WEB}{crawl}.wacz": evidence(tmp_path, crawl) for crawl in ("c1", "c2")}
    store.put(OBJECT, files, message="m", created=NOW)
    data = b"".join(records_of(store, OBJECT, {"https://blog.example/b"}))
    bodies = [record.content_stream().read() for record in ArchiveIterator(io.BytesIO(data))]
    assert bodies == [b"c1 b", b"c2 b"]
    assert list(records_of(store, OBJECT, {"https://blog.example/none"})) == []


def test_damaged_evidence_is_told_of(tmp_path: Path) -> None:
    store = open_store(Config(archive=str(tmp_path / "archive")))
    store.put(OBJECT, {f"{WEB}c1.wacz": b"no zip"}, message="m", created=NOW)
    with pytest.raises(DamagedError, match=r"c1\.wacz"):
        list(records_of(store, OBJECT, {"https://blog.example/b"}))
