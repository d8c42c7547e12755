"""Words and marks by which pages that are no posts give themselves away: ``page_kinds.toml``."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

from blogcrawl.urls.tables import NO_DATE_BEFORE

_DATA = tomllib.loads(files(__package__).joinpath("page_kinds.toml").read_text("utf-8"))


def _pattern(text: str) -> re.Pattern[str]:
    text = text.replace("\n", "").replace("NO_DATE_BEFORE", NO_DATE_BEFORE)
    return re.compile(text, re.IGNORECASE)


LIST_PATHS = {kind: _pattern(text) for kind, text in _DATA["paths"].items()}
"""Kind of page -> the URL's path and query. ``static`` and ``home`` are weak; a post may be called
/now/.
"""
_NAMES = frozenset(("static", "author", "tag", "category", "search"))
"""Kinds that a name shows which a post may have as well ("Shop?")."""
_BELOW_A_MONTH = re.compile(
    r"/(?:19|20)\d\d/(?:0?[1-9]|1[0-2])(?:/(?:0?[1-9]|[12]\d|3[01]))?(?=/[^/]+/?(?:index\.html?)?$)"
)
CHALLENGE_TITLES, MISSING_TITLES, LOGIN_TITLES, LIST_TITLES = (
    _pattern(_DATA["titles"][kind]) for kind in ("challenge", "missing", "login", "list")
)
ENDED = _pattern(_DATA["texts"]["ended"])
BODY_CLASSES = {kind: frozenset(text.split()) for kind, text in _DATA["body_classes"].items()}
"""Classes that engines and themes put on ``body``."""
CHALLENGE_MARKS: tuple[str, ...] = tuple(_DATA["marks"]["challenge"])
"""Strings in the source of interstitial pages of protection services."""
BARRIERS = {
    "error": "the server answered with an error",
    "home": "the blog's home page",
    "section": "a list of the posts below its address",
    "index": "a list of pages with their days, and it has no day, as posts have",
    "part": "all pages lead to it, and it has no day, as posts have",
    "album": "an album or of one, and it has no day, as posts have",
    "attachment": "the page of a file that belongs to a post",
    "feed": "a feed",
    "not html": "no HTML page",
    "challenge": "challenge",
    "login": "login",
    "protected": "protected by a password",
    "gone": "the blog has ended",
    "missing": "the page says it was not found",
    "notice": "a notice in its place: it lacks the title that the feed has",
}
"""What pages are that no feature makes posts, in words."""


def kind_of_path(path: str, query: str) -> str | None:
    """Return the kind of page that has such an address in the usual engines.

    Right below a month or day a name is a post's: ``/2006/03/author.html``."""
    full = f"{path}?{query}" if query else path
    month = None if query else _BELOW_A_MONTH.search(path)
    without_name = path[: month.end()] if month else full
    for kind, pattern in LIST_PATHS.items():
        if kind == "home" and query:
            continue
        if pattern.search(without_name if kind in _NAMES else full):
            return kind
    return None
