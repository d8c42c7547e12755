"""What a cluster shares: which blog is due, which job has it, which node runs it.

A blog's turn goes ``waiting -> claimed -> visited -> waiting``: the controller claims it for a job,
the job notes what it saw (facts), the controller turns the facts into the next visit. Claims are
one transaction with the job that they are for, so a controller that dies at any line leaves either
both or none; ids of jobs follow from what they carry, so a job exists once however often it is
planned.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache, lru_cache
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import (
    Connection,
    Integer,
    Table,
    and_,
    bindparam,
    case,
    func,
    or_,
    select,
    text,
    update,
)

from blogcrawl.storage.state import STREAM_ROWS, SqlState, runs
from blogcrawl.storage.tables import (
    BlogRow,
    JobRow,
    LeaseRow,
    NodeRow,
    VisitRow,
    is_due,
    jobs,
    leases,
    nodes,
    record_of,
    values_of,
    visits,
)
from blogcrawl.storage.tables import blogs as archived_blogs
from blogcrawl.storage.tables import posts as archived_posts

LOCAL = "local"
"""The node that is no Scrapyd server: the worker process of ``serve --crawl``."""
BACK_OFF_CEILING = timedelta(minutes=5)
"""Longest wait before a node that fails is asked again."""
OPEN_STATES = ("ready", "sending", "sent")
LEADER = "controller"
"""Name of the lease that the controller holds which acts."""
LEADER_SECONDS = 30.0


def job_id(kind: str, blog_ids: Sequence[str], due: datetime | None, attempt: int) -> str:
    """Return the one id of the job for these blogs at this turn; safe as a Scrapyd job id."""
    key = "|".join([kind, str(attempt), due.isoformat() if due else "", *sorted(blog_ids)])
    return f"{kind}-{hashlib.sha256(key.encode()).hexdigest()[:24]}"


def host_of(url: str) -> str:
    return (urlsplit(url).hostname or "").lower()


def service_of(url: str) -> str:
    """Return whose servers are asked: the name below the public suffix, else the host.

    a.blogspot.com and b.blogspot.com are one service.
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


