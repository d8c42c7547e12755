"""Event handlers of a tab: the guard, what is blocked, limits, and all that a page does to trap a browser."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from typing import Any

from blogcrawl.netguard import Guard, host_of
from blogcrawl.rendering import scripts
from blogcrawl.rendering.behaviours import Limits, Traffic
from blogcrawl.rendering.blocking import blocked

MAX_CONSOLE = 50
"""Error messages kept of a page, 500 characters each."""

_resolved: dict[tuple[str, int], tuple[float, tuple[str, ...]]] = {}
_KEEP = 60.0
"""Seconds that a look-up is believed; a browser's own cache holds as long."""


async def watch(tab: Any, guard: Guard, traffic: Traffic, limits: Limits) -> None:
    """Set up a new tab before it goes anywhere."""
    await tab.add_init_script(f"({scripts.TAME})()")
    await tab.route("**/*", lambda route, request: _route(tab, guard, traffic, limits, route, request))
    with contextlib.suppress(AttributeError):  # playwright before 1.48
        await tab.route_web_socket("**/*", lambda socket: asyncio.ensure_future(socket.close()))
    tab.on("dialog", lambda dialog: _later(dialog.dismiss()))
    tab.on("popup", lambda popup: _later(popup.close()))
    tab.on("download", lambda download: _later(download.cancel()))
    tab.on("crash", lambda *_: setattr(traffic, "crashed", True))
    tab.on("close", lambda *_: setattr(traffic, "crashed", True) if not traffic.held else None)
    tab.on("request", lambda _: _begin(traffic))
    tab.on("requestfailed", lambda _: _end(traffic))
    tab.on("requestfinished", lambda request: _later(_finished(traffic, limits, request)))
    tab.on("response", lambda response: _later(_check_address(guard, traffic, response)))
    tab.on("console", lambda message: _note(traffic, message.text) if message.type == "error" else None)
    tab.on("pageerror", lambda error: _note(traffic, str(error)))


def _later(work: Any) -> None:
    """Run a playwright call whose outcome nobody waits for; it may fail because the tab is gone."""

    async def run() -> None:
        with contextlib.suppress(Exception):
            await work

    task = asyncio.ensure_future(run())
    _running.add(task)
    task.add_done_callback(_running.discard)


_running: set[asyncio.Future[None]] = set()


def _note(traffic: Traffic, text: str) -> None:
    if len(traffic.console) < MAX_CONSOLE:
        traffic.console.append(text[:500])


def _begin(traffic: Traffic) -> None:
    traffic.pending += 1
    traffic.requests += 1
    traffic.last_change = time.monotonic()


def _end(traffic: Traffic) -> None:
    traffic.pending = max(0, traffic.pending - 1)
    traffic.last_change = time.monotonic()


async def _finished(traffic: Traffic, limits: Limits, request: Any) -> None:
    _end(traffic)
    sizes = await request.sizes()
    traffic.bytes += max(0, sizes["responseBodySize"])


async def _check_address(guard: Guard, traffic: Traffic, response: Any) -> None:
    """The address that the browser really reached (a name may have changed its mind since it was looked up here)."""
    address = await response.server_addr()
    if address and address.get("ipAddress"):
        reason = guard.refuse_address(host_of(response.url) or "", address["ipAddress"].strip("[]"))
        if reason:
            traffic.refused = reason


async def _route(tab: Any, guard: Guard, traffic: Traffic, limits: Limits, route: Any, request: Any) -> None:
    reason = await _refusal(tab, guard, traffic, limits, request)
    with contextlib.suppress(Exception):  # the tab may be gone by now
        if reason is None:
            await route.fallback()
        else:
            traffic.blocked[reason] = traffic.blocked.get(reason, 0) + 1
            # "aborted" leaves the page where it is; any other reason would put an error page in its place
            await route.abort("aborted" if request.is_navigation_request() else "blockedbyclient")


async def _refusal(tab: Any, guard: Guard, traffic: Traffic, limits: Limits, request: Any) -> str | None:
    url = request.url
    if traffic.requests > limits.requests:
        return "too many requests"
    if traffic.bytes > limits.bytes:
        return "too many bytes"
    if request.is_navigation_request() and _is_main(tab, request):
        traffic.navigations += 1
        if traffic.held or traffic.navigations > limits.navigations:
            return "endless navigation"
    reason = blocked(url, request.resource_type)
    if reason or url.startswith(("data:", "blob:", "about:")):
        return reason
    if guard.refuse_url(url) or await _leads_inside(guard, url):
        return "private network"
    return None


def _is_main(tab: Any, request: Any) -> bool:
    try:
        return bool(request.frame == tab.main_frame)
    except Exception:  # a request of a service worker has no frame; playwright raises its own error
        return False


async def _leads_inside(guard: Guard, url: str) -> bool:
    """Does the host's name lead to an address that the guard refuses?"""
    host = host_of(url)
    if host is None:
        return True
    if guard.allow_private:
        return False
    key, now = (host, id(guard)), time.monotonic()
    known = _resolved.get(key)
    if known is None or known[0] < now - _KEEP:
        try:
            rows = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
            addresses = tuple({str(row[4][0]) for row in rows})
        except OSError:
            addresses = ()  # the browser will not find it either
        if len(_resolved) > 2_000:
            _resolved.clear()
        known = _resolved[key] = (now, addresses)
    return any(guard.refuse_address(host, address) for address in known[1])
