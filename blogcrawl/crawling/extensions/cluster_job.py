"""What a crawl does as a job of a cluster: signs of life while it runs, facts for the schedule when
it ends.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from blogcrawl.core.config import Config
from blogcrawl.core.errors import (
    BlogcrawlError,
    GoneError,
    LeaseLostError,
    NotABlogError,
    StorageError,
    UsageError,
)
from blogcrawl.core.records import Feed
from blogcrawl.crawling.control import control_of
from blogcrawl.crawling.report import End
from blogcrawl.crawling.session import Session, session_of
from blogcrawl.frontier.unread import MIN_CHANCE
from blogcrawl.storage.outage import PASSING

HOPELESS: Sequence[tuple[type[BlogcrawlError], str]] = (
    (GoneError, "gone"),
    (NotABlogError, "not-a-blog"),
    (UsageError, "usage"),
)
logger = logging.getLogger(__name__)

BEATS = 6
"""Signs of life in a lease: with the default of two minutes a database that is away for a minute
and a half costs no job.
"""


class ClusterJob:
    """Extension; on where ``BLOGCRAWL_JOB_ID`` is set and the spider crawls one blog."""

    def __init__(self, crawler: Crawler, config: Config) -> None:
        self.crawler, self.config = crawler, config
        self._beating: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ClusterJob:
        config = Config.from_settings(crawler.settings)
        if not config.job_id or not config.blog_id:
            raise NotConfigured
        extension = cls(crawler, config)
        crawler.signals.connect(extension.opened, signal=signals.spider_opened)
        crawler.signals.connect(extension.closed, signal=signals.spider_closed)
        return extension

    @property
    def session(self) -> Session:
        return session_of(self.crawler)

    async def opened(self) -> None:
        self._beating = asyncio.ensure_future(self._beat())

    async def _beat(self) -> None:
        """Signs of life, also while the crawl waits for its storage or closes its books. After an
        outage longer than the lease, too: unless another job has the blog by now, this one has its
        lease back."""
        control = control_of(self.crawler)
        while True:
            try:
                await self.session.services.gate.run(self._sign_of_life)
            except LeaseLostError as error:
                control.abort(error)
                return
            except PASSING as error:
                control.storage_is_away(error)
            except StorageError as error:
                logger.warning("no sign of life could be given: %s", error)
            await asyncio.sleep(self.config.lease_seconds / BEATS)

    def _sign_of_life(self) -> None:
        """Raises LeaseLostError if the job is another's."""
        from blogcrawl.storage.schedule import Schedule

        now, config = datetime.now(UTC), self.config
        if not Schedule(self.session.services.state).heartbeat(
            config.job_id, now + timedelta(seconds=config.lease_seconds)
        ):
            raise LeaseLostError(
                "the controller has given this job to somebody else", blog=config.blog_id
            )
        if config.lease_token:
            self.session.services.state.renew_lease(
                config.blog_id, config.lease_token, config.lease_seconds, now
            )

    async def closed(self, reason: str) -> None:
        from blogcrawl.storage.schedule import Schedule

        control = control_of(self.crawler)
        await control.closed_books.wait()
        if self._beating is not None:
            self._beating.cancel()
        end = control.end
        if end is not None and isinstance(end.error, LeaseLostError):
            return
        knowledge = self.session.knowledge
        feed = knowledge.post_feed if knowledge is not None else None
        seen = (
            [e.published for e in knowledge.entries.values() if e.published]
            if knowledge is not None
            else []
        )
        facts = crawl_facts(end, feed, sorted(seen)[-200:]) | post_facts(self.session)
        schedule = Schedule(self.session.services.state)
        try:
            note = partial(schedule.note_facts, self.config.blog_id, self.config.job_id, facts)
            await self.session.services.gate.run(
                note, limit_seconds=self.config.storage_wait_seconds if error_free(end) else 0
            )
        except StorageError as error:
            logger.error("the facts of this crawl could not be noted: %s", error)


def error_free(end: End | None) -> bool:
    """Did the crawl come to its end by itself?"""
    return end is not None and end.error is None and end.reason != "stopped"


def post_facts(session: Session) -> dict[str, int]:
    """Return how many posts the blog's archive has, how many it lacks that are not dead links, how
    many lists of posts could not be read, and how many crawls in a row missed the newest of these;
    nothing where the crawl did not come to count them.
    """
    report, counts = session.crawl.report, session.crawl.counts
    if "missing_count" not in report:
        return {}
    missing = report["missing_count"] - report.get("dead_count", 0)
    remembered = session.memory.get("missing", {}).values()
    posts = [page for page in remembered if page.get("chance", 1.0) >= MIN_CHANCE]
    unread = [
        page
        for page in remembered
        if _is_source(page, complete=report["stop"]["reason"] == "complete")
    ]
    times = [int(page.get("times", 1)) for page in (*posts, *unread)]
    archived = int(counts.get("posts", 0))
    return {
        "archived": archived,
        "missing": missing,
        "unread": len(unread),
        "missed_times": min(times, default=1),
    }


def _is_source(page: Mapping[str, Any], *, complete: bool) -> bool:
    """Return whether a page that could not be read may list posts or comments: a machine-readable
    document or, if the crawl is not ``complete`` without it, a list with new posts.
    """
    return bool(page.get("document") or (page.get("new_posts") and not complete))


def crawl_facts(end: End | None, feed: Feed | None, published: list[datetime]) -> dict[str, Any]:
    """Return facts for ``cluster.visit_scheduler.next_turn``. Pure."""
    facts: dict[str, Any] = {"outcome": "crawled", "published": [t.isoformat() for t in published]}
    if feed is not None:
        from blogcrawl.crawling.feed_poll import entries_digest, feed_hints

        facts["window"] = len(feed.entries)
        facts["hints"] = feed_hints(feed)
        facts["feed"] = {
            "url": feed.url,
            "etag": feed.etag,
            "last_modified": feed.last_modified,
            "entries": entries_digest(feed),
            "hints": feed_hints(feed),
            "hub": feed.hub_url,
            "self": feed.self_url,
        }
    error = end.error if end is not None else BlogcrawlError("the crawl ended without a word")
    if end is not None and end.reason == "stopped" and error is None:
        error = BlogcrawlError("the crawl was stopped before its end")
    if error is not None:
        facts["outcome"] = next(
            (name for kind, name in HOPELESS if isinstance(error, kind)), "failed"
        )
        facts["reason"] = str(error)
    return facts
