"""What is looked at before posts that lead to one another are believed to be the whole blog.

A chain without an open end says nothing of a second one: another language, a section that its posts
don't link to. So one page is read of each kind that the start page leads to and that may be such a
part; lists of all posts, wherever they were found, as long as they cost little beside the posts;
one page of each kind that only these lead to; and one of each kind that lists show many of (the
posts of another language, which every post leads to as well).
"""

from __future__ import annotations

from collections.abc import Collection

from blogcrawl.frontier.bookkeeping import ARCHIVE
from blogcrawl.frontier.clusters import Cluster, is_taxonomy, is_untried
from blogcrawl.frontier.store import SHOWN_BY_POST, SHOWN_BY_SOURCE, shown_by_cluster

POSTS_PER_LIST = 30
"""One list of all posts is read for so many posts: a thirtieth more requests at most, none on a
blog that has fewer.
"""

LISTED = 5
"""Pages of one kind that lists show, from which they may be posts: fewer stand beside them in any
menu.
"""


def looks_due(clusters: Collection[Cluster], posts: int, closed: bool = True) -> list[Cluster]:
    """The clusters, among all that are known, of which a page is to be read first. ``posts``:
    archived so far; ``closed``: the chain of posts has no open end, so that nothing else would lead
    to another one."""
    lists = [c for c in clusters if c.flavour == ARCHIVE]
    read = [c for c in lists if c.pages > c.failed]
    ways = 0
    for cluster in read:
        ways |= shown_by_cluster(cluster.ident)
    left = max(0, posts // POSTS_PER_LIST - sum(c.pages - c.failed for c in read))
    waiting = [c for c in clusters if c.pending and c.flavour != ARCHIVE]
    parts = [c for c in waiting if _may_be_part(c, ways, closed)]
    return parts + [c for c in lists if c.pending][:left]


def _may_be_part(cluster: Cluster, ways: int, closed: bool) -> bool:
    """May these pages be, or lead to, a part of the blog that was not seen?"""
    if is_untried(cluster) or _only_listed(cluster, ways):
        return True
    return closed and _is_listed_often(cluster)


def _only_listed(cluster: Cluster, ways: int) -> bool:
    """Was no page of this kind read, and does none but the lists of all posts (``ways``: their
    bits) lead to one?
    """
    return not cluster.pages and any(
        c.row.shown and not c.row.shown & ~ways for c in cluster.choices
    )


def _is_listed_often(cluster: Cluster) -> bool:
    """Was no page of this kind read, though lists show several?"""
    if cluster.pages or is_taxonomy(cluster):
        return False
    return (
        sum(bool(c.row.shown & ~(SHOWN_BY_POST | SHOWN_BY_SOURCE)) for c in cluster.choices)
        >= LISTED
    )
