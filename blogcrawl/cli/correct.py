"""``blogcrawl correct``: what is a post, where its fields stand, which language it is in."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from blogcrawl.cli.options import archive_options, json_option, reading_config
from blogcrawl.cli.output import Output
from blogcrawl.core.errors import UsageError
from blogcrawl.storage.lookup import find_blog


@click.command()
@click.argument("name", metavar="BLOG")
@click.option(
    "--post",
    "posts",
    multiple=True,
    metavar="PATTERN",
    help="Pages whose addresses match are posts, e.g. '/stories/*'.",
)
@click.option(
    "--no-post",
    "others",
    multiple=True,
    metavar="PATTERN",
    help="No posts, e.g. '/shop/*'.",
)
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="FIELD=XPATH",
    help="Where title, authors, published, tags or content of the posts stand.",
)
@click.option(
    "--language", metavar="TAG", help="Language of all posts, e.g. 'fr' or 'pt-BR' (BCP 47)."
)
@click.option(
    "--remove",
    "removed",
    multiple=True,
    metavar="PATTERN|FIELD|language",
    help="Withdraw a correction.",
)
@click.option("--list", "listed", is_flag=True, help="List the corrections (also without options).")
@archive_options
@json_option
def correct(
    name: str,
    posts: Sequence[str],
    others: Sequence[str],
    fields: Sequence[str],
    language: str | None,
    removed: Sequence[str],
    listed: bool,
    archive: str | None,
    pairs: tuple[str, ...],
    as_json: bool,
) -> None:
    """Correct what crawls make of BLOG: which pages are posts, where a field stands, the language.

    Corrections stay with the blog and win over all that is learned, in every later crawl.
    """
    from blogcrawl.extraction.corrections import FIELD, LANGUAGE, NO_POST, POST
    from blogcrawl.storage.state import open_state
    from blogcrawl.storage.tables import CorrectionRow

    out = Output(as_json)
    made = [(POST, glob, "") for glob in posts] + [(NO_POST, glob, "") for glob in others]
    made += [(FIELD, *_field(pair)) for pair in fields]
    made += [(LANGUAGE, LANGUAGE, _tag(language))] if language else []
    with closing(
        open_state(reading_config(archive, pairs), reading=not (made or removed))
    ) as state:
        blog = find_blog(state, name)
        for one in removed:
            if not state.withdraw(blog.id, one):
                raise UsageError(f"there is no correction {one!r} of this blog")
        now = datetime.now(UTC)
        for number, (kind, one, value) in enumerate(made):
            if kind != FIELD:
                state.withdraw(blog.id, one)
            at = now + timedelta(microseconds=number)
            state.correct(CorrectionRow(blog_id=blog.id, kind=kind, name=one, value=value, made=at))
        known = state.corrections(blog.id)
        rejected = blog.stages.get("rejected", [])
    matching = _matching(known, rejected)
    out.result({"blog": blog.url, "corrections": list(map(asdict, known)), "rejected": matching})
    _print(out, known, len(matching))


def _print(out: Output, known: Sequence[Any], matching: int) -> None:
    """Print the corrections, and how many rejected pages are posts by them."""
    if known:
        rows = [[row.kind, row.name, row.value] for row in known]
        out.table(["kind", "pattern or field", "XPath or tag"], rows)
    if matching:
        pages = "page" if matching == 1 else "pages"
        out.line(f"{matching} rejected {pages} will be fetched as posts by the next update")


def _field(pair: str) -> tuple[str, str]:
    """Split FIELD=XPATH. Raises UsageError."""
    from blogcrawl.extraction.corrections import FIELDS, check_xpath

    name, equals, path = pair.partition("=")
    if not equals or name not in FIELDS:
        raise UsageError(f"--field takes FIELD=XPATH with one of {', '.join(FIELDS)}")
    check_xpath(path)
    return name, path


def _tag(text: str) -> str:
    """Return a language tag in its usual spelling. Raises UsageError."""
    from blogcrawl.text.language import language_tag

    tag = language_tag(text)
    if tag is None:
        raise UsageError(f"{text!r} is no language tag such as fr, pt-BR or zh-Hant")
    return tag


def _matching(corrections: Sequence[Any], rejected: Sequence[Any]) -> list[str]:
    """Return the rejected pages that corrections call posts."""
    from blogcrawl.extraction.corrections import Corrections

    said = Corrections.of((row.kind, row.name, row.value) for row in corrections)
    return [page["url"] for page in rejected if said.is_post(page["url"])]
