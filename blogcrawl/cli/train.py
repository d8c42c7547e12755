"""``blogcrawl train``: make the model of the SVM extractor anew."""

from __future__ import annotations

from pathlib import Path

import click

from blogcrawl.cli.options import json_option
from blogcrawl.cli.output import Output


@click.command()
@click.option("-o", "--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The model file to write (.npz).")
@click.option("--templates", default=400, show_default=True, type=click.IntRange(min=2), help="Made-up blog templates to learn from.")
@click.option("--seed", default=1, show_default=True, help="The same seed makes the same model.")
@click.option("--browser", default="", metavar="PATH", help="A Chromium: train the machines for rendered pages too.")
@click.option(
    "--pages",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with pages.jsonl files of real blogs, a line {url, html, title, content} each, to learn from besides.",
)
@json_option
def train(out: Path, templates: int, seed: int, browser: str, pages: Path | None, as_json: bool) -> None:
    """Train the support vector machines that find title and body where no rule does; prints their sizes.

    Labels come by themselves: from the made-up templates, and on real pages from the text that the feed had.
    """
    from blogcrawl.extraction.methods.svm_train import train as make

    told = Output(as_json)
    sizes = make(out, templates=templates, seed=seed, browser=browser, archive=pages)
    told.pairs({name: f"{size} support vectors" for name, size in sizes.items()})
    told.result({"model": str(out), "bytes": out.stat().st_size, "support_vectors": sizes})
