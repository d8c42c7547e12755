"""Storage that is away for a while: hold back who would write or fetch more, and try again.

A database that restarts, an S3 server that is gone, a full disk, a file system that turned
read-only: none of them is the page's fault, and all may pass. So whoever writes does it through the
crawl's ``StorageGate``: an operation that is refused closes the gate, waits, is tried again with a
back-off, and opens the gate for all when it succeeds. Whoever fetches waits while the gate is
closed. Only operations that may be done twice go through it (packages and rows are keyed: the same
again changes nothing).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from blogcrawl.core.errors import BlogcrawlError, DiskFullError, ReadOnlyError, UnavailableError

logger = logging.getLogger(__name__)
Result = TypeVar("Result")

PASSING = (UnavailableError, DiskFullError, ReadOnlyError)
"""Errors of the storage itself, which may pass. All others are the operation's own."""
FIRST_WAIT_SECONDS = 0.25
LONGEST_WAIT_SECONDS = 10.0
"""Between two tries: so late a crawl notices that the storage is back."""
STEP_SECONDS = 0.25
"""So soon one that waits notices that it is to stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """Storage that is away. ``since``, ``next_try``: monotonic; ``tries``: failed in a row."""

    error: BlogcrawlError
    since: float
    tries: int
    next_try: float


def after_failure(outage: Outage | None, error: BlogcrawlError, now: float) -> Outage:
    """Return the outage after one more operation failed: the wait doubles from try to try.

    Operations that were under way together fail together: only those that were due count as tries.
    """
    if outage is None:
        return Outage(error=error, since=now, tries=1, next_try=now + FIRST_WAIT_SECONDS)
    if now < outage.next_try:
        return replace(outage, error=error)
    wait = min(FIRST_WAIT_SECONDS * 2 ** min(outage.tries, 16), LONGEST_WAIT_SECONDS)
    return replace(outage, error=error, tries=outage.tries + 1, next_try=now + wait)


def is_too_long(outage: Outage, limit_seconds: float, now: float) -> bool:
    """Return whether the outage has lasted longer than the maximum wait. Pure."""
    return now - outage.since >= limit_seconds


def too_long(outage: Outage, now: float) -> BlogcrawlError:
    """Return the error, of the same class, that ends a caller who has waited long enough."""
    error = outage.error
    message = f"{error.message}; waited {now - outage.since:.0f} s"
    return type(error)(
        message, url=error.url, blog=error.blog, stage=error.stage, advice=error.advice
    )


def wait_for(
    operation: Callable[[], Result],
    limit_seconds: float,
    *,
    report: Callable[[str], None] = logger.warning,
) -> Result:
    """Return what ``operation`` returns once the storage takes it; the thread waits.

    ``report`` is called once that it waits, and why. Raises the storage's error after
    ``limit_seconds``.
    """
    outage: Outage | None = None
    while True:
        try:
            return operation()
        except UnavailableError as error:
            now = time.monotonic()
            if outage is None:
                report(f"{error.message}; waiting for it")
            outage = after_failure(outage, error, now)
            if is_too_long(outage, limit_seconds, now):
                raise too_long(outage, now) from error
            time.sleep(max(0.0, outage.next_try - now))


class StorageGate:
    """Open while the storage takes what is written. For one event loop.

    ``limit_seconds``: how long an outage is waited for. ``probe``: a small operation that shows
    whether the storage is back, for those that can't wait themselves. ``stopping``: is the crawl to
    end at once? Then nothing waits any more. ``changed`` is called with the outage when the gate
    closes and with None when it opens, ``ended`` with the error of an outage that lasts too long,
    where no caller waits for it. ``clock``: monotonic seconds.
    """

    def __init__(
        self,
        limit_seconds: float,
        *,
        probe: Callable[[], object] = lambda: None,
        stopping: Callable[[], bool] = lambda: False,
        changed: Callable[[Outage | None], None] = lambda outage: None,
        ended: Callable[[BlogcrawlError], None] = lambda error: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limit_seconds, self.probe, self.stopping = limit_seconds, probe, stopping
        self.changed = changed
        self.ended, self.clock = ended, clock
        self.outage: Outage | None = None
        self._trying = asyncio.Lock()
        self._probing: asyncio.Task[None] | None = None
        self._late: list[Callable[[], object]] = []
        self._last: Outage | None = None
        """The outage that the probe ended; it goes on until an operation has succeeded."""

    @property
    def closed(self) -> bool:
        return self.outage is not None

    async def run(
        self, operation: Callable[[], Result], *, limit_seconds: float | None = None
    ) -> Result:
        """Return what ``operation`` returns, done as soon as the storage takes it.

        Raises what it raises, and the storage's own error (one of ``PASSING``) where the outage
        lasts longer than the limit, or where the crawl is stopping. ``limit_seconds``: another
        limit, counted from now and held also while the crawl stops.
        """
        until = None if limit_seconds is None else self.clock() + limit_seconds
        while True:
            if self.outage is None:
                with contextlib.suppress(*PASSING):
                    return self._attempt(operation)
                continue
            async with self._trying:
                if self.outage is not None:
                    await self._until_due(until)
                    with contextlib.suppress(*PASSING):
                        return self._attempt(operation)

    async def persist(self, attempt: Callable[[], Awaitable[Result]]) -> Result:
        """Run like ``run`` an operation that waits for the network too: it is repeated when the
        storage is back.
        """
        while True:
            try:
                result = await attempt()
            except PASSING as error:
                await self.hold(error)
            else:
                self._last = None
                return result

    async def hold(self, error: BlogcrawlError) -> None:
        """Wait until the storage is back, after ``error`` outside of the gate."""
        self._failed(error)
        await self.run(self.probe)

    def report(self, error: BlogcrawlError) -> None:
        """Close the gate after ``error``, for a caller that can't wait; a probe opens it again."""
        self._failed(error)
        if self._probing is None or self._probing.done():
            self._probing = asyncio.ensure_future(self._probe())

    def write(self, operation: Callable[[], object]) -> None:
        """Write now, or first and in order when the storage is back: for writers that can't
        wait."""
        if self._late or self.outage is not None:
            self._late.append(operation)
            return
        try:
            operation()
        except PASSING as error:
            self._late.append(operation)
            self.report(error)

    async def opened(self) -> bool:
        """Wait while the storage is away; False: the crawl stops, or the outage lasts too long."""
        while self.outage is not None:
            if self.stopping() or is_too_long(self.outage, self.limit_seconds, self.clock()):
                return False
            await asyncio.sleep(STEP_SECONDS)
        return True

    def _attempt(self, operation: Callable[[], Result]) -> Result:
        try:
            self._write_late()
            result = operation()
        except PASSING as error:
            self._failed(error)
            raise
        except Exception:
            # Whatever else the operation raises, it has been answered by the storage: who waits at
            # the gate goes on. The error itself is raised to the caller, an unforeseen one too.
            self._succeeded()
            raise
        self._succeeded(of_probe=operation == self.probe)
        return result

    def _write_late(self) -> None:
        while self._late:
            try:
                self._late[0]()
            except PASSING:
                raise
            except BlogcrawlError as error:
                logger.error("what had to wait could not be written: %s", error)
            self._late.pop(0)

    async def _until_due(self, until: float | None) -> None:
        assert self.outage is not None
        while True:
            now = self.clock()
            over = (
                self.stopping() or is_too_long(self.outage, self.limit_seconds, now)
                if until is None
                else now >= until
            )
            if over:
                raise self.outage.error if self.stopping() else too_long(self.outage, now)
            if now >= self.outage.next_try:
                return
            await asyncio.sleep(min(STEP_SECONDS, self.outage.next_try - now))

    async def _probe(self) -> None:
        try:
            await self.run(self.probe)
        except BlogcrawlError as error:
            self.ended(error)

    def _failed(self, error: BlogcrawlError) -> None:
        before = self.outage
        self.outage = after_failure(before or self._last, error, self.clock())
        if before is None:
            logger.warning("%s; waiting for it, up to %.0f s", error, self.limit_seconds)
            self.changed(self.outage)

    def _succeeded(self, *, of_probe: bool = False) -> None:
        if not of_probe:
            self._last = None
        if self.outage is not None:
            self._last = self.outage if of_probe else None
            logger.warning("the storage is back after %.1f s", self.clock() - self.outage.since)
            self.outage = None
            self.changed(None)
