"""What became of the pages of the frontier: archived, no post, another name of a post, missed for
now or for good.
"""

from __future__ import annotations

import time
from typing import Any

from scrapy.exceptions import DontCloseSpider
from scrapy.utils.asyncio import call_later

from blogcrawl.core.errors import BlogcrawlError, StorageError
from blogcrawl.core.evidence import SEVERAL
from blogcrawl.core.page import Page
from blogcrawl.crawling import moved_posts
from blogcrawl.crawling.candidate_sources import CandidateSources
from blogcrawl.crawling.control import CrawlControl
from blogcrawl.crawling.exceptions import Stopping
from blogcrawl.crawling.multi_post import PartReader
from blogcrawl.crawling.page_facts import (
    BARRED,
    CHALLENGE,
    FEW_CHALLENGES,
    SITE_PARTS,
    number_of,
)
from blogcrawl.crawling.pipelines.base import (
    REPEATED,
    ExtractedPost,
    NoPost,
    NotStored,
    SamePage,
    TooCostly,
    Waiting,
    source_of,
    stage_of,
)
from blogcrawl.crawling.report import End
from blogcrawl.crawling.revisits import Revisits
from blogcrawl.crawling.session import DISOWNED, GUESSED, LED_TO, NUMBERS, UNDIVIDED, Session
from blogcrawl.discovery.knowledge import BROKE_OFF
from blogcrawl.frontier.frontier import SAYS_NOTHING
from blogcrawl.storage.outage import PASSING
from blogcrawl.urls.canonical import canonicalize, entry_key

ROUNDS = 2
"""Further rounds for pages that failed for reasons that may pass."""


