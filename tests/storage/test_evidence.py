"""Evidence files: rotation, revisits within and across crawls, kills, full disks, closing into a
WACZ and a package.
"""

from __future__ import annotations

import errno
import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from blogcrawl.core.config import Config
from blogcrawl.core.errors import DiskFullError
from blogcrawl.core.records import Blog
from blogcrawl.packaging import cdxj
from blogcrawl.packaging.layout import WEB
from blogcrawl.packaging.warc import whole_members
from blogcrawl.storage import evidence
from blogcrawl.storage.captures import CaptureIndex
from blogcrawl.storage.closing import close_evidence, forget_evidence, kept_evidence
from blogcrawl.storage.evidence import OPEN, EvidenceWriter, index_lines, index_path, recover
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.warccheck import check_wacz, check_warc
from tests.packaging.samples import OPERATOR

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
BLOG = Blog(url="https://blog.example/", title="B")
REQUEST = b"GET / HTTP/1.1\r\nHost: blog.example\r\n\r\n"


def answer(body: bytes, status: str = "200 OK") -> bytes:
    return (
        f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n".encode()  # noqa: E501
        + body
    )


def writer(folder: Path, **more: object) -> EvidenceWriter:
    return EvidenceWriter(
        folder, info={"software": "test", "operator": "me"}, clock=lambda: NOW, **more
    )  # type: ignore[arg-type]


def kinds(path: Path) -> list[str]:
    with path.open("rb") as stream:
        return [record.rec_type for record in ArchiveIterator(stream)]


def faultless(path: Path) -> bool:
    with path.open("rb") as stream:
        return list(check_warc(stream)) == []


def test_the_organization_is_named_in_each_file(tmp_path: Path) -> None:
    opened = evidence.open_evidence(
        tmp_path,
        crawl_id="c1",
        blog_url="https://blog.example/",
        operator=OPERATOR,
        user_agent="tester",
        obeys_robots=True,
    )
    opened.exchange("https://blog.example/", REQUEST, answer(b"x"), date=NOW)
    (path,) = opened.close()
    with path.open("rb") as stream:
        lines = next(iter(ArchiveIterator(stream))).raw_stream.read().decode().splitlines()
    assert f"operator: {OPERATOR.name}, {OPERATOR.identifier}, {OPERATOR.contact}" in lines
    assert {f"publisher: {OPERATOR.name}", f"rights: {OPERATOR.rights}"} <= {*lines}


def test_repeated_payloads_become_revisit_records(tmp_path: Path) -> None:
    captures = CaptureIndex(tmp_path / "captures.db")
    first = writer(tmp_path / "c1", captures=captures)
    body = b"<html>" + b"x" * 5000
    assert (
        first.exchange("https://blog.example/a", REQUEST, answer(body), date=NOW).type == "response"
    )
    assert (
        first.exchange("https://blog.example/b", REQUEST, answer(body), date=NOW).type == "revisit"
    )
    assert (
        first.exchange("https://blog.example/c", REQUEST, answer(b""), date=NOW).type == "response"
    )
    (path,) = first.close()
    assert kinds(path) == [
        "warcinfo",
        "response",
        "request",
        "revisit",
        "request",
        "response",
        "request",
    ]
    captures.close()
    captures = CaptureIndex(tmp_path / "captures.db")
    second = writer(tmp_path / "c2", captures=captures)
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (
        len(body),
        body,
    )
    assert second.exchange("https://blog.example/z", REQUEST, chunked, date=NOW).type == "revisit"
    unchanged = second.exchange(
        "https://blog.example/b", REQUEST, answer(b"", "304 Not Modified"), date=NOW
    )
    assert unchanged.type == "revisit"
    unknown = second.exchange(
        "https://blog.example/new", REQUEST, answer(b"", "304 Not Modified"), date=NOW
    )
    assert unknown.type == "response"
    cut = second.exchange(
        "https://blog.example/cut", REQUEST, answer(body)[:-10], date=NOW, truncated="disconnect"
    )
    assert cut.type == "response"
    (later,) = second.close()
    assert faultless(path) and faultless(later)
    assert later.stat().st_size < path.stat().st_size * 4


