"""The browser's only way to the network: an HTTP proxy in the crawl's own process.

Chromium follows redirects, opens pop-ups, workers and sockets without asking anybody, so no handler
inside a tab can guard it. Here each of its requests arrives as a URL: plain HTTP in absolute form,
HTTPS through CONNECT and TLS that ends here. The crawl's guard decides on the URL and on the
address that its name resolves to; the connection goes to that address and no other. What passes is
the evidence: requests and answers as they are on the wire.

Whatever is no HTTP request (WebSockets, TURN over TCP, other protocols in a tunnel) never leaves
this process.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hmac
import logging
import math
import re
import secrets
import socket
import ssl
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import h11

from blogcrawl.core.credentials import Login, Logins
from blogcrawl.core.netguard import Guard, host_of, parse_ip, port_of
from blogcrawl.crawling.handlers.browser_cache import MAX_ANSWER, BrowserCache, Kept
from blogcrawl.crawling.handlers.proxy_tls import client_context, server_context
from blogcrawl.packaging.warc import Exchange, Truncation

logger = logging.getLogger(__name__)

_READ = 2**16
_MAX_HEAD = 2**18
"""Bytes of a header block, as browsers take them."""
_BREAK = (
    b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nContent-Length: 1\r\nConnection: "
    b"close\r\n\r\n"
)
"""The answer to a refused request. Two lengths that differ are an error to every client (RFC 9112,
6.3): the request fails as over a broken line, with no page in its place, and Chromium does not ask
again as it does after an empty answer."""
_HOP_BY_HOP = frozenset(
    b"connection keep-alive proxy-connection proxy-authorization proxy-authenticate te trailer "
    b"transfer-encoding "
    b"upgrade".split()
)
"""RFC 9110, 7.6.1: of one connection, not of the message."""
_TOKEN = re.compile(rb"[-!#$%&'*+.^_`|~0-9a-zA-Z]+\Z")
_STATUS = re.compile(rb"HTTP/\d(?:\.(\d))?[ \t]+(\d{3})(?:[ \t]++([^\r\n]*))?")
_CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_END = re.compile(rb"\r?\n\r?\n")
_CODINGS = frozenset({"gzip", "deflate", "br"})
"""Content codings that readers of WARC files undo; the browser's offer is cut down to these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyLimits:
    """Bounds of one exchange. 0 bytes: no limit."""

    answer_bytes: int = 32 * 2**20
    request_bytes: int = 16 * 2**20
    seconds: float = 75.0
    connect_seconds: float = 15.0
    idle_seconds: float = 20.0
    """A connection to a server is kept for so long for the next request."""


class RefusedError(Exception):
    """The guard, or the proxy's own rules, forbid the request."""


class BrokenError(Exception):
    """The server gave no usable answer."""


@dataclass(eq=False, slots=True)
class _Server:
    """A connection to a server. ``ip`` is the address that was checked."""

    key: tuple[str, str, int]
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    ip: str
    http: h11.Connection
    used: int = 0
    since: float = 0.0

    def close(self) -> None:
        with contextlib.suppress(Exception):  # closing what is broken already
            self.writer.transport.abort()


class _Client(asyncio.StreamReaderProtocol):
    """A connection of the browser; its task ends with it, whatever it waits for."""

    def __init__(
        self,
        serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any],
        tasks: set[asyncio.Task[None]],
    ) -> None:
        self.task: asyncio.Task[None] | None = None
        self.reader = asyncio.StreamReader(limit=_READ)

        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.task = asyncio.ensure_future(serve(reader, writer))
            tasks.add(self.task)
            self.task.add_done_callback(tasks.discard)

        super().__init__(self.reader, connected)

    def eof_received(self) -> bool | None:
        self._end()
        return super().eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end()
        super().connection_lost(exc)

    def _end(self) -> None:
        if self.task is not None:
            self.task.cancel()


