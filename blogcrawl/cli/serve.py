"""``blogcrawl serve``: the reading room."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from blogcrawl.cli.options import archive_option, config_from, json_option, settings_option
from blogcrawl.cli.output import Output
from blogcrawl.core.config import NO_BROWSER, PREFIX, Config
from blogcrawl.core.errors import UsageError


@click.command()
@click.argument("lists", nargs=-1, metavar="[LIST]...")
@click.option(
    "--crawl",
    is_flag=True,
    help="Also crawl: visit the archive's blogs, and those of LIST, whenever they are due.",
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address or name to listen on."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8080,
    show_default=True,
    help="Port to listen on (0: any free one).",
)
@click.option(
    "--files-port",
    type=click.IntRange(0, 65535),
    help="Port for archived files, which are kept apart from the pages (default: the next one).",
)
@click.option(
    "--url",
    "public",
    metavar="URL",
    help="Address of the room as readers see it, behind a reverse proxy.",
)
@click.option("--files-url", metavar="URL", help="Address of the archived files as readers see it.")
@click.option(
    "--users",
    metavar="FILE",
    envvar="BLOGCRAWL_USERS",
    help="Users: a line each with NAME, reader or operator, and the HASH of a password.",
)
@click.option("--hash-password", is_flag=True, help="Ask for a password, print its hash and exit.")
@click.option(
    "--user-header",
    metavar="NAME",
    help="Header in which a reverse proxy names who is logged in, e.g. X-Remote-User.",
)
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="Address of the reverse proxy (default: 127.0.0.1); may be repeated.",
)
@click.option(
    "--operator",
    "operators",
    multiple=True,
    metavar="NAME",
    help="User named by the proxy who may change things; may be repeated.",
)
@click.option("--database", metavar="URL", help="The state database (default: in the archive).")
@archive_option
@settings_option
@json_option
def serve(
    lists: tuple[str, ...],
    crawl: bool,
    host: str,
    port: int,
    files_port: int | None,
    public: str | None,
    files_url: str | None,
    users: str | None,
    hash_password: bool,
    user_header: str | None,
    proxies: tuple[str, ...],
    operators: tuple[str, ...],
    database: str | None,
    archive: str | None,
    pairs: tuple[str, ...],
    as_json: bool,
) -> None:
    """Serve the archive as a web application: blogs, posts, comments, crawls.

    Without users it opens on this machine only and for reading, until Ctrl-C. LIST, with --crawl,
    is an OPML, CSV or plain list of blogs to archive.
    """
    if hash_password:
        print_hash()
        return
    from blogcrawl.storage.ocfl import open_store
    from blogcrawl.storage.search.filling import open_index
    from blogcrawl.storage.state import open_state
    from blogcrawl.web.app import captured_files, reading_room
    from blogcrawl.web.captured import Captures
    from blogcrawl.web.jobs import Jobs
    from blogcrawl.web.room import Room
    from blogcrawl.web.serving import bound
    from blogcrawl.web.serving import serve as serve_apps
    from blogcrawl.web.shield import is_loopback

    out = Output(as_json)
    if lists and not crawl:
        raise UsageError("a list of blogs goes with --crawl")
    if crawl or not database:
        made_archive(archive, pairs, out, anew=crawl)
    config = serving_config(database, archive, pairs)
    doors = doors_of(config, users, user_header, proxies, operators)
    if not (is_loopback(host) or doors.are_guarded):
        raise UsageError(
            f"{host} is reached from other machines, and no one needs a password",
            advice="give --users, or --user-header behind a reverse proxy, or leave --host away",
        )
    pages, files = listeners(host, port, files_port, bound)
    with closing(pages), closing(files), closing(open_state(config, reading=True)) as state:
        store = open_store(config, reading=True)
        address = public or f"http://{_named(host)}:{pages.getsockname()[1]}"
        origin = files_url or f"http://{_named(host)}:{files.getsockname()[1]}"
        captures = Captures(store, origin, secrets.token_bytes(32))
        settings = environment_of(config)
        replays = None if public else replays_of(host, settings)
        room = Room(
            state=state,
            store=store,
            captures=captures,
            operator=config.operator,
            now=lambda: datetime.now(UTC),
            public=address.rstrip("/"),
            index=lambda: open_index(config, state, store, reading=True),
            replays=replays,
            crawl_command=" ".join(("blogcrawl crawl", *named_archive(archive))),
        )
        hosts = list(filter(None, (host, hostname(public))))

        jobs = Jobs(settings)

        def ready() -> None:
            out.result({"url": address, "files": origin})
            out.line(address)
            out.note("the reading room is open; Ctrl-C closes it")

        room_app = reading_room(room, doors, jobs=jobs, hosts=hosts)
        keeping_up = crawling(config, pairs, lists, out) if crawl else nullcontext()
        with closing(jobs), closing(replays) if replays else nullcontext(), keeping_up:
            serve_apps([(room_app, pages), (captured_files(captures), files)], ready)


def print_hash() -> None:
    """Ask for a password and print what a file of users has of it."""
    from blogcrawl.web.access import hash_password

    click.echo(hash_password(click.prompt("Password", hide_input=True, confirmation_prompt=True)))


def environment_of(config: Config) -> dict[str, str]:
    """Return the environment of commands that work on the same archive."""
    return {
        PREFIX + "ARCHIVE": str(config.archive_path.absolute()),
        PREFIX + "STATE_URL": config.state_url,
        PREFIX + "STORE_URL": config.store_url,
    }


def replays_of(host: str, settings: dict[str, str]) -> Any:
    """Return what starts replays; None where others than this machine are served, or no pywb is
    installed."""
    from blogcrawl.web.replays import Replays, is_possible
    from blogcrawl.web.shield import is_loopback

    return Replays(settings) if is_loopback(host) and is_possible() else None


def made_archive(
    archive: str | None, pairs: tuple[str, ...], out: Output, *, anew: bool = False
) -> None:
    """Make the archive, if there is none yet: the first blog can be added from its page.

    ``anew``: one that is there is opened for writing too. Raises ArchiveError for a folder with
    other things in it.
    """
    from blogcrawl.storage.archive import MARK, STATE_FILE, open_archive
    from blogcrawl.storage.ocfl import open_store
    from blogcrawl.storage.state import open_state

    config = config_from(*pairs, archive=archive)
    if not anew and (config.state_url or (config.archive_path / MARK).exists()):
        return
    is_new = not config.state_url and not (config.archive_path / STATE_FILE).exists()
    open_archive(config, now=datetime.now(UTC))
    open_state(config).close()
    open_store(config)
    if is_new:
        out.note(f"there was no archive at {config.archive_path}: made an empty one")


def named_archive(archive: str | None) -> tuple[str, ...]:
    """Return the option that names this archive in another command."""
    return ("--archive", shlex.quote(str(Path(archive).absolute()))) if archive else ()


@contextmanager
def crawling(
    config: Config, pairs: tuple[str, ...], lists: tuple[str, ...], out: Output
) -> Iterator[None]:
    """Crawl what is due while the body runs."""
    from blogcrawl.cli.controller import controller_name, job_settings, take_lists
    from blogcrawl.cluster.worker import keeping_up
    from blogcrawl.storage.schedule import Schedule
    from blogcrawl.storage.state import open_state

    with closing(open_state(config)) as state:
        schedule = Schedule(state)
        take_lists(schedule, lists, out)
        output = config.archive_path / "crawls" / "worker.log"
        settings = job_settings(config, pairs)
        if config.browser_path == NO_BROWSER:
            settings[PREFIX + "RENDER"] = "never"
        with keeping_up(schedule, settings, output, name=controller_name()):
            yield


def serving_config(database: str | None, archive: str | None, pairs: tuple[str, ...]) -> Config:
    """Return the configuration. Raises UsageError, ArchiveError if there is no archive."""
    from blogcrawl.cli.options import reading_config
    from blogcrawl.core.credentials import without_password

    if not database:
        return reading_config(archive, pairs)
    if without_password(database) != database:
        raise UsageError(
            "--database has a password, and other users can list the arguments of a command",
            advice="set BLOGCRAWL_STATE_URL, or BLOGCRAWL_STATE_URL_FILE to a file with it",
        )
    return replace(config_from(*pairs, archive=archive), state_url=database)


def doors_of(
    config: Config,
    users: str | None,
    header: str | None,
    proxies: Sequence[str],
    operators: Sequence[str],
) -> Any:
    """Return who is let in. Raises UsageError."""
    from blogcrawl.storage.archive import AUDIT
    from blogcrawl.web.access import Users
    from blogcrawl.web.gate import Doors

    if users and header:
        raise UsageError("--users and --user-header exclude each other")
    if (proxies or operators) and not header:
        raise UsageError("--proxy and --operator go with --user-header")
    return Doors(
        users=Users.read(Path(users)) if users else None,
        header=header or "",
        proxies=frozenset(proxies or ("127.0.0.1",)) if header else frozenset(),
        operators=frozenset(operators),
        audit=config.archive_path / AUDIT if config.archive_path.is_dir() else None,
    )


def listeners(host: str, port: int, files_port: int | None, bound: Any) -> tuple[Any, Any]:
    """Return the sockets of pages and of files. Raises UsageError if a port is taken."""
    pages = bound(host, port)
    try:
        follows = files_port is None and port
        chosen = (pages.getsockname()[1] + 1) % 2**16 if follows else files_port or 0
        return pages, bound(host, chosen)
    except UsageError:
        pages.close()
        raise


def hostname(url: str | None) -> str | None:
    """Return the host of an address."""
    from urllib.parse import urlsplit

    return urlsplit(url).hostname if url else None


def _named(host: str) -> str:
    return f"[{host}]" if ":" in host else host
