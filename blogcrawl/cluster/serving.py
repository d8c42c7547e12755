"""Serve the controller's endpoint in the event loop of its rounds."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime

from blogcrawl.cluster.endpoint import endpoint
from blogcrawl.cluster.metrics import Crawled, Rounds, exposition
from blogcrawl.cluster.websub_client import Subscriber
from blogcrawl.core.errors import UsageError
from blogcrawl.storage.schedule import Schedule


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
