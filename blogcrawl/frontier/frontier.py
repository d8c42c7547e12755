"""The frontier of one crawl: which page next, and when is it enough? Pure deciding around one
SQLite file; time comes from outside.

Order: promised posts, then what the pattern or the observations call likely posts, then the page
with the best *current* estimate. Use: ``push``/``push_links`` all a page leads to, then ``done``
for the page: both go to disk together.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from blogcrawl.dom.links import Link
from blogcrawl.frontier.bookkeeping import FLAVOURS, NEIGHBOUR, REHOSTED
from blogcrawl.frontier.chain import MAX_LINKED, PostChain
from blogcrawl.frontier.clusters import Choice, Cluster, is_taxonomy
from blogcrawl.frontier.coverage import POSTS_PER_LIST, looks_due
from blogcrawl.frontier.enqueueing import Kind, Sighting
from blogcrawl.frontier.list_lengths import MAX_LISTED
from blogcrawl.frontier.overview import MAX_OBSERVATIONS, Overview
from blogcrawl.frontier.stop import (
    Budgets,
    Stop,
    allowed_unseen,
    decide,
    may_show_missing,
)
from blogcrawl.frontier.store import (
    ALIAS,
    DONE,
    FAILED,
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
from blogcrawl.frontier.unread import ABSENT
from blogcrawl.urls.canonical import Scope, canonicalize, clean
from blogcrawl.urls.post_pattern import LIKELY
from blogcrawl.urls.shapes import addresses_above

SAYS_NOTHING = 0.5
"""Chance that a page is a post which says nothing of others at addresses like its own."""
MAX_DRY_MONTHS = 120
"""Months without posts over which a calendar is followed where nothing else shows that the archive
is complete: blogs pause for years."""


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


@dataclass(frozen=True, slots=True)
class Counts:
    pending: int
    in_flight: int
    done: int
    failed: int
    posts: int
    promised: int
    posts_pending: int


class Frontier(Overview):
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
        self._due_lists: list[Row] = []
        self._waits_for_looks = False
        """Nothing but pages that are looked at before the end keeps the crawl from it."""
        self._replay()

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
            due, self._due_lists = self._due_lists[:1], []
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
        if self.chain.closed or self._waits_for_looks:
            return self.chooser.choose(looks_due(clusters, self.ledger.tally.posts))
        return None

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

    def found_on(self, url: str) -> str | None:
        """Return the canonical URL of the page that led to another first; None where a source did,
        or nothing is known of it."""
        row = self.store.get(key_hash(canonicalize(url)))
        parent = self.store.get(row.parent) if row is not None and row.parent is not None else None
        return canonicalize(parent.url) if parent is not None else None

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

    def disown(self, url: str, reason: str) -> None:
        """Note that what was read at ``url``, or is under way, stands before a page of which it is
        not known whether it is a post."""
        row = self.store.get(key_hash(canonicalize(url)))
        if row is None or row.state != DONE:
            self.note_failure(url, reason)
        elif row.is_post:
            self.ledger.supersede(row)
            self.note_failure(url, reason)
        else:
            self.reopen(url)
            self.failed(url, reason)

    def reject(self, url: str, reason: str, probability: float = 0.0, title: str = "") -> None:
        """Keep why the page that was read is no post, for ``rejected``. On disk with the page that
        ends next."""
        self.store.reject(key_hash(canonicalize(url)), reason, probability, title)

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

    def ask_again(self, url: str) -> None:
        """Queue the page of a post once more that a source calls changed: it may have been read, or
        taken for read, by a run that was broken off before."""
        row = self.store.get(key_hash(canonicalize(url)))
        if row is not None and row.state == DONE:
            self.ledger.reopen(row)
            self.requeue(url)
        self.push(url, "post")

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

    def shown(self, urls: Iterable[str]) -> set[str]:
        """Return those of canonical URLs to which any page or source has led."""
        keys = {key_hash(url): url for url in urls}
        return {keys[key] for key, row in self.store.known(keys).items() if row.shown}

    def link_text(self, url: str) -> str:
        """Return what the first link of a list calls a page, of a post where no list has one; ""
        where it is unknown or too long to be kept whole.
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

    def same_post(self, url: str, other: str, size: int = 0) -> None:
        """End the page at ``url``, which gave the post read at ``other``: it is no further post,
        and what has shown it has shown that one."""
        self._bytes += size
        row = self.ledger.flying.get(key_hash(canonicalize(url)))
        first = self.store.get(key_hash(canonicalize(other)))
        if row is not None and first is not None:
            self.ledger.show(first, row.shown)
            self.ledger.tally.promised -= bool(row.promised)
        self._end(url, ALIAS if first is not None else DONE, None, None)

    def supersede(self, url: str, better: str) -> None:
        """Count the post read at ``url`` as the one at ``better``, another address of it."""
        row, first = (self.store.get(key_hash(canonicalize(one))) for one in (url, better))
        if row is None or row.state != DONE or not row.is_post:
            return
        if first is not None:
            self.ledger.show(first, row.shown)
        self.ledger.supersede(row)

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
        onward, older = self._onward.pop(ident, []), self._older.pop(ident, [])
        if is_post or (is_post is False and row.score >= LIKELY):
            self.chain.add(ident, linked, is_post=is_post)
            self.store.link(ident, linked[:MAX_LINKED])
        elif state == FAILED:
            self.chain.dead.add(ident)
        elif linked or self._is_further(row):
            self.store.keep_list(ident, linked[:MAX_LISTED], onward, older)
            posts = frozenset(linked[:MAX_LISTED])
            self._add_list(self.lists, row, posts, frozenset(onward), frozenset(older))
        gain = credit if new_posts is None else float(new_posts)
        self.ledger.end(row, state, gain, is_post, chance=chance, is_absent=is_absent)
        self._learn(row, gain, is_post)
        if is_post is not None:
            self._judge(row, key, is_post)
        if is_post:
            self._learn_host(key)
        self.write(self.store.commit)

    def _learn(self, row: Row, gain: float, is_post: bool | None) -> None:
        chance = row.score if is_post is None else float(is_post)
        if is_post:
            self._folders.update(addresses_above(canonicalize(row.url)))
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
        if stop is None or stop.reason == "budget":
            self._waits_for_looks = stop is None and self._would_end(now)
            return stop
        goes_on = self._has_due_lists(stop) or may_show_missing(stop.evidence, self.counted())
        return None if goes_on else stop

    def _would_end(self, now: float) -> bool:
        """Return whether the crawl would be complete, were it not for looks."""
        evidence = self.evidence(now)
        return (
            bool(evidence.untried)
            and decide(replace(evidence, untried=0), self.budgets) is not None
        )

    def _has_due_lists(self, stop: Stop) -> bool:
        """Return whether lists of months, or further pages of a list, are to be read before the end
        (``pop`` gives the first): when all else has been read, and once each."""
        self._due_lists = []
        if stop.reason == "budget" or self.ledger.flying:
            return False
        waiting = self.store.lists_in(PENDING)
        months = self._months(waiting, 0 if stop.reason == "complete" else MAX_DRY_MONTHS)
        rows = {row.url: row for row in months}
        lacking = self.incomplete_months(tuple(rows)) if rows else []
        self._due_lists = [rows[url] for url in lacking] or self._further_pages(waiting, stop)
        return bool(self._due_lists)

    def _further_pages(self, waiting: Iterable[Row], stop: Stop) -> list[Row]:
        """Return the further pages of lists of posts, that of the longest list first, at which a
        crawl would end that expects more posts than it has seen, or whose posts' links have holes;
        and those of a list that alone has shown some posts: one of all posts may be of some kinds.

        The pages before it say nothing of those behind it: where links of posts have led along a
        part of the list, its pages bring nothing new until that part ends. Such a list is read on
        while its pages show posts that it has not shown before, and soon left where they do not.
        """
        known = stop.evidence.ways.posts
        expects = stop.reason != "complete" and stop.unseen > allowed_unseen(known)
        lacks = expects or stop.has_holes
        if stop.evidence.sources_complete and not lacks:
            return []
        further = [
            row
            for row in waiting
            if self._is_further(row) and self._may_show_posts(row, known, lacks=lacks)
        ]
        return sorted(further, key=lambda row: -self.ledger.clusters[row.cluster].gain)

    def _may_show_posts(self, row: Row, known: int, *, lacks: bool) -> bool:
        """Return whether a further page of a list may show posts besides the ``known`` ones.
        ``lacks``: posts are expected that no page has shown, or their links have holes."""
        cluster = self.ledger.clusters[row.cluster]
        brings = (lacks and cluster.gain > 0) or self._has_own_posts(row.parent)
        if is_taxonomy(cluster) or not brings:
            return False
        is_fresh = cluster.dry <= known // POSTS_PER_LIST
        return is_fresh or (lacks and self._shows_more(row.parent))

    def _shows_more(self, page: int | None) -> bool:
        """Return whether a page of a list shows a post that the list's other pages do not."""
        row = self.store.get(page) if page is not None else None
        if row is None:
            return False
        own = self.lists.only_on(self.ledger.clusters[row.cluster].address, row.key)
        return any(post.is_post for post in self.store.known(own).values())

    def _has_own_posts(self, page: int | None) -> bool:
        """Return whether a list has shown a post that no list of another kind has."""
        row = self.store.get(page) if page is not None else None
        shown = self.lists.page(row.key) if row is not None else None
        if row is None or shown is None:
            return False
        own = SHOWN_BY_SOURCE | SHOWN_BY_POST | self.home_bit() | shown_by_cluster(row.cluster)
        return any(
            post.is_post and not post.shown & ~own
            for post in self.store.known(shown.posts).values()
        )

    def close(self) -> None:
        """Commit and close; pages in flight will be pending on the next opening. What could not be
        read can be asked for afterwards.
        """
        self.chain = self._stored_chain()  # some posts were taken for none for a while
        self._left = self.leftovers()
        self.store.close()

    def _stored_chain(self) -> PostChain:
        chain = PostChain()
        chain.dead.update(self.store.failed_keys())
        for page, linked, is_post in self.store.linked():
            chain.add(page, linked, is_post=is_post)
        return chain

    def _replay(self) -> None:
        self.chain = self._stored_chain()
        self._observed = json.loads(self.store.note("taught") or "{}")
        for key, known in self._observed.items():
            self.pattern.add(key, is_post=known)
        absent = {row.key for row, reason in self.store.unread() if reason in ABSENT}
        for row, gain, chance in self.store.observations(MAX_OBSERVATIONS):
            self.ledger.replay(row, gain, is_absent=row.key in absent, chance=chance)
            self._learn(row, gain, None if row.is_post is None else bool(row.is_post))
            key = canonicalize(row.url)
            if row.is_post is not None and key not in self._observed:
                self.pattern.add(key, is_post=bool(row.is_post))
