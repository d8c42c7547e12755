"""``blogcrawl controller``: assign due blogs to Scrapyd nodes, round after round."""

from __future__ import annotations

import asyncio
import math
import os
import signal
import socket
import sys
from collections import Counter
from contextlib import closing
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from blogcrawl.cli.options import archive_option, config_from, json_option
from blogcrawl.cli.output import Output
from blogcrawl.core.credentials import hidden
from blogcrawl.core.errors import IncompleteError, UsageError
from blogcrawl.core.logs import log_as_json
from blogcrawl.text.visible import natural


@click.command()
@click.argument("lists", nargs=-1, metavar="[LIST]...")
@archive_option
@click.option(
    "--node",
    "node_urls",
    multiple=True,
    metavar="URL[=SLOTS]",
    help="A Scrapyd server to add, with its process slots (default 2).",
)
@click.option("--once", is_flag=True, help="Run one round, then exit (for cron).")
@click.option("--until-idle", is_flag=True, help="Exit when no blog is due and no job is open.")
@click.option(
    "--egg-version", default="", metavar="VERSION", help="The egg version that nodes must have."
)
@click.option(
    "--base-hours",
    type=click.FloatRange(min=0, min_open=True),
    default=2.0,
    show_default=True,
    help="Interval for a blog that posts daily; others scale with the square root.",
)
@click.option(
    "--host-budget",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Open jobs per host in the whole cluster.",
)
@click.option(
    "--pause",
    type=click.FloatRange(min=0),
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="Pause between two rounds.",
)
@click.option(
    "--lease",
    type=click.FloatRange(min=1),
    default=120.0,
    show_default=True,
    metavar="SECONDS",
    help="Reissue a job whose lease was not renewed for this time.",
)
@click.option(
    "--metrics",
    type=click.IntRange(1, 65535),
    metavar="PORT",
    help="Serve /metrics for Prometheus, and /healthz, on this loopback port.",
)
@click.option(
    "--websub",
    metavar="URL",
    help=(
        "Subscribe to hubs; a proxy forwards this public URL to /websub/ on the port of --metrics."
    ),
)
@click.option(
    "--set",
    "pairs",
    multiple=True,
    metavar="NAME=VALUE",
    help="A blogcrawl setting for every job (docs/settings.md).",
)
@json_option
def controller(
    lists: tuple[str, ...],
    archive: str | None,
    node_urls: tuple[str, ...],
    pairs: tuple[str, ...],
    **given: Any,
) -> int:
    """Schedule crawl jobs on Scrapyd nodes.

    LIST is an OPML, CSV or plain list of blogs, - is standard input. State and packages are those
    of the archive folder, or of BLOGCRAWL_STATE_URL and BLOGCRAWL_STORE_URL. User name and password
    of the nodes come from BLOGCRAWL_NODES_USERNAME and BLOGCRAWL_NODES_PASSWORD, or from the file
    named by BLOGCRAWL_NODES_PASSWORD_FILE. Passwords are never sent with a job.
    """
    from blogcrawl.storage.archive import open_archive
    from blogcrawl.storage.ocfl import open_store
    from blogcrawl.storage.outage import wait_for
    from blogcrawl.storage.schedule import Schedule
    from blogcrawl.storage.state import open_state

    out = Output(given["as_json"])
    config = config_from(*pairs, archive=archive)
    open_archive(config, now=datetime.now(UTC))
    with closing(wait_for(lambda: open_state(config), math.inf, report=out.note)) as state:
        # create it here, once, not in all first jobs at the same time
        wait_for(lambda: open_store(config), math.inf, report=out.note)
        schedule = Schedule(state)
        take_lists(schedule, lists, out)
        _take_nodes(schedule, node_urls)
        settings = job_settings(config, pairs)
        given["allow_private"] = config.allow_private
        if config.log_format == "json":
            log_as_json({"controller": controller_name()})
        return asyncio.run(_rounds(schedule, settings, given, out))


def take_lists(schedule: Any, lists: tuple[str, ...], out: Output) -> None:
    from blogcrawl.cluster.sources import open_list, read_blogs, turns_of

    now = datetime.now(UTC)
    for name in lists:
        stream = sys.stdin if name == "-" else open_list(Path(name))
        with stream:
            added = schedule.add_blogs(turns_of(read_blogs(stream, name), now))
        out.note(f"{name}: {added} new blogs")


def _take_nodes(schedule: Any, node_urls: tuple[str, ...]) -> None:
    from blogcrawl.storage.schedule import LOCAL, fair_start
    from blogcrawl.storage.tables import NodeRow

    for node in schedule.nodes():
        if node.url == LOCAL:
            schedule.save_node(replace(node, state="removed"))
    for text in node_urls:
        url, slots = _node(text)
        known = {n.url: n for n in schedule.nodes()}
        if url not in known or known[url].capacity != slots:
            node = NodeRow(url=url, capacity=slots)
            schedule.save_node(fair_start(node, list(known.values())))


def _node(text: str) -> tuple[str, int]:
    """Return address and slots of a node as it is named on the command line. Raises UsageError."""
    url, _, slots = text.partition("=")
    if not is_node(url) or (slots and not natural(slots)):
        advice = (
            "user and password of all nodes come from BLOGCRAWL_NODES_USERNAME and "
            "BLOGCRAWL_NODES_PASSWORD_FILE"
        )
        raise UsageError(
            f"--node takes http://host:6800 or http://host:6800=SLOTS, not {hidden(text)!r}",
            advice=advice if "@" in text else None,
        )
    return url.rstrip("/"), int(slots or 2)


