"""``blogcrawl reextract``: extract a blog again from its archived evidence."""

from __future__ import annotations

from dataclasses import replace

import click

from blogcrawl.cli.options import archive_options, json_option, opened, reading_config
from blogcrawl.storage.lookup import find_blog


@click.command()
@click.argument("name", metavar="BLOG")
@archive_options
@click.option("-v", "--verbose", is_flag=True, help="Log every page to standard error.")
@json_option
def reextract(
    name: str, archive: str | None, pairs: tuple[str, ...], verbose: bool, as_json: bool
) -> int:
    """Learn and extract BLOG again from the evidence in the archive, with today's rules.

    No request leaves the machine. Unchanged posts get no new version.
    """
    from blogcrawl.cli.crawling import crawl_config, replay_one
    from blogcrawl.storage.archive import crawl_folder
    from blogcrawl.storage.web_archive import WebArchive

    config = reading_config(archive, pairs)
    with opened(config) as (state, store):
        blog = find_blog(state, name)
    with WebArchive() as captures:
        waiting = crawl_folder(config.archive_path, blog.id) / "evidence"
        captures.add_evidence(store, blog, waiting)
        config = replace(crawl_config(pairs, archive=archive), warc=False)
        return replay_one(blog.url, config, captures, as_json=as_json, verbose=verbose)
