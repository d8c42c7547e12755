"""Stage 2: a page becomes a post, or is dropped as none."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider

from blogcrawl.core.errors import BlogcrawlError, TooCostlyError
from blogcrawl.core.page import Page
from blogcrawl.core.records import Post
from blogcrawl.crawling import cut_texts, moved_posts, twins
from blogcrawl.crawling.closing import save_model
from blogcrawl.crawling.control import control_of
from blogcrawl.crawling.known_posts import REPLACED, is_replaced, remembered, with_first_date
from blogcrawl.crawling.moved_posts import Moves
from blogcrawl.crawling.page_facts import BARRED
from blogcrawl.crawling.pipelines.base import (
    ExtractedPost,
    NoPost,
    PostPage,
    SamePage,
    TooCostly,
    Waiting,
)
from blogcrawl.crawling.relearning import Generations, Templates
from blogcrawl.crawling.scrapy_internals import process_items
from blogcrawl.crawling.session import Session, session_if_any, session_of
from blogcrawl.dom.links import page_links
from blogcrawl.extraction.model import NotAPost, extract_post, is_unlike_posts
from blogcrawl.extraction.pages.broken_off import breaks_off
from blogcrawl.extraction.pages.duplicate_response import are_many
from blogcrawl.extraction.pages.further_pages import further_pages, joined
from blogcrawl.extraction.pages.post_views import PostViews, View
from blogcrawl.storage.outage import PASSING
from blogcrawl.urls.canonical import canonicalize, entry_key
from blogcrawl.urls.post_pattern import shape_of

BREAKS_OFF = "the page breaks off"


class ExtractStage:
    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.templates = Templates()
        self.generations = Generations()
        self.views = PostViews()
        self._aside: list[tuple[PostPage, View]] = []
        """Pages that may be views of posts, until it is known."""
        self._judged: dict[str, str | None] = {}
        """Addresses of those of which it is, with the key of the record that a view of it has."""
        self._no_views: set[str] = set()
        """Keys of posts, some of which were such pages until all were read."""
        self.moves: Moves | None = None
        self._task: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ExtractStage:
        stage = cls(crawler)
        crawler.signals.connect(stage.on_idle, signal=signals.spider_idle)
        return stage

    def on_idle(self) -> None:
        """All posts are in: extract those again whose rules were learned after them, and the pages
        that are no views of posts after all."""
        control, task = control_of(self.crawler), self._task
        is_busy = task is not None and not task.done()
        if not (is_busy or control.ends_early) and (
            self.templates.late or self._aside or self.generations.wants_settling or self._recalls()
        ):
            self._task = task = asyncio.ensure_future(self._again())
            task.add_done_callback(lambda _: control.wake())
        if task is not None and not task.done():
            raise DontCloseSpider

    def _recalls(self) -> bool:
        """Return whether pages that an earlier run has read are still to be looked at."""
        session = session_if_any(self.crawler)
        return session is not None and session.is_resumed and not self.generations.is_recalled

    async def _again(self) -> None:
        """Extract again what other rules read now."""
        session, control = session_of(self.crawler), control_of(self.crawler)
        session.doing("extracting posts again by rules learned after them")
        for item in self._late():
            await self._process(session, item)
        if session.is_resumed:
            await self.generations.recall(session)
        if self.generations.wants_settling:
            async for item in self.generations.settle(session):
                if control.ends_early:
                    break
                await self._process(session, item)

    async def _process(self, session: Session, item: PostPage) -> None:
        if item.frontier_url is not None and item.frontier_url not in session.waiting:
            session.frontier.reopen(item.frontier_url)
        session.waiting.discard(item.frontier_url or "")
        await process_items(self.crawler, [item])

    def _late(self) -> list[PostPage]:
        """Take what is to be extracted again."""
        late = list(self.templates.late)
        for item, view in self._aside:
            is_turned = self.views.is_turned(view)
            if view.post:
                self._judged[item.page.url] = view.post if is_turned else None
            if self.views.is_confirmed(view):
                _name(session_of(self.crawler), view)
            else:
                late.append(item)
        self.templates.late.clear()
        self._aside.clear()
        return late

    async def process_item(self, item: Any) -> Any:
        if not isinstance(item, PostPage):
            return item
        session = session_of(self.crawler)
        if session.model is None:
            raise NoPost("nothing was learned of this blog")
        echo = None if item.is_again else self._echo(session, item)
        self._settle(session, item, echo)
        try:
            verdict = self._verdict(session, item)
            is_learned = self._learned(session, item, verdict)
            if is_learned:
                verdict = self._verdict(session, item)
        except TooCostlyError as error:
            raise TooCostly(error) from None
        if is_learned:
            await self._keep_rules(session)
        await session.breathe()
        if isinstance(verdict, Post) and item.frontier_url and self.generations.waits(item):
            session.waiting.add(item.frontier_url)
            raise Waiting
        if isinstance(verdict, NotAPost):
            raise _refusal(session, item, verdict, echo)
        post = await session.services.gate.persist(lambda: self._placed(session, item, verdict))
        return ExtractedPost(post=await self._whole(post, item.page, session), source=item)

    @staticmethod
    async def _keep_rules(session: Session) -> None:
        """Write the model: a crawl that goes on after a kill reads the pages that wait by its
        rules. Where the storage refuses, the post that is stored next reports it."""
        with suppress(BlogcrawlError, *PASSING):
            session.blog_row = await session.services.gate.run(partial(save_model, session))

    def _verdict(self, session: Session, item: PostPage) -> Post | NotAPost:
        """Return what is said of a page; of a post that is archived and that later rules take for
        none, what was said without them. Raises TooCostlyError."""
        model = session.learned
        with session.services.limits.account.page(item.page):
            verdict = extract_post(item.page, model, item.entry, item.promised)
            if item.is_again and isinstance(verdict, NotAPost):
                verdict = self.generations.first_verdict(model, item, verdict)
        return verdict

    def _learned(self, session: Session, item: PostPage, verdict: Post | NotAPost) -> bool:
        """Return whether rules that read the page were learned because of it; a post that is too
        costly to learn from, or cannot be, is one all the same."""

        def learn() -> bool:
            learned = self.templates.note(session, item, verdict)
            return self.generations.note(session, item, verdict) or learned

        try:
            return bool(session.attempt("learning from", item.page.url, learn))
        except TooCostlyError as error:
            session.known.note(f"too costly to learn from: {error.url} ({error.message})")
            return False

    @staticmethod
    def _echo(session: Session, item: PostPage) -> SamePage | None:
        """Return what to raise for a page that another address gave before, unless it was taken
        for no post there: a post's title links to its own address, on a second one to another. One
        of addresses of one kind is no one's that is unlike all posts, or called otherwise than any
        of them."""
        key = canonicalize(item.frontier_url or item.page.url)
        is_notice = is_unlike_posts(item.page, session.learned)
        same = session.echoes.note(item.page, key, is_notice=is_notice)
        others = [other for other in same if other != key]
        is_barred = any(session.missed.get(other) in BARRED for other in others)
        is_notice = is_notice or twins.are_misnamed(session, same, item.page)
        is_no_post = others and is_notice and len(set(map(shape_of, same))) == 1
        if are_many(same) or is_barred or is_no_post:
            return _of_no_one(session, item, others)
        if key == same[0]:
            return _echo_but_for_numbers(session, item, key)
        return SamePage(twins.best_first(session, others), everywhere=False)

    @staticmethod
    def _settle(session: Session, item: PostPage, echo: SamePage | None) -> None:
        """Raise SamePage for a page that another address gave and that needs no further look: it is
        no one's, or the address of its post is the better one."""
        key = entry_key(item.page.url)
        if echo is None or not (echo.everywhere or _gave(session, echo)):
            return
        if echo.everywhere or not twins.is_better(session, key, echo.others[0]):
            raise echo

    async def _placed(self, session: Session, item: PostPage, post: Post) -> Post:
        """Return the post under the key that is its own, also where it has moved since it was
        archived.

        Raises SamePage if another address gave it in this crawl.
        """
        page = item.page
        static = item.static_page or page.whole or page
        key = entry_key(page.url)
        first = self._first(session, item, post, key)
        self.moves = self.moves or Moves(session)
        first = first or await self.moves.key_of(
            replace(post, canonical_url=key), item.frontier_url if page.whole is None else None
        )
        if is_replaced(session, first, item):
            raise NoPost(REPLACED)
        if first != key and item.entry is None:
            post = _read_again(session, item, first) or post
        placed = replace(
            post,
            status="gone" if _is_gone(session, first) else post.status,
            canonical_url=first,
            fetched_at=post.fetched_at or static.fetched_at,
            http_status=static.status,
            rendered=page.rendered,
        )
        return with_first_date(session, first, placed)

    def _first(self, session: Session, item: PostPage, post: Post, key: str) -> str | None:
        """Return the key of the archived post that this one is known to be; None where it is to be
        looked for. Raises NoPost for a page that shows a post once more."""
        other = session.echoes.note_post(post, key) if item.page.whole is None else key
        if other == key:
            found = self._put_aside(session, item, post, key)
            self._no_views.add(key)
            return found
        if not twins.is_better(session, key, other):
            twins.replace(session, key, other)
            raise SamePage([other], everywhere=False)
        session.echoes.prefer(post, key)
        self._replace(session, other, key)
        return key

    def _replace(self, session: Session, key: str, better: str) -> None:
        twins.replace(session, key, better)
        self.views.replace(key, better)

    def _put_aside(self, session: Session, item: PostPage, post: Post, key: str) -> str | None:
        """Raise NoPost for a page that is a view of a post, or may be one: that is judged when all
        pages are read. Return the key of the record of a post of which a view was read first.
        """
        page, url = item.page, item.frontier_url
        if url is None and self.views.is_view(key) and key not in self._no_views:
            raise NoPost("shows another post once more")
        if page.whole is not None or url is None:
            return None
        if page.url in self._judged:
            return self._turned(session, page.url, key)
        links = {canonicalize(link.url) for link in page_links(page)}
        frontier = session.frontier
        view = self.views.note(
            page,
            post,
            key,
            links,
            frontier.is_only_in_posts(url),
            frontier.found_on,
            promised=item.entry is not None,
        )
        if view is None:
            return None
        if item.entry is not None:
            self.views.turn(view)
            if not view.is_sure or session.is_promised(view.post):
                return None
            return self._record_of(session, key, view.post)
        is_usual = self.views.is_usual(view)
        if is_usual:
            _name(session, view)
        else:
            item.page.forget()
            self._aside.append((item, view))
        shown = f"the post at {view.post} once more" if view.post else "a post that is not read yet"
        raise NoPost(f"shows {shown}", says_nothing=not is_usual)

    def _turned(self, session: Session, url: str, key: str) -> str | None:
        """Return the key of the record of a view that was read before the post at ``url``."""
        first = self._judged[url]
        if first is None or session.is_promised(first):
            return None
        return self._record_of(session, key, first)

    def _record_of(self, session: Session, key: str, view: str) -> str | None:
        """Return the key of the record that an earlier crawl made of a view of the post at ``key``;
        one that this crawl made is replaced."""
        self._no_views.discard(view)
        if twins.is_known(session, view):
            moved_posts.note(session, key, view)
            return view
        twins.replace(session, view, key)
        return None

    async def _whole(self, post: Post, page: Page, session: Session) -> Post:
        """Return a post with the further pages that it is on, as far as they can be had; where one
        fails, or the page breaks off, the record and the report name it."""
        parts: list[Post] = []
        failure: str | None = None
        for number, url in enumerate(further_pages(page) if page.whole is None else (), 2):
            part = await self._part(url, session)
            if not isinstance(part, Post):
                failure = f"page {number}: {part}" if part else None
                break
            parts.append(part)
        if breaks_off(page, post, session.learned.ruleset_of(page)):
            failure = BREAKS_OFF
        cut_texts.note(session, post.canonical_url, failure)
        post = joined(post, parts)
        if failure is None or "content" not in post.extraction:
            return post
        content = {**post.extraction["content"], "incomplete": failure}
        return replace(post, extraction={**post.extraction, "content": content})

    @staticmethod
    async def _part(url: str, session: Session) -> Post | str:
        """Return what a further page of a post holds, or why it could not be read; "" where it is
        none."""
        try:
            page = await session.fetch(url, kind="post")
        except BlogcrawlError as error:
            return error.message
        if page.status != 200 or session.model is None:
            return f"HTTP {page.status}"
        try:
            with session.services.limits.account.page(page):
                verdict = extract_post(page, session.model, None, promised=True)
        except TooCostlyError as error:
            return str(error)
        return "" if isinstance(verdict, NotAPost) else verdict


