"""``blogcrawl doctor``: check what a crawl needs of this machine and its settings."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import click

from blogcrawl.cli.options import archive_options, config_from, json_option
from blogcrawl.cli.output import Output, plain, size, suggestion
from blogcrawl.cli.settings_file import files_read, setting_names
from blogcrawl.core.config import PREFIX, Config
from blogcrawl.core.credentials import redact, secret, without_password
from blogcrawl.core.errors import BlogcrawlError
from blogcrawl.core.organization import missing_settings

Level = Literal["ok", "warning", "error"]
FEW_BYTES, MIN_BYTES = 5 * 2**30, 200 * 2**20
"""Free space below which a crawl may soon stop (warning), and hardly begins (error): a blog of some
hundred posts with pictures takes 100 MB to 1 GB."""
BROWSER_SECONDS, NODE_SECONDS = 20.0, 5.0
OLDEST_PYTHON = (3, 11)
OPTIONAL = {"s3fs": "s3", "psycopg": "postgres", "pywb": "replay", "pyarrow": "parquet"}
"""Module -> the extra of setup.py that has it."""
OTHER_VARIABLES = frozenset(
    PREFIX + name
    for name in (
        "DEBUG VENV NO_SYSTEM PROGRAM COMPLETE NODES_USERNAME NODES_PASSWORD NODES_PASSWORD_FILE "
        "STATE_URL_FILE WEBHOOK_FILE CREDENTIALS_FILE_FILE USERS CONTROLLER_OPTIONS"
    ).split()
)
"""Variables that are no settings."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check: what was found, and what to do about it."""

    check: str
    level: Level
    text: str
    advice: str = ""


@click.command()
@archive_options
@json_option
def doctor(archive: str | None, pairs: tuple[str, ...], as_json: bool) -> int:
    """Check what a crawl needs: Python, libraries, browser, disk, archive, database, store, nodes,
    clock and settings.

    One line each: ok, warning or error, and what to do. Exit code 0 if there is no error, else 1.
    Nothing is requested but of the cluster's own nodes.
    """
    out = Output(as_json)
    try:
        config, found = config_from(*pairs, archive=archive), []
    except BlogcrawlError as error:
        config, found = Config(), [_failed("settings", error)]
    for check in CHECKS:
        found += check(config)
    for finding in found:
        _print(out, finding)
    counts = {level: sum(one.level == level for one in found) for level in ("warning", "error")}
    out.result({**counts, "checks": [asdict(finding) for finding in found]})
    return BlogcrawlError.exit_code if counts["error"] else 0


def _print(out: Output, finding: Finding) -> None:
    if out.json_mode:
        return
    colour = {"ok": "green", "warning": "yellow", "error": "red"}[finding.level]
    level = click.style(f"{finding.level:8}", fg=colour)
    advice = f" - {finding.advice}" if finding.advice else ""
    click.echo(f"{level} {finding.check:13} {plain(finding.text + advice)}")


def _failed(check: str, error: BlogcrawlError) -> Finding:
    return Finding(check, "error", error.message, error.advice or "")


def check_python(_config: Config) -> Iterator[Finding]:
    text = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    if sys.version_info[:2] < OLDEST_PYTHON:
        yield Finding("python", "error", text, "install Python 3.11 or newer")
    else:
        yield Finding("python", "ok", text)


def check_libraries(_config: Config) -> Iterator[Finding]:
    """Compare the installed packages with what this version requires."""
    from importlib import metadata
    from importlib.util import find_spec

    from blogcrawl.core.requirements import unmet

    try:
        lacking = unmet(metadata.requires("blogcrawl") or ())
    except metadata.PackageNotFoundError:  # a clone: the modules that every crawl imports
        needed = ("scrapy", "lxml", "sqlalchemy", "msgspec", "numpy", "nh3", "warcio", "httpx")
        lacking = [name for name in needed if find_spec(name) is None]
    if lacking:
        advice = "pip install --require-hashes -r deploy/requirements.lock"
        yield Finding("libraries", "error", f"missing: {', '.join(lacking)}", advice)
        return
    absent = [extra for module, extra in OPTIONAL.items() if find_spec(module) is None]
    note = f"; extras that are not installed: {', '.join(absent)}" if absent else ""
    yield Finding("libraries", "ok", f"all required ones are installed{note}")


