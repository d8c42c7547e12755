"""Ways through a site: each yields the URLs it asks for, in order; the simulator counts."""

from __future__ import annotations

import difflib
import heapq
import random
from collections import deque
from collections.abc import Callable, Iterator

from blogcrawl.discovery.archives import hub_kind
from blogcrawl.frontier.frontier import Frontier
from blogcrawl.frontier.stop import Stop
from blogcrawl.urls.canonical import Scope, canonicalize, resource_kind
from blogcrawl.urls.post_pattern import PostPattern
from tests.benchmarks.site_graphs import Node, Site
from tests.benchmarks.survey_run import Surveyed, feed_only, fetch, run_survey

Crawl = Iterator[str]
LEVENSHTEIN_SAMPLE = 60
"""The 2014 code compared with up to 1,000 URLs; fewer change its order little and let the table end
today.
"""


def followed(site: Site, node: Node | None, scope: Scope) -> list[str]:
    """Canonical URLs that any of the strategies would follow."""
    if node is None:
        return []
    keys = (
        canonicalize(link.url)
        for link in node.links
        if resource_kind(link.url) == "page" and scope.contains(link.url)
    )
    return list(dict.fromkeys(keys))


def _blind(site: Site, take: Callable[[deque[str]], str]) -> Crawl:
    scope, seen, queue = (
        Scope(site.home),
        {canonicalize(site.home)},
        deque([canonicalize(site.home)]),
    )
    while queue:
        url = take(queue)
        yield url
        for key in followed(site, site.get(url), scope):
            if key not in seen:
                seen.add(key)
                queue.append(key)


def breadth_first(site: Site) -> Crawl:
    return _blind(site, lambda q: q.popleft())


def depth_first(site: Site) -> Crawl:
    return _blind(site, lambda q: q.pop())


def at_random(site: Site) -> Crawl:
    rng = random.Random(7)

    def take(queue: deque[str]) -> str:
        at = rng.randrange(len(queue))
        queue[at], queue[-1] = queue[-1], queue[at]
        return queue.pop()

    return _blind(site, take)


def pattern_only(site: Site) -> Crawl:
    """Feed's posts first, then links that match the feed's pattern, then the rest breadth first."""
    pattern = PostPattern.learn(site.feed)
    scope, seen = Scope(site.home), {canonicalize(site.home)}
    feed = [canonicalize(u) for u in site.feed]
    posts, rest = (
        deque([canonicalize(site.home), *feed]),
        deque[str](),
    )  # the home page names the feed
    seen |= set(feed)
    yield "feed:" + site.home
    while posts or rest:
        url = posts.popleft() if posts else rest.popleft()
        yield url
        for key in followed(site, site.get(url), scope):
            if key not in seen:
                seen.add(key)
                (posts if pattern.score(key) >= 0.5 else rest).append(key)


def formula_2014(site: Site) -> Crawl:
    """The predecessor: known posts first; a page's priority is fixed when it is found, by the
    nearest URLs (edit distance ratio), of ``links + 99 * post links``; k = min(5, half of the
    sample)."""
    pattern = PostPattern.learn(site.feed)
    scope, home = Scope(site.home), canonicalize(site.home)
    posts, rest = (
        deque([home, *map(canonicalize, site.feed)]),
        list[tuple[float, int, str]](),
    )  # the home page names the feed
    seen = set(posts)
    sample: list[tuple[str, float]] = []
    order = 0
    yield "feed:" + site.home
    while posts or rest:
        if posts:
            url = posts.popleft()
        else:
            url = heapq.heappop(rest)[2]
        yield url
        found = followed(site, site.get(url), scope)
        if len(sample) < LEVENSHTEIN_SAMPLE:
            sample.append((url, len(found) + 99.0 * sum(pattern.score(k) >= 0.5 for k in found)))
        for key in found:
            if key in seen:
                continue
            seen.add(key)
            order += 1
            if pattern.score(key) >= 0.5:
                posts.append(key)
            else:
                heapq.heappush(rest, (-_knn_2014(key, sample), order, key))


