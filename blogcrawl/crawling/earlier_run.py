"""Pages that a crawl had read before it was broken off, out of its evidence: what is learned when
all pages are in is learned of these too, and reads them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.core.page import Page
from blogcrawl.crawling.fetch import page_of
from blogcrawl.crawling.handlers.replay import as_response
from blogcrawl.crawling.known_posts import entry_of
from blogcrawl.crawling.learning import MIN_CHANCE
from blogcrawl.crawling.middlewares.retry import LenientCompressionMiddleware
from blogcrawl.crawling.moved_posts import address_of
from blogcrawl.crawling.page_facts import is_html
from blogcrawl.crawling.pipelines.base import PostPage
from blogcrawl.crawling.session import Session
from blogcrawl.storage.outage import PASSING
from blogcrawl.storage.web_archive import Captured, WebArchive
from blogcrawl.urls.canonical import canonicalize


async def earlier_pages(session: Session) -> AsyncIterator[PostPage]:
    """Yield the posts that runs before this one have archived (``is_again``), and pages that seemed
    to be none and may be some. None where the evidence can't be read, which is noted."""
    services, row = session.services, session.blog_row
    wanted = [*_archived(session), *_refused(session)] if session.is_resumed else []
    if row is None or not wanted:
        return
    with WebArchive() as captures:
        try:
            captures.add_evidence(services.store, row, services.folder / "evidence")
        except PASSING:
            raise
        except BlogcrawlError as error:
            session.known.note(f"what was read before the break can't be read again: {error}")
            return
        for url, is_archived in wanted:
            page = await _page(session, captures, url)
            if page is None:
                continue
            key = canonicalize(url)
            item = PostPage(
                page=page, entry=entry_of(session, key, page), promised=session.is_promised(key)
            )
            yield replace(item, **({"is_again": True} if is_archived else {"frontier_url": url}))


def _archived(session: Session) -> Iterator[tuple[str, bool]]:
    services = session.services
    for row in services.state.posts(session.blog_id):
        is_earlier = row.last_seen is not None and row.last_seen < services.started
        if is_earlier and row.aip_id is not None and "#" not in row.url:
            yield address_of(session, row.url), True


def _refused(session: Session) -> Iterator[tuple[str, bool]]:
    for page in session.frontier.rejected():
        if page.probability >= MIN_CHANCE:
            yield page.url, False


def _unpacked(session: Session, found: Captured) -> Response | None:
    """Return an answer as the crawl has read it, not as it was sent; None where it is too large."""
    request = Request(found.url)
    middleware = LenientCompressionMiddleware(crawler=session.services.crawler)
    try:
        response = middleware.process_response(request, as_response(found))
    except IgnoreRequest:
        return None
    return response.replace(request=request) if isinstance(response, Response) else None


async def _page(session: Session, captures: WebArchive, url: str) -> Page | None:
    """Return the page as it was read; None where it cannot be had, and where a browser drew it."""
    found = await captures.find(url)
    if found is None or await captures.rendered(url) is not None:
        return None
    response = _unpacked(session, found)
    if response is None:
        return None
    page = replace(page_of(response), url=url, fetched_at=found.date)
    return page if page.status < 300 and is_html(page) else None
