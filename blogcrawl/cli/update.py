"""``blogcrawl update``: fetch what changed on archived blogs."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import click

from blogcrawl.cli.options import crawl_options, reading_config
from blogcrawl.core.credentials import with_login_of
from blogcrawl.storage.lookup import find_blog


@click.command()
@click.argument("urls", nargs=-1, metavar="[URL]...")
@crawl_options
def update(
    urls: tuple[str, ...], archive: str | None, pairs: tuple[str, ...], **options: Any
) -> int:
    """Fetch what changed on the blogs at URL..., or on all blogs of the archive."""
    from blogcrawl.cli.crawling import run_all
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
