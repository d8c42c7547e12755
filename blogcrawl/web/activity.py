"""What is being crawled, by whom and what comes next: one machine and a cluster alike.

All of it stands in the state: crawls write their numbers there, and controller and nodes their
turns, jobs and leases.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.core.progress import posts_done
from blogcrawl.storage.schedule import LOCAL, OPEN_STATES, Schedule, shown_state
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tables import CrawlRow
from blogcrawl.web.gate import check_insight
from blogcrawl.web.jobs import Jobs
from blogcrawl.web.rates import EVERY
from blogcrawl.web.room import Room, parameter

SILENT = timedelta(minutes=1)
"""A crawl that has written no numbers for so long does not run any more."""
LISTED = 20
JOBS = 10
EVERY_SECONDS = 2.0
ORDER = ("down", "unknown", "draining", "active")
"""Of nodes by their state."""
TROUBLE = ("listed", "gone", "paused")


@dataclass(frozen=True, slots=True)
class Running:
    """A crawl that runs."""

    crawl: CrawlRow

    @property
    def counts(self) -> Mapping[str, Any]:
        return self.crawl.counts

    @property
    def done(self) -> int:
        """Posts that are archived, new or not; of ``found``."""
        return posts_done(self.counts)[0]

    @property
    def found(self) -> int:
        return posts_done(self.counts)[1]


def running_crawls(state: SqlState, now: datetime) -> list[CrawlRow]:
    """Return the crawls that run, the newest first."""
    return [crawl for crawl in state.running_crawls() if is_live(crawl, now)]


def sample_rates(room: Room) -> list[CrawlRow]:
    """Return the crawls that run, and note how far they are for the plots of their rates."""
    now = room.now()
    running = running_crawls(room.state, now)
    room.rates.note(running, now)
    return running


async def keep_sampling(room: Room) -> None:
    """Note how far crawls are as long as the room runs, watched or not."""
    while True:
        # a database that does not answer now is asked again
        with contextlib.suppress(BlogcrawlError):
            await run_in_threadpool(sample_rates, room)
        await asyncio.sleep(EVERY.total_seconds())


class Activity:
    """The page and its live part."""

    def __init__(self, room: Room, jobs: Jobs | None) -> None:
        self.room, self.jobs = room, jobs

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/crawls", self.page, methods=["GET"]),
            Route("/crawls/events", self.follow, methods=["GET"]),
        ]

    def page(self, request: Request) -> Response:
        """Show all of it; a script keeps it up to date, or a reload."""
        check_insight(request)
        return self.room.page(request, "activity.html", **self._values(request))

    async def follow(self, request: Request) -> Response:
        """Send the page's live part whenever it has changed (server-sent events)."""
        check_insight(request)
        return StreamingResponse(
            self._events(request),
            media_type="text/event-stream",
            headers={"X-Accel-Buffering": "no"},
        )

    async def _events(self, request: Request) -> AsyncIterator[str]:
        before = b""
        while True:
            now = await run_in_threadpool(self._live, request)
            if now != before:
                lines = now.decode().splitlines()
                yield "".join(f"data: {line}\n" for line in lines if line) + "\n"
            else:
                yield ": waiting\n\n"
            before = now
            await asyncio.sleep(EVERY_SECONDS)

    def _live(self, request: Request) -> bytes:
        page = self.room.page(request, "activity_live.html", **self._values(request))
        return bytes(page.body)

    def _values(self, request: Request) -> dict[str, Any]:
        schedule, now = Schedule(self.room.state), self.room.now()
        running = [Running(one) for one in sample_rates(self.room)]
        jobs = schedule.jobs(JOBS)
        waiting = list(schedule.visits("waiting", LISTED))
        trouble = [visit for state in TROUBLE for visit in schedule.visits(state, LISTED)]
        blogs = {one.crawl.blog_id for one in running}
        blogs |= {job.blogs[0] for job in jobs if len(job.blogs) == 1}
        blogs |= {visit.blog_id for visit in (*waiting, *trouble)}
        return {
            "running": running,
            "nodes": sorted(
                ((node, shown_state(node, now)) for node in schedule.nodes()),
                key=lambda one: (ORDER.index(one[1]), one[0].url),
            ),
            "local": LOCAL,
            "is_led": schedule.is_led(now),
            "counts": schedule.counts().get("visits", {}),
            "overdue": schedule.overdue(now),
            "posts": schedule.posts(),
            "queue": jobs,
            "open_states": OPEN_STATES,
            "waiting": waiting,
            "trouble": trouble,
            "titles": self.room.catalogue.titles(sorted(blogs)),
            "addresses": schedule.addresses(blogs),
            "started": self.jobs.all() if self.jobs is not None else [],
            "moment": now,
            **self._rates(parameter(request, "crawl"), running),
        }

    def _rates(self, asked: str, running: Sequence[Running]) -> dict[str, Any]:
        """Return the rates of the crawl that was asked for while it runs, else of all."""
        chosen = next((one.crawl for one in running if one.crawl.id == asked), None)
        return {"chosen": chosen, "rates": self.room.rates.of(chosen.id if chosen else "")}


def is_live(crawl: CrawlRow, now: datetime) -> bool:
    """Report whether a crawl without an end runs, to judge by its last sign of life."""
    noted = crawl.counts.get("at")
    last = datetime.fromisoformat(noted) if noted else crawl.started
    return crawl.ended is None and last is not None and now - last < SILENT
