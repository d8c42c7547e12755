"""``blogcrawl export``: export the archived posts."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import click

from blogcrawl.cli.options import (
    Moment,
    archive_options,
    blogs_option,
    json_option,
    note_organization,
    opened,
    reading_config,
)
from blogcrawl.cli.output import Output
from blogcrawl.cli.progress import Steps
from blogcrawl.core.errors import DamagedError, UsageError
from blogcrawl.storage.lookup import find_blog
from blogcrawl.web.texts import LANGUAGES

FORMATS = ("jsonl marcxml dc parquet warc wacz bagit eark-zip eark-sip archivematica html").split()
"""Those of storage.export, repeated here so that ``--help`` does not import it."""


UNITS = {
    **dict.fromkeys(("bagit", "eark-zip", "eark-sip", "archivematica"), "packages"),
    **dict.fromkeys(("warc", "wacz"), "files"),
}
"""What a format counts; posts unless listed here."""


@click.command()
@click.option(
    "--format",
    "kind",
    type=click.Choice(FORMATS),
    default="jsonl",
    show_default=True,
    help="Output format.",
)
@click.option(
    "-o",
    "--output",
    default="-",
    metavar="FILE|DIR",
    help="Where to write (default: standard output, for jsonl, marcxml, dc).",
)
@blogs_option
@click.option("--since", type=Moment(), help="Only posts published since then.")
@click.option("--until", type=Moment(), help="Only posts published before then.")
@click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    default="en",
    show_default=True,
    help="Language of an html site.",
)
@archive_options
@json_option
def export(
    kind: str,
    output: str,
    names: tuple[str, ...],
    since: datetime | None,
    until: datetime | None,
    language: str,
    archive: str | None,
    pairs: tuple[str, ...],
    as_json: bool,
) -> int:
    """Export the archived posts, blog by blog, oldest first.

    jsonl (one Post record per line), marcxml, dc and parquet are single files; warc, wacz, bagit,
    eark-zip (AIPs), eark-sip (SIPs), archivematica (standard transfers; one file, bag or transfer
    per crawl or package) and html (a static site with search, to read offline or on any server) are
    folders.
    An interrupted export into a file or folder resumes where it stopped.
    """
    from blogcrawl.storage.selection import Export, LeftOut
    from blogcrawl.storage.tombstones import Tombstones

    out, left_out = Output(as_json), LeftOut()
    if as_json and output == "-":
        raise UsageError(
            "--json requires --output", advice="for JSON Lines on standard output, leave --json out"
        )
    config = reading_config(archive, pairs)
    with opened(config) as (state, store):
        selection = selection_of(state, names, since, until)
        removed = sum(
            sum(1 for _ in Tombstones(state).posts_of(blog.id))
            for blog in selection.blog_rows(state)
        )
        if removed and not as_json:
            out.note(f"{removed} posts removed from this archive are not exported")
        if output == "-":
            from blogcrawl.storage.export import stream

            for piece in stream(kind, state, store, selection, left_out):
                sys.stdout.buffer.write(piece)
            sys.stdout.buffer.flush()
            return report_left_out(out, left_out)
        job = Export(
            state,
            store,
            selection,
            Path(output),
            left_out=left_out,
            operator=config.operator,
            report=Steps(f"{{}} {UNITS.get(kind, 'posts')} exported so far"),
        )
        count = _write(kind, job, language)
    out.result(
        {"format": kind, "output": output, "count": count, "left_out": left_out, "removed": removed}
    )
    if not as_json:
        out.note(f"{count} {UNITS.get(kind, 'posts')} in {output}")
    if UNITS.get(kind) == "packages":
        note_organization(out, config)
    return report_left_out(out, left_out)


def _write(kind: str, job: Any, language: str) -> int:
    """Write an export to its file or folder; return the number of posts or packages."""
    from blogcrawl.storage.export import export, write_folder

    if kind == "html":
        from blogcrawl.web.site import write_site

        return write_folder(job, kind, partial(write_site, language=language))
    return export(kind, job)


def report_left_out(out: Output, left_out: Mapping[str, str]) -> int:
    """Name the damaged packages that were skipped on standard error; return the exit code."""
    for object_id, why in itertools.islice(left_out.items(), 20):
        out.note(f"blogcrawl: skipped {object_id}: {why.removeprefix(f'{object_id}: ')}")
    if len(left_out) > 20:
        out.note(f"blogcrawl: and {len(left_out) - 20} more; blogcrawl verify names all of them")
    return DamagedError.exit_code if left_out else 0


def selection_of(
    state: Any, names: tuple[str, ...], since: datetime | None = None, until: datetime | None = None
) -> Any:
    """Return the Selection of these blogs (none: all). Raises UsageError for an unknown name."""
    from blogcrawl.storage.selection import Selection

    return Selection(
        blogs=tuple(find_blog(state, name).id for name in names), since=since, until=until
    )
