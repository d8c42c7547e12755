"""Names of character encodings: those that browsers know, no other codecs of Python's.

Python finds codecs by name that are no charsets at all (``idna``, ``punycode``, ``hex``, ``zlib``,
``rot13``, ``unicode_escape``): some raise errors that decoding text never does, some take quadratic
time. Browsers ignore such names (WHATWG Encoding, 4.2 "Names and labels"), and so do pages and
feeds here. UTF-7 is not among theirs either: text in it can hide markup.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from w3lib.encoding import (
    html_body_declared_encoding,
    http_content_type_encoding,
    read_bom,
    resolve_encoding,
    to_unicode,
)

CODECS = frozenset(
    "utf-8 cp866 iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 "
    "iso8859-10 iso8859-13 iso8859-14 iso8859-15"
    " iso8859-16 koi8-r koi8-u mac-roman mac-cyrillic cp874 cp1250 cp1251 cp1252 cp1253 cp1254 "
    "cp1255 cp1256 cp1257 cp1258"
    " gb18030 hz big5hkscs euc_jp iso2022_jp shift_jis cp932 euc_kr cp949 iso2022_kr utf-16 "
    "utf-16-be utf-16-le".split()
)
"""Python's names of the encodings of WHATWG's table, as w3lib resolves its labels; besides them HZ
and ISO-2022-KR, which browsers have dropped but feeds of their time are written in."""


def known(codec: str | None) -> str | None:
    """Return ``codec`` (resolved by w3lib) if it is a charset of the web, else None."""
    return codec if codec in CODECS else None


def charset(label: str) -> str | None:
    """Return the codec of a label such as ``latin1``; None if browsers do not know it."""
    return known(resolve_encoding(label))


@lru_cache(maxsize=256)
def served(content_type: str | None) -> str | None:
    """Return the codec named by a Content-Type header."""
    return known(http_content_type_encoding(content_type))


def declared(body: bytes) -> str | None:
    """Return the codec declared in a page's head (``meta``, XML declaration)."""
    return known(html_body_declared_encoding(body))


def decode_html(
    content_type: str | None, body: bytes, guess: Callable[[bytes], str]
) -> tuple[str, str]:
    """Return codec and text of a page: byte order mark, header, declaration, else ``guess``.

    Follows WHATWG HTML, 13.2.3.2. Never raises: invalid bytes become U+FFFD.
    """
    marked, mark = read_bom(body)
    if marked is not None and mark is not None:
        return marked, to_unicode(body[len(mark) :], marked)
    codec = served(content_type) or declared(body) or guess(body)
    if codec == "utf-16":  # without a mark
        codec = "utf-16-be"
    return codec, to_unicode(body, codec)
