"""Reading what the frontier hands out: requests, responses, and the links and posts of a page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.http import Response

from blogcrawl.core.errors import (
    BlogcrawlError,
    StorageError,
    TooCostlyError,
    UnreachableError,
)
from blogcrawl.core.page import Page
from blogcrawl.crawling.broken_pagers import BrokenPagers
from blogcrawl.crawling.candidate_sources import CandidateSources
from blogcrawl.crawling.control import CrawlControl
from blogcrawl.crawling.discover import save_knowledge
from blogcrawl.crawling.exceptions import ReadBefore, RobotsTrouble, Stopping
from blogcrawl.crawling.fetch import as_error, page_of
from blogcrawl.crawling.known_posts import entry_of
from blogcrawl.crawling.last_look import LastLook
from blogcrawl.crawling.multi_post import PartReader
from blogcrawl.crawling.page_aliases import PageAliases
from blogcrawl.crawling.page_facts import NO_PLACE, declared_canonical, failure, is_html
from blogcrawl.crawling.page_outcomes import PageOutcomes
from blogcrawl.crawling.pipelines.base import ExtractedPost, PostPage, reason_of
from blogcrawl.crawling.revisits import Revisits
from blogcrawl.crawling.second_look import SecondLook
from blogcrawl.crawling.session import (
    ALBUMS,
    AMONG_POSTS,
    OLDER_ELSEWHERE,
    OLDER_PATHS,
    Session,
)
from blogcrawl.crawling.unlinked_captures import UnlinkedCaptures
from blogcrawl.dom.links import Link, page_links
from blogcrawl.frontier.frontier import Pending
from blogcrawl.storage.files import disk_errors
from blogcrawl.storage.outage import PASSING
from blogcrawl.urls.canonical import canonicalize
from blogcrawl.urls.post_pattern import LIKELY, is_list_address

if TYPE_CHECKING:
    from blogcrawl.extraction.pages.listing import Places

NOT_THERE = frozenset({404, 410})
OUTSIDE = "the start page, or a page outside of the blog"


class PageReader:
    """Makes the requests of the frontier's pages and reads their responses."""

    def __init__(self, session: Session, control: CrawlControl) -> None:
        self.session, self.control = session, control
        self.parts = PartReader(session)
        self.aliases = PageAliases(session, control)
        self.candidates = CandidateSources(session, control)
        self.broken_pagers = BrokenPagers(session, control)
        self.last_look = LastLook(session, control)
        self.unlinked_captures = UnlinkedCaptures(session, control)
        self.revisits = Revisits(session, control)
        self.second_look = SecondLook(session, control, self.revisits)
        self.outcomes = PageOutcomes(session, control, self.parts, self.candidates, self.revisits)

    # requests

    def request(self, pending: Pending) -> Request:
        """Return the request of a page that the frontier hands out, in the form that its site
        answers to.
        """
        request = self._request(self.session.slashes.form(pending.url))
        self.revisits.add_validators(request, pending.url)
        return request

    def _request(self, url: str) -> Request:
        return Request(
            url,
            callback=self.parse,
            errback=self.on_error,
            dont_filter=True,
            meta={"blogcrawl_kind": "page"},
        )

    def _as_written(self, response: Response) -> Request | None:
        """Return the request of the page as links write it, where it was requested in another form
        and was not there.
        """
        assert response.request is not None
        habit, about = self.session.slashes, response.meta["frontier"]
        asked = (response.meta.get("redirect_urls") or [response.request.url])[0]
        if response.status < 300:
            habit.observe(asked, response.url)
            if about.get("as_written"):
                habit.erred(asked)
        missed = response.status in NOT_THERE and asked == habit.form(about["url"]) != about["url"]
        if not missed or not habit.missed(about["url"], likely=self._is_likely(about["url"])):
            return None
        request = self._request(about["url"])
        request.meta["frontier"] = {**about, "as_written": True}
        return request

    def _is_likely(self, url: str) -> bool:
        """Did a source list the page, or is its address like a post's?"""
        key = canonicalize(url)
        return self.session.is_promised(key) or self.session.frontier.pattern.score(key) >= LIKELY

    # responses

    async def parse(self, response: Response) -> AsyncIterator[PostPage | ExtractedPost | Request]:
        """Yield the posts of a response."""
        url = response.meta["frontier"]["url"]
        request = self._as_written(response)
        if request is not None:
            yield request
            return
        try:
            items = await self._items(response, url)
        except Stopping:
            self.session.frontier.requeue(url)
            return
        except PASSING as error:
            self.control.storage_is_away(error)
            self.session.frontier.requeue(url)
            return
        except BlogcrawlError as error:
            self._failed(url, error)
            return
        except Exception as error:
            self.outcomes.miss(url, self.session.note_unforeseen("reading", url, error))
            return
        for item in items:
            yield item

    async def _items(self, response: Response, url: str) -> list[PostPage | ExtractedPost]:
        from blogcrawl.crawling.pipelines.render import drawn_shell

        session, about = self.session, response.meta["frontier"]
        depth = int(about.get("depth", 0))
        if session.model is not None:
            session.model.note_anchor(url, about.get("anchor", ""))
        page = await self._as_declared(await session.vetted(page_of(response)), url, depth)
        page = await session.vetted(
            await drawn_shell(session.services.crawler, page, is_list=not self._is_likely(url))
        )
        try:
            session.services.limits.account.check(page)
        except TooCostlyError:
            self.follow(page, depth, url)
            raise
        with disk_errors(str(session.services.folder)):
            return await session.services.gate.run(lambda: list(self.read(page, url, depth)))

    async def _as_declared(self, page: Page, url: str, depth: int) -> Page:
        """Return the page under the address that it declares; of a list, whose further pages may
        declare the first, what was asked for."""
        is_page = page.status < 300 and is_html(page)
        named = declared_canonical(page) if is_page else None
        if named is None or (is_list_address(url) and not self._is_likely(url)):
            return page
        other = await self.aliases.as_declared(page, named, url)
        if canonicalize(other.url) != canonicalize(page.url):
            self.follow(page, depth, url)  # its sidebar may differ
        return other

    def _failed(self, url: str, error: BlogcrawlError) -> None:
        if self.control.abort_if_fatal(error):
            self.session.frontier.requeue(url)
        else:
            self.outcomes.miss(url, reason_of(error), passing=isinstance(error, StorageError))

    async def on_error(self, failure: Any) -> None:
        """Note that the frontier's page could not be had."""
        url = failure.request.meta["frontier"]["url"]
        if isinstance(failure.value, ReadBefore):
            self.session.frontier.same(url, failure.value.url)
            self.aliases.fold(url, failure.value.url)
            return
        if self._leads_away(url, failure.request.url):
            self.outcomes.not_a_post(url, OUTSIDE)
            return
        try:
            error = as_error(failure.value, url)
        except Stopping:
            self.session.frontier.requeue(url)
            return
        passing = isinstance(error, UnreachableError) or isinstance(failure.value, RobotsTrouble)
        self.outcomes.miss(url, error.message, passing=passing)

    def _leads_away(self, url: str, reached: str) -> bool:
        """Return whether a page that no source lists redirects to another site. Whether that one
        answers is no matter.
        """
        session = self.session
        return session.in_scope(url) and not (
            session.in_scope(reached) or session.is_promised(canonicalize(url))
        )

    # pages

    def read(self, page: Page, url: str, depth: int) -> Iterator[PostPage | ExtractedPost]:
        """Pass the links of ``page`` to the frontier; yield it where it may be a post."""
        if self.revisits.is_settled(page, url):
            return
        if not self.candidates.read(page, url) and self._is_page(page, url):
            other = self.aliases.other_name(page, url)
            if other != page.url:  # what was read before under its own address leads nowhere new
                self.follow(page, depth, url)
            if other is None:
                yield from self._posts(page, url)
            else:
                self.aliases.fold(url, other, len(page.body))

    def _is_page(self, page: Page, url: str) -> bool:
        """Return whether the response is an HTML page; note what else it is. What else it is, is
        noted.
        """
        failed = failure(page)
        if failed is not None and self._leads_away(url, page.url):
            self.outcomes.not_a_post(url, OUTSIDE, len(page.body))
            return False
        if failed is not None:
            self.outcomes.note_redirect(url, page)
            self.outcomes.miss(url, failed[0], passing=failed[1])
            return False
        self.session.missed.pop(canonicalize(url), None)
        if not is_html(page):
            self.outcomes.not_a_post(url, "no HTML page", len(page.body))
            return False
        return True

    def _posts(self, page: Page, url: str) -> Iterator[PostPage]:
        session, key = self.session, canonicalize(url)
        promised, in_scope = session.is_promised(key), session.in_scope(page.url)
        entry = entry_of(session, key, page) or entry_of(session, canonicalize(page.url), page)
        parts = self.parts.read(page, url) if in_scope else None
        if parts is not None:
            yield from parts
            if not parts:
                self._without_posts(page, url)
        elif promised or (in_scope and not session.is_home(page.url)):
            if session.model is not None:
                self._note_place(session.model.places, page, url)
            yield PostPage(page=page, entry=entry, promised=promised, frontier_url=url)
        else:
            self.outcomes.not_a_post(url, OUTSIDE, len(page.body))

    def _without_posts(self, page: Page, url: str) -> None:
        """Note that no post has its place on a page of a blog whose pages have several."""
        from blogcrawl.extraction.fields.byline import document_title

        chance = self.parts.chance_without(page, url)
        self.outcomes.not_a_post(url, NO_PLACE, len(page.body), chance, document_title(page))

    def _note_place(self, places: Places, page: Page, url: str) -> None:
        """Note whether the page is an album, and whether links to posts stand around those to
        it."""
        frontier = self.session.frontier
        album = places.note_album(page)
        if album is not None:
            frontier.keep(ALBUMS, album)
        if frontier.among_posts(url):
            places.among.add(canonicalize(page.url))
            frontier.keep(AMONG_POSTS, canonicalize(page.url))

    def follow(self, page: Page, depth: int, url: str = "") -> None:
        """Queue what the page links to; the frontier knows it as ``url``."""
        links = page_links(page)
        self.note_pages(page, url or page.url)
        self.second_look.note(page)
        self.promise_entries(page, links)
        if self.revisits.is_update:
            links = self.revisits.to_follow(url, links)
            if not links:
                return
        else:
            urls = self.parts.like_posts_pages([link.url for link in links])
            self.session.frontier.learn_pattern(urls)
        self.session.frontier.push_links(page.url, links, depth)

    def promise_entries(self, page: Page, links: Sequence[Link]) -> None:
        """Take what a list of posts shows with its day for a post, though its address is like that
        of another page."""
        session, knowledge = self.session, self.session.knowledge
        doubtful = session.frontier.doubtful(page.url, links)
        if knowledge is None or doubtful <= knowledge.promised.keys():
            return
        from blogcrawl.extraction.pages.listing import entries_with_day

        found = entries_with_day(
            page, doubtful - knowledge.promised.keys(), session.frontier.is_likely
        )
        for url in found:
            knowledge.promised[url] = {"list"}
            session.frontier.push(url, "post", parent=page.url)
        if found:
            save_knowledge(session.knowledge_path, knowledge)

    def note_pages(self, page: Page, url: str) -> None:
        """Note which page of a list this is, and how many it has, where that is stated; of a page
        that is no post, how many posts it states for other lists, and where its older ones are."""
        from blogcrawl.discovery.archives import older_links, stated_counts, stated_pages

        if not is_html(page):
            return
        stated = stated_pages(page)
        if stated is not None:
            self.session.frontier.note_pages(url, stated)
        if not self._is_likely(url):
            self.session.frontier.note_counts(stated_counts(page))
            self.session.frontier.note_older(url, older_links(page))
            self._note_older_elsewhere(page)

    def _note_older_elsewhere(self, page: Page) -> None:
        """Note where lists lead to their older posts, and by what else they lead to another host:
        the list may go on there, if others have the link to their older posts at this place."""
        from blogcrawl.discovery.archives import called_older

        frontier, (own, others) = self.session.frontier, called_older(page)
        for link in own:
            frontier.keep(OLDER_PATHS, link.tag_path)
        for link in others if not own else ():
            known = frontier.kept(OLDER_ELSEWHERE).get(link.tag_path, link.url)
            frontier.keep(OLDER_ELSEWHERE, link.tag_path, min(link.url, known))
