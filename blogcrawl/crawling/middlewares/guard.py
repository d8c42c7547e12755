"""What stands between the engine and the net: the guard, robots.txt and redirects; retries are in
``crawling.middlewares.retry``.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections import OrderedDict
from dataclasses import replace
from http.cookies import CookieError, SimpleCookie

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http import HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK

from blogcrawl.core import charsets
from blogcrawl.core.netguard import Guard, host_of
from blogcrawl.crawling import resolver
from blogcrawl.crawling.exceptions import (
    NoAnswer,
    ReadBefore,
    Refused,
    RobotsForbidden,
    RobotsTrouble,
    Stopping,
)
from blogcrawl.crawling.robots import MAX_BYTES as MAX_ROBOTS_BYTES
from blogcrawl.crawling.robots import Robots, read_robots, without_frames
from blogcrawl.crawling.session import session_if_any
from blogcrawl.frontier.unread import FORBIDDEN
from blogcrawl.urls.canonical import canonicalize, origin_of

logger = logging.getLogger(__name__)

MAX_HOSTS = 2_000
"""Hosts whose robots.txt is remembered; a blog links to few more that it shows images from."""
HEAD_BYTES = 8192
"""Of a page, in which a refresh is looked for; Scrapy reads 4,096 characters."""
MAX_ROBOTS_REDIRECTS = 5
"""RFC 9309, section 2.3.1.2."""
MAX_COOKIE_BYTES = 4_096
"""What browsers take for one cookie (RFC 6265, 6.1)."""


class StorageMiddleware:
    """Nothing is fetched while what was fetched can't be stored (``storage.outage``)."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StorageMiddleware:
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        session = session_if_any(self.crawler)
        if session is None:
            return
        gate = session.services.gate
        if gate.closed and not await gate.opened():
            raise Stopping("the crawl stops while its storage is away")


class GuardMiddleware:
    """Holds every request, redirects included, to the guard of its own crawl."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> GuardMiddleware:
        return cls(crawler)

    @property
    def guard(self) -> Guard:
        guard: Guard | None = getattr(self.crawler.spider, "guard", None)
        return guard or Guard(())

    async def process_request(self, request: Request) -> None:
        guard = self.guard
        reason = guard.refuse_url(request.url)
        host = host_of(request.url)
        if (
            reason is None
            and host in resolver.private_names
            and host not in guard.hosts
            and not guard.allow_private
        ):
            reason = f"{host} is a name of a private network"
        if reason is not None:
            self.crawler.stats.inc_value("blogcrawl/refused")
            raise Refused(reason)
        session = session_if_any(self.crawler)
        removal = session.removed.get(canonicalize(request.url)) if session is not None else None
        if removal is not None:
            self.crawler.stats.inc_value("blogcrawl/removed")
            raise Refused(removal.sentence)

    async def process_response(self, request: Request, response: Response) -> Response:
        # a browser's answers come from its proxy, which holds them to the same guard
        if (
            response.ip_address is not None
            and not request.meta.get("proxy")
            and not request.meta.get("playwright")
        ):
            reason = self.guard.refuse_address(host_of(request.url), response.ip_address)
            if reason is not None:
                raise Refused(reason)
        return response


class RobotsMiddleware:
    """RFC 9309, and ``Crawl-delay`` as the least delay of its host."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.obey = crawler.settings.getbool("ROBOTSTXT_OBEY")
        self._known: OrderedDict[str, asyncio.Task[Robots]] = OrderedDict()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RobotsMiddleware:
        middleware = cls(crawler)
        crawler.signals.connect(middleware.on_bytes, signal=signals.bytes_received)
        return middleware

    def on_bytes(self, data: bytes, request: Request) -> None:
        """End the download of a robots.txt that is longer than what is read of it; that counts (RFC
        9309, 2.5).
        """
        if request.meta.get("blogcrawl_kind") == "robots":
            request.meta.pop(
                "download_maxsize", None
            )  # the limit holds again for what is decompressed
            request.meta["robots_bytes"] += len(data)
            if request.meta["robots_bytes"] > MAX_ROBOTS_BYTES:
                raise StopDownload(fail=False)

    async def process_request(self, request: Request) -> None:
        if request.meta.get("blogcrawl_kind") == "robots":
            request.meta["download_maxsize"] = (
                0  # one that calls itself larger than any page is cut all the same
            )
            request.meta["robots_bytes"] = 0
        if not self.obey or request.meta.get("dont_obey_robotstxt"):
            return
        robots = await self.robots_of(request.url)
        self._slow_down(request, robots)
        if robots.cause is not None:
            raise NoAnswer(robots.cause)
        if not robots.allowed(request.url):
            self.crawler.stats.inc_value("blogcrawl/robots_forbidden")
            kind = RobotsTrouble if robots.failures and robots.why else RobotsForbidden
            raise kind(robots.why or FORBIDDEN)

    async def robots_of(self, url: str) -> Robots:
        """Return the rules of a URL's host, fetched once a day; after trouble again, sooner or
        later (``Robots.stale``).
        """
        origin = origin_of(url)
        reading = self._known.get(origin)
        old = self._read(url)
        failed = reading is not None and reading.done() and old is None
        if reading is None or failed or (old is not None and old.stale(time.monotonic())):
            reading = asyncio.ensure_future(self._reread(origin, old))
            self._known[origin] = reading
            if len(self._known) > MAX_HOSTS:
                self._known.popitem(last=False)
        return await asyncio.shield(reading)

    async def _reread(self, origin: str, old: Robots | None) -> Robots:
        return (await self._fetch(origin)).after(old, time.monotonic())

    def _read(self, url: str) -> Robots | None:
        """Return the rules of a URL's host, if they were read."""
        reading = self._known.get(origin_of(url))
        if reading is None or not reading.done() or reading.cancelled() or reading.exception():
            return None
        return reading.result()

    def forget_failure(self, url: str) -> None:
        """Ask the host of ``url`` anew where nothing has answered for its robots.txt."""
        robots = self._read(url)
        if robots is not None and robots.cause is not None:
            del self._known[origin_of(url)]

    def verdict(self, url: str) -> str:
        """Return what the robots.txt that holds for ``url`` said at capture, with the digest of its
        text: for the record of rights.
        """
        if not self.obey:
            return "robots.txt: not asked for, the operator's setting"
        robots = self._read(url)
        if robots is None:
            return "robots.txt: not asked for in this crawl"
        if not robots.text:
            return "robots.txt: not found"
        allowed = "allows" if robots.allowed(url) else "forbids"
        return (
            f"robots.txt: {allowed} this address, "
            f"sha256:{hashlib.sha256(robots.text.encode()).hexdigest()}"
        )

    async def _fetch(self, origin: str) -> Robots:
        url = origin + "/robots.txt"
        session = session_if_any(self.crawler)
        answers = session.answers if session is not None else None
        kept = answers.get(url, "robots") if answers is not None else None
        if kept is not None:
            return read_robots(kept.page.status, kept.page.body)
        meta = {
            "dont_obey_robotstxt": True,
            "redirect_ttl": MAX_ROBOTS_REDIRECTS,
            "blogcrawl_kind": "robots",
            **self._patience(origin),
        }
        request = Request(url, callback=NO_CALLBACK, priority=1000, meta=meta)
        try:
            response = await self.crawler.engine.download_async(request)
        except Stopping:
            raise
        except Refused as error:
            return Robots(why=str(error))
        except IgnoreRequest:
            return Robots()  # more redirects than the RFC's five: as if there were no robots.txt
        except (
            Exception
        ) as error:  # every way in which a download can fail: no answer (RFC 9309, 2.3.1.4)
            logger.debug("robots.txt of %s: %s", origin, error)
            return replace(read_robots(None, b""), cause=without_frames(error))
        if answers is not None:
            answers.put_response(url, "robots", response)
        return read_robots(response.status, response.body)

    def _patience(self, origin: str) -> dict[str, int]:
        """Return the number of tries: robots.txt of a host that only serves an image is not
        requested six times.
        """
        guard: Guard | None = getattr(self.crawler.spider, "guard", None)
        own = guard is None or host_of(origin) in guard.hosts
        return {} if own else {"max_retry_times": 1}

    def _slow_down(self, request: Request, robots: Robots) -> None:
        if robots.delay is None or self.crawler.engine is None:
            return
        downloader = self.crawler.engine.downloader
        slot = downloader.slots.get(downloader.get_slot_key(request))
        if slot is not None and slot.delay < robots.delay:
            slot.delay = robots.delay


