"""The second origin: files of packages, as they were archived.

Nothing here is trusted. It is served from another port, so that it shares no origin with the
application; every answer is sandboxed, and what is no picture, sound or film is a download. A link
is signed with a key of this process, so that only pages of the application lead here.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import closing
from typing import BinaryIO

from itsdangerous import BadSignature, Signer
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.packaging import ids
from blogcrawl.storage.base import PackageStore

SHOWN = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "bmp": "image/bmp",
    "ico": "image/vnd.microsoft.icon",
    "svg": "image/svg+xml",
    "mp3": "audio/mpeg",
    "ogg": "audio/ogg",
    "wav": "audio/x-wav",
    "mp4": "video/mp4",
    "webm": "video/webm",
}
"""Types that a browser shows, by the ending of the file's name; all others are downloads."""
HEADERS = {
    "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; "
    "img-src data:; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "X-Robots-Tag": "noindex",
    "Cache-Control": "private, max-age=86400, immutable",
}
FRAMED = HEADERS | {
    "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; "
    "img-src data:",
    "Cache-Control": "no-store",
}
"""Of pages that the application shows in a frame: as sandboxed, without scripts and forms."""
DRAWN = 20
"""Drawn pages that are kept."""
_CHUNK = 2**18
_NAME = re.compile(r"[^\w.-]+")


class Captures:
    """Addresses of archived files at the second origin, and their answers."""

    def __init__(self, store: PackageStore, origin: str, key: bytes) -> None:
        self.store, self.origin = store, origin.rstrip("/")
        self._signer = Signer(key, salt="blogcrawl.captured")
        self._drawn: OrderedDict[str, bytes] = OrderedDict()

    def link(self, object_id: str, version: int, path: str) -> str:
        """Return the address of a file of a package."""
        signed = self._signer.sign(f"{ids.bare(object_id)}/{version}/{path}").decode()
        place, _, signature = signed.rpartition(".")
        return f"{self.origin}/{signature}/{place}"

    def show(self, html: bytes) -> str:
        """Keep a page that was drawn from an archived one for a while; return its address."""
        name = hashlib.sha256(html).hexdigest()
        self._drawn[name] = html
        while len(self._drawn) > DRAWN:
            self._drawn.popitem(last=False)
        signature = self._signer.get_signature(name).decode()
        return f"{self.origin}/{signature}/drawn/{name}"

    def routes(self) -> list[Route]:
        """Return the routes of the second origin's application."""
        place = "/{signature}/{uuid:uuid}/{version:int}/{path:path}"
        return [
            Route("/{signature}/drawn/{name}", self._page, methods=["GET"]),
            Route(place, self._answer, methods=["GET"]),
        ]

    def _page(self, request: Request) -> Response:
        name, signature = request.path_params["name"], request.path_params["signature"]
        html = self._drawn.get(name)
        if html is None or not self._signer.verify_signature(name, signature.encode()):
            return PlainTextResponse("not here", 404, HEADERS)
        return Response(html, headers=FRAMED, media_type="text/html; charset=utf-8")

    def _answer(self, request: Request) -> Response:
        uuid, version = str(request.path_params["uuid"]), request.path_params["version"]
        path, signature = request.path_params["path"], request.path_params["signature"]
        try:
            self._signer.unsign(f"{uuid}/{version}/{path}.{signature}")
            file = self.store.open(ids.urn(uuid), path, version)
        except (BadSignature, BlogcrawlError, FileNotFoundError):
            return PlainTextResponse("not here", 404, HEADERS)
        name = path.rpartition("/")[2]
        shown = SHOWN.get(name.rpartition(".")[2].lower())
        headers = dict(HEADERS)
        if shown is None:
            headers["Content-Disposition"] = f'attachment; filename="{_NAME.sub("_", name)}"'
        return StreamingResponse(
            pieces(file), headers=headers, media_type=shown or "application/octet-stream"
        )


def pieces(file: BinaryIO) -> Iterator[bytes]:
    """Yield a file piece by piece and close it."""
    with closing(file):
        while piece := file.read(_CHUNK):
            yield piece
