"""UpdateBlogs: the UpdateCrawls of a job's blogs in one process, whose start costs more than most
of them.

Each is a crawl of its own: engine, frontier, evidence, guard, report, and a fencing token that is
taken when it begins. So one that fails, runs for hours or loses its lease is no one else's trouble.
They share the process and the state's connections.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from functools import partial
from typing import Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import SETTINGS_PRIORITIES, Settings

from blogcrawl import settings as defaults
from blogcrawl.core.config import Config
from blogcrawl.core.errors import BlogcrawlError, StorageError
from blogcrawl.crawling.control import control_of
from blogcrawl.crawling.extensions.cluster_job import crawl_facts
from blogcrawl.crawling.report import End
from blogcrawl.crawling.scrapy_internals import NestedCrawler
from blogcrawl.crawling.spiders.updatecrawl import UpdateCrawl
from blogcrawl.storage.outage import StorageGate, wait_for
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.state import open_state
from blogcrawl.storage.tables import VisitRow

AT_ONCE = 8
"""Crawls at a time: with a request a second and host eight keep a third of a core busy, and one in
ten may need a browser.
"""
BEGIN_WITHIN = 600.0
"""Seconds after which no further crawl is begun: what waits behind long ones goes back to the
controller, which has other slots.
"""


class UpdateBlogs(Spider):
    """``scrapy crawl updateblogs -a job=ID``: takes each blog of the job that is still the job's,
    updates it, notes the facts.
    """

    name = "updateblogs"
    custom_settings = {  # noqa: RUF012  (Scrapy's own interface)
        "ITEM_PIPELINES": {},
        "SCHEDULER": "scrapy.core.scheduler.Scheduler",
        "AUTOTHROTTLE_ENABLED": False,
    }

    def __init__(self, job: str = "", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.job = job
        self.schedule: Schedule
        self.gate: StorageGate
        self.config: Config
        self.running: set[Crawler] = set()
        self._begun: set[str] = set()
        self._services: list[asyncio.Task[None]] = []
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._last_start = time.monotonic() + BEGIN_WITHIN

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> UpdateBlogs:
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.config = Config.from_settings(crawler.settings)
        spider.job = spider.job or spider.config.job_id
        seconds = spider.config.storage_wait_seconds
        spider.schedule = Schedule(wait_for(lambda: open_state(spider.config), seconds))
        spider.gate = StorageGate(
            seconds, probe=spider.schedule.state.probe, stopping=lambda: spider._last_start == 0.0
        )
        return spider

    async def start(self) -> AsyncIterator[Any]:
        turns = await self.gate.run(lambda: self.schedule.turns_of(self.job))
        services: dict[str, list[VisitRow]] = {}
        for turn in turns:
            services.setdefault(turn.host, []).append(turn)
        self._services = [
            asyncio.ensure_future(self._one_after_the_other(turns)) for turns in services.values()
        ]
        if self._services:
            # Not gathered: where this is cancelled (a signal), the crawls end in good order, see
            # ``closed``.
            await asyncio.wait(self._services)
        for ended in self._services:
            ended.result()
        return
        yield

    async def _one_after_the_other(self, turns: list[VisitRow]) -> None:
        """Update the blogs of one service in turn."""
        for turn in turns:
            async with self._slots:
                if time.monotonic() < self._last_start:
                    await self._update(turn.blog_id)

    async def _update(self, blog_id: str) -> None:
        """Update one blog, whatever its outcome. Its facts are noted by itself, or here where it
        could not even begin.
        """
        self._begun.add(blog_id)
        try:
            taken = await self.gate.run(partial(self._take, blog_id))
            if taken is None:
                self.logger.warning("blog %s is another job's by now", blog_id)
                return
            turn, token = taken
            crawler = NestedCrawler(UpdateCrawl, self._settings(blog_id, token))
            self.running.add(crawler)
            try:
                await crawler.crawl_async(startat=turn.url, state=self.schedule.state)
            finally:
                self.running.discard(crawler)
        # the database is away: the blog stays claimed, and the controller issues it again
        except StorageError as error:
            self.logger.error("the update of %s broke off: %s", blog_id, error)
        except Exception as error:  # whatever one blog does, the others go on
            self.logger.exception("the update of %s failed", blog_id)
            fault = (
                error
                if isinstance(error, BlogcrawlError)
                else BlogcrawlError(f"{type(error).__name__}: {error}")
            )
            facts = crawl_facts(End(reason="failed", detail=str(fault), error=fault), None, [])
            self.gate.write(lambda: self.schedule.note_facts(blog_id, self.job, facts))

    def _take(self, blog_id: str) -> tuple[VisitRow, int] | None:
        return self.schedule.take(self.job, blog_id, self.config.lease_seconds, datetime.now(UTC))

    def _settings(self, blog_id: str, token: int) -> Settings:
        """Return those of the project and of this process's command line, without this spider's
        own.
        """
        settings = Settings()
        settings.setmodule(defaults, priority="project")
        given = self.crawler.settings
        for name in given:
            if given.getpriority(name) == SETTINGS_PRIORITIES["cmdline"]:
                settings.set(name, given[name], priority="cmdline")
        settings.set("BLOGCRAWL_BLOG_ID", blog_id, priority="cmdline")
        settings.set("BLOGCRAWL_LEASE_TOKEN", token, priority="cmdline")
        return settings

    async def closed(self, reason: str) -> None:
        """Let the crawls that run end in good order, and give back what was not begun."""
        self._last_start = 0.0
        for crawler in list(self.running):
            if crawler.spider is not None:
                control_of(crawler).stop()
            await crawler.stop_async()
        if self._services:
            await asyncio.wait(self._services)
        try:
            left = [
                turn.blog_id
                for turn in self.schedule.turns_of(self.job)
                if turn.blog_id not in self._begun
            ]
            if left:
                self.schedule.let_go(self.job, left)
        except StorageError as error:
            self.logger.error("what was not begun could not be given back: %s", error)
        self.schedule.state.close()
