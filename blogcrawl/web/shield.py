"""What stands before every page: which hosts are served, and what a browser may do with answers."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Shield:
    """Refuse requests for names that are not ours, and add the headers of safety to answers.

    A page of another site can point its own name at this server (DNS rebinding) and would then
    share its origin: only addresses, ``localhost`` and the ``hosts`` given are answered.
    """

    def __init__(self, app: ASGIApp, *, hosts: Iterable[str], captured: str) -> None:
        self.app = app
        self.hosts = frozenset(host.lower() for host in hosts) | {"localhost"}
        self.headers = {
            "Content-Security-Policy": policy(captured),
            "X-Content-Type-Options": "nosniff",
            # "no-referrer" would make browsers send forms of ours with the origin "null"
            "Referrer-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "X-Frame-Options": "DENY",
            "X-Robots-Tag": "noindex, nofollow",
            "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if not self.is_ours(Headers(scope=scope).get("host", "")):
            refusal = PlainTextResponse("this host is not served here", 421)
            await refusal(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self.app(scope, receive, guarded)

    def is_ours(self, host: str) -> bool:
        """Report whether a Host header names this server."""
        try:
            name = (urlsplit(f"//{host}").hostname or "").lower()
        except ValueError:
            return False
        return name in self.hosts or is_address(name)


def policy(captured: str) -> str:
    """Return the Content-Security-Policy: our own style and scripts, archived pictures and pages
    from the second origin ``captured``, nothing else."""
    return (
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
        f"img-src 'self' data: {captured}; media-src {captured}; frame-src {captured}; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


def is_address(name: str) -> bool:
    """Report whether a host is an IP address, which no one can point elsewhere."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(name: str) -> bool:
    """Report whether only this machine reaches a host to listen on."""
    return name == "localhost" or (is_address(name) and ipaddress.ip_address(name).is_loopback)
