"""Driving the survey: it names the requests; this makes them, a few at a time, and returns the
answers."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from w3lib.html import get_meta_refresh

from blogcrawl.core.errors import (
    BlogcrawlError,
    FeedError,
    GoneError,
    HttpStatusError,
    RobotsError,
    UnreachableError,
)
from blogcrawl.core.page import Page
from blogcrawl.crawling.exceptions import RobotsTrouble
from blogcrawl.crawling.fetch import Answer
from blogcrawl.crawling.middlewares.guard import HEAD_BYTES, RobotsMiddleware
from blogcrawl.crawling.moved_posts import MEMORY
from blogcrawl.crawling.page_facts import is_html
from blogcrawl.crawling.session import Session
from blogcrawl.discovery.knowledge import SiteKnowledge, UnreadSource
from blogcrawl.discovery.probes import Probe
from blogcrawl.dom.links import headed_links
from blogcrawl.storage.temporary import new_file
from blogcrawl.urls.canonical import Scope, canonicalize, host_of

if TYPE_CHECKING:
    from blogcrawl.discovery.survey import Survey

logger = logging.getLogger(__name__)

PATIENCE = 2
ENOUGH = 500
NOWHERE = frozenset({404, 410})
"""HTTP status where nothing is."""
ABSENT = "absent"
"""Key in the session's memory: usual addresses of feeds and sitemaps at which nothing was."""
AT_ONCE = 4
"""Probes under way at a time; the host's own limits hold above that."""


async def fetch_home(session: Session) -> Page:
    """Return the start page. Raises UnreachableError, RobotsError, HttpStatusError,
    RefusedError."""
    session.doing("asking for the start page")
    try:
        answer = await _ask_patiently(session, session.services.start_url)
    except UnreachableError as error:
        return await _forwarding_page(session, error)
    if answer.page.status >= 400:
        kind = GoneError if answer.page.status == 410 else HttpStatusError
        raise kind(
            f"the start page answers HTTP {answer.page.status}", url=session.services.start_url
        )
    if answer.page.status >= 300:
        raise HttpStatusError("the start page redirects to nowhere", url=session.services.start_url)
    from blogcrawl.crawling.pipelines.render import drawn_shell

    session.hosting_ip = answer.ip
    return await drawn_shell(session.services.crawler, answer.page, is_list=True)


async def _forwarding_page(session: Session, error: UnreachableError) -> Page:
    """Return the start page itself, if all it does is to redirect to a host that does not exist:
    the blog may be at its old URL. Raises ``error`` where it forwards nowhere.
    """
    start = session.services.start_url
    try:
        answer = await session.ask(start, kind="home", meta={"dont_redirect": True})
    except BlogcrawlError:
        raise error from None
    target = forwards_to(answer.page)
    if target is None or canonicalize(target) == canonicalize(start):
        raise error
    session.elsewhere = host_of(target)
    session.forwards = UnreachableError(
        f"the start page forwards to {target}, which can't be reached ({error.message}), and "
        f"{host_of(start)} itself has no feed, no sitemap and no page that looks like a post",
        url=target,
    )
    session.hosting_ip = answer.ip
    return answer.page


def forwards_to(page: Page) -> str | None:
    """Return where a page leads its reader at once, by HTTP or by its head."""
    if page.status >= 300:
        place: str | None = page.headers.get("location")
        return page.absolute(place) if place else None
    return get_meta_refresh(page.body[:HEAD_BYTES], page.url)[1]


async def _ask_patiently(session: Session, url: str) -> Answer:
    """Request the robots.txt of a failing server again after a pause, twice."""
    for _ in range(PATIENCE):
        try:
            return await session.ask(url, kind="home")
        except RobotsError as error:
            if not isinstance(error.__cause__, RobotsTrouble):
                raise
            session.doing("waiting for robots.txt")
            await asyncio.sleep(session.services.config.retry_pause_seconds)
    return await session.ask(url, kind="home")


async def robots_text(session: Session, url: str) -> str | None:
    """Return the text of the site's robots.txt, which names sitemaps."""
    middleware: Any = session.services.crawler.get_downloader_middleware(RobotsMiddleware)
    if middleware is None:
        return None
    return (await middleware.robots_of(url)).text or None


async def check_feed(session: Session, url: str) -> None:
    """Check that the URL given by the operator is a feed. Raises FeedError, HttpStatusError,
    UnreachableError …
    """
    from blogcrawl.discovery.feeds import parse_feed

    page = await session.fetch(url, kind="feed")
    if page.status >= 400:
        raise FeedError(f"the feed answers HTTP {page.status}", url=url)
    if not parse_feed(page.body, page.url, page.headers).entries:
        raise FeedError(
            "the feed has no entries",
            url=url,
            advice="leave --feed out, then the blog is read without it",
        )


