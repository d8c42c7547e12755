"""``blogcrawl serve``: the reading room."""

from __future__ import annotations

import secrets
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import click

from blogcrawl.cli.options import archive_option, config_from, json_option, settings_option
from blogcrawl.cli.output import Output
from blogcrawl.core.config import Config
from blogcrawl.core.errors import UsageError


@click.command()
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
@click.option("--database", metavar="URL", help="The state database (default: in the archive).")
@archive_option
@settings_option
@json_option
def serve(
    host: str,
    port: int,
    files_port: int | None,
    public: str | None,
    files_url: str | None,
    database: str | None,
    archive: str | None,
    pairs: tuple[str, ...],
    as_json: bool,
) -> None:
    """Serve the archive as a web application: blogs, posts, comments, crawls.

    Opens on this machine only and for reading, until Ctrl-C.
    """
    from blogcrawl.storage.ocfl import open_store
    from blogcrawl.storage.state import open_state
    from blogcrawl.web.app import captured_files, reading_room
    from blogcrawl.web.captured import Captures
    from blogcrawl.web.room import Room
    from blogcrawl.web.serving import bound
    from blogcrawl.web.serving import serve as serve_apps
    from blogcrawl.web.shield import is_loopback

    out = Output(as_json)
    config = serving_config(database, archive, pairs)
    if not is_loopback(host):
        raise UsageError(
            f"{host} is reached from other machines, and the room has no readers with a password",
            advice="leave --host away",
        )
    pages, files = listeners(host, port, files_port, bound)
    with closing(pages), closing(files), closing(open_state(config, reading=True)) as state:
        store = open_store(config, reading=True)
        address = public or f"http://{_named(host)}:{pages.getsockname()[1]}"
        origin = files_url or f"http://{_named(host)}:{files.getsockname()[1]}"
        captures = Captures(store, origin, secrets.token_bytes(32))
        room = Room(
            state=state,
            store=store,
            captures=captures,
            operator=config.operator,
            now=lambda: datetime.now(UTC),
            public=public or "",
        )
        hosts = [name for name in (host, hostname(public)) if name]

        def ready() -> None:
            out.result({"url": address, "files": origin})
            out.line(address)
            out.note("the reading room is open; Ctrl-C closes it")

        serve_apps(
            [(reading_room(room, hosts=hosts), pages), (captured_files(captures), files)],
            (),
            ready,
        )


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


def listeners(host: str, port: int, files_port: int | None, bound: Any) -> tuple[Any, Any]:
    """Return the sockets of pages and of files. Raises UsageError if a port is taken."""
    pages = bound(host, port)
    try:
        chosen = pages.getsockname()[1] + 1 if files_port is None and port else files_port or 0
        return pages, bound(host, chosen)
    except BaseException:
        pages.close()
        raise


def hostname(url: str | None) -> str | None:
    """Return the host of an address."""
    from urllib.parse import urlsplit

    return urlsplit(url).hostname if url else None


def _named(host: str) -> str:
    return f"[{host}]" if ":" in host else host
