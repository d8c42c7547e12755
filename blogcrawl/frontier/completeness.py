"""How complete the archive is: the expected share of the blog's posts that are archived. Pure.

Every way to lose posts is a ``Loss`` with the posts expected behind it: pages by their probability
of being posts, lists by what they would bring, posts that nothing has shown by recapture
(``stop``). The share is archived / (archived + sum of losses). A crawl that has seen too little to
tell has no share.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, Literal

from blogcrawl.frontier.unread import NEW_POSTS, SOME_POSTS

Status = Literal["complete", "nearly complete", "incomplete", "unknown"]
DOUBT = 0.5
"""Relative error of an expected number of posts: what makes one page of a blog be judged wrongly
makes others so (tests/benchmarks/completeness.py)."""
INTERVAL = 1.64
"""Standard deviations of an interval that holds nine of ten truths."""
WHOLE, MOST = 0.99, 0.95
"""Share from which an archive is complete, and from which it is nearly so."""
FEW = 3
"""Posts below which a blog of which no source lists any may be a mere front page."""
NOTABLE_LOSS = 0.05
"""Posts of a loss from which it is named as a reason."""
UNLISTED = 0.005
"""Share of the posts in documents that could not be read which no link shows, where the links prove
that they have shown all posts: the goal of ``stop``."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Posts that are perhaps not archived: ``text`` says where, with a place for the number of
    ``pages``; ``posts`` are expected there, with ``variance`` were the pages independent.
    """

    text: str
    pages: int
    posts: float
    variance: float = 0.0
    is_known: bool = False
    """Posts are known to be among them: the archive is incomplete."""

    @classmethod
    def of_pages(cls, text: str, chances: Iterable[float], *, is_known: bool = False) -> Loss:
        """Return the pages with the probability of each to be a post."""
        known = list(chances)
        return cls(
            text,
            len(known),
            sum(known),
            sum(chance * (1 - chance) for chance in known),
            is_known=is_known,
        )

    @property
    def sentence(self) -> str:
        """For people: ``text`` with the number of pages, and the posts expected."""
        return f"{self.text.format(self.pages)} ({self.posts:.1f} posts expected)"

    @property
    def spread(self) -> float:
        """Standard deviation of the number of posts."""
        return sqrt(self.variance + (DOUBT * self.posts) ** 2)


@dataclass(frozen=True, slots=True)
class Completeness:
    """Share of the blog's posts that is archived, 0..1, None if too little is known; ``lower`` and
    ``upper`` bound of an interval that holds nine of ten truths.
    """

    share: float | None
    lower: float | None
    upper: float | None
    status: Status
    reasons: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "share": self.share,
            "lower": self.lower,
            "upper": self.upper,
            "status": self.status,
            "reasons": list(self.reasons),
        }


UNKNOWN = Completeness(None, None, None, "unknown")


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a crawl knows in its end."""

    archived: int = 0
    listed: int = 0
    """Posts that feeds, sitemaps or interfaces list."""
    losses: Sequence[Loss] = field(default_factory=tuple)
    counted: int = 0
    """Posts of the blog by its own count: its platform's, or that of its months; 0: none known."""
    hidden: Sequence[str] = ()
    """Why no figure can be given: posts that a browser or another host has."""
    rests_on: Sequence[str] = ()
    """What alone says that no post is older."""


def completeness(known: Known) -> Completeness:
    """Weigh the evidence."""
    losses = [*known.losses, *_uncounted(known)]
    reasons = [loss.sentence for loss in losses if loss.posts >= NOTABLE_LOSS]
    seen = known.archived + sum(loss.posts for loss in losses)
    is_seen = known.listed or seen >= FEW
    if known.hidden or not is_seen:
        few = [] if is_seen else [f"{known.archived} posts found and none listed by a source"]
        return Completeness(None, None, None, "unknown", (*known.hidden, *few, *reasons))
    lost = sum(loss.posts for loss in losses)
    spread = INTERVAL * sqrt(sum(loss.spread**2 for loss in losses))
    share, lower, upper = (
        _share(known.archived, posts) for posts in (lost, lost + spread, max(0.0, lost - spread))
    )
    is_lost = any(loss.is_known and loss.posts >= SOME_POSTS for loss in losses)
    status = _status(share, is_lost=is_lost)
    return Completeness(share, lower, upper, status, (*reasons, *known.rests_on))


def _uncounted(known: Known) -> list[Loss]:
    """Return the number of posts that the platform counts and nothing else accounts for."""
    rest = known.counted - known.archived - sum(loss.posts for loss in known.losses)
    if rest < 1:
        return []
    text = f"the blog itself counts {known.counted} posts"
    return [Loss(text, 0, rest, is_known=True)]


def _status(share: float, *, is_lost: bool) -> Status:
    if is_lost or share < MOST:
        return "incomplete"
    return "complete" if share >= WHOLE else "nearly complete"


def _share(archived: int, lost: float) -> float:
    """Share of archived posts, rounded down to four digits so that only a whole archive is 1."""
    total = archived + lost
    return int(10_000 * archived / total + 1e-9) / 10_000 if total else 1.0


def posts_behind(siblings: Iterable[float], hidden: float) -> float:
    """Return the expected number of posts known from nothing else, in a sitemap, a feed page or the
    like that could not be read.

    ``siblings``: posts of each document of its kind that was read (none: nothing is known);
    ``hidden``: share of the posts in such documents that no link has shown, 0..1.
    """
    known = list(siblings)
    return hidden * (sum(known) / len(known) if known else 2 * NEW_POSTS)


def hidden_share(source_only: int, both: int) -> float:
    """Share of the posts in feeds and sitemaps that no link leads to: of those known, so many are
    in sources only, so many are also linked. Each cell plus one half."""
    return (source_only + 0.5) / (source_only + both + 1)
