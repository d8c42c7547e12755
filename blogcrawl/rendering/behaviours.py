"""What is done with a page in the browser: settle, scroll, reveal, click "more", collect.

Works on a playwright ``Page`` (not imported here: the browser is optional). All clicks are made by
script, so no cookie banner, overlay or sticky header can stand in the way.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import Awaitable, Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, TypeVar

from blogcrawl.core.page import Page
from blogcrawl.rendering import load_more as morelist
from blogcrawl.rendering import scripts
from blogcrawl.rendering.load_more import has_further_pages
from blogcrawl.rendering.reveal import OF_COMMENTS
from blogcrawl.rendering.systems import SYSTEMS, CommentSystem

T = TypeVar("T")

MANY_REQUESTS, MANY_BYTES = "too many requests", "too many bytes"
MAX_REVEALS = 5
"""Buttons clicked of a page that no comment system is known to have."""
OVER_LIMIT = {MANY_REQUESTS, MANY_BYTES}
"""Why requests are blocked that a list may need to grow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of one rendering."""

    seconds: float = 45.0
    """Wall clock for all of it."""
    settle_seconds: float = 8.0
    """For the network after loading, and for the first comments of a comment system."""
    quiet_seconds: float = 0.4
    collect_seconds: float = 15.0
    """For the final DOM with everything around it; of these, for one frame and for the picture:"""
    frame_seconds: float = 3.0
    picture_seconds: float = 8.0
    requests: int = 400
    bytes: int = 40 * 2**20
    clicks: int = 400
    scrolls: int = 25
    frames: int = 12
    document_chars: int = 8_000_000
    screenshot_bytes: int = 3 * 2**20
    screenshot_height: int = 12_000
    """CSS pixels; Chromium's own limit for a texture is 16,384."""
    boxes: int = 6_000
    navigations: int = 4
    """Of the main document, after which a page that goes on and on is held where it is."""


@dataclass(slots=True)
class Traffic:
    """What the page has requested so far; filled by the event handlers, read by the behaviours."""

    pending: int = 0
    requests: int = 0
    bytes: int = 0
    navigations: int = 0
    last_change: float = 0.0
    blocked: dict[str, int] = field(default_factory=dict)
    console: list[str] = field(default_factory=list)
    troubled: set[str] = field(default_factory=set)
    """URLs of its own site that scripts asked for and the server could not answer."""
    crashed: bool = False
    held: bool = False
    """No further navigation of the main document."""
    failed: str | None = None
    """URL of the main document that could not be loaded."""

    def is_silent(self, seconds: float) -> bool:
        """Report whether nothing is loading, and nothing has changed for so long."""
        return self.pending <= 0 and time.monotonic() - self.last_change > seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """What the browser showed in the end."""

    url: str
    html: str
    frames: tuple[tuple[str, str], ...] = ()
    """(URL, HTML) of frames and shadow roots."""
    screens: tuple[tuple[str, str], ...] = ()
    """(URL, HTML) of what a list showed before, a part at a time."""
    boxes: dict[str, tuple[float, float, float, float]] = field(default_factory=dict)
    screenshot: bytes | None = None
    clicks: int = 0
    complete: bool = True
    """False if a limit ended it, or a list broke off at a server in trouble."""


async def perform(
    page: Any,
    systems: Sequence[CommentSystem],
    traffic: Traffic,
    limits: Limits,
    *,
    is_list: bool = False,
    read: Container[str] = (),
) -> Drawn:
    """Everything after the first load; ``is_list``: to the end of a list that grows, where no link
    leads to its further pages but those that were ``read``. On a time-out the page is taken as far
    as it got. Raises what playwright raises on a dead page."""
    end = time.monotonic() + limits.seconds
    clicks = 0
    complete = True
    screens: list[tuple[str, str]] = []
    try:
        async with asyncio.timeout_at(asyncio.get_running_loop().time() + limits.seconds):
            await _steady(lambda: settle(page, traffic, limits))
            await _steady(lambda: scroll(page, traffic, limits))
            if is_list and not has_further_pages(await _as_drawn(page), read):
                opened = await _steady(lambda: open_list(page, traffic, limits, end))
                clicks, complete = opened or (0, False)
                cards = Cards(page, traffic, limits, end, screens)
                await _steady(cards.follow)
                clicks += await _steady(lambda: turn(cards)) or 0
            if not is_list:
                clicks += await _steady(lambda: reveal(page, traffic, limits)) or 0
            for system in (*systems, *await drawn_systems(page, systems)):
                clicks += (
                    await _steady(
                        lambda system=system: open_system(page, system, traffic, limits, end)  # type: ignore[misc]
                    )
                    or 0
                )
    except TimeoutError:
        complete = False
    if is_list and traffic.blocked.keys() & OVER_LIMIT:
        complete = False
    traffic.held = True
    async with asyncio.timeout(limits.collect_seconds):
        drawn = await _steady(lambda: collect(page, limits, clicks, complete))
    if drawn is None:
        raise RuntimeError("the page never stood still")
    return replace(drawn, screens=tuple(screens))


