"""Stage 1: pages that need a browser get one; all others pass as they are."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http.request import NO_CALLBACK

from blogcrawl.comments.embedded import read_rendered
from blogcrawl.comments.page_reader import look
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from blogcrawl.crawling.handlers.browser import (
    CONTEXT,
    NoBrowserError,
    browser_handler,
    leave_fence,
    restart_browser,
)
from blogcrawl.crawling.pipelines.base import PostPage
from blogcrawl.crawling.pipelines.framesets import with_frames
from blogcrawl.crawling.pipelines.reachable import Scripts
from blogcrawl.crawling.pipelines.watch import watch
from blogcrawl.crawling.session import BY_SCRIPT, UNDRAWN, UNOPENED, Session, session_of
from blogcrawl.dom.links import page_links
from blogcrawl.packaging.http1 import Message
from blogcrawl.rendering.behaviours import Drawn, Limits, Traffic, perform
from blogcrawl.rendering.load_more import has_further_pages, is_sent_for_more, loads_more
from blogcrawl.rendering.need import (
    Gain,
    Need,
    RenderVerdict,
    decide,
    has_scripts,
    is_shell,
    lacking,
    observe,
    visible_length,
)
from blogcrawl.storage.web_archive import CaptureSource
from blogcrawl.urls.canonical import canonicalize

logger = logging.getLogger(__name__)

MEMORY = "rendering"
"""Key in the session's memory."""
PAGES_PER_CONTEXT = 40
"""A context is thrown away after so many pages: caches and leaks of pages go with it."""
CONTEXTS_PER_BROWSER = 6
"""The browser itself is started anew after so many contexts."""
FAILURES = 4
"""Renderings that fail in a row, with a fresh browser in between, after which the crawl goes on
without one.
"""
COLLATERAL = 3
"""Times that a page is begun anew because another tab's failure took the browser away."""

_ERROR_PAGE = "chrome-error:"
ONLY_IN_A_BROWSER = "shows older posts only in a browser, which was not used"
ONLY_BY_POST = "shows older posts only where a form is sent, which a crawl does not do"
ONLY_BY_CLICKS = "leads to older posts only by clicks, which end on another page"
STATIC_NOTE = "pages that need a browser are archived in their static form: "


