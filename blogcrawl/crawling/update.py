"""The beginning of an update crawl: from a known blog and a date to what may have changed.

One conditional request to the feed, one to the sitemap where there is one; then only pages of which
something says that they are new, edited, commented or gone.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from itertools import islice
from typing import Any

from blogcrawl.comments.late import LAST
from blogcrawl.core.errors import TooCostlyError
from blogcrawl.core.page import Page
from blogcrawl.core.records import Blog, Feed, FeedEntry
from blogcrawl.crawling import history, learning
from blogcrawl.crawling import moved_posts as moves
from blogcrawl.crawling.bootstrap import Bootstrap
from blogcrawl.crawling.changes import (
    MAX_UNLISTED,
    NEW_IN_API,
    VISITS_PER_RECHECK,
    Changes,
    Reason,
    from_sitemap,
    to_recheck,
)
from blogcrawl.crawling.discover import ABSENT, archived_urls, ask_unread_again
from blogcrawl.crawling.moved_posts import row_of
from blogcrawl.crawling.page_reader import PageReader
from blogcrawl.crawling.relearning import shelve
from blogcrawl.crawling.report import ARCHIVE, LINKS, is_due
from blogcrawl.crawling.second_look import ask_for_the_rest
from blogcrawl.crawling.session import Session
from blogcrawl.crawling.sources import (
    FeedVisit,
    Memory,
    by_role,
    is_wordpress,
    visit_comment_feed,
    visit_feed,
    visit_next_page,
    visit_sitemap,
    visit_wordpress,
)
from blogcrawl.discovery.knowledge import COMMENT_FEED, SiteKnowledge, UnreadSource, entry_from_json
from blogcrawl.dom.links import page_links
from blogcrawl.extraction.model import BlogModel, extract_post
from blogcrawl.frontier.unread import MIN_CHANCE
from blogcrawl.packaging import records
from blogcrawl.storage.tables import BlogRow
from blogcrawl.urls.canonical import Scope, canonicalize, entry_key
from blogcrawl.urls.post_pattern import LIKELY
from blogcrawl.urls.trailing_slash import slash_form

VISITS = "visits_without_recheck"
"""Key in the session's memory: visits since one that looked further than the feed."""
NEW_IN = {"new in the feed": "feed", NEW_IN_API: "wp-json"}
"""Reasons for which a page is fetched as a promised post, and the source that promises it."""
PROBES, MIN_MISSED = 3, 2
"""Of so many posts of the feed, newest first, the rules must miss so many: one odd post is no new
template.
"""


