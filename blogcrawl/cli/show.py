"""``blogcrawl show``: the archived data of one blog or one post."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from typing import Any

import click

from blogcrawl.cli.options import archive_options, json_option, reading_config
from blogcrawl.cli.output import Output, day, shorten
from blogcrawl.cli.summary import comments_text, name_pages, reasons_text
from blogcrawl.core.config import Config
from blogcrawl.storage.lookup import find_blog, find_post


@click.command()
@click.argument("name", metavar="BLOG|POST")
@click.option(
    "-n",
    "--posts",
    "limit",
    default=10,
    show_default=True,
    type=click.IntRange(min=0),
    help="Number of newest posts to list (0: all).",
)
@click.option(
    "--rejected",
    is_flag=True,
    help="The pages of BLOG that were read and not archived as posts, those of sitemaps first.",
)
@archive_options
@json_option
def show(
    name: str,
    limit: int,
    rejected: bool,
    archive: str | None,
    pairs: tuple[str, ...],
    as_json: bool,
) -> None:
    """Show the archived data of BLOG (URL, id, or part of its title) or POST (URL)."""
    from blogcrawl.storage.state import open_state
    from blogcrawl.storage.tombstones import Tombstones

    out = Output(as_json)
    config = reading_config(archive, pairs)
    with closing(open_state(config, reading=True)) as state:
        if rejected:
            _show_rejected(out, find_blog(state, name))
            return
        row = find_post(state, name)
        removal = Tombstones(state).find(name) if row is None and "://" in name else None
        if removal is not None:
            _show_removal(out, removal)
        elif row is not None:
            _show_post(out, config, row)
        else:
            _show_blog(out, state, find_blog(state, name), limit)


def _show_removal(out: Output, removal: Any) -> None:
    """Print the tombstone."""
    out.result({"removed": asdict(removal)})
    out.pairs(
        {
            "address": removal.url,
            "status": "purged" if removal.purged else "removed",
            "when": f"{removal.removed_at:%Y-%m-%d %H:%M} UTC",
            "by": removal.removed_by,
            "reason": removal.reason,
            "package": removal.aip_id,
        }
    )


def _show_rejected(out: Output, blog: Any) -> None:
    """Print the pages that crawls of the blog have read and not archived as posts."""
    pages = blog.stages.get("rejected", [])
    out.result({"blog": blog.url, "rejected": pages})
    out.table(
        ["probability", "listed", "reason", "title", "address"],
        [
            [
                f"{page['probability']:.3f}",
                "yes" if page["listed"] else "no",
                shorten(page["reason"], 60),
                shorten(page["title"], 40) or "-",
                page["url"],
            ]
            for page in pages
        ],
    )


def _show_blog(out: Output, state: Any, blog: Any, limit: int) -> None:
    from blogcrawl.storage.tombstones import Tombstones

    posts = sorted(
        state.posts(blog.id),
        key=lambda p: (p.published is not None, p.published or p.first_seen),
        reverse=True,
    )
    crawls = state.crawls(blog.id)
    removed = [asdict(removal) for removal in Tombstones(state).posts_of(blog.id)]
    out.result(
        {
            "blog": fields_of(blog),
            "posts": [fields_of(p) for p in posts],
            "crawls": [fields_of(c) for c in crawls],
            "removed": removed,
        }
    )
    last = crawls[-1] if crawls else None
    out.pairs(
        {
            **_blog_pairs(blog),
            **_post_pairs(posts),
            "removed": f"{len(removed)} posts (show a URL for date and reason)"
            if removed
            else None,
            **_crawl_pairs(blog, last),
        }
    )
    for word in ("missing", "unread"):
        name_pages(out, word, _listed(last, word))
    _name_incomplete(out, posts)
    for difference in _contradictions(crawls):
        out.line(f"  sources differ: {difference}")
    _post_table(out, posts, limit)


def _blog_pairs(blog: Any) -> dict[str, object]:
    """Return the metadata of the blog and its package."""
    record = dict(blog.record)
    sitemaps = [url for url, source in blog.feeds.items() if source.get("role") == "sitemap"]
    return {
        "blog": blog.title,
        "address": blog.url,
        "id": blog.id,
        "package": f"{blog.aip_id} version {blog.aip_version}" if blog.aip_id else None,
        "platform": " ".join(
            filter(None, (record.get("platform"), record.get("platform_version")))
        ),
        "language": record.get("language"),
        "feeds": ", ".join(url for url in blog.feeds if url not in sitemaps),
        "sitemap": ", ".join(sitemaps),
    }


def _post_pairs(posts: Sequence[Any]) -> dict[str, object]:
    """Return the numbers of archived posts and comments."""
    dated = [p.published for p in posts if p.published]
    span = f", {day(min(dated))} to {day(max(dated))}" if dated else ""
    return {
        "posts": f"{len(posts)}{span}",
        "comments": comments_text(
            sum(p.comment_count for p in posts),
            sum(max(p.comment_count, p.comments_shown or 0) for p in posts),
        ),
    }


def _crawl_pairs(blog: Any, last: Any | None) -> dict[str, object]:
    """Return the outcome of the last crawl."""
    return {
        "last crawl": f"{last.started:%Y-%m-%d %H:%M} UTC, {last.outcome}"
        if last and last.started
        else None,
        "health": f"{blog.health}" + (f": {blog.reason}" if blog.reason else ""),
        "missing": reasons_text(_listed(last, "missing")),
        "unread": reasons_text(_listed(last, "unread")),
    }


def _listed(crawl: Any | None, name: str) -> list[Any]:
    """Return the pages listed under ``name`` in the report of a crawl."""
    return [*crawl.report.get(name, ())] if crawl else []


def _name_incomplete(out: Output, posts: Sequence[Any]) -> None:
    name_pages(
        out,
        "comments incomplete",
        [{"url": p.url, "reason": p.comments_incomplete} for p in posts if p.comments_incomplete],
    )


def _contradictions(crawls: Sequence[Any]) -> Sequence[Any]:
    """Return contradictions between sources, from the last crawl that found any."""
    reports = (crawl.report.get("contradictions") for crawl in reversed(crawls))
    return next(filter(None, reports), ())


def _post_table(out: Output, posts: Sequence[Any], limit: int) -> None:
    shown = posts[: limit or None]
    if shown:
        out.line()
        out.table(
            ["published", "comments", "version", "title", "address"],
            [
                [
                    day(p.published),
                    str(p.comment_count),
                    str(p.aip_version),
                    shorten(p.title, 50) or "-",
                    p.url,
                ]
                for p in shown
            ],
        )
    if len(shown) < len(posts):
        out.line(f"… and {len(posts) - len(shown)} more (-n 0 lists all)")


def fields_of(row: Any) -> dict[str, Any]:
    """Return a row of the state as a dict, without the model (see ``blogcrawl rules``)."""
    from dataclasses import asdict

    return {name: value for name, value in asdict(row).items() if name != "model"}


def _show_post(out: Output, config: Config, row: Any) -> None:
    record = _record_of(config, row)
    out.result({"state": fields_of(row), "post": record})
    media = record.get("media", [])
    out.pairs(
        {
            "title": record.get("title") or row.title,
            "address": record.get("url") or row.url,
            "authors": ", ".join(record.get("authors", [])),
            "published": record.get("published"),
            "modified": record.get("modified"),
            "tags": ", ".join(record.get("tags", [])),
            "language": record.get("language"),
            "status": row.status,
            "package": f"{row.aip_id} version {row.aip_version}" if row.aip_id else "none",
            "comments": f"{row.comment_count}"
            + (f" of {row.comments_shown} reported by the page" if row.comments_shown else "")
            + (f"; incomplete: {row.comments_incomplete}" if row.comments_incomplete else ""),
            "media": f"{sum(bool(m.get('sha256')) for m in media)} of {len(media)} archived",
        }
    )
    _method_table(out, record.get("extraction", {}))
    text = record.get("content_text", "")
    if text:
        out.line()
        out.line(shorten(text, 400))


def _record_of(config: Config, row: Any) -> dict[str, Any]:
    """Read the record of a post from its package; empty if it has none."""
    if not row.aip_id:
        return {}
    from blogcrawl.packaging.layout import POST_JSON
    from blogcrawl.storage.ocfl import open_store

    store = open_store(config, reading=True)
    with store.open(row.aip_id, POST_JSON) as file:
        record: dict[str, Any] = json.load(file)
    return record


def _method_table(out: Output, extraction: dict[str, Any]) -> None:
    """Print the method, confidence and rule of each field."""
    methods = {name: chosen for name, chosen in extraction.items() if isinstance(chosen, dict)}
    if not methods:
        return
    from blogcrawl.web.outline import readable

    out.line()
    out.table(
        ["field", "method", "confidence", "rule"],
        [
            [
                name,
                str(chosen.get("method")),
                f"{chosen.get('confidence') or 0:.2f}",
                shorten(readable(chosen.get("rule")), 80),
            ]
            for name, chosen in methods.items()
        ],
    )