def is_node(url: str) -> bool:
    """Return whether this is a server's address, without a login."""
    try:
        parts = urlsplit(url)
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and (parts.port or 1) > 0
            and "@" not in parts.netloc
        )
    except ValueError:
        return False


def job_settings(config: Any, pairs: tuple[str, ...]) -> dict[str, str]:
    """Return the settings of every job: locations, files, environment and command line.

    Secrets are left out, since a job's settings are arguments of its process; each node has its own
    (``config.SECRETS``).
    """
    from blogcrawl.cli.settings_file import given_settings
    from blogcrawl.core.config import NO_BROWSER, PREFIX, SECRETS
    from blogcrawl.core.credentials import without_password

    settings = given_settings(config.archive)
    for pair in pairs:
        name, _, value = pair.partition("=")
        settings[PREFIX + name.strip().upper().removeprefix(PREFIX)] = value
    for name in SECRETS:
        settings.pop(PREFIX + name.upper(), None)
    if settings.get(PREFIX + "BROWSER_PATH") == NO_BROWSER:  # here; a node may have one
        del settings[PREFIX + "BROWSER_PATH"]
    if config.state_url:
        settings[PREFIX + "STATE_URL"] = without_password(config.state_url)
    settings[PREFIX + "ARCHIVE"] = str(config.archive_path.absolute())
    return settings


def controller_name() -> str:
    return f"{socket.gethostname()}-{os.getpid()}"


def _subscriber(schedule: Any, given: dict[str, Any]) -> Any:
    """Return the WebSub subscriber, if one is configured. Raises UsageError."""
    if not given["websub"]:
        return None
    from blogcrawl.cli.options import http_url
    from blogcrawl.cluster.websub_client import Subscriber
    from blogcrawl.storage.subscriptions import Subscriptions

    if not given["metrics"]:
        raise UsageError(
            "--websub requires a port for the hubs' requests", advice="add --metrics PORT"
        )
    return Subscriber(
        Subscriptions(schedule.state),
        http_url(given["websub"]),
        allow_private=given["allow_private"],
    )


def _round_text(tick: Any) -> str:
    """Describe one round."""
    parts = [
        (tick.sent, "jobs sent"),
        (tick.finished, "jobs ended"),
        (tick.reissued, "lost jobs reissued"),
        (tick.turned, "blogs scheduled for their next visit"),
    ]
    done = ", ".join(f"{number} {what}" for number, what in parts if number)
    return "; ".join([*([done] if done else []), *tick.troubled]) or "all nodes are available"


def _controller(schedule: Any, settings: dict[str, str], given: dict[str, Any]) -> Any:
    from blogcrawl.cluster.controller import Controller, ControllerConfig
    from blogcrawl.cluster.plan import Limits
    from blogcrawl.cluster.scrapyd import ScrapydClient
    from blogcrawl.core.credentials import secret

    user = os.environ.get("BLOGCRAWL_NODES_USERNAME", "")
    password = secret("BLOGCRAWL_NODES_PASSWORD")
    config = ControllerConfig(
        name=controller_name(),
        settings=settings,
        egg_version=given["egg_version"],
        base_hours=given["base_hours"],
        lease_seconds=given["lease"],
        limits=Limits(host_budget=given["host_budget"]),
    )
    return Controller(
        schedule,
        config,
        lambda url: ScrapydClient(url, username=user, password=password),
        _subscriber(schedule, given),
    )


def _is_last(tick: Any, schedule: Any, given: dict[str, Any], now: datetime) -> bool:
    """Return whether the controller exits after this round."""
    if given["once"]:
        return True
    if not (given["until_idle"] and tick.leads and tick.idle):
        return False
    return not schedule.open_jobs() and not schedule.overdue(now)


async def _rounds(
    schedule: Any, settings: dict[str, str], given: dict[str, Any], out: Output
) -> int:
    from blogcrawl.cluster.endpoint import serving
    from blogcrawl.cluster.metrics import Rounds

    controller = _controller(schedule, settings, given)
    rounds = Rounds()
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    last: Any = None

    def report(tick: Any) -> None:
        nonlocal last
        if not tick.idle or (last and last.troubled != tick.troubled):
            out.note(_round_text(tick))
        last = tick
        now = datetime.now(UTC)
        rounds.add(tick, now)
        if _is_last(tick, schedule, given, now):
            stop.set()

    async with serving(given["metrics"], schedule, rounds, controller.subscriber):
        await controller.run(stop, pause_seconds=given["pause"], report=report)
    return _print_end(out, schedule, leads=bool(last and last.leads), given=given)


def _print_end(out: Output, schedule: Any, *, leads: bool, given: dict[str, Any]) -> int:
    """Print the final state of the schedule and return the exit code."""
    from blogcrawl.storage.schedule import shown_state

    counts, posts = schedule.counts(), schedule.posts()
    out.result({"counts": counts, "posts": asdict(posts), "leads": leads})
    shown = Counter(shown_state(node, datetime.now(UTC)) for node in schedule.nodes())
    for name, states in {**counts, "nodes": shown}.items():
        out.line(
            f"{'blogs' if name == 'visits' else name:7} "
            + ", ".join(f"{n} {state}" for state, n in sorted(states.items()))
        )
    out.line(f"posts   {posts}")
    return IncompleteError.exit_code if given["until_idle"] and posts.missing else 0
