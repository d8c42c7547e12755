"""Asking again, and taking what servers send that get HTTP wrong: Retry-After, retries, answers cut
short, false encodings.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError, DownloadTimeoutError, ResponseDataLossError
from scrapy.http import Response

from blogcrawl.core.config import Config
from blogcrawl.core.errors import HttpStatusError
from blogcrawl.core.netguard import Guard, host_of
from blogcrawl.crawling.exceptions import Refused, Stopping
from blogcrawl.crawling.scrapy_internals import PlainBodyHook, RetryHook, hold_slot

logger = logging.getLogger(__name__)

HOLD_STEP = 0.5
"""Seconds; so soon a crawl that waits for a site notices that it is to stop."""
MIN_BACK_OFF = 0.5
"""Seconds that a host is left alone after its first 429 without Retry-After, also where no delay is
set.
"""
MAX_WAITS = 10
"""Times the longest wait granted: so long a crawl waits for a host that has answered nothing but
429 and 503 since.
"""
HOPELESS_WAIT = 6
"""Times the longest wait granted: who asks for more will answer none of the retries."""
SENT_AWAY = 8
"""Such answers in a row, none better between them: the site wants no more of us today."""
PATIENT_TIMEOUTS = 1
"""Times that a page is asked again at once which took a whole time-out to give nothing; rounds with
pauses between them follow.
"""
WHOLE = re.compile(
    rb"</(?:html|rss|feed|rdf:RDF|urlset|sitemapindex)\s*>\s*(?:<!--(?:(?!-->).){0,2000}-->\s*)?$",
    re.IGNORECASE | re.DOTALL,
)
"""How a document ends that came whole, whatever its length was said to be."""
PLAIN = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype|!--|html|\?xml|rss|feed)", re.IGNORECASE)


def retry_after_seconds(value: str | None, now: datetime) -> float | None:
    """Return seconds to wait by a ``Retry-After`` header (RFC 9110, 10.2.3): delta-seconds or an
    HTTP date; 0 where past.
    """
    if not value or not (text := value.strip()):
        return None
    if text.isascii() and text.isdigit():
        return float(text[:12])
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


class RetryAfterMiddleware:
    """After 429 or 503 the host gets no request, of whatever kind, before the time that it names;
    where it names none, the wait doubles from answer to answer. At most ``max_retry_after_seconds``
    at a time, and MAX_WAITS times that without a better answer."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        config = Config.from_settings(crawler.settings)
        self.cap, self.delay = config.max_retry_after_seconds, config.delay_seconds
        self._back_offs: dict[str, int] = {}
        self._held: dict[str, float] = {}
        """Seconds of waits since the host's last good answer."""
        self._until: dict[str, float] = {}
        self._sent_away: dict[str, int] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RetryAfterMiddleware:
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        host = host_of(request.url)
        while (left := self._until.get(host, 0.0) - time.monotonic()) > 0:
            is_closing = getattr(self.crawler.spider, "closing", False)
            if is_closing or not self.crawler.engine.running:
                raise Stopping("the crawl stops while the site wants us to wait")
            await asyncio.sleep(min(left, HOLD_STEP))

    async def process_response(self, request: Request, response: Response) -> Response:
        if response.status in {429, 503}:
            raw = response.headers.get("Retry-After")
            host = host_of(request.url)
            wait = retry_after_seconds(raw.decode("latin-1") if raw else None, datetime.now(UTC))
            wait = self._back_off(host, response.status) if wait is None else wait
            if wait > HOPELESS_WAIT * self.cap:
                request.meta["max_retry_times"] = 0
                self._count_sent_away(host, wait)
            if wait:
                self._wait(request, response.status, min(wait, self.cap))
        elif response.status < 400:
            for counts in (self._sent_away, self._back_offs, self._held):
                counts.pop(host_of(request.url), None)
        return response

    def _back_off(self, host: str, status: int) -> float:
        """Return seconds to wait where the host names none. Answers to requests that were under way
        before the last wait are one with it.
        """
        level = self._back_offs.get(host, 0)
        if self._until.get(host, 0.0) > time.monotonic():
            return 0.0
        self._back_offs[host] = level + 1
        return float(
            min(
                (max(self.delay, MIN_BACK_OFF) if status == 429 else self.delay)
                * 2.0 ** min(level, 30),
                self.cap,
            )
        )

    def _wait(self, request: Request, status: int, wait: float) -> None:
        host, now = host_of(request.url), time.monotonic()
        before = max(self._until.get(host, 0.0), now)
        self._held[host] = self._held.get(host, 0.0) + max(0.0, now + wait - before)
        if self._held[host] > MAX_WAITS * self.cap:
            request.meta["max_retry_times"] = 0
            self._give_up(host, f"the site answers nothing but HTTP {status}")
        self._until[host] = max(before, now + wait)
        self._hold(request.meta.get("download_slot"), host)
        self.crawler.stats.inc_value("blogcrawl/retry_after")
        logger.info("%s asks us to wait; going on in %.0f s", host, wait)

    def _count_sent_away(self, host: str, wait: float) -> None:
        """Waiting a little for each page of a site that names hours would take days, and is not
        what it requested.
        """
        self._sent_away[host] = self._sent_away.get(host, 0) + 1
        if self._sent_away[host] >= SENT_AWAY:
            hours = min(wait, 365 * 86400.0) / 3600
            self._give_up(host, f"the site asks to be left alone for {hours:.1f} hours")

    def _give_up(self, host: str, message: str) -> None:
        """End the crawl where the blog's own host wants no more of it; any other host just gets no
        second request.
        """
        guard: Guard | None = getattr(self.crawler.spider, "guard", None)
        abort = getattr(self.crawler.spider, "abort", None)
        if abort is not None and guard is not None and host in guard.hosts:
            advice = "run the same command later: it goes on where it stopped"
            abort(HttpStatusError(message, url=f"//{host}", advice=advice))

    def _hold(self, key: str | None, host: str) -> None:
        """Requests that wait in the downloader's queue of the host have passed ``process_request``
        already: hold the queue too.
        """
        engine = self.crawler.engine
        slot = engine.downloader.slots.get(key) if key else None
        if slot is None:
            return
        left = self._until.get(host, 0.0) - time.monotonic() if engine.running else 0.0
        hold_slot(self.crawler, slot, min(left, HOLD_STEP), self._hold, key, host)