def _update_many(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Set columns of many rows, which have the table's (single) key and the same other columns.

    PostgreSQL gets one statement with an array a column: half of the CPU time of a statement a row.
    """
    if not rows:
        return
    [key] = [column.name for column in table.primary_key]
    names = [name for name in rows[0] if name != key]
    if connection.dialect.name == "postgresql":
        _update_by_arrays(connection, table, key, names, rows)
        return
    statement = (
        update(table)
        .where(table.c[key] == bindparam("v_key"))
        .values(**{name: bindparam(f"v_{name}") for name in names})
    )
    connection.execute(
        statement,
        [{"v_key": row[key]} | {f"v_{name}": row[name] for name in names} for row in rows],
    )


def _update_by_arrays(
    connection: Connection,
    table: Table,
    key: str,
    names: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
) -> None:
    columns = [table.c[name] for name in (key, *names)]
    arrays = {}
    for column in columns:
        convert: Any = column.type.bind_processor(connection.dialect)
        arrays[column.name] = [
            convert(row[column.name]) if convert else row[column.name] for row in rows
        ]
    values = ", ".join(
        f"CAST(:{c.name} AS {'BIGINT' if isinstance(c.type, Integer) else 'TEXT'}[])"
        for c in columns
    )
    sets_of = ", ".join(f"{name} = given.{name}" for name in names)
    given = f"unnest({values}) AS given ({', '.join(c.name for c in columns)})"
    connection.execute(
        text(
            f"UPDATE {table.name} SET {sets_of} FROM {given} WHERE {table.name}.{key} = given.{key}"
        ),
        arrays,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PostCounts:
    """Over all blogs; ``blogs_missing``: those of which posts are missing."""

    archived: int
    missing: int
    blogs_missing: int

    def __str__(self) -> str:
        counted = f"{self.archived} archived, {self.missing} missing"
        if not self.missing:
            return counted
        blogs = f"{self.blogs_missing} blogs, which are"
        if self.blogs_missing == 1:
            blogs = "1 blog, which is"
        return f"{counted} in {blogs} visited again soon"


def shown_state(node: NodeRow, now: datetime) -> str:
    """Return the state that an operator sees: ``removed``, ``down``, ``unknown`` or the node's own.

    ``down``: its last request failed. ``unknown``: no controller has asked it for longer than the
    longest back-off, so its numbers are old.
    """
    if node.state == "removed":
        return node.state
    if node.trouble is not None:
        return "down"
    if node.last_seen is None or now - node.last_seen > BACK_OFF_CEILING:
        return "unknown"
    return node.state


def fair_start(node: NodeRow, others: Sequence[NodeRow]) -> NodeRow:
    """Give a joining node the same work count as the others, so that it is not flooded."""
    level = min(
        (o.jobs_sent / max(o.capacity, 1) for o in others if o.state == "active"), default=0.0
    )
    return replace(node, jobs_sent=max(node.jobs_sent, int(level * node.capacity)))


class Schedule:
    """Turns, jobs and nodes on top of a state database."""

    def __init__(self, state: SqlState) -> None:
        self.state = state

    # turns

    def add_blogs(self, rows: Iterable[VisitRow]) -> int:
        """Take blogs that are not known yet; how many were new."""
        added = 0
        insert = (
            self.state.insert(visits)
            .on_conflict_do_nothing(index_elements=["blog_id"])
            .returning(visits.c.blog_id)
        )
        # a transaction each: a long list doesn't keep the others from writing
        for batch in _batches(rows, 5000):
            with self.state.write() as connection:
                added += len(connection.execute(insert, [values_of(r) for r in batch]).all())
        return added

    def claim(
        self, now: datetime, limit: int, busy_hosts: Sequence[str] = ()
    ) -> Generator[VisitRow, None, None]:
        """Yield due turns, longest overdue first, without those of ``busy_hosts``; writes nothing.

        Streamed: whoever plans stops reading when all slots are filled (a thousand crawls, or two
        hundred thousand polls). Close the iterator (``contextlib.closing``) to let go of the
        connection early.
        """
        statement = select(visits).where(
            visits.c.state == "waiting", is_due(visits.c.next_visit, now)
        )
        if busy_hosts:
            statement = statement.where(visits.c.host.not_in(list(busy_hosts)))
        statement = statement.order_by(visits.c.next_visit).limit(limit)
        with self.state.read(yield_per=STREAM_ROWS) as connection:
            for row in connection.execute(statement).mappings():
                yield record_of(VisitRow, row)

    def book(self, planned: Sequence[JobRow]) -> list[JobRow]:
        """Claim the blogs of ``planned`` and write the jobs, in one transaction.

        Jobs of which a blog was taken meanwhile (``SKIP LOCKED`` on PostgreSQL, the write lock on
        SQLite) are left out.
        """
        booked: list[JobRow] = []
        with self.state.write() as connection:
            wanted = [b for job in planned for b in job.blogs]
            free: set[str] = set()
            for batch in _batches(wanted, 1000):
                query = select(visits.c.blog_id).where(
                    visits.c.blog_id.in_(batch), visits.c.state == "waiting"
                )
                free.update(connection.execute(query.with_for_update(skip_locked=True)).scalars())
            booked = [job for job in planned if free.issuperset(job.blogs)]
            if not booked:
                return []
            insert = self.state.insert(jobs).on_conflict_do_nothing(index_elements=["id"])
            connection.execute(insert, [values_of(j) for j in booked])
            _update_many(
                connection,
                visits,
                [
                    {"blog_id": b, "state": "claimed", "job_id": j.id}
                    for j in booked
                    for b in j.blogs
                ],
            )
        return booked

    def note_facts(self, blog_id: str, job: str, facts: Mapping[str, Any]) -> bool:
        """Note what a job saw of a blog. False if the turn belongs to another job now."""
        return self.note_many(job, {blog_id: facts}) == 1

    def note_many(self, job: str, facts: Mapping[str, Mapping[str, Any]]) -> int:
        """Facts by blog id, in one transaction; how many of the turns were still the job's."""
        if not facts:
            return 0
        mine = (
            visits.c.blog_id == bindparam("key"),
            visits.c.job_id == job,
            visits.c.state == "claimed",
        )
        statement = update(visits).where(*mine).values(state="visited", facts=bindparam("seen"))
        with self.state.write() as connection:
            return connection.execute(
                statement, [{"key": blog, "seen": dict(seen)} for blog, seen in facts.items()]
            ).rowcount

    def turns_of(self, job: str) -> list[VisitRow]:
        """Return the turns that a job has and has not noted yet."""
        statement = (
            select(visits)
            .where(visits.c.job_id == job, visits.c.state == "claimed")
            .order_by(visits.c.next_visit)
        )
        return self.state.rows(VisitRow, statement)

    def take_back(self, job: str, now: datetime) -> int:
        """Close a job whose process was stopped; its blogs without a result are due again.

        How many. A crawl that was stopped noted that it failed: that is no fault of its blog's.
        """
        with self.state.write() as connection:
            connection.execute(
                update(jobs)
                .where(jobs.c.id == job)
                .values(state="lost", ended=now, reason="stopped")
            )
            mine = visits.c.job_id == job, visits.c.state.in_(("claimed", "visited"))
            query = select(visits.c.blog_id, visits.c.facts).where(*mine).with_for_update()
            left = [
                blog
                for blog, facts in connection.execute(query)
                if (facts or {}).get("outcome", "failed") == "failed"
            ]
            again = {"state": "waiting", "job_id": None, "facts": None, "next_visit": now}
            _update_many(connection, visits, [{"blog_id": blog, **again} for blog in left])
        return len(left)

    def is_led(self, now: datetime) -> bool:
        """Report whether a controller is at work."""
        held = self.state.row(LeaseRow, leases.c.blog_id == LEADER)
        return held is not None and runs(held.expires, now, LEADER_SECONDS)

    def unscheduled(self, limit: int = 1000) -> list[BlogRow]:
        """Return blogs that were archived, by hand, and have no turn."""
        known = select(visits.c.blog_id)
        is_new = archived_blogs.c.id.not_in(known), archived_blogs.c.last_crawl.is_not(None)
        return self.state.rows(BlogRow, select(archived_blogs).where(*is_new).limit(limit))

    def visited(self, limit: int) -> list[VisitRow]:
        """Return turns whose facts wait to be read."""
        statement = select(visits).where(visits.c.state == "visited").limit(limit)
        return self.state.rows(VisitRow, statement)

    def save_visits(self, rows: Sequence[VisitRow]) -> None:
        with self.state.write() as connection:
            _update_many(connection, visits, [values_of(row) for row in rows])

    def get_visit(self, blog_id: str) -> VisitRow | None:
        return self.state.row(VisitRow, visits.c.blog_id == blog_id)

    def visit_now(self, blog_id: str, url: str, now: datetime) -> None:
        """Make a blog due now, new or known, whatever its state; a running job goes on."""
        with self.state.write() as connection:
            insert = self.state.insert(visits).on_conflict_do_nothing(index_elements=["blog_id"])
            turn = VisitRow(blog_id=blog_id, url=url, host=service_of(url), next_visit=now)
            connection.execute(insert, [values_of(turn)])
            idle = visits.c.blog_id == blog_id, visits.c.state.not_in(("claimed", "visited"))
            kind = case((visits.c.kind == "new", "new"), else_="update")
            connection.execute(
                update(visits)
                .where(*idle)
                .values(state="waiting", kind=kind, next_visit=now, failures=0, reason=None)
            )

    def pause(self, blog_id: str, who: str) -> None:
        """Visit a blog no more until it is made due again; a job that crawls it stops.

        Its lease goes to no one: at its next sign of life, or the next post, the crawl ends.
        """
        mine = visits.c.blog_id == blog_id
        with self.state.write() as connection:
            connection.execute(
                update(visits)
                .where(mine)
                .values(state="paused", job_id=None, facts=None, reason=f"paused by {who}")
            )
            connection.execute(
                update(leases)
                .where(leases.c.blog_id == blog_id)
                .values(token=leases.c.token + 1, owner=who, expires=None)
            )

    def addresses(self, blog_ids: Collection[str]) -> dict[str, str]:
        """Return the addresses of blogs by id, of those too that no crawl has read yet."""
        statement = select(visits.c.blog_id, visits.c.url).where(visits.c.blog_id.in_(blog_ids))
        with self.state.read() as connection:
            return {str(blog): str(url) for blog, url in connection.execute(statement)}

    def visits(self, state: str | None = None, limit: int = 1000) -> Iterator[VisitRow]:
        statement = select(visits).order_by(visits.c.next_visit).limit(limit)
        if state:
            statement = statement.where(visits.c.state == state)
        return self.state.stream(VisitRow, statement)

    # jobs

    def open_jobs(self) -> list[JobRow]:
        return self.state.rows(JobRow, select(jobs).where(jobs.c.state.in_(OPEN_STATES)))

    def save_jobs(self, rows: Sequence[JobRow]) -> None:
        if rows:
            with self.state.write() as connection:
                self._update_jobs(connection, rows)

    def _update_jobs(self, connection: Connection, rows: Sequence[JobRow]) -> None:
        names = ("id", "node", "state", "sent", "lease_until", "ended", "reason")
        _update_many(
            connection, jobs, [{name: getattr(row, name) for name in names} for row in rows]
        )

    def host_jobs(self) -> dict[str, int]:
        """Return the number of open jobs of each host."""
        statement = (
            select(visits.c.host, func.count(visits.c.job_id.distinct()))
            .where(visits.c.state == "claimed")
            .group_by(visits.c.host)
        )
        with self.state.read() as connection:
            return {str(host): int(n) for host, n in connection.execute(statement)}

    def fail_silent(self, job: str, reason: str) -> int:
        """Blogs that a finished job left claimed are noted as failed; how many."""
        statement = update(visits).where(visits.c.job_id == job, visits.c.state == "claimed")
        with self.state.write() as connection:
            return connection.execute(
                statement.values(state="visited", facts={"outcome": "failed", "reason": reason})
            ).rowcount

    def mark_sending(self, planned: Sequence[JobRow]) -> list[JobRow]:
        """Return those of ``planned`` (ready, with their node) that are ours to send: a controller
        that slept through its leader's lease finds them taken.
        """
        if not planned:
            return []
        with self.state.write() as connection:
            mine: set[str] = set()
            for batch in _batches((j.id for j in planned), 1000):
                query = (
                    select(jobs.c.id)
                    .where(jobs.c.id.in_(batch), jobs.c.state == "ready")
                    .with_for_update()
                )
                mine.update(connection.execute(query).scalars())
            ours = [replace(j, state="sending") for j in planned if j.id in mine]
            self._update_jobs(connection, ours)
        return ours

    def grant(
        self, planned: Sequence[JobRow], seconds: float, now: datetime
    ) -> dict[str, tuple[VisitRow, int]]:
        """Give the blog of each crawl job a new fencing token: turn and token by job id."""
        owners = {j.blogs[0]: j.id for j in planned}
        turns: dict[str, VisitRow] = {}
        tokens: dict[str, int] = {}
        expires = now + timedelta(seconds=seconds)
        insert = self.state.insert(leases)
        upsert = insert.on_conflict_do_update(
            index_elements=["blog_id"],
            set_={
                "token": leases.c.token + 1,
                "owner": insert.excluded.owner,
                "expires": insert.excluded.expires,
            },
        ).returning(leases.c.blog_id, leases.c.token)
        with self.state.write() as connection:
            for batch in _batches(sorted(owners), 500):
                for row in connection.execute(
                    select(visits).where(visits.c.blog_id.in_(batch))
                ).mappings():
                    turns[row["blog_id"]] = record_of(VisitRow, row)
                values = [
                    {"blog_id": b, "token": 1, "owner": owners[b], "expires": expires}
                    for b in batch
                ]
                tokens.update((str(b), int(t)) for b, t in connection.execute(upsert, values))
        return {owners[b]: (turns[b], tokens[b]) for b in owners if b in turns}

    def heartbeat(self, job: str, until: datetime) -> bool:
        """Renew a job's lease. False if the controller has given it up: stop."""
        statement = (
            update(jobs)
            .where(jobs.c.id == job, jobs.c.state.in_(OPEN_STATES))
            .values(lease_until=until)
        )
        with self.state.write() as connection:
            return connection.execute(statement).rowcount == 1

    def take(
        self, job: str, blog_id: str, seconds: float, now: datetime
    ) -> tuple[VisitRow, int] | None:
        """Give a job of several crawls the turn of its next blog and a new fencing token for it.

        None if the turn belongs to another job by now, or a second process of the same job is at
        it.
        """
        turn = select(visits).where(
            visits.c.blog_id == blog_id, visits.c.job_id == job, visits.c.state == "claimed"
        )
        lease = select(leases).where(leases.c.blog_id == blog_id).with_for_update()
        with self.state.write() as connection:
            row = connection.execute(turn.with_for_update()).mappings().first()
            held = connection.execute(lease).mappings().first()
            if row is None or (
                held is not None
                and held["owner"] == job
                and held["expires"] is not None
                and held["expires"] > now
            ):
                return None
            token = int(held["token"]) + 1 if held else 1
            expires = now + timedelta(seconds=seconds)
            self.state.save_in(
                connection, LeaseRow(blog_id=blog_id, token=token, owner=job, expires=expires)
            )
        return record_of(VisitRow, row), token

    def let_go(self, job: str, blog_ids: Sequence[str]) -> None:
        """Return turns that a job did not begin; they are due again at once."""
        mine = (
            visits.c.blog_id.in_(list(blog_ids)),
            visits.c.job_id == job,
            visits.c.state == "claimed",
        )
        with self.state.write() as connection:
            connection.execute(update(visits).where(*mine).values(state="waiting", job_id=None))

    def give_up(self, job: JobRow, now: datetime, reason: str) -> list[JobRow]:
        """Close a lost job and book its unfinished blogs again.

        Crawls that it had begun come back one by one, so that a page that kills its crawler does it
        to no other blog again; what it had not begun stays together. Each try of a begun crawl
        counts as an attempt.
        """
        with self.state.write() as connection:
            left = and_(visits.c.job_id == job.id, visits.c.state == "claimed")
            blogs = sorted(
                connection.execute(select(visits.c.blog_id).where(left).with_for_update()).scalars()
            )
            connection.execute(
                update(jobs)
                .where(jobs.c.id == job.id)
                .values(state="lost", ended=now, reason=reason)
            )
            if not blogs:
                return []
            held = and_(leases.c.owner == job.id, leases.c.blog_id.in_(blogs))
            begun = set(connection.execute(select(leases.c.blog_id).where(held)).scalars())
            again = _jobs_again(job, blogs, begun, now)
            connection.execute(
                self.state.insert(jobs).on_conflict_do_nothing(index_elements=["id"]),
                [values_of(j) for j in again],
            )
            _update_many(
                connection, visits, [{"blog_id": b, "job_id": j.id} for j in again for b in j.blogs]
            )
        return again

    def jobs(self, limit: int = 100) -> list[JobRow]:
        """Open ones first, then the youngest."""
        order = (jobs.c.ended.is_not(None), jobs.c.created.desc())
        return self.state.rows(JobRow, select(jobs).order_by(*order).limit(limit))

    # nodes

    def nodes(self) -> list[NodeRow]:
        statement = select(nodes).where(nodes.c.state != "removed").order_by(nodes.c.url)
        return self.state.rows(NodeRow, statement)

    def save_node(self, node: NodeRow) -> None:
        self.state.save(node)

    def change_node(self, url: str, state: str) -> bool:
        """Let a node run dry (``draining``), work again (``active``) or go (``removed``).

        False if it is not known.
        """
        rows = self.nodes()
        row = next((n for n in rows if n.url == url.rstrip("/")), None)
        if row is None:
            return False
        changed = replace(row, state=state, retry_at=None)
        others = [n for n in rows if n.url != row.url]
        self.save_node(fair_start(changed, others) if state == "active" else changed)
        return True

    def count_sent(self, node: str, jobs_sent: int) -> None:
        with self.state.write() as connection:
            connection.execute(
                update(nodes)
                .where(nodes.c.url == node)
                .values(jobs_sent=nodes.c.jobs_sent + jobs_sent)
            )

    def counts(self) -> dict[str, dict[str, int]]:
        """Return the numbers of turns, jobs and nodes by state."""
        out: dict[str, dict[str, int]] = {}
        with self.state.read() as connection:
            for table in (visits, jobs, nodes):
                rows = connection.execute(
                    select(table.c.state, func.count()).group_by(table.c.state)
                )
                out[table.name] = {str(state): int(n) for state, n in rows}
        return out

    def posts(self) -> PostCounts:
        """Count the posts of all blogs: of those in jobs what is archived by now, of the others as
        their last crawls left them.
        """
        lost = func.sum(visits.c.missing), func.count()
        in_jobs = visits.c.state.in_(("claimed", "visited"))
        crawled = select(visits.c.blog_id).where(in_jobs)
        with self.state.read() as connection:
            left = connection.execute(select(func.sum(visits.c.archived)).where(~in_jobs)).scalar()
            now = select(func.count()).select_from(archived_posts)
            now = now.where(archived_posts.c.blog_id.in_(crawled))
            archived = int(left or 0) + int(connection.execute(now).scalar() or 0)
            missing, blogs = connection.execute(select(*lost).where(visits.c.missing > 0)).one()
        return PostCounts(archived=archived, missing=int(missing or 0), blogs_missing=int(blogs))

    def overdue(self, now: datetime) -> int:
        due = or_(
            visits.c.state == "visited",
            and_(visits.c.state == "waiting", is_due(visits.c.next_visit, now)),
        )
        return int(self.state.value(select(func.count()).select_from(visits).where(due)) or 0)


def _jobs_again(
    lost: JobRow, blogs: Sequence[str], begun: Collection[str], now: datetime
) -> list[JobRow]:
    """Return jobs that take over the blogs of a lost one: one for each begun crawl, one for the
    rest."""
    rest = [blog for blog in blogs if blog not in begun]
    groups = [([blog], lost.attempt + 1) for blog in blogs if blog in begun]
    if rest:
        groups.append((rest, lost.attempt if begun else lost.attempt + 1))
    return [
        JobRow(
            id=job_id(lost.kind, some, lost.created, attempt),
            kind=lost.kind,
            host=lost.host,
            blogs=some,
            attempt=attempt,
            created=now,
        )
        for some, attempt in groups
    ]


def _batches(rows: Iterable[Any], size: int) -> Iterator[list[Any]]:
    batch: list[Any] = []
    for row in rows:
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
