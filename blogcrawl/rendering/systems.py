"""The table of comment systems, which of them a page carries, and where their public data is.

Pure.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Literal
from urllib.parse import quote, urlsplit

import msgspec
from msgspec import Struct

from blogcrawl.core.page import Page
from blogcrawl.urls.canonical import origin_of

MAX_SOURCE = 3_000_000
"""Characters of HTML searched for marks of a system."""


class JsonShape(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Dotted paths in a comment's JSON; the first that holds a value wins."""

    items: tuple[str, ...] = ("",)
    """Dotted paths to the list of comments, the first that is a list; "": the answer itself."""
    children: tuple[str, ...] = ()
    """Dotted paths to the replies inside a comment, read the same way."""
    id: tuple[str, ...] = ("id",)
    parent: tuple[str, ...] = ()
    author: tuple[str, ...] = ()
    author_url: tuple[str, ...] = ()
    date: tuple[str, ...] = ()
    html: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    wrap: str = ""
    """Key under which each list element keeps the comment itself (Remark42: ``comment``)."""
    replies: str = ""
    """Dotted path in a comment to the number of its replies, if only the first are shown."""
    pages: str = ""
    """Dotted path to the number of pages, where the endpoint is paged (``{page}``)."""


class Reading(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """CSS selectors in the document of the comments; empty: the general reader."""

    unit: str = ""
    author: str = ""
    date: str = ""
    body: str = ""
    drop: str = ""
    """CSS of nodes in the body that the comment's author did not write."""
    thread: str = ""
    """CSS of the node whose class or attributes give depth or parent; "": the unit's own."""


class CommentSystem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of ``systems.toml``. Patterns are for the static HTML or a frame's URL."""

    name: str
    recognise: tuple[str, ...]
    """Any of them in the static source means that the system is there."""
    where: Literal["browser", "endpoint", "static"] = "browser"
    """``static``: the page (or its feeds) has the comments, the script only adds a form."""
    params: dict[str, str] = {}
    """Name in the endpoint's template -> pattern with one group, which has to match."""
    endpoint: str = ""
    """Public address of the comments: ``{url}``, ``{path}``, ``{page}``, ``params``, quoted."""
    replies: str = ""
    """Public address of all replies to ``{id}``, if ``endpoint`` shows the first ones only."""
    shape: JsonShape | None = None
    """How to read the endpoint's JSON; None: it answers HTML, read by ``reading``."""
    script: str = ""
    """Address of the system's own script, by ``params`` where it has any: pages put it together
    themselves, or load it late.

    Only a host that does not answer, or has no such file any more, is evidence: see
    ``pipelines.reachable``."""
    frame: str = ""
    """URL of the frame that holds the comments; "": the main document (or a shadow root in it)."""
    mount: str = ""
    """CSS of the node that is scrolled into view, so that lazy systems start."""
    reveal: tuple[str, ...] = ()
    """CSS clicked once: "show comments"."""
    more: tuple[str, ...] = ()
    """CSS clicked until none is left or the limit is hit: "load more", "show replies"."""
    settled: str = ""
    """CSS that exists as soon as the first comments, or the word that there are none, are shown."""
    reading: Reading = Reading()


SYSTEMS = msgspec.convert(
    tomllib.loads(files(__package__).joinpath("systems.toml").read_text("utf-8"))["system"],
    tuple[CommentSystem, ...],
)


@dataclass(frozen=True, slots=True)
class Carried:
    """A system on a page; ``endpoint``: with ``{number}``/``{page}`` open, None: incomplete."""

    system: CommentSystem
    endpoint: str | None = None
    replies: str | None = None
    """As ``endpoint``, with ``{id}`` still open."""

    @property
    def needs_browser(self) -> bool:
        return self.system.where == "browser" or (
            self.system.where == "endpoint" and self.endpoint is None
        )

    def page_url(self, number: int) -> str | None:
        """Return the URL of an endpoint's page ``number`` (from 1); None past the last."""
        if self.endpoint is None:
            return None
        if number > 1 and not self.paged:
            return None
        return self.endpoint.replace("{page}", str(number)).replace("{number}", str(number - 1))

    @property
    def paged(self) -> bool:
        return self.endpoint is not None and (
            "{page}" in self.endpoint or "{number}" in self.endpoint
        )


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[CommentSystem, tuple[tuple[bytes, re.Pattern[str]], ...]], ...]:
    return tuple(
        (system, tuple((_needle(p).encode(), re.compile(p)) for p in system.recognise))
        for system in SYSTEMS
    )


