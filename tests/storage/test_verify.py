"""verify: what is whole is said to be, every kind of damage is named; the report as text, JSON and
HTML.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blogcrawl.packaging import ids
from blogcrawl.packaging.aip import BlogInput, blog_aip, entry_aip
from blogcrawl.packaging.http1 import parse
from blogcrawl.packaging.warc import response
from blogcrawl.storage.evidence import index_lines
from blogcrawl.storage.ocfl_local import LocalStore
from blogcrawl.storage.ocfl_model import object_path
from blogcrawl.storage.verify import FAULT_LIMIT, Report, verify_store
from tests.packaging.samples import BLOG, MOMENT, STAMP, entry, with_media

ID = ids.urn(ids.entry_id("https://blog.example/post-1"))


def clock() -> datetime:
    return datetime(2026, 4, 1, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    store = LocalStore(tmp_path / "packages", user={"name": "t", "address": "urn:t"})
    for number in range(3):
        source = with_media(number) if number == 1 else entry(number)
        store.put(
            ids.urn(ids.entry_id(source.post.canonical_url)),
            entry_aip(source),
            message="m",
            created=MOMENT,
        )
    store.put(
        ids.urn(ids.blog_id(BLOG.url)),
        blog_aip(BlogInput(blog=BLOG, stamp=STAMP)),
        message="m",
        created=MOMENT,
    )
    return store


def test_undamaged_archive_verifies(store: LocalStore) -> None:
    report = verify_store(store, clock=clock, deep=True)
    assert report.ok and report.packages == 4 and report.files > 40
    assert "all as it should be" in report.to_text()
    result = json.loads(report.to_json())
    assert result["ok"] and result["started"] == "2026-04-01T00:00:00Z"
    assert "whole" in report.to_html() and "<script" not in report.to_html()


def test_verify_is_limited_to_named_objects(store: LocalStore) -> None:
    assert verify_store(store, clock=clock, object_ids=[ID]).packages == 1
    report = verify_store(store, clock=clock, object_ids=["urn:uuid:none"])
    assert not report.ok


def damage(store: LocalStore, path: str, content: bytes | None) -> None:
    place = store.root / object_path(ID) / "v1" / "content" / path
    if content is None:
        place.unlink()
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


@pytest.mark.parametrize(
    ("path", "content", "wanted"),
    [
        ("representations/web/data/source.html", b"changed", "has changed"),
        ("METS.xml", b"<mets", "not well-formed"),
        ("METS.xml", b"<x/>", "no METS"),
        ("metadata/other/post.json", b"[]", "JSON record"),
        ("metadata/descriptive/marc.xml", None, "missing"),
        ("representations/web/data/more.bin", b"x", "orphan"),
    ],
)
def test_damage_is_named_and_nothing_repaired(
    store: LocalStore, path: str, content: bytes | None, wanted: str
) -> None:
    damage(store, path, content)
    files = {p: p.read_bytes() for p in store.root.rglob("*") if p.is_file()}
    report = verify_store(store, clock=clock, deep=True)
    assert not report.ok and any(
        wanted in fault.what and fault.where == ID for fault in report.faults
    ), report.to_text()
    if path == "METS.xml":
        assert not any("orphan" in fault.what for fault in report.faults), (
            "what an unreadable METS named is not known"
        )
    assert {p: p.read_bytes() for p in store.root.rglob("*") if p.is_file()} == files
    assert "damaged" in report.to_html() and ID in report.to_html()


def test_hostile_text_in_a_report_is_escaped(store: LocalStore) -> None:
    damage(store, "<script>alert(1)</script>", b"x")
    report = verify_store(store, clock=clock)
    assert "<script>" not in report.to_html() and "&lt;script&gt;" in report.to_html()


def test_evidence_of_running_crawls_is_verified(store: LocalStore, tmp_path: Path) -> None:
    crawls = tmp_path / "crawls" / "b" / "c"
    crawls.mkdir(parents=True)
    record = response("https://x/", parse(b"HTTP/1.1 200 OK\r\n\r\nx"), MOMENT, "").data
    (crawls / "a.warc.gz").write_bytes(record)
    lines = [line + "\n" for line in index_lines(crawls / "a.warc.gz", "a.warc.gz")]
    (crawls / "a.cdxj").write_text("".join(lines))
    (crawls / "b.warc.gz.open").write_bytes(record[:20])
    report = verify_store(store, clock=clock, crawls=tmp_path / "crawls")
    assert report.ok and report.warcs == 1 and "still open" in report.to_text()
    (crawls / "c.warc.gz").write_bytes(record[:-3])
    (crawls / "d.wacz").write_bytes(b"no zip")
    report = verify_store(store, clock=clock, crawls=tmp_path / "crawls")
    assert {fault.where for fault in report.faults} == {"b/c/c.warc.gz", "b/c/d.wacz"}
    (crawls / "a.cdxj").write_text("x")
    report = verify_store(store, clock=clock, crawls=tmp_path / "crawls")
    assert any(fault.where == "b/c/a.warc.gz" and "a.cdxj" in fault.what for fault in report.faults)


def test_faults_are_bounded() -> None:
    report = Report(started=clock())
    report.add("x", "store", (str(i) for i in range(FAULT_LIMIT + 5)))
    assert (
        len(report.faults) == FAULT_LIMIT
        and report.dropped == 5
        and "and 5 more" in report.to_text()
    )
