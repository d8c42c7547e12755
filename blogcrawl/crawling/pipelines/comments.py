"""Stage 3: what readers wrote. The plan says what to ask, this fetches."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any

from scrapy.crawler import Crawler

from blogcrawl.comments.plan import NOT_THERE, Ask, CommentPlan
from blogcrawl.comments.records import CommentResult
from blogcrawl.comments.site import SWEEP_PAGES, SiteComments, api_url
from blogcrawl.comments.sources import WordPressPage, wordpress_comments
from blogcrawl.core.config import Config
from blogcrawl.core.errors import BlogcrawlError, RefusedError, TooCostlyError
from blogcrawl.core.page import Page
from blogcrawl.core.records import Comment, Post
from blogcrawl.crawling.fetch import may_pass
from blogcrawl.crawling.known_posts import with_first_dates
from blogcrawl.crawling.moved_posts import archived_post
from blogcrawl.crawling.page_facts import failure
from blogcrawl.crawling.pipelines.base import ExtractedPost, reason_of
from blogcrawl.crawling.session import Session, session_of
from blogcrawl.urls.canonical import entry_key, host_of

logger = logging.getLogger(__name__)

MEMORY = "comments"
"""Key in the session's memory."""
INCOMPLETE = "incomplete"
"""Key in a post's ``extraction["comments"]``: why comments may be lacking."""
NESTED = "too costly: its elements are nested too deeply to be read to the end"
FAILURES = 3
"""Requests in a row that a host fails to answer, each after its retries, before it is left alone
for the longest wait granted.
"""


def with_archived(comments: tuple[Comment, ...], before: Post | None) -> tuple[Comment, ...]:
    """Return ``comments`` and those that an earlier visit has archived: a missing response removes
    none.
    """
    known = {comment.id for comment in comments}
    return (
        *comments,
        *(
            comment
            for comment in (before.comments if before is not None else ())
            if comment.id not in known
        ),
    )


def _with_comments_of(session: Session, post: Post) -> Post:
    """Return the post, extracted again, with the comments that this crawl has archived of it."""
    before = archived_post(session, post.canonical_url)
    if before is None:
        return post
    found = {name: how for name, how in before.extraction.items() if name == "comments"}
    return replace(
        post,
        comments=before.comments,
        comments_shown=before.comments_shown,
        extraction={**post.extraction, **found},
    )


def _lacking(result: CommentResult, costly: str | None, page: Page) -> CommentResult:
    """Return ``result``, marked incomplete if a source or the end of the page was not read."""
    cut = NESTED if page.is_cut else None
    return replace(result, incomplete=result.incomplete or costly or cut)