def check_browser(config: Config) -> Iterator[Finding]:
    """Start the browser once: a program that is there may lack libraries of the system."""
    from blogcrawl.crawling.handlers.browser import find_browser

    advice = (
        f"install Chromium, or name it with {PREFIX}BROWSER_PATH; without it, pages that need "
        "scripts are archived as they are"
    )
    if config.render == "never" or config.browser_path == "none":
        yield Finding("browser", "ok", "not used (render is never)")
        return
    program = find_browser(config.browser_path)
    if program is None:
        level: Level = "error" if config.render == "always" or config.browser_path else "warning"
        yield Finding("browser", level, "no Chromium was found", advice)
        return
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=BROWSER_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        yield Finding("browser", "error", f"{program} does not start: {error}", advice)
        return
    if done.returncode:
        why = " ".join(done.stderr.split())[:200]
        yield Finding("browser", "error", f"{program} does not start: {why}", advice)
    else:
        yield Finding("browser", "ok", f"{done.stdout.strip()} ({program})")


def check_archive(config: Config) -> Iterator[Finding]:
    """Check the folder, whether it can be written, and the space of its disk."""
    from blogcrawl.storage.archive import open_archive
    from blogcrawl.storage.files import probe_folder

    path = config.archive_path.absolute()
    text = f"{path} (the first crawl makes it)"
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        text = str(path)
        try:
            open_archive(config, now=datetime.now(UTC), create=False, reading=True)
        except BlogcrawlError as error:
            yield _failed("archive", error)
            return
    yield Finding("archive", "ok", text)
    place = next(folder for folder in (path, *path.parents) if folder.exists())
    try:
        probe_folder(place)
        yield Finding("write access", "ok", str(place))
    except BlogcrawlError as error:
        yield _failed("write access", error)
    yield _disk(place)


def _disk(place: Path) -> Finding:
    free = shutil.disk_usage(place).free
    text, advice = f"{size(free)} free at {place}", "free some space, or use another disk"
    if free < MIN_BYTES:
        return Finding("disk", "error", text, advice)
    if free < FEW_BYTES:
        return Finding("disk", "warning", text, "a blog takes 100 MB to 1 GB")
    return Finding("disk", "ok", text)


def check_database(config: Config) -> Iterator[Finding]:
    from blogcrawl.storage.state import open_state

    place = redact(without_password(config.state_url)) or str(config.archive_path / "state.db")
    if not config.state_url and not Path(place).exists():
        yield Finding("database", "ok", "none yet: the first crawl makes it")
        return
    try:
        with closing(open_state(config, reading=True)) as state:
            posts, faults = state.post_span().posts, list(state.check())
    except BlogcrawlError as error:
        yield _failed("database", error)
        return
    if faults:
        advice = "blogcrawl verify names all faults"
        yield Finding("database", "error", f"{place} is damaged: {faults[0]}", advice)
    else:
        yield Finding("database", "ok", f"{place}, {posts} posts")


def check_store(config: Config) -> Iterator[Finding]:
    from blogcrawl.storage.files import probe_folder
    from blogcrawl.storage.ocfl import open_store, store_place

    place = store_place(config)
    root = None if "://" in place else Path(place)
    if root is not None and not root.exists():
        yield Finding("store", "ok", "none yet: the first crawl makes it")
        return
    try:
        if root is None:
            open_store(config, reading=True).probe()
        else:
            probe_folder(root.parent)
    except BlogcrawlError as error:
        yield _failed("store", error)
        return
    if root is not None and not any(root.glob("0=ocfl_*")):
        advice = "blogcrawl verify names what is wrong"
        yield Finding("store", "error", f"{place} is no OCFL storage root", advice)
    else:
        yield Finding("store", "ok", place)


