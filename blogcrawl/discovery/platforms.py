"""Which engine made this blog, and in which version."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Literal
from urllib.parse import urlsplit

from blogcrawl.core.page import Page
from blogcrawl.core.records import Feed
from blogcrawl.text.visible import squeeze

SCAN = 400_000
"""Characters of the page's source that are searched for clues."""


Paging = Literal[
    "",
    "wordpress",
    "blogger",
    "ghost",
    "drupal",
    "tumblr",
    "substack",
    "joomla",
    "squarespace",
    "whole",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """One entry of ``platforms.toml``."""

    name: str
    generator: str = ""
    """Regex over generator strings (meta element, feed, HTTP header), case ignored; group 1 is the
    version.
    """
    clues: tuple[str, ...] = ()
    """Regexes over the page's source, each enough on its own."""
    headers: tuple[str, ...] = ()
    """Regexes over "name: value" of response headers."""
    hosts: str = ""
    """Regex over host names on which only this engine runs."""
    feeds: tuple[str, ...] = ()
    sitemap: str = "sitemap.xml"
    """Where its sitemap lies though robots.txt names none; empty if the engine names it there, or
    writes none of itself.
    """
    archive: str = ""
    """The page that lists all posts, where it writes one whatever the theme."""
    section_feed: str = ""
    """Feed that it writes next to the listing of every section; relative to that listing."""
    paging: Paging = ""
    """How older entries of its feed are requested."""
    whole: str = ""
    """For ``paging`` "whole": the document that lists all posts."""


@cache
def engines() -> tuple[Engine, ...]:
    """Return the table of engines."""
    data = tomllib.loads(files(__package__).joinpath("platforms.toml").read_text("utf-8"))
    return tuple(
        Engine(**{name: _frozen(value) for name, value in row.items()}) for row in data["engine"]
    )


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True, slots=True)
class Platform:
    """``name`` is one of the table's or, where a generator names an engine that is not in it, that
    engine's own word; "" is unknown.
    """

    name: str = ""
    version: str | None = None
    evidence: str = ""
    """What gave it away: generator, header, host, markup, feed."""

    @property
    def engine(self) -> Engine:
        """What it offers; an empty Engine where nothing is known."""
        return next((e for e in engines() if e.name == self.name), Engine(name=self.name))


@cache
def _compiled() -> list[
    tuple[
        Engine,
        re.Pattern[str] | None,
        re.Pattern[str] | None,
        re.Pattern[str] | None,
        re.Pattern[str] | None,
    ]
]:
    def one(parts: tuple[str, ...] | str) -> re.Pattern[str] | None:
        joined = parts if isinstance(parts, str) else "|".join(parts)
        return re.compile(joined, re.IGNORECASE) if joined else None

    return [(e, one(e.generator), one(e.headers), one(e.hosts), one(e.clues)) for e in engines()]


def _from_generator(text: str, evidence: str) -> Platform | None:
    text = text[:300]
    for engine, pattern, *_ in _compiled():
        found = pattern.search(text) if pattern else None
        if found:
            version = next((g for g in found.groups() if g), None)
            if version is None and (
                tail := re.search(r"(?<![0-9.])v?([0-9]+\.[0-9][0-9.]*)", text)
            ):
                version = tail.group(1)
            return Platform(engine.name, version.rstrip("./") if version else None, evidence)
    return None


def generators(page: Page) -> list[str]:
    """Return contents of the page's generator elements."""
    named = (
        m
        for m in page.tree.iter("meta")
        if m.get("name", "").lower() in ("generator", "blog-generator", "ft.generator")
    )
    return [text for text in (squeeze(m.get("content")) for m in named) if text]


def detect(page: Page | None, feed: Feed | None = None) -> Platform:
    """Return the platform by the name it gives itself, then by headers, host, the feed's generator,
    and markup that only it writes.

    A cached or exported copy keeps its engine's marks: a WordPress made static is still WordPress
    here (what its paths look like); whether anything answers dynamically is found out by one probe.
    """
    named = generators(page) if page is not None else []
    return next(filter(None, _guesses(page, named, feed)), Platform())


def _guesses(
    page: Page | None, named: Sequence[str], feed: Feed | None
) -> Iterator[Platform | None]:
    """Yield the platform by each kind of evidence, the most reliable first."""
    yield from (_from_generator(text, "generator") for text in named)
    if page is not None:
        yield _from_page(page)
    if feed is not None and feed.generator:
        yield _from_generator(feed.generator, "feed")
    if page is not None:
        yield _from_markup(page)
    yield from map(_from_unknown_generator, named)


def _from_markup(page: Page) -> Platform | None:
    source = page.text[:SCAN]
    for engine, _, _, _, clues in _compiled():
        if clues and clues.search(source):
            return Platform(engine.name, None, "markup")
    return None


def _from_unknown_generator(text: str) -> Platform | None:
    """Return an engine that the table lacks, by the name it gives itself."""
    word = re.match(r"[A-Za-z][\w.!-]*(?: [A-Z][\w.!-]*)?", text)
    if not word or "://" in text[:8]:
        return None
    version = re.search(r"(?<![\w.])v?([0-9]+(?:\.[0-9]+)+)", text)
    return Platform(word.group(), version.group(1) if version else None, "generator")


def _from_page(page: Page) -> Platform | None:
    headers = [f"{name}: {value}"[:500] for name, value in page.headers.items()]
    host = urlsplit(page.url).hostname or ""
    for engine, _, served, hosts, _ in _compiled():
        if hosts and hosts.search(host):
            return Platform(engine.name, None, "host")
        if served and any(served.search(line) for line in headers):
            return Platform(engine.name, None, "header")
    return None


def with_feed(platform: Platform, feed: Feed) -> Platform:
    """Return ``platform`` completed from the feed: the name if it was unknown, the version if it
    was hidden.
    """
    named = detect(None, feed)
    if not platform.name:
        return named
    if platform.version is None and named.name == platform.name:
        return replace(platform, version=named.version)
    return platform
