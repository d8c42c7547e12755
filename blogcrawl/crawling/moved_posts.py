"""Posts that moved: after a change of engine or address the old address leads to the new one, and
the post is still the same.

A package's id never changes, so a moved post is archived on under its first address; only what
changed of it makes a version.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, timedelta

from blogcrawl.core.errors import BlogcrawlError, PackagingError, StorageError
from blogcrawl.core.records import Post
from blogcrawl.crawling.session import Session
from blogcrawl.packaging import records
from blogcrawl.packaging.layout import POST_JSON
from blogcrawl.storage.outage import PASSING
from blogcrawl.storage.tables import PostRow
from blogcrawl.text.similarity import dice, fold
from blogcrawl.urls.canonical import entry_key

MEMORY = "moved"
"""Key in the session's memory: new key -> key under which the post is archived."""
PLACES = "places"
"""The same: key under which a moved post is archived -> address at which it was read last."""
VAIN = 5
"""Old addresses asked without any of them leading on, after which the blog has not moved."""
SAME_TEXT = 0.9
"""Likeness of the texts of one post at two addresses: the measure by which articles count as right
(Dice over bigrams)."""
ALIKE = 3
"""Archived posts of one title or day that are asked."""


def first_key(session: Session, key: str) -> str:
    """Return the key under which the post at ``key`` is archived: its own, or that of where it
    stood before.
    """
    return str(session.memory.get(MEMORY, {}).get(key, key))


def row_of(session: Session, key: str) -> PostRow | None:
    """Return the archived post at ``key``, or that moved there."""
    return session.services.state.get_post(session.blog_id, key) or session.services.state.get_post(
        session.blog_id, first_key(session, key)
    )


def note(session: Session, key: str, first: str) -> None:
    """Note that the post at ``key`` is the one archived as ``first``, as are those that were taken
    for the one at ``key``."""
    known = session.memory.setdefault(MEMORY, {})
    known.pop(first, None)
    for other in (key, *[other for other, place in known.items() if place == key]):
        recall(session, {other: first})
        session.frontier.move(other, first)


def recall(session: Session, moved: Mapping[str, str]) -> None:
    """Take up moves that the frontier has: the session's memory is saved only with the blog, when
    the crawl ends."""
    if moved:
        session.memory.setdefault(MEMORY, {}).update(moved)
        session.redirected.update(moved)
        session.moved.update(moved)


def forget(session: Session, key: str) -> None:
    """Forget that the post at ``key`` is one archived elsewhere: both gave a page of no one's."""
    if session.memory.get(MEMORY, {}).pop(key, None) is not None:
        session.moved.discard(key)
        session.frontier.move(key, key)


def archived_post(session: Session, key: str) -> Post | None:
    """Return the record of the post in its package, or None if it cannot be read. Raises what is in
    ``outage.PASSING``.
    """
    row = row_of(session, key)
    if row is None or row.aip_id is None:
        return None
    try:
        with session.services.store.open(row.aip_id, POST_JSON) as file:
            return records.post_from_json(json.load(file))
    except PASSING:
        raise
    except (StorageError, PackagingError, ValueError):
        return None


def address_of(session: Session, key: str) -> str:
    """Return where the post archived as ``key`` was fetched last: a key is no address, and not
    every server answers under it. One that moved and is the same has the old one in its package.
    """
    first = first_key(session, key)
    place = last_place(session, first)
    if place != first:
        return place
    post = archived_post(session, key)
    return post.url if post is not None else key


def last_place(session: Session, first: str) -> str:
    """Return the address to which the post archived as ``first`` has moved since; that key where it
    has not."""
    return str(session.memory.get(PLACES, {}).get(first, first))


class Moves:
    """Finds out, for posts at addresses that the archive does not know, whether it knows them under
    another one.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._titles: dict[str, list[str]] | None = None
        self._days: dict[date, list[str]] = {}
        self._one_by_one = asyncio.Lock()
        self._vain = 0
        """Old addresses that led nowhere, since one did."""

    async def key_of(self, post: Post, asked_url: str | None) -> str:
        """Return the key of ``post``, extracted from the answer to ``asked_url``."""
        session, key = self.session, post.canonical_url
        if (
            session.blog_row is None
            or session.services.state.get_post(session.blog_id, key) is not None
        ):
            session.memory.get(PLACES, {}).pop(key, None)
            return key
        first = first_key(session, key)
        if first == key:
            asked = entry_key(asked_url) if asked_url else key
            if asked != key and session.services.state.get_post(session.blog_id, asked) is not None:
                first = asked
            else:
                async with self._one_by_one:
                    first = first_key(session, key)  # another answer may have shown it meanwhile
                    first = await self._led_here(post) if first == key else first
        if first != key:
            note(session, key, first)
            session.memory.setdefault(PLACES, {})[first] = post.url
        return first

    async def _led_here(self, post: Post) -> str:
        from blogcrawl.extraction.pages.duplicate_response import post_fingerprint

        for old in self._like(post):
            if self._vain >= VAIN:
                break
            before = archived_post(self.session, old)
            if before is None:
                continue
            if (mark := post_fingerprint(post)) and mark == post_fingerprint(before):
                return old
            try:
                answer = await self.session.fetch(address_of(self.session, old), kind="post")
            except PASSING:
                raise
            except BlogcrawlError:
                continue
            leads_here = answer.status < 300 and entry_key(answer.url) == post.canonical_url
            if leads_here or (answer.status in (404, 410) and _is_same(before, post)):
                self._vain = 0
                return old
            self._vain += 1
        return post.canonical_url

    def _archived_before(self) -> Iterator[PostRow]:
        """Yield the rows of posts that were archived before this crawl."""
        services = self.session.services
        for row in services.state.posts(self.session.blog_id):
            is_old = row.first_seen is not None and row.first_seen < services.started
            if is_old and row.aip_id is not None:
                yield row

    def _index(self) -> dict[str, list[str]]:
        """Return keys of the posts that were archived before by title; note those by day."""
        titles, days = defaultdict(list), defaultdict(list)
        for row in self._archived_before():
            if row.title:
                titles[fold(row.title).casefold()].append(row.url)
            if row.published is not None:
                days[row.published.astimezone(UTC).date()].append(row.url)
        self._days = days
        return titles

    def _like(self, post: Post) -> Iterable[str]:
        """Return keys of posts that were archived before this crawl, of the same title, else of the
        same day.
        """
        if self._titles is None:
            self._titles = self._index()
        named = self._titles.get(fold(post.title).casefold(), []) if post.title else []
        found = named or (
            self._days.get(post.published.astimezone(UTC).date(), []) if post.published else []
        )
        known = {first_key(self.session, key) for key in self.session.moved}
        return [key for key in found if key not in known][:ALIKE]


def _is_same(before: Post, now: Post) -> bool:
    """Return whether title, day and text of two records are the same: of one post, if the old
    address is no more.
    """
    return (
        bool(before.title)
        and fold(before.title or "") == fold(now.title or "")
        and before.published is not None
        and now.published is not None
        and abs(before.published - now.published) < timedelta(days=1)
        and dice(before.content_text, now.content_text) >= SAME_TEXT
    )
