"""``blogcrawl crawl``, ``update`` and ``reextract``: archive blogs, what changed on them, and again
from their evidence.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from blogcrawl.cli.options import (
    BlogOrList,
    HttpUrl,
    archive_options,
    crawl_options,
    json_option,
    opened,
    reading_config,
)


@click.command()
@click.argument("urls", nargs=-1, required=True, type=BlogOrList(), metavar="URL|LIST...")
@click.option(
    "--feed",
    type=HttpUrl(),
    metavar="URL",
    help="The blog's feed of posts, if its pages do not link it (only with one blog).",
)
@click.option(
    "--full",
    is_flag=True,
    default=None,
    help="Crawl a known blog from scratch, not only what changed.",
)
@click.option(
    "--include",
    metavar="PATTERNS",
    help="Only URLs matching these belong to the blog, e.g. '/blog/* /notes/*'.",
)
@click.option(
    "--exclude",
    metavar="PATTERNS",
    help="URLs matching these do not belong to the blog, e.g. '/tag/* *.pdf'.",
)
@click.option(
    "--from-memento",
    "service",
    type=HttpUrl(),
    metavar="URL",
    help="Read the blog from a web archive: its Memento TimeGate or CDX server.",
)
@crawl_options
def crawl(urls: tuple[str, ...], feed: str | None, service: str | None, **options: Any) -> int:
    """Archive the blogs at URL...: new ones completely, known ones incrementally.

    LIST is an OPML, CSV or plain list of blogs with their feeds, - is standard input.
    """
    from blogcrawl.cli.crawling import run_all, run_replays
    from blogcrawl.core.errors import UsageError

    starts = list(dict.fromkeys(start for name in urls for start in _starts(name)))
    if feed and len(starts) > 1:
        raise UsageError(
            "--feed applies to one blog only", advice="crawl the other blogs separately"
        )
    if service:
        return run_replays([url for url, _ in starts], service, **options)
    return run_all([(url, feed or known) for url, known in starts], **options)


def _starts(name: str) -> Iterator[tuple[str, str]]:
    """Yield the blog at a URL, or those of a list, each with its feed ("": not given)."""
    if "://" in name:
        yield name, ""
        return
    from blogcrawl.cluster.sources import open_list, read_blogs
    from blogcrawl.core.errors import UsageError

    with nullcontext(sys.stdin) if name == "-" else open_list(Path(name)) as stream:
        found = [(url, feed or "") for url, feed in read_blogs(stream, name)]
    if not found:
        raise UsageError(f"{'standard input' if name == '-' else name} has no address of a blog")
    yield from found


@click.command()
@click.argument("urls", nargs=-1, metavar="[URL]...")
@crawl_options
def update(
    urls: tuple[str, ...], archive: str | None, pairs: tuple[str, ...], **options: Any
) -> int:
    """Fetch what changed on the blogs at URL..., or on all blogs of the archive."""
    from blogcrawl.cli.crawling import run_all
    from blogcrawl.core.credentials import with_login_of
    from blogcrawl.storage.lookup import find_blog
    from blogcrawl.storage.state import open_state

    with closing(open_state(reading_config(archive, pairs))) as state:
        known = (
            [(find_blog(state, url), url) for url in urls]
            if urls
            else [(blog, blog.url) for blog in state.blogs()]
        )
    return run_all(
        [(with_login_of(blog.url, given), "") for blog, given in known],
        spider="updatecrawl",
        archive=archive,
        pairs=pairs,
        **options,
    )


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
    from blogcrawl.storage.lookup import find_blog
    from blogcrawl.storage.web_archive import WebArchive

    config = reading_config(archive, pairs)
    with opened(config) as (state, store):
        blog = find_blog(state, name)
    with WebArchive() as captures:
        waiting = crawl_folder(config.archive_path, blog.id) / "evidence"
        captures.add_evidence(store, blog, waiting)
        config = replace(crawl_config(pairs, archive=archive), warc=False)
        return replay_one(blog.url, config, captures, as_json=as_json, verbose=verbose)
