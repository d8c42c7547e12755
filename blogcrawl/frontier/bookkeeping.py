"""Books of the frontier: every change of a URL's state goes through here, into the store, its
cluster and the tally alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from blogcrawl.frontier.clusters import BELOW, Cluster
from blogcrawl.frontier.store import (
    ALIAS,
    DONE,
    FAILED,
    HUB,
    IN_FLIGHT,
    PAGE,
    PENDING,
    POST,
    SHOWN_BY_SOURCE,
    Row,
    Store,
)
from blogcrawl.urls.post_pattern import LIKELY
from blogcrawl.urls.shapes import Shapes

FLAVOURS: tuple[Literal["post", "hub", "page"], ...] = ("post", "hub", "page")
LISTED, ARCHIVE, NEIGHBOUR, REHOSTED = "listed", "archive", "neighbour", "rehosted"
"""Flavours of clusters: URLs that a source lists without a promise; pages that seem to list all
posts; what posts call next; links to another host, tried on the blog's.
"""
QUEUES = frozenset({"post", BELOW})
"""Flavours of which a host has one cluster, whatever the addresses look like: listed posts; pages
below posts, which say of each other what they are, though each post has a folder of its own."""
MAYBE = 0.05


@dataclass(slots=True)
class Tally:
    """Counts kept up to date, so that asking is free."""

    pending: int = 0
    done: int = 0
    failed: int = 0
    posts: int = 0
    promised: int = 0
    promised_pending: int = 0
    shown: Counter[int] = field(default_factory=Counter)
    """Posts (promised, confirmed, or likely and not judged yet) by what has shown them: bits as in
    ``store``
    """
    audited: int = 0
    quiet: int = 0


_CLUSTER_FLAVOURS = ("", "maybe", "likely", "hub", LISTED, ARCHIVE, NEIGHBOUR, REHOSTED, BELOW)


class Ledger:
    """Opens with what the store holds: pages in flight when the process died are pending again."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.shapes = Shapes()
        self.clusters: dict[int, Cluster] = {}
        self.flying: dict[int, Row] = {}
        self.tally = Tally()
        self._restore()

    def cluster_for(self, key: str, kind: int, score: float, flavour: str = "") -> Cluster:
        """Return the cluster of a canonical URL."""
        flavour = "post" if kind == POST else flavour or _flavour(kind, score)
        if flavour in QUEUES:
            host = key.split("://", 1)[-1].partition("/")[0].partition("?")[0]
            name = f"{host}|*|{flavour}"
        else:
            name = self.shapes.name(key, flavour)
        return self._known(self.store.name_id(name), name)

    def insert(self, rows: Sequence[Row]) -> None:
        """Queue new pages."""
        self.store.insert(rows)
        for row in rows:
            self.clusters[row.cluster].pending += 1
            self.tally.pending += 1
            self.tally.promised += row.promised
            self.tally.promised_pending += row.promised
            self.tally.shown[row.shown] += _is_counted(row)

    def show(self, row: Row, by: int) -> None:
        """Another page leads to a URL that is known."""
        if row.shown | by == row.shown:
            return
        counted = _is_counted(row)
        self.tally.shown[row.shown] -= counted
        row.shown |= by
        self.tally.shown[row.shown] += counted
        self.store.show(row.key, row.shown)
        flying = self.flying.get(row.key)
        if flying is not None:
            flying.shown = row.shown

    def promise(self, row: Row, key: str) -> None:
        """Move a page that a source lists now from the lane of links to that of listed posts."""
        waiting = self.store.state(row.key) == PENDING
        target = self.cluster_for(key, POST, 1.0) if waiting else self.clusters[row.cluster]
        self.tally.shown[row.shown] -= _is_counted(row)
        if waiting:
            self._leave(row)
            target.pending += 1
            self.tally.pending += 1
            self.tally.promised_pending += 1
        self.store.promise(row.key, target.ident, POST)
        for known in {id(r): r for r in (row, self.flying.get(row.key)) if r is not None}.values():
            known.promised, known.score, known.shown = 1, 1.0, known.shown | SHOWN_BY_SOURCE
        self.tally.promised += 1
        self.tally.shown[row.shown] += 1

    def raise_hope(self, row: Row, key: str) -> None:
        """Raise a pending page that seemed to be no post: posts link to it as their neighbour."""
        target = self.cluster_for(key, PAGE, LIKELY, NEIGHBOUR)
        self._leave(row)
        target.pending += 1
        self.tally.pending += 1
        self.store.rescore(row.key, target.ident, LIKELY)
        row.cluster, row.score = target.ident, LIKELY
        self.tally.shown[row.shown] += 1

    def _leave(self, row: Row) -> None:
        """Remove a pending row from its cluster's queue."""
        cluster = self.clusters[row.cluster]
        cluster.pending -= 1
        cluster.choices = [c for c in cluster.choices if c.row.key != row.key]
        self.tally.pending -= 1
        self.tally.promised_pending -= row.promised

    def fly(self, row: Row) -> None:
        self._leave(row)
        self.store.fly(row.key)
        self.flying[row.key] = row

    def land(self, key: int) -> None:
        """From flight back to the queue."""
        row = self.flying.pop(key, None)
        if row is not None:
            self.store.land(key)
            self.clusters[row.cluster].pending += 1
            self.clusters[row.cluster].choices.clear()
            self.tally.pending += 1
            self.tally.promised_pending += row.promised

    def end(
        self,
        row: Row,
        state: int,
        gain: float,
        is_post: bool | None,
        *,
        chance: float | None = None,
        is_absent: bool = False,
    ) -> None:
        """End a page, also a pending one (fetched another way). ``chance``: the probability that it
        is a post; ``is_absent``: the blog says that it does not exist.
        """
        if self.flying.pop(row.key, None) is None and self.store.state(row.key) == PENDING:
            self._leave(row)
        self.store.end(row.key, state, gain, is_post)
        self.tally.shown[row.shown] -= _is_counted(row)
        row.is_post, row.state = None if is_post is None else int(is_post), state
        if state == ALIAS:
            return
        is_read = state != FAILED
        self.clusters[row.cluster].learn(row.key, gain, is_post, chance, is_read=is_read)
        if not is_read:
            self.clusters[row.cluster].fail(is_absent=is_absent)
            self.tally.failed += 1
            self.tally.shown[row.shown] += _is_counted(row)
            return
        self.tally.shown[row.shown] += _is_counted(row)
        self.tally.done += 1
        if _is_known(row):
            self.tally.posts += 1
        else:
            self._audit(gain)

    def reopen(self, row: Row) -> None:
        """Take a page that ended back into flight."""
        self.tally.shown[row.shown] -= _is_counted(row)
        self.tally.done -= 1
        self.tally.posts -= _is_known(row)
        self.tally.audited -= not _is_known(row)
        row.state, row.is_post = IN_FLIGHT, None
        self.store.reopen(row.key)
        self.flying[row.key] = row
        self.tally.shown[row.shown] += _is_counted(row)

    def supersede(self, row: Row) -> None:
        """Take a page that gave a post for another name of a page that gave it too."""
        self.tally.shown[row.shown] -= _is_counted(row)
        self.tally.done -= 1
        self.tally.posts -= 1
        self.tally.promised -= row.promised
        row.state, row.is_post = ALIAS, None
        self.store.end(row.key, ALIAS, 0.0, None)

    def _audit(self, gain: float) -> None:
        self.tally.audited += 1
        self.tally.quiet = 0 if gain > 0 else self.tally.quiet + 1

    def correct(self, parent: int, delta: float) -> str | None:
        """Page ``parent`` was credited with a post too many or too few; its URL, for the
        estimator."""
        row = self.store.get(parent)
        if row is None:
            return None
        self.store.add_gain(parent, delta)
        self.clusters[row.cluster].correct(parent, delta)
        return row.url

    def _restore(self) -> None:
        for ident, text in self.store.names().items():
            if "|" in text and text.rpartition("|")[2] in _CLUSTER_FLAVOURS:
                self.shapes.remember(text)
                self._known(ident, text)
        for name_id, pending in self.store.pending_by_cluster().items():
            self._known(name_id, self.store.text(name_id)).pending = pending
        for row in self.store.tally():
            self._count(*row)

    def _count(
        self, state: int, promised: int, is_post: int | None, likely: int, shown: int, count: int
    ) -> None:
        """Count pages of one kind as the state before the restart had them."""
        is_undecided = is_post is None
        self.tally.pending += count * (state == PENDING)
        self.tally.promised += count * promised * (state != ALIAS)
        self.tally.promised_pending += count * promised * (state == PENDING)
        self.tally.done += count * (state == DONE)
        self.tally.failed += count * (state == FAILED)
        is_known = is_post == 1 or (is_undecided and promised)
        self.tally.posts += count * bool(state == DONE and is_known)
        is_likely = is_post == 1 or (is_undecided and likely)
        is_alive = state not in (ALIAS, FAILED)
        is_counted = (promised and state != ALIAS) or (is_alive and is_likely)
        self.tally.shown[shown] += count * bool(is_counted)

    def replay(
        self, row: Row, gain: float, *, is_absent: bool, chance: float | None = None
    ) -> None:
        """Restore what the cluster had learned from a page that ended before the restart."""
        is_post = None if row.is_post is None else bool(row.is_post)
        cluster = self._known(row.cluster, self.store.text(row.cluster))
        is_read = row.state != FAILED
        cluster.learn(row.key, gain, is_post, None if is_post else chance, is_read=is_read)
        if not is_read:
            cluster.fail(is_absent=is_absent)
        if row.state == DONE and not _is_known(row):
            self._audit(gain)

    def _known(self, ident: int, name: str) -> Cluster:
        if ident not in self.clusters:
            self.clusters[ident] = Cluster(ident, name)
        return self.clusters[ident]


def _flavour(kind: int, score: float) -> str:
    """Return the flavour of a page of which nothing else is known."""
    if kind == HUB:
        return "hub"
    return "likely" if score >= LIKELY else "maybe" if score > MAYBE else ""


def _is_known(row: Row) -> bool:
    """Return whether a page that was read gave a post, or may still do so."""
    return bool(row.is_post or (row.is_post is None and row.promised))


def _is_counted(row: Row) -> bool:
    """Return whether the row stands for a post, as far as is known."""
    if row.state in (ALIAS, FAILED):
        return row.state == FAILED and bool(row.promised)
    return bool(row.promised or row.is_post or (row.score >= LIKELY and row.is_post is None))
