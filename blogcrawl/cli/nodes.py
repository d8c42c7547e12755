"""``blogcrawl nodes``, ``jobs``, ``blogs``: show and manage the cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import click

from blogcrawl.cli.options import archive_options, json_option, reading_config
from blogcrawl.cli.output import Output, shorten
from blogcrawl.core.errors import UsageError


@contextlib.contextmanager
def _schedule(archive: str | None, pairs: tuple[str, ...]) -> Iterator[Any]:
    from blogcrawl.storage.schedule import Schedule
    from blogcrawl.storage.state import open_state

    with contextlib.closing(open_state(reading_config(archive, pairs))) as state:
        yield Schedule(state)


def _time(moment: datetime | None) -> str:
    return moment.strftime("%Y-%m-%d %H:%M") if moment else "-"


@click.command()
@archive_options
@click.option("--drain", metavar="URL", help="Send this node no new jobs; running ones finish.")
@click.option("--resume", metavar="URL", help="Send it jobs again.")
@click.option(
    "--remove", metavar="URL", help="Remove it; its open jobs are reissued when their leases end."
)
@json_option
def nodes(
    archive: str | None,
    pairs: tuple[str, ...],
    drain: str | None,
    resume: str | None,
    remove: str | None,
    as_json: bool,
) -> None:
    """Show the cluster's nodes, or change one."""
    from blogcrawl.storage.schedule import shown_state

    out = Output(as_json)
    with _schedule(archive, pairs) as schedule:
        for url, state in ((drain, "draining"), (resume, "active"), (remove, "removed")):
            if url is not None and not schedule.change_node(url, state):
                raise UsageError(f"unknown node {url}", advice="blogcrawl nodes shows them")
        rows, posts = schedule.nodes(), schedule.posts()
    states = [shown_state(node, datetime.now(UTC)) for node in rows]
    out.result([asdict(n) | {"shown": s} for n, s in zip(rows, states, strict=True)])
    out.table(
        ["state", "slots", "running", "pending", "sent", "seen", "trouble", "node"],
        [
            [
                state,
                str(n.capacity),
                *(("-", "-") if state in {"down", "unknown"} else (str(n.running), str(n.pending))),
                str(n.jobs_sent),
                _time(n.last_seen),
                n.trouble or "-",
                n.url,
            ]
            for n, state in zip(rows, states, strict=True)
        ],
    )
    out.note(f"posts: {posts}")


@click.command()
@archive_options
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Maximum number of jobs.",
)
@json_option
def jobs(archive: str | None, pairs: tuple[str, ...], limit: int, as_json: bool) -> None:
    """Show jobs: open ones first, then the newest."""
    out = Output(as_json)
    with _schedule(archive, pairs) as schedule:
        rows = schedule.jobs(limit)
    out.result([asdict(j) for j in rows])
    out.table(
        ["state", "kind", "try", "blogs", "created", "ended", "node", "job", "reason"],
        [
            [
                j.state,
                j.kind,
                str(j.attempt),
                str(len(j.blogs)),
                _time(j.created),
                _time(j.ended),
                j.node or "-",
                j.id,
                shorten(j.reason, 60),
            ]
            for j in rows
        ],
    )


@click.command()
@archive_options
@click.option(
    "--state",
    type=click.Choice(["waiting", "claimed", "visited", "paused", "listed", "gone"]),
    help="Only blogs in this state.",
)
@click.option(
    "--retry", metavar="URL|ID", help="Schedule a listed, gone or paused blog again, due now."
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Maximum number of blogs, the next due first.",
)
@json_option
def blogs(
    archive: str | None,
    pairs: tuple[str, ...],
    state: str | None,
    retry: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """Show the next visit of each blog, or failing blogs and the reason (--state listed)."""
    from blogcrawl.packaging.ids import blog_id
    from blogcrawl.urls.canonical import canonicalize

    out = Output(as_json)
    with _schedule(archive, pairs) as schedule:
        if retry is not None:
            row = schedule.get_visit(retry) or schedule.get_visit(blog_id(canonicalize(retry)))
            if row is None:
                raise UsageError(f"unknown blog {retry}", advice="blogcrawl blogs shows them")
            if row.state == "claimed":
                raise UsageError(
                    f"{row.url} is in job {row.job_id}", advice="blogcrawl jobs shows it"
                )
            schedule.visit_now(row.blog_id, row.url, datetime.now(UTC))
        rows = list(schedule.visits(state, limit))
    out.result([asdict(r) for r in rows])
    out.table(
        ["state", "kind", "next visit", "posts", "missing", "failures", "blog", "reason"],
        [
            [
                r.state,
                r.kind,
                _time(r.next_visit),
                str(r.archived),
                str(r.missing),
                str(r.failures),
                r.url,
                shorten(r.reason, 60),
            ]
            for r in rows
        ],
    )
