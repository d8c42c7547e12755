"""How many posts each list shows: which are cut, and which break off. Pure.

A list that is as long as all others of its kind, and leads no further, shows the newest posts only:
labels, years or authors have posts by chance, and most are shorter than the longest. A pager goes
on behind a page that is as long as the one before it; a shorter one is its last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from math import comb
from operator import attrgetter

from blogcrawl.frontier.stop import UNLIKELY

SAMPLE = 24
"""Lists of a kind that are remembered, the latest, and those that say how many pages they have."""
LEAST_CUT = 3
"""Lists of one length that show where they are cut, and posts of such a list: shorter ones are
often alike."""
CUT_SHARE = 0.5
"""Share of the lists of a kind that are as long as the longest, from which all are cut there; fewer
are where so many would hardly be as long by chance."""
MAX_LISTED = 100
"""Posts of one list that are remembered: where a longer one ends is not known."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A list that was read: its ``posts``, and the ``onward`` pages that it leads to; ``before``:
    the page that led to it; ``is_further``: it is a further page of one; ``older``: what it calls
    the page of its older posts."""

    page: int
    posts: frozenset[int]
    onward: frozenset[int] = frozenset()
    before: int | None = None
    is_further: bool = False
    older: frozenset[int] = frozenset()


class ListLengths:
    """Lists by kind, which is what their addresses have in common."""

    def __init__(self) -> None:
        self._kinds: dict[str, dict[int, Shown]] = {}
        self._cut: dict[str, int] = {}
        self._ends: list[tuple[str, int, int]] | None = None
        self.home: Shown | None = None
        """The start page: its links onward stand on many pages."""
        self.stated: dict[int, tuple[int, int]] = {}
        """Page -> its number in its list, and how many pages that has, as it says."""

    def add(self, kind: str, shown: Shown) -> None:
        """Add a list that was read."""
        pages = self._kinds.setdefault(kind, {})
        pages[shown.page] = shown
        self._cut.pop(kind, None)
        self._ends = None
        if len(pages) > SAMPLE:
            del pages[next((page for page in pages if page not in self.stated), shown.page)]

    def cut_at(self, kind: str) -> int:
        """Return how many posts the lists of a kind show of more; 0 where they are not cut."""
        if kind not in self._cut:
            self._cut[kind] = self._repeated(kind) or self._common_length(kind)
        return self._cut[kind]

    def page(self, key: int) -> Shown | None:
        """Return what a list shows, None where that is not remembered."""
        return next((page for page in self._all() if page.page == key), None)

    def only_on(self, kind: str, key: int) -> set[int]:
        """Return the posts that a page of a list shows and none of the list's other pages does:
        one that repeats them, or is empty, has none."""
        pages = self._kinds.get(kind, {})
        others = (page.posts for other, page in pages.items() if other != key)
        return set(pages[key].posts).difference(*others) if key in pages else set()

    @property
    def kinds(self) -> list[str]:
        return list(self._kinds)

    def counted(self) -> int:
        """Return how many posts there are at least by what the pages of a list say, of which the
        last was not read: ``Page 3 of 6``; 0 where that is not stated."""
        lists: dict[int, list[int]] = {}
        for page, (_, pages) in self.stated.items():
            lists.setdefault(pages, []).append(page)
        return max((self._posts_on(pages, known) for pages, known in lists.items()), default=0)

    def _posts_on(self, pages: int, known: Sequence[int]) -> int:
        """Return how many posts at least stand on all ``pages`` of a list of which some are
        ``known``, as long as most of these: no two have a post of the list in common, but what
        stands next to it, and what has moved on to the next page when a post came."""
        shown = [page.posts for page in self._all() if page.page in known]
        is_read = max(self.stated[page][0] for page in known) == pages
        if is_read or len(shown) < 2:
            return 0
        times = Counter(chain.from_iterable(shown))
        own = Counter(sum(times[post] == 1 for post in posts) for posts in shown)
        length = min(own, key=lambda length: (-own[length], length))
        return (pages - 1) * length + 1

    def _all(self) -> Iterator[Shown]:
        yield from filter(None, [self.home])
        yield from chain.from_iterable(pages.values() for pages in self._kinds.values())

    def _common_length(self, kind: str) -> int:
        """Return the length that many lists of a kind have and none exceeds, the start page among
        them; 0: they are not cut, or the longest is longer than what is remembered."""
        ends = list(map(len, self.last_lists(kind)))
        lengths = Counter(filter(None, ends))
        longest = max(lengths, default=0)
        alike = lengths[longest] + self._ends_at(longest)
        is_common = alike >= CUT_SHARE * lengths.total() or _chance_of_tie(ends, alike) < UNLIKELY
        return longest if longest >= LEAST_CUT <= alike and is_common else 0

    def last_lists(self, kind: str) -> list[frozenset[int]]:
        """Return the posts of each list of a kind that leads to no further page, but those of a
        sidebar; none where a list is longer than what is remembered."""
        pages = list(self._kinds.get(kind, {}).values())
        if any(len(page.posts) >= MAX_LISTED for page in pages):
            return []
        common = in_sidebar([page.posts for page in pages])
        return [page.posts - common for page in pages if self._is_last(page)]

    def _ends_at(self, length: int) -> bool:
        """Return whether the start page shows so many posts, and no further page follows it."""
        home = self.home
        return (
            home is not None
            and len(home.posts) == length
            and not any(one.is_further and one.before == home.page for one in self._all())
        )

    def _repeated(self, kind: str) -> int:
        """Return the length of a further page that shows what another one has shown, though it is
        no shorter than the page before it: what should follow is not there."""
        same: dict[frozenset[int], list[Shown]] = {}
        for page in self._kinds.get(kind, {}).values():
            if page.is_further and LEAST_CUT <= len(page.posts) < MAX_LISTED:
                same.setdefault(page.posts, []).append(page)
        for posts, pages in same.items():
            if len(pages) > 1 and all(self.is_full(kind, page) for page in pages):
                return len(posts)
        return 0

    def is_full(self, kind: str, page: Shown) -> bool:
        """Return whether a page has as many posts as the one before it of its kind, or is the
        first: then the list goes on behind it."""
        before = self._kinds.get(kind, {}).get(page.before or 0, self.home)
        if not page.is_further or before is None or before.page == page.page:
            return True
        home = self.home.posts if self.home is not None else frozenset()
        known = frozenset() if before is self.home else home
        return len(page.posts - home) >= len(before.posts - known)

    def ends_full(self) -> bool:
        """Return whether no list was seen to end for want of posts: there is none, all pages of a
        pager are full, or nothing says where a single list ends."""
        kinds = {kind: list(filter(self._has_own, p.values())) for kind, p in self._kinds.items()}
        return all(self._are_full(kind, pages) for kind, pages in kinds.items() if pages)

    def only_list(self) -> int:
        """Return the length of the only list with posts that the start page does not show; 0 where
        it leads on, or is one of several."""
        lists = list(filter(self._has_own, self._all()))
        return len(lists[0].posts) if len(lists) == 1 and self._is_last(lists[0]) else 0

    def _is_last(self, page: Shown) -> bool:
        """Return whether a page is no further one of a list, and leads to none."""
        known = self.home.onward if self.home is not None else frozenset()
        return not page.is_further and not page.onward - known - page.posts

    def _are_full(self, kind: str, pages: Sequence[Shown]) -> bool:
        further = [page for page in pages if page.is_further]
        is_only = len(pages) == 1 and not further
        return is_only or (further == pages and all(self.is_full(kind, page) for page in pages))

    def leading_to(self, page: int) -> int | None:
        """Return the page that calls this one that of its older posts."""
        return next((one.page for one in self._all() if page in one.older), None)

    def length(self, page: int) -> int:
        """Return how many posts a page has of its own, besides those of the start page; 0 where it
        was not read."""
        home = self.home.posts if self.home is not None and page != self.home.page else frozenset()
        return next((len(one.posts - home) for one in self._all() if one.page == page), 0)

    @property
    def home_key(self) -> int | None:
        return self.home.page if self.home is not None else None

    @property
    def dead_kinds(self) -> set[str]:
        """The kinds of lists that lead on to pages without further posts."""
        return {kind for kind, _, _ in self._dead_ends()}

    def dead_ends(self) -> list[tuple[int, int]]:
        """Return the pages that are as long as the one before them and call another one that of
        older posts which shows none that they and the start page don't show; with that page."""
        return [(page, older) for _, page, older in self._dead_ends()]

    def _dead_ends(self) -> list[tuple[str, int, int]]:
        if self._ends is None:
            self._ends = list(self._found_dead())
        return self._ends

    def _found_dead(self) -> Iterator[tuple[str, int, int]]:
        every = {page.page: page for page in self._all()}
        home = self.home.posts if self.home is not None else frozenset()
        with_posts = {page for page, shown in every.items() if shown.posts}
        bare = sum(not page.posts for page in every.values() if page.older)
        for kind, page in self._full_pages() if bare < LEAST_CUT else ():
            for key in page.older & every.keys() - {page.before}:
                # a page that leads on may have posts at addresses that are not known for posts'
                if every[key].older <= with_posts and not every[key].posts - page.posts - home:
                    yield kind, page.page, key

    def _full_pages(self) -> Iterator[tuple[str, Shown]]:
        """Yield the pages of lists that go on behind them, with their kinds; the start page with
        that of its further pages."""
        for kind, pages in self._kinds.items():
            further = filter(attrgetter("is_further"), pages.values())
            full = filter(partial(self.is_full, kind), filter(self._has_own, further))
            yield from ((kind, page) for page in full)
            if self.home is not None and self.home.older & pages.keys():
                yield kind, self.home

    def _has_own(self, page: Shown) -> bool:
        """Return whether a page shows posts that the start page does not show."""
        return self.home is None or bool(page.posts - self.home.posts)

    def breaks_off(self, kind: str, page: int) -> bool:
        """Return whether the list goes on behind a page of it, as far as that is known."""
        if self.home is not None and page == self.home.page:
            return True
        shown = self._kinds.get(kind, {}).get(page)
        return shown is None or self.is_full(kind, shown)


