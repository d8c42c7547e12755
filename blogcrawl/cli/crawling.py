"""Run the crawls of ``crawl`` and ``update``: options, progress, summary, exit code."""

from __future__ import annotations

import logging
import logging.handlers
import os
import re
import shlex
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from blogcrawl.cli.clock import clock_fault
from blogcrawl.cli.options import config_from
from blogcrawl.cli.output import Output
from blogcrawl.cli.progress import Watch
from blogcrawl.cli.summary import INTERRUPTED, Summary, print_summary, result_of
from blogcrawl.core import errors
from blogcrawl.core.config import NO_BROWSER, Config
from blogcrawl.core.credentials import redact, without_login
from blogcrawl.crawling.run import replay_crawl, run_crawl
from blogcrawl.storage.archive import made_at
from blogcrawl.storage.memento import Memento
from blogcrawl.storage.tables import CrawlRow
from blogcrawl.storage.web_archive import CaptureSource

QUIET = {"LOG_ENABLED": False}
"""Scrapy adds no handler of its own."""
MAX_BYTES, KEPT = 5_000_000, 3
"""Of the log in the archive: size of a file, older files that are kept."""


def crawl_config(pairs: Sequence[str], **given: Any) -> Config:
    """Build the configuration of a crawl (see ``options.config_from``).

    ``BLOGCRAWL_BROWSER_PATH=none`` (deploy/run found no browser) turns rendering off. Raises
    UsageError.
    """
    config = config_from(*pairs, **given)
    for name in ("include", "exclude"):
        if re.search(r"[\\^|(]|\.\*", getattr(config, name)):
            raise errors.UsageError(
                f"--{name} takes patterns with * as wildcard, not regular expressions",
                advice="see --help",
            )
    if config.browser_path == NO_BROWSER:
        if config.render == "always":
            raise errors.UsageError(
                "--render always needs a browser, and none is available", advice="install Chromium"
            )
        config = replace(config, render="never", browser_path="")
    return config


def run_all(starts: Sequence[tuple[str, str]], *, spider: str = "", **options: Any) -> int:
    """Crawl each (URL, feed URL or "") in turn and return the worst exit code.

    ``spider``: its name, or "" for an UpdateCrawl of a known blog and a NewCrawl of an unknown one.
    ``options``: those of ``options.crawl_options``.
    """
    since, as_json, verbose = options.pop("since"), options.pop("as_json"), options.pop("verbose")
    config = crawl_config(options.pop("pairs"), delay_seconds=options.pop("delay"), **options)
    out = Output(as_json)
    fault = clock_fault(datetime.now(UTC), made_at(config.archive_path))
    if fault:
        out.note(f"blogcrawl: {fault}")
    log_to_archive(config, verbose)
    summaries: list[Summary] = []
    for start, feed in starts:
        url = without_login(start)
        with Watch(url, quiet=as_json or verbose) as watch:
            summary = crawl_one(
                start,
                feed,
                config,
                spider or choose_spider(config, url),
                since=since,
                watch=watch,
                verbose=verbose,
            )
        summaries.append(summary)
        print_summary(out, summary, command_line())
        if summary.interrupted:
            break
    out.result(result_of(summaries))
    return worst([summary.exit_code for summary in summaries])


def crawl_one(
    url: str,
    feed: str,
    config: Config,
    spider: str,
    *,
    since: datetime | None,
    watch: Watch,
    verbose: bool,
) -> Summary:
    """Run one crawl and return its summary, also if it failed.

    Raises ArchiveError and DiskFullError, which stop the other crawls too.
    """
    try:
        row = run_crawl(
            url,
            config,
            feed=feed or None,
            since=since,
            spider=spider,
            on_start=watch.follow,
            verbose=verbose,
            extra=QUIET,
        )
    except (errors.ArchiveError, errors.DiskFullError):
        raise
    except errors.BlogcrawlError as error:
        return Summary(without_login(url), None, error, config.archive)
    return Summary(without_login(url), row, reported_error(row), config.archive)


