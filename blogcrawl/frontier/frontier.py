"""The frontier of one crawl: which page next, and when is it enough? Pure deciding around one
SQLite file; time comes from outside.

Order: promised posts, then what the pattern or the observations call likely posts, then the page
with the best *current* estimate. Use: ``push``/``push_links`` all a page leads to, then ``done``
for the page: both go to disk together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import islice
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING

from blogcrawl.dates.url_date import url_day
from blogcrawl.dom.links import Link
from blogcrawl.frontier.bookkeeping import ARCHIVE, FLAVOURS, NEIGHBOUR, REHOSTED
from blogcrawl.frontier.chain import MAX_LINKED, PostChain
from blogcrawl.frontier.clusters import Choice, Chooser, Cluster
from blogcrawl.frontier.coverage import looks_due
from blogcrawl.frontier.enqueueing import Intake, Kind, Sighting
from blogcrawl.frontier.list_lengths import MAX_LISTED, ListLengths, Shown
from blogcrawl.frontier.stop import (
    LIST_SHARE,
    Budgets,
    Evidence,
    Stop,
    Walked,
    Whole,
    count_ways,
    decide,
    lacking,
    together,
    walked_list,
    whole_ways,
)
from blogcrawl.frontier.store import (
    ALIAS,
    DONE,
    FAILED,
    HUB,
    IN_FLIGHT,
    MAX_ANCHOR,
    PAGE,
    PENDING,
    SHOWN_BY_POST,
    SHOWN_BY_SOURCE,
    Row,
    Store,
    key_hash,
    shown_by_cluster,
)
from blogcrawl.frontier.unread import (
    ABSENT,
    BARRED,
    Outcome,
    PostChance,
    Rejected,
    Unread,
    posts_behind_list,
    unshown,
)
from blogcrawl.urls.canonical import Scope, canonicalize, clean
from blogcrawl.urls.post_pattern import LIKELY, is_list_address

if TYPE_CHECKING:
    from blogcrawl.frontier.knn import YieldEstimator

CUT = "lists show {} posts each and lead no further: {}"
BROKEN = "the blog leads on to {}, which could not be read ({})"
LOOSE = "only posts' own links have shown the older posts, and these form no closed chain"
NOT_ENDED = "asked for, but never read to its end"
_LAST_NUMBER = re.compile(r"([0-9]{1,9})[^0-9/?&=]*/?$")
FIRST_YEAR = 1980
_ADDED = re.compile(r"[;/&]")
"""What stands before something that is added to an address."""
MAX_OBSERVATIONS = 4_000
"""Pages that the estimator of yields remembers."""
SAYS_NOTHING = 0.5
"""Chance that a page is a post which says nothing of others at addresses like its own."""
MAX_ON_START = 30
"""Posts up to which a start page is one of several pages; longer ones are lists of all posts."""
MAX_DRY_MONTHS = 120
"""Months without posts over which a calendar is followed where nothing else shows that the archive
is complete: blogs pause for years."""
MAX_WALKED = 6
"""Lists that the stopping rule looks at, those that brought most."""


@dataclass(frozen=True, slots=True)
class Pending:
    """One page to fetch. ``worth``: expected posts of the request; ``chance``: that it is a
    post."""

    url: str
    kind: Kind
    depth: int = 0
    anchor: str = ""
    tag_path: str = ""
    worth: float = 0.0
    chance: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftovers:
    """Pages that gave no post, of a crawl that ends."""

    unread: tuple[Unread, ...] = ()
    """Pages that could not be read to their end, in the order in which they were found."""
    rejected: tuple[Rejected, ...] = ()
    pending_count: int = 0
    """Pages that were not requested."""
    pending_chances: tuple[tuple[float, float], ...] = ()
    """Chances of such pages to be posts, as the stopping rule sees them, each with the number of
    pages that it stands for.
    """
    missing_months: tuple[str, ...] = ()
    """Lists of months that were not requested, or are not there."""
    windowed: int = 0
    """All posts known, where only windows of the newest have shown them (``Frontier.windowed``)."""
    files: int = 0
    """Files that lists have where they have posts."""
    counted: int = 0
    """Posts at least by what lists say of their further pages; 0: they say nothing."""
    more: tuple[str, ...] = ()
    """Why the windows may not show all posts, see ``Frontier.shows_of_more``."""
    chance: PostChance
    """What this crawl has learned about which of them are posts."""


@dataclass(frozen=True, slots=True)
class Counts:
    pending: int
    in_flight: int
    done: int
    failed: int
    posts: int
    promised: int
    posts_pending: int


class Frontier(Intake):
    """``path`` None keeps all in memory. Raises ArchiveError if the file can't be opened. Not for
    several threads.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        scope: Scope | None = None,
        budgets: Budgets | None = None,
        follow_nofollow: bool = True,
    ) -> None:
        super().__init__(Store(path), scope, follow_nofollow)
        self.budgets = budgets or Budgets()
        self.chooser = Chooser(
            lambda: self.estimator,
            self.store.heads,
            self.belief,
            self.store.text,
            lambda: self.pattern.posts,
        )
        self.chain = PostChain()
        self.incomplete_months: Callable[[Sequence[str]], Sequence[str]] = lambda months: ()
        """Of lists of months those to be read before the end, most promising first: the archive
        lacks posts of their months."""
        self.only_in_menu: Callable[[str], bool] = lambda url: False
        """Whether the site's menu leads to the page and no list of posts does."""
        self._due_months: list[Row] = []
        self._started: float | None = None
        self._bytes = 0
        self._left: Leftovers | None = None
        self._replay()

    @cached_property
    def estimator(self) -> YieldEstimator:
        """Imported with the first page: numpy takes longer than the rest of the room."""
        from blogcrawl.frontier.knn import YieldEstimator

        return YieldEstimator(MAX_OBSERVATIONS)

    def _waiting(self, busy_hosts: Collection[str] = ()) -> list[Cluster]:
        """Return the clusters with pages pending on a host that is not busy."""
        clusters = self.ledger.clusters.values()
        return [c for c in clusters if c.pending > 0 and c.host not in busy_hosts]

    def pop(
        self, now: float, busy_hosts: Collection[str] = (), *, patient: bool = False
    ) -> Pending | None:
        """Return the best page to fetch now, marked as in flight; None if nothing is pending on a
        host that is not busy.

        ``now``: seconds of any one clock. ``patient``: pages in flight are sure to end, so one that
        is hardly a post waits for them.
        """
        if self._started is None:
            self._started = now
        waiting = self._waiting(busy_hosts)
        promised = [c for c in waiting if c.flavour == "post"]
        if promised:
            row = self.store.heads(promised[0].ident, 1, 0)[0]
            return self._fly(row, 1.0, 1.0)
        found = self.chooser.choose(waiting)
        if found is not None and found[1].chance < LIKELY:
            if patient and self._wait_for_flights():
                return None
            due, self._due_months = self._due_months[:1], []
            if due:
                return self._fly(due[0], 1.0, 0.0)
            found = self._choose_due(busy_hosts) or found
        return self._fly(found[1].row, found[1].worth, found[1].chance) if found else None

    def _choose_due(self, busy_hosts: Collection[str]) -> tuple[Cluster, Choice] | None:
        """Choose a page that shows what unknown ones like it are or, where all known parts of the
        blog were read, whether it has another one.
        """
        clusters = [c for c in self.ledger.clusters.values() if c.host not in busy_hosts]
        hidden = [(c, c.unlikely) for c in clusters if self._hides_posts(c)]
        due = [(cluster, choice) for cluster, choice in hidden if choice is not None]
        if due:
            return max(due, key=lambda each: each[1].chance)
        if self.chain.closed:
            return self.chooser.choose(looks_due(clusters, self.ledger.tally.posts))
        return None

    def _hides_posts(self, cluster: Cluster) -> bool:
        """Return whether one of the cluster's pages that are not taken for posts is to be read:
        none of other hosts', few of which are the blog's."""
        if cluster.flavour == REHOSTED:
            return False
        if cluster.hides_posts and cluster.fresh_at < self.chooser.observations:
            self.chooser.refresh(cluster)
        return cluster.hides_posts

    def _wait_for_flights(self) -> bool:
        """Lists are read one at a time, and after the posts under way where these may show that no
        list is needed.
        """
        flying = self.ledger.flying.values()
        posts = sum(row.promised or row.score >= LIKELY for row in flying)
        return len(flying) > posts or (
            posts > 0 and (self.sources_complete or self.chain.hopeful(posts))
        )

    def take(self, url: str) -> bool:
        """Mark a pending page as in flight: it was fetched on another way, and ``done`` will
        follow. False if it is not pending.
        """
        ident = key_hash(canonicalize(url))
        row = self.store.get(ident) if self.store.state(ident) == PENDING else None
        if row is None:
            return False
        self._fly(row, 1.0, 1.0)
        return True

    def _fly(self, row: Row, worth: float, chance: float) -> Pending:
        self.ledger.fly(row)
        return Pending(
            row.url,
            FLAVOURS[row.kind],
            row.depth,
            row.anchor,
            self.store.text(row.path),
            worth,
            chance,
        )

    def hosts(self) -> set[str]:
        """Return hosts with pages pending."""
        return {c.host for c in self.ledger.clusters.values() if c.pending > 0}

    def is_in_flight(self, url: str) -> bool:
        return key_hash(canonicalize(url)) in self.ledger.flying

    def among_posts(self, url: str) -> bool:
        """Was the page in flight linked where posts are: at a place of a list that shows mostly
        posts, or as a post's neighbour?
        """
        row = self.ledger.flying.get(key_hash(canonicalize(url)))
        return row is not None and self.ledger.clusters[row.cluster].flavour == NEIGHBOUR

    def is_only_in_posts(self, url: str) -> bool:
        """Return whether nothing but posts' pages leads to the page in flight."""
        row = self.ledger.flying.get(key_hash(canonicalize(url)))
        return row is not None and row.shown == SHOWN_BY_POST

    def is_asked(self, url: str, by: str = "") -> bool:
        """Was the page fetched, under this name or another, or is it under way? A reading as
        ``by``, the page in flight that leads there, does not count: it was broken off, and is done
        again."""
        ident = key_hash(canonicalize(url))
        state = self.store.state(ident)
        return state in (IN_FLIGHT, DONE) or (state == ALIAS and not self._is_read_as(ident, by))

    def _is_read_as(self, ident: int, url: str) -> bool:
        return self.store.owner(ident) == key_hash(canonicalize(url))

    def done(
        self,
        url: str,
        new_posts: float | None = None,
        is_post: bool | None = None,
        size: int = 0,
        reason: str = "",
        chance: float | None = None,
    ) -> None:
        """End the page at ``url`` (as popped, or fetched another way) for good; on disk when this
        returns.

        ``new_posts``: links to new posts on it, None: as counted by ``push_links``. ``is_post``:
        what extraction says, None: unknown. ``size``: bytes received, for the budget. ``reason``:
        why it gave no post where one was promised, for ``refused``. ``chance``: the classifier's
        probability that it is a post.
        """
        self._bytes += size
        self.store.fail(key_hash(canonicalize(url)), reason)
        self._end(url, DONE, new_posts, is_post, chance=chance)

    def failed(self, url: str, reason: str = "", size: int = 0) -> None:
        """Record that the page could not be read, for ``reason``; it is not requested again in this
        crawl.

        Without a reason ``unread`` leaves it out: a candidate address that no link and no source
        gave. A page of another host that is not on this one is no more than that.
        """
        self._bytes += size
        if reason and not (reason in ABSENT and self._is_rehosted(url)):
            self.store.fail(key_hash(canonicalize(url)), reason)
        self._end(url, FAILED, 0.0, None, is_absent=reason in ABSENT)

    @property
    def has_rehosted_posts(self) -> bool:
        """Whether posts were found here that links have on another host."""
        clusters = self.ledger.clusters.values()
        return any(c.posts > 0 for c in clusters if c.flavour == REHOSTED)

    def _is_rehosted(self, url: str) -> bool:
        row = self._open_row(url)
        return row is not None and self.ledger.clusters[row.cluster].flavour == REHOSTED

    def note_failure(self, url: str, reason: str) -> None:
        """Note why a page could not be read so far (it will be requested again), or why it gives no
        post after all.
        """
        self.store.fail(key_hash(canonicalize(url)), reason)
        self.write(self.store.commit)

    def reject(self, url: str, reason: str, probability: float = 0.0, title: str = "") -> None:
        """Keep why the page that was read is no post, for ``rejected``. On disk with the page that
        ends next."""
        self.store.reject(key_hash(canonicalize(url)), reason, probability, title)

    def rejected(self) -> list[Rejected]:
        """Return pages of the blog that were read and are neither posts, nor other names of posts
        nor views of one (its comments), in the order of discovery.
        """
        others = self.store.other_names()
        posts = {canonicalize(url) for url, is_post, _ in self.store.judged() if is_post}
        home = self.scope.home_key if self.scope is not None else None
        ways = self._whole_ways()
        return [
            Rejected(
                url=key,
                reason=reason,
                probability=unshown(probability, lacking(self._listed_by(row, key), ways)),
                title=title,
                by_source=bool(row.shown & SHOWN_BY_SOURCE),
            )
            for row, reason, probability, title in self.store.rejected()
            if (key := canonicalize(row.url)) not in others
            and key != home
            and posts.isdisjoint(_addresses_above(key))
        ]

    def _listed_by(self, row: Row, key: str) -> int:
        """Return the bits of what has shown a page: a menu on the pages of a list shows none of
        its entries."""
        return row.shown & SHOWN_BY_SOURCE if self.only_in_menu(key) else row.shown

    def refused(self) -> dict[str, str]:
        """Return canonical URLs of pages that were read and gave no post though one was promised,
        and why; of this run and those that it goes on with."""
        return {canonicalize(url): reason for url, reason in self.store.refused().items()}

    def unread(self) -> list[Unread]:
        """Return pages that could not be read to their end, in the order of discovery."""
        home = key_hash(self.scope.home_key) if self.scope is not None else None
        ways = self._whole_ways()
        return [
            self._unread_page(row, reason, ways)
            for row, reason in self.store.unread()
            if row.key != home
        ]

    def leftovers(self) -> Leftovers:
        """Return pages that gave no post. May be called after ``close``."""
        if self._left is not None:
            return self._left
        return Leftovers(
            unread=tuple(self.unread()),
            rejected=tuple(self.rejected()),
            pending_count=self.ledger.tally.pending,
            pending_chances=tuple(self._pending_chances()),
            missing_months=tuple(row.url for row in self._missing_months()),
            windowed=self.windowed(),
            files=len(self.files),
            counted=self.lists.counted(),
            more=tuple(self.shows_of_more()),
            chance=self._post_chance(),
        )

    def windowed(self) -> int:
        """Return the number of posts where nothing but windows of the newest ones has shown them:
        sources, the start page, posts' own links. 0 where a list has shown older ones, or something
        else would have: a source or a chain without an end that is open, a list of all posts,
        several lists that divide the posts among them.
        """
        shown = +self.ledger.tally.shown
        posts, newest = shown.total(), self._newest_bits()
        lists = ~(newest | SHOWN_BY_POST)
        listed = {mask: count for mask, count in shown.items() if mask & lists}
        if self._is_whole(posts) or not all(mask & newest for mask in listed):
            return 0
        return 0 if sum(listed.values()) >= LIST_SHARE * posts and self._has_lists() else posts

    def shows_of_more(self) -> Iterator[str]:
        """Yield what shows that the blog has more posts than windows of the newest have shown, or
        may have: lists that are cut, ways onward that are broken, posts that only other posts lead
        to and that are no chain.
        """
        for kind in self.lists.kinds:
            length = self.lists.cut_at(kind)
            if length:
                yield CUT.format(length, kind.partition("|")[2])
        yield from self._broken_ways()
        if not any(map(self._has_all, (SHOWN_BY_SOURCE, self.home_bit()))):
            yield LOOSE

    def _has_all(self, window: int) -> bool:
        """Return whether a window (its bit) shows each post that is known."""
        return all(mask & window for mask in +self.ledger.tally.shown)

    def _broken_ways(self) -> Iterator[str]:
        """Yield the posts, lists of all posts, and pages to which start page and posts lead, that
        could not be read; labels and the usual pages next to a blog are none of these."""
        for row, reason in self.store.unread():
            is_way = row.state == FAILED and not row.promised and self._is_way(row)
            if is_way and not any(map(self._is_read, _addresses_below(row.url))):
                yield BROKEN.format(row.url, reason)

    def _is_read(self, url: str) -> bool:
        return self.store.state(key_hash(canonicalize(url))) in (DONE, ALIAS)

    def _is_way(self, row: Row) -> bool:
        """Return whether more of the blog is expected on a page or behind it."""
        everywhere = SHOWN_BY_POST | self.home_bit()
        in_menu = row.shown & everywhere == everywhere and not is_list_address(row.url)
        return in_menu or row.score >= LIKELY or self.listing(Link(row.url, row.anchor)) == "all"

    def _newest_bits(self) -> int:
        """Return the bits of what shows the newest posts only."""
        cut = [c.ident for c in self.ledger.clusters.values() if self.lists.cut_at(c.address)]
        return reduce(or_, map(shown_by_cluster, cut), SHOWN_BY_SOURCE | self.home_bit())

    def _is_whole(self, posts: int) -> bool:
        """Return whether sources, a chain or the start page have shown all posts. So have sources
        where posts' own links lead to (nearly) all posts too and to none that no source lists:
        links do not keep to a window of the newest."""
        if self.sources_complete or self.chain.closed >= LIST_SHARE * posts:
            return True
        if self._is_in_sources():
            return self._on_way(SHOWN_BY_POST) >= max(LIST_SHARE * posts, MAX_ON_START + 1)
        return self._on_way(self.home_bit()) > MAX_ON_START

    def _on_way(self, bits: int) -> int:
        """Return the number of posts that the ways with these bits have shown."""
        return sum(count for mask, count in (+self.ledger.tally.shown).items() if mask & bits)

    def _is_in_sources(self) -> bool:
        """Return whether a source lists each post that is known."""
        return self._has_all(SHOWN_BY_SOURCE)

    def _has_lists(self) -> bool:
        """Return whether a list of all posts was read, or several that have each shown some that
        the ones before it had not: a side bar shows the same on every page."""
        home = self.home_bit()
        lists = [c for c in self.ledger.clusters.values() if shown_by_cluster(c.ident) != home]
        if any(c.flavour == ARCHIVE and c.pages > c.failed for c in lists):
            return True
        return sum(gain > 0 for c in lists if not c.posts for _, gain in c.recent) > 1

    def _missing_months(self) -> Iterator[Row]:
        """Yield the lists of months that were not requested, and those that links lead to and that
        are not there; none to which only a month without posts leads."""
        absent = (row for row, reason in self.store.unread() if reason in ABSENT)
        yield from self._months([*self.store.pending_lists(), *absent])

    def _months(self, rows: Iterable[Row], max_dry: int = 0) -> list[Row]:
        """Return the lists of months among ``rows``, but those to which more than ``max_dry``
        months in a row lead of which the archive has no posts: calendars go on for ever."""
        months = [row for row in rows if self._is_month(row)]
        ways = [tuple(islice(self._months_before(row), max_dry + 1)) for row in months]
        urls = tuple({url for way in ways for url in way})
        dry = set(self.incomplete_months(urls)) if urls else set()
        return [
            row
            for row, way in zip(months, ways, strict=True)
            if len(way) <= max_dry or not dry.issuperset(way)
        ]

    def _months_before(self, row: Row) -> Iterator[str]:
        """Yield the lists of months by which a list was found, the last one first."""
        before = self.store.get(row.parent) if row.parent is not None else None
        while before is not None and self._is_month(before):
            yield before.url
            before = self.store.get(before.parent) if before.parent is not None else None

    def _is_month(self, row: Row) -> bool:
        return self.listing(Link(row.url)) == "month"

    def _whole_ways(self) -> list[Whole]:
        return whole_ways(self.evidence(0.0))

    def _pending_chances(self) -> Iterator[tuple[float, float]]:
        """By the estimate by which the crawl chooses pages, and by what does not show them."""
        ways = self._whole_ways()
        for cluster in self.ledger.clusters.values():
            if cluster.pending <= 0 or cluster.flavour in ("post", REHOSTED):
                continue
            if cluster.fresh_at < self.chooser.observations:
                self.chooser.refresh(cluster)
            stands_for = cluster.pending / max(1, len(cluster.choices))
            for choice in cluster.choices:
                yield unshown(choice.chance, lacking(choice.row.shown, ways)), stands_for

    def _unread_page(self, row: Row, reason: str, ways: Iterable[Whole]) -> Unread:
        cluster = self.ledger.clusters.get(row.cluster)
        is_list = row.kind == HUB
        leads_on = is_list and (reason not in ABSENT or self._leads_on(row))
        return Unread(
            url=canonicalize(row.url),
            address=row.url,
            reason=reason or NOT_ENDED,
            promised=bool(row.promised),
            is_list=is_list,
            by_source=bool(row.shown & SHOWN_BY_SOURCE),
            in_posts=row.shown == SHOWN_BY_POST,
            lacking=lacking(row.shown, ways),
            barred=reason in BARRED,
            tag_path=self.store.text(row.path),
            new_posts=self._behind(row, cluster) if leads_on and cluster is not None else 0.0,
        )

    def _leads_on(self, row: Row) -> bool:
        """Return whether posts are to be expected on a further page of a list that is not there:
        the page before it is as long as others."""
        parent = self.store.get(row.parent) if row.parent is not None else None
        if parent is None or not self._is_further(row):
            return False
        return self.lists.breaks_off(self.ledger.clusters[parent.cluster].address, parent.key)

    def _behind(self, row: Row, cluster: Cluster) -> float:
        """Return posts that nothing else has shown and that are expected on a list that could not
        be read, and on those to which it alone leads. The start page is the first of a pager's.
        """
        home = self.home_bit() if self._is_further(row) else 0
        shown = {
            mask: count
            for mask, count in (+self.ledger.tally.shown).items()
            if self.sources_complete or not mask & SHOWN_BY_SOURCE
        }
        like = walked_list(cluster.name, shown_by_cluster(cluster.ident) | home, shown)
        gains = cluster.gains
        if home:
            gains.append(sum(n for mask, n in self.ledger.tally.shown.items() if mask & home))
        is_last = bool(home) and not self.store.is_read_behind(row)
        return posts_behind_list(
            gains, like.alone, like.both, self.ledger.tally.quiet, is_last=is_last
        )

    def _post_chance(self) -> PostChance:
        outcomes = (
            Outcome(url=canonicalize(url), is_post=post, tag_path=path)
            for url, post, path in self.store.judged()
        )
        return PostChance(outcomes, self.pattern)

    def requeue(self, url: str) -> None:
        """Put a page in flight back into its queue (shut-down, host busy)."""
        self.ledger.land(key_hash(canonicalize(url)))
        self.write(self.store.commit)

    def reopen(self, url: str) -> None:
        """Take a page that was read and is no post into flight once more, to be judged again by
        what was learned since; nothing for other pages."""
        row = self.store.get(key_hash(canonicalize(url)))
        if row is not None and row.state == DONE and not row.is_post:
            self.ledger.reopen(row)
            self.write(self.store.commit)

    def same(self, url: str, other: str) -> bool:
        """Record that ``other`` names the same page as ``url`` (redirect, rel=canonical) and won't
        be fetched again. Call before ``done(url)``.

        True if ``other`` was dealt with before: the page is a duplicate, its record exists, and
        ``folded(url)`` ends it. Where it was ``url`` under whose name it was read, that reading was
        broken off (a kill, a storage that was away), and is done again.
        """
        key = canonicalize(other)
        if key == canonicalize(url):
            return False
        ident = key_hash(key)
        state = self.store.state(ident)
        if state == ALIAS and self._is_read_as(ident, url):
            return False
        if state is None:
            self._insert(key, Link(clean(other)), Sighting(PAGE))
        row = self.store.get(ident)
        if row is not None:
            self._share_name(row, state, key_hash(canonicalize(url)), key)
        return state in (DONE, ALIAS)

    def _share_name(self, row: Row, state: int | None, own_ident: int, key: str) -> None:
        """End a page that was not read yet as another name of one in flight; where it was read, it
        is promised as that one was."""
        own = self.ledger.flying.get(own_ident)
        if state in (None, PENDING):
            if own is not None:
                self.ledger.show(own, row.shown)
            self.ledger.end(row, ALIAS, 0.0, None)
            self.store.alias(row.key, own_ident)
        elif state == DONE and own is not None and own.promised and not row.promised:
            self.ledger.promise(row, key)

    def name(self, key: str, target: str | None) -> None:
        """Remember that ``key`` is another name of the page at ``target`` (both canonical), None:
        that it is not. On disk with the page that ends next."""
        self.store.name(key, target)

    def other_names(self) -> dict[str, str]:
        """Return all that was passed to ``name``, by this run or the one that it resumes."""
        return self.store.other_names()

    def gave_post(self, url: str) -> bool:
        """Return whether the response to ``url`` itself was a post."""
        row = self.store.get(key_hash(canonicalize(url)))
        return row is not None and bool(row.is_post)

    def link_text(self, url: str) -> str:
        """Return what the link through which a page was found calls it; "" where it is unknown or
        too long to be kept whole.
        """
        row = self.store.get(key_hash(canonicalize(url)))
        text = row.anchor if row is not None else ""
        return text if len(text) < MAX_ANCHOR else ""

    def move(self, key: str, first: str) -> None:
        """Remember that the post at ``key`` is archived under ``first`` (both canonical). On disk
        with the page that ends next."""
        self.store.move(key, first)

    def moved(self) -> dict[str, str]:
        """Return all that was passed to ``move``, by this run or the one that it resumes."""
        return self.store.moved()

    def echo(self, mark: bytes, key: str) -> None:
        """Remember the ``mark`` of the page at ``key``. On disk with the page that ends next."""
        self.store.echo(mark, key)

    def echoes(self) -> list[tuple[bytes, str]]:
        """Return all that was passed to ``echo``, in order, by this run or the one that it
        resumes."""
        return self.store.echoes()

    def met_first(self, marks: Iterable[bytes], url: str) -> list[bool]:
        """Return which of the posts with these ``marks`` were first found on the page at ``url``.
        On disk when this returns: its posts are archived before it is done, and a run that goes on
        with this one may read another page that shows them before it reads this one again.
        """
        page = key_hash(canonicalize(url))
        found = [self.store.first_page(mark, page) == page for mark in marks]
        self.write(self.store.commit)
        return found

    def read_as(self) -> dict[str, str]:
        """Return canonical URLs of pages that were read under another name -> that name."""
        return {canonicalize(url): canonicalize(owner) for url, owner in self.store.aliases()}

    def folded(self, url: str, size: int = 0) -> None:
        """End the page at ``url``, which was ended under another name (by ``same``): it is no
        further post, and is counted as none. Links pushed from it count: the further pages of a
        list often name its first one as canonical.
        """
        self._bytes += size
        row = self.ledger.flying.get(key_hash(canonicalize(url)))
        promised = row is not None and bool(row.promised)
        self.ledger.tally.promised -= promised
        self._end(url, ALIAS if promised else DONE, None, None if promised else False)

    def _open_row(self, url: str) -> Row | None:
        """Return the row of a page that is in flight, pending or new; None if it has ended."""
        key = canonicalize(url)
        ident = key_hash(key)
        if self.store.state(ident) is None:
            self._insert(key, Link(clean(url)), Sighting(PAGE))
        flying = self.ledger.flying.get(ident)
        if flying is not None:
            return flying
        row = self.store.get(ident)
        return None if row is None or row.state in (DONE, FAILED) else row

    def _end(
        self,
        url: str,
        state: int,
        new_posts: float | None,
        is_post: bool | None,
        *,
        chance: float | None = None,
        is_absent: bool = False,
    ) -> None:
        key = canonicalize(url)
        ident = key_hash(key)
        row = self._open_row(url)
        if row is None:
            return  # dealt with before a restart
        credit, linked = self._credit.pop(ident, 0.0), self._linked.pop(ident, [])
        onward = self._onward.pop(ident, [])
        if is_post or (is_post is False and row.score >= LIKELY):
            self.chain.add(ident, linked, is_post=is_post)
            self.store.link(ident, linked[:MAX_LINKED])
        elif state == FAILED:
            self.chain.dead.add(ident)
        elif linked:
            self.store.keep_list(ident, linked[:MAX_LISTED], onward)
            posts = frozenset(linked[:MAX_LISTED])
            self._add_list(self.lists, row, posts, frozenset(onward))
        gain = credit if new_posts is None else float(new_posts)
        self.ledger.end(row, state, gain, is_post, chance=chance, is_absent=is_absent)
        self._learn(row, gain, is_post)
        if is_post is not None:
            self._judge(row, key, is_post)
        if is_post:
            self._learn_host(key)
        self.write(self.store.commit)

    @cached_property
    def lists(self) -> ListLengths:
        """How many posts the lists read have shown, by this run or the one that it resumes."""
        lists = ListLengths()
        for row, posts, onward in self.store.lists():
            self._add_list(lists, row, posts, onward)
        known = json.loads(self.store.note("stated pages") or "{}")
        lists.stated.update((int(page), tuple(said)) for page, said in known.items())
        return lists

    def note_pages(self, url: str, stated: tuple[int, int]) -> None:
        """Note which page of a list the one in flight is, and how many it has, as it says. On disk
        with the page that ends next."""
        if len(self.lists.stated) < MAX_LINKED:
            self.lists.stated[key_hash(canonicalize(url))] = stated
            self.store.note("stated pages", json.dumps(self.lists.stated))

    def _add_list(
        self, lists: ListLengths, row: Row, posts: frozenset[int], onward: frozenset[int]
    ) -> None:
        is_further = self._is_further(row) or _is_counted_on(row.url)
        shown = Shown(row.key, posts, onward, row.parent, is_further)
        if self.scope is not None and row.key == key_hash(self.scope.home_key):
            lists.home = shown
        elif url_day(row.url) is None:  # who writes every week has equal months
            lists.add(self.ledger.clusters[row.cluster].address, shown)

    def _is_further(self, row: Row) -> bool:
        """Return whether links call the page a further one of a list."""
        return self.listing(Link(row.url, row.anchor)) == "next"

    def _learn(self, row: Row, gain: float, is_post: bool | None) -> None:
        chance = row.score if is_post is None else float(is_post)
        self.estimator.observe(
            canonicalize(row.url), row.anchor, self.store.text(row.path), gain, chance
        )
        self.chooser.observations += 1
        self.ledger.clusters[row.cluster].fresh_at = -1

    def _judge(self, row: Row, key: str, is_post: bool) -> None:
        """Update the pattern and the credit of linking pages after a page was classified."""
        if key not in self._observed:
            self.pattern.add(key, is_post=is_post)
        counted = row.score >= LIKELY and not row.promised
        if row.parent is not None and not row.promised and counted != is_post:
            delta = float(is_post) - float(counted)
            parent = self.ledger.correct(row.parent, delta)
            if parent is not None:
                self.estimator.correct(canonicalize(parent), delta)

    def counts(self) -> Counts:
        """Return numbers for progress lines; free of charge."""
        t = self.ledger.tally
        return Counts(
            t.pending,
            len(self.ledger.flying),
            t.done,
            t.failed,
            t.posts,
            t.promised,
            t.promised_pending,
        )

    def evidence(self, now: float) -> Evidence:
        """Return the evidence for the stopping rule."""
        clusters = list(self.ledger.clusters.values())
        waiting, promised = self._waiting(), self.ledger.tally.promised_pending
        lead = None if promised else self.chooser.choose(waiting)
        likely = lead[0].pending if lead and lead[1].chance >= LIKELY else 0
        posts_pending = promised + likely
        t = self.ledger.tally
        return Evidence(
            pages=t.done + t.failed,
            posts=t.posts,
            failed=t.failed,
            pending=t.pending,
            in_flight=len(self.ledger.flying),
            posts_pending=posts_pending,
            promised=t.promised,
            ways=count_ways(t.shown),
            sources_complete=self.sources_complete,
            walked=() if posts_pending else self._walked(),
            chained=0 if posts_pending else self.chain.closed,
            untried=len(looks_due(clusters, t.posts)),
            audited=t.audited,
            quiet=t.quiet,
            best_worth=lead[1].worth if lead else 0.0,
            hidden=0 if posts_pending else sum(map(self._hides_posts, waiting)),
            clusters=tuple(c.evidence() for c in sorted(waiting, key=lambda c: -c.pending)[:12]),
            seconds=now - self._started if self._started is not None else 0.0,
            bytes=self._bytes,
        )

    def _walked(self) -> tuple[Walked, ...]:
        """Return lists read to their end: a page of the whole archive, or a cluster of listings of
        which no page is left, nor a further page that one of them leads to (those behind the first
        have other addresses, ``?page=2``); and all of these together: years and their further pages
        divide the posts among them. The home page is the first page of any, and by itself none: who
        confirms its posts was found on it."""
        first = self.home_bit()
        home = self.store.get(key_hash(self.scope.home_key)) if first and self.scope else None
        own = home.cluster if home is not None else None
        continued = self._continued()
        done = [
            c
            for c in self.ledger.clusters.values()
            if c.pages > (c.ident == own) and c.ident not in continued and self._is_at_its_end(c)
        ]
        done.sort(key=lambda c: -c.gain)
        lists = {c.name: self._shown_by(c) | first for c in done[:MAX_WALKED]}
        if len(lists) > 1:
            lists |= {together(lists): reduce(or_, lists.values())}
        return tuple(
            walked_list(name, bits, self.ledger.tally.shown) for name, bits in lists.items()
        )

    def _is_at_its_end(self, cluster: Cluster) -> bool:
        """Return whether the cluster consists of lists that could all be read to their end, and
        none is left."""
        if cluster.failed or self.lists.cut_at(cluster.address):
            return False
        return cluster.flavour == ARCHIVE or (cluster.flavour == "hub" and not cluster.pending)

    def _continued(self) -> set[int]:
        """Return the clusters of pages that lead to a further page of their list, which waits."""
        firsts = {
            choice.row.parent
            for cluster in self._waiting()
            for choice in cluster.choices
            if choice.row.parent is not None and self.listing(Link(choice.row.url)) == "next"
        }
        return {row.cluster for row in self.store.known(firsts).values()}

    def _shown_by(self, walked: Cluster) -> int:
        """Return the bits of a list's pages, also of those that were found before it was known for
        a list."""
        bits = 0
        for cluster in self.ledger.clusters.values():
            if cluster.address == walked.address and not cluster.pending:
                bits |= shown_by_cluster(cluster.ident)
        return bits

    def stop_decision(self, now: float) -> Stop | None:
        """Return why to stop now and the estimated completeness, or None to go on. Asked as often
        as you like.

        While pages are in flight only a budget stops: they may still lead to posts.
        """
        stop = self.enough(now)
        return None if stop is not None and stop.reason != "budget" and self.ledger.flying else stop

    def enough(self, now: float) -> Stop | None:
        """Return ``stop_decision`` without pages in flight: is another one worth its request?

        What pages pending may be worth is estimated anew before the crawl ends: by all that was
        learned, not as when they came in.
        """
        stop = decide(self.evidence(now), self.budgets)
        stale = [
            c
            for c in self.ledger.clusters.values()
            if c.pending > 0 and c.fresh_at < self.chooser.observations
        ]
        if stop is not None and stop.reason != "budget" and stale:
            for cluster in stale:
                self.chooser.refresh(cluster)
            stop = decide(self.evidence(now), self.budgets)
        return None if stop is not None and self._has_due_months(stop) else stop

    def _has_due_months(self, stop: Stop) -> bool:
        """Return whether lists of months are to be read before the end (``pop`` gives the first):
        when all else has been read, and once each."""
        self._due_months = []
        if stop.reason == "budget" or self.ledger.flying:
            return False
        max_dry = 0 if stop.reason == "complete" else MAX_DRY_MONTHS
        months = self._months(self.store.pending_lists(), max_dry)
        rows = {row.url: row for row in months}
        self._due_months = (
            [rows[url] for url in self.incomplete_months(tuple(rows))] if rows else []
        )
        return bool(self._due_months)

    def close(self) -> None:
        """Commit and close; pages in flight will be pending on the next opening. What could not be
        read can be asked for afterwards.
        """
        self._left = self.leftovers()
        self.store.close()

    def _replay(self) -> None:
        self.chain.dead.update(self.store.failed_keys())
        for page, linked, is_post in self.store.linked():
            self.chain.add(page, linked, is_post=is_post)
        self._observed = json.loads(self.store.note("taught") or "{}")
        for key, known in self._observed.items():
            self.pattern.add(key, is_post=known)
        absent = {row.key for row, reason in self.store.unread() if reason in ABSENT}
        for row, gain in self.store.observations(MAX_OBSERVATIONS):
            self.ledger.replay(row, gain, is_absent=row.key in absent)
            self._learn(row, gain, None if row.is_post is None else bool(row.is_post))
            key = canonicalize(row.url)
            if row.is_post is not None and key not in self._observed:
                self.pattern.add(key, is_post=bool(row.is_post))


def _is_counted_on(url: str) -> bool:
    """Return whether the address ends in a number that is no year: pages of a list are numbered,
    whatever it calls them."""
    number = _LAST_NUMBER.search(url)
    return number is not None and int(number[1]) < FIRST_YEAR


def _addresses_below(url: str) -> Iterator[str]:
    """Yield what an address would be without its first folders: links that lack their first slash
    are taken for relative ones."""
    root, _, path = url.partition("://")[2].partition("/")
    segments = path.split("/")
    scheme = url.partition("://")[0]
    for at in range(1, len(segments)):
        if any(segments[at:]):
            yield f"{scheme}://{root}/{'/'.join(segments[at:])}"


def _addresses_above(key: str) -> Iterator[str]:
    """Yield the addresses that a canonical URL adds something to."""
    for mark in _ADDED.finditer(key, key.find("://") + 3):
        yield key[: mark.start()]
