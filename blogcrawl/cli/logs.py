"""Where a crawl's log goes: people see the progress and the summary, the rest is kept in the
archive.
"""

from __future__ import annotations

import logging
import logging.handlers

from blogcrawl.core.config import Config

MAX_BYTES, KEPT = 5_000_000, 3


def log_to_archive(config: Config, verbose: bool) -> str:
    """Send the log to ``crawls/blogcrawl.log`` in the archive (5 MB, three older ones kept), to the
    terminal too if ``verbose``.

    Returns the file's path. A log that can't be written (full disk) never stops a crawl.
    """
    path = config.archive_path / "crawls" / "blogcrawl.log"
    logging.raiseExceptions = False
    root = logging.getLogger()
    root.setLevel(logging.DEBUG if verbose else logging.INFO)
    kept = logging.handlers.RotatingFileHandler(
        path, maxBytes=MAX_BYTES, backupCount=KEPT, encoding="utf-8", delay=True
    )
    kept.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    kept.setLevel(logging.DEBUG if verbose else logging.INFO)  # Scrapy opens its own loggers wide
    root.addHandler(kept)
    if verbose:
        shown = logging.StreamHandler()
        shown.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S"))
        root.addHandler(shown)
    else:
        for name in (
            "scrapy.addons",
            "scrapy.crawler",
        ):  # two kilobytes about settings, the same with every crawl
            logging.getLogger(name).setLevel(logging.WARNING)
    return str(path)