class Update:
    """Compares a known blog's sources with the archive and fills the frontier with what changed; a
    blog that is not known yet, or whose feed is gone, is crawled as a new one.
    """

    def __init__(self, session: Session, reader: PageReader) -> None:
        self.session, self.revisits = session, reader.revisits
        self.second_look = reader.second_look
        self.bootstrap = Bootstrap(session, reader)
        self.frontier = session.frontier

    async def run(self) -> AsyncIterator[Any]:
        row = self.session.blog_row
        self.revisits.knows_archive = True
        if row is None or row.learned is None:
            async for found in self.bootstrap.run():  # no one crawled it yet: all of it is new
                yield found
            return
        self._open(row)
        if self._knows_too_little():
            async for found in self.bootstrap.run():
                yield found
            self._ask_again()
            return
        visit = await visit_feed(self.session, row, self.session.services.since)
        if self.session.knowledge is not None:
            self.session.knowledge.post_feed = (
                visit.feed
            )  # what the next poll of a cluster compares with
        if visit.gone:
            self._skip_archived()
            self.second_look.is_due = True
            self._keep_what_is_known(had_feed=by_role(row.feeds, "posts") is not None)
            async for found in self.bootstrap.run():  # the feed is no more what it was
                yield found
            self._ask_again()
            return
        changes = visit.changes
        if visit.feed is not None:  # its posts may have other addresses than those archived
            self.frontier.learn_pattern(entry.url for entry in visit.feed.entries)
        training_pages = await self._probe(visit.feed, changes) if visit.feed is not None else []
        await self._look_further(row, visit, changes)
        self.session.feeds = visit.memory
        self.session.count("posts_found", len(changes.fetch))
        self._fill(changes)
        for training_page in training_pages:
            self.frontier.take(training_page.entry.url)
        for item in self.bootstrap.training_page_items(training_pages):
            yield item
        self.session.doing("fetching what changed")

    # what was known

    def _open(self, row: BlogRow) -> None:
        """Take up the blog where the last crawl left it."""
        session = self.session
        assert row.learned is not None
        session.use(BlogModel.from_json(row.learned))
        session.use_corrections()
        session.blog = records.blog_from_json(row.record) if row.record else Blog(url=row.url)
        session.knowledge = SiteKnowledge(blog=session.blog)
        config = session.services.config
        scope = Scope.around(session.services.start_url, row.url, config.include, config.exclude)
        urls = archived_urls(session)
        scope.widen(urls)
        self.frontier.enter(scope)
        self.frontier.learn_pattern(urls)

    def _knows_too_little(self) -> bool:
        """Return whether nothing could be said of the completeness, and pages that could not be
        read then may say more now: the blog is looked at as a new one."""
        waiting = self.session.memory.get("missing", {}).values()
        is_hidden = bool(self.session.memory.get("hidden"))
        return is_hidden and any(is_due(about["times"]) for about in waiting)

    def _ask_again(self) -> None:
        """Request the posts that the last crawls missed, besides what the blog shows now: lists
        are found again, posts perhaps not."""
        changes = Changes()
        self._ask_for_missing({}, changes, MIN_CHANCE)
        self._fill(changes)

    def _skip_archived(self) -> None:
        """Take the archived posts for read: a blog without a feed costs its lists."""
        self.session.skips_archived = True
        state = self.session.services.state
        for post in state.posts(self.session.blog_id):
            if post.comments_incomplete is None and post.aip_id is not None:
                self.frontier.done(moves.last_place(self.session, post.url), 0.0, True)

    def _keep_what_is_known(self, *, had_feed: bool) -> None:
        """Learn the rules anew and ask at usual addresses, where nothing was before, at one visit
        in ten, or where the blog has lost its feed: else a visit would cost more than its lists."""
        if self._is_tenth() or had_feed:
            self.session.memory.pop(ABSENT, None)
            return
        self.session.absent = frozenset(self.session.memory.get(ABSENT, ()))
        self.bootstrap.read_by_known_rules = self._newest

    async def _newest(self, home: Page) -> list[learning.TrainingPage] | None:
        """Return the page of the first post of the start page that the archive lacks, if there is
        one; None where the known rules miss it, or the page shows no post that is known."""
        keys = [canonicalize(link.url) for link in page_links(home)]
        if not any(row_of(self.session, key) is not None for key in keys):
            return None
        new = (
            FeedEntry(url=link.url, source=learning.GUESS)
            for key, link in zip(keys, page_links(home), strict=True)
            if self._is_new_post(key)
        )
        training_pages = await self._training_pages(list(islice(new, 1)))
        self.session.reads_for_news = not self._are_missed(training_pages, 1)
        return training_pages if self.session.reads_for_news else None

    def _is_new_post(self, key: str) -> bool:
        scope = self.frontier.scope
        is_here = scope is not None and scope.contains(key) and self.frontier.is_likely(key)
        return is_here and row_of(self.session, key) is None

    async def _probe(self, feed: Feed, changes: Changes) -> list[learning.TrainingPage]:
        """Read the newest of the new posts before all others: where the rules miss it, more of the
        feed is looked at, and if they miss that too, the blog has a new template. Returns the new
        posts whose pages were read for it."""
        new = [entry for entry in feed.entries if _is_new(entry, changes)]
        training_pages = await self._training_pages(new[:1])
        if self._are_missed(training_pages, 1):
            training_pages += await self._training_pages(
                [e for e in feed.entries if e not in new[:1]][: PROBES - 1]
            )
            if self._are_missed(training_pages, MIN_MISSED):
                training_pages = await self._relearn(feed, training_pages)
        urls = {entry_key(entry.url) for entry in new}
        for training_page in training_pages:
            self.session.missed.pop(training_page.key, None)
        return [training_page for training_page in training_pages if training_page.key in urls]

    async def _training_pages(self, entries: list[FeedEntry]) -> list[learning.TrainingPage]:
        """Return the entries' pages, or the posts' own parts of them; a page that should have the
        part and has not stays whole.
        """
        training_pages = await learning.fetch_training_pages(
            self.session, entries, self.session.missed
        )
        shape = self.session.model.parts if self.session.model is not None else None
        if shape is None:
            return training_pages
        parts = {
            training_page.key: training_page
            for training_page in learning.divided(training_pages, shape)
        }
        return [parts.get(training_page.key, training_page) for training_page in training_pages]

    def _are_missed(self, training_pages: list[learning.TrainingPage], limit: int) -> bool:
        """Return whether the rules miss so many of the posts, or have to be relearned anyhow."""
        model = self.session.learned
        return model.needs_relearning or sum(not self._fits(one) for one in training_pages) >= limit

    def _fits(self, training_page: learning.TrainingPage) -> bool:
        """Return whether the rules read a page; of one that is too costly nothing is known."""
        model, page = self.session.model, training_page.page
        if model is None:
            return True
        try:
            with self.session.services.limits.account.page(page):
                verdict = extract_post(page, model, None, True)
                return model.fits(page, verdict, training_page.entry) is not False
        except TooCostlyError:
            return True

    async def _relearn(
        self, feed: Feed, have: list[learning.TrainingPage]
    ) -> list[learning.TrainingPage]:
        """Return the rules miss what they used to find: learn anew from what the feed shows, and
        keep the old ones on record.
        """
        session, knowledge = self.session, self.session.known
        session.doing("the rules miss too much: learning again")
        knowledge.post_feed = feed
        knowledge.entries = {entry_key(e.url): e for e in feed.entries}
        wanted = learning.training_entries(
            knowledge, Scope(session.blog.url), session.services.config.learn_entries
        )
        known = {training_page.key for training_page in have}
        wanted = [entry for entry in wanted if entry_key(entry.url) not in known]
        training_pages = [
            *have,
            *await learning.fetch_training_pages(session, wanted, self.session.missed),
        ]
        if len(training_pages) < learning.MIN_TRAINING_PAGES:
            return training_pages
        shelve(session)
        training_pages, shape = learning.parts_within(
            session, training_pages, knowledge, session.blog.url
        )
        old = session.learned
        new = session.use(learning.learn_within(session, training_pages, knowledge, None))
        new.parts = shape
        new.inherit(old)
        self.session.missed.clear()
        return training_pages

    async def _walk_back(self, visit: FeedVisit, changes: Changes) -> None:
        """Add the posts between the last visit and the oldest of a feed that shows no known one."""
        if visit.feed is None or not visit.feed.entries:
            return
        self.session.doing("the feed shows no known post: walking back")
        reason = Reason(why="between the last visit and the feed's oldest entry")
        score = self.frontier.pattern.score
        async for url, entry in history.walk(self.session, visit.feed, score):
            changes.add(url, reason, entry)

    async def _look_further(self, row: BlogRow, visit: FeedVisit, changes: Changes) -> None:
        """Read the sources besides the feed: its history if it overran, the sitemap, comments,
        posts that vanished.
        """
        session = self.session
        overran = visit.feed is not None and not changes.met_known
        listed = await self._listed(row, visit, overran)
        changes.update(listed)
        is_named = any(reason.why == NEW_IN_API for _, reason in listed.fetch.values())
        if overran and not is_named:
            await self._walk_back(visit, changes)
        commented, are_comments_named = await visit_comment_feed(session, row, visit.memory)
        for url in commented:
            changes.add(url, Reason(why="new comments", force=True))
        for post in visit.vanished:
            reason = Reason(why="no longer in the feed", is_unlisted=True)
            changes.add(moves.address_of(session, post.url), reason)
        self._ask_for_missing(_by_key(visit.feed), changes)
        self._ask_for_corrected(changes)
        await self._ask_for_sources(changes)
        is_edit_named = by_role(row.feeds, "wp-json") is not None or _shows_edits(visit.memory)
        is_all_named = is_edit_named and are_comments_named
        ask_for_the_rest(session, changes, is_late_named=is_all_named)
        if not is_all_named:
            self._ask_for_old(changes)

    async def _listed(self, row: BlogRow, visit: FeedVisit, overran: bool) -> Changes:
        """Ask what the feed does not show: edits, deletions, posts that it lacks.

        WordPress's feed is modified with the last edit of any post, so where it is not, nothing
        else need be asked; where it is, the REST interface names what was edited. One visit in ten
        reads the sitemap all the same, or asks for an archived page where nothing names edits.
        """
        session, is_tenth = self.session, self._is_tenth()
        if visit.feed is None and is_wordpress(session) and not is_tenth:
            return Changes()
        edited = await visit_wordpress(session, row, visit.memory)
        if edited is not None and not is_tenth:
            return edited
        score = self.frontier.pattern.score
        listed = await visit_sitemap(session, row, visit.memory, score, overran, whole=is_tenth)
        if edited is not None:
            listed.update(edited)
        elif is_tenth and not _shows_edits(visit.memory):
            rows = session.services.state.posts(session.blog_id)
            for key in to_recheck(rows, session.services.started):
                reason = Reason(why="not looked at for long")
                listed.add(moves.address_of(session, key), reason)
            listed.update(await visit_next_page(session, row))
        return listed

    def _is_tenth(self) -> bool:
        """Count the visits; True for one in ten."""
        visits = int(self.session.memory.get(VISITS, 0)) + 1
        self.session.memory[VISITS] = visits % VISITS_PER_RECHECK
        return visits == VISITS_PER_RECHECK

    def _ask_for_old(self, changes: Changes) -> None:
        """Request some of the posts that no visit has seen for a year."""
        session = self.session
        before = session.services.started - LAST
        for post in session.services.state.posts_not_seen(session.blog_id, before, MAX_UNLISTED):
            reason = Reason(why="not looked at for a year")
            changes.add(moves.address_of(session, post.url), reason)

    def _ask_for_missing(
        self, entries: Mapping[str, FeedEntry], changes: Changes, least: float = 0.0
    ) -> None:
        """Request what the last crawls missed (a failing site, time-outs, a barrier); ``entries``:
        what the feed says, by canonical URL; ``least``: chance of a page to be a post."""
        knowledge = self.session.known
        waiting = self.session.memory.get("missing", {})
        slash = bool(waiting) and self._addresses_end_in_slash()
        for key, about in waiting.items():
            again = about["sources"] == list(ARCHIVE)
            if _is_unlikely(about, least) or (not again and row_of(self.session, key) is not None):
                continue
            if not again and _is_promised(about):
                knowledge.promised.setdefault(key, set(about["sources"]))
            if not is_due(about["times"]):
                self.session.missed[key] = about["reason"]
                continue
            entry = entries.get(key) or _remembered_entry(about)
            address = entry.url if entry is not None else _address(key, about, slash)
            changes.add(
                address, Reason(why="could not be read by the last crawl", force=again), entry
            )
            self.revisits.recovering.add(key)

    def _ask_for_corrected(self, changes: Changes) -> None:
        """Request pages that were rejected and that the operator calls posts."""
        said = self.session.corrections.is_post
        rejected = self.session.memory.get("rejected", ())
        pages = [page["url"] for page in rejected if said(page["url"])]
        slash = bool(pages) and self._addresses_end_in_slash()
        for key in pages:
            changes.add(_address(key, {}, slash), Reason(why="the operator calls it a post"))

    def _addresses_end_in_slash(self) -> bool:
        """Return whether the URL of an archived post, as of all others then, ends in a slash."""
        archived = next(iter(self.session.services.state.posts(self.session.blog_id)), None)
        return archived is not None and moves.address_of(self.session, archived.url).endswith("/")

    async def _ask_for_sources(self, changes: Changes) -> None:
        """Sitemaps, older pages of the feed and the like that the last crawls could not read."""
        session, scope = self.session, self.frontier.scope
        knowledge = session.known
        assert scope is not None
        waiting = session.memory.get("missing", {})
        known = _unread_sources(waiting, failed_now=set(knowledge.unread_sources))
        due = [source for key, source in known.items() if is_due(waiting[key]["times"])]
        knowledge.unread_sources |= {
            key: source for key, source in known.items() if source not in due
        }
        if not due:
            return
        unarchived, modified = await ask_unread_again(session, due, scope)
        # their edits are older than the last crawl, so that the index names these sitemaps no more
        # as modified
        for url, reason in from_sitemap(
            modified, lambda key: row_of(session, key), lambda _: False
        ).fetch.values():
            changes.add(url, reason)
        for url in unarchived:
            if row_of(session, entry_key(url)) is None:
                self._add_listed(url, knowledge, changes)

    def _add_listed(self, url: str, knowledge: SiteKnowledge, changes: Changes) -> None:
        """Add an unknown page of a list that was read late: a post, or a page that the frontier
        decides about.
        """
        key = entry_key(url)
        if key in knowledge.promised or self.frontier.pattern.score(key) >= LIKELY:
            reason = Reason(why="in a list that could not be read before")
            changes.add(url, reason, knowledge.entries.get(key))
        else:
            self.frontier.push(url, "page", depth=1, belief=knowledge.candidates[key][1])

    def _fill(self, changes: Changes) -> None:
        knowledge = self.session.known
        for key, (url, reason) in changes.fetch.items():
            self.revisits.reasons[key] = reason
            if key in changes.entries:
                knowledge.entries[key] = changes.entries[key]
            if reason.why in NEW_IN:
                knowledge.promised[key] = {NEW_IN[reason.why]}
            self.frontier.ask_again(url)


