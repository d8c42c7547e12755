"""What of a post is searched: its sections, and the entry under which an index knows it."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, pairwise
from typing import Any, NamedTuple

import msgspec

from blogcrawl.core.errors import BlogcrawlError, DamagedError
from blogcrawl.core.records import Comment, Post
from blogcrawl.packaging.layout import POST_JSON
from blogcrawl.storage.base import PackageStore
from blogcrawl.storage.tables import PostRow
from blogcrawl.text.words import terms

TITLE = "\ue001"
"""The private character that begins the terms of words in titles."""
FACETS = ("blog", "author", "year", "tag", "language")


class CommentText(msgspec.Struct, frozen=True):
    """What of an archived comment is searched and shown."""

    id: str = ""
    author: str | None = None
    title: str | None = None
    content_text: str = ""
    published: str | None = None


class PostText(msgspec.Struct, frozen=True):
    """What of an archived post is searched and shown."""

    url: str
    canonical_url: str
    title: str | None = None
    subtitle: str | None = None
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    language: str | None = None
    published: str | None = None
    content_text: str = ""
    comments: tuple[CommentText, ...] = ()


class Section(NamedTuple):
    """A piece of a post in which phrases are found. ``kind``: title, about, text or comment."""

    kind: str
    text: str
    comment: CommentText | Comment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A post as an index knows it. ``published``: seconds since 1970."""

    aip_id: str
    version: int
    published: int | None
    facets: tuple[tuple[str, str], ...]
    """(one of ``FACETS``, value)."""
    terms: Set[str]
    pairs: Collection[int] = ()
    """Numbers of neighbouring words. A phrase is looked for by its words and the numbers of its
    pairs: an index of exact places would have half the size of the text (docs/searching.md)."""


_decoder = msgspec.json.Decoder(PostText)


def read_text(store: PackageStore, aip_id: str, version: int) -> PostText:
    """Read a post from a version of its package. Raises StorageError, DamagedError."""
    with store.open(aip_id, POST_JSON, version or None) as file:
        data = file.read()
    try:
        return _decoder.decode(data)
    except msgspec.MsgspecError as error:
        raise DamagedError(f"{aip_id}: its record can't be read: {error}") from None


def sections(post: PostText | Post) -> Iterator[Section]:
    """Yield the post's sections: its text, what it is called, who wrote it, tags, comments."""
    yield Section("text", post.content_text)
    yield Section("title", "\n".join(filter(None, (post.title, post.subtitle))))
    for name in (*post.authors, *post.tags):
        yield Section("about", name)
    for comment in post.comments:
        yield Section("comment", comment.content_text, comment)
        for said in filter(None, (comment.author, comment.title)):
            yield Section("about", said, comment)


def pairs(words: Iterable[str]) -> set[int]:
    """Return numbers (32 bits) of each two neighbouring words."""
    numbers = list(_numbers(words))
    return {(31 * one + two) & 0xFFFFFFFF for one, two in pairwise(numbers)}


def _numbers(words: Iterable[str]) -> Iterator[int]:
    return map(zlib.crc32, map(str.encode, words))  # a cache would take four times as long


def terms_of(post: PostText | Post) -> tuple[Set[str], Collection[int]]:
    """Return all terms under which the post is found, and the numbers of its pairs of words."""
    found: set[str] = set()
    runs: list[Sequence[str]] = []
    for section in sections(post):
        for piece in terms(section.text):
            found.update(piece.terms)
            if piece.words:
                runs.append(piece.terms)
            if section.kind == "title":
                found.update(TITLE + term for term in piece.terms)
    return found, _pairs_of(runs)


def _pairs_of(runs: Sequence[Sequence[str]]) -> Collection[int]:
    """Return what ``pairs`` does of all runs of words, in an array: a quarter of its time."""
    import numpy as np

    count = sum(map(len, runs))
    if not count:
        return ()
    numbers = np.fromiter(_numbers(chain.from_iterable(runs)), np.uint32, count)
    ends = np.cumsum([len(run) for run in runs])[:-1]
    made = numbers[:-1] * np.uint32(31) + numbers[1:]
    within = np.ones(count - 1, bool)
    within[ends[(ends > 0) & (ends < count)] - 1] = False
    found: np.ndarray = np.sort(made[within])
    is_new = np.ones(len(found), bool)
    is_new[1:] = found[1:] != found[:-1]
    unique: Collection[int] = found[is_new]  # np.unique takes three times as long
    return unique


def entry_of(row: PostRow, post: PostText | Post) -> Entry:
    """Make the index entry of a post as its package has it."""
    published = row.published
    found, beside = terms_of(post)
    values: Mapping[str, Iterable[Any]] = {
        "blog": [row.blog_id],
        "author": post.authors,
        "year": [published.year] if published else [],
        "tag": post.tags,
        "language": [post.language] if post.language else [],
    }
    return Entry(
        aip_id=str(row.aip_id),
        version=row.aip_version,
        published=_seconds(published),
        facets=tuple(
            dict.fromkeys((kind, str(one)) for kind, some in values.items() for one in some)
        ),
        terms=found,
        pairs=beside,
    )


def _seconds(moment: datetime | None) -> int | None:
    return None if moment is None else int(moment.timestamp())


def readable_terms(store: PackageStore, aip_id: str, version: int) -> Set[str] | None:
    """Return the terms of a version of a package; None if it can't be read."""
    try:
        return terms_of(read_text(store, aip_id, version))[0]
    except BlogcrawlError:
        return None