class BrowserProxy:
    """One crawl's. ``record`` gets each finished exchange, those that a limit cut off included;
    refused ones never.
    """

    def __init__(
        self,
        guard: Guard,
        *,
        limits: ProxyLimits | None = None,
        record: Callable[[Exchange], None] | None = None,
        logins: Logins | None = None,
    ) -> None:
        self.guard, self.limits, self.record = guard, limits or ProxyLimits(), record
        self.logins = Logins() if logins is None else logins
        """Joined to requests here, by their origin: the browser knows none."""
        self.secret = secrets.token_urlsafe(32)
        """The password (user ``blogcrawl``) that clients have to give where others can connect
        too."""
        self._is_open = True
        self.refused: dict[str, str] = {}
        """URLs that were refused, with the reason; the last thousand."""
        self.count = 0
        """Requests that were passed on."""
        self.cache = BrowserCache()
        self._listener: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._idle: dict[tuple[str, str, int], list[_Server]] = {}
        self._names: dict[str, tuple[float, list[str]]] = {}

    async def listen(self, sock: socket.socket | None = None, *, is_open: bool = True) -> int:
        """Accept the browser's connections on ``sock``, else on a free port of the loopback
        interface; the port.

        A listener of before, whose browser is gone, is closed. ``is_open``: other programs can
        connect too, so it has to present the secret.
        """
        await self._close_listener()
        self._is_open = is_open
        loop = asyncio.get_running_loop()

        def client() -> _Client:
            return _Client(self._serve_client, self._tasks)

        if sock is None:
            self._listener = await loop.create_server(client, "127.0.0.1", 0, backlog=256)
        else:
            self._listener = await loop.create_server(client, sock=sock, backlog=256)
        port: int = self._listener.sockets[0].getsockname()[1]
        return port

    async def _close_listener(self) -> None:
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5)

    async def close(self) -> None:
        await self._close_listener()
        for server in [one for kept in self._idle.values() for one in kept]:
            server.close()
        self._idle.clear()

    # the browser's side

    async def _serve_client(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            await self._serve(reader, writer, "")
        except (OSError, ssl.SSLError, h11.ProtocolError) as error:
            logger.debug("a connection of the browser broke off: %s", error)
        except asyncio.CancelledError:  # it is gone
            writer.transport.abort()
            raise
        except Exception:
            logger.exception("a request of the browser failed in the proxy")
        writer.close()

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, origin: str
    ) -> None:
        """Requests of one connection, one after the other. ``origin``: of a tunnel
        (https://host:port).
        """
        http = h11.Connection(h11.SERVER, max_incomplete_event_size=_MAX_HEAD)
        while True:
            request = await _request(reader, http)
            if request is None:
                return
            body = await self._body(reader, http)
            if not origin and not self._is_known(request):
                await _answer(
                    writer, http, 407, [("Proxy-Authenticate", 'Basic realm="blogcrawl"')]
                )
            elif request.method == b"CONNECT":
                await self._tunnel(reader, writer, http, request)
                return
            else:
                url = _url_of(request, origin)
                try:
                    await self._pass_on(writer, http, request, url, body)
                except (RefusedError, BrokenError) as error:
                    self._note(url, error)
                    if http.our_state is h11.SEND_RESPONSE:
                        writer.write(_BREAK)
                    return
            if http.our_state is h11.MUST_CLOSE or http.their_state is not h11.DONE:
                return
            http.start_next_cycle()

    def why_refused(self, url: str) -> str | None:
        """Return why a request for ``url`` was refused, or None if none was."""
        parts = urlsplit(url)
        return self.refused.get(url.partition("#")[0]) or self.refused.get(
            f"{parts.scheme}://{parts.netloc}/"
        )

    def _note(self, url: str, error: Exception) -> None:
        if isinstance(error, RefusedError):
            if len(self.refused) >= 1000:
                self.refused.pop(next(iter(self.refused)))
            self.refused[url] = str(error)
            logger.info("refused to the browser: %s (%s)", url[:300], error)
        else:
            logger.debug("%s: %s", url[:300], error)

    def _is_known(self, request: h11.Request) -> bool:
        if not self._is_open:
            return True
        wanted = b"Basic " + base64.b64encode(b"blogcrawl:" + self.secret.encode())
        given = next(
            (value for name, value in request.headers if name == b"proxy-authorization"), b""
        )
        return hmac.compare_digest(given, wanted)

    async def _tunnel(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        http: h11.Connection,
        request: h11.Request,
    ) -> None:
        """CONNECT: the TLS of the browser ends here; no connection is opened before a request came
        through it.
        """
        authority = request.target.decode("ascii", "replace")
        origin = "https://" + authority.removesuffix(":443")
        reason = self.guard.refuse_url(origin + "/")
        if reason is not None:
            self._note(origin + "/", RefusedError(reason))
            await _answer(writer, http, 403, [])
            return
        writer.write(_bytes_of(http, h11.Response(status_code=200, headers=[])))
        await writer.start_tls(server_context(), ssl_handshake_timeout=self.limits.connect_seconds)
        await self._serve(reader, writer, origin)

    async def _body(self, reader: asyncio.StreamReader, http: h11.Connection) -> bytes:
        body = bytearray()
        async for piece in _pieces(reader, http):
            body += piece
            if len(body) > self.limits.request_bytes:
                raise ConnectionError("the request's body is too large")
        return bytes(body)

    # the servers' side

    async def _pass_on(
        self,
        writer: asyncio.StreamWriter,
        http: h11.Connection,
        request: h11.Request,
        url: str,
        body: bytes,
    ) -> None:
        """Ask the server and pass its answer on. Raises RefusedError, BrokenError if it gave
        none."""
        self._check(url, request)
        kept = self.cache.get(request, url, time.monotonic())
        if kept is not None:
            await _send(writer, http, kept)
            return
        log = _Log(url)
        try:
            async with asyncio.timeout(self.limits.seconds):
                server = await self._ask(log, request, url, body)
                try:
                    answer, got = await self._pass_back(writer, http, server, log)
                except BaseException:
                    server.close()
                    raise
            self._keep(server)
            self.cache.put(request, url, answer, got, time.monotonic())
        except TimeoutError:
            log.truncated = "time"
            self._write(log)
            raise BrokenError("no answer in time") from None
        except (OSError, ssl.SSLError, h11.RemoteProtocolError) as error:
            log.truncated = log.truncated or "disconnect"
            self._write(log)
            raise BrokenError(f"{type(error).__name__}: {error}") from error
        self._write(log)

    def _check(self, url: str, request: h11.Request) -> None:
        headers = dict(request.headers)
        if "@" in urlsplit(url).netloc or not url.isascii():
            raise RefusedError("no plain http or https URL")
        if headers.get(b"upgrade", b"").lower() == b"websocket":
            raise RefusedError("WebSockets are not opened")
        if b"prefetch" in headers.get(b"sec-purpose", b"") or b"prefetch" in headers.get(
            b"purpose", b""
        ):
            raise RefusedError("nothing is loaded on speculation")
        reason = self.guard.refuse_url(url)
        if reason is not None:
            raise RefusedError(reason)

    async def _ask(self, log: _Log, request: h11.Request, url: str, body: bytes) -> _Server:
        """Send the request; over a kept connection that turns out to be closed, once more over a
        new one.
        """
        parts = urlsplit(url)
        key = (parts.scheme, host_of(url), port_of(url) or 0)
        asked = _request_for_server(request, url, body, self.logins.of(url))
        while True:
            server = self._kept(key) or await self._connect(key)
            log.begin(server.ip)
            try:
                log.sent(server.http.send(asked))
                log.sent(server.http.send(h11.Data(body)) if body else b"")
                log.sent(server.http.send(h11.EndOfMessage()))
                server.writer.write(log.request)
                await server.writer.drain()
                answer = await _head(server, log)
            except BaseException as error:
                server.close()
                if server.used and isinstance(error, (OSError, ssl.SSLError)) and not log.response:
                    continue
                raise
            self.count += 1
            server.http.receive_data(_cleaned(answer))
            return server

    async def _pass_back(
        self, writer: asyncio.StreamWriter, http: h11.Connection, server: _Server, log: _Log
    ) -> tuple[h11.Response, bytes]:
        """Forward the server's response, re-framed: the browser sees the same end of it as the
        proxy. Return it and its body.
        """
        event = server.http.next_event()
        if not isinstance(event, h11.Response):
            raise BrokenError("no answer")
        answer, body = _response_for_browser(event), bytearray()
        writer.write(_bytes_of(http, answer))
        async for piece in _pieces(server.reader, server.http, log.received):
            body += piece if len(body) <= MAX_ANSWER else b""
            writer.write(_bytes_of(http, h11.Data(piece)))
            await writer.drain()
            if self.limits.answer_bytes and len(log.response) > self.limits.answer_bytes:
                log.truncated = "length"
                raise h11.RemoteProtocolError("larger than allowed")
        log.end(len(server.http.trailing_data[0]))
        writer.write(_bytes_of(http, h11.EndOfMessage()))
        await writer.drain()
        return answer, bytes(body)

    def _write(self, log: _Log) -> None:
        if self.record is not None and log.response:
            self.record(log.exchange())

    # connections

    def _kept(self, key: tuple[str, str, int]) -> _Server | None:
        kept = self._idle.get(key, [])
        while kept:
            server = kept.pop()
            if (
                time.monotonic() - server.since < self.limits.idle_seconds
                and not server.reader.at_eof()
            ):
                return server
            server.close()
        return None

    def _keep(self, server: _Server) -> None:
        """For the next request, where it stays open and the server said nothing that it was not
        requested.
        """
        if (
            server.http.trailing_data[0]
            or server.http.our_state is not h11.DONE
            or server.http.their_state is not h11.DONE
        ):
            server.close()
            return
        server.http.start_next_cycle()
        now = time.monotonic()
        for kept in self._idle.values():
            for old in [one for one in kept if now - one.since > self.limits.idle_seconds]:
                kept.remove(old)
                old.close()
        server.used += 1
        server.since = now
        self._idle.setdefault(server.key, []).append(server)

    async def _connect(self, key: tuple[str, str, int]) -> _Server:
        """Return a connection to an address that the guard let pass. Raises RefusedError,
        OSError."""
        scheme, host, port = key
        is_secret = self.logins.of(f"{scheme}://{_netloc(host)}:{port}/") is not None
        context = client_context(verified=is_secret) if scheme == "https" else None
        name = host if context is not None else None
        failure: Exception = OSError(f"{host} does not resolve")
        for ip in (await self._addresses(host))[:3]:
            try:
                async with asyncio.timeout(self.limits.connect_seconds):
                    reader, writer = await asyncio.open_connection(
                        ip, port, limit=_READ, ssl=context, server_hostname=name
                    )
            except TimeoutError:
                failure = OSError(f"{host} does not answer")
            except (OSError, ValueError) as error:  # ValueError: a name that TLS can't be requested
                failure = error if isinstance(error, OSError) else OSError(str(error))
            else:
                http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_MAX_HEAD)
                return _Server(key, reader, writer, ip, http)
        raise failure

    async def _addresses(self, host: str) -> list[str]:
        """Return the addresses of ``host``; looked up and checked once a minute, and pinned for
        that long.
        """
        literal = parse_ip(host)
        if literal is not None:
            return self._fit(host, [str(literal)])
        now = time.monotonic()
        looked_up, fit = self._names.get(host, (-math.inf, []))
        if looked_up > now - 60:
            return fit
        rows = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
        fit = self._fit(host, list(dict.fromkeys(str(row[4][0]) for row in rows)), is_name=True)
        if len(self._names) > 2000:
            self._names.clear()
        self._names[host] = (now, fit)
        return fit

    def _fit(self, host: str, addresses: Sequence[str], *, is_name: bool = False) -> list[str]:
        """Return those of the addresses that may be asked; a name that leads to another is noted.
        Raises RefusedError if none may.
        """
        reasons = {ip: self.guard.refuse_address(host, ip) for ip in addresses}
        fit = [ip for ip, reason in reasons.items() if reason is None]
        unfit = next(filter(None, reasons.values()), None)
        if unfit is not None and is_name:
            self.guard.refused_names[host] = unfit
        if unfit is not None and not fit:
            raise RefusedError(unfit)
        return fit


