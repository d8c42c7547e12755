"""What is known of each cluster of URLs, and the choice among them. In memory; rebuilt from the
store after a crash.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import exp, log
from typing import TYPE_CHECKING

from blogcrawl.core.evidence import MAJORITY, SEVERAL
from blogcrawl.frontier.stop import CONFIRMED, PERHAPS, WORTH, ClusterEvidence
from blogcrawl.frontier.store import HUB, SHOWN_BY_POST, SHOWN_BY_SOURCE, Row
from blogcrawl.urls import tables
from blogcrawl.urls.canonical import canonicalize
from blogcrawl.urls.parts import path_and_query
from blogcrawl.urls.post_pattern import LIKELY, is_list_address, is_numbered, is_year_address

if TYPE_CHECKING:
    from blogcrawl.frontier.knn import YieldEstimator

WINDOW = 8
"""Pages whose yield says what the next one brings."""
PRIOR_PAGES = 2.0
"""The k nearest neighbours' estimate weighs as much as so many pages of the cluster itself."""
HUB_PRIORS = {"archive": 5.0, "hub": 2.0}
"""New posts expected on a page that seems to list all posts, or some, before any of its cluster was
read.
"""
FIRST_GUESS = 1.0
"""New posts expected of any page before the first observation."""
POST_RATE, OTHER_RATE = 0.9, 0.02
"""Share of posts in a cluster of posts, and in one of other pages: URLs of one shape are posts, or
they are not. Set by hand after the clusters of eight recorded blogs, whose shares lie at both ends.
"""
LISTED_CHANCE = 0.004
"""That pages are posts whose addresses are those of labels, months or authors: a page of such a
cluster is looked at where more than seventy wait.
"""
EXISTING = 2.0
"""Pages of a cluster that are taken to exist before any was asked for: dead links come in lists of
old posts, next to living ones of the same shape.
"""
MOST_ODDS, LEAST_ODDS = 3.0, -8.0
"""Log-odds that a cluster's own pages may give its next one: what an address says of itself
(``/about``) is not outvoted by posts next to it."""
BELOW = "below"
"""Flavour of the cluster of pages that lie below posts, and are not taken for posts themselves:
parts and views of these, pictures, links that lack the scheme of another site."""
OLDEST, NEWEST = 24, 8
STALE = 12
"""Observations after which a cluster's estimates are made anew before it may win."""


@dataclass(slots=True)
class Choice:
    row: Row
    worth: float
    """Expected posts of the request: itself, and new ones it leads to."""
    chance: float
    """That it is a post itself."""


