"""Pages that links, feeds or sitemaps gave and that were not read to their end: how likely each is
a post. Pure.

This is the one place that weighs them.  The chance comes from how pages like it turned out in this
crawl:

1. by address, what the pattern of post URLs says (it has learned from every page that was judged);
2. where no post ever had an address of that shape, how other pages of the shape turned out;
3. where the shape is new, how often a shape of this blog is one of posts, each shape counted once
(half of them, before any is known);
4. then by location: how the other pages turned out to which links at the same tag path led;
5. then by what does not show it: where sources or lists read to their end have (nearly) all posts,
a page that they lack is hardly one.

Every step but the last is the mean of what was counted and the step before, which counts as
``PRIOR`` pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from blogcrawl.urls.post_pattern import LIKELY, PostPattern, is_list_address, is_numbered, shape_of

PRIOR = 2.0
"""Pages that an estimate weighs before its own pages are counted."""
NEW_SHAPE = 0.5
"""Chance of a page of a new shape on a blog of which nothing is known."""
LIST_CHANCE = 0.001
"""Chance of a page whose address is a list's (label, month, search) or a usual one next to a blog
(about, contact), or whose link names it a label: one post among 4,271 that crawls of 47 recorded
blogs left unread (tests/benchmarks/completeness.py).
"""
IN_POSTS_CHANCE = 0.005
"""Chance of a page of a new shape to which nothing but posts' pages leads: images, downloads,
mistyped addresses (tests/benchmarks/completeness.py)."""
TAXONOMY_RELATIONS = frozenset({"tag", "category"})
"""Relations of links to labels and categories (``rel=tag``: microformats); tag paths end with a
link's relations in brackets."""
FORBIDDEN = "robots.txt forbids it"
LOGIN = "login"
ABSENT = frozenset({"HTTP 404", "HTTP 410"})
"""Reasons by which the blog says that a page does not exist."""
BARRED = frozenset({FORBIDDEN, LOGIN})
"""Reasons of the site's own: it seldom forbids posts, or hides them behind a log-in, but searches,
accounts and scripts.
"""
BARRED_CHANCE = 0.02
"""Chance of a page of a new shape that is barred so."""
NEW_POSTS = 2.0
"""Posts that nothing else has shown, on a list of a kind of which no page could be read."""
MIN_CHANCE = 0.25
"""A page with a lower chance is reported as an unread page, not as a missing post; both count in
the completeness.
"""
HIDDEN_SHARE = 0.1
"""Share of the posts of a list that other lists lack, from which these don't say how many are left
on it.
"""
SOME_POSTS = MIN_CHANCE
"""Posts expected on all unread lists together, from which on the archive counts as incomplete."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A page that was read: ``url`` canonical, ``tag_path`` of the first link to it ("": a source
    gave it).
    """

    url: str
    is_post: bool
    tag_path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A page that was read and is not archived as a post; ``reason``: why, "" for a list that no
    one took for a post; ``probability``: that it is one all the same, as the classifier says of the
    page, and sources and lists of all posts of what they lack.
    """

    url: str
    reason: str
    probability: float = 0.0
    title: str = ""
    by_source: bool = False
    """A sitemap or the like lists it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A page that could not be read to its end.

    ``promised``: a feed or sitemap lists it as a post; ``is_list``: links or sources call it a list
    of posts; ``new_posts``: posts that nothing else has shown and that are expected on the page,
    where it is a list.
    """

    url: str
    reason: str
    address: str = ""
    """The URL as it was written; ``url`` is canonical."""
    promised: bool = False
    is_list: bool = False
    by_source: bool = False
    in_posts: bool = False
    """Nothing but posts' pages leads to it."""
    barred: bool = False
    """For a reason of BARRED."""
    tag_path: str = ""
    new_posts: float = 0.0
    is_last: bool = False
    """A list goes on there, and no page of it behind this one was read."""
    hidden: float = 0.0
    """Of such a list, share of the posts that nothing else is known to show."""
    lacking: float = 1.0
    """Share of the blog's posts that sources and lists read to their end lack, as this page."""
    document: str = ""
    """What it is, where it is no page: sitemap, feed, feed-page, api, extra-feed, comment-feed."""