async def reveal(page: Any, traffic: Traffic, limits: Limits) -> int:
    """Click buttons that may fill an empty place; returns the number of clicks. Where one leads to
    another page, that is undone."""
    start = page.url
    where = await page.evaluate(scripts.WHERE)
    for clicks in range(MAX_REVEALS):
        before = await page.evaluate(scripts.TEXT_SIZE)
        if traffic.crashed or not await page.evaluate(scripts.REVEAL, OF_COMMENTS.pattern):
            return clicks
        await _grown(page, before, traffic, limits)
        if await page.evaluate(scripts.WHERE) != where:
            await page.goto(start)
            await settle(page, traffic, limits)
            break
    return MAX_REVEALS


async def drawn_systems(page: Any, known: Sequence[CommentSystem]) -> list[CommentSystem]:
    """Return further systems whose comments the page shows: applications bundle their scripts."""
    names = {system.name for system in known}
    readings = [
        [s.name, s.reading.unit, s.reading.author, s.reading.body]
        for s in SYSTEMS
        if s.name not in names and s.reading.unit and s.reading.author and s.reading.body
    ]
    found = await page.evaluate(scripts.DRAWN, readings)
    return [system for system in SYSTEMS if system.name in found]


async def _as_drawn(page: Any) -> Page:
    html = await _steady(page.content)
    return Page(url=page.url, body=(html or "").encode("utf-8", "replace"))


_MOVED = re.compile(
    r"context was destroyed|Cannot find context|frame (?:was|got) detached|navigati", re.I
)
"""What playwright says when a page goes elsewhere under a running script."""


async def _steady(step: Callable[[], Awaitable[T]]) -> T | None:
    """Repeat a step if the page navigates; the route handler stops endless ones."""
    for _ in range(40):
        try:
            return await step()
        except Exception as error:
            if not _MOVED.search(str(error)):
                raise
        await asyncio.sleep(0.1)
    return None


async def settle(page: Any, traffic: Traffic, limits: Limits, seconds: float | None = None) -> None:
    """Until no request is under way and the text has stopped growing, or the time is over."""
    end = time.monotonic() + (limits.settle_seconds if seconds is None else seconds)
    size, since = -1, time.monotonic()
    while time.monotonic() < end and not traffic.crashed:
        now = await page.evaluate(scripts.TEXT_SIZE)
        if now != size or traffic.pending > 0:
            since = time.monotonic() if now != size else since
            size = now
        quiet = time.monotonic() - max(since, traffic.last_change)
        if quiet >= limits.quiet_seconds and (
            traffic.pending <= 0 or quiet >= 5 * limits.quiet_seconds
        ):
            return
        await asyncio.sleep(0.1)


async def scroll(page: Any, traffic: Traffic, limits: Limits) -> None:
    """Scroll screen by screen, so that lazy parts load; at most ``scrolls`` steps."""
    for _ in range(limits.scrolls):
        if traffic.crashed or await page.evaluate(scripts.SCROLL_ON):
            break
        await asyncio.sleep(0.05)
    await settle(page, traffic, limits, 2.0)


async def open_system(
    page: Any, system: CommentSystem, traffic: Traffic, limits: Limits, end: float
) -> int:
    """Show all comments of one system; returns the number of clicks."""
    if system.mount:
        await page.evaluate(scripts.SCROLL_TO, system.mount)
    clicks = 0
    if system.reveal:
        clicks += await page.evaluate(scripts.CLICK, [list(system.reveal), 1])
    frame = await _frame_of(page, system, traffic, limits)
    if frame is None:
        return clicks
    await _wait_for(frame, system.settled, traffic, limits)
    if not system.more:
        return clicks
    idle = 0
    while idle < 2 and _may_click(clicks, traffic, limits, end):
        before = await frame.evaluate(scripts.TEXT_SIZE)
        done = await frame.evaluate(scripts.CLICK, [list(system.more), 8])
        if not done:
            break
        clicks += done
        await _grown(frame, before, traffic, limits)
        idle = idle + 1 if await frame.evaluate(scripts.TEXT_SIZE) == before else 0
    return clicks


