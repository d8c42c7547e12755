"""The browser behind Scrapy's download handler: started only when the first page needs it, guarded,
and got rid of.

All of its network is ``proxy.BrowserProxy``; where Linux allows, a namespace without routes
(``namespace``) is around it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shutil
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from scrapy.crawler import Crawler

from blogcrawl.core.config import Config
from blogcrawl.core.credentials import Logins
from blogcrawl.core.netguard import Guard
from blogcrawl.crawling.handlers import BROWSERS, namespace
from blogcrawl.crawling.handlers.proxy import BrowserProxy, ProxyLimits
from blogcrawl.crawling.handlers.proxy_tls import key_digest
from blogcrawl.crawling.handlers.recording import record_exchange
from blogcrawl.crawling.session import session_of
from blogcrawl.packaging.warc import Exchange
from blogcrawl.storage.temporary import scratch_folder

logger = logging.getLogger(__name__)

NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
    "msedge",
)
"""Programs looked for on the PATH, the lightest first (measured: 265 MB against 435 MB for the same
pages).
"""

DISABLED = (
    "OptimizationHints MediaRouter Translate AutofillServerCommunication AcceptCHFrame "
    "InterestFeedContentSuggestions DialMediaRouteProvider "
    # what playwright turns off, whose list this one takes the place of, as far as it changes
    # requests
    "HttpsUpgrades HttpsFirstBalancedModeAutoEnable AvoidCorsURLLoaderRestartOnRedirect "
    "NetworkTimeServiceQuerying "
    # requests ahead of need, and names looked up by other ways
    "Prerender2 SpeculationRulesPrefetchFuture LoadingPredictorUseOptimizationGuide DnsOverHttps "
    "AsyncDns"
).split()
"""Chromium's features that are of no use here, or ask for what no page needs."""

ARGUMENTS = (
    *(
        "--disable-gpu --disable-dev-shm-usage --disable-background-networking "
        "--disable-component-update --disable-sync --disable-default-apps --no-first-run "
        "--metrics-recording-only --mute-audio --disable-breakpad --disable-extensions "
        "--hide-scrollbars --js-flags=--max-old-space-size=512 --renderer-process-limit=4 "
        "--disable-notifications"
    ).split(),
    "--disable-features=" + ",".join(DISABLED),
    # Nothing but the proxy: no names are looked up, no UDP is sent, nothing is opened ahead of
    # need.
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    *(
        "--disable-quic --force-webrtc-ip-handling-policy=disable_non_proxied_udp "
        "--webrtc-ip-handling-policy=disable_non_proxied_udp --dns-prefetch-disable --no-pings"
    ).split(),
)

LAUNCH_SECONDS = 30.0

CONTEXT = {
    "service_workers": "block",
    "accept_downloads": False,
    "viewport": {"width": 1280, "height": 900},
    "permissions": [],
    "reduced_motion": "reduce",
    "ignore_https_errors": True,
}
"""Every context's options. Certificates as for plain requests: an expired one is no reason not to
archive.
"""


class NoBrowserError(Exception):
    """No Chromium, or playwright not installed."""


def find_browser(path: str = "") -> str | None:
    """Return the browser program to use: ``path`` where it is given, else the first on the PATH,
    else playwright's own download.
    """
    if path:
        return path if os.access(path, os.X_OK) else None
    found = next((p for p in map(shutil.which, NAMES) if p), None)
    if found:
        return found
    cache = Path(
        os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright"
    )
    candidates = sorted(
        [
            *cache.glob("chromium_headless_shell-*/*/headless_shell"),
            *cache.glob("chromium-*/*/chrome"),
        ]
    )
    return str(candidates[-1]) if candidates else None


def launch_options(program: str, seconds: float = LAUNCH_SECONDS) -> dict[str, Any]:
    """Return options of the launch, which may take ``seconds``. The sandbox stays on, except for
    root: Chromium refuses to start with it.
    """
    arguments = list(ARGUMENTS)
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if is_root:
        arguments.append("--no-sandbox")
    return {
        "executable_path": program,
        "args": arguments,
        "headless": True,
        "chromium_sandbox": not is_root,
        "timeout": 1000 * seconds,
    }


