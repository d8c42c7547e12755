"""CDXJ lines: the index of a WARC file (specs.webrecorder.net/cdxj/0.1.0)."""

from __future__ import annotations

import json
import re
from urllib.parse import quote, urlsplit

from blogcrawl.packaging.warc import Record

_WWW = re.compile(r"www\d*\.")
_WORD = re.compile(r"[!-~]*\Z")
_PORTS = {"http": 80, "https": 443}


def surt(url: str) -> str:
    """Return a URL's sort-friendly key, without scheme and ``www``: ``org,example)/a?b=1``.

    IPv4 addresses are turned round as well: every other tool does it.

    What is no http(s) URL comes back as it is.
    """
    if not url.lower().startswith(("http://", "https://")):
        return _plain(url)
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return _plain(url)
    host = _WWW.sub("", host, count=1) if _WWW.match(host) else host
    host = ",".join(reversed(host.rstrip(".").split(".")))
    place = f":{port}" if port and port != _PORTS[parts.scheme.lower()] else ""
    path = (parts.path or "/").lower()
    if len(path) > 1 and path.endswith("/"):
        path = path.rstrip("/") or "/"
    query = "&".join(sorted(parts.query.lower().split("&"))) if parts.query else ""
    return _plain(f"{host}{place}){path}{'?' + query if query else ''}")


def _plain(text: str) -> str:
    """Percent-encode all but printable ASCII without blanks: a key is one word of one line."""
    return (
        text
        if _WORD.match(text)
        else "".join(c if "!" <= c <= "~" else quote(c, errors="replace") for c in text)
    )


def line(record: Record, filename: str, offset: int, length: int) -> str | None:
    """Return a record's index line without line end; None for records not looked up by URL."""
    if record.type not in ("response", "revisit", "resource"):
        return None
    stamp = "".join(c for c in record.date[:19] if c.isdigit())
    fields = {
        "url": record.url,
        "mime": "warc/revisit" if record.type == "revisit" else record.mime,
        "status": str(record.status),
        "digest": record.payload_digest,
        "length": str(length),
        "offset": str(offset),
        "filename": filename,
    }
    return f"{surt(record.url)} {stamp} {json.dumps(fields, ensure_ascii=True)}"
