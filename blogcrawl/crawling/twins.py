"""Posts read at several addresses: which of these the record has follows from the addresses, and
not from which page came first.

Posts are archived as they come. Where a better address of one comes later, the post is archived
under it too, and at the end of the crawl the first record is withdrawn: no earlier crawl knows it.
So is that of an address whose page many others have given since.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from blogcrawl.core.page import Page
from blogcrawl.crawling import moved_posts
from blogcrawl.crawling.pipelines.base import REPEATED
from blogcrawl.crawling.session import DISOWNED, Session
from blogcrawl.packaging import ids
from blogcrawl.storage.tombstones import Tombstones
from blogcrawl.text.similarity import folded
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


def rank(session: Session, key: str) -> tuple[bool, bool, bool, bool, bool, int, str]:
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


def is_named_by(session: Session, key: str, page: Page) -> bool:
    """Return whether title or heading of the page are what a source or a link calls the post at
    ``key``."""
    from blogcrawl.extraction.fields.byline import document_title
    from blogcrawl.extraction.fields.headings import headline

    shown = folded(f"{document_title(page)} {headline(page)}")
    return any(name in shown for name in _names(session, key))


def are_misnamed(session: Session, keys: Sequence[str], page: Page) -> bool:
    """Return whether the page of several addresses has the name of none of them, though each has
    one and they are unlike: those of two posts, in whose place a notice stands."""
    names = [_names(session, key) for key in keys]
    are_unlike = all(names) and not set.intersection(*names)
    return are_unlike and not any(is_named_by(session, key, page) for key in keys)


def _names(session: Session, key: str) -> set[str]:
    """Return what a source and a link call the post at ``key``."""
    title = getattr(session.known.described(key), "title", None)
    return {folded(title or ""), folded(session.frontier.link_text(key))} - {""}


def withdraw(session: Session) -> None:
    """Delete the records that this crawl made at addresses of posts that it archived under better
    ones, and of pages that turned out to be no one's post."""
    state = session.services.state
    for key in sorted(session.moved):
        first = moved_posts.first_key(session, key)
        if first != key and state.get_post(session.blog_id, first) is not None:
            _delete(session, key)
    repeated = (key for key, reason in session.missed.items() if reason == REPEATED)
    for key in (*session.frontier.kept(DISOWNED), *repeated):
        _delete(session, key)


def _delete(session: Session, key: str) -> None:
    """Delete the record that this crawl made of the post at ``key``, if it made one."""
    state, row = session.services.state, session.services.state.get_post(session.blog_id, key)
    if row is None or is_known(session, key):
        return
    object_id = ids.urn(ids.entry_id(key))
    session.services.search.drop(object_id)
    session.services.store.withdraw(object_id, fence=session.fence)
    Tombstones(state).forget_post(session.blog_id, key, object_id, fence=session.fence)
    if row.last_seen is not None and row.last_seen >= session.services.started:
        session.count("posts_archived", -1)
