"""Subscriptions to hubs (WebSub) in the state database: one a blog."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select, update

from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tables import Subscription, subscriptions, visits


class Subscriptions:
    def __init__(self, state: SqlState) -> None:
        self.state = state

    def save(self, row: Subscription) -> None:
        self.state.save(row)

    def by_token(self, token: str) -> Subscription | None:
        return self.state.row(Subscription, subscriptions.c.token == token)

    def due(self, now: datetime, limit: int) -> list[Subscription]:
        statement = select(subscriptions).where(subscriptions.c.due <= now)
        return self.state.rows(Subscription, statement.order_by(subscriptions.c.due).limit(limit))

    def of_blogs(self, blog_ids: Sequence[str]) -> dict[str, Subscription]:
        found: dict[str, Subscription] = {}
        for start in range(0, len(blog_ids), 1000):
            some = subscriptions.c.blog_id.in_(blog_ids[start : start + 1000])
            rows = self.state.rows(Subscription, select(subscriptions).where(some))
            found.update((row.blog_id, row) for row in rows)
        return found

    def push(self, blog_id: str, now: datetime) -> bool:
        """Make the blog due now, or right after the job that has it; False if it has no turn."""
        with self.state.write() as connection:
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
        with self.state.write() as connection:
            connection.execute(
                update(subscriptions)
                .where(subscriptions.c.blog_id.in_(blog_ids))
                .values(pushed=None)
            )
