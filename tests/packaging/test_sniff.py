"""Types told by bytes, not by servers."""

from __future__ import annotations

import pytest

from blogcrawl.packaging.sniff import is_media, sniff


@pytest.mark.parametrize(
    ("head", "declared", "mime"),
    [
        (b"\x89PNG\r\n\x1a\n....", "text/html", "image/png"),
        (b"\xff\xd8\xff\xe0", None, "image/jpeg"),
        (b"RIFF\x10\x00\x00\x00WEBPVP8 ", "image/jpeg", "image/webp"),
        (b"\x00\x00\x00\x20ftypavif", None, "image/avif"),
        (b"\x00\x00\x00\x20ftypisom", None, "video/mp4"),
        (
            b"<?xml version='1.0'?><!-- x --><svg xmlns='http://www.w3.org/2000/svg'>",
            "text/xml",
            "image/svg+xml",
        ),
        (b"  <!DOCTYPE html><html>", "image/png", "text/html"),
        (b"<!-- hi --><html>", "image/gif", "text/html"),
        (b"Not found", "image/png", None),
        (b"\x01\x02\x00\x03", "image/x-odd", "image/x-odd"),
        (b"\x01\x02", "application/octet-stream", None),
        (b"ID3\x04", "application/octet-stream", "audio/mpeg"),
        (b"OggS", None, "application/ogg"),
        (b"", None, None),
    ],
)
def test_media_type_is_sniffed_from_bytes(
    head: bytes, declared: str | None, mime: str | None
) -> None:
    assert sniff(head, declared) == mime


def test_media_types_are_recognised() -> None:
    assert is_media("image/png") and is_media("application/ogg")
    assert not is_media("text/html") and not is_media(None) and not is_media("application/pdf")


def test_leading_html_comments_take_linear_time() -> None:
    assert (
        sniff(b"<?xml version='1.0'?>" + b"<!--a--> " * 110) != "image/svg+xml"
    )  # once 2^110 steps
    assert sniff(b"<?xml version='1.0'?>" + b"<!--a--> " * 100 + b"<svg>") == "image/svg+xml"
