"""Bytes of a hostile server -> a small, safe XML tree.

No entity is ever expanded: document type declarations are cut out before the parser sees them, the
five XML entities and HTML's named ones are turned into characters, and any other reference becomes
text. So neither external entities (XXE) nor nested ones (billion laughs) can do anything. Size and
depth are bounded: libxml2 itself stops at 256 levels and at 10 MB per text node as long as
``huge_tree`` is off.
"""

from __future__ import annotations

import codecs
import html
import re
import zlib
from html.entities import html5
from typing import Any

from lxml import etree

from blogcrawl.core.charsets import charset, guess, served

MAX_BYTES = 50_000_000
"""Bytes of one document after decompression: the limit of sitemaps.org, generous for feeds."""

_MARKS = (
    (b"\xef\xbb\xbf", 3, "utf-8"),
    (b"\xff\xfe", 2, "utf-16-le"),
    (b"\xfe\xff", 2, "utf-16-be"),
    (b"<\x00?\x00", 0, "utf-16-le"),
    (b"\x00<\x00?", 0, "utf-16-be"),
)
"""How a document begins: byte order marks, which are taken off, and a declaration in UTF-16."""
_DECLARED = re.compile(rb"""^[^<]{0,64}<\?xml[^>]{0,200}?encoding\s*=\s*["']\s*([A-Za-z0-9._-]+)""")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_BAD_REFERENCE = re.compile(r"&#(?:[xX]0*([0-9a-fA-F]{1,7})|0*([0-9]{1,8}));")
_SECTION = re.compile(r"<!\[CDATA\[|<!--")
_ENTITY = re.compile(r"&(?!#(?:[0-9]{1,8}|[xX][0-9a-fA-F]{1,7});)([A-Za-z][A-Za-z0-9]{0,31};)?")
_MARKUP = {ord(char): f"&#{ord(char)};" for char in "&<>\"'"}
"""Characters that stay references. In numbers: behind a first fault libxml2 drops those by name."""


LATIN = "cp1252"
GUESSED = 100_000
"""Bytes whose letters say in which encoding a document is that names none."""
_CHUNK = 4096
"""Bytes unpacked at a time: what follows a member's end is copied, and a hostile file has a member
every 20 bytes.
"""


class TooBigError(ValueError):
    """A document that exceeds ``MAX_BYTES`` once unpacked."""


def gunzip(body: bytes, limit: int = MAX_BYTES) -> bytes:
    """Return bytes of a gzip file (several members allowed); other bytes come back as they are.

    Raises TooBigError beyond ``limit``; a broken tail is dropped, what could be unpacked comes
    back.
    """
    if not body.startswith(b"\x1f\x8b"):
        return body
    out, view, place = bytearray(), memoryview(body), 0
    unpacker = zlib.decompressobj(wbits=31)
    while place < len(body):
        chunk = view[place : place + _CHUNK]
        try:
            out += unpacker.decompress(chunk, limit - len(out) + 1)
        except zlib.error:
            break
        if len(out) > limit:
            raise TooBigError(f"unpacks to more than {limit} bytes")
        read = len(chunk) - len(unpacker.unused_data) - len(unpacker.unconsumed_tail)
        place += read
        if unpacker.eof:
            if not body.startswith(b"\x1f\x8b", place):
                break
            unpacker = zlib.decompressobj(wbits=31)
        elif not read:
            break
    return bytes(out)


def _control_bytes(error: UnicodeError) -> tuple[bytes, int]:
    """Return characters undefined in windows-1252 as control characters, as browsers read them."""
    if isinstance(error, UnicodeEncodeError) and all(
        0x80 <= ord(c) <= 0x9F for c in error.object[error.start : error.end]
    ):
        return error.object[error.start : error.end].encode("latin-1"), error.end
    raise error


codecs.register_error("blogcrawl.control-bytes", _control_bytes)
ENOUGH = 5
"""Characters beyond ASCII that must come out: fewer may be an example of it."""


def undone(text: str) -> str:
    """Return the text as it was before a program took its UTF-8 for windows-1252 and encoded it
    again ("cafÃ©"), where all of it is so.
    """
    if text.isascii():
        return text
    try:
        once = text.encode("windows-1252", "blogcrawl.control-bytes").decode("utf-8")
    except UnicodeError:
        return text
    return once if len(once.encode()) - len(once) >= ENOUGH else text


def _declared(body: bytes) -> str | None:
    found = _DECLARED.match(body[:400])
    return charset(found.group(1).decode("ascii")) if found else None


def decode(body: bytes, content_type: str | None = None) -> tuple[str, str]:
    """(text, name of the encoding). Order: byte order mark, valid UTF-8, declaration, HTTP charset
    (but Latin-1, which many a server names for all it has), what the letters are like.

    Bytes beyond ASCII that happen to be valid UTF-8 are UTF-8, whatever server or declaration say:
    by chance that is practically impossible, wrong declarations are common (RFC 7303 would believe
    the server).
    """
    for mark, length, name in _MARKS:
        if body.startswith(mark):
            return body[length:].decode(name, "replace"), name
    named = _named(body, content_type)
    seven_bit = [name for name in named if name.startswith(("iso2022", "hz"))][:1]
    for name in [*(seven_bit or ["utf-8"]), *named]:
        text = None if name.startswith("utf-16") else _decoded(body, name)
        if text is not None:
            return text, name
    others = (name for name in named if name != "utf-8")
    return _decode_broken(body, next(others, charset(guess(body[:GUESSED])) or LATIN))