def is_usual_cut(posts: int) -> bool:
    """Return whether feeds and start pages are often cut off at so many posts: engines and their
    users choose fives and tens. A blog of any other number shows all that it has.
    """
    step = 5 if posts <= 30 else 10 if posts <= 100 else 50
    return posts > 0 and posts % step == 0


def ends_amid(lists: Iterable[frozenset[int]], moments: Mapping[int, float]) -> int:
    """Return the length of the longest of several lists where they are cut, 0 where they are not:
    at least two are as long, and so many shorter ones go back further than all of these that it
    would hardly be by chance. ``moments``: of the posts. Lists that follow one another, as years
    do, go back no further than the next.
    """
    dated = [[moments[post] for post in posts & moments.keys()] for posts in lists]
    spans = [(len(days), min(days), max(days)) for days in dated if days]
    longest = max((length for length, _, _ in spans), default=0)
    ends = [oldest for length, oldest, _ in spans if length == longest]
    first = min(ends, default=0.0)
    further = sum(oldest < first < newest for _, oldest, newest in spans)
    is_late = 1 / comb(len(ends) + further, further) < UNLIKELY
    return longest if longest >= LEAST_CUT and len(ends) > 1 and is_late else 0


def _chance_of_tie(lengths: Sequence[int], alike: int) -> float:
    """Return the chance that so many lists are as long as the longest: that each of them ends there
    is as likely as at any other length up to twice their mean."""
    mean = sum(lengths) / max(1, len(lengths))
    return (1 + mean) ** (1 - alike)


def in_sidebar(pages: Sequence[frozenset[int]]) -> frozenset[int]:
    """Return the posts that most of three pages or more show: those of a sidebar."""
    often = Counter(chain.from_iterable(pages))
    return frozenset(post for post, times in often.items() if 2 * times > len(pages) > 2)
