"""``blogcrawl list``: list the archived blogs."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import click

from blogcrawl.cli.options import archive_options, json_option, reading_config
from blogcrawl.cli.output import Output, day, shorten


@click.command()
@archive_options
@json_option
def list_blogs(archive: str | None, pairs: tuple[str, ...], as_json: bool) -> None:
    """List the archived blogs: URL, title, number of posts, last crawl and its health."""
    from blogcrawl.storage.state import open_state

    out = Output(as_json)
    config = reading_config(archive, pairs)
    with closing(open_state(config, reading=True)) as state:
        rows: list[dict[str, Any]] = []
        for blog in state.blogs():
            span = state.post_span(blog.id)
            rows.append(
                {
                    "id": blog.id,
                    "url": blog.url,
                    "title": blog.title,
                    "posts": span.posts,
                    "first_post": span.first,
                    "last_post": span.last,
                    "last_crawl": blog.last_crawl,
                    "health": blog.health,
                    "reason": blog.reason,
                }
            )
    out.result(rows)
    if not rows:
        out.line(f"{config.archive} contains no blogs")
        return
    out.table(
        ["posts", "first", "last", "crawled", "health", "blog", "title"],
        [
            [
                str(r["posts"]),
                day(r["first_post"]),
                day(r["last_post"]),
                day(r["last_crawl"]),
                r["health"],
                r["url"],
                shorten(r["title"], 50),
            ]
            for r in rows
        ],
    )
