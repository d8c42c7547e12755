"""Who is let in: sessions of users with passwords, or a reverse proxy that names its user.

Without either, everyone on this machine may read and no one may change anything.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlsplit

from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from blogcrawl.packaging.records import rfc3339
from blogcrawl.web.access import Pace, Throttle, Users, Visitor
from blogcrawl.web.room import Room

logger = logging.getLogger(__name__)
COOKIE = "room"
SESSION_SECONDS = 12 * 3600
_MAX_FORM = 65_536
_OPEN = ("/login", "/robots.txt")
_LONGEST_NAME = 100
WAIT_SECONDS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Doors:
    """How visitors are identified.

    ``header`` is believed only from the ``proxies`` (addresses), and makes those in ``operators``
    operators, all others readers.
    """

    users: Users | None = None
    header: str = ""
    proxies: frozenset[str] = frozenset()
    operators: frozenset[str] = frozenset()
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    audit: Path | None = None

    @property
    def are_guarded(self) -> bool:
        return self.users is not None or bool(self.header)


class Gate:
    """Let visitors in, or send them to the login. Sets ``visitor``, ``insight`` (who sees
    pages for operators) and ``form_token``. ``clock``: seconds, for the pace of visitors with a
    name; where there are none, only this machine asks."""

    def __init__(
        self,
        app: ASGIApp,
        doors: Doors,
        *,
        pace: Pace | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.app, self.doors = app, doors
        self.pace, self._clock = pace or Pace(), clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        visitor = self._visitor(request)
        scope["visitor"] = visitor
        scope["insight"] = not self.doors.are_guarded or bool(visitor and visitor.is_operator)
        scope["form_token"] = form_token(self.doors, request) if visitor else ""
        if visitor is not None and not self.pace.take(self._clock(), visitor.name):
            headers = {"Retry-After": str(WAIT_SECONDS)}
            refusal = PlainTextResponse("too many requests: wait a little", 429, headers)
            await refusal(scope, receive, send)
        elif self._may_pass(request, visitor):
            await self.app(scope, receive, send)
        else:
            await self._refusal(request)(scope, receive, send)

    def _visitor(self, request: Request) -> Visitor | None:
        if self.doors.header:
            peer = request.client.host if request.client else ""
            name = request.headers.get(self.doors.header, "")[:_LONGEST_NAME]
            if peer not in self.doors.proxies or not name:
                return None
            return Visitor(name, "operator" if name in self.doors.operators else "reader")
        if self.doors.users is None:
            return None
        try:
            session = _sessions(self.doors).loads(
                request.cookies.get(COOKIE, ""), max_age=SESSION_SECONDS
            )
        except BadSignature:
            return None
        return self.doors.users.find(str(session[0]))

    def _may_pass(self, request: Request, visitor: Visitor | None) -> bool:
        path = request.url.path
        if visitor is not None or not self.doors.are_guarded:
            return True
        return path in _OPEN or path.startswith("/static/")

    def _refusal(self, request: Request) -> Response:
        if self.doors.users is None:
            return PlainTextResponse("the proxy names no user", 403)
        if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
            asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            return RedirectResponse(f"/login?next={quote(asked, safe='')}", 303)
        return PlainTextResponse("log in first", 401)


class Login:
    """The pages to log in and out."""

    def __init__(self, room: Room, doors: Doors, throttle: Throttle | None = None) -> None:
        self.room, self.doors = room, doors
        self.throttle = throttle or Throttle()

    def routes(self) -> list[Route]:
        """Return the routes; none where no one has a password."""
        if self.doors.users is None:
            return []
        return [
            Route("/login", self.ask, methods=["GET"]),
            Route("/login", self.enter, methods=["POST"]),
            Route("/logout", self.leave, methods=["POST"]),
        ]

    def ask(self, request: Request) -> Response:
        """Show the form."""
        return self._form(request)

    async def enter(self, request: Request) -> Response:
        """Check a password and begin a session."""
        check_origin(request, self.room.public)
        given = await read_form(request)
        name = given.get("name", "")[:_LONGEST_NAME]
        keys = (f"name {name}", f"from {request.client.host if request.client else ''}")
        now = self.room.now()
        if not self.throttle.is_open(now.timestamp(), *keys):
            raise HTTPException(429)
        users = self.doors.users
        password = given.get("password", "")
        visitor = await run_in_threadpool(users.check, name, password) if users else None
        note(self.doors, now, request, name, "login" if visitor else "login refused")
        if visitor is None:
            self.throttle.note(now.timestamp(), *keys)
            return await run_in_threadpool(self._form, request, True)
        response = RedirectResponse(_inside(given.get("next", "")), 303)
        session = _sessions(self.doors).dumps([visitor.name, secrets.token_hex(8)])
        response.set_cookie(
            COOKIE,
            str(session),
            max_age=SESSION_SECONDS,
            httponly=True,
            samesite="strict",
            secure=self.room.public.startswith("https:"),
        )
        return response

    async def leave(self, request: Request) -> Response:
        """End the session."""
        await posted(request, self.doors, self.room.public)
        response = RedirectResponse("/login", 303)
        response.delete_cookie(COOKIE)
        return response

    def _form(self, request: Request, is_wrong: bool = False) -> Response:
        following = _inside(request.query_params.get("next", ""))
        status = 403 if is_wrong else 200
        return self.room.page(
            request, "login.html", status=status, following=following, is_wrong=is_wrong
        )


def operator_of(request: Request) -> Visitor:
    """Return the operator who asks. Raises HTTPException for anyone else."""
    visitor: Visitor | None = request.scope.get("visitor")
    if visitor is None or not visitor.is_operator:
        raise HTTPException(403, "Only an operator who is logged in may do this.")
    return visitor


def check_insight(request: Request) -> None:
    """Raise HTTPException for readers on a page for operators; all may see it if there are none."""
    if not request.scope.get("insight"):
        operator_of(request)


async def posted(request: Request, doors: Doors, public: str) -> Mapping[str, str]:
    """Return a form that a page of ours sent. Raises HTTPException: forged, or too large."""
    check_origin(request, public)
    given = await read_form(request)
    expected = form_token(doors, request)
    if not hmac.compare_digest(given.get("form_token", "").encode(), expected.encode()):
        raise HTTPException(403, "This form is out of date: open its page again.")
    return given


def check_origin(request: Request, public: str) -> None:
    """Raise HTTPException where a browser says that a page of another origin sends this."""
    origin = request.headers.get("origin")
    ours = {public.lower(), f"{request.url.scheme}://{request.headers.get('host', '')}".lower()}
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise HTTPException(403, "This was sent by another site.")
    if origin is not None and origin.lower() not in ours:
        raise HTTPException(403, "This was sent by another site.")


async def read_form(request: Request) -> Mapping[str, str]:
    """Return the fields of a form in the body. Raises HTTPException if it is too large."""
    body = await _body(request)
    return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))


async def read_json(request: Request) -> Mapping[str, str]:
    """Return the texts of a JSON object in the body. Raises HTTPException if it is none."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise HTTPException(415, "The body has to be JSON, of the type application/json.")
    try:
        given = json.loads(await _body(request))
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict) or not all(isinstance(one, str) for one in given.values()):
        raise HTTPException(400, "The body has to be a JSON object of texts.")
    return {name: value.encode("utf-8", "replace").decode() for name, value in given.items()}