def unshown(chance: float, lacking: float) -> float:
    """Return the probability that a page is a post, ``chance`` by the page alone, if it is absent
    from sources that lack a share of all posts (``lacking``) and, as is assumed, all other pages
    (Bayes).
    """
    return chance * lacking / (1 - chance * (1 - lacking))


class PostChance:
    """How likely an unread page is a post, learned from ``outcomes``."""

    def __init__(self, outcomes: Iterable[Outcome], pattern: PostPattern) -> None:
        self.pattern = pattern
        self._by_shape: dict[str, list[int]] = {}
        self._by_path: dict[str, list[int]] = {}
        for outcome in outcomes:
            _count(self._by_shape, shape_of(outcome.url), outcome.is_post)
            if outcome.tag_path:
                _count(self._by_path, outcome.tag_path, outcome.is_post)
        rates = [posts / pages for posts, pages in self._by_shape.values()]
        self._new_shape = (sum(rates) + PRIOR * NEW_SHAPE) / (len(rates) + PRIOR)

    def of(self, page: Unread) -> float:
        """Return the probability, 0..1."""
        if page.document:
            return 0.0
        if page.promised:
            return 1.0
        chance = self._by_address(page)
        if chance != LIST_CHANCE and page.tag_path:
            chance = _mean(self._by_path.get(page.tag_path), chance)
        return unshown(chance, page.lacking)

    def _by_address(self, page: Unread) -> float:
        score = self.pattern.score(page.url)
        if score >= LIKELY or (score and not page.is_list):
            return score
        if page.is_list or (is_list_address(page.url) and not is_numbered(page.url)):
            return LIST_CHANCE
        relations = page.tag_path.rpartition("[")[2] if page.tag_path.endswith("]") else ""
        if not TAXONOMY_RELATIONS.isdisjoint(relations.removesuffix("]").split()):
            return LIST_CHANCE
        counted = self._by_shape.get(shape_of(page.url))
        return _mean(counted, self._of_new_shape(page))

    def _of_new_shape(self, page: Unread) -> float:
        """Return chance of a page of which no other of its shape was read."""
        if page.barred:
            return BARRED_CHANCE
        return IN_POSTS_CHANCE if page.in_posts else self._new_shape


def _count(into: dict[str, list[int]], name: str, is_post: bool) -> None:
    counted = into.setdefault(name, [0, 0])
    counted[0] += is_post
    counted[1] += 1


def _mean(counted: list[int] | None, before: float) -> float:
    posts, pages = counted or (0, 0)
    return (posts + PRIOR * before) / (pages + PRIOR)


def hidden_on_list(alone: int, both: int) -> float:
    """Return the share of the posts of a list that nothing else has shown. ``alone`` and ``both``:
    posts that only lists like it have shown, and that others have shown too (what feeds show,
    windows of the newest, says nothing of the others)."""
    return (alone + 0.5) / (alone + both + 1)


def posts_behind_list(
    gains: Sequence[float], hidden: float, quiet: int, *, is_last: bool = False, length: float = 0
) -> float:
    """Return posts that nothing else has shown, expected on a list that could not be read.

    ``gains``: new posts on each of the pages like it that were read; ``hidden``: the share of their
    posts that nothing else has shown. ``quiet``: so many other pages, the last ones, brought
    nothing new: where nothing like it was read, each makes it less likely that there is anything
    left. ``is_last``: no page like it was read that is further away: it is the way to all that
    follow, as many again as are known where nothing says how many. ``length``: posts of the page
    before it, where the list goes on behind it; else 0.
    """
    on_one = length or (PRIOR * NEW_POSTS / (1 + quiet) + sum(gains)) / (PRIOR + len(gains))
    return max(0.0, on_one * hidden * (len(gains) + 1 if is_last else 1))