def _echo_but_for_numbers(session: Session, item: PostPage, key: str) -> SamePage | None:
    """Return what to raise for a page that has the name of none of the many addresses which gave it
    but for its numbers: a notice in the blog's template, with the time or number of the request."""
    if twins.is_named_by(session, key, item.page):
        return None
    same = session.echoes.note(item.page, key, is_notice=True)
    is_notice = are_many(same) and twins.are_misnamed(session, same, item.page)
    others = [other for other in same if other != key]
    return _of_no_one(session, item, others) if is_notice else None


def _of_no_one(session: Session, item: PostPage, others: Sequence[str]) -> SamePage:
    """Return what to raise for a page that ``others`` have given and that is the post of none of
    them, but of one whose name it has."""
    keys = (*others, canonicalize(item.frontier_url or item.page.url))
    owners = (key for key in keys if twins.is_named_by(session, key, item.page))
    return SamePage(others, everywhere=True, owner=next(owners, ""))


def _refusal(session: Session, item: PostPage, verdict: NotAPost, echo: SamePage | None) -> NoPost:
    """Return why a page is no post: it is one at another address, or none there either."""
    if echo is not None and verdict.reason in BARRED:
        return _of_no_one(session, item, echo.others)
    if echo is not None and _gave(session, echo):
        return echo
    return NoPost(verdict.reason, 1 - verdict.confidence)


def _gave(session: Session, echo: SamePage) -> bool:
    return any(map(session.frontier.gave_post, echo.others))


def _name(session: Session, view: View) -> None:
    """Note that the page is another name of the post that it shows."""
    session.redirected.add(view.url)
    session.frontier.name(view.url, view.post)


def _read_again(session: Session, item: PostPage, key: str) -> Post | None:
    """Return the post with what is remembered of it under a key; None where that makes it none, or
    takes too long."""
    assert session.model is not None
    entry = remembered(session, key, item.page)
    try:
        with session.services.limits.account.page(item.page):
            again = extract_post(item.page, session.model, entry, item.promised)
    except TooCostlyError:
        return None
    return None if isinstance(again, NotAPost) else again


def _is_gone(session: Session, key: str) -> bool:
    """Return whether a post that was captured earlier is known to have left the blog."""
    if session.captures is None:
        return False
    known = session.services.state.get_post(session.blog_id, key)
    return known is not None and known.status == "gone"
