"""Output of commands: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import click

from blogcrawl.core.controls import CONTROLS, escape_controls
from blogcrawl.core.credentials import redact
from blogcrawl.core.errors import (
    BlogcrawlError,
    HttpStatusError,
    NotABlogError,
    RobotsError,
    UnreachableError,
)
from blogcrawl.dates.edtf import readable_date, written

_CONTROL = re.compile(f"[{re.escape(CONTROLS)}\r]")
_ADVICE: dict[type[BlogcrawlError], str] = {
    UnreachableError: "check the address and the network",
    NotABlogError: "name its feed with --feed URL if it has one",
    RobotsError: "ask the blog's owner",
}


def advice_of(error: BlogcrawlError) -> str | None:
    """Return advice for errors that carry none themselves."""
    if isinstance(error, HttpStatusError) and error.message.endswith("HTTP 401"):
        return (
            "a different login is required: give it in the URL (https://user:password@…) or in "
            "BLOGCRAWL_CREDENTIALS_FILE"
        )
    return _ADVICE.get(type(error))


def suggestion(name: str, known: Collection[str]) -> str | None:
    """Return ``did you mean …?`` for a misspelled name; None if nothing is close."""
    import difflib

    close = difflib.get_close_matches(name, known, 1)
    return f"did you mean {close[0]}?" if close else None


def plain(text: object) -> str:
    """Make ``text`` safe for a terminal: titles may hold escape sequences, URLs may hold logins."""
    return _CONTROL.sub("�", redact(str(text)))


def failure_data(kind: str, message: str, code: int, **where: str | None) -> dict[str, Any]:
    """Return a failure as JSON has it, without secrets; ``where``: ``url``, ``advice``."""
    known = {name: redact(value) for name, value in where.items() if value}
    return {"kind": kind, "message": redact(message), "exit_code": code} | known


class Output:
    """Write the results of one command.

    ``json_mode``: standard output gets exactly one JSON document and no text.
    """

    def __init__(self, json_mode: bool = False) -> None:
        self.json_mode = json_mode

    def line(self, text: str = "") -> None:
        """Write a line of text."""
        if not self.json_mode:
            click.echo(plain(text))

    def note(self, text: str) -> None:
        """Write a line to standard error."""
        click.echo(plain(text), err=True)

    def result(self, data: Any) -> None:
        """Write the complete result as JSON; do nothing in text mode."""
        if self.json_mode:
            sys.stdout.write(
                escape_controls(json.dumps(data, ensure_ascii=False, indent=2, default=as_json))
            )
            sys.stdout.write("\n")

    def failure(self, kind: str, message: str, code: int, **where: str | None) -> None:
        """Write a failure as one line, and in JSON mode also as the result."""
        failed = failure_data(kind, message, code, **where)
        self.failure_line(failed)
        self.result({"error": failed})

    def failure_line(self, failed: Mapping[str, Any]) -> None:
        """Write a failure (of ``failure_data``) as one line."""
        text, url = failed["message"].rstrip("."), failed.get("url")
        if url and url not in text:
            text += f" [{url}]"
        if failed.get("advice"):
            text += f" - {failed['advice']}"
        click.echo(f"blogcrawl: {plain(' '.join(text.split()))}", err=True)

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Write aligned columns; the last is not padded, wide characters count twice."""
        if self.json_mode:
            return
        cells = [[plain(cell) for cell in row] for row in [head, *rows]]
        widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
        for number, row in enumerate(cells):
            padded = [
                cell + " " * (width - _width(cell))
                for cell, width in zip(row[:-1], widths[:-1], strict=True)
            ]
            click.secho("  ".join([*padded, row[-1]]).rstrip(), bold=number == 0)

    def pairs(self, pairs: Mapping[str, object]) -> None:
        """Write ``name  value`` lines with aligned names; omit empty values."""
        shown = {name: value for name, value in pairs.items() if value not in (None, "", (), [])}
        width = max(map(len, shown), default=0)
        for name, value in shown.items():
            self.line(f"{name.ljust(width)}  {value}")


def _width(text: str) -> int:
    from unicodedata import combining, east_asian_width

    return sum(
        0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text
    )


def shorten(text: str | None, width: int) -> str:
    """Cut ``text`` to ``width`` columns, with an ellipsis if it was longer."""
    clean = " ".join((text or "").split())
    if _width(clean) <= width:
        return clean
    kept = ""
    for char in clean:
        if _width(kept + char) > width - 1:
            break
        kept += char
    return kept.rstrip() + "…"


def as_json(value: Any) -> Any:
    """Serve as ``default`` of json.dumps: times as they are known, mappings, sequences."""
    if isinstance(value, datetime):
        return written(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    return str(value)


def day(moment: datetime | None) -> str:
    return readable_date(moment) or "-"


def size(count: float) -> str:
    """Format a number of bytes: 1023 B, 1.0 KB (1,024 bytes), 3.4 MB."""
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1024 or unit == "GB":
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    raise AssertionError("unreachable")


def span(seconds: float) -> str:
    """Format a duration: 4.2 s, 3 min 5 s, 2 h 10 min."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
