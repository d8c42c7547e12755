"""Which comment systems a page carries, and where their public data is. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote, urlsplit

from blogcrawl.core.page import Page
from blogcrawl.rendering.browser_systems import BROWSER_SYSTEMS
from blogcrawl.rendering.open_systems import OPEN_SYSTEMS
from blogcrawl.rendering.system_types import CommentSystem

SYSTEMS = (*BROWSER_SYSTEMS, *OPEN_SYSTEMS)

MAX_SOURCE = 3_000_000
"""Characters of HTML searched for marks of a system."""


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
        "origin": f"{parts.scheme}://{parts.netloc}",
    }