@dataclass(slots=True)
class Cluster:
    ident: int
    name: str
    pending: int = 0
    pages: int = 0
    gain: float = 0.0
    posts: int = 0
    judged: int = 0
    failed: int = 0
    absent: int = 0
    """Of the failed ones those of which the blog says that they do not exist."""
    odds: float = 0.0
    """Log-odds by the pages read that the cluster is one of posts."""
    recent: deque[list[float]] = field(default_factory=lambda: deque(maxlen=WINDOW))
    """[key, gain] of the last pages: a list, for gains are corrected later."""
    brought: deque[list[float]] = field(default_factory=lambda: deque(maxlen=WINDOW))
    """The same of the last pages that could be read."""
    dry: int = 0
    """The latest pages that have brought nothing, one after the other."""
    choices: list[Choice] = field(default_factory=list)
    fresh_at: int = -1

    @property
    def host(self) -> str:
        return self.name.partition("|")[0]

    @property
    def address(self) -> str:
        """Host and what the addresses have in common."""
        return self.name.rpartition("|")[0]

    @property
    def flavour(self) -> str:
        return self.name.rpartition("|")[2]

    def learn(
        self,
        key: int,
        gain: float,
        is_post: bool | None,
        chance: float | None = None,
        *,
        is_read: bool = True,
    ) -> None:
        """Learn from a page of this cluster that was read, or could not be (``is_post`` None).
        ``chance``: the probability that one that was read is a post, None: as ``is_post`` says.
        """
        self.pages += 1
        self.gain += gain
        self.recent.append([key, gain])
        if is_read:
            self.brought.append(self.recent[-1])
        self.dry = 0 if gain > 0 else self.dry + 1
        if is_post is not None:
            self.judged += 1
            self.posts += is_post
            self._weigh(float(is_post) if chance is None else chance)

    def fail(self, *, is_absent: bool) -> None:
        """Count a page that could not be read: what is absent says that others are too, not what
        they would be. Below posts it says that links there are mistaken."""
        self.failed += 1
        self.absent += is_absent
        if is_absent and self.flavour == BELOW:
            self._weigh(0.0)

    def _weigh(self, chance: float) -> None:
        self.odds += log(
            (chance * POST_RATE + (1 - chance) * (1 - POST_RATE))
            / (chance * OTHER_RATE + (1 - chance) * (1 - OTHER_RATE))
        )

    def chance(self, prior: float) -> float:
        """Return the probability that a page exists and is a post: ``prior`` by its URL and
        neighbours, combined with the cluster's pages asked for so far.
        """
        prior = min(max(prior, 1e-4), 1 - 1e-4)
        odds = min(MOST_ODDS, max(LEAST_ODDS, self.odds))
        return self._existing / (1 + exp(-odds) * (1 - prior) / prior)

    @property
    def _existing(self) -> float:
        """The share of the cluster's pages that exist."""
        known = EXISTING + self.pages - self.failed
        return known / (known + self.absent)

    @property
    def gains(self) -> list[float]:
        """New posts on each of its last pages that could be read."""
        return [gain for _, gain in self.brought]

    @property
    def are_lists(self) -> bool:
        """Whether its pages are lists, whatever they are called: most that were read brought new
        posts, and none is one."""
        bringing = sum(gain > 0 for gain in self.gains)
        return not self.posts and bringing >= max(SEVERAL, MAJORITY * len(self.gains))

    @property
    def unlikely(self) -> Choice | None:
        """The page that is most probably a post among those that are not taken for one."""
        unlikely = [choice for choice in self.choices if choice.chance < LIKELY]
        return max(unlikely, key=lambda choice: choice.chance, default=None)

    @property
    def hides_posts(self) -> bool:
        """Whether ``unlikely`` is to be read before the end: it alone, or all pages of its kind
        that wait, may well be a post."""
        lead = self.unlikely
        if lead is None:
            return False
        chances = sum(choice.chance for choice in self.choices if choice.chance < LIKELY)
        return lead.chance >= WORTH or self.pending * chances >= PERHAPS * len(self.choices)

    def correct(self, key: int, delta: float) -> None:
        """Correct the credit of page ``key``: one of its posts is no post (or one more is)."""
        self.gain += delta
        for later, entry in enumerate(reversed(self.recent)):
            if entry[0] == key:
                entry[1] += delta
                self.dry = min(self.dry, later) if entry[1] > 0 else self.dry

    def best(self) -> Choice | None:
        return self.choices[-1] if self.choices else None

    def evidence(self) -> ClusterEvidence:
        """Return the evidence for the stopping rule."""
        best = self.best()
        recent = tuple(entry[1] for entry in self.recent)
        worth = best.worth if best else 0.0
        return ClusterEvidence(
            name=self.name,
            pages=self.pages,
            gain=self.gain,
            recent=recent,
            pending=self.pending,
            worth=worth,
        )


Heads = Callable[[int, int, int], list[Row]]
Score = Callable[[str, str], float]