def _shows_edits(memory: Memory) -> bool:
    """Return whether a sitemap of the blog has dates of modification."""
    found = by_role(memory, "sitemap")
    if found is None:
        return False
    children = found[1].get("children", {}).values()
    return bool(found[1].get("dated")) or any(child.get("dated") for child in children)


def _by_key(feed: Feed | None) -> dict[str, FeedEntry]:
    return {entry_key(entry.url): entry for entry in feed.entries} if feed is not None else {}


def _address(key: str, about: Mapping[str, Any], slash: bool) -> str:
    """Return where a page that could not be read is asked for again, without an entry that names
    it.
    """
    return about.get("address") or slash_form(key, slash)


def _is_new(entry: FeedEntry, changes: Changes) -> bool:
    key = entry_key(entry.url)
    if key not in changes.fetch or key not in changes.entries:
        return False
    return changes.fetch[key][1].why == "new in the feed"


def _is_promised(about: Mapping[str, Any]) -> bool:
    """Return whether more than links indicates that this page, which could not be read, is a
    post."""
    return about["sources"] != list(LINKS) and about.get("chance", 1.0) >= MIN_CHANCE


def _is_unlikely(about: Mapping[str, Any], least: float) -> bool:
    """Return whether what was missed is a document of the site, or hardly a post."""
    return bool(about.get("document")) or about.get("chance", 1.0) < least


def _remembered_entry(about: Mapping[str, Any]) -> FeedEntry | None:
    return entry_from_json(about["entry"]) if about.get("entry") else None


def _unread_sources(
    waiting: Mapping[str, Mapping[str, Any]], failed_now: set[str]
) -> dict[str, UnreadSource]:
    """Return the sources that the last crawls could not read and this one has not asked yet."""
    remembered = {
        key: UnreadSource(**about["source"])
        for key, about in waiting.items()
        if about.get("source")
    }
    return {
        key: source
        for key, source in remembered.items()
        if key not in failed_now and source.kind != COMMENT_FEED
    }
