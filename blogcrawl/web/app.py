"""The reading room as ASGI applications: the room itself, and the second origin for what is
archived."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import partial

import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from blogcrawl.core.errors import BlogcrawlError, UnavailableError
from blogcrawl.web.actions import Actions
from blogcrawl.web.activity import Activity, keep_sampling
from blogcrawl.web.api import Api, as_json
from blogcrawl.web.captured import Captures
from blogcrawl.web.finding import Finding
from blogcrawl.web.gate import Doors, Gate, Login
from blogcrawl.web.inspector import Inspector
from blogcrawl.web.jobs import Jobs
from blogcrawl.web.machines import Machines
from blogcrawl.web.memento import Mementos
from blogcrawl.web.pages import Pages
from blogcrawl.web.room import Room
from blogcrawl.web.shield import Shield

logger = logging.getLogger(__name__)
THREADS = 8
"""Requests that read the archive at once: each has a connection to the database."""
_EXPLAINED = (400, 403, 410, 415, 503)
"""Statuses whose message is of ours, and for people."""
_HEADINGS = {
    403: "You may not do this",
    404: "There is nothing here",
    405: "This can't be done here",
    410: "This post was taken down",
    429: "Too many tries",
    500: "The archive can't be read here",
    503: "Not available at the moment",
}


def reading_room(
    room: Room,
    doors: Doors | None = None,
    *,
    jobs: Jobs | None = None,
    hosts: Iterable[str] = (),
) -> ASGIApp:
    """Return the application. ``doors``: who is let in; everyone, to read, without.

    ``jobs``: crawls that operators start; without, no one changes anything. ``hosts``: names
    under which it is reached, besides addresses.
    """
    doors = doors or Doors()
    finding, inspector = Finding(room), Inspector(room)
    actions = [Actions(room, doors, jobs)] if jobs is not None else []
    changes = [change for one in actions for change in one.changes]
    parts = (
        Pages(room),
        Api(room, finding, inspector, jobs, changes),
        Machines(room),
        Mementos(room),
        Login(room, doors),
        finding,
        Activity(room, jobs),
        inspector,
    )
    routes = [route for part in parts for route in part.routes()]
    routes += [route for one in actions for route in one.routes()]
    app = Starlette(
        routes=routes,
        exception_handlers={
            HTTPException: lambda request, error: _failure(room, request, error),
            BlogcrawlError: lambda request, error: _damage(room, request, error),
        },
        lifespan=partial(_lifespan, room),
    )
    return Shield(Gate(app, doors), hosts=hosts, captured=room.captures.origin)


def captured_files(captures: Captures) -> ASGIApp:
    """Return the application of the second origin."""
    return Starlette(routes=captures.routes())


@asynccontextmanager
async def _lifespan(room: Room, app: Starlette) -> AsyncIterator[None]:
    anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
    sampling = asyncio.create_task(keep_sampling(room))
    yield
    sampling.cancel()


def _failure(room: Room, request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    message = error.detail if isinstance(error, HTTPException) and status in _EXPLAINED else ""
    return _error_page(room, request, status, message)


def _damage(room: Room, request: Request, error: Exception) -> Response:
    logger.error("cannot show %s: %s", request.url.path, error)
    status = 503 if isinstance(error, UnavailableError) else 500
    advice = getattr(error, "advice", None)
    return _error_page(room, request, status, getattr(error, "message", ""), advice)


def _error_page(
    room: Room, request: Request, status: int, message: str, advice: str | None = None
) -> Response:
    heading = _HEADINGS.get(status, "This did not work")
    if request.url.path.startswith("/api/"):
        return as_json({"error": message or heading, "advice": advice}, status)
    return room.page(
        request, "error.html", status=status, heading=heading, message=message, advice=advice
    )
