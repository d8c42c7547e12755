"""``blogcrawl rules``: what was learned of a blog, and what each method says on one
of its pages.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from blogcrawl.cli.options import HttpUrl, archive_option, config_from, find_blog, json_option
from blogcrawl.cli.output import Output, shorten
from blogcrawl.core.config import Config
from blogcrawl.core.errors import NotABlogError, UsageError
from blogcrawl.storage.temporary import scratch_folder


@click.command()
@click.argument("name", metavar="URL|BLOG")
@click.option(
    "--page",
    type=HttpUrl(),
    metavar="URL",
    help="Show what each method says on this page of the blog, what won and why.",
)
@click.option(
    "--html",
    "picture",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write that page with the winning nodes outlined.",
)
@archive_option
@json_option
def rules(
    name: str, page: str | None, picture: Path | None, archive: str | None, as_json: bool
) -> None:
    """Explain the extraction rules of a blog: of one in the archive, or of one at URL (learned now,
    nothing is archived).
    """
    if picture and not page:
        raise UsageError("--html goes with --page URL")
    out = Output(as_json)
    config = config_from(archive=archive)
    with scratch_folder("rules") as folder:
        row, config = known_or_learned(name, config, str(folder))
        stored = dict(row.model or {}).get("model")
        if not stored:
            raise NotABlogError("no rules were learned of this blog", url=row.url)
        from blogcrawl.extraction.explain import rules_of
        from blogcrawl.extraction.model import BlogModel

        model = BlogModel.from_json(stored)
        told: dict[str, Any] = {
            "blog": row.url,
            "feeds": list(row.feeds),
            "rules": [*rules_of(model.ruleset), *comment_rules(row.model)],
            "constants": model.ruleset.constants,
            "methods": sorted(model.ruleset.methods),
            "needs_relearning": model.needs_relearning,
            "history": [
                {"until": old.get("until"), "rules": _old_rules(old)}
                for old in row.model.get("stages", {}).get("history", ())
            ],
        }
        pages = f"{model.ruleset.samples} taught the rules"
        told_too = (
            "the rules miss what they used to find: the next update learns anew"
            if model.needs_relearning
            else ""
        )
        earlier = ", ".join(f"until {str(old['until'])[:10]}" for old in told["history"])
        out.pairs(
            {
                "blog": row.url,
                "feeds": ", ".join(row.feeds),
                "pages": pages,
                "earlier rules": earlier,
                "note": told_too,
            }
        )
        show_rules(out, told["rules"])
        if page:
            shown = explained(config, row, model, page, picture)
            show_page(out, shown)
            told["page"] = shown.to_json()
            if picture:
                out.note(f"{picture} shows the page with the winning nodes outlined")
    out.result(told)


def known_or_learned(name: str, config: Config, folder: str) -> tuple[Any, Config]:
    """The blog's row and the configuration of the archive that holds it: ours, or one in ``folder``
    that is made for the purpose.
    """
    from blogcrawl.storage.state import open_state

    if config.state_url or (config.archive_path / "state.db").exists():
        state = open_state(config, reading=True)
        try:
            return find_blog(state, name), config
        except UsageError:
            if "://" not in name:
                raise
        finally:
            state.close()
    from blogcrawl.cli.crawling import QUIET, told_error
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
    error = told_error(crawl)
    if error is not None:
        raise error
    state = open_state(config)
    try:
        return find_blog(state, url), config
    finally:
        state.close()


def _old_rules(old: Any) -> list[dict[str, Any]]:
    """The rules of an earlier model, as ``explain.rules_of`` has them; [] where it
    can't be read.
    """
    from blogcrawl.extraction.explain import rules_of
    from blogcrawl.extraction.model import BlogModel

    try:
        return rules_of(BlogModel.from_json(old["model"]).ruleset)
    except (KeyError, TypeError, ValueError):
        return []


def comment_rules(model: Any) -> list[dict[str, Any]]:
    """Where the parts of a comment stand inside the section of comments, as ``explain.rules_of``
    tells of the post's fields.
    """
    learned = ((model.get("stages") or {}).get("comments") or {}).get("rules") or {}
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


def show_rules(out: Output, told: list[dict[str, Any]]) -> None:
    from blogcrawl.cli.outline import readable

    rows = []
    for rule in told:
        where = readable(rule["xpath"]) + (
            f"/@{rule['attribute']}" if rule.get("attribute") else ""
        )
        right = f"{rule.get('support_right', 0)} of {rule.get('support_tried', 0)}"
        rows.append(
            [
                rule["field"],
                right,
                f"{rule.get('mean_score', 0):.2f}",
                rule.get("pattern", "-"),
                where,
            ]
        )
    out.line()
    out.table(["field", "right on", "score", "pattern", "rule"], rows)


def show_page(out: Output, told: Any) -> None:
    """The table of opinions and the reasons of the winners."""
    from blogcrawl.cli.outline import readable

    out.line()
    out.line(
        f"{told.url}: {'a post' if told.is_post else 'no post: ' + told.reason} (belief "
        f"{told.belief:.2f})"
    )
    rows = [
        [
            "*" if o.won else "",
            o.field,
            o.method,
            f"{o.confidence:.2f}",
            shorten(o.value, 44),
            shorten(readable(o.rule), 60),
        ]
        for o in told.opinions
    ]
    if rows:
        out.line()
        out.table(["won", "field", "method", "confidence", "value", "rule"], rows)
    if told.winners:
        out.line()
        out.table(
            ["field", "won by", "sure", "why"],
            [[w.field, w.method, f"{w.confidence:.2f}", w.why] for w in told.winners],
        )


def explained(config: Config, row: Any, model: Any, url: str, picture: Path | None) -> Any:
    """What each method says on the page at ``url``; ``picture``: also draw it there."""
    from blogcrawl.cli.onepage import page_at
    from blogcrawl.extraction.explain import explain

    page = page_at(config, row, url)
    if model.parts is not None:
        from blogcrawl.extraction.pages.multi_post import part_page

        page = part_page(page, model.parts, url) or page
    told = explain(page, model)
    if picture:
        from blogcrawl.cli.outline import outlined

        picture.write_bytes(outlined(page, told))
    return told
