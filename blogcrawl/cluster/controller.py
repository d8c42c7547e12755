"""The controller: gives due blogs to healthy nodes, tracks jobs, schedules next visits.

It may die at any line: everything it must remember is written to the database before it acts on it.
Job ids are derived from what a job carries; a job that may or may not have reached its node is
looked up there before it is sent again.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from blogcrawl.cluster.health import healthy, troubled, verdict
from blogcrawl.cluster.plan import Limits, assign, free_slots, pack
from blogcrawl.cluster.scrapyd import NodeClient, NodeError, NodeJobs, egg_version
from blogcrawl.cluster.visit_scheduler import next_turn
from blogcrawl.cluster.websub import delivers
from blogcrawl.cluster.websub_client import Subscriber
from blogcrawl.core.errors import StorageError
from blogcrawl.storage.schedule import LEADER, LEADER_SECONDS, Schedule
from blogcrawl.storage.tables import JobRow, NodeRow, VisitRow

log = logging.getLogger(__name__)

ATTEMPTS = 3
"""How often a job whose process dies is sent: its page may be what kills the crawler."""
SPIDERS = {"new": "newcrawl", "update": "updateblogs", "poll": "pollfeeds"}
"""A first crawl is one blog's process; the others take their blogs from the schedule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerConfig:
    """``settings``: Scrapy settings of every job (state and store URLs, contact, delay)."""

    name: str
    settings: Mapping[str, str]
    egg_version: str = ""
    lease_seconds: float = 120.0
    base_hours: float = 2.0
    limits: Limits = field(default_factory=Limits)
    claim_rows: int = 20_000
    facts_rows: int = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """The result of one round."""

    leads: bool
    sent: int = 0
    finished: int = 0
    reissued: int = 0
    turned: int = 0
    troubled: tuple[str, ...] = ()

    @property
    def idle(self) -> bool:
        return not (self.sent or self.finished or self.reissued or self.turned)


ClientFactory = Callable[[str], NodeClient]