def run_replays(urls: Sequence[str], service: str, **options: Any) -> int:
    """Crawl each blog from the web archive at ``service`` and return the worst exit code."""
    as_json, verbose = options.pop("as_json"), options.pop("verbose")
    options.pop("since")
    config = crawl_config(options.pop("pairs"), delay_seconds=options.pop("delay"), **options)
    return worst(
        [
            replay_one(url, config, Memento(service), as_json=as_json, verbose=verbose)
            for url in urls
        ]
    )


def replay_one(
    url: str, config: Config, captures: CaptureSource, *, as_json: bool, verbose: bool
) -> int:
    """Run a crawl that ``captures`` answers, print its summary and return its exit code."""
    out = Output(as_json)
    log_to_archive(config, verbose)
    with Watch(url, quiet=as_json or verbose) as watch:
        try:
            row = replay_crawl(
                url, config, captures, on_start=watch.follow, verbose=verbose, extra=QUIET
            )
            summary = Summary(url, row, reported_error(row), config.archive)
        except (errors.ArchiveError, errors.DiskFullError):
            raise
        except errors.BlogcrawlError as error:
            summary = Summary(url, None, error, config.archive)
    print_summary(out, summary, command_line())
    out.result(result_of([summary]))
    return summary.exit_code


def reported_error(row: CrawlRow) -> errors.BlogcrawlError | None:
    """Rebuild the error recorded in a crawl's report."""
    reported = row.report.get("error")
    if not reported:
        return None
    kind = getattr(errors, str(reported.get("kind")), errors.BlogcrawlError)
    error: errors.BlogcrawlError = kind(
        reported.get("message", ""), url=reported.get("url"), advice=reported.get("advice")
    )
    return error


def choose_spider(config: Config, url: str) -> str:
    """Choose ``updatecrawl`` for a blog whose first crawl has finished, else ``newcrawl``.

    A first crawl that was stopped, killed or cut short by a limit resumes as NewCrawl: its frontier
    holds what is left.
    """
    if config.full or (not config.state_url and not (config.archive_path / "state.db").exists()):
        return "newcrawl"
    from blogcrawl.storage.archive import open_archive
    from blogcrawl.storage.state import open_state
    from blogcrawl.urls.canonical import canonicalize

    if not config.state_url:
        open_archive(config, now=datetime.now(UTC))
    with closing(open_state(config)) as state:
        blog = state.get_blog(url) or state.get_blog(canonicalize(url))
        is_whole = blog is not None and any(crawl.is_whole for crawl in state.crawls(blog.id))
    return "updatecrawl" if is_whole else "newcrawl"


def worst(codes: Sequence[int]) -> int:
    """Return one exit code for several crawls: stopped, else the first failure, else incomplete."""
    if INTERRUPTED in codes:
        return INTERRUPTED
    failed = [code for code in codes if code not in (0, errors.IncompleteError.exit_code)]
    return failed[0] if failed else max(codes, default=0)


def command_line() -> str:
    """Return the command line of this process, for repeating it."""
    return shlex.join(
        [os.environ.get("BLOGCRAWL_PROGRAM") or "blogcrawl", *map(redact, sys.argv[1:])]
    )


def log_to_archive(config: Config, verbose: bool) -> None:
    """Send the log to ``crawls/blogcrawl.log`` in the archive, and to the terminal if ``verbose``.

    A log that cannot be written (full disk) never stops a crawl.
    """
    path = config.archive_path / "crawls" / "blogcrawl.log"
    logging.raiseExceptions = False
    root = logging.getLogger()
    root.setLevel(logging.DEBUG if verbose else logging.INFO)
    kept = logging.handlers.RotatingFileHandler(
        path, maxBytes=MAX_BYTES, backupCount=KEPT, encoding="utf-8", delay=True
    )
    kept.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    kept.setLevel(logging.DEBUG if verbose else logging.INFO)  # Scrapy sets its loggers to DEBUG
    root.addHandler(kept)
    if verbose:
        shown = logging.StreamHandler()
        shown.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S"))
        root.addHandler(shown)
    else:
        # two kilobytes about settings, the same in every crawl
        for name in ("scrapy.addons", "scrapy.crawler"):
            logging.getLogger(name).setLevel(logging.WARNING)
