"""Assign due blogs to jobs, and jobs to nodes: pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from blogcrawl.storage.schedule import job_id
from blogcrawl.storage.tables import JobRow, NodeRow, VisitRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of the controller. ``host_budget``: open jobs per host in the whole cluster."""

    host_budget: int = 1
    polls_per_job: int = 200
    updates_per_job: int = 50
    """A process start costs a second or two, an unchanged feed some milliseconds, an update some
    tenths: both travel together. A process that dies costs what it had begun, which is the less the
    fewer it carries."""
    queue_per_slot: int = 2
    """Jobs a node holds per process slot: one runs, one waits, so that no slot idles."""


def free_slots(
    nodes: Sequence[NodeRow], open_jobs: Iterable[JobRow], limits: Limits, now: datetime
) -> dict[str, int]:
    """Return the number of further jobs per usable node; draining and failing nodes take none."""
    held = Counter(job.node for job in open_jobs if job.node)
    return {
        node.url: max(node.capacity * limits.queue_per_slot - held[node.url], 0)
        for node in nodes
        if node.state == "active"
        and node.trouble is None
        and (node.retry_at is None or node.retry_at <= now)
    }


def pack(
    due: Iterable[VisitRow], host_jobs: Mapping[str, int], slots: int, limits: Limits, now: datetime
) -> list[JobRow]:
    """Pack due turns into at most ``slots`` jobs, the longest overdue first.

    First crawls travel alone, polls and updates with their like; no host exceeds its budget of open
    jobs (``host_jobs``: those open already). A job visits its blogs one host at a time, so a
    hundred blogs of one service are one job, not a hundred.
    """
    most = {"poll": limits.polls_per_job, "update": limits.updates_per_job}
    busy = Counter(host_jobs)
    packed: list[JobRow] = []
    batches: dict[str, list[VisitRow]] = {}
    hosts: dict[str, set[str]] = {}
    for visit in due:
        if len(packed) >= slots:
            break
        kind = visit.kind
        if visit.host not in hosts.get(kind, ()):
            if busy[visit.host] >= limits.host_budget or (
                kind not in batches and len(packed) + len(batches) >= slots
            ):
                continue
            busy[visit.host] += 1
            hosts.setdefault(kind, set()).add(visit.host)
        batches.setdefault(kind, []).append(visit)
        if len(batches[kind]) >= most.get(kind, 1):
            packed.append(_job(kind, batches.pop(kind), now))
            del hosts[kind]
    return packed + [_job(kind, batch, now) for kind, batch in batches.items()]


def _job(kind: str, turns: Sequence[VisitRow], now: datetime) -> JobRow:
    hosts = {t.host for t in turns}
    due = max((t.next_visit for t in turns if t.next_visit), default=None)
    ids = [t.blog_id for t in turns]
    return JobRow(
        id=job_id(kind, ids, due, 1),
        kind=kind,
        host=hosts.pop() if len(hosts) == 1 else "",
        blogs=ids,
        created=now,
    )


def assign(
    jobs: Sequence[JobRow], nodes: Sequence[NodeRow], free: Mapping[str, int]
) -> list[JobRow]:
    """Assign jobs by weighted round robin to the free node with the least work per capacity.

    For equal nodes with free slots the numbers of jobs differ by at most one. Jobs beyond the free
    slots are not assigned.
    """
    left = dict(free)
    given = {node.url: node.jobs_sent for node in nodes}
    weight = {node.url: max(node.capacity, 1) for node in nodes}
    out: list[JobRow] = []
    for job in jobs:
        ready = [url for url, slots in left.items() if slots > 0]
        if not ready:
            break
        url = min(ready, key=lambda u: (given[u] / weight[u], u))
        left[url] -= 1
        given[url] += 1
        out.append(replace(job, node=url))
    return out
