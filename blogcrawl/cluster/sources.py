"""Lists of blogs: OPML, CSV, plain text. Read lazily, also with a million lines."""

from __future__ import annotations

import csv
import io
import logging
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import TextIO
from urllib.parse import urlsplit

from lxml import etree

from blogcrawl.core.credentials import split_login
from blogcrawl.core.errors import UsageError
from blogcrawl.packaging.ids import blog_id
from blogcrawl.storage.schedule import service_of
from blogcrawl.storage.tables import VisitRow
from blogcrawl.urls.canonical import canonicalize

log = logging.getLogger(__name__)
_URL_COLUMNS = (
    "url",
    "htmlurl",
    "html_url",
    "blog",
    "address",
    "site",
    "link",
    "homepage",
    "xmlurl",
    "xml_url",
    "feed",
)
_FEED_COLUMNS = ("feed", "xmlurl", "xml_url", "rss", "atom")


def _lines(lines: Iterable[str]) -> Iterator[tuple[str, None]]:
    for line in lines:
        url = None if line.lstrip().startswith("#") else _url(line)
        if url:
            yield url, None


def read_blogs(stream: TextIO, name: str) -> Iterator[tuple[str, str | None]]:
    """Yield (blog URL, feed URL or None) for each blog in ``stream``; detect the format.

    OPML: ``htmlUrl`` and ``xmlUrl`` of each outline. CSV: columns ``url`` and ``feed`` by name,
    else the first column. Plain text: one URL per line, ``#`` comments. Lines without a URL are
    skipped. Raises UsageError for malformed OPML or CSV.
    """
    head = stream.readline()
    while head and not head.strip():
        head = stream.readline()
    if re.match(r"\ufeff?\s*<", head):
        yield from _opml(head + stream.read(), name)
    elif "," in head or ";" in head or "\t" in head:
        try:
            yield from _csv(head, stream)
        except csv.Error as error:
            raise UsageError(f"{name} is broken CSV: {error}") from error
    else:
        yield from _lines(chain([head.lstrip("\ufeff")], stream))


def _opml(text: str, name: str) -> Iterator[tuple[str, str | None]]:
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, recover=False, huge_tree=False
    )
    try:
        root = etree.fromstring(text.lstrip("\ufeff").encode("utf-8"), parser)
    except etree.XMLSyntaxError as error:
        raise UsageError(f"{name} is broken OPML: {error.msg}") from error
    for outline in root.iter("outline"):
        names = {str(key).lower(): str(value) for key, value in outline.attrib.items()}
        feed = _url(names.get("xmlurl", ""))
        url = _url(names.get("htmlurl", "")) or feed
        if url:
            yield url, feed


def _csv(head: str, stream: TextIO) -> Iterator[tuple[str, str | None]]:
    dialect = _delimiter(head)
    first = next(csv.reader(io.StringIO(head.lstrip("\ufeff")), delimiter=dialect))
    columns = [c.strip().lower() for c in first]
    named = _column(columns, _URL_COLUMNS)
    feed = _column(columns, _FEED_COLUMNS)
    rows = csv.reader(stream, delimiter=dialect)
    for row in rows if named is not None else chain([first], rows):
        url = _cell(row, named or 0)
        if url:
            yield url, _cell(row, feed)


def _delimiter(head: str) -> str:
    if "\t" in head:
        return "\t"
    return ";" if ";" in head and "," not in head else ","


def _column(columns: list[str], names: Iterable[str]) -> int | None:
    """Return the index of the first of ``names`` that is a column."""
    return next((columns.index(name) for name in names if name in columns), None)


def _cell(row: list[str], column: int | None) -> str | None:
    """Return the URL in that column of a row, if any."""
    return _url(row[column]) if column is not None and len(row) > column else None


def _url(text: str) -> str | None:
    text = text.strip().strip("<>\"'")
    if text and "://" not in text and re.match(r"[\w.-]+\.[A-Za-z]{2,}([/:]|$)", text):
        text = "https://" + text
    try:
        parts = urlsplit(text)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    bare, login = split_login(text)
    if login is not None:
        log.warning(
            (
                "%s: a login in a list is not kept; put it into BLOGCRAWL_CREDENTIALS_FILE on each "
                "node"
            ),
            bare,
        )
    return bare


def turns_of(blogs: Iterable[tuple[str, str | None]], now: datetime) -> Iterator[VisitRow]:
    """Yield a first turn, due now, for each blog; spellings of one URL share an id."""
    for url, feed in blogs:
        yield VisitRow(
            blog_id=blog_id(canonicalize(url)),
            url=url,
            host=service_of(url),
            next_visit=now,
            feed={"url": feed} if feed else None,
        )


def open_list(path: Path) -> TextIO:
    """Open a list of blogs. Raises UsageError if the file is unreadable."""
    try:
        return path.open(encoding="utf-8", errors="replace", newline="")
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}") from error
