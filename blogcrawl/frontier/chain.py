"""Posts that link to one another: where each knows its neighbours, a chain without an open end is
the whole blog.

Themes that lead from post to post (older, newer) do so on every post. Two posts that link to each
other are neighbours; a link one way only (recent posts, related posts) makes none. If all posts
read hang together in this way, at most two of them are ends, and nothing that an end links to was
missing, then a post in between that no one has seen can't exist: its neighbours would link to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Set
from itertools import chain

MAX_LINKED = 100
"""Posts that one post links to; beyond that its page is a list of all posts, and says more as
such."""
DENSE = 0.5
"""Share of all pairs of posts that link to each other, above which it is a list on every page
(recent posts) and no way from post to post: who is not on it is linked to by none of them."""
TWO_SIDES = 2
"""Posts that lead to one and back: the older and the newer."""
LOOSE_SHARE = 0.02
"""Posts without any neighbour: pages taken for posts. More of them, and the blog has no chain."""


class PostChain:
    """``add`` every page that is a post or looked like one, with the likely posts it links to;
    ``dead``: keys that could not be had.
    """

    def __init__(self) -> None:
        self._linked: dict[int, tuple[int, ...]] = {}
        self._degree: dict[int, int] = {}
        self._pairs = 0
        self._up: dict[int, int] = {}
        self._size: dict[int, int] = {}
        """Root of a chain -> posts in it"""
        self._ends: set[int] = set()
        self._loose: set[int] = set()
        self._posts: set[int] = set()
        self._biggest = 0
        self.dead: set[int] = set()

    def add(self, page: int, linked: Iterable[int], *, is_post: bool = True) -> None:
        """Add a fetched page. One that is no post may hold a chain together, but neither counts nor
        ends it.
        """
        if page in self._linked:
            return
        links = tuple(dict.fromkeys(key for key in linked if key != page))[:MAX_LINKED]
        self._linked[page], self._up[page], self._size[page] = links, page, int(is_post)
        self._degree[page] = 0
        if is_post:
            self._posts.add(page)
            self._loose.add(page)
        for other in links:
            if page in self._linked.get(other, ()):
                self._join(page, other)
        self._biggest = max(self._biggest, self._size[page])

    def _join(self, a: int, b: int) -> None:
        self._pairs += 1
        for key in (a, b):
            self._degree[key] += 1
            self._loose.discard(key)
            if self._degree[key] == 1 and key in self._posts:
                self._ends.add(key)
            else:
                self._ends.discard(key)
        a, b = self._root(a), self._root(b)
        if a != b:
            self._up[a] = b
            self._size[b] += self._size[a]
            self._biggest = max(self._biggest, self._size[b])

    def _root(self, key: int) -> int:
        while self._up[key] != key:
            self._up[key] = key = self._up[self._up[key]]
        return key

    @property
    def posts(self) -> Set[int]:
        return self._posts

    def hopeful(self, under_way: int) -> bool:
        """May the chain be closed once so many more posts were read?"""
        loose = LOOSE_SHARE * len(self._posts) + 2 * under_way
        return (
            len(self._posts) >= under_way
            and len(self._ends) <= 2 + 2 * under_way
            and len(self._loose) <= loose
        )

    @property
    def closed(self) -> int:
        """Posts in a chain that has no open end; 0 where there is no such chain."""
        count = len(self._posts)
        if (
            len(self._ends) > 2
            or self._biggest + len(self._loose) < count
            or len(self._loose) > LOOSE_SHARE * count
        ):
            return 0
        if self._pairs > DENSE * count * (count - 1) / 2 or not self._leads_to_neighbours():
            return 0
        open_ended = any(key in self.dead for end in self._ends for key in self._linked[end])
        return 0 if open_ended else self._biggest

    def _leads_to_neighbours(self) -> bool:
        """Return whether posts lead to their neighbours and not to others like them (related
        posts), the newest of which lead to each other too: without those in a sidebar, to which
        most lead, as many lead to each other as in a row of them at most."""
        if self._pairs < len(self._posts):
            return True
        often = Counter(chain.from_iterable(map(self._linked.__getitem__, self._posts)))
        row = {post for post in self._posts if 2 * often[post] <= len(self._posts)}
        return self._led_both_ways(row) <= (1 + LOOSE_SHARE) * len(row)

    def _led_both_ways(self, posts: Set[int]) -> int:
        """Return the number of pairs of these posts that lead to each other."""
        links = ((post, other) for post in posts for other in posts & set(self._linked[post]))
        return sum(post in self._linked[other] for post, other in links) // 2

    def cited(self) -> set[int]:
        """Return the posts to which others lead that they don't lead back to: texts mention them,
        and no list shows them for that. Those to which most posts lead stand in a sidebar."""
        often = Counter(
            post
            for page, links in self._linked.items()
            for post in links
            if post in self._posts and page not in self._linked[post]
        )
        return {post for post, times in often.items() if 2 * times <= len(self._posts)}

    def led_to_once(self, missing: Collection[int]) -> int:
        """Return how many of the posts that are ``missing`` one post alone leads to, where posts
        lead to their neighbours: the neighbour on the other side was not seen either."""
        if not self._posts or self._pairs > len(self._posts):
            return 0
        times = Counter(post for links in self._linked.values() for post in links)
        return sum(times[post] == 1 for post in missing)

    def pieces(self, posts: Set[int]) -> int:
        """Return how many pieces of chains these posts are, without all others."""
        return max(1, len(posts) - self._led_both_ways(posts))

    def shares_between(self) -> dict[int, float]:
        """Return for each page that was taken for none and stands between two posts, which lead to
        it and back, the share of posts among the pages that stand so, where posts lead to their
        neighbours only."""
        if self._pairs >= len(self._linked):
            return {}
        between = [page for page, degree in self._degree.items() if degree == TWO_SIDES]
        others = [page for page in between if page not in self._posts]
        return dict.fromkeys(others, 1 - len(others) / max(1, len(between)))

    def has_neighbour(self, post: int) -> bool:
        """Return whether a post and another one lead to each other."""
        return self._degree.get(post, 0) > 0
