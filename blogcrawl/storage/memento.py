"""Captures of a web archive that is asked over the web: Memento (RFC 7089) or a CDX server.

Each answer is read as it was captured (``id_`` in the addresses of Wayback machines and pywb),
where the service has that form. Sans-IO: who uses it gives ``connect`` a function that fetches.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from typing import Any
from urllib.parse import quote, urljoin

from blogcrawl.core.errors import UnreachableError
from blogcrawl.storage.web_archive import Captured, Entry, Get, Reply, choose, moment_of

MAX_HOPS = 5
"""Redirects of the service on the way to a capture."""
_STAMPED = re.compile(r"/(\d{14})(?:[a-z]{2}_)?/(https?:/.*)", re.IGNORECASE | re.DOTALL)
"""Address of a memento: time of the capture, and of what."""
_LINK = re.compile(r'<([^<>]+)>\s*;\s*rel="([a-z ]*)"')
_CDX = re.compile(r"/(?:cdx/search/)?cdx\b[^/]*\Z")
_ORIGINAL = "x-archive-orig-"
"""Prefix of header fields that a Wayback machine gives as they were captured."""


class Memento:
    """A CaptureSource over the web.

    ``service``: the TimeGate (its address, to which that of the page is appended) or a CDX server.
    ``before``: captures after that time are left out.
    """

    def __init__(self, service: str, before: datetime | None = None) -> None:
        self.service, self.before = service, before
        cdx = _CDX.search(service)
        self._cdx = service if cdx is not None else ""
        self._prefix = _replay_of(service) if cdx is not None else ""
        """Of addresses of captures, where it is known."""
        self._read: dict[str, Any] = {"captures": 0, "first_capture": None, "last_capture": None}

    def connect(self, get: Get) -> None:
        """Use ``get`` for requests to the service."""
        self._get = get

    async def find(self, url: str) -> Captured | None:
        """Ask for the capture of ``url``. Raises UnreachableError if the service fails."""
        place = await self._place(url)
        found = await self._follow(url, place) if place else None
        if found is not None:
            self._note(found)
        return found

    async def rendered(self, url: str) -> Captured | None:
        """Return None: services give what servers answered."""
        return None

    def pages(self) -> Iterable[str]:
        """Return nothing: services are requested one address at a time."""
        return ()

    def provenance(self) -> dict[str, Any]:
        """Return the service, and when its captures were made."""
        return {"service": self.service, **self._read}

    # addresses of captures

    async def _place(self, url: str) -> str:
        """Return the address of the capture of ``url``, or of the TimeGate that leads to it; empty
        if there is none."""
        if self._cdx:
            entry = await self._best(url)
            if entry is None:
                return ""
            stamp = datetime.fromisoformat(entry.date).strftime("%Y%m%d%H%M%S")
            return f"{self._prefix}{stamp}id_/{entry.url}"
        if self._prefix:
            return f"{self._prefix}{self._wanted():%Y%m%d%H%M%S}id_/{url}"
        return self.service + url

    def _wanted(self) -> datetime:
        return self.before or datetime.now(UTC)

    async def _best(self, url: str) -> Entry | None:
        """Return the capture that a CDX server lists of ``url`` and that is the one to read."""
        reply = await self._get(f"{self._cdx}?output=json&url={quote(url, safe='')}", {})
        if reply.status in (400, 403, 404, 451):
            return None
        _check(reply)
        found = list(entries_of_cdx(reply.body))
        limit = self._wanted().astimezone(UTC).isoformat()
        return choose(url, [one for one in found if one.date <= limit])

    async def _follow(self, url: str, place: str) -> Captured | None:
        asked = {"Accept-Datetime": format_datetime(self._wanted().astimezone(UTC), usegmt=True)}
        for _ in range(MAX_HOPS):
            reply = await self._get(place, asked)
            captured_at = _memento_time(reply)
            if captured_at is None:
                target = _next_place(reply)
                if target is None:
                    _check(reply)
                    return None
                place = self._as_captured(urljoin(place, target))
                continue
            raw = self._as_captured(_own_address(reply, place))
            if raw == place or not _STAMPED.search(raw):
                return _captured(url, place, captured_at, reply)
            place = raw
        return None

    def _as_captured(self, place: str) -> str:
        """Return ``place`` in the form that gives the unmodified capture, and remember the form."""
        found = _STAMPED.search(place)
        if found is None:
            return place
        prefix = place[: found.start() + 1]
        if place.startswith(self.service):
            self._prefix = prefix
        return f"{prefix}{found[1]}id_/{found[2]}"

    def _note(self, found: Captured) -> None:
        date = found.date.isoformat()
        read = self._read
        read["captures"] += 1
        read["first_capture"] = min(read["first_capture"] or date, date)
        read["last_capture"] = max(read["last_capture"] or date, date)


def _replay_of(cdx: str) -> str:
    """Return where the captures lie that a CDX server lists: pywb ``/coll/cdx`` and ``/coll/``,
    Wayback ``/cdx/search/cdx`` and ``/web/``."""
    if "/cdx/search/" in cdx:
        return cdx[: cdx.index("/cdx/search/")] + "/web/"
    return _CDX.sub("/", cdx)


def entries_of_cdx(body: bytes) -> Iterable[Entry]:
    """Yield the captures of a CDX answer: a JSON object a line (pywb), or one array of rows whose
    first has the names (Wayback)."""
    text = body.decode("utf-8", "replace").strip()
    for row in _rows(text):
        when = moment_of(str(row.get("timestamp", "")))
        url = row.get("url") or row.get("original")
        if when is None or not isinstance(url, str):
            continue
        status = str(row.get("status") or row.get("statuscode") or "200")
        yield Entry(
            url=url,
            date=when.isoformat(),
            status=int(status) if status.isascii() and status.isdigit() else 200,
            mime=str(row.get("mime") or row.get("mimetype") or ""),
            target="?" if status.startswith("3") else "",
        )


def _rows(text: str) -> Iterable[Mapping[str, Any]]:
    try:
        if text.startswith("[["):
            names, *rows = json.loads(text)
            return [dict(zip(names, row, strict=False)) for row in rows]
        return [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    except ValueError:
        return []


def _check(reply: Reply) -> None:
    """Raise UnreachableError where the service failed, rather than having nothing."""
    if reply.status == 429 or reply.status >= 500:
        raise UnreachableError(f"the web archive answers HTTP {reply.status}")


def _memento_time(reply: Reply) -> datetime | None:
    text = reply.headers.get("memento-datetime")
    try:
        return parsedate_to_datetime(text).astimezone(UTC) if text else None
    except ValueError:
        return None


def _next_place(reply: Reply) -> str | None:
    """Return where a TimeGate leads on: a redirect, or the memento in its Link header (RFC 7089,
    2.2; pywb gives its frame with it)."""
    if 300 <= reply.status < 400:
        return reply.headers.get("location")
    if reply.status != 200:
        return None
    links = _LINK.findall(reply.headers.get("link", ""))
    return next((place for place, relations in links if "memento" in relations.split()), None)


def _own_address(reply: Reply, place: str) -> str:
    """Return the address of the memento that a TimeGate gives at once (RFC 7089, 4.1.2)."""
    return urljoin(place, reply.headers.get("content-location", place))


def _captured(url: str, place: str, date: datetime, reply: Reply) -> Captured:
    found = _STAMPED.search(place)
    original = found[2] if found is not None else url
    return Captured(url=original, date=date, message=_message(reply, original), origin=place)


def _message(reply: Reply, url: str) -> bytes:
    """Return the HTTP message as captured, without what the service adds; redirects lead to where
    they led then."""
    headers = {
        name.removeprefix(_ORIGINAL): value
        for name, value in reply.headers.items()
        if name.startswith(_ORIGINAL)
    } or dict(reply.headers)
    headers.pop("transfer-encoding", None)
    headers["content-length"] = str(len(reply.body))
    for name in ("content-type", "content-encoding", "location"):
        if name in reply.headers:
            headers[name] = reply.headers[name]
    if "location" in headers:
        target = _STAMPED.search(headers["location"])
        headers["location"] = urljoin(url, target[2] if target else headers["location"])
    lines = "".join(
        f"{name}: {value}\r\n" for name, value in headers.items() if name not in _OF_SERVICE
    )
    return f"HTTP/1.1 {reply.status} OK\r\n{lines}\r\n".encode("latin-1", "replace") + reply.body


_OF_SERVICE = frozenset({"memento-datetime", "link", "content-location", "preference-applied"})
