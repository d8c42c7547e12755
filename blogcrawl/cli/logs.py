"""The log of a crawl: kept in the archive; the terminal shows progress and summary."""

from __future__ import annotations

import logging
import logging.handlers

from blogcrawl.core.config import Config

MAX_BYTES, KEPT = 5_000_000, 3


def log_to_archive(config: Config, verbose: bool) -> str:
    """Send the log to ``crawls/blogcrawl.log`` in the archive, and to the terminal if ``verbose``.

    Returns the path of the file, which is rotated at 5 MB (three older files are kept). A log that
    cannot be written (full disk) never stops a crawl.
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
    return str(path)
