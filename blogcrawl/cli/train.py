"""``blogcrawl train``: train the model of the SVM extractor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click

from blogcrawl.cli.options import json_option, reading_config
from blogcrawl.cli.output import Output
from blogcrawl.core.page import Page
from blogcrawl.storage.base import PackageStore
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tables import BlogRow


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
    help="Number of synthetic blog templates to train on.",
)
@click.option(
    "--seed", default=1, show_default=True, help="Random seed; the same seed gives the same model."
)
@click.option(
    "--browser",
    default="",
    metavar="PATH",
    help="A Chromium: also train the models for rendered pages.",
)
@click.option(
    "--archive",
    metavar="DIR",
    help="An archive: also train on its posts with full text in the feed.",
)
@json_option
def train(
    out: Path, templates: int, seed: int, browser: str, archive: str | None, as_json: bool
) -> None:
    """Train the support vector machines that extract title and body where no rule does; print
    their sizes and their accuracy on synthetic templates of another seed.

    Labels come from the synthetic templates and, for posts of an archive, from the feed's text.
    """
    from blogcrawl.contrib.svm_train import train as make

    report = Output(as_json)
    made = make(
        out,
        templates=templates,
        seed=seed,
        browser=browser,
        posts=labelled_posts(archive) if archive is not None else (),
    )
    rows = {
        name: f"{size} support vectors, accuracy {made.right[name]:.1%} on unseen pages"
        for name, size in made.sizes.items()
    }
    report.pairs(
        rows
        if archive is None
        else {
            **rows,
            "posts": f"{made.posts} of the archive, labelled by the feed's text",
        }
    )
    facts = {"support_vectors": made.sizes, "right": made.right, "posts": made.posts}
    report.result({"model": str(out), "bytes": out.stat().st_size, **facts})


def labelled_posts(archive: str) -> Iterator[tuple[Page, str, str]]:
    """Yield page, title and content of the posts with full text in an archived feed.

    Raises ArchiveError if there is no archive.
    """
    from blogcrawl.storage.ocfl import open_store
    from blogcrawl.storage.state import open_state

    config = reading_config(archive)
    state, store = open_state(config), open_store(config)
    try:
        for blog in state.blogs():
            yield from _posts_of_feeds(state, store, blog)
    finally:
        state.close()


def _posts_of_feeds(
    state: SqlState, store: PackageStore, blog: BlogRow
) -> Iterator[tuple[Page, str, str]]:
    from blogcrawl.core.errors import BlogcrawlError
    from blogcrawl.discovery.feeds import parse_feed
    from blogcrawl.packaging.layout import FEEDS, RECORDS, SOURCE_HTML
    from blogcrawl.urls.canonical import entry_key

    head = store.head(blog.aip_id) if blog.aip_id else None
    for path in (RECORDS + name for name in FEEDS):
        if head is None or path not in head.files:
            continue
        with suppress(BlogcrawlError):  # unreadable feeds and packages are skipped
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
