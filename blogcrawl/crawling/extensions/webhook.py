"""What a crawl reports: structured log lines while it runs, a webhook when it has ended."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from blogcrawl.core.config import Config
from blogcrawl.core.logs import OF_CRAWL, log_as_json
from blogcrawl.crawling.control import control_of
from blogcrawl.crawling.session import session_if_any
from blogcrawl.storage.tables import CrawlRow

logger = logging.getLogger(__name__)

PATIENCE_SECONDS = 10.0
TRIES = 3


class JsonLogs:
    """Extension; on where ``BLOGCRAWL_LOG_FORMAT`` is ``json``."""

    def __init__(self, ids: Mapping[str, str]) -> None:
        self.ids = {name: value for name, value in ids.items() if value}
        self.opened()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> JsonLogs:
        config = Config.from_settings(crawler.settings)
        if config.log_format != "json":
            raise NotConfigured
        session = session_if_any(crawler)
        blog = config.blog_id or getattr(session, "blog_id", "")
        extension = cls(
            {"job": config.job_id, "blog": blog, "spider": getattr(crawler.spider, "name", "")}
        )
        crawler.signals.connect(extension.opened, signal=signals.spider_opened)
        return extension

    def opened(self) -> None:
        """Again, because Scrapy makes its handler anew between the making of its extensions and the
        opening of the spider.
        """
        OF_CRAWL.set(self.ids)
        log_as_json(self.ids)


class Webhook:
    """Extension; on where ``BLOGCRAWL_WEBHOOK`` names a URL. A receiver that is away never fails a
    crawl.
    """

    def __init__(self, crawler: Crawler, url: str) -> None:
        self.crawler, self.url = crawler, url

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Webhook:
        url = Config.from_settings(crawler.settings).webhook
        if not url:
            raise NotConfigured
        extension = cls(crawler, url)
        crawler.signals.connect(extension.closed, signal=signals.spider_closed)
        return extension

    async def closed(self) -> None:
        session = session_if_any(self.crawler)
        if session is None:
            return
        await control_of(self.crawler).closed_books.wait()
        body = json.dumps(
            message(session.crawl, session.blog.url or session.services.start_url),
            ensure_ascii=False,
            default=str,
        ).encode()
        failure = await post(self.url, body)
        if failure:
            logger.warning("the webhook could not be called: %s", failure)


def message(crawl: CrawlRow, blog_url: str) -> dict[str, Any]:
    """Return the body of the webhook request. Pure."""
    error = crawl.report.get("error")
    return {
        "event": "crawl",
        "crawl": crawl.id,
        "blog": crawl.blog_id,
        "url": blog_url,
        "spider": crawl.spider,
        "outcome": crawl.outcome,
        "started": crawl.started.isoformat() if crawl.started else None,
        "ended": crawl.ended.isoformat() if crawl.ended else None,
        "counts": dict(crawl.counts),
        "missing": len(crawl.report.get("missing", ())),
        "error": error,
    }


async def post(url: str, body: bytes) -> str | None:
    """POST once, and twice more where the receiver is away or answers 5xx; why it failed, or None.
    Redirects are not followed.
    """
    import httpx

    failure = None
    async with httpx.AsyncClient(timeout=PATIENCE_SECONDS, follow_redirects=False) as client:
        for _ in range(TRIES):
            try:
                answer = await client.post(
                    url, content=body, headers={"Content-Type": "application/json"}
                )
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                failure = str(error) or type(error).__name__
                continue
            if answer.status_code < 500:
                return None if answer.status_code < 400 else f"it answers {answer.status_code}"
            failure = f"it answers {answer.status_code}"
    return failure
