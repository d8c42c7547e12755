"""Pages of an update crawl: conditional requests, posts that are as they were or gone, links that
an update follows, and what it fetched without result.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from datetime import UTC, datetime

from scrapy import Request

from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.core.evidence import SEVERAL
from blogcrawl.core.page import Page
from blogcrawl.crawling import moved_posts as moves
from blogcrawl.crawling.changes import Reason
from blogcrawl.crawling.control import CrawlControl
from blogcrawl.crawling.known_posts import gone_item, shows
from blogcrawl.crawling.moved_posts import address_of, archived_post, row_of
from blogcrawl.crawling.page_facts import is_html
from blogcrawl.crawling.pipelines.base import ExtractedPost
from blogcrawl.crawling.session import Session
from blogcrawl.dom.links import Link
from blogcrawl.storage.outage import PASSING
from blogcrawl.storage.tables import PostRow
from blogcrawl.urls.canonical import canonicalize, entry_key
from blogcrawl.urls.post_pattern import LIKELY


class Revisits:
    """Compares pages with what the archive has of them; in a crawl of a new blog it is idle."""

    def __init__(self, session: Session, control: CrawlControl) -> None:
        self.session, self.control = session, control
        self.knows_archive = False
        """Is the blog of an update crawl archived already?"""
        self.reasons: dict[str, Reason] = {}
        """Why pages are fetched, by canonical URL."""
        self.gone: dict[str, tuple[str, Page, bool]] = {}
        """Archived posts that are not where they were, by canonical URL: address, response, and
        whether it is a page of the frontier. They may turn up elsewhere until all is read."""
        self._is_void: bool | None = None
        self.recovering: set[str] = set()
        """Pages that the last crawl could not read, and those that they lead to: canonical URLs."""

    @property
    def is_update(self) -> bool:
        """Does the crawl look for changes only?"""
        return self.session.feeds is not None

    def add_validators(self, request: Request, url: str) -> None:
        """Make the request conditional where the page is archived: its validators go back byte for
        byte.
        """
        if not self.knows_archive:
            return
        key = canonicalize(url)
        try:
            row = row_of(self.session, key)
        except PASSING as error:  # it will wait for the storage, and come back whole
            self.session.services.gate.report(error)
            return
        if row is None:
            return
        if row.comments_feed_url and self.session.knowledge is not None:
            self.session.knowledge.comment_feeds.setdefault(row.url, row.comments_feed_url)
        reason = self.reasons.get(key)
        if reason is None or reason.force:
            return
        if row.etag:
            request.headers["If-None-Match"] = row.etag
        if row.last_modified:
            request.headers["If-Modified-Since"] = row.last_modified

    def is_settled(self, page: Page, url: str) -> bool:
        """Return whether a page need not be read: it is as it was, or gone."""
        if not self.is_update:
            return False
        session, key = self.session, canonicalize(url)
        if page.status == 304:
            if entry_key(page.url) != key and row_of(session, entry_key(page.url)) is None:
                moves.note(session, entry_key(page.url), key)
            self.unchanged(key)
            session.count_post("unchanged")
            self.end(url)
            return True
        if self.is_gone(key, page):
            self.gone[key] = (url, page, True)
        return key in self.gone

    def _is_unlisted(self, key: str) -> bool:
        """Return whether the post was asked for because a list lacks it."""
        reason = self.reasons.get(key)
        return reason is not None and reason.is_unlisted

    def is_gone(self, key: str, page: Page) -> bool:
        """Return whether a page shows that an archived post is not where it was. Where a list lacks
        the post, another page in its place, or the start page, shows this too."""
        row = row_of(self.session, key)
        if row is None or row.aip_id is None:
            return False
        if page.status in {404, 410}:
            return True
        if not self._is_unlisted(key) or page.status != 200 or not is_html(page):
            return False
        if self.session.is_home(page.url) and canonicalize(page.url) != key:
            return True
        post = archived_post(self.session, row.url)
        return post is not None and not shows(page, post)

    def shows_archived(self, url: str, page: Page) -> bool:
        """Return whether a page that the rules take for no post shows the one that is archived: the
        blog has a new template, which is learned when it has a new post."""
        row = row_of(self.session, canonicalize(url)) if self.is_update else None
        if row is None or row.aip_id is None or page.whole is not None:
            return False
        post = archived_post(self.session, row.url)
        return post is not None and shows(page, post)

    async def settle(self) -> AsyncIterator[ExtractedPost]:
        """Yield what marks posts as gone that did not turn up elsewhere in this crawl."""
        while self.gone:
            key = next(iter(self.gone))
            item = await self._gone_item(key)
            url, _, is_pending = self.gone.pop(key)
            if item is not None:
                yield item
            elif is_pending:
                self.end(url)

    async def _gone_item(self, key: str) -> ExtractedPost | None:
        """Return what marks a post as gone; None for one that is so already, or is elsewhere."""
        session, (url, page, _) = self.session, self.gone[key]
        row = row_of(session, key)
        if row is None or (row.last_seen and row.last_seen >= session.services.started):
            return None
        reason = self.reasons.get(key)
        is_listless = reason is None or not reason.is_unlisted
        if row.status != "gone" and not (is_listless and await self._are_addresses_void()):
            return gone_item(session, key, url, page)
        now = datetime.now(UTC)
        seen = replace(row, last_seen=now) if row.status == "gone" else later(row, now)
        session.services.state.save_post(seen, fence=session.fence)
        return None

    async def _are_addresses_void(self) -> bool:
        """Return whether no post is where it was seen last: then the blog has other addresses now,
        or its server an accident, and that a page is not there says nothing of its post. Asked
        once, of those that no one has looked at in this crawl."""
        if self._is_void is None:
            rows = self.session.services.state.posts(self.session.blog_id)
            others = [row.url for row in rows if self._is_unseen(row)][-SEVERAL:]
            self._is_void = bool(others)
            for key in others:
                self._is_void = self._is_void and await self._is_void_at(key)
        return self._is_void

    async def _is_void_at(self, key: str) -> bool:
        """Return whether no page is where a post was, as far as the host answers."""
        try:
            page = await self.session.fetch(address_of(self.session, key), kind="post")
        except PASSING:
            raise
        except BlogcrawlError:
            return True
        return page.status in {404, 410}

    def _is_unseen(self, row: PostRow) -> bool:
        """Return whether an archived post was not looked at in this crawl."""
        is_new = row.last_seen is None or row.last_seen >= self.session.services.started
        return (
            row.status != "gone"
            and row.aip_id is not None
            and not is_new
            and (row.url not in self.gone)
        )

    def end(self, url: str) -> None:
        """End a page that has no news."""
        self.session.frontier.done(url, 0, None)
        self.control.after_page()

    def unchanged(self, key: str) -> None:
        """Note that the post was seen as it was, and when to look for late comments the next
        time."""
        session, now = self.session, datetime.now(UTC)
        row = row_of(session, key)
        if row is not None:
            seen = replace(later(row, now), last_seen=now)
            session.services.state.save_post(seen, fence=session.fence)

    def to_follow(self, url: str, links: Iterable[Link]) -> list[Link]:
        """Return the links of an update's page that are followed.

        An update goes where the changes are, not where links lead; but what a page that could not
        be read leads to, the last crawl could not find: posts that are not archived, and the next
        page of a list."""
        if canonicalize(url) not in self.recovering:
            return []
        found = [link for link in links if self.session.in_scope(link.url) and self._is_news(link)]
        self.recovering.update(canonicalize(link.url) for link in found)
        return found

    def _is_news(self, link: Link) -> bool:
        """Return whether the link leads to a possibly unknown post, or to more of a list."""
        from blogcrawl.discovery.archives import hub_kind

        key = canonicalize(link.url)
        if row_of(self.session, key) is not None or key in self.session.redirected:
            return False
        return self.session.frontier.pattern.score(key) >= LIKELY or hub_kind(link) == "next"

    def explained(self, url: str, reason: str) -> str:
        """Return why a page gives no post, with why an update fetched it, or that it is archived
        where the archive itself is read again."""
        key = canonicalize(url)
        if self.session.captures is not None and row_of(self.session, key) is not None:
            return f"{reason} (archived before)"
        why = self.reasons.get(key) if self.is_update else None
        return reason if why is None else f"{reason} (fetched because: {why.why})"


def later(row: PostRow, now: datetime) -> PostRow:
    """Return the row of a post that was looked at in vain, with when to look for late comments the
    next time, if at all."""
    from blogcrawl.comments.late import check_again

    if row.next_comment_check is None:
        return row
    due = check_again(row.published or row.first_seen, row.last_seen, now)
    return replace(row, next_comment_check=due)
