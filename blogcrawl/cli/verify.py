"""``blogcrawl verify``: check the integrity of an archive."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from blogcrawl.cli.options import (
    archive_options,
    config_from,
    json_option,
    reading_config,
)
from blogcrawl.cli.output import Output
from blogcrawl.cli.progress import Steps
from blogcrawl.core.errors import VerifyError
from blogcrawl.storage.archive import MARK, STATE_FILE
from blogcrawl.storage.lookup import find_blog


@click.command()
@click.argument("name", metavar="[BLOG]", required=False)
@click.option("--deep", is_flag=True, help="Read every byte: digests of all content, WARC records.")
@click.option(
    "--schemas",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Also validate against the XML schemas in DIR (mets.xsd, premis-v3.xsd, MARC21slim.xsd).",
)
@click.option(
    "--report", metavar="FILE", help="Also write the report to FILE: .html, .json or text."
)
@archive_options
@json_option
def verify(
    name: str | None,
    deep: bool,
    schemas: Path | None,
    report: str | None,
    archive: str | None,
    pairs: tuple[str, ...],
    as_json: bool,
) -> int:
    """Check the packages and the evidence of BLOG, or of the whole archive. Repair nothing."""
    from blogcrawl.packaging.check import Schemas
    from blogcrawl.storage.verify import verify_archive

    out = Output(as_json)
    config = config_from(*pairs, archive=archive)
    if not config.state_url and not any(
        (config.archive_path / known).exists() for known in (MARK, STATE_FILE, "packages")
    ):
        reading_config(archive, pairs)  # raises ArchiveError: there is no archive
    found = verify_archive(
        config,
        clock=lambda: datetime.now(UTC),
        choose=(lambda state: find_blog(state, name)) if name else None,
        deep=deep,
        schemas=Schemas(schemas) if schemas else None,
        progress=Steps("{} packages checked so far"),
    )
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


def write_report(path: Path, found: Any) -> None:
    """Write the report in the format given by the file name."""
    forms = {".html": found.to_html, ".htm": found.to_html, ".json": found.to_json}
    path.write_text(forms.get(path.suffix.lower(), found.to_text)(), "utf-8")