async def open_list(page: Any, traffic: Traffic, limits: Limits, end: float) -> tuple[int, bool]:
    """Clicks and scrolls on as long as the list grows; returns the number of clicks, and whether it
    was the list that ended, not a limit or a server in trouble."""
    clicks = idle = 0
    while idle < 2 and _may_click(clicks, traffic, limits, end):
        before = await page.evaluate(scripts.TEXT_SIZE)
        clicks += await page.evaluate(scripts.MORE, [morelist.WORDS, morelist.NAMES])
        await page.evaluate(scripts.FRAMES)
        await _grown(page, before, traffic, limits)
        idle = idle + 1 if await page.evaluate(scripts.TEXT_SIZE) == before else 0
    return clicks, idle == 2 and not traffic.troubled


@dataclass(slots=True)
class Cards:
    """The entries of a list that lead on by script alone. ``screens``: takes what the list shows a
    part at a time, and the addresses to which its entries lead, as links."""

    page: Any
    traffic: Traffic
    limits: Limits
    end: float
    screens: list[tuple[str, str]]
    kind: str = ""
    """Tag and class of their headings, once they are known."""

    def may_click(self, clicks: int) -> bool:
        return _may_click(clicks, self.traffic, self.limits, self.end)

    async def titles(self, number: int | None = None) -> list[str]:
        """Return the titles of the entries that are shown; with a ``number``, click that one."""
        kind, titles = await self.page.evaluate(scripts.CARDS, [self.kind, number])
        self.kind = kind
        return list(titles)

    async def entries(self) -> set[str]:
        """Return the addresses that the list links to, and the titles that no link has."""
        return {*await self.page.evaluate(scripts.LINKS), *await self.titles()}

    async def follow(self) -> None:
        """Click each entry, from the list again."""
        start, links = self.page.url, ""
        for number, title in enumerate(await self.titles()):
            if not self.may_click(number):
                break
            await self.titles(number)
            if not await self._until(lambda: self._leads_on(start)):
                break
            place = escape(await self.page.evaluate(scripts.PLACE))
            links += f'<h2><a href="{place}">{escape(title)}</a></h2>'
            if not await self._back(start, title):
                break
        if links:
            self.screens.append((start, f"<html><body>{links}</body></html>"))

    async def _back(self, start: str, title: str) -> bool:
        """Go back to the list that has an entry; report whether it is there as before, else it was
        loaded anew."""
        if self.page.url == start:  # a window was opened
            return True
        await self.page.evaluate(scripts.BACK)
        if await self._until(lambda: self._shows(start, title)):
            return True
        await self.page.goto(start)
        await settle(self.page, self.traffic, self.limits)
        return False

    async def _leads_on(self, start: str) -> bool:
        return bool(await self.page.evaluate(scripts.PLACE) != start)

    async def _shows(self, start: str, title: str) -> bool:
        return self.page.url == start and title in await self.titles()

    async def _until(self, step: Callable[[], Awaitable[bool]]) -> bool:
        """Wait until a step reports so, as long as for what a click brings."""
        end = time.monotonic() + min(4.0, self.limits.settle_seconds)
        while time.monotonic() < end and not self.traffic.crashed:
            if await _steady(step):
                return True
            await asyncio.sleep(0.05)
        return False


async def turn(cards: Cards) -> int:
    """Go through a list whose parts a script shows one at a time, as long as each has entries that
    none before had; returns the number of clicks. ``cards.screens`` takes all parts but the last.
    """
    page, clicks = cards.page, 0
    known = await cards.entries()
    while cards.may_click(clicks):
        shown = page.url, (await page.content())[: cards.limits.document_chars]
        number = clicks + 2
        if not await page.evaluate(scripts.TURN, [morelist.NEXT, morelist.NEXT_NAMES, number]):
            break
        clicks += 1
        new = await _new_entries(cards, known)
        if not new:
            break
        known |= new
        cards.screens.append(shown)
        await cards.follow()
    return clicks


async def _new_entries(cards: Cards, known: set[str]) -> set[str]:
    """Wait for entries that are not known, until nothing moves any more; returns them."""
    traffic, limits = cards.traffic, cards.limits
    end = time.monotonic() + min(4.0, limits.settle_seconds)
    start = time.monotonic()
    while time.monotonic() < end and not traffic.crashed:
        await asyncio.sleep(0.06)
        quiet = time.monotonic() - max(start, traffic.last_change)
        if traffic.pending > 0 or quiet < limits.quiet_seconds:
            continue
        new = await cards.entries() - known
        if new or quiet > 1.0:
            return new
    return set()


def _may_click(clicks: int, traffic: Traffic, limits: Limits, end: float) -> bool:
    """Return whether another click is within the limits."""
    return clicks < limits.clicks and time.monotonic() < end - 1 and not traffic.crashed


