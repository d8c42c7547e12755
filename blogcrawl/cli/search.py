"""``blogcrawl search`` and ``blogcrawl index``: full text over posts and comments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict
from typing import Any

import click

from blogcrawl.cli.options import (
    archive_options,
    blogs_option,
    json_option,
    opened,
    reading_config,
)
from blogcrawl.cli.output import Output
from blogcrawl.cli.progress import Steps
from blogcrawl.core.errors import DamagedError

SHOWN_VALUES = 5
"""Values of a facet that are printed."""
_PHRASE = re.compile(r'[^"*\s-][^"*\s]*(\s+[^"*\s-][^"*\s]*)+')


@click.command()
@click.argument("query", nargs=-1, required=True)
@blogs_option
@click.option("--author", multiple=True, metavar="NAME", help="Only posts by this author.")
@click.option("--year", multiple=True, metavar="YYYY", help="Only posts published in this year.")
@click.option("--tag", multiple=True, metavar="TAG", help="Only posts with this tag.")
@click.option("--language", multiple=True, metavar="TAG", help="Only posts in this language.")
@click.option(
    "--order",
    type=click.Choice(["relevance", "newest", "oldest"]),
    default="relevance",
    show_default=True,
    help="relevance: posts with all words in the title first, then the newest.",
)
@click.option(
    "-n",
    "--limit",
    default=10,
    show_default=True,
    type=click.IntRange(min=1, max=1000),
    help="Number of posts.",
)
@click.option(
    "--after",
    default=0,
    type=click.IntRange(min=0),
    metavar="N",
    help="Go on after the first N posts.",
)
@archive_options
@json_option
def search(
    query: tuple[str, ...],
    names: tuple[str, ...],
    order: Any,
    limit: int,
    after: int,
    archive: str | None,
    pairs: tuple[str, ...],
    as_json: bool,
    **facets: tuple[str, ...],
) -> int:
    """Search the archived posts and comments for QUERY.

    All words must be in the post or its comments: word "some phrase" begin* -without. Upper case
    and accents make no difference. --author, --year, --tag, --language may be repeated: any fits.
    """
    from blogcrawl.storage.lookup import find_blog
    from blogcrawl.storage.search.base import Filters
    from blogcrawl.storage.search.filling import lag, open_index
    from blogcrawl.storage.search.finding import Search

    out, config = Output(as_json), reading_config(archive, pairs)
    with opened(config) as (state, store):
        blogs = {blog.id: blog.url for blog in state.blogs()}
        filters = Filters(blog=tuple(find_blog(state, name).id for name in names), **facets)
        with closing(open_index(config, state, store, reading=True)) as searched:
            found = Search(searched, store).find(
                _typed(query), filters=filters, order=order, after=after, limit=limit
            )
            behind = lag(state, searched)
    if behind:
        out.note(f"blogcrawl: {behind} posts are not in the index yet: run `blogcrawl index`")
    out.result(asdict(found))
    _print(out, found, blogs)
    for aip_id in found.unread:
        out.note(f"blogcrawl: skipped {aip_id}: it can't be read; blogcrawl verify says more")
    return DamagedError.exit_code if found.unread else 0


def _typed(query: tuple[str, ...]) -> str:
    """Join arguments; one with blanks was quoted for the shell: it is a phrase, unless it is a
    query with signs of its own.
    """
    return " ".join(f'"{one}"' if _PHRASE.fullmatch(one) else one for one in query)


def _print_hit(out: Output, hit: Any) -> None:
    out.line(hit.title or "(untitled)")
    about = [(hit.published or "")[:10], ", ".join(hit.authors), hit.url]
    out.line("  " + "  ".join(filter(None, about)))
    for snippet in hit.snippets:
        by = f"comment by {snippet.author or '?'}: " if snippet.comment is not None else ""
        out.line(f"  {by}{_marked(snippet)}")
    out.line()


def _print(out: Output, found: Any, blogs: Mapping[str, str]) -> None:
    for hit in found.hits:
        _print_hit(out, hit)
    more = f"; more with --after {found.next}" if found.next is not None else ""
    out.line(f"{'' if found.exact else 'at most '}{found.total} posts{more}")
    for name, values in found.facets.items():
        some = [f"{blogs.get(value, value)} ({count})" for value, count in values[:SHOWN_VALUES]]
        if some:
            out.line(f"  {name}: {', '.join(some)}")


def _marked(snippet: Any) -> str:
    text, at = "", 0
    for start, end in snippet.marks:
        text += f"{snippet.text[at:start]}*{snippet.text[start:end]}*"
        at = end
    return text + snippet.text[at:]


@click.command()
@click.option("--rebuild", is_flag=True, help="Make the whole index again.")
@archive_options
@json_option
def index(rebuild: bool, archive: str | None, pairs: tuple[str, ...], as_json: bool) -> int:
    """Bring the search index up to date with the archive.

    Crawls fill it as they archive; this is for archives of earlier versions, crawls with
    BLOGCRAWL_SEARCH=0, and a damaged index (--rebuild).
    """
    from blogcrawl.storage.search.filling import fill, open_index, remove_index

    out, config = Output(as_json), reading_config(archive, pairs)
    with opened(config, reading=False) as (state, store):
        if rebuild:
            remove_index(config)
        with closing(open_index(config, state, store)) as made:
            done = fill(state, store, made, report=Steps("{} posts indexed so far"))
            if rebuild:
                made.settle()
    for aip_id, why in done.unread.items():
        out.note(f"blogcrawl: skipped {aip_id}: {why.removeprefix(f'{aip_id}: ')}")
    out.result(asdict(done))
    out.line(f"{done.indexed} posts indexed, {done.dropped} dropped")
    return DamagedError.exit_code if done.unread else 0
