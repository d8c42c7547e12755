"""The browser's proxy over real sockets: what it refuses, what it passes on, what it records; and
the browser's namespace.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import ssl
import subprocess
import sys
import textwrap
import time
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from blogcrawl.core.credentials import Logins
from blogcrawl.core.netguard import Guard
from blogcrawl.crawling.handlers import namespace
from blogcrawl.crawling.handlers.browser_cache import MAX_ANSWER
from blogcrawl.crawling.handlers.proxy import BrowserProxy, ProxyLimits
from blogcrawl.crawling.handlers.proxy_tls import server_context
from blogcrawl.packaging.warc import Exchange
from tests.conftest import ROOT

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: text/plain\r\n\r\nhello"
PLAIN = {"Host": "x"}


SILENT_TURNS = 60
"""Turns of the event loop, which proxy and server share, at 10 ms or more each: counted, so that a
loaded machine has as many as a quiet one.
"""


async def read_to_silence(reader: asyncio.StreamReader) -> bytes:
    """What comes until the other side closes or is silent."""
    got = b""
    while True:
        reading = asyncio.ensure_future(reader.read(65536))
        for _ in range(SILENT_TURNS):
            if (await asyncio.wait({reading}, timeout=0.01))[0]:
                break
        else:
            reading.cancel()
            return got
        if not reading.result():
            return got
        got += reading.result()


@dataclass
class World:
    """A server that answers each request with the next of ``answers`` (None: it hangs), and a proxy
    in front of it.
    """

    answers: list[bytes | None]
    asked: list[bytes] = field(default_factory=list)
    connections: int = 0
    recorded: list[Exchange] = field(default_factory=list)
    port: int = 0
    proxy_port: int = 0
    proxy: Any = None

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while self.answers:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    (
                        int(x.split(b":")[1])
                        for x in head.split(b"\r\n")
                        if x.lower().startswith(b"content-length")
                    ),
                    0,
                )
                self.asked.append(head + await reader.readexactly(length))
                answer = self.answers.pop(0)
                if answer is None:
                    await asyncio.sleep(30)
                    return
                writer.write(answer)
                await writer.drain()
                if b"\r\nConnection: close" in answer:
                    break
        writer.close()

    async def ask(self, *requests: bytes) -> bytes:
        """What the proxy answers to requests sent one after the other on one connection, until it
        closes or is silent.
        """
        reader, writer = await asyncio.open_connection("127.0.0.1", self.proxy_port)
        got = b""
        for request in requests:
            writer.write(request)
            got += await read_to_silence(reader)
        writer.close()
        return got

    def get(
        self,
        url: str,
        method: str = "GET",
        headers: dict[str, str] | None = None,
        body: bytes = b"",
    ) -> bytes:
        user = base64.b64encode(b"blogcrawl:" + self.proxy.secret.encode()).decode()
        lines = {"Host": "h", "Proxy-Authorization": f"Basic {user}", **(headers or {})}
        if body:
            lines["Content-Length"] = str(len(body))
        return (
            f"{method} {url} HTTP/1.1\r\n"
            f"{''.join(f'{k}: {v}' + chr(13) + chr(10) for k, v in lines.items())}\r\n"
        ).encode() + body


@contextlib.asynccontextmanager
async def world(
    *answers: bytes | None,
    tls: bool = False,
    operator: str = "http://127.0.0.1:{port}/",
    **options: Any,
) -> AsyncIterator[World]:
    made = World(list(answers))
    server = await asyncio.start_server(
        made.serve, "127.0.0.1", 0, ssl=server_context() if tls else None
    )
    made.port = server.sockets[0].getsockname()[1]
    guard = options.pop("guard", None) or Guard([operator.format(port=made.port)])
    made.proxy = BrowserProxy(guard, record=made.recorded.append, **options)
    made.proxy_port = await made.proxy.listen()
    try:
        yield made
    finally:
        await made.proxy.close()
        server.close()


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(60):
            await test()

    asyncio.run(bounded())


def test_request_is_forwarded_and_recorded_byte_for_byte() -> None:
    async def test() -> None:
        async with world(OK) as made:
            url = f"{made.base}/a?b=c"
            got = await made.ask(
                made.get(url, headers={"Accept-Encoding": "gzip, br, zstd", "X-Odd": "1"})
            )
            assert got.startswith(b"HTTP/1.1 200 OK\r\n") and got.endswith(b"\r\n\r\nhello")
            (exchange,) = made.recorded
            assert (exchange.url, exchange.response, exchange.request) == (url, OK, made.asked[0])
            assert exchange.ip == "127.0.0.1" and exchange.truncated is None
            sent = made.asked[0]
            assert sent.startswith(b"GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:")
            assert (
                b"X-Odd: 1" in sent
                and b"Accept-Encoding: gzip, br\r\n" in sent
                and b"roxy" not in sent
            )

    run(test)


def answer(*headers: str, status: str = "200 OK", body: str = "hello") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


SCRIPT = "Content-Type: application/javascript"
DATA = "Content-Type: application/json"
NOW, BEFORE = "Date: Thu, 26 Nov 2026 10:00:00 GMT", "Mon, 02 Nov 2026 10:00:00 GMT"


@pytest.mark.parametrize(
    ("headers", "is_asked_again"),
    [
        ([SCRIPT], False),
        ([SCRIPT, "Cache-Control: public, max-age=600", "Vary: Accept-Encoding"], False),
        ([DATA, NOW, f"Last-Modified: {BEFORE}"], False),
        ([DATA, NOW, "Expires: Thu, 26 Nov 2026 11:00:00 GMT"], False),
        ([DATA], True),
        ([DATA, NOW, f"Expires: {BEFORE}"], True),
        ([DATA, NOW, "Expires: 0"], True),
        ([SCRIPT, "Cache-Control: no-store"], True),
        ([SCRIPT, "Cache-Control: max-age=0"], True),
        ([SCRIPT, "Vary: Cookie"], True),
        ([SCRIPT, "Set-Cookie: a=b"], True),
    ],
)
def test_answer_is_used_again_as_long_as_http_allows(
    headers: list[str], is_asked_again: bool
) -> None:
    """Each tab of the browser asks for the theme's files."""

    async def test() -> None:
        async with world(answer(*headers), answer(*headers, body="other")) as made:
            url = f"{made.base}/theme.js"
            first = await made.ask(made.get(url, headers={"Cache-Control": "no-cache"}))
            again = await made.ask(made.get(url, headers={"Cache-Control": "no-cache"}))
            assert first.endswith(b"hello")
            assert again.endswith(b"other" if is_asked_again else b"hello")
            assert len(made.asked) == len(made.recorded) == 1 + is_asked_again

    run(test)


