"""Evidence out of Scrapy: every HTTP exchange exactly as it went over the wire, into the crawl's
WARC files.

Scrapy's middlewares see answers with framing, header case and order gone, and never see those that
fail half-way. So the bytes are taken where they arrive: in the connection's protocol, below the
HTTP parser and above TLS.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from functools import partial
from typing import Any

from scrapy import Request
from scrapy.core.downloader.handlers import http11
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure
from twisted.web.iweb import IResponse

from blogcrawl.core.credentials import Logins
from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.crawling.control import control_of
from blogcrawl.crawling.scrapy_internals import (
    HttpProtocol,
    is_response_over,
    raise_header_limit,
    use_protocol,
)
from blogcrawl.crawling.session import session_if_any
from blogcrawl.packaging.http1 import parse
from blogcrawl.packaging.warc import Exchange, Truncation

logger = logging.getLogger(__name__)

_LIMIT = 256 * 2**20
"""Bytes kept of one answer; Scrapy's own size limit ends a download long before."""


def record_exchange(crawler: Crawler, done: Exchange) -> None:
    """Write one exchange into the evidence of the crawl, where there is one; where the disk takes
    no more, as soon as it does.
    """
    session = session_if_any(crawler)
    if session is None or session.evidence is None:
        return
    notes = {"fetchTimeMs": str(round(1000 * done.seconds))}
    exchange = partial(
        session.evidence.exchange,
        done.url,
        done.request,
        done.response,
        date=done.date,
        ip=done.ip,
        truncated=done.truncated,
        notes=notes,
    )
    try:
        session.services.gate.write(exchange)
    except BlogcrawlError as error:
        logger.error("evidence of %s could not be written: %s", done.url, error)
        control_of(crawler).abort(error)


class _Tee:
    """A transport that keeps a copy of what is written to it."""

    def __init__(self, transport: Any, sink: bytearray) -> None:
        self._transport, self._sink = transport, sink

    def write(self, data: bytes) -> None:
        self._sink += data
        self._transport.write(data)

    def writeSequence(self, data: Any) -> None:
        for one in data:
            self.write(one)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class _Protocol(HttpProtocol):
    """Records the exchanges of one connection."""

    crawler: Crawler
    _url: str | None = None

    def request(self, request: Any) -> Deferred[IResponse]:
        self._sent, self._got, self._over = bytearray(), bytearray(), False
        self._began = datetime.now(UTC)
        self._url = request.absoluteURI.decode("ascii", "replace") if request.absoluteURI else None
        transport: Any = self.transport
        tee: Any = _Tee(transport, self._sent)
        self.transport = tee
        try:
            answer: Deferred[IResponse] = super().request(request)
            raise_header_limit(self)
        finally:
            self.transport = transport
        return answer

    def dataReceived(self, data: bytes) -> None:
        if self._url is not None:
            if len(self._got) < _LIMIT:
                self._got += data
            else:
                self._over = True
        super().dataReceived(data)  # type: ignore[no-untyped-call]
        if is_response_over(self):
            self._record(closed=False)

    def connectionLost(self, reason: Failure) -> None:  # type: ignore[override]
        super().connectionLost(reason)  # type: ignore[no-untyped-call]
        self._record(closed=True)

    def _record(self, *, closed: bool) -> None:
        """Hand the exchange over, once."""
        url, self._url = self._url, None
        if url is None or not self._got:
            return
        message = parse(bytes(self._got))
        truncated: Truncation | None = "length" if self._over else None
        if truncated is None and not message.complete(closed=closed):
            truncated = "disconnect"
        transport: Any = self.transport
        peer = transport.getPeer() if transport is not None else None
        done = Exchange(
            url=url,
            request=bytes(self._sent),
            response=message.raw,
            date=self._began,
            ip=getattr(peer, "host", "") or "",
            seconds=(datetime.now(UTC) - self._began).total_seconds(),
            truncated=truncated,
        )
        record_exchange(self.crawler, done)
        self._sent, self._got = bytearray(), bytearray()


class RecordingHandler(http11.HTTP11DownloadHandler):
    """Scrapy's own HTTP/1.1 handler with protocols that record. The session's evidence takes the
    exchanges.

    A login (``crawler.spider.logins``) joins a request only here, by the origin that is asked: no
    queue, retry or redirect ever holds one.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._own_crawler = crawler
        use_protocol(self, type("RecordingProtocol", (_Protocol,), {"crawler": crawler}))

    async def download_request(self, request: Request) -> Response:
        logins: Logins | None = getattr(self._own_crawler.spider, "logins", None)
        login = logins.of(request.url) if logins else None
        if login is None:
            return await super().download_request(request)
        asked = request.copy()
        asked.headers[b"Authorization"] = login.header
        return await super().download_request(asked)
