"""The browser's own traffic as evidence: what it asked for and got, as WARC records beside Scrapy's."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from blogcrawl.packaging.http1 import response_head
from blogcrawl.pipelines.watch import _later

_MAX_BODY = 16 * 2**20
_UNDONE = frozenset({"content-encoding", "transfer-encoding", "content-length"})
"""Of an answer that the browser has decoded already: kept under another name, since they no longer describe the body."""


def record_tab(session: Any, tab: Any) -> None:
    """Note each finished request of a tab in the crawl's evidence, where there is one."""
    if session.evidence is not None:
        tab.on("requestfinished", lambda request: _later(_note(session, request)))


async def _note(session: Any, request: Any) -> None:
    if not request.url.startswith(("http://", "https://")):
        return
    began = datetime.now(UTC)
    response = await request.response()
    if response is None:
        return
    body = b""
    with contextlib.suppress(Exception):  # a redirect has no body, and a tab that is gone has none to give
        body = await response.body()
    if len(body) > _MAX_BODY or session.evidence is None:
        return
    fields = [
        (f"X-Archive-Orig-{one['name']}" if one["name"].lower() in _UNDONE else one["name"], one["value"])
        for one in await response.headers_array()
    ]
    reason = HTTPStatus(response.status).phrase if response.status in HTTPStatus._value2member_map_ else ""
    head = response_head(response.status, reason, [*fields, ("Content-Length", str(len(body)))])
    address = await response.server_addr()
    session.evidence.exchange(
        request.url,
        _request(request.method, request.url, await request.headers_array()),
        head + body,
        date=began,
        ip=(address or {}).get("ipAddress", "").strip("[]"),
    )


def _request(method: str, url: str, headers: list[dict[str, str]]) -> bytes:
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    fields = [(one["name"], " ".join(one["value"].split())) for one in headers if not one["name"].startswith(":")]
    if not any(name.lower() == "host" for name, _ in fields):
        fields.insert(0, ("Host", parts.netloc))
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in fields)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")