@pytest.mark.parametrize(
    "odd",
    [
        {"method": "POST", "body": b"x"},
        {"headers": {"Range": "bytes=0-9"}},
        {"headers": {"If-None-Match": '"a"'}},
    ],
)
def test_request_for_something_of_its_own_is_passed_on(odd: dict[str, Any]) -> None:
    async def test() -> None:
        async with world(answer(SCRIPT), answer(SCRIPT)) as made:
            await made.ask(made.get(f"{made.base}/a"))
            await made.ask(made.get(f"{made.base}/a", **odd))
            assert len(made.asked) == 2

    run(test)


def test_what_the_browser_was_answered_need_not_be_asked_for_by_others() -> None:
    async def test() -> None:
        packed = answer("Content-Type: image/svg+xml", "Content-Encoding: gzip")
        async with world(answer("Content-Type: image/png"), packed) as made:
            pages = []
            for url in (f"{made.base}/a.png", f"{made.base}/a.svg"):
                await made.ask(made.get(url))
                pages.append(made.proxy.cache.page(url, time.monotonic()))
            assert pages[0] is not None and pages[0].body == b"hello"
            assert pages[0].headers["content-type"] == "image/png"
            assert pages[1] is None, "its body is not decoded here"
            assert made.proxy.cache.page(f"{made.base}/b.png", time.monotonic()) is None

    run(test)


def test_errors_and_large_answers_are_not_kept() -> None:
    async def test() -> None:
        large = answer(SCRIPT, body="x" * (MAX_ANSWER + 1))
        missing = answer(SCRIPT, status="404 Not Found")
        async with world(large, large, missing, missing) as made:
            for path in ("/a", "/a", "/b", "/b"):
                await made.ask(made.get(made.base + path))
            assert len(made.asked) == 4

    run(test)


def test_connections_are_reused_and_reopened_if_closed() -> None:
    async def test() -> None:
        closing = OK.replace(b"\r\nContent-Type", b"\r\nConnection: close\r\nContent-Type")
        async with world(OK, OK, closing, OK) as made:
            for _ in range(4):
                assert b"hello" in await made.ask(made.get(made.base + "/"))
            assert made.connections == 2 and len(made.recorded) == 4

    run(test)


