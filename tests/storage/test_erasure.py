"""What goes and what stays of WARC records when content is erased."""

from __future__ import annotations

import gzip
import io
import json
from datetime import UTC, datetime

import pytest

from blogcrawl.packaging import http1, warc
from blogcrawl.storage.erasure import Erased, Unwanted, copy_warc, holds_unwanted, letters, passages

NOW = datetime(2026, 1, 2, tzinfo=UTC)
TEXT = (
    "Ünmistakable “words” about the purple accordion & its long, sad story. Short one.\n"
    "Another sentence, which is by all means long enough to count."
)
UNWANTED = Unwanted(
    frozenset({"http://b.example/p"}),
    frozenset({"http://b.example/a.png"}),
    frozenset(),
    passages([TEXT]),
)


def response(url: str, body: bytes, *headers: str) -> warc.Record:
    head = "\r\n".join(["HTTP/1.1 200 OK", *headers, f"Content-Length: {len(body)}"])
    return warc.response(url, http1.parse(head.encode() + b"\r\n\r\n" + body), NOW, "127.0.0.1")


def kept(*records: warc.Record) -> list[bool]:
    erased, out = Erased(), io.BytesIO()
    data = b"".join(record.data for record in records)
    copy_warc(io.BytesIO(data), out, UNWANTED, erased, "x.warc.gz")
    assert holds_unwanted(io.BytesIO(data), UNWANTED, Erased()) == bool(erased.records)
    return [record.data in out.getvalue() for record in records]


def test_erased_texts_match_in_any_encoding() -> None:
    assert (
        letters("<p>Ünmistakable &ldquo;words&rdquo;</p>")
        == letters("Ünmistakable “words”")
        == letters("&lt;b&gt;Ünmistakable&lt;/b&gt; words")
    )
    assert letters(json.dumps("Ünmistakable “words”")) == "ünmistakablewords"
    assert letters("Short one.") not in passages([TEXT])
    assert passages(["Tiny post, really"]) == {"tinypostreally"} and passages(["no"]) == frozenset()


@pytest.mark.parametrize(
    "body",
    [
        TEXT.encode(),
        TEXT.encode("utf-16"),
        b"<li>" + TEXT.replace("&", "&amp;").replace("sad", "<i>sad</i>").encode() + b"</li>",
        json.dumps({"html": f"<p>{TEXT}</p>"}).encode(),
        f"<description>&lt;p&gt;{TEXT.splitlines()[1]}&lt;/p&gt;</description>".encode(),
    ],
    ids=["plain", "utf-16", "markup", "json", "feed"],
)
@pytest.mark.parametrize("coding", ["", "gzip", "br"])
def test_warc_records_with_an_erased_sentence_are_removed(body: bytes, coding: str) -> None:
    packed = {
        "": lambda data: data,
        "gzip": gzip.compress,
        "br": pytest.importorskip("brotli").compress,
    }[coding](body)
    headers = [f"Content-Encoding: {coding}"] if coding else []
    other = response("http://b.example/other", b"something else, which stays")
    assert kept(response("http://b.example/list", packed, *headers), other) == [False, True]


def test_pages_are_erased_by_url_with_their_dependents() -> None:
    page = response("http://b.example/p/", b"x")
    request = warc.request("http://b.example/p/", b"GET /p/ HTTP/1.1\r\n\r\n", NOW, page.record_id)
    capture = warc.Capture(
        record_id=page.record_id,
        url="http://b.example/p/",
        date=page.date,
        payload_digest=page.payload_digest,
    )
    revisit = warc.revisit(
        "http://b.example/copy", http1.parse(b"HTTP/1.1 200 OK\r\n\r\n"), NOW, "", capture
    )
    dom = warc.resource("urn:dom:http://b.example/p/", "text/html", b"x", NOW)
    picture = response("http://b.example/a.png", b"\x89PNG")
    info = warc.warcinfo("x.warc.gz", NOW, {})
    assert kept(
        info, page, request, revisit, dom, picture, response("http://b.example/q", b"x")
    ) == [True, *[False] * 5, True]


def test_unreadable_records_are_erased() -> None:
    assert kept(response("http://b.example/list", b"\x00\x01broken", "Content-Encoding: gzip")) == [
        False
    ]
    assert kept(response("http://b.example/list", b"whatever", "Content-Encoding: zebra")) == [
        False
    ]


def test_crawl_state_of_erased_pages_is_removed() -> None:
    """The state keeps the feed's entry of a page that could not be fetched."""
    from blogcrawl.storage.removal import without_content

    entry = {"title": "x", "summary_html": f"<p>{TEXT}</p>", "author": None}
    memory = {
        "missing": {"http://b.example/p": {"entry": entry}, "http://b.example/q": {"entry": entry}},
        "names": ["a", TEXT],
    }
    after = without_content(memory, UNWANTED)
    assert after == {
        "missing": {"http://b.example/q": {"entry": {"title": "x", "author": None}}},
        "names": ["a", None],
    }
