"""Subscriptions to hubs (WebSub) in the state database: one a blog."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import Column, Integer, Table, select, update

from blogcrawl.storage.schedule_schema import visits
from blogcrawl.storage.state import SqlState, told
from blogcrawl.storage.state_schema import METADATA, CleanText, UtcText

subscriptions = Table(
    "subscriptions",
    METADATA,
    Column("blog_id", CleanText, primary_key=True),
    Column("token", CleanText),
    Column("topic", CleanText),
    Column("hub", CleanText),
    Column("secret", CleanText),
    Column("state", CleanText),
    Column("due", UtcText),
    Column("expires", UtcText),
    Column("pushed", UtcText),
    Column("failures", Integer),
    Column("reason", CleanText),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """``token`` is the unguessable part of its callback. ``state``: asked, active, denied. ``due``:
    when the hub is asked next.
    """

    blog_id: str
    token: str
    topic: str
    hub: str
    secret: str
    state: str = "asked"
    due: datetime | None = None
    expires: datetime | None = None
    pushed: datetime | None = None
    """A push that came while the blog was in a job: its next turn is due at once."""
    failures: int = 0
    reason: str | None = None


class Subscriptions:
    def __init__(self, state: SqlState) -> None:
        self.state = state

    def save(self, row: Subscription) -> None:
        self.state.upsert(subscriptions, asdict(row))

    def by_token(self, token: str) -> Subscription | None:
        with told(), self.state.engine.connect() as connection:
            row = (
                connection.execute(select(subscriptions).where(subscriptions.c.token == token))
                .mappings()
                .first()
            )
        return Subscription(**row) if row else None

    def due(self, now: datetime, limit: int) -> list[Subscription]:
        statement = (
            select(subscriptions)
            .where(subscriptions.c.due <= now)
            .order_by(subscriptions.c.due)
            .limit(limit)
        )
        with told(), self.state.engine.connect() as connection:
            return [Subscription(**row) for row in connection.execute(statement).mappings()]

    def of_blogs(self, blog_ids: Sequence[str]) -> dict[str, Subscription]:
        found: dict[str, Subscription] = {}
        with told(), self.state.engine.connect() as connection:
            for start in range(0, len(blog_ids), 1000):
                statement = select(subscriptions).where(
                    subscriptions.c.blog_id.in_(blog_ids[start : start + 1000])
                )
                found.update(
                    (row["blog_id"], Subscription(**row))
                    for row in connection.execute(statement).mappings()
                )
        return found

    def push(self, blog_id: str, now: datetime) -> bool:
        """There is news: the blog is due now, or, where a job has it, right after that. False where
        it is not in turn at all.
        """
        with told(), self.state.write() as connection:
            mine = visits.c.blog_id == blog_id
            waiting = (
                update(visits)
                .where(mine, visits.c.state == "waiting", visits.c.next_visit > now)
                .values(next_visit=now)
            )
            if connection.execute(waiting).rowcount:
                return True
            busy = connection.execute(select(visits.c.state).where(mine)).scalar()
            if busy in ("claimed", "visited"):
                connection.execute(
                    update(subscriptions)
                    .where(subscriptions.c.blog_id == blog_id)
                    .values(pushed=now)
                )
            return busy is not None

    def forget_push(self, blog_ids: Sequence[str]) -> None:
        with told(), self.state.write() as connection:
            connection.execute(
                update(subscriptions)
                .where(subscriptions.c.blog_id.in_(blog_ids))
                .values(pushed=None)
            )