async def _body(request: Request) -> bytes:
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _MAX_FORM:
            raise HTTPException(413)
    return body


def form_token(doors: Doors, request: Request) -> str:
    """Return the token of this visitor's forms: pages of other sites can't know it."""
    cookie = request.cookies.get(COOKIE, "")
    named = request.headers.get(doors.header, "") if doors.header else ""
    message = f"form {cookie} {named}".encode("utf-8", "replace")
    return hmac.new(doors.key, message, hashlib.sha256).hexdigest()


def note(
    doors: Doors, now: datetime, request: Request, who: str, action: str, **about: str
) -> None:
    """Add a line to the audit log. A line that can't be written stops what it is about."""
    if doors.audit is None:
        return
    line = {
        "time": rfc3339(now),
        "who": who,
        "from": request.client.host if request.client else "",
        "action": action,
        **about,
    }
    data = json.dumps(line, ensure_ascii=True).encode() + b"\n"
    handle = os.open(doors.audit, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)


def _sessions(doors: Doors) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(doors.key, salt="blogcrawl.session")


def _inside(place: str) -> str:
    """Return a path of ours to go to; the first page for anything else."""
    parts = urlsplit(place.replace("\\", "/"))
    is_ours = place.startswith("/") and not place.startswith("//") and not parts.netloc
    return place if is_ours and place.isprintable() and "\\" not in place else "/"