def _needle(pattern: str) -> str:
    """Return the longest text in all matches of ``pattern``; looking for it is 50 times faster."""
    parsed = re._parser.parse(pattern)  # type: ignore[attr-defined]
    if parsed.state.flags & re.IGNORECASE:
        return ""
    runs = [""]
    for operation, argument in parsed:
        runs = (
            [*runs[:-1], runs[-1] + chr(argument)] if str(operation) == "LITERAL" else [*runs, ""]
        )
    return max(runs, key=len)


def by_name(name: str) -> CommentSystem | None:
    """Return the table's entry of that name."""
    return next((s for s in SYSTEMS if s.name == name), None)


def _source(page: Page) -> str:
    """Return what is searched for marks: without HTML comments, but with conditional ones."""
    text, pieces, end = page.text[:MAX_SOURCE], [], 0
    begin = text.find("<!--")
    while begin >= 0:
        close = begin + 4 if text.startswith("[if", begin + 4) else text.find("-->", begin + 4) + 3
        if close < begin + 4:
            break
        if close > begin + 4:
            pieces.append(text[end:begin])
            end = close
        begin = text.find("<!--", close)
    return "".join([*pieces, text[end:]])


def carried_systems(page: Page) -> list[Carried]:
    """Return systems with marks in the source, those with comments outside the page first."""
    source = _source(page)
    # bytes are searched several times faster than text beyond Latin-1
    raw = source.encode("utf-8", "replace")
    found = [
        Carried(
            system,
            _endpoint(system, system.endpoint, source, page),
            _endpoint(system, system.replies, source, page),
        )
        for system, marks in _patterns()
        if any(needle in raw and pattern.search(source) for needle, pattern in marks)
    ]
    return sorted(found, key=lambda c: c.system.where == "static")


_ADDRESS = re.compile(r"[\"'=(\s]((?:https?:)?//[^\s\"'<>()\\]{4,400})")


def script_of(carried: Carried, page: Page) -> str | None:
    """Return the address of the script that draws a system's comments; None: not readable."""
    system, source = carried.system, _source(page)
    marks = [re.compile(p) for p in system.recognise]
    for found in _ADDRESS.finditer(source):
        if any(mark.search(found.group(1)) for mark in marks):
            return page.absolute(found.group(1))
    values = {
        name: hit.group(1)
        for name, pattern in system.params.items()
        if (hit := re.search(pattern, source))
    }
    return (
        _fill(system.script, values)
        if system.script and values.keys() == system.params.keys()
        else None
    )


def _endpoint(system: CommentSystem, template: str, source: str, page: Page) -> str | None:
    if not template:
        return None
    values = dict(_common(page))
    if system.name == "isso":
        own = re.search(r"\bdata-isso-id\s*=\s*[\"']([^\"']+)", source)
        values["thread"] = quote(own.group(1), safe="") if own else values["thread"]
    for name, pattern in system.params.items():
        found = re.search(pattern, source)
        if found is None:
            return None
        value = found.group(1)
        if name == "host" and not system.endpoint.startswith("https://{host}"):
            root = page.absolute(value if "/" in value else "https://" + value)
            if root is None:
                return None
            values[name] = root if system.endpoint.startswith("{host}?") else root.rstrip("/")
        else:
            values[name] = value if name == "host" else quote(value, safe="")
    return _fill(template, values)


def _fill(template: str, values: Mapping[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda m: values.get(m.group(1), m.group(0)), template)


def _common(page: Page) -> dict[str, str]:
    parts = urlsplit(page.url)
    bare = parts._replace(fragment="").geturl()
    return {
        "url": quote(bare, safe=""),
        "path": quote(parts.path, safe=""),
        "thread": quote(parts.path, safe=""),
        "origin": origin_of(page.url),
    }
