"""The controller's HTTP endpoint, an ASGI application: metrics, health, WebSub callbacks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

from blogcrawl.cluster import websub
from blogcrawl.core.errors import StorageError
from blogcrawl.storage.subscriptions import Subscriptions
from blogcrawl.storage.tables import Subscription

log = logging.getLogger(__name__)
MAX_PUSH = 4 * 2**20
"""Bytes of a push (one feed's new entries); a larger one is cut, its signature invalid."""
PREFIX = "/websub/"
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Answer = tuple[int, bytes, str]
"""Status, body and media type."""
NOT_SUBSCRIBED: Answer = (404, b"not subscribed\n", "text/plain")


class Endpoint:
    """``GET /metrics``, ``GET /healthz``; with ``subscriptions`` callbacks below ``/websub/``."""

    def __init__(
        self, metrics: Callable[[], str], subscriptions: Subscriptions | None = None
    ) -> None:
        self.metrics, self.subscriptions = metrics, subscriptions

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        status, body, mime = 503, b"the database is away\n", "text/plain"
        try:
            status, body, mime = await self._answer(scope, receive)
        except StorageError as error:
            log.warning("endpoint: %s", error)
        headers = [
            (b"content-type", mime.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"x-content-type-options", b"nosniff"),
        ]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send(
            {"type": "http.response.body", "body": body if scope["method"] != "HEAD" else b""}
        )

    async def _answer(self, scope: Message, receive: Receive) -> Answer:
        path, method = str(scope["path"]), str(scope["method"])
        if method in ("GET", "HEAD"):
            if path == "/metrics":
                text = await asyncio.to_thread(self.metrics)
                return 200, text.encode(), "text/plain; version=0.0.4; charset=utf-8"
            if path == "/healthz":
                return 200, b"ok\n", "text/plain"
        if self.subscriptions is None or PREFIX not in path:
            return 404, b"not here\n", "text/plain"
        # A proxy may pass the path of the public URL or its own: the token is the last part either
        # way.
        row = self.subscriptions.by_token(path.rsplit("/", 1)[1])
        if method == "GET":
            return _verify(self.subscriptions, row, scope)
        if method != "POST" or row is None or row.state != "active":
            return NOT_SUBSCRIBED
        return await _receive_push(self.subscriptions, row, scope, receive)


def _verify(subscriptions: Subscriptions, row: Subscription | None, scope: Message) -> Answer:
    """Answer a hub's verification of intent."""
    now = datetime.now(UTC)
    try:
        query = dict(
            parse_qsl(
                bytes(scope.get("query_string", b"")).decode("latin-1"),
                keep_blank_values=True,
                max_num_fields=50,
            )
        )
    except ValueError:  # more fields than any hub sends
        return 400, b"no\n", "text/plain"
    challenge, after = websub.verification(row, query, now)
    if after is not None:
        subscriptions.save(after)
    if challenge is None:
        return NOT_SUBSCRIBED
    # text/plain and nosniff: a challenge is not ours, and must not become a page.
    return 200, challenge.encode(), "text/plain"


async def _receive_push(
    subscriptions: Subscriptions, row: Subscription, scope: Message, receive: Receive
) -> Answer:
    """Record a hub's notification.

    Acknowledge it whether or not the signature is valid (section 8), so that a forger learns
    nothing.
    """
    now = datetime.now(UTC)
    body = await _read(receive)
    headers = {bytes(k).lower(): bytes(v).decode("latin-1") for k, v in scope["headers"]}
    if body is not None and websub.genuine(row, headers.get(b"x-hub-signature"), body):
        subscriptions.push(row.blog_id, now)
    else:
        log.warning("a push for %s that is not its hub's", row.topic)
    return 202, b"", "text/plain"


async def _read(receive: Receive) -> bytes | None:
    """Read the body; return None if it is too large."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        part = bytes(message.get("body", b""))
        size += len(part)
        if size <= MAX_PUSH:
            parts.append(part)
        if not message.get("more_body"):
            return b"".join(parts) if size <= MAX_PUSH else None
