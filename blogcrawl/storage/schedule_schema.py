"""Tables and rows of the cluster's schedule: turns of blogs, jobs, nodes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cache, lru_cache
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import BigInteger, Column, Integer, Table

from blogcrawl.storage.state_schema import METADATA, CleanText, JsonText, UtcText

visits = Table(
    "visits",
    METADATA,
    Column("blog_id", CleanText, primary_key=True),
    Column("url", CleanText),
    Column("host", CleanText),
    Column("kind", CleanText),
    Column("state", CleanText),
    Column("next_visit", UtcText),
    Column("habit", JsonText),
    Column("facts", JsonText),
    Column("feed", JsonText),
    Column("failures", Integer),
    Column("reason", CleanText),
    Column("job_id", CleanText),
    Column("archived", Integer),
    Column("missing", Integer),
    Column("missing_due", UtcText),
)
jobs = Table(
    "jobs",
    METADATA,
    Column("id", CleanText, primary_key=True),
    Column("kind", CleanText),
    Column("host", CleanText),
    Column("blogs", JsonText),
    Column("node", CleanText),
    Column("state", CleanText),
    Column("attempt", Integer),
    Column("created", UtcText),
    Column("sent", UtcText),
    Column("lease_until", UtcText),
    Column("ended", UtcText),
    Column("reason", CleanText),
)
nodes = Table(
    "nodes",
    METADATA,
    Column("url", CleanText, primary_key=True),
    Column("capacity", Integer),
    Column("state", CleanText),
    Column("trouble", CleanText),
    Column("message", CleanText),
    Column("failures", Integer),
    Column("retry_at", UtcText),
    Column("version", CleanText),
    Column("running", Integer),
    Column("pending", Integer),
    Column("jobs_sent", BigInteger),
    Column("last_seen", UtcText),
)
OPEN_STATES = ("ready", "sending", "sent")


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitRow:
    """A blog's turn. ``kind``: new (never crawled), poll (ask its feed), update (its feed has
    news).

    ``facts``: what the last job saw, until the controller has read it: outcome, published (ISO
    times of new entries), window, hints, feed. ``feed``: the feed's url, validators and digests for
    the next poll. ``host``: the service that the turn asks; it has a budget. ``state``: waiting,
    claimed, visited, listed (failing: a person should look), gone. ``archived``, ``missing``: posts
    as the last crawl left them; ``missing_due``: when a crawl asks for the missing ones again.
    """

    blog_id: str
    url: str
    host: str
    kind: str = "new"
    state: str = "waiting"
    next_visit: datetime | None = None
    habit: Mapping[str, Any] | None = None
    facts: Mapping[str, Any] | None = None
    feed: Mapping[str, Any] | None = None
    failures: int = 0
    reason: str | None = None
    job_id: str | None = None
    archived: int = 0
    missing: int = 0
    missing_due: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """One Scrapyd job. ``blogs``: ids it carries. ``state``: ready, sending, sent, done, lost,
    failed.
    """

    id: str
    kind: str
    host: str
    blogs: Sequence[str]
    node: str | None = None
    state: str = "ready"
    attempt: int = 1
    created: datetime | None = None
    sent: datetime | None = None
    lease_until: datetime | None = None
    ended: datetime | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRow:
    """A Scrapyd server. ``state``: active, draining (gets nothing new), removed. ``trouble``: see
    cluster.scrapyd.
    """

    url: str
    capacity: int = 2
    state: str = "active"
    trouble: str | None = None
    message: str | None = None
    failures: int = 0
    retry_at: datetime | None = None
    version: str | None = None
    running: int = 0
    pending: int = 0
    jobs_sent: int = 0
    last_seen: datetime | None = None


def job_id(kind: str, blog_ids: Sequence[str], due: datetime | None, attempt: int) -> str:
    """The one id of the job that carries these blogs at this turn; safe as a Scrapyd job id."""
    text = "|".join([kind, str(attempt), due.isoformat() if due else "", *sorted(blog_ids)])
    return f"{kind}-{hashlib.sha256(text.encode()).hexdigest()[:24]}"


def host_of(url: str) -> str:
    return (urlsplit(url).hostname or "").lower()


def service_of(url: str) -> str:
    """Whose servers are asked: the name below the public suffix (a.blogspot.com and b.blogspot.com
    are one service), else the host.
    """
    return _service(host_of(url))


@lru_cache(maxsize=10_000)
def _service(host: str) -> str:
    if host.replace(".", "").isdigit():
        return host
    return _suffixes().privatesuffix(host) or host


@cache
def _suffixes() -> Any:
    from publicsuffixlist import PublicSuffixList  # reads its list, a twentieth of a second

    return PublicSuffixList(only_icann=True)


def values_of(row: VisitRow | JobRow | NodeRow) -> dict[str, Any]:
    values = {spec.name: getattr(row, spec.name) for spec in fields(row)}
    if "blogs" in values:
        values["blogs"] = list(values["blogs"])
    return values
