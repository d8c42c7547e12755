"""UpdateCrawl: a known blog and a date become what has changed.

One conditional request to the feed, one to the sitemap where there is one; then only pages of which something says that they are
new, edited, commented or gone.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from scrapy import Request

from blogcrawl.discovery.knowledge import SiteKnowledge
from blogcrawl.extraction.comments.late import check_again
from blogcrawl.extraction.comments.site import SiteComments
from blogcrawl.extraction.model import BlogModel, extract_post
from blogcrawl.frontier.canonical import Scope, canonicalize, entry_key
from blogcrawl.frontier.frontier import Pending
from blogcrawl.frontier.slashes import slash_form
from blogcrawl.items import Blog, Feed, FeedEntry
from blogcrawl.packaging import records
from blogcrawl.page import Page
from blogcrawl.spiders import history, learning, moves
from blogcrawl.spiders.changes import Changes, Reason
from blogcrawl.spiders.gone import gone_item
from blogcrawl.spiders.moves import row_of
from blogcrawl.spiders.newcrawl import NewCrawl
from blogcrawl.spiders.relearning import shelve
from blogcrawl.spiders.remembered import remembered
from blogcrawl.spiders.report import is_due
from blogcrawl.spiders.sources import FeedVisit, visit_comment_feed, visit_feed, visit_sitemap
from blogcrawl.storage.base import BlogRow

MIN_LESSONS = 3
PROBES, MIN_MISSED = 3, 2
"""Of so many posts of the feed, newest first, the rules must miss so many: one odd post is no new template."""


class UpdateCrawl(NewCrawl):
    """``scrapy crawl updatecrawl -a startat=URL [-a since=2026-01-31]`` (ISO date or Unix time)."""

    name = "updatecrawl"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.reasons: dict[str, Reason] = {}
        self.feeds: dict[str, dict[str, Any]] | None = None

    async def run(self) -> AsyncIterator[Any]:
        row = self.session.blog_row
        if row is None or not (row.model or {}).get("model"):
            async for found in super().run():  # a blog that nobody crawled yet: all of it is new
                yield found
            return
        self._open(row)
        visit = await visit_feed(self.session, row, self.since)
        if self.session.knowledge is not None:
            self.session.knowledge.post_feed = visit.feed  # what the next poll of a cluster compares with
        if visit.gone:
            async for found in super().run():  # the feed is no more what it was: look at the blog anew
                yield found
            return
        changes = visit.changes
        lessons = await self._probe(visit.feed, changes) if visit.feed is not None else []
        await self._look_further(row, visit, changes)
        self.feeds = visit.memory
        self.session.count("posts_found", len(changes.fetch))
        self._fill(changes)
        for lesson in lessons:
            self.frontier.take(lesson.entry.url)
        for item in self._lesson_items(lessons):
            yield item
        self.session.doing("fetching what changed")

    # what was known

    def _open(self, row: BlogRow) -> None:
        """Take up the blog where the last crawl left it."""
        session = self.session
        assert row.model is not None
        session.model = BlogModel.from_json(row.model["model"])
        session.blog = records.blog_from_json(row.record) if row.record else Blog(url=row.url)
        session.knowledge = SiteKnowledge(blog=session.blog)
        scope = Scope(row.url, session.config.include, session.config.exclude)
        urls = [post.url for post, _ in zip(session.state.posts(session.blog_id), range(500), strict=False)]
        scope.widen(urls)
        self.frontier.scope = scope
        self.frontier.learn_pattern(urls)

    async def _probe(self, feed: Feed, changes: Changes) -> list[learning.Lesson]:
        """Read the newest of the new posts before all others: where the rules miss it, more of the feed is looked at, and if they miss
        that too, the blog has a new template.  Returns the new posts whose pages were read for it."""
        session = self.session
        assert session.model is not None
        new = [entry for entry in feed.entries if entry_key(entry.url) in changes.fetch and entry_key(entry.url) in changes.entries]
        new = [entry for entry in new if changes.fetch[entry_key(entry.url)][1].why == "new in the feed"]
        lessons = await self._lessons(new[:1])
        if session.model.needs_relearning or not all(map(self._fits, lessons)):
            lessons += await self._lessons([e for e in feed.entries if e not in new[:1]][: PROBES - 1])
            if session.model.needs_relearning or sum(not self._fits(lesson) for lesson in lessons) >= MIN_MISSED:
                lessons = await self._relearn(feed, lessons)
        urls = {entry_key(entry.url) for entry in new}
        for lesson in lessons:
            self.missed.pop(lesson.key, None)
        return [lesson for lesson in lessons if lesson.key in urls]

    async def _lessons(self, entries: list[FeedEntry]) -> list[learning.Lesson]:
        """The entries' pages, or the posts' own parts of them; a page that should have the part and has not stays whole."""
        lessons = await learning.fetch_lessons(self.session, entries, self.missed)
        shape = self.session.model.parts if self.session.model is not None else None
        if shape is None:
            return lessons
        parts = {lesson.key: lesson for lesson in learning.divided(lessons, shape)}
        return [parts.get(lesson.key, lesson) for lesson in lessons]

    def _fits(self, lesson: learning.Lesson) -> bool:
        model = self.session.model
        return model is None or model.fits(lesson.page, extract_post(lesson.page, model, None, True), lesson.entry) is not False

    async def _relearn(self, feed: Feed, have: list[learning.Lesson]) -> list[learning.Lesson]:
        """The rules miss what they used to find: learn anew from what the feed shows, and keep the old ones on record."""
        session = self.session
        assert session.knowledge is not None and session.model is not None
        session.doing("the rules miss too much: learning again")
        session.knowledge.post_feed = feed
        session.knowledge.entries = {entry_key(e.url): e for e in feed.entries}
        wanted = learning.teachers(session.knowledge, Scope(session.blog.url), session.config.learn_entries)
        known = {lesson.key for lesson in have}
        wanted = [entry for entry in wanted if entry_key(entry.url) not in known]
        lessons = [*have, *await learning.fetch_lessons(session, wanted, self.missed)]
        if len(lessons) < MIN_LESSONS:
            return lessons
        shelve(session)
        lessons, shape = learning.told_parts(lessons, session.blog.url)
        old, session.model = session.model, learning.learn_within(session, lessons, session.knowledge, None)
        session.model.parts = shape
        session.model.inherit(old)
        self.missed.clear()
        return lessons

    async def _look_further(self, row: BlogRow, visit: FeedVisit, changes: Changes) -> None:
        """The sources beside the feed: its history where it overran, the sitemap, comments, posts that vanished."""
        session = self.session
        if visit.feed is not None and visit.feed.entries and not changes.met_known:
            session.doing("the feed shows no known post: walking back")
            async for url, entry in history.walk(session, visit.feed, self.frontier.pattern.score):
                changes.add(url, Reason(why="between the last visit and the feed's oldest entry"), entry)
        for url, reason in (await visit_sitemap(session, row, visit.memory, self.frontier.pattern.score)).fetch.values():
            changes.add(url, reason)
        for url in await visit_comment_feed(session, row, visit.memory):
            changes.add(url, Reason(why="new comments", force=True))
        for post in visit.vanished:
            changes.add(moves.address_of(session, post.url), Reason(why="no longer in the feed"))
        self._ask_for_missing(visit, changes)
        now = datetime.now(UTC)
        elsewhere = SiteComments.from_json(session.memory.get("comments") or {}).elsewhere
        for post in session.state.posts_to_check(session.blog_id, now):
            changes.add(moves.address_of(session, post.url), Reason(why="late comments perhaps", force=elsewhere))

    def _ask_for_missing(self, visit: FeedVisit, changes: Changes) -> None:
        """What the last crawls could not have (a site that died under them, time-outs, a barrier)."""
        knowledge = self.session.knowledge
        assert knowledge is not None
        waiting = self.session.memory.get("missing") or {}
        entries = {entry_key(entry.url): entry for entry in visit.feed.entries} if visit.feed is not None else {}
        archived = next(iter(self.session.state.posts(self.session.blog_id)), None) if waiting else None
        slash = archived is not None and moves.address_of(self.session, archived.url).endswith("/")
        for key, told in waiting.items():
            if row_of(self.session, key) is not None:
                continue
            if told["sources"] != ["links"]:
                knowledge.promised.setdefault(key, set(told["sources"]))
            if is_due(told["times"]):
                entry = entries.get(key)
                address = entry.url if entry is not None else slash_form(key, slash)
                changes.add(address, Reason(why="missing since the last crawl"), entry)
            else:
                self.missed[key] = told["reason"]

    def _fill(self, changes: Changes) -> None:
        knowledge = self.session.knowledge
        assert knowledge is not None
        for key, (url, reason) in changes.fetch.items():
            self.reasons[key] = reason
            if key in changes.entries:
                knowledge.entries[key] = changes.entries[key]
            if reason.why == "new in the feed":
                knowledge.promised[key] = {"feed"}
            self.frontier.push(url, "post")

    # pages

    def frontier_request(self, pending: Pending) -> Request:
        """Conditional where the page is archived: its validators go back byte for byte."""
        request = super().frontier_request(pending)
        key = canonicalize(pending.url)
        row = row_of(self.session, key)
        reason = self.reasons.get(key)
        if row is not None and reason is not None and not reason.force:
            if row.etag:
                request.headers["If-None-Match"] = row.etag
            if row.last_modified:
                request.headers["If-Modified-Since"] = row.last_modified
        return request

    def read_page(self, page: Page, url: str, depth: int) -> Any:
        if self.feeds is None:  # the blog is looked at as if it were new
            yield from super().read_page(page, url, depth)
            return
        key = canonicalize(url)
        if page.status == 304:
            if entry_key(page.url) != key and row_of(self.session, entry_key(page.url)) is None:
                moves.note(self.session, entry_key(page.url), key)
            self._unchanged(key)
            self.session.count("posts_unchanged")
            self.frontier.done(url, 0, None)
            self.after_page()
            return
        if page.status in {404, 410}:
            item = gone_item(self.session, key, url, page)
            if item is not None:
                yield item
                return
        yield from super().read_page(page, url, depth)

    def entry_of(self, key: str, page: Page) -> FeedEntry | None:
        """What the feed says, or said when the post was archived."""
        found = super().entry_of(key, page)
        return found if found is not None or self.feeds is None else remembered(self.session, key, page)

    def _unchanged(self, key: str) -> None:
        """Note that the post was seen as it was, and when to look for late comments the next time."""
        session, now = self.session, datetime.now(UTC)
        row = row_of(session, key)
        if row is not None:
            due = check_again(row.published or row.first_seen, row.last_seen, now)
            session.state.save_post(replace(row, last_seen=now, next_comment_check=due), fence=session.fence)

    def follow(self, page: Page, depth: int) -> None:
        """An update goes where the changes are, not where links lead."""
        if self.feeds is None:
            super().follow(page, depth)

    # the end

    def row_changes(self) -> Mapping[str, Any]:
        if self.feeds is None:
            return super().row_changes()
        return {"feeds": self.feeds, "failures": 0}
