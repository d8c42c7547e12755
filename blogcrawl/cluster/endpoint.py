"""The controller's HTTP endpoint, served in the event loop of its rounds: metrics, health, WebSub
callbacks.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from blogcrawl.cluster import websub
from blogcrawl.cluster.metrics import Crawled, Rounds, exposition
from blogcrawl.cluster.websub_client import Subscriber
from blogcrawl.core.errors import StorageError, UsageError
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.subscriptions import Subscriptions
from blogcrawl.storage.tables import Subscription

log = logging.getLogger(__name__)
MAX_PUSH = 4 * 2**20
"""Bytes of a push (one feed's new entries); a larger one is cut, its signature invalid."""
PREFIX = "/websub/"


def endpoint(metrics: Callable[[], str], subscriptions: Subscriptions | None = None) -> Starlette:
    """``GET /metrics``, ``GET /healthz``; with ``subscriptions`` callbacks below ``/websub/``."""

    async def scraped(_request: Request) -> Response:
        text = await asyncio.to_thread(metrics)
        return _text(text, mime="text/plain; version=0.0.4; charset=utf-8")

    async def healthy(_request: Request) -> Response:
        return _text("ok\n")

    async def other(request: Request) -> Response:
        path = request.url.path
        if subscriptions is None or PREFIX not in path:
            return _text("not here\n", 404)
        # A proxy may pass the path of the public URL or its own: the token is the last part either
        # way.
        row = subscriptions.by_token(path.rsplit("/", 1)[1])
        if request.method == "GET":
            return _verify(subscriptions, row, request)
        if request.method != "POST" or row is None or row.state != "active":
            return _text("not subscribed\n", 404)
        return await _receive_push(subscriptions, row, request)

    def away(_request: Request, error: Exception) -> Response:
        log.warning("endpoint: %s", error)
        return _text("the database is away\n", 503)

    everything = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    routes = [
        Route("/metrics", scraped),
        Route("/healthz", healthy),
        Route("/{path:path}", other, methods=everything),
    ]
    return Starlette(routes=routes, exception_handlers={StorageError: away})


def _text(text: str, status: int = 200, mime: str = "text/plain") -> Response:
    """Answer with text that never becomes a page: a challenge, for one, is not ours."""
    headers = {"content-type": mime, "x-content-type-options": "nosniff"}
    return Response(text, status, headers)


def _verify(subscriptions: Subscriptions, row: Subscription | None, request: Request) -> Response:
    """Answer a hub's verification of intent."""
    try:
        query = dict(parse_qsl(request.url.query, keep_blank_values=True, max_num_fields=50))
    except ValueError:  # more fields than any hub sends
        return _text("no\n", 400)
    challenge, after = websub.verification(row, query, datetime.now(UTC))
    if after is not None:
        subscriptions.save(after)
    return _text("not subscribed\n", 404) if challenge is None else _text(challenge)


async def _receive_push(
    subscriptions: Subscriptions, row: Subscription, request: Request
) -> Response:
    """Record a hub's notification.

    Acknowledge it whether or not the signature is valid (section 8), so that a forger learns
    nothing.
    """
    now, body = datetime.now(UTC), await _read(request)
    if body is not None and websub.genuine(row, request.headers.get("x-hub-signature"), body):
        subscriptions.push(row.blog_id, now)
    else:
        log.warning("a push for %s that is not its hub's", row.topic)
    return _text("", 202)


async def _read(request: Request) -> bytes | None:
    """Read the body; return None if it is too large, or breaks off."""
    body, size = bytearray(), 0
    try:
        async for part in request.stream():
            size += len(part)
            if size <= MAX_PUSH:
                body += part
    except ClientDisconnect:
        return None
    return bytes(body) if size <= MAX_PUSH else None


@contextlib.asynccontextmanager
async def serving(
    port: int | None, schedule: Schedule, rounds: Rounds, subscriber: Subscriber | None
) -> AsyncIterator[None]:
    """Serve the endpoint on 127.0.0.1:``port`` while the body runs; do nothing for None.

    Raises UsageError if the port is taken.
    """
    if port is None:
        yield
        return
    import uvicorn

    crawled = Crawled()
    app = endpoint(
        lambda: exposition(schedule, rounds, crawled, datetime.now(UTC)),
        subscriber.rows if subscriber else None,
    )
    config = uvicorn.Config(
        app,
        host="127.0.0.1",
        port=port,
        log_level="warning",
        access_log=False,
        lifespan="off",
        limit_concurrency=100,
    )
    server = uvicorn.Server(config)
    task = asyncio.ensure_future(_serve(server))
    try:
        while not server.started:
            if task.done():
                raise UsageError(f"port {port} is taken", advice="name another one with --metrics")
            await asyncio.sleep(0.02)
        yield
    finally:
        server.should_exit = True
        with contextlib.suppress(SystemExit):
            await task


async def _serve(server: object) -> None:
    """Run uvicorn without its signal handlers: the controller has its own."""
    server.capture_signals = contextlib.nullcontext  # type: ignore[attr-defined]
    try:
        await server.serve()  # type: ignore[attr-defined]
    except SystemExit:
        return
