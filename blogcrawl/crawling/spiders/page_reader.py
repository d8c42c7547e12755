"""The half of a spider that reads what the frontier hands out, and tells the frontier what came of
it.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from scrapy import Request
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response
from scrapy.utils.asyncio import call_later

from blogcrawl.core.errors import (
    ArchiveError,
    BlogcrawlError,
    DiskFullError,
    LeaseLostError,
    StorageError,
    UnreachableError,
)
from blogcrawl.core.page import Page
from blogcrawl.crawling import moved_posts
from blogcrawl.crawling.fetch import as_error, page_of
from blogcrawl.crawling.middlewares.guard import ReadBefore, RobotsTrouble, Stopping
from blogcrawl.crawling.page_facts import (
    BARRED,
    CHALLENGE,
    FEW_CHALLENGES,
    declared_canonical,
    failure,
    is_html,
)
from blogcrawl.crawling.pipelines.base import (
    NoPost,
    NotStored,
    PostPage,
    SamePage,
    TooCostly,
    reason_of,
    source_of,
    stage_of,
)
from blogcrawl.crawling.report import TO_START, End
from blogcrawl.crawling.scrapy_internals import wake_engine
from blogcrawl.crawling.session import Session
from blogcrawl.crawling.spiders.page_requests import PageAsker
from blogcrawl.dom.links import page_links
from blogcrawl.frontier.frontier import NOT_ENDED
from blogcrawl.frontier.stop import Stop
from blogcrawl.storage.files import disk_errors
from blogcrawl.storage.outage import PASSING, Outage
from blogcrawl.urls.canonical import Scope, canonicalize, entry_key

FATAL = frozenset({DiskFullError.exit_code, ArchiveError.exit_code, LeaseLostError.exit_code})
"""After these nothing can be archived any more."""
MAX_FOLDED = 3
"""So many pages may name one other as their canonical one; beyond that the blog's rel=canonical is
not believed.
"""
ROUNDS = 2
"""Further rounds for pages that failed for reasons that may pass."""


class PageReader(PageAsker):
    """Keeps count of what failed, and asks again for what may pass."""

    session: Session

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.closing = False
        self.prepared = False
        """Rules and scope are there: only then may the frontier, which a broken-off crawl left
        full, hand out pages.
        """
        self.end: End | None = None
        self.missed: dict[str, str] = {}
        self.last_word: Stop | None = None
        self.rounds = 0
        self.put_aside: list[str] = []
        """Pages for another round; they stay in flight: a crash puts them back into the queue."""
        self.refused: set[str] = set()
        """Canonical addresses of posts that state or store refused for reasons of their own: they
        stay in the frontier.
        """
        self.refusal: StorageError | None = None
        self._doing = ""
        self._pausing = False
        self._folded: dict[str, int] = {}
        self._folded_into: dict[str, str] = {}
        """Pages that are another name of one that was asked for: canonical URL -> that one's."""
        self._read_as: dict[str, str] = {}
        """Where pages that redirect lead, and under which name of the frontier each was read."""
        self._challenges = 0

    def abort(self, error: BlogcrawlError) -> None:
        """End the crawl with this error: nothing new is begun, what is in flight is finished."""
        if self.end is None or self.end.error is None:
            self.end = End(reason="failed", detail=error.message, error=error)
        self.closing = True

    def halt(self, end: End) -> None:
        """Enough: let what is in flight finish, begin nothing new."""
        if self.end is None:
            self.end = end
        self.closing = True

    # storage that is away

    @property
    def paused(self) -> bool:
        """Is the storage away? Then nothing new is begun, and what is under way waits."""
        return self.session.gate.closed

    def is_broken_off(self) -> bool:
        """Does the crawl end before it came to its end, or by an error?"""
        broken = self.closing and (self.end is None or self.end.error is not None)
        return broken or self.crawler.engine is None or not self.crawler.engine.running

    def on_outage(self, outage: Outage | None) -> None:
        """Say that the crawl waits, and wake it afterwards."""
        if outage is not None:
            self._doing = (
                str(self.crawler.stats.get_value("blogcrawl/doing", ""))
                if self.crawler.stats is not None
                else ""
            )
            self.session.doing(f"paused, nothing can be stored: {outage.error.message}")
            return
        self.session.doing(self._doing)
        self.nudge()

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

        self.session.gate.write(attempt)

    def storage_is_away(self, error: BlogcrawlError) -> None:
        """Nobody waits any longer: the operator stops the crawl, or the outage has lasted too long,
        which ends it.
        """
        if not self.is_broken_off():
            self.abort(error)
            self.nudge()

    # pages of the frontier

    async def parse(self, response: Response) -> AsyncIterator[PostPage | Request]:
        from blogcrawl.crawling.pipelines.render import drawn_shell

        about = response.meta["frontier"]
        request = self.as_written(response)
        if request is not None:
            yield request
            return
        url = about["url"]
        try:
            page = await self.session.vetted(page_of(response))
            page = await self.session.vetted(
                await drawn_shell(self.crawler, page, is_list=not self.is_likely(url))
            )
            with disk_errors(str(self.session.folder)):
                items = await self.session.gate.run(
                    lambda: list(self.read_page(page, url, int(about.get("depth", 0))))
                )
        except Stopping:
            self.frontier.requeue(url)
            return
        except PASSING as error:
            self.storage_is_away(error)
            self.frontier.requeue(url)
            return
        except BlogcrawlError as error:
            if error.exit_code in FATAL:
                self.abort(error)
                self.frontier.requeue(url)
                return
            self.miss(url, reason_of(error), passing=isinstance(error, StorageError))
            return
        except Exception as error:
            self.miss(url, self.session.note_unforeseen("reading", url, error))
            return
        for item in items:
            yield item

    async def on_error(self, failure: Any) -> None:
        """The frontier's page could not be had."""
        url = failure.request.meta["frontier"]["url"]
        if isinstance(failure.value, ReadBefore):
            self.frontier.same(url, failure.value.url)
            self._fold(url, failure.value.url)
            return
        try:
            error = as_error(failure.value, url)
        except Stopping:
            self.frontier.requeue(url)
            return
        self.miss(
            url,
            error.message,
            passing=isinstance(error, UnreachableError) or isinstance(failure.value, RobotsTrouble),
        )

    def miss(self, url: str, reason: str, *, passing: bool = False) -> None:
        """Note why a page could not be read. It gets another round where the reason may pass
        (time-outs, 5xx), whatever its address: the lists that lead to posts too."""
        self.missed[canonicalize(url)] = reason
        self._challenges += reason == CHALLENGE
        passing &= reason != CHALLENGE or self._challenges <= max(FEW_CHALLENGES, self.archived)
        if passing and self.rounds < ROUNDS:
            self.frontier.note_failure(url, reason)
            self.put_aside.append(url)
            return
        self.session.count("errors")
        self.frontier.failed(url, reason)
        self.after_page()

    def read_page(self, page: Page, url: str, depth: int) -> Iterator[PostPage]:
        """Teach the frontier what ``page`` leads to; hand it on where it may be a post."""
        failed = failure(page)
        if failed is not None:
            self.miss(url, failed[0], passing=failed[1])
            return
        self.missed.pop(canonicalize(url), None)
        if not is_html(page):
            self.not_a_post(url, "no HTML page", len(page.body))
            return
        other = self._other_name(page, url)
        if other is not None:
            self._fold(url, other, len(page.body))
            return
        self.follow(page, depth, url)
        key = canonicalize(url)
        knowledge = self.session.knowledge
        promised = knowledge is not None and key in knowledge.promised
        entry = self.entry_of(key, page) or self.entry_of(canonicalize(page.url), page)
        is_home = canonicalize(page.url) == canonicalize(self.session.blog.url)
        parts = self.read_parts(page, url) if self.in_scope(page.url) else None
        if parts is not None:
            yield from parts
            if not parts:
                self.not_a_post(url, "no post has its place on it", len(page.body))
            return
        if promised or (self.in_scope(page.url) and not is_home):
            if self.session.model is not None and self.frontier.among_posts(url):
                self.session.model.places.among.add(canonicalize(page.url))
            yield PostPage(page=page, entry=entry, promised=promised, frontier_url=url)
            return
        self.not_a_post(url, "the start page, or a page outside of the blog", len(page.body))

    def _fold(self, url: str, other: str, size: int = 0) -> None:
        """The page is another name of ``other``, which was asked for before."""
        key, target = canonicalize(url), canonicalize(other)
        if target == canonicalize(self.session.blog.url) and self._one_page_a_post:
            self.missed[key] = TO_START
            self.frontier.failed(url, TO_START, size)
        else:
            self.session.redirected.add(key)
            self._folded_into[key] = target
            self.frontier.name(key, target)
            self.frontier.folded(url, size)
        self.after_page()

    @property
    def _one_page_a_post(self) -> bool:
        """Has every post a page of its own? Else the start page may be where a post is."""
        return self.session.model is None or self.session.model.parts is None

    def recall(self) -> None:
        """Take up what the run that was broken off knew: why pages could not be read or are no
        posts, which addresses are names of one page, and which posts have moved."""
        self.missed.update(self.frontier.refused())
        self.missed.update(
            {page.url: page.reason for page in self.frontier.unread() if page.reason != NOT_ENDED}
        )
        names = self.frontier.other_names()
        self._folded_into = {
            key: page for key, page in names.items() if not self.frontier.gave_post(key)
        }
        self._read_as = self.frontier.read_as()
        self.session.redirected.update(names)
        moved_posts.recall(self.session, self.frontier.moved())

    def lost(self) -> dict[str, str]:
        """Why pages could not be read, by canonical URL; also those that redirect to a page that
        could not be.
        """
        for key, target in self._folded_into.items():
            reason = self.missed.get(self._read_as.get(target, target))
            if reason is not None:
                self.session.redirected.discard(key)
                self.missed.setdefault(key, reason)
        return self.missed

    def follow(self, page: Page, depth: int, url: str = "") -> None:
        """Queue what the page links to; the frontier knows it as ``url``."""
        links = page_links(page)
        self.frontier.learn_pattern(
            self.parts.like_posts_pages(self.session, [link.url for link in links])
        )
        self.frontier.push_links(page.url, links, depth)

    def in_scope(self, url: str) -> bool:
        scope: Scope | None = self.frontier.scope
        return scope is None or scope.contains(url)

    def _other_name(self, page: Page, url: str) -> str | None:
        """The address under which the page was read before (redirect, rel=canonical); None where it
        was not.
        """
        target, key = canonicalize(page.url), canonicalize(url)
        if (
            target != key and self._read_as.get(target) != key
        ):  # a reading that the storage broke off is done again
            if self.frontier.same(url, page.url):
                return page.url
            self._read_as.setdefault(target, key)
        named = declared_canonical(page)
        if named is None or not self.in_scope(named):
            return None
        key = canonicalize(named)
        if key in {canonicalize(page.url), canonicalize(url), canonicalize(self.session.blog.url)}:
            return None
        count = self._folded.get(key, 0) + 1
        if count > MAX_FOLDED or len(self._folded) > 10_000:
            return None
        if not self.frontier.same(url, named):
            return None
        self._folded[key] = count
        return named

    def not_a_post(self, url: str, reason: str, size: int = 0) -> None:
        if reason == CHALLENGE:
            self.miss(url, reason, passing=True)
            return
        knowledge = self.session.knowledge
        promised = knowledge is not None and canonicalize(url) in knowledge.promised
        if promised or reason in BARRED:
            self.missed[canonicalize(url)] = reason
        if reason in BARRED:
            self.frontier.failed(url, reason, size)
        else:
            self.frontier.done(url, None, False, size, reason if promised else "")
        self.after_page()

    def same_page(self, url: str, found: SamePage, size: int) -> None:
        """Two addresses with one page are two names of a post; more, and the page is none: then all
        of them are missing.
        """
        reason = found.reason if found.everywhere else ""
        if found.everywhere:
            for other in (url, *found.others[1:]):
                self.session.redirected.discard(canonicalize(other))
                self.frontier.name(canonicalize(other), None)
                self.missed[canonicalize(other)] = reason
                self.frontier.note_failure(other, reason)
            if self.session.knowledge is not None:
                self.session.knowledge.note(
                    f"a doubtful record: {found.others[0]} gave a page that many addresses "
                    f"answer with"
                )
        else:
            self.session.redirected.add(canonicalize(url))
            self.frontier.name(canonicalize(url), canonicalize(found.others[0]))
        self.frontier.done(url, None, None, size, reason)
        self.after_page()

    # what became of an item

    def on_scraped(self, item: Any) -> None:
        source = source_of(item)
        if source is None or source.frontier_url is None:
            return
        key = canonicalize(source.frontier_url)
        if source.page.whole is not None:
            self.part_ended(source)
            self.after_page()
            return
        self.missed.pop(key, None)
        if key != canonicalize(source.page.url):
            self.session.redirected.add(key)
            self.frontier.name(key, canonicalize(source.page.url))
        self.frontier.done(source.frontier_url, None, True, len(source.page.body))
        self.after_page()

    def on_dropped(self, item: Any, exception: BaseException) -> None:
        source = source_of(item)
        if source is None or source.frontier_url is None:
            return
        if isinstance(exception, NotStored):
            self.parts.forget(source.frontier_url)
            self.frontier.requeue(source.frontier_url)
            self.nudge()
        elif source.page.whole is not None:
            self.part_ended(
                source, exception.reason if isinstance(exception, NoPost) else str(exception)
            )
            self.after_page()
        elif isinstance(exception, SamePage):
            self.same_page(source.frontier_url, exception, len(source.page.body))
        elif isinstance(exception, TooCostly):
            self.miss(source.frontier_url, exception.reason)
        elif isinstance(exception, NoPost):
            self.not_a_post(source.frontier_url, exception.reason, len(source.page.body))
        else:
            self.not_a_post(source.frontier_url, str(exception), len(source.page.body))

    def on_item_error(self, item: Any, failure: Any) -> None:
        source = source_of(item)
        if source is None or source.frontier_url is None:
            return
        self.parts.forget(source.frontier_url)
        if isinstance(failure.value, Stopping):
            self.frontier.requeue(source.frontier_url)
            return
        if self.is_broken_off():
            self.frontier.requeue(source.frontier_url)
            return
        if isinstance(failure.value, PASSING):
            self.session.gate.report(failure.value)
            self.frontier.requeue(source.frontier_url)
            return
        if isinstance(failure.value, BlogcrawlError | OSError):
            reason = f"{type(failure.value).__name__}: {failure.value}"
        else:
            reason = self.session.note_unforeseen(
                stage_of(failure.value), source.page.url, failure.value
            )
        self.missed[entry_key(source.page.url)] = reason
        if isinstance(failure.value, StorageError):
            self._refuse(source.frontier_url, failure.value)
            return
        self.miss(source.frontier_url, reason)

    def _refuse(self, url: str, error: StorageError) -> None:
        """State or store refuse this very post, which was recognised as one: another round,
        whatever its address looks like, and after the last one it stays in the frontier, so that
        the next run asks for it."""
        self.missed[canonicalize(url)] = f"{type(error).__name__}: {error}"
        if self.rounds >= ROUNDS:
            self.session.count("errors")
            self.refused.add(canonicalize(url))
            self.refusal = error
        self.put_aside.append(url)
        self.nudge()

    # ending

    def after_page(self) -> None:
        """Numbers for those who watch; enough posts?"""
        counts = self.frontier.counts()
        stats = self.crawler.stats
        assert stats is not None
        stats.set_value(
            "blogcrawl/posts_found",
            max(counts.posts + counts.posts_pending, counts.promised, self.archived),
        )
        wanted = self.session.config.max_posts
        if wanted and self.archived >= wanted:
            self.halt(End(reason="budget", detail=f"{wanted} posts are in, as asked for"))
        self.nudge()

    @property
    def archived(self) -> int:
        """Posts of this crawl that are in the archive, new or not."""
        stats = self.crawler.stats
        assert stats is not None
        return sum(
            int(stats.get_value(f"blogcrawl/posts_{kind}", 0))
            for kind in ("archived", "changed", "unchanged")
        )

    def nudge(self) -> None:
        """Wake the engine: posts of the lesson end outside its requests, and it looks by itself
        only every five seconds.
        """
        wake_engine(self.crawler)

    def on_idle(self) -> None:
        """Nothing to do: after a pause once more what failed, then the end."""
        if self.paused and not self.is_broken_off():
            raise DontCloseSpider
        if self.closing or self.rounds >= ROUNDS or not (self.put_aside or self._pausing):
            self.last_word = self.frontier.stop_decision(time.monotonic())
            return
        if not self._pausing:
            self._pausing = True
            self.session.doing("waiting to ask again for what failed")
            call_later(self.session.config.retry_pause_seconds, self.again)
        raise DontCloseSpider

    def again(self) -> None:
        """Another round for what failed."""
        self._pausing = False
        self.rounds += 1
        if not self.closing:
            self.session.doing("asking again for what failed")
            waiting, self.put_aside = self.put_aside, []
            for url in waiting:
                self.frontier.requeue(url)
        self.nudge()