class HostRest:
    """Hosts that failed to answer for comments, each time after all retries, are not requested
    every further post.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._failed: dict[str, int] = {}
        self._until: dict[str, tuple[float, str]] = {}

    def reason(self, host: str, now: float) -> str | None:
        """Return why ``host`` is not asked ``now`` (seconds of any one clock); None: it may be."""
        until, reason = self._until.get(host, (0.0, ""))
        return reason if now < until else None

    def note(self, host: str, failed: str | None, now: float) -> None:
        """Note the outcome of a request: ``failed`` is why there was no response, None: there was
        one.
        """
        self._failed[host] = self._failed.get(host, 0) + 1 if failed is not None else 0
        if failed is not None and self._failed[host] >= FAILURES:
            self._until[host] = (now + self.seconds, failed)


def language_of_dates(post: Post, page: Page) -> str | None:
    """Return the language in which a post's comments are dated: the post's, else what the page
    declares. Whole dates of another language are read too, since themes may write their own.
    """
    return post.language or page.tree.get("lang")


def _provenance(result: CommentResult) -> dict[str, dict[str, Any]]:
    """Return how the comments were found, as a post's ``extraction``; empty if nothing says that
    there are any.
    """
    if not (result.methods or result.shown is not None or result.incomplete):
        return {}
    how = {
        "method": "+".join(sorted(result.methods)) or None,
        "confidence": result.confidence,
        "rule": None,
    }
    return {"comments": how | ({INCOMPLETE: result.incomplete} if result.incomplete else {})}


class CommentsStage:
    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.site: SiteComments | None = None
        self.rest = HostRest(Config.from_settings(crawler.settings).max_retry_after_seconds)
        self._sweeping, self._unsure = asyncio.Lock(), asyncio.Lock()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> CommentsStage:
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        if not isinstance(item, ExtractedPost):
            return item
        session = session_of(self.crawler)
        if item.source.is_again:
            return replace(item, post=_with_comments_of(session, item.post))
        if self.site is None:
            self.site = SiteComments.from_json(session.memory.get(MEMORY) or {})
            self._meet_sample_posts(self.site)
        if session.model is not None:
            dates = session.model.ruleset.facts.dates
            self.site.clock = dates.zones, dates.mislabelled
        page = item.source.page
        static = (item.source.static_page or page) if page.rendered else page
        result = await self._read(item, static, session)
        comments = result.comments
        if result.incomplete is not None:
            session.count("posts_lacking_comments")
            logger.info("comments of %s are incomplete: %s", item.post.url, result.incomplete)
            comments = with_archived(comments, archived_post(session, item.post.canonical_url))
        comments = with_first_dates(session, item.post.canonical_url, comments)
        session.memory[MEMORY] = self.site.to_json()
        session.count("comments", len(comments))
        if result.shown is not None and result.shown > len(comments):
            session.count("comments_missing", result.shown - len(comments))
        post = replace(
            item.post,
            comments=comments,
            comments_shown=result.shown,
            extraction={**item.post.extraction, **_provenance(result)},
        )
        return replace(item, post=post)

    def _plan(self, item: ExtractedPost, static: Page) -> CommentPlan:
        """Return the plan of a post's comments; what its page shows is read at once."""
        session = session_of(self.crawler)
        assert self.site is not None
        page = item.source.page
        feeds = session.knowledge.comment_feeds if session.knowledge is not None else {}
        return CommentPlan(
            site=self.site,
            page=static,
            rendered=page if page.rendered else None,
            entry=item.source.entry,
            comment_feed=feeds.get(entry_key(item.post.url)) or feeds.get(entry_key(page.url)),
            content=item.post.content_html or None,
            language=language_of_dates(item.post, page),
            published=item.post.published,
            signed=session.model.ruleset_of(page).facts.signed if session.model else None,
        )

    async def _read(self, item: ExtractedPost, static: Page, session: Session) -> CommentResult:
        """Ask what the plan wants, within the page's CPU time and that of the answers. What is too
        costly to read makes the comments incomplete; neither the post is lost for it nor the
        comments that its page shows."""
        limits, page = session.services.limits.account, item.source.page
        on_page = CommentResult()
        try:
            with limits.page(page):
                plan = self._plan(item, static)
                on_page = plan.on_page
            await self._sweep_once(plan, static, session)
            sizes, costly = await self._ask_all(plan, page, session)
            await session.breathe()
            with limits.batch(sizes) if len(sizes) > 1 else limits.page(page):
                result = plan.result()
        except TooCostlyError as error:
            return replace(on_page, incomplete=reason_of(error))
        all_there = result.shown is not None and len(result.comments) >= result.shown
        return result if all_there else _lacking(result, costly, static)

    async def _ask_all(
        self, plan: CommentPlan, page: Page, session: Session
    ) -> tuple[dict[str, int], str | None]:
        """Give the plan all answers that it asks for. Return the size in bytes of the page and of
        each answer, by URL, and which of them was too costly to read first, if one was."""
        limits = session.services.limits.account
        sizes, costly = {page.url: len(page.body)}, None
        while True:
            with limits.page(page):
                asks = plan.requests()
            if not asks:
                return sizes, costly
            async with self._turn(plan, asks):
                for ask, answer, why in await self._answers(plan, asks):
                    read = answer or Page(url=ask.url, body=b"")
                    sizes[ask.url] = len(read.body)
                    try:
                        with limits.page(read):
                            plan.receive(ask, answer, why)
                    except TooCostlyError as error:
                        costly = costly or f"{ask.kind} of comments: {reason_of(error)}"
                        plan.receive(ask, None, reason_of(error))

    def _turn(self, plan: CommentPlan, asks: Sequence[Ask]) -> AbstractAsyncContextManager[None]:
        """Let posts ask one after the other for what no post is known to have: a few say of all
        others whether it is there."""
        is_unsure = any(map(plan.is_unsure, asks))
        return self._unsure if is_unsure else contextlib.nullcontext()

    async def _answers(
        self, plan: CommentPlan, asks: Sequence[Ask]
    ) -> list[tuple[Ask, Page | None, str | None]]:
        """Return the answers to what is still to be asked, and why one is missing."""
        asks = [ask for ask in asks if not plan.is_hopeless(ask)]
        answers = await asyncio.gather(*map(self._fetch, asks))
        return [(ask, *answer) for ask, answer in zip(asks, answers, strict=True)]

    async def _sweep_once(self, plan: CommentPlan, static: Page, session: Session) -> None:
        assert self.site is not None
        if not plan.signs or session.feeds is not None:
            return
        try:
            await self._sweep(static)
        except TooCostlyError:  # each post asks for its own
            self.site.by_post.clear()
            self.site.note("sweep", False)

    def _meet_sample_posts(self, site: SiteComments) -> None:
        """Add the training pages of the post's rules to the series, so that the first posts have it
        already.
        """
        session = session_of(self.crawler)
        for url, page in (
            session.answers.posts() if session.answers is not None and site.series is None else ()
        ):
            if page.status == 200:
                limits, known = session.services.limits.account, session.knowledge
                with contextlib.suppress(TooCostlyError), limits.page(page):
                    site.meet(page, known.described(entry_key(url)) if known is not None else None)

    async def _fetch(self, ask: Ask) -> tuple[Page | None, str | None]:
        """Return the answer, and why it is missing where that may pass, or the host was not
        asked."""
        session = session_of(self.crawler)
        host = host_of(ask.url)
        refused = self.rest.reason(host, time.monotonic())
        if refused is not None:
            return None, refused
        page, failed = await self._ask(session, ask.url)
        self.rest.note(host, failed, time.monotonic())
        return page, failed

    @staticmethod
    async def _ask(session: Session, url: str) -> tuple[Page | None, str | None]:
        try:
            page = await session.fetch(url, kind="comments")
        except BlogcrawlError as error:
            is_unasked = isinstance(error, RefusedError)
            return None, error.message if is_unasked or may_pass(error) else None
        failed = failure(page)
        return page, failed[0] if failed is not None and failed[1] else None

    def _parsed(self, page: Page | None) -> WordPressPage | None:
        """Return the parsed response, or None without one. Raises TooCostlyError."""
        if page is None:
            return None
        with session_of(self.crawler).services.limits.account.page(page):
            return wordpress_comments(page)

    @staticmethod
    def _note_no_sweep(site: SiteComments, answer: Page | None) -> None:
        """Note that the blog's comments can't be had together, nor a post's where there is no such
        API."""
        site.note("sweep", False)
        if answer is not None and answer.status in NOT_THERE:
            site.note_absent("api")

    async def _sweep(self, page: Page) -> None:
        """Fetch all comments of a WordPress blog by a few requests, instead of a few requests per
        post. Once a crawl.
        """
        assert self.site is not None
        async with self._sweeping:
            root = self.site.find_api(page)
            if root is None or self.site.swept or "sweep" in self.site.records:
                return
            first, failed = await self._fetch(Ask(api_url(root, 1), "api"))
            if failed is not None:
                self.site.note("sweep", False)  # each post asks for its own
                return
            answer = self._parsed(first)
            self.site.note("api", answer is not None)
            if answer is None:
                self._note_no_sweep(self.site, first)
                return
            self.site.note("sweep", answer.pages <= SWEEP_PAGES)
            if answer.pages > SWEEP_PAGES:
                return
            self.site.take_sweep(answer)
            for number in range(2, answer.pages + 1):
                further, _ = await self._fetch(Ask(api_url(root, number), "api"))
                more = self._parsed(further)
                if more is None:
                    self.site.by_post.clear()
                    return
                self.site.take_sweep(more)
            self.site.swept = True
