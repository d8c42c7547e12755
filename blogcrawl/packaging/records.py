"""Records as JSON and back: one name a field, exactly those of ``items``.

Times are RFC 3339, UTC with ``Z``; the dates of posts and comments are as precise as they are known
(``dates.edtf``). Empty values are kept, so that every line has the same keys. ``encode`` is the one
JSON encoder of records: the JSONL export and ``post.json`` in a package are the same bytes.
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields
from datetime import UTC, datetime
from types import NoneType
from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from blogcrawl.core.controls import escape_controls
from blogcrawl.core.errors import PackagingError
from blogcrawl.core.records import Blog, Comment, MediaFile, Post
from blogcrawl.dates.edtf import read_written, written

_SURROGATES = re.compile("[\ud800-\udfff]")
_MAX_INT = {"size": 2**63 - 1}
_MAX_COUNT = 2**31 - 1
"""Largest integers: what the columns of the state hold (BIGINT, INTEGER)."""
_Record = TypeVar("_Record", Post, Comment, Blog, MediaFile)


_CLOCK = frozenset({"fetched_at"})
"""Fields that a clock of ours wrote: never a bare day."""


def rfc3339(moment: datetime) -> str:
    """``moment`` with its zone, UTC as ``2014-03-01T09:30:00Z``; a naive one is taken as UTC."""
    aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    return aware.isoformat().replace("+00:00", "Z")


def parse_rfc3339(text: str) -> datetime:
    """Inverse of ``rfc3339``; a bare day as it is written. Raises PackagingError."""
    try:
        return read_written(text)
    except (TypeError, ValueError, OverflowError):
        raise PackagingError(f"{text!r} is no RFC 3339 time") from None


@functools.cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(spec.name for spec in fields(kind))


def _to_json(record: Post | Comment | Blog | MediaFile) -> dict[str, Any]:
    out: dict[str, Any] = {}
    kind: Any = type(record)
    for name in _names(kind):
        value = getattr(record, name)
        if isinstance(value, str | NoneType):  # most of them, which no other kind is
            pass
        elif isinstance(value, datetime):
            value = rfc3339(value) if name in _CLOCK else written(value)
        elif name in ("comments", "media"):
            value = [_to_json(part) for part in value]
        elif isinstance(value, tuple):
            value = list(value)
        elif isinstance(value, Mapping):
            value = {
                key: dict(inner) if isinstance(inner, Mapping) else inner
                for key, inner in value.items()
            }
        out[name] = value
    return out


def post_to_json(post: Post) -> dict[str, Any]:
    """Return a dict that ``json.dumps`` takes, with the fields of ``Post`` in their order."""
    return _to_json(post)


def blog_to_json(blog: Blog) -> dict[str, Any]:
    return _to_json(blog)


def _from_json(kind: type[_Record], data: Any) -> _Record:
    """Make a record whose fields have the types of its class. Raises PackagingError."""
    if not isinstance(data, Mapping):
        raise PackagingError(f"this is no {kind.__name__} record: {_type(data)}, not an object")
    values: dict[str, Any] = {}
    for name, (types, required) in _declared(cast(Any, kind)).items():
        if name in data:
            try:
                values[name] = _field(name, data[name], types)
            except PackagingError as error:
                where = f"this is no {kind.__name__} record: {name}: "
                raise PackagingError(
                    error.message if " record: " in error.message else where + error.message
                ) from None
        elif required:
            raise PackagingError(f"this is no {kind.__name__} record: {name} is missing")
    return kind(**values)


@functools.cache
def _declared(kind: type[Any]) -> Mapping[str, tuple[tuple[Any, ...], bool]]:
    """Return field name -> the types it may have, whether it has to be there."""
    hints, out = get_type_hints(kind), {}
    for spec in fields(kind):
        hint = hints[spec.name]
        args = get_args(hint)
        union = args if NoneType in args else (hint,)
        types = tuple(str if get_origin(one) is Literal else one for one in union)
        out[spec.name] = (types, spec.default is MISSING and spec.default_factory is MISSING)
    return out


def _type(value: Any) -> str:
    return {
        NoneType: "null",
        dict: "an object",
        list: "an array",
        str: "a text",
        bool: "a truth value",
    }.get(type(value), "a number")


def _field(name: str, value: Any, types: tuple[Any, ...]) -> Any:
    """``value`` as a field of one of ``types``. Raises PackagingError."""
    if value is None and NoneType in types:
        return None
    for one in types:
        if one is datetime:
            return parse_rfc3339(value)
        if get_origin(one) is tuple:
            return _tuple(value, get_args(one)[0])
        if get_origin(one) is Mapping:
            return _methods(value)
        if one in (int, float):
            return _number(value, one, _MAX_INT.get(name, _MAX_COUNT))
        if one is not NoneType and isinstance(value, one):
            return value
    raise PackagingError(f"{_type(value)} can't stand there")


def _tuple(value: Any, kind: Any) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise PackagingError(f"{_type(value)}, not an array")
    if kind is not str:
        return tuple(_from_json(kind, one) for one in value)
    if not all(isinstance(one, str) for one in value):
        raise PackagingError("an array of something other than texts")
    return tuple(value)


def _number(value: Any, kind: type, limit: int) -> float:
    if isinstance(value, bool) or not isinstance(value, int if kind is int else int | float):
        raise PackagingError(f"{_type(value)} can't stand there")
    if abs(value) > limit or math.isnan(value):
        raise PackagingError("the number is too large")
    return value


def _methods(value: Any) -> Mapping[str, Any]:
    """Check the notes of which method found a field: a confidence is a number."""
    if not isinstance(value, Mapping):
        raise PackagingError(f"{_type(value)}, not an object")
    for note in value.values():
        confidence = note.get("confidence") if isinstance(note, Mapping) else None
        if confidence is not None:
            _number(confidence, float, _MAX_COUNT)
    return value


def post_from_json(data: Mapping[str, Any]) -> Post:
    """Inverse of ``post_to_json``; unknown keys are left out. Raises PackagingError."""
    return _from_json(Post, data)


def blog_from_json(data: Mapping[str, Any]) -> Blog:
    return _from_json(Blog, data)


def encode(record: Mapping[str, Any]) -> bytes:
    """Encode as one line of JSON, UTF-8, without line ends, not even Unicode's.

    Control characters of terminals and of writing directions are escaped.

    A lone surrogate becomes U+FFFD: it has no UTF-8 form.
    """
    pieces: list[bytes] = []
    for name, value in record.items():
        pieces += (b"," if pieces else b"{", _encode(name), b":", _encode(value))
    pieces.append(b"}" if pieces else b"{}")
    return b"".join(pieces)


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str)


def _encode(value: Any) -> bytes:
    """Encode one field alone, a list item by item: of all of a record of megabytes, several copies
    were in memory at once.
    """
    if isinstance(value, list | tuple):
        return b"[" + b",".join(map(_encode, value)) + b"]"
    text = escape_controls(_ENCODER.encode(value))
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