def test_identical_request_records_are_written_once(tmp_path: Path) -> None:
    """The request of a revisit is in the archive already, for the same URL and byte for byte, or it
    is written next to the revisit record.
    """
    body, conditional = (
        b"<html>" + b"x" * 500,
        REQUEST.replace(b"Host", b"If-None-Match: 1\r\nHost"),
    )
    crawls = [
        [("https", REQUEST, body), ("https", REQUEST, body)],
        [("https", conditional, body), ("https", REQUEST, body)],
        [("https", conditional, body), ("http", REQUEST, body), ("https", REQUEST, body + b"new")],
    ]
    found = []
    for number, exchanges in enumerate(crawls):
        captures = CaptureIndex(tmp_path / "captures.db")
        one = writer(tmp_path / f"c{number}", captures=captures)
        for scheme, request, payload in exchanges:
            one.exchange(f"{scheme}://blog.example/a", request, answer(payload), date=NOW)
        (path,) = one.close()
        captures.close()
        assert faultless(path)
        found.append(kinds(path)[1:])
    assert found == [
        ["response", "request", "revisit"],
        ["revisit", "request", "revisit"],
        ["revisit", "revisit", "request", "response", "request"],
    ]


def test_warc_files_rotate_and_stay_valid(tmp_path: Path) -> None:
    out = writer(tmp_path, max_bytes=20_000)
    rng = random.Random(1)
    for number in range(20):
        out.exchange(
            f"https://blog.example/{number}", REQUEST, answer(rng.randbytes(5000)), date=NOW
        )
    paths = out.close()
    assert len(paths) > 3 and len({p.name for p in paths}) == len(paths)
    assert all(
        faultless(path) and kinds(path)[0] == "warcinfo" and path.stat().st_size < 30_000
        for path in paths
    )
    assert sum(len(index_path(path).read_text().splitlines()) for path in paths) == 20


def test_cdxj_index_points_at_the_records(tmp_path: Path) -> None:
    out = writer(tmp_path)
    for number in range(3):
        out.exchange(
            f"https://blog.example/{number}",
            REQUEST,
            answer(b"%d" % number),
            date=NOW,
            notes={"fetchTimeMs": "5"},
        )
    out.resource("urn:dom:https://blog.example/1", "text/html", b"<dom>", date=NOW)
    (path,) = out.close()
    data = path.read_bytes()
    lines = index_path(path).read_text().splitlines()
    assert sorted(lines) == sorted(index_lines(path, path.name)) and len(lines) == 4
    for line in lines:
        fields = json.loads(line.split(" ", 2)[2])
        place = int(fields["offset"])
        record = next(
            iter(ArchiveIterator(io.BytesIO(data[place : place + int(fields["length"])])))
        )
        assert record.rec_headers.get_header("WARC-Target-URI") == fields["url"]
        assert line.startswith(cdxj.surt(fields["url"]) + " 20260301120000 ")


@pytest.mark.parametrize("cut", [1, 20, 200])
def test_half_written_record_is_truncated(tmp_path: Path, cut: int) -> None:
    out = writer(tmp_path)
    for number in range(3):
        out.exchange(f"https://blog.example/{number}", REQUEST, answer(os.urandom(500)), date=NOW)
    out.page("https://blog.example/0", NOW, title="t")
    path = next(tmp_path.glob("*" + OPEN))
    whole = path.stat().st_size
    before = sorted(index_path(path).read_text().splitlines())
    out.exchange("https://blog.example/lost", b"", answer(os.urandom(500)), date=NOW)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - cut)
    with (tmp_path / "pages.jsonl").open("ab") as pages:
        pages.write(b'{"url": "half')
    with path.open("rb") as stream:
        assert whole_members(stream) == whole
    (note,) = recover(tmp_path)
    assert "cut off" in note and recover(tmp_path) == []
    final = path.with_name(path.name.removesuffix(OPEN))
    assert final.stat().st_size == whole and faultless(final)
    assert sorted(index_path(final).read_text().splitlines()) == before
    assert len((tmp_path / "pages.jsonl").read_bytes().splitlines()) == 1


def test_unreadable_open_warc_files_are_removed(tmp_path: Path) -> None:
    (tmp_path / ("x.warc.gz" + OPEN)).write_bytes(b"not gzip")
    (tmp_path / ("y.warc.gz" + OPEN)).write_bytes(b"")
    assert len(recover(tmp_path)) == 2 and list(tmp_path.iterdir()) == []


