"""Where a crawl stands: preparing, crawling, paused while its storage is away, or ending."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from scrapy.crawler import Crawler

from blogcrawl.core.errors import (
    ArchiveError,
    BlogcrawlError,
    DiskFullError,
    InternalError,
    LeaseLostError,
)
from blogcrawl.crawling.report import End
from blogcrawl.crawling.scrapy_internals import wake_engine
from blogcrawl.crawling.session import Session
from blogcrawl.frontier.stop import Stop
from blogcrawl.storage.outage import PASSING, Outage

FATAL = frozenset({DiskFullError.exit_code, ArchiveError.exit_code, LeaseLostError.exit_code})
"""After these nothing can be archived any more."""


def control_of(crawler: Crawler) -> CrawlControl:
    """Return the control of a crawl's spider."""
    return crawler.spider.control  # type: ignore[union-attr]


class CrawlControl:
    """Ends a crawl, pauses it while nothing can be stored, and wakes its engine."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.closing = False
        """Nothing new is begun; what is in flight is finished."""
        self.prepared = False
        """Rules and scope are there: only then may the frontier, which a broken-off crawl left
        full, hand out pages.
        """
        self.end: End | None = None
        self.last_word: Stop | None = None
        self.closed_books = asyncio.Event()
        """Set when the crawl's row is written, or can't be: what is said of the crawl elsewhere
        comes after that.
        """
        self._doing = ""

    def abort(self, error: BlogcrawlError) -> None:
        """End the crawl with this error."""
        if self.end is None or self.end.error is None:
            self.end = End(reason="failed", detail=error.message, error=error)
        self.closing = True

    def abort_if_fatal(self, error: BlogcrawlError) -> bool:
        """End the crawl with an error after which nothing can be archived; False for any other."""
        if error.exit_code not in FATAL:
            return False
        self.abort(error)
        return True

    def stop(self) -> None:
        """Begin nothing new: the operator ends the crawl."""
        self.closing = True

    def halt(self, end: End) -> None:
        """End the crawl as it is: it has enough."""
        if self.end is None:
            self.end = end
        self.closing = True

    @property
    def ends_early(self) -> bool:
        """Was the crawl stopped, or does it end by an error?"""
        return self.closing and (self.end is None or self.end.error is not None)

    def is_broken_off(self) -> bool:
        """Return whether the crawl ends early or by an error."""
        return self.ends_early or not self.session.services.crawler.engine.running

    def wake(self) -> None:
        """Wake the engine: posts of the training pages end outside its requests."""
        wake_engine(self.session.services.crawler)

    def internal(self, error: BaseException) -> InternalError:
        """Return a failure that no code expects as the crawl's end: at what, and at which blog."""
        stage, url = self.session.stat("doing") or "beginning", self.session.services.start_url
        self.session.note_unforeseen(stage, url, error)
        words = f"{type(error).__name__}: {' '.join(str(error).split()) or 'no message'}"
        return InternalError(
            f"a mistake in blogcrawl itself while {stage}: {words}",
            url=url,
            stage=stage,
            advice="what is archived is whole; please report it",
        )

    def after_page(self) -> None:
        """Update the numbers of progress; end the crawl where there are posts enough."""
        session, counts = self.session, self.session.frontier.counts()
        found = max(counts.posts + counts.posts_pending, counts.promised, session.archived)
        session.set_stat("posts_found", found)
        wanted = session.services.config.max_posts
        if wanted and session.archived >= wanted:
            self.halt(End(reason="budget", detail=f"{wanted} posts are in, as asked for"))
        self.wake()

    # storage that is away

    @property
    def paused(self) -> bool:
        """Is the storage away? Then nothing new is begun, and what is under way waits."""
        return self.session.services.gate.closed

    def on_outage(self, outage: Outage | None) -> None:
        """Say that the crawl waits, and wake it afterwards."""
        if outage is not None:
            self._doing = self.session.stat("doing")
            self.session.doing(f"paused, nothing can be stored: {outage.error.message}")
            return
        self.session.doing(self._doing)
        self.wake()

    def storage_is_away(self, error: BlogcrawlError) -> None:
        """Stop waiting: the operator stops the crawl, or the outage has lasted too long, which ends
        it.
        """
        if not self.is_broken_off():
            self.abort(error)
            self.wake()

    async def storage_is_back(self, error: BlogcrawlError) -> bool:
        """Wait for it; False if the crawl ends first."""
        try:
            await self.session.services.gate.hold(error)
        except BlogcrawlError as last:
            self.storage_is_away(last)
            return False
        return True

    def commit_frontier(self, commit: Callable[[], object]) -> None:
        """Commit the frontier's changes now or, where its disk is full, when it has room again: the
        crawl pauses meanwhile.
        """

        def attempt() -> None:
            try:
                commit()
            except PASSING:
                raise
            except BlogcrawlError as error:
                self.abort(error)

        self.session.services.gate.write(attempt)
