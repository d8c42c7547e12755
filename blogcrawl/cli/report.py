"""``blogcrawl report``: summarise crawls per blog and, in a cluster, per host and node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

import click

from blogcrawl.cli.options import Moment, archive_options, json_option, reading_config
from blogcrawl.cli.output import Output, shorten, size, span
from blogcrawl.core.config import Config
from blogcrawl.core.errors import UsageError
from blogcrawl.storage.lookup import find_blog
from blogcrawl.web.texts import LANGUAGES


@click.command()
@click.argument("name", metavar="[BLOG]", required=False)
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write one self-contained page about BLOG: completeness, plots, losses, samples.",
)
@click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    default="en",
    show_default=True,
    help="Language of the page.",
)
@archive_options
@click.option(
    "--cluster", is_flag=True, help="Also per host and node, and the failing blogs with the reason."
)
@click.option(
    "--since", type=Moment(), help="Only crawls that ended since then (ISO date or Unix time)."
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=50,
    show_default=True,
    help="Rows per table, the busiest first (0: all).",
)
@json_option
def report(
    name: str | None,
    page: Path | None,
    language: str,
    archive: str | None,
    pairs: tuple[str, ...],
    cluster: bool,
    since: datetime | None,
    limit: int,
    as_json: bool,
) -> None:
    """Summarise posts, failures and throughput of crawls, of BLOG or of all.

    With --html the page about BLOG needs nothing else and can be mailed.
    """
    from blogcrawl.cluster.crawl_stats import sum_up
    from blogcrawl.storage.schedule import Schedule
    from blogcrawl.storage.state import open_state

    out = Output(as_json)
    if page and not name:
        raise UsageError("--html requires a BLOG", advice="blogcrawl list shows all blogs")
    config = reading_config(archive, pairs)
    with closing(open_state(config, reading=True)) as state:
        blog = find_blog(state, name) if name else None
        if blog is not None and page:
            _write_page(out, config, state, blog, page, language)
            return
        sums = sum_up(_ended(state, blog, since))
        of_cluster = _of_cluster(Schedule(state), sums, limit) if cluster else {}
    out.result({"outcomes": sums.outcomes, "blogs": _json(sums.blogs), **of_cluster})
    _table(out, "blog", sums.blogs, limit)
    if cluster:
        _table(out, "host", sums.hosts, limit)
        nodes = {name or "(no cluster)": tally for name, tally in sums.nodes.items()}
        _table(out, "node", nodes, limit)
        _failing(out, of_cluster["listed"])
        _counts(out, of_cluster["counts"])


def _of_cluster(schedule: Any, sums: Any, limit: int) -> dict[str, Any]:
    """Return what the report of a cluster has besides."""
    visits = (schedule.visits(kind, limit or 1_000_000) for kind in ("listed", "gone"))
    return {
        "hosts": _json(sums.hosts),
        "nodes": _json(sums.nodes),
        "listed": list(map(asdict, chain.from_iterable(visits))),
        "counts": schedule.counts(),
    }


def _counts(out: Output, counts: Mapping[str, Mapping[str, int]]) -> None:
    """Print how many of the schedule's rows are in each state."""
    out.line()
    for name, states in counts.items():
        numbers = ", ".join(f"{n} {state}" for state, n in sorted(states.items()))
        out.line(f"{name:7} {numbers}")


def _ended(state: Any, blog: Any, since: datetime | None) -> Iterator[Any]:
    """Yield the crawls that ended, only those of the blog if there is one."""
    for one in state.ended_crawls(since):
        if blog is None or one.crawl.blog_id == blog.id:
            yield one


def _write_page(
    out: Output, config: Config, state: Any, blog: Any, page: Path, language: str
) -> None:
    from blogcrawl.storage.files import disk_errors, replace_file
    from blogcrawl.storage.ocfl import open_store
    from blogcrawl.web.report_page import Report

    made = Report(state, open_store(config, reading=True), config.operator, datetime.now(UTC))
    with disk_errors(str(page)):
        replace_file(page, made.page(blog, language))
    out.result({"blog": blog.url, "file": str(page)})
    out.note(f"{page} is a report on {blog.url}")


def _failing(out: Output, visits: Sequence[Mapping[str, Any]]) -> None:
    if visits:
        out.line()
        out.table(
            ["state", "failures", "blog", "reason"],
            [[v["state"], str(v["failures"]), v["url"], shorten(v["reason"], 80)] for v in visits],
        )


def _json(tallies: dict[str, Any]) -> dict[str, Any]:
    return {name: tally.to_json() for name, tally in tallies.items()}


def _table(out: Output, what: str, tallies: dict[str, Any], limit: int) -> None:
    if not tallies:
        return
    busiest = sorted(tallies.items(), key=lambda item: (-item[1].posts, item[0]))
    head = ["crawls", "failed", "posts", "changed", "missing", "unread", "comments incomplete"]
    head += ["requests", "fetched", "crawl time", "posts/s", what, "reason"]
    out.line()
    out.table(
        head,
        [
            [
                str(t.crawls),
                str(t.failed),
                str(t.posts),
                str(t.changed),
                str(t.missing),
                str(t.unread),
                str(t.comments_incomplete),
                str(t.requests),
                size(t.bytes),
                span(t.seconds),
                f"{t.posts_a_second:.2f}",
                name or "-",
                shorten(t.reason or _losses(t), 60) if what == "blog" else "",
            ]
            for name, t in busiest[: limit or None]
        ],
    )


def _losses(tally: Any) -> str:
    """Return why posts are missing, the most frequent reason first."""
    return ", ".join(
        f"{number} {reason}"
        for reason, number in sorted(tally.missing_reasons.items(), key=lambda item: -item[1])
    )
