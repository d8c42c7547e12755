"""``blogcrawl replay``: serve an archived blog with pywb on a loopback address."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import click

from blogcrawl.cli.options import archive_options, json_option, opened, reading_config
from blogcrawl.cli.output import Output
from blogcrawl.core.errors import ArchiveError, BlogcrawlError, UsageError
from blogcrawl.storage.lookup import find_blog
from blogcrawl.storage.temporary import scratch_folder

INSTALL = (
    "pip install 'blogcrawl[replay]', or install pywb anywhere and name its folder of "
    "programs with --pywb"
)
PATIENCE = 120.0
"""Seconds until pywb must respond; loading takes a few seconds on a busy machine."""


@click.command()
@click.argument("name", metavar="BLOG")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8080,
    show_default=True,
    help="Port on 127.0.0.1 (0: any free one).",
)
@click.option(
    "--crawl",
    "crawl_id",
    metavar="ID",
    help="The blog as of this crawl (`show --json` lists the ids; a prefix is enough).",
)
@click.option(
    "--folder",
    metavar="DIR",
    help="Keep the unpacked evidence there (default: a temporary folder).",
)
@click.option(
    "--pywb", metavar="DIR", help="Folder with pywb's programs, if they are not on the PATH."
)
@archive_options
@json_option
def replay(
    name: str,
    port: int,
    crawl_id: str | None,
    folder: str | None,
    pywb: str | None,
    archive: str | None,
    pairs: tuple[str, ...],
    as_json: bool,
) -> int:
    """Serve BLOG as it was crawled until Ctrl-C. Requires pywb (extra `replay`)."""
    from blogcrawl.storage.archive import crawl_folder
    from blogcrawl.storage.replay import COLLECTION, lay_out, pywb_settings, up_to

    out = Output(as_json)
    manager, wayback = programs(pywb)
    config = reading_config(archive, pairs)
    with opened(config) as (state, store):
        blog = find_blog(state, name)
        chosen = up_to(state.crawls(blog.id), crawl_id) if crawl_id else None
    port = free_port(port)
    with scratch_folder("replay") as scratch:
        place = Path(folder or scratch).absolute()
        size = lay_out(
            place,
            store,
            blog,
            crawl_folder(config.archive_path, blog.id) / "evidence",
            [c.id for c in chosen] if chosen else None,
        )
        made = subprocess.run(
            [manager, "reindex", COLLECTION], cwd=place, capture_output=True, text=True
        )
        if made.returncode != 0:
            raise BlogcrawlError(
                f"pywb could not index the evidence: {(made.stderr or made.stdout).strip()[-300:]}"
            )
        moment = chosen[-1].ended or chosen[-1].started if chosen else None
        stamp = f"{moment.astimezone(UTC):%Y%m%d%H%M%S}" if moment else ""
        (place / "config.yaml").write_text(pywb_settings(stamp), "utf-8")
        root = f"http://127.0.0.1:{port}"
        address = "/".join(filter(None, (root, COLLECTION, stamp, blog.url)))
        result: dict[str, object] = {"url": address, "proxy": root, "blog": blog.url, "bytes": size}
        return serve([wayback, "-b", "127.0.0.1", "-p", str(port)], place, port, out, result)


def programs(folder: str | None) -> tuple[str, str]:
    """Find pywb's wb-manager and wayback in ``folder``, next to this Python, or on the PATH.

    Raises ArchiveError with advice.
    """
    path = folder or os.pathsep.join(
        (os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath))
    )
    manager, wayback = (shutil.which(name, path=path) for name in ("wb-manager", "wayback"))
    if manager is None or wayback is None:
        raise ArchiveError(
            f"pywb is not {'in ' + folder if folder else 'installed'}, and replay needs it",
            advice=INSTALL,
        )
    return manager, wayback


def free_port(port: int) -> int:
    """Return ``port`` if it is free, or any free port for 0. Raises UsageError."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise UsageError(
                f"cannot listen on port {port}: {error.strerror}",
                advice="choose another one with --port",
            ) from None
        return int(probe.getsockname()[1])


def serve(
    command: list[str], folder: Path, port: int, out: Output, result: dict[str, object]
) -> int:
    """Run pywb until it exits or is interrupted; print its URL as soon as it listens."""
    with (folder / "pywb.log").open("wb") as log:
        server = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    ask_to_stop = signal.signal(signal.SIGTERM, _interrupt)
    try:
        limit = time.monotonic() + PATIENCE
        while not _answers(port):
            if server.poll() is not None or time.monotonic() > limit:
                raise BlogcrawlError(
                    f"pywb did not start: "
                    f"{(folder / 'pywb.log').read_text('utf-8', 'replace').strip()[-300:]}"
                )
            time.sleep(0.1)
        out.result(result)
        out.line(str(result["url"]))
        out.note(
            f"replaying {result['blog']} since {datetime.now(UTC):%H:%M} UTC; the same port is "
            f"also a proxy; Ctrl-C to stop"
        )
        sys.stdout.flush()
        return server.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        signal.signal(signal.SIGTERM, ask_to_stop)
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 1):
            return True
    except OSError:
        return False
