"""``blogcrawl crawl``: archive blogs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from blogcrawl.cli.options import BlogOrList, HttpUrl, crawl_options


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
