"""What a crawl knows of the blog as a whole: what has shown its posts, which pages are left, and
what these may hold. Evidence for the stopping rule and for the figure of completeness.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import islice
from operator import or_
from typing import TYPE_CHECKING, TypedDict

from blogcrawl.dates.url_date import list_month, url_day
from blogcrawl.dom.links import Link
from blogcrawl.frontier.bookkeeping import ARCHIVE, REHOSTED
from blogcrawl.frontier.chain import MAX_LINKED, PostChain
from blogcrawl.frontier.clusters import Chooser, Cluster
from blogcrawl.frontier.coverage import looks_due
from blogcrawl.frontier.enqueueing import Intake
from blogcrawl.frontier.list_lengths import LEAST_CUT, MAX_LISTED, ListLengths, Shown
from blogcrawl.frontier.stated_counts import Counted, posts_stated, short_lists, with_common
from blogcrawl.frontier.stop import (
    LIST_SHARE,
    Cited,
    Evidence,
    Walked,
    Whole,
    count_ways,
    lacking,
    together,
    unlisted,
    walked_list,
    whole_ways,
)
from blogcrawl.frontier.store import (
    ALIAS,
    DONE,
    FAILED,
    HUB,
    IN_FLIGHT,
    PENDING,
    SHOWN_BY_POST,
    SHOWN_BY_SOURCE,
    SHOWN_LATER,
    Row,
    Store,
    key_hash,
    shown_by_cluster,
)
from blogcrawl.frontier.unread import (
    ABSENT,
    BARRED,
    FORBIDDEN,
    Outcome,
    PostChance,
    Rejected,
    Unread,
    hidden_on_list,
    posts_behind_list,
    unshown,
)
from blogcrawl.urls.canonical import Scope, canonicalize, without_language
from blogcrawl.urls.post_pattern import LIKELY, is_list_address
from blogcrawl.urls.series import next_in_series
from blogcrawl.urls.shapes import addresses_above
from blogcrawl.urls.view_links import have_one_query

if TYPE_CHECKING:
    from blogcrawl.frontier.knn import YieldEstimator

CUT = "lists show {} posts each and lead no further: {}"
BROKEN = "the blog leads on to {}, which could not be read ({})"
LOOSE = "only posts' own links have shown the older posts, and these form no closed chain"
NOTHING_OLDER = "a list leads on to it, and it shows no further posts"
NOT_ENDED = "asked for, but never read to its end"
_LAST_NUMBER = re.compile(r"([0-9]{1,9})[^0-9/?&=]*/?$")
FIRST_YEAR = 1980
MAX_OBSERVATIONS = 4_000
"""Pages that the estimator of yields remembers."""
MAX_ON_START = 30
"""Posts up to which a start page is one of several pages; longer ones are lists of all posts."""
MAX_COUNTED = 2_000
"""Lists of which is remembered how many posts links state."""
MAX_WALKED = 6
"""Lists that the stopping rule looks at, those that brought most."""


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
    unlisted: float = 0.0
    """Posts expected that no list shows, by those of the newest that none shows, and by those that
    texts mention."""
    cited: Cited | None = None
    """Posts that texts mention, None where lists are unread or posts a chain."""
    windowed: int = 0
    """All posts known, where only windows of the newest have shown them (``Overview.windowed``)."""
    is_apart: bool = False
    """No list shows any of the newest posts (``Overview.is_apart``)."""
    broken_lists: tuple[str, ...] = ()
    """See ``Overview.broken_lists``."""
    ends_full: bool = False
    """The lists may be cut where they end (``ListLengths.ends_full``), and posts are no chain."""
    only_list: int = 0
    """Length of the only list (``ListLengths.only_list``), where that has most posts and no other
    way shows all."""
    source_only: bool = False
    """Only sources show many of the posts."""
    between: tuple[int, float] = (0, 0.0)
    """See ``Overview.between``."""
    sole_lists: Mapping[str, Sequence[frozenset[int]]] = field(default_factory=dict)
    """See ``Overview.sole_lists``."""
    month_lists: int = 0
    """Lists of months that were read."""
    files: int = 0
    """Files that lists have where they have posts."""
    counted: int = 0
    """Posts at least by what lists say of their further pages, or links of the lists' posts; 0:
    they say nothing."""
    more: tuple[str, ...] = ()
    """Why the windows may not show all posts, see ``Overview.shows_of_more``."""
    chance: PostChance
    """What this crawl has learned about which of them are posts."""


class _Behind(TypedDict, total=False):
    """What is expected on and behind a list that could not be read, see ``Unread``."""

    new_posts: float
    is_last: bool
    hidden: float


class Overview(Intake):
    """What was found and read, looked at as a whole; changes nothing but estimates."""

    def __init__(self, store: Store, scope: Scope | None, follow_nofollow: bool) -> None:
        super().__init__(store, scope, follow_nofollow)
        self.chooser = Chooser(
            lambda: self.estimator,
            self.store.heads,
            self.belief,
            self.store.text,
            lambda: self.pattern.posts,
            lambda key: self._folders[key],
        )
        self._folders: Counter[str] = Counter()
        """Addresses to which those of posts add something -> how many posts."""
        self.chain = PostChain()
        self.incomplete_months: Callable[[Sequence[str]], Sequence[str]] = lambda months: ()
        """Of lists of months those to be read before the end, most promising first: the archive
        lacks posts of their months."""
        self.only_in_menu: Callable[[str], bool] = lambda url: False
        """Whether the site's menu leads to the page and no list of posts does."""
        self._started: float | None = None
        self._bytes = 0
        self._left: Leftovers | None = None
        self._signs: dict[str, dict[str, str]] = {}
        for kind, name, value in self.store.signs():
            self._signs.setdefault(kind, {})[name] = value

    def keep(self, kind: str, name: str, value: str = "") -> None:
        """Keep what a page has shown of the blog, by name. On disk with the page that ends next."""
        known = self._signs.setdefault(kind, {})
        if known.get(name) != value:
            known[name] = value
            self.store.sign(kind, name, value)

    def kept(self, kind: str) -> Mapping[str, str]:
        """Return all of a kind that was passed to ``keep``, by this run or the one that it
        resumes. May be called after ``close``."""
        return self._signs.get(kind, {})

    @cached_property
    def estimator(self) -> YieldEstimator:
        """Imported with the first page: numpy takes longer than the rest of the room."""
        from blogcrawl.frontier.knn import YieldEstimator

        return YieldEstimator(MAX_OBSERVATIONS)

    def _waiting(self, busy_hosts: Collection[str] = ()) -> list[Cluster]:
        """Return the clusters with pages pending on a host that is not busy."""
        clusters = self.ledger.clusters.values()
        return [c for c in clusters if c.pending > 0 and c.host not in busy_hosts]

    def _hides_posts(self, cluster: Cluster) -> bool:
        """Return whether one of the cluster's pages that are not taken for posts is to be read:
        none of other hosts', few of which are the blog's."""
        if cluster.flavour == REHOSTED:
            return False
        if cluster.hides_posts and cluster.fresh_at < self.chooser.observations:
            self.chooser.refresh(cluster)
        return cluster.hides_posts

    def rejected(self) -> list[Rejected]:
        """Return pages of the blog that were read and are neither posts, nor other names of posts
        nor views of one (its comments), in the order of discovery.
        """
        others = self.store.other_names()
        posts = {canonicalize(url) for url, is_post, _ in self.store.judged() if is_post}
        posts -= {above for key in posts for above in addresses_above(key)}  # folders of posts
        home = self.scope.home_key if self.scope is not None else None
        ways, between = self._whole_ways(), self.chain.shares_between()
        return [
            Rejected(
                url=key,
                reason=reason,
                probability=max(
                    unshown(probability, lacking(self._listed_by(row, key), ways)),
                    between.get(row.key, 0.0),
                ),
                title=title,
                by_source=bool(row.shown & SHOWN_BY_SOURCE),
            )
            for row, reason, probability, title in self.store.rejected()
            if (key := canonicalize(row.url)) not in others
            and key != home
            and not self._is_view(row, posts)
        ]

    def _is_view(self, row: Row, posts: Collection[str]) -> bool:
        """Return whether a page lies below one of the ``posts``, or has the query of the post whose
        page led to it."""
        if any(above in posts for above in addresses_above(canonicalize(row.url))):
            return True
        parent = self.store.get(row.parent) if row.parent is not None else None
        return parent is not None and bool(parent.is_post) and have_one_query(row.url, parent.url)

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
        pages = [
            self._unread_page(row, reason, ways)
            for row, reason in self.store.unread()
            if row.key != home
        ]
        return [*pages, *self._dead_ends({page.url for page in pages})]

    def _dead_ends(self, known: Collection[str]) -> Iterator[Unread]:
        """Yield the pages that lists call those of older posts and that show none, though the page
        before is as long as others: what they should show is missing. None where links name
        another host: which posts such a list shows was not known when it was read."""
        for row, is_start in self._dead_rows():
            # behind a page that leads on to the start page is the next one, if there is one
            cluster = self.ledger.clusters[row.cluster]
            goes_on = self._goes_on(cluster, row.depth + is_start)
            if canonicalize(row.url) not in known and not (is_start and goes_on):
                yield Unread(
                    url=canonicalize(row.url),
                    address=row.url,
                    reason=NOTHING_OLDER,
                    is_list=True,
                    **self._behind(row, cluster, is_last=not goes_on),
                )

    def _goes_on(self, cluster: Cluster, depth: int) -> bool:
        """Return whether pages of a list, as many links from the start page or more, brought
        posts."""
        return self.store.is_read_behind(depth, [c.ident for c in self._alike(cluster)])

    def _alike(self, cluster: Cluster) -> list[Cluster]:
        """Return the clusters of pages with addresses like a cluster's: those of a list may have
        been found before it was known for one."""
        return [c for c in self.ledger.clusters.values() if c.address == cluster.address]

    def behind_broken(self) -> list[tuple[str, int]]:
        """Return the addresses behind further pages of lists that could not be read, or that show
        no older posts, with their depth: the lists may go on there. None behind two such pages in
        a row."""
        broken = [row for row, reason in self.store.unread() if self._breaks_list(row, reason)]
        broken += [row for row, _ in self._dead_rows()]
        found = {self._behind_it(row): row.depth + 1 for row in broken}
        return [(url, depth) for url, depth in found.items() if url is not None]

    def _behind_it(self, row: Row) -> str | None:
        """Return the address behind a further page of a list, to which a page leads that was
        read."""
        before = self._before(row)
        is_read = before is not None and before.state == DONE
        return next_in_series(before.url, row.url) if before is not None and is_read else None

    def _before(self, row: Row) -> Row | None:
        """Return the page before a further one of a list."""
        return self.store.get(self._key_before(row))

    def _key_before(self, row: Row) -> int:
        return self.lists.leading_to(row.key) or row.parent or 0

    def _dead_rows(self) -> Iterator[tuple[Row, bool]]:
        """Yield pages that a list calls those of older posts and that show none; in place of the
        start page, the one that leads on to it (True)."""
        for page, older in self.lists.dead_ends() if not self.other_hosts else ():
            is_start = older == self.lists.home_key
            yield from (
                (row, is_start) for row in self.store.known({page if is_start else older}).values()
            )

    def _breaks_list(self, row: Row, reason: str) -> bool:
        """Return whether a page was asked for and a list goes on there."""
        if row.state != FAILED or row.kind != HUB or reason == FORBIDDEN:
            return False
        return self._is_further(row) and (reason not in ABSENT or self._leads_on(row))

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
            unlisted=self.unlisted(),
            cited=self.cited(),
            windowed=self.windowed(),
            is_apart=self.is_apart(),
            broken_lists=tuple(self.broken_lists()),
            ends_full=not self.chain.closed and self.lists.ends_full(),
            only_list=0 if self._is_proved() else self._only_list(),
            source_only=self._is_sole_way(SHOWN_BY_SOURCE),
            between=self.between(),
            sole_lists=self.sole_lists(),
            month_lists=len(self.months_read()),
            files=len(self.files),
            counted=self.counted(),
            more=tuple(self.shows_of_more()),
            chance=self._post_chance(),
        )

    def counted(self) -> int:
        """Return how many posts the blog has at least by what its lists say of their pages and
        posts; 0: they say nothing."""
        return max(self.lists.counted(), self._posts_stated())

    def unlisted(self) -> float:
        """Return the expected number of posts that the lists lack, all read, as they lack some of
        the newest, which feed and start page show: those without a label, of a month that is cut.
        0 where other ways show all posts. The start page of a pager is a list itself."""
        if self._is_proved() or self._has_unread_lists():
            return 0.0
        return unlisted(self._shown_that_exist(), *self._window_and_onward())

    def _shown_that_exist(self) -> Mapping[int, int]:
        """Return the posts by what has shown them, but those of a feed that are gone: no list shows
        these any more."""
        gone = Counter(
            row.shown
            for row, reason in self.store.unread()
            if row.promised and row.state == FAILED and reason in ABSENT
        )
        return +(Counter(self.ledger.tally.shown) - gone)

    def _has_unread_lists(self) -> bool:
        clusters = self.ledger.clusters.values()
        return any(c.gain > 0 and not c.posts and c.pending > 0 for c in clusters)

    def cited(self) -> Cited | None:
        """Return the posts that texts mention, by whether lists, all read, or sources show them;
        None where lists wait, or posts are a chain without an open end."""
        if self.chain.closed or (self._has_unread_lists() and not self.sources_complete):
            return None
        rows = self.store.known(self.chain.cited()).values()
        alone = frozenset(row.key for row in rows if self._is_only_cited(row))
        others = self.ledger.tally.shown.total() - len(rows)
        return Cited(len(alone), len(rows) - len(alone), others, alone)

    def _is_only_cited(self, row: Row) -> bool:
        is_alone = row.shown == SHOWN_BY_POST and not self.chain.has_neighbour(row.key)
        return is_alone and self.pattern.score(canonicalize(row.url)) >= LIKELY

    def between(self) -> tuple[int, float]:
        """Return how many posts that could not be read one of their neighbours alone leads to, and
        the expected number of posts behind them, where posts lead to their neighbours and many are
        found in no other way: between each two as many as stand in a row of those that were found
        so."""
        lost = {row.key for row, reason in self.store.unread() if self._is_lost_post(row, reason)}
        is_sole = self._is_sole_way(SHOWN_BY_POST) and not self._is_proved()
        once = self.chain.led_to_once(lost) if is_sole else 0
        return once, once / 2 * self._mean_row() if once else 0.0

    def _mean_row(self) -> float:
        """Return how many posts stand in a row that only their neighbours lead to."""
        rows = self.store.known(self.chain.posts).values()
        alone = {row.key for row in rows if row.shown == SHOWN_BY_POST}
        return len(alone) / self.chain.pieces(alone)

    def _only_list(self) -> int:
        length = self.lists.only_list()
        return length if 2 * length > self.ledger.tally.shown.total() else 0

    def _is_lost_post(self, row: Row, reason: str) -> bool:
        is_asked = row.state == FAILED and row.kind != HUB and reason not in ABSENT
        return is_asked and self.pattern.score(canonicalize(row.url)) >= LIKELY

    def sole_lists(self) -> dict[str, list[frozenset[int]]]:
        """Return the posts of lists by kind, of the kinds that alone show many posts."""
        kinds = () if self._is_proved() else filter(self._is_sole, self.lists.kinds)
        return {kind: self.lists.last_lists(kind) for kind in kinds}

    def _is_sole(self, kind: str) -> bool:
        """Return whether no other way shows nearly all posts that these lists show."""
        own = (c.ident for c in self.ledger.clusters.values() if c.address == kind)
        return self._is_sole_way(reduce(or_, map(shown_by_cluster, own), 0))

    def _is_sole_way(self, bits: int) -> bool:
        found = walked_list("", bits, self.ledger.tally.shown)
        return found.alone > (1 - LIST_SHARE) * (found.alone + found.both)

    def _is_proved(self) -> bool:
        """Return whether sources or a chain show all posts."""
        return self.sources_complete or self.chain.closed > 0

    def _window_and_onward(self) -> tuple[int, int]:
        """Return the bits of what shows the newest posts, and of what shows older ones: a list that
        shows none of these is a sidebar's; a page that was opened again shows the newest too."""
        home, first = self.home_bit(), self.lists.home
        window = SHOWN_BY_SOURCE | (0 if first is not None and first.onward else home)
        older = (mask for mask in +self.ledger.tally.shown if not mask & window)
        onward = reduce(or_, older, SHOWN_BY_POST | home)
        return window, onward & ~(window | SHOWN_LATER)

    def is_apart(self) -> bool:
        """Return whether the lists have several posts, and none of the newest: nothing shows those
        between."""
        if self._is_proved():
            return False
        window, onward = self._window_and_onward()
        found = walked_list("", onward, self.ledger.tally.shown)
        return not found.both and min(found.alone, self._on_way(window)) >= LEAST_CUT

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

    def broken_lists(self) -> Iterator[str]:
        """Yield the lists of all posts that could not be read, where neither sources, nor a chain,
        nor lists that were all read have shown nearly all posts."""
        if self._is_proved() or self._whole_ways():
            return
        for row, reason in self.store.unread():
            is_asked = row.state == FAILED and reason not in ABSENT | {FORBIDDEN}
            if is_asked and self.listing(Link(row.url, row.anchor)) == "all":
                yield BROKEN.format(row.url, reason)

    def _is_read(self, url: str) -> bool:
        return self.store.state(key_hash(canonicalize(url))) in (DONE, ALIAS)

    def _is_way(self, row: Row) -> bool:
        """Return whether more of the blog is expected on a page or behind it. An address that only
        the engine's name suggested leads nowhere."""
        if not row.shown:
            return False
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
        are not there; none to which only a month without posts leads, nor one of whose posts some
        were asked for and are gone like it."""
        absent = [row for row, reason in self.store.unread() if reason in ABSENT]
        gone = {_month_of(row) for row in absent if not self._is_month(row)} - {None}
        lists = (row for row in absent if list_month(row.url) not in gone)
        yield from self._months([*self.store.lists_in(PENDING), *lists])

    def months_read(self) -> list[str]:
        """Return the lists of months that were read; where all asked for are absent, these."""
        read, absent = (
            [row.url for row in self.store.lists_in(state) if self._is_month(row)]
            for state in (DONE, FAILED)
        )
        return read or absent

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
        is_list = row.kind == HUB or (cluster is not None and cluster.are_lists)
        leads_on = is_list and (reason not in ABSENT or self._leads_on(row))
        return Unread(
            url=canonicalize(row.url),
            address=row.url,
            reason=reason or NOT_ENDED,
            promised=bool(row.promised),
            is_list=is_list,
            by_source=bool(row.shown & SHOWN_BY_SOURCE),
            in_posts=row.shown == SHOWN_BY_POST,
            lacking=0.0 if self._is_misread(row) else lacking(row.shown, ways),
            barred=reason in BARRED,
            tag_path=self.store.text(row.path),
            **(self._behind(row, cluster) if leads_on and cluster is not None else {}),
        )

    def _is_misread(self, row: Row) -> bool:
        """Return whether an archived post has the address but for the first folders: links to it
        lack their first slash. In the folder of a language it is another post."""
        below = (url for url in _addresses_below(row.url) if self.pattern.score(url) >= LIKELY)
        keys = {key_hash(canonicalize(url)) for url in below}
        is_post = any(known.is_post for known in self.store.known(keys).values())
        return is_post and without_language(row.url) == canonicalize(row.url)

    def _leads_on(self, row: Row) -> bool:
        """Return whether posts are to be expected on a further page of a list that is not there:
        the page before it is as long as others."""
        parent = self.store.get(row.parent) if row.parent is not None else None
        if parent is None or not self._is_further(row):
            return False
        return self.lists.breaks_off(self.ledger.clusters[parent.cluster].address, parent.key)

    def _behind(self, row: Row, cluster: Cluster, *, is_last: bool | None = None) -> _Behind:
        """Return posts that nothing else has shown and that are expected on a list that could not
        be read, and on those to which it alone leads (``is_last``, where that is known); and
        whether nothing says how many these are. The start page is the first of a pager's.
        """
        home = self.home_bit() if self._is_further(row) else 0
        if is_last is None:
            is_last = bool(home) and not self._goes_on(cluster, row.depth)
        first = 0 if is_last else home
        shown = self._shown_besides(first)
        like = walked_list(cluster.name, self._shown_by(cluster) | home, shown)
        hidden = min([hidden_on_list(like.alone, like.both), *self._lacking_on_others(cluster)])
        gains = [*cluster.gains, *([self._on_way(home)] if home else [])]
        posts = posts_behind_list(
            gains,
            hidden,
            self.ledger.tally.quiet,
            is_last=is_last,
            length=self._length_before(row, cluster) if first else 0,
        )
        return {"new_posts": posts, "is_last": is_last, "hidden": hidden}

    def _shown_besides(self, first: int) -> dict[int, int]:
        """Return the posts by what has shown them, but those in windows of the newest, which say
        nothing of the others: feeds, and the ``first`` page (bits) of a list for one amid it."""
        newest = first | (0 if self.sources_complete else SHOWN_BY_SOURCE)
        shown = +self.ledger.tally.shown
        return {mask: count for mask, count in shown.items() if not mask & newest}

    def _length_before(self, row: Row, cluster: Cluster) -> float:
        """Return how many posts the page before a further one of a list has, or one like it."""
        return self.lists.length(self._key_before(row)) or max(cluster.gains, default=0.0)

    def _lacking_on_others(self, cluster: Cluster) -> Iterator[float]:
        """Yield the share of the posts that other lists than a cluster's lack, where they have
        shown nearly all."""
        lists = (c for c in self.ledger.clusters.values() if not c.posts)
        others = (c for c in lists if c.address != cluster.address)
        whole = (c.ident for c in others if not self.lists.cut_at(c.address))
        bits = reduce(or_, map(shown_by_cluster, whole), 0) & ~self.home_bit()
        found = walked_list("", bits, self.ledger.tally.shown)
        if found.others <= (1 - LIST_SHARE) * (found.alone + found.both + found.others):
            yield hidden_on_list(found.others, found.both)

    def _post_chance(self) -> PostChance:
        outcomes = (
            Outcome(url=canonicalize(url), is_post=post, tag_path=path)
            for url, post, path in self.store.judged()
        )
        return PostChance(outcomes, self.pattern)

    @cached_property
    def lists(self) -> ListLengths:
        """How many posts the lists read have shown, by this run or the one that it resumes."""
        lists = ListLengths()
        known = json.loads(self.store.note("stated pages") or "{}")
        lists.stated.update((int(page), tuple(said)) for page, said in known.items())
        for row, posts, onward, older in self.store.lists():
            self._add_list(lists, row, posts, onward, older)
        return lists

    def enter(self, scope: Scope) -> None:
        """Set the scope. The lists of a resumed run are sorted again: their first is its start
        page."""
        self.scope = scope
        self.__dict__.pop("lists", None)

    def note_pages(self, url: str, stated: tuple[int, int]) -> None:
        """Note which page of a list the one in flight is, and how many it has, as it says: of a
        list of several. On disk with the page that ends next."""
        if stated[1] > 1 and len(self.lists.stated) < MAX_LINKED:
            self.lists.stated[key_hash(canonicalize(url))] = stated
            self.store.note("stated pages", json.dumps(self.lists.stated))

    @cached_property
    def _stated_counts(self) -> dict[int, int]:
        """List -> how many posts it has, as the first page says that leads to it."""
        known = json.loads(self.store.note("stated counts") or "{}")
        return {int(page): number for page, number in known.items()}

    def note_counts(self, stated: Mapping[str, int]) -> None:
        """Note the numbers that a page states next to its links (canonical). On disk with the page
        that ends next."""
        known = len(self._stated_counts)
        for url, number in stated.items():
            if len(self._stated_counts) < MAX_COUNTED:
                self._stated_counts.setdefault(key_hash(url), number)
        if len(self._stated_counts) > known:
            self.store.note("stated counts", json.dumps(self._stated_counts))

    def short_lists(self) -> list[str]:
        """Return the lists read to their end that show fewer posts than links to them state."""
        kinds = self._counted_lists().values()
        return [one.url for lists in kinds for one in self._short(lists)]

    def _posts_stated(self) -> int:
        """Return how many posts the blog has at least by the numbers next to its links to lists
        that are short; 0 where none is."""
        kinds = self._counted_lists().values()
        return max((posts_stated(lists, self._short(lists)) for lists in kinds), default=0)

    def _short(self, lists: Sequence[Counted]) -> list[Counted]:
        home = self.lists.home
        return short_lists(lists, len(home.posts) if home is not None else 0)

    def _counted_lists(self) -> dict[str, list[Counted]]:
        """Return the lists read to their end of which links state how many posts they have, by what
        their addresses have in common."""
        if not self._stated_counts:
            return {}
        read = {row.key: (row, posts, onward) for row, posts, onward, _ in self.store.lists()}
        kinds: dict[str, list[Counted]] = {}
        for key in self._stated_counts.keys() & read.keys():
            row = read[key][0]
            whole = self._whole_list(key, read)
            if whole is not None:
                counted = Counted(row.url, self._stated_counts[key], whole)
                kinds.setdefault(self.ledger.clusters[row.cluster].address, []).append(counted)
        return {kind: with_common(lists) for kind, lists in kinds.items()}

    def _whole_list(
        self, first: int, read: Mapping[int, tuple[Row, frozenset[int], frozenset[int]]]
    ) -> frozenset[int] | None:
        """Return the posts on all pages of a list; None where one of them waits, or is longer than
        what is remembered."""
        home = self.lists.home.onward if self.lists.home is not None else frozenset()
        pages, waiting, posts = {first}, [first], frozenset[int]()
        while waiting:
            _, shown, onward = read[waiting.pop()]
            if len(shown) >= MAX_LISTED:
                return None
            posts |= shown
            new = onward - home - pages
            if any(row.state in (PENDING, IN_FLIGHT) for row in self.store.known(new).values()):
                return None
            pages |= new
            waiting.extend(new & read.keys())
        return posts

    def _add_list(
        self,
        lists: ListLengths,
        row: Row,
        posts: frozenset[int],
        onward: frozenset[int],
        older: frozenset[int],
    ) -> None:
        is_further = self._is_further(row) or _is_counted_on(row)
        shown = Shown(row.key, posts, onward, row.parent, is_further, older)
        if self.scope is not None and row.key == key_hash(self.scope.home_key):
            lists.home = shown
        elif url_day(row.url) is None:  # who writes every week has equal months
            lists.add(self.ledger.clusters[row.cluster].address, shown)

    def _is_further(self, row: Row) -> bool:
        """Return whether links call the page a further one of a list."""
        return self.listing(Link(row.url, row.anchor)) == "next"

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
            divided=() if posts_pending else tuple(self._divided()),
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

    def _divided(self) -> Iterator[Walked]:
        """Yield clusters of pages, all read and none of them posts, that have shown nearly all
        posts between them and the start page: labels, which nothing need call lists. A label
        without a page is none of them."""
        first, shown = self.home_bit(), self.ledger.tally.shown
        lists = [
            c
            for c in self.ledger.clusters.values()
            if not (c.pending or c.posts or c.failed > c.absent or self.lists.cut_at(c.address))
        ]
        for cluster in sorted(lists, key=lambda c: -c.gain)[:MAX_WALKED]:
            bits = shown_by_cluster(cluster.ident)
            found = walked_list(cluster.name, bits | first, shown)
            if bits != first and found.others <= (1 - LIST_SHARE) * shown.total():
                yield found

    def _is_at_its_end(self, cluster: Cluster) -> bool:
        """Return whether the cluster consists of lists that could all be read to their end, and
        none is left."""
        if cluster.failed or self.lists.cut_at(cluster.address):
            return False
        if cluster.address in self.lists.dead_kinds and not self.other_hosts:
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
        """Return the bits of a list's pages."""
        alike = (c.ident for c in self._alike(walked) if not c.pending)
        return reduce(or_, map(shown_by_cluster, alike), 0)


def _month_of(row: Row) -> tuple[int, int] | None:
    day = url_day(row.url)
    return day[:2] if day is not None else None


def _is_counted_on(row: Row) -> bool:
    """Return whether the address ends in a number that is no year, and the link to it has words of
    its own only with this number: pages of a list are numbered, whatever it calls them, and so are
    labels, which have names."""
    number = _LAST_NUMBER.search(row.url)
    if number is None or int(number[1]) >= FIRST_YEAR:
        return False
    return number[1].lstrip("0") in row.anchor or not any(map(str.isalpha, row.anchor))


def _addresses_below(url: str) -> Iterator[str]:
    """Yield what an address would be without its first folders: links that lack their first slash
    are taken for relative ones."""
    root, _, path = url.partition("://")[2].partition("/")
    segments = path.split("/")
    scheme = url.partition("://")[0]
    for at in range(1, len(segments)):
        if any(segments[at:]):
            yield f"{scheme}://{root}/{'/'.join(segments[at:])}"