class PageOutcomes:
    """Report to the frontier what became of its pages, and ask again for what may pass."""

    def __init__(
        self,
        session: Session,
        control: CrawlControl,
        parts: PartReader,
        candidates: CandidateSources,
        revisits: Revisits,
    ) -> None:
        self.session, self.control = session, control
        self.parts, self.candidates, self.revisits = parts, candidates, revisits
        self.rounds = 0
        self.put_aside: list[str] = []
        """Pages for another round; they stay in flight: a crash puts them back into the queue."""
        self.refused: set[str] = set()
        """Canonical addresses of posts that state or store refused for reasons of their own: they
        stay in the frontier.
        """
        self.refusal: StorageError | None = None
        self._pausing = False
        self._challenges = 0

    # of a page

    def miss(self, url: str, reason: str, *, passing: bool = False) -> None:
        """Note why a page could not be read. It gets another round where the reason may pass
        (time-outs, 5xx), whatever its address: the lists that lead to posts too."""
        if self.candidates.is_candidate(url):
            self.candidates.missed(url, reason)
            return
        session = self.session
        session.missed[canonicalize(url)] = reason
        self._challenges += reason == CHALLENGE
        passing &= reason != CHALLENGE or self._challenges <= max(FEW_CHALLENGES, session.archived)
        if passing and self.rounds < ROUNDS:
            session.frontier.note_failure(url, reason)
            self.put_aside.append(url)
            return
        session.count("errors")
        self._failed(url, reason)
        self.control.after_page()

    def note_redirect(self, url: str, page: Page) -> None:
        """Note where an address that gave no post leads."""
        key, target = canonicalize(url), canonicalize(page.url)
        if key != target:
            self.session.frontier.keep(LED_TO, key, target)

    def _failed(self, url: str, reason: str, size: int = 0) -> None:
        """Note why a page could not be read; of one to which nothing leads that is no loss."""
        key = canonicalize(url)
        if key in self.session.frontier.kept(GUESSED):
            self.session.missed.pop(key, None)
            reason = ""
        self.session.frontier.failed(url, reason, size)

    def not_a_post(
        self,
        url: str,
        reason: str,
        size: int = 0,
        probability: float = 0.0,
        title: str = "",
        *,
        says_nothing: bool = False,
    ) -> None:
        """Note that the page holds no post, and why; ``probability``: that it does all the same;
        ``says_nothing``: of others at addresses like its own."""
        if reason == CHALLENGE:
            self.miss(url, reason, passing=True)
            return
        key = canonicalize(url)
        is_site_part = reason in SITE_PARTS
        if is_site_part and self.session.knowledge is not None:
            self.session.knowledge.promised.pop(key, None)
            self.session.redirected.add(key)
        promised = self.session.is_promised(key)
        if promised or reason in BARRED:
            self.session.missed[key] = reason
        if reason in BARRED:
            self._failed(url, reason, size)
        else:
            why = self.revisits.explained(url, reason)
            self.session.frontier.reject(url, why, probability, title)
            self.session.frontier.done(
                url,
                None,
                False,
                size,
                reason if promised else "",
                chance=SAYS_NOTHING if is_site_part or says_nothing else probability,
            )
        self.control.after_page()

    def same_page(self, url: str, found: SamePage, size: int) -> None:
        """Two addresses with one page are two names of a post; more, and the page is no post: then
        all of them are missing, but that whose name the page has.
        """
        session = self.session
        session.frontier.reject(url, self.revisits.explained(url, found.reason))
        if found.everywhere:
            for other in {canonicalize(one) for one in (url, *found.others)} - {found.owner}:
                self._disown(other, found)
            self._failed(url, found.reason, size)
        else:
            session.redirected.add(canonicalize(url))
            session.frontier.name(canonicalize(url), canonicalize(found.others[0]))
            session.frontier.same_post(url, found.others[0], size)
        self.control.after_page()

    def _disown(self, key: str, found: SamePage) -> None:
        """Note that the page at ``key`` is no post after all, nor is the record under the address
        that it redirected to."""
        session = self.session
        if key in session.redirected:
            named = session.frontier.other_names().get(key, key)
            if named not in found.others:
                session.frontier.keep(DISOWNED, named)
            session.redirected.discard(key)
        session.frontier.name(key, None)
        moved_posts.forget(session, key)
        if key not in session.frontier.kept(GUESSED):
            session.missed[key] = found.reason
            session.frontier.disown(key, found.reason)

    # of an item

    def on_scraped(self, item: Any) -> None:
        source = source_of(item)
        if source is None or source.frontier_url is None:
            return
        key = canonicalize(source.frontier_url)
        self._note_facts(source.page, item)
        if source.page.whole is not None:
            self.parts.part_ended(source)
            self.control.after_page()
            return
        if self.session.missed.get(key) == REPEATED:  # known since it came in
            self.session.frontier.done(
                source.frontier_url, None, None, len(source.page.body), REPEATED
            )
            self.control.after_page()
            return
        self.session.missed.pop(key, None)
        if key != canonicalize(source.page.url):
            self.session.redirected.add(key)
            self.session.frontier.name(key, canonicalize(source.page.url))
        better = self._better(item)
        if better is not None:
            self.session.frontier.same_post(source.frontier_url, better, len(source.page.body))
        else:
            self.session.frontier.done(source.frontier_url, None, True, len(source.page.body))
        self.control.after_page()

    def _note_facts(self, page: Page, item: Any) -> None:
        """Note what a post says of others: its number, and whether it may be several."""
        from blogcrawl.extraction.pages.day_lines import days_begun

        key, number, frontier = canonicalize(page.url), number_of(page), self.session.frontier
        if number is not None:
            frontier.keep(NUMBERS, key, str(number))
        text = item.post.content_text if isinstance(item, ExtractedPost) else None
        if page.whole is None and days_begun(text or "") >= SEVERAL:
            frontier.keep(UNDIVIDED, key)

    def _better(self, item: Any) -> str | None:
        """Return the better address of a post that was met while the post was on its way."""
        key = item.post.canonical_url if isinstance(item, ExtractedPost) else None
        better = moved_posts.first_key(self.session, key) if key is not None else None
        return better if better != key else None

    def _is_cut(self, page: Page) -> bool:
        from blogcrawl.extraction.pages.broken_off import ends_amid

        model = self.session.model
        return model is not None and ends_amid(page, model.ruleset)

    def on_dropped(self, item: Any, exception: BaseException) -> None:
        source = source_of(item)
        if source is None or source.frontier_url is None or isinstance(exception, Waiting):
            return
        url, size = source.frontier_url, len(source.page.body)
        self.note_redirect(url, source.page)
        reason = exception.reason if isinstance(exception, NoPost) else str(exception)
        if isinstance(exception, NotStored):
            self.parts.forget(url)
            self.session.frontier.requeue(url)
            self.control.wake()
        elif source.page.whole is not None:
            self.parts.part_ended(source, reason)
            self.control.after_page()
        elif isinstance(exception, SamePage):
            self.same_page(url, exception, size)
        elif isinstance(exception, TooCostly):
            self.miss(url, exception.reason)
        elif self.revisits.shows_archived(url, source.page):
            self.miss(url, f"the archived post is on its page, but the rules miss it: {reason}")
        elif self._is_cut(source.page):
            self.miss(url, BROKE_OFF, passing=True)
        else:
            probability = getattr(exception, "probability", 0.0)
            from blogcrawl.extraction.fields.byline import document_title

            self.not_a_post(
                url,
                reason,
                size,
                probability,
                document_title(source.page),
                says_nothing=getattr(exception, "says_nothing", False),
            )

    def on_item_error(self, item: Any, failure: Any) -> None:
        source, error = source_of(item), failure.value
        if source is None or source.frontier_url is None:
            return
        url = source.frontier_url
        self.parts.forget(url)
        if isinstance(error, Stopping) or self.control.is_broken_off():
            self.session.frontier.requeue(url)
            return
        if isinstance(error, PASSING):
            self.session.services.gate.report(error)
            self.session.frontier.requeue(url)
            return
        if isinstance(error, BlogcrawlError | OSError):
            reason = f"{type(error).__name__}: {error}"
        else:
            reason = self.session.note_unforeseen(stage_of(error), source.page.url, error)
        self.session.missed[entry_key(source.page.url)] = reason
        if isinstance(error, StorageError):
            self._refuse(url, error)
        else:
            self.miss(url, reason)

    def _refuse(self, url: str, error: StorageError) -> None:
        """State or store refuse this very post, which was recognised as one: another round,
        whatever its address looks like, and after the last one it stays in the frontier, so that
        the next run asks for it."""
        self.session.missed[canonicalize(url)] = f"{type(error).__name__}: {error}"
        if self.rounds >= ROUNDS:
            self.session.count("errors")
            self.refused.add(canonicalize(url))
            self.refusal = error
        self.put_aside.append(url)
        self.control.wake()

    def refused_end(self) -> End | None:
        """Return how a crawl ends whose posts were refused; None if no post was."""
        if self.refusal is None:
            return None
        message = f"{len(self.refused)} posts could not be stored: {self.refusal.message}"
        error = StorageError(message, advice="run the same command again: it goes on with them")
        return End(reason="failed", detail=message, error=error)

    # rounds

    def on_idle(self) -> None:
        """Retry failed pages after a pause, then end."""
        control = self.control
        if control.paused and not control.is_broken_off():
            raise DontCloseSpider
        if control.closing or self.rounds >= ROUNDS or not (self.put_aside or self._pausing):
            control.last_word = self.session.frontier.stop_decision(time.monotonic())
            return
        if not self._pausing:
            self._pausing = True
            self.session.doing("waiting to ask again for what failed")
            call_later(self.session.services.config.retry_pause_seconds, self._begin_round)
        raise DontCloseSpider

    def _begin_round(self) -> None:
        """Ask again for what failed."""
        self._pausing = False
        self.rounds += 1
        if not self.control.closing:
            self.session.doing("asking again for what failed")
            waiting, self.put_aside = self.put_aside, []
            for url in waiting:
                self.session.frontier.requeue(url)
        self.control.wake()
