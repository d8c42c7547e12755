"""When to stop, and how many posts no page has shown. Pure: evidence in, decision out.

Three estimators, all stated in the evidence:

*Recapture*: posts are seen in several ways that know little of one another. Where the blog's
sources were walked to their end these are one way and all links the other: Lincoln-Petersen, every
cell plus one half: ``a`` posts seen the one way only, ``b`` the other way only and ``both`` stand
for ``a * b / both`` posts that neither has seen. Else every cluster of listing pages is a way,
posts' own links are one, the feed is one; chances are uneven there (a chain of neighbours breaks
where an archive has its hole), so Chao's lower bound for several occasions (Chao 1987,
bias-corrected) is taken, from the posts seen in one way and in two.

A list that was read to its end (an archive page, a pager, all months) is as good as a source walked
to its end: it is one way, and all that did not come from it is the other.

Lists that divide the posts among them (labels) and have shown nearly all are a way of this kind
too, where the crawl ends with other lists (months) unread. They are no reason to end it: labels may
be younger than the blog.

Posts' own links and all lists together are two ways as well, which know little of each other: if
both have shown many of the same posts and their estimate is lower, it counts.

*Chain*: where posts lead to their neighbours (``chain.PostChain``) and the chain has no open end,
no post can be missing from it. A page that stands outside (taken for a post, or linked by none) is
one that may have a sibling.

*Cluster yield*: for every cluster of URLs the expected number of new posts on its next page (window
of its last pages, k nearest neighbours as prior). The rest is extrapolated to at most as many pages
as were seen, which is how far such estimates hold (Good & Toulmin 1956).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Literal

from blogcrawl.frontier.chain import LOOSE_SHARE
from blogcrawl.frontier.store import SHOWN_BY_SOURCE

StopReason = Literal["complete", "exhausted", "budget"]

WORTH = 0.05
"""Below one new post in 20 requests a page is not worth its request, whatever else is known. A page
that is itself a post with such a chance is read before the end: recapture counts likely posts only,
so posts with unusual addresses are no part of what it says."""
PERHAPS = 0.3
"""A page of each cluster whose unread pages may be so many posts, all together, is looked at before
the end for the same reason."""
WORTH_WHEN_SEEN = 0.3
"""Nor below one in three, where recapture says that (nearly) all posts were seen. Both by the
simulator (tests/benchmarks/frontier.py).
"""
QUIET_PAGES = 4
WORTH_WHEN_QUIET = 1.0
"""Nor below one, where besides so many pages that are no posts have brought nothing new, one after
the other.
"""
LEAST_KNOWN = 30
"""Posts known without which links alone are no recapture: of ten posts each is a tenth."""
UNSEEN_SHARE = 0.005
"""Share of posts that may remain unseen: the goal of 99.5 %."""
AUDIT_PAGES = 1
AUDIT_EVERY = 60
"""One page that is no post, plus one for every so many posts, must have been read before recapture
is believed.
"""
LEAST_CHAIN = 6
"""Posts of the shortest chain that shows how a blog is built; so many must a list know beyond what
sources promised.
"""
CONFIRMED = 10
"""A list read to its end that has every post that other ways have shown, so many at least, is
believed without more: engines make such lists whole, and ten of ten would be chance one time in
three if it lacked a tenth."""
SHARED = 0.25
"""Share of the posts that were seen in two ways, below which the ways are parts of one: lists that
divide the posts among them, a few posts that link to one another. Recapture would expect more posts
unseen than were seen."""
UNLIKELY = 0.05
"""Chance below which it is no chance that a page after the other brings none of the posts that the
blog counts and that are missing."""
LIST_SHARE = 0.9
"""Share of the known posts on a list of all posts; the newest may be missing (a cached list, a home
page that shows them).
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """0 means no limit."""

    pages: int = 0
    posts: int = 0
    seconds: float = 0.0
    bytes: int = 0

    @property
    def any(self) -> bool:
        return bool(self.pages or self.posts or self.seconds or self.bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterEvidence:
    name: str
    pages: int
    gain: float
    """New posts its pages brought."""
    recent: tuple[float, ...]
    """New posts on each of its last pages."""
    pending: int
    worth: float
    """Expected new posts on its next page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """Posts known, by how they were seen."""

    number: int = 0
    """Ways that have shown any."""
    once: int = 0
    twice: int = 0
    more: int = 0
    source_only: int = 0
    links_only: int = 0
    links_again: int = 0
    """Of those that only links have shown, how many were seen in several ways."""
    both: int = 0
    by_posts: int = 0
    """Posts that no list has shown and other posts lead to."""
    by_lists: int = 0
    """Posts that lists have shown and no other post leads to."""
    by_posts_and_lists: int = 0

    @property
    def posts(self) -> int:
        return self.once + self.twice + self.more


@dataclass(frozen=True, slots=True, kw_only=True)
class Walked:
    """A list read to its end: posts that it alone has shown, that other ways have shown too, and
    that only these have. ``bits``: of its pages, in what has shown a post.
    """

    name: str = ""
    bits: int = 0
    alone: int = 0
    both: int = 0
    others: int = 0

    @property
    def address(self) -> str:
        """What its pages' addresses have in common; ``name`` is the cluster's: host, address and
        kind.
        """
        return self.name.split("|")[1] if "|" in self.name else self.name

    @property
    def unseen(self) -> float:
        return _unseen_by_two(self.alone, self.both, self.others)


def walked_list(name: str, bits: int, shown: Mapping[int, int]) -> Walked:
    """Return what a list shows whose pages have ``bits`` in ``shown`` (see ``count_ways``)."""
    alone = both = others = 0
    for mask, count in shown.items():
        if mask and count > 0:
            if not mask & bits:
                others += count
            elif mask & ~bits:
                both += count
            else:
                alone += count
    return Walked(name=name, bits=bits, alone=alone, both=both, others=others)


def together(names: Iterable[str]) -> str:
    """Return the name of several lists (names of clusters) that are taken for one."""
    addresses = dict.fromkeys(name.split("|")[1] for name in names)
    return f"|{', '.join(addresses)}|"


def count_ways(shown: Mapping[int, int]) -> Ways:
    """From counts of posts by the bits of what showed them (1: a source, 2: posts, others: clusters
    of listings).
    """
    by_number = [0, 0, 0]
    sides = [0, 0, 0]
    links = [0, 0, 0, 0]
    union = again = 0
    for mask, count in shown.items():
        if mask and count > 0:
            union |= mask
            by_number[min(mask.bit_count(), 3) - 1] += count
            sides[0 if mask == 1 else 2 if mask & 1 else 1] += count
            again += count * (not mask & 1 and mask.bit_count() > 1)
            links[(mask >> 1 & 1) + 2 * (mask >> 2 > 0)] += count
    return Ways(
        number=union.bit_count(),
        once=by_number[0],
        twice=by_number[1],
        more=by_number[2],
        source_only=sides[0],
        links_only=sides[1],
        links_again=again,
        both=sides[2],
        by_posts=links[1],
        by_lists=links[2],
        by_posts_and_lists=links[3],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the frontier knows at one moment."""

    pages: int = 0
    posts: int = 0
    failed: int = 0
    pending: int = 0
    in_flight: int = 0
    posts_pending: int = 0
    """Promised or likely posts still queued."""
    promised: int = 0
    ways: Ways = field(default_factory=lambda: Ways())
    sources_complete: bool = False
    walked: tuple[Walked, ...] = ()
    """Lists read to their end"""
    divided: tuple[Walked, ...] = ()
    """Lists that divide the posts among them (labels), all read: what they show says how many posts
    they lack, but not that no page is left that would show more"""
    chained: int = 0
    """Posts in a chain without an open end; 0: there is no such chain"""
    untried: int = 0
    """Kinds of pages that the start page leads to, of which none was read yet, and that may be
    another part of the blog
    """
    audited: int = 0
    """Pages read that are no posts."""
    quiet: int = 0
    """How many of them, the latest ones, brought nothing new in a row."""
    best_worth: float = 0.0
    hidden: int = 0
    """Clusters of pages that are not taken for posts, one of which is to be read all the same."""
    clusters: tuple[ClusterEvidence, ...] = ()
    seconds: float = 0.0
    bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """``detail``: one sentence for people; ``unseen``: posts expected that no page has shown;
    ``has_holes``: what says that these are few is that posts' links and lists agree, and yet lists
    have shown posts to which no other leads.
    """

    reason: StopReason
    detail: str
    unseen: float
    evidence: Evidence = field(default_factory=Evidence)
    has_holes: bool = False


def _unseen(evidence: Evidence) -> float:
    """Return the expected number of posts that no page has shown, if nothing proves that all were
    seen: by recapture, or by what lists bring if posts were seen in one way only.

    Lists of months or labels share the posts among them, so that many are seen in one way though
    none is unseen; posts' own links and all lists together are two ways that know little of each
    other. That the newest posts, which feed and start page show, were seen again says nothing of
    the others.
    """
    w = evidence.ways
    is_one_way = w.number < 2 or w.twice + w.more < SHARED * w.posts
    is_one_way = is_one_way or w.links_again < SHARED * w.links_only
    if is_one_way and not evidence.sources_complete:
        return unseen_by_yield(evidence)
    lists = (*evidence.walked, *evidence.divided)
    estimates = [unseen_by_recapture(evidence), *(found.unseen for found in lists)]
    if w.by_posts_and_lists:
        estimates.append(_unseen_by_two(w.by_posts, w.by_posts_and_lists, w.by_lists))
    return min(estimates)


def _unseen_by_links(e: Evidence) -> float:
    """Return the expected number of posts that neither posts' own links nor lists have shown; no
    bound where these have shown too few posts both, or a part of the blog was not looked at.
    """
    w = e.ways
    if e.untried or e.quiet < QUIET_PAGES or w.by_posts_and_lists < LEAST_KNOWN:
        return inf
    return _unseen_by_two(w.by_posts, w.by_posts_and_lists, w.by_lists)


@dataclass(frozen=True, slots=True)
class Whole:
    """A way that has shown all posts but a ``share``, as far as the other ways show: sources or a
    list read to their end, a closed chain. ``bits``: of its pages, in what has shown a page.
    """

    bits: int
    share: float


def whole_ways(evidence: Evidence) -> list[Whole]:
    """Return the discovery sources that were read to their end. Every share counts one half more on
    either side.
    """
    w = evidence.ways
    found = [Whole(each.bits, _share(each.others, each.both)) for each in evidence.walked]
    if evidence.sources_complete:
        found.append(Whole(SHOWN_BY_SOURCE, _share(w.links_only, w.both)))
    if evidence.chained:
        found.append(Whole(0, _share(w.posts - evidence.chained, evidence.chained)))
    return found


def lacking(shown: int, ways: Iterable[Whole]) -> float:
    """Return the share of the blog's posts that complete sources lack, of those that don't show a
    page.

    ``shown``: bits of what has shown the page. The ways are not independent: the strictest counts.
    """
    return min((way.share for way in ways if not shown & way.bits), default=1.0)


def _share(lacking: int, having: int) -> float:
    return (max(0, lacking) + 0.5) / (max(0, lacking) + having + 1)


def decide(evidence: Evidence, budgets: Budgets) -> Stop | None:
    """Stop, or None to go on."""
    over = _over_budget(evidence, budgets)
    if over:
        return _stop("budget", over, _unseen(evidence), evidence)
    if evidence.posts_pending:
        return None
    if not evidence.pending:
        # what failed is named by the report, unless it was no more than a guess
        all_read = "every page in scope was read"
        all_asked = "every page in scope was asked for"
        return _stop("exhausted", all_asked if evidence.failed else all_read, 0.0, evidence)
    if evidence.hidden:
        return None
    known = evidence.ways.posts
    complete = _by_structure(evidence, known) or _by_recapture(evidence, known)
    if complete is not None:
        return complete
    if evidence.best_worth < WORTH:
        detail = (
            f"the best of {len(evidence.clusters)} groups of pages is expected to give "
            f"{evidence.best_worth:.3f} new posts a page"
        )
        return _stop("exhausted", detail, _unseen(evidence), evidence)
    return None


def allowed_unseen(known: int) -> float:
    """Return how many posts may remain unseen of a blog of which so many are known."""
    return max(0.5, UNSEEN_SHARE * known)


def may_show_missing(evidence: Evidence, counted: int) -> bool:
    """Return whether pages pending may show some of the posts that the blog counts (``counted``, 0:
    it states no number) and that no page has shown: a list shows one of them as often as these are
    among the posts, and fewer pages than that, one after the other, have brought nothing new."""
    known = evidence.ways.posts
    if not evidence.pending or counted - known <= allowed_unseen(known):
        return False
    return evidence.quiet < known and (known / counted) ** evidence.quiet > UNLIKELY


def _by_recapture(evidence: Evidence, known: int) -> Stop | None:
    """Hardly any post is expected that no way of finding posts has shown."""
    allowed = allowed_unseen(known)
    unseen, linked = unseen_by_recapture(evidence), _unseen_by_links(evidence)
    if not known or not _tried(evidence, known) or min(unseen, linked) > allowed:
        return None
    if not _audited(evidence, known):
        return None
    w = evidence.ways
    if unseen > allowed:
        unseen = linked
        seen = (
            f"of {known} posts {w.by_posts_and_lists} were linked by other posts and listed, "
            f"{w.by_posts} only linked, {w.by_lists} only listed"
        )
    elif evidence.sources_complete:
        seen = (
            f"of {known} posts {w.both} were listed and linked, "
            f"{w.source_only} only listed, {w.links_only} only linked"
        )
    else:
        seen = (
            f"of {known} posts {w.once} were found in one way, {w.twice} in two, {w.more} in more"
        )
    detail = f"{seen}; {unseen:.1f} unseen posts expected"
    has_holes = not evidence.sources_complete and w.by_lists > 0
    return replace(_stop("complete", detail, unseen, evidence), has_holes=has_holes)


def _by_structure(e: Evidence, known: int) -> Stop | None:
    """Return the stop for a closed chain of all posts, or for a list read to its end that holds
    nearly all of them, if others confirm it.
    """
    if e.untried or not _audited(e, known):
        return None
    return _by_chain(e, known) or _by_list(e, known)


def _by_chain(e: Evidence, known: int) -> Stop | None:
    strays = known - e.chained
    if known >= LEAST_CHAIN and e.chained and strays <= LOOSE_SHARE * known:
        detail = (
            f"{e.chained} of {known} posts link to one another from the first to the last, "
            f"and no link leads further"
        )
        return _stop("complete", detail, float(strays), e)
    return None


def _by_list(e: Evidence, known: int) -> Stop | None:
    for found in e.walked if e.ways.links_only >= LEAST_CHAIN else ():
        sure = found.unseen <= allowed_unseen(known) or (
            not found.others and found.both >= CONFIRMED
        )
        if sure and found.both + found.alone >= LIST_SHARE * known:
            unseen = found.unseen if found.others else min(found.unseen, UNSEEN_SHARE * known)
            detail = (
                f"the list {found.address}, read to its end, has {found.both + found.alone} of "
                f"{known} posts; {found.both} were found elsewhere too, {found.others} only "
                f"elsewhere; {unseen:.1f} unseen posts expected"
            )
            return _stop("complete", detail, unseen, e)
    return None


def _unseen_by_two(alone: int, both: int, others: int) -> float:
    """Return the Lincoln-Petersen estimate, every cell plus one half."""
    return (alone + 0.5) * (others + 0.5) / (both + 0.5)


def unseen_by_recapture(e: Evidence) -> float:
    """Return the estimated number of posts that no source has shown."""
    w = e.ways
    if e.sources_complete:
        return _unseen_by_two(w.source_only, w.both, w.links_only)
    if w.number < 2:
        return float(w.posts)
    return max(0.0, (w.number - 1) / w.number * w.once * (w.once - 1) / (2 * (w.twice + 1)))


def unlisted(shown: Mapping[int, int], window: int, onward: int) -> float:
    """Return the expected number of older posts that the ways onward (bits in ``shown``) lack, as
    they lack some of the newest, which the ``window`` shows: Chapman's estimate. One of these may
    have come after a list was written. 0 where the window is more than the newest: it shows most of
    what the lists don't.
    """
    counts = [0, 0, 0, 0]
    for mask, count in shown.items():
        counts[bool(mask & window) + 2 * bool(mask & onward)] += max(0, count)
    _, lacking, older, newest = counts
    return max(0, lacking - 1) * older / (newest + 1) if lacking <= newest else 0.0


@dataclass(frozen=True, slots=True)
class Cited:
    """Posts that texts of other posts mention, whether or not a list shows them: a sample of the
    blog. ``alone``: nothing else has shown these; ``both``: lists or neighbours have; ``others``:
    posts that no text mentions."""

    alone: int = 0
    both: int = 0
    others: int = 0
    unlisted: frozenset[int] = frozenset()
    """The keys of those that nothing else has shown."""

    @property
    def unseen(self) -> float:
        """Return the expected number of posts that neither texts nor lists have shown: Chapman's
        estimate. One that lists lack may have been left out on purpose."""
        return max(0, self.alone - 1) * self.others / (self.both + 1)

    @property
    def is_much(self) -> bool:
        """Return whether lists lack so much of the sample that they show a part of the blog."""
        return self.alone > 1 and self.alone > (1 - LIST_SHARE) * (self.alone + self.both)

    def are_older(self, moments: Mapping[int, float]) -> bool:
        """Return whether what lists lack of the sample came before all that they have, though any
        other post might be lacking as well: they end there."""
        alone = [moments[key] for key in self.unlisted & moments.keys()]
        listed = [moment for key, moment in moments.items() if key not in self.unlisted]
        is_chance = 1 / (len(listed) + 1) >= UNLIKELY
        return bool(alone) and not is_chance and max(alone) < min(listed)

    @property
    def is_confirmed(self) -> bool:
        """Return whether lists have each of them, and these are enough to believe that they lack
        none."""
        return not self.alone and self.both >= CONFIRMED


def unseen_by_yield(e: Evidence) -> float:
    """Return the expected number of posts on pages left unread."""
    return sum(c.worth * min(c.pending, c.pages + 1) for c in e.clusters)


def _tried(e: Evidence, known: int) -> bool:
    """Return whether recapture is reliable: sources were read to their end, or no promising listing
    is left.

    Posts of the feed's window are shown everywhere; only where links have at least doubled it do
    some quiet pages prove anything.
    """
    if e.sources_complete:
        return True
    if known < LEAST_KNOWN:
        return False
    return e.best_worth < WORTH_WHEN_SEEN or (
        e.quiet >= QUIET_PAGES
        and e.best_worth < WORTH_WHEN_QUIET
        and e.ways.links_only >= max(10, e.ways.both)
    )


def _audited(e: Evidence, known: int) -> bool:
    return e.audited >= AUDIT_PAGES + known // AUDIT_EVERY


def _over_budget(e: Evidence, b: Budgets) -> str:
    if b.pages and e.pages >= b.pages:
        return f"{e.pages} pages read, the budget is {b.pages}"
    if b.posts and e.posts >= b.posts:
        return f"{e.posts} posts found, the budget is {b.posts}"
    if b.seconds and e.seconds >= b.seconds:
        return f"{e.seconds:.0f} seconds spent, the budget is {b.seconds:.0f}"
    if b.bytes and e.bytes >= b.bytes:
        return f"{e.bytes} bytes received, the budget is {b.bytes}"
    return ""


def _stop(reason: StopReason, detail: str, unseen: float, evidence: Evidence) -> Stop:
    return Stop(reason=reason, detail=detail, unseen=round(unseen, 2), evidence=evidence)
