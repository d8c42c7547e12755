"""Running a crawl from a program: one call, one result; several calls in one process are fine.

Scrapy's ``AsyncCrawlerProcess`` runs a reactor once and for good. Here the reactor is started once
and its event loop runs crawl by crawl.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from datetime import datetime
from functools import partial
from threading import Thread
from typing import Any

# Scrapy inspects the whole stack for each deprecated name of this module (0.1 s below a crawler):
# here the stack is short.
import scrapy.core.downloader.handlers.http11  # noqa: F401
from scrapy import signals
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.settings import Settings
from scrapy.utils.log import configure_logging
from scrapy.utils.reactor import install_reactor

from blogcrawl import settings as defaults
from blogcrawl.core.config import PREFIX, Config
from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.crawling.control import control_of
from blogcrawl.crawling.scrapy_internals import event_loop
from blogcrawl.crawling.session import session_of
from blogcrawl.storage.tables import CrawlRow
from blogcrawl.storage.web_archive import CaptureSource

Snapshot = Callable[[], Mapping[str, Any]]


def crawl_settings(config: Config, extra: Mapping[str, Any] | None = None) -> Settings:
    """Return Scrapy's settings for a crawl: the project's, then those of ``config``, then
    ``extra``.
    """
    settings = Settings()
    settings.setmodule(defaults, priority="project")
    for spec in fields(config):
        settings.set(PREFIX + spec.name.upper(), getattr(config, spec.name), priority="project")
    for name, value in (extra or {}).items():
        settings.set(name, value, priority="cmdline")
    return settings


def run_crawl(
    url: str,
    config: Config,
    *,
    feed: str | None = None,
    since: datetime | None = None,
    spider: str = "newcrawl",
    on_start: Callable[[Snapshot], None] | None = None,
    verbose: bool = False,
    extra: Mapping[str, Any] | None = None,
) -> CrawlRow:
    """Run one crawl to its end and return its row, whose ``report["error"]`` says what went wrong,
    if anything.

    ``spider``: newcrawl or updatecrawl. ``on_start`` gets a function that returns Scrapy's stats
    (ours: ``blogcrawl/…``). The first Ctrl-C ends the crawl in good order (outcome ``stopped``),
    the second one at once. Raises KeyboardInterrupt after the second Ctrl-C; BlogcrawlError where
    the crawl can't even begin: UsageError, ArchiveError, DiskFullError.
    """
    arguments = {"startat": url, "feed": feed or "", "since": since.isoformat() if since else ""}
    level = {"LOG_LEVEL": "DEBUG" if verbose else "ERROR"}
    return _run(spider, arguments, crawl_settings(config, {**level, **(extra or {})}), on_start)


def replay_crawl(
    url: str,
    config: Config,
    captures: CaptureSource,
    *,
    feed: str | None = None,
    on_start: Callable[[Snapshot], None] | None = None,
    verbose: bool = False,
    extra: Mapping[str, Any] | None = None,
) -> CrawlRow:
    """Run a crawl of the blog at ``url`` whose requests ``captures`` answers; as ``run_crawl``
    otherwise. Guard and browser are for the web: any address may be read, nothing is rendered."""
    config = replace(
        config,
        allow_private=True,
        allow_ports="any",
        render="never",
        retry_pause_seconds=0.0,
        delay_seconds=config.delay_seconds if captures.service else 0.0,
    )
    arguments = {"startat": url, "feed": feed or "", "captures": captures}
    level = {"LOG_LEVEL": "DEBUG" if verbose else "ERROR"}
    settings = crawl_settings(config, {**level, **(extra or {})})
    return _run("replaycrawl", arguments, settings, on_start)


def _run(
    spider: str,
    arguments: Mapping[str, Any],
    settings: Settings,
    on_start: Callable[[Snapshot], None] | None,
) -> CrawlRow:
    # only the one: Scrapy's loader would import the others too
    settings.set("SPIDER_MODULES", [f"blogcrawl.crawling.spiders.{spider}"], priority="cmdline")
    loop = _start_reactor(settings)
    _let_threads_die()
    crawl = loop.create_task(_crawl(settings, spider, arguments, on_start))
    try:
        return loop.run_until_complete(crawl)
    except RuntimeError:
        if crawl.done():
            raise
        raise KeyboardInterrupt from None  # the second Ctrl-C stopped the loop


_started = False


def _start_reactor(settings: Settings) -> asyncio.AbstractEventLoop:
    global _started
    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    from twisted.internet import reactor as installed

    reactor: Any = installed

    if not _started:
        # LOG_ENABLED off: whoever calls has handlers of their own.
        configure_logging(
            {name: settings[name] for name in ("LOG_ENABLED", "LOG_LEVEL", "LOG_FORMAT")}
        )
        logging.getLogger("scrapy.middleware").setLevel(logging.WARNING)
        from blogcrawl.crawling.resolver import GuardedResolver

        GuardedResolver(reactor).install_on_reactor()
        reactor.startRunning(installSignalHandlers=False)
        _started = True
    return event_loop(reactor)


def _let_threads_die() -> None:
    """Let the process exit without waiting for threads, which an interrupted crawl does not
    stop."""
    from twisted.internet import reactor as installed

    reactor: Any = installed
    reactor.getThreadPool().threadFactory = partial(Thread, daemon=True)


def _stop_threads() -> None:
    """Resolver threads would keep the process alive; the next crawl gets new ones."""
    from twisted.internet import reactor as installed

    reactor: Any = installed

    pool = reactor.threadpool
    if pool is not None and pool.started:
        pool.stop()
        reactor.threadpool = None


async def _crawl(
    settings: Settings,
    spider: str,
    arguments: Mapping[str, Any],
    on_start: Callable[[Snapshot], None] | None,
) -> CrawlRow:
    runner = AsyncCrawlerRunner(settings)
    crawler = runner.create_crawler(spider)
    if on_start is not None:
        # Only an opened spider has statistics.
        crawler.signals.connect(
            lambda: on_start(crawler.stats.get_stats), signal=signals.spider_opened, weak=False
        )
    task = asyncio.ensure_future(runner.crawl(crawler, **arguments))
    try:
        with _interruptible(crawler, task):
            await task
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        _stop_threads()
    if crawler.spider is None:
        raise BlogcrawlError("the crawl could not begin")
    row: CrawlRow = session_of(crawler).crawl
    return row


@contextlib.contextmanager
def _interruptible(crawler: Crawler, task: asyncio.Future[Any]) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    pressed = 0

    def stop() -> None:
        nonlocal pressed
        pressed += 1
        if pressed > 1 or crawler.engine is None:
            # At once: not even downloads in flight are waited for. What is on the disk is whole at
            # any moment.
            task.cancel()
            loop.stop()
            return
        if crawler.spider is not None:
            control_of(crawler).stop()
        asyncio.ensure_future(crawler.stop_async())  # noqa: RUF006 (the crawl's task waits for it)

    handled = []
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(
            ValueError, NotImplementedError, RuntimeError
        ):  # not in the main thread, or not on this system
            loop.add_signal_handler(number, stop)
            handled.append(number)
    try:
        yield
    finally:
        for number in handled:
            loop.remove_signal_handler(number)
