"""``blogcrawl rules``: what was learned of a blog, and what each method says on one of its pages."""

from __future__ import annotations

import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from blogcrawl.cli.options import archive_option, config_from, find_blog, json_option
from blogcrawl.cli.output import Output, shorten
from blogcrawl.config import Config
from blogcrawl.errors import BlogcrawlError, NotABlogError, StorageError, UsageError

FIELDS = ("title", "subtitle", "authors", "published", "modified", "tags", "content", "excerpt", "language")
SOURCE = "representations/web/data/source.html"


@click.command()
@click.argument("name", metavar="URL|BLOG")
@click.option("--page", metavar="URL", help="Show what each method says on this page of the blog, what won and why.")
@click.option("--html", "picture", type=click.Path(dir_okay=False, path_type=Path), help="Write that page with the winning nodes outlined.")
@archive_option
@json_option
def rules(name: str, page: str | None, picture: Path | None, archive: str | None, as_json: bool) -> None:
    """Explain the extraction rules of a blog: of one in the archive, or of one at URL (learned now, nothing is archived)."""
    if picture and not page:
        raise UsageError("--html goes with --page URL")
    out = Output(as_json)
    config = config_from(archive=archive)
    with tempfile.TemporaryDirectory(prefix="blogcrawl-rules-") as folder:
        row, config = known_or_learned(name, config, folder)
        stored = dict(row.model or {}).get("model")
        if not stored:
            raise NotABlogError("no rules were learned of this blog", url=row.url)
        from blogcrawl.extraction.model import BlogModel

        model = BlogModel.from_json(stored)
        told: dict[str, Any] = {
            "blog": row.url,
            "feeds": list(row.feeds),
            "rules": rules_of(model),
            "methods": sorted(model.ruleset.methods),
        }
        out.pairs({"blog": row.url, "feeds": ", ".join(row.feeds), "pages": f"{model.ruleset.samples} taught the rules"})
        show_rules(out, told["rules"])
        if page:
            told["page"] = explain(out, config, row, model, page, picture)
    out.result(told)


def known_or_learned(name: str, config: Config, folder: str) -> tuple[Any, Config]:
    """The blog's row and the configuration of the archive that holds it: ours, or one in ``folder`` that is made for the purpose."""
    from blogcrawl.storage.state import open_state

    if config.state_url or (config.archive_path / "state.db").exists():
        state = open_state(config)
        try:
            return find_blog(state, name), config
        except UsageError:
            if "://" not in name:
                raise
        finally:
            state.close()
    from blogcrawl.cli.crawling import QUIET, told_error
    from blogcrawl.cli.options import http_url
    from blogcrawl.spiders.run import run_crawl

    url = http_url(name)
    config = replace(config, archive=folder, state_url="", store_url="", max_posts=1, media=False, warc=False, render="never")
    crawl = run_crawl(url, config, extra=QUIET)
    error = told_error(crawl)
    if error is not None:
        raise error
    state = open_state(config)
    try:
        return find_blog(state, url), config
    finally:
        state.close()


def rules_of(model: Any) -> list[dict[str, Any]]:
    """Rules as data, by field, best first."""
    return [
        {key: value for key, value in asdict(rule).items() if value not in (None, "", False)}
        for field in FIELDS
        for rule in model.ruleset.rules.get(field, ())
    ]


def show_rules(out: Output, told: list[dict[str, Any]]) -> None:
    rows = []
    for rule in told:
        where = rule["xpath"] + (f"/@{rule['attribute']}" if rule.get("attribute") else "")
        right = f"{rule.get('support_right', 0)} of {rule.get('support_tried', 0)}"
        rows.append([rule["field"], right, f"{rule.get('mean_score', 0):.2f}", rule.get("pattern", "-"), where])
    out.line()
    out.table(["field", "right on", "score", "pattern", "rule"], rows)


def explain(out: Output, config: Config, row: Any, model: Any, url: str, picture: Path | None) -> dict[str, Any]:
    """What each method says on the page at ``url``, and the post that came of it."""
    from blogcrawl.extraction.chain import ask_all
    from blogcrawl.extraction.model import NotAPost, extract_post

    page = page_at(config, row, url)
    said = ask_all(page, model.ruleset)
    result = extract_post(page, model, None, promised=True)
    if isinstance(result, NotAPost):
        raise BlogcrawlError(f"this page is no post: {result.reason}", url=url)
    won = result.extraction
    lines, data = [], []
    for field in FIELDS:
        for method, fields in said.items():
            for value in fields.get(field, ())[:1]:
                text = text_of(value.value)
                winner = won.get(field, {}).get("method") == method
                lines.append(
                    ["*" if winner else "", field, method, f"{value.confidence:.2f}", shorten(text, 44), shorten(value.rule or "", 60)]
                )
                data.append(
                    {"field": field, "method": method, "confidence": value.confidence, "value": text, "rule": value.rule, "won": winner}
                )
    out.line()
    out.table(["won", "field", "method", "confidence", "value", "rule"], lines)
    if picture:
        from blogcrawl.cli.outline import outlined

        picture.write_bytes(outlined(page, won, said))
        out.note(f"{picture} shows the page with the winning nodes outlined")
    return {"url": url, "said": data, "extraction": {name: dict(value) for name, value in won.items()}}


def page_at(config: Config, row: Any, url: str) -> Any:
    """The page as the archive has it, else as the blog has it now."""
    from blogcrawl.frontier.canonical import canonicalize
    from blogcrawl.page import Page
    from blogcrawl.storage.ocfl import open_store
    from blogcrawl.storage.state import open_state

    state = open_state(config)
    try:
        post = state.get_post(row.id, canonicalize(url)) or state.get_post(row.id, url)
    finally:
        state.close()
    if post is not None and post.aip_id:
        try:
            with open_store(config).open(post.aip_id, SOURCE) as file:
                return Page(url=url, body=file.read())
        except StorageError:
            pass  # a package without the source: ask the blog
    return fetched(url, config)


def fetched(url: str, config: Config) -> Any:
    """One GET of a page that the operator named. Raises BlogcrawlError."""
    import httpx

    from blogcrawl import __version__
    from blogcrawl.errors import HttpStatusError, UnreachableError
    from blogcrawl.page import Page

    agent = f"blogcrawl/{__version__} (blog archiver; +{config.contact or 'no contact given by its operator'})"
    try:
        answer = httpx.get(url, headers={"User-Agent": agent}, follow_redirects=True, timeout=60, verify=False)
    except httpx.HTTPError as error:
        raise UnreachableError(f"the page can't be fetched: {error}", url=url) from None
    if answer.status_code >= 400:
        raise HttpStatusError(f"the page answers HTTP {answer.status_code}", url=url)
    return Page(url=str(answer.url), body=answer.content, headers={k.lower(): v for k, v in answer.headers.items()})


def text_of(value: Any) -> str:
    """A candidate's value as text: elements by their text."""
    if isinstance(value, (list, tuple)):
        return ", ".join(text_of(part) for part in value)
    if hasattr(value, "itertext"):
        return " ".join(" ".join(value.itertext()).split())
    return " ".join(str(value).split())