@dataclass(slots=True)
class _Log:
    """What went over the wire for one URL."""

    url: str
    request: bytes = b""
    response: bytearray = field(default_factory=bytearray)
    ip: str = ""
    truncated: Truncation | None = None
    _date: datetime = field(default_factory=lambda: datetime.now(UTC))
    _began: float = field(default_factory=time.monotonic)

    def begin(self, ip: str) -> None:
        self.request, self.ip, self.response = b"", ip, bytearray()

    def sent(self, data: bytes | None) -> None:
        self.request += data or b""

    def received(self, data: bytes) -> bytes:
        self.response += data
        return data

    def end(self, surplus: int) -> None:
        """Note that the response ended ``surplus`` bytes before what was read."""
        if surplus:
            del self.response[-surplus:]

    def exchange(self) -> Exchange:
        return Exchange(
            url=self.url,
            request=self.request,
            response=bytes(self.response),
            date=self._date,
            ip=self.ip,
            seconds=time.monotonic() - self._began,
            truncated=self.truncated,
        )


async def _request(reader: asyncio.StreamReader, http: h11.Connection) -> h11.Request | None:
    """Return the next request; None at the end of the connection."""
    while True:
        event = http.next_event()
        if event is h11.NEED_DATA:
            http.receive_data(await reader.read(_READ))
        elif isinstance(event, h11.Request):
            return event
        else:
            return None


