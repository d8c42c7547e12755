"""The capture index: what damage verify finds in it, and a crawl that meets a damaged one."""

from __future__ import annotations

import logging
import random
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blogcrawl.packaging.warc import Capture
from blogcrawl.storage.captures import CAPTURES, CaptureIndex, check_captures, forget_captures
from tests.chaos.damage import rows_of

URLS = [f"https://blog.example/{number}" for number in range(150)]


def capture(number: int) -> Capture:
    record = f"<urn:uuid:{number:08x}-0000-4000-8000-000000000000>"
    date = datetime(2026, 3, 1, tzinfo=UTC).isoformat()
    return Capture(
        record_id=record, url=URLS[number], date=date, payload_digest="sha256:" + "A" * 52
    )


def fill(index: CaptureIndex, numbers: range) -> None:
    for number in numbers:
        index.remember(b"page %d" % number, URLS[number], capture(number))
        index.asked(URLS[number], b"GET / HTTP/1.1\r\n\r\n")
    index.flush()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    index = CaptureIndex(tmp_path / "blog" / CAPTURES)
    fill(index, range(100))
    index.close()
    return tmp_path / "blog" / CAPTURES


def test_closed_capture_index_leaves_no_wal(path: Path) -> None:
    assert [one.name for one in path.parent.iterdir()] == [CAPTURES]
    assert list(check_captures(path)) == []


def test_every_truncation_is_found(path: Path) -> None:
    """SQLite reads zeros for bytes that are missing at the end: a key that ends in them is one that
    was never stored.
    """
    whole = path.read_bytes()
    chance = random.Random(5)
    for size in {*range(len(whole) - 60, len(whole)), *chance.sample(range(len(whole)), 100)}:
        path.write_bytes(whole[:size])
        [*found] = check_captures(path)
        assert found and "the next crawl begins a new one" in found[0], size


def test_truncation_of_a_file_with_wal_is_found_or_harmless(path: Path, tmp_path: Path) -> None:
    """A killed crawl leaves the log; the pages in it are read from there."""
    index = CaptureIndex(path)
    fill(index, range(100, 150))
    killed = shutil.copytree(path.parent, tmp_path / "killed") / CAPTURES
    index.close()
    (tmp_path / "killed" / f"{CAPTURES}-shm").unlink()
    before, whole, log = rows_of(killed), killed.read_bytes(), Path(f"{killed}-wal").read_bytes()
    assert list(check_captures(killed)) == [] and isinstance(before, list) and len(before) > 450
    chance, harmless = random.Random(6), 0
    pages = [size + by for size in range(4096, len(whole) + 1, 4096) for by in (-20, -1, 0)]
    for size in [*pages[:-1], *chance.sample(range(len(whole)), 100)]:
        killed.write_bytes(whole[:size])
        Path(f"{killed}-wal").write_bytes(log)
        named = list(check_captures(killed))
        assert named or rows_of(killed) == before, size
        harmless += not named
    assert harmless, "some pages are in the log"


@pytest.mark.parametrize("content", [b"no database" * 1000, bytes(9000)], ids=["text", "zeros"])
def test_unreadable_capture_index_is_replaced(
    path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path.write_bytes(content)
    with caplog.at_level(logging.WARNING):
        index = CaptureIndex(path)
    assert [
        line
        for line in caplog.messages
        if "capture index" in line and "captures.db.damaged" in line
    ] == caplog.messages
    assert (
        len(caplog.messages) == 1 and path.with_name("captures.db.damaged").read_bytes() == content
    )
    fill(index, range(3))
    index.close()
    assert list(check_captures(path)) == []


def test_damage_found_later_does_not_end_the_crawl(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever is garbage in the file: no lookup and no flush raises, and no revisit names a record
    that never was.
    """
    whole, found = path.read_bytes(), 0
    for at in range(100, len(whole), 701):
        for end in ("", ".damaged"):
            path.with_name(f"{CAPTURES}{end}").unlink(missing_ok=True)
        path.write_bytes(whole[:at] + b"\xff" * 900 + whole[at + 900 :])
        index = CaptureIndex(path)
        for number in range(100):
            known = index.by_content(b"page %d" % number), index.by_address(URLS[number])
            assert all(one is None or one.record_id == capture(number).record_id for one in known)
        fill(index, range(100, 110))
        assert index.by_content(b"page 105") == capture(105)
        index.close()
        found += path.with_name(f"{CAPTURES}.damaged").exists()
    assert found > 5 and len(caplog.messages) == found


def test_erasure_deletes_a_damaged_capture_index(path: Path) -> None:
    path.write_bytes(b"no database" * 1000)
    forget_captures(path, {capture(1).record_id})
    assert not path.exists()