class BrowserNetwork:
    """What browsers of one crawl get of the network: the proxy, in a namespace without routes where
    one can be made.
    """

    def __init__(
        self,
        guard: Guard,
        *,
        limits: ProxyLimits | None = None,
        record: Callable[[Exchange], None] | None = None,
        logins: Logins | None = None,
    ) -> None:
        self.proxy = BrowserProxy(guard, limits=limits, record=record, logins=logins)
        self._scratch = contextlib.ExitStack()
        self._folder: Path | None = None
        self.fenced = True
        """A namespace is used, as far as is known."""
        self._doorway: namespace.Doorway | None = None

    @property
    def folder(self) -> Path:
        """Scratch space for the browser's launcher, profiles and downloads; removed by ``close``,
        or after a kill by a sweep.
        """
        if self._folder is None:
            self._folder = self._scratch.enter_context(scratch_folder("browser"))
        return self._folder

    async def options(self, program: str, seconds: float = LAUNCH_SECONDS) -> dict[str, Any]:
        """Return launch options of playwright for a browser whose network this is. Raises OSError
        if nothing can be listened on.
        """
        options = launch_options(program, seconds)
        self.fenced = self.fenced and await asyncio.to_thread(namespace.is_possible)
        if self.fenced:
            self._doorway = self._doorway or namespace.Doorway(self._arrived)
            options["executable_path"] = str(self._doorway.launcher(program, self.folder))
            options["args"].append(f"--proxy-server=http://127.0.0.1:{namespace.PORT}")
        else:
            port = await self.proxy.listen()
            server = f"http://127.0.0.1:{port}"
            options["proxy"] = {
                "server": server,
                "username": "blogcrawl",
                "password": self.proxy.secret,
            }
        options["args"].append(f"--ignore-certificate-errors-spki-list={key_digest()}")
        return options

    async def _arrived(self, listener: socket.socket) -> None:
        await self.proxy.listen(listener, is_open=False)

    async def close(self) -> None:
        await self.proxy.close()
        if self._doorway is not None:
            self._doorway.close()
            self._doorway = None
        self._scratch.close()
        self._folder = None


async def browser_handler(crawler: Crawler) -> Any:
    """Return scrapy-playwright's handler of this crawl, started on the first call; one for http and
    https. Raises NoBrowserError.
    """
    handler = BROWSERS.get(crawler)
    if handler is not None:
        await handler.blogcrawl_started.wait()
        if handler.blogcrawl_error:
            raise NoBrowserError(handler.blogcrawl_error)
        return handler
    config = Config.from_settings(crawler.settings)
    program = find_browser(config.browser_path)
    if program is None:
        raise NoBrowserError("no Chromium found: install it, or name it in BLOGCRAWL_BROWSER_PATH")
    try:
        from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler
    except ImportError as error:
        raise NoBrowserError(f"scrapy-playwright can't be loaded ({error})") from error
    handler = ScrapyPlaywrightDownloadHandler.from_crawler(crawler)
    handler.blogcrawl_started = asyncio.Event()
    handler.blogcrawl_error = ""
    BROWSERS[crawler] = handler
    logging.getLogger("scrapy-playwright").setLevel(logging.ERROR)
    # Chromium passes over what it does not know: by this its crawl finds it again, next to those of
    # other crawls of the process.
    handler.blogcrawl_mark = f"--blogcrawl={os.getpid()}-{id(handler)}"
    handler.blogcrawl_network = network_of(crawler, config)
    handler.config.navigation_timeout_ms = 30_000
    handler.config.max_pages_per_context = 8
    try:
        await set_launch(handler, program, config)
        with temporary_files_in(handler.blogcrawl_network.folder):
            await asyncio.wait_for(handler._launch(), 60)
    except Exception as error:
        handler.blogcrawl_error = (
            f"the browser driver does not start ({' '.join(str(error).split())[:200]})"
        )
        raise NoBrowserError(handler.blogcrawl_error) from error
    finally:
        handler.blogcrawl_started.set()
    return handler


