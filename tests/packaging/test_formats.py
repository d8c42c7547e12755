"""Formats of files in PRONOM, by their first bytes."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from blogcrawl.packaging.formats import identify
from blogcrawl.packaging.parts import Kept, part

_XHTML = b'<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://x">'
_HTML4 = b'<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://x">'
_EXIF = b"\xff\xd8\xff\xe1\x00\x20Exif\x00\x00II*\x00......\x00\x90\x07\x00\x04\x00\x00\x000220"
_PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR......"


@pytest.mark.parametrize(
    ("head", "mime", "puid", "version"),
    [
        (b"<!-- x --><!doctype html><html>", "text/html", "fmt/471", "5"),
        (_XHTML, "text/html", "fmt/102", "1.0"),
        (b'<?xml version="1.0"?>' + _XHTML, "text/html", "fmt/102", "1.0"),
        (_HTML4, "text/html", "fmt/100", "4.01"),
        (b"<html><body>", "text/html", "fmt/96", ""),
        (b"<p>a part of a page", "text/html", "fmt/96", ""),
        (b'<?xml version="1.0"?><rss>', "application/rss+xml", "fmt/101", "1.0"),
        (b'<?xml version="1.0"?><svg version="1.1">', "image/svg+xml", "fmt/92", "1.1"),
        (b"GIF89a", "image/gif", "fmt/4", "89a"),
        (_PNG, "image/png", "fmt/11", "1.0"),
        (_PNG + b"sRGB", "image/png", "fmt/12", "1.1"),
        (_PNG + b"sRGB..iTXt", "image/png", "fmt/13", "1.2"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00", "image/jpeg", "fmt/43", "1.01"),
        (_EXIF, "image/jpeg", "x-fmt/391", "2.2"),
        (b"\xff\xd8\xff\xdb", "image/jpeg", "fmt/41", ""),
        (b"RIFF\x10\x00\x00\x00WEBPVP8L", "image/webp", "fmt/567", "Lossless"),
        (b"{}", "application/json", "fmt/817", ""),
        (b"anything", "application/x-odd", "", ""),
    ],
)
def test_format_by_first_bytes(head: bytes, mime: str, puid: str, version: str) -> None:
    found = identify(head, mime)
    assert (found.puid, found.version) == (puid, version)
    assert puid or found.name == mime


def test_files_and_bytes_are_identified_alike() -> None:
    page = b"<!doctype html>" + bytes(100_000)
    stream = io.BytesIO(page)
    by_bytes, by_file = part("a", page, "text/html"), part("a", stream, "text/html")
    assert replace(by_file, content=page) == by_bytes and by_bytes.format.puid == "fmt/471"
    assert stream.tell() == 0
    kept = part("a", Kept(sha512="0", size=1), "application/json")
    assert kept.format.puid == "fmt/817"
