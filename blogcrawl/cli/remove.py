"""``blogcrawl remove``: take content down or erase it, leaving a tombstone."""

from __future__ import annotations

import getpass
import socket
import sys
from dataclasses import asdict
from typing import Any

import click

from blogcrawl.cli.options import archive_options, json_option, opened, reading_config
from blogcrawl.cli.output import Output
from blogcrawl.core.errors import UsageError
from blogcrawl.storage.lookup import find_blog, find_post


@click.command()
@click.argument("name", metavar="POST|BLOG")
@click.option(
    "--reason", required=True, metavar="TEXT", help="Why; recorded in the public tombstone."
)
@click.option(
    "--by", "who", metavar="NAME", help="Who removes it (default: your login and host name)."
)
@click.option(
    "--purge",
    is_flag=True,
    help="Also erase the content from all versions and from the evidence; irreversible.",
)
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@archive_options
@json_option
def remove(
    name: str,
    reason: str,
    who: str | None,
    purge: bool,
    yes: bool,
    archive: str | None,
    pairs: tuple[str, ...],
    as_json: bool,
) -> int:
    """Remove POST (its URL) or BLOG with all its posts from lists, exports, replay and harvests,
    and leave a tombstone.

    No later crawl brings it back. Without --purge, earlier versions stay in the package store,
    where only its operators see them.
    """
    from blogcrawl.storage.removal import Remover

    out = Output(as_json)
    if not reason.strip():
        raise UsageError("--reason is empty", advice="give the reason for the tombstone")
    config = reading_config(archive, pairs)
    with opened(config, reading=False) as (state, store):
        remover = Remover(
            config, state, store, who=who or _me(), reason=reason.strip(), purge=purge
        )
        post, blog = _target(remover, state, name, purge)
        what = (
            f"the post {post.url}"
            if post
            else f"the blog {blog.url} with {state.post_span(blog.id).posts} posts"
        )
        _confirm(what, purge=purge, yes=yes)
        done = remover.post(post) if post else remover.blog(blog)
    result = {
        "removal": asdict(done.removal),
        "posts": done.posts,
        "records": done.records,
        "deposited": done.deposited,
    }
    out.result(result)
    out.line(f"{done.removal.url}: {done.removal.sentence}")
    if purge:
        out.line(f"{done.posts} posts and {done.records} evidence records erased")
    for receipt in done.deposited:
        out.line(f"  a copy was deposited: {receipt}")
    return 0


def _target(remover: Any, state: Any, name: str, purge: bool) -> tuple[Any, Any]:
    """Return the post or the blog called ``name``; a removed post may still be purged.

    Raises UsageError.
    """
    row = find_post(state, name)
    if row is not None:
        return row, None
    removal = remover.tombstones.find(name)
    if removal is not None and removal.kind == "post" and purge and not removal.purged:
        return remover.row_of(removal), None
    if removal is not None:
        raise UsageError(f"{removal.url} was {removal.sentence}")
    return None, find_blog(state, name)


def _confirm(what: str, *, purge: bool, yes: bool) -> None:
    """Ask for confirmation. Raises UsageError without a terminal, click.Abort on "no"."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError(
            f"{what} would be {'permanently erased' if purge else 'removed'}",
            advice="confirm with --yes",
        )
    click.confirm(f"{'Erase' if purge else 'Remove'} {what}?", abort=True, err=True)


def _me() -> str:
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = "unknown"
    return f"{user}@{socket.gethostname()}"
