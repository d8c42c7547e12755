"""The frontier as Scrapy's scheduler: ``SCHEDULER =
"blogcrawl.crawling.scheduler.FrontierScheduler"``. The room's only Scrapy file.

Requests with ``meta["frontier"]`` (keys ``kind``, ``anchor``, ``tag_path``, ``parent``, ``depth``)
go to ``crawler.frontier``, on disk. All others (feeds, probes, robots, media, redirects and retries
of a page in flight) wait in memory, by priority, a queue per host.

A page is taken from the frontier only when its host has a free slot: what is not taken can still be
re-ranked, and is not lost. The page ends when the spider calls
``crawler.frontier.done(meta["frontier"]["url"], …)`` or ``.failed(…)``; every ``url`` given out
stands in that meta key. When ``stop_decision`` says stop, no page is given out any more and the
engine finds itself idle.
"""

from __future__ import annotations

import heapq
import logging
import time
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, Self

from scrapy import Request
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.spiders import Spider
from scrapy.utils.request import RequestFingerprinter

from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.frontier.frontier import Frontier, Pending
from blogcrawl.frontier.stop import Budgets, Stop

logger = logging.getLogger(__name__)
MAX_SEEN = 200_000
"""Fingerprints of memory requests remembered to drop repeats; media of a blog, mostly."""
MAX_UNDER_WAY = 16
"""Pages fetched, or on their way, that are not dealt with: as many as requests at a time (setting
CONCURRENT_REQUESTS). What a killed crawl has to fetch again is bounded by it, however long the
stages take for a page."""


