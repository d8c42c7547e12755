"""Names of encodings: those of browsers are believed, other codecs of Python are not."""

from __future__ import annotations

import encodings.aliases

import pytest

from blogcrawl.core import charsets
from blogcrawl.core.charsets import decode_page
from blogcrawl.core.page import Page
from blogcrawl.discovery import safexml

NO_CHARSETS = [
    *(
        "idna",
        "punycode",
        "hex",
        "hex_codec",
        "base64",
        "bz2",
        "zlib",
        "zip",
        "uu",
        "quopri",
        "rot13",
        "rot_13",
        "unicode_escape",
    ),
    *(
        "raw_unicode_escape",
        "undefined",
        "mbcs",
        "oem",
        "utf-7",
        "utf_7",
        "string_escape",
        "utf-32",
        "palmos",
        "ptcp154",
        "cp037",
    ),
]
TEXT = "Der Fährmann schläft — naïve café. "


@pytest.mark.parametrize("name", NO_CHARSETS)
def test_a_codec_that_is_no_charset_is_ignored_by_pages(name: str) -> None:
    plain, accented = TEXT.encode("ascii", "ignore") * 50, TEXT.encode() * 50
    for body in (plain, accented, TEXT.encode("cp1252", "ignore") * 50):
        for page in (
            Page(
                url="http://b.example/",
                body=b"<p>" + body,
                headers={"content-type": f"text/html; charset={name}"},
            ),
            Page(url="http://b.example/", body=f'<meta charset="{name}"><p>'.encode() + body),
        ):
            assert "mann schl" in page.text and "<p>" in page.text
            assert page.tree.find(".//p") is not None


@pytest.mark.parametrize("name", NO_CHARSETS)
def test_a_codec_that_is_no_charset_is_ignored_by_feeds(name: str) -> None:
    body = (
        f'<?xml version="1.0" encoding="{name}"?><rss><title>'.encode()
        + TEXT.encode("cp1252")
        + b"</title></rss>"
    )
    text, encoding = safexml.decode(body, f"application/rss+xml; charset={name}")
    assert "schläft" in text and encoding == "cp1252"


def test_every_other_codec_of_python_is_unknown() -> None:
    for alias in encodings.aliases.aliases:
        codec = charsets.charset(alias)
        assert codec is None or codec in charsets.CODECS
        assert decode_page(f"text/html; charset={alias}", b"plain <b>words</b>" * 8)[1]


def test_the_labels_of_the_encoding_standard_are_known() -> None:
    labels = pytest.importorskip("webencodings.labels").LABELS
    unknown_to_python = {"replacement", "x-user-defined"}
    names = {name for name in labels.values() if name not in unknown_to_python}
    assert {name for name in names if charsets.charset(name) is None} <= {
        "iso-8859-8-i",
        "x-mac-cyrillic",
        "macintosh",
        "iso-2022-cn",
    }


@pytest.mark.parametrize(
    ("name", "codec"),
    [("latin1", "cp1252"), ("GB2312", "gb18030"), ("shift_jis", "cp932"), ("koi8-r", "koi8-r")],
)
def test_common_charset_names_are_unchanged(name: str, codec: str) -> None:
    assert charsets.charset(name) == codec
    assert charsets.served(f"text/html; charset={name}") == codec
