"""How a response or failure of a node changes its record: pure."""

from __future__ import annotations

import zlib
from dataclasses import replace
from datetime import datetime, timedelta

from blogcrawl.cluster.scrapyd import NodeError, NodeJobs
from blogcrawl.storage.schedule import BACK_OFF_CEILING
from blogcrawl.storage.tables import JobRow, NodeRow

BACK_OFF = {
    "timeout": timedelta(seconds=5),
    "unreachable": timedelta(seconds=5),
    "http": timedelta(seconds=10),
    "not-json": timedelta(seconds=30),
    "refused": timedelta(seconds=10),
    "auth": timedelta(minutes=2),
    "version": timedelta(seconds=30),
}
"""First wait by kind of trouble: short if it mends itself, long if a person must act."""


def healthy(node: NodeRow, jobs: NodeJobs, now: datetime) -> NodeRow:
    """Record a response: trouble, if any, is over."""
    return replace(
        node,
        trouble=None,
        message=None,
        failures=0,
        retry_at=None,
        running=len(jobs.running),
        pending=len(jobs.pending),
        last_seen=now,
    )


def troubled(node: NodeRow, error: NodeError, now: datetime) -> NodeRow:
    """Record a failure by kind and back off (doubling, with jitter)."""
    wait = min(BACK_OFF[error.trouble] * 2 ** min(node.failures, 10), BACK_OFF_CEILING)
    jitter = 0.8 + 0.4 * (zlib.crc32(f"{node.url}{node.failures}".encode()) / 0xFFFFFFFF)
    return replace(
        node,
        trouble=error.trouble,
        message=error.message,
        failures=node.failures + 1,
        retry_at=now + wait * jitter,
    )


def verdict(job: JobRow, listing: NodeJobs | None, now: datetime) -> str:
    """Decide the state of an open job from its node's listing (None: the node does not respond).

    ``alive``: the node runs it. ``finished``: the node reports its end. ``resend``: it never
    arrived (the controller died between writing and sending). ``wait``: unknown, its lease is
    running (a crawl that a restarted Scrapyd has forgotten renews it). ``lost``: its lease has
    ended.
    """
    if listing is not None:
        if job.id in listing.running or job.id in listing.pending:
            return "alive"
        if job.id in listing.finished:
            return "finished"
        if job.state == "sending":
            return "resend"
    if job.lease_until is not None and job.lease_until > now:
        return "wait"
    return "lost"