class FrontierScheduler(BaseScheduler):
    """Settings: ``BLOGCRAWL_FRONTIER_PATH`` (file; empty: memory),
    ``BLOGCRAWL_MAX_PAGES/_POSTS/_SECONDS/_BYTES``, ``BLOGCRAWL_FOLLOW_NOFOLLOW``. A spider may set
    ``frontier_path`` before it is opened, and ``frontier_request(pending)`` to build the request of
    a page (else its ``parse`` is the callback). It may have ``commit_frontier(commit)``, which
    calls ``commit`` when the disk takes it, and ``abort(error)`` for a file that can't be used any
    more.
    """

    def __init__(self, crawler: Crawler, frontier: Frontier | None = None) -> None:
        self.crawler = crawler
        self.frontier = frontier
        self.stop: Stop | None = None
        self._queues: dict[str, list[tuple[int, int, Request]]] = {}
        self._order = count()
        self._seen: set[bytes] = set()
        self._fingerprint: Callable[[Request], bytes] = RequestFingerprinter(crawler).fingerprint
        self._spider: Spider | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, getattr(crawler, "frontier", None))

    def open(self, spider: Spider) -> None:
        self._spider = spider
        if self.frontier is None:
            get = self.crawler.settings.get
            path = getattr(spider, "frontier_path", None) or get("BLOGCRAWL_FRONTIER_PATH")
            budgets = Budgets(
                pages=int(get("BLOGCRAWL_MAX_PAGES") or 0),
                posts=int(get("BLOGCRAWL_MAX_POSTS") or 0),
                seconds=float(get("BLOGCRAWL_MAX_SECONDS") or 0),
                bytes=int(get("BLOGCRAWL_MAX_BYTES") or 0),
            )
            nofollow = self.crawler.settings.getbool("BLOGCRAWL_FOLLOW_NOFOLLOW", True)
            self.frontier = Frontier(
                Path(path) if path else None, budgets=budgets, follow_nofollow=nofollow
            )
        self.frontier.write = getattr(spider, "commit_frontier", self.frontier.write)
        self.crawler.frontier = self.frontier  # type: ignore[attr-defined]

    def close(self, reason: str) -> None:
        if self.frontier is not None:
            left = self.frontier.counts()
            logger.debug(
                "frontier closed (%s): %d pages pending, %d in flight",
                reason,
                left.pending,
                left.in_flight,
            )
            try:
                self.frontier.close()
            except BlogcrawlError as error:
                logger.error(
                    (
                        "the frontier's last changes could not be written, the next run asks for "
                        "their pages again: %s"
                    ),
                    error,
                )

    def has_pending_requests(self) -> bool:
        # pages in flight are the engine's to count: one that never ends must not keep it alive
        return bool(self._queues) or self._giving() is not None

    def enqueue_request(self, request: Request) -> bool:
        about: dict[str, Any] | None = request.meta.get("frontier")
        if about is not None and self.frontier is not None and not self._is_follow_up(about):
            return self.frontier.push(
                request.url,
                about.get("kind", "page"),
                depth=about.get("depth", 0),
                anchor=about.get("anchor", ""),
                tag_path=about.get("tag_path", ""),
                parent=about.get("parent", ""),
            )
        if not request.dont_filter and about is None:
            mark = self._fingerprint(request)
            if mark in self._seen:
                return False
            if len(self._seen) < MAX_SEEN:
                self._seen.add(mark)
        heapq.heappush(
            self._queues.setdefault(self._slot_of(request), []),
            (-request.priority, next(self._order), request),
        )
        return True

    def _is_follow_up(self, about: dict[str, Any]) -> bool:
        """Return a redirect or retry of a page in flight: the page is not queued twice."""
        return (
            self.frontier is not None
            and bool(about.get("url"))
            and self.frontier.is_in_flight(about["url"])
        )

    def next_request(self) -> Request | None:
        request = self._from_memory()
        if request is not None:
            return request
        try:
            return self._next_page()
        except BlogcrawlError as error:
            abort = getattr(self._spider, "abort", None)
            if abort is None:
                raise
            abort(error)
            return None

    def _next_page(self) -> Request | None:
        frontier = self._giving()
        if frontier is None or self._full(frontier):
            return None
        busy = self._busy_hosts(frontier)
        pending = frontier.pop(time.monotonic(), busy, patient=self._working())
        return self._request(pending) if pending else None

    def _giving(self) -> Frontier | None:
        """Return the frontier while it has pages that the crawl wants."""
        frontier = self.frontier
        if self._waiting() or frontier is None or not frontier.counts().pending:
            return None
        return frontier if self._enough(frontier) is None else None

    def _full(self, frontier: Frontier) -> bool:
        """Return whether enough pages are in flight, not counting those set aside for another
        round.
        """
        aside = len(getattr(self._spider, "put_aside", ()))
        return frontier.counts().in_flight - aside >= MAX_UNDER_WAY and self._working()

    def _waiting(self) -> bool:
        """Return the spider wants no pages: not yet (``spider.prepared`` is False), not now
        (``spider.paused``: its storage is away), or no more (``spider.closing``; the rest stays on
        disk).
        """
        spider = self._spider
        return bool(
            getattr(spider, "closing", False) or getattr(spider, "paused", False)
        ) or not getattr(spider, "prepared", True)

    def _enough(self, frontier: Frontier) -> Stop | None:
        if frontier.counts().posts_pending and not frontier.budgets.any:
            return None
        stop = frontier.enough(time.monotonic())
        if stop is not None and self.stop is None:
            logger.info("frontier: %s (%s)", stop.reason, stop.detail)
        self.stop = stop
        return stop

    def _request(self, pending: Pending) -> Request:
        build = getattr(self._spider, "frontier_request", None)
        request = (
            build(pending)
            if build
            else Request(
                pending.url, callback=getattr(self._spider, "parse", None), dont_filter=True
            )
        )
        about = {
            "kind": pending.kind,
            "anchor": pending.anchor,
            "tag_path": pending.tag_path,
            "depth": pending.depth,
            "url": pending.url,
        }
        request.meta["frontier"] = {**about, **request.meta.get("frontier", {})}
        return request

    def _from_memory(self) -> Request | None:
        """Return the most urgent request of the host with the fewest downloads under way (as
        Scrapy's DownloaderAwarePriorityQueue does).
        """
        if not self._queues:
            return None
        active = self._active()
        best = min(self._queues, key=lambda slot: (active[slot], self._queues[slot][0][:2]))
        request = heapq.heappop(self._queues[best])[2]
        if not self._queues[best]:
            del self._queues[best]
        return request

    def _working(self) -> bool:
        """Return whether the engine is at work. Then it will ask again; what merely waits for
        another round is no reason to wait.
        """
        engine = self.crawler.engine
        return bool(
            engine.downloader.active or (engine.scraper.slot and not engine.scraper.slot.is_idle())
        )

    def _slot_of(self, request: Request) -> str:
        return self.crawler.engine.downloader.get_slot_key(request)

    def _active(self) -> Counter[str]:
        """Return requests under way per download slot, those still in the middlewares too (a slot's
        own set leaves them out).
        """
        downloader = self.crawler.engine.downloader
        return Counter(map(downloader.get_slot_key, downloader.active))

    def _busy_hosts(self, frontier: Frontier) -> set[str]:
        """Return hosts whose download slots are all taken; waiting in the frontier is better than
        waiting in the downloader.
        """
        downloader = self.crawler.engine.downloader
        full = set()
        for key, number in self._active().items():
            slot = downloader.slots.get(key)
            if number >= max(
                1, slot.concurrency if slot is not None else downloader.domain_concurrency
            ):
                full.add(key)
        names = {
            host: host.rsplit(":", 1)[0] if not host.endswith("]") else host
            for host in frontier.hosts()
        }
        return {host for host, name in names.items() if name in full or "www." + name in full}