@contextlib.contextmanager
def temporary_files_in(folder: Path) -> Iterator[None]:
    """Let programs that are started meanwhile keep their temporary files there: playwright's driver
    makes profiles and downloads of its browsers in TMPDIR, and does not remove them when it is
    killed."""
    before = os.environ.get("TMPDIR")
    os.environ["TMPDIR"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = before


def network_of(crawler: Crawler, config: Config) -> BrowserNetwork:
    """Return the network of this crawl's browsers: its guard, its limits, its evidence."""
    session = session_of(crawler)
    limits = ProxyLimits(answer_bytes=config.max_page_bytes, seconds=config.render_seconds + 30)

    logins = getattr(crawler.spider, "logins", None)

    def record(done: Exchange) -> None:
        session.count("requests")
        session.count("requests_render")
        session.count("bytes", len(done.response))
        record_exchange(crawler, done)

    network = BrowserNetwork(session.services.guard, limits=limits, record=record, logins=logins)
    session.seen_by_browser = lambda url: network.proxy.cache.page(url, time.monotonic())
    return network


async def set_launch(handler: Any, program: str, config: Config) -> None:
    """Set the options of the handler's next launch."""
    options = await handler.blogcrawl_network.options(
        program, min(LAUNCH_SECONDS, 10 + config.render_seconds)
    )
    handler.config.launch_options = options | {"args": [*options["args"], handler.blogcrawl_mark]}


async def leave_fence(crawler: Crawler) -> bool:
    """Start the browser without a namespace the next time, as it did not start. False if it was
    without one already.
    """
    handler = await browser_handler(crawler)
    network: BrowserNetwork = handler.blogcrawl_network
    if not network.fenced:
        return False
    network.fenced = False
    config = Config.from_settings(crawler.settings)
    program = find_browser(config.browser_path)
    if program is not None:
        logger.info("the browser does not start in a network namespace: it is tried without one")
        await set_launch(handler, program, config)
    return True


async def close_browser(handler: Any) -> None:
    """End what ``browser_handler`` started."""
    if handler.blogcrawl_error:
        await handler.blogcrawl_network.close()
    else:
        await close_handler(handler)


async def close_handler(handler: Any) -> None:
    """Ends the browser and its driver, by force where they hang."""
    try:
        await asyncio.wait_for(handler._close(), 15)
    # a browser that is gone or hangs fails in many ways; what counts is that none is left
    except Exception as error:
        logger.debug("closing the browser: %s", error)
    kill_browsers(handler.blogcrawl_mark)
    await handler.blogcrawl_network.close()


async def restart_browser(handler: Any) -> None:
    """Start a fresh browser for the next page: the old one is closed, or killed if it hangs."""
    browser = getattr(handler, "browser", None)
    if browser is None:
        return
    try:
        await asyncio.wait_for(browser.close(), 5)
    except Exception as error:  # see close_handler
        logger.debug("restarting the browser: %s", error)
        kill_browsers(handler.blogcrawl_mark)
        with contextlib.suppress(Exception):
            await asyncio.wait_for(browser.close(), 5)
    for _ in range(20):  # the handler forgets it by its "disconnected" event
        if getattr(handler, "browser", None) is not browser:
            return
        await asyncio.sleep(0.1)
    if getattr(handler, "browser", None) is browser:
        del handler.browser
        handler.context_wrappers.clear()


def descendants(pid: int) -> list[int]:
    """Return processes started by ``pid``, directly or not (Linux; elsewhere none are found)."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            parents.setdefault(parent, []).append(int(entry.name))
    out, stack = [], [pid]
    while stack:
        for child in parents.get(stack.pop(), ()):
            out.append(child)
            stack.append(child)
    return out


def kill_browsers(mark: str) -> int:
    """Kills the browsers with the argument ``mark`` that this process started and that are still
    there; how many processes that were.
    """
    killed = set()
    for pid in descendants(os.getpid()):
        with contextlib.suppress(OSError):
            if mark.encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"):
                for one in (*descendants(pid), pid):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(one, signal.SIGKILL)
                        killed.add(one)
    return len(killed)
