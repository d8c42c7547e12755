"""Serve the reading room and its second origin from one process."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Sequence

import uvicorn
from starlette.types import ASGIApp

from blogcrawl.core.errors import UsageError


def bound(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raises UsageError if the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends at once only where the protocol is named: an answer waited 40 ms else
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise UsageError(
            f"cannot listen on {host} port {port}: {error.strerror}",
            advice="choose another one with --port",
        ) from None
    return listener


def serve(apps: Sequence[tuple[ASGIApp, socket.socket]], ready: Callable[[], object]) -> None:
    """Serve each application on its socket until SIGINT or SIGTERM; call ``ready`` first.

    X-Forwarded headers are not read: the gate asks which machine a request really comes from.
    """
    servers = [
        (
            uvicorn.Server(
                uvicorn.Config(
                    app,
                    log_level="warning",
                    access_log=False,
                    proxy_headers=False,
                    server_header=False,
                    limit_concurrency=200,
                    timeout_graceful_shutdown=3,
                )
            ),
            listener,
        )
        for app, listener in apps
    ]
    asyncio.run(_all(servers, ready))


async def _all(
    servers: Sequence[tuple[uvicorn.Server, socket.socket]], ready: Callable[[], object]
) -> None:
    def stop() -> None:
        for server, _ in servers:
            server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    tasks = []
    for server, listener in servers:
        server.capture_signals = contextlib.nullcontext  # type: ignore[assignment,method-assign]
        tasks.append(asyncio.ensure_future(server.serve(sockets=[listener])))
    while not all(server.started for server, _ in servers) and not any(t.done() for t in tasks):
        await asyncio.sleep(0.01)
    ready()
    await asyncio.gather(*tasks)
