"""``blogcrawl train``: make the model of the SVM extractor anew."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click

from blogcrawl.cli.options import json_option, reading_config
from blogcrawl.cli.output import Output
from blogcrawl.core.page import Page
from blogcrawl.storage.base import BlogRow, PackageStore, State


@click.command()
@click.option(
    "-o",
    "--out",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The model file to write (.npz).",
)
@click.option(
    "--templates",
    default=400,
    show_default=True,
    type=click.IntRange(min=2),
    help="Made-up blog templates to learn from.",
)
@click.option("--seed", default=1, show_default=True, help="The same seed makes the same model.")
@click.option(
    "--browser",
    default="",
    metavar="PATH",
    help="A Chromium: train the machines for rendered pages too.",
)
@click.option(
    "--archive",
    metavar="DIR",
    help="An archive: learn besides from those of its posts that their blogs' feeds have whole.",
)
@json_option
def train(
    out: Path, templates: int, seed: int, browser: str, archive: str | None, as_json: bool
) -> None:
    """Train the support vector machines that find title and body where no rule does; prints their
    sizes and how often they are right on made-up templates of another seed.

    Labels come by themselves: from the made-up templates, and on posts of an archive from the text
    that the feed has.
    """
    from blogcrawl.contrib.svm_train import train as make

    report = Output(as_json)
    made = make(
        out,
        templates=templates,
        seed=seed,
        browser=browser,
        posts=told_posts(archive) if archive is not None else (),
    )
    rows = {
        name: f"{size} support vectors, right on {made.right[name]:.1%} of unseen pages"
        for name, size in made.sizes.items()
    }
    report.pairs(
        rows
        if archive is None
        else {
            **rows,
            "posts": f"{made.posts} of the archive, found on their pages by the feed's text",
        }
    )
    facts = {"support_vectors": made.sizes, "right": made.right, "posts": made.posts}
    report.result({"model": str(out), "bytes": out.stat().st_size, **facts})


def told_posts(archive: str) -> Iterator[tuple[Page, str, str]]:
    """Page, title and content of the posts that the archived feeds have whole. Raises ArchiveError
    where there is no archive.
    """
    from blogcrawl.storage.ocfl import open_store
    from blogcrawl.storage.state import open_state

    config = reading_config(archive)
    state, store = open_state(config), open_store(config)
    try:
        for blog in state.blogs():
            yield from _told_by_feed(state, store, blog)
    finally:
        state.close()


def _told_by_feed(
    state: State, store: PackageStore, blog: BlogRow
) -> Iterator[tuple[Page, str, str]]:
    from blogcrawl.core.errors import BlogcrawlError
    from blogcrawl.discovery.feeds import parse_feed
    from blogcrawl.packaging.layout import FEEDS, RECORDS, SOURCE_HTML
    from blogcrawl.urls.canonical import entry_key

    head = store.head(blog.aip_id) if blog.aip_id else None
    for path in (RECORDS + name for name in FEEDS):
        if head is None or path not in head.files:
            continue
        with suppress(BlogcrawlError):  # a feed or package that nobody can read teaches nothing
            with store.open(head.object_id, path) as file:
                feed = parse_feed(file.read(), next(iter(blog.feeds), blog.url))
            for entry in feed.entries:
                post = state.get_post(blog.id, entry_key(entry.url)) if entry.is_full else None
                if post is not None and post.aip_id:
                    with store.open(post.aip_id, SOURCE_HTML) as file:
                        yield (
                            Page(url=post.url, body=file.read()),
                            entry.title or "",
                            entry.content_html or "",
                        )
