"""Feeds as engines write them: ``tests/fixtures/feeds/<case>/`` has ``feed.xml`` and, in
``expected.json``, its record without empty values."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from blogcrawl.discovery.feeds import parse_feed

FIXTURES = Path(__file__).parents[1] / "fixtures" / "feeds"
URL = "https://blog.example/feed"


def as_json(record: object) -> Any:
    """What a record says, without what is empty."""
    if dataclasses.is_dataclass(record) and not isinstance(record, type):
        values = {f.name: as_json(getattr(record, f.name)) for f in dataclasses.fields(record)}
        return {name: value for name, value in values.items() if value not in (None, False, (), [])}
    if isinstance(record, tuple):
        return [as_json(value) for value in record]
    return record.isoformat() if isinstance(record, datetime) else record


@pytest.mark.parametrize("case", sorted(folder.name for folder in FIXTURES.iterdir()))
def test_feed_is_read_as_expected(case: str) -> None:
    feed = parse_feed((FIXTURES / case / "feed.xml").read_bytes(), URL)
    assert as_json(feed) == json.loads((FIXTURES / case / "expected.json").read_text())


def test_feedparser_is_imported_only_to_parse_feeds() -> None:
    code = (
        "import sys; from blogcrawl.discovery.feeds import parse_feed\n"
        "print('feedparser' in sys.modules)\n"
        "parse_feed(b'<rss><channel/></rss>', 'http://b.example/')\n"
        "print('feedparser' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True"]


def test_feed_parsing_opens_no_connection_or_file(monkeypatch: pytest.MonkeyPatch) -> None:
    parse_feed(b"<rss><channel/></rss>", URL)
    used: list[str] = []
    monkeypatch.setattr("socket.socket.connect", lambda *_: used.append("socket"))
    monkeypatch.setattr("builtins.open", lambda *_, **__: used.append("file"))
    body = (
        b'<!DOCTYPE rss SYSTEM "http://127.0.0.1:1/rss.dtd" [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        b'<rss xmlns:xi="http://www.w3.org/2001/XInclude"><channel><xi:include href="/etc/passwd"/>'
        b"<item><link>https://b.example/1</link><title>&x;</title></item></channel></rss>"
    )
    assert [entry.title for entry in parse_feed(body, URL).entries] == ["&x;"]
    assert not used


@pytest.mark.parametrize(
    "body",
    [
        b"<rss a='<![CDATA['><channel>&unknown;<title>&#xD800;</title></channel></rss>",
        b"<rss><channel a='<![CDATA[&#55296;'><title>t</title></channel></rss>",
        b"<rss><channel><title>&&#0;#xd800;</title></channel></rss>",
        b"<rss><channel><title>&#xd8&#0;00;</title></channel></rss>",
        b'{"items": [{"url": "http://blog.e\\ud800xample/1", "content_html": "x"}]}',
    ],
)
def test_surrogates_and_entities_are_resolved(body: bytes) -> None:
    feed = parse_feed(body, URL)
    json.dumps(as_json(feed), ensure_ascii=False).encode()
    assert not feed.entries


def test_invalid_character_references_are_read_as_in_html() -> None:
    body = b"<rss><channel><title>a&#0;b&#xD800;c&#99999999;d</title></channel></rss>"
    assert parse_feed(body, URL).title == "a\ufffdb\ufffdc\ufffdd"