def with_a_full_disk(folder: Path, monkeypatch: pytest.MonkeyPatch, *, in_index: bool) -> Path:
    """A file of three exchanges, of which the second met a full disk half way into its record, or
    into its line of the index.
    """
    out = writer(folder)
    out.exchange("https://blog.example/a", REQUEST, answer(b"a"), date=NOW)
    real = evidence._write_all

    def half(file: object, data: bytes) -> None:
        if in_index and data.startswith(b"\x1f\x8b"):
            return real(file, data)  # type: ignore[arg-type]
        real(file, data[: len(data) // 2])  # type: ignore[arg-type]
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(evidence, "_write_all", half)
    with pytest.raises(DiskFullError):
        out.exchange("https://blog.example/b", REQUEST, answer(b"b" * 500), date=NOW)
    monkeypatch.undo()
    out.exchange("https://blog.example/c", REQUEST, answer(b"c"), date=NOW)
    (path,) = out.close()
    return path


def test_full_disk_leaves_only_whole_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = with_a_full_disk(tmp_path, monkeypatch, in_index=False)
    assert faultless(path) and kinds(path) == [
        "warcinfo",
        "response",
        "request",
        "response",
        "request",
    ]


def test_full_disk_leaves_no_record_without_index_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = with_a_full_disk(tmp_path, monkeypatch, in_index=True)
    assert faultless(path) and index_path(path).read_text().splitlines() == list(
        index_lines(path, path.name)
    )


SCRIPT = """
import os, sys
from datetime import UTC, datetime
from pathlib import Path
from blogcrawl.storage.captures import CaptureIndex
from blogcrawl.storage.evidence import EvidenceWriter
folder = Path(sys.argv[1])
out = EvidenceWriter(folder / "evidence", info={}, captures=CaptureIndex(folder / "captures.db"), max_bytes=300_000)
for i in range(100_000):
    body = os.urandom(3000)
    head = b"HTTP/1.1 200 OK\\r\\nContent-Length: 3000\\r\\n\\r\\n"
    out.exchange(f"https://blog.example/{i}", b"GET / HTTP/1.1\\r\\n\\r\\n", head + body, date=datetime.now(UTC))
    if i == 0:
        print("ready", flush=True)
"""  # noqa: E501


def test_random_kills_lose_no_whole_record(tmp_path: Path) -> None:
    rng = random.Random(7)
    for _ in range(4):
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(tmp_path)], stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(rng.uniform(0.05, 0.4))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    recover(tmp_path / "evidence")
    paths = sorted((tmp_path / "evidence").glob("*.warc.gz"))
    assert paths and all(faultless(path) for path in paths)
    assert not list((tmp_path / "evidence").glob("*" + OPEN))
    ids: set[str] = set()
    refers: set[str] = set()
    for path in paths:
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream):
                ids.add(record.rec_headers.get_header("WARC-Record-ID"))
                refers.add(record.rec_headers.get_header("WARC-Refers-To") or "")
    assert refers - {""} <= ids


def test_closed_crawl_becomes_a_wacz_in_the_blog_package(tmp_path: Path) -> None:
    store = open_store(Config(archive=str(tmp_path / "archive")))
    object_id = "urn:uuid:00000000-0000-5000-8000-000000000001"
    files: dict[str, object] = {}
    for name in ("c1", "c2"):
        out = writer(tmp_path / name)
        out.exchange(f"https://blog.example/{name}", REQUEST, answer(b"x" * 900), date=NOW)
        out.page(
            f"https://blog.example/{name}",
            NOW,
            title=name,
            author="Ann",
            comments=3,
            published=None,
        )
        out.close()
        path = close_evidence(tmp_path / name, blog=BLOG, crawl_id=name, created=NOW)
        assert path is not None and [p.name for p in (tmp_path / name).iterdir()] == [
            f"{name}.wacz"
        ]
        assert close_evidence(tmp_path / name, blog=BLOG, crawl_id=name, created=NOW) == path
        with path.open("rb") as stream:
            assert list(check_wacz(stream)) == []
        head = store.head(object_id)
        files = dict(kept_evidence(store, head)) if head else {}
        assert not forget_evidence(store, object_id, tmp_path / name)
        with path.open("rb") as stream:
            content = {WEB + n: c for n, c in {**files, path.name: stream}.items()}
            store.put(object_id, content, message=name, created=NOW)  # type: ignore[arg-type]
        assert forget_evidence(store, object_id, tmp_path / name) and not (tmp_path / name).exists()
    assert sorted(store.head(object_id).files) == [WEB + "c1.wacz", WEB + "c2.wacz"]  # type: ignore[union-attr]
    assert store.verify(object_id, deep=True) == []
    assert close_evidence(tmp_path / "none", blog=BLOG, crawl_id="none", created=NOW) is None
