"""``blogcrawl export``: the archive's posts, written out."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from blogcrawl.cli.options import Moment, archive_option, find_blog, json_option, reading_config
from blogcrawl.cli.output import Output
from blogcrawl.errors import UsageError

FORMATS = ("jsonl", "marcxml", "dc", "parquet", "warc", "wacz", "bagit", "eark-zip", "html")
"""Those of storage.export, named here so that ``--help`` needs not load it."""


@click.command()
@click.option("--format", "kind", type=click.Choice(FORMATS), default="jsonl", show_default=True, help="What to write.")
@click.option("-o", "--output", default="-", metavar="FILE|DIR", help="Where to (default: standard output, for jsonl, marcxml, dc).")
@click.option("--blog", "names", multiple=True, metavar="BLOG", help="Only this blog (address, id or part of the title); may be repeated.")
@click.option("--since", type=Moment(), help="Only posts published since then.")
@click.option("--until", type=Moment(), help="Only posts published before then.")
@archive_option
@json_option
def export(
    kind: str, output: str, names: tuple[str, ...], since: datetime | None, until: datetime | None, archive: str | None, as_json: bool
) -> None:
    """Write the archive's posts out, blog by blog, oldest first.

    jsonl (a Post record a line), marcxml, dc and parquet are one file; warc, wacz, bagit, eark-zip (a file or bag for each crawl or
    package) and html (a site to read offline) are folders. An export into a file or folder that was broken off goes on where it was.
    """
    from blogcrawl.storage.ocfl import open_store
    from blogcrawl.storage.state import open_state

    out = Output(as_json)
    if as_json and output == "-":
        raise UsageError("--json tells of the file that -o names", advice="the export itself is JSON: leave --json out")
    config = reading_config(archive)
    state, store = open_state(config), open_store(config)
    try:
        selection = selection_of(state, names, since, until)
        if output == "-":
            from blogcrawl.storage.export import stream

            for piece in stream(kind, state, store, selection):
                sys.stdout.buffer.write(piece)
            sys.stdout.buffer.flush()
            return
        from blogcrawl.storage.export import export as write

        count = write(kind, state, store, selection, Path(output))
    finally:
        state.close()
    out.result({"format": kind, "output": output, "count": count})
    if not as_json:
        out.note(f"{count} {'packages' if kind in ('bagit', 'eark-zip') else 'files' if kind in ('warc', 'wacz') else 'posts'} in {output}")


def selection_of(state: Any, names: tuple[str, ...], since: datetime | None = None, until: datetime | None = None) -> Any:
    """The Selection of these blogs (none: all). Raises UsageError on a name that fits none."""
    from blogcrawl.storage.selection import Selection

    return Selection(blogs=tuple(find_blog(state, name).id for name in names), since=since, until=until)
