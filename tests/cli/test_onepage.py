"""One page that the operator names, fetched from the address that was checked."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from blogcrawl.cli.onepage import fetched
from blogcrawl.core.config import Config
from blogcrawl.core.errors import RefusedError


@contextmanager
def server_at(address: str, port: int = 0) -> Iterator[tuple[int, list[str]]]:
    """A server at a loopback address; its port and the requests (Host and path) that came."""
    requests: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(f"{self.headers['Host']} {self.path}")
            found = self.path != "/robots.txt"
            self.send_response(200 if found else 404)
            self.end_headers()
            self.wfile.write(f"page of {address}".encode() if found else b"")

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer((address, port), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port, requests
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def rebinding(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Addresses that blog.example resolves to, one after the other; the last one for good."""
    answers: list[str] = []
    real = socket.getaddrinfo

    def look_up(host: Any, *rest: Any, **more: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name != "blog.example":
            return real(host, *rest, **more)
        return real(answers.pop(0) if len(answers) > 1 else answers[0], *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return answers


def test_connection_uses_the_checked_address(rebinding: list[str]) -> None:
    with server_at("127.0.0.2") as (port, asked), server_at("127.0.0.1", port) as (_, canary):
        # robots.txt and the page are looked up once each; a third look-up would lead to the canary
        rebinding += ["127.0.0.2", "127.0.0.2", "127.0.0.1"]
        page = fetched(f"http://blog.example:{port}/post", Config(allow_private=True))
    assert page.body == b"page of 127.0.0.2"
    assert asked == [f"blog.example:{port} /robots.txt", f"blog.example:{port} /post"]
    assert canary == []


def test_host_rebound_to_a_link_local_address_is_refused(rebinding: list[str]) -> None:
    with server_at("127.0.0.2") as (port, asked):
        rebinding += ["127.0.0.2", "169.254.169.254"]
        with pytest.raises(RefusedError, match=r"169\.254\.169\.254"):
            fetched(f"http://blog.example:{port}/post", Config())
    assert asked == [f"blog.example:{port} /robots.txt"]