class Renderer:
    """One crawl's way to the browser: decides, renders, falls back to the static page. Never raises
    for a page's sake.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        session = session_of(crawler)
        self.mode = session.services.config.render
        self.verdict = RenderVerdict.from_json(session.memory.get(MEMORY) or {})
        self.limits = Limits(seconds=session.services.config.render_seconds)
        self.tabs = asyncio.Semaphore(max(1, session.services.config.render_tabs))
        self.scripts = Scripts(session)
        self.off: str | None = None
        """Why no browser is to be had any more in this crawl."""
        self._failures = 0
        self._opened = self._since = 0
        """Pages so far, and when this browser was started."""
        self._browsers = 0
        self._restarting = asyncio.Lock()
        self._users: dict[str, int] = {}

    async def __call__(
        self, page: Page, entry: FeedEntry | None = None, *, is_list: bool = False
    ) -> Page:
        """Return ``page`` rendered if it needs a browser, else itself; ``is_list``: its links
        matter, to the list's end. A failed rendering sets ``render_error``.
        """
        session = session_of(self.crawler)
        page = await with_frames(session, page)
        if session.captures is not None:
            return await _recorded(session.captures, page)
        need = decide(page, entry, self.verdict, self.mode, is_list=is_list)
        gone = await self.scripts.gone(page, need)
        need = need.without(gone)
        if not need.render:
            self.verdict = observe(self.verdict, need, None)
            return page
        async with self.tabs:
            # Many pages wait for a tab: what those before them brought, or did not bring, counts by
            # now.
            need = decide(page, entry, self.verdict, self.mode, is_list=is_list).without(gone)
            rendered, error = await self._render(page, need) if need.render else (None, "")
            gain = _gain(page, rendered, entry, need) if rendered is not None else None
            self.verdict = observe(self.verdict, need, gain)
        if not need.render:
            return page
        session.memory[MEMORY] = self.verdict.to_json()
        if rendered is None:
            session.count("render_failed")
            if self.off and session.knowledge is not None:
                session.knowledge.note(f"{STATIC_NOTE}{self.off}")
            return replace(page, render_error=error)
        session.count("rendered")
        return rendered

    async def opened(self, page: Page, read: frozenset[str] = frozenset()) -> Page:
        """Return a list as a browser shows it at its end, though nothing on it asks for one; the
        page itself where that fails. ``read``: addresses that lead no further."""
        async with self.tabs:
            rendered, _ = await self._render(page, Need(True, ("more",), is_list=True, read=read))
        if rendered is not None:
            _note_unopened(session_of(self.crawler), self, rendered)
        return rendered or page

    async def _render(self, page: Page, need: Need) -> tuple[Page | None, str]:
        """Return the rendered page or the reason why it is missing; one retry with a fresh browser.

        A browser that was taken away for the sake of another tab says nothing of this page: it is
        tried again on its own account.
        """
        error, own = self.off or "", 0
        for _ in range(2 + COLLATERAL):
            if self.off:
                return None, self.off
            browser = self._browsers
            try:
                drawn, traffic = await self._draw(page, need)
            except NoBrowserError as missing:
                self._switch_off(str(missing))
                return None, str(missing)
            except IgnoreRequest as refused:
                return None, str(refused)
            # playwright fails in many ways (crash, hang, closed target): all mean "not rendered"
            except Exception as failure:
                error = " ".join(str(failure).split())[:300] or type(failure).__name__
                unstarted = "BrowserType.launch" in error
                if unstarted and await leave_fence(self.crawler):
                    continue
                own += await self._after_failure(browser, unstarted=unstarted)
                logger.info(
                    "rendering of %s failed (%s), %d times of its own", page.url, error, own
                )
                if own == 2:
                    break
                continue
            self._failures = 0
            return _as_page(page, drawn, traffic), ""
        return None, error

    async def _draw(self, page: Page, need: Need) -> tuple[Drawn, Traffic]:
        traffic = Traffic(last_change=time.monotonic())
        guard = session_of(self.crawler).services.guard
        context = await self._context()
        tab: Any = None
        request = Request(
            page.url,
            callback=NO_CALLBACK,
            dont_filter=True,
            meta={
                "playwright": True,
                "playwright_include_page": True,
                "playwright_context": context,
                "playwright_context_kwargs": CONTEXT,
                "playwright_page_goto_kwargs": {
                    "wait_until": "domcontentloaded",
                    "timeout": self.limits.seconds * 1000,
                },
                "playwright_page_init_callback": lambda tab, request: watch(
                    tab, guard, traffic, self.limits, page
                ),
                "download_timeout": self.limits.seconds + 30,
                "dont_retry": True,
                "blogcrawl_kind": "render",
            },
        )
        try:
            async with asyncio.timeout(self.limits.seconds + 20):
                await self.crawler.engine.download_async(request)
                tab = request.meta.get("playwright_page")
                if tab is None:
                    raise RuntimeError("the browser gave no page")
                systems = [
                    c.system for c in need.systems if c.needs_browser or "always" in need.reasons
                ]
                drawn = await perform(
                    tab, systems, traffic, self.limits, is_list=need.is_list, read=need.read
                )
                if traffic.crashed:
                    raise RuntimeError("the page crashed")
                if drawn.url.startswith(_ERROR_PAGE):
                    raise IgnoreRequest(
                        await self._why_failed(traffic)
                        or "the page went to one that can't be loaded"
                    )
                return drawn, traffic
        except Exception:  # playwright is not imported here: the browser is optional
            reason = await self._why_failed(traffic)
            if reason is None:
                raise
            raise IgnoreRequest(reason) from None
        finally:
            await self._leave(context, tab or request.meta.get("playwright_page"))

    async def _why_failed(self, traffic: Traffic) -> str | None:
        """Return why the proxy refused what the main document led to, or None if it did not."""
        if traffic.failed is None:
            return None
        handler = await browser_handler(self.crawler)
        reason: str | None = handler.blogcrawl_network.proxy.why_refused(traffic.failed)
        return reason

    async def _context(self) -> str:
        """Name of the context for the next page; from time to time, when the tabs have come to
        rest, a new browser.
        """
        async with self._restarting:
            if self._opened - self._since >= PAGES_PER_CONTEXT * CONTEXTS_PER_BROWSER:
                while any(self._users.values()):  # each is bounded by its own clock
                    await asyncio.sleep(0.05)
                await self._restart(await browser_handler(self.crawler))
            name = f"blogcrawl-{self._opened // PAGES_PER_CONTEXT}"
            self._opened += 1
            self._users[name] = self._users.get(name, 0) + 1
            return name

    async def _restart(self, handler: Any) -> None:
        self._opened = self._since = (
            self._opened // PAGES_PER_CONTEXT + 1
        ) * PAGES_PER_CONTEXT  # the next page gets a new context
        self._browsers += 1
        await restart_browser(handler)

    async def _leave(self, context: str, tab: Any) -> None:
        """Closes the tab, and its context where it was the last page of a full one."""
        if tab is not None:
            try:
                await asyncio.wait_for(tab.close(), 5)
            except (
                Exception
            ) as error:  # a dead tab can't be closed; its browser is restarted by _after_failure
                logger.debug("closing a tab: %s", error)
        self._users[context] -= 1
        if (
            self._users[context] == 0
            and context != f"blogcrawl-{self._opened // PAGES_PER_CONTEXT}"
        ):
            del self._users[context]
            try:
                handler = await browser_handler(self.crawler)
                wrapper = handler.context_wrappers.get(context)
                if wrapper is not None:
                    await asyncio.wait_for(wrapper.context.close(), 5)
            except Exception as error:  # as above
                logger.debug("closing a context: %s", error)

    async def _after_failure(self, browser: int, *, unstarted: bool) -> bool:
        """Return a fresh browser, unless ``browser``, in which the failure was, is gone already;
        whether it was the page's own failure.

        ``unstarted``: the browser did not even start; that is waited for twice, not four times.
        """
        async with self._restarting:
            if browser != self._browsers:
                return False
            try:
                handler = await browser_handler(self.crawler)
                self._failures += FAILURES // 2 if unstarted else 1
                if self._failures >= FAILURES:
                    self._switch_off(
                        f"the browser failed {FAILURES} times in a row, or did not start"
                    )
                await self._restart(handler)
            except NoBrowserError as error:
                self._switch_off(str(error))
            return True

    def _switch_off(self, reason: str) -> None:
        if self.off is None:
            self.off = reason
            session = session_of(self.crawler)
            logger.warning("%s%s", STATIC_NOTE, reason)
            session.count("render_off")


async def _recorded(captures: CaptureSource, page: Page) -> Page:
    """Return ``page`` as rendered when it was captured, if that is on record."""
    found = await captures.rendered(page.url)
    if found is None:
        return page
    body = Message(found.message).entity
    headers = {**page.headers, **_HTML}
    return replace(page, body=body, headers=headers, rendered=True, static=page)


def _as_page(page: Page, drawn: Drawn, traffic: Traffic) -> Page:
    frames, screens = (
        tuple(
            Page(url=url, body=html.encode("utf-8", "replace"), headers=_HTML, rendered=True)
            for url, html in documents
        )
        for documents in (drawn.frames, drawn.screens)
    )
    url = drawn.url if drawn.url.startswith(("http://", "https://")) else page.url
    return replace(
        page,
        url=url,
        body=drawn.html.encode("utf-8", "replace"),
        headers={**page.headers, **_HTML},
        rendered=True,
        boxes=drawn.boxes,
        screenshot=drawn.screenshot,
        frames=frames,
        screens=screens,
        static=page,
        console=tuple(traffic.console),
        render_error=None if drawn.complete else "a limit or a server in trouble ended it",
    )


_HTML = {"content-type": "text/html; charset=utf-8"}


def _gain(static: Page, rendered: Page, entry: FeedEntry | None, need: Need) -> Gain:
    """Return what the browser showed that the plain answer did not."""
    systems = tuple(c.system for c in need.systems if c.needs_browser)
    comments = sum(map(len, read_rendered(rendered, systems))) if systems else 0
    if "button" in need.reasons:
        comments += len(look(rendered).seen.comments) - len(look(static).seen.comments)
    kept = bool(entry) and bool(lacking(static, entry)) and not lacking(rendered, entry)  # type: ignore[arg-type]
    links = (
        {link.url for link in page_links(rendered)} - {link.url for link in page_links(static)}
        if need.is_list
        else ()
    )
    return Gain(visible_length(static), visible_length(rendered), comments, kept, len(links))


_renderers: WeakKeyDictionary[Crawler, Renderer] = WeakKeyDictionary()


def renderer_of(crawler: Crawler) -> Renderer:
    """Return the crawl's one renderer: the stage and the spider (for pages it learns from) share
    verdict, tabs and limits.
    """
    if crawler not in _renderers:
        _renderers[crawler] = Renderer(crawler)
    return _renderers[crawler]


async def drawn_shell(crawler: Crawler, page: Page, *, is_list: bool = False) -> Page:
    """Return ``page`` rendered if scripts add what it links to (an application shell; a load-more
    list) or it is a frameset, else itself.
    """
    session = session_of(crawler)
    page = await with_frames(session, page)
    if is_list and is_sent_for_more(page):
        session.frontier.keep(UNOPENED, page.url, ONLY_BY_POST)
    if not (page.status < 300 and page.body and has_scripts(page.tree)):
        return page
    renderer = renderer_of(crawler)
    if is_shell(page) or (is_list and loads_more(page)):
        drawn = await renderer(page, is_list=is_list)
        if is_list:
            _note_unopened(session, renderer, drawn)
        return drawn
    is_cut_off = is_list and session.frontier.kept(BY_SCRIPT) and not has_further_pages(page)
    return await renderer.opened(page) if is_cut_off else page


def _note_unopened(session: Session, renderer: Renderer, drawn: Page) -> None:
    """Note a list that may go on behind what was read of it: where a click led to another page, the
    pages between are not known. A page that a script draws need be no list."""
    static, keep = drawn.static, session.frontier.keep
    if (
        static is not None
        and loads_more(static)
        and canonicalize(static.url) != canonicalize(drawn.url)
    ):
        keep(UNOPENED, static.url, ONLY_BY_CLICKS)
    elif drawn.rendered and drawn.render_error:
        keep(UNOPENED, drawn.url, f"was not read to its end: {drawn.render_error}")
    elif not drawn.rendered and (renderer.mode == "never" or renderer.off or drawn.render_error):
        keep(UNOPENED if loads_more(drawn) else UNDRAWN, drawn.url, ONLY_IN_A_BROWSER)


class RenderStage:
    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RenderStage:
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        if not isinstance(item, PostPage) or item.is_again or item.page.whole is not None:
            return item
        if item.page.render_error:
            return item
        if item.page.rendered:  # by the spider, which needed its links or its words
            return (
                item
                if item.static_page is not None
                else replace(item, static_page=item.page.static)
            )
        page = await renderer_of(self.crawler)(item.page, item.entry)
        if page is item.page and page.static is None:
            return item
        return replace(item, page=page, static_page=page.static or item.page)
