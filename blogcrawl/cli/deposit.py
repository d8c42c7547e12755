"""``blogcrawl deposit`` and ``blogcrawl import``: packages to and from repositories."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from blogcrawl.cli.export import report_left_out, selection_of
from blogcrawl.cli.options import (
    HttpUrl,
    Moment,
    archive_options,
    blogs_option,
    config_from,
    json_option,
    note_organization,
    opened,
    reading_config,
)
from blogcrawl.cli.output import Output
from blogcrawl.cli.progress import Steps
from blogcrawl.core.config import Config
from blogcrawl.core.errors import (
    BlogcrawlError,
    DamagedError,
    DepositError,
    UsageError,
    VerifyError,
)


@click.command()
@click.option(
    "--to",
    "url",
    required=True,
    metavar="TARGET",
    help="Target: folder:DIR, bag:DIR, zip:DIR, sip:DIR, archivematica:DIR, "
    "s3://BUCKET/PREFIX, fedora+https://…",
)
@blogs_option
@archive_options
@json_option
def deposit(
    url: str, names: tuple[str, ...], archive: str | None, pairs: tuple[str, ...], as_json: bool
) -> int:
    """Send packages to a repository: only versions that it does not have, each with a receipt.

    An interrupted deposit resumes where it stopped.
    """
    from blogcrawl.storage.archive import open_archive
    from blogcrawl.storage.deposit import Ledger, open_target
    from blogcrawl.storage.deposit import deposit as send

    out = Output(as_json)
    config = reading_config(archive, pairs)
    target = open_target(url, config.operator)
    ledger = Ledger(
        open_archive(config, now=datetime.now(UTC), create=bool(config.state_url)).deposits, url
    )
    with opened(config, reading=False) as (state, store):
        done = send(
            state,
            store,
            selection_of(state, names),
            target,
            ledger,
            operator=config.operator,
            report=Steps("{} packages sent so far"),
        )
    out.result(
        {
            "target": ledger.url,
            "sent": done.sent,
            "known": done.known,
            "failed": done.failed,
            "left_out": done.damaged,
        }
    )
    out.line(
        f"{done.sent} packages sent to {ledger.url}, {done.known} already there, "
        f"{len(done.failed)} failed"
    )
    for object_id, why in list(done.failed.items())[:20]:
        out.line(f"  {object_id}  {why}")
    for line in ledger.damaged:
        out.note(f"blogcrawl: {line}; its package was sent again if it still exists")
    note_organization(out, config)
    code = report_left_out(out, done.damaged)
    return (
        DepositError.exit_code
        if done.failed
        else DamagedError.exit_code
        if ledger.damaged
        else code
    )


@click.command("import")
@click.argument(
    "source",
    type=click.Path(exists=True, path_type=Path),
    metavar="[FOLDER|BAG|ZIP]",
    required=False,
)
@click.option(
    "--warc",
    "web_archives",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    metavar="FILE",
    help="Archive the blog that a web archive (WARC, .warc.zst, WACZ) has; may be repeated.",
)
@click.option(
    "--blog",
    "blog_url",
    type=HttpUrl(),
    metavar="URL",
    help="The blog's start page in the web archive (default: that of the site with most pages).",
)
@click.option("--before", type=Moment(), help="Only captures of the web archive before then.")
@click.option(
    "--replace", is_flag=True, help="Make older or conflicting packages the newest version."
)
@archive_options
@json_option
def import_(
    source: Path | None,
    web_archives: tuple[Path, ...],
    blog_url: str | None,
    before: datetime | None,
    replace: bool,
    archive: str | None,
    pairs: tuple[str, ...],
    as_json: bool,
) -> int:
    """Import packages (a folder of them, bags, ZIP files, OCFL objects), or a blog from a web
    archive's WARC files, into the archive.

    Everything is checked before it is written; existing versions stay.
    """
    if bool(source) == bool(web_archives):
        raise UsageError("give a folder, bag or ZIP file of packages, or web archives with --warc")
    if source is None:
        from blogcrawl.cli.crawling import crawl_config

        config = crawl_config(pairs, archive=archive)
        return _import_blog(web_archives, blog_url, before, config, as_json)
    return _import_packages(source, config_from(*pairs, archive=archive), replace, as_json)


def _import_blog(
    paths: tuple[Path, ...],
    url: str | None,
    before: datetime | None,
    config: Config,
    as_json: bool,
) -> int:
    """Crawl the web archive in place of the web."""
    from blogcrawl.cli.crawling import replay_one
    from blogcrawl.storage.web_archive import WebArchive

    with WebArchive(before) as captures:
        for path in paths:
            captures.add(path)
        start = url or captures.start()
        return replay_one(start, config, captures, as_json=as_json, verbose=False)


def _index(out: Output, config: Config, state: Any, store: Any) -> None:
    """Make what was imported searchable; an index that can't be written hinders no import."""
    from blogcrawl.storage.search.filling import fill, open_index

    try:
        with closing(open_index(config, state, store)) as index:
            fill(state, store, index)
    except BlogcrawlError as error:
        out.note(f"blogcrawl: the search index can't be filled: {error}")


def _import_packages(source: Path, config: Config, replace: bool, as_json: bool) -> int:
    from blogcrawl.storage.archive import open_archive
    from blogcrawl.storage.imports import import_packages

    out = Output(as_json)
    open_archive(config, now=datetime.now(UTC))
    with opened(config, reading=False) as (state, store):
        done = import_packages(source, store, state, now=datetime.now(UTC), replace=replace)
        if config.search and (done.posts or done.unchanged):  # a killed import indexed nothing
            _index(out, config, state, store)
    out.result(asdict(done))
    out.line(
        f"{done.blogs} blogs and {done.posts} posts imported; {done.unchanged} packages "
        f"already there, {done.older} in a newer version; {len(done.conflicts)} in conflict, "
        f"{len(done.refused)} refused"
    )
    for kind, found in (("conflict", done.conflicts), ("refused", done.refused)):
        for path, why in found.items():
            out.line(" ".join(f"{kind}: {path}: {why}".split()))
    return VerifyError.exit_code if done.conflicts or done.refused else 0
