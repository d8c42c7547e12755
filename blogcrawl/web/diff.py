"""What changed between two versions of a post, word by word within changed paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from blogcrawl.core.records import Post

_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
MAX_WORDS = 4000
"""Words of two changed passages that are compared one by one; longer ones count as replaced."""
MAX_PARAGRAPHS = 5000

Piece = tuple[str, str]
"""Kind (equal, insert, delete) and text."""


@dataclass(frozen=True, slots=True)
class Change:
    """A field that differs: the pieces of its old and new text in reading order."""

    field: str
    pieces: tuple[Piece, ...]


def changes(old: Post, new: Post) -> list[Change]:
    """Return the fields that differ, those of one line first."""
    lines = {
        "title": (old.title or "", new.title or ""),
        "authors": (", ".join(old.authors), ", ".join(new.authors)),
        "tags": (", ".join(old.tags), ", ".join(new.tags)),
        "text": (old.content_text, new.content_text),
        "comments": (_comments(old), _comments(new)),
    }
    return [
        Change(name, tuple(compare(before, after)))
        for name, (before, after) in lines.items()
        if before != after
    ]


def _comments(post: Post) -> str:
    return "\n".join(f"{one.author or '?'}: {one.content_text}" for one in post.comments)


def compare(old: str, new: str) -> Iterator[Piece]:
    """Yield what is equal, deleted and inserted: by paragraphs, within them by words."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    if len(before) + len(after) > MAX_PARAGRAPHS:
        yield from (("delete", old), ("insert", new))
        return
    for kind, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        gone, come = "".join(before[i:j]), "".join(after[k:m])
        if kind == "equal":
            yield "equal", gone
        elif kind == "replace":
            yield from _by_words(gone, come)
        else:
            yield from _some(("delete", gone), ("insert", come))


def _by_words(old: str, new: str) -> Iterator[Piece]:
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    if len(before) + len(after) > MAX_WORDS:
        yield from _some(("delete", old), ("insert", new))
        return
    for kind, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            yield "equal", "".join(before[i:j])
        else:
            yield from _some(("delete", "".join(before[i:j])), ("insert", "".join(after[k:m])))


def _some(*pieces: Piece) -> Iterator[Piece]:
    return (piece for piece in pieces if piece[1])
