"""PollFeeds: one conditional request to each feed of a job's blogs. The controller sends an
UpdateCrawl where there is news.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.python.failure import Failure

from blogcrawl.core.config import Config
from blogcrawl.core.credentials import Logins, read_logins
from blogcrawl.core.errors import StorageError
from blogcrawl.core.netguard import Guard
from blogcrawl.crawling import resolver
from blogcrawl.crawling.feed_poll import conditional_headers, poll_facts
from blogcrawl.crawling.fetch import as_error, page_of
from blogcrawl.crawling.session import use_logins
from blogcrawl.storage.outage import StorageGate, wait_for
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.state import open_state
from blogcrawl.storage.tables import VisitRow

WRITE_EVERY = 50
"""Facts per transaction: what a killed job loses is asked again, at a request each."""


class PollFeeds(Spider):
    """``scrapy crawl pollfeeds -a job=ID``: asks the feeds of the job's blogs, notes the facts,
    ends.
    """

    name = "pollfeeds"
    custom_settings = {  # noqa: RUF012  (Scrapy's own interface)
        "ITEM_PIPELINES": {},
        "SCHEDULER": "scrapy.core.scheduler.Scheduler",
        "AUTOTHROTTLE_ENABLED": False,
        "RETRY_TIMES": 1,
        "CONCURRENT_REQUESTS": 64,
        "LOG_LEVEL": "WARNING",
        "DOWNLOAD_TIMEOUT": 30,
    }

    def __init__(self, job: str = "", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.job = job
        self.schedule: Schedule
        self.turns: list[VisitRow] = []
        self.guard = Guard(())
        self.logins = Logins()
        self.gate = StorageGate(0)
        self.lease = timedelta(0)
        self.facts: dict[str, dict[str, Any]] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> PollFeeds:
        spider = super().from_crawler(crawler, *args, **kwargs)
        config = Config.from_settings(crawler.settings)
        spider.job = spider.job or config.job_id
        spider.lease = timedelta(seconds=config.lease_seconds)
        spider.gate = StorageGate(config.storage_wait_seconds)
        spider.schedule = Schedule(
            wait_for(lambda: open_state(config), config.storage_wait_seconds)
        )
        spider.gate.probe = spider.schedule.state.probe
        spider.turns = wait_for(
            lambda: list(spider.schedule.turns_of(spider.job)), config.storage_wait_seconds
        )
        # The operator gave these addresses to the controller, as he gives a start URL to a crawl.
        spider.guard = config.guard([t.url for t in spider.turns])
        spider.logins = use_logins(crawler, read_logins(config.credentials_file), spider.guard)
        resolver.register(spider.guard)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        for turn in self.turns:
            memory = turn.feed or {}
            if not memory.get("url"):
                self.note(
                    turn, {"outcome": "changed", "reason": "no feed is known: a crawl must look"}
                )
                continue
            # One request a feed: robots.txt allowed it to the last crawl, and the next one asks
            # again.
            yield Request(
                str(memory["url"]),
                headers=conditional_headers(memory),
                callback=self.parse,
                errback=self.failed,
                dont_filter=True,
                cb_kwargs={"turn": turn},
                meta={
                    "blogcrawl_kind": "feed",
                    "dont_obey_robotstxt": True,
                    # a service's blogs wait for each other, whatever their names
                    "download_slot": turn.host,
                },
            )

    def parse(self, response: Response, turn: VisitRow) -> None:
        moved = (
            response.url
            if response.meta.get("permanent") and response.url != (turn.feed or {}).get("url")
            else None
        )
        seen = (turn.habit or {}).get("seen_until")
        self.note(
            turn,
            poll_facts(
                page_of(response),
                turn.feed or {},
                datetime.fromisoformat(seen) if seen else None,
                moved,
            ),
        )

    def failed(self, failure: Failure) -> None:
        request: Request = failure.request  # type: ignore[attr-defined]
        error = failure.value or ConnectionError("no answer")
        self.note(
            request.cb_kwargs["turn"],
            {"outcome": "failed", "reason": str(as_error(error, request.url))},
        )

    def note(self, turn: VisitRow, facts: dict[str, Any]) -> None:
        self.facts[turn.blog_id] = facts
        if len(self.facts) >= WRITE_EVERY:
            self.write()

    def write(self) -> None:
        """Write the facts gathered so far, or keep them until the database is back."""
        facts, self.facts = self.facts, {}
        self.gate.write(lambda: self._write(facts))

    def _write(self, facts: dict[str, dict[str, Any]]) -> None:
        self.schedule.note_many(self.job, facts)
        self.schedule.heartbeat(self.job, datetime.now(UTC) + self.lease)

    async def closed(self, reason: str) -> None:
        facts, self.facts = self.facts, {}
        try:
            await self.gate.run(lambda: self._write(facts))
        except StorageError as error:  # the feeds are asked again, at a request each
            self.logger.error("the facts of %d feeds could not be noted: %s", len(facts), error)
        resolver.unregister(self.guard)
        self.schedule.state.close()
