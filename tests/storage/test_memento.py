"""The client of Memento and CDX services, against answers as pywb and Wayback machines give."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from blogcrawl.core.errors import UnreachableError
from blogcrawl.packaging.http1 import Message
from blogcrawl.storage.memento import Memento, entries_of_cdx
from blogcrawl.storage.web_archive import Captured, Reply

URL = "http://blog.test/post"
GATE = "http://archive.test/web/"
CAPTURE = f"{GATE}20120506070809id_/{URL}"
WHEN = "Sun, 06 May 2012 07:08:09 GMT"


class Net:
    """Answers by address, and what was asked."""

    def __init__(self, **_: object) -> None:
        self.answers: dict[str, Reply] = {}
        self.asked: list[str] = []

    async def get(self, url: str, headers: Mapping[str, str]) -> Reply:
        self.asked.append(url)
        return self.answers.get(url) or Reply(status=404, headers={}, body=b"")


@pytest.fixture
def net() -> Net:
    return Net()


def source(net: Net, service: str = GATE, before: datetime | None = None) -> Memento:
    found = Memento(service, before)
    found.connect(net.get)
    return found


def find(memento: Memento, url: str = URL) -> Captured | None:
    return asyncio.run(memento.find(url))


def page(body: bytes = b"<html>then", **headers: str) -> Reply:
    fields = {"memento-datetime": WHEN, "content-type": "text/html"}
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=200, headers={**fields, **more}, body=body)


def test_time_gate_returns_the_unmodified_capture(net: Net) -> None:
    rewritten = f"{GATE}20120506070809/{URL}"
    net.answers = {
        GATE + URL: Reply(status=302, headers={"location": rewritten}, body=b""),
        CAPTURE: page(x_archive_orig_etag='"abc"', link="<x>; rel=memento"),
    }
    found = find(source(net))
    assert found is not None and found.url == URL and found.origin == CAPTURE
    assert found.date == datetime(2012, 5, 6, 7, 8, 9, tzinfo=UTC)
    message = Message(found.message)
    assert (message.status, message.entity) == (200, b"<html>then")
    assert message.headers["etag"] == '"abc"' and "link" not in message.headers


def test_time_gate_with_a_framed_answer_is_followed_to_the_capture(net: Net) -> None:
    link = f'<{URL}>; rel="original", <{GATE}20120506070809mp_/{URL}>; rel="first memento"'
    net.answers = {
        GATE + URL: Reply(status=200, headers={"link": link}, body=b"<iframe>"),
        CAPTURE: page(),
    }
    assert find(source(net)) is not None


def test_url_form_of_raw_captures_is_remembered(net: Net) -> None:
    net.answers = {
        GATE + URL: Reply(status=302, headers={"location": CAPTURE}, body=b""),
        CAPTURE: page(),
    }
    before = datetime(2012, 5, 6, 7, 8, 9, tzinfo=UTC)
    memento = source(net, before=before)
    assert find(memento) is not None
    net.asked.clear()
    assert find(memento) is not None
    assert net.asked == [CAPTURE]


def test_captured_redirect_is_followed_at_its_capture_time(net: Net) -> None:
    target = f"{GATE}20120506070810id_/http://blog.test/new"
    headers = {"memento-datetime": WHEN, "location": target}
    net.answers = {CAPTURE: Reply(status=301, headers=headers, body=b"")}
    net.answers[GATE + URL] = Reply(status=302, headers={"location": CAPTURE}, body=b"")
    found = find(source(net))
    assert found is not None
    message = Message(found.message)
    assert (message.status, message.headers["location"]) == (301, "http://blog.test/new")


def test_page_unknown_to_the_service_is_not_captured(net: Net) -> None:
    assert find(source(net)) is None


@pytest.mark.parametrize("status", [429, 502, 503])
def test_service_failure_is_not_a_missing_capture(net: Net, status: int) -> None:
    net.answers = {GATE + URL: Reply(status=status, headers={}, body=b"")}
    with pytest.raises(UnreachableError, match=str(status)):
        find(source(net))


def test_captured_error_status_is_the_sites(net: Net) -> None:
    failed = Reply(status=503, headers={"memento-datetime": WHEN}, body=b"busy")
    net.answers = {CAPTURE: failed}
    net.answers[GATE + URL] = Reply(status=302, headers={"location": CAPTURE}, body=b"")
    found = find(source(net))
    assert found is not None and Message(found.message).status == 503


def test_cdx_finds_the_newest_successful_capture(net: Net) -> None:
    lines = "\n".join(
        f'{{"timestamp": "{stamp}", "url": "{URL}", "mime": "text/html", "status": "{status}"}}'
        for stamp, status in (("20110101000000", 200), ("20120506070809", 200), ("2013", 404))
    ).replace('"2013"', '"20130101000000"')
    cdx = "http://archive.test/web/cdx"
    asked = f"{cdx}?output=json&url=http%3A%2F%2Fblog.test%2Fpost"
    net.answers = {asked: Reply(status=200, headers={}, body=lines.encode()), CAPTURE: page()}
    found = find(source(net, cdx))
    assert found is not None and found.origin == CAPTURE
    assert net.asked == [asked, CAPTURE]


def test_cdx_of_a_wayback_machine_is_read() -> None:
    body = (
        b'[["urlkey","timestamp","original","mimetype","statuscode"],'
        b'["test,blog)/","20120506070809","http://blog.test/","text/html","200"]]'
    )
    [entry] = entries_of_cdx(body)
    assert (entry.url, entry.status, entry.date[:10]) == ("http://blog.test/", 200, "2012-05-06")
    assert list(entries_of_cdx(b"<html>no CDX")) == []


def test_provenance_has_service_and_capture_times(net: Net) -> None:
    net.answers = {
        GATE + URL: Reply(status=302, headers={"location": CAPTURE}, body=b""),
        CAPTURE: page(),
    }
    memento = source(net)
    find(memento)
    provenance = memento.provenance()
    assert provenance["service"] == GATE and provenance["captures"] == 1
    assert provenance["first_capture"] == provenance["last_capture"] == "2012-05-06T07:08:09+00:00"
