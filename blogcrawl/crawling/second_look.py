"""Archived posts, when an update has read all else: those that are gone, and on a blog without a
feed those that the lists show no more, or show more comments or another text of, and as many of the
others as the budget allows.

Nothing else says of such posts that they were edited, commented or deleted: the blog has no feed
that does, and its lists cost an update what they cost a first crawl.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice

from scrapy.exceptions import DontCloseSpider

from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.core.page import Page
from blogcrawl.crawling import cut_texts
from blogcrawl.crawling.changes import VISITS_PER_RECHECK, Changes, Reason, to_recheck, unlisted
from blogcrawl.crawling.control import CrawlControl
from blogcrawl.crawling.known_posts import entry_of
from blogcrawl.crawling.moved_posts import (
    address_of,
    archived_post,
    first_key,
    last_place,
    row_of,
)
from blogcrawl.crawling.pipelines.base import PostPage
from blogcrawl.crawling.report import is_due
from blogcrawl.crawling.revisits import Revisits
from blogcrawl.crawling.scrapy_internals import process_items
from blogcrawl.crawling.session import Session
from blogcrawl.storage.outage import PASSING
from blogcrawl.storage.tables import PostRow
from blogcrawl.urls.canonical import canonicalize

UNLISTED = "unlisted"
"""Key in the session's memory: posts that the lists lack and whose pages were there."""
COUNTS = "counts"
"""The same: the highest number of comments in lists for which a post was asked."""
EDITED = "edited"
"""The same: the digest of the text in lists for which a post was asked."""
MAX_ASKED = 1_000
MEDIA_TRIES = "media"
"""The same: how many visits have looked for the files that a post lacks, by URL."""
MAX_ASKED_FOR_MEDIA = 20
_MAY_PASS = re.compile(r"HTTP (?:408|425|429|5\d\d)|no answer in time|the answer broke off")
"""Reasons for which a file could not be read that another visit may not meet; hosts that are gone
are not asked for years."""


def ask_for_the_rest(session: Session, changes: Changes, *, is_late_named: bool = False) -> None:
    """Request posts of which comments, further pages or files are lacking, or may have come since;
    ``is_late_named``: the blog's feed of comments names late ones."""
    _ask_for_comments(session, changes, is_late_named=is_late_named)
    _ask_for_texts(session, changes)
    _ask_for_media(session, changes)


def _ask_for_comments(session: Session, changes: Changes, *, is_late_named: bool) -> None:
    """Request posts whose comments are incomplete, or which may have late ones, unless the blog's
    feed of comments names these."""
    from blogcrawl.comments.site import SiteComments

    state = session.services.state
    for post in state.posts_lacking_comments(session.blog_id):
        if is_due(post.comments_tries):
            reason = Reason(why="comments are incomplete", force=True)
            changes.add(address_of(session, post.url), reason)
        else:
            tried = replace(post, comments_tries=post.comments_tries + 1)
            state.save_post(tried, fence=session.fence)
    elsewhere = SiteComments.from_json(session.memory.get("comments", {})).elsewhere
    if is_late_named and not elsewhere:
        return
    late = Reason(why="late comments perhaps", force=elsewhere)
    for post in state.posts_to_check(session.blog_id, datetime.now(UTC)):
        changes.add(address_of(session, post.url), late)


def _ask_for_texts(session: Session, changes: Changes) -> None:
    """Request posts of which a further page could not be read."""
    for url in cut_texts.due(session):
        reason = Reason(why="the text is incomplete", force=True)
        changes.add(address_of(session, url), reason)


def _ask_for_media(session: Session, changes: Changes) -> None:
    """Request posts that lack a file for a reason that may have passed, some at a visit."""
    tries = {
        url: session.memory.get(MEDIA_TRIES, {}).get(url, 1) for url in _lacking_media(session)
    }
    due = [url for url, times in tries.items() if is_due(times)]
    waiting = set(due[MAX_ASKED_FOR_MEDIA:])
    for url in due[:MAX_ASKED_FOR_MEDIA]:
        reason = Reason(why="media could not be read", force=True)
        changes.add(address_of(session, url), reason)
    session.memory[MEDIA_TRIES] = {
        url: times + (url not in waiting) for url, times in tries.items()
    }


def _lacking_media(session: Session) -> list[str]:
    state = session.services.state
    lost = state.lost_media(session.blog_id)
    packages = {row.aip_id for row in lost if _MAY_PASS.fullmatch(row.error or "")} - {None}
    posts = state.posts(session.blog_id) if packages else ()
    found = (one.url for one in posts if one.aip_id in packages and one.status != "gone")
    return list(islice(found, MAX_ASKED))