def check_nodes(config: Config) -> Iterator[Finding]:
    """Ask each node of the cluster, if the database has any."""
    from blogcrawl.storage.schedule import Schedule
    from blogcrawl.storage.state import open_state

    if not config.state_url and not (config.archive_path / "state.db").exists():
        return
    try:
        with closing(open_state(config, reading=True)) as state:
            nodes = [node.url for node in Schedule(state).nodes() if node.state != "removed"]
    except BlogcrawlError:
        return  # the check of the database names it
    for url, fault in zip(nodes, asyncio.run(_ask(nodes)), strict=True):
        advice = "start Scrapyd there, or take the node out: blogcrawl nodes --remove URL"
        yield (
            Finding("node", "error", f"{url}: {fault}", advice)
            if fault
            else Finding("node", "ok", url)
        )


async def _ask(nodes: list[str]) -> list[str | None]:
    """Return why each node does not respond; None if it does."""
    from blogcrawl.cluster.scrapyd import NodeError, ScrapydClient

    user = os.environ.get(f"{PREFIX}NODES_USERNAME", "")
    password = secret(f"{PREFIX}NODES_PASSWORD")

    async def one(url: str) -> str | None:
        client = ScrapydClient(url, username=user, password=password, timeout_seconds=NODE_SECONDS)
        try:
            await client.jobs()
        except NodeError as error:
            return error.message
        finally:
            await client.close()
        return None

    return list(await asyncio.gather(*map(one, nodes)))


def check_clock(config: Config) -> Iterator[Finding]:
    from blogcrawl.cli.clock import clock_fault
    from blogcrawl.storage.archive import made_at

    now = datetime.now(UTC)
    fault = clock_fault(now, made_at(config.archive_path))
    if fault:
        text, _, advice = fault.partition(" - ")
        yield Finding("clock", "error", text, advice)
    else:
        yield Finding("clock", "ok", f"{now:%Y-%m-%d %H:%M} UTC")


def check_settings(config: Config) -> Iterator[Finding]:
    """Name the files that settings come from, and variables that look like settings."""
    files = files_read(config.archive)
    yield Finding("settings", "ok", ", ".join(map(str, files)) or "no blogcrawl.toml")
    known = {PREFIX + name.upper() for name in setting_names()}
    for name in sorted(os.environ):
        if name.startswith(PREFIX) and name not in known | OTHER_VARIABLES:
            advice = suggestion(name, known) or "docs/settings.md lists all"
            yield Finding("settings", "warning", f"{name} is no setting", advice)


def check_organization(config: Config) -> Iterator[Finding]:
    lacks = [name for name in missing_settings(config.operator) if name != "contact"]
    if lacks:
        advice = "packages and WARC files will lack it: docs/settings.md"
        yield Finding("organization", "warning", f"not set: {', '.join(lacks)}", advice)
    else:
        yield Finding("organization", "ok", config.operator.line())


def check_contact(config: Config) -> Iterator[Finding]:
    contact = config.operator.contact
    if not contact:
        advice = "blogs and readers of packages see no one to ask: docs/settings.md"
        yield Finding("contact", "warning", "not set", advice)
    elif not config.operator.mail:
        advice = "`blogcrawl serve` gives no OAI-PMH, which needs a mail address"
        yield Finding("contact", "warning", f"{contact} is no mail address", advice)
    else:
        yield Finding("contact", "ok", contact)


CHECKS: tuple[Callable[[Config], Iterator[Finding]], ...] = (
    check_python,
    check_libraries,
    check_browser,
    check_archive,
    check_database,
    check_store,
    check_nodes,
    check_clock,
    check_settings,
    check_organization,
    check_contact,
)
