"""``blogcrawl rules``: extraction rules of a blog, and what each method extracts."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from blogcrawl.cli.options import HttpUrl, archive_options, config_from, json_option
from blogcrawl.cli.output import Output, shorten
from blogcrawl.core.config import Config
from blogcrawl.core.errors import NotABlogError, UsageError
from blogcrawl.storage.lookup import find_blog
from blogcrawl.storage.temporary import scratch_folder


@click.command()
@click.argument("name", metavar="URL|BLOG")
@click.option(
    "--page",
    type=HttpUrl(),
    metavar="URL",
    help="Show what each method extracts from this page, which value was chosen and why.",
)
@click.option(
    "--html",
    "picture",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write that page with the chosen nodes outlined.",
)
@archive_options
@json_option
def rules(
    name: str,
    page: str | None,
    picture: Path | None,
    archive: str | None,
    pairs: tuple[str, ...],
    as_json: bool,
) -> None:
    """Show the extraction rules of an archived blog, or of the blog at URL (learned now, without
    archiving it).
    """
    if picture and not page:
        raise UsageError("--html requires --page URL")
    out = Output(as_json)
    config = config_from(*pairs, archive=archive)
    with scratch_folder("rules") as folder:
        row, config = known_or_learned(name, config, str(folder))
        stored = row.learned
        if not stored:
            raise NotABlogError("no rules were learned for this blog", url=row.url)
        from msgspec import to_builtins

        from blogcrawl.extraction.explain import rules_of
        from blogcrawl.extraction.model import BlogModel

        model = BlogModel.from_json(stored)
        result: dict[str, Any] = {
            "blog": row.url,
            "feeds": list(row.feeds),
            "rules": [*rules_of(model), *comment_rules(row.stages)],
            "facts": to_builtins(model.ruleset.facts),
            "methods": sorted(model.ruleset.methods),
            "needs_relearning": model.needs_relearning,
            "history": [
                {"until": old.get("until"), "rules": _old_rules(old)}
                for old in row.stages.get("history", ())
            ],
        }
        pages = f"rules learned from {model.ruleset.samples} pages"
        note = (
            "the rules no longer match recent posts: the next update relearns them"
            if model.needs_relearning
            else ""
        )
        earlier = ", ".join(f"until {str(old['until'])[:10]}" for old in result["history"])
        out.pairs(
            {
                "blog": row.url,
                "feeds": ", ".join(row.feeds),
                "pages": pages,
                "earlier rules": earlier,
                "note": note,
            }
        )
        show_rules(out, result["rules"])
        if page:
            shown = explained(config, row, model, page, picture)
            show_page(out, shown)
            result["page"] = shown.to_json()
            if picture:
                out.note(f"{picture} shows the page with the chosen nodes outlined")
    out.result(result)


def known_or_learned(name: str, config: Config, folder: str) -> tuple[Any, Config]:
    """Return the blog's row and the configuration of its archive, a temporary one if unknown."""
    from blogcrawl.storage.state import open_state

    if config.state_url or (config.archive_path / "state.db").exists():
        with closing(open_state(config, reading=True)) as state:
            try:
                return find_blog(state, name), config
            except UsageError:
                if "://" not in name:
                    raise
    from blogcrawl.cli.crawling import QUIET, reported_error
    from blogcrawl.cli.options import http_url
    from blogcrawl.crawling.run import run_crawl

    url = http_url(name)
    config = replace(
        config,
        archive=folder,
        state_url="",
        store_url="",
        max_posts=1,
        media=False,
        warc=False,
        render="never",
    )
    crawl = run_crawl(url, config, extra=QUIET)
    error = reported_error(crawl)
    if error is not None:
        raise error
    with closing(open_state(config)) as state:
        return find_blog(state, url), config


def _old_rules(old: Any) -> list[dict[str, Any]]:
    """Return the rules of an earlier model like ``explain.rules_of``; [] if it is unreadable."""
    from blogcrawl.extraction.explain import rules_of
    from blogcrawl.extraction.model import BlogModel

    try:
        return rules_of(BlogModel.from_json(old["model"]))
    except (KeyError, TypeError, ValueError):
        return []


def comment_rules(stages: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rules for the fields of a comment, in the format of ``explain.rules_of``."""
    learned = (stages.get("comments") or {}).get("rules") or {}
    about = {
        "support_right": learned.get("support_right", 0),
        "support_tried": learned.get("support_tried", 0),
    }
    return [
        {
            "field": f"comments.{part}",
            "xpath": path.replace(">", "/"),
            "mean_score": learned.get("score", 0),
            **about,
        }
        for part in ("author", "date", "body")
        for path in learned.get(part) or ()
    ]


def show_rules(out: Output, rules: list[dict[str, Any]]) -> None:
    from blogcrawl.web.outline import readable

    rows, several = [], any(rule.get("template", 1) > 1 for rule in rules)
    for rule in rules:
        where = readable(rule["xpath"]) + (
            f"/@{rule['attribute']}" if rule.get("attribute") else ""
        )
        right = f"{rule.get('support_right', 0)} of {rule.get('support_tried', 0)}"
        rows.append(
            [
                *([str(rule.get("template", ""))] if several else []),
                rule["field"],
                right,
                f"{rule.get('mean_score', 0):.2f}",
                rule.get("pattern", "-"),
                where,
            ]
        )
    out.line()
    head = ["field", "right on", "score", "pattern", "rule"]
    out.table(["template", *head] if several else head, rows)


def show_page(out: Output, explanation: Any) -> None:
    """Print the candidates of all methods and the reasons for the chosen values."""
    from blogcrawl.web.outline import readable

    out.line()
    out.line(
        f"{explanation.url}: "
        f"{'a post' if explanation.is_post else 'not a post: ' + explanation.reason} "
        f"(confidence {explanation.belief:.2f})"
    )
    if explanation.template > 1:
        out.line(f"read by the rules of template {explanation.template}")
    rows = [
        [
            "*" if o.won else "",
            o.field,
            o.method,
            f"{o.confidence:.2f}",
            shorten(o.value, 44),
            shorten(readable(o.rule), 60),
        ]
        for o in explanation.opinions
    ]
    if rows:
        out.line()
        out.table(["chosen", "field", "method", "confidence", "value", "rule"], rows)
    if explanation.winners:
        out.line()
        out.table(
            ["field", "method", "confidence", "reason"],
            [[w.field, w.method, f"{w.confidence:.2f}", w.why] for w in explanation.winners],
        )


def explained(config: Config, row: Any, model: Any, url: str, picture: Path | None) -> Any:
    """Explain the page at ``url``; ``picture``: also write it there with outlines."""
    from blogcrawl.cli.onepage import page_at
    from blogcrawl.extraction import chain
    from blogcrawl.extraction.explain import explain

    chain.select(config.methods.split())
    page = page_at(config, row, url)
    if model.parts is not None:
        from blogcrawl.extraction.pages.multi_post import part_page

        page = part_page(page, model.parts, url) or page
    explanation = explain(page, model)
    if picture:
        from blogcrawl.web.outline import outlined

        picture.write_bytes(outlined(page, explanation))
    return explanation