class SecondLook:
    """Asked when an update has nothing left to do; looks once at posts of a blog without a feed."""

    def __init__(self, session: Session, control: CrawlControl, revisits: Revisits) -> None:
        self.session, self.control, self.revisits = session, control, revisits
        self.is_due = False
        """Whether the crawl is an update of a blog without a feed."""
        self._has_looked = False
        self._counts: dict[str, int] = {}
        """Numbers of comments that lists show, by canonical URL."""
        self._edited: dict[str, str] = {}
        """Archived posts of which lists show another text, and its digest."""
        self._archived: dict[str, str] | None = None
        self._looking: asyncio.Future[None] | None = None

    def note(self, page: Page) -> None:
        """Note the numbers of comments that a list shows, and the posts that it shows edited."""
        from blogcrawl.comments.announced import listed_counts
        from blogcrawl.crawling.list_texts import edited

        if self.is_due:
            for key, count in listed_counts(page).items():
                self._counts[key] = max(count, self._counts.get(key, 0))
            self._edited |= edited(page, self._post_at, self._text_of)

    def _post_at(self, url: str) -> str | None:
        """Return the key of the archived post that a link leads to; comments stand below it."""
        if self._archived is None:
            session = self.session
            rows = session.services.state.posts(session.blog_id)
            present = [row.url for row in rows if row.aip_id and row.status != "gone"]
            self._archived = {canonicalize(last_place(session, key)): key for key in present}
        return self._archived.get(canonicalize(url))

    def _text_of(self, key: str) -> str | None:
        try:
            post = archived_post(self.session, key)
        except PASSING:  # the next visit compares it
            return None
        return f"{post.title or ''} {post.content_text or ''}" if post is not None else None

    def on_idle(self) -> None:
        """Keep the crawl open while posts are asked for."""
        control = self.control
        is_wanted = (self.is_due and not self._has_looked) or self.revisits.gone
        is_free = control.prepared and not (control.closing or control.paused)
        if is_wanted and is_free and not self._is_looking:
            self._looking = asyncio.ensure_future(self._look())
            self._looking.add_done_callback(lambda _: control.wake())
        if self._is_looking:
            raise DontCloseSpider

    @property
    def _is_looking(self) -> bool:
        return self._looking is not None and not self._looking.done()

    async def _look(self) -> None:
        session = self.session
        session.doing("looking at archived posts again")
        changes = Changes() if self._has_looked or not self.is_due else self._changes()
        self._has_looked = True
        for key, (url, reason) in list(changes.fetch.items()):
            if self.control.is_broken_off():
                return
            self.revisits.reasons[key] = reason
            items = await self._asked(url, reason)
            await process_items(session.services.crawler, items)
        await self._settle()

    async def _settle(self) -> None:
        try:
            async for item in self.revisits.settle():
                await process_items(self.session.services.crawler, [item])
        except PASSING as error:
            self.control.storage_is_away(error)

    def _changes(self) -> Changes:
        """Return which posts to ask for, and why."""
        session, found = self.session, Changes()
        rows = [row for row in session.services.state.posts(session.blog_id) if row.aip_id]
        self._compare(rows, found)
        for key in self._commented(session.memory.setdefault(COUNTS, {})):
            found.add(address_of(session, key), Reason(why="new comments", force=True))
        for key in self._newly_edited(session.memory.setdefault(EDITED, {})):
            found.add(address_of(session, key), Reason(why="another text in the lists"))
        ask_for_the_rest(session, found)
        self._ask_for_some(rows, found)
        return found

    def _compare(self, rows: Sequence[PostRow], found: Changes) -> None:
        """Ask for the posts that the lists lack, and for those called gone that are back there."""
        session = self.session
        places = [canonicalize(last_place(session, row.url)) for row in rows]
        listed = {first_key(session, key) for key in session.frontier.shown(places)}
        asked = session.memory.get(UNLISTED, [])
        lacking = unlisted(rows, listed, set(asked))
        still = [key for key in asked if key not in listed]
        session.memory[UNLISTED] = [*still, *lacking][-MAX_ASKED:]
        for key in lacking:
            reason = Reason(why="no longer in the lists", is_unlisted=True)
            found.add(address_of(session, key), reason)
        gone = {row.url for row in rows if row.status == "gone"}
        for key in sorted(gone.intersection(asked, listed)):
            found.add(address_of(session, key), Reason(why="back in the lists"))

    def _ask_for_some(self, rows: Sequence[PostRow], found: Changes) -> None:
        """Ask for as many of the posts not looked at for long as the budget allows."""
        session = self.session
        requests = int(session.services.crawler.stats.get_value("downloader/request_count", 0))
        for key in to_recheck(rows, session.services.started, -(-requests // VISITS_PER_RECHECK)):
            found.add(address_of(session, key), Reason(why="not looked at for long"))

    def _commented(self, asked: dict[str, int]) -> Iterator[str]:
        """Yield posts of which lists show more comments than are archived, for each number once."""
        for key, count in self._counts.items():
            row = row_of(self.session, key)
            if row is None or count <= max(row.comment_count, row.comments_shown or 0):
                continue
            if asked.get(row.url, 0) < count:
                asked[row.url] = count
                yield row.url

    def _newly_edited(self, asked: dict[str, str]) -> Iterator[str]:
        """Yield posts of which lists show another text than the archived one, for each text
        once."""
        for key, digest in self._edited.items():
            if asked.get(key) != digest:
                asked[key] = digest
                yield key

    async def _asked(self, url: str, reason: Reason) -> list[PostPage]:
        """Return what the page of an archived post gives to the pipelines: nothing where it is as
        it was."""
        from blogcrawl.crawling.feed_poll import conditional_headers

        session, key = self.session, canonicalize(url)
        row = row_of(session, key)
        known = {}
        if row is not None and not reason.force:
            known = {"etag": row.etag, "last_modified": row.last_modified}
        try:
            page = await session.fetch(url, kind="post", headers=conditional_headers(known))
            if self.revisits.is_gone(key, page):
                self.revisits.gone[key] = (url, page, False)
                return []
        except PASSING as error:
            self.control.storage_is_away(error)
            return []
        except BlogcrawlError:
            return []
        if page.status == 304:
            self.revisits.unchanged(key)
            session.count_post("unchanged")
        if page.status != 200:
            return []
        return [PostPage(page=page, entry=entry_of(session, key, page), promised=True)]