class PatientRetryMiddleware(RetryHook):
    """Scrapy's, but not where the guard is the reason, and with pauses that double where a delay is
    set.

    A server that breaks off twice may do so always, after a page that is whole (its length is
    wrong, its last chunk lacks): what it sends is taken then where it ends as documents do, as
    browsers do.
    """

    async def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        if "dataloss" in response.flags and not WHOLE.search(response.body[-4000:]):
            again = await self.process_exception(request, ResponseDataLossError())
            if again is None:
                raise ResponseDataLossError
            return again
        return super().process_response(request, response)

    async def process_exception(  # type: ignore[override]
        self, request: Request, exception: Exception
    ) -> Request | Response | None:
        guard: Guard | None = getattr(self.crawler.spider, "guard", None)
        if guard is not None and (reason := guard.refused_names.get(host_of(request.url))):
            raise Refused(reason)
        if (
            isinstance(exception, CannotResolveHostError)
            and request.meta.get("retry_times", 0) >= 1
        ):
            return None
        if (
            isinstance(exception, DownloadTimeoutError)
            and request.meta.get("retry_times", 0) >= PATIENT_TIMEOUTS
        ):
            return None
        again = super().process_exception(request, exception)
        if (
            isinstance(exception, ResponseDataLossError)
            and isinstance(again, Request)
            and request.meta.get("retry_times")
        ):
            again.meta["download_fail_on_dataloss"] = False
        return again

    def before_retry(self, request: Request) -> None:
        if getattr(self.crawler.spider, "closing", False):
            raise Stopping("the crawl stops")


class LenientCompressionMiddleware(PlainBodyHook):
    """Scrapy's, but a document that stands there in plain text is taken as it is, whatever
    compression its header names.
    """

    def is_plain(self, body: bytes) -> bool:
        return PLAIN.match(body) is not None
