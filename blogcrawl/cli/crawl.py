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
    help="The blog's feed of posts, where it announces none (only with one blog).",
)
@click.option(
    "--full",
    is_flag=True,
    default=None,
    help="Read a known blog from scratch, not only what changed.",
)
@click.option(
    "--include",
    metavar="PATTERNS",
    help="Only URLs that these cover belong to the blog, e.g. '/blog/* /notes/*' (* is anything).",
)
@click.option(
    "--exclude",
    metavar="PATTERNS",
    help="URLs that these cover do not belong to the blog, e.g. '/tag/* *.pdf'.",
)
@crawl_options
def crawl(urls: tuple[str, ...], feed: str | None, **options: Any) -> int:
    """Archive the blogs at URL...: all of an unknown one, what is new of a known one."""
    from blogcrawl.cli.crawling import run_all
    from blogcrawl.core.errors import UsageError

    if feed and len(urls) > 1:
        raise UsageError(
            "--feed goes with one blog", advice="crawl the others in a command of their own"
        )
    return run_all([(url, feed or "") for url in urls], **options)
