"""Log records as JSON objects, for log collectors of clusters."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from blogcrawl.core.controls import escape_controls
from blogcrawl.core.credentials import redact

OF_CRAWL: ContextVar[Mapping[str, str] | None] = ContextVar("of_crawl", default=None)
"""Ids of the crawl that logs, where a process runs several."""


class JsonFormatter(logging.Formatter):
    """Format one JSON object per line.

    Fields: time, level, logger, message, ids (job, blog, spider), and the traceback, if any.
    """

    def __init__(self, ids: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self.ids = {name: value for name, value in (ids or {}).items() if value}

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            **self.ids,
            **(OF_CRAWL.get() or {}),
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["traceback"] = redact(self.formatException(record.exc_info))
        return escape_controls(json.dumps(line, ensure_ascii=False, default=str))


def log_as_json(ids: Mapping[str, str] | None = None) -> None:
    """Make all handlers of the root logger write JSON; add one if it has no handler."""
    root = logging.getLogger()
    if not root.handlers:
        root.addHandler(logging.StreamHandler())
    for handler in root.handlers:
        if not isinstance(handler.formatter, JsonFormatter):
            handler.setFormatter(JsonFormatter(ids))


class RedactedRecord(logging.LogRecord):
    """A record without the logins of URLs in message and traceback, which libraries may log."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.exc_info and self.exc_info[0] is not None:
            self.exc_text = redact(logging.Formatter().formatException(self.exc_info))

    def getMessage(self) -> str:
        return redact(super().getMessage())


def redact_logs() -> None:
    """Keep logins out of all logs of this process."""
    logging.setLogRecordFactory(RedactedRecord)
