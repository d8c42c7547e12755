"""``blogcrawl remove``: take content down, or erase it, and say so."""

from __future__ import annotations

import getpass
import socket
import sys
from typing import Any

import click

from blogcrawl.cli.options import archive_option, find_blog, json_option, reading_config
from blogcrawl.cli.output import Output
from blogcrawl.cli.show import find_post
from blogcrawl.core.errors import UsageError


@click.command()
@click.argument("name", metavar="POST|BLOG")
@click.option(
    "--reason",
    required=True,
    metavar="TEXT",
    help="Why; it stands in the tombstone, where everybody reads it.",
)
@click.option(
    "--by",
    "who",
    metavar="NAME",
    help="Who removes it (default: your login and this machine's name).",
)
@click.option(
    "--purge",
    is_flag=True,
    help="Erase the content from all versions and from the evidence too. Can't be undone.",
)
@click.option("-y", "--yes", is_flag=True, help="Don't ask.")
@archive_option
@json_option
def remove(
    name: str,
    reason: str,
    who: str | None,
    purge: bool,
    yes: bool,
    archive: str | None,
    as_json: bool,
) -> int:
    """Take POST (its address) or BLOG with all its posts out of lists, exports, replay and
    harvests, and leave a tombstone.

    No later crawl brings it back. Without --purge earlier versions stay in the package store, where
    only its keepers see them.
    """
    from blogcrawl.storage.ocfl import open_store
    from blogcrawl.storage.removal import Remover
    from blogcrawl.storage.state import open_state

    out = Output(as_json)
    if not reason.strip():
        raise UsageError("--reason is empty", advice="say why: it stands in the tombstone")
    config = reading_config(archive)
    state = open_state(config)
    try:
        remover = Remover(
            config, state, open_store(config), who=who or _me(), reason=reason.strip(), purge=purge
        )
        post, blog = _target(remover, state, name, purge)
        what = (
            f"the post {post.url}"
            if post
            else f"the blog {blog.url} with {state.post_span(blog.id).posts} posts"
        )
        _confirm(what, purge=purge, yes=yes)
        done = remover.post(post) if post else remover.blog(blog)
    finally:
        state.close()
    told = {
        "removal": done.removal.to_json(),
        "posts": done.posts,
        "records": done.records,
        "deposited": done.deposited,
    }
    out.result(told)
    out.line(f"{done.removal.url}: {done.removal.sentence}")
    if purge:
        out.line(f"{done.posts} posts and {done.records} evidence records erased")
    for receipt in done.deposited:
        out.line(f"  a copy was deposited: {receipt}")
    return 0


def _target(remover: Any, state: Any, name: str, purge: bool) -> tuple[Any, Any]:
    """The post or the blog that ``name`` names; a post that was only taken down may still be
    purged. Raises UsageError.
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
    """Raises UsageError where nobody can be asked, click.Abort where the answer is no."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError(
            f"{what} would be {'erased for good' if purge else 'removed'}",
            advice="give --yes to do it",
        )
    click.confirm(f"{'Erase' if purge else 'Remove'} {what}?", abort=True, err=True)


def _me() -> str:
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = "unknown"
    return f"{user}@{socket.gethostname()}"
