"""``blogcrawl export``: the archive's posts, written out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import click

from blogcrawl.cli.options import archive_option, find_blog, json_option, reading_config
from blogcrawl.cli.output import Output, size
from blogcrawl.cli.show import POST_JSON
from blogcrawl.errors import UsageError
from blogcrawl.packaging.records import decode, encode

FORMATS = ("jsonl",)


@click.command()
@click.option("--format", "kind", type=click.Choice(FORMATS), default="jsonl", show_default=True, help="jsonl: one Post record a line.")
@click.option("-o", "--output", default="-", metavar="FILE", help="Where to (default: standard output).")
@click.option("--blog", "names", multiple=True, metavar="BLOG", help="Only this blog (address, id or part of the title); may be repeated.")
@archive_option
@json_option
def export(kind: str, output: str, names: tuple[str, ...], archive: str | None, as_json: bool) -> None:
    """Write the archive's posts out: blog by blog, oldest first. With -o the result is complete or not there at all."""
    from blogcrawl.storage.ocfl import open_store
    from blogcrawl.storage.state import open_state

    out = Output(as_json)
    if as_json and output == "-":
        raise UsageError("--json tells of the file that -o names", advice="the export itself is JSON: leave --json out")
    config = reading_config(archive)
    state, store = open_state(config), open_store(config)
    posts = written = 0
    try:
        blogs = [find_blog(state, name).id for name in names] or [None]
        with destination(output) as file:
            for blog in blogs:
                for line in lines(state, store, blog):
                    file.write(line)
                    posts, written = posts + 1, written + len(line)
    finally:
        state.close()
    out.result({"format": kind, "output": output, "posts": posts, "bytes": written})
    if output != "-" and not as_json:
        out.note(f"{posts} posts, {size(written)}, in {output}")


def lines(state: Any, store: Any, blog_id: str | None) -> Iterator[bytes]:
    """Post records as JSON lines, streamed: memory does not grow with the archive."""
    for row in state.posts(blog_id):
        if row.aip_id is None:
            continue
        with store.open(row.aip_id, POST_JSON, row.aip_version or None) as file:
            record = file.read()
        # In the package the record may stand on several lines; here it is one.
        yield encode(decode(record)) + b"\n"


@contextmanager
def destination(output: str) -> Iterator[BinaryIO]:
    """Standard output, or a file that gets its name when all is in it."""
    if output == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(output)
    if path.is_dir():
        raise UsageError(f"{output} is a folder", advice="name a file")
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
