"""What a file is, by its first bytes: servers lie about pictures. Pure."""

from __future__ import annotations

import re

_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
    (b"\xff\x0a", "image/jxl"),
    (b"\x00\x00\x00\x0cJXL ", "image/jxl"),
    (b"ID3", "audio/mpeg"),
    (b"OggS", "application/ogg"),
    (b"fLaC", "audio/flac"),
    (b"MThd", "audio/midi"),
    (b"\x1aE\xdf\xa3", "video/webm"),
    (b"FLV\x01", "video/x-flv"),
    (b"%PDF-", "application/pdf"),
)
"""WHATWG MIME Sniffing, section 6, and the formats' own specifications."""
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
_FTYP = {
    b"avif": "image/avif",
    b"avis": "image/avif",
    b"heic": "image/heic",
    b"mif1": "image/heif",
    b"M4A ": "audio/mp4",
    b"qt  ": "video/quicktime",
}
_HTML = re.compile(
    (
        rb"\s*+(?:<!--.*?-->\s*+)*+<(?:!doctype\s{1,20}html|html|head|body|title|script|meta|div|"
        rb"p\b|h1)"
    ),
    re.I | re.S,
)
_SVG = re.compile(
    (
        rb"\s*+(?:<\?xml[^>]*>\s*+)?(?:<!--(?>.*?-->)\s*+)*+(?:<!doctype\s{1,"
        rb"20}svg[^>]*>\s*+)?<svg[\s>]"
    ),
    re.I | re.S,
)
_MP3_FRAME = re.compile(rb"\xff[\xfa\xfb\xf2\xf3]")


def sniff(head: bytes, declared: str | None = None) -> str | None:
    """Return the MIME type of content by its first 1,024 bytes, else the ``declared`` one.

    ``application/octet-stream`` and text types declared for what is no text are not believed: None.
    """
    head = head[:1024]
    return _by_content(head) or _believed((declared or "").split(";")[0].strip().lower(), head)


def _by_content(head: bytes) -> str | None:
    for signature, mime in _SIGNATURES:
        if head.startswith(signature):
            return mime
    if head[:4] == b"RIFF" and head[8:12] in _RIFF:
        return _RIFF[head[8:12]]
    if head[4:8] == b"ftyp":
        return _FTYP.get(head[8:12], "video/mp4")
    if _MP3_FRAME.match(head):
        return "audio/mpeg"
    if _SVG.match(head):
        return "image/svg+xml"
    return "text/html" if _HTML.match(head) else None


def _believed(mime: str, head: bytes) -> str | None:
    if "/" not in mime or mime in {"application/octet-stream", "binary/octet-stream", "text/plain"}:
        return None
    if mime.startswith("image/") and b"\x00" not in head and head.isascii():
        return None  # text under a picture's name
    return mime


def is_media(mime: str | None) -> bool:
    """Report whether it is a picture, a sound or a video (Ogg may be either)."""
    return mime is not None and (
        mime.startswith(("image/", "audio/", "video/")) or mime == "application/ogg"
    )