async def _pieces(
    reader: asyncio.StreamReader,
    http: h11.Connection,
    seen: Callable[[bytes], bytes] = lambda data: data,
) -> AsyncIterator[bytes]:
    """Yield a message's body; ``seen`` gets what is read as it is on the wire."""
    while True:
        event = http.next_event()
        if event is h11.NEED_DATA:
            http.receive_data(seen(await reader.read(_READ)))
        elif isinstance(event, h11.Data):
            yield bytes(event.data)
        else:
            return


async def _head(server: _Server, log: _Log) -> bytes:
    """Return what is read until the final answer's header block is whole; interim answers (RFC
    9110, 15.2) are passed over.

    Raises OSError if the connection ends before.
    """
    data = b""
    while True:
        end, status = _END.search(data), _STATUS.match(data)
        if end is not None and status is not None and status[2].startswith(b"1"):
            data = data[end.end() :]
        elif end is not None:
            return data
        else:
            piece = await server.reader.read(_READ)
            if not piece or len(log.response) > _MAX_HEAD:
                raise ConnectionResetError("no whole answer")
            data += log.received(piece)


def _cleaned(message: bytes | bytearray) -> bytes:
    """Return a response with a header block that h11 takes: what browsers pass over in it is left
    out.
    """
    end = _END.search(message)
    status = _STATUS.match(message)
    if end is None or status is None:
        raise BrokenError("no HTTP answer")
    reason = _CONTROL.sub(b"", status[3] or b"").strip()
    lines = [b"HTTP/1.%b %b %b" % (b"0" if status[1] == b"0" else b"1", status[2], reason)]
    for line in bytes(message[status.end() : end.start()]).replace(b"\r", b"").split(b"\n")[1:]:
        name, colon, value = line.partition(b":")
        value = _CONTROL.sub(b"", value).strip()
        if line[:1] in b" \t" and len(lines) > 1:  # RFC 9112, 5.2: folded
            lines[-1] += b" " + line.strip()
        elif (
            colon
            and _TOKEN.match(name.rstrip())
            and (name.lower(), value.lower()) != (b"transfer-encoding", b"identity")
        ):
            lines.append(name.rstrip() + b": " + value)
    return b"\r\n".join(lines) + b"\r\n\r\n" + bytes(message[end.end() :])


