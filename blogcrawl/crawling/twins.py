"""Posts read at several addresses: which of these the record has follows from the addresses, and
not from which page came first.

Posts are archived as they come. Where a better address of one comes later, the post is archived
under it too, and at the end of the crawl the first record is withdrawn: no earlier crawl knows it.
"""

from __future__ import annotations

from collections.abc import Iterable

from blogcrawl.crawling import moved_posts
from blogcrawl.crawling.session import Session
from blogcrawl.packaging import ids
from blogcrawl.storage.tombstones import Tombstones
from blogcrawl.urls.post_pattern import shape_of
from blogcrawl.urls.preference import preference


def is_better(session: Session, key: str, other: str) -> bool:
    """Return whether the record of a post read at both addresses (canonical) is to have ``key``: an
    archived post keeps its address, that of a feed or sitemap comes before others. Addresses of one
    shape may give a notice in place of posts: that is no reason to take back a record."""
    if is_known(session, moved_posts.first_key(session, other)) or shape_of(key) == shape_of(other):
        return False
    return rank(session, key) < rank(session, other)


def best_first(session: Session, keys: Iterable[str]) -> list[str]:
    """Return addresses (canonical) of a post in the order in which its record may have them."""
    return sorted(keys, key=lambda key: rank(session, key))


def rank(session: Session, key: str) -> tuple[bool, bool, bool, bool, int, str]:
    """Return by what addresses of a post are sorted, the best one first."""
    return not is_known(session, key), not session.is_promised(key), *preference(key)


def is_known(session: Session, key: str) -> bool:
    """Return whether an earlier crawl archived a post under this address, or knows where it is."""
    blog, row = session.blog_row, session.services.state.get_post(session.blog_id, key)
    if blog is None or blog.last_crawl is None:
        return False
    return row is not None and row.first_seen is not None and row.first_seen <= blog.last_crawl


def replace(session: Session, key: str, better: str) -> None:
    """Note that the post read at ``key`` is the one read at ``better``, whose address is better."""
    moved_posts.note(session, key, better)
    session.frontier.name(key, better)
    session.frontier.supersede(key, better)


def withdraw(session: Session) -> None:
    """Delete the records that this crawl made at addresses of posts that it archived under better
    ones."""
    state, store = session.services.state, session.services.store
    for key in sorted(session.moved):
        first = moved_posts.first_key(session, key)
        row, other = (state.get_post(session.blog_id, one) for one in (key, first))
        if first == key or row is None or other is None or is_known(session, key):
            continue
        object_id = ids.urn(ids.entry_id(key))
        session.services.search.drop(object_id)
        store.withdraw(object_id, fence=session.fence)
        Tombstones(state).forget_post(session.blog_id, key, object_id, fence=session.fence)
        if row.last_seen is not None and row.last_seen >= session.services.started:
            session.count("posts_archived", -1)
