"""``blogcrawl crawl``: archive blogs."""

from __future__ import annotations

from typing import Any

import click

from blogcrawl.cli.options import HttpUrl, crawl_options


@click.command()
@click.argument("urls", nargs=-1, required=True, type=HttpUrl(), metavar="URL...")
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
    """Archive the blogs at URL...: new ones completely, known ones incrementally."""
    from blogcrawl.cli.crawling import run_all, run_replays
    from blogcrawl.core.errors import UsageError

    if feed and len(urls) > 1:
        raise UsageError(
            "--feed applies to one blog only", advice="crawl the other blogs separately"
        )
    if service:
        return run_replays(urls, service, **options)
    return run_all([(url, feed or "") for url in urls], **options)
