"""Answers as hostile servers write them: lengths and chunks that are none break nothing."""

from __future__ import annotations

import pytest

from blogcrawl.packaging.http1 import parse


@pytest.mark.parametrize("length", ["²5", "٣", "+5", "-1", "5_0", "9" * 5000, "", "0x10", "1e3"])
def test_invalid_content_length_is_ignored(length: str) -> None:
    message = parse(
        f"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\nbody".encode("latin-1", "replace")
    )
    assert message.complete(closed=True)
    assert not message.complete(closed=False)


@pytest.mark.parametrize("size", ["²", "-5", "f" * 5000, "0x", "_1", ""])
def test_chunk_without_size_ends_the_body(size: str) -> None:
    message = parse(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
        + size.encode()
        + b"\r\nxyz\r\n"
    )
    assert message.entity.startswith(b"abc")
