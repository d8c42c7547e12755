"""WARC records, CDXJ lines, HTTP messages: judged by warcio and surt."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import zipfile
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from blogcrawl.packaging import cdxj, http1, wacz, warc
from blogcrawl.storage.warccheck import check_wacz, check_warc

NOW = datetime(2026, 3, 1, 12, 0, 0, 5, tzinfo=UTC)
URL = "https://blog.example/a?b=1"
PLAIN = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\nX-oDd:  v\r\nContent-Length: "
    b"5\r\n\r\nhello"
)
CHUNKED = (
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: "
    b"chunked\r\n\r\n2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\nT: 1\r\n\r\n"
)


def read(data: bytes) -> Any:
    return next(iter(ArchiveIterator(io.BytesIO(data), check_digests=True)))


def test_response_record_has_url_and_time() -> None:
    headers = read(warc.response(URL, http1.parse(PLAIN), NOW, "192.0.2.1").data).rec_headers
    assert headers.protocol == "WARC/1.1"
    assert headers.get_header("WARC-Date") == "2026-03-01T12:00:00.000005Z"
    assert headers.get_header("WARC-IP-Address") == "192.0.2.1"


@pytest.mark.parametrize(
    "message",
    [
        PLAIN,
        PLAIN.replace(b"\r\n", b"\n"),
        PLAIN.replace(b"X-oDd:  v", b"X-Odd: \xe9\xff \r\n folded"),
        b"HTTP/1.1 200 OK\r\nno header block's end",
        b"ICY 200 OK\r\n\r\n",
        b"",
    ],
)
def test_response_record_keeps_every_byte(message: bytes) -> None:
    data = warc.response(URL, http1.parse(message), NOW, "").data
    head, _, block = gzip.decompress(data).partition(b"\r\n\r\n")
    assert block == message + b"\r\n\r\n"
    assert f"Content-Length: {len(message)}\r\n".encode() in head + b"\r\n"
    digest = base64.b32encode(hashlib.sha256(message).digest())
    assert b"WARC-Block-Digest: sha256:" + digest in head
    assert list(check_warc(io.BytesIO(data))) == []


def test_small_records_have_no_block_digest() -> None:
    request = warc.request(URL, b"GET / HTTP/1.1\r\n\r\n", NOW, "<urn:uuid:1>").data
    notes = warc.metadata(URL, {"via": "https://blog.example/"}, NOW).data
    for data in (request, notes):
        assert b"Digest" not in gzip.decompress(data)


def test_revisits_refer_to_the_original() -> None:
    earlier = warc.Capture(
        record_id="<urn:uuid:1>", url=URL, date="2026-01-01T00:00:00Z", payload_digest="sha256:X"
    )
    same = read(warc.revisit(URL, http1.parse(PLAIN), NOW, "", earlier).data)
    assert same.rec_headers.get_header("WARC-Profile").endswith("identical-payload-digest")
    assert same.rec_headers.get_header("WARC-Refers-To-Date") == "2026-01-01T00:00:00Z"
    unchanged = read(
        warc.revisit(URL, http1.parse(b"HTTP/1.1 304 Not Modified\r\n\r\n"), NOW, "", earlier).data
    )
    assert unchanged.rec_headers.get_header("WARC-Profile").endswith("server-not-modified")
    assert unchanged.rec_headers.get_header("WARC-Payload-Digest") == "sha256:X"


@pytest.mark.parametrize(
    "url",
    ["https://x/\r\nWARC-Type: warcinfo", "https://x/\x00\x7f", "https://x/\u05d0\ud800\u2028"],
)
def test_hostile_url_stays_in_its_header_line(url: str) -> None:
    record = warc.response(url, http1.parse(PLAIN), NOW, "")
    assert read(record.data).rec_headers.get_header("WARC-Type") == "response"
    assert list(check_warc(io.BytesIO(record.data))) == []
    line = cdxj.line(record, "f", 0, 1)
    assert line is not None and len(line.splitlines()) == 1


def test_bodies_are_complete_or_marked_truncated() -> None:
    assert http1.parse(PLAIN).complete(closed=False)
    assert not http1.parse(PLAIN[:-1]).complete(closed=True)
    assert http1.parse(CHUNKED).entity == b"hello"
    assert http1.parse(CHUNKED).complete(closed=True) and not http1.parse(CHUNKED[:-9]).complete(
        closed=True
    )
    assert http1.parse(b"HTTP/1.0 200 OK\r\n\r\nold").complete(closed=True)
    assert not http1.parse(b"HTTP/1.0 200 OK\r\n\r\nold").complete(closed=False)
    assert http1.parse(b"HTTP/1.1 304 X\r\nContent-Length: 9\r\n\r\n").complete(closed=False)
    assert http1.parse(b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\n" + PLAIN).raw == PLAIN


@given(st.binary(max_size=300))
def test_random_bytes_are_parsed_as_a_message(raw: bytes) -> None:
    message = http1.parse(raw)
    assert message.head + bytes(message.payload) == message.raw
    assert isinstance(message.entity, bytes) and message.mime and message.status >= 0
    message.complete(closed=True)


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=6))
def test_chunks_are_joined(parts: list[bytes]) -> None:
    body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
    assert http1.parse(
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n" + body
    ).entity == b"".join(parts)


@pytest.mark.parametrize(
    "url",
    [
        "https://www.Blog.Example/A/b/?z=2&a=1",
        "http://blog.example:80/",
        "http://blog.example:8080/x",
        "https://blog.example",
        "http://192.0.2.7/a",
        "https://blog.example/%C3%A9?q",
        "http://127.0.1.1:8893/blogs/white/",
    ],
)
def test_surt_equals_that_of_other_tools(url: str) -> None:
    surt = pytest.importorskip("surt")
    assert cdxj.surt(url) == surt.surt(url)


def make_wacz() -> bytes:
    record = warc.response(URL, http1.parse(PLAIN), NOW, "")
    out = io.BytesIO()
    about = wacz.About(title="T", created=NOW, software="s", main_url=URL)
    line = cdxj.line(record, "a.warc.gz", 0, len(record.data))
    pages = [
        {
            "url": URL,
            "ts": "2026-03-01T12:00:00Z",
            "title": "\u05d0",
            "author": "Ann",
            "comments": 2,
        }
    ]
    wacz.write_wacz(
        out, about, warcs=[("a.warc.gz", io.BytesIO(record.data))], index=[line or ""], pages=pages
    )
    return out.getvalue()


def test_wacz_is_written() -> None:
    data = make_wacz()
    assert list(check_wacz(io.BytesIO(data))) == []
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        assert package.getinfo("archive/a.warc.gz").compress_type == zipfile.ZIP_STORED
        datapackage = json.loads(package.read("datapackage.json"))
        assert (
            datapackage["wacz_version"],
            datapackage["profile"],
            datapackage["mainPageUrl"],
        ) == (
            "1.1.1",
            "data-package",
            URL,
        )
        assert json.loads(package.read("pages/pages.jsonl").splitlines()[1])["comments"] == 2


@pytest.mark.parametrize("where", ["archive/a.warc.gz", "datapackage.json", "pages/pages.jsonl"])
def test_damage_in_a_wacz_is_found(where: str) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(make_wacz())) as old, zipfile.ZipFile(out, "w") as new:
        for info in old.infolist():
            new.writestr(info, old.read(info) + (b" " if info.filename == where else b""))
        new.writestr("stray.txt", b"")
    report = " ".join(check_wacz(io.BytesIO(out.getvalue())))
    assert where in report and "stray.txt" in report


@pytest.mark.parametrize("form", ["wacz", "warc"])
def test_every_damaged_byte_is_detected_without_a_crash(form: str) -> None:
    data = make_wacz() if form == "wacz" else warc.response(URL, http1.parse(PLAIN), NOW, "").data
    check = check_wacz if form == "wacz" else check_warc
    found = 0
    for place in range(0, len(data), 3):
        found += bool(
            list(check(io.BytesIO(data[:place] + bytes([data[place] ^ 0x15]) + data[place + 1 :])))
        )
        assert list(check(io.BytesIO(data[:place]))), f"cut at {place}"
    assert found > len(data) / 3 / 2


def test_damage_in_a_warc_is_found() -> None:
    record = warc.response(URL, http1.parse(PLAIN), NOW, "").data
    assert any("twice" in fault for fault in check_warc(io.BytesIO(record + record)))
    assert list(check_warc(io.BytesIO(record[:-20])))
    assert list(check_warc(io.BytesIO(b"")))
    assert list(
        check_warc(io.BytesIO(gzip.compress(gzip.decompress(record).replace(b"hello", b"jello"))))
    )
