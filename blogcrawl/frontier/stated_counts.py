"""Numbers of posts that a blog states next to its links to lists (``Travel (14)``), against what
these lists show. Pure.

A number may be anything: of comments, of readers, of posts with drafts. Those next to the links to
lists of one kind are taken for numbers of posts where the lists, read to their end, show so many:
several exactly, each but what a page holds, or most of each. Then one that shows fewer lacks posts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from blogcrawl.core.evidence import NEARLY_ALL, SEVERAL
from blogcrawl.frontier.list_lengths import in_sidebar

MOST_SHOWN = 0.5
"""Share of the posts stated that lists show which leave out some."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A list read to its end: the ``posts`` that it shows, of which some may stand on every page
    (``common``), and how many are ``stated`` for it."""

    url: str
    stated: int
    posts: frozenset[int]
    common: frozenset[int] = frozenset()

    @property
    def least(self) -> int:
        return len(self.posts - self.common)

    @property
    def is_short(self) -> bool:
        return self.stated > len(self.posts)

    @property
    def is_whole(self) -> bool:
        return self.least <= self.stated <= len(self.posts)


def short_lists(lists: Sequence[Counted], page_length: int = 0) -> list[Counted]:
    """Return the lists of one kind that show fewer posts than are stated; none where the numbers
    are no numbers of posts. ``page_length``: posts on the start page."""
    whole = sum(one.is_whole for one in lists)
    short = [one for one in lists if one.is_short]
    if whole + len(short) < NEARLY_ALL * len(lists):
        return []
    at_end = _as_long(lists, short, page_length)
    are_cut = len(at_end) == len(short) and (len(short) > 1 or whole + len(short) >= SEVERAL)
    are_numbers = whole >= SEVERAL or are_cut or _keep_step(lists)
    return short if are_numbers else []


def _keep_step(lists: Sequence[Counted]) -> bool:
    """Return whether each of several lists shows most of what is stated for it, the longer ones
    more: they leave out posts (of another language, of one section), each its own number."""
    by_length = sorted(lists, key=lambda one: (one.stated, one.least))
    rises = all(one.least <= next_.least for one, next_ in pairwise(by_length))
    is_most = all(one.least <= one.stated <= one.least / MOST_SHOWN for one in lists)
    return rises and is_most and len(lists) >= SEVERAL


def _as_long(
    lists: Collection[Counted], short: Collection[Counted], page_length: int
) -> list[Counted]:
    """Return the short lists that are as long as a page may be: none is longer, and others are as
    long."""
    lengths = Counter(one.least for one in lists)
    longest = max(lengths, default=0)
    is_page = lengths[longest] > 1 or longest == page_length
    return [one for one in short if is_page and one.least == longest]


def posts_stated(lists: Sequence[Counted], short: Collection[Counted]) -> int:
    """Return how many posts these lists have by the numbers stated, as often on several of them as
    those that they show; 0 where none is ``short``."""
    shown = sum(one.least for one in lists)
    if not short or not shown:
        return 0
    posts = frozenset().union(*(one.posts - one.common for one in lists))
    lacking = sum(one.stated - len(one.posts) for one in short)
    return round(len(posts) * (shown + lacking) / shown)


def with_common(lists: Sequence[Counted]) -> list[Counted]:
    """Return the lists with the posts that most of them show, where they are several: those of a
    sidebar."""
    common = in_sidebar([one.posts for one in lists])
    return [replace(one, common=common) for one in lists]