async def _frame_of(page: Any, system: CommentSystem, traffic: Traffic, limits: Limits) -> Any:
    """Wait for the frame with the comments; the main document for systems without one."""
    if not system.frame:
        return page.main_frame
    if system.where == "endpoint":
        return next(_frames_at(page, system.frame), page.main_frame)
    end = time.monotonic() + limits.settle_seconds
    while time.monotonic() < end and not traffic.crashed:
        for frame in _frames_at(page, system.frame):
            if not frame.is_detached():
                return frame
        if traffic.is_silent(5 * limits.quiet_seconds):
            break  # the network is silent and no such frame is there
        await asyncio.sleep(0.1)
    return page.main_frame if system.reading.unit else None


def _frames_at(page: Any, address: str) -> Iterator[Any]:
    """Yield the frames inside the page whose addresses meet a pattern."""
    return (frame for frame in page.frames[1:] if re.search(address, frame.url))


async def _wait_for(frame: Any, css: str, traffic: Traffic, limits: Limits) -> bool:
    """Wait until ``css`` exists in the frame; False if it did not come in time."""
    end = time.monotonic() + limits.settle_seconds
    while css and time.monotonic() < end and not traffic.crashed:
        if await frame.evaluate(scripts.EXISTS, css):
            return True
        if traffic.is_silent(5 * limits.quiet_seconds):
            return False
        await asyncio.sleep(0.1)
    return False


async def _grown(frame: Any, before: int, traffic: Traffic, limits: Limits) -> None:
    """Wait after a click until the text has grown and the network is silent, 4 s at most.

    A label that changes ("Loading…") or a button that goes is no answer yet: without a request
    since the click, growth counts after a quiet moment only, as a busy browser requests late.
    """
    start, requests = time.monotonic(), traffic.requests
    end = start + min(4.0, limits.settle_seconds)
    while time.monotonic() < end and not traffic.crashed:
        await asyncio.sleep(0.06)
        if traffic.pending > 0:
            continue
        silent = time.monotonic() - max(start, traffic.last_change)
        if silent > 1.0:
            return
        has_waited = traffic.requests > requests or silent > limits.quiet_seconds
        if has_waited and await frame.evaluate(scripts.TEXT_SIZE) > before:
            return


async def collect(page: Any, limits: Limits, clicks: int, complete: bool) -> Drawn:
    """Collect the final DOM, documents of frames, open shadow roots, boxes, and a picture."""
    html = (await page.content())[: limits.document_chars]
    found = await asyncio.gather(
        *(_document(frame, limits) for frame in page.frames[1 : limits.frames + 1])
    )
    documents = [document for document in found if document is not None]
    shadows = await page.evaluate(scripts.SHADOW_ROOTS, limits.frames)
    documents += [
        (page.url, f"<html><body>{part[: limits.document_chars]}</body></html>") for part in shadows
    ]
    boxes = {
        path: tuple(box) for path, box in (await page.evaluate(scripts.BOXES, limits.boxes)).items()
    }
    picture = None
    # a picture is welcome, not needed: pages of odd sizes fail in many ways
    with contextlib.suppress(Exception):
        picture = await asyncio.wait_for(screenshot(page, limits), limits.picture_seconds)
    return Drawn(
        url=page.url,
        html=html,
        frames=tuple(documents),
        boxes=boxes,
        screenshot=picture,
        clicks=clicks,
        complete=complete,
    )


async def _document(frame: Any, limits: Limits) -> tuple[str, str] | None:
    """URL and HTML of a frame; None if it shows nothing, or does not answer."""
    if frame.url in ("", "about:blank"):
        return None  # never loaded (lazy, refused by Chromium): asked for content, it never answers
    with contextlib.suppress(Exception):  # it may go away at any moment; the page is what counts
        content = await asyncio.wait_for(frame.content(), limits.frame_seconds)
        if len(content) > 200:
            return frame.url, content[: limits.document_chars]
    return None


async def screenshot(page: Any, limits: Limits) -> bytes | None:
    """Take the full page as WebP, of a quality and height that fit; None if none does."""
    import base64

    width, height = await page.evaluate(scripts.PAGE_SIZE)
    session = await page.context.new_cdp_session(page)
    try:
        for quality in (70, 40, 15):
            clip = {
                "x": 0,
                "y": 0,
                "width": min(width, 2000),
                "height": min(height, limits.screenshot_height),
                "scale": 1,
            }
            answer = await session.send(
                "Page.captureScreenshot",
                {"format": "webp", "quality": quality, "captureBeyondViewport": True, "clip": clip},
            )
            data = base64.b64decode(answer["data"])
            if len(data) <= limits.screenshot_bytes:
                return data
    finally:
        await session.detach()
    return None
