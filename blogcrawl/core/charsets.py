"""Names of character encodings: those that browsers know, no other codecs of Python's.

Python finds codecs by name that are no charsets at all (``idna``, ``punycode``, ``hex``, ``zlib``,
``rot13``, ``unicode_escape``): some raise errors that decoding text never does, some take quadratic
time. Browsers ignore such names (WHATWG Encoding, 4.2 "Names and labels"), and so do pages and
feeds here. UTF-7 is not among theirs either: text in it can hide markup.
"""

from __future__ import annotations

import re
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
    content_type: str | None, body: bytes, unnamed: Callable[[bytes], str]
) -> tuple[str, str]:
    """Return codec and text of a page: byte order mark, header, declaration, else ``unnamed``.

    Follows WHATWG HTML, 13.2.3.2. Never raises: invalid bytes become U+FFFD.
    """
    marked, mark = read_bom(body)
    if marked is not None and mark is not None:
        return marked, to_unicode(body[len(mark) :], marked)
    codec = served(content_type) or declared(body) or unnamed(body)
    if codec == "utf-16":  # without a mark
        codec = "utf-16-be"
    return codec, to_unicode(body, codec)


MARKED = (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\x1b$")
"""Byte order marks and the shift of ISO-2022-JP: such bytes say themselves what they are."""
LEGACY = (
    *("windows-1251", "koi8-r", "windows-1253", "windows-1255", "windows-1256"),
    *("euc-jp", "shift_jis", "gb18030", "big5", "euc-kr"),
)
BROKEN = 0.15
"""Share of the non-ASCII bytes up to which UTF-8 may be broken. Of one recorded page with an
address cut amid a letter it is 0.12; of five bytes of Latin text one may be."""
ENOUGH = 10
"""Non-ASCII bytes from which rows of them say something."""
IN_ROWS = 0.5
"""Share of the non-ASCII bytes that stand next to one another which divides Latin text, where they
are accents amid other letters, from that of other alphabets. On the recorded blogs, encoded so, it
is 0.43 at most of Latin pages with ten of them, 0.6 at least of the others."""
OF_CHINA, KANA = ("gb18030", "big5", "euc-kr"), re.compile("[぀-ヿ]")
"""Charsets that have kana where EUC-JP has them, and what no text in them is made of."""
USUAL = re.compile(
    "[а-зик-чыьэ-яё-џάέήίαεδηικλμνοπρςστυόύώאבגדהוחילםמןנעצקרשתاأبةتجحدرسعفقكلمنهوي]"
    "|([぀-ヿ이다는에의을를가한고하로지사기도대서인나그어시자있은들리수的一是不了人我在有他这這中大来來上国國个個到说說们們为為子和你地出道也时時年])"
    "|(?<=[A-Za-z])[ßà-öø-ÿ](?![ßà-öø-ÿ])"
)
"""Frequent letters of the scripts in ``LEGACY``: small Cyrillic and Greek, Hebrew, Arabic, kana,
Hangul, Han; accents alone among Latin ones. The bytes of one alphabet's frequent letters are rare
ones of another."""
ODD = re.compile(
    "[\u2500-\u25ff\ue000-\uf8ff｡-ﾟ\u0080-\u009f]|[а-яё][А-ЯЁ]|[ά-ώ][Α-Ϋ]|"
    "(?<![א-ת\u05b0-\u05c4])[\u05b0-\u05bd]|"
    "[а-яά-ώא-תء-ي][¡-¶¸¹¼-¿×÷ƒ„†‡ˆ‰Œà-ÿ]|[¡-ª¬-¹¼-¿×÷ƒ†‡ˆ‰Œà-ÿ][а-яά-ώא-תء-ي]"
)
"""What wrong decoders make: lines of boxes, private use, half-width kana, controls, capitals, signs
and Latin letters in words, points under no letter."""


def _decode_marked(content_type: str | None, body: bytes) -> tuple[str, str]:
    """Decode a body with a byte order mark, or of ASCII, in which some charsets write other letters
    (ISO-2022-JP)."""
    if served(content_type) == "utf-8" and not body.startswith(MARKED):
        return "utf-8", body.decode()
    return decode_html(content_type, body, lambda _body: "utf-8")


def decode_page(content_type: str | None, body: bytes) -> tuple[str, str]:
    """Return encoding and text.

    The declaration counts (WHATWG Encoding, w3lib) unless the bytes contradict it: bytes that are
    UTF-8 beyond chance are UTF-8, and where the declared one leaves holes, what is most like text
    is taken.
    """
    if body.startswith(MARKED) or body.isascii():
        return _decode_marked(content_type, body)
    try:
        return "utf-8", body.decode("utf-8")
    except UnicodeDecodeError:
        pass
    encoding, text = decode_html(content_type, body, guess)
    own = declared(body)
    if encoding == "cp1252" and own != encoding:
        # many a server names Latin-1 for all it has; a page that names another one and is nothing
        # else knows better, and so do the letters of one that names none
        better = own or guess(body)
        again = to_unicode(body, better)
        encoding, text = (encoding, text) if "\ufffd" in again else (better, again)
    if encoding == "utf-8" or "\ufffd" in text:
        others = filter(None, (own, guess(body)))
        found = [(name, to_unicode(body, name)) for name in others]
        return min([(encoding, text), *found], key=lambda read: read[1].count("\ufffd"))
    return encoding, text


def guess(body: bytes) -> str:
    """Guess UTF-8 if most bytes are that, as they are of no other text by chance, windows-1252 if
    most stand alone, else by letters."""
    text = body.decode("utf-8", "replace")
    rows = [len(row) for row in re.findall(rb"[\x80-\xff]+", body)]
    if text.count("\ufffd") < BROKEN * sum(rows):
        return "utf-8"
    if sum(rows) < ENOUGH or sum(row for row in rows if row > 1) < IN_ROWS * sum(rows):
        return "windows-1252"
    return max(("windows-1252", *LEGACY), key=lambda name: _likeness(to_unicode(body, name), name))


def _likeness(text: str, name: str) -> float:
    if name in OF_CHINA:
        text = KANA.sub("", text)
    usual = sum(2 if wide else 1 for wide in USUAL.findall(text))  # bytes, not letters
    return usual - 5 * len(ODD.findall(text)) - 20 * text.count("\ufffd")
