"""Pages of an update crawl: conditional requests, posts that are as they were or gone, links that
an update follows, and what it fetched without result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime

from scrapy import Request

from blogcrawl.core.page import Page
from blogcrawl.crawling import moved_posts as moves
from blogcrawl.crawling.changes import Reason
from blogcrawl.crawling.control import CrawlControl
from blogcrawl.crawling.known_posts import gone_item, shows
from blogcrawl.crawling.moved_posts import archived_post, row_of
from blogcrawl.crawling.page_facts import is_html
from blogcrawl.crawling.pipelines.base import ExtractedPost
from blogcrawl.crawling.session import Session
from blogcrawl.dom.links import Link
from blogcrawl.storage.outage import PASSING
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

    def is_gone(self, key: str, page: Page) -> bool:
        """Return whether a page shows that an archived post is not where it was. Where a list lacks
        the post, another page in its place, or the start page, shows this too."""
        row = row_of(self.session, key)
        if row is None or row.aip_id is None:
            return False
        if page.status in {404, 410}:
            return True
        reason = self.reasons.get(key)
        if reason is None or not reason.is_unlisted or page.status != 200 or not is_html(page):
            return False
        if self.session.is_home(page.url) and canonicalize(page.url) != key:
            return True
        post = archived_post(self.session, row.url)
        return post is not None and not shows(page, post)

    def settle(self) -> Iterator[ExtractedPost]:
        """Yield what marks posts as gone that did not turn up elsewhere in this crawl."""
        session, gone = self.session, self.gone
        while gone:
            key, (url, page, is_pending) = next(iter(gone.items()))
            row = row_of(session, key)
            has_moved = (
                row is not None and row.last_seen and row.last_seen >= session.services.started
            )
            item = None if has_moved else gone_item(session, key, url, page)
            del gone[key]
            if item is not None:
                yield item
                continue
            if row is not None and not has_moved:  # it was gone before
                seen = replace(row, last_seen=datetime.now(UTC))
                session.services.state.save_post(seen, fence=session.fence)
            if is_pending:
                self.end(url)

    def end(self, url: str) -> None:
        """End a page that has no news."""
        self.session.frontier.done(url, 0, None)
        self.control.after_page()

    def unchanged(self, key: str) -> None:
        """Note that the post was seen as it was, and when to look for late comments the next
        time."""
        from blogcrawl.comments.late import check_again

        session, now = self.session, datetime.now(UTC)
        row = row_of(session, key)
        if row is not None:
            due = check_again(row.published or row.first_seen, row.last_seen, now)
            session.services.state.save_post(
                replace(row, last_seen=now, next_comment_check=due), fence=session.fence
            )

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
