"""Records as JSON and back: one name a field, exactly those of ``items``.

Times are RFC 3339 in UTC with ``Z``; empty values are kept, so that every line has the same keys.
``encode`` is the one JSON encoder of records: the JSONL export and ``post.json`` in a package are the same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any, TypeVar

from blogcrawl.errors import PackagingError
from blogcrawl.items import Blog, Comment, MediaFile, Post

_SURROGATES = re.compile("[\ud800-\udfff]")
_TIMES = frozenset({"published", "modified", "fetched_at", "first_post", "last_post"})
_TUPLES = frozenset({"authors", "tags", "feeds"})
_Record = TypeVar("_Record", Post, Comment, Blog, MediaFile)


def rfc3339(moment: datetime) -> str:
    """``moment`` in UTC, ``2014-03-01T09:30:00Z``; a naive datetime is taken as UTC."""
    aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return aware.isoformat().replace("+00:00", "Z")


def parse_rfc3339(text: str) -> datetime:
    """Inverse of ``rfc3339``. Raises PackagingError."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (TypeError, ValueError, OverflowError):  # Overflow: before year 1 or after 9999 in UTC
        raise PackagingError(f"{text!r} is no RFC 3339 time") from None


def _to_json(record: Post | Comment | Blog | MediaFile) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for spec in fields(record):
        value = getattr(record, spec.name)
        if isinstance(value, datetime):
            value = rfc3339(value)
        elif spec.name in ("comments", "media"):
            value = [_to_json(part) for part in value]
        elif isinstance(value, tuple):
            value = list(value)
        elif isinstance(value, Mapping):
            value = {key: dict(inner) if isinstance(inner, Mapping) else inner for key, inner in value.items()}
        out[spec.name] = value
    return out


def post_to_json(post: Post) -> dict[str, Any]:
    """A dict that ``json.dumps`` takes; keys are the fields of ``Post`` in their order."""
    return _to_json(post)


def blog_to_json(blog: Blog) -> dict[str, Any]:
    return _to_json(blog)


def _from_json(kind: type[_Record], data: Mapping[str, Any]) -> _Record:
    try:
        return kind(**{spec.name: _field(spec.name, data[spec.name]) for spec in fields(kind) if spec.name in data})
    except (TypeError, AttributeError) as error:
        raise PackagingError(f"this is no {kind.__name__} record: {error}") from None


def _field(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name in _TIMES:
        return parse_rfc3339(value)
    if name in _TUPLES:
        return tuple(value)
    if name == "comments":
        return tuple(_from_json(Comment, one) for one in value)
    if name == "media":
        return tuple(_from_json(MediaFile, one) for one in value)
    return value


def post_from_json(data: Mapping[str, Any]) -> Post:
    """Inverse of ``post_to_json``; unknown keys are left out. Raises PackagingError."""
    return _from_json(Post, data)


def blog_from_json(data: Mapping[str, Any]) -> Blog:
    return _from_json(Blog, data)


_LINE_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def encode(record: Mapping[str, Any]) -> bytes:
    """One line of JSON, UTF-8, no line end inside or after, not even Unicode's: readers split lines at those too.

    A lone surrogate becomes U+FFFD: it has no UTF-8 form.
    """
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"), default=str).translate(_LINE_ENDS)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", text).encode("utf-8")


def decode(line: bytes) -> dict[str, Any]:
    """Inverse of ``encode``. Raises PackagingError on anything but a JSON object."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise PackagingError(f"not a JSON record: {error}") from None
    if not isinstance(data, dict):
        raise PackagingError("not a JSON record: no object")
    return data
