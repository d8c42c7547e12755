"""``blogcrawl verify``: is everything in the archive whole?"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from blogcrawl.cli.options import archive_option, find_blog, json_option, reading_config
from blogcrawl.cli.output import Output
from blogcrawl.errors import StorageError, VerifyError


@click.command()
@click.argument("name", metavar="[BLOG]", required=False)
@click.option("--deep", is_flag=True, help="Read every byte again: digests of all content, WARC records.")
@click.option(
    "--schemas",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Validate against the XML schemas in DIR too (mets.xsd, premis-v3.xsd, MARC21slim.xsd).",
)
@click.option("--report", metavar="FILE", help="Write the report to FILE as well: .html, .json or text.")
@archive_option
@json_option
def verify(name: str | None, deep: bool, schemas: Path | None, report: str | None, archive: str | None, as_json: bool) -> int:
    """Check the packages and the evidence of BLOG, or of the whole archive. Repairs nothing."""
    from blogcrawl.packaging.check import Schemas
    from blogcrawl.storage.ocfl import open_store
    from blogcrawl.storage.state import open_state
    from blogcrawl.storage.verify import verify_store

    out = Output(as_json)
    config = reading_config(archive)
    state, store = open_state(config), open_store(config)
    try:
        only = find_blog(state, name) if name else None
        crawls = config.archive_path / "crawls"
        found = verify_store(
            store,
            clock=lambda: datetime.now(UTC),
            object_ids=packages_of(state, [only]) if only else None,
            deep=deep,
            schemas=Schemas(schemas) if schemas else None,
            crawls=crawls / only.id if only else crawls,
        )
        found.add("the state", "state", against_state(state, store, [only] if only else state.blogs()))
    finally:
        state.close()
    if report:
        write_report(Path(report), found)
    out.result(json.loads(found.to_json()))
    for line in found.to_text().splitlines():
        out.line(line)
    if found.ok:
        return 0
    if not as_json:
        out.note(f"blogcrawl: {len(found.faults) + found.dropped} faults; nothing was changed")
    return VerifyError.exit_code


def packages_of(state: Any, blogs: Iterable[Any]) -> Iterator[str]:
    """Ids of the blogs' packages and of those of their posts."""
    for blog in blogs:
        if blog.aip_id:
            yield blog.aip_id
        for post in state.posts(blog.id):
            if post.aip_id:
                yield post.aip_id


def against_state(state: Any, store: Any, blogs: Iterable[Any]) -> Iterator[str]:
    """Where the state promises a package that the store has not, or a newer version than it has."""
    for blog in blogs:
        rows = [(blog.url, blog.aip_id, blog.aip_version)] if blog.aip_id else []
        posts = ((p.url, p.aip_id, p.aip_version) for p in state.posts(blog.id))
        for url, object_id, version in itertools.chain(rows, posts):
            if object_id is None:
                yield f"{url} has no package"
                continue
            try:
                head = store.head(object_id)
            except StorageError as error:
                yield f"{url}: {error.message}"
                continue
            if head is None:
                yield f"{url}: its package {object_id} is not in the store"
            elif head.version < version:
                yield f"{url}: the store has version {head.version} of its package, the state knows version {version}"


def write_report(path: Path, found: Any) -> None:
    """The report in the form that the file's name asks for."""
    forms = {".html": found.to_html, ".htm": found.to_html, ".json": found.to_json}
    path.write_text(forms.get(path.suffix.lower(), found.to_text)(), "utf-8")