def test_dropped_keep_alive_connection_loses_no_response() -> None:
    async def test() -> None:
        async with world(OK) as made:
            assert b"hello" in await made.ask(
                made.get(made.base + "/")
            )  # the server closes after its last answer
            made.answers.append(OK)
            assert b"hello" in await made.ask(made.get(made.base + "/"))
            assert made.connections == 2

    run(test)


REFUSED = {
    "private address": ("http://10.0.0.1/", {}),
    "other port": ("http://127.0.0.1:1/", {}),
    "local name": ("http://router/", {}),
    "scheme": ("ftp://example.org/", {}),
    "no URL": ("/relative", {}),
    "login in the URL": ("http://a:b@127.0.0.1:{port}/", {}),
    "web socket": ("http://127.0.0.1:{port}/", {"Upgrade": "websocket", "Connection": "Upgrade"}),
    "speculation": ("http://127.0.0.1:{port}/", {"Sec-Purpose": "prefetch;prerender"}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_request_fails_as_a_connection_error_and_is_not_recorded(name: str) -> None:
    url, headers = REFUSED[name]

    async def test() -> None:
        async with world(OK) as made:
            got = await made.ask(made.get(url.format(port=made.port), headers=headers))
            assert got.count(b"Content-Length") == 2 and b"hello" not in got, (
                "an answer that no browser takes"
            )
            assert not made.asked and not made.recorded and made.proxy.refused

    run(test)


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_redirect_is_forwarded_and_its_target_checked_separately(code: int) -> None:
    async def test() -> None:
        moved = (
            b"HTTP/1.1 %d Moved\r\nLocation: http://10.0.0.1/\r\nContent-Length: 0\r\n\r\n" % code
        )
        async with world(moved) as made:
            assert b"Location: http://10.0.0.1/" in await made.ask(made.get(made.base + "/"))
            assert made.proxy.count == 1

    run(test)


def test_host_name_is_resolved_once_checked_and_pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        async with world(OK, OK, operator="http://wiki.corp.example:{port}/") as made:
            answers = [["127.0.0.1"], ["127.0.0.2"]]

            async def look_up(host: str, port: object, **_: object) -> list[Any]:
                return [(0, 0, 0, "", (ip, 0)) for ip in answers.pop(0)]

            monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", look_up)
            url = f"http://wiki.corp.example:{made.port}/"
            made.proxy.limits = ProxyLimits(idle_seconds=0)  # a new connection each time
            for _ in range(2):
                assert b"hello" in await made.ask(made.get(url))
            assert made.connections == 2 and len(answers) == 1

    run(test)


@pytest.mark.parametrize(
    "ips", [["10.0.0.1"], ["::ffff:10.0.0.1"], ["169.254.169.254"], ["fd00::1", "127.0.0.1"]]
)
def test_host_resolving_to_a_private_address_is_refused(
    ips: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with world(OK) as made:

            async def look_up(host: str, port: object, **_: object) -> list[Any]:
                return [(0, 0, 0, "", (ip, 0)) for ip in ips]

            monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", look_up)
            await made.ask(made.get("http://cdn.example.net/"))
            assert "private network" in made.proxy.refused["http://cdn.example.net/"]
            assert "cdn.example.net" in made.proxy.guard.refused_names and not made.recorded

    run(test)


def test_proxy_refuses_other_clients() -> None:
    async def test() -> None:
        async with world(OK) as made:
            wrong = base64.b64encode(b"blogcrawl:guess").decode()
            for header in ("X: y", f"Proxy-Authorization: Basic {wrong}"):
                for line in (
                    f"GET {made.base}/ HTTP/1.1",
                    f"CONNECT 127.0.0.1:{made.port} HTTP/1.1",
                ):
                    got = await made.ask(f"{line}\r\nHost: h\r\n{header}\r\n\r\n".encode())
                    assert got.startswith(b"HTTP/1.1 407 ")
            assert not made.asked

    run(test)


HEAD = b"HTTP/1.1 200 OK\r\n"
ODD = {
    "chunks": (
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nT: 1\r\n\r\n",
        True,
    ),
    "until the end": (HEAD + b"Connection: close\r\n\r\nhello", True),
    "HTTP/1.0": (b"HTTP/1.0 200\r\nConnection: close\r\n\r\nhello", True),
    "interim answers": (
        b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 100 \r\n\r\n" + OK,
        True,
    ),
    "bad names": (
        HEAD
        + (
            b"Bad Name: x\r\nNo colon\r\n folded\r\nX\x00: y\r\nA : b\r\nContent-Length: "
            b"5\r\n\r\nhello"
        ),
        True,
    ),
    "control characters": (HEAD + b"X: a\x00b\x07\r\nContent-Length: 5\r\n\r\nhello", True),
    "line feeds": (b"HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", True),
    "both lengths": (
        HEAD + b"Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        True,
    ),
    "identity": (HEAD + b"Transfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello", True),
    "two lengths": (HEAD + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", False),
    "no number": (HEAD + "Content-Length: ²5\r\n\r\nhello".encode("latin-1"), False),
    "no HTTP": (b"SSH-2.0-OpenSSH\r\n\r\n", False),
    "status of an upgrade": (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nhello", False),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_responses_are_reframed_or_aborted(name: str) -> None:
    answer, usable = ODD[name]

    async def test() -> None:
        async with world(answer) as made:
            got = await made.ask(made.get(made.base + "/"))
            assert (b"hello" in got) is usable
            if usable:
                assert made.recorded[0].response == answer and made.recorded[0].truncated is None
                assert got.count(b"ontent-") + got.count(b"ransfer-") <= 2

    run(test)


def test_response_smuggled_in_a_body_is_dropped() -> None:
    """Else a server could answer for another one on the browser's connection."""

    async def test() -> None:
        async with world(OK + OK.replace(b"hello", b"WRONG"), OK) as made:
            got = await made.ask(made.get(made.base + "/"), made.get(made.base + "/2"))
            assert b"WRONG" not in got and got.count(b"hello") == 2

    run(test)


def test_limits_truncate_a_response_and_record_it() -> None:
    async def test() -> None:
        big = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 300_000
        limits = ProxyLimits(answer_bytes=100_000)
        async with world(big, None, limits=limits) as made:
            got = await made.ask(made.get(made.base + "/"))
            assert len(got) < 300_000 and made.recorded[0].truncated == "length"
            made.proxy.limits = ProxyLimits(seconds=0.3)
            await made.ask(made.get(made.base + "/slow"))
            assert len(made.recorded) == 1, "nothing came, nothing is recorded"

    run(test)


@pytest.mark.parametrize("body", [b"a=1", b"a" * 6 * 2**20], ids=["short", "longer than kept"])
def test_request_body_is_forwarded(body: bytes) -> None:
    async def test() -> None:
        async with world(OK) as made:
            await made.ask(made.get(made.base + "/", "POST", {"Content-Type": "text/plain"}, body))
            head, _, sent = made.asked[0].partition(b"\r\n\r\n")
            assert head.startswith(b"POST / HTTP/1.1") and sent == body

    run(test)


async def through_tunnel(made: World, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", made.proxy_port)
    writer.write(made.get(f"127.0.0.1:{made.port}", "CONNECT"))
    await reader.readuntil(b"\r\n\r\n")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    await writer.start_tls(context, server_hostname="127.0.0.1")
    writer.write(request)
    got = await read_to_silence(reader)
    writer.close()
    return got


def test_https_is_intercepted_and_recorded() -> None:
    async def test() -> None:
        async with world(OK, tls=True) as made:
            got = await through_tunnel(made, b"GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert got.endswith(b"hello")
            assert (
                made.recorded[0].url == f"https://127.0.0.1:{made.port}/x"
                and made.recorded[0].response == OK
            )

    run(test)


def test_login_is_sent_only_to_its_origin_with_a_valid_certificate() -> None:
    async def test() -> None:
        logins = Logins()
        async with world(OK, logins=logins) as made:
            logins.take(f"http://ann:pw@127.0.0.1:{made.port}/")
            await made.ask(made.get(made.base + "/", headers={"Authorization": "Basic other"}))
            assert (
                b"Authorization: Basic YW5uOnB3\r\n" in made.asked[0]
                and b"other" not in made.asked[0]
            )
        async with world(OK, tls=True, logins=logins) as made:
            logins.take(f"https://ann:pw@127.0.0.1:{made.port}/")
            await through_tunnel(made, b"GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert not made.asked, "its certificate is not valid"

    run(test)


def test_tunnel_of_another_protocol_opens_no_connection() -> None:
    """TURN over TCP, WebSockets and whatever else speaks in a tunnel."""

    async def test() -> None:
        async with world(OK, OK, tls=True) as made:
            got = await made.ask(
                made.get(f"127.0.0.1:{made.port}", "CONNECT"),
                b"\x00\x03\x00\x08\x21\x12\xa4\x42" + bytes(20),
            )
            assert got.startswith(b"HTTP/1.1 200") and made.connections == 0
            assert (await made.ask(made.get("10.0.0.1:443", "CONNECT"))).startswith(b"HTTP/1.1 403")
            upgrade = (
                b"GET /x HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
            )
            assert b"hello" not in await through_tunnel(made, upgrade)
            assert made.connections == 0 and not made.recorded

    run(test)


def test_client_disconnect_ends_the_request() -> None:
    async def test() -> None:
        async with world(None) as made:
            _, writer = await asyncio.open_connection("127.0.0.1", made.proxy_port)
            writer.write(made.get(made.base + "/"))
            while not made.asked:
                await asyncio.sleep(0.01)
            writer.close()
            while made.proxy._tasks:
                await asyncio.sleep(0.01)

    run(test)


INSIDE = """
    import socket, sys
    mark, port = sys.argv[1:]
    try:
        socket.create_connection(("127.0.0.1", int(port)), 2)
        raise SystemExit("the crawler's own loopback interface is there")
    except ConnectionRefusedError:
        pass
    try:
        socket.create_connection(("192.0.2.1", 80), 2)
        raise SystemExit("there is a route")
    except OSError as error:
        assert error.errno in (101, 113), error
    with socket.create_connection(("127.0.0.1", 3128), 5) as proxy:
        proxy.sendall(f"GET http://127.0.0.1:{port}/ HTTP/1.1\\r\\nHost: h\\r\\nConnection: close\\r\\n\\r\\n".encode())
        got = b""
        while piece := proxy.recv(9999):
            got += piece
    assert b"hello" in got, got
"""  # noqa: E501


@pytest.mark.skipif(not namespace.is_possible(), reason="no network namespace can be made here")
@pytest.mark.parametrize("mounted", ["exec", "noexec"])
def test_namespaced_program_reaches_only_the_proxy(
    mounted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    if mounted == "noexec":
        flags = SimpleNamespace(f_flag=os.ST_NOEXEC)
        monkeypatch.setattr(namespace.os, "statvfs", lambda _: flags)
    script = tmp_path / "inside.py"
    script.write_text(f"#!{sys.executable}\n{textwrap.dedent(INSIDE)}")
    script.chmod(0o755)

    async def test() -> None:
        async with world(OK, OK) as made:

            async def arrived(listener: Any) -> None:
                await made.proxy.listen(listener, is_open=False)

            doorway = namespace.Doorway(arrived)
            try:
                launcher = doorway.launcher(str(script), scratch)
                for _ in range(2):  # a second browser takes the place of the first
                    child = await asyncio.create_subprocess_exec(
                        launcher, "--mark", str(made.port), stderr=asyncio.subprocess.PIPE
                    )
                    _, said = await child.communicate()
                    assert child.returncode == 0, said.decode()
            finally:
                doorway.close()

    run(test)
    assert bool(list(scratch.iterdir())) == (mounted == "exec")


FROM_AN_EGG = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from blogcrawl.crawling.handlers import namespace

async def start(folder):
    arrived = asyncio.get_running_loop().create_future()
    async def arrive(listener):
        arrived.set_result(listener.getsockname())
        listener.close()
    doorway = namespace.Doorway(arrive)
    child = await asyncio.create_subprocess_exec(doorway.launcher("/bin/true", folder))
    code = await child.wait()
    result = code, await arrived
    doorway.close()
    return result

assert namespace.__file__.startswith(sys.argv[1]), namespace.__file__
assert namespace.is_possible()
print(asyncio.run(start(Path(sys.argv[2]))))
"""


@pytest.mark.skipif(not namespace.is_possible(), reason="no network namespace can be made here")
def test_namespace_starts_from_a_zipped_egg(tmp_path: Path) -> None:
    egg = tmp_path / "project.egg"
    with zipfile.ZipFile(egg, "w") as packed:
        for name in (
            "__init__.py",
            "crawling/__init__.py",
            "crawling/handlers/__init__.py",
            "crawling/handlers/namespace.py",
        ):
            packed.write(ROOT / "blogcrawl" / name, f"blogcrawl/{name}")
    command = [sys.executable, "-c", FROM_AN_EGG, str(egg), str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == "(0, ('127.0.0.1', 3128))\n", done.stderr
