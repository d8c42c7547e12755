"""The download handler of crawls that read a web archive in place of the web."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from ipaddress import IPv4Address, IPv6Address, ip_address

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadCancelledError
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes

from blogcrawl.core.config import Config
from blogcrawl.core.netguard import Guard, host_of
from blogcrawl.crawling.exceptions import NotCaptured, Refused
from blogcrawl.crawling.fetch import CAPTURE, page_of
from blogcrawl.crawling.middlewares.retry import retry_after_seconds
from blogcrawl.crawling.session import Session, session_of
from blogcrawl.packaging.http1 import Message
from blogcrawl.storage.web_archive import NOT_ARCHIVED, Captured, Reply

_FRAMING = frozenset({b"transfer-encoding", b"content-length"})
ATTEMPTS = 4
"""Times that a service is asked which wants us to wait."""
SECONDS = 60.0
"""Time limit of an answer of the service."""
_MAGIC = {"gzip": b"\x1f\x8b", "x-gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}
"""First bytes of what is compressed so (RFC 1952, 2.3.1; RFC 8878, 3.1.1)."""
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1f]")
"""Bytes that no text has, and compressed data soon."""
_FIRST = 512
"""Bytes that are searched for them."""


class ReplayHandler:
    """Answers requests with the captures of the session's source. Nothing reaches the network but,
    where the source has one, its service.

    Captures are copied into the crawl's evidence where it keeps any, under the time of their
    capture.
    """

    lazy = True

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._copied: set[tuple[str, object]] = set()
        self._service: Service | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ReplayHandler:
        return cls(crawler)

    async def download_request(self, request: Request) -> Response:
        session = session_of(self._crawler)
        capture, source = None, session.captures
        if source is not None and request.method == "GET":
            if source.service and self._service is None:
                self._service = Service(self._crawler, source.service)
                source.connect(self._service.get)
            capture = await source.find(request.url)
        if capture is None:
            session.count("not_archived")
            raise NotCaptured(NOT_ARCHIVED)
        request.meta[CAPTURE] = capture
        self._copy(session, capture)
        limit = request.meta.get(
            "download_maxsize", self._crawler.settings.getint("DOWNLOAD_MAXSIZE")
        )
        response = as_response(capture)
        if limit and len(response.body) > limit:
            raise DownloadCancelledError(f"{len(response.body)} bytes are more than {limit}")
        return response

    def _copy(self, session: Session, capture: Captured) -> None:
        key = (capture.url, capture.date)
        if session.evidence is None or key in self._copied:
            return
        self._copied.add(key)
        session.services.gate.write(
            partial(
                session.evidence.exchange,
                capture.url,
                b"",
                capture.message,
                date=capture.date,
                ip=capture.ip,
                notes={"via": capture.origin},
            )
        )

    async def close(self) -> None:
        if self._service is not None:
            await self._service.close()


class Service:
    """Requests to a web archive's service: one at a time, with the delay of the crawl between them,
    and after 429 and 503 as late as the service asks."""

    def __init__(self, crawler: Crawler, url: str) -> None:
        config = Config.from_settings(crawler.settings)
        self._guard = Guard([url])
        self._delay = config.delay_seconds
        self._longest_wait = config.max_retry_after_seconds
        self._agent = str(crawler.settings.get("USER_AGENT") or "")
        self._handler = HTTP11DownloadHandler(crawler)
        self._turn = asyncio.Lock()

    async def get(self, url: str, headers: Mapping[str, str]) -> Reply:
        """Fetch ``url``. Raises Refused, and what a download raises."""
        async with self._turn:
            for _ in range(ATTEMPTS):
                reply = await self._get(url, headers)
                wait = retry_after_seconds(reply.headers.get("retry-after"), datetime.now(UTC))
                if reply.status not in (429, 503) or "memento-datetime" in reply.headers:
                    break
                wait = self._delay if wait is None else wait
                await asyncio.sleep(min(wait, self._longest_wait))
            return reply

    async def _get(self, url: str, headers: Mapping[str, str]) -> Reply:
        reason = self._guard.refuse_url(url)
        if reason is not None:
            raise Refused(reason)
        asked = {"User-Agent": self._agent, "Accept-Encoding": "gzip", **headers}
        request = Request(url, headers=asked, meta={"download_timeout": SECONDS})
        response = await self._handler.download_request(request)
        if response.ip_address is not None:
            reason = self._guard.refuse_address(host_of(url), response.ip_address)
            if reason is not None:
                raise Refused(reason)
        await asyncio.sleep(self._delay)
        return Reply(status=response.status, headers=page_of(response).headers, body=response.body)

    async def close(self) -> None:
        """Close the connections."""
        await self._handler.close()


def as_response(capture: Captured) -> Response:
    """Return the capture as Scrapy's own handlers would have given it."""
    message = Message(capture.message)
    body = message.entity
    headers = Headers(_fields(message, body))
    kind: type[Response] = responsetypes.from_args(headers=headers, url=capture.url, body=body)
    return kind(
        url=capture.url,
        status=message.status,
        headers=headers,
        body=body,
        ip_address=_address(capture.ip),
    )


def _fields(message: Message, body: bytes) -> list[tuple[bytes, bytes]]:
    """Return the header fields that hold for ``body``: its framing is undone, and some tools store
    it decompressed under the header of before.
    """
    dropped = _FRAMING if _is_compressed(message, body) else {*_FRAMING, b"content-encoding"}
    found = []
    for line in message.head.split(b"\n")[1:]:
        name, colon, value = line.strip().partition(b":")
        if colon and name.strip().lower() not in dropped:
            found.append((name.strip(), value.strip()))
    return found


def _is_compressed(message: Message, body: bytes) -> bool:
    """Return whether the body is in the encoding that its header names. Brotli and deflate have no
    mark: what is text is in none.
    """
    encoding = message.headers.get("content-encoding", "").rpartition(",")[2].strip().lower()
    magic = _MAGIC.get(encoding)
    if magic is not None:
        return body.startswith(magic)
    return _CONTROLS.search(body, 0, _FIRST) is not None


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None
