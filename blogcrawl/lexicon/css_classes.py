"""What an element is, by the words of its class or id: ``data/css_classes.toml`` says how labels
are cut into words and where the vocabulary comes from.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, cast

from blogcrawl.lexicon.vocabulary import by_kind, entries, word_set

if TYPE_CHECKING:
    from lxml.html import HtmlElement

Kind = Literal[
    "share", "related", "comments", "author", "meta", "nav", "subscribe", "ad", "hidden", "title"
]

_WORDS = re.compile(r"[A-Z]?[a-z\u00df-\u024f\u0400-\u04ff]+|[A-Z]+(?![a-z])|\d+|[\u3040-\u9fff]+")


def _kinds(table: str) -> dict[str, Kind]:
    """Return the words of a table with their kinds."""
    listed = by_kind("css_classes", table).items()
    return {word: cast("Kind", kind) for kind, words in listed for word in words}


def _pairs() -> dict[str, list[tuple[frozenset[str], Kind]]]:
    """Return for each left word of a pair the right words that go with it."""
    objects = entries("css_classes", "object")
    out: dict[str, list[tuple[frozenset[str], Kind]]] = {}
    for kind, rows in by_kind("css_classes", "pairs").items():
        for left, _, right in (row.partition(":") for row in rows):
            for word in objects if left.strip() == "OBJECT" else left.split():
                out.setdefault(word, []).append((frozenset(right.split()), cast("Kind", kind)))
    return out


SINGLE, _WHOLE, ROLES, TAGS = _kinds("single"), _kinds("whole"), _kinds("roles"), _kinds("tags")
_BLOCKS = _kinds("blocks")
_PAIRS = _pairs()
KEEP, STATES = word_set("css_classes", "keep"), word_set("css_classes", "states")
SIDE = word_set("css_classes", "side")
"""Words for what stands next to the posts."""
FURTHER = word_set("css_classes", "further")
"""Words for the second part of a post."""
GATE = word_set("css_classes", "gate")
"""Words for boxes in the place of what only subscribers or members may read."""
OPENING = word_set("css_classes", "opening")
"""Words for the first paragraph of a post, where it has a box of its own."""

_POST_CLASSES = frozenset(("hentry", "type-post", "h-entry", "post"))
_TERMS = ("category-", "tag-", "format-", "status-", "author-", "has-post-")
"""What WordPress's ``post_class`` and Ghost's write on a post: among it the names of its categories
and tags, which may be any words.
"""

LONGEST_NAME = 200
"""Characters of a class name that are looked at; more are data, not a name."""


def names_of(element: HtmlElement) -> str:
    """Return class and id of an element as one text."""
    return f"{element.get('class', '')} {element.get('id', '')}"


@lru_cache(maxsize=4096)
def words_of(label: str) -> tuple[str, ...]:
    """Return the lower-case words of a class or id attribute."""
    return tuple(word.lower() for word in _WORDS.findall(label))


@lru_cache(maxsize=4096)
def template_names(label: str) -> list[str]:
    """Return the names in a class (or id) attribute without those of one post's categories, tags
    and the like."""
    names = [name[:LONGEST_NAME] for name in label.split()]
    if _POST_CLASSES.isdisjoint(names):
        return names
    return [name for name in names if not name.startswith(_TERMS)]


@lru_cache(maxsize=4096)
def kind_of(label: str) -> Kind | None:
    """Return what an element with this class (or id) is, None for content.

    Single words first; then pairs of words within one class name, so that ``entry`` in one name and
    ``info`` in another make no pair.
    """
    names = template_names(label)
    blocks = list(filter(_BLOCKS.__contains__, names))
    if blocks:
        return _BLOCKS[blocks[0]]
    if any(not KEEP.isdisjoint(words_of(name)) for name in names):
        return None
    return next(filter(None, map(_kind_of_name, names)), None)


def holds_comments(element: HtmlElement) -> bool:
    """Return whether id or class of an element say that it holds comments."""
    return any(kind_of(element.get(key, "")) == "comments" for key in ("id", "class"))


def _kind_of_name(name: str) -> Kind | None:
    """Return the same for one class name."""
    words = words_of(name)
    if not STATES.isdisjoint(words[:-1]):
        return None
    joined = "".join(words)
    for word in (*words, joined):
        if word in SINGLE:
            return SINGLE[word]
    return _kind_of_pair(words) or _WHOLE.get(joined) or ("ad" if _is_ad_slot(words) else None)


def _kind_of_pair(words: tuple[str, ...]) -> Kind | None:
    for place, word in enumerate(words):
        rest = words[place + 1 :]
        for right, kind in _PAIRS.get(word, ()):
            if not right.isdisjoint(rest):
                return kind
    return None


def _is_ad_slot(words: tuple[str, ...]) -> bool:
    """Ad Inserter's ``code-block-3``; without a number it is a block of code."""
    return words[:2] == ("code", "block") and "".join(words[2:]).isdigit()
