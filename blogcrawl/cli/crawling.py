"""What ``crawl`` and ``update`` share: run the crawls one after the other, watch them, sum them up."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from blogcrawl.cli.options import config_from
from blogcrawl.cli.output import Output
from blogcrawl.cli.progress import Watch
from blogcrawl.cli.summary import Summary, print_summary
from blogcrawl.config import Config
from blogcrawl.errors import IncompleteError

INTERRUPTED = 130


def crawl_config(pairs: Sequence[str], **given: Any) -> Config:
    """The crawl's configuration; see ``options.config_from``."""
    config = config_from(*pairs, **given)
    return config


def run_all(
    jobs: Sequence[dict[str, Any]], config: Config, *, spider: str, since: datetime | None, as_json: bool, verbose: bool, again: str
) -> int:
    """Crawl each job's URL; the exit code of the worst of them. ``again``: the command that goes on after a Ctrl-C."""
    from blogcrawl.spiders.run import run_crawl

    out = Output(as_json)
    summaries: list[Summary] = []
    for job in jobs:
        with Watch(job["url"], quiet=as_json) as watch:
            outcome = run_crawl(
                job["url"], config, feed=job.get("feed"), since=since, spider=spider, on_start=watch.follow, verbose=verbose
            )
        summary = Summary.of(job["url"], outcome, config)
        summaries.append(summary)
        if summary.interrupted:
            break
    out.result({"crawls": [summary.data for summary in summaries]})
    for summary in summaries:
        print_summary(out, summary, again)
    codes = [summary.exit_code for summary in summaries]
    return INTERRUPTED if INTERRUPTED in codes else max((c for c in codes if c != IncompleteError.exit_code), default=0) or max(codes)