def _url_of(request: h11.Request, origin: str) -> str:
    target = request.target.decode("ascii", "replace")
    return origin + target if origin and target.startswith("/") else target


def _request_for_server(
    request: h11.Request, url: str, body: bytes, login: Login | None
) -> h11.Request:
    parts = urlsplit(url)
    headers = [(b"Host", parts.netloc.encode("ascii"))]
    for name, value in request.headers.raw_items():
        lower = name.lower()
        if (
            lower in _HOP_BY_HOP
            or lower in (b"host", b"content-length")
            or (login and lower == b"authorization")
        ):
            continue
        headers.append((name, _fewer_codings(value) if lower == b"accept-encoding" else value))
    if body or request.method in (b"POST", b"PUT", b"PATCH"):
        headers.append((b"Content-Length", str(len(body)).encode()))
    if login is not None:
        headers.append((b"Authorization", login.header))
    headers.append((b"Connection", b"keep-alive"))
    target = url[len(parts.scheme) + 3 + len(parts.netloc) :].partition("#")[0]
    return h11.Request(
        method=request.method,
        target=target if target.startswith("/") else "/" + target,
        headers=headers,
    )


def _netloc(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _fewer_codings(value: bytes) -> bytes:
    offered = [one.strip() for one in value.decode("latin-1").split(",")]
    return ", ".join(one for one in offered if one.partition(";")[0] in _CODINGS).encode("latin-1")


def _response_for_browser(answer: h11.Response) -> h11.Response:
    """Return the response with new framing: the length if there is one, else chunks."""
    headers = [
        (name, value)
        for name, value in answer.headers.raw_items()
        if name.lower() not in _HOP_BY_HOP
    ]
    if any(name == b"transfer-encoding" for name, _ in answer.headers):
        headers = [row for row in headers if row[0].lower() != b"content-length"]
    return h11.Response(status_code=answer.status_code, headers=headers, reason=answer.reason)


def _bytes_of(http: h11.Connection, event: h11.Event) -> bytes:
    """Return what an event is on the wire; nothing of an end that needs no sign."""
    return http.send(event) or b""


async def _send(writer: asyncio.StreamWriter, http: h11.Connection, kept: Kept) -> None:
    """Send an answer of before again."""
    for event in (kept.response, h11.Data(kept.body), h11.EndOfMessage()):
        writer.write(_bytes_of(http, event))
    await writer.drain()


async def _answer(
    writer: asyncio.StreamWriter, http: h11.Connection, status: int, headers: list[tuple[str, str]]
) -> None:
    """Send a response of the proxy's own."""
    answer = h11.Response(status_code=status, headers=[*headers, ("Content-Length", "0")])
    writer.write(_bytes_of(http, answer))
    writer.write(_bytes_of(http, h11.EndOfMessage()))
    await writer.drain()