def archived_urls(session: Session) -> list[str]:
    """Return addresses of archived posts, enough to see where the blog's posts lie, and of those
    that moved also where they are now."""
    posts = islice(session.services.state.posts(session.blog_id), ENOUGH)
    moved = reversed(session.memory.get(MEMORY, {}))
    return [*(post.url for post in posts), *islice(moved, ENOUGH)]


def widen_by_start_page(scope: Scope, home: Page) -> None:
    """Widen the scope to the dated entries of the start page, or what its headings link to."""
    from blogcrawl.extraction.pages.several import dated_entries

    if is_html(home):
        scope.widen_on_site(dated_entries(home) or headed_links(home))


async def survey(session: Session, home: Page, feed_url: str | None) -> tuple[SiteKnowledge, Scope]:
    """Ask all that the survey wants to know. Also the scope, as wide as the known posts lie."""
    from blogcrawl.discovery.survey import Survey

    session.doing("looking for feeds and sitemaps")
    config = session.services.config
    scope = Scope.around(session.services.start_url, home.url, config.include, config.exclude)
    scope.widen(archived_urls(session))
    widen_by_start_page(scope, home)
    state = Survey(
        home,
        await robots_text(session, home.url),
        feed_url,
        session.services.config.discovery,
        scope,
    )
    state.seconds_per_megabyte = session.services.config.max_page_cpu_seconds
    await ask_all(session, state, state.probes())
    session.survey = state
    return state.knowledge, state.scope


async def ask_unread_again(
    session: Session, sources: Iterable[UnreadSource], scope: Scope
) -> tuple[list[str], list[tuple[str, datetime]]]:
    """Read sources that earlier visits could not, into the session's knowledge; URLs of the pages
    that they list and that are not archived, those that are posts first, and all URLs with when
    they were modified, of sitemaps that say it."""
    from blogcrawl.discovery.survey import Survey

    known = session.known
    session.doing("asking for lists that could not be read before")
    archived = {row.url for row in session.services.state.posts(session.blog_id)}
    sources = tuple(sources)
    before = {*known.promised, *known.candidates}
    contradictions = list(known.contradictions)
    state = Survey.again(known, scope, sources, archived)
    state.seconds_per_megabyte = session.services.config.max_page_cpu_seconds
    await ask_all(session, state, state.probes())
    known.asked_again(sources)
    known.contradictions[:] = contradictions  # a part of the sources can't be compared with others
    posts = [
        known.entries[key].url
        for key in known.promised
        if key not in before and key in known.entries
    ]
    others = [
        url
        for key, (url, _) in sorted(known.candidates.items(), key=lambda found: -found[1][1])
        if key not in before
    ]
    return [
        url for url in (*posts, *others) if canonicalize(url) not in archived
    ], state.collector.modified


async def ask_all(session: Session, state: Survey, probes: list[Probe]) -> None:
    """Fetch ``probes``, and what the survey asks for then, to the end."""
    queue: asyncio.PriorityQueue[tuple[int, int, Probe]] = asyncio.PriorityQueue()
    number = 0

    def add(probes: list[Probe]) -> None:
        nonlocal number
        for probe in probes:
            number += 1
            queue.put_nowait((-probe.priority, number, probe))

    async def worker() -> None:
        while True:
            _, _, probe = await queue.get()
            try:
                add(await ask_probe(session, state, probe))
            finally:
                queue.task_done()

    add(probes)
    workers = [asyncio.ensure_future(worker()) for _ in range(AT_ONCE)]
    done = asyncio.ensure_future(queue.join())
    try:
        await asyncio.wait([done, *workers], return_when=asyncio.FIRST_COMPLETED)
        for task in workers:
            if task.done():
                task.result()
    finally:
        for task in (*workers, done):
            task.cancel()
        await asyncio.gather(*workers, done, return_exceptions=True)


async def ask_probe(session: Session, state: Survey, probe: Probe) -> list[Probe]:
    """Fetch what the survey asks for; what it asks for next."""
    if probe.url in session.absent:
        return state.receive(probe, None, "HTTP 404")
    try:
        page = await session.fetch(probe.url, kind=probe.kind, headers=dict(probe.headers))
    except BlogcrawlError as error:
        return state.receive(probe, None, error.message)
    if page.status in NOWHERE and state.is_guess(probe.url):
        note_absent(session, probe.url)
    found = state.receive(probe, page, None)
    await session.breathe()
    return found


def note_absent(session: Session, url: str) -> None:
    """Remember that nothing is at a usual address."""
    known = session.memory.setdefault(ABSENT, [])
    if url not in known:
        known.append(url)


def save_knowledge(path: Path, knowledge: SiteKnowledge) -> None:
    """Keep what was found, for the run that resumes this one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with new_file(path) as file:
        file.write(json.dumps(knowledge.to_json(), ensure_ascii=False).encode("utf-8"))


def load_knowledge(path: Path) -> SiteKnowledge | None:
    """Return the stored knowledge, or None if it is missing or cannot be read."""
    try:
        return SiteKnowledge.from_json(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        return None
