"""What is looked at before posts that lead to one another are believed to be the whole blog.

A chain without an open end says nothing of a second one: another language, a section that its posts
don't link to. So one page is read of each kind that the start page leads to and that may be such a
part; and lists of all posts, wherever they were found, as long as they cost little next to the
posts.
"""

from __future__ import annotations

from collections.abc import Collection

from blogcrawl.frontier.bookkeeping import ARCHIVE
from blogcrawl.frontier.clusters import Cluster, is_untried

POSTS_PER_LIST = 30
"""One list of all posts is read for so many posts: a thirtieth more requests at most. On a blog
that has fewer, none is guessed at, and one is read to which a link leads: after a move to another
engine all older posts are behind it.
"""


def looks_due(clusters: Collection[Cluster], posts: int) -> list[Cluster]:
    """Return the known clusters of which a page is to be read first. ``posts``: archived so far."""
    lists = [c for c in clusters if c.flavour == ARCHIVE]
    read = sum(c.pages - c.failed for c in lists)
    waiting = sorted((c for c in lists if c.pending), key=lambda c: not _is_linked(c))
    least = any(map(_is_linked, waiting))
    left = max(0, max(least, posts // POSTS_PER_LIST) - read)
    parts = [c for c in clusters if c.pending and c.flavour != ARCHIVE and is_untried(c)]
    return parts + waiting[:left]


def _is_linked(cluster: Cluster) -> bool:
    """Return whether a page led to one that waits; guesses have none."""
    return any(choice.row.parent is not None for choice in cluster.choices)