class Chooser:
    """Which pending URL next? Lazy greedy: only the cluster in the lead is estimated anew, until
    the lead is fresh.
    """

    def __init__(
        self,
        estimator: Callable[[], YieldEstimator],
        heads: Heads,
        score: Score,
        text: Callable[[int | None], str],
        experience: Callable[[], int],
        posts_below: Callable[[str], int] = lambda key: 0,
    ) -> None:
        """Create an empty table; ``experience``: how many posts the pattern behind ``score`` was
        learned from; ``posts_below``: how many were found whose addresses add something to one.
        """
        self.estimator, self.heads, self.score, self.text, self.experience = (
            estimator,
            heads,
            score,
            text,
            experience,
        )
        self.posts_below = posts_below
        self.observations = 0

    def choose(self, waiting: Sequence[Cluster]) -> tuple[Cluster, Choice] | None:
        """Return the best choice now among clusters with pages pending; None without any."""
        if not waiting:
            return None
        for cluster in waiting:
            if not cluster.choices:
                self.refresh(cluster)
        for _ in range(2 * len(waiting)):
            lead = max(waiting, key=_rank)
            if lead.best() is None or self.observations - lead.fresh_at < STALE:
                break
            self.refresh(lead)
        lead = max(waiting, key=_rank)
        choice = lead.best()
        return (lead, choice) if choice else None

    def refresh(self, cluster: Cluster) -> None:
        """Estimate the URLs at both ends of the cluster's queue."""
        from blogcrawl.frontier.knn import Example

        rows = self.heads(cluster.ident, OLDEST, NEWEST)
        examples = [Example(r.url, r.anchor, self.text(r.path)) for r in rows]
        estimator = self.estimator()
        asked = estimator.ask(examples)
        is_trained = len(estimator) > 0
        own = sum(entry[1] for entry in cluster.recent)
        trust = 1.0 + min(4.0, self.experience() / 5.0)
        listed = is_taxonomy(cluster)
        # lists of labels stand in no order: each that brought nothing says as much of the next one
        weight = max(len(cluster.recent), cluster.dry if listed else 0)
        choices = []
        for at, row in enumerate(rows):
            near = max(0.0, float(asked.nearest[at]))
            guess = _first_guess(row.url)
            prior = float(asked.new_posts[at]) + (1.0 - near) * 0.5 * guess if is_trained else guess
            prior = max(prior, HUB_PRIORS.get(cluster.flavour, 0.0) / (1.0 + cluster.pages))
            gain = (PRIOR_PAGES * prior + own) / (PRIOR_PAGES + weight)
            pattern = self.score(row.url, examples[at].tag_path)
            if cluster.flavour in ("listed", "neighbour"):
                pattern = max(pattern, row.score)
            sure = 3.0 * near if is_trained else 0.0
            likely = (trust * pattern + sure * float(asked.is_post[at])) / (trust + sure)
            is_listing = pattern < LIKELY and (listed or self._is_list(row.url))
            if row.kind == HUB or (is_listing and not _is_lone_year(row, cluster)):
                likely = min(likely, LISTED_CHANCE)
            chance = cluster.chance(likely)
            choices.append(Choice(row, max(0.0, gain) + chance, chance))
        choices.reverse()  # among equals the one found first: a pager's next page, not its last one
        choices.sort(key=_choice_rank)
        cluster.choices = choices
        cluster.fresh_at = self.observations

    def _is_list(self, url: str) -> bool:
        """Return whether the address is one of a list, or of the folder of so many posts that it
        hardly is one of them."""
        return is_list(url) or self.posts_below(canonicalize(url)) >= CONFIRMED


def is_untried(cluster: Cluster) -> bool:
    """Return whether the start page leads to pages of this kind, none of them read yet, that may be
    another part of the blog (a language, a section).

    Or does a list right behind it, and no post? Labels, months and the usual pages next to a blog
    are none.
    """
    if cluster.pages or "#" in cluster.name or is_taxonomy(cluster):
        return False
    rows = [
        c.row
        for c in cluster.choices
        if last_name(c.row.url) not in tables.PAGE_SEGMENTS | tables.TAXONOMY_SEGMENTS
    ]
    return any(row.depth == 1 or (row.depth == 2 and not row.shown & SHOWN_BY_POST) for row in rows)


def is_taxonomy(cluster: Cluster) -> bool:
    """Return whether the URLs are of labels or authors by the names in their path."""
    return not tables.LABEL_SEGMENTS.isdisjoint(cluster.name.partition("?")[0].split("/"))


def is_list(url: str) -> bool:
    """Return whether the address is a usual one of a list, or of a page besides the posts."""
    return is_list_address(url) and not is_numbered(url)


def _is_lone_year(row: Row, cluster: Cluster) -> bool:
    """Return whether nothing but its address makes the page a list of a year: only a source has it,
    and no page like it."""
    is_lone = cluster.pending + cluster.pages <= 1 and row.shown == SHOWN_BY_SOURCE
    return is_lone and is_year_address(row.url)


def _choice_rank(choice: Choice) -> tuple[bool, float]:
    """Likely posts before all hubs: a request that is a post itself is never useless, and may make
    a hub needless.
    """
    return choice.chance >= LIKELY, choice.worth


def _rank(cluster: Cluster) -> tuple[bool, float]:
    best = cluster.best()
    return _choice_rank(best) if best else (False, -1.0)


def _first_guess(url: str) -> float:
    """Return the new posts expected of a page of which nothing is known but its URL."""
    return FIRST_GUESS * (0.3 if last_name(url) in tables.PAGE_SEGMENTS else 1.0)


def last_name(url: str) -> str:
    """Return the last segment of a URL's path, folded and without its suffix."""
    last = path_and_query(url)[0].rstrip("/").rpartition("/")[2].lower()
    return last.rpartition(".")[0] or last