class Controller:
    """One of possibly several controllers; only the holder of the leader's lease acts."""

    def __init__(
        self,
        schedule: Schedule,
        config: ControllerConfig,
        client: ClientFactory,
        subscriber: Subscriber | None = None,
    ) -> None:
        self.schedule, self.config, self._make_client = schedule, config, client
        self.subscriber = subscriber
        self._clients: dict[str, NodeClient] = {}

    async def tick(self, now: datetime | None = None) -> Tick:
        """Run one round. Raises StorageError if the database is away; the next round resumes."""
        now = now or datetime.now(UTC)
        if self.schedule.state.acquire_lease(LEADER, self.config.name, LEADER_SECONDS, now) is None:
            return Tick(leads=False)
        nodes, listings = await self._ask_nodes(now)
        finished, reissued = await self._follow_jobs(listings, now)
        turned = self._turn(now)
        if self.subscriber is not None:
            await self.subscriber.ask_due(now)
        sent = await self._hand_out(nodes, now)
        bad = tuple(f"{n.url}: {n.trouble}" for n in nodes if n.trouble)
        return Tick(
            leads=True, sent=sent, finished=finished, reissued=reissued, turned=turned, troubled=bad
        )

    async def run(
        self,
        stop: asyncio.Event,
        *,
        pause_seconds: float = 1.0,
        report: Callable[[Tick], None] | None = None,
    ) -> None:
        """Run rounds until ``stop``; wait while the database is unavailable."""
        while not stop.is_set():
            try:
                tick = await self.tick()
                if report:
                    report(tick)
            except StorageError as error:
                log.warning("the database is away: %s", error)
            try:
                await asyncio.wait_for(stop.wait(), pause_seconds)
            except TimeoutError:
                continue
        try:
            self.schedule.state.release_lease(LEADER, self.config.name)
        except StorageError as error:
            log.warning("the leader's lease ends by itself: %s", error)
        await self.close()

    async def close(self) -> None:
        for client in self._clients.values():
            await client.close()
        self._clients.clear()

    # nodes

    def _client(self, url: str) -> NodeClient:
        if url not in self._clients:
            self._clients[url] = self._make_client(url)
        return self._clients[url]

    def _note_change(self, before: NodeRow, node: NodeRow) -> None:
        if node.trouble != before.trouble:
            log.warning("%s", node.message or f"node {node.url}: is back")
        if node != before:
            self.schedule.save_node(node)

    async def _ask_nodes(self, now: datetime) -> tuple[list[NodeRow], dict[str, NodeJobs]]:
        """Query all nodes concurrently, except those that are backed off."""
        rows = self.schedule.nodes()
        due = [n for n in rows if n.retry_at is None or n.retry_at <= now]
        answers = await asyncio.gather(*(self._ask(n, now) for n in due))
        known = {n.url: n for n in rows} | {node.url: node for node, _ in answers}
        for (node, _), before in zip(answers, due, strict=True):
            self._note_change(before, node)
        return list(known.values()), {node.url: jobs for node, jobs in answers if jobs is not None}

    async def _ask(self, node: NodeRow, now: datetime) -> tuple[NodeRow, NodeJobs | None]:
        client = self._client(node.url)
        try:
            jobs = await client.jobs()
            wanted = egg_version(self.config.egg_version)
            if wanted and node.version != wanted:
                versions = await client.versions()
                if wanted not in versions:
                    raise NodeError(
                        "version",
                        f"has eggs {', '.join(versions) or 'none'}, not {wanted}: deploy to it",
                        node=node.url,
                    )
                node = replace(node, version=wanted)
        except NodeError as error:
            return troubled(node, error, now), None
        return healthy(node, jobs, now), jobs

    # jobs

    async def _follow_jobs(
        self, listings: Mapping[str, NodeJobs], now: datetime
    ) -> tuple[int, int]:
        changed: list[JobRow] = []
        again: list[JobRow] = []
        finished = reissued = 0
        for job in self.schedule.open_jobs():
            if job.state == "ready":
                continue
            state = verdict(job, listings.get(job.node or ""), now)
            if state == "alive" and job.state == "sending":
                changed.append(replace(job, state="sent", sent=job.sent or now))
            elif state == "finished":
                finished += 1
                self._close_finished(job, now)
            elif state == "lost":
                reissued += 1
                log.warning(
                    "job %s on %s is lost: its lease ran out; issued again", job.id, job.node
                )
                self.schedule.give_up(job, now, f"lost on {job.node}")
            elif state == "resend":
                again.append(job)
        self.schedule.save_jobs(changed)
        await self._send(again, now)
        return finished, reissued

    def _close_finished(self, job: JobRow, now: datetime) -> None:
        """Close finished jobs; retry blogs without a result, whose process died, at once.

        After ``ATTEMPTS`` they count as failed.
        """
        reason = "the crawl process ended without a result"
        if job.attempt < ATTEMPTS and self.schedule.turns_of(job.id):
            log.warning("job %s on %s: %s; reissued", job.id, job.node, reason)
            self.schedule.give_up(job, now, reason)
            return
        silent = self.schedule.fail_silent(job.id, reason)
        outcome = f"{silent} of {len(job.blogs)} blogs without a result" if silent else None
        self.schedule.save_jobs(
            [replace(job, state="failed" if silent else "done", ended=now, reason=outcome)]
        )

    def _turn(self, now: datetime) -> int:
        rows = self.schedule.visited(self.config.facts_rows)
        known = self.subscriber.take(rows, now) if self.subscriber is not None else {}
        pushed = {blog for blog, row in known.items() if delivers(row, now)}
        after = [
            next_turn(row, now, base_hours=self.config.base_hours, pushed=row.blog_id in pushed)
            for row in rows
        ]
        news = {blog for blog, row in known.items() if row.pushed is not None}
        self.schedule.save_visits([_after_news(v, news, now) for v in after])
        if self.subscriber is not None and news:
            self.subscriber.rows.forget_push(sorted(news))
        return len(rows)

    def _book(self, slots: int, now: datetime) -> list[JobRow]:
        """Make jobs for so many slots of the visits that are due, on hosts within their budget."""
        limits, host_jobs = self.config.limits, self.schedule.host_jobs()
        busy = [h for h, n in host_jobs.items() if n >= limits.host_budget][:500]
        most = min(self.config.claim_rows, slots * limits.polls_per_job)
        with closing(self.schedule.claim(now, most, busy)) as due:
            planned = pack(due, host_jobs, slots, limits, now)
        return self.schedule.book(planned)

    async def _hand_out(self, nodes: Sequence[NodeRow], now: datetime) -> int:
        open_jobs = self.schedule.open_jobs()
        free = free_slots(nodes, open_jobs, self.config.limits, now)
        slots = sum(free.values())
        if not slots:
            return 0
        ready = [j for j in open_jobs if j.state == "ready"]
        if len(ready) < slots:
            ready += self._book(slots - len(ready), now)
        given = self.schedule.mark_sending(
            [replace(j, lease_until=self._until(now)) for j in assign(ready, nodes, free)]
        )
        sent = await self._send(given, now)
        counted = Counter(job.node for job in given)
        for node in nodes:
            if counted[node.url]:
                self.schedule.count_sent(node.url, counted[node.url])
        return sent

    def _until(self, now: datetime) -> datetime:
        return now + timedelta(seconds=self.config.lease_seconds)

    async def _send(self, given: Sequence[JobRow], now: datetime) -> int:
        """Send jobs in state ``sending`` and return how many arrived.

        A failed job stays in that state; later rounds find out what became of it.
        """
        granted = self.schedule.grant(
            [j for j in given if j.kind == "new"], self.config.lease_seconds, now
        )
        arrived = [
            job
            for job in await asyncio.gather(
                *(self._send_one(j, granted.get(j.id), now) for j in given)
            )
            if job is not None
        ]
        self.schedule.save_jobs(arrived)
        return len(arrived)

    async def _send_one(
        self, job: JobRow, granted: tuple[VisitRow, int] | None, now: datetime
    ) -> JobRow | None:
        node, arguments = job.node or "", {"job": job.id}
        settings = dict(self.config.settings) | {
            "BLOGCRAWL_JOB_ID": job.id,
            "BLOGCRAWL_NODE": node,
            "BLOGCRAWL_LEASE_SECONDS": str(self.config.lease_seconds),
        }
        if granted is not None:
            visit, token = granted
            arguments["startat"] = visit.url
            settings |= {"BLOGCRAWL_BLOG_ID": visit.blog_id, "BLOGCRAWL_LEASE_TOKEN": str(token)}
            if visit.feed and visit.feed.get("url"):
                arguments["feed"] = str(visit.feed["url"])
        elif job.kind == "new":
            return None
        try:
            await self._client(node).schedule(
                SPIDERS[job.kind],
                job.id,
                arguments,
                settings,
                version=egg_version(self.config.egg_version),
            )
        except NodeError as error:
            log.warning("job %s: %s", job.id, error)
            return None
        return replace(job, state="sent", sent=now)


def _after_news(visit: VisitRow, news: Set[str], now: datetime) -> VisitRow:
    """Make a waiting visit due where a hub has announced posts."""
    is_due = visit.blog_id in news and visit.state == "waiting"
    return replace(visit, next_visit=now) if is_due else visit
