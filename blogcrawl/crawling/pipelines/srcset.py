"""Which file of a responsive picture a browser shows (HTML Living Standard, 4.8.4.3): replay needs
that one.

For a window as wide as the crawl's own browser has and one device pixel a CSS pixel; of the files
between which browsers differ, both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from blogcrawl.crawling.handlers.browser import CONTEXT
from blogcrawl.extraction.content.pictures import LAZY_SOURCES, SOURCE_SETS

WIDTH, HEIGHT = CONTEXT["viewport"]["width"], CONTEXT["viewport"]["height"]  # type: ignore[index]
EM = 16.0
"""CSS pixels; the initial font size of browsers."""
_SHOWN = frozenset(
    ("", *(f"image/{kind}" for kind in "avif webp png jpeg gif svg+xml apng".split()))
)
"""Types that today's browsers all show; a ``source`` of another type is passed over."""
LONGEST = 8_192
"""Characters that are read of an attribute; ordinary ones have some hundred."""
_CANDIDATE = re.compile(r"(?<![^\s,])([^\s,](?>\S*[^\s,])?+)(?:\s+([\d.]+)([wx]))?\s*(?:,|$)")
_CONDITION = re.compile(
    r"\(\s*(min-|max-)?(width|height)\s*(:|>=|<=|>|<|=)\s*([\d.]+)(px|em|rem)\s*\)"
)
_LENGTH = re.compile(r"([\d.]+)(px|vw|em|rem)\Z")


def pictures_shown(picture: Any) -> Iterator[str]:
    """Yield references, as they stand, of the files that an ``img`` may be shown with; lazy loading
    undone. Where it has a ``srcset``, no browser asks for its ``src``.
    """
    chosen, is_set = _chosen(picture)
    if not (chosen and is_set):
        yield picture.get("src", "")
    yield _first(picture, LAZY_SOURCES)
    yield from chosen


def _chosen(picture: Any) -> tuple[list[str], bool]:
    """Return the files of a picture's alternatives that browsers may take, and whether they do so
    before any script has run."""
    wrapper = next(picture.iterancestors("picture"), None)
    for source in (*(wrapper.iter("source") if wrapper is not None else ()), picture):
        candidates = _first(source, SOURCE_SETS)
        if candidates and _is_shown(source):
            sizes = _first(source, ("sizes", "data-sizes"))
            return choose(candidates, sizes), bool(source.get("srcset"))
    return [], False


def _first(element: Any, names: Iterable[str]) -> str:
    """Return the first of these attributes that says something."""
    return next((element.get(name) for name in names if element.get(name)), "")


def _is_shown(source: Any) -> bool:
    """Return whether browsers take this source for a window of our size."""
    kind = source.get("type", "").strip().lower()
    return kind in _SHOWN and matches(source.get("media", ""))


def choose(candidates: str, sizes: str) -> list[str]:
    """Return candidates that browsers may take, see ``shown_among``.

    With ``sizes="auto"`` the layout decides, which stands on no page: after the candidate of the
    further entries, which is the most that fits, the next smaller one.
    """
    slot = slot_width(sizes)
    known: list[tuple[float, str]] = []
    for url, number, unit in _CANDIDATE.findall(candidates[:LONGEST]):
        try:
            size = float(number or 1)
        except ValueError:
            continue
        known.append((size / slot if unit == "w" else size, url))
    shown = shown_among(known)
    if shown and sizes.lstrip()[:4].lower() == "auto":
        largest = next(size for size, url in known if url == shown[0])
        shown += [url for _, url in sorted(c for c in known if c[0] < largest)[-1:]]
    return list(dict.fromkeys(shown))


def shown_among(known: list[tuple[float, str]]) -> list[str]:
    """Return, of alternatives (density, reference), the one next above a density of 1, and the one
    below where its distance (as a ratio) is less.
    """
    above = min((c for c in known if c[0] >= 1), default=None)
    below = max((c for c in known if c[0] < 1), default=None)
    shown = [above] if above is not None else []
    if below is not None and (above is None or below[0] * above[0] >= 1):
        shown.append(below)
    return [url for _, url in shown]


def slot_width(sizes: str) -> float:
    """Return how wide the picture stands on the page, in CSS pixels; the window's width where
    ``sizes`` doesn't show.
    """
    for entry in re.split(r",(?![^()]{0,199}\))", sizes[:LONGEST]):
        condition, _, length = entry.strip().rpartition(" ")
        found = _LENGTH.match(length)
        if found and matches(condition):
            number = (
                float(found[1])
                if found[1].isascii() and found[1].replace(".", "", 1).isdigit()
                else 0.0
            )
            return max(1.0, number * {"px": 1.0, "vw": WIDTH / 100}.get(found[2], EM))
    return float(WIDTH)


def matches(query: str) -> bool:
    """Return whether a media query is true for the window. One with something unknown in it is
    not."""
    return not query.strip() or any(_all(part) for part in query.lower().split(","))


def _all(query: str) -> bool:
    terms = [term.strip() for term in re.split(r"\band\b", query)]
    return all(
        term in ("screen", "all", "only screen", "(orientation: landscape)") or _true(term)
        for term in terms
    )


def _true(term: str) -> bool:
    found = _CONDITION.fullmatch(term)
    if found is None or found[4].count(".") > 1 or found[4] == ".":
        return False
    bound, name, sign, number, unit = found.groups()
    limit = float(number) * (1.0 if unit == "px" else EM)
    actual = WIDTH if name == "width" else HEIGHT
    sign = {"min-": ">=", "max-": "<="}.get(bound or "", sign)
    return {
        ">=": actual >= limit,
        "<=": actual <= limit,
        ">": actual > limit,
        "<": actual < limit,
    }.get(sign, actual == limit)