class TolerantRefreshMiddleware(MetaRefreshMiddleware):
    """Scrapy's, of the head of a page; one whose ``<base href>`` or refresh is no URL leads
    nowhere, and is read (HTML Living Standard, 4.2.3).

    Scrapy would decode the whole page by any codec that Python knows under the name that the page
    gives: ``punycode`` takes quadratic time, ``idna`` raises errors.
    """

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        if not isinstance(response, HtmlResponse):
            return response
        kind = (response.headers.get("Content-Type") or b"").decode("latin-1")
        codec = charsets.served(kind) or charsets.declared(response.body) or "cp1252"
        head = response.replace(body=response.body[:HEAD_BYTES], encoding=codec)
        try:
            result = super().process_response(request, head)
        except ValueError:
            return response
        return response if result is head else result


class CountedRedirectMiddleware(RedirectMiddleware):
    """Scrapy's; permanent moves are remembered, so that a feed that has moved for good is found
    there next time.

    A cookie that comes with a redirect is sent along its way on the same host, for sites that send
    everybody round until it is there, and then forgotten: no page is read as somebody who was there
    before.
    """

    async def process_request(self, request: Request) -> None:
        """Skip the request if a redirect, by HTTP or by the page's head, leads to a page that was
        requested.
        """
        about = request.meta.get("frontier")
        if (
            about
            and request.meta.get("redirect_times")
            and canonicalize(request.url) != canonicalize(about["url"])
        ):
            frontier = self.crawler.frontier  # type: ignore[attr-defined]
            if frontier.is_asked(request.url, about["url"]):
                raise ReadBefore(request.url)

    async def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        result = super().process_response(request, response)
        if isinstance(result, Request):
            permanent = response.status in {301, 308} and request.meta.get("permanent", True)
            result.meta["permanent"] = bool(permanent)
            bared = request.url.startswith("https:") and not result.url.startswith("https:")
            cookie = handed_cookies(request, response)
            if cookie and not bared and host_of(result.url) == host_of(request.url):
                result.headers["Cookie"] = cookie
        return result


def handed_cookies(request: Request, response: Response) -> str:
    """Return ``Cookie`` for the next request of a redirect (RFC 6265, 5.4): cookies of this request
    and those that the response sets.
    """
    jar: SimpleCookie = SimpleCookie()
    for header in (*request.headers.getlist("Cookie"), *response.headers.getlist("Set-Cookie")):
        try:
            jar.load(header.decode("latin-1"))
        except CookieError:
            continue
    return "; ".join(
        f"{morsel.key}={morsel.coded_value}" for morsel in jar.values() if morsel["max-age"] != "0"
    )[:MAX_COOKIE_BYTES]