def _named(body: bytes, content_type: str | None) -> list[str]:
    """Return the encodings that the document and its server name, without the server's Latin-1."""
    in_header = served(content_type)
    return list(filter(None, (_declared(body), in_header if in_header != LATIN else None)))


def _decoded(body: bytes, encoding: str) -> str | None:
    """Return the text, or None if it is not of this encoding. UTF-8 that was encoded twice is
    undone.
    """
    try:
        text = body.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None
    return undone(text) if encoding == "utf-8" else text


def _decode_broken(body: bytes, name: str) -> tuple[str, str]:
    """Return text with bytes that no named encoding has: UTF-8 where 1 in 200 characters beyond
    ASCII is broken at most (texts cut in mid-character), else of the encoding ``name``.
    """
    mostly = body.decode("utf-8", "replace")
    if mostly.count("\ufffd") * 200 <= sum(1 for _ in re.finditer(r"[^\x00-\x7f]", mostly)):
        return mostly, "utf-8"
    try:
        return body.decode(name, "replace"), name
    except LookupError:
        return mostly, "utf-8"


def _cut_doctype(text: str) -> str:
    """Return ``text`` without its document type declaration (with internal subset); linear time,
    comments before it respected.
    """
    pos = cut = 0
    while cut < 5:  # one is legal; a bound, since each cut copies the text
        start = text.find("<", pos)
        if start < 0:
            return text
        if text.startswith("<!--", start):
            end = text.find("-->", start + 4)
            pos = end + 3 if end >= 0 else len(text)
        elif text.startswith("<?", start):
            end = text.find("?>", start + 2)
            pos = end + 2 if end >= 0 else len(text)
        elif text[start : start + 9].upper() == "<!DOCTYPE":
            end = _doctype_end(text, start + 9)
            text = text[:start] + text[end:]
            pos = start
            cut += 1
        else:
            return text
    return text


_DOCTYPE_TOKEN = re.compile(r"""\[|\]|>|"|'|<!--|<\?""")
_CLOSING = {'"': '"', "'": "'", "<!--": "-->", "<?": "?>"}


def _doctype_end(text: str, pos: int) -> int:
    inside = False
    while True:
        found = _DOCTYPE_TOKEN.search(text, pos)
        if not found:
            return len(text)
        token = found.group()
        pos = found.end()
        if token in _CLOSING:
            end = text.find(_CLOSING[token], pos)
            if end < 0:
                return len(text)
            pos = end + len(_CLOSING[token])
        elif token == "[":
            inside = True
        elif token == "]":
            inside = False
        elif not inside:
            return pos


def _reference(found: re.Match[str]) -> str:
    name = found.group(1) or ""
    return html5.get(name, "&" + name).translate(_MARKUP)


def _number(found: re.Match[str]) -> str:
    code = int(found.group(1), 16) if found.group(1) else int(found.group(2))
    if 0x80 <= code <= 0x9F:  # Windows-1252 in disguise, as HTML reads it
        return html.unescape(found.group())
    # not removed: what stands around it would be a reference ("&&#0;#xd800;")
    return "\ufffd" if code > 0x10FFFF or _FORBIDDEN.match(chr(code)) else found.group()


def _tame(text: str) -> str:
    """Return entities outside of CDATA sections and comments made harmless and well-formed."""
    if "&" not in text:
        return text
    # everywhere: libxml2 reads surrogates where what looks like a section is part of an attribute
    text = _BAD_REFERENCE.sub(_number, text.replace("&#X", "&#x"))  # HTML writes both
    out = []
    pos = 0
    while pos < len(text):
        section = _SECTION.search(text, pos)
        start = section.start() if section else len(text)
        piece = text[pos:start]
        out.append(_ENTITY.sub(_reference, piece) if "&" in piece else piece)
        if not section:
            break
        closing = "]]>" if section.group() == "<![CDATA[" else "-->"
        end = text.find(closing, start + 4)
        if end < 0:
            # an unclosed section: libxml2 would drop the rest of the document
            out.append(text[start:] + closing)
            break
        out.append(text[start : end + 3])
        pos = end + 3
    return "".join(out)


def prepare(text: str) -> bytes:
    """Return ``text`` as UTF-8 that an XML parser can be given safely: junk before the first tag,
    declaration, document type, bad characters gone.

    Empty where there is no tag at all. Raises TooBigError.
    """
    if len(text) > MAX_BYTES:
        raise TooBigError(f"more than {MAX_BYTES} characters")
    text = _FORBIDDEN.sub("", text)
    start = text.find("<")
    if start < 0:
        return b""
    text = re.sub(r"^<\?xml[^>]*\?>", "", text[start:], count=1)
    return _tame(_cut_doctype(text)).encode("utf-8", "replace")


SAFELY: dict[str, Any] = {
    "recover": True,
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}
"""How lxml's parsers read what ``prepare`` returns: small faults forgiven, nothing loaded."""


def parse_xml(text: str) -> etree._Element | None:
    """Return the root element of ``text`` (small faults forgiven), or None without one. Raises
    TooBigError.
    """
    parser = etree.XMLParser(**SAFELY, strip_cdata=True, encoding="utf-8")
    try:
        root = etree.fromstring(prepare(text), parser=parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    if root is not None:
        etree.strip_elements(root, etree.Entity, with_tail=False)
    return root


def text_of(node: Any) -> str:
    """Return all text inside of an element, as it stands."""
    return "".join(node.itertext())
