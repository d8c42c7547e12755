"""Event handlers of a tab: what is blocked, limits, and all that a page does to trap a browser.

What the page may reach is decided in ``proxy``: a tab does not see redirects, nor what its workers
and pop-ups ask for.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any
from urllib.parse import urldefrag

from blogcrawl.core.netguard import Guard
from blogcrawl.core.page import Page
from blogcrawl.rendering import scripts
from blogcrawl.rendering.behaviours import MANY_BYTES, MANY_REQUESTS, Limits, Traffic
from blogcrawl.rendering.blocking import blocked
from blogcrawl.urls.canonical import same_site

_OF_TRANSFER = frozenset({"content-encoding", "content-length", "transfer-encoding"})
MAX_CONSOLE = 50
"""Error messages kept of a page, 500 characters each."""


async def watch(
    tab: Any, guard: Guard, traffic: Traffic, limits: Limits, page: Page | None = None
) -> None:
    """Set up a new tab before it goes anywhere; ``page`` is known and not asked for again."""
    await tab.add_init_script(f"({scripts.TAME})()")
    await tab.route(
        "**/*", lambda route, request: _route(tab, guard, traffic, limits, route, request)
    )
    if page is not None and page.status == 200 and page.body:
        await tab.route(
            lambda url: url == urldefrag(page.url).url,
            lambda route: _later(route.fulfill(status=200, headers=_sent(page), body=page.body)),
            times=1,
        )
    with contextlib.suppress(AttributeError):  # playwright before 1.48
        await tab.route_web_socket("**/*", lambda socket: asyncio.ensure_future(socket.close()))
    tab.on("dialog", lambda dialog: _later(dialog.dismiss()))
    tab.on("popup", lambda popup: _later(popup.close()))
    tab.on("download", lambda download: _later(download.cancel()))
    tab.on("crash", lambda *_: setattr(traffic, "crashed", True))
    tab.on("close", lambda *_: setattr(traffic, "crashed", True) if not traffic.held else None)
    tab.on("request", lambda _: _begin(traffic))
    tab.on("response", lambda response: _answered(tab, traffic, response))
    tab.on("requestfailed", lambda request: _failed(tab, traffic, request))
    tab.on("requestfinished", lambda request: _later(_finished(traffic, request)))
    tab.on(
        "console", lambda message: _note(traffic, message.text) if message.type == "error" else None
    )
    tab.on("pageerror", lambda error: _note(traffic, str(error)))


def _sent(page: Page) -> dict[str, str]:
    """Return the header fields of a page that hold for its body, which is decoded already."""
    return {name: value for name, value in page.headers.items() if name not in _OF_TRANSFER}


def _later(work: Any) -> None:
    """Run a playwright call whose outcome no one waits for; it may fail because the tab is gone."""

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


def _answered(tab: Any, traffic: Traffic, response: Any) -> None:
    if response.request.resource_type in ("fetch", "xhr") and same_site(response.url, tab.url):
        is_troubled = response.status >= 500 or response.status == 429
        (traffic.troubled.add if is_troubled else traffic.troubled.discard)(response.url)


def _end(traffic: Traffic) -> None:
    traffic.pending = max(0, traffic.pending - 1)
    traffic.last_change = time.monotonic()


def _failed(tab: Any, traffic: Traffic, request: Any) -> None:
    _end(traffic)
    if request.is_navigation_request() and _is_main(tab, request):
        traffic.failed = request.url


async def _finished(traffic: Traffic, request: Any) -> None:
    _end(traffic)
    sizes = await request.sizes()
    traffic.bytes += max(0, sizes["responseBodySize"])


async def _route(
    tab: Any, guard: Guard, traffic: Traffic, limits: Limits, route: Any, request: Any
) -> None:
    reason = _refusal(tab, guard, traffic, limits, request)
    with contextlib.suppress(Exception):  # the tab may be gone by now
        if reason is None:
            await route.fallback()
        else:
            traffic.blocked[reason] = traffic.blocked.get(reason, 0) + 1
            # "aborted" leaves the page where it is; any other reason would put an error page in its
            # place
            await route.abort("aborted" if request.is_navigation_request() else "blockedbyclient")


def _refusal(tab: Any, guard: Guard, traffic: Traffic, limits: Limits, request: Any) -> str | None:
    url = request.url
    if traffic.requests > limits.requests:
        return MANY_REQUESTS
    if traffic.bytes > limits.bytes:
        return MANY_BYTES
    if request.is_navigation_request() and _is_main(tab, request):
        traffic.navigations += 1
        if traffic.held or traffic.navigations > limits.navigations:
            return "endless navigation"
    reason = blocked(url, request.resource_type)
    if reason or url.startswith(("data:", "blob:", "about:")):
        return reason
    # the proxy would refuse it as well; a navigation that is aborted here leaves the page where it
    # is
    return "private network" if guard.refuse_url(url) else None


def _is_main(tab: Any, request: Any) -> bool:
    try:
        return bool(request.frame == tab.main_frame)
    except Exception:  # a request of a service worker has no frame; playwright raises its own error
        return False