def _knn_2014(url: str, sample: list[tuple[str, float]]) -> float:
    k = min(5, -(-len(sample) // 2))
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(url)
    near = []
    for other, value in sample:
        matcher.set_seq1(other)
        near.append((matcher.quick_ratio(), value))
    near.sort(reverse=True)
    weights = sum(s for s, _ in near[:k])
    return sum(s * v for s, v in near[:k]) / weights if weights else 0.0


def oracle(site: Site) -> Crawl:
    """Knows the site: all posts, and when none is left the page that shows most new ones, or the
    way to the nearest such page.
    """
    scope = Scope(site.home)
    posts = site.reachable_posts()
    links = {key: followed(site, node, scope) for key, node in site.nodes.items()}
    shows = {key: posts.intersection(found) for key, found in links.items()}
    known, fetched = {canonicalize(site.home), *map(canonicalize, site.feed)}, set()

    def way_to_a_post() -> list[str]:
        best = max(
            (k for k in known - fetched if shows.get(k)),
            key=lambda k: len(shows[k] - known),
            default=None,
        )
        if best is not None and shows[best] - known:
            return [best]
        queue, before = deque(known - fetched), dict.fromkeys(known - fetched, "")
        while queue:
            at = queue.popleft()
            if shows.get(at, set()) - known:
                path = [at]
                while before[path[-1]]:
                    path.append(before[path[-1]])
                return path[::-1]
            for key in links.get(at, ()):
                if key not in before and key in links:
                    before[key] = at
                    queue.append(key)
        return []

    while not posts <= fetched:
        batch = sorted((known & posts) - fetched) or way_to_a_post()
        if not batch:
            return
        for url in batch:
            fetched.add(url)
            yield url
            known.update(links.get(url, ()))


class Ours:
    """The frontier as the spiders drive it. ``survey``: asks discovery first, its probes counted as
    requests.
    """

    def __init__(self, survey: bool = False, feed: bool = True) -> None:
        self.survey, self.feed = survey, feed
        self.stop: Stop | None = None
        self.stopped_at = 0
        self.known = Surveyed([], [], [], [], False)
        self.called: dict[str, bool] = {}
        """Canonical URL -> was it taken for a post before it was read?"""
        self.frontier = Frontier()

    def __call__(self, site: Site) -> Crawl:
        self.frontier = frontier = Frontier(scope=Scope(site.home))
        self.stop, count = None, 0
        yield site.home
        count += 1
        known = run_survey(site) if self.survey else feed_only(site)
        for url in known.asked:
            count += 1
            yield url
        promised = list(dict.fromkeys(known.promised)) if self.feed else []
        frontier.sources_complete = known.complete and self.survey
        self.known = known
        frontier.listing = lambda link: "all" if link.url in known.guesses else hub_kind(link)
        frontier.take(site.home) if frontier.push(site.home, "hub") else None
        frontier.learn_pattern(promised)
        for url in promised:
            frontier.push(url, "post")
        for url, belief in known.candidates:
            frontier.push(url, "page", depth=1, belief=belief)
        self._read(site, site.home, 0)
        for url in known.hubs:
            frontier.push(url, "hub", depth=1)
        for url in known.guesses[:1]:
            frontier.push(url, "hub")
        clock = 0.0
        while True:
            clock += 1
            stop = frontier.stop_decision(clock)
            if stop is not None and self.stop is None:
                self.stop, self.stopped_at = stop, count
            pending = frontier.pop(clock)
            if pending is None:
                return
            count += 1
            self.called[canonicalize(pending.url)] = pending.chance >= 0.5
            yield canonicalize(pending.url)
            self._read(site, pending.url, pending.depth)

    def _read(self, site: Site, url: str, depth: int) -> None:
        if url in self.known.guesses:
            self._read_map(site, url)
            return
        node = site.get(url)
        if node is None:
            self.frontier.failed(url)
            return
        if canonicalize(node.url) != canonicalize(url) and self.frontier.same(url, node.url):
            self.frontier.folded(url)
            return
        self.frontier.push_links(node.url, node.links, depth)
        self.frontier.done(url, is_post=node.is_post)

    def _read_map(self, site: Site, url: str) -> None:
        """A guess: what a sitemap promises, and the sitemaps that it names, are queued; after one
        in vain the next is.
        """
        known, frontier = self.known, self.frontier
        left = [guess for guess in known.guesses if guess != url]
        found = known.take(fetch(site, url))
        if found is None and known.survey is not None:
            known.survey.knowledge.guesses = left
            for guess in left[:1]:
                frontier.push(guess, "hub")
            if site.get(url) is None:
                frontier.failed(url)
                return
        for guess in known.guesses if found is not None else ():
            frontier.push(guess, "hub")
        for post in known.promised if found else ():
            frontier.push(post, "post")
        for other, belief in known.candidates if found is not None else ():
            frontier.push(other, "page", depth=1, belief=belief)
        frontier.sources_complete = known.complete
        frontier.done(url, float(found or 0), False)
